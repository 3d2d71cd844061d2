#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks what t-early.sh has copied from its guest: the documents of hytrace boot, against the trace they are made of.
# shellcheck disable=SC2016 # jq has variables of its own

set -uo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/guest/tap.sh
. "$here/tap.sh"

recorded=$(sed -n 's/^recorded: //p' early_stats)
for phase in setup_arch mm_core_init ftrace_init; do
	ok "json has the phase $phase" jq -e --arg p $phase 'any(.phases[]; .name == $p)' boot.json
done
is 'json has all calls' "$(jq '.totals.calls' boot.json)" "$recorded"
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
	"$(jq '[.traceEvents[] | select(.cat == "phase")] | length' boot.trace)" \
	"$(jq '[.phases[] | recurse(.phases[]) | select(.start != null)] | length' boot.json)"
is 'boot.trace has the longest calls if there are times' "$(jq '[.traceEvents[] | select(.cat == "call")] | length > 1000' boot.trace)" \
	"$timed"

tap_end
