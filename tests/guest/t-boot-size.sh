#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: ftrace=oneshot oneshot_size=3000 ftrace_notrace=vfs_*
#
# What the command line says of the oneshot tracer.

set -uo pipefail
# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

stat_of()
{
	sed -n "s/^$1: //p" oneshot_stats
}

is 'the tracer runs' "$(cat current_tracer)" oneshot
is 'oneshot_size= is what the file says' "$(cat oneshot_size)" 3000
is 'it is rounded up to 4096 slots, 3072 of which can be used' "$(stat_of capacity)" 3072
is 'booting fills it' "$(stat_of entries)" 3072
ok 'what did not fit was counted' [ "$(stat_of refused)" -gt 0 ]
# A full set refuses each call, which takes its time, and keeps what it has.
echo nop >current_tracer
cp oneshot_seen oneshot_entries available_filter_functions_addrs /proc/kallsyms "$HYTRACE_FILES"
mkdir instances/new
is 'an instance begins with that size' "$(cat instances/new/oneshot_size)" 3000
rmdir instances/new

tap_end
