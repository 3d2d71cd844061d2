#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: debug
# append: memmap=1M$0x70000000 ramoops.mem_address=0x70000000 ramoops.mem_size=0x100000 ramoops.record_size=0x4000 ramoops.ftrace_size=0x20000
#
# Two ops that share a filter: pstore's tracer has that of the top instance, so both are always on the same
# functions, but where one has retired. What changes that filter has to know that both did what it said before,
# or ftrace finds other text than it expects and turns itself off.

set -uo pipefail
# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1
record=/sys/kernel/debug/pstore/record_ftrace

# ftrace that has turned itself off lists nothing, and starts nothing.
works()
{
	ok "ftrace works $1" grep -q . enabled_functions
}

is_on() # FUNCTION OPS: so many ops are on it
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

ok 'pstore has a tracer' [ -e "$record" ]

# ---- the filter grows by a function that a third one has its own trampoline on

mkdir instances/x
echo vfs_mkdir >instances/x/set_ftrace_filter
echo function >instances/x/current_tracer
echo vfs_rmdir >set_ftrace_filter
echo function >current_tracer
echo 1 >"$record"
ok 'two are on the function of the filter' is_on vfs_rmdir 2
ok 'one is on the other' is_on vfs_mkdir 1
echo vfs_mkdir >>set_ftrace_filter
works 'when the filter has grown'
ok 'all are on that' is_on vfs_mkdir 3
echo vfs_rmdir >set_ftrace_filter
works 'when it has shrunk'
ok 'the third one has it alone' is_on vfs_mkdir 1
mkdir "$tap_scratch/1"
is 'and sees a call' "$(grep -c 'vfs_mkdir <-' instances/x/trace)" 1
echo nop >instances/x/current_tracer
rmdir instances/x

# ---- one retires, and leaves the other one alone

echo nop >current_tracer
echo vfs_mkdir >set_ftrace_filter
echo 0 >options/oneshot-parent
echo 1 >options/oneshot-retire
echo oneshot >current_tracer
ok 'both are on it' is_on vfs_mkdir 2
mkdir "$tap_scratch/2"
ok 'one retires' soon is_on vfs_mkdir 1
echo vfs_rmdir >set_ftrace_filter
works 'when the filter has left the function'
echo vfs_mkdir >>set_ftrace_filter
works 'when it has come back'
ok 'the other one is on it again' is_on vfs_mkdir 1
echo 0 >oneshot_seen
ok 'after a clear both are' is_on vfs_mkdir 2
mkdir "$tap_scratch/3"
is 'it is recorded again' "$(wc -l <oneshot_seen)" 1
echo 0 >"$record"
works 'when pstore has stopped'
echo nop >current_tracer
echo 0 >options/oneshot-retire
echo 1 >options/oneshot-parent
echo >set_ftrace_filter

tap_end
