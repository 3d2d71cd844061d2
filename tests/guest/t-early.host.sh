#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks what t-early.sh has copied from its guest: the documents of hytrace boot, against the trace they are made of.
# shellcheck disable=SC2016 # jq has variables of its own

here=$(dirname "$(realpath "$0")")
. "$here/tap.sh"
. "$here/page-lib.sh"
. "$here/picture-lib.sh"

recorded=$(sed -n 's/^recorded: //p' early_stats)
for phase in setup_arch mm_core_init ftrace_init; do
	ok "json has the phase $phase" jq -e --arg p $phase 'any(.phases[]; .name == $p)' boot.json
done
is 'json has all calls' "$(jq '.totals.calls' boot.json)" "$recorded"
is 'trace-cmd has all calls' "$(trace-cmd report -i early.dat 2>/dev/null | grep -c '^ *early:.* function: ')" "$recorded"
is 'each call is in a phase' "$(jq '[.phases[].calls] | add' boot.json)" "$recorded"
is 'each call is of a function' "$(jq '[.functions[].calls] | add' boot.json)" "$recorded"
sed -n 's/.*: \([^ ]*\) <-.*/\1/p' trace | sort | uniq -c | awk '{ print $2, $1 }' | sort >counted
is 'each function has as many calls as in the trace' \
	"$(jq -r '.functions[] | "\(.name) \(.calls)"' boot.json | sort | diff - counted | head -n 5)" ''
ok 'phases are in the order of their times' jq -e '[.phases[].start] | . == sort' boot.json
# On a busy machine, the kernel may fail to measure the TSC early. Then no call has a time.
timed=$(jq '.window.tsc_khz != null' boot.json)
[[ $timed == false ]] ||
	is 'trace viewers can read boot.trace' "$(jq -rf "$here/trace-events.jq" boot.trace 2>&1)" ''
is 'json has times if it has a frequency' "$(jq '.window.last != null' boot.json)" "$timed"
is 'boot.trace has every phase that has a time' \
	"$(jq '[.traceEvents[] | select(.cat == "phase" and .pid == 1)] | length' boot.trace)" \
	"$(jq '[.phases[] | recurse(.phases[]) | select(.start != null)] | length' boot.json)"
is 'boot.trace has the longest calls if there are times' "$(jq '[.traceEvents[] | select(.cat == "call")] | length > 1000' boot.trace)" \
	"$timed"
ok 'the document fits its schema' valid boot boot.json

# ---- the picture

ok 'the picture has less than 2 MB' [ "$(stat -c %s boot.svg)" -lt 2000000 ]
is 'it is XML' "$(xmllint --noout boot.svg 2>&1)" ''
look boot.svg >looked.json
is 'the console of the browser says nothing, and nothing is loaded' "$(cat "$tap_scratch/console")$(jq '.loaded[]' looked.json)" ''
if [[ $timed == true ]]; then
	# Those that are wider than two pixels are drawn by themselves.
	# They are on the kernel's clock if it is known how the clocks belong together. The last view is theirs.
	jq -r --argjson views "$(jq '.views | length' looked.json)" '(.window.last - .window.first) as $all |
		(.firmware.tsc_since_reset // .window.first) as $zero | .phases[] | recurse(.phases[]) |
		select(.name and .time > $all / 600) |
		[.name, "phases", $views - 1, .start - $zero, .start + .time - $zero] | @tsv' boot.json >phases
	ok 'there are phases that took long' [ "$(wc -l <phases)" -gt 5 ]
	is 'each of them is where its times are' "$(misplaced phases looked.json)" ''
	ok 'calls are inside of calls' jq -e '[.bars[] | select(.lane == "calls").y] | unique | length > 8' looked.json
	is 'the longest calls are in it' "$(jq '[.bars[] | select(.lane == "calls") |
		if .joined then .tip | split(" ")[0] | tonumber else 1 end] | add' looked.json)" \
		"$((recorded < 2000 ? recorded : 2000))"
fi

tap_end
