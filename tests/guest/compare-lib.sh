# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by tests/guest/compare.sh and tests/bench/boot-compare.sh: documents of boots for hytrace boot compare.
#
# With --icount, boots of one kernel are nearly the same, if the kernel is always at the same address. But a tick that comes
# a little later can make another task run in another initcall, for milliseconds. If one initcall takes longer, then ticks
# come at other places in those after it. These would differ for certain, which is true, and not what is tested here. So
# each boot with something planted, and each one that it is held against, also waits for a time of its own, a fifth of the
# ticks' distance (4 ms) more than the last one. If what is planted takes three ticks, it also ends where it began between
# two ticks, and it takes more than what another task takes away from an initcall (8 ms on Linux 7.3, by the kernel's own
# worker that shows early calls). There, a shorter time is no longer certain.
#
# Call compare_kernel first.

# shellcheck source=tests/guest/early-lib.sh
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/early-lib.sh"

# Two initcalls before there are other tasks, whose work nobody needs here, and an early function that does nothing, so it may
# be called from anywhere.
waiting=init_signal_sysctls
initcall=init_umh_sysctls
function=x86_init_noop

# document NAME [VM_OPTION]...: makes $scratch/NAME.json, of a boot
document()
{
	local name=$1
	shift

	vm --share "$scratch" --timeout 600 "$@" -- "$hytrace" boot -f json -o "$scratch/$name.json" 2>"$scratch/$name.err" ||
		sed 's/^/# /' "$scratch/$name.err"
}

# plain NAME: the same with icount, and with the kernel always at the same address
plain()
{
	document "$1" --icount --append "nokaslr $parameters"
}

# loop INSTRUCTIONS: prints the code of a function that takes so many, and returns 0
#	mov $INSTRUCTIONS/2, %ecx; 1: dec %ecx; jnz 1b; xor %eax, %eax; ret
loop()
{
	perl -e 'print pack("CVC*", 0xb9, $ARGV[0] / 2, 0xff, 0xc9, 0x75, 0xfc, 0x31, 0xc0, 0xc3)' "$1"
}

# Where the work of a function begins: after its call of __fentry__.
after_site()
{
	printf '%x' $((0x$(objdump -d --no-show-raw-insn --disassemble="$1" "$vmlinux" |
		sed -n 's/^ *\([0-9a-f]*\):.*call.*<__fentry__>.*/\1/p' | head -n 1) + 5))
}

# changed NAME WAITING INITCALL COMMAND...: makes NAME.json, of a boot in which these initcalls take so many instructions, which
# are nanoseconds. gdb changes the kernel before it has timers: QEMU's time goes on with the next timer after each stop.
changed()
{
	local name=$1 waiting_takes=$2 initcall_takes=$3
	shift 3

	loop "$waiting_takes" >"$scratch/waiting"
	loop "$initcall_takes" >"$scratch/initcall"
	document "$name" --icount --append "nokaslr $parameters" "${gdb_options[@]}" &
	with_gdb "hbreak *0x$(symbol setup_arch)" c delete "restore $scratch/waiting binary 0x$(after_site $waiting)" \
		"restore $scratch/initcall binary 0x$(after_site $initcall)" "$@"
	wait $!
}

# usual NAME N: makes NAME.json, of a boot with icount that waits for the Nth time
usual()
{
	changed "$1" $((800000 * $2)) 2
}

# planted NAME N INSTRUCTIONS: the same, but an initcall takes so many more, and the function is called 1,000 times more
planted()
{
	changed "$1" $((800000 * $2)) "$3" "${called_more[@]}"
}

# compare_kernel KERNEL: sets the kernel for the functions above; KERNEL is as for vm.sh --kernel.
compare_kernel()
{
	early_kernel "$1" || return
	# Only some functions are traced, as the function tracer goes on, and makes a boot many times longer.
	parameters="$("$hytrace" boot next --no-probes) ftrace=function ftrace_filter=$function,setup_*,memblock_*,e820_*,early_*,parse_*"
	# When setup_arch() begins, there are 1,000 returns on the stack: each one of 999 begins the function anew, and the last one
	# begins setup_arch().
	perl -e 'no warnings "portable"; print pack("Q<*", (hex $ARGV[0]) x 999, hex $ARGV[1])' "$(symbol $function)" \
		"$(symbol setup_arch)" >"$scratch/returns"
	# shellcheck disable=SC2016 # a register
	called_more=('set $rsp -= 8 * 1000' "restore $scratch/returns binary \$rsp" "set \$rip = 0x$(symbol $function)")
	[[ ${called_more[2]} != *0x ]] || { echo "the kernel has no $function()" >&2; return 1; }
}
