#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The guest's half of suspend.sh. When the machine is resumed, QEMU has reset its 9p device: only files in memory
# can still be reached, and a process that tries to reach others waits for ever. So the busybox that vm-init.sh has
# put in memory runs this script from memory, and it uses no other files.
#
# It says NAME=VALUE in the kernel's log, whose console suspend.sh reads. The output of a command does not come through
# on 7.3: when the machine has resumed, virtio_console (virtcons_restore()) asks the host which ports are open before it
# gives it a buffer for the answer, and then takes all ports for closed.

[ "$0" = /tmp/inside ] || {
	cp "$0" /tmp/inside
	exec /run/hytrace/busybox sh /tmp/inside
}
cd /sys/kernel/tracing || exit 1

say()
{
	echo "<4>suspend: $1" >/dev/kmsg
}

# How many records of an event the instance has.
events()
{
	grep -c "[ :]$1: " instances/few/trace
}

say "modes=$(cat /sys/power/mem_sleep)"
echo deep >/sys/power/mem_sleep
# Some of the functions that are called on the way down return, and some do not. Devices that come back can call more of
# them than the buffer has room for, and then the last events remain. So the two functions whose events are counted also have
# events of their own, in an instance.
{
	echo 'acpi_*() as calls'
	echo 'void acpi_*() as returns'
	echo 'acpi_suspend_enter() as enter'
	echo 'void acpi_suspend_enter() as enter_returns'
	echo 'acpi_enter_sleep_state() as below'
	echo 'void acpi_enter_sleep_state() as below_returns'
} >function_events
echo 1 >events/functions/calls/enable
echo 1 >events/functions/returns/enable
mkdir instances/few
for name in enter enter_returns below below_returns; do
	echo 1 >instances/few/events/functions/$name/enable
done

# Whoever opens /dev/snapshot begins a hibernation, and whoever has it open last ends it: here one that sleeps.
reads() # how many returns are recorded of 5
{
	echo >trace
	dd if=/dev/zero of=/dev/null bs=17 count=5 2>/dev/null
	grep -c 'count=17) ret=17' trace
}
echo 'ssize_t vfs_read(NULL, NULL, size_t count) as reads' >>function_events
# Or whoever reads the trace would add to it.
echo 'count == 17' >events/functions/reads/filter
echo 1 >events/functions/reads/enable
mkfifo /tmp/go
[ -c /dev/snapshot ] || say "no_snapshot: this kernel cannot hibernate"
exec 3</dev/snapshot
cat /tmp/go >/dev/null &
exec 3<&-
say "returns_hibernating=$(reads)"
echo >/tmp/go
wait
say "returns_then=$(reads)"
echo 0 >events/functions/reads/enable
echo '!reads' >>function_events

echo oneshot >current_tracer
echo mem >/sys/power/state
say "suspended=$(cat /sys/power/suspend_stats/success)"
for name in enter enter_returns below below_returns; do
	say "$name=$(events $name)"
done
say "missed_below=$(cat events/functions/below/missed)"
say "missed_below_returns=$(cat events/functions/below_returns/missed)"
say "missed_calls=$(cat events/functions/calls/missed)"
say "missed_returns=$(cat events/functions/returns/missed)"
# Functions that run on the way up are recorded as well. oneshot lists them by address.
for name in acpi_suspend_enter acpi_pm_finish; do
	address=$(sed -n "s/ $name\$//p" available_filter_functions_addrs)
	say "seen_$name=$(grep -c "^$address$" oneshot_seen)"
done

# All of it once more, from the start.
echo >instances/few/trace
echo 0 >oneshot_seen
echo mem >/sys/power/state
say "suspended_again=$(cat /sys/power/suspend_stats/success)"
say "returns_again=$(events enter_returns)"

# Once more, with functions that retire, so that all of them are new on the way down. An interrupt that a first hit asked
# for after the last one would stay in the queue of this CPU, and keep all others out: this shell is on the CPU that stays.
taskset -p 1 $$ >/dev/null
echo nop >current_tracer
echo 0 >events/functions/enable
echo 0 >options/oneshot-parent
echo 1 >options/oneshot-retire
echo oneshot >current_tracer
sleep 2
echo 0 >oneshot_seen
echo mem >/sys/power/state
say "suspended_retiring=$(cat /sys/power/suspend_stats/success)"
echo >instances/few/trace
cat instances/few/trace_pipe >/tmp/pipe &
sleep 1
echo here >instances/few/trace_marker
sleep 5
say "reader_woken=$(grep -c here /tmp/pipe)"
kill $!
echo 0 >oneshot_seen
for _ in $(seq 60); do
	retired=$(sed -n 's/^retired: //p' oneshot_stats)
	[ "$retired" -gt 100 ] && break
	sleep 1
done
say "retires=$((retired > 100))"
echo nop >current_tracer
echo 0 >options/oneshot-retire
rmdir instances/few
echo >function_events
say "left=$(wc -l <function_events)"
say "done=yes"
