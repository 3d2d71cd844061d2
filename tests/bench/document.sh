#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Writes the tables of costs in README.md and docs/results.md from docs/results.json, between "<!-- block NAME ...
# -->" and "<!-- end -->", and tables of all that is in docs/results.json to build/bench/tables.md. document.jq makes them.
# If results files of tests/bench/run.sh are given, their rows are first put into docs/results.json; there they replace
# those with the same contender, scope, workload and kernel.
#
# Usage: tests/bench/document.sh [RESULTS.json]...

set -euo pipefail

bench=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
clone=$(dirname "$(dirname "$bench")")
results=$clone/docs/results.json

die()
{
	echo "document: $*" >&2
	exit 1
}

# add FILE: puts its run last, and removes runs that have no rows. Each row has a line of its own, to be read in git.
add()
{
	local order
	order=$("$clone/build/hytrace" bench --list | jq -Rn '[inputs]') ||
		die "build/hytrace, which knows the contenders' order, is not built; 'make user' builds it"
	jq -r --slurpfile new "$1" --argjson order "$order" '
		def key: [.config, .contender, .scope, .workload];
		def named: . as $all | .rows | map(. + {config: $all.runs[.run].config});
		(.runs | length) as $run
		| ($new[0].rows | map(select(.total != null) | del(.unit, .min, .max) + {$run, config: $new[0].meta.config})) as $added
		| ($added | map(key)) as $replaced
		| [.runs[], $new[0].meta] as $runs
		| (named | map(select(key as $key | $replaced | index([$key]) | not))) + $added
		| ([.[].run] | unique) as $used
		| sort_by(.config != "patched", .config, .scope != "one", (.contender as $c | $order | index($c) // length))
		| map(.run |= (. as $r | $used | index($r)) | del(.config)) as $rows
		| "{\"runs\": [", ([$used[] as $u | $runs[$u] | tojson] | join(",\n")), "],\n\"rows\": [",
			($rows | map(tojson) | join(",\n")), "]}"' "$results" >"$results.new" ||
		die "$1 is not a results file of tests/bench/run.sh"
	mv "$results.new" "$results"
}

# block NAME: prints what document.jq makes
block()
{
	jq -r -L "$bench" --arg block "$1" --slurpfile targets "$bench/targets.json" -f "$bench/document.jq" "$results"
}

# Replaces the contents of a file's blocks.
write_blocks()
{
	local file=$1 line block=
	while IFS= read -r line; do
		[[ $block && $line != '<!-- end -->' ]] || printf '%s\n' "$line"
		case $line in
		'<!-- block '*)
			[[ ! $block ]] || die "$file: the block $block does not end"
			read -r _ _ block _ <<<"$line"
			block=${block%,}
			block "$block"
			;;
		'<!-- end -->') block= ;;
		esac
	done <"$file" >"$file.new"
	[[ ! $block ]] || die "$file: the block $block does not end"
	mv "$file.new" "$file"
}

for file; do
	add "$file"
done
write_blocks "$clone/README.md"
write_blocks "$clone/docs/results.md"
mkdir -p "$clone/build/bench"
block tables >"$clone/build/bench/tables.md"
