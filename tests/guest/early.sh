#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests very early function tracing from the host, because most tests need a boot of their own: with another
# command line, or watched by QEMU. Many need no user space: they boot without an init, end in a panic, and
# read the kernel's log.
#
# Usage: tests/guest/early.sh [--short|--all] [--filters N] [KERNEL]
#   --short	without crashes, lockdown, memory and filters, as in `make test`
#   --all	also boots with 8 GiB and 200 filters, which takes an hour
#   --filters N	how many random filters to try (default and minimum 3)
#   KERNEL	as for vm.sh --kernel (default patched)

set -uo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
short=
filters=3
sizes=(512M)
kernel=patched
# shellcheck source=tests/guest/early-lib.sh
. "$clone/tests/guest/early-lib.sh"

while (($#)); do
	case $1 in
	--all)
		filters=200
		sizes+=(8G)
		;;
	--short) short=1 ;;
	--filters)
		filters=${2:?a number is needed}
		shift
		;;
	-*)
		sed -n '/^# Usage/,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
		exit 2
		;;
	*) kernel=$1 ;;
	esac
	shift
done

# Was this boot traced early? The filter makes the trace short. If the kernel died before it looked for an init,
# there is no answer.
traced()
{
	local log

	log=$(boot "ftrace_filter=start_kernel $*" --smp 1)
	if ! at_init; then
		echo died
	elif grep -q ' of the call sites' <<<"$log"; then
		echo yes
	else
		echo no
	fi
}

early_kernel "$kernel" || exit 1

# ---------------------------------------------------------------- the oracle

# In the guest: copies the early calls and the first calls of the tracer, of which the oracle lists some hundred, and
# prints the first early calls and the stats. Also prints how the instance begins, and how many pages are free before
# it is removed, and after: MemFree lacks those that a CPU keeps for its next allocation, some megabytes.
# shellcheck disable=SC2016 # for the guest's sh
early_part='free_pages()
	{
		awk -v when="$1" "/nr_free_pages |^ *count:/ { n += \$2 } END { print \"# \" when \": \" n }" /proc/zoneinfo
	}
	cd /sys/kernel/tracing && echo 0 >tracing_on &&
	echo "# begins with: $(cat instances/early/tracing_on instances/early/options/sym-addr \
		instances/early/options/overwrite | xargs)" &&
	'$copy_pages'per_cpu/cpu0/trace_pipe_raw of="$0/later" count=40
	echo nop >current_tracer
	echo 1 >instances/early/options/sym-addr && grep -v "^#" instances/early/per_cpu/cpu0/trace | head -n 200
	'$copy_pages'instances/early/per_cpu/cpu0/trace_pipe_raw of="$0/pages"
	sed "s/^/# /" early_stats && free_pages with && rmdir instances/early && free_pages without &&
	sed -n "s/^MemTotal: */# &/p" /proc/meminfo'

stat_in()
{
	sed -n "s/^# $2: *//p" "$1"
}

# For each call that the oracle lists: its site, and its caller if this QEMU reports callers.
oracle_calls()
{
	cut -d' ' -f2- "$scratch/calls"
}

# watched APPEND WHAT: boots, watched by the oracle, and leaves in $got.all "TIME SITE PARENT" of each call, and how
# long it took if returns are recorded.
watched()
{
	rm -f "$scratch/pages" "$scratch/later"
	vm --icount --smp 1 --mem "${mem:-512M}" --timeout 900 --share "$scratch" \
		--append "nokaslr ftrace=function trace_clock=x86-tsc trace_options=nooverwrite,sym-addr $1" \
		-- sh -c "$early_part" "$scratch" >"$got"
	oracle_end
	calls_in "$scratch/pages" >"$got.all"
	is "$2: the file trace shows the first 100 calls" \
		"$(sed -nE 's/.* ([0-9]+): [^ ]* <([0-9a-f]+)> <-[^ ]* <([0-9a-f]+)>( \((.*)\))?$/\1 \2 \3 \5/p' "$got" |
			sed 's/ $//' | head -n 100)" "$(head -n 100 "$got.all")"
	ok "$2: there are more" [ "$(wc -l <"$got.all")" -gt 100 ]
}

# The first lines of two lists that differ.
differences()
{
	diff "$1" "$2" | head -n 5
}

compare()
{
	local mem=$1 got=$scratch/got later told

	oracle_start early_ftrace_record
	watched '' "$mem"
	calls_in "$scratch/later" >>"$got.all"
	oracle_calls >"$got.expected"
	cut -d' ' -f2- "$got.all" |
		cut -d' ' "-f1-$(head -n 1 "$got.expected" | wc -w)" |
		head -n "$(wc -l <"$got.expected")" >"$got.calls"
	for file in expected calls; do
		cut -d' ' -f1 "$got.$file" | sort | uniq -c | awk '{ print $2, $1 }' >"$got.$file.sites"
	done
	sed 's/^/# not known to ftrace: /' "$scratch/unknown"
	is_cheap "$mem: a call" 18
	# The jump to the recorder is counted there, its return is not.
	told=$(stat_in "$got" recorder_cycles)
	ok "$mem: early_stats says $told for 1,000 calls, at most 1,000 more or less" \
		[ $((told / 10)) -ge $(($(insns_per_call) - 100)) -a $((told / 10)) -le $(($(insns_per_call) + 100)) ]
	grep '^# ' "$got"
	if [[ $mem == 512M ]]; then
		grep '^# MemTotal' "$got" >"$scratch/memory"
		head -n "$(stat_in "$got" recorded)" "$got.all" | cut -d' ' -f2,3 | sort -u >"$scratch/pairs"
	fi
	is "$mem: nothing is lost, and the instance has all calls" "$(stat_in "$got" lost) $(stat_in "$got" shown)" \
		"0 $(stat_in "$got" recorded)"
	ok "$mem: the hand-over takes $(stat_in "$got" convert_cycles) instructions, at most 10 million" \
		[ "$(stat_in "$got" convert_cycles)" -le 10000000 ]
	ok "$mem: more than 200,000 calls are recorded" [ "$(total "$scratch/expected")" -gt 200000 ]
	is "$mem: early_stats counts as many calls before the hand-over as the oracle" "$(stat_in "$got" recorded)" \
		"$(total "$scratch/expected")"
	is "$mem: early_stats counts as many calls before ftrace_init() as the oracle" \
		"$(stat_in "$got" before_ftrace_init)" "$before_ftrace"
	is "$mem: the instance is off, and has default options" "$(stat_in "$got" 'begins with')" '0 0 1'
	freed=$((($(stat_in "$got" without) - $(stat_in "$got" with)) * 4))
	ok "$mem: without the instance, $freed KiB more are free, nearly as many as its buffer has" \
		[ "$freed" -gt $(($(stat_in "$got" ring_buffer_bytes) * 9 / 10240)) ]
	later=$(grep -c '^l' "$scratch/calls")
	ok "$mem: the oracle lists calls between the hand-over and the end of the tracer's set-up: $later" [ "$later" -gt 50 ]
	is "$mem: each function is in the trace as often as the oracle says" \
		"$(differences "$got.calls.sites" "$got.expected.sites")" ''
	is "$mem: the trace has the oracle's order of $(head -n 1 "$got.expected" | wc -w | sed 's/1/functions/; s/2/functions and callers/')" \
		"$(differences "$got.calls" "$got.expected")" ''
	# Both count instructions. From the call to the reading of the clock there are always as many. If one causes an
	# exception, QEMU may report it twice.
	paste "$scratch/oracle.times" "$got.all" | awk 'NF == 4 { print NR, $2 - $1 }' >"$got.ahead"
	is "$mem: QEMU has counted the instructions until each call" "$(wc -l <"$got.ahead")" "$(stat_in "$got" recorded)"
	is "$mem: the time of each call is that number, but for a constant, and at most 3 of $(stat_in "$got" last)" \
		"$(awk 'NR == 1 { ahead = $2 } $2 < ahead - 3 || $2 > ahead + 3' "$got.ahead" | head -n 5)" ''
	is "$mem: times never go back, up to the tracer's calls" "$(awk '$1 + 0 < last + 0 { n++ } { last = $1 } END { print n + 0 }' "$got.all")" 0
	is "$mem: start_kernel is in the trace once" \
		"$(grep -c "^$(site start_kernel) 1\$" "$got.calls.sites")" 1
}

# A call takes $2 instructions on average. Unusual calls take more, which may add half an instruction.
is_cheap()
{
	local insns

	insns=$(insns_per_call)
	ok "$1 was recorded by code that QEMU has counted" [ "$insns" -gt 1000 ]
	ok "$1 takes $((insns / 100)).$((insns / 10 % 10)) instructions, at most $2.5" [ "$insns" -lt $((100 * $2 + 50)) ]
}

# Where a function calls __fentry__: at its beginning, or after its ENDBR.
site()
{
	objdump -d --no-show-raw-insn --disassemble="$1" "$vmlinux" |
		sed -n 's/^ *\([0-9a-f]*\):.*call.*<__fentry__>.*/\1/p' | head -n 1
}

for size in "${sizes[@]}"; do
	compare "$size"
done

# ---------------------------------------------------------------- returns

# early-graph.sh compares times with a plugin. This one compares what is called, and by whom.
got=$scratch/got
oracle_start early_ftrace_record_graph
watched ftrace_early=graph graph
grep '^# ' "$got"
is_cheap 'graph: a call, without its return,' 38
is 'graph: the instance has all calls' "$(stat_in "$got" lost) $(wc -l <"$got.all")" "0 $(total "$scratch/expected")"
cut -d' ' -f2 "$got.all" | sort | uniq -c | awk '{ print $2, $1 }' >"$got.calls.sites"
is 'graph: each function is there as often as the oracle says' \
	"$(sort "$scratch/expected" | diff "$got.calls.sites" - | head -n 5)" ''
is 'graph: callers are those of a boot without it, also of functions that are jumped to' \
	"$(awk '{ print $2, $3 }' "$got.all" | sort -u | diff - "$scratch/pairs" | head -n 5)" ''
is 'graph: all have returned, but for start_kernel' "$(awk '$4 !~ /^[0-9]+$/ { print $2, $4 }' "$got.all")" "$(site start_kernel) open"
is 'graph: early_stats counts returns' "$(stat_in "$got" returns)" "$(($(wc -l <"$got.all") - 1))"
# Larger times are rounded down, to a multiple of 2^16.
is 'graph: each call ends before the one that it is in' "$(awk '$4 ~ /open/ { next }
	{ while (depth && end[depth] < $1) depth--
	  if (depth && $1 + $4 > end[depth]) print
	  end[++depth] = $1 + $4 + ($4 >= 2 ^ 31 ? 65536 : 0) }' "$got.all" | head -n 5)" ''

# A crash's backtrace, without addresses, before there is an unwinder: all that looks like a return address. One that
# is replaced is followed by the address that was there.
backtrace()
{
	boot "nokaslr ftrace=function mem=4M $1" >/dev/null
	sed -n '/Call Trace:/,/<\/TASK>/s/.*? \([^ ]*\)$/\1/p' "$scratch/console" | grep -v '^early_ftrace_return+'
}

backtrace '' >"$scratch/backtrace"
ok 'a backtrace of a crash early in the boot has functions' grep -q '^setup_arch+' "$scratch/backtrace"
is 'graph: it has the same ones' "$(backtrace ftrace_early=graph | diff - "$scratch/backtrace")" ''

# ---------------------------------------------------------------- oneshot

# The set has each function once, and each caller, in the order of their first calls.
# shellcheck disable=SC2016 # for the guest's sh
set_part='cd /sys/kernel/tracing && echo 0 >tracing_on && echo 1 >options/oneshot-linkaddr &&
	cat oneshot_entries && sed "s/^/# /" early_stats && sed "s/^/# set: /" oneshot_stats'

# compare_set WHAT FIELD: compares the set's entries of this kind, in order, with that field of the oracle, and the
# other address of each first call, if this QEMU reports callers.
compare_set()
{
	local what=$1 got=$scratch/got

	oracle_calls | awk -v field="$2" '!seen[$field]++ { print $field, (NF > 1 ? $(3 - field) : "") }' >"$got.expected"
	awk -v what="$what" -v both="$callers" '$2 == what { print $1, (both ? $6 : "") }' "$got" |
		head -n "$(wc -l <"$got.expected")" >"$got.calls"
	ok "oneshot: the oracle lists more than 400 of the kind $what" [ "$(wc -l <"$got.expected")" -gt 400 ]
	is "oneshot: the set begins with each $what that the oracle lists, once and in its order: $(wc -l <"$got.expected")" \
		"$(differences "$got.calls" "$got.expected")" ''
}

# With oneshot, most calls are of functions and callers that are already in the set.
oracle_start early_ftrace_record_once
vm --icount --smp 1 --mem 512M --timeout 600 --append 'nokaslr ftrace=oneshot' -- sh -c "$set_part" >"$scratch/got"
oracle_end
grep '^# ' "$scratch/got"
is_cheap 'oneshot: a call' 28
is 'oneshot: nothing is lost' "$(stat_in "$scratch/got" lost)" 0
ok 'oneshot: some pairs, and not all, were recorded before the clock began' \
	[ "$(($(stat_in "$scratch/got" before_zero) > 0 && $(stat_in "$scratch/got" before_zero) < $(stat_in "$scratch/got" recorded)))" = 1 ]
paste -d' ' "$scratch/oracle.times" <(sed -n 's/^e //p' "$scratch/calls") | awk '!seen[$2]++ { print $2, $1 }' >"$scratch/first"
awk 'NR == FNR { at[$1] = $2; next } $2 == "function" && $3 > 0 && $1 in at { print $3 - at[$1] }' "$scratch/first" \
	"$scratch/got" | sort -n | sed -n '1p;$p' | xargs >"$scratch/ahead"
read -r least most <"$scratch/ahead"
ok "oneshot: the times of hits are the oracle's number of instructions, but for a constant: $least to $most" \
	[ "$((${most:-9999} - ${least:-0} < 1000))" = 1 ]
is 'oneshot: the times of early hits never go back' \
	"$(awk -v end="$(stat_in "$scratch/got" last)" '$2 != "function" && $2 != "caller" { next }
		$3 > end + 0 { exit } { if ($3 + 0 < last) n++; last = $3 + 0 } END { print n + 0 }' "$scratch/got")" 0
ok 'oneshot: more than 400 functions were called before the hand-over' [ "$(wc -l <"$scratch/expected")" -gt 400 ]
callers=$(($(head -n 1 "$scratch/calls" | wc -w) > 2))
compare_set function 1
if ((callers)); then
	compare_set caller 2
	is 'oneshot: each pair of function and caller is recorded once' "$(stat_in "$scratch/got" recorded)" \
		"$(sed -n 's/^e //p' "$scratch/calls" | sort -u | wc -l)"
else
	echo '# this QEMU does not report callers'
fi

# ---------------------------------------------------------------- time

# In the guest: prints the stats, and the outputs of hytrace boot: text with its warnings, and json.
# shellcheck disable=SC2016 # for the guest's sh
timeless='cd /sys/kernel/tracing && echo 0 >tracing_on && sed "s/^/# /" early_stats
	'$clone/build/hytrace' boot 2>&1; echo "# status: $?"
	'$clone/build/hytrace' boot -f json 2>/dev/null | tr -d "\n" | sed "s/^/json: /"'

# Boots a machine without an interval timer, in which the kernel finds the TSC's frequency after the hand-over.
without_timer()
{
	vm --smp 1 --timeout 300 --qemu -machine --qemu pit=off \
		--append "ftrace_filter=start_kernel,kernel_init*,*alloc* $1" \
		-- sh -c "$timeless" >"$scratch/got"
	grep '^# ' "$scratch/got"
}

# Applies this jq filter to hytrace's document.
of_json()
{
	sed -n 's/^json: //p' "$scratch/got" | jq -c "$1"
}

without_timer ftrace=function
ok 'no TSC frequency at first: calls are recorded' [ "$(stat_in "$scratch/got" recorded)" -gt 1000 ]
is 'no TSC frequency at first: hytrace boot has all calls' "$(of_json .totals.calls)" "$(stat_in "$scratch/got" recorded)"
known=$(stat_in "$scratch/got" tsc_khz)
is 'no TSC frequency at first: the calls have times if it was found later' "$(of_json '.window.unit')" \
	"$([[ $known == 0 ]] && echo '"counts"' || echo '"ns"')"
is 'no TSC frequency at first: hytrace boot warns if times are cycles' \
	"$(grep -c 'times are cycles' "$scratch/got")" $((known == 0))
without_timer ftrace=oneshot
is 'no TSC frequency at first, oneshot: hytrace boot exits with 3' "$(stat_in "$scratch/got" status)" 3
ok 'no TSC frequency at first, oneshot: hytrace boot says that it cannot know the early hits' grep -q 'which ones they are is not known' "$scratch/got"
without_timer 'ftrace=function tsc_early_khz=1000000'
is 'tsc_early_khz= sets the frequency, and calls have times' "$(stat_in "$scratch/got" tsc_khz) $(of_json .window.unit)" '1000000 "ns"'

# The name of the instance may be taken. Other instances that are made at boot have their directories all the same.
vm --smp 1 --timeout 300 --append 'ftrace=function ftrace_filter=start_kernel trace_instance=early,sched_switch trace_instance=other' -- \
	sh -c "$clone/build/hytrace boot 2>&1; cd /sys/kernel/tracing; ls instances | xargs; sed 's/^/# /' early_stats; dmesg" >"$scratch/got"
ok 'an instance of that name is left alone, and the log says that the calls are not shown' \
	grep -q 'no instance early for 1 calls' "$scratch/got"
is 'then early_stats says that the one call is not shown' "$(stat_in "$scratch/got" recorded) $(stat_in "$scratch/got" shown)" '1 0'
ok 'and hytrace boot says where to look' grep -q 'could not make .*instances/early for 1 early calls' "$scratch/got"
ok 'both instances of the command line are there' grep -qx 'early other' "$scratch/got"

# ---------------------------------------------------------------- the command line

# tests/unit/early_cmdline.c tests the meaning of each word. These test that both parsers read this kernel's own
# command line in the same way.
is 'of repeated options the last one wins' "$(traced ftrace=nop ftrace=function nosmp)" yes
is 'ftrace_early=0 holds even if an argument of init says ftrace_early=1' \
	"$(traced ftrace=function ftrace_early=0 -- ftrace_early=1)" no
is 'without ftrace= nothing is traced early' "$(traced nosmp)" no
# Resolving so many filters takes more memory than the set.
is 'oneshot is traced early with 1600 filters' \
	"$(traced "ftrace=oneshot ftrace_filter=start_kernel$(printf ',%.0s' {1..1600})")" yes

[[ ! $short ]] || {
	tap_end
	exit
}

# ---------------------------------------------------------------- crashes, lockdown

# With so little memory, the kernel panics long before there is a tracer, and then hangs.
log=$(boot 'ftrace=function ftrace_dump_on_oops mem=4M')
is 'a crash before the tracer runs shows the last calls' \
	"$(grep -c '<- ' <<<"$log")" 32
is 'the calls that such a crash makes itself are not shown' "$(grep -c ' panic <-' <<<"$log")" 0
is 'without ftrace_dump_on_oops such a crash shows no calls' "$(boot 'ftrace=function mem=4M')" ''
ok 'without ftrace_dump_on_oops that kernel crashed as well' grep -q 'Kernel panic' "$scratch/console"

# changed_boot APPEND COMMAND...: boots a guest in which gdb runs the commands, and leaves its trace and stats.
changed_boot()
{
	local append="nokaslr ftrace=function $1"
	shift

	vm --icount --timeout 600 --append "$append" "${gdb_options[@]}" -- sh -c "$short_part${all-}" >"$scratch/got" &
	with_gdb "$@"
	wait $!
	grep '^# ' "$scratch/got"
}

# In the guest: prints what hytrace boot says about lost calls and about a kernel that refuses to record, and the
# whole of a short trace without the columns that are the same in each line.
short_part=$clone/build/hytrace' boot 2>&1 | sed -n "s/^(\([0-9]* calls are lost\)).*/# \1/p; s/.*refused it/# &/p"
	grep NMI: /proc/interrupts | sed "s/^/# /"
	cd /sys/kernel/tracing && { [ ! -d instances/early ] ||
		sed -n "s/^.* d[^ ]* *\([0-9]*\): /\1 /p" instances/early/per_cpu/cpu0/trace; } &&
	sed "s/^/# /" early_stats &&
	dmesg | sed -n "s/.*Uhhuh/# Uhhuh/p; s/^\[[^]]*\]  \([a-z0-9_]*+0x.*\)/# backtrace: \1/p"'
# And changes all sites, which takes as long as the whole boot.
all_sites='; echo >set_ftrace_filter && echo nop >current_tracer && echo function >current_tracer &&
	echo nop >current_tracer && echo "# all sites were changed"
	dmesg | sed -n "s/.*ftrace bug/# ftrace bug/p; s/.*WARNING:/# WARNING:/p"'

# The functions and losses of that trace, without times.
trace_of()
{
	sed -n '/^#/d; s/^[0-9]* //; s/ <-.*//; s/.*: \[/[/; p' "$scratch/got" | paste -sd' '
}

# This boot has four changes. The time stamp counter is 2^36 cycles ahead until the kernel sanitizes it, as
# firmware may leave it; QEMU's counter cannot be set, so gdb changes the values that were read until then.
# There is no room for calls until memblock provides memory. An NMI comes before the sites are changed, and
# another one meanwhile. One site has other bytes than the kernel expects.
adjust=$(objdump -d --no-show-raw-insn --disassemble=tsc_store_and_check_tsc_adjust "$vmlinux" |
	sed -n '/rdmsr/ { n; s/^ *\([0-9a-f]*\):.*/\1/p; q }')
early_calls=start_kernel,setup_arch,probe_roms,init_mem_mapping,memblock_set_current_limit
early_calls+=,trap_init,mm_core_init,poking_init
# shellcheck disable=SC2016 # registers
all=$all_sites changed_boot "ftrace_filter=$early_calls" \
	'hbreak tsc_store_and_check_tsc_adjust' c 'set var boot_cpu_data.x86_capability[9] |= 2' \
	"hbreak *0x$adjust" c 'set $rax = 0' 'set $rdx = 16' \
	'set var early_buffer.pieces[0].start->parent_ip += 16' 'set var early_ftrace_tsc_high += 16' \
	'hbreak init_mem_mapping' c 'set var early_ftrace_end = early_ftrace_pos' \
	'hbreak early_ftrace_prepare' c 'monitor nmi' \
	'hbreak arch_early_ftrace_replace_code' c 'monitor nmi' "set {char}0x$(site kernel_halt) = 0xcc"
is 'the trace says where calls were lost, and how many' "$(trace_of)" \
	'start_kernel setup_arch probe_roms memblock_set_current_limit [LOST 2 EVENTS] trap_init mm_core_init poking_init'
is 'the stats count recorded and lost calls' "$(stat_in "$scratch/got" recorded) $(stat_in "$scratch/got" lost)" '7 2'
is 'when the kernel sets the time stamp counter, the times go on without a jump' \
	"$(awk '/^#/ { next } $1 < last || $1 > last + 1e9 { print } { last = $1 }' "$scratch/got")" ''
is 'the NMI before the sites are changed is handled' "$(grep -c '^# Uhhuh' "$scratch/got")" 1
is 'the NMI while the sites are changed is handled as well' "$(sed -n 's/^# *NMI: *\([0-9]*\) .*/\1/p' "$scratch/got")" 2
is 'a site that is neither a call nor a NOP is left alone, and counted' \
	"$(stat_in "$scratch/got" unexpected)" 1
is 'ftrace does not complain about that site' "$(grep -E 'all sites|ftrace bug|WARNING' "$scratch/got")" '# all sites were changed'

# The same counter with returns: open calls get the new time. The call of trap_init() seems to have begun 2^40 counts
# earlier, and that of probe_roms(), where the recorder first writes the clock's new high half, to begin later than it
# returns. An NMI comes in the middle of the return of trap_init(),
# and in the middle of the recorder of mm_core_init(): the frames of its own calls are above. After that, there is room for
# the frame of start_kernel() alone. A backtrace is printed, and gdb prints one after the hand-over. gdb may take another
# trap_init() or poking_init(): weak ones that nobody calls have the same names.
# shellcheck disable=SC2016 # registers
changed_boot "ftrace_early=graph ftrace_filter=$early_calls,unknown_nmi_error" \
	'hbreak tsc_store_and_check_tsc_adjust' c 'set var boot_cpu_data.x86_capability[9] |= 2' \
	"hbreak *0x$adjust" c 'set $rax = 0' 'set $rdx = 16' \
	'set var early_buffer.pieces[0].start->parent_ip += 16' 'set var early_ftrace_tsc_high += 16' \
	'set var early_frames[0].clock += 1LL << 36' 'set var early_frames[1].clock += 1LL << 36' \
	delete 'thbreak *probe_roms' c 'thbreak *early_ftrace_record_graph' c 'stepi 30' 'set var early_frames[2].clock += 1LL << 50' \
	"thbreak *0x$(symbol trap_init)" c 'thbreak *early_ftrace_record_graph' c 'stepi 22' 'set var early_frames[1].clock -= 1LL << 40' \
	'thbreak *early_ftrace_returned' c 'stepi 8' 'monitor nmi' \
	'thbreak *mm_core_init' c 'thbreak *early_ftrace_record_graph' c 'stepi 16' 'monitor nmi' \
	"thbreak *0x$(symbol poking_init)" c 'set var early_ftrace_frames_end = early_frames + 1' \
	'set $rsp -= 8' 'set {long}$rsp = $rip' 'set $rip = dump_stack' \
	'thbreak rest_init' c bt
sed -n '/^#/d; s/^\([0-9]*\) \([^ ]*\) <-.* (\(.*\))$/\1 \2 \3/p' "$scratch/got" >"$scratch/durations"
is 'graph: both NMIs have come' "$(sed -n 's/^# *NMI: *\([0-9]*\) .*/\1/p' "$scratch/got")" 2
is 'graph: no call is missing when gdb interrupts it' "$(cut -d' ' -f2 "$scratch/durations" | xargs)" \
	'start_kernel setup_arch probe_roms memblock_set_current_limit init_mem_mapping memblock_set_current_limit trap_init unknown_nmi_error mm_core_init unknown_nmi_error poking_init'
is 'graph: when the kernel sets the time stamp counter, durations of open calls are right: less than a second' \
	"$(awk '$2 != "trap_init" && $3 ~ /^[0-9]+$/ && ($3 > 1e9 || $3 < 10)' "$scratch/durations")" ''
is 'graph: a long duration is rounded down to a multiple of 2^16' \
	"$(awk '$2 == "trap_init" { print($3 >= 2 ^ 40 && $3 < 2 ^ 40 + 1e9 && $3 % 65536 == 0) }' "$scratch/durations")" 1
is 'graph: a call ends in the one that an NMI has interrupted' \
	"$(awk '$2 == "mm_core_init" { end = $1 + $3; next } end && $2 == "unknown_nmi_error" { print($1 + $3 < end) }' "$scratch/durations")" 1
is 'graph: these have no duration' "$(awk '$3 !~ /^[0-9]+$/ { print $2, $3 }' "$scratch/durations" | xargs)" \
	'start_kernel open probe_roms unknown poking_init unknown'
is 'graph: early_stats counts the others' "$(stat_in "$scratch/got" returns) $(stat_in "$scratch/got" lost)" '8 0'
is 'graph: the unwinder finds the callers' "$(sed -n 's/^# backtrace: \([^+]*\)+.*/\1/p' "$scratch/got" | grep -E '^(start_kernel|x86_64_start)' | xargs)" \
	'start_kernel x86_64_start_reservations x86_64_start_kernel'
is 'graph: after the hand-over, start_kernel() will return to where it was called' \
	"$(grep -cE '^#[0-9].* in x86_64_start_reservations ' "$scratch/gdb.log")" 1

# In this boot, gdb turns tracing off and on again, and later makes the call that a warning makes to end tracing.
# A site that the filter leaves out has other bytes than the kernel expects.
# shellcheck disable=SC2016 # registers
changed_boot "ftrace_filter=$early_calls traceoff_on_warning" \
	'hbreak arch_early_ftrace_start' c "set {char}0x$(site kernel_halt) = 0xcc" \
	'thbreak probe_roms' c 'set $rsp -= 8' 'set {long}$rsp = $rip' 'set $rip = tracing_off' \
	'thbreak trap_init' c 'set $rsp -= 8' 'set {long}$rsp = $rip' 'set $rip = tracing_on' \
	'thbreak mm_core_init' c 'set $rsp -= 8' 'set {long}$rsp = $rip' \
	'set $rip = disable_trace_on_warning'
is 'tracing goes on after it is turned on again, and ends at a warning with traceoff_on_warning' \
	"$(trace_of)" 'start_kernel setup_arch [LOST 4 EVENTS] trap_init [LOST 2 EVENTS]'
is 'hytrace boot shows both places of lost calls' "$(sed -n 's/^# \([0-9]*\) calls are lost$/\1/p' "$scratch/got" | paste -sd' ')" '4 2'
is 'each call is counted as recorded or as lost' "$(stat_in "$scratch/got" recorded) $(stat_in "$scratch/got" lost)" '3 6'
is 'a site whose bytes were wrong from the start is counted as unexpected' "$(stat_in "$scratch/got" unexpected)" 1

# A kernel that must not record. The reason is a string of the kernel that gdb returns in its place.
# early-matrix.sh tests the real reason, a guest with encrypted state, which the base configuration lacks.
# shellcheck disable=SC2016 # registers
changed_boot "ftrace_filter=$early_calls" 'hbreak *arch_early_ftrace_refuses' c \
	'set $rax = (long)init_uts_ns.name.sysname' 'set $rip = *(long *)$rsp' 'set $rsp += 8'
ok 'if the kernel refuses to record, early_stats says why' \
	grep -q '^# refused: Linux$' "$scratch/got"
ok 'if the kernel refuses to record, hytrace boot says why' grep -q 'the kernel has refused it: Linux ' "$scratch/got"

# Makes a function jump to address 0 while early_fixup_exception() handles exceptions.
jump_to_nothing()
{
	boot "nokaslr $2" "${gdb_options[@]}" >"$scratch/log" &
	# shellcheck disable=SC2016 # a register
	with_gdb "hbreak $1" c 'set $rip = 0'
	wait $!
	cat "$scratch/log"
}

log=$(jump_to_nothing probe_roms 'ftrace=function ftrace_dump_on_oops')
ok 'an exception before there are handlers ends the boot' grep -q 'early exception' "$scratch/console"
is 'such an exception shows the last calls' "$(grep -c '<- ' <<<"$log")" 32
# They are the latest first. 7.3's calls more.
last=$(sed -n 's/^-[0-9]* \([^ ]*\) <- .*/\1/p' <<<"$log" | head -n 24 | xargs)
is 'the last of these calls are that of early_fixup_exception, and those after it' \
	"$(grep -ow early_fixup_exception <<<"$last" || echo "$last")" early_fixup_exception
log=$(jump_to_nothing probe_roms 'ftrace=oneshot ftrace_dump_on_oops')
is 'with oneshot such an exception shows the last new pairs' "$(grep -c '<- ' <<<"$log")" 32
ok 'lockdown: early calls are dropped, and the log says so' \
	grep -q 'tracer function has not started: [0-9]* calls dropped' \
	<<<"$(boot 'ftrace=function lockdown=confidentiality')"

# ---------------------------------------------------------------- memory

# The memory was part of the kernel's image, and user space's page tables may map part of the image.
boot 'nokaslr ftrace=function ftrace_filter=start_kernel pti=on' "${gdb_options[@]}" >/dev/null &
# shellcheck disable=SC2016 # gdb's variable
with_gdb 'hbreak early_free' c 'set $brk = early_state.brk' 'eval "monitor gva2gpa %p", $brk' finish \
	'eval "monitor gva2gpa %p", $brk'
wait $!
is 'the memory that was part of the image is freed, and is no longer mapped as the image' \
	"$(grep -oE '^(gpa|Unmapped)' "$scratch/gdb.log" | paste -sd' ')" 'gpa Unmapped'
is 'both the memory of the image and that of memblock are freed' \
	"$(grep -c 'Freeing early ftrace memory: [0-9]*K' "$scratch/console")" 2
is 'the kernel boots after that' "$(at_init && echo yes)" yes
# shellcheck disable=SC2016 # for the guest's sh
total_memory=$(vm --smp 1 --mem 512M --timeout 300 --append nokaslr -- sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo)
traced_memory=$(stat_in "$scratch/memory" MemTotal | tr -dc 0-9)
is 'a kernel that was traced has as much memory as one that was not' "$traced_memory" "$total_memory"

# ---------------------------------------------------------------- filters

# In the guest, booted with filters: compares the functions that are traced with those that are traced after the
# same filters were written to tracefs. Prints the differences.
# shellcheck disable=SC2016 # for the guest's sh
filters_again='cd /sys/kernel/tracing && echo 0 >tracing_on
	cat enabled_functions >/tmp/raw
	echo nop >current_tracer
	sed "s/ .*//" /tmp/raw | sort >/tmp/boot
	for f in filter notrace; do echo >set_ftrace_$f; done
	for f in filter notrace; do
		[ $f = filter ] && list=$1 || list=$2
		[ "$list" = - ] || echo "$list" | tr , "\n" | while read -r glob; do
			echo "$glob" >>set_ftrace_$f
		done 2>/dev/null
	done
	echo function >current_tracer
	cat enabled_functions >/tmp/raw
	echo nop >current_tracer
	sed "s/ .*//" /tmp/raw | sort >/tmp/later
	diff /tmp/boot /tmp/later | head -5
	grep -v "^differing: 0" early_stats | grep differing
	echo "$(wc -l </tmp/boot) $(wc -l <available_filter_functions)" >&2'

# random_filters N: prints N lines of filters, the same ones each time. They are parts of function names with
# wildcards. Of three lines, one is for ftrace_filter=, one for ftrace_notrace=, and one for both.
random_filters()
{
	awk -v n="$1" '
		function pick(  name, part, k) {
			name = names[int(rand() * count) + 1]
			part = substr(name, 1 + int(rand() * 4), 3 + int(rand() * 8))
			k = int(rand() * 8)
			if (k == 0) return name
			if (k == 1) return substr(name, 1, 3 + int(rand() * 6)) "*"
			if (k == 2) return "*" substr(name, length(name) - 4)
			if (k == 3) return "*" part "*"
			if (k == 4) return substr(name, 1, 3) "*" substr(name, length(name) - 2)
			if (k == 5) return "?" substr(name, 2)
			if (k == 6) return "[a-f]" substr(name, 2, 3) "*"
			return "no_such_" part
		}
		function list(  i, k, s) {
			k = 1 + int(rand() * 4)
			for (i = 0; i < k; i++)
				s = s (i ? "," : "") (i && rand() < 0.15 ? "!" : "") pick()
			return s
		}
		{ names[++count] = $3 }
		END {
			srand(42)
			for (k = 0; k < n; k++)
				print k % 3 == 1 ? "-" : list(), k % 3 ? list() : "-"
		}' <(nm "$vmlinux" | grep -E ' [tT] [a-z_0-9]+$' | grep -v ' __pfx_' | sort -k3)
}

selected=0
left_out=0
while read -r only except; do
	options=ftrace=function
	[[ $only == - ]] || options+=" ftrace_filter=$only"
	[[ $except == - ]] || options+=" ftrace_notrace=$except"
	is "$options: the functions are those that the same filters select in tracefs" \
		"$(vm --smp 1 --append "$options" -- sh -c "$filters_again" sh "$only" "$except" \
			</dev/null 2>"$scratch/n" || echo died)" ''
	read -r traced all < <(grep -xE '[0-9]+ [0-9]+' "$scratch/n" || echo 0 0)
	echo "# $traced of $all functions are traced"
	[[ $only == - ]] || selected=$((selected + (traced > 0 && traced < all)))
	[[ $only != - ]] || left_out=$((left_out + (traced > 0 && traced < all)))
# The first filter selects no function, so it has no effect.
done < <(echo '!start_kernel,no_such_function -' && random_filters "$filters")
ok 'some of the ftrace_filter= lists have selected a part of the functions' [ "$selected" -gt 0 ]
ok 'some of the ftrace_notrace= lists have left out a part of the functions' [ "$left_out" -gt 0 ]

tap_end
