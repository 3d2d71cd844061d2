#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Who sees all that ran? The workload of the main job runs under each of the ways to learn that, one after the
# other, as a user would start it, and again until a round brings no function that is new, or there were
# three: timers and interrupts bring new ones for long. What two of them have seen in any run is taken for
# what can be called; what only one has may be its own work. For each, what nine in ten runs of those have
# seen that work in another way is regular, if an ftrace tracer has as well, beside which no process waits
# whose own work it could be. What is quicker than those has fewer of the functions that come when something
# takes long: if one of hytrace's has missed a regular one in all its runs, it has five more. Of both, what
# each has missed in all its runs together, and of the regular what in a single one; and apart from that,
# what hytrace says itself that it leaves out. Writes build/bench/complete.{json,md}. Fails when the oneshot
# tracer or the BPF engine has missed a regular function in all its runs, and does not say so.
#
# Usage: tests/bench/complete.sh [--boots N]
#   --boots N    in N guests, each with another address layout (default 1)

set -euo pipefail
clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
out=$clone/build/bench
most_rounds=3
more_rounds=5
judged=(oneshot oneshot-retired cover-bpf cover-bpf-retired)
contenders=("${judged[@]}" event-bpf bpftrace-count profiler function)
# Those of a kind may be blind to the same.
declare -A kind=([oneshot]=oneshot [oneshot-retired]=oneshot [cover-bpf]=bpf [cover-bpf-retired]=bpf
	[event-bpf]=bpf [bpftrace-count]=bpf [profiler]=ftrace [function]=ftrace)

# Called for all but the engine that keeps to what was there when it was attached: the call sites of a new module
# are patched for those that trace them.
not_called_for_bpf=text_poke_queue

# ---- in the guest: `run NAME DIR` has the workload run, and leaves the names of what it saw in DIR/names. In a
# process of its own, which ends at the first thing that fails: a contender that does not run is none that sees
# nothing.

workload=(tests/bench/complete.sh workload)
tracing=/sys/kernel/tracing

cover()
{
	local dir=$1
	shift
	build/hytrace cover "$@" -o "$dir/result.json" -- "${workload[@]}" 2>"$dir/err"
	jq -r '.functions[] | select(.kind != "caller") | .name' "$dir/result.json" >"$dir/names"
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
	# It cuts names at 30 characters, and means all that begin so.
	awk 'NR == FNR { all[substr($1, 1, 30)] = all[substr($1, 1, 30)] " " $1; next }
	     FNR > 2 { print all[$1] }' $tracing/available_filter_functions \
		$tracing/trace_stat/function* | tr -s ' ' '\n' | sed '/^$/d' >"$1/names"
}

# With room for all calls of a run.
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

# What two contenders or more have seen by now.
union()
{
	local name
	for name in "${contenders[@]}"; do
		cat "$1/$name".*/names | LC_ALL=C sort -u
	done | LC_ALL=C sort | uniq -d
}

# regular DIR CONTENDER: what nine in ten runs of the other kinds have seen, and another tracer of ftrace's once
regular()
{
	local name runs=() quiet=()
	for name in "${contenders[@]}"; do
		[[ ${kind[$name]} == "${kind[$2]}" ]] || runs+=("$1/$name".[1-"$most_rounds"]/names)
		[[ ${kind[$name]} != ftrace || $name == "$2" ]] || quiet+=("$1/$name".[1-"$most_rounds"]/names)
	done
	LC_ALL=C sort "${runs[@]}" | uniq -c | awk -v most=$((${#runs[@]} * 9)) '10 * $1 >= most { print $2 }' |
		LC_ALL=C comm -12 - <(LC_ALL=C sort -u "${quiet[@]}") |
		if [[ $2 == cover-bpf* ]]; then grep -vxF "$not_called_for_bpf"; else cat; fi
}

# seen DIR CONTENDER: in any of its runs, or it says that it leaves it out, which is no omission
seen()
{
	{
		cat "$1/$2".*/names
		[[ ! -e $1/$2.1/denied ]] || cat "$1/$2.1/denied"
	} | LC_ALL=C sort -u
}

missed_regular()
{
	LC_ALL=C comm -13 <(seen "$1" "$2") <(regular "$1" "$2")
}

# go SHARE NAME ROUND. A name that several functions have is seen when one of them is.
go()
{
	local dir=$1/$2.$3

	mkdir "$dir" || return
	if ! "${BASH_SOURCE[0]}" run "$2" "$dir" >/dev/null || [[ $(wc -l <"$dir/names") -lt 1000 ]]; then
		cat "$dir/err" >&2
		echo "$2: failed" >&2
		return 1
	fi
	# As kallsyms has it, without what the compiler and tools append.
	sed -i 's/ *\[.*//; s/\.\(constprop\|isra\|part\|cold\).*//' "$dir/names" &&
		LC_ALL=C sort -u -o "$dir/names" "$dir/names" || return
	echo "round $3: $2: $(wc -l <"$dir/names") functions" >&2
}

in_guest()
{
	local share=$1 round before=0 now name
	for ((round = 1; round <= most_rounds; round++)); do
		for name in "${contenders[@]}"; do
			go "$share" "$name" "$round" || return
		done
		union "$share" >"$share/union"
		now=$(wc -l <"$share/union")
		echo "round $round: $now functions in all" >&2
		((now > before)) || break
		before=$now
	done
	for name in "${judged[@]}"; do
		for ((round = 1; round <= more_rounds; round++)); do
			missed_regular "$share" "$name" | grep . >&2 || break
			go "$share" "$name" "$((most_rounds + round))" || return
		done
	done
}

# ---- on the host

# A line of JSON for each contender of a boot.
judge()
{
	local share=$1 boot=$2 name run
	for name in "${contenders[@]}"; do
		: >"$share/denied"
		[[ ! -e $share/$name.1/denied ]] || LC_ALL=C sort -u "$share/$name.1/denied" >"$share/denied"
		seen "$share" "$name" | LC_ALL=C comm -13 - "$share/union" >"$share/missed"
		regular "$share" "$name" >"$share/regular"
		missed_regular "$share" "$name" >"$share/missed.regular"
		for run in "$share/$name".*; do
			LC_ALL=C sort -u "$run/names" "$share/denied" | LC_ALL=C comm -13 - "$share/regular" | wc -l
		done | jq -s --arg name "$name" --argjson boot "$boot" \
			--rawfile union "$share/union" --rawfile regular "$share/regular" \
			--rawfile missed "$share/missed" --rawfile missed_regular "$share/missed.regular" \
			--rawfile denied "$share/denied" -c '
			def names: split("\n")[:-1];
			($union | names) as $all
			| {$boot, contender: $name, runs: length, called: ($all | length), regular: ($regular | names | length),
			   left_out: ($all - ($all - ($denied | names)) | length),
			   missed: ($missed | names), missed_regular: ($missed_regular | names),
			   missed_a_run: {min: min, median: (sort | .[length / 2 | floor]), max: max}}'
	done
}

write_markdown()
{
	jq -rs '"# Who sees all that ran",
		"",
		"Functions that ran during tests/guest/workload.sh: what two contenders have seen in any run, and the regular ones, which nine in ten runs of contenders that work in another way have seen. What each has seen in none of its runs, and of the regular ones in a single run. Left out is what it says itself that it does not trace.",
		"",
		"| boot | contender | runs | left out | missed, of all | missed, of the regular | in a run: min, median, max |",
		"|--:|---|--:|--:|--:|--:|--:|",
		(.[] | "| \(.boot) | \(.contender) | \(.runs) | \(.left_out) | \(.missed | length) of \(.called) | \(.missed_regular | length) of \(.regular) | \(.missed_a_run | "\(.min), \(.median), \(.max)") |"),
		"",
		(.[] | select(.missed_regular | length > 0) | "Boot \(.boot), \(.contender), regular: \(.missed_regular[:12] | join(", "))\(if .missed_regular | length > 12 then " ..." else "" end)")' \
		"$1"
}

boots=1
case ${1:-} in
workload)
	tests/guest/workload.sh
	# What it has freed last is gone after a grace period of RCU's.
	sleep 1
	exit
	;;
in-guest)
	in_guest "$2"
	exit
	;;
run)
	"run_$2" "$3"
	exit
	;;
--boots) boots=$2 ;;
?*)
	sed -n '/^# Usage/,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
cd "$clone"
mkdir -p "$out"
: >"$out/complete.json"
for ((boot = 1; boot <= boots; boot++)); do
	share=build/bench/complete.$boot
	rm -rf "$share"
	mkdir "$share"
	kernel/vm.sh --share "$share" --timeout 2400 -- tests/bench/complete.sh in-guest "$share"
	judge "$share" "$boot" >>"$out/complete.json"
	rm -rf "$share"
done
write_markdown "$out/complete.json" | tee "$out/complete.md"
jq -es 'map(select(.contender | IN($ARGS.positional[])) | .missed_regular[]) == []' "$out/complete.json" \
	--args "${judged[@]}" >/dev/null
