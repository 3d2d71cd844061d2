#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: debug
#
# The kernel's livepatch sample is loaded and unloaded while other tracers are on the same function, with trampolines
# and probes in slots. Livepatch's stack checks must see through the slots, and livepatch and tracers must not take
# each other's calls away. The sample replaces the function that prints /proc/cmdline.
#
# The series for 7.3 has neither slots nor the module with many ops. There, instances of the function tracer take the
# module's place. They are fewer, because each of them is started by itself.

. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1
debug=/sys/kernel/debug
livepatch=/sys/kernel/livepatch/livepatch_sample
function=cmdline_proc_show
original=$(</proc/cmdline)
patched='this has been live patched'
pids=()

# A load on all CPUs that goes through slots while stacks are checked; some of its tasks sleep.
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

many_ops()
{
	local i

	if [[ $module ]]; then
		echo register regs >$debug/ftrace_many/control
		return
	fi
	for ((i = 0; i < ${#functions[@]}; i++)); do
		mkdir instances/many.$i &&
			echo "${functions[i]}" >instances/many.$i/set_ftrace_filter &&
			echo function >instances/many.$i/current_tracer || return
	done
}

no_ops()
{
	if [[ $module ]]; then
		echo unregister >$debug/ftrace_many/control
	else
		rmdir instances/many.*
	fi
}

# Traces many functions with a trampoline each. The first one is the patched function; it also has a probe, two events
# and the oneshot tracer, which retires from it once it is known.
trace()
{
	many_ops &&
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
		no_ops &&
		echo >trace
}

# Prints the events that fire when the file is read, in one line.
fired()
{
	echo >trace
	cat /proc/cmdline >/dev/null
	sed -n "s/.* \(entry\|probe\): .*/\1/p; s/.*$function(.*/$function/p" trace | sort -u | xargs
}

retired()
{
	for _ in {1..600}; do
		grep -q "^retired: *[1-9]" oneshot_stats && ! grep -q "^$function .*oneshot" enabled_functions && return 0
		sleep 0.1
	done
	grep "^$function " enabled_functions
	cat oneshot_stats
	return 1
}

# Prints how many trampolines there are, and slots of probes.
slots()
{
	if [[ $module ]]; then
		sed -n '/^\(ftrace\|kprobe\)/p' $debug/text_slots
	else
		echo "ftrace $(grep -c ' ftrace_trampoline' /proc/kallsyms)"
	fi
}

module=$(modinfo -n ftrace_many 2>/dev/null)
mapfile -t functions < <(
	grep " $function\$" available_filter_functions_addrs
	grep ' vfs_' available_filter_functions_addrs | head -n 40
)
if [[ $module ]]; then
	modprobe ftrace_many
	printf '%s\n' "${functions[@]% *}" >$debug/ftrace_many/functions
else
	functions=("${functions[@]:0:8}")
	functions=("${functions[@]#* }")
fi
all_fire="$function entry probe"

for _ in 1 2 3; do
	load &
	pids+=($!)
done

# ---- patched while it is traced

ok 'the function can be traced' trace
is 'traced: its events fire' "$(fired)" "$all_fire"
ok 'the function can be patched while it is traced' patch
is 'traced, then patched: it is patched' "$(</proc/cmdline)" "$patched"
is 'traced, then patched: its events fire' "$(fired)" "$all_fire"
ok 'traced, then patched: the oneshot tracer retires from it' retired
is 'it is still patched after that' "$(</proc/cmdline)" "$patched"
ok 'the patch can be reverted while the function is traced' revert
is 'reverted: the function is the original' "$(</proc/cmdline)" "$original"
is 'reverted: its events fire' "$(fired)" "$all_fire"
ok 'tracing can be ended' untrace
# Ops that are not allocated keep their trampolines for the next use.
before=$(slots)
ok 'some trampolines are kept' grep -q '^ftrace [1-9]' <<<"$before"

# ---- traced while it is patched

ok 'the function can be patched again' patch
ok 'the function can be traced while it is patched' trace
is 'patched, then traced: it is patched' "$(</proc/cmdline)" "$patched"
is 'patched, then traced: its events fire' "$(fired)" "$all_fire"
ok 'patched, then traced: the oneshot tracer retires from it' retired
ok 'tracing can be ended while the function is patched' untrace
is 'it is still patched without tracing' "$(</proc/cmdline)" "$patched"
ok 'the patch can be reverted' revert
is 'the function is the original again' "$(</proc/cmdline)" "$original"

touch "$tap_scratch/stop"
wait "${pids[@]}"
is 'all slots that were taken since are freed' "$(slots)" "$before"
[[ ! $module ]] || rmmod ftrace_many

tap_end
