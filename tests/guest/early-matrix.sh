#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Very early function tracing on kernels that differ in what matters to it: how functions begin, how
# they are unwound, what rewrites text while the kernel comes up, how wide an address is. Each is built
# small, booted with two CPUs, and has to have recorded or counted as lost just what QEMU saw, with the
# function tracer; with oneshot it has to record; and it has to come up to where it looks for its init.
# Prints a table at the end. Builds take an hour the first time.
#
# Usage: tests/guest/early-matrix.sh [ROW]...

set -uo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
# shellcheck source=tests/guest/early-lib.sh
. "$clone/tests/guest/early-lib.sh"
# shellcheck source=tests/guest/splats.sh
. "$clone/tests/guest/splats.sh"

configs=$clone/build/early-matrix
table=$scratch/table
mkdir -p "$configs"

# What sets a row apart: how it is built and booted, what its console has to say of itself, whether
# calls are lost, whether there is a oneshot tracer, and whether it can be told that it is an SEV-ES guest.
choose()
{
	row_build=(--small) row_boot=() row_append='' row_console='' row_lost=0 row_oneshot=1 row_sev=''
	case $1 in
	orc) ;;
	# Its sites are in the list of calls that get accounting, once the CPU is known to need it.
	call-depth)
		row_boot=(--qemu -cpu --qemu Skylake-Client-v4)
		row_append='retbleed=stuff spectre_v2=retpoline'
		row_console='RETBleed: Mitigation: Stuffing'
		;;
	frame-pointer) config '# CONFIG_UNWINDER_ORC is not set' CONFIG_UNWINDER_FRAME_POINTER=y ;;
	# Functions have neither padding nor ENDBR in front.
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
			'# CONFIG_ONESHOT_TRACER is not set' '# CONFIG_FUNCTION_EVENTS is not set'
		row_oneshot=
		# By default it is an AMD that the kernel wants no second one of.
		row_boot=(--qemu -cpu --qemu n270)
		;;
	clang) row_build+=(--clang) ;;
	# 6.12's __apply_fineibt() is no __init function without modules, those that it calls are.
	kcfi)
		config CONFIG_CFI_CLANG=y CONFIG_FINEIBT=y CONFIG_SECTION_MISMATCH_WARN_ONLY=y
		row_build+=(--clang) row_console='kCFI'
		;;
	# Lost is what is called to make the ring buffer larger.
	kasan)
		config CONFIG_SYSFS=y CONFIG_KASAN=y CONFIG_KASAN_GENERIC=y CONFIG_KASAN_INLINE=y CONFIG_PROVE_LOCKING=y \
			CONFIG_DEBUG_ATOMIC_SLEEP=y CONFIG_FRAME_WARN=0
		row_lost=1
		;;
	small-buffer)
		config CONFIG_VERY_EARLY_FTRACE_BUF_SHIFT=17
		row_lost=1
		;;
	# It can be a guest whose state is encrypted.
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

# The number in front of a word in what the log says of early tracing.
number()
{
	sed -n "s/.*\b\([0-9]\+\) $2\b.*/\1/p" <<<"$1" | head -n 1
}

# As far as a small kernel can, and with nothing to complain of.
came_up()
{
	at_init &&
		! splats_in "$scratch/console"
}

# No emulated CPU is such a guest's, so the kernel is made to believe it while it asks.
refuses()
{
	boot 'nokaslr ftrace=function' "${gdb_options[@]}" >"$scratch/log" &
	with_gdb 'hbreak arch_early_ftrace_refuses' c 'set var sev_status = 7' \
		'set var cc_vendor = CC_VENDOR_AMD' finish 'set var sev_status = 0' \
		'set var cc_vendor = CC_VENDOR_NONE'
	wait $!
	ok "$row: comes up where to read the time may be an exception" came_up
	ok "$row: where nothing is recorded" grep -q '^nothing is recorded: .*SEV-ES' "$scratch/log"
	is "$row: really" "$(number "$(<"$scratch/log")" 'calls recorded')" ''
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
	# The kernel's build forgets one or two; more are a table that was not read.
	ok "$row: ftrace knows the call sites" [ "$(wc -l <"$scratch/unknown")" -lt 4 ]
	# What ftrace does not know calls __fentry__ for ever, and only at first it is recorded.
	ok "$row: what is recorded or lost, $((recorded + lost)), is what QEMU says, $expected and $unknown" \
		[ "$((recorded + lost >= expected && recorded + lost <= expected + unknown))" = 1 ]
	is "$row: whether any is lost" "$((lost > 0))" "$row_lost"

	# It needs 64 bits.
	if [[ $row_oneshot ]]; then
		oneshot=$(number "$(boot "ftrace=oneshot $row_append" "${row_boot[@]}")" 'pairs of')
		ok "$row: comes up with ftrace=oneshot" came_up
		ok "$row: which has recorded calls" [ "${oneshot:-0}" -gt 0 ]
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
