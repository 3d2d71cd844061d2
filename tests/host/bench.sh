#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests what tests/bench/run.sh makes of a guest's rows: it fails when a figure is missed, and when a row
# that was asked for is not there. The guest only prints.

set -uo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
# shellcheck source=tests/guest/tap.sh
. "$clone/tests/guest/tap.sh"
fake=$tap_scratch/clone

make_clone()
{
	mkdir -p "$fake/tests/bench" "$fake/kernel" "$fake/build/bench"
	cp "$clone"/tests/bench/{run.sh,targets.*} "$fake/tests/bench"
	# The next boot may have others.
	cat >"$fake/kernel/vm.sh" <<-END
		#!/bin/sh
		echo 6.12-fake
		cat "$fake/rows"
		[ ! -e "$fake/rows.next" ] || mv "$fake/rows.next" "$fake/rows"
	END
	: >"$fake/build/hytrace"
	chmod +x "$fake/kernel/vm.sh" "$fake/build/hytrace"
}

# rows EDIT: what a guest prints in which all figures are just good enough, changed by a jq filter.
rows()
{
	jq -n '[["oneshot", "one", 30], ["oneshot-nocallers", "one", 22], ["function", "one", 500],
		["oneshot", "all", 60], ["function", "all", 1000], ["event", "one", 550],
		["fprobe-event-2args", "one", 1000], ["event-2args", "one", 550],
		["event-2args-of-5000", "one", 577.5], ["kprobe-multi-hash", "one", 600],
		["event-bpf-hash", "one", 540], ["kprobe-multi", "one", 200], ["cover-bpf", "one", 270],
		["kprobe-multi-denied", "all", 1000], ["kprobe-multi", "all", 1125],
		["oneshot-retired", "one", 0], ["event-bpf", "one", 200],
		["cover-bpf", "all", 1350]]
		| map({contender: .[0], scope: .[1], workload: "getppid", over_base: .[2], total: .[2],
			note: ""} + ({"cover-bpf": {attach: 700e6, detach: 370e6},
				oneshot: {attach: 174e6, detach: 185e6}, "event-bpf": {attach: 1e6},
				"oneshot-retired": {note: "1, in 1 batches that took 20000"}}[.[0]] // {}))
		+ [["getppid", "pipe", "file"][] | {contender: "oneshot-retired", scope: "all", workload: .,
			base: 1000, over_base: 10, total: 1010, note: ""}]' | jq "$1" >"$fake/rows"
}

# status ROWS EDIT ARGUMENT...
status()
{
	rows "$1"
	shift
	"$fake/tests/bench/run.sh" "$@" >"$tap_scratch/out" 2>"$tap_scratch/err"
	echo $?
}

make_clone
is 'all figures reached' "$(status .)" 0
is 'and told so' "$(grep -c '^reached' "$tap_scratch/err")" 17
is 'a figure that is missed by 1' "$(status 'map(if .contender == "oneshot-nocallers" then .over_base = 23 else . end)')" 1
ok 'is named' grep -q '^MISSED: oneshot, one function, functions only: 23, at most 22' "$tap_scratch/err"
is 'a share that is missed' "$(status 'map(if .contender == "event-bpf-hash" then .over_base = 541 else . end)')" 1
is 'an engine that attaches slowly' "$(status 'map(if .contender == "cover-bpf" then .attach = 700000001 else . end)')" 1
ok 'is named' grep -q '^MISSED: BPF engine, attaching to all functions: 700000001' "$tap_scratch/err"
is 'one that retires slowly' "$(status 'map(if .note != "" then .note += "1" else . end)')" 1
ok 'is named' grep -q '^MISSED: retiring one function, of enabling one event with a BPF program: 200001, at most 20000' "$tap_scratch/err"
is 'one that does not say' "$(status 'map(if .note != "" then .note = "function only" else . end)')" 1
ok 'is unknown' grep -q '^UNKNOWN: retiring one function' "$tap_scratch/err"
is 'a workload that the tracer slows down' "$(status 'map(if .workload == "pipe" then .total = 1011 else . end)')" 1
ok 'is named' grep -q '^MISSED: oneshot, all functions, retired, pipe, of no tracer: 1011, at most 1010' "$tap_scratch/err"
is 'one that is faster than without' "$(status 'map(if .workload == "file" then .total = 900 else . end)')" 1
ok 'is unknown' grep -q '^UNKNOWN: oneshot, all functions, retired, file' "$tap_scratch/err"
is 'a workload without a figure' "$(status 'map(if .workload == "pipe" then .total = null else . end)')" 1
is 'one that is not there' "$(status 'map(select(.workload != "pipe"))')" 1
is 'a row without a figure' "$(status 'map(if .contender == "oneshot" then .over_base = null else . end)')" 1
ok 'is unknown' grep -q '^UNKNOWN: oneshot, one function, with callers' "$tap_scratch/err"
is 'a peer without a figure' "$(status 'map(if .contender == "function" then .over_base = null else . end)')" 1
is 'a row that is not there' "$(status 'map(select(.contender != "event"))')" 1
is 'no row at all' "$(status '[]')" 1
is 'a row that was not asked for' "$(status 'map(select(.contender == "oneshot"))' -c oneshot)" 0
is 'but those asked for count' "$(status 'map(select(.contender == "oneshot") | .over_base = 31)' -c oneshot)" 1
is 'and must have a figure' "$(status 'map(select(.contender == "oneshot") | .over_base = null)' -c oneshot)" 1
is 'and must be there' "$(status 'map(select(.contender == "function"))' -c oneshot -c function)" 1
is 'nor of a scope' "$(status 'map(select(.contender == "oneshot" and .scope == "all"))' -c oneshot --scope=all)" 0
is 'or of a workload' "$(status 'map(select(.contender != "oneshot-retired" or .workload != "pipe"))' \
	-w getppid --workload file)" 0
is 'nothing of what was asked for' "$(status '[]' -c base)" 1
is 'the quick ones' "$(status . --quick)" 0
is 'are as many' "$(grep -c '^reached' "$tap_scratch/err")" 13
# oneshot-retired with one function is held against event-bpf, which the quick ones leave out; kprobe-multi with
# all functions is there to be looked at.
is 'and no other may be missing' "$(for n in {0..14}; do
	status "(map(select(.contender | IN(\"oneshot\", \"oneshot-nocallers\", \"oneshot-retired\", \"cover-bpf\",
		\"kprobe-multi\", \"kprobe-multi-denied\", \"function\", \"event\", \"event-2args\",
		\"fprobe-event-2args\", \"event-2args-of-5000\")) | select(.workload == \"getppid\" and
		(.contender != \"kprobe-multi\" or .scope == \"one\")))
		| if length > $n then del(.[$n]) else empty end)" --quick
done | sort | uniq -c | xargs)" '1 0 14 1'
is 'or all of them' "$(status '[]' --quick)" 1
is 'or all but the base' "$(status 'map(.contender = "base")' --quick)" 1
status . >/dev/null
cp "$fake/build/bench/results.json" "$tap_scratch/all.json"
status . --quick >/dev/null
status . -c oneshot >/dev/null
ok 'the rows of all stay' cmp "$fake/build/bench/results.json" "$tap_scratch/all.json"
is 'what the harness would not understand' "$(status . --nothing)" 1
sed -i 's/"most": 30}/"mots": 30}/' "$fake/tests/bench/targets.json"
is 'a target that asks for nothing' "$(status .)" 1
echo '{' >>"$fake/tests/bench/targets.json"
is 'targets that cannot be read' "$(status .)" 1
cp "$clone/tests/bench/targets.json" "$fake/tests/bench"
is 'another kernel owes nothing' "$(status 'map(.over_base = null)' --kernel stock)" 0

rows 'map(select(.contender == "oneshot" and .scope == "one") | . + {over_base: 20, min: 5, max: 90})'
mv "$fake/rows" "$fake/rows.next"
is 'two boots' "$(status 'map(. + {min: 7, max: 40})' --kernel stock --boots 2)" 0
is 'are one row, with the median and the extremes of both' "$(jq -c '[.rows[] | select(.contender == "oneshot" and
	.scope == "one") | .over_base, .min, .max]' "$fake/build/bench/results.json")" '[25,5,90]'
is 'how it was called is written down' "$(jq -r .meta.command "$fake/build/bench/results.json")" \
	'make bench, as tests/bench/run.sh --kernel stock --boots 2'
tap_end
