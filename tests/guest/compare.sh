#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests hytrace boot compare on real boots of one kernel. In some of them, gdb makes an initcall take 12 milliseconds more,
# and makes the kernel call an early function 1,000 times more. That has to be found, and nothing else. It boots from the
# host, because each boot is one document.
#
# tests/bench/boot-compare.sh makes more of them, and counts how often chance is taken for a difference.
#
# Usage: tests/guest/compare.sh [KERNEL]
#   KERNEL	as for vm.sh --kernel (default patched)

kernel=patched
. "$(dirname "$(realpath "$0")")/compare-lib.sh"

if (($#)); then
	[[ $# -eq 1 && $1 != -* ]] || {
		sed -n '/^# Usage/,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
		exit 2
	}
	kernel=$1
fi
compare_kernel "$kernel" || exit 1
# Nothing unpacks the initramfs and tests ciphers while initcalls run, as these would wait for it where a tick has it.
parameters+=' initramfs_async=0 cryptomgr.notests'
cd "$scratch" || exit 1

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

# There are 126 ways to divide nine boots into four and five, and 252 for ten, where each one is there twice. With fewer boots,
# nothing is certain.
for n in 1 2 3 4 5; do
	((n > 4)) || usual "a$n" "$n"
	planted "b$n" "$n" 12000000
done
documents=([ab]?.json)
is 'each boot has a document' ${#documents[@]} 9
is 'nothing is lost in any' "$(jq -c '[.lost.lost, .lost.missing, .start.lost]' "${documents[@]}" | sort -u)" '[0,0,0]'
# shellcheck disable=SC2016 # jq's variable
is 'the function is called 1,000 times more in five of them' \
	"$(jq --arg f $function '.functions[] | select(.name == $f) | .calls' a?.json b?.json | uniq -c |
		awk '{ if (NR == 2) $2 -= last; last = $2; print $1 " " (NR == 2 ? $2 : "") }' | xargs)" '4 5 1000'

ok 'four boots against five: they differ' compare groups 1 -f json a?.json -- b?.json
cat groups.out >groups.json
first()
{
	jq -r ".rows | map(select(.$1 and .$1.differs != \"no\")) | sort_by(-(.$1.change | fabs))$2" groups.json
}
is 'the first time is that of the initcall, for certain' "$(first time '[0] | "\(.kind) \(.name) \(.time.differs)"')" \
	"initcall $initcall certain"
echo "# it has changed by $(first time '[0].time.change') ns"
ok 'by 12 milliseconds, within 1 %' [ "$(first time '[0].time.change | . > 11880000 and . < 12120000')" = true ]
is 'the first count is that of the function, for certain' "$(first count '[0] | "\(.kind) \(.name) \(.count.differs)"')" \
	"function $function certain"
is 'by 1,000' "$(first count '[0].count.change')" 1000
# More early calls need more memory, and so another initcall is the one that has to get more pages.
echo "# other rows that differ: $(jq -r '.rows[1:][] | select(.time.differs == "certain") | "\(.name) \(.time.change)"' groups.json |
	paste -sd,)"
is 'no other time differs by a tenth as much' \
	"$(jq -c '.rows[1:] | map(select(.time.differs == "certain" and (.time.change | fabs) > 1200000) | .name)' groups.json)" '[]'
is 'no other count differs' "$(first count ' | length')" 1
echo "# parts that differ: $(jq -r '.parts[] | "\(.kind) \(.name)"' groups.json | paste -sd,)"
ok 'one boot against another one: they differ' compare two 1 a1.json b1.json
ok 'by the function, possibly' grep -qE "^function +$function .* possibly\$" two.out
ok 'until init, it is no more than 5 % longer' compare limit 0 --fail-above 5% a?.json -- b?.json

# ---- nothing was planted

for ((n = 0; n < 3; n++)); do
	plain "same$n"
done
# alike NAME ARGUMENT...: no row of these boots differs. What user space does before the programs of process 1 depends on the
# host's time, as when it reads a file. A tick that comes some microseconds later can give 4 ms to another task in another
# initcall, as it does on Linux 7.3 now and then: that is no more than 5 ms, and then is told.
alike()
{
	local differ='(.time and .time.differs != "no" and (.time.change | fabs) > 5000000) or (.count and .count.differs != "no")'

	rm -f alike.json
	"$hytrace" boot compare -f json -o alike.json "${@:2}"
	is "$1" "$(jq -c "[.rows[], .parts[] | select(.kind != \"init\" and .kind != \"part\") | select($differ) |
		\"\(.kind) \(.name)\"]" alike.json)" '[]'
	echo "# by a tick, there differ: $(jq -c '[.rows[] | "\(.kind) \(.name) \(.time.change)"]' alike.json)"
	echo "# of user space, there differ: $(jq '[.parts[] | select(.kind == "init" or .kind == "part")] | length' alike.json)"
}

for n in '0 1' '1 2' '0 2'; do
	alike "boots ${n/ / and } of the same kernel do not differ" "same${n% *}.json" "same${n#* }.json"
done
alike 'one and two of the same kernel do not differ' same0.json -- same1.json same2.json

tap_end
