#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# The oneshot tracer and function events in NMIs. There is no PMU to bring them under TCG; SysRq-l
# sends one to every other CPU, whose handlers are ordinary functions, traced ones.

set -uo pipefail
# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

nmis()
{
	awk '$1 == "NMI:" { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i; print n }' /proc/interrupts
}

# To look for all names at each round takes minutes.
handler=$(awk '$2 == "nmi_cpu_backtrace_handler" { print $1 }' available_filter_functions_addrs)
was_handled()
{
	awk -v addr="$handler" '$1 == addr && $2 != "caller" { n++ } END { print n + 0 }' oneshot_entries
}

busy()
{
	while :; do
		ls /proc/self >/dev/null
	done
}

ok 'the handler can be traced' [ "$handler" ]
before=$(nmis)
busy &
job=$!
echo oneshot >current_tracer
duplicates='' handled=0
for _ in {1..5}; do
	echo 0 >oneshot_seen
	echo l >/proc/sysrq-trigger
	duplicates+=$(grep -v ' ' oneshot_seen | sort | uniq -d)
	handled=$((handled + $(was_handled)))
done
echo nop >current_tracer
kill "$job"
wait "$job" 2>/dev/null

ok 'NMIs have come' [ "$(nmis)" -gt "$before" ]
# One may be late on a busy machine.
ok 'what they have called was recorded' [ "$handled" -gt 0 ]
is 'nothing twice' "$duplicates" ''
is 'and not refused' "$(sed -n 's/^refused: //p' oneshot_stats)" 0

echo 0 >oneshot_seen

# Of these there may be events of calls, and none of returns.
echo 'nmi_cpu_backtrace_handler() as calls' >function_events
echo 'int nmi_cpu_backtrace_handler() as returns' >>function_events
echo 1 >events/functions/enable
echo l >/proc/sysrq-trigger
echo 0 >events/functions/enable
calls=$(grep -c ' calls: ' trace)
ok 'calls in NMIs are recorded' [ "$calls" -gt 0 ]
is 'returns are not' "$(grep -c ' returns: ' trace)" 0
is 'and all of them are told to be missed' "$(<events/functions/returns/missed)" "$calls"
echo >function_events

tap_end
