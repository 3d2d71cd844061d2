#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: stock
#
# hytrace bench as a user has it: nanoseconds, on a kernel without the series, and what is left of it when
# it is ended. What it measures is tests/bench/run.sh's.
# shellcheck disable=SC2016 # jq has variables of its own

set -uo pipefail
# shellcheck source=tests/guest/loader.sh
. "$(dirname "$(realpath "$0")")/loader.sh"

# What there is one of, and what it makes.
state()
{
	(
		cd $tracing || exit
		cat current_tracer max_graph_depth set_ftrace_filter function_profile_enabled dynamic_events
		grep -s . options/func-no-repeats
		ls instances
		ls /dev/shm
		pgrep -l 'bpftrace|perf|hytrace'
	) 2>/dev/null
}

as_before()
{
	[[ $(state) == "$(<before)" ]]
}

echo 3 >$tracing/max_graph_depth
state >before
ok 'a table, in nanoseconds' status 0 bench -s one -c base -c kprobe-multi -c event -c graph-depth-1 \
	-c ftrace-ops
ok 'with a figure' grep -qE '^one +kprobe-multi +getppid +[0-9.]+ ' out
ok 'what this kernel does not have is said' grep -qE '^one +event +getppid .*not measured: it is not there' out
ok 'nor the module with the callback' grep -qE '^one +ftrace-ops +getppid .*not measured: it is not there' out
status 0 bench -s one -c base -c kprobe-event -c fentry-bitmap-callers -f json
is 'rows' "$(jq -c '[.[] | .contender, .unit, .total > 0]' out)" \
	'["base","ns",true,"fentry-bitmap-callers","ns",true,"kprobe-event","ns",true]'
is 'a bitmap has the function and its caller' "$(jq '.[] | select(.contender == "fentry-bitmap-callers") | .seen' out)" 2
is 'nothing is left' "$(state)" "$(<before)"
ip link set lo down
ok 'a workload that cannot run' status 0 bench -s all -c base -w getppid -w file -w loopback -f json
is 'has a row that says so, and the others have theirs' \
	"$(jq -c '[.[] | [.workload, .total != null, .note]]' out | tr -d ' ')" \
	'[["getppid",true,"nothingistraced"],["file",true,""],["loopback",false,"notmeasured:theworkloadcannotrunhere"]]'
is 'which nothing is left of' "$(state)" "$(<before)"
# Right after it has begun, and later, when a quick machine may have come to the end.
while read -r contender wait statuses; do
	"$hytrace" bench -s all -w getppid -c "$contender" >out 2>err &
	pid=$!
	soon grep -q "bench: $contender, all functions" err
	sleep "$wait"
	kill -TERM $pid
	wait $pid
	ok "$contender: ended, it says so" grep -qx "$statuses" <<<$?
	# A program that has probes on all functions takes a while to be gone.
	soon as_before
	is 'and leaves nothing' "$(state)" "$(<before)"
done <<'END'
graph-depth-1 .3 143
bpftrace-count 5 143\|0
kprobe-multi-denied 5 143\|0
END
"$hytrace" bench -s one -c kprobe-event >out 2>err &
pid=$!
ok 'while one runs' soon grep -q hytrace_bench $tracing/dynamic_events
is 'another one does not' "$("$hytrace" bench -s one -c base 2>&1 >/dev/null; echo $?)" \
	"hytrace: bench: another one is running, which holds /run/hytrace-bench.lock"$'\n'1
kill -KILL $pid
wait $pid
ok 'one that is killed leaves its event' grep -q hytrace_bench $tracing/dynamic_events
ok 'the next one' status 0 bench -s one -c base
is 'removes it' "$(state)" "$(<before)"
ok 'there is no such contender' status 2 bench -c none
status 0 bench --list
is 'the list names each once' "$(sort out | uniq -d)" ''
is 'with the base first' "$(head -n 1 out)" base

tap_end
