#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests the command `hytrace boot compare`, offline, on documents of boots that this script makes: which files form the
# two groups, what is printed, and the exit status. tests/unit/boot/compare.c tests what differs, and
# tests/guest/compare.sh compares real boots.
# shellcheck disable=SC2016 # jq has variables of its own

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
. "$clone/tests/guest/schema-lib.sh"
cd "$tap_scratch" || exit 1

# document FILE N [FILTER]: that of the Nth boot. Each boot has a noise of some microseconds of its own.
document()
{
	jq -n --argjson n "$2" 'def us: . * 1000; (($n * 7) % 10) as $noise |
		def initcall($name; $time): {name: $name, level: "early", start: (200000 | us), time: ($time | us), self: ($time | us)};
		{hytrace: "0", document: "boot", schema: 5, tracer: "function",
		kernel: {release: "6.12.0-test", build_id: "1a2b", cmdline: "quiet"}, boot_id: "boot-\($n)",
		machine: {cpus: 2, memory_bytes: 2000000000, model: "x"}, window: {clock: "x86-tsc", unit: "ns", begin: 0, until: 1},
		totals: {functions: 2, sites: 10, timeless: 0}, lost: {lost: 0}, cost: {}, calls: [],
		phases: [{name: "setup_arch", kind: "function", start: 0, time: 50000000, calls: 500, phases: []}],
		functions: [{name: "f", calls: 5000}, {name: "g.isra.0", calls: 100}],
		start: {lost: 0, unread: 0, clock_back: 0, inits: [{program: "/init", start: (1000000 + $noise | us)}],
			levels: [{name: "early", start: (200000 | us), time: (700000 + $noise | us), in_initcalls: 0, initcalls: 2}],
			initcalls: [initcall("a_init"; 20000 + $noise), initcall("b_init"; 5000 + $noise)], cost: {events: 9, events_until_init: 9}},
		asked: true, parts: {}, firmware: {kexec: false, unstable: false}, userspace: {}} |
		'"${3:-.}" >"$1"
}

# compare STATUS ARGUMENT...: compares with that exit status; what it prints is in out and err
compare()
{
	local expected=$1 status=0
	shift

	"$hytrace" boot compare "$@" >out 2>err || status=$?
	((status == expected)) && return
	echo "status $status instead of $expected"
	cat out err
	return 1
}

# refused TEXT ARGUMENT...: is a mistake, about which a message has TEXT
refused()
{
	local text=$1
	shift

	compare 2 "$@" && grep -qF -- "$text" err && [[ ! -s out ]] && return
	cat out err
	return 1
}

# The rows of the tables in out, by name.
rows()
{
	awk '/^KIND/ { table = 1; next } /^$/ { table = 0 } table { print $2 }' out | xargs
}

planted='.start.initcalls[0].self += 1000000 | .functions[0].calls += 1000 | .kernel.build_id = "3c4d" |
	.functions[1].name = "g.constprop.1"'
mkdir a b
for n in 0 1 2 3 4; do
	document "a/$n.json" "$n"
	document "b/$n.json" $((n + 5)) "$planted"
done
gzip a/3.json
echo unrelated >a/README
cp a/0.json one.json
document two.json 1 '.start.initcalls[0].self += 7500000'

# ---- two boots

ok 'two boots that differ by some microseconds: 0' compare 0 a/0.json a/1.json
is 'no row is listed' "$(rows)" ''
ok 'it says that two boots do not tell the noise' grep -q 'nothing is certain' out
ok 'two boots that differ: 1' compare 1 one.json two.json
is 'the row is listed' "$(rows)" a_init
ok 'as a possible difference' grep -qE '^initcall a_init +0\.020000 +0\.027507 +\+0\.007507 +\+37\.5% +possibly$' out
ok 'a document can come through a pipe' compare 1 - two.json <one.json
ok 'all rows: 1' compare 1 --all one.json two.json
is 'are all listed' "$(rows)" 'a_init b_init f g early until (after, (before) setup_arch setup_arch'

# ---- groups

ok 'two directories of five: 1' compare 1 a b
is 'what was planted is listed, and nothing else' "$(rows)" 'a_init f'
ok 'for certain, and within 1 %' awk '$2 == "a_init" { if ($5 < 0.00099 || $5 > 0.00101 || $NF != "certain") exit 1; n++ }
	$2 == "f" { if ($5 != 1000 || $NF != "certain") exit 1; n++ } END { exit n != 2 }' out
ok 'the text names the groups' grep -q '^B: b: 5 boots of 6.12.0-test (3c4d)$' out
cp out directories
ok 'the same with lists of files' compare 1 a/[0-9]* -- b/*
is 'they say the same' "$(tail -n +3 out)" "$(tail -n +3 directories)"
ok 'options can be anywhere before the --' compare 1 a/0.json a/1.json -f json a/2.json -- b/0.json b/1.json
is 'groups may have different sizes' "$(jq -c '[.a.boots, .b.boots] | map(length)' out)" '[3,2]'
ok 'groups of one kernel: 0' compare 0 a/[0-2]* -- a/[34]*
ok 'after a leading --, there are two arguments' compare 1 -- a b

# ---- json

ok 'json: 1' compare 1 -f json -o compare.json a b
ok 'is valid' valid boot-compare compare.json
is 'it has what was planted' "$(jq -c '.rows[] | [.kind, .name, .time.differs, .count.differs]' compare.json | xargs)" \
	'[initcall,a_init,certain,no] [function,f,null,certain]'
is 'and how much, within 1 %' "$(jq -c '[.rows[0].time.change, .rows[1].count.change]' compare.json)" '[1001000,1000]'
is 'and the whole' "$(jq -c '[.until_init.time.differs, .enough_boots, .rows_differing, .rows_compared]' compare.json)" '["no",true,2,9]'
ok 'FILE.json is json' compare 1 -o guessed.json a b
ok 'and the same' cmp compare.json guessed.json
ok 'json of two boots: 1' compare 1 -f json --all -o two-boots.json one.json two.json
ok 'is valid, too' valid boot-compare two-boots.json
is 'each row is there once' "$(jq -r '.rows[], .parts[] | "\(.kind) \(.name)"' two-boots.json | sort | uniq -d)" ''
is 'it does not know the noise' "$(jq -c '[.rows[0].time.noise, .rows[0].time.p]' two-boots.json)" '[null,null]'
ok '-n: 1' compare 1 -n 1 --all -f json a b
is 'has so many rows' "$(jq -c '[.rows, .parts] | map(length)' out)" '[1,1]'
ok 'in text: 1' compare 1 -n 1 --all a b
ok 'it says how many are left' grep -q '^and 1 more; -n lists them$' out

# ---- limits

for limit in 5% 49ms 0.04s 49000us; do
	document slow.json 5 '.start.inits[0].start += 55000000'
	ok "$limit: until init, 55 ms more are too much: 1" compare 1 --fail-above "$limit" a/0.json slow.json
	ok 'it says so' grep -q '^hytrace: --fail-above: the time until init has grown by 0.055005 s (5.5 %); the noise is not known' err
done
for limit in 6% 60ms; do
	ok "$limit: until init, 55 ms more are not too much: 0" compare 0 --fail-above "$limit" a/0.json slow.json
done
ok 'rows that differ are no failure then: 0' compare 0 --fail-above 5% a b
is 'and are listed' "$(rows)" 'a_init f'
document fast.json 5 '.start.inits[0].start -= 155000000'
ok 'faster is no failure: 0' compare 0 --fail-above 5% a/0.json fast.json
for limit in 5 % x -5% 0% nan% 0x5% 1e1% 5%%; do
	ok "--fail-above $limit is a mistake" refused 'not a share (5%) or a time' --fail-above="$limit" a/0.json slow.json
done
units='.units = [{name: "top.target", after: [], names: [], start_monotonic: 1, active_monotonic: (8000000000 + .start.inits[0].start - 1000000000)}] |
	.userspace = {manager: "systemd", target: "top.target", finish: 9000000000}'
document quick.json 0 "$units"
document late.json 5 ".start.inits[0].start += 500000000 | $units | .start.inits[0].start = 1000000000"
ok 'until the default target: 1' compare 1 --fail-above 5% --until target quick.json late.json
ok 'it says so' grep -q '^hytrace: --fail-above: the time until the default target has grown by 0.500005 s (6.3 %); the noise' err
ok 'the text has both times' grep -q '^Until the default target was reached: 8.000000 s, then 8.500005 s: ' out
ok 'that is not too much: 0' compare 0 --fail-above 7% --until target quick.json late.json
ok 'and until init, it is none: 0' compare 0 --fail-above 5% --until init quick.json late.json
ok 'json, 6 % are no difference by themselves: 0' compare 0 -f json -o target.json quick.json late.json
ok 'is valid' valid boot-compare target.json
is 'it has the time' "$(jq -c '[.until_target.time | .a, .b]' target.json)" '[8000000000,8500005000]'
ok 'a limit without a default target' refused 'slow.json does not tell when the default target was reached' --fail-above 5% --until target \
	--output /dev/null quick.json slow.json
ok '--until without a limit' refused '--until is for --fail-above' --until target quick.json late.json
ok '--until with another word' refused 'choose init or target' --fail-above 5% --until end quick.json late.json
document traced.json 5 '.start = null'
ok 'rows that cannot be compared: 0' compare 0 a/0.json traced.json
is 'are counted' "$(grep -c '^Left out: 6 rows of a part of the boot that is not compared: see the notes$' out)" 1
ok 'in json, too: 0' compare 0 -f json -o left.json a/0.json traced.json
ok 'is valid' valid boot-compare left.json
is 'they are there' "$(jq -c .rows_left_out left.json)" '{"part":6,"lost":0,"unknown":0}'
ok 'a limit without a time until init' refused 'traced.json does not tell when init was started' --fail-above 5% \
	--output /dev/null a/0.json traced.json

# ---- mistakes

ok 'no argument' refused 'Usage'
ok 'one argument' refused 'Usage' one.json
ok 'three, and no --' refused 'put a -- between' one.json two.json a/1.json
ok 'a file that is not there' refused 'none.json: cannot be read: No such file' one.json none.json
echo '{}' >other.json
ok 'another file' refused 'other.json: is not a file of `hytrace boot -f json`' one.json other.json
jq '.document = "coverage" | .schema = 2' one.json >coverage.json
ok 'another document' refused 'coverage.json: is not a file of `hytrace boot -f json`' one.json coverage.json
jq '.schema = 4' one.json >old.json
ok 'an old document' refused 'has schema 4, and this hytrace knows 5' one.json old.json
head -c 100 one.json >cut.json
ok 'a document that is cut off' refused 'cut.json: cannot be read: the file is cut off' one.json cut.json
mkdir empty
{ echo '{"hytrace": "0", "document": "boot", "schema": 5, "start": {"runs": ['; yes '{},' | head -n 2700000; echo '0]}}'; } >large.json
ok 'one that takes too much memory to read' refused 'use `hytrace boot` on that machine, or boot it with a smaller trace_buf_size=' one.json large.json
ok 'an empty directory' refused 'empty: has no json files' one.json empty
ok 'two kernels in a group' refused 'is of another kernel than' a/0.json b/0.json -- b/1.json
ok 'one boot twice in a group' refused 'is of the same boot as' a/0.json one.json -- b/1.json
ok 'no such format' refused 'choose text or json' -f xml one.json two.json
ok 'standard input twice' refused 'standard input has been read already' - - <one.json
ok 'a full disk' refused 'No space left' one.json two.json -o /dev/full

# ---- values of any kind

jq '.kernel.release = "6.12\u001b[31m" | .kernel.build_id = "\u001b]0;x\u0007" | .kernel.cmdline = "a\u001b[2J\nb" |
	.start.initcalls[0] |= (.name = "ev\u001b[31mil" | .self = 99000000)' one.json >escape.json
ok 'what a terminal would obey is not printed as it is' compare 1 one.json escape.json
is 'but in another way' "$(grep -c '6.12\\x1b\[31m (\\x1b\]0;x\\x07)$\|and a\\x1b\[2J\\x0ab in escape.json\.$\|^initcall ev\\x1b\[31mil ' out)" 3
is 'neither in text' "$(grep -c $'\e' out)" 0
ok 'in json: 1' compare 1 -f json one.json escape.json
is 'neither there' "$(grep -c $'\e' out)" 0
jq '.functions = [1, null, {"calls": 3}, {"name": "f", "calls": "x"}] | .phases = "x" | .kernel = null' one.json >odd.json
ok 'values that hytrace does not write are refused' refused 'odd.json: is damaged' one.json odd.json

tap_end
