#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: maxcpus=1 ftrace=oneshot oneshot_size=3000 oneshot_stub=off ftrace_notrace=vfs_*
#
# What the command line says of the oneshot tracer.

set -uo pipefail
hytrace=$PWD/build/hytrace
# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

stat_of()
{
	sed -n "s/^$1: //p" oneshot_stats
}

is 'the tracer runs' "$(cat current_tracer)" oneshot
is 'oneshot_size= is what the file says' "$(cat oneshot_size)" 3000
is 'without the stub, as oneshot_stub= says' "$(grep -c oneshot_stub enabled_functions)" 0
ok 'but with a trampoline' grep -q 'tramp:.*(oneshot_call' enabled_functions
is 'that is what the set may hold' "$(stat_of capacity)" 3000
is 'booting fills it' "$(stat_of entries)" 3000
ok 'what did not fit was counted' [ "$(stat_of refused)" -gt 0 ]
# A full set refuses each call, which takes its time, and keeps what it has.
echo nop >current_tracer
cp oneshot_seen oneshot_entries available_filter_functions_addrs /proc/kallsyms "$HYTRACE_FILES"
mkdir instances/new
is 'an instance begins with that size' "$(cat instances/new/oneshot_size)" 3000
rmdir instances/new

# What a program's code calls asks for memory, and so for a worker. Where what wakes that is refused,
# too, and there is one processor, it has to be woken once.
echo 1 >oneshot_size
echo '*work*' >set_ftrace_filter
echo '*htab*' >>set_ftrace_filter
echo oneshot >current_tracer
ok 'a BPF program does not stop the machine when the set is full' timeout 300 \
	"$hytrace" cover -e bpf -a 'vfs_*' -o "$tap_scratch/bpf.json" -- mkdir "$tap_scratch/dir"
ok 'as it is' [ "$(stat_of refused)" -gt 0 ]
echo nop >current_tracer

tap_end
