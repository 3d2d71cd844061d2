#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# linux: 7.3
# append: ftrace=function ftrace_filter=:mod:dummy
#
# A filter of the command line that names a module's functions, which ftrace itself reads since 6.14: nothing is
# traced until the module is loaded, neither early nor later.

. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

is 'the tracer runs' "$(cat current_tracer)" function
is 'the filter waits for the module' "$(sed 's/[[:space:]]*$//' set_ftrace_filter)" ':mod:dummy'
is 'no early call was recorded' "$(sed -n 's/^recorded: //p' early_stats)" 0
is 'and none since' "$(grep -cv '^#' trace)" 0
modprobe dummy
ok 'when it is loaded, its functions are traced' grep -q '^dummy_setup' set_ftrace_filter
ok 'and their calls recorded' grep -q 'dummy_init_module <-do_one_initcall' trace
is 'those of others are not' "$(grep -v '^#' trace | sed -n 's/.*: \([a-z0-9_]*\) <-.*/\1/p' | grep -vc dummy)" 0
tap_end
