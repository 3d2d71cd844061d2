#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the benchmark in a guest on the base kernel, with one CPU whose instructions are counted. Writes results.json,
# results.md and results.svg: for all rows to build/bench, for the quick ones to build/bench-quick, and for chosen
# ones to build/bench-chosen; with LINUX=7.3, to build/bench-7.3 and so on. Mitigations are off and addresses are fixed, because both would add instructions to
# those of the contenders.
#
# Usage: tests/bench/run.sh [OPTION]... [ARGUMENT of hytrace bench]...
#   --kernel K       as for vm.sh (default patched); only the patched kernel has targets
#   --quick          only measure getppid() with the tracers and the BPF engine, for which there are targets
#   --twice          run it a second time, and fail if a cost differs by more than 1 %
#   --boots N        run in N guests, each with another address layout and order: gives medians and extremes
#   --mitigations    leave mitigations on, on a Skylake, which needs them: its return thunks count calls
#   --cpus N         run in a guest with N CPUs: the instructions are those of all CPUs together
#   --config F       run on the patched kernel with the fragment F of kernel/config, which was built before
#   --beside K       then run on the kernel K, too, and write results-beside.json. With one function traced, a contender
#                    that both kernels have may differ by one instruction; otherwise fail

set -euo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
clone=$(dirname "$(dirname "$here")")
edition=-${LINUX:-6.12}
out=$clone/build/bench${edition#-6.12}
harness=("$clone/build/hytrace" bench --unit insn --format json)
kernel=patched
twice=
quick=
boots=1
beside=
fragment=
cpus=1
# make bench passes no arguments.
invocation=make\ bench${*:+", as tests/bench/run.sh $*"}
[[ $edition == -6.12 ]] || invocation="LINUX=${edition#-} $invocation"
append='nokaslr mitigations=off'
machine=()
cpu=max
declare -A titles=([one]='One function traced' [all]='All functions traced')
while :; do
	case ${1:-} in
	--kernel)
		kernel=$2
		shift 2
		;;
	--twice)
		twice=1
		shift
		;;
	--boots)
		boots=$2
		append=${append/nokaslr/}
		shift 2
		;;
	--mitigations)
		append=${append/mitigations=off/spectre_v2=retpoline retbleed=stuff}
		machine+=(--qemu -cpu --qemu Skylake-Client)
		cpu=Skylake-Client
		shift
		;;
	--cpus)
		cpus=$2
		machine+=(--smp "$2")
		shift 2
		;;
	--config)
		fragment=$2
		shift 2
		;;
	--beside)
		beside=$2
		shift 2
		;;
	--quick)
		quick=1
		shift
		set -- -w getppid -c base -c oneshot -c oneshot-nocallers -c oneshot-retired -c cover-bpf \
			-c kprobe-multi -c kprobe-multi-denied -c function -c event -c event-2args \
			-c fprobe-event-2args -c event-2args-of-5000 -c event-perf "$@"
		;;
	*) break ;;
	esac
done
# A part of the rows does not replace the results of all rows.
[[ ! $* ]] || out+=-chosen
[[ ! $quick ]] || out=${out%-chosen}-quick

die()
{
	echo "bench: $*" >&2
	exit 1
}

# Prints {contender, scope, workload}, each with the names that hytrace bench's arguments choose, or [] for all.
chosen()
{
	local options word

	options=$(getopt -n bench -o c:s:w:u:f:r:l \
		-l contender:,scope:,workload:,unit:,format:,rotate:,list -- "$@") || die 'see hytrace bench --help'
	eval "set -- $options"
	while (($# > 1)); do
		case $1 in
		-c | --contender) word=contender ;;
		-s | --scope) word=scope ;;
		-w | --workload) word=workload ;;
		*) word= ;;
		esac
		[[ ! $word ]] || printf '%s %s\n' "$word" "$2"
		shift
	done | jq -Rn '[inputs | split(" ")] as $words | ["contender", "scope", "workload"]
		| map({key: ., value: (. as $key | $words | map(select(.[0] == $key)[1]))}) | from_entries'
}

# Prints what distinguishes the rows of this run from others of the same contenders.
config()
{
	local words=$kernel
	[[ ! $fragment ]] || words+=", ${fragment%.config}"
	[[ $edition == -6.12 ]] || words+=", Linux ${edition#-}"
	[[ $append == *mitigations=off* ]] || words+=', mitigations on'
	((cpus == 1)) || words+=", $cpus CPUs"
	echo "$words"
}

# write_meta RELEASE: prints an object that says where the rows come from. RELEASE is the guest's uname -r.
write_meta()
{
	jq -n --arg kernel "$1" --arg config "$(config)" \
		--arg qemu "$("${HYTRACE_QEMU:-qemu-system-x86_64}" --version | sed -n '1s/.*version //p')" \
		--arg cpu "TCG's $cpu, $cpus CPU, $append, $boots boots" --arg date "$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
		--arg command "$invocation" \
		'{$kernel, $config, $qemu, accel: "tcg,thread=single", icount: "shift=0,sleep=off", $cpu, $date,
			$command}'
}

write_markdown()
{
	jq -r '
		def number: if . == null then "" else . * 10 | round / 10 | tostring end;
		def table($scope): [.rows[] | select(.scope == $scope)] | select(length > 0) |
			("", "## " + if $scope == "one" then "One function traced" else "All functions traced" end, "",
			"| contender | workload | over base | total | min | max | first hit | seen | missed | memory | attach | detach | |",
			"|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|",
			(.[] | "| \(.contender) | \(.workload) | \([.over_base, .total, .min, .max, .first_hit, .seen, .missed,
				.memory_bytes, .attach, .detach] | map(number) | join(" | ")) | \(.note) |"));
		"# What a traced call costs",
		"",
		"Instructions per run of a workload (getppid() called, a byte through a pipe and back, a file made and removed, true(1) run, a tree packed, 16 KiB over loopback, 4 KiB from a server, a file compiled), \(.meta.kernel) (\(.meta.config)), QEMU \(.meta.qemu) " +
			"\(.meta.accel) with icount \(.meta.icount), \(.meta.cpu). Written by `\(.meta.command)`, \(.meta.date).",
		"first hit: how much more the first call costs. attach, detach: what turning it on and off costs, waiting included; the median of three.",
		table("one"), table("all")' "$out/results.json" >"$out/results.md"
}

# plot_rows TITLE UNIT ROWS [FILE]: adds a panel of bars. The jq filter ROWS turns a row into a name and a number, or
# into nothing.
plot_rows()
{
	local data=$out/plot.$count.tsv
	jq -r "(.rows[]? // .) | $3 | @tsv" "${4:-$out/results.json}" >"$data"
	[[ -s $data ]] || return 0
	count=$((count + 1))
	lines=$((lines + $(wc -l <"$data")))
	panels+="set title '$1'; set xlabel '$2'
		plot '$data' using (\$2/2):0:(\$2/2):(0.35):yticlabels(1) with boxxyerror lc rgb '#3465a4', \
		'' using 2:0:(sprintf(' %.4g', \$2)) with labels left
	"
}

# Plots what each contender adds to the bare call, the memory that it needs, the calls that it says it has missed,
# and, if complete.sh has been run, the functions that it has missed.
write_plot()
{
	local panels='' count=0 lines=0 scope
	for scope in one all; do
		plot_rows "${titles[$scope]}" 'instructions per getppid(), over base' 'select(.scope == "'$scope'" and
			.over_base != null and .contender != "base" and .workload == "getppid"
			and (.contender | endswith("-on-one") | not)) | [.contender, .over_base]'
	done
	plot_rows 'Events on one function that all fire, each' 'instructions per getppid(), over base' 'select(.scope == "one"
		and .over_base != null and (.contender | test("^event(-[0-9]+-on-one)?$")))
		| [.contender, .over_base / ((.contender | capture("(?<n>[0-9]+)") | .n | tonumber) // 1)]'
	for scope in one all; do
		plot_rows "Attaching and detaching: ${titles[$scope],}" 'million instructions' 'select(.scope == "'$scope'" and
			.attach != null and .workload == "getppid") | [.contender, (.attach + .detach) / 1e6]'
	done
	plot_rows 'All functions traced, a tree packed' 'of what it takes untraced' 'select(.scope == "all" and .total != null
		and .base > 0 and .workload == "tree") | [.contender, .total / .base]'
	plot_rows 'Memory that a set, or a ring buffer, holds' 'MiB' 'select(.scope == "all" and .memory_bytes != null)
		| [.contender, .memory_bytes / 1048576]'
	plot_rows 'Calls that the contender says it has missed' 'calls' 'select(.scope == "all" and .missed != null)
		| [.contender, .missed]'
	[[ ! -s $out/complete.json ]] ||
		plot_rows 'Functions missed in a run of the workload' 'regular functions' \
			'select(.boot == 1) | [.contender, .missed_a_run.median]' "$out/complete.json"
	rm -f "$out/results.svg"
	((!count)) || gnuplot <<-END
	set terminal svg size 860,$((count * 130 + 30 * lines)) font 'sans,12' background 'white'
	set output '$out/results.svg'
	set style fill solid 0.7
	set yrange [] reverse
	set xrange [0:*]
	set offsets 0, graph 0.12, 0.5, 0.5
	set lmargin 34
	unset key
	set multiplot layout $count,1
	$panels
	END
	rm -f "$out"/plot.*.tsv
}

# Prints the rows that differ by more than 1 % between two results. For getppid() it compares the cost that is added.
# For other workloads, which the scheduler and caches of the kernel influence, it compares the total.
differing_rows()
{
	jq -n -r --slurpfile a "$1" --slurpfile b "$2" '
		[$a[0].rows, $b[0].rows] | transpose[]
		| select(.[0].over_base != null or .[1].over_base != null)
		| map(if .workload == "getppid" then .over_base else .total end) as [$first, $second]
		| select($first == null or $second == null or
			(($first - $second) | fabs) > 0.01 * ($first | fabs) + 1)
		| "\(.[0].contender), \(.[0].scope), \(.[0].workload): \(.[0].over_base) and \(.[1].over_base)"'
}

# check_targets ARGUMENT...: prints a verdict for each target (targets.json). The arguments for hytrace bench choose
# the rows. Fails if a figure misses its target, or if it is unknown: a row that was asked for is missing or has no
# figure, or the figure means nothing.
check_targets()
{
	local lines chosen
	# The caller tests the status of this function, so set -e does not work in it.
	chosen=$(chosen "$@") || return
	lines=$(jq -r -L "$here" --argjson chosen "$chosen" --arg linux "${edition#-}" --slurpfile targets "$here/targets.json" '
		include "targets";
		verdicts($targets[0]; $linux; $chosen) | "\(.verdict): \(.what): \(.got // "-"), at most \(
			if .most then .most | round else "-" end)"' "$out/results.json") || return
	echo "$lines" >&2
	! grep -qE '^(MISSED|UNKNOWN)' <<<"$lines"
}

# run_guest FILE COMMAND-LINE ARGUMENT...: writes the rows of a guest; if the guest fails, its rows say so
run_guest()
{
	local rows=$1 append=$2 status=0 image=$kernel
	shift 2
	[[ ! $fragment ]] || image=$("$clone/kernel/build.sh" --config "$fragment" --print-image) || die 'see kernel/build.sh'
	# shellcheck disable=SC2016 # for the guest's sh
	"$clone/kernel/vm.sh" --kernel "${image%/bzImage}" --icount "${machine[@]}" --append "$append" --timeout 2400 -- \
		sh -c 'uname -r; ip link set lo up; exec "$@"' sh "${harness[@]}" "$@" >"$rows" || status=$?
	read -r release <"$rows" || die "the guest printed nothing (status $status)"
	sed -i 1d "$rows"
	jq -e 'length > 0' "$rows" >/dev/null || die "the guest printed no rows (status $status)"
	return "$status"
}

# Joins the rows of several boots into one each, with the medians and the extremes of all.
join_boots()
{
	jq -s '
		def median: map(select(. != null)) | sort | if length == 0 then null
			else (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2 end;
		(add) as $all | .[0] | map(. as $row
			| [$all[] | select(.contender == $row.contender and .scope == $row.scope and
				.workload == $row.workload)] as $same
			| $row + (["base", "total", "over_base", "first_hit", "seen", "missed", "attach", "detach"]
				| map({key: ., value: (. as $what | $same | map(.[$what]) | median)}) | from_entries)
			+ {min: ($same | map(.min | values) | min), max: ($same | map(.max | values) | max)})' "$@"
}

# measure FILE ARGUMENT...: writes the results there.
measure()
{
	local file=$1 release status=0 boot files=() rotation
	shift

	for ((boot = 0; boot < boots; boot++)); do
		files+=("$out/rows.$boot")
		# The first boot measures in the order of the report.
		rotation=()
		((!boot)) || rotation=(--rotate "$((7 * boot % 30 + 1))")
		run_guest "$out/rows.$boot" "$append" "${rotation[@]}" "$@" || status=$?
	done
	join_boots "${files[@]}" >"$out/rows"
	rm "${files[@]}"
	write_meta "$release" | jq --slurpfile rows "$out/rows" '{meta: ., rows: $rows[0]}' >"$file"
	rm "$out/rows"
	return "$status"
}

# Compares the runs of two guests. A figure that cannot be repeated is none.
compare_runs()
{
	local differing
	measure "$out/second.json" "$@"
	differing=$(differing_rows "$out/results.json" "$out/second.json")
	rm "$out/second.json"
	[[ ! $differing ]] || die "two runs differ by more than 1 %:"$'\n'"$differing"
	echo 'bench: two runs agree within 1 %' >&2
}

# The same arguments on another kernel, and a line for each contender that both have.
compare_kernels()
{
	local lines
	kernel=$beside
	measure "$out/results-beside.json" "$@" || return
	lines=$(jq -r -L "$here" --slurpfile beside "$out/results-beside.json" --arg kernel "$beside" 'include "targets";
		.rows | beside($beside[0].rows)
		| "\(.verdict): \(.contender), beside the \($kernel) kernel: \(.got), there \(.there)"' "$out/results.json") ||
		return
	echo "$lines" >&2
	# The base tells nothing of the others.
	grep -qE '^reached: [^,]*,' <<<"${lines//reached: base,/}" && ! grep -qv '^reached' <<<"$lines"
}

main()
{
	local status=0 tool
	mkdir -p "$out"
	[[ -x ${harness[0]} ]] || die "${harness[0]} is not built; 'make bench' builds and runs it"
	for tool in jq gnuplot; do
		type -P "$tool" >/dev/null || die "$tool is not installed; 'make deps' installs what is needed"
	done
	measure "$out/results.json" "$@" || status=$?
	write_markdown
	write_plot
	cat "$out/results.md"
	[[ ! $twice ]] || compare_runs "$@"
	[[ $(config) != patched?(", Linux ${edition#-}") ]] || check_targets "$@" || status=1
	[[ ! $beside ]] || compare_kernels "$@" || status=1
	echo "bench: $out/results.json, results.md, results.svg" >&2
	return "$status"
}

main "$@"
