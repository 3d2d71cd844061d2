#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# hytrace bench, with the contenders that t-bench does not try: the callback in the series' module, fentry with a
# bitmap and on many functions, and the BPF engine without callers and with --retire.

. "$(dirname "$(realpath "$0")")/loader.sh"
many=/sys/kernel/debug/ftrace_many

# figure CONTENDER WHAT: prints the member WHAT of the contender's row for getppid()
figure()
{
	jq --arg c "$1" ".[] | select(.contender == \$c and .workload == \"getppid\") | .$2" out
}

# at_most A B: succeeds if A is a positive number and at most B
at_most()
{
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && a <= b) }'
}

# The series for 7.3 does not have the module.
ops=()
! modinfo ftrace_many >/dev/null 2>&1 || ops=(-c ftrace-ops)
ok 'one function is traced by all contenders' status 0 bench -n 3 -s one -f json -c base "${ops[@]}" -c fentry -c fentry-bitmap \
	-c fentry-bitmap-callers -c fentry-of-100 -c kprobe-multi-bitmap-nocallers -c cover-bpf-nocallers
is 'each contender has a row' "$(jq -c 'map(select(.total != null)) | length' out)" $((7 + ${#ops[@]} / 2))
is 'without callers, a bitmap has only the function' "$(figure fentry-bitmap seen) $(figure kprobe-multi-bitmap-nocallers seen)" '1 1'
is 'with callers, a bitmap has the function and its caller' "$(figure fentry-bitmap-callers seen)" 2
is 'the engine without callers has only the function' "$(figure cover-bpf-nocallers seen)" 1
# Each program has a trampoline of its own and is attached by itself.
ok 'a hundred programs take longer to attach than one' \
	at_most "$(jq -n "10 * $(figure fentry attach)")" "$(figure fentry-of-100 attach)"
is 'the module is unloaded afterwards' "$(find $many -maxdepth 0 2>/dev/null)" ''

ok 'all functions are traced by these contenders' status 0 bench -n 3 -s all -w getppid -f json -c base "${ops[@]}" -c cover-bpf-retired
is 'each contender has a row for all functions' "$(jq -c 'map(select(.total != null)) | length' out)" $((2 + ${#ops[@]} / 2))
ok 'the engine with --retire has seen at least 100 functions' at_most 100 "$(figure cover-bpf-retired seen)"

((${#ops[@]})) || {
	skip 'the module of the series' 'this series does not have it'
	tap_end
	exit
}
modprobe ftrace_many
ok 'bench uses a module that was loaded before' status 0 bench -n 3 -s one -f json -c ftrace-ops
is 'that module stays loaded, without ops' "$(sed -n 's/^ops: //p' $many/stats)" 0
awk '/ vfs_fsync$/ { print $1 }' $tracing/available_filter_functions_addrs >$many/functions
ok 'bench fails if somebody uses the module' status 1 bench -n 3 -s one -f json -c ftrace-ops
ok 'bench says that the module is in use' grep -q "$many/ is in use" err
is 'the module keeps the ops of its user' "$(sed -n 's/^ops: //p' $many/stats)" 1
echo >$many/functions
rmmod ftrace_many

"$hytrace" bench -s all -c ftrace-ops >out 2>err &
pid=$!
# The ops are attached now, and the benchmark still takes long.
soon grep -qs '^registered: 1' $many/stats
kill -TERM $pid
wait $pid
is 'bench that is ended by SIGTERM exits with 143' $? 143
is 'the module is unloaded after SIGTERM' "$(find $many -maxdepth 0 2>/dev/null)" ''
tap_end
