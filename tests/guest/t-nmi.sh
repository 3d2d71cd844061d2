#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# The oneshot tracer and function events in NMIs. Under TCG there is no PMU that raises NMIs. SysRq-l sends one to
# every other CPU; the functions that handle it can be traced.

. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

nmis()
{
	awk '$1 == "NMI:" { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i; print n }' /proc/interrupts
}

# The file has addresses, because it takes minutes to look up all names in each round.
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
# On a busy machine, an NMI may be late, so one of these rounds is enough.
for ((i = 0; i < 5 || !handled && i < 60; i++)); do
	echo 0 >oneshot_seen
	echo l >/proc/sysrq-trigger
	duplicates+=$(grep -v ' ' oneshot_seen | sort | uniq -d)
	handled=$((handled + $(was_handled)))
done
echo nop >current_tracer
kill "$job"
wait "$job" 2>/dev/null

ok 'NMIs have been handled' [ "$(nmis)" -gt "$before" ]
ok 'functions that NMIs call are recorded' [ "$handled" -gt 0 ]
is 'no entry is there twice' "$duplicates" ''
is 'no hit is refused' "$(sed -n 's/^refused: //p' oneshot_stats)" 0

echo 0 >oneshot_seen

# In NMIs, function events record calls, and count returns as missed.
echo 'nmi_cpu_backtrace_handler() as calls' >function_events
echo 'int nmi_cpu_backtrace_handler() as returns' >>function_events
echo 1 >events/functions/enable
echo l >/proc/sysrq-trigger
echo 0 >events/functions/enable
calls=$(grep -c ' calls: ' trace)
ok 'events of calls in NMIs are recorded' [ "$calls" -gt 0 ]
is 'events of returns in NMIs are not recorded' "$(grep -c ' returns: ' trace)" 0
is 'all these returns are counted as missed' "$(<events/functions/returns/missed)" "$calls"
echo >function_events

tap_end
