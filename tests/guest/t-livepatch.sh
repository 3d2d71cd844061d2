#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: debug
#
# The kernel's livepatch sample comes and goes beside everything that can be on the same function, with
# trampolines and probes in slots: its stack checks have to see through them, and neither may take the
# other's call away. It makes /proc/cmdline say something else.

set -uo pipefail
# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1
debug=/sys/kernel/debug
livepatch=/sys/kernel/livepatch/livepatch_sample
function=cmdline_proc_show
original=$(</proc/cmdline)
patched='this has been live patched'
pids=()

# What goes through slots while stacks are looked at, some of it asleep, on all CPUs.
load()
{
	while [[ ! -e $tap_scratch/stop ]]; do
		cat /proc/cmdline /proc/version >/dev/null
		sleep 0.01
	done
}

settled()
{
	for _ in {1..600}; do
		[[ $(cat $livepatch/transition 2>/dev/null || echo 0) != 0 ]] || return 0
		sleep 0.1
	done
	grep . /proc/[0-9]*/patch_state
	return 1
}

patch()
{
	modprobe livepatch-sample && settled
}

revert()
{
	echo 0 >$livepatch/enabled && settled || return
	for _ in {1..100}; do
		[[ -e $livepatch ]] || break
		sleep 0.1
	done
	rmmod livepatch-sample
}

# Each of 41 functions, of which the patched one is the first, with a trampoline of its own, and that one with a
# probe, two events and the oneshot tracer, which takes itself off it once it is known.
trace()
{
	echo register regs >$debug/ftrace_many/control &&
		echo "int $function(m)" >>function_events &&
		echo "f:lp/entry $function" >>dynamic_events &&
		echo "p:lp/probe $function" >>dynamic_events &&
		echo 1 >events/functions/$function/enable &&
		echo 1 >events/lp/enable &&
		echo 0 >options/oneshot-parent &&
		echo 1 >options/oneshot-retire &&
		echo oneshot >current_tracer
}

untrace()
{
	echo nop >current_tracer &&
		echo 0 >options/oneshot-retire &&
		echo 1 >options/oneshot-parent &&
		echo 0 >events/enable &&
		echo >dynamic_events &&
		echo >function_events &&
		echo unregister >$debug/ftrace_many/control &&
		echo >trace
}

# Which of the events have fired when the file is read, in a line.
fired()
{
	echo >trace
	cat /proc/cmdline >/dev/null
	sed -n "s/.* \(entry\|probe\): .*/\1/p; s/.*$function(.*/$function/p" trace | sort -u | xargs
}

retired()
{
	for _ in {1..60}; do
		grep -q "^retired: *[1-9]" oneshot_stats && ! grep -q "^$function .*oneshot" enabled_functions && return 0
		sleep 0.1
	done
	grep "^$function " enabled_functions
	cat oneshot_stats
	return 1
}

slots()
{
	sed -n '/^\(ftrace\|kprobe\)/p' $debug/text_slots
}

modprobe ftrace_many
{
	grep " $function\$" available_filter_functions_addrs
	grep ' vfs_' available_filter_functions_addrs | head -n 40
} | cut -d' ' -f1 >$debug/ftrace_many/functions
all_fire="$function entry probe"

for _ in 1 2 3; do
	load &
	pids+=($!)
done

# ---- patched while it is traced

ok 'traced' trace
is 'its events fire' "$(fired)" "$all_fire"
ok 'patched while it is traced' patch
is 'it is' "$(</proc/cmdline)" "$patched"
is 'and its events fire' "$(fired)" "$all_fire"
ok 'the oneshot tracer has gone from it' retired
is 'it is patched still' "$(</proc/cmdline)" "$patched"
ok 'reverted while it is traced' revert
is 'as it was' "$(</proc/cmdline)" "$original"
is 'its events fire then, too' "$(fired)" "$all_fire"
ok 'traced no more' untrace
# Ops that are not allocated keep their trampolines for the next time.
before=$(slots)
ok 'there are such' grep -q '^ftrace [1-9]' <<<"$before"

# ---- traced while it is patched

ok 'patched' patch
ok 'traced while it is patched' trace
is 'it is patched' "$(</proc/cmdline)" "$patched"
is 'its events fire while it is' "$(fired)" "$all_fire"
ok 'the oneshot tracer goes here as well' retired
ok 'what traced it is gone' untrace
is 'it is patched as before' "$(</proc/cmdline)" "$patched"
ok 'reverted' revert
is 'nothing of it is left' "$(</proc/cmdline)" "$original"

touch "$tap_scratch/stop"
wait "${pids[@]}"
is 'all slots are back that came since' "$(slots)" "$before"
rmmod ftrace_many

tap_end
