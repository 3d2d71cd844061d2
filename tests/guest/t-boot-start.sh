#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched stock
# nightly: stock
# append: trace_instance=hytrace_boot,initcall:*,module:module_load,sched:sched_process_exec,sched:sched_process_exit,sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,workqueue:workqueue_execute_start,workqueue:workqueue_execute_end,irq:irq_handler_entry,irq:irq_handler_exit,irq:softirq_entry,timer:timer_expire_entry,timer:hrtimer_expire_entry,timer:hrtimer_expire_exit,block:block_rq_complete trace_buf_size=4M trace_options=nooverwrite trace_clock=local trace_event= kprobe_event="p:hytrace_boot/device,really_probe,dev=+0(+0(%di)):string,drv=+0(+0(%si)):string;r64:hytrace_boot/device_end,really_probe,ret=%ax:s32;p:hytrace_boot/unpack,do_populate_rootfs;r64:hytrace_boot/unpack_end,do_populate_rootfs;p:hytrace_boot/console,console_unlock;r64:hytrace_boot/console_end,console_unlock" initcall_debug log_buf_len=8M
# vm: --icount
#
# hytrace boot on the part from the initcalls on, in a boot that was asked for it. t-boot-start.host.sh compares it with the
# kernel's own initcall_debug, and with the table of initcalls in the image.

. "$(dirname "$(realpath "$0")")/tap.sh"
cd "$tap_scratch" || exit 1

ok 'this guest is booted with what next prints' grep -qF " $("$hytrace" boot next) " /proc/cmdline
modprobe dummy
dmesg >log
ok 'hytrace boot writes json' "$hytrace" boot -f json -o boot.json
ok 'hytrace boot writes a trace for viewers' "$hytrace" boot -f chrome -o boot.trace
ok 'hytrace boot draws a picture' "$hytrace" boot plot -o boot.svg
ok 'hytrace boot writes stacks' "$hytrace" boot -f folded -o boot.folded
ok 'hytrace boot writes text' "$hytrace" boot -n 5 -o text
# The devices that have a driver now, as the kernel itself says.
(cd /sys/bus && for driver in virtio/drivers/*/virtio* pci/drivers/*/0000:*; do
	[[ ! -L $driver ]] || echo "$(basename "$(dirname "$driver")") ${driver##*/}"
done) | sort >bound

# ---- without systemd

"$hytrace" boot blame -f json >blame.json 2>said
is 'blame says that units are missing' "$? $(grep -c 'units are missing: process 1 is not systemd' said)" '0 1'
"$hytrace" boot critical-chain >said 2>&1
is 'without systemd there is no critical chain' "$? $(grep -c 'process 1 is not systemd' said)" '3 1'
cp log text bound blame.json boot.* "$HYTRACE_FILES"

# ---- what only a kernel shows of mistakes; tests/host/boot-words.sh has the others

setpriv --reuid=65534 --clear-groups "$hytrace" boot next --early >early 2>said
is 'who cannot know whether the kernel can do it is told' "$? $(grep -c ' ftrace=function$' early) $(grep -c 'only root can see' said)" '0 1 1'
ok '--no-probes leaves out the kernel probes' grep -q '^trace_instance=[^ ]* trace_buf_size=[^ ]* trace_options=nooverwrite trace_clock=local$' <("$hytrace" boot next --no-probes)
is 'FILE.svg is a picture' "$("$hytrace" boot -o named.svg && head -c 5 named.svg)" '<?xml'
"$hytrace" boot plot >/dev/full 2>said
is 'a picture that cannot be written is a failure' $? 1
printf '#!/bin/sh\n' >$'two\nlines'
chmod +x $'two\nlines'
script=$PWD/$'two\nlines'
is 'a report leaves the recording alone' "$(cat /sys/kernel/tracing/instances/hytrace_boot/tracing_on)" 1
is 'the buffers keep their first events' "$(cat /sys/kernel/tracing/{,instances/hytrace_boot/}options/overwrite | xargs)" '0 0'
"$script"
"$hytrace" boot >said 2>&1
status=$?
is 'a program whose name has a newline does not stop the report' "$status" 0
((!status)) || sed 's/^/# /' said
ok 'and a warning tells of its lines' grep -q '[0-9] lines of the trace are no events, .* The first one is: .' said
echo >/sys/kernel/tracing/instances/hytrace_boot/trace
"$hytrace" boot >said 2>&1
is 'when the events were cleared, hytrace boot fails' $? 1
ok 'and says so' grep -q 'has no initcalls: it was cleared' said
ok 'hytrace boot release removes what the boot was asked for' "$hytrace" boot release
is 'the instance' "$(ls /sys/kernel/tracing/instances)" ''
is 'and the probes' "$(cat /sys/kernel/tracing/kprobe_events; find /sys/kernel/tracing/events -maxdepth 1 -name hytrace_boot)" ''
is 'the top-level buffer keeps the latest events again' "$(cat /sys/kernel/tracing/options/overwrite)" 1
ok 'doing so once more is no error' "$hytrace" boot release
"$hytrace" boot >said 2>&1
is 'after that, there is nothing to report' $? 1
ok 'and it says that the instance is gone' grep -q 'instances/hytrace_boot is not there: it was removed' said

tap_end
