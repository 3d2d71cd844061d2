#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Which contender sees all functions that ran? The contenders are ways to learn this, used as a user would use them.
# In a round, the workload of the main job runs under each contender, one after the other. Rounds go on until one
# brings no new function, three at most, because timers and interrupts bring new functions for a long time. All
# contenders have the same number of runs.
#
# The contenders are compared with two sets. The set of all functions has those that two contenders have seen in any
# run; a function that only one contender has seen may be its own work. The regular set is the same for all
# contenders. A function is regular for a kind of contenders if most contenders of this kind have seen it in nine of
# ten runs, so that one contender that misses much does not matter. A function is regular if it is so for two kinds,
# and if an ftrace tracer has seen it: these tracers have no waiting process whose own work it could be.
#
# Some functions only run when something takes long, and a quick contender makes fewer of these run. So there are up
# to three more rounds of all contenders while one of hytrace's has missed a regular function in all its runs.
#
# Writes build/bench/complete.{json,md} (build/bench-7.3 with LINUX=7.3). Fails if one of hytrace's contenders is missing, or has missed a regular
# function in all its runs and does not say that it leaves this function out. Also fails if fewer functions are
# regular than ever before.
#
# Usage: tests/bench/complete.sh [--boots N]
#   --boots N    run in N guests, each with another address layout (default 1)

set -euo pipefail
clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
edition=-${LINUX:-6.12}
out=$clone/build/bench${edition#-6.12}
rounds=3
more_rounds=3
# A run sees 3,966 to 4,021 functions.
least_regular=3500
judged=(oneshot oneshot-retired cover-bpf cover-bpf-retired)
contenders=("${judged[@]}" event-bpf bpftrace-count profiler function)
# Contenders of one kind may miss the same functions.
declare -A kind=([oneshot]=oneshot [oneshot-retired]=oneshot [cover-bpf]=bpf [cover-bpf-retired]=bpf
	[event-bpf]=bpf [bpftrace-count]=bpf [profiler]=ftrace [function]=ftrace)

# When a module is loaded, the kernel calls this function (it has two names on Linux 6.12 and 7.3) to patch the module's
# call sites for tracers that trace them. The BPF engine keeps to the functions that existed when it was attached, so
# it does not cause these calls.
not_called_for_bpf=(text_poke_queue smp_text_poke_batch_add)

# ---- in the guest

# Prints the functions that two or more contenders have seen until now.
union()
{
	local name
	for name in "${contenders[@]}"; do
		cat "$1/$name".*/names | LC_ALL=C sort -u
	done | LC_ALL=C sort | uniq -d
}

# at_least TIMES: prints, sorted, the lines of stdin that come at least TIMES times.
at_least()
{
	LC_ALL=C sort | uniq -c | awk -v times="$1" '$1 >= times { print $2 }'
}

# regular_for_kind DIR KIND: prints the functions that are regular for this kind.
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

# not_to_see DIR CONTENDER: prints the functions that it says it leaves out, and those that are not called for it.
not_to_see()
{
	[[ ! -e $1/$2.1/denied ]] || cat "$1/$2.1/denied"
	[[ $2 != cover-bpf* ]] || printf '%s\n' "${not_called_for_bpf[@]}"
}

# missed DIR CONTENDER SET [RUN]: prints the functions of a set that are in none of its runs, or not in this run.
missed()
{
	local runs=("$1/$2".*/names)
	((!${4:-0})) || runs=("$1/$2.$4/names")
	{
		cat "${runs[@]}"
		not_to_see "$1" "$2"
	} | LC_ALL=C sort -u | LC_ALL=C comm -13 - "$1/$3"
}

# Leaves the two sets, as known after a round, in DIR/union and DIR/regular.
know()
{
	union "$1" >"$1/union"
	regular "$1" >"$1/regular"
}

# go SHARE NAME ROUND: runs a contender. If several functions have a name, one of them is enough to have seen it.
go()
{
	local dir=$1/$2.$3

	mkdir "$dir" || return
	if ! tests/bench/complete-run.sh "$2" "$dir" >/dev/null || [[ $(wc -l <"$dir/names") -lt 1000 ]]; then
		cat "$dir/err" >&2
		echo "$2: failed" >&2
		return 1
	fi
	# The names are those of kallsyms, without the suffixes that the compiler and the tools append.
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

# Prints a line of JSON for each contender of a boot.
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
	jq -rs '"# Which contender sees all functions that ran",
		"",
		"Functions that ran during tests/guest/workload.sh: all that two contenders have seen in any run, and the regular ones, which most contenders of two kinds have seen in nine of ten runs. A function is missed if the contender has seen it in none of its runs. The last column says how many regular functions a single run lacks. Left out are the functions that the contender says it does not trace.",
		"",
		"| boot | contender | runs | left out | missed, of all | missed, of the regular | in a run: min, median, max |",
		"|--:|---|--:|--:|--:|--:|--:|",
		(.[] | "| \(.boot) | \(.contender) | \(.runs) | \(.left_out) | \(.missed | length) of \(.called) | \(.missed_regular | length) of \(.regular) | \(.missed_a_run | "\(.min), \(.median), \(.max)") |"),
		"",
		(.[] | select(.missed_regular | length > 0) | "Boot \(.boot), \(.contender), regular: \(.missed_regular[:12] | join(", "))\(if .missed_regular | length > 12 then " ..." else "" end)")' \
		"$1"
}

# Prints a line for each thing that makes the benchmark fail.
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
				   | "\($runs) runs, and others have another number")
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
	share=${out#"$clone/"}/complete.$boot
	rm -rf "$share"
	mkdir "$share"
	kernel/vm.sh --share "$share" --timeout 3000 -- tests/bench/complete.sh in-guest "$share"
	# The names that each run has seen stay there, to see what a single run lacks.
	judge "$share" "$boot" >>"$out/complete.json"
done
write_markdown "$out/complete.json" | tee "$out/complete.md"
wrong=$(verdict)
[[ ! $wrong ]] || {
	printf 'complete: %s\n' "$wrong" >&2
	exit 1
}
