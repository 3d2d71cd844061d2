#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs `make run` as a new user does, and looks at what it prints and leaves: each part has to be there,
# and to say what only a real boot and a real workload can. Two minutes where the kernel is built.
#
# Usage: tests/guest/make-run.sh

set -uo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
# shellcheck source=tests/guest/tap.sh
. "$clone/tests/guest/tap.sh"
cd "$clone" || exit 1
out=build/run
log=$tap_scratch/log

# part TITLE: what is printed below it
part()
{
	awk -v title="== $1" '/^== / { here = index($0, title) == 1; next } here' "$log"
}

# Of `name  BOOT  WORKLOAD  TRACEABLE`, the workload's number of a directory.
seen()
{
	part 'Functions seen' | awk -v dir="$1" '$1 == dir { print $'"$2"' }'
}

# many NUMBER LEAST: a number, and not a small one
many()
{
	[[ $1 =~ ^[0-9.]+$ ]] && awk -v n="$1" -v least="$2" 'BEGIN { exit !(n >= least) }'
}

rm -rf "$out"
make --no-print-directory run >"$log" 2>"$log.err"
is 'make run' "$?" 0
is 'says nothing of a failure' "$(grep -iE 'error|fail|cannot|dead|died' "$log.err" | head)" ''
sed 's/^/# /' "$log.err" | tail -n 20

# ---- the boot and the workload

for dir in fs kernel mm kernel/sched; do
	ok "the boot is seen in $dir" many "$(seen $dir 2)" 50
	ok "so is the workload" many "$(seen $dir 3)" 50
done
is 'nothing of ext4 at boot' "$(seen fs/ext4 2)" 0
ok 'much of it in the workload' many "$(seen fs/ext4 3)" 100
for file in boot workload.oneshot workload.bpf; do
	ok "$file: thousands of functions and callers" jq -e \
		'.totals.functions > 3000 and .totals.callers > 6000 and (.functions + .callers | length) == .totals.entries' \
		"$out/$file.json"
	is "$file: the list has nothing but addresses" \
		"$(awk '!/^[0-9a-f]+( [^ ]+)?$/' "$out/$file.tailor" 2>&1)" ''
	is "$file: all that the document has" "$(wc -l <"$out/$file.tailor")" \
		"$(jq '.functions + .callers | length' "$out/$file.json")"
	is "$file: its Lost: line is what was lost" "$(jq -c '.lost | [.refused, .map_full] | map(. // 0) | add' \
		"$out/$file.json")" 0
done
ok 'the engines agree, or it is explained why not' \
	grep -qxE 'All differences are explained\.|No difference\.|Of the .*, 0 are UNEXPLAINED\.' \
	<(part 'The set in the kernel')
# Calls that BPF has missed by the thousand may stand for as many differences.
possible=$(part 'The set in the kernel' | sed -n 's/^Of the .* \([0-9]*\) only possibly.*/\1/p')
ok 'and of 1 % at most, only possibly' test "${possible:-0}" -lt 40
ok 'of thousands of functions' many "$(part 'The set in the kernel' |
	sed -n 's/.*; \([0-9]*\) in both.*/\1/p' | head -n 1)" 3000

# ---- what it costs

cost()
{
	part 'CPU time' | sed -n "s/^ *$1 .* \([0-9.]*\) x\$/\1/p"
}

is 'not traced is what the others are compared with' "$(cost 'not traced')" 1.00
ok 'oneshot costs something' many "$(cost 'oneshot, all')" 1.1
ok 'retiring call sites less' many "$(cost 'oneshot, all')" "$(cost 'oneshot, functions only, --retire')"
# What they add to the workload: ten times as much when this was written.
added=$(awk -v o="$(cost 'oneshot, all')" -v b="$(cost kprobe.multi)" 'BEGIN { print 5 * (o - 1), b - 1 }')
ok "and kprobe.multi five times as much (${added/ /, })" many "${added#* }" "${added% *}"

# ---- the early boot

early=$(part 'The boot from before')
for phase in setup_arch mm_core_init ftrace_init; do
	ok "the early boot has $phase" grep -qE "^ *$phase +[0-9]" <<<"$early"
done
ok 'and hundreds of thousands of calls' \
	many "$(sed -n 's/^ *Calls: *\([0-9]*\) .*/\1/p' <<<"$early")" 200000
is 'of which none is lost' "$(sed -n 's/^ *Lost: *//p' <<<"$early")" nothing
is 'the viewer can read its trace' "$(jq -rf tests/guest/trace-events.jq "$out/early.trace" 2>&1)" ''

# ---- files

is 'each file that it names is there, as large as it says' \
	"$(part Files | awk 'NF { print $1, $2 }')" \
	"$(stat -c '%n %s' "$out"/*.json "$out"/*.tailor "$out"/*.trace)"

tap_end
