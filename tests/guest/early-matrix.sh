#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests very early function tracing on kernels that differ in what it depends on: how functions begin, how
# stacks are unwound, what rewrites text while the kernel boots, and how wide an address is. Each kernel is
# small and boots with two CPUs until it looks for its init. With the function tracer, the calls that it
# recorded or counted as lost must be those that QEMU saw. If returns are recorded, nearly all calls must return. With
# oneshot it must record calls.
# Prints a table at the end. The first builds take an hour.
#
# Usage: tests/guest/early-matrix.sh [ROW]...

. "$(dirname "$(realpath "$0")")/early-lib.sh"
. "$clone/tests/guest/splats.sh"

configs=$clone/build/early-matrix
table=$scratch/table
mkdir -p "$configs"

# Sets what distinguishes a row: how its kernel is built and booted, a line that its console must have, and
# whether it loses calls, has a oneshot tracer, and can be told that it is an SEV-ES guest.
choose()
{
	row_build=(--small) row_boot=() row_append='' row_console='' row_lost=0 row_oneshot=1 row_sev=''
	case $1 in
	orc) ;;
	# When the CPU turns out to need call depth tracking, the kernel rewrites these call sites, too.
	call-depth)
		row_boot=(--qemu -cpu --qemu Skylake-Client-v4)
		row_append='retbleed=stuff spectre_v2=retpoline'
		row_console='RETBleed: Mitigation: Stuffing'
		;;
	frame-pointer) config '# CONFIG_UNWINDER_ORC is not set' CONFIG_UNWINDER_FRAME_POINTER=y ;;
	# There is neither padding nor ENDBR at the beginning of functions.
	bare)
		config '# CONFIG_X86_KERNEL_IBT is not set' '# CONFIG_CPU_MITIGATIONS is not set' \
			'# CONFIG_MITIGATION_RETPOLINE is not set' '# CONFIG_MITIGATION_RETHUNK is not set' \
			'# CONFIG_MITIGATION_CALL_DEPTH_TRACKING is not set' \
			'# CONFIG_RANDOMIZE_BASE is not set'
		;;
	up) config '# CONFIG_SMP is not set' ;;
	x86-32)
		config '# CONFIG_64BIT is not set' '# CONFIG_X86_KERNEL_IBT is not set' \
			'# CONFIG_MITIGATION_RETHUNK is not set' \
			'# CONFIG_MITIGATION_CALL_DEPTH_TRACKING is not set' \
			'# CONFIG_UNWINDER_ORC is not set' CONFIG_UNWINDER_FRAME_POINTER=y \
			CONFIG_M686=y \
			'# CONFIG_ONESHOT_TRACER is not set' '# CONFIG_FUNCTION_EVENTS is not set' \
			'# CONFIG_TEXT_SLOTS is not set'
		row_oneshot=
		# QEMU's default CPU is an AMD one, which this kernel does not accept as a second CPU.
		row_boot=(--qemu -cpu --qemu n270)
		;;
	clang) row_build+=(--clang) ;;
	# Without modules, 6.12's __apply_fineibt() is no __init function, but the functions that it calls are.
	kcfi)
		config CONFIG_CFI_CLANG=y CONFIG_FINEIBT=y CONFIG_SECTION_MISMATCH_WARN_ONLY=y
		row_build+=(--clang) row_console='kCFI'
		;;
	kasan)
		config CONFIG_SYSFS=y CONFIG_KASAN=y CONFIG_KASAN_GENERIC=y CONFIG_KASAN_INLINE=y CONFIG_PROVE_LOCKING=y \
			CONFIG_DEBUG_ATOMIC_SLEEP=y CONFIG_FRAME_WARN=0
		;;
	small-buffer)
		config CONFIG_VERY_EARLY_FTRACE_BUF_SHIFT=17
		row_lost=1
		;;
	# A kernel that may be a guest with encrypted state.
	sev)
		config CONFIG_EFI=y CONFIG_EFI_STUB=y CONFIG_CPU_SUP_AMD=y CONFIG_AMD_MEM_ENCRYPT=y
		row_sev=1
		;;
	*) return 1 ;;
	esac
}

# Lines for this row's fragment, which is written only when it changes.
config()
{
	local file=$configs/$row.config

	printf '%s\n' "$@" >"$file.new"
	if cmp -s "$file.new" "$file"; then rm "$file.new"; else mv "$file.new" "$file"; fi
	row_build+=(--config "$file")
}

# The number before a word in the log's lines about early tracing.
number()
{
	sed -n "s/.*\b\([0-9]\+\) $2\b.*/\1/p" <<<"$1" | head -n 1
}

# The kernel booted as far as a small one can, and it did not complain.
came_up()
{
	at_init &&
		! splats_in "$scratch/console"
}

# QEMU emulates no CPU of an SEV-ES guest. So gdb makes the kernel believe that it is one while it asks.
refuses()
{
	boot 'nokaslr ftrace=function' "${gdb_options[@]}" >"$scratch/log" &
	with_gdb 'hbreak arch_early_ftrace_refuses' c 'set var sev_status = 7' \
		'set var cc_vendor = CC_VENDOR_AMD' finish 'set var sev_status = 0' \
		'set var cc_vendor = CC_VENDOR_NONE'
	wait $!
	ok "$row: comes up as an SEV-ES guest, in which reading the time may raise an exception" came_up
	ok "$row: says that it records nothing as an SEV-ES guest" grep -q '^nothing is recorded: .*SEV-ES' "$scratch/log"
	is "$row: records nothing as an SEV-ES guest" "$(number "$(<"$scratch/log")" 'calls recorded')" ''
}

# With returns: at most start_kernel() and two others are open at the hand-over.
returns()
{
	local log recorded returned

	log=$(boot "nokaslr ftrace=function ftrace_early=graph $row_append" "${row_boot[@]}")
	recorded=$(number "$log" 'calls recorded') returned=$(number "$log" 'returns recorded')
	ok "$row: comes up with ftrace_early=graph" came_up
	ok "$row: of ${recorded:-no} calls, ${returned:-no} have returned: all but at most three" \
		[ "$((${recorded:-0} > ${returned:-0} && ${recorded:-0} <= ${returned:-0} + 3))" = 1 ]
}

try()
{
	local log recorded lost expected unknown oneshot=''

	choose "$row" || {
		echo "early-matrix.sh: no row $row; there are: ${all[*]}" >&2
		exit 2
	}
	"$clone/kernel/build.sh" "${row_build[@]}" || {
		ok "$row: builds" false
		return
	}
	early_kernel "$(dirname "$("$clone/kernel/build.sh" "${row_build[@]}" --print-image)")"

	oracle_start early_ftrace_record
	log=$(boot "nokaslr ftrace=function $row_append" "${row_boot[@]}")
	oracle_end
	recorded=$(number "$log" 'calls recorded') lost=$(number "$log" 'calls lost')
	expected=$(total "$scratch/expected") unknown=$(total "$scratch/unknown")
	sed 's/^/# not known to ftrace: /' "$scratch/unknown"
	ok "$row: comes up with ftrace=function" came_up
	[[ ! $row_console ]] || ok "$row: is what it is meant to be" \
		grep -q "$row_console" "$scratch/console"
	ok "$row: calls are recorded" [ "${recorded:-0}" -gt 0 ]
	# The kernel's build drops one or two. If there are more, a table was not read.
	ok "$row: ftrace knows the call sites" [ "$(wc -l <"$scratch/unknown")" -lt 4 ]
	# A site that ftrace does not know calls __fentry__ for ever; it is recorded only until the hand-over.
	ok "$row: recorded and lost calls, $((recorded + lost)), are those that QEMU saw, $expected and up to $unknown unknown ones" \
		[ "$((recorded + lost >= expected && recorded + lost <= expected + unknown))" = 1 ]
	is "$row: calls are lost where they have to be" "$((lost > 0))" "$row_lost"

	returns
	# The oneshot tracer needs 64 bits.
	if [[ $row_oneshot ]]; then
		oneshot=$(number "$(boot "ftrace=oneshot $row_append" "${row_boot[@]}")" 'pairs of')
		ok "$row: comes up with ftrace=oneshot" came_up
		ok "$row: calls are recorded with ftrace=oneshot" [ "${oneshot:-0}" -gt 0 ]
	fi
	[[ ! $row_sev ]] || refuses
	printf '%s|%s|%s|%s|%s|%s\n' "$row" "$(wc -l <"$scratch/sites")" "$recorded" "$lost" "$expected" \
		"$oneshot" >>"$table"
}

all=(orc call-depth frame-pointer bare up x86-32 clang kcfi kasan small-buffer sev)
(($#)) || set -- "${all[@]}"
for row; do
	try
done
{
	echo 'kernel|call sites|recorded|lost|QEMU|oneshot'
	cat "$table"
} | column -t -s '|' | sed 's/^/# /'
tap_end
