#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the benchmark in a guest on the base kernel, one CPU, every instruction counted, and writes
# build/bench/results.json, results.md and one .svg per scope. Mitigations are off and addresses
# fixed: both would add what is not the contenders'.
#
# Usage: tests/bench/run.sh [--kernel KERNEL] [ARGUMENT of the harness]...

set -euo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
out=$clone/build/bench
harness=$out/bench
kernel=patched
[[ ${1:-} != --kernel ]] || {
	kernel=$2
	shift 2
}
guest=("$clone/kernel/vm.sh" --kernel "$kernel" --icount --append 'nokaslr mitigations=off' --timeout 1800)

die()
{
	echo "bench: $*" >&2
	exit 1
}

# Where the rows come from, as an object. $1: the guest's uname -r.
write_meta()
{
	jq -n --arg kernel "$1" --arg config "$kernel" \
		--arg qemu "$(qemu-system-x86_64 --version | sed -n '1s/.*version //p')" \
		--arg cpu "TCG's max, 1 CPU, mitigations=off" --arg date "$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
		--arg command "make bench" \
		'{$kernel, $config, $qemu, accel: "tcg,thread=single", icount: "shift=0,sleep=off", $cpu, $date,
			$command}'
}

write_markdown()
{
	jq -r '
		def number: if . == null then "" else . * 10 | round / 10 | tostring end;
		def table($scope): [.rows[] | select(.scope == $scope)] | select(length > 0) |
			("", "## " + if $scope == "one" then "One function traced" else "All functions traced" end, "",
			"| contender | over base | total | min | max | first hit | seen | missed | memory | attach | detach | |",
			"|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|",
			(.[] | "| \(.contender) | \([.over_base, .total, .min, .max, .first_hit, .seen, .missed,
				.memory_bytes, .attach, .detach] | map(number) | join(" | ")) | \(.note) |"));
		"# What a traced call costs",
		"",
		"Instructions per \(.rows[0].workload)(), \(.meta.kernel) (\(.meta.config)), QEMU \(.meta.qemu) " +
			"\(.meta.accel) with icount \(.meta.icount), \(.meta.cpu). Written by `\(.meta.command)`, \(.meta.date).",
		"first hit: what the first call costs more; attach, detach: of switching it on and off, waiting included.",
		table("one"), table("all")' "$out/results.json" >"$out/results.md"
}

# One picture per scope: bars of what each contender adds to the bare call.
write_plot()
{
	local scope=$1 title=$2 data=$out/$1.tsv
	jq -r --arg scope "$scope" '.rows[] | select(.scope == $scope and .over_base != null and .contender != "base")
		| [.contender, .over_base] | @tsv' "$out/results.json" >"$data"
	[[ -s $data ]] || return 0
	gnuplot <<-END
	set terminal svg size 800,$((120 + 28 * $(wc -l <"$data"))) font 'sans,12'
	set output '$out/results-$scope.svg'
	set title '$title'
	set xlabel 'instructions per call, over base'
	set style fill solid 0.7
	set yrange [] reverse
	set xrange [0:*]
	set offsets graph 0, graph 0.12, 0.5, 0.5
	unset key
	plot '$data' using (\$2/2):0:(\$2/2):(0.35):yticlabels(1) with boxxyerror linecolor rgb '#3465a4', \
	     '' using 2:0:(sprintf(' %.0f', \$2)) with labels left
	END
	rm "$data"
}

main()
{
	local release status=0
	[[ -x $harness ]] || die "$harness is not built; 'make bench' builds and runs it"
	for tool in jq gnuplot; do
		type -P "$tool" >/dev/null || die "$tool is not installed; 'make deps' installs what is needed"
	done
	# The rows of a run with failures are written, too: they say what failed.
	# shellcheck disable=SC2016 # for the guest's sh
	"${guest[@]}" -- sh -c 'uname -r; exec "$@"' sh "$harness" "$@" >"$out/rows" || status=$?
	read -r release <"$out/rows" || die "the guest gave nothing (status $status)"
	sed -i 1d "$out/rows"
	jq -e . "$out/rows" >/dev/null || die "the guest gave no rows (status $status)"
	write_meta "$release" | jq --slurpfile rows "$out/rows" '{meta: ., rows: $rows[0]}' >"$out/results.json"
	rm "$out/rows"
	write_markdown
	write_plot one 'One function traced'
	write_plot all 'All functions traced'
	cat "$out/results.md"
	echo "bench: $out/results.json, results.md, results-*.svg" >&2
	return "$status"
}

main "$@"
