#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# The contenders of hytrace bench that t-bench does not try: the callback of the series' module, fentry with a
# bitmap and on many functions, the BPF engine without callers and retiring.

set -uo pipefail
# shellcheck source=tests/guest/loader.sh
. "$(dirname "$(realpath "$0")")/loader.sh"
many=/sys/kernel/debug/ftrace_many

# figure CONTENDER WHAT: of the row of getppid()
figure()
{
	jq --arg c "$1" ".[] | select(.contender == \$c and .workload == \"getppid\") | .$2" out
}

# at_most A B: whether A is a positive number and at most B
at_most()
{
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && a <= b) }'
}

ok 'one function' status 0 bench -s one -f json -c base -c ftrace-ops -c fentry -c fentry-bitmap \
	-c fentry-bitmap-callers -c fentry-of-100 -c kprobe-multi-bitmap-nocallers -c cover-bpf-nocallers
is 'each has a row' "$(jq -c 'map(select(.total != null)) | length' out)" 8
is 'a bitmap has the function' "$(figure fentry-bitmap seen) $(figure kprobe-multi-bitmap-nocallers seen)" '1 1'
is 'and its caller' "$(figure fentry-bitmap-callers seen)" 2
is 'the engine has the function alone' "$(figure cover-bpf-nocallers seen)" 1
# Each is one trampoline more, attached by itself.
ok 'a hundred programs take longer to attach than one' \
	at_most "$(jq -n "10 * $(figure fentry attach)")" "$(figure fentry-of-100 attach)"
is 'the module is gone' "$(find $many -maxdepth 0 2>/dev/null)" ''

ok 'all functions' status 0 bench -s all -w getppid -f json -c base -c ftrace-ops -c cover-bpf-retired
is 'each has a row' "$(jq -c 'map(select(.total != null)) | length' out)" 3
ok 'the engine that retires has seen functions' at_most 100 "$(figure cover-bpf-retired seen)"

modprobe ftrace_many
ok 'a module that was there' status 0 bench -s one -f json -c ftrace-ops
is 'stays, without its ops' "$(sed -n 's/^ops: //p' $many/stats)" 0
awk '/ vfs_fsync$/ { print $1 }' $tracing/available_filter_functions_addrs >$many/functions
ok 'one that somebody uses is left alone' status 1 bench -s one -f json -c ftrace-ops
ok 'which is said' grep -q "$many/ is in use" err
is 'and keeps its ops' "$(sed -n 's/^ops: //p' $many/stats)" 1
echo >$many/functions
rmmod ftrace_many

"$hytrace" bench -s all -c ftrace-ops >out 2>err &
pid=$!
# It is attached, and goes on for long.
soon grep -qs '^registered: 1' $many/stats
kill -TERM $pid
wait $pid
is 'ended, it says so' $? 143
is 'and the module is gone' "$(find $many -maxdepth 0 2>/dev/null)" ''
tap_end
