#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: ftrace=function ftrace_notrace=jump_label_*,static_call_*,__orc_find,copy_from_* trace_trigger=print.stacktrace
# then: ftracetest/early-ftrace
#
# A boot that is traced from before start_kernel() on: runs the examples of Documentation/trace/early-ftrace.rst and
# hytrace boot. t-early.host.sh compares hytrace's documents with the trace. The functions that are called most are
# left out, because it takes long to print them. early.sh compares the record with QEMU's count.

here=$(dirname "$(realpath "$0")")
. "$here/doc-lib.sh"

cd "$tap_scratch" || exit 1

stat_of()
{
	sed -n "s/^$1: //p" $tracing/early_stats
}

# ---- the document

is 'this guest is booted as the document says' \
	"$(sed -n '/^Boot with ::/{n;n;s/^  //p}' "$documents/early-ftrace.rst")" \
	"$(sed -n 's/^# append: \(.*\) ftrace_notrace=.*/\1/p' "$here/t-early.sh")"
examples early-ftrace.rst >examples.sh
ok 'early-ftrace.rst has examples' [ "$(wc -l <examples.sh)" -gt 2 ]
# shellcheck disable=SC2016 # for the inner shell
ok 'all examples of early-ftrace.rst succeed' sh -ex -c '. "$1" >"$2"' sh "$PWD/examples.sh" "$PWD/shown"
ok 'the examples show start_kernel(), and calls before it' [ "$(grep -v '^#' shown |
	sed -n 's/.*: \([^ ]*\) <-.*/\1/p' | grep -nx start_kernel | cut -d: -f1)" -gt 1 ]
is 'early-ftrace.rst explains the statistics that there are' \
	"$(sed -n '/^early_stats$/,/^When early calls are dropped/p' "$documents/early-ftrace.rst" |
		sed '1d;$d' | grep -E '^[a-z]' | tr -d ' ' | tr ',' '\n' | sort)" "$(names early_stats)"

# ---- hytrace boot

is 'next --early asks the next boot for the early part, and for returns if they are wanted' \
	"$("$hytrace" boot next --early | grep -o ' ftrace=.*'; "$hytrace" boot next --early=graph | grep -o ' ftrace=.*')" \
	$' ftrace=function\n ftrace=function ftrace_early=graph'

recorded=$(stat_of recorded)
ok 'more than 100,000 calls are recorded' [ "$recorded" -gt 100000 ]
is 'nothing is lost, and the instance has all calls' "$(stat_of lost) $(stat_of shown)" "0 $recorded"
find / -xdev -maxdepth 3 >found
ok 'meanwhile, the tracer has overwritten its first calls' [ "$(sed -n 's/^overrun: //p' $tracing/per_cpu/cpu0/stats)" -gt 0 ]
is 'the instance still has all early calls' "$(sed -n 's/^entries: //p' $tracing/instances/early/per_cpu/cpu0/stats)" "$recorded"
echo 0 >$tracing/tracing_on
ok 'hytrace boot writes json' "$hytrace" boot -f json -o boot.json
ok 'hytrace boot writes a trace for viewers' "$hytrace" boot -f chrome -o boot.trace
# The two times are by different values of the TSC's frequency, of which the first may be wrong by a percent on a busy machine.
# The kernel's clock is set to 0 by tsc_early_init(), which cannot be traced; before it is a phase that can. If the TSC's
# frequency is not known then, this comes much later.
zero=$(jq .firmware.tsc_since_reset boot.json)
phase='.phases[] | select(.name == "setup_arch") | .phases[] | select(.name == "init_hypervisor_platform")'
if grep -q 'Fast TSC calibration failed\|Unable to calibrate against PIT' <(dmesg); then
	is "the kernel's clock begins after the phase in which it could have begun" \
		"$(jq "$phase | $zero > .start + .time" boot.json)" true
else
	is "the kernel's clock begins in the phase in which the kernel sets it to 0" \
		"$(jq "$phase | $zero > .start - $zero / 100 and $zero < .start + .time + $zero / 100" boot.json)" true
fi
is 'the kernel has two parts before its clock, and the first one ends with the first call' \
	"$(jq -c '[.window.first - .firmware.tsc_since_reset - (.parts.rows[] | select(.name == "before_clock") | .start)
		| . > -50000 and . < 50000]' boot.json)" '[true]'
ok 'hytrace boot draws a picture' "$hytrace" boot -f svg -o boot.svg
"$hytrace" boot -f folded >said 2>&1
is 'there are no stacks of calls whose ends are not known' $? 3
cp boot.json boot.trace boot.svg $tracing/early_stats "$HYTRACE_FILES"
cat $tracing/instances/early/trace >"$HYTRACE_FILES/trace"
# trace-cmd reads the binary form, by libtracefs, and consumes it. In the end, it removes the instance.
ok 'trace-cmd reads the instance' trace-cmd extract -B early -o early.dat
cp early.dat "$HYTRACE_FILES"
"$hytrace" boot >said 2>&1
is 'hytrace boot fails when somebody else has consumed the calls' $? 1
ok 'and says so' grep -q 'nothing is left of the early part of the boot' said

tap_end
