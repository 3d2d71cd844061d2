#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: stock
# append: trace_instance=hytrace_boot,initcall:*,module:module_load,sched:sched_process_exec,sched:sched_process_exit,sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,workqueue:workqueue_execute_start,workqueue:workqueue_execute_end,irq:irq_handler_entry,irq:irq_handler_exit,irq:softirq_entry,timer:timer_expire_entry,timer:hrtimer_expire_entry,timer:hrtimer_expire_exit,block:block_rq_complete trace_buf_size=4M trace_options=nooverwrite trace_clock=local trace_event= kprobe_event="p:hytrace_boot/device,really_probe,dev=+0(+0(%di)):string,drv=+0(+0(%si)):string;r64:hytrace_boot/device_end,really_probe,ret=%ax:s32;p:hytrace_boot/unpack,do_populate_rootfs;r64:hytrace_boot/unpack_end,do_populate_rootfs;p:hytrace_boot/console,console_unlock;r64:hytrace_boot/console_end,console_unlock" trace_buf_size=32M
# vm: --init systemd --units tests/guest/units --append systemd.mask=postgresql.service --append systemd.mask=e2scrub_reap.service --append systemd.mask=systemd-binfmt.service
# then: t-boot-systemd t-boot-unasked
#
# Runs the commands of docs/boot.md, those of root first; t-guide-boot.host.sh compares what they print with what the page
# shows. Then it tries what a new user may do to hytrace boot in a boot that has everything. A boot with systemd takes long,
# so two other tests share it, and services are masked that this machine may have. If it is busy, the boot has more
# events; and they go on while the commands run: 700,000 of them nearly filled 16M.

. "$(dirname "$(realpath "$0")")/doc-lib.sh"
PATH=$clone/build:$PATH
cd "$tap_scratch" || exit 1

ok 'this guest is booted with what next prints' grep -qF " $(hytrace boot next)" /proc/cmdline
ok 'the page has sessions' sessions "$clone/docs/boot.md" sessions
play sessions root
play sessions user
ok 'it has commands of root and of others' [ "$(find sessions -name '*.root' | wc -l)" -gt 6 -a \
	"$(find sessions -name '*.user' | wc -l)" -gt 5 ]

ok 'hytrace boot lists all waits' hytrace boot -n 1000 -o text
# The documents are for the test that comes next, too.
cp -r sessions text boot.json boot.svg "$HYTRACE_FILES"

# ---- the words of systemd-analyze

systemd-analyze critical-chain basic.target --no-pager | sed '1,/^$/d; s/^[^a-zA-Z0-9-]*//; s/^└─//; s/^─*//' |
	awk '{ print $1 }' | grep -v '^\.\.\.' >chain
is 'critical-chain UNIT is that of systemd-analyze' "$(hytrace boot critical-chain basic.target -f json | jq -r '.rows[].name')" \
	"$(<chain)"
is 'a unit without a suffix is a service' "$(hytrace boot critical-chain ht-after | sed -n '2s/ .*//p')" ht-after.service
is 'an alias is the unit that it stands for' "$(hytrace boot critical-chain default.target -f json)" \
	"$(hytrace boot critical-chain -f json)"
hytrace boot critical-chain nothing.target >out 2>said
is 'a unit that systemd does not know is an error' "$? $(wc -c <out) $(grep -c 'no unit nothing.target is known' said)" '1 0 1'
hytrace boot critical-chain ht-fail >out 2>said
is 'so is one that was not reached' "$? $(wc -c <out) $(grep -c 'ht-fail.service was not started, or not reached' said)" '1 0 1'

tap_end
