#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: ftrace=oneshot trace_options=nooneshot-parent,oneshot-retire
#
# Call sites that are turned off. From boot on: asked for before there are workers, and then of all
# functions, with everything that boots as the workload. And with a workload, next to an instance whose
# call sites stay on: both have to have seen the same.

set -uo pipefail
workload=$PWD/tests/guest/workload.sh
# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

stat_of()
{
	sed -n "s/^$1: //p" oneshot_stats
}

# The names that only one function has, of those in a list of addresses.
names_of()
{
	sort "$1" | join -o 2.2 - <(sort available_filter_functions_addrs) | sort |
		join - <(cut -d' ' -f1 available_filter_functions | sort | uniq -u)
}

is 'the tracer runs as it was told to' \
	"$(cat current_tracer options/oneshot-parent options/oneshot-retire | xargs)" 'oneshot 0 1'
# Nothing is new any more, and what was is turned off, at the latest after 1.6 s.
echo 0 >tracing_on
sleep 5
sed 's/^/# /' oneshot_stats
ok 'thousands of functions have been recorded' [ "$(stat_of functions)" -gt 3000 ]
is 'each once' "$(sort oneshot_seen | uniq -d)" ''
# But for those of modules' and the kernel's init code that was gone before its turn.
ok 'and nine in ten have retired' [ "$(stat_of retired)" -gt $(($(stat_of functions) * 9 / 10)) ]
ok 'in batches' [ "$(stat_of retire_batches)" -gt $(($(stat_of functions) / 257)) ]
is 'no callers are missing, as none were asked for' "$(stat_of callers_incomplete)" 0
grep -v ' ' oneshot_seen >"$tap_scratch/seen"
names_of "$tap_scratch/seen" >"$tap_scratch/names"
ok 'thousands of them are there still' [ "$(wc -l <"$tap_scratch/names")" -gt 2000 ]
is 'and none is traced any more' \
	"$(cut -d' ' -f1 enabled_functions | sort | join - "$tap_scratch/names" | head -n 5)" ''
ok 'but others are' [ "$(wc -l <enabled_functions)" -gt 10000 ]

# Where nothing is recorded nothing retires again.
echo 0 >oneshot_seen
is 'a clear brings all back' "$(wc -l <enabled_functions)" "$(wc -l <available_filter_functions)"
echo nop >current_tracer
is 'and a stop leaves nothing behind' "$(wc -l <enabled_functions)" 0

# ---- next to an instance that keeps them

for instance in retires stays; do
	mkdir instances/$instance
	echo 0 >instances/$instance/tracing_on
	echo 0 >instances/$instance/options/oneshot-parent
done
echo 0 >options/oneshot-retire
echo 1 >instances/retires/options/oneshot-retire

# covers WIDE NARROW: run the workload with both, the one's window around the other's
covers()
{
	local instance

	for instance in retires stays; do
		echo oneshot >instances/$instance/current_tracer
	done
	echo 1 >"instances/$1/tracing_on"
	echo 1 >"instances/$2/tracing_on"
	"$workload" >/dev/null 2>&1 || echo "the workload failed" >&2
	echo 0 >"instances/$2/tracing_on"
	echo 0 >"instances/$1/tracing_on"
	for instance in retires stays; do
		sort "instances/$instance/oneshot_seen" >"$tap_scratch/$instance"
		sed "s/^/# $instance: /" "instances/$instance/oneshot_stats" | grep -E 'functions|retire'
	done
	ok "$1 around $2: thousands of functions" [ "$(wc -l <"$tap_scratch/$2")" -gt 2000 ]
	ok 'most of which have retired' [ "$(cd instances/retires && stat_of retired)" -gt 1000 ]
	is "whatever $2 has seen $1 has" "$(comm -13 "$tap_scratch/$1" "$tap_scratch/$2" | head -n 5)" ''
	for instance in retires stays; do
		echo nop >instances/$instance/current_tracer
	done
}

covers retires stays
covers stays retires
rmdir instances/retires instances/stays

tap_end
