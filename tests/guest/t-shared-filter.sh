#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: debug
# append: memmap=1M$0x70000000 ramoops.mem_address=0x70000000 ramoops.mem_size=0x100000 ramoops.record_size=0x4000 ramoops.ftrace_size=0x20000
#
# Two ops that share a filter: pstore's tracer has the filter of the top instance, so both are always on the same
# functions, except where one has retired. When the filter changes, ftrace must know the functions of both before the
# change. Otherwise it finds other text than it expects, and turns itself off.

. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1
record=/sys/kernel/debug/pstore/record_ftrace

# If ftrace has turned itself off, it lists nothing and starts nothing.
works()
{
	ok "ftrace works $1" grep -q . enabled_functions
}

is_on() # FUNCTION COUNT: so many ops are on the function
{
	grep -q "^$1 ($2)" enabled_functions
}

soon()
{
	local i

	for ((i = 0; i < 100; i++)); do
		! "$@" || return 0
		sleep .2
	done
	return 1
}

ok 'the tracer of pstore is there' [ -e "$record" ]

# ---- the filter grows by a function on which a third ops already has a trampoline

mkdir instances/x
echo vfs_mkdir >instances/x/set_ftrace_filter
echo function >instances/x/current_tracer
echo vfs_rmdir >set_ftrace_filter
echo function >current_tracer
echo 1 >"$record"
ok 'both ops are on the function of the filter' is_on vfs_rmdir 2
ok 'the third ops is alone on its function' is_on vfs_mkdir 1
echo vfs_mkdir >>set_ftrace_filter
works 'when the filter has grown'
ok 'all three are on the function that was added' is_on vfs_mkdir 3
echo vfs_rmdir >set_ftrace_filter
works 'when it has shrunk'
ok 'after the filter has shrunk, the third ops is alone again' is_on vfs_mkdir 1
mkdir "$tap_scratch/1"
is 'the third ops sees a call' "$(grep -c 'vfs_mkdir <-' instances/x/trace)" 1
echo nop >instances/x/current_tracer
rmdir instances/x

# ---- one ops retires, the other stays

echo nop >current_tracer
echo vfs_mkdir >set_ftrace_filter
echo 0 >options/oneshot-parent
echo 1 >options/oneshot-retire
echo oneshot >current_tracer
ok 'both ops are on the function' is_on vfs_mkdir 2
mkdir "$tap_scratch/2"
ok 'one ops retires from the function' soon is_on vfs_mkdir 1
echo vfs_rmdir >set_ftrace_filter
works 'when the function is removed from the filter'
echo vfs_mkdir >>set_ftrace_filter
works 'when the function is added to the filter again'
ok 'the other ops is on the function again' is_on vfs_mkdir 1
echo 0 >oneshot_seen
ok 'after a clear, both ops are on the function' is_on vfs_mkdir 2
mkdir "$tap_scratch/3"
is 'the function is recorded again' "$(wc -l <oneshot_seen)" 1
echo 0 >"$record"
works 'when pstore has stopped'
echo nop >current_tracer
echo 0 >options/oneshot-retire
echo 1 >options/oneshot-parent
echo >set_ftrace_filter

tap_end
