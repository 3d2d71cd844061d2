#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched stock
# append: trace_instance=hytrace_boot,initcall:*,module:module_load,sched:sched_process_exec,sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,workqueue:workqueue_execute_start,workqueue:workqueue_execute_end,irq:irq_handler_entry,irq:irq_handler_exit,irq:softirq_entry,timer:timer_expire_entry,timer:hrtimer_expire_entry,timer:hrtimer_expire_exit,block:block_rq_complete trace_buf_size=4M trace_event= kprobe_event="p:hytrace_boot/device,really_probe,dev=+0(+0(%di)):string,drv=+0(+0(%si)):string;r64:hytrace_boot/device_end,really_probe,ret=%ax:s32;p:hytrace_boot/unpack,do_populate_rootfs;r64:hytrace_boot/unpack_end,do_populate_rootfs;p:hytrace_boot/console,console_unlock;r64:hytrace_boot/console_end,console_unlock" initcall_debug log_buf_len=8M
# vm: --icount
#
# hytrace boot on the part from the initcalls on, in a boot that was asked for it. It is compared with the kernel's
# own initcall_debug, and with the table of initcalls in the image.

set -uo pipefail
hytrace=$PWD/build/hytrace
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/guest/tap.sh
. "$here/tap.sh"
cd "$tap_scratch" || exit 1

ok 'this guest is booted with what --next prints' grep -qF " $("$hytrace" boot --next) " /proc/cmdline
modprobe dummy
dmesg >log
ok 'hytrace boot writes json' "$hytrace" boot -f json -o boot.json
ok 'hytrace boot writes a trace for viewers' "$hytrace" boot -f chrome -o boot.trace
ok 'hytrace boot draws a picture' "$hytrace" boot plot -o boot.svg
ok 'hytrace boot writes stacks' "$hytrace" boot -f folded -o boot.folded
cp boot.json boot.svg boot.folded "$HYTRACE_FILES"
ok 'hytrace boot writes text' "$hytrace" boot -n 5 -o text

# ---- the set

# "name result", as the kernel's log has them.
sed -n 's/.*\] initcall \([^+ ]*\)+[^ ]* returned \(-\{0,1\}[0-9]*\) after .*/\1 \2/p' log | sort >logged
jq -r '.start.initcalls[] | select(.module == null and .time != null) | "\(.name) \(.result)"' \
	boot.json | sort >shown
ok 'the log has hundreds of initcalls' [ "$(wc -l <logged)" -gt 300 ]
is "the kernel's own initcalls and their results are those of the log" \
	"$(comm -23 logged shown | head -n 5)" ''
is 'hytrace boot has none that the log does not have' "$(comm -13 logged shown | head -n 5)" ''
is 'the modules are those of the log, in its order' "$(jq -r '.start.initcalls[] | select(.module) | .module' boot.json | xargs)" \
	"$(sed -n 's/.*\] initcall [^ ]* \[\(.*\)\] returned .*/\1/p' log | xargs)"
is 'the dummy module is there, with its result' \
	"$(jq -c '.start.initcalls[] | select(.module == "dummy") | [.level, .result]' boot.json)" '["module",0]'
if [[ $HYTRACE_VMLINUX ]]; then
	is 'there are as many as the image has' "$(jq '[.start.initcalls[] | select(.level != "module")] | length' boot.json)" \
		"$(nm "$HYTRACE_VMLINUX" | grep -c ' __initcall__')"
fi
is 'the levels are those of the kernel' "$(jq -r '.start.levels[].name' boot.json | xargs)" \
	'early pure core postcore arch subsys fs device late'
is 'nothing is lost' "$(jq .start.lost boot.json)" 0

# ---- times

# "name usecs" of those that took at least 3 ms. The log does not count the time of its own line. Its clock counts only ticks
# until the initcalls of the level fs have chosen another one.
sed -n 's/.*\] initcall \([^+ ]*\)+[^ ]* returned -\{0,1\}[0-9]* after \([0-9]*\) usecs.*/\1 \2/p' log | sort -u |
	awk '$2 >= 3000' | sort >long.list
# Two functions may have the same name, and the log does not tell which one it is about.
jq -r '.start.initcalls | group_by(.name)[] | select(length == 1)[] | select(.level == "device" or .level == "late") |
	"\(.name) \(.time)"' boot.json | sort >times.list
join long.list times.list >both.list
ok "some initcalls take long: $(cut -d' ' -f1 both.list | xargs)" [ -s both.list ]
is 'their times are those of the log' \
	"$(awk '{ us = $3 / 1000 } us < $2 - 1000 || us > $2 + 1000' both.list)" ''
is 'a level takes at least as long as its initcalls' \
	"$(jq -c '[.start.levels[] | select(.in_initcalls > .time)]' boot.json)" '[]'
is 'the first init is that of the guest, after all levels' \
	"$(jq '.start | .inits[0].start > .levels[-1].start + .levels[-1].time' boot.json)" true
is 'trace viewers can read boot.trace' "$(jq -rf "$here/trace-events.jq" boot.trace 2>&1)" ''
is 'boot.trace has each initcall that ended' "$(jq '[.traceEvents[] | select(.cat | IN("initcall", "module"))] | length' boot.trace)" \
	"$(jq '[.start.initcalls[] | select(.time != null)] | length' boot.json)"
is 'the text has the five longest' "$(sed -n '/^INITCALL/,/^and/p' text | sed '1d;$d' | cut -d' ' -f1 | xargs)" \
	"$(jq -r '.start.initcalls | sort_by(-.self)[:5][] | .module // .name' boot.json | xargs)"
ok 'the text says when init was started' grep -q '^Started /init as init, at [0-9.]* s' text

# ---- waits and probes

is 'the time of process 1 until init is divided without a rest' \
	"$(jq '.start | ([.waits[].time] | add) + .init.running == .init.time' boot.json)" true
is 'and so is that of each initcall' \
	"$(jq -c '[.start.initcalls[] | select(.time != null and .time != .running + .ready + .waiting)]' boot.json)" '[]'
ok 'it had to wait' jq -e '.start.waits | length > 5' boot.json
is 'the text has the longest wait first' "$(sed -n '/^PROCESS 1 WAITED IN/{n;p}' text | cut -d' ' -f1)" \
	"$(jq -r '.start.waits[0].where' boot.json | cut -d' ' -f1)"
# What the kernel itself says of its devices.
jq -r '.start.probes[] | select(.kind == "device" and .result == 0) | "\(.driver) \(.name)"' boot.json | sort -u >probed
(cd /sys/bus && for driver in virtio/drivers/*/virtio* pci/drivers/*/0000:*; do
	[[ ! -L $driver ]] || echo "$(basename "$(dirname "$driver")") ${driver##*/}"
done) | sort >bound
ok "some devices have drivers: $(xargs <bound)" [ -s bound ]
is 'the probes of devices that have a driver now are there' "$(comm -13 probed bound)" ''
is 'no probe is lost' "$(jq .start.probes_lost boot.json)" 0
ok 'unpacking the initramfs took some time' jq -e '[.start.probes[] | select(.kind == "unpack")][0].time > 0' boot.json
ok 'the cost is told' grep -q '^Recording: [0-9]* events until init, about 0.00[0-9]* s' text

# ---- without systemd

is 'what is after the kernel is unknown, and says why' "$(jq -c '[.units, .userspace.manager, .userspace.why_not,
	(.parts.rows[] | select(.name == "units") | .time)]' boot.json)" '[null,null,"process 1 is not systemd",null]'
is 'the account is what the events tell' "$(jq '(.parts.rows | map(select(.name == "initcalls" or .name == "after_initcalls" or
	.name == "before_initcalls" or .name == "initrd") | .time) | add) == .start.inits[1].start' boot.json)" true
is 'blame has the longest of initcalls and modules' "$("$hytrace" boot blame -f json 2>said |
	jq -r '[.[] | select(.kind != "probe")][:5][].name' | xargs)" \
	"$(jq -r '.start.initcalls | map(select(.time != null)) | sort_by(-.self)[:5][] | .module // .name' boot.json | xargs)"
ok 'and says that units are missing' grep -q 'units are missing: process 1 is not systemd' said
"$hytrace" boot critical-chain >said 2>&1
is 'without systemd there is no critical chain' "$? $(grep -c 'process 1 is not systemd' said)" '3 1'

# ---- mistakes

"$hytrace" boot --early >said 2>&1
is '--early without --next is a mistake' $? 2
"$hytrace" boot --next --early=nothing >said 2>&1
is 'so is --early with a value that there is not' "$? $(grep -c 'there are --early and --early=graph' said)" '2 1'
setpriv --reuid=65534 --clear-groups "$hytrace" boot --next --early >early 2>said
is 'who cannot know whether the kernel can do it is told' "$? $(grep -c ' ftrace=function$' early) $(grep -c 'only root can see' said)" '0 1 1'
"$hytrace" boot --release --next >said 2>&1
is 'so is --release with another option' $? 2
ok '--no-probes leaves out the kernel probes' grep -q '^trace_instance=[^ ]* trace_buf_size=[^ ]*$' <("$hytrace" boot --next --no-probes)
"$hytrace" boot --next -f json >said 2>&1
is '--next with a format is a mistake' "$? $(grep -c 'takes neither -f nor -n nor -o' said)" '2 1'
"$hytrace" boot plot -f json >said 2>&1
is 'plot with a format is a mistake' $? 2
"$hytrace" boot plot --next >said 2>&1
is 'plot with --next is a mistake' $? 2
"$hytrace" boot time -o time.json >said 2>&1
is 'so is time in a FILE.json' "$? $([[ -e time.json ]] && echo written)" '2 '
"$hytrace" boot -n 5 -o five.svg >said 2>&1
is 'so is -n with a picture' "$? $(grep -c 'n is for text and json' said)" '2 1'
"$hytrace" boot --next blame >said 2>&1
is 'so is a command of boot after --next' "$? $(grep -c 'blame: has to come before its options' said)" '2 1'
"$hytrace" boot polt >said 2>&1
is 'a word that is none is a mistake' $? 2
ok 'and it says so' grep -q 'polt: no such command' said
"$hytrace" boot -f json blame >said 2>&1
is 'a command after its options is a mistake' "$? $(grep -c 'blame: has to come before its options: .hytrace boot blame' said)" '2 1'
is 'FILE.svg is a picture' "$("$hytrace" boot -o named.svg && head -c 5 named.svg)" '<?xml'
"$hytrace" boot plot >/dev/full 2>said
is 'a picture that cannot be written is a failure' $? 1
printf '#!/bin/sh\n' >$'two\nlines'
chmod +x $'two\nlines'
script=$PWD/$'two\nlines'
is 'the first report has stopped the recording' "$(cat /sys/kernel/tracing/instances/hytrace_boot/tracing_on)" 0
echo 1 >/sys/kernel/tracing/instances/hytrace_boot/tracing_on
"$script"
"$hytrace" boot >said 2>&1
status=$?
is 'a program whose name has a newline does not stop the report' "$status" 0
((!status)) || sed 's/^/# /' said
ok 'and says that it stops the recording' grep -q '^hytrace: recording has stopped, .*tracing_on goes on' said
ok 'and a warning tells of its lines' grep -q '[0-9] lines of the trace are no events, .* The first one is: .' said
echo >/sys/kernel/tracing/instances/hytrace_boot/trace
"$hytrace" boot >said 2>&1
is 'when the events were cleared, hytrace boot fails' $? 1
ok 'and says so' grep -q 'has no initcalls: it was cleared' said
ok 'hytrace boot --release removes what the boot was asked for' "$hytrace" boot --release
is 'the instance' "$(ls /sys/kernel/tracing/instances)" ''
is 'and the probes' "$(cat /sys/kernel/tracing/kprobe_events)$(ls -d /sys/kernel/tracing/events/hytrace_boot 2>/dev/null)" ''
ok 'doing so once more is no error' "$hytrace" boot --release
"$hytrace" boot >said 2>&1
is 'after that, there is nothing to report' $? 1
ok 'and it says that the instance is gone' grep -q 'instances/hytrace_boot is not there: it was removed' said

tap_end
