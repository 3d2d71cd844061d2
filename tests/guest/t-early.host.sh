#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What t-early.sh has brought out of its guest: hytrace boot's documents against the trace that they are of.
# shellcheck disable=SC2016 # jq has variables of its own

set -uo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/guest/tap.sh
. "$here/tap.sh"

recorded=$(sed -n 's/^recorded: //p' early_stats)
for phase in setup_arch mm_core_init ftrace_init; do
	ok "there is $phase" jq -e --arg p $phase 'any(.phases[]; .name == $p)' boot.json
done
is 'json: all calls' "$(jq '.totals.calls' boot.json)" "$recorded"
is 'each in a phase' "$(jq '[.phases[].calls] | add' boot.json)" "$recorded"
is 'and of a function' "$(jq '[.functions[].calls] | add' boot.json)" "$recorded"
sed -n 's/.*: \([^ ]*\) <-.*/\1/p' trace | sort | uniq -c | awk '{ print $2, $1 }' | sort >counted
is 'as often as they are in the trace' \
	"$(jq -r '.functions[] | "\(.name) \(.calls)"' boot.json | sort | diff - counted | head -n 5)" ''
ok 'phases are in order of time' jq -e '[.phases[].start] | . == sort' boot.json
# On a busy machine the kernel may fail to measure the TSC early. Then nothing has a time.
timed=$(jq '.window.tsc_khz != null' boot.json)
[[ $timed == false ]] ||
	is 'the viewer can read it' "$(jq -rf "$here/trace-events.jq" boot.trace 2>&1)" ''
is 'there is a time if there is a frequency' "$(jq '.window.last != null' boot.json)" "$timed"
is 'it has every phase that has a time' \
	"$(jq '[.traceEvents[] | select(.cat == "phase")] | length' boot.trace)" \
	"$(jq '[.phases[] | recurse(.phases[]) | select(.start != null)] | length' boot.json)"
is 'and the longest calls' "$(jq '[.traceEvents[] | select(.cat == "call")] | length > 1000' boot.trace)" \
	"$timed"

tap_end
