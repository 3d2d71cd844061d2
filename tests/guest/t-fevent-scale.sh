#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# Thousands of function events: made in one write, enabled and disabled at once. How long that takes depends
# on the machine and on what runs beside this guest. So it is held against what one event takes, or a tenth as
# many: making them is linear in their number, and switching them waits for the kernel as often as for one.

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
	seconds=$(awk -v b="$begin" -v e="$(date +%s%N)" 'BEGIN { printf "%.4f", (e - b) / 1e9 }')
}

# Sets $least to the shortest of three times that a command takes; $1 undoes what it did.
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

# Whether what time_it() measured last took at most $1 times $2 seconds.
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

# What one event takes to be switched, which is mostly waiting, and a tenth as many to be made.
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
is 'all are there' "$(wc -l <function_events)" "$events"
ok 'created in time that is linear in their number' within 20 "$tenth"
time_it bash -c 'echo >function_events'
echo "# removed in $seconds s"
is 'all are gone' "$(wc -l <function_events)" 0

# One line that is refused refuses all: these fields are no arguments, which not every function has two of.
unique_functions "$events" | sed "s/$/(u64 one=\$jiffies_64, u64 two=\$jiffies_64)/" >"$tap_scratch/lines"
time_it create
echo "# $events events with two fields: created in $seconds s"
is 'all are there, with fields' "$(wc -l <function_events)" "$events"
ok 'so are they with fields' within 40 "$tenth"

echo 0 >tracing_on
time_it all_on
echo "# enabled in $seconds s"
ok 'enabled at once, and not one by one' within 100 "$one_on"
is 'ftrace knows of all' "$(grep -c . enabled_functions)" "$events"
is 'and all are enabled' "$(cat events/functions/enable)" 1
time_it all_off
echo "# disabled in $seconds s"
ok 'disabled at once' within 100 "$one_off"
is 'nothing is hooked' "$(wc -l <enabled_functions)" 0
all_on
time_it bash -c 'echo >set_event'
echo "# disabled by set_event in $seconds s"
ok 'so are they by set_event' within 100 "$one_off"
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
ok 'all functions at once, with wild pointers' within 60 1
ok 'they were recorded' grep -q 'wild: ' trace
ok 'and it can go' bash -c 'echo >function_events'

tap_end
