#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Compares the figures in README.md and docs/results.md with docs/results.json: the tables must be those that
# tests/bench/document.sh writes, and the sentences must have the same figures. They must reach all targets. Then tests that
# script with other results.

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
copy=$tap_scratch/clone
mkdir -p "$copy/tests/bench" "$copy/build" "$copy/docs"
cp "$clone"/tests/bench/{document,targets}.* "$copy/tests/bench"
cp "$clone/README.md" "$copy"
cp "$clone"/docs/results.{md,json} "$copy/docs"

document=$copy/tests/bench/document.sh
tables=$copy/build/bench/tables.md

# Prints the files that document.sh changes.
differing()
{
	local file
	"$document" || echo failed
	for file in README.md docs/results.md; do
		cmp -s "$clone/$file" "$copy/$file" || echo "$file"
		cp "$clone/$file" "$copy/$file"
	done | xargs
}

# figure CONTENDER SCOPE [WHAT [CONFIG [WORKLOAD]]]: prints the contender's figure for getppid(), rounded as in the texts
figure()
{
	jq -r --arg c "$1" --arg s "$2" --arg what "${3:-over_base}" --arg config "${4:-patched}" --arg w "${5:-getppid}" '.runs as $runs
		| .rows[] | select(.contender == $c and .scope == $s and .workload == $w and $runs[.run].config == $config)
		| .[$what] | round' "$copy/docs/results.json"
}

# text FILE: prints its text in one line, without markup.
text()
{
	sed 's/[`*]//g' "$clone/$1" | tr -s ' \n' ' '
}

# says FILE FORMAT FIGURE...: succeeds if the file has that sentence with these figures
says()
{
	local file=$1 sentence figure
	for figure in "${@:3}"; do
		[[ $figure ]] || { echo 'a figure is missing'; return 1; }
	done
	# shellcheck disable=SC2059 # it is a format
	printf -v sentence "$2" "${@:3}"
	[[ $(text "$file") == *"$sentence"* ]] || {
		echo "$file does not say: $sentence"
		return 1
	}
}

is 'results.json has rows of one function, of all, and of other workloads' \
	"$(jq -c '.rows | [any(.scope == "one"), any(.scope == "all"), any(.workload == "tree"), length > 90]' \
		"$copy/docs/results.json")" '[true,true,true,true]'
is 'each row is of a run that is there' \
	"$(jq '(.runs | length) as $n | [.rows[] | select(.run | type != "number" or . < 0 or . >= $n)] | length' \
		"$copy/docs/results.json")" 0
is 'each row is there once' "$(jq '.runs as $r | .rows | group_by([$r[.run].config, .contender, .scope, .workload])
	| map(select(length > 1)) | length' "$copy/docs/results.json")" 0
is 'the tables have the figures of these rows' "$(differing)" ''
ok 'results.md is short' test "$(wc -l <"$clone/docs/results.md")" -le 150
is 'the full tables have the row of each contender' "$(jq -r '.rows[].contender' "$copy/docs/results.json" | sort -u | while read -r c; do
	grep -q "^| $c |" "$tables" || echo "$c"; done)" ''
is 'the full tables have all runs' "$(grep -c '^- .*`: ' "$tables")" "$(jq '.runs | length' "$copy/docs/results.json")"
is 'the figures reach each target of both kernels' "$(grep -E 'at most .* \| (reached|MISSED|UNKNOWN) \|$' "$tables" |
	sed 's/.* | \(.*\) |/\1/' | sort | uniq -c | xargs)" \
	"$(jq 'map(if .linux then 1 else 2 end) | add' "$copy/tests/bench/targets.json") reached"

ok 'results.md has the costs of the tracer' says docs/results.md \
	'With the tracer in the kernel it is %s instructions a call, %s without callers, and nothing once' \
	"$(figure oneshot one)" "$(figure oneshot-nocallers one)"
ok 'results.md has the costs of kprobe.multi' says docs/results.md \
	'with BPF on kprobe.multi it is %s (%s without callers), of which %s are the cost of a program that does nothing' \
	"$(figure cover-bpf one)" "$(figure cover-bpf-nocallers one)" "$(figure kprobe-multi one)"
ok 'results.md has the costs of fentry' says docs/results.md 'with BPF on fentry it is %s (%s without callers)' \
	"$(figure fentry-bitmap-callers one)" "$(figure fentry-bitmap one)"
ok 'results.md has the cost of a callback of ftrace' says docs/results.md 'a callback of ftrace that does no more than count takes %s' \
	"$(figure ftrace-ops one)"
ok 'results.md has the cost for all functions without those that are left out' says docs/results.md \
	'The %s is for all functions except those' "$(figure cover-bpf all)"
ok 'results.md has the costs of an empty program with and without them' says docs/results.md \
	'An empty program on kprobe.multi takes %s with the functions that it calls itself, and %s without' \
	"$(figure kprobe-multi all)" "$(figure kprobe-multi-denied all)"
ok 'results.md has the costs with mitigations' says docs/results.md 'on a Skylake, oneshot takes %s and cover-bpf %s ' \
	"$(figure oneshot one over_base 'patched, mitigations on')" "$(figure cover-bpf one over_base 'patched, mitigations on')"
ok 'results.md has the costs on two CPUs' says docs/results.md 'oneshot takes %s and cover-bpf %s, without the cost of cache' \
	"$(figure oneshot all over_base 'patched, 2 CPUs' parallel)" "$(figure cover-bpf all over_base 'patched, 2 CPUs' parallel)"
ok 'results.md has the costs of KCOV' says docs/results.md 'getppid() takes %s untraced. There, KCOV adds %s to calls of one task, and oneshot %s ' \
	"$(figure base all total 'patched, kcov')" "$(figure kcov all over_base 'patched, kcov')" "$(figure oneshot all over_base 'patched, kcov')"
ok 'README has the cost of a known call' says README.md 'and for %s instructions a later call' "$(figure oneshot one)"
ok 'README has the costs of both recorders' says README.md 'Debian%s kernels have | %s instructions |' "'s" "$(figure cover-bpf one)"
ok 'README names the kernel' says README.md 'on Linux %s with the patches' \
	"$(jq -r '.runs[] | select(.config == "patched") | .kernel | sub("-hytrace$"; "")' "$copy/docs/results.json" | sort -u)"

# A figure that changes must be noticed in tables and sentences.
jq 'del(.none)' "$clone/docs/results.json" >"$copy/docs/results.json"
is 'the layout of results.json changes no file' "$(differing)" ''
jq '.rows |= map(if .contender == "oneshot" and .scope == "one" then .over_base += 1 else . end)' \
	"$clone/docs/results.json" >"$copy/docs/results.json"
is 'a changed figure changes the tables of both files' "$(differing)" 'README.md docs/results.md'
ok 'the sentence does not have the changed figure' sh -c "! grep -q ' $(figure oneshot one) instructions a call' '$clone/docs/results.md'"
cp "$clone/docs/results.json" "$copy/docs"
sed -i 's/^| oneshot | 25 |/| oneshot | 24 |/' "$copy/docs/results.md"
"$document"
ok 'a table that was changed by hand is restored' cmp "$clone/docs/results.md" "$copy/docs/results.md"
sed -i '/^<!-- end -->/d' "$copy/README.md"
ok 'a block without an end is refused' sh -c "! '$document'"
ok 'a block without an end is not changed' sh -c "grep -q 'License: GPL' '$copy/README.md'"
cp "$clone/README.md" "$copy"

# A run of three rows: one replaces a row, one is new, and one has no figure.
printf '#!/bin/sh\nprintf "base\\noneshot\\nnew\\ncover-bpf\\n"\n' >"$copy/build/hytrace"
chmod +x "$copy/build/hytrace"
runs=$(jq '.runs | length' "$clone/docs/results.json")
jq -n '{meta: {kernel: "6.12.1-new", config: "patched", date: "2030-01-02T03:04:05Z", command: "again"},
	rows: [{contender: "oneshot", scope: "one", workload: "getppid", unit: "insn", base: 262, total: 300, over_base: 38},
		{contender: "new", scope: "one", workload: "getppid", unit: "insn", base: 262, total: 263, over_base: 1},
		{contender: "base", scope: "one", workload: "getppid", unit: "insn", base: null, total: null}]}' >"$tap_scratch/run.json"
ok 'document.sh takes new results' "$document" "$tap_scratch/run.json"
is 'a new row replaces the old one' "$(figure oneshot one)" 38
is 'a row of a new contender is put in the order of contenders' "$(jq -r '.rows | map(.contender)[0:3] | join(" ")' "$copy/docs/results.json")" \
	'base oneshot new'
is 'a row without a figure replaces nothing' "$(figure base one total)" 262
is 'results.json has one more run' "$(jq -r '(.runs | length), .runs[-1].command' "$copy/docs/results.json" | xargs)" "$((runs + 1)) again"
ok 'the full table has the new row' grep -q '^| new | 1 | 263 |' "$tables"
jq '.meta.config = "stock"' "$tap_scratch/run.json" >"$tap_scratch/stock.json"
ok 'document.sh takes results of another kernel' "$document" "$tap_scratch/stock.json"
ok 'a table has these beside the results of the series' grep -q '^| oneshot | 38 |.* 38 |' "$tables"
is 'results of another kernel replace no row of the series' "$(figure oneshot one) $(figure oneshot one over_base stock)" '38 38'
ok 'a file without results is refused' sh -c "echo '[]' >'$tap_scratch/none.json'; ! '$document' '$tap_scratch/none.json'"
is 'a file without results changes nothing' "$(jq '.runs | length' "$copy/docs/results.json")" $((runs + 2))
tap_end
