#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# The contenders of hytrace bench that need the series, or count what they are about: the callback of
# ftrace's module, fentry on many functions, the BPF engine that retires.

set -uo pipefail
# shellcheck source=tests/guest/loader.sh
. "$(dirname "$(realpath "$0")")/loader.sh"
many=/sys/kernel/debug/ftrace_many

# figure CONTENDER WHAT: of the row of getppid()
figure()
{
	jq --arg c "$1" ".[] | select(.contender == \$c and .workload == \"getppid\") | .$2" out
}

# as WHAT A B: whether A is at most B
at_most()
{
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && a <= b) }'
}

ok 'one function' status 0 bench -s one -f json -c base -c ftrace-ops -c fentry -c fentry-bitmap \
	-c fentry-bitmap-callers -c fentry-of-100 -c kprobe-multi -c kprobe-multi-bitmap-nocallers \
	-c cover-bpf-nocallers
cp out rows
is 'each has a row' "$(jq -c 'map(select(.total != null)) | length' rows)" 9
is 'a bitmap has the function' "$(figure fentry-bitmap seen) $(figure kprobe-multi-bitmap-nocallers seen)" '1 1'
is 'and its caller' "$(figure fentry-bitmap-callers seen)" 2
is 'the engine has the function alone' "$(figure cover-bpf-nocallers seen)" 1
# Each is one trampoline more, attached by itself.
ok 'a hundred programs take longer to attach than one' \
	at_most "$(jq -n "10 * $(figure fentry attach)")" "$(figure fentry-of-100 attach)"
ok 'a callback of ftrace costs less than a BPF program on kprobe.multi' \
	at_most "$(figure ftrace-ops over_base)" "$(figure kprobe-multi over_base)"
is 'the module is gone' "$(find $many -maxdepth 0 2>/dev/null)" ''

ok 'all functions' status 0 bench -s all -w getppid -f json -c base -c ftrace-ops -c kprobe-multi-denied -c cover-bpf-retired
is 'each has a row' "$(jq -c 'map(select(.total != null)) | length' out)" 4
# With what the workload calls no longer traced, only the rest of the system is.
ok 'an engine that retires costs less than an empty program' \
	at_most "$(figure cover-bpf-retired total)" "$(figure kprobe-multi-denied total)"

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
