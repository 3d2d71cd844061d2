#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs `make run` as a new user does, and checks what it prints and leaves: each part must be there, with
# figures that only a real boot and a real workload give. Takes two minutes once the kernel is built.
#
# Usage: tests/guest/make-run.sh
# shellcheck disable=SC2016 # awk, jq and the page's scripts have variables of their own

set -uo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
# shellcheck source=tests/guest/tap.sh
. "$clone/tests/guest/tap.sh"
# shellcheck source=tests/guest/page-lib.sh
. "$clone/tests/guest/page-lib.sh"
cd "$clone" || exit 1
out=build/run
log=$tap_scratch/log

# part TITLE: prints the part of the output below this title
part()
{
	awk -v title="== $1" '/^== / { here = index($0, title) == 1; next } here' "$log"
}

# seen DIR FIELD: prints that field of DIR's line in the table "name TRACEABLE boot SHARE workload SHARE".
seen()
{
	part 'Functions seen' | awk -v dir="$1" '$1 == dir { print $'"$2"' }'
}

# many NUMBER LEAST: succeeds if NUMBER is a number of at least LEAST
many()
{
	[[ $1 =~ ^[0-9.]+$ ]] && awk -v n="$1" -v least="$2" 'BEGIN { exit !(n >= least) }'
}

rm -rf "$out"
make --no-print-directory run >"$log" 2>"$log.err"
is 'make run' "$?" 0
is 'make run reports no failure' "$(grep -iE 'error|fail|cannot|dead|died' "$log.err" | head)" ''
sed 's/^/# /' "$log.err" | tail -n 20

# ---- the boot and the workload

for dir in fs kernel mm kernel/sched; do
	ok "boot: at least 50 functions of $dir are seen" many "$(seen $dir 3)" 50
	ok "workload: at least 50 functions of $dir are seen" many "$(seen $dir 5)" 50
done
is 'boot: no function of ext4 is seen' "$(seen fs/ext4 3)" 0
ok 'workload: at least 100 functions of ext4 are seen' many "$(seen fs/ext4 5)" 100
for file in boot workload.oneshot workload.bpf; do
	ok "$file: it has thousands of functions and callers" jq -e \
		'.totals.functions > 3000 and .totals.callers > 6000 and (.functions + .callers | length) == .totals.entries' \
		"$out/$file.json"
	is "$file: its list has only addresses" \
		"$(awk '!/^[0-9a-f]+( [^ ]+)?$/' "$out/$file.tailor" 2>&1)" ''
	is "$file: its list has as many addresses as the document" "$(wc -l <"$out/$file.tailor")" \
		"$(jq '.functions + .callers | length' "$out/$file.json")"
	is "$file: nothing was lost" "$(jq -c '.lost | [.refused, .map_full] | map(. // 0) | add' \
		"$out/$file.json")" 0
done
ok 'no difference between the engines is unexplained' \
	grep -qxE 'All differences are explained\.|No difference\.|Of the .*, 0 are UNEXPLAINED\.' \
	<(part 'The set in the kernel')
# If BPF missed thousands of calls, these may explain as many differences, but only possibly.
possible=$(part 'The set in the kernel' | sed -n 's/^Of the .* \([0-9]*\) only possibly.*/\1/p')
ok 'at most 1 % of the functions are only possibly explained' test "${possible:-0}" -lt 40
ok 'the engines have thousands of functions in common' many "$(part 'The set in the kernel' |
	sed -n 's/.*; \([0-9]*\) in both.*/\1/p' | head -n 1)" 3000

# ---- what it costs

cost()
{
	part 'CPU time' | sed -n "s/^ *$1 .* \([0-9.]*\) x\$/\1/p"
}

is 'the costs are multiples of "not traced"' "$(cost 'not traced')" 1.00
ok 'oneshot costs more than no tracing' many "$(cost 'oneshot, all')" 1.1
ok 'retiring functions costs less than not retiring them' many "$(cost 'oneshot, all')" "$(cost 'oneshot, functions only, --retire')"
# Compares what each adds to the workload. When this was written, kprobe.multi added ten times as much.
added=$(awk -v o="$(cost 'oneshot, all')" -v b="$(cost 'kprobe.multi, all')" 'BEGIN { print 5 * (o - 1), b - 1 }')
ok "kprobe.multi adds at least five times as much as oneshot (${added/ /, })" many "${added#* }" "${added% *}"

# ---- the early boot

early=$(part 'The boot from before')
for phase in setup_arch mm_core_init ftrace_init; do
	ok "the early boot has $phase" grep -qE "^ *$phase +[0-9]" <<<"$early"
done
ok 'the early boot has more than 200,000 calls' \
	many "$(sed -n 's/^ *Calls: *\([0-9]*\) .*/\1/p' <<<"$early")" 200000
is 'no early call is lost' "$(sed -n 's/^ *Lost: *//p' <<<"$early")" nothing
is 'trace viewers can read its trace' "$(jq -rf tests/guest/trace-events.jq "$out/early.trace" 2>&1)" ''

# ---- the page, and the same for genhtml

# The answers of hytrace are compared with those of a browser and of genhtml, which count by themselves.
report()
{
	build/hytrace report --vmlinux "$(kernel/build.sh --print-vmlinux)" -f "$@" "$out"/{boot,workload.oneshot}.json
}

ok 'make run says where the page is' grep -q "open $out/report.html in a browser" <(part 'The same as a page')
is 'the page has at most 3 MB' "$(($(stat -c %s "$out/report.html") / 3000000))" 0
report json >"$tap_scratch/report.json"
# vfs_read() is called directly by ksys_read(), among others.
browse "$out/report.html" 'async function MORE(t) {
	t.result.vfs = await t.search("vfs_read");
	t.row("vfs_read ").click();
	t.result.read = t.text(document.getElementById("detail"));
}' >"$tap_scratch/page.json"
is 'the page shows, in a browser' "$(jq .error "$tap_scratch/page.json")" null
is 'the console of the browser says nothing' "$(cat "$tap_scratch/console")" ''
is 'its shares are those of -f json' "$(jq -c .totals "$tap_scratch/page.json")" \
	"$(jq -c '[.columns[] | [.seen, .asked_for]]' "$tap_scratch/report.json")"
is 'so are those of its directories together' "$(jq -c '.sums as $s | [range(2) as $c | [$s | map(.[$c][0]), map(.[$c][1]) | add]]' \
	"$tap_scratch/page.json")" "$(jq -c .totals "$tap_scratch/page.json")"
is 'it knows who called vfs_read()' "$(jq '.read | test("^vfs_read fs/read_write.c:[0-9]+ .*Called from .*ksys_read")' \
	"$tap_scratch/page.json")" true
# If the kernel came from the cache, the few files that its build makes are not there.
tree=$(kernel/build.sh --print-tree)
report lcov --source "$tree" >"$tap_scratch/run.info"
# A copy of a function, of a header or made by the compiler, is none of its own in the source.
is 'genhtml counts the functions of -f json' \
	"$(functions_of --ignore-errors source --prefix "$tree" "$tap_scratch/run.info")" \
	"$(jq -r '[.functions[] | select(.line) | select(any(.seen[]; . != null))] |
		group_by([.file, (.name | sub("[.].*"; ""))]) | "\(map(select(any(.[].seen[]; .))) | length) of \(length)"' \
		"$tap_scratch/report.json")"
ok 'calls in functions that ran are told apart' awk -F '[:,]' '/^DA/ { n[$3]++ } END { exit !(n[0] > 60000 && n[1] > 6000) }' \
	"$tap_scratch/run.info"

# ---- files

is 'each file that it lists exists with the size that it says' \
	"$(part Files | awk 'NF { print $1, $2 }')" \
	"$(stat -c '%n %s' "$out"/*.json "$out"/*.tailor "$out"/*.trace "$out"/*.html)"

tap_end
