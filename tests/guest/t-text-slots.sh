#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# linux: 6.12
# append: indirect_target_selection=force ftrace=function ftrace_filter=vfs_mknod
#
# Text slots seen from outside: page tables read from /proc/kcore, the memory itself, and perf; and how trampolines
# return where that depends on their address. text-slots/slots.tc tests what slots do, and t-text-slots-depth.sh tests
# trampolines on a kernel with call depth tracking.

. "$(dirname "$(realpath "$0")")/slots-lib.sh"
cd /sys/kernel/tracing || exit 1
debug=/sys/kernel/debug

# field N FILE: prints the values that this field has in the lines of a file that kcore.pl has printed.
field()
{
	cut -d' ' -f"$1" "$2" | sort -u | tr '\n' ' '
}

# returned_by MESSAGE: checks how all trampolines return. On this processor, returns in the lower half of a cache line
# are mispredicted, so they must go by a thunk.
returned_by()
{
	# shellcheck disable=SC2046
	kcore trampolines $(addresses ftrace_trampoline) >"$tap_scratch/returns"
	is "$1 returns by the thunk only in the lower half of a cache line" \
		"$(awk '$2 != ($3 ? "ret" : "its_return_thunk")' "$tap_scratch/returns")" ''
}

declare -A least
slot_names='ftrace_trampoline|kprobe_insn_page|kprobe_optinsn_page'

# The tracer of the command line has a trampoline that was made before alternatives were patched.
is 'the kernel believes that the processor has the fault' \
	"$(</sys/devices/system/cpu/vulnerabilities/indirect_target_selection)" 'Mitigation: Aligned branch/return thunks'
is 'ftrace= starts the function tracer, with one trampoline' "$(<current_tracer) $(sed -n 's/^ftrace \([0-9]*\) .*/\1/p' $debug/text_slots)" 'function 1'
returned_by 'that trampoline'
ok 'that trampoline returns in the lower half of a cache line' grep -q ' its_return_thunk 0 ' "$tap_scratch/returns"
echo nop >current_tracer
echo >set_ftrace_filter

modprobe ftrace_many
grep ' vfs_' available_filter_functions_addrs | head -n 40 | cut -d' ' -f1 >"$tap_scratch/functions"
cat "$tap_scratch/functions" >$debug/ftrace_many/functions

# These addresses show that kcore.pl reads the page tables right.
# shellcheck disable=SC2046 # a list
kcore look $(addresses 'jiffies|_stext|linux_banner') >"$tap_scratch/known"
is 'the page tables have data, text and read-only data' "$(cut -d' ' -f2 "$tap_scratch/known" | sort | xargs)" 'r rw rx'

# perf records from here to the end, on all CPUs. It starts its command when its events are enabled.
perf record -q -a -e dummy -o "$tap_scratch/perf.data" -- sh -c "touch $tap_scratch/ready; exec sleep infinity" &
perf=$!
for _ in {1..300}; do
	[[ -e $tap_scratch/ready ]] && break
	sleep 0.1
done
# A probe after the beginning of a function has a slot if an instruction begins there, so several are tried.
while read -r name _; do
	[[ $(wc -l <kprobe_events) -lt 5 ]] || break
	echo "p:slots/${name} ${name}+9" >>kprobe_events 2>/dev/null
done < <(grep '^vfs_[a-z]* *$' available_filter_functions)
echo 1 >events/slots/enable
echo register regs >$debug/ftrace_many/control
returned_by 'each of 40 trampolines'
is 'some of them return in the lower half, and some do not' "$(cut -d' ' -f3 "$tap_scratch/returns" | sort -u | xargs)" '0 1'
# Probes are optimized a moment later.
for _ in {1..100}; do
	[[ -z $(addresses kprobe_optinsn_page) ]] || break
	sleep 0.1
done
# shellcheck disable=SC2046
kcore look $(addresses "$slot_names") >"$tap_scratch/slots"
for name in ${slot_names//|/ }; do
	addresses "$name" >"$tap_scratch/$name"
done
ok 'the slots of 40 ops and of probes are there' [ "$(wc -l <"$tap_scratch/slots")" -gt 42 ]
is 'these slots can be read and executed, and not written' "$(field 2 "$tap_scratch/slots")" 'rx '
is 'there is code in each of these slots' "$(grep -c ' cc' "$tap_scratch/slots")" 0

echo unregister >$debug/ftrace_many/control
echo 0 >events/slots/enable
echo >kprobe_events
cat $debug/text_slots >/dev/null	# reading this file waits until slots are freed
addresses "$slot_names" >"$tap_scratch/left"
cut -d' ' -f1 "$tap_scratch/slots" | comm -23 - "$tap_scratch/left" >"$tap_scratch/gone"
# shellcheck disable=SC2046
kcore look $(<"$tap_scratch/gone") | grep -v unmapped >"$tap_scratch/freed"
ok 'some freed slots are in pages that stay' [ "$(wc -l <"$tap_scratch/freed")" -gt 1 ]
is 'these freed slots are full of int3' "$(field 3 "$tap_scratch/freed")" "$(printf 'cc%.0s' {1..16}) "
is 'these freed slots cannot be written' "$(field 2 "$tap_scratch/freed")" 'rx '

# ---- perf

kill -INT $perf
wait $perf 2>/dev/null
perf report -D -i "$tap_scratch/perf.data" 2>/dev/null |
	sed -n 's/.*PERF_RECORD_KSYMBOL addr \([0-9a-f]*\) len \([0-9]*\) type \([0-9]*\) flags \(0x[0-9]*\) name \(.*\)/\1 \2 \3 \4 \5/p' \
	>"$tap_scratch/ksymbols"
told() # FLAGS NAME
{
	awk -v flags="$1" -v name="$2" '$3 == 2 && $4 == flags && $5 == name && $2 >= 16 { print $1 }' \
		"$tap_scratch/ksymbols" | sort -u
}
least=([ftrace_trampoline]=40 [kprobe_insn_page]=3 [kprobe_optinsn_page]=1)
for name in ${slot_names//|/ }; do
	comm -23 "$tap_scratch/$name" "$tap_scratch/left" >"$tap_scratch/came"
	ok "slots named $name were made and freed" [ "$(wc -l <"$tap_scratch/came")" -ge "${least[$name]}" ]
	is "perf records each $name that is made" "$(told 0x0 "$name" | comm -23 "$tap_scratch/came" -)" ''
	is "perf records each $name that is freed" "$(told 0x1 "$name" | comm -23 "$tap_scratch/came" -)" ''
done

# ---- sharing

# A direct ops is told to share its function, and to stop sharing when the ops that want it are refused.
bpftrace -e 'kretfunc:vfs_mknod { @ = count(); }' >"$tap_scratch/bpftrace" 2>&1 &
bpftrace=$!
for _ in {1..600}; do
	! grep -q '^vfs_mknod .*direct' enabled_functions || break
	sleep 0.1
done
ok 'a BPF program is on the function' grep -q '^vfs_mknod .*direct' enabled_functions
# shellcheck disable=SC2016 # its own
echo 'p:slots/share bpf_tramp_ftrace_ops_func cmd=$arg2:u32' >kprobe_events
echo 1 >events/slots/share/enable
awk '/ vfs_mknod$/ { print $1 } / vfs_rmdir$/ { print $1; print $1 }' available_filter_functions_addrs >"$tap_scratch/three"
echo >$debug/ftrace_many/functions
cat "$tap_scratch/three" >$debug/ftrace_many/functions
refused=
{ echo register ipmodify >$debug/ftrace_many/control; } 2>/dev/null || refused=yes
ok 'two that modify one function are refused' [ "$refused" ]
# The commands are FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER and then DISABLE.
is 'the program was told to share its function, and then to stop sharing' \
	"$(sed -n 's/.* cmd=//p' trace | xargs)" '1 2'
echo 0 >events/slots/share/enable
echo >kprobe_events
interrupt $bpftrace 2>/dev/null
rmmod ftrace_many

tap_end
