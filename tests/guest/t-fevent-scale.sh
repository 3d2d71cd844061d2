#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# Thousands of function events, made in one write, and enabled and disabled at once. The time depends on the machine
# and its load, so it is compared with the time for one event or for a tenth as many. Making events takes time in
# proportion to their number; enabling many must wait for the kernel as often as enabling one.

. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

events=5000

# Functions with a unique name without dots, not in a module.
unique_functions()
{
	grep -v '\[' available_filter_functions | grep -xE '[a-zA-Z_][a-zA-Z0-9_]{0,60}' | sort |
		uniq -u | head -n "$1"
}

# time_it COMMAND...: sets $seconds to the time that the command takes.
time_it()
{
	local begin
	begin=$(date +%s%N)
	"$@"
	seconds=$(awk -v b="$begin" -v e="$(date +%s%N)" 'BEGIN { printf "%.4f", (e - b) / 1e9 }')
}

# time_least UNDO COMMAND: sets $least to the shortest of three times of the command; UNDO runs in between.
time_least()
{
	local undo=$1
	shift
	least=
	for _ in 1 2 3; do
		time_it "$@"
		"$undo"
		[[ $least ]] && awk -v s="$seconds" -v least="$least" 'BEGIN { exit s < least }' || least=$seconds
	done
}

# within TIMES SECONDS: whether the command that time_it() ran last took at most TIMES times SECONDS.
within()
{
	awk -v s="$seconds" -v times="$1" -v of="$2" 'BEGIN { exit s > times * of }'
}

remove_all()
{
	echo >function_events
}

create()
{
	dd if="$tap_scratch/lines" of=function_events bs=1M 2>/dev/null
}

set_all()
{
	echo "$1" >events/functions/enable
}

all_off()
{
	set_all 0
}

all_on()
{
	set_all 1
}

# Times for comparison: to switch one event, which is mostly waiting, and to make a tenth as many events.
unique_functions 1 | sed 's/$/()/' >"$tap_scratch/lines"
create
time_least all_off all_on
one_on=$least
time_least all_on all_off
one_off=$least
all_off
remove_all
unique_functions "$((events / 10))" | sed 's/$/()/' >"$tap_scratch/lines"
time_least remove_all create
tenth=$least
echo "# one event: enabled in $one_on s, disabled in $one_off s; $((events / 10)) created in $tenth s"

unique_functions "$events" | sed 's/$/()/' >"$tap_scratch/lines"
time_it create
echo "# $events events without fields: created in $seconds s"
is 'all events without fields are there' "$(wc -l <function_events)" "$events"
ok 'events without fields are made in linear time' within 20 "$tenth"
time_it bash -c 'echo >function_events'
echo "# removed in $seconds s"
is 'all events are removed' "$(wc -l <function_events)" 0

# If one line is refused, all are. These fields are not arguments, because some functions have less than two.
unique_functions "$events" | sed "s/$/(u64 one=\$jiffies_64, u64 two=\$jiffies_64)/" >"$tap_scratch/lines"
time_it create
echo "# $events events with two fields: created in $seconds s"
is 'all events with two fields are there' "$(wc -l <function_events)" "$events"
ok 'events with two fields are made in linear time' within 40 "$tenth"

echo 0 >tracing_on
time_it all_on
echo "# enabled in $seconds s"
ok 'all events are enabled at once, not one by one' within 100 "$one_on"
is 'ftrace has hooked all their functions' "$(grep -c . enabled_functions)" "$events"
is 'the file enable says that all are enabled' "$(cat events/functions/enable)" 1
time_it all_off
echo "# disabled in $seconds s"
ok 'all events are disabled at once' within 100 "$one_off"
is 'no function is hooked after that' "$(wc -l <enabled_functions)" 0
all_on
time_it bash -c 'echo >set_event'
echo "# disabled by set_event in $seconds s"
ok 'set_event disables all events at once' within 100 "$one_off"
is 'no function is hooked after set_event' "$(wc -l <enabled_functions)" 0

# If one event is busy, writing with `>` removes none.
first=$(head -n 1 function_events)
name=${first%%(*}
echo 1 >"events/functions/$name/enable"
ok 'removing all events fails if one is busy' bash -c '! echo >function_events'
is 'then no event is removed' "$(wc -l <function_events)" "$events"
echo 0 >"events/functions/$name/enable"
echo 1 >tracing_on
ok 'all events can be removed when none is busy' bash -c 'echo >function_events'

# Events of all functions, with fields that dereference arguments, few of which are pointers. This must not slow
# down the functions that are called to patch the kernel's text.
echo '*(string s | u64 d[0]) as wild' >function_events
wild_on_and_off()
{
	echo 1 >events/functions/wild/enable
	sleep 1
	echo 0 >events/functions/wild/enable
}
time_it timeout 300 bash -c "$(declare -f wild_on_and_off); wild_on_and_off"
echo "# all functions with wild pointers: enabled and disabled in $seconds s"
ok 'events of all functions with wild pointers can be switched in time' within 60 1
ok 'these events are recorded' grep -q 'wild: ' trace
ok 'these events can be removed' bash -c 'echo >function_events'

tap_end
