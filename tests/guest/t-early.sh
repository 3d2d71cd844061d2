#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: ftrace=function trace_options=nooverwrite ftrace_notrace=jump_label_*,static_call_*,__orc_find,copy_from_*
# then: ftracetest/early-ftrace
#
# A boot that is traced from before start_kernel() on, seen from inside: the examples of
# Documentation/trace/early-ftrace.rst, and hytrace boot; what that makes of the same trace is for
# t-early.host.sh. Left out is what is called most, as it takes long to print. What is recorded is held
# against QEMU's count in early.sh.

set -uo pipefail
hytrace=$PWD/build/hytrace
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/guest/doc-lib.sh
. "$here/doc-lib.sh"

# The trace stays as it is, and the rest of the test takes no notice of it.
echo 0 >$tracing/tracing_on
echo vfs_mkdir >$tracing/set_ftrace_filter
cd "$tap_scratch" || exit 1

stat_of()
{
	sed -n "s/^$1: //p" $tracing/early_stats
}

# ---- the document

is 'this guest has been booted as the document says' \
	"$(sed -n '/^Boot with ::/{n;n;s/^  //p}' "$documents/early-ftrace.rst")" \
	"$(sed -n 's/^# append: \(.*\) ftrace_notrace=.*/\1/p' "$here/t-early.sh")"
examples early-ftrace.rst >examples.sh
ok 'there are examples' [ "$(wc -l <examples.sh)" -gt 3 ]
# shellcheck disable=SC2016 # for the inner shell
ok 'all of them run' sh -ex -c '. "$1" >"$2"' sh "$PWD/examples.sh" "$PWD/shown"
ok 'the trace begins before start_kernel(), which is at its head' [ "$(grep -v '^#' shown |
	sed -n 's/.*: \([^ ]*\) <-.*/\1/p' | grep -nx start_kernel | cut -d: -f1)" -gt 1 ]
is 'each of the statistics is explained, and no other' \
	"$(sed -n '/^early_stats$/,/^When early calls are dropped/p' "$documents/early-ftrace.rst" |
		sed '1d;$d' | grep -E '^[a-z]' | tr -d ' ' | tr ',' '\n' | sort)" "$(names early_stats)"

# ---- hytrace boot

recorded=$(stat_of recorded)
ok 'a hundred thousand calls' [ "$recorded" -gt 100000 ]
is 'nothing is lost' "$(stat_of lost) $(stat_of overwritten)" '0 0'
ok 'as json' "$hytrace" boot -f json -o boot.json
ok 'for a viewer' "$hytrace" boot -f chrome -o boot.trace
cp boot.json boot.trace $tracing/early_stats "$HYTRACE_FILES"
grep -v '^#' $tracing/per_cpu/cpu0/trace | head -n "$recorded" >"$HYTRACE_FILES/trace"

tap_end
