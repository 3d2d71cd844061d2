#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Who sees all that ran? The workload of the main job runs under each of the ways to learn that (the contenders),
# one after the other, as a user would start it. That is a round. There are rounds until one brings no
# function that is new, three at most, because timers and interrupts bring new ones for long. All contenders
# have the same number of runs.
#
# Two sets are what the contenders are held against. A function that two contenders have seen in any run can
# be called; one that a single contender has seen may be its own work. A function is regular for a kind of
# contenders when most contenders of that kind have seen it in nine of ten runs: one that is blind does not
# count then. It is regular when it is so for two kinds, and an ftrace tracer has seen it, beside
# which no process waits whose own work it could be. The regular set is the same for all contenders.
#
# A quick contender has fewer of the functions that come when something takes long. So there are up to three
# more rounds, of all contenders, as long as one of hytrace's has missed a regular function in all its runs.
#
# Writes build/bench/complete.{json,md}. Fails when one of hytrace's has missed a regular function in all its
# runs and does not say that it leaves it out, when one of hytrace's is not there, and when fewer functions are
# regular than there have ever been.
#
# Usage: tests/bench/complete.sh [--boots N]
#   --boots N    in N guests, each with another address layout (default 1)

set -euo pipefail
clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
out=$clone/build/bench
rounds=3
more_rounds=3
# A run has had 3,966 to 4,021.
least_regular=3500
judged=(oneshot oneshot-retired cover-bpf cover-bpf-retired)
contenders=("${judged[@]}" event-bpf bpftrace-count profiler function)
# Those of a kind may be blind to the same.
declare -A kind=([oneshot]=oneshot [oneshot-retired]=oneshot [cover-bpf]=bpf [cover-bpf-retired]=bpf
	[event-bpf]=bpf [bpftrace-count]=bpf [profiler]=ftrace [function]=ftrace)

# Called for all but the engine that keeps to what was there when it was attached: the call sites of a new module
# are patched for those that trace them.
not_called_for_bpf=text_poke_queue

# ---- in the guest

# What two contenders or more have seen by now.
union()
{
	local name
	for name in "${contenders[@]}"; do
		cat "$1/$name".*/names | LC_ALL=C sort -u
	done | LC_ALL=C sort | uniq -d
}

# Prints the lines of stdin that come at least TIMES times, sorted: at_least TIMES
at_least()
{
	LC_ALL=C sort | uniq -c | awk -v times="$1" '$1 >= times { print $2 }'
}

# regular_for_kind DIR KIND
regular_for_kind()
{
	local name runs members=0
	for name in "${contenders[@]}"; do
		[[ ${kind[$name]} != "$2" ]] || members=$((members + 1))
	done
	for name in "${contenders[@]}"; do
		[[ ${kind[$name]} == "$2" ]] || continue
		runs=("$1/$name".*/names)
		cat "${runs[@]}" | at_least $(((${#runs[@]} * 9 + 9) / 10))
	done | at_least $((members / 2 + 1))
}

regular()
{
	local name
	for name in oneshot bpf ftrace; do
		regular_for_kind "$1" "$name"
	done | at_least 2 | LC_ALL=C comm -12 - <(
		for name in "${contenders[@]}"; do
			[[ ${kind[$name]} != ftrace ]] || cat "$1/$name".*/names
		done | LC_ALL=C sort -u)
}

# not_to_see DIR CONTENDER: what it says that it leaves out, and what is not called for it
not_to_see()
{
	[[ ! -e $1/$2.1/denied ]] || cat "$1/$2.1/denied"
	[[ $2 != cover-bpf* ]] || echo "$not_called_for_bpf"
}

# missed DIR CONTENDER SET [RUN]: those of a set that are in none of its runs, or not in this one
missed()
{
	local runs=("$1/$2".*/names)
	((!${4:-0})) || runs=("$1/$2.$4/names")
	{
		cat "${runs[@]}"
		not_to_see "$1" "$2"
	} | LC_ALL=C sort -u | LC_ALL=C comm -13 - "$1/$3"
}

# Leaves what is known after a round in DIR/union and DIR/regular.
know()
{
	union "$1" >"$1/union"
	regular "$1" >"$1/regular"
}

# go SHARE NAME ROUND. A name that several functions have is seen when one of them is.
go()
{
	local dir=$1/$2.$3

	mkdir "$dir" || return
	if ! tests/bench/complete-run.sh "$2" "$dir" >/dev/null || [[ $(wc -l <"$dir/names") -lt 1000 ]]; then
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
	for ((round = 1; round <= rounds + more_rounds; round++)); do
		for name in "${contenders[@]}"; do
			go "$share" "$name" "$round" || return
		done
		know "$share"
		now=$(wc -l <"$share/union")
		echo "round $round: $now functions in all, $(wc -l <"$share/regular") regular" >&2
		if ((now == before || round >= rounds)); then
			for name in "${judged[@]}"; do
				missed "$share" "$name" regular | sed "s/^/$name has missed /"
			done | grep . >&2 || break
		fi
		before=$now
	done
}

# ---- on the host

# A line of JSON for each contender of a boot.
judge()
{
	local share=$1 boot=$2 name run
	know "$share"
	for name in "${contenders[@]}"; do
		[[ -e $share/$name.1 ]] || continue
		: >"$share/denied"
		[[ ! -e $share/$name.1/denied ]] || LC_ALL=C sort -u "$share/$name.1/denied" >"$share/denied"
		missed "$share" "$name" union >"$share/missed"
		missed "$share" "$name" regular >"$share/missed.regular"
		for run in "$share/$name".*; do
			missed "$share" "$name" regular "${run##*.}" | wc -l
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
		"Functions that ran during tests/guest/workload.sh: those that two contenders have seen in any run, and the regular ones, which most contenders of two kinds have seen in nine of ten runs. Missed are those that a contender has seen in none of its runs; the last column is how many of the regular ones a single run lacks. Left out is what the contender says that it does not trace.",
		"",
		"| boot | contender | runs | left out | missed, of all | missed, of the regular | in a run: min, median, max |",
		"|--:|---|--:|--:|--:|--:|--:|",
		(.[] | "| \(.boot) | \(.contender) | \(.runs) | \(.left_out) | \(.missed | length) of \(.called) | \(.missed_regular | length) of \(.regular) | \(.missed_a_run | "\(.min), \(.median), \(.max)") |"),
		"",
		(.[] | select(.missed_regular | length > 0) | "Boot \(.boot), \(.contender), regular: \(.missed_regular[:12] | join(", "))\(if .missed_regular | length > 12 then " ..." else "" end)")' \
		"$1"
}

# Prints a line for each thing that is not as it has to be.
verdict()
{
	jq -rs --argjson boots "$boots" --argjson least "$least_regular" '. as $rows
		| range(1; $boots + 1) as $boot | $ARGS.positional[] as $name
		| [$rows[] | select(.boot == $boot and .contender == $name)] as $mine
		| "boot \($boot), \($name): " + (
			if $mine | length != 1 then "\($mine | length) rows"
			else $mine[]
				| (.missed_regular | select(. != []) | "has missed \(join(", "))"),
				  (select(.regular < $least) | "\(.regular) regular functions, at least \($least)"),
				  (.runs as $runs | select(any($rows[]; .boot == $boot and .runs != $runs))
				   | "\($runs) runs, and others have not as many")
			end)' "$out/complete.json" --args "${judged[@]}"
}

boots=1
case ${1:-} in
in-guest)
	in_guest "$2"
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
	kernel/vm.sh --share "$share" --timeout 3000 -- tests/bench/complete.sh in-guest "$share"
	judge "$share" "$boot" >>"$out/complete.json"
	rm -rf "$share"
done
write_markdown "$out/complete.json" | tee "$out/complete.md"
wrong=$(verdict)
[[ ! $wrong ]] || {
	printf 'complete: %s\n' "$wrong" >&2
	exit 1
}
