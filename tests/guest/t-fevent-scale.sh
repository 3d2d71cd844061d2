#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# Thousands of function events: made in one write, enabled and disabled at once. Prints the seconds;
# the limits are twice what is promised, as other guests may run beside this one.

set -uo pipefail
# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

events=5000

# Functions with a name of their own that has no dot and no module.
unique_functions()
{
	grep -v '\[' available_filter_functions | grep -xE '[a-zA-Z_][a-zA-Z0-9_]{0,60}' | sort |
		uniq -u | head -n "$1"
}

# Sets $seconds to what a command takes.
time_it()
{
	local begin
	begin=$(date +%s%N)
	"$@"
	seconds=$(awk -v b="$begin" -v e="$(date +%s%N)" 'BEGIN { printf "%.1f", (e - b) / 1e9 }')
}

within()
{
	awk -v s="$seconds" -v limit="$1" 'BEGIN { exit s > limit }'
}

create()
{
	dd if="$tap_scratch/lines" of=function_events bs=1M 2>/dev/null
}

set_all()
{
	echo "$1" >events/functions/enable
}

unique_functions "$events" | sed 's/$/()/' >"$tap_scratch/lines"
time_it create
echo "# $events events without fields: created in $seconds s"
is 'all are there' "$(wc -l <function_events)" "$events"
ok 'created in time' within 10
time_it bash -c 'echo >function_events'
echo "# removed in $seconds s"
is 'all are gone' "$(wc -l <function_events)" 0

# One line that is refused refuses all: these fields are no arguments, which not every function has two of.
unique_functions "$events" | sed "s/$/(u64 one=\$jiffies_64, u64 two=\$jiffies_64)/" >"$tap_scratch/lines"
time_it create
echo "# $events events with two fields: created in $seconds s"
is 'all are there, with fields' "$(wc -l <function_events)" "$events"
ok 'created in time, with fields' within 10

echo 0 >tracing_on
time_it set_all 1
echo "# enabled in $seconds s"
ok 'enabled in time' within 20
is 'ftrace knows of all' "$(grep -c . enabled_functions)" "$events"
is 'and all are enabled' "$(cat events/functions/enable)" 1
time_it set_all 0
echo "# disabled in $seconds s"
ok 'disabled in time' within 20
is 'nothing is hooked' "$(wc -l <enabled_functions)" 0
set_all 1
time_it bash -c 'echo >set_event'
echo "# disabled by set_event in $seconds s"
ok 'so are they by set_event' within 20
is 'nothing is hooked then' "$(wc -l <enabled_functions)" 0

# One that is busy keeps all: `>` changes nothing then.
first=$(head -n 1 function_events)
name=${first%%(*}
echo 1 >"events/functions/$name/enable"
ok 'a busy event refuses' bash -c '! echo >function_events'
is 'and leaves all in place' "$(wc -l <function_events)" "$events"
echo 0 >"events/functions/$name/enable"
echo 1 >tracing_on
ok 'all can go' bash -c 'echo >function_events'

# All functions there are, with fields that follow what is rarely a pointer: what is called to patch
# the text must not be slowed down by it.
echo '*(string s | u64 d[0]) as wild' >function_events
wild_on_and_off()
{
	echo 1 >events/functions/wild/enable
	sleep 1
	echo 0 >events/functions/wild/enable
}
time_it timeout 300 bash -c "$(declare -f wild_on_and_off); wild_on_and_off"
echo "# all functions with wild pointers: enabled and disabled in $seconds s"
ok 'all functions at once, with wild pointers' within 60
ok 'they were recorded' grep -q 'wild: ' trace
ok 'and it can go' bash -c 'echo >function_events'

tap_end
