#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: retbleed=stuff spectre_v2=retpoline ftrace=function ftrace_filter=vfs_mknod
# vm: --accel tcg --qemu -cpu --qemu Skylake-Client
#
# Trampolines where the depth of calls is accounted for: they do so themselves, and return by a thunk.
# That is as true of the one which was made before the kernel knew what its processor needs.

set -uo pipefail
# shellcheck source=tests/guest/slots-lib.sh
. "$(dirname "$(realpath "$0")")/slots-lib.sh"
cd /sys/kernel/tracing || exit 1
many=/sys/kernel/debug/ftrace_many

# shellcheck disable=SC2046 # a list
returns()
{
	kcore trampolines $(addresses ftrace_trampoline) >"$tap_scratch/returns"
	is "$1 by the thunk, and with as many calls accounted for as in the original" \
		"$(awk '$2 != "call_depth_return_thunk" || !$4 || $4 != $5' "$tap_scratch/returns")" ''
}

is 'the depth of calls is accounted for' "$(</sys/devices/system/cpu/vulnerabilities/retbleed)" 'Mitigation: Stuffing'
is 'the tracer of the command line' "$(<current_tracer)" function
returns 'its trampoline returns'
is 'which is the only one' "$(wc -l <"$tap_scratch/returns")" 1
mknod "$tap_scratch/null" c 1 3
ok 'it is called' grep -q ' vfs_mknod <-' trace
echo nop >current_tracer
echo >set_ftrace_filter

modprobe ftrace_many
awk '/ vfs_/ && n++ < 40 { print $1 }' available_filter_functions_addrs >"$tap_scratch/functions"
cat "$tap_scratch/functions" >$many/functions
for how in '' ' regs'; do
	echo "register$how unwind" >$many/control
	returns "${how:-no regs}: 40 more return"
	is 'of which there are some' "$(wc -l <"$tap_scratch/returns")" 41
	ls -l /proc/self /sys/kernel >/dev/null
	calls=$(sed -n 's/^calls: //p' $many/stats)
	echo unregister >$many/control
	ok 'they are called' [ "$calls" -gt 10 ]
	is 'and stacks can be followed through them, to the way into the kernel' \
		"$(awk '$2 !~ /^(entry_SYSCALL_64_after_hwframe|ret_from_fork_asm|asm_[a-z_]*)/' $many/ends)" ''
done
rmmod ftrace_many

tap_end
