#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests stores: hytrace keep, forget and sql, and the other commands on a store. sqlite3 reads each store as well.
# shellcheck disable=SC2016 # jq has variables of its own

set -uo pipefail

# shellcheck source=tests/guest/documents-lib.sh
. "$(dirname "$(realpath "$0")")/../guest/documents-lib.sh"

# query STORE SQL: as sqlite3 sees it
query()
{
	sqlite3 -readonly "$1" "$2"
}

# measured COMMAND...: sets megabytes, the most memory of the command, and ended, its status; its messages are in the file errors
measured()
{
	read -r megabytes ended < <(python3 -c 'import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stderr=open("errors", "w")).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10, status)' "$hytrace" "$@")
}

# same COMMAND... -- FILE...: prints what differs between the answers from documents and from a store of them
same()
{
	local command=()

	while [[ $1 != -- ]]; do
		command+=("$1")
		shift
	done
	shift
	rm -f same.db
	"$hytrace" keep same.db "$@" || return
	"$hytrace" "${command[@]}" "$@" >expected 2>&1
	echo $? >>expected
	"$hytrace" "${command[@]}" same.db >got 2>&1
	echo $? >>got
	diff expected got | head -n 5
}

ok "a small kernel" small_kernel
mv a.json one.json
document two.json 1234abcd vfs_read rw_verify_area -- '.boot_id = "b2" | .host = "there" | .started = "2026-02-02T03:04:05.000006Z"'
document boot2.json 1234abcd rw_verify_area -- '.boot_id = "b3" | .filters.scope = "boot" | .command = null | .ended = "reading" |
	.callers[0].entered = (.functions[0] | {addr, name, "module": .module, offset}) |
	.functions[0].caller = {addr: "0xffffffff81000105", name: "vfs_read", module: null, offset: null, symbol_offset: 5}'
u=--universe=1234abcd.universe

# ---- keep

is 'keep: 0' "$(umask 022 && status keep s.db one.json two.json)" 0
is 'a new store has the permissions of other files' "$(stat -c %a s.db)" 644
is 'it has the runs' "$(query s.db 'SELECT id, document, host, scope, functions, callers FROM run')" \
'1|one.json|here|system|1|1
2|two.json|there|system|2|1'
is 'what is kept again is kept once' "$(zstd -q -o two.json.zst two.json; status keep s.db two.json.zst one.json &&
	query s.db 'SELECT count(*) FROM run')" '0
2'
for file in one two; do
	is "sqlite3 finds the functions of $file.json" \
		"$(query s.db "SELECT f.name FROM ran_function f JOIN run ON run.id = f.run WHERE document = '$file.json' ORDER BY 1")" \
		"$(jq -r '.functions[].name' $file.json | sort)"
done
is 'and its call sites' "$(query s.db 'SELECT run, name, symbol_offset FROM ran_site')" '1|vfs_read|5
2|vfs_read|5'
is 'a test and a commit are kept' "$(status keep s.db --test ltp/read01 --commit abc boot2.json)$(
	query s.db 'SELECT test, revision, sees FROM run JOIN ran ON run = id WHERE id = 3 AND object = kernel')" '0ltp/read01|abc|2'
is 'SQLite finds no fault' "$(query s.db 'PRAGMA integrity_check')" ok

# Of "| `object` | ... | `id`, `name` (null: a kernel) |" and "| `hit`, `hit_site` | ..." the columns of each, without what is in
# brackets.
is 'the tables and views have the columns that are documented' "$(sed '/^## Queries/,$d' "$clone/docs/schema/store.md" |
	perl -ne 'next unless /^\| (`.*?) \|.*\| (`.*) \|$/; my ($names, $columns) = ($1, $2); 1 while $columns =~ s/\([^()]*\)//;
		for my $name ($names =~ /`(\w+)`/g) { print("$name $_\n") for $columns =~ /`(\w+)`/g }' | sort)" \
	"$(query s.db "SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS c WHERE m.type IN ('table', 'view') AND
		m.name NOT LIKE 'sqlite%'" | tr '|' ' ' | sort)"

# What runs could see and did not, by the function list.
is 'before the functions are known, none is unseen' "$(query s.db 'SELECT count(*) FROM unseen')" 0
document some.json 1234abcd -- '.filters.allow = ["rw_*"] | .boot_id = "b4"'
document own.json 1234abcd -- '.filters.denied_by_hytrace = ["vfs_read"] | .boot_id = "b5" | .complete = false | .lost = {refused: 2}'
is 'keep with the functions: 0' "$(status keep few.db "$u" some.json)" 0
is 'a run of some functions leaves none unseen' "$(query few.db 'SELECT name FROM unseen')" ''
is 'a run leaves those unseen that it could see' "$(status keep few.db own.json)$(query few.db 'SELECT name, certain FROM unseen')" \
	'0rw_verify_area|0'

# Each function of a kernel, and each of many runs.
jq '.functions[] |= (. as $f | [range(5000)] | map($f + {name: "f\(.)", addr: "0xffffffff8\(2000000 + .)"})) | .functions |= flatten' \
	1234abcd.universe >large.universe
status keep --universe large.universe large.db own.json >/dev/null
sqlite3 large.db "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
	INSERT INTO run SELECT i, randomblob(16), document, kernel, host, boot_id, engine, started, seconds, test, revision, scope, complete, thin,
		functions, callers, blind, head FROM run, n;
	INSERT INTO ran SELECT run.id, object, sees, ran.functions, sites FROM ran, run WHERE run.id > 1"
is 'whether one was complete is found soon in 10,000 that were not' \
	"$(timeout 8 "$hytrace" sql -f csv large.db 'SELECT count(*) > 4000, sum(certain) FROM unseen' | tail -n 1)" 1,0
rm large.*

# A list of a module numbers namesakes, and a run does not.
universe list.universe 1234abcd <<-'END'
	0xffffffff81000100 vfs_read - fs/read.c
	16 dummy_xmit dummy drivers/net/dummy.c
	64 dummy_setup dummy drivers/net/dummy.c
END
jq '.functions[0] |= (.name = "dummy_xmit" | .module = "dummy" | .offset = 16 | .addr = null | .sympos = null)' one.json >xmit.json
jq '.functions[0] |= (.name = "dummy_setup" | .offset = 64) | .boot_id = "b6"' xmit.json >setup.json
of_dummy="SELECT name FROM unseen WHERE module = 'dummy'"
is 'a function of a module that a list has told is unseen' "$(status keep --universe list.universe module.db xmit.json)$(query module.db "$of_dummy")" \
	0dummy_setup
is 'until it runs' "$(status keep module.db setup.json)$(query module.db "$of_dummy")" 0
is 'its run comes back as it was' "$("$hytrace" merge 'module.db?run=2')" "$("$hytrace" merge setup.json)"

# A report puts more modules into the cached list.
"$hytrace" report --vmlinux vmlinux one.json >report.txt 2>&1
cached=cache/hytrace/functions-1234abcd
jq '.modules = [] | .boot_id = "b7"' one.json >none.json
is 'the cached list is taken' "$(status keep cached.db none.json)$(query cached.db 'SELECT name FROM unseen')" 0rw_verify_area
awk -F '\t' -v OFS='\t' 'NR == 1 { $6 = 1; $7++ } $1 == "end" { print "40\tdummy_setup\tdummy\td.c\td.c\t7\t1\t\t0\t0" } { print }
	NR == 1 { print "dummy", "d0" }' $cached >longer && mv longer $cached
is 'and again when a run has a module that is new' "$(status keep cached.db xmit.json)$(query cached.db "$of_dummy")" 0dummy_setup
rm $cached

# A kernel that is locked down hides its addresses.
jq '.kernel.addresses = null | .boot_id = "b8" | .functions[].addr = null | .callers[].addr = null' one.json >hidden.json
for order in 'one.json hidden.json' 'hidden.json one.json' hidden.json; do
	rm -f hidden.db
	# shellcheck disable=SC2086 # words
	is "a run without addresses has seen the same function: $order" "$(status keep $u hidden.db $order)$(query hidden.db 'SELECT name FROM unseen')" \
		0rw_verify_area
done
is 'the other run comes back with them' "$(status keep hidden.db one.json)$("$hytrace" merge 'hidden.db?run=2')" "0$("$hytrace" merge one.json)"

universe events.universe 1234abcd <<'X'
0xffffffff81000100 vfs_read - fs/read_write.c
0xffffffff81000200 rw_verify_area - fs/read_write.c
0xffffffff81000300 trace_event_raw_event_x - include/trace/events/x.h
0xffffffff81000400 __probestub_x - fs/x.c
0xffffffff81000500 no_trace - fs/x.c notrace
X
is 'unseen is what report --unseen says: without code of trace events' \
	"$(status keep events.db --universe=events.universe one.json)$(query events.db 'SELECT name FROM unseen')" \
	"0$("$hytrace" report --unseen --universe=events.universe one.json | cut -f 1)"

# ---- damage

head -c 900 one.json >cut.json
jq '.functions[0].first_ns = null' one.json >wrong.json
is 'damaged documents are named' "$(status keep d.db cut.json wrong.json two.json)" 2
ok 'each with its fault' grep -q '^hytrace: cut.json: cannot be read: the file is cut off' err
ok 'and what it is' grep -q '^hytrace: wrong.json: is damaged' err
is 'the other one is kept, and nothing else' "$(query d.db 'SELECT document FROM run; SELECT count(*) FROM ran;
	SELECT count(*) FROM first')" 'two.json
2
1'
sed 's/"seconds": 1.5/"seconds": 1e999/' one.json >endless.json
python3 - <<-'END'
	import json
	run = json.load(open("one.json"))
	hit = json.dumps(run["functions"][0] | {"first_ns": 4242, "cpu": 4343, "pid": 4444}).replace("4242", "%d").replace("4343", "%d").replace("4444", "%d")
	hits = ",".join(hit % (199000000000 * i, (i + 1) * 7919 % 2 ** 32, i // 500) for i in range(500000))
	open("huge.json", "w").write(json.dumps(run | {"functions": []}).replace('"functions": []', '"functions": [' + hits + "]"))
END
is 'the functions of the kernel are added all the same' "$(status keep list.db "$u" cut.json two.json)$(query list.db 'SELECT count(*) FROM function WHERE unit IS NOT NULL')" 22
is 'so is one without an end, and one that is too large; neither stops the others' "$(status keep e.db endless.json huge.json two.json)$(
	query e.db 'SELECT document FROM run')" 2two.json
ok 'each has its message' eval 'grep -q "^hytrace: endless.json: is damaged" err && grep -q "^hytrace: huge.json: cannot be kept: it has more hits" err'
rm huge.json
sqlite3 forged.db <<<"$("$hytrace" keep forged.db two.json)WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 2097151)
	INSERT INTO function (object, nr, name, addr) SELECT 1, i, 'x', -i FROM n"
jq '.functions[0] |= (.name = "one_more" | .addr = "0xffffffff81777777") | .boot_id = "b99"' two.json >forged.json
is 'recordings cannot give more numbers than can be read' "$(status keep forged.db forged.json one.json)$(query forged.db 'SELECT document FROM run')" \
	$'2two.json\none.json'
ok 'the one that is left out is named' grep -q '^hytrace: forged.json: is not kept$' err
rm forged.*
sqlite3 foreign.db 'CREATE TABLE t (x)'
ok 'a database of another application is refused' says 'foreign.db: is a database of another application' keep foreign.db one.json
is 'and stays as it is' "$(query foreign.db 'SELECT name FROM sqlite_schema')" t
ok 'so is a text' says 'one.json: is no store' keep one.json two.json
cp s.db later.db
sqlite3 later.db 'PRAGMA user_version = 99'
ok 'a store of a later version is refused' says 'later.db: is a store of version 99, and this hytrace knows 1' keep later.db one.json
ok 'also to read' says 'version 99' report later.db
sqlite3 older.db 'PRAGMA application_id = 1752790130; PRAGMA user_version = 0; CREATE TABLE before (x)'
ok 'a store of an older version is not read' says 'is a store of an older version' sql older.db 'SELECT 1'
is 'but upgraded' "$(status keep older.db one.json)$(query older.db 'PRAGMA user_version; SELECT document FROM run')" '01
one.json'
cp s.db hole.db
sqlite3 hole.db "UPDATE first SET hits = substr(hits, 1, 20) WHERE run = 2; UPDATE run SET head = '{' WHERE id = 3"
ok 'a damaged run is named' says 'hole.db: is damaged: run 2 makes no sense' merge hole.db
ok 'each one' says 'run 3 makes no sense' merge 'hole.db?run=3'
cp s.db names.db
sqlite3 names.db 'UPDATE function SET name = name || char(10)'
ok 'a name with a control character is refused' says 'names.db: is damaged: its functions make no sense' report names.db
mkfifo pipe
ok 'a pipe is no store' says 'pipe: is no file' keep pipe one.json
ln -s s.db link.db && mkdir -m 1777 all && ln -s ../s.db all/link.db && chown -h 65534 all/link.db 2>/dev/null
[[ $EUID -ne 0 ]] || ok 'the link of another user is refused' says 'is refused' keep all/link.db one.json

# A short text may take much memory: as values of json, or as hits.
mostly()
{
	measured keep hostile.db "$1" && ((ended == 2 && megabytes < 300)) && grep -q "$1: is refused: $2" errors
}

python3 -c 'print("{}," * 2796203)' | zstd -q >braces.json.zst
ok '8 MiB of {}, in a kilobyte are refused within 300 MB' mostly braces.json.zst 'its 8192 KiB of text would take more'
python3 -c 'print("{}" * (64 << 20), end="")' >braces.json
ok 'so are 128 MiB' mostly braces.json 'its 131072 KiB of text would take more'
python3 -c 'import sys; d = open("one.json").read().rstrip(); print(d[:-1], ",\"later\":[" + "{}," * 300000 + "{}]}")' >later.json
ok 'and a megabyte in a field that is not known' mostly later.json 'its [0-9]* KiB of text would take more than 128 MiB'
jq -c '.functions = []' one.json | python3 -c 'print(input().replace("\"functions\":[]", "\"functions\":[" + "{}," * 2000000 + "{}]"))' >hits.json
ok 'and two million functions without a name' mostly hits.json 'no kernel has so many functions and calls'
python3 - <<-'END'
	import json
	run = json.load(open("one.json"))
	hits = ",".join(json.dumps(run["functions"][0] | {"name": f"f{i}", "addr": hex(0xffffffff81000000 + 16 * i)}) for i in range(100000))
	text = json.dumps(run | {"functions": []}).replace('"functions": []', '"functions": [' + hits + "]")
	open("plain.json", "w").write(text)
	open("escaped.json", "w").write(text.replace('"f7"', '"\\u00667"'))
	open("twice.json", "w").write(text[:-1] + ', "functions": []}')
	open("short.json", "w").write(text[:-9])
END
measured keep plain.db plain.json && plain=$megabytes
measured keep escaped.db escaped.json
ok "an escape in a hit takes no more memory: $megabytes and $plain MB" test "$megabytes" -lt $((plain + 8))
is 'and is read as what it means' "$("$hytrace" merge escaped.db | cmp - <("$hytrace" merge plain.db) && grep -c u00667 escaped.json)" 1
ok 'a list that is there twice is no reason for more' mostly twice.json 'its [0-9]* KiB of text would take more than 128 MiB'
ok 'and a large document that is cut off is named as such' says 'short.json: cannot be read: it has no end' keep short.db short.json
rm plain.* escaped.* twice.* short.*
rm -f braces.* later.json hits.json

# ---- at the same time, and killed

for i in {1..40}; do
	jq --arg i "$i" '.boot_id = "x" + $i | .functions[0].first_ns += ($i | tonumber)' two.json >"m$i.json"
done
"$hytrace" keep both.db m?.json m1?.json & "$hytrace" keep both.db m2?.json m3?.json m1.json m40.json & wait
is 'two at once keep all' "$(query both.db 'SELECT count(*), count(DISTINCT document) FROM run; SELECT count(*) FROM function;
	PRAGMA integrity_check')" '40|40
2
ok'
"$hytrace" keep full.db one.json
(ulimit -f $(($(stat -c %s full.db) / 1024 + 24)) && status keep full.db m*.json >got)
is 'if it cannot be written any more, keep fails' "$(<got)" 1
kept=$(query full.db 'SELECT count(*) FROM run')
ok "and names the first of what is not kept, after $kept" grep -qE "^hytrace: m[0-9]*.json: is not kept, nor is any file after it" err
is 'what it has is whole' "$(query full.db 'PRAGMA integrity_check; SELECT id FROM run EXCEPT SELECT run FROM first')" ok
is 'the rest is kept later' "$(status keep full.db m*.json)$(query full.db 'SELECT count(*) FROM run')" 041
last=0
for delay in 0.00{1..9} 0.0{1..9} 0.{1..3}; do
	"$hytrace" keep killed.db m*.json &
	sleep "$delay"
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
	# The first one may have been killed before there were tables.
	now=$(sqlite3 killed.db 'SELECT count(*) FROM run' 2>/dev/null) || now=0
	((now >= last)) || echo "there were $last runs, and now $now" >>after
	((!now)) || sqlite3 killed.db 'SELECT id FROM run EXCEPT SELECT run FROM first; PRAGMA integrity_check' >>after
	last=$now
done
is 'a kill leaves whole runs, and loses none' "$(sort -u after)" ok
is 'a store is read after a kill' "$(status keep killed.db m*.json)$(status merge -o u.json killed.db)$(
	jq '.functions[0].runs' u.json)" 0040

# ---- answers

all=(one.json two.json boot2.json)
for command in "report $u" "report -f json $u" "report --by function $u" "report -f html $u" merge \
	'callers rw_verify_area --vmlinux vmlinux' 'calls vfs_read --vmlinux vmlinux' 'why --vmlinux vmlinux vfs_read,rw_verify_area' \
	'report -f lcov --vmlinux vmlinux' 'report -f dot --vmlinux vmlinux'; do
	# shellcheck disable=SC2086 # words
	is "the same answer: $command" "$(same $command -- "${all[@]}")" ''
done
for pair in 'one.json two.json' 'two.json boot2.json'; do
	read -r a b <<<"$pair"
	for command in diff compare 'compare --callers -f json'; do
		# shellcheck disable=SC2086 # words
		"$hytrace" $command "$a" "$b" 2>&1 | sed "s/$a/A/; s/$b/B/" >expected
		# shellcheck disable=SC2086
		"$hytrace" $command "s.db?document=$a" "s.db?document=$b" 2>&1 | sed "s/$a/A/; s/$b/B/" >got
		is "the same answer: $command $pair" "$(diff expected got)" ''
	done
done
is 'a document comes back as it was' "$("$hytrace" merge 's.db?run=3')" "$("$hytrace" merge boot2.json)"
"$hytrace" merge -o union.json one.json two.json
is 'the page has in how many runs of a union each function was' "$(same report -f html "$u" -- union.json)" ''
is 'so does a union' "$(status keep union.db union.json)$("$hytrace" merge union.db | cmp - union.json)" 0
is 'a diff of several runs is of their union' "$("$hytrace" diff -f json 's.db?until=2026-02-01&document=o*' 's.db?document=[tb]*' |
	jq -c '[.new[].name]')" '["rw_verify_area"]'
cp one.json $'\e[1mone.json'
is 'a name of a file cannot control a terminal' "$(status keep name.db $'\e[1mone.json' two.json)$("$hytrace" report "$u" name.db 2>&1 | grep -c $'\e')" 00
cp two.json $'\e[1mtwo.json'
for command in "report $u" 'callers vfs_read --vmlinux vmlinux' 'why vfs_read --vmlinux vmlinux' diff compare; do
	# shellcheck disable=SC2086 # words
	is "not in $command either" "$("$hytrace" $command $'\e[1mone.json' $'\e[1mtwo.json' 2>&1 | grep -c $'\e')" 0
done
rm $'\e[1mtwo.json'
rm $'\e[1mone.json'
ok 'tailor takes one run' says 'the addresses of one run' report -f tailor s.db
mkdir mon tue && cp one.json mon/today.json && cp two.json tue/today.json
for day in mon tue; do (cd $day && "$hytrace" keep ../days.db today.json); done
is 'runs that were kept from files of one name are told apart' "$("$hytrace" report -f json "$u" days.db | jq -c '[.columns[].label]')" \
	'["today.json (run 1)","today.json (run 2)"]'
ok 'a selection without runs is named' says 's.db?host=nobody: has no such run' report 's.db?host=nobody'
ok 'so is a wrong one' says 'colour: is nothing that runs are selected by' report 's.db?colour=red'
ok 'and a wrong age' says 'soon: is no time' report 's.db?since=soon'
ok 'and a store that is not there' says 'none.db: cannot be opened' report 'none.db?host=a'

# ---- more recordings than a word has bits

# They differ in what they could see, in what they have lost, and in functions that the function list does not have.
mkdir many
jq -c 'def late($at; $nr): {addr: null, name: "late\($nr)", module: "late", offset: (64 * $nr), sympos: 1, first_ns: $at,
		cpu: 0, pid: 1, tgid: null, comm: null, caller: null};
	range(70) as $i | .boot_id = "m\($i)" | .host = "host\($i % 7)" |
	(if $i % 3 == 1 then .filters.deny = ["rw_*"] | .functions |= map(select(.name == "vfs_read")) else . end) |
	(if $i % 3 == 0 then .functions[1].caller = {addr: "0xffffffff81000105", name: "vfs_read", module: null, offset: null,
		symbol_offset: 5} else . end) |
	(if $i % 11 == 5 then .complete = false | .lost = {refused: $i} else . end) |
	(if $i % 5 == 0 then .functions += [late(200; 3), late(300; 4 + $i)] |
		.callers[0].entered = (late(0; 4 + $i) | {addr, name, "module": .module, offset}) else . end) |
	(if $i % 13 == 2 then .command = ["make", "other"] else . end) | (if $i % 6 == 5 then .callers = [] else . end)' \
	two.json | split -l 1 -a 2 --additional-suffix=.json - many/r
for command in "report $u" "report -f json $u" "report --seen $u" "report --unseen $u" "report --by function $u" \
	"report --sort unseen --by file $u" "report -f html $u" 'report -f lcov --vmlinux vmlinux' \
	'report --proved -f json --vmlinux vmlinux' 'report --proved --vmlinux vmlinux' \
	'callers rw_verify_area --vmlinux vmlinux' 'callers -f json * --vmlinux vmlinux' 'calls vfs_read --vmlinux vmlinux' \
	'why --vmlinux vmlinux vfs_read,rw_verify_area' 'why -f json --vmlinux vmlinux vfs_read,rw_verify_area' \
	'report -f dot --vmlinux vmlinux' 'report -f folded --vmlinux vmlinux'; do
	set -f
	# shellcheck disable=SC2086,SC2046 # words
	is "70 recordings, the same answer: $command" "$(same $command -- $(set +f; echo many/*))" ''
	set +f
done
many=(many/*)
"$hytrace" report "$u" "${many[@]}" >many.txt 2>err
is 'a report of many has sums' "$(sed -n '1,3p; /^DIR/p; /^Functions/p; /^Callers/p; /^Complete/p' many.txt)" \
'Covered:  70 recordings
      64  the whole system during: make test
       6  the whole system during: make other
DIRECTORY             ASKED FOR ANY   SHARE ALL   SHARE   LEAST  MEDIAN    MOST
Functions: 17 seen in any recording, of 2 that can be traced (100.0%); 2 in each one that could see them (100.0%)
Callers:   least 0 (raf), median 1, most 1 (rcr)
Complete:  64 yes, 0 maybe not, 6 no: raf, raq, rbb, rbm, rbx, rci'
is 'its list says how many have seen a function, and how many could' "$("$hytrace" report --seen "$u" "${many[@]}" 2>err | cut -f 1,2 |
	head -n 2)" '47/47	rw_verify_area
70/70	vfs_read'
is 'callers are counted, too' "$("$hytrace" callers rw_verify_area --vmlinux vmlinux "${many[@]}" 2>err |
	grep -o 'RECORDINGS\|[0-9]* of 70$')" 'RECORDINGS
24 of 70'
is 'json has each of those that have a call' "$("$hytrace" callers -f json rw_verify_area --vmlinux vmlinux "${many[@]}" 2>err |
	jq -c '[.functions[].callers[0].seen | to_entries[] | select(.value).key % 3] | unique')" '[0]'
# Functions that the function list does not have come in the order of their first hits, whatever their numbers are.
jq '.boot_id = "x" | (.functions[] | select(.first_ns == 300).first_ns) = 150' many/raa.json >other-order.json
"$hytrace" keep order.db other-order.json && "$hytrace" keep order.db many/raa.json
is 'the order is that of the recording' "$("$hytrace" report --seen "$u" 'order.db?document=*raa*' 2>&1)" \
	"$("$hytrace" report --seen "$u" many/raa.json 2>&1)"
is 'why says what several say once' "$("$hytrace" why rw_verify_area --vmlinux vmlinux "${many[@]}" | tail -n +2)" \
'rw_verify_area: in 47 of 70 recordings, such as many/raa.json: ran
rw_verify_area: in 23 of 70 recordings, such as many/rab.json: excluded: -d names it'
is 'up to eight have a column each' "$("$hytrace" report "$u" "${many[@]:0:8}" 2>err | grep -c '^Covered: ra')" 8
is 'json has each of many' "$("$hytrace" report -f json "$u" "${many[@]}" 2>err | jq -c '[(.columns | length), ([.columns[].asked_for] | unique)]')" \
'[70,[1,2]]'

# ---- thin

is 'keep --thin: 0' "$(status keep --thin thin.db one.json two.json)" 0
is 'it has the sets, and not the times' "$(query thin.db 'SELECT count(*) FROM ran_function; SELECT count(*) FROM first')" '3
0'
is 'a union has the same functions' "$("$hytrace" merge thin.db | jq -c '[.functions[] | [.name, .runs]] | sort')" \
	"$("$hytrace" merge one.json two.json | jq -c '[.functions[] | [.name, .runs]] | sort')"
is 'a run says that no hit is known to be the first' "$("$hytrace" merge 'thin.db?run=1' | jq -c '[.functions[0].first_ns, .functions[0].pid]')" \
	'[null,null]'
ok 'so it is not compared' says 'is a union of 1 runs' compare 'thin.db?run=1' one.json

# ---- sql

is 'sql prints a table' "$("$hytrace" sql s.db 'SELECT id, host FROM run LIMIT 1')" 'id host
1  here'
is 'or csv' "$("$hytrace" sql -f csv s.db "SELECT 'a,\"b' AS x, NULL AS y, x'0aff' AS z")" 'x,y,z
"a,""b",,0aff'
is 'or json' "$("$hytrace" sql -f json s.db "SELECT 1 AS a, 0.5 AS b, 'c' AS d, NULL AS e, 1e999 AS f")" \
	'[{"a":1,"b":0.5,"d":"c","e":null,"f":null}]'
for query in 'DELETE FROM run' 'SELECT 1; SELECT 2' 'PRAGMA user_version = 3' ''; do
	ok "sql refuses ${query:-nothing}" says 'the query is refused' sql s.db "$query"
done
ok 'and a wrong query' says 'the query is wrong: no such table: nowhere' sql s.db 'SELECT * FROM nowhere'
ok 'and another file' says 'the query is refused' sql s.db "ATTACH 'x.db' AS x"
is 'nothing of it was done' "$(query s.db 'SELECT count(*) FROM run')" 3

# ---- several builds

# In the next build, one function has only moved, and one has changed.
sed -i 's/+ 1; }/+ 2; }/; 1a int before(int a) { return a / 7; }' main.c
ok 'the next kernel' link_kernel 1234abce
document next.json 1234abce before -- '.boot_id = "b9" | .started = "2026-03-02T03:04:05.000006Z"'
is 'keep two builds: 0' "$(status keep builds.db "$u" two.json)$(status keep builds.db --universe=1234abce.universe next.json)" 00
is 'a function that has only moved is unchanged since it ran' "$(query builds.db 'SELECT name, file, line, run FROM unchanged')" \
	'rw_verify_area|main.c|3|1'
document moved.json 1234abce rw_verify_area -- '.boot_id = "b10"'
is 'until it runs again' "$(status keep builds.db moved.json)$(query builds.db 'SELECT count(*) FROM unchanged')" 00
is 'nothing is known of lists without hashes' "$(jq '.functions[].text = null' 1234abce.universe >plain.universe
	status keep plain.db "$u" two.json; status keep plain.db --universe=plain.universe next.json; query plain.db 'SELECT count(*) FROM unchanged')" $'0\n0\n0'

# ---- forget

is 'forget needs to know what' "$(status forget s.db)" 2
# As text, each run of January is before 2026-2-1, and each one of the year after it.
for date in 2026-2-1 2026-02 2026-02-01T1:00 '2026-02-01 12:00' -026-01-01; do
	ok "$date is no date" says "$date: is no time" forget --older="$date" --dry-run s.db
done
is 'a date may have a time' "$(status forget --older 2026-02-02T03:04 --dry-run s.db)$(cat out)" '02 runs would be removed'
for pattern in 'a,host=b' 'ltp/*&'; do
	ok "the pattern $pattern is refused" says 'a pattern has no & and no comma' forget --test "$pattern" s.db
done
is 'a dry run removes nothing' "$(status forget s.db --older 2026-02-01 --dry-run)$(cat out)" '02 runs would be removed'
is 'forget by age and test' "$(status forget s.db --older 2026-02-01 --test 'ltp/*')$(cat out)" '01 runs removed'
is 'and by host' "$(status forget s.db --host here)$(query s.db 'SELECT id FROM run; SELECT DISTINCT run FROM ran; SELECT run FROM first')" '02
2
2'
is 'another run is the first one of its functions' "$(query s.db 'SELECT name, first_run FROM function ORDER BY name')" 'rw_verify_area|2
vfs_read|2'
is 'a later run has a number of its own' "$(status keep s.db one.json)$(query s.db 'SELECT max(id) FROM run')" 04

tap_end
