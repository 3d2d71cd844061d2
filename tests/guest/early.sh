#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests very early function tracing from the host, as what it needs is mostly other boots: of other
# command lines, or watched by QEMU from outside. Many need no user space: they end in a panic, as
# there is no init, and the kernel's log is what is looked at.
#
# Usage: tests/guest/early.sh [--all] [--filters N] [KERNEL]
#   --all	with 8 GiB and other clocks, too, and 200 filters, which takes an hour
#   --filters N	how many random filters to try (default 3, the least)
#   KERNEL	as for vm.sh --kernel (default patched)

set -uo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
filters=3
sizes=(512M)
clocks=(local)
kernel=patched
# shellcheck source=tests/guest/early-lib.sh
. "$clone/tests/guest/early-lib.sh"

while (($#)); do
	case $1 in
	--all)
		filters=200
		sizes+=(8G)
		clocks+=(global boot mono)
		;;
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

# Was this boot traced early? The filter makes it a short one. One that does not get as far as a kernel
# without an init can is no answer.
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

# In the guest: the early part and what comes next as it prints, with its stats. Counting is quicker on this
# side. Between the hand-over and the end of what the oracle lists are some hundred calls.
# shellcheck disable=SC2016 # for the guest's sh
early_part='cd /sys/kernel/tracing && echo 0 >tracing_on && recorded=$(sed -n "s/^recorded: //p" early_stats) &&
	grep -v "^#" per_cpu/cpu0/trace | head -n "$((recorded + 5000))" && sed "s/^/# /" early_stats &&
	sed -n "s/^MemTotal: */# &/p" /proc/meminfo'

stat_in()
{
	sed -n "s/^# $2: *//p" "$1"
}

# What the oracle lists of each call: the site, and its caller if this QEMU can tell.
oracle_calls()
{
	cut -d' ' -f2- "$scratch/calls"
}

# The first lines of two lists that differ.
differences()
{
	diff "$1" "$2" | head -n 5
}

compare()
{
	local mem=$1 got=$scratch/got later

	oracle_start early_ftrace_record
	vm --smp 1 --mem "$mem" --timeout 900 \
		--append "nokaslr ftrace=function trace_options=nooverwrite,sym-addr" \
		-- sh -c "$early_part" >"$got"
	oracle_end
	oracle_calls >"$got.expected"
	sed -n 's/.*: [^ ]* <\([0-9a-f]*\)> <-[^ ]* <\([0-9a-f]*\)>.*/\1 \2/p' "$got" |
		cut -d' ' "-f1-$(head -n 1 "$got.expected" | wc -w)" |
		head -n "$(wc -l <"$got.expected")" >"$got.calls"
	for file in expected calls; do
		cut -d' ' -f1 "$got.$file" | sort | uniq -c | awk '{ print $2, $1 }' >"$got.$file.sites"
	done
	sed 's/^/# not known to ftrace: /' "$scratch/unknown"
	is_cheap "$mem: a call" 18
	grep '^# ' "$got"
	[[ $mem != 512M ]] || grep '^# MemTotal' "$got" >"$scratch/memory"
	is "$mem: nothing is lost" "$(stat_in "$got" lost) $(stat_in "$got" overwritten)" '0 0'
	ok "$mem: hundreds of thousands of calls" [ "$(total "$scratch/expected")" -gt 200000 ]
	is "$mem: as many as the oracle says before the hand-over" "$(stat_in "$got" recorded)" \
		"$(total "$scratch/expected")"
	later=$(grep -c '^l' "$scratch/calls")
	ok "$mem: behind the hand-over there are some, $later, until the tracer has been set up" [ "$later" -gt 50 ]
	is "$mem: until then each function has been called as often as the oracle says" \
		"$(differences "$got.calls.sites" "$got.expected.sites")" ''
	is "$mem: in the same order, $(head -n 1 "$got.expected" | wc -w | sed 's/1/functions/; s/2/functions and callers/')" \
		"$(differences "$got.calls" "$got.expected")" ''
	is "$mem: start_kernel is one of them" \
		"$(grep -c "^$(site start_kernel) 1\$" "$got.calls.sites")" 1
}

# On the average, and those that were not the usual case took more: at most half an instruction.
is_cheap()
{
	local insns

	insns=$(insns_per_call)
	ok "$1 has been recorded" [ "$insns" -gt 1000 ]
	ok "$1 takes $((insns / 100)).$((insns / 10 % 10)) instructions, of $2" [ "$insns" -lt $((100 * $2 + 50)) ]
}

# Where a function calls __fentry__: behind ENDBR, if it has one.
site()
{
	objdump -d --no-show-raw-insn --disassemble="$1" "$vmlinux" |
		sed -n 's/^ *\([0-9a-f]*\):.*call.*<__fentry__>.*/\1/p' | head -n 1
}

for size in "${sizes[@]}"; do
	compare "$size"
done

# The set has each function once, and each caller, in the order of their first calls.
# shellcheck disable=SC2016 # for the guest's sh
set_part='cd /sys/kernel/tracing && echo 0 >tracing_on && echo 1 >options/oneshot-linkaddr &&
	cat oneshot_entries && sed "s/^/# /" early_stats && sed "s/^/# set: /" oneshot_stats'

# compare_set WHAT OTHER FIELD: what the set has first of that kind, and the oracle in that field.
compare_set()
{
	local what=$1 other=$2 got=$scratch/got

	oracle_calls | awk -v field="$3" '!seen[$field]++ { print $field }' >"$got.expected"
	awk -v other="$other" 'NF == 5 && $2 != other { print $1 }' "$got" |
		head -n "$(wc -l <"$got.expected")" >"$got.calls"
	is "oneshot: each $what of what the oracle lists is in the set, once, and no other, in that order, $(wc -l <"$got.expected")" \
		"$(differences "$got.calls" "$got.expected")" ''
}

# Most calls are of what the set knows.
oracle_start early_ftrace_record_once
vm --smp 1 --mem 512M --timeout 300 --append 'nokaslr ftrace=oneshot' -- sh -c "$set_part" >"$scratch/got"
oracle_end
grep '^# ' "$scratch/got"
is_cheap 'oneshot: a call' 28
is 'oneshot: nothing is lost' "$(stat_in "$scratch/got" lost)" 0
ok 'oneshot: there are hundreds of functions' [ "$(wc -l <"$scratch/expected")" -gt 400 ]
compare_set function caller 1
if (($(head -n 1 "$scratch/calls" | wc -w) > 2)); then
	compare_set caller function 2
	is 'oneshot: there is each pair of them' "$(stat_in "$scratch/got" recorded)" \
		"$(sed -n 's/^e //p' "$scratch/calls" | sort -u | wc -l)"
else
	echo '# this QEMU does not tell callers'
fi

# ---------------------------------------------------------------- time

# In the guest: how long the early part took, how long from start_kernel() to kernel_init(), and how
# often time goes back from the first event until well behind the hand-over, all in nanoseconds of the
# guest, in which a cycle of the TSC is one.
# shellcheck disable=SC2016 # for the guest's sh
times='cd /sys/kernel/tracing && echo 0 >tracing_on && recorded=$(sed -n "s/^recorded: //p" early_stats) &&
	grep -v "^#" per_cpu/cpu0/trace | perl -ne "
		/\s(\d+)(\.(\d+))?: (\S+) <-/ or next;
		my \$t = defined \$3 ? \$1 * 1e9 + \$3 * 1e3 : \$1;
		\$back++ if \$n++ < $recorded + 1000 && \$t < \$last;
		\$last = \$t;
		\$first //= \$t;
		\$end = \$t if \$n == $recorded;
		\$init //= \$t if \$4 eq \"kernel_init\";
		END { printf \"%d %d %d\\n\", \$end - \$first, \$init - \$first, \$back }"'

# Without KASLR each boot takes the very same instructions.
times_of()
{
	vm --icount --timeout 600 --append "nokaslr ftrace=function trace_options=nooverwrite \
		ftrace_filter=start_kernel,kernel_init*,*alloc* $1" -- sh -c "$times"
}

# Is $1 within 1 % of $2?
agrees()
{
	(($2 > 0 && 100 * $1 > 99 * $2 && 100 * $1 < 101 * $2))
}

# What the TSC says is what QEMU says: it counts instructions.
read -r early_ns init_ns back < <(times_of trace_clock=x86-tsc)
is 'x86-tsc: never goes back' "$back" 0
for clock in "${clocks[@]}"; do
	read -r early init back < <(times_of "trace_clock=$clock")
	is "$clock: never goes back over the hand-over" "$back" 0
	ok "$clock: the early part takes what QEMU says, $early_ns ns" agrees "$early" "$early_ns"
	[[ $clock != local ]] ||
		ok "$clock: and so does start_kernel() until init, $init_ns ns" agrees "$init" "$init_ns"
done
# The kernel finds out late that the TSC is none to rely on, and takes another clock.
read -r early init back < <(times_of tsc=unstable)
ok 'an unstable TSC: early calls survive the change of the clock' agrees "$early" "$early_ns"

# In the guest: the stats, and what hytrace makes of them as text, with its warnings, and as json.
# shellcheck disable=SC2016 # for the guest's sh
timeless='cd /sys/kernel/tracing && echo 0 >tracing_on && sed "s/^/# /" early_stats
	'$clone/build/hytrace' boot 2>&1; echo "# status: $?"
	'$clone/build/hytrace' boot -f json 2>/dev/null | tr -d "\n" | sed "s/^/json: /"'

# Boots a machine without an interval timer: the kernel finds the TSC's frequency too late.
without_timer()
{
	vm --smp 1 --timeout 300 --qemu -machine --qemu pit=off \
		--append "trace_options=nooverwrite ftrace_filter=start_kernel,kernel_init*,*alloc* $1" \
		-- sh -c "$timeless" >"$scratch/got"
	grep '^# ' "$scratch/got"
}

# What jq says of hytrace's document.
of_json()
{
	sed -n 's/^json: //p' "$scratch/got" | jq -c "$1"
}

without_timer ftrace=function
is 'no frequency: the kernel says so' "$(stat_in "$scratch/got" tsc_khz)" 0
ok 'calls are recorded' [ "$(stat_in "$scratch/got" recorded)" -gt 1000 ]
is 'and counted as calls without a time' "$(stat_in "$scratch/got" before_zero)" \
	"$(stat_in "$scratch/got" recorded)"
is 'hytrace has all calls' "$(of_json .totals.calls)" "$(stat_in "$scratch/got" recorded)"
is 'in phases, and neither they nor the window have times' \
	"$(of_json '[.window.first, .window.last, (.phases[] | recurse(.phases[]) | .start, .time, .net)] | unique')" \
	'[null]'
ok 'and it warns' grep -q "no call has a time: the TSC's frequency was not known" "$scratch/got"
ok 'and tells none' grep -q '^Time: *unknown$' "$scratch/got"
without_timer ftrace=oneshot
is 'no frequency, oneshot: nothing is reported' "$(stat_in "$scratch/got" status)" 3
ok 'as it is not known which hits are early' grep -q 'which ones they are is not known' "$scratch/got"
without_timer 'ftrace=function tsc_early_khz=1000000'
is 'tsc_early_khz= helps' "$(stat_in "$scratch/got" tsc_khz) $(stat_in "$scratch/got" before_zero)" '1000000 0'

# ---------------------------------------------------------------- the command line

# What each word means is for tests/unit/early_cmdline.c. Here: it is this kernel's own command line that is
# read, by both parsers alike.
is 'of repeated options the last one wins' "$(traced ftrace=nop ftrace=function nosmp)" yes
is 'what switches it off is not undone by what is for init' \
	"$(traced ftrace=function ftrace_early=0 -- ftrace_early=1)" no
is 'no option, no early tracing' "$(traced nosmp)" no
# To resolve so many takes more room than its set.
is 'oneshot is traced early, too, and filters may be many' \
	"$(traced "ftrace=oneshot ftrace_filter=start_kernel$(printf ',%.0s' {1..1600})")" yes

# ---------------------------------------------------------------- crashes, lockdown

# Not enough memory for anything: a panic long before there is a tracer.
# Such ones hang.
log=$(boot_timeout=30 boot 'ftrace=function ftrace_dump_on_oops mem=4M')
is 'a crash before the tracer runs shows the last calls' \
	"$(grep -c '<- ' <<<"$log")" 32
is 'and not those of the crash itself' "$(grep -c ' panic <-' <<<"$log")" 0
is 'and not without ftrace_dump_on_oops' "$(boot_timeout=30 boot 'ftrace=function mem=4M')" ''
ok 'when it crashes as well' grep -q 'Kernel panic' "$scratch/console"

# The trace of a boot that with_gdb() has a hand in, and its stats: changed_boot APPEND COMMAND...
changed_boot()
{
	local append="nokaslr ftrace=function trace_options=nooverwrite $1"
	shift

	vm --icount --timeout 600 --append "$append" "${gdb_options[@]}" -- sh -c "$short_part" >"$scratch/got" &
	with_gdb "$@"
	wait $!
	grep '^# ' "$scratch/got"
}

# In the guest: what hytrace says of calls that are lost, and of a kernel that refuses, and all of a short trace, without
# what is the same in each line.
short_part=$clone/build/hytrace' boot 2>&1 | sed -n "s/^(\([0-9]* calls are lost\)).*/# \1/p; s/.*refused it/# &/p"
	grep NMI: /proc/interrupts | sed "s/^/# /"
	cd /sys/kernel/tracing && echo 0 >tracing_on && sed -n "s/^.* d[^ ]* *\([0-9]*\.[0-9]*\): /\1 /p" per_cpu/cpu0/trace &&
	sed "s/^/# /" early_stats && dmesg | sed -n "s/.*Uhhuh/# Uhhuh/p" &&
	echo >set_ftrace_filter && echo nop >current_tracer && echo function >current_tracer &&
	dmesg | sed -n "s/.*ftrace bug/# ftrace bug/p; s/.*WARNING:/# WARNING:/p"'

# What is in that trace, without the times.
trace_of()
{
	sed -n '/^#/d; s/^[0-9.]* //; s/ <-.*//; s/.*: \[/[/; p' "$scratch/got" | paste -sd' '
}

# Until the kernel sanitizes it, the time stamp counter is 2^36 cycles ahead, as firmware may leave
# it; QEMU's cannot be set, so what it has said until then is changed. Then there is no room for
# calls until memblock has some; an NMI comes while there is a handler, and another one in the
# midst of changing the sites, of which one is not as it was.
adjust=$(objdump -d --no-show-raw-insn --disassemble=tsc_store_and_check_tsc_adjust "$vmlinux" |
	sed -n '/rdmsr/ { n; s/^ *\([0-9a-f]*\):.*/\1/p; q }')
early_calls=start_kernel,setup_arch,probe_roms,init_mem_mapping,memblock_set_current_limit
early_calls+=,trap_init,mm_core_init,poking_init
# shellcheck disable=SC2016 # registers
changed_boot "ftrace_filter=$early_calls" \
	'hbreak tsc_store_and_check_tsc_adjust' c 'set var boot_cpu_data.x86_capability[9] |= 2' \
	"hbreak *0x$adjust" c 'set $rax = 0' 'set $rdx = 16' 'set var early_state.first_tsc += 16ULL << 32' \
	'set var early_state.pieces[0].start->parent_ip += 16' 'set var early_ftrace_tsc_high += 16' \
	'hbreak init_mem_mapping' c 'set var early_ftrace_end = early_ftrace_pos' \
	'hbreak early_ftrace_prepare' c 'monitor nmi' \
	'hbreak arch_early_ftrace_replace_code' c 'monitor nmi' "set {char}0x$(site kernel_halt) = 0xcc"
is 'where calls are lost, the trace says so, and how many' "$(trace_of)" \
	'start_kernel setup_arch probe_roms memblock_set_current_limit [LOST 2 EVENTS] trap_init mm_core_init poking_init'
is 'and so do the stats' "$(stat_in "$scratch/got" recorded) $(stat_in "$scratch/got" lost)" '7 2'
is 'when the kernel sets the time stamp counter, time goes on' \
	"$(awk '/^#/ { next } $1 < last || $1 > last + 1 { print } { last = $1 }' "$scratch/got")" ''
is 'an NMI is heard until the sites are changed' "$(grep -c '^# Uhhuh' "$scratch/got")" 1
is 'and then, when they are' "$(sed -n 's/^# *NMI: *\([0-9]*\) .*/\1/p' "$scratch/got")" 2
is 'a site that is neither a call nor a NOP is left alone, and counted' \
	"$(stat_in "$scratch/got" unexpected)" 1
is 'and ftrace does not stumble over it' "$(grep -E 'ftrace bug|WARNING' "$scratch/got")" ''

# A debugger has the machine for a while, in which tracing is off; and a warning, as far as tracing is
# concerned, with a call of what a warning calls. A site that the filter leaves out is not as it was.
# shellcheck disable=SC2016 # registers
changed_boot "ftrace_filter=$early_calls traceoff_on_warning" \
	'hbreak arch_early_ftrace_start' c "set {char}0x$(site kernel_halt) = 0xcc" \
	'thbreak probe_roms' c 'set $rsp -= 8' 'set {long}$rsp = $rip' 'set $rip = tracing_off' \
	'thbreak trap_init' c 'set $rsp -= 8' 'set {long}$rsp = $rip' 'set $rip = tracing_on' \
	'thbreak mm_core_init' c 'set $rsp -= 8' 'set {long}$rsp = $rip' \
	'set $rip = disable_trace_on_warning'
is 'tracing goes on where it is switched on again, and a warning ends it, with traceoff_on_warning' \
	"$(trace_of)" 'start_kernel setup_arch [LOST 4 EVENTS] trap_init [LOST 2 EVENTS]'
is 'hytrace shows both places' "$(sed -n 's/^# \([0-9]*\) calls are lost$/\1/p' "$scratch/got" | paste -sd' ')" '4 2'
is 'each call is there or lost' "$(stat_in "$scratch/got" recorded) $(stat_in "$scratch/got" lost)" '3 6'
is 'a site that was none from the start is counted, too' "$(stat_in "$scratch/got" unexpected)" 1

# As where the clock is not the kernel's own, and has begun later: 10 ms before the hand-over.
changed_boot "ftrace_filter=$early_calls" \
	'hbreak early_to_trace_clock' c 'set var early_time.trace = 10000000'
zeros=$(grep -c '^0\.000000 ' "$scratch/got")
ok "calls before the clock began have no time, $zeros of them" [ "$zeros" -gt 0 ]
ok 'others have one' [ "$zeros" -lt "$(stat_in "$scratch/got" recorded)" ]
is 'the stats count the former' "$(stat_in "$scratch/got" before_zero)" "$zeros"

# A kernel that must not record: it is told why by what stands in for the reason. That it is told for a
# guest whose state is encrypted is for early-matrix.sh, as base has no such guests.
# shellcheck disable=SC2016 # registers
changed_boot "ftrace_filter=$early_calls" 'hbreak *arch_early_ftrace_refuses' c \
	'set $rax = (long)init_uts_ns.name.sysname' 'set $rip = *(long *)$rsp' 'set $rsp += 8'
ok 'nothing is recorded where the kernel refuses to, and early_stats says why' \
	grep -q '^# refused: Linux$' "$scratch/got"
ok 'and hytrace does' grep -q 'the kernel has refused it: Linux ' "$scratch/got"

# Calls nothing at all at a function, while exceptions are early_fixup_exception()'s.
jump_to_nothing()
{
	boot_timeout=40 boot "nokaslr $2" "${gdb_options[@]}" >"$scratch/log" &
	# shellcheck disable=SC2016 # a register
	with_gdb "hbreak $1" c 'set $rip = 0'
	wait $!
	cat "$scratch/log"
}

log=$(jump_to_nothing probe_roms 'ftrace=function ftrace_dump_on_oops')
ok 'an exception before there is anybody to handle it, too' grep -q 'early exception' "$scratch/console"
is 'shows the last calls' "$(grep -c '<- ' <<<"$log")" 32
is 'up to the exception' "$(grep -c '^-[0-9] early_fixup_exception <- ' <<<"$log")" 1
log=$(jump_to_nothing probe_roms 'ftrace=oneshot ftrace_dump_on_oops')
is 'and oneshot the last that were new' "$(grep -c '<- ' <<<"$log")" 32
ok 'lockdown: early calls are dropped, and the log says so' \
	grep -q 'tracer function has not started: [0-9]* calls dropped' \
	<<<"$(boot 'ftrace=function lockdown=confidentiality')"

# ---------------------------------------------------------------- memory

# It has been as the kernel's image, of which user space's page tables may have a part.
boot 'nokaslr ftrace=function ftrace_filter=start_kernel pti=on' "${gdb_options[@]}" >/dev/null &
# shellcheck disable=SC2016 # gdb's variable
with_gdb 'hbreak early_free' c 'set $brk = early_state.brk' 'eval "monitor gva2gpa %p", $brk' finish \
	'eval "monitor gva2gpa %p", $brk'
wait $!
is 'memory of the image is given back, and is not mapped as such any more' \
	"$(grep -oE '^(gpa|Unmapped)' "$scratch/gdb.log" | paste -sd' ')" 'gpa Unmapped'
is 'it is all of it, and what memblock gave' \
	"$(grep -c 'Freeing early ftrace memory: [0-9]*K' "$scratch/console")" 2
is 'the kernel comes up' "$(at_init && echo yes)" yes
# shellcheck disable=SC2016 # for the guest's sh
total_memory=$(vm --smp 1 --mem 512M --timeout 300 --append nokaslr -- sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo)
traced_memory=$(stat_in "$scratch/memory" MemTotal | tr -dc 0-9)
ok "a kernel that was traced has as much memory, $traced_memory KiB, as one that was not, $total_memory" \
	[ "$((traced_memory > 0 && total_memory - traced_memory < 64))" = 1 ]

# ---------------------------------------------------------------- filters

# In the guest, booted with filters: which functions are traced, the same filters again by way of
# tracefs, and which are traced then. Prints the differences.
# shellcheck disable=SC2016 # for the guest's sh
filters_again='cd /sys/kernel/tracing && echo 0 >tracing_on
	sed "s/ .*//" enabled_functions | sort >/tmp/boot
	echo nop >current_tracer
	for f in filter notrace; do echo >set_ftrace_$f; done
	for f in filter notrace; do
		[ $f = filter ] && list=$1 || list=$2
		[ "$list" = - ] || echo "$list" | tr , "\n" | while read -r glob; do
			echo "$glob" >>set_ftrace_$f
		done 2>/dev/null
	done
	echo function >current_tracer
	sed "s/ .*//" enabled_functions | sort >/tmp/later
	diff /tmp/boot /tmp/later | head -5
	grep -v "^differing: 0" early_stats | grep differing
	echo "$(wc -l </tmp/boot) $(wc -l <available_filter_functions)" >&2'

# N lines of filters, the same ones each time: parts of names of functions, with stars and the rest. Of
# three, one is of what is to be traced, one of what is not to be, and one of both.
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
	is "$options: the same functions as by way of tracefs" \
		"$(vm --smp 1 --append "$options" -- sh -c "$filters_again" sh "$only" "$except" \
			</dev/null 2>"$scratch/n" || echo died)" ''
	read -r traced all < <(grep -xE '[0-9]+ [0-9]+' "$scratch/n" || echo 0 0)
	echo "# $traced functions of $all"
	[[ $only == - ]] || selected=$((selected + (traced > 0 && traced < all)))
	[[ $only != - ]] || left_out=$((left_out + (traced > 0 && traced < all)))
# The first one selects nothing, which is as good as none.
done < <(echo '!start_kernel,no_such_function -' && random_filters "$filters")
ok 'such filters have selected something' [ "$selected" -gt 0 ]
ok 'and have left something out' [ "$left_out" -gt 0 ]

tap_end
