#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# linux: 6.12
# append: retbleed=stuff spectre_v2=retpoline ftrace=function ftrace_filter=vfs_mknod
# vm: --accel tcg --qemu -cpu --qemu Skylake-Client
#
# Trampolines on a kernel with call depth tracking: they account for calls themselves, and return by a thunk. This
# must also hold for the trampoline that was made before the kernel knew what its processor needs.

. "$(dirname "$(realpath "$0")")/slots-lib.sh"
cd /sys/kernel/tracing || exit 1
many=/sys/kernel/debug/ftrace_many

# shellcheck disable=SC2046 # a list
returns()
{
	kcore trampolines $(addresses ftrace_trampoline) >"$tap_scratch/returns"
	is "$1 by the thunk, and accounts for as many calls as the original" \
		"$(awk '$2 != "call_depth_return_thunk" || !$4 || $4 != $5' "$tap_scratch/returns")" ''
}

is 'the kernel tracks the depth of calls' "$(</sys/devices/system/cpu/vulnerabilities/retbleed)" 'Mitigation: Stuffing'
is 'ftrace= starts the function tracer' "$(<current_tracer)" function
returns 'the trampoline of that tracer returns'
is 'there is only this trampoline' "$(wc -l <"$tap_scratch/returns")" 1
mknod "$tap_scratch/null" c 1 3
ok 'that trampoline is called' grep -q ' vfs_mknod <-' trace
echo nop >current_tracer
echo >set_ftrace_filter

modprobe ftrace_many
awk '/ vfs_/ && n++ < 40 { print $1 }' available_filter_functions_addrs >"$tap_scratch/functions"
cat "$tap_scratch/functions" >$many/functions
for how in '' ' regs'; do
	echo "register$how unwind" >$many/control
	returns "${how:-no regs}: each of 41 trampolines returns"
	is "${how:-no regs}: there are 41 trampolines" "$(wc -l <"$tap_scratch/returns")" 41
	ls -l /proc/self /sys/kernel >/dev/null
	calls=$(sed -n 's/^calls: //p' $many/stats)
	echo unregister >$many/control
	ok "${how:-no regs}: these trampolines are called" [ "$calls" -gt 10 ]
	is "${how:-no regs}: stacks through these trampolines reach the entry into the kernel" \
		"$(awk '$2 !~ /^(entry_SYSCALL_64_after_hwframe|ret_from_fork_asm|asm_[a-z_]*)/' $many/ends)" ''
done
rmmod ftrace_many

tap_end
