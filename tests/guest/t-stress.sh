#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: debug kcsan
# append: kmemleak=on
#
# Runs everything that may collide with the oneshot tracer and with function events at the same time, on a kernel that
# checks memory, locks and sleeping: starts, stops and clears; events that are made, enabled and removed while they
# fire; functions that retire and come back; readers, perf and BPF; instances, modules and a CPU that come and go;
# NMIs, kprobes, fprobes and the function graph tracer; hundreds of trampolines; and allocations that fail. The run
# fails if the kernel complains (inside.sh), if a job fails, or if a job does not pass often enough. `make test-debug`
# runs it. HYTRACE_STRESS= is the time in seconds; the run takes up to ten times as long if a job needs it.
#
# The series for 7.3 has neither slots of text nor the module with hundreds of ops: there, a few instances of the
# function tracer come and go instead.

. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

seconds=${HYTRACE_STRESS:-120}
least=2
pids=()

# repeat JOB: runs this function again and again, until told to stop, and notes each time whether it passed.
repeat()
{
	: >"$tap_scratch/$1.rounds"
	while [[ ! -e $tap_scratch/stop ]]; do
		if "$@"; then echo passed; else echo failed; fi >>"$tap_scratch/$1.rounds"
	done
}

rounds()
{
	grep -cx "$2" "$tap_scratch/$1.rounds"
}

workload()
{
	ls -lR /proc/self/ns /sys/module >/dev/null 2>&1
	head -c 100000 /dev/zero | tr '\0' x | wc -c >/dev/null
	mkdir "$tap_scratch/dir.$BASHPID" && rmdir "$tap_scratch/dir.$BASHPID"
	# All other jobs want the processor as well.
	sleep .1
}

toggle()
{
	echo oneshot >current_tracer &&
		echo 0 >oneshot_seen &&
		echo $((RANDOM % 2)) >options/oneshot-parent &&
		echo 'vfs_*' >set_ftrace_filter &&
		echo $((RANDOM % 5000)) >oneshot_size &&
		echo >set_ftrace_filter &&
		sleep .2 &&
		[[ $(wc -l <oneshot_seen) -gt 0 ]] &&
		echo nop >current_tracer &&
		echo 0 >oneshot_seen
}

readers()
{
	cat oneshot_seen oneshot_entries oneshot_stats trace >/dev/null
}

instances()
{
	local dir=instances/stress.$BASHPID

	# Functions that all CPUs call all the time. Not all functions: toggle() traces those.
	mkdir "$dir" &&
		echo '*lock* *read*' >"$dir/set_ftrace_filter" &&
		echo oneshot >"$dir/current_tracer" &&
		grep -q . "$dir/oneshot_seen" &&
		{ ((RANDOM % 2)) || echo nop >"$dir/current_tracer"; } &&
		rmdir "$dir"
}

# Functions that retire while others call them, and that come back in each possible way. Other jobs trace most of
# these functions as well, some of the time.
retire()
{
	local dir=instances/retire

	mkdir -p "$dir" &&
		echo 0 >"$dir/options/oneshot-retire" &&
		echo '*lock* *read* vfs_* simple_* cmdline_proc_show' >"$dir/set_ftrace_filter" &&
		echo 0 >"$dir/options/oneshot-parent" &&
		echo 1 >"$dir/options/oneshot-retire" &&
		echo oneshot >"$dir/current_tracer" &&
		sleep .5 &&
		echo 0 >"$dir/oneshot_seen" &&
		echo 20 >"$dir/oneshot_retire_ms" &&
		echo 1 >"$dir/options/oneshot-parent" &&
		echo 'mem*' >>"$dir/set_ftrace_filter" &&
		sleep .5 &&
		until [[ $(sed -n 's/^retired: //p' "$dir/oneshot_stats") -gt 0 ]]; do sleep .2; done &&
		echo $((RANDOM % 2)) >"$dir/options/oneshot-retire" &&
		{ ((RANDOM % 2)) || echo nop >"$dir/current_tracer"; } &&
		rmdir "$dir"
}

modules()
{
	local module

	for module in trace-events-sample trace-printk; do
		modprobe "$module" && sleep .1 && rmmod "$module" || return
	done
}

# Makes events of all kinds, some of them of a module that comes and goes. One printf is one write. No event may have
# a name such as "read", an r and hexadecimal digits, because perf takes that for a raw event.
make_events()
{
	local group=$1

	printf '%s\n' "vfs_*(x64 a) as $group/any" "ssize_t vfs_read(...) as $group/reads" \
		"do_sys_openat2(NULL, ustring name) as $group/open" \
		"trace_events_sample:*(u64 a) as $group/module" \
		"void vfs_*() as $group/returns" >>function_events
}

remove_events()
{
	printf "!$1/%s\n" any reads open module returns >>function_events
}

# Removes each event with a write of its own, because events that could not be made cannot be removed.
remove_each_event()
{
	local event

	for event in any reads open module returns; do
		{ echo "!$1/$event" >>function_events; } 2>/dev/null
	done
}

events()
{
	local group=stress_$BASHPID

	make_events "$group" &&
		echo 1 >"events/$group/enable" &&
		sleep .$((RANDOM % 5)) &&
		cat dynamic_events >/dev/null &&
		echo 0 >"events/$group/enable" &&
		remove_events "$group"
}

more_events()
{
	events
}

events_in_perf()
{
	local group=perf_$BASHPID

	make_events "$group" &&
		perf stat -x , -o "$tap_scratch/stat" -C 0 -e "$group:any,$group:reads" -- \
			taskset -c 0 ls /proc/self >/dev/null &&
		[[ $(grep -c '^[1-9]' "$tap_scratch/stat") -eq 2 ]] &&
		perf record -q -o /dev/null -C 0 -e "$group:open,$group:returns" -- \
			taskset -c 0 ls /proc/self >/dev/null &&
		remove_events "$group"
}

# The loader makes an event of its own, and attaches a program to it.
events_in_bpf()
{
	"$hytrace" cover -e event -a 'vfs_*' -f json -o "$tap_scratch/bpf.json" -- ls /proc/self >/dev/null &&
		jq -e 'any(.functions[]; .name == "vfs_read")' "$tap_scratch/bpf.json" >/dev/null
}

# Probes on functions that retire() and other jobs trace as well.
probes()
{
	local group=probes_$BASHPID

	printf '%s\n' "p:$group/entry vfs_read" "f:$group/fentry vfs_write" \
		"f:$group/fexit vfs_read%return" "p:$group/cmdline cmdline_proc_show" >>dynamic_events &&
		echo 1 >"events/$group/enable" &&
		sleep .$((RANDOM % 5)) &&
		echo 0 >"events/$group/enable" &&
		printf -- "-:$group/%s\n" entry fentry fexit cmdline >>dynamic_events
}

# Hundreds of trampolines that come and go while they are called, all together and one by one.
slots()
{
	local many=/sys/kernel/debug/ftrace_many how

	{ [[ -d $many ]] || modprobe ftrace_many; } &&
		echo >"$many/functions" &&
		awk '/ (vfs_|simple_|do_sys_open|kmem_cache_)/ && !/\[/ { print $1 }' \
			available_filter_functions_addrs >"$many/functions" || return
	for how in regs unwind 'regs unwind share'; do
		echo "register $how" >"$many/control" &&
			sleep .$((RANDOM % 5)) &&
			cat /sys/kernel/debug/text_slots >/dev/null &&
			echo unregister >"$many/control" || return
	done
	awk 'NR <= 10 { print $1 }' "$many/functions" >"$tap_scratch/ten" &&
		echo >"$many/functions" &&
		cat "$tap_scratch/ten" >"$many/functions" &&
		echo 'register each unwind' >"$many/control" &&
		grep -c ftrace_trampoline /proc/kallsyms >/dev/null &&
		echo 'unregister each' >"$many/control"
}

# On 7.3: an ops and a trampoline for each instance, on functions that are called all the time.
trampolines()
{
	local name dirs=()

	for name in vfs_read vfs_write vfs_open; do
		dirs+=("instances/$name.$BASHPID")
		mkdir "${dirs[-1]}" &&
			echo "$name" >"${dirs[-1]}/set_ftrace_filter" &&
			echo function >"${dirs[-1]}/current_tracer" || return
	done
	sleep .$((RANDOM % 5)) &&
		grep -c ftrace_trampoline /proc/kallsyms >/dev/null &&
		rmdir "${dirs[@]}"
}

nmis()
{
	# NMIs print for a long time on a serial console. Without this pause, the other jobs would not get far.
	echo l >/proc/sysrq-trigger && sleep 20
}

graph()
{
	mkdir instances/graph &&
		echo '*sys_*' >instances/graph/set_ftrace_filter &&
		echo function_graph >instances/graph/current_tracer &&
		sleep .5 &&
		rmdir instances/graph
}

set_fault()
{
	local what=/sys/kernel/debug/$1

	echo 1 >"$what/task-filter"
	echo 0 >"$what/ignore-gfp-wait"
	echo 0 >"$what/verbose"
	echo -1 >"$what/times"
	echo "$2" >"$what/probability"
	[[ ! -e $what/min-order ]] || echo 0 >"$what/min-order"
}

# Makes allocations succeed again. The write itself may fail before, without a message; and a shell that cannot
# fork would end.
have_memory()
{
	until { echo 0 >/proc/self/make-it-fail; } 2>/dev/null; do :; done
}

# Runs in a process of its own, some of whose allocations fail. It only uses builtins of the shell.
start_with_faults()
{
	local started=0 refused=0

	echo 1 >/proc/self/make-it-fail
	for _ in {1..40}; do
		if { echo oneshot >current_tracer; } 2>/dev/null; then
			started=$((started + 1))
		else
			refused=$((refused + 1))
		fi
		{ echo 0 >oneshot_seen; } 2>/dev/null
		{ echo nop >current_tracer; } 2>/dev/null
	done
	have_memory
	# The last of these writes may have failed without memory.
	echo nop >current_tracer
	echo 0 >oneshot_seen
	echo "$started $refused" >"$tap_scratch/faults"
}

regs_slots()
{
	sed -n 's/^ftrace_regs \([0-9]*\) .*/\1/p' /sys/kernel/debug/text_slots
}

# If an allocation fails, either all ops are registered or none is, and each registered one has a trampoline.
slots_with_faults()
{
	local many=/sys/kernel/debug/ftrace_many slots ops registered=0 refused=0 wrong=0

	slots=$(regs_slots)

	{ echo >"$many/functions"; } 2>/dev/null
	grep -E ' vfs_[a-z]*$' available_filter_functions_addrs >"$many/functions"
	ops=$(sed -n 's/^ops: //p' "$many/stats")
	for _ in {1..40}; do
		echo 1 >/proc/self/make-it-fail
		if { echo 'register regs' >"$many/control"; } 2>/dev/null; then
			registered=$((registered + 1))
			have_memory
			[[ $(grep -c 'ftrace_trampoline' enabled_functions) -eq $ops &&
			   $(regs_slots) -eq $((slots + ops)) ]] || wrong=$((wrong + 1))
		else
			refused=$((refused + 1))
			have_memory
			[[ $(grep -c . enabled_functions) -eq 0 && $(regs_slots) -eq $slots ]] ||
				wrong=$((wrong + 1))
		fi
		echo 1 >/proc/self/make-it-fail
		{ echo unregister >"$many/control"; } 2>/dev/null
		have_memory
		# If there was no memory to open the file, all ops are still registered.
		case $(grep -c ftrace_trampoline enabled_functions) in
		0) ;;
		"$ops") echo unregister >"$many/control" ;;
		*) wrong=$((wrong + 1)) ;;
		esac
	done
	echo "$registered $refused $wrong" >"$tap_scratch/slot_faults"
}

# Succeeds if no event is enabled and no function hooked, or if there are some of both.
hooked_as_enabled()
{
	local enabled hooked

	enabled=$(cat events/faults/*/enable | grep -c 1)
	hooked=$(grep -c . enabled_functions)
	((enabled > 0 == hooked > 0))
}

# Events are made while there is memory: if a field cannot be defined without memory, trace_events.c warns, and puts
# a reference to the event's file that it has not taken.
events_with_faults()
{
	local enabled=0 refused=0 wrong=0

	for _ in {1..40}; do
		make_events faults || wrong=$((wrong + 1))
		echo 1 >/proc/self/make-it-fail
		if { echo 1 >events/faults/enable; } 2>/dev/null; then
			enabled=$((enabled + 1))
		else
			refused=$((refused + 1))
			have_memory
			hooked_as_enabled || wrong=$((wrong + 1))
			echo 1 >/proc/self/make-it-fail
		fi
		{ echo 0 >events/faults/enable; } 2>/dev/null
		have_memory
		echo 0 >events/faults/enable
		remove_each_event faults
	done
	echo "$enabled $refused $wrong" >"$tap_scratch/event_faults"
}

jobs=(workload toggle events more_events events_in_perf events_in_bpf readers instances retire modules
	probes nmis graph)
module=$(modinfo -n ftrace_many 2>/dev/null)
if [[ $module ]]; then jobs+=(slots); else jobs+=(trampolines); fi

# Takes a CPU offline. perf and the loader open their events on another one, because they fail if theirs is offline.
hotplug()
{
	echo 0 >$second_cpu && sleep .$((RANDOM % 5)) && echo 1 >$second_cpu && sleep 5
}

second_cpu=/sys/devices/system/cpu/cpu1/online
if [[ -e $second_cpu ]]; then
	jobs+=(hotplug)
else
	echo '# there is only one CPU, so none goes offline'
fi

# On the debug kernel, a round of these jobs takes minutes: perf needs that long to open an event, and they wait for
# the locks of ftrace and of events, for which all other jobs wait as well.
slow=(events_in_perf events more_events events_in_bpf instances retire modules probes slots trampolines graph)

needed() # JOB: how many rounds must pass
{
	[[ " ${slow[*]} " == *" $1 "* ]] && echo 1 || echo "$least"
}

all_done()
{
	local job

	for job in "${jobs[@]}"; do
		[[ $(rounds "$job" passed) -ge $(needed "$job") ]] || return
	done
}

for job in "${jobs[@]}"; do
	repeat "$job" 2>"$tap_scratch/$job.err" &
	pids+=($!)
done
sleep "$seconds"
while ! all_done && ((SECONDS < 10 * seconds)); do
	sleep 5
done
echo "# stopped after $SECONDS s"
touch "$tap_scratch/stop"
wait "${pids[@]}"
for job in "${jobs[@]}"; do
	ok "$job passed $(rounds "$job" passed) times" [ "$(rounds "$job" passed)" -ge "$(needed "$job")" ]
	is "$job never failed" "$(rounds "$job" failed; sort "$tap_scratch/$job.err" | uniq -c)" 0
done

echo nop >current_tracer
echo 0 >oneshot_size
# Few functions, because patching all of them at each start takes a minute. The allocations that fail come before it.
echo 'vfs_*' >set_ftrace_filter
for fault in failslab fail_page_alloc; do
	set_fault "$fault" 3
done
start_with_faults &
wait $!
# Page allocations do not fail here: the process has a child, shares its pages with it, and needs new ones when it
# writes to them. Some fifty ops make two allocations each.
set_fault fail_page_alloc 0
set_fault failslab 1
if [[ $module ]]; then
	slots_with_faults &
	wait $!
fi
# Enabling five events makes many allocations.
for fault in failslab fail_page_alloc; do
	set_fault "$fault" 1
done
events_with_faults &
wait $!
for fault in failslab fail_page_alloc; do
	set_fault "$fault" 0
done
echo "# starts, refused starts: $(<"$tap_scratch/faults")"
is 'the tracer has stopped' "$(<current_tracer)" nop
ok 'some starts failed because there was no memory' [ "$(cut -d' ' -f2 "$tap_scratch/faults")" -gt 0 ]

if [[ $module ]]; then
	echo "# how often many ops were registered, refused, or registered only in part: $(<"$tap_scratch/slot_faults")"
	ok 'many ops were registered although some allocations fail' [ "$(cut -d' ' -f1 "$tap_scratch/slot_faults")" -gt 0 ]
	ok 'many ops were refused because there was no memory' [ "$(cut -d' ' -f2 "$tap_scratch/slot_faults")" -gt 0 ]
	is 'either all ops were registered, with a trampoline each, or none' "$(cut -d' ' -f3 "$tap_scratch/slot_faults")" 0
else
	skip 'many ops, some of whose allocations fail' 'this series does not have their module'
fi
echo "# how often events were enabled, refused, or enabled without being hooked: $(<"$tap_scratch/event_faults")"
ok 'some events were enabled although some allocations fail' \
	[ "$(cut -d' ' -f1 "$tap_scratch/event_faults")" -gt 0 ]
ok 'some events were refused because there was no memory' \
	[ "$(cut -d' ' -f2 "$tap_scratch/event_faults")" -gt 0 ]
is 'no refused event looked enabled without being hooked' "$(cut -d' ' -f3 "$tap_scratch/event_faults")" 0
echo >function_events
is 'no event is left' "$(cat function_events)" ''
head -n 3 enabled_functions | sed 's/^/# /'
is 'no function is hooked' "$(grep -c . enabled_functions)" 0
if [[ $module ]]; then
	rmmod ftrace_many
	sed 's/^/# /' /sys/kernel/debug/text_slots
	# Ops that are not allocated keep their trampolines.
	is 'no other slot of text is left behind' \
		"$(awk '$1 ~ /^ftrace/ { n += $2; next } /^(kprobe|optprobe|dead) [^0]/; END { if (n > 12) print "ftrace", n }' \
			/sys/kernel/debug/text_slots)" ''
fi

echo nop >current_tracer
echo 1 >options/oneshot-parent
echo vfs_mkdir >set_ftrace_filter
echo oneshot >current_tracer
mkdir "$tap_scratch/after"
is 'the oneshot tracer still records' "$(wc -l <oneshot_seen)" 2
echo nop >current_tracer

# Looks for leaks. kmemleak skips objects younger than five seconds, and reports one only after two scans. The sample
# leaks on purpose: if the detector has turned itself off without memory, it does not report that leak.
leaks=/sys/kernel/debug/kmemleak
if [[ -e $leaks ]]; then
	modprobe kmemleak-test
	sleep 6
	echo scan >$leaks
	echo scan >$leaks
	cat $leaks >"$HYTRACE_FILES/kmemleak"
	ok 'kmemleak reports the leak of its sample' grep -q kmemleak_test "$HYTRACE_FILES/kmemleak"
	ours=' (oneshot|fevent|text_slot|early_ftrace|ftrace_many|ftrace_retire|create_trampoline|register_ftrace_functions)[A-Za-z0-9_.]*[+]'
	is 'kmemleak reports no leak of ours' "$(grep -cE "$ours" "$HYTRACE_FILES/kmemleak")" 0
fi

tap_end
