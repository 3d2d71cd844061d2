#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The guest's side of suspend.sh. When the machine is resumed, QEMU has reset its 9p device: what is
# not in memory cannot be reached any more, and who tries waits for ever. So this is run by the
# busybox that vm-init.sh has left in memory, from memory, and goes nowhere else. It prints what it has
# found, NAME=VALUE, and suspend.sh judges.

[ "$0" = /tmp/inside ] || {
	cp "$0" /tmp/inside
	exec /run/hytrace/busybox sh /tmp/inside
}
cd /sys/kernel/tracing || exit 1

# How often a function has an event in the trace.
events()
{
	grep -c "[ :]$1: .*->acpi_suspend_enter(" trace
}

echo "modes=$(cat /sys/power/mem_sleep)"
echo deep >/sys/power/mem_sleep
echo 4096 >buffer_size_kb
# Of all that is called on the way down, some returns and some does not.
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
# What runs on the way up is recorded as well, by its address.
for name in acpi_suspend_enter acpi_pm_finish; do
	address=$(sed -n "s/ $name\$//p" available_filter_functions_addrs)
	echo "seen_$name=$(grep -c "^$address$" oneshot_seen)"
done

# And all of it once more, from the start.
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
