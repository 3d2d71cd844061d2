#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The guest's half of suspend.sh. When the machine is resumed, QEMU has reset its 9p device: only files in memory
# can still be reached, and a process that tries to reach others waits for ever. So the busybox that vm-init.sh has
# put in memory runs this script from memory, and it uses no other files. It prints NAME=VALUE lines, which
# suspend.sh checks.

[ "$0" = /tmp/inside ] || {
	cp "$0" /tmp/inside
	exec /run/hytrace/busybox sh /tmp/inside
}
cd /sys/kernel/tracing || exit 1

# How many events a function has in the trace.
events()
{
	grep -c "[ :]$1: .*->acpi_suspend_enter(" trace
}

echo "modes=$(cat /sys/power/mem_sleep)"
echo deep >/sys/power/mem_sleep
echo 4096 >buffer_size_kb
# Some of the functions that are called on the way down return, and some do not.
echo 'acpi_*() as calls' >function_events
echo 'void acpi_*() as returns' >>function_events
echo 1 >events/functions/enable
echo oneshot >current_tracer
echo mem >/sys/power/state
echo "suspended=$(cat /sys/power/suspend_stats/success)"
echo "calls=$(events calls)"
echo "returns=$(events returns)"
echo "below=$(grep -c 'calls: .*->acpi_enter_sleep_state(' trace)"
echo "below_returns=$(grep -c 'returns: .*->acpi_enter_sleep_state(' trace)"
echo "missed=$(cat events/functions/returns/missed)"
echo "missed_calls=$(cat events/functions/calls/missed)"
# Functions that run on the way up are recorded as well. oneshot lists them by address.
for name in acpi_suspend_enter acpi_pm_finish; do
	address=$(sed -n "s/ $name\$//p" available_filter_functions_addrs)
	echo "seen_$name=$(grep -c "^$address$" oneshot_seen)"
done

# All of it once more, from the start.
echo >trace
echo 0 >oneshot_seen
echo mem >/sys/power/state
echo "suspended_again=$(cat /sys/power/suspend_stats/success)"
echo "returns_again=$(events returns)"
echo nop >current_tracer
echo 0 >events/functions/enable
echo >function_events
echo "left=$(wc -l <function_events)"
echo "done=yes"
