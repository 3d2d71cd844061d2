#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs one contender of tests/bench/complete.sh once, in the guest, with the workload of the main job. Leaves the
# names of the functions that the contender saw in DIR/names. This is a script of its own so that the first error ends
# it: a contender that does not run must not count as one that sees nothing.
#
# Usage: tests/bench/complete-run.sh CONTENDER DIR
#        tests/bench/complete-run.sh workload

set -euo pipefail
workload=(tests/bench/complete-run.sh workload)
tracing=/sys/kernel/tracing

cover()
{
	local dir=$1
	shift
	build/hytrace cover "$@" -o "$dir/result.json" -- "${workload[@]}" 2>"$dir/err"
	jq -r '.functions[] | .name' "$dir/result.json" >"$dir/names"
	jq -r '.filters.denied_by_hytrace[]' "$dir/result.json" >"$dir/denied"
}

run_oneshot() { cover "$1" -e oneshot; }
run_oneshot-retired() { cover "$1" -e oneshot --no-callers --retire; }
run_cover-bpf() { cover "$1" -e bpf; }
run_cover-bpf-retired() { cover "$1" -e bpf --no-callers --retire; }
run_event-bpf() { cover "$1" -e event; }

run_bpftrace-count()
{
	BPFTRACE_MAX_PROBES=100000 BPFTRACE_MAP_KEYS_MAX=131072 \
		bpftrace -e 'kprobe:* { @[func] = count(); }' -c "/bin/bash $PWD/${workload[*]}" >"$1/out" 2>"$1/err"
	sed -n 's/^@\[\(.*\)\]: .*/\1/p' "$1/out" >"$1/names"
	rm "$1/out"
}

run_profiler()
{
	echo 1 >$tracing/function_profile_enabled
	"${workload[@]}" 2>"$1/err"
	echo 0 >$tracing/function_profile_enabled
	# The profiler cuts names at 30 characters. Such a name stands for all functions that begin with it.
	awk 'NR == FNR { all[substr($1, 1, 30)] = all[substr($1, 1, 30)] " " $1; next }
	     FNR > 2 { print all[$1] }' $tracing/available_filter_functions \
		$tracing/trace_stat/function* | tr -s ' ' '\n' | sed '/^$/d' >"$1/names"
}

# The ring buffer has room for all calls of a run.
run_function()
{
	local instance=$tracing/instances/complete

	mkdir $instance
	echo 0 >$instance/tracing_on
	echo 200000 >$instance/buffer_size_kb
	echo function >$instance/current_tracer
	echo 1 >$instance/tracing_on
	"${workload[@]}" 2>"$1/err"
	echo 0 >$instance/tracing_on
	if grep -E '^(overrun|dropped events): [1-9]' $instance/per_cpu/cpu*/stats >&2; then
		return 1
	fi
	mawk '{ sub(/.*: /, ""); sub(/ <-.*/, ""); sub(/<-.*/, ""); if (!($0 in seen)) { seen[$0]; print } }' \
		<(sed '/^#/d' $instance/trace) >"$1/names"
	echo nop >$instance/current_tracer
	rmdir $instance
}

if [[ $1 == workload ]]; then
	tests/guest/workload.sh
	# What the workload freed last is released after an RCU grace period.
	sleep 1
else
	"run_$1" "$2"
fi
