#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: maxcpus=1 ftrace=oneshot oneshot_size=3000 oneshot_stub=off ftrace_notrace=vfs_*
#
# Options of the kernel command line for the oneshot tracer.

. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

stat_of()
{
	sed -n "s/^$1: //p" oneshot_stats
}

is 'ftrace=oneshot starts the tracer' "$(cat current_tracer)" oneshot
is 'the file oneshot_size has the value of oneshot_size=' "$(cat oneshot_size)" 3000
is 'with oneshot_stub=off, no function uses the stub' "$(grep -c oneshot_stub enabled_functions)" 0
ok 'with oneshot_stub=off, functions use a trampoline' grep -q 'tramp:.*(oneshot_call' enabled_functions
is 'the capacity of the set is oneshot_size=' "$(stat_of capacity)" 3000
is 'the boot fills the set' "$(stat_of entries)" 3000
ok 'hits that did not fit are counted as refused' [ "$(stat_of refused)" -gt 0 ]
# A full set refuses each call, which takes time, and keeps its entries. So the tracer is stopped.
echo nop >current_tracer
cp oneshot_seen oneshot_entries available_filter_functions_addrs /proc/kallsyms "$HYTRACE_FILES"
mkdir instances/new
is 'a new instance begins with the size of oneshot_size=' "$(cat instances/new/oneshot_size)" 3000
rmdir instances/new

# A call from a BPF program's code makes the tracer ask a worker for memory. If the set also refuses the functions
# that wake the worker, and there is one processor, the worker must be woken only once.
echo 1 >oneshot_size
echo '*work*' >set_ftrace_filter
echo '*htab*' >>set_ftrace_filter
echo oneshot >current_tracer
ok 'a BPF program does not stop the machine when the set is full' timeout 300 \
	"$hytrace" cover -e bpf -a 'vfs_*' -o "$tap_scratch/bpf.json" -- mkdir "$tap_scratch/dir"
ok 'the set has refused hits' [ "$(stat_of refused)" -gt 0 ]
echo nop >current_tracer

tap_end
