#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests what tests/bench/run.sh does with a guest's rows: it must fail if a figure is missed, or if a row that was
# asked for is missing. The guest here only prints rows. And what system calls reach in a kernel that is made here.

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
fake=$tap_scratch/clone

make_clone()
{
	mkdir -p "$fake/tests/bench" "$fake/kernel" "$fake/build/bench"
	cp "$clone"/tests/bench/{run.sh,targets.*} "$fake/tests/bench"
	# The next boot may print other rows.
	cat >"$fake/kernel/vm.sh" <<-END
		#!/bin/sh
		echo 6.12-fake
		cat "$fake/rows"
		[ ! -e "$fake/rows.next" ] || mv "$fake/rows.next" "$fake/rows"
	END
	: >"$fake/build/hytrace"
	chmod +x "$fake/kernel/vm.sh" "$fake/build/hytrace"
}

# rows EDIT: makes the guest's rows, in which each figure just reaches its target; a jq filter then changes them.
rows()
{
	jq -n '[["oneshot", "one", 30], ["oneshot-nocallers", "one", 22], ["function", "one", 500],
		["oneshot", "all", 60], ["function", "all", 1000], ["event", "one", 550],
		["fprobe-event-2args", "one", 1000], ["event-2args", "one", 550],
		["event-2args-of-5000", "one", 577.5], ["kprobe-multi-hash", "one", 600],
		["event-bpf-hash", "one", 540], ["kprobe-multi", "one", 200], ["cover-bpf", "one", 270],
		["kprobe-multi-denied", "all", 1000], ["kprobe-multi", "all", 1125],
		["oneshot-retired", "one", 0], ["event-bpf", "one", 200],
		["cover-bpf", "all", 1350]]
		| map({contender: .[0], scope: .[1], workload: "getppid", over_base: .[2], total: .[2],
			note: ""} + ({"cover-bpf": {attach: 700e6, detach: 370e6},
				oneshot: {attach: 174e6, detach: 185e6}, "event-bpf": {attach: 1e6},
				"oneshot-retired": {note: "1, in 1 batches that took 20000"}}[.[0]] // {}))
		+ [["getppid", "pipe", "file"][] | {contender: "oneshot-retired", scope: "all", workload: .,
			base: 1000, over_base: 10, total: 1010, note: ""}]' | jq "$1" >"$fake/rows"
}

# status ROWS ARGUMENT...: prints the exit status of run.sh with these arguments, for rows edited by ROWS.
status()
{
	rows "$1"
	shift
	"$fake/tests/bench/run.sh" "$@" >"$tap_scratch/out" 2>"$tap_scratch/err"
	echo $?
}

make_clone
is 'all targets are reached: 0' "$(status .)" 0
is 'each target is reported as reached' "$(grep -c '^reached' "$tap_scratch/err")" 17
is 'a figure that is too large by 1: 1' "$(status 'map(if .contender == "oneshot-nocallers" then .over_base = 23 else . end)')" 1
ok 'that figure is named' grep -q '^MISSED: oneshot, one function, functions only: 23, at most 22' "$tap_scratch/err"
is 'a share that is too large: 1' "$(status 'map(if .contender == "event-bpf-hash" then .over_base = 541 else . end)')" 1
is 'an engine that attaches slowly: 1' "$(status 'map(if .contender == "cover-bpf" then .attach = 700000001 else . end)')" 1
ok 'that engine is named' grep -q '^MISSED: BPF engine, attaching to all functions: 700000001' "$tap_scratch/err"
is 'retiring that takes too long: 1' "$(status 'map(if .note != "" then .note += "1" else . end)')" 1
ok 'the time of retiring is named' grep -q '^MISSED: retiring one function, of enabling one event with a BPF program: 200001, at most 20000' "$tap_scratch/err"
is 'a row without the time of retiring: 1' "$(status 'map(if .note != "" then .note = "function only" else . end)')" 1
ok 'the time of retiring is unknown' grep -q '^UNKNOWN: retiring one function' "$tap_scratch/err"
is 'a workload that the tracer slows down: 1' "$(status 'map(if .workload == "pipe" then .total = 1011 else . end)')" 1
ok 'that workload is named' grep -q '^MISSED: oneshot, all functions, retired, pipe, of no tracer: 1011, at most 1010' "$tap_scratch/err"
is 'a workload that is faster than without a tracer: 1' "$(status 'map(if .workload == "file" then .total = 900 else . end)')" 1
ok 'the cost for that workload is unknown' grep -q '^UNKNOWN: oneshot, all functions, retired, file' "$tap_scratch/err"
is 'a workload without a figure: 1' "$(status 'map(if .workload == "pipe" then .total = null else . end)')" 1
is 'a workload without a row: 1' "$(status 'map(select(.workload != "pipe"))')" 1
is 'a row without a figure: 1' "$(status 'map(if .contender == "oneshot" then .over_base = null else . end)')" 1
ok 'the figure of that row is unknown' grep -q '^UNKNOWN: oneshot, one function, with callers' "$tap_scratch/err"
is 'a row for comparison without a figure: 1' "$(status 'map(if .contender == "function" then .over_base = null else . end)')" 1
is 'a missing row: 1' "$(status 'map(select(.contender != "event"))')" 1
is 'no row at all: 1' "$(status '[]')" 1
is 'other rows are not needed if -c chooses one: 0' "$(status 'map(select(.contender == "oneshot"))' -c oneshot)" 0
is 'a chosen row that misses its target: 1' "$(status 'map(select(.contender == "oneshot") | .over_base = 31)' -c oneshot)" 1
is 'a chosen row without a figure: 1' "$(status 'map(select(.contender == "oneshot") | .over_base = null)' -c oneshot)" 1
is 'a chosen row that is missing: 1' "$(status 'map(select(.contender == "function"))' -c oneshot -c function)" 1
is 'other rows are not needed if --scope chooses some: 0' "$(status 'map(select(.contender == "oneshot" and .scope == "all"))' -c oneshot --scope=all)" 0
is 'other rows are not needed if --workload chooses some: 0' "$(status 'map(select(.contender != "oneshot-retired" or .workload != "pipe"))' \
	-w getppid --workload file)" 0
is 'no row of those that were chosen: 1' "$(status '[]' -c base)" 1
is 'all targets of --quick are reached: 0' "$(status . --quick)" 0
is '--quick has 13 targets' "$(grep -c '^reached' "$tap_scratch/err")" 13
# With one function, oneshot-retired is compared with event-bpf, which --quick leaves out. kprobe-multi with all
# functions has no target.
is '--quick fails if one of its other rows is missing' "$(for n in {0..14}; do
	status "(map(select(.contender | IN(\"oneshot\", \"oneshot-nocallers\", \"oneshot-retired\", \"cover-bpf\",
		\"kprobe-multi\", \"kprobe-multi-denied\", \"function\", \"event\", \"event-2args\",
		\"fprobe-event-2args\", \"event-2args-of-5000\")) | select(.workload == \"getppid\" and
		(.contender != \"kprobe-multi\" or .scope == \"one\")))
		| if length > $n then del(.[$n]) else empty end)" --quick
done | sort | uniq -c | xargs)" '1 0 14 1'
is '--quick without rows: 1' "$(status '[]' --quick)" 1
is '--quick with only the base: 1' "$(status 'map(.contender = "base")' --quick)" 1
status . >/dev/null
cp "$fake/build/bench/results.json" "$tap_scratch/all.json"
status . --quick >/dev/null
status . -c oneshot >/dev/null
ok '--quick and -c do not replace the results of all rows' cmp "$fake/build/bench/results.json" "$tap_scratch/all.json"
is 'an option that hytrace bench does not know: 1' "$(status . --nothing)" 1
sed -i 's/"most": 30}/"mots": 30}/' "$fake/tests/bench/targets.json"
is 'a target without a bound: 1' "$(status .)" 1
echo '{' >>"$fake/tests/bench/targets.json"
is 'targets that cannot be read: 1' "$(status .)" 1
cp "$clone/tests/bench/targets.json" "$fake/tests/bench"
is 'another kernel has no targets: 0' "$(status 'map(.over_base = null)' --kernel stock)" 0

# The same rows, on a kernel beside; then one that costs more there.
is 'run.sh succeeds if the contenders cost the same on a kernel beside' "$(status . --beside unpatched)" 0
is 'it says so of each contender' "$(grep -c '^reached: .*, beside the unpatched kernel: ' "$tap_scratch/err")" 13
is 'each kernel has a results file' "$(jq -r .meta.config "$fake"/build/bench/results{,-beside}.json | xargs)" 'patched unpatched'
rows 'map(if .contender == "function" and .scope == "one" then .over_base += 1 else . end)'
mv "$fake/rows" "$fake/rows.next"
is 'run.sh allows a difference of one instruction' "$(status . --beside unpatched)" 0
rows 'map(if .contender == "function" and .scope == "one" then .over_base += 2 else . end)'
mv "$fake/rows" "$fake/rows.next"
is 'run.sh fails if a contender costs two instructions more there' "$(status . --beside unpatched)" 1
ok 'run.sh names the contender that costs two more' grep -q '^MISSED: function, beside the unpatched kernel: 500, there 502' "$tap_scratch/err"
rows 'map(if .contender == "function" and .scope == "one" then .over_base -= 2 else . end)'
mv "$fake/rows" "$fake/rows.next"
is 'run.sh fails if a contender costs two instructions less there' "$(status . --beside unpatched)" 1
rows 'map(.contender += "-other")'
mv "$fake/rows" "$fake/rows.next"
is 'run.sh fails if the two kernels have no contender in common' "$(status . --beside unpatched)" 1
rows 'map(select(.contender == "oneshot") | .contender = "base")'
mv "$fake/rows" "$fake/rows.next"
is 'run.sh fails if the two kernels have the base alone in common' "$(status 'map(if .contender == "oneshot" then .contender = "base" else . end)' -c base --beside unpatched)" 1
is 'run.sh asks nothing of the figures of several CPUs' "$(status 'map(.over_base = 1000)' --cpus 4)" 0
is 'the results say how many CPUs there were' "$(jq -r .meta.config "$fake/build/bench/results.json")" 'patched, 4 CPUs'

rows 'map(select(.contender == "oneshot" and .scope == "one") | . + {over_base: 20, min: 5, max: 90})'
mv "$fake/rows" "$fake/rows.next"
is 'two boots: 0' "$(status 'map(. + {min: 7, max: 40})' --kernel stock --boots 2)" 0
is 'two boots give one row with the median and the extremes' "$(jq -c '[.rows[] | select(.contender == "oneshot" and
	.scope == "one") | .over_base, .min, .max]' "$fake/build/bench/results.json")" '[25,5,90]'
is 'the results have the command that made them' "$(jq -r .meta.command "$fake/build/bench/results.json")" \
	'make bench, as tests/bench/run.sh --kernel stock --boots 2'
# ---- what system calls reach

cd "$tap_scratch" || exit 1
cat >main.c <<-'END'
	const char linux_banner[] = "Linux version 6.12.1-made (a@b) #1";
	#define apart __attribute__((noinline, noclone))
	int there;
	apart void deep(void) { there = 1; }
	apart void named(void) { deep(); there++; }
	apart void pointed_at(void) { there = 2; }
	apart void never(void) { there = 3; }
	__attribute__((section(".init.text"))) apart void while_booting(void) { there = 4; }
	void (*const table[])(void) = { pointed_at, while_booting };
	void __x64_sys_one(void) { named(); there += 5; }
	void __ia32_compat_sys_two(void) { table[there](); there += 6; }
END
# There has to be a table of what can be traced. What is in it does not matter here.
gcc -O2 -ffreestanding -fno-pic -mcmodel=kernel -c -o main.o main.c &&
	ld -e 0 -Ttext=0xffffffff81000000 --defsym=__start_mcount_loc=linux_banner \
		--defsym=__stop_mcount_loc=linux_banner+8 -o vmlinux main.o
ok 'reachable is compiled' make -s -C "$clone" build/bench/reachable
# Two system calls, named() and deep(); and pointed_at(), but nothing that is freed.
is 'functions that system calls reach: by names, and by pointers' "$("$clone/build/bench/reachable" vmlinux)" '4 5'
is 'what is no kernel has no answer' "$("$clone/build/bench/reachable" main.c 2>/dev/null; echo $?)" 1
tap_end
