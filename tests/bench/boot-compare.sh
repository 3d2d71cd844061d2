#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# How often does hytrace boot compare take chance for a difference, and does it find one that is there? This boots one kernel
# many times, and compares these boots with each other:
#
# - with icount, where boots of one kernel are nearly the same: pairs of them must have no row of the kernel. What user space
#   does before the programs of process 1 depends on the host's time, as when it reads a file. So rows of user space are
#   counted apart.
# - without icount, with KASLR: of comparisons of five with five others, at most one in 20 may have a row. And if an initcall
#   takes a millisecond more in the documents of five of them: how often is that found?
# - with icount, five against five of which gdb makes an initcall take a millisecond more, and calls an early function 1,000
#   times more (tests/guest/compare-lib.sh): both must come first, within 1 %.
#
# A boot takes 4 to 25 s. They stay in build/bench/boot-compare, by the build ID of the kernel, and are drawn from there,
# always in the same way: comparisons are not independent of each other. A second run takes a minute.
# Prints a line for each figure as tests/bench/many-ops.sh does, and keeps them in build/bench/boot-compare.txt. Fails if a
# figure misses its target.
#
# Usage: tests/bench/boot-compare.sh [--quiet N] [--noisy N] [--pairs N] [--draws N] [KERNEL]
#   --quiet N    N boots with icount (default 10)
#   --noisy N    N boots without icount, at least 15 (default 30)
#   --pairs N    compare N pairs of the first kind (default 20)
#   --draws N    compare N times five with five of the second kind (default 20)
#   KERNEL       as for vm.sh --kernel (default patched)

. "$(dirname "$(realpath "$0")")/../guest/compare-lib.sh"
declare -A number=([quiet]=10 [noisy]=30 [pairs]=20 [draws]=20)
kernel=patched

usage()
{
	sed -n '/^# Usage/,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
	exit 2
}

while (($#)); do
	case $1 in
	--quiet | --noisy | --pairs | --draws)
		[[ ${2:-} =~ ^[1-9][0-9]*$ ]] || usage
		number[${1#--}]=$2
		shift
		;;
	-*) usage ;;
	*) kernel=$1 ;;
	esac
	shift
done
((number[noisy] >= 15 && number[pairs] <= number[quiet] * (number[quiet] - 1) / 2)) || usage
compare_kernel "$kernel" || exit 1
build_id=$(readelf -n "$vmlinux" | sed -n 's/.*Build ID: //p')
pool=$clone/build/bench/boot-compare/${build_id:?}
mkdir -p "$pool" || exit 1
cd "$pool" || exit 1

# ---- the boots

# have NAME COMMAND...: makes the document NAME.json by that command, if it is not there yet
have()
{
	local name=$1
	shift

	[[ ! -s $name.json ]] || return 0
	echo "$(date +%T) $name" >&2
	"$@"
	if ! jq -e '.start.lost == 0 and .lost.lost == 0 and .lost.missing == 0' "$scratch/$name.json" >/dev/null; then
		echo "$name: no document without losses" >&2
		exit 1
	fi
	mv "$scratch/$name.json" .
}

for ((n = 1; n <= 5; n++)); do
	have "a$n" usual "a$n" "$n"
	have "b$n" planted "b$n" "$n" 1000000
done
for ((n = 1; n <= number[quiet]; n++)); do
	have "quiet$n" plain "quiet$n"
done
for ((n = 1; n <= number[noisy]; n++)); do
	have "noisy$n" document "noisy$n" --append "$parameters"
done

# ---- the figures

failed=0

# row NAME FIGURE [LIMIT]: prints a verdict as tests/bench/many-ops.sh does; without a limit, only the figure
row()
{
	local verdict=reached

	if [[ ! ${3:-} ]]; then
		echo "measured: $1: $2"
		return
	fi
	awk -v n="$2" -v limit="$3" 'BEGIN { exit !(n >= 0 && n <= limit) }' || verdict=MISSED failed=1
	echo "$verdict: $1: $2, at most $3"
}

# compare ARGUMENT...: leaves what hytrace boot compare says in $scratch/said.json. It must not fail.
compare()
{
	"$hytrace" boot compare -f json -o "$scratch/said.json" "$@"
	(($? < 2)) || exit 1
}

# What differs: all rows but those that user space makes differ.
differing()
{
	jq -r '.rows[], .parts[] | select(.kind != "init" and .kind != "part") | "\(.kind) \(.name)"' "$scratch/said.json"
}

# The Nth pair of the documents.
pairs_of()
{
	local i k

	for ((i = 1; i <= number[quiet]; i++)); do
		for ((k = i + 1; k <= number[quiet]; k++)); do
			echo "quiet$i.json quiet$k.json"
		done
	done | shuf -n "${number[pairs]}" --random-source=<(yes)
}

quiet()
{
	local wrong=0 rows=0 user=0 pair

	while read -ra pair; do
		compare "${pair[@]}"
		differing >"$scratch/rows"
		sed "s/^/# ${pair[*]}: /" "$scratch/rows"
		rows=$((rows + $(wc -l <"$scratch/rows")))
		[[ ! -s $scratch/rows ]] || wrong=$((wrong + 1))
		user=$((user + $(jq '[.parts[] | select(.kind == "init" or .kind == "part")] | length > 0' "$scratch/said.json" | grep -c true)))
	done < <(pairs_of)
	row "of ${number[pairs]} pairs with icount, those with rows of the kernel" "$wrong" 0
	row 'these rows' "$rows" 0
	row 'pairs with rows of user space' "$user"
}

noisy()
{
	local wrong=0 rows=0 found=0 n drawn

	for ((n = 0; n < number[draws]; n++)); do
		mapfile -t drawn < <(seq -f 'noisy%.0f.json' "${number[noisy]}" | shuf -n 10 --random-source=<(yes "$n"))
		compare "${drawn[@]:0:5}" -- "${drawn[@]:5}"
		jq -r '.rows[], .parts[] | "\(.kind) \(.name) \(.time.change) ns, p \(.time.p); \(.count.change), p \(.count.p)"' \
			"$scratch/said.json" >"$scratch/rows"
		sed "s/^/# draw $n: /" "$scratch/rows"
		rows=$((rows + $(wc -l <"$scratch/rows")))
		[[ ! -s $scratch/rows ]] || wrong=$((wrong + 1))
		slower "${drawn[@]:5}"
		compare "${drawn[@]:0:5}" -- "$scratch"/slower?.json
		if jq -e --arg name "$initcall" '.rows[] | select(.name == $name) | .time.differs == "certain"' "$scratch/said.json" >/dev/null; then
			found=$((found + 1))
		fi
	done
	row "of ${number[draws]} comparisons of five with five without icount, those with rows" "$wrong" $((number[draws] / 20))
	row 'these rows' "$rows"
	row "of ${number[draws]}, those that find a millisecond more" "$found"
}

# slower DOCUMENT...: makes copies in which the initcall takes a millisecond more
slower()
{
	local n=0 document

	for document; do
		jq --arg name "$initcall" '(.start.initcalls[] | select(.name == $name)) |= (.self += 1000000 | .time += 1000000)' \
			"$document" >"$scratch/slower$n.json" || exit 1
		n=$((n + 1))
	done
}

# error OF: by how much the first row of "time" or "count" misses what was planted, in percent; -1: it is another row, or not
# certain
error()
{
	jq --arg of "$1" --arg name "$2" --argjson planted "$3" '[.rows[] | select(.[$of] and .[$of].differs != "no")] |
		sort_by(-(.[$of].change | fabs)) | .[0] |
		if .name == $name and .[$of].differs == "certain" then (.[$of].change - $planted | fabs) / $planted * 100 else -1 end' \
		"$scratch/said.json"
}

found()
{
	compare a?.json -- b?.json
	row 'a planted millisecond is the first time, and misses, in percent' "$(error time "$initcall" 1000000)" 1
	row '1,000 planted calls are the first count, and miss, in percent' "$(error count "$function" 1000)" 1
}

{
	echo "Linux $(jq -r .kernel.release quiet1.json), ${number[quiet]} boots with icount, ${number[noisy]} without, $("${HYTRACE_QEMU:-qemu-system-x86_64}" --version | head -n 1)"
	quiet
	noisy
	found
	echo "$failed" >"$scratch/failed"
} | tee "$clone/build/bench/boot-compare.txt"
exit "$(cat "$scratch/failed" 2>/dev/null || echo 1)"
