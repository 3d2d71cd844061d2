#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs `make run` as a new user does, and checks what it prints and leaves: each part must be there, with figures that
# only a real boot and a real workload give. The first result, on Debian's kernel, is asked for by name, because there is
# a patched kernel already; tests/host/main-job.sh has the rest of it. Takes three minutes once the kernel is built, with the first result.
#
# Usage: tests/guest/make-run.sh
# shellcheck disable=SC2016 # awk, jq and the page's scripts have variables of their own

. "$(dirname "$(realpath "$0")")/tap.sh"
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
	awk -v dir="$1" '$1 == dir { print $'"$2"' }' "$out/report.txt"
}

# from_tables FILE: fails if a line of stdin is not in this file; blanks at its ends do not count
from_tables()
{
	awk 'NR == FNR { gsub(/^ +| +$/, ""); has[$0]; next }
	     !NF { next } { gsub(/^ +| +$/, ""); n++ } !($0 in has) { print; bad = 1 } END { exit bad || !n }' "$1" -
}

# many NUMBER LEAST: succeeds if NUMBER is a number of at least LEAST
many()
{
	[[ $1 =~ ^[0-9.]+$ ]] && awk -v n="$1" -v least="$2" 'BEGIN { exit !(n >= least) }'
}

# ---- the first result, on Debian's kernel

rm -rf "$out" "$out-first"
tests/guest/main-job.sh first >"$log" 2>"$log.err"
is 'the first result' "$?" 0
is 'the first result reports no failure' "$(grep -iE 'error|fail|cannot|dead|died' "$log.err" | head)" ''
ok 'its table has at least 100 functions of ext4' many "$(part 'What ran in Debian' | awk '$1 == "[ext4]" { print $2 }')" 100
ok 'its table is in report.txt' from_tables "$out-first/report.txt" < <(part 'What ran in Debian' | grep '%$')
is 'it tells the sum' "$(part 'What ran in Debian' | grep -o '[0-9]\+ of [0-9]\+')" \
	"$(build/hytrace report -f json --universe "$out-first/functions.json" "$out-first/workload.json" | jq -r '.columns[0] | "\(.seen) of \(.asked_for)"')"
ok 'it has thousands of functions and callers' jq -e '.totals.functions > 3000 and .totals.callers > 6000 and
	.lost.map_full == 0 and .lost.modules_late == 0' "$out-first/workload.json"
ok 'its page is named' grep -q "Open $out-first/report.html" "$log"
build/hytrace report -f json --universe "$out-first/functions.json" "$out-first/workload.json" >"$tap_scratch/first.json"
browse "$out-first/report.html" >"$tap_scratch/page.json"
is 'its page shows, in a browser' "$(jq .error "$tap_scratch/page.json")" null
is 'the shares of the page are those of -f json' "$(jq -c .totals "$tap_scratch/page.json")" \
	"$(jq -c '[.columns[] | [.seen, .asked_for]]' "$tap_scratch/first.json")"
rm -rf "$out-first"

# ---- make run

make --no-print-directory run >"$log" 2>"$log.err"
is 'make run' "$?" 0
is 'make run reports no failure' "$(grep -iE 'error|fail|cannot|dead|died' "$log.err" | head)" ''
sed 's/^/# /' "$log.err" | tail -n 20
is 'with a kernel, there is no first result' "$(grep -c "Debian's" "$log"; ls -d "$out-first" 2>/dev/null)" 0
lines=$(sed -n '/^== /,$p' "$log" | wc -l)
ok "the last screen has 20 to 36 lines ($lines)" test "$lines" -ge 20 -a "$lines" -le 36
is 'no line of it is wider than 120 columns' "$(awk 'length > 120' "$log")" ''
ok 'the table of directories is in report.txt' from_tables "$out/report.txt" < <(part 'What ran' | grep '%$')
ok 'what it tells of the engines is in comparison.txt' from_tables "$out/comparison.txt" < <(part 'The workload')
is 'it tells which part of the workload runs a change' "$(part 'Which parts' | grep -o 'ext4_sync_file ([a-z0-9]*)')" 'ext4_sync_file (ext4)'
ok 'the phases of the boot are in early.txt' from_tables "$out/early.txt" < <(part 'The boot from before' | grep -E '%|PHASE')
is 'it tells the sums' "$(part 'What ran' | grep -oE '[0-9]+ of [0-9]+|[0-9]+ places')" \
	"$(build/hytrace report -f json --vmlinux "$(kernel/build.sh --print-vmlinux)" "$out"/{boot,workload.oneshot}.json |
		jq -r '.columns[] | "\(.seen) of \(.asked_for)", "\(.callers) places"')"
is 'the results of the set in the kernel are complete' "$(jq -c '[.engine, .complete]' "$out"/{boot,workload.oneshot}.json)" \
	'["oneshot",true]'$'\n''["oneshot",true]'
is 'nothing is told as lost' "$(grep 'lost: [^n]' "$log")" ''

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
	"$out/comparison.txt"
# If BPF missed thousands of calls, these may explain as many differences, but only possibly.
possible=$(sed -n 's/^Of the .* \([0-9]*\) only possibly.*/\1/p' "$out/comparison.txt")
ok 'at most 1 % of the functions are only possibly explained' test "${possible:-0}" -lt 40
ok 'the engines have thousands of functions in common' many "$(sed -n 's/.*; \([0-9]*\) in both.*/\1/p' "$out/comparison.txt" | head -n 1)" 3000

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

early=$(<"$out/early.txt")
for phase in setup_arch mm_core_init ftrace_init; do
	ok "the early boot has $phase" grep -qE "^ *$phase +[0-9]" <<<"$early"
done
ok 'the early boot has more than 200,000 calls' \
	many "$(sed -n 's/^ *Calls: *\([0-9]*\) .*/\1/p' <<<"$early")" 200000
is 'no early call is lost' "$(sed -n 's/^ *Lost: *//p' <<<"$early")" nothing

# ---- the page, and the same for genhtml

# The answers of hytrace are compared with those of a browser and of genhtml, which count by themselves.
report()
{
	build/hytrace report --vmlinux "$(kernel/build.sh --print-vmlinux)" -f "$@" "$out"/{boot,workload.oneshot}.json
}

ok 'make run says where the page is' grep -q "^  $out/report.html .* in a browser$" <(part 'Where to go on')
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
# A copy of a function, of a header or made by the compiler, is none of its own in the source. Trace events are in no share.
is 'genhtml counts the functions of -f json' \
	"$(functions_of --ignore-errors source --prefix "$tree" "$tap_scratch/run.info")" \
	"$(jq -r '[.functions[] | select(.line and .class != "event") | select(any(.seen[]; . != null))] |
		group_by([.file, (.name | sub("[.].*"; ""))]) | "\(map(select(any(.[].seen[]; .))) | length) of \(length)"' \
		"$tap_scratch/report.json")"
ok 'calls in functions that ran are told apart' awk -F '[:,]' '/^DA/ { n[$3]++ } END { exit !(n[0] > 60000 && n[1] > 6000) }' \
	"$tap_scratch/run.info"

# ---- files

ok 'each file that it names has something' xargs -r -n 1 test -s < <(part 'Where to go on' | grep -oE "$out/[^ *]+[a-z]")
for file in report comparison cost early messages; do
	ok "$file.txt has something" test -s "$out/$file.txt"
done

tap_end
