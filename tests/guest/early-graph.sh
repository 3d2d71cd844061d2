#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests the times that hytrace boot tells of the early part against a QEMU plugin that counts instructions
# (graph_oracle.c): what each phase took without the recorder, and if returns are recorded, what each function took.
#
# usage: tests/guest/early-graph.sh [KERNEL]	KERNEL as for vm.sh --kernel (default patched)

. "$(dirname "$(realpath "$0")")/early-lib.sh"
cd "$tap_scratch" || exit 1
early_kernel "${1:-patched}" || exit 1
oracle graph_oracle

range_of()
{
	echo "$(symbol "$1")-$(symbol_end "$1")"
}

# In the guest: the reports, the stats, the symbols, and the calls: the first ones as they are printed, and their pages.
# shellcheck disable=SC2016 # for the guest's sh
inside='cd /sys/kernel/tracing && echo 0 >tracing_on && cat early_stats >"$0/stats" &&
	"$1" boot -f json -o "$0/boot.json" && { [ ! "$2" ] || "$1" boot -f folded >"$0/folded"; }
	echo nop >current_tracer
	grep -i " [tw] " /proc/kallsyms >"$0/symbols"
	[ "$2" ] || exit 0
	trace() { grep -v "^#" instances/early/per_cpu/cpu0/trace | head -n 200; }
	trace >"$0/printed" && echo 1 >instances/early/options/raw && trace >"$0/raw"
	'$copy_pages'instances/early/per_cpu/cpu0/trace_pipe_raw of="$0/pages" || :'

# watched APPEND ARGUMENT [RETURNS]: boots with this command line, watched by the plugin with this argument too. Leaves
# in names "ADDRESS NAME" of each call site.
watched()
{
	local plugin=$PWD/graph_oracle.so

	rm -f oracle boot.json stats symbols pages printed raw folded
	plugin+=,fentry=$(symbol __fentry__),$2,phases=$(range_of start_kernel),mark=$(symbol ftrace_init)
	plugin+=,begin=$(symbol arch_early_ftrace_start),end=$(symbol arch_early_ftrace_time),out=$PWD/oracle
	watch=(--qemu -plugin --qemu "$plugin")
	vm --icount --smp 1 --mem 512M --timeout 900 --share "$PWD" --append "nokaslr $1" -- \
		sh -c "$inside" "$PWD" "$clone/build/hytrace" "${3-}" 2>vm.log || cat vm.log >&2
	watch=()
	# A site is at the beginning of its function, or after the ENDBR. The kernel takes the first name of an address.
	perl -ne 'no warnings "portable"; if (/^(\w+) \w (\S+)/) { $name{hex $1} //= $2 }
		elsif (/^site (\w+)/) { print "$1 ", $name{hex $1} // $name{hex($1) - 4} // "unknown", "\n" }' \
		symbols oracle >names
}

stat_of()
{
	sed -n "s/^$1: *//p" stats
}

counted()
{
	sed -n "s/^$1 //p" oracle
}

# NAME VALUE for each line of that kind that the plugin has, with the kernel's names; sites of one name are added up.
# usage: by_name FIELD
by_name()
{
	awk -v field="$1" 'NR == FNR { name[$1] = $2; next } $1 == "site" { sum[name[$2]] += $field }
		END { for (n in sum) print n, sum[n] }' names oracle | sort
}

# What hytrace boot says of functions, in instructions. usage: told FIELD
told()
{
	jq -r --arg field "$1" '.window.tsc_khz as $khz | .functions[] | "\(.name) \(.[$field] * $khz / 1000000 | round)"' \
		boot.json | sort
}

# "DIFFERENCE NAME EXPECTED GOT" of the 50 largest, in hundredths of a percent of what is expected, the worst first.
# usage: apart EXPECTED GOT
apart()
{
	sort -k2,2nr "$1" | head -n 50 | sort | join - "$2" |
		awk '{ d = $3 - $2; if (d < 0) d = -d; printf "%d %s\n", 10000 * d / $2 + .5, $0 }' | sort -k1,1nr
}

# within WHAT FILE N: of N differences of that form, no one is larger than 1 %.
within()
{
	ok "$1: there are $3 to compare" [ "$(wc -l <"$2")" = "$3" ]
	is "$1: all are within 1 % of what the plugin counts" "$(awk '$1 > 100' "$2" | head -n 5)" ''
	echo "# $1: the worst differs by $(awk 'NR == 1 { printf "%.2f %% (%s)", $1 / 100, $2 }' "$2")"
}

per_call()
{
	echo "$(counted "$1") $(counted calls)" | awk '{ printf "%.2f", $1 / $2 }'
}

checks()
{
	ok "$1: the boot is reported" [ -s boot.json ]
	[[ -s boot.json && -s oracle ]] || {
		tap_end
		exit
	}
	is "$1: nothing is lost" "$(stat_of lost) $(jq -c .lost boot.json)" '0 {"lost":0,"missing":0}'
	is "$1: as many calls are recorded as the plugin has seen" "$(stat_of recorded)" "$(counted calls)"
	is "$1: each return that the plugin has seen is of a call" "$(counted strays)" 0
	ok "$1: there are more than 200,000 calls" [ "$(counted calls)" -gt 200000 ]
}

# ---------------------------------------------------------------- only entries

watched ftrace=function "recorder=$(range_of early_ftrace_record)"
checks entries
# A phase lasts until the next one. That of ftrace_init(), which is not traced, has the start of tracing after it.
awk 'NR == FNR { name[$1] = $2; next } $1 == "phase" { print $2 == "0" ? "ftrace_init" : name[$2], $3 }
	$1 == "outside" { print "end", $2 }' names oracle |
	awk 'NR > 1 { print name, $2 - start } { name = $1; start = $2 }' >expected
jq -r '.window.tsc_khz as $khz | .phases[] | select(.kind != "before") | "\(.kind) \(.name) \(.net * $khz / 1000000 | round)"' boot.json |
	awk '$1 == "tracer" { net += $NF; next } NR > 1 { print name, net } { name = $2; net = $3 } END { print name, net }' >got
is 'entries: the phases are the calls of start_kernel() that the plugin has seen' "$(cut -d" " -f1 got)" "$(cut -d" " -f1 expected)"
# A few instructions are between the beginning of a phase and the reading of the clock.
paste -d' ' expected got | awk '{ d = $4 - $2; if (d < 0) d = -d; d = d > 4 ? d - 4 : 0
	printf "%d %s\n", 10000 * d / ($2 + 1) + .5, $0 }' | sort -k1,1nr >phases
within 'entries: NET of phases' phases "$(wc -l <expected)"
ok "entries: there are tens of phases" [ "$(wc -l <expected)" -gt 30 ]
is 'entries: nothing is said about what functions took' "$(jq -c '[.totals.returns, .functions[0].self, .functions[0].inclusive_net]' boot.json)" \
	'[null,null,null]'
echo "# entries: recording takes $(per_call recorder) instructions a call; hytrace boot says" \
	"$(jq '.cost.thousand_calls_ns / 1000' boot.json) ns"

# ---------------------------------------------------------------- entries and returns

watched 'ftrace=function ftrace_early=graph' \
	"recorder=$(range_of early_ftrace_record_graph),trampoline=$(range_of early_ftrace_return)" returns
checks returns
is 'returns: as many returns are recorded as the plugin has seen' "$(stat_of returns)" "$(counted returns)"
is 'returns: the others had not returned' "$(jq -c '.totals | [.calls - .returns - .open, .unknown]' boot.json)" '[0,0]'
is 'returns: start_kernel() had not returned' "$(jq -c '[.functions[] | select(.open > 0) | .name]' boot.json)" '["start_kernel"]'
is 'returns: functions were called as often as the plugin has seen' \
	"$(diff <(by_name 3) <(jq -r '.functions[] | "\(.name) \(.calls)"' boot.json | sort) | head -n 5)" ''
by_name 6 >expected.self
by_name 5 >expected.inclusive
apart expected.self <(told self_net) >self
apart expected.inclusive <(told inclusive_net) >inclusive
within 'returns: self times without the recorder of the 50 largest' self 50
within 'returns: inclusive times without the recorder of the 50 largest' inclusive 50
ok 'returns: the recorder is a good part of these times, so that it matters' \
	[ "$(apart expected.self <(told self) | awk '$1 > 1000' | wc -l)" -gt 10 ]
# Functions that the first one jumped to at its end are inside of it.
awk 'NR == FNR { name[$1] = $2; next } $1 == "phase" && $2 != "0" && $3 + 0 >= end + 0 && $4 { print name[$2], $4 - $3; end = $4 }' \
	names oracle >expected
jq -r '.window.tsc_khz as $khz | .phases[] | select(.kind == "function" and .name != "ftrace_init") | "\(.name) \(.net * $khz / 1000000 | round)"' \
	boot.json >got
is 'returns: the phases are the calls of start_kernel() that have returned' "$(cut -d" " -f1 got)" "$(cut -d" " -f1 expected)"
paste -d' ' expected got | awk '{ d = $4 - $2; if (d < 0) d = -d; d = d > 4 ? d - 4 : 0
	printf "%d %s\n", 10000 * d / ($2 + 1) + .5, $0 }' | sort -k1,1nr >phases
within 'returns: NET of phases' phases "$(wc -l <expected)"
ok "returns: there are tens of phases" [ "$(wc -l <expected)" -gt 20 ]
echo "all $(counted outside) all $(jq '.window.tsc_khz as $khz | [.phases[].net] | add * $khz / 1000000 | round' boot.json)" |
	awk '{ d = $4 - $2; if (d < 0) d = -d; printf "%d %s\n", 10000 * d / $2 + .5, $0 }' >whole
within 'returns: NET of all phases, with what start_kernel() did itself' whole 1
# Depth is never negative: each call ends before those that it is inside of.
is 'returns: calls nest' "$(calls_in pages | awk '$4 == "open" { $4 = 1e15 } { while (depth && end[depth] <= $1) depth--
	if (depth && $1 + $4 > end[depth]) wrong++; end[++depth] = $1 + $4 } END { print wrong + 0, NR }')" "0 $(stat_of recorded)"
echo "# returns: recording takes $(per_call recorder) instructions at the entry and $(per_call trampoline) at the return;" \
	"hytrace boot says $(jq -r '.cost | "\(.thousand_calls_ns / 1000) ns, \(.thousand_inside_ns / 1000) of these inside"' boot.json)"
is 'returns: folded stacks have the time of all calls, in microseconds' \
	"$(awk '{ sum += $NF } END { print sum }' folded)" \
	"$(jq '[.functions[].self] | add / 1000 | floor' boot.json)"
is 'returns: the option raw shows the same durations' "$(awk '{ print $NF }' raw | md5sum)" \
	"$(sed -n 's/.*<-.* (\([0-9a-z]*\))$/\1/p' printed | sed 's/^open$/0/' | md5sum)"
echo "# returns: at most $(counted deepest) calls were open at a time"

tap_end
