#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Measures what many ftrace_ops cost, on one function each, and each with a trampoline of its own that saves all
# registers. The costs are instructions and pages, on the base kernel with one CPU whose instructions are counted. The
# module ftrace_many (kernel/trace/ftrace_many.c) makes the ops. Fails if a figure misses its target.
#
# Any kernel but 6.12 with the series has no such module. It removes 50 fprobe events, and shows what ops cost one by one:
# each is the function tracer of an instance. This has no targets.
#
# Usage: tests/bench/many-ops.sh [KERNEL]	KERNEL: as for vm.sh --kernel; default: patched

set -euo pipefail
clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")

if [[ ${1:-} != in-guest && ${1:-} != one-by-one ]]; then
	how=in-guest
	[[ ${1:-patched} == patched && ${LINUX:-6.12} == 6.12 ]] || how=one-by-one
	exec "$clone/kernel/vm.sh" --kernel "${1:-patched}" --icount --append 'nokaslr mitigations=off' --timeout 900 -- \
		bash "tests/bench/$(basename "$0")" $how
fi

cd /sys/kernel/debug
# 7.3 no longer mounts it there.
[[ -d tracing/instances ]] || { cd "$(mktemp -d)" && ln -s /sys/kernel/tracing tracing; }

# Prints the millions of instructions that a command takes. This is its processor time by the guest's clock, which
# counts instructions, so other processes do not count.
instructions()
{
	local TIMEFORMAT='%3U %3S'
	{ time "$@" >/dev/null; } 2>&1 | awk '{ print ($1 + $2) * 1000 }'
}

# grace_periods TRACE: counts the calls by which this script itself waits for grace periods. On Linux 7.3, that of
# synchronize_rcu_tasks_rude() returns at once. The kernel's threads for grace periods also wait for each other. The function tracer has "synchronize_rcu_tasks <-", and an event of a kprobe "synchronize_rcu_tasks:".
grace_periods()
{
	grep -c "^ *$(cut -c 1-15 /proc/$$/comm)-[0-9]* .*: synchronize_rcu" "$1" || true
}

# Makes 50 fprobe events, removes them together, and prints how many grace periods of RCU tasks that waits for.
remove_fprobe_events()
{
	local made=0 name

	while read -r name _; do
		((made < 50)) || break
		! echo "f:fprobes_50/$name $name" >>tracing/dynamic_events || made=$((made + 1))
	done < <(grep '^vfs_[a-z_]* *$' tracing/available_filter_functions | sort | uniq -u)
	[[ $made -eq 50 ]] || { echo "only $made fprobe events"; return; }
	mkdir tracing/instances/waits
	echo synchronize_rcu_tasks synchronize_rcu_tasks_rude >tracing/instances/waits/set_ftrace_filter
	echo function >tracing/instances/waits/current_tracer
	echo >tracing/dynamic_events
	if [[ $(<tracing/dynamic_events) ]]; then
		echo 'some fprobe events are left'
	else
		grace_periods tracing/instances/waits/trace
	fi
	echo nop >tracing/instances/waits/current_tracer
	rmdir tracing/instances/waits
}

# ---- one by one, on any kernel

# Gives all instances a tracer.
# shellcheck disable=SC2317 # `instructions` calls it
trace_with()
{
	local instance

	for instance in tracing/instances/*; do
		echo "$1" >"$instance/current_tracer"
	done
}

# Prints how many pages have a trampoline, by the addresses.
trampoline_pages()
{
	awk '$3 == "ftrace_trampoline" { print substr($1, 1, 13) }' /proc/kallsyms | sort -u | wc -l
}

one_by_one()
{
	local count=200 name how f

	echo "50 fprobe events, grace periods for removing them: $(remove_fprobe_events)"
	awk '!/\[/ && /^(vfs|bio|blk|tcp|skb|sysfs|proc)_/' tracing/available_filter_functions | sort | uniq -u | awk -v n=$count 'NR <= n' >/tmp/functions
	[[ $(wc -l </tmp/functions) -eq $count ]] || { echo "not $count functions"; exit 1; }
	while read -r name; do
		mkdir "tracing/instances/$name"
		echo "$name" >"tracing/instances/$name/set_ftrace_filter"
	done </tmp/functions
	for f in synchronize_rcu_tasks synchronize_rcu_tasks_rude synchronize_rcu; do
		echo "p:many/$f $f" >>tracing/kprobe_events
	done
	echo 1 >tracing/events/many/enable
	for how in function nop; do
		echo >tracing/trace
		printf '%s: %s instances, million instructions each: ' $how $count
		instructions trace_with $how | awk -v n=$count '{ print $1 / n }'
		printf '%s: grace periods each: ' $how
		grace_periods tracing/trace | awk -v n=$count '{ print $1 / n }'
		printf '%s: pages with trampolines: %s\n' $how "$(trampoline_pages)"
	done
}

if [[ $1 == one-by-one ]]; then
	uname -r
	one_by_one
	exit
fi
modprobe ftrace_many
failed=0

getppid()
{
	perl -e 'getppid for 1 .. 20000'
}

# Chooses functions that nobody calls during the measurements: those that are not called in a rehearsal, which also
# patches text and walks stacks.
echo oneshot >tracing/current_tracer
awk '/ vfs_/ { print $1 }' tracing/available_filter_functions_addrs >ftrace_many/functions
echo register unwind >ftrace_many/control
ls -lR /proc/self >/dev/null
echo unregister >ftrace_many/control
getppid
cat /proc/kallsyms >/dev/null
sleep 1
echo nop >tracing/current_tracer
grep -v '\[' tracing/available_filter_functions_addrs |
	awk 'NR == FNR { seen[$1] = 1; next } !($1 in seen) { print $1 }' tracing/oneshot_seen - >/tmp/functions
echo 0 >tracing/oneshot_seen

functions() # COUNT NAME...: selects COUNT functions, among them the named ones
{
	local n=$1 name
	shift
	echo >ftrace_many/functions
	{
		for name; do
			awk -v name="$name" '$2 == name { print $1 }' tracing/available_filter_functions_addrs
		done
		head -n $((n - $#)) /tmp/functions
	} >ftrace_many/functions
	[[ $(stat ops) -eq $n ]] || echo "$(stat ops) ops, not $n"
}

stat()
{
	sed -n "s/^$1: //p" ftrace_many/stats
}

pages()
{
	sed -n 's/.* pages \([0-9]*\) .*/\1/p' text_slots
}

# row NAME FIGURE LIMIT: prints a verdict as tests/bench/run.sh does. Nothing costs 0 instructions, so 0 means that
# there is no figure.
row()
{
	local verdict=reached
	awk -v n="$2" -v limit="$3" 'BEGIN { exit !(n > 0 && n <= limit) }' || verdict=MISSED failed=1
	echo "$verdict: $1: $2, at most $3"
}

# ---- pages

for n in 1000 10000; do
	functions "$n"
	before=$(pages)
	echo register regs >ftrace_many/control
	if [[ $n == 1000 ]]; then
		row 'text-1000, pages' $(($(pages) - before)) 100
		row 'register-1000, instructions' "$(stat last_ns)" 16500000
		for f in synchronize_rcu_tasks synchronize_rcu_tasks_rude synchronize_rcu; do
			echo "p:many/$f $f" >>tracing/kprobe_events
		done
		echo 1 >tracing/events/many/enable
		echo >tracing/trace
	else
		row 'text-10000, bytes' $((($(pages) - before) * 4096)) $((4 << 20))
		row 'register-10000, instructions' "$(stat last_ns)" 165000000
	fi
	echo unregister >ftrace_many/control
	# The last of these ops is on all functions.
	if [[ $n == 10000 ]]; then
		echo 'register regs wide-last' >ftrace_many/control
		row 'register-10000, one of all functions, instructions' "$(stat last_ns)" 1000000000
		echo unregister >ftrace_many/control
	fi
	if [[ $n == 1000 ]]; then
		row 'unregister-1000, grace periods' "$(grace_periods tracing/trace)" 3
		echo 0 >tracing/events/many/enable
		echo >tracing/kprobe_events
	fi
done

# ---- fprobe events, each with an ops of its own

row 'fprobes-50, all removed, grace periods' "$(remove_fprobe_events)" 3

# ---- unwinding and kallsyms with one trampoline and with 10,000

call=__do_sys_getppid
declare -A unwind kallsyms by_turns
for n in 1 10000; do
	functions "$n" "$call"
	cat /proc/kallsyms >/dev/null
	bare=$(instructions getppid)
	echo register regs unwind >ftrace_many/control
	unwind[$n]=$((($(instructions getppid) - bare) * 1000000 / 20000))
	symbols=$(wc -l </proc/kallsyms)
	kallsyms[$n]=$(($(instructions cat /proc/kallsyms) * 1000000 / symbols))
	by_turns[$n]=$(($(instructions paste /proc/kallsyms /proc/kallsyms) * 500000 / symbols))
	[[ $(awk '{ n += $1 } END { print n }' ftrace_many/ends) -ge 20000 ]] || { echo "no stack was walked"; failed=1; }
	echo unregister >ftrace_many/control
done
row "unwind-10000, of ${unwind[1]} a call, through one" "${unwind[10000]}" $((unwind[1] * 105 / 100))
# Each look-up walks the packs. Remembering the last place would be quicker for one reader, and far slower for two
# readers that replace each other's place.
row "kallsyms a symbol, of ${kallsyms[1]} with one" "${kallsyms[10000]}" $((kallsyms[1] * 110 / 100))
row "the same by two readers in turns, of ${by_turns[1]}" "${by_turns[10000]}" $((by_turns[1] * 110 / 100))

# ---- the cost without registering many at once, for comparison

functions 20
echo register each regs >ftrace_many/control
printf 'one by one, instructions each: %d\n' $(($(stat last_ns) / 20))
echo unregister each >ftrace_many/control

exit $failed
