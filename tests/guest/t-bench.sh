#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: stock
#
# hytrace bench as a user runs it: nanoseconds, on a kernel without the series, and nothing left behind when it is
# ended. tests/bench/run.sh checks the figures.
# shellcheck disable=SC2016 # jq has variables of its own

. "$(dirname "$(realpath "$0")")/loader.sh"

# Prints the settings of which the kernel has one each, and what bench makes.
state()
{
	(
		cd $tracing || exit
		cat current_tracer max_graph_depth set_ftrace_filter function_profile_enabled dynamic_events
		grep -s . options/func-no-repeats
		ls instances
		ls -d /dev/shm/* /run/hytrace-bench
		pgrep -l 'bpftrace|perf|hytrace'
	) 2>/dev/null
}

as_before()
{
	[[ $(state) == "$(<before)" ]]
}

echo 3 >$tracing/max_graph_depth
state >before
ok 'bench prints a table in nanoseconds' status 0 bench -s one -c base -c kprobe-multi -c event -c graph-depth-1 \
	-c ftrace-ops
ok 'the row of kprobe-multi has a figure' grep -qE '^one +kprobe-multi +getppid +[0-9.]+ ' out
ok 'the row of event says that this kernel does not have it' grep -qE '^one +event +getppid .*not measured: it is not there' out
ok 'the row of ftrace-ops says that this kernel does not have its module' grep -qE '^one +ftrace-ops +getppid .*not measured: it is not there' out
status 0 bench -n 3 -s one -c base -c kprobe-event -c fentry-bitmap-callers -f json
is 'json has a row for each contender' "$(jq -c '[.[] | .contender, .unit, .total > 0]' out)" \
	'["base","ns",true,"fentry-bitmap-callers","ns",true,"kprobe-event","ns",true]'
is 'a bitmap has the function and its caller' "$(jq '.[] | select(.contender == "fentry-bitmap-callers") | .seen' out)" 2
is 'bench leaves nothing behind' "$(state)" "$(<before)"
ip link set lo down
ok 'bench succeeds if a workload or a contender cannot run' status 0 bench -n 3 -s all -c base -c kcov \
	-w getppid -w file -w loopback -f json
is 'the rows of these say so, and the others have figures' \
	"$(jq -c '[.[] | [.contender, .workload, .total != null, .note]]' out | tr -d ' ')" \
	"$(tr -d ' \n\t' <<<'[["base","getppid",true,"nothingistraced"], ["base","file",true,""],
		["base","loopback",false,"notmeasured:theworkloadcannotrunhere"], ["kcov","getppid",false,"notmeasured:itisnotthere"]]')"
is 'that run leaves nothing behind' "$(state)" "$(<before)"
ip link set lo up
ok 'bench runs a server, and getppid() on all CPUs' status 0 bench -n 3 -s all -c base -c kprobe-multi-denied \
	-w server -w parallel -f json
is 'both contenders have a figure of each' "$(jq -c '[.[] | select(.total > 0) | [.contender, .workload]]' out)" \
	'[["base","server"],["base","parallel"],["kprobe-multi-denied","server"],["kprobe-multi-denied","parallel"]]'
ok 'bench runs getppid() on all CPUs with one function traced' status 0 bench -n 3 -s one -c base -c event-perf \
	-c kprobe-event -w parallel -f json
is 'a contender that sees one CPU alone has no row then' "$(jq -c '[.[] | [.contender, .workload]]' out)" \
	'[["base","parallel"],["kprobe-event","parallel"]]'
is 'these workloads leave nothing behind' "$(state)" "$(<before)"
# A contender is ended right after it has begun, or later, when a quick machine may have finished it.
while read -r contender wait statuses; do
	"$hytrace" bench -s all -w getppid -c "$contender" >out 2>err &
	pid=$!
	soon grep -q "bench: $contender, all functions" err
	sleep "$wait"
	kill -TERM $pid
	wait $pid
	ok "$contender: the exit status after SIGTERM is one of $statuses" grep -qx "$statuses" <<<$?
	# If a program has probes on all functions, it takes a while until they are gone.
	soon as_before
	is "$contender: nothing is left behind" "$(state)" "$(<before)"
done <<'END'
graph-depth-1 .3 143
bpftrace-count 5 143\|0
kprobe-multi-denied 5 143\|0
END
"$hytrace" bench -s one -c kprobe-event >out 2>err &
pid=$!
ok 'bench runs, and has made its event' soon grep -q hytrace_bench $tracing/dynamic_events
# Stopped, it cannot end before it is killed.
kill -STOP $pid
is 'a second bench fails while the first one runs' "$("$hytrace" bench -s one -c base 2>&1 >/dev/null; echo $?)" \
	"hytrace: bench: another hytrace bench is running, which holds /run/hytrace-bench.lock"$'\n'1
kill -KILL $pid
wait $pid
ok 'bench that is killed leaves its event behind' grep -q hytrace_bench $tracing/dynamic_events
ok 'the next bench succeeds' status 0 bench -n 1 -s one -c base
is 'the next bench removes that event' "$(state)" "$(<before)"
ok 'an unknown contender exits with 2' status 2 bench -c none
status 0 bench --list
is '--list names each contender once' "$(sort out | uniq -d)" ''
is '--list names the base first' "$(head -n 1 out)" base

tap_end
