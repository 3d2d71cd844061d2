#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests hytrace boot compare on real boots of one kernel. In half of them, gdb makes an initcall take a millisecond more,
# and makes the kernel call an early function 1,000 times more. That has to be found, and nothing else. It boots from the
# host, because each boot is one document.
#
# With --icount, boots of one kernel are nearly the same, if the kernel is always at the same address. But a tick that comes
# a little later can make another task run in another initcall, for milliseconds. If one initcall takes a millisecond more,
# then ticks come at other places in those after it. These would differ for certain, which is true, and not what is tested
# here. So each boot also waits for a time of its own, a fifth of the ticks' distance more than the last one.
#
# `--pairs 20` and `--noisy 60` take long, and are for people who change what is taken for noise.
#
# Usage: tests/guest/compare.sh [--pairs N] [--noisy N] [KERNEL]
#   --pairs N	makes N more pairs of boots with --icount, which have to show nothing
#   --noisy N	makes N boots without --icount, with KASLR, at least 15. Of 20 comparisons of five with five others, at most
#		one may have a row
#   KERNEL	as for vm.sh --kernel (default patched)

set -uo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
hytrace=$clone/build/hytrace
kernel=patched
pairs=0
noisy=0
# shellcheck source=tests/guest/early-lib.sh
. "$clone/tests/guest/early-lib.sh"

while (($#)); do
	case $1 in
	--pairs | --noisy)
		(($# > 1)) || exit 2
		[[ $1 == --pairs ]] && pairs=$2 || noisy=$2
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
early_kernel "$kernel" || exit 1
cd "$scratch" || exit 1

# Two initcalls before there are other tasks, whose work nobody needs here, and an early function that does nothing, so it may
# be called from anywhere.
waiting=init_signal_sysctls
initcall=init_umh_sysctls
function=x86_init_noop
# Only some functions are traced, as the function tracer goes on, and makes a boot many times longer.
parameters="$("$hytrace" boot --next --no-probes) ftrace=function ftrace_filter=$function,setup_*,memblock_*,e820_*,early_*,parse_*"

# document NAME [VM_OPTION]...: makes NAME.json, of a boot
document()
{
	local name=$1
	shift

	vm --share "$scratch" --timeout 600 "$@" -- "$hytrace" boot -f json -o "$scratch/$name.json" 2>"$name.err" ||
		sed 's/^/# /' "$name.err"
}

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

	loop "$waiting_takes" >waiting
	loop "$initcall_takes" >initcall
	document "$name" --icount --append "nokaslr $parameters" "${gdb_options[@]}" &
	with_gdb "hbreak *0x$(symbol setup_arch)" c delete "restore $scratch/waiting binary 0x$(after_site $waiting)" \
		"restore $scratch/initcall binary 0x$(after_site $initcall)" "$@"
	wait $!
}

# When setup_arch() begins, there are 1,000 returns on the stack: each one of 999 begins the function anew, and the last one
# begins setup_arch().
perl -e 'no warnings "portable"; print pack("Q<*", (hex $ARGV[0]) x 999, hex $ARGV[1])' "$(symbol $function)" \
	"$(symbol setup_arch)" >returns
# shellcheck disable=SC2016 # a register
called_more=('set $rsp -= 8 * 1000' "restore $scratch/returns binary \$rsp" "set \$rip = 0x$(symbol $function)")

# compare NAME STATUS ARGUMENT...: compares documents into NAME.out, with that exit status
compare()
{
	local out=$1.out expected=$2 status=0
	shift 2

	"$hytrace" boot compare "$@" >"$out" 2>&1 || status=$?
	((status == expected)) && return
	echo "status $status instead of $expected"
	cat "$out"
	return 1
}

# ---- what was planted

for n in 1 2 3 4 5; do
	changed "a$n" $((800000 * n)) 2
	changed "b$n" $((800000 * n)) 1000000 "${called_more[@]}"
done
documents=([ab]?.json)
is 'each boot has a document' ${#documents[@]} 10
is 'nothing is lost in any' "$(jq -c '[.lost.lost, .lost.missing, .start.lost]' "${documents[@]}" | sort -u)" '[0,0,0]'
# shellcheck disable=SC2016 # jq's variable
is 'the function is called 1,000 times more in half of them' \
	"$(jq --arg f $function '.functions[] | select(.name == $f) | .calls' a?.json b?.json | uniq -c |
		awk '{ if (NR == 2) $2 -= last; last = $2; print $1 " " (NR == 2 ? $2 : "") }' | xargs)" '5 5 1000'

ok 'five boots against five: they differ' compare groups 1 -f json a?.json -- b?.json
cat groups.out >groups.json
first()
{
	jq -r ".rows | map(select(.$1 and .$1.differs != \"no\")) | sort_by(-(.$1.change | fabs))$2" groups.json
}
is 'the first time is that of the initcall, for certain' "$(first time '[0] | "\(.kind) \(.name) \(.time.differs)"')" \
	"initcall $initcall certain"
echo "# it has changed by $(first time '[0].time.change') ns"
ok 'by a millisecond, within 1 %' [ "$(first time '[0].time.change | . > 990000 and . < 1010000')" = true ]
is 'the first count is that of the function, for certain' "$(first count '[0] | "\(.kind) \(.name) \(.count.differs)"')" \
	"function $function certain"
is 'by 1,000' "$(first count '[0].count.change')" 1000
# More early calls need more memory, and so another initcall is the one that has to get more pages.
echo "# other rows that differ: $(jq -r '.rows[1:][] | select(.time.differs == "certain") | "\(.name) \(.time.change)"' groups.json |
	paste -sd,)"
is 'no other time differs by a tenth as much' \
	"$(jq -c '.rows[1:] | map(select(.time.differs == "certain" and (.time.change | fabs) > 100000) | .name)' groups.json)" '[]'
is 'no other count differs' "$(first count ' | length')" 1
echo "# parts that differ: $(jq -r '.parts[] | "\(.kind) \(.name)"' groups.json | paste -sd,)"
ok 'one boot against another one: they differ' compare two 1 a1.json b1.json
ok 'by the function, possibly' grep -qE "^function +$function .* possibly\$" two.out
ok 'until init, it is no more than 5 % longer' compare limit 0 --fail-above 5% a?.json -- b?.json

# ---- nothing was planted

for ((n = 0; n < 4; n++)); do
	plain "same$n"
done
# alike NAME ARGUMENT...: no row of these boots differs. What user space does before the programs of process 1 depends on the
# host's time, as when it reads a file.
alike()
{
	rm -f alike.json
	"$hytrace" boot compare -f json -o alike.json "${@:2}"
	is "$1" "$(jq -c '[.rows[], .parts[] | select(.kind != "init" and .kind != "part") | "\(.kind) \(.name)"]' alike.json)" '[]'
	echo "# of user space, there differ: $(jq '[.parts[] | select(.kind == "init" or .kind == "part")] | length' alike.json)"
}

for n in 1 2 3; do
	alike "boots $((n - 1)) and $n of the same kernel do not differ" "same$((n - 1)).json" "same$n.json"
done
alike 'two and two of the same kernel do not differ' same0.json same1.json -- same2.json same3.json

for ((n = 0; n < pairs; n++)); do
	plain "pair$n.1"
	plain "pair$n.2"
	alike "pair $n of the same kernel does not differ" "pair$n.1.json" "pair$n.2.json"
done

# ---- noise

for ((n = 0; n < noisy; n++)); do
	document "noisy$n" --append "$parameters"
done
if ((noisy)); then
	wrong=0
	for ((n = 0; n < 20; n++)); do
		mapfile -t drawn < <(printf '%s\n' noisy*.json | shuf -n 10 --random-source=<(yes "$n"))
		compare noise 0 "${drawn[@]:0:5}" -- "${drawn[@]:5}" >/dev/null && continue
		wrong=$((wrong + 1))
		sed 's/^/# /' noise.out
	done
	ok "of 20 comparisons of the same kernel, $wrong have a row that differs" [ "$wrong" -le 1 ]
fi

tap_end
