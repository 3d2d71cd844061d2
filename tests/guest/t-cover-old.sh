#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: stock-6.1
#
# A kernel that is too old for what the loader needs, Debian 12's own: what is missing is said by name.

set -uo pipefail
# shellcheck source=tests/guest/loader.sh
. "$(dirname "$(realpath "$0")")/loader.sh"

nothing_left()
{
	! ls -d $tracing/instances/hytrace-* ./*.tmp 2>/dev/null
}

ok 'it is one without addresses' test ! -e $tracing/available_filter_functions_addrs
ok 'cover: fprobe is missing' says 'needs a kernel with CONFIG_FPROBE=y' 3 cover --duration 1
ok 'with a command: 125' says 'needs a kernel with CONFIG_FPROBE=y' 125 cover -o x.json -- true
ok 'for a function that is there, by name' says 'CONFIG_FPROBE=y' 3 cover -a vfs_read --duration 1
ok 'one that is not there is said first' says 'vfs_raed: no such function' 2 cover -a vfs_raed --duration 1
ok 'cover --engine oneshot' says 'no oneshot tracer (CONFIG_ONESHOT_TRACER' 3 cover -e oneshot --duration 1
ok 'event' says 'no function events' 3 event add 'vfs_read()'
ok 'boot' says 'CONFIG_VERY_EARLY_FUNCTION_TRACER' 3 boot

tap_end
