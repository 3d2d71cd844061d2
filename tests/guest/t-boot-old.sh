#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: stock-6.1
# nightly: stock-6.1
# append: trace_event=initcall:*,module:module_load,sched:sched_process_exec,sched:sched_process_exit,sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,workqueue:workqueue_execute_start,workqueue:workqueue_execute_end,irq:irq_handler_entry,irq:irq_handler_exit,irq:softirq_entry,timer:timer_expire_entry,timer:hrtimer_expire_entry,timer:hrtimer_expire_exit,block:block_rq_complete trace_buf_size=4M trace_options=nooverwrite trace_clock=local kprobe_event="p:hytrace_boot/device,really_probe,dev=+0(+0(%di)):string,drv=+0(+0(%si)):string;r64:hytrace_boot/device_end,really_probe,ret=%ax:s32;p:hytrace_boot/unpack,do_populate_rootfs;r64:hytrace_boot/unpack_end,do_populate_rootfs;p:hytrace_boot/console,console_unlock;r64:hytrace_boot/console_end,console_unlock" quiet
# vm: --icount
#
# hytrace boot on a kernel that cannot make instances from its command line: all events are in the top-level one.

. "$(dirname "$(realpath "$0")")/tap.sh"
cd "$tap_scratch" || exit 1

ok 'this guest is booted with what next prints' grep -qF " $("$hytrace" boot next) " /proc/cmdline
modprobe dummy
ok 'hytrace boot writes json' "$hytrace" boot -f json -o boot.json
ok 'hytrace boot writes text' "$hytrace" boot -n 5 -o text
is 'nothing is lost' "$(jq -c '[.start.lost, .start.unread, .start.probes_lost]' boot.json)" '[0,0,0]'
is 'the levels are those of the kernel' "$(jq -r '.start.levels[].name' boot.json | xargs)" \
	'early pure core postcore arch subsys fs device late'
is 'the dummy module is there, with its result' \
	"$(jq -c '.start.initcalls[] | select(.module == "dummy") | [.level, .result]' boot.json)" '["module",0]'
is 'the time of process 1 until init is divided without a rest' \
	"$(jq '.start | (.waits | length > 5) and ([.waits[].time] | add) + .init.running == .init.time' boot.json)" true
ok 'probes of devices are there' jq -e '[.start.probes[] | select(.driver == "virtio_console" and .result == 0)] | length == 1' boot.json
is 'the text has the longest wait first' "$(sed -n '/^PROCESS 1 WAITED IN/{n;p}' text | cut -d' ' -f1)" \
	"$(jq -r '.start.waits[0].where' boot.json | cut -d' ' -f1)"
ok 'hytrace boot release turns them off' "$hytrace" boot release
is 'all of them' "$(cat /sys/kernel/tracing/set_event)$(cat /sys/kernel/tracing/kprobe_events)" ''
"$hytrace" boot >said 2>&1
is 'and the initcalls are gone' "$? $(grep -c 'has no initcalls: .*, or somebody has turned them off' said)" '1 1'
tap_end
