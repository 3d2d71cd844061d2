#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: stock
# append: trace_instance=hytrace_boot,initcall:*,module:module_load,sched:sched_process_exec,sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,workqueue:workqueue_execute_start,workqueue:workqueue_execute_end,irq:irq_handler_entry,irq:irq_handler_exit,irq:softirq_entry,timer:timer_expire_entry,timer:hrtimer_expire_entry,timer:hrtimer_expire_exit,block:block_rq_complete trace_buf_size=4M trace_event= kprobe_event="p:hytrace_boot/device,really_probe,dev=+0(+0(%di)):string,drv=+0(+0(%si)):string;r64:hytrace_boot/device_end,really_probe,ret=%ax:s32;p:hytrace_boot/unpack,do_populate_rootfs;r64:hytrace_boot/unpack_end,do_populate_rootfs;p:hytrace_boot/console,console_unlock;r64:hytrace_boot/console_end,console_unlock"
# vm: --init systemd --units tests/guest/units
#
# Runs the commands of docs/boot.md, those of root first, and compares what they print with what the page shows. Then
# it tries what a new user may do to hytrace boot in a boot that has everything.

set -uo pipefail
# shellcheck source=tests/guest/doc-lib.sh
. "$(dirname "$(realpath "$0")")/doc-lib.sh"
clone=$PWD
PATH=$clone/build:$PATH
cd "$tap_scratch" || exit 1

ok 'this guest is booted with what --next prints' grep -qF " $(hytrace boot --next)" /proc/cmdline
ok 'the page has sessions' sessions "$clone/docs/boot.md" sessions
play sessions root
play sessions user
# If the machine is busy, the kernel measures its time stamp counter late, and says so on page after page.
grep -h "the kernel's clock went back by" sessions/*.printed | sort -u | sed 's/^/# /'
sed -i "/^hytrace: warning: the kernel's clock went back by/d" sessions/*.printed
agree sessions
ok 'it has commands of root and of others' [ "$(find sessions -name '*.root' | wc -l)" -gt 6 -a \
	"$(find sessions -name '*.user' | wc -l)" -gt 5 ]

# What the page explains is all that there is.
is 'the page explains each part of the account' "$(hytrace boot time | sed '1,/^PART/d' |
	sed -n 's/  .*//; s/, with the .*//; s/^initcalls: .*/initcalls: early ... late/; /^It begins/q; p' | sort -u |
	while read -r part; do grep -qF "| $part |" "$clone/docs/boot.md" || echo "$part"; done)" ''
# The column FOR goes until the next one begins.
hytrace boot -n 1000 | awk '/^PROCESS 1 WAITED IN/ { from = index($0, " FOR ") + 1; rest = substr($0, from + 3)
		match(rest, /^ */); width = RLENGTH + 3; next }
	from && NF == 0 { exit }
	from { what = substr($0, from, width); sub(/ *$/, "", what); print what }' | sort -u >waited
ok 'process 1 has waited for several things' [ "$(wc -l <waited)" -gt 3 ]
sed -n '/^| FOR /,/^$/p' "$clone/docs/boot.md" >table
is 'the page explains each of them' "$(while read -r what; do grep -qF "$what" table || echo "$what"; done <waited)" ''

# ---- the words of systemd-analyze

is 'time prints the account alone' "$(hytrace boot time | grep -c '^[A-Z]* .*START')" 1
hytrace boot time -o time.txt
is 'and takes a file' "$(sed -n '3s/ .*//p' time.txt)" PART
systemd-analyze critical-chain basic.target --no-pager | sed '1,/^$/d; s/^[^a-zA-Z0-9-]*//; s/^└─//; s/^─*//' |
	awk '{ print $1 }' | grep -v '^\.\.\.' >chain
is 'critical-chain UNIT is that of systemd-analyze' "$(hytrace boot critical-chain basic.target -f json | jq -r '.[].name')" \
	"$(<chain)"
is 'a unit without a suffix is a service' "$(hytrace boot critical-chain ht-after -f json | jq -r '.[0].name')" ht-after.service
is 'an alias is the unit that it stands for' "$(hytrace boot critical-chain default.target -f json)" \
	"$(hytrace boot critical-chain -f json)"
hytrace boot critical-chain nothing.target >out 2>said
is 'a unit that systemd does not know is an error' "$? $(wc -c <out) $(grep -c 'no unit nothing.target' said)" '1 0 1'
hytrace boot critical-chain ht-fail >out 2>said
is 'so is one that was not reached' "$? $(wc -c <out) $(grep -c 'ht-fail.service was not started, or not reached' said)" '1 0 1'
hytrace boot critical-chain --fuzz=1s >out 2>said
is '--fuzz says what has it' "$? $(grep -c -e '--fuzz: .*-f json' said)" '2 1'
hytrace boot dot >out 2>said
is 'a word that systemd-analyze has and hytrace has not: which ones there are' "$? $(grep -c 'dot: no such command; there are blame' said)" '2 1'
hytrace boot time -f json >out 2>said
is 'time has one format' "$? $(grep -c 'time is a text' said)" '2 1'

tap_end
