#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests answers from many runs: --runs and --min-runs, in how many runs a function was seen, and that a union of
# many runs needs no more memory than one of two.
# shellcheck disable=SC2016 # jq has variables of its own

set -uo pipefail

# shellcheck source=tests/guest/documents-lib.sh
. "$(dirname "$(realpath "$0")")/../guest/documents-lib.sh"

ok 'a small kernel' small_kernel
u=--universe=1234abcd.universe
document two.json 1234abcd vfs_read rw_verify_area -- '.boot_id = "b2" | .host = "there"'
document three.json 1234abcd vfs_read -- '.boot_id = "b3" | .host = "there" | .callers = []'
document four.json 1234abcd -- '.boot_id = "b4" | .callers = []'
is 'keep: 0' "$(status keep s.db a.json two.json three.json four.json)" 0
"$hytrace" merge -o union.json a.json two.json three.json four.json

# ---- in how many runs

is 'report says of how many runs, and what ran in all and in one' "$("$hytrace" report "$u" union.json | grep ^Runs:)" \
	'Runs:      4; of 2 functions, 0 ran in all of them and 1 in one'
is 'the list says it of each function' "$("$hytrace" report "$u" --by function union.json | cut -f 2,4 | sort)" \
	$'rw_verify_area\t1 of 4 runs\nvfs_read\t3 of 4 runs'
is 'so does the list of what ran' "$("$hytrace" report "$u" --seen union.json | cut -f 1,3 | sort)" \
	$'rw_verify_area\t1 of 4 runs\nvfs_read\t3 of 4 runs'
is 'several columns are counted together' "$("$hytrace" report "$u" --seen union.json a.json | grep vfs_read | cut -f 1,4)" \
	$'++\t4 of 5 runs'
is 'json has the runs of each column' "$("$hytrace" report -f json "$u" union.json a.json | jq -c '[[.columns[].runs],
	(.functions[] | [.name, .runs])]')" '[[4,1],["rw_verify_area",[1,0]],["vfs_read",[3,1]]]'
is 'and that of single runs only the number of the runs' "$("$hytrace" report -f json "$u" a.json two.json | jq -c '[[.columns[].runs],
	(.functions[] | has("runs"))]')" '[[1,1],false,false]'
is 'why says it' "$("$hytrace" why --vmlinux vmlinux vfs_read union.json | grep -c 'in union.json: ran in 3 of 4 runs')" 1
is 'callers says it' "$("$hytrace" callers --vmlinux vmlinux vfs_read union.json | head -n 1 | grep -o 'in .*')" 'in 3 of 4 runs'
is 'so does it without a vmlinux' "$("$hytrace" callers vfs_read union.json 2>/dev/null | head -n 1)" 'vfs_read  in 3 of 4 runs'
is 'calls in json as well' "$("$hytrace" calls --vmlinux vmlinux -f json vfs_read union.json | jq -c '[.runs, .functions[0].runs]')" '[4,3]'
is 'of a single run it is null' "$("$hytrace" calls --vmlinux vmlinux -f json vfs_read a.json | jq -c '[.runs, .functions[0].runs]')" '[null,null]'

"$hytrace" report -f json "$u" -o report.json union.json a.json
"$hytrace" callers --vmlinux vmlinux -o callers.json vfs_read union.json
ok 'these documents fit their schemas' eval 'valid report report.json && valid calls callers.json && valid coverage union.json'

# So many runs are counted even if each is a column of its own.
for i in {1..7}; do
	jq --arg i "$i" '.boot_id = "x" + $i' a.json >"x$i.json"
done
runs=(a.json two.json four.json x?.json)
is 'why joins the same answers of many' "$("$hytrace" why --vmlinux vmlinux rw_verify_area,vfs_read "${runs[@]}" | grep recordings)" \
	'rw_verify_area: in 9 of 10 recordings, such as a.json: not called
rw_verify_area: in 1 of 10 recordings, such as two.json: ran
vfs_read: in 9 of 10 recordings, such as a.json: ran
vfs_read: in 1 of 10 recordings, such as four.json: not called'
is 'json has each' "$("$hytrace" why --vmlinux vmlinux -f json vfs_read "${runs[@]}" | jq '[.functions[].answers[] | select(.document)] | length')" 10
is 'callers counts them' "$("$hytrace" callers --vmlinux vmlinux vfs_read "${runs[@]}" | head -n 1 | grep -o 'in .*')" 'in 9 of 10 runs'
is 'so does the list of report' "$("$hytrace" report "$u" --seen "${runs[@]}" | cut -f 4 | sort)" $'1 of 10 runs\n9 of 10 runs'
is 'few are not joined' "$("$hytrace" why --vmlinux vmlinux vfs_read "${runs[@]:0:8}" | grep -c '\.json: ')" 8

# A module's package may be gone, and depmod did not run again.
mkdir -p lib/modules/6.12.0-test
echo kernel/dummy.ko: >lib/modules/6.12.0-test/modules.dep
is 'a module that is listed, and whose file is gone, is none' "$(XDG_CACHE_HOME=$PWD/empty status report --vmlinux vmlinux a.json)$(grep -c "^Functions:" out)" 01
rm -r lib

# ---- --min-runs

is 'merge leaves what enough runs have seen' "$("$hytrace" merge --min-runs 2 s.db | jq -c '[.min_runs,
	(.functions[] | [.name, .runs]), (.callers | length), .totals.functions]')" '[2,["vfs_read",3],1,1]'
is 'of files as well' "$("$hytrace" merge --min-runs 3 a.json two.json three.json | jq -c '[.min_runs, .functions[].name, (.callers | length)]')" \
	'[3,"vfs_read",0]'
is 'report makes one column of a store' "$("$hytrace" report -f json "$u" --min-runs 2 s.db | jq -c '[[.columns[] | [.label, .runs, .min_runs, .seen]],
	(.functions[] | [.name, .seen])]')" '[[["s",4,2,1]],["rw_verify_area",[false]],["vfs_read",[true]]]'
is 'with 1 it is the whole union' "$("$hytrace" report "$u" --min-runs 1 s.db | sed 's/^Covered.*//')" "$("$hytrace" report "$u" union.json | sed 's/^Covered.*//')"
is 'report says that some are left out' "$("$hytrace" report "$u" --min-runs 2 s.db | grep ^Runs:)" \
	'Runs:      4; of 1 functions, 0 ran in all of them and 0 in one; those of fewer than 2 runs are left out'
is 'why does not say that the function was not called' "$("$hytrace" why --min-runs 2 --vmlinux vmlinux rw_verify_area s.db | tail -n 1)" \
	'rw_verify_area: in s.db: seen in fewer runs than --min-runs asks for, or in none'
is 'callers leaves out calls' "$("$hytrace" callers --min-runs 3 --vmlinux vmlinux rw_verify_area s.db | grep -c 'was not recorded')" 1
is 'diff compares what enough runs of each have seen' "$("$hytrace" diff -f json --min-runs 2 s.db union.json | jq -c '[.both, (.gone | length), (.new | length)]')" '[1,0,0]'
"$hytrace" merge --min-runs 2 -o few.json s.db
is 'and a union of this kind keeps its meaning' "$("$hytrace" diff -f json few.json union.json | jq -c '[.new[] | [.name, .why, .possibly]]')" \
	'[["rw_verify_area","few-runs",false]]'
ok 'it is not merged again' says 'few.json: has only what at least 2 of its runs have seen' merge few.json a.json
is 'in a store, nothing counts as unseen because of it' "$(status keep few.db "$u" few.json)$(sqlite3 few.db 'SELECT count(*) FROM unseen;
	SELECT sees FROM ran')" '00
0
0'
ok 'more runs than there are' says '--min-runs 5: s.db has only 4' report "$u" --min-runs 5 s.db
ok 'a single run has one' says '--min-runs 2: a.json has only 1' diff --min-runs 2 a.json union.json
ok 'so has a union' says '--min-runs 5: the union has only 4' merge --min-runs 5 s.db

# ---- --runs

is 'a selection as an option' "$("$hytrace" merge --runs 'host=there&document=t*' s.db | jq -c '[(.merged | length), .functions[].name]')" \
	"$("$hytrace" merge 's.db?host=there&document=t*' | jq -c '[(.merged | length), .functions[].name]')"
is 'it is added to that of the name' "$("$hytrace" report -f json "$u" --runs host=there 's.db?document=t*' a.json | jq -c '[.columns[].label]')" \
	'["two","three","a"]'
for command in 'why --vmlinux vmlinux vfs_read' 'callers --vmlinux vmlinux vfs_read' 'calls --vmlinux vmlinux vfs_read' \
	"report $u" "report -f lcov --vmlinux vmlinux" merge; do
	# shellcheck disable=SC2086 # words
	is "$command takes it" "$("$hytrace" $command --runs document=two.json s.db 2>&1)" "$("$hytrace" $command 's.db?document=two.json' 2>&1)"
done
for command in diff compare; do
	is "$command takes it" "$("$hytrace" $command --runs document=two.json s.db a.json 2>&1)" \
		"$("$hytrace" $command 's.db?document=two.json' a.json 2>&1)"
done
ok 'without a store, it is a mistake' says '--runs host=a: selects runs of a store of `hytrace keep`, and no FILE is one' report "$u" --runs host=a a.json
ok 'a selection without runs is named' says 's.db?host=nobody: has no such run' merge --runs host=nobody s.db
ok 'and a wrong one' says 'colour: is nothing that runs are selected by' merge --runs colour=red s.db

# ---- cover --keep, of which t-keep.sh tests the rest

for option in '--test a' '--commit a' --thin '--keep='; do
	# shellcheck disable=SC2086 # words
	ok "cover $option without a store is refused" says '--test, --commit and --thin are about --keep' cover $option --duration 1
done
ok 'a store is no file that --append could add to' says '--append adds to files' cover --keep a.db --append --duration 1

# ---- memory

# peak COMMAND...: the most memory that it has taken, in KB
peak()
{
	python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}

# A recording of 5,000 functions, of which 70 copies are of other boots.
jq -c '.functions = [range(5000) as $i | .functions[0] | .name = "f\($i)" | .first_ns = $i |
	.addr = "0xffffffff81\($i + 100000)"] | .totals.functions = 5000' a.json >many.json
for i in {10..79}; do
	sed "s/\"boot_id\":\"b1\"/\"boot_id\":\"m$i\"/" many.json >"many$i.json"
done
two=$(peak "$hytrace" merge many10.json many11.json)
all=$(peak "$hytrace" merge many??.json)
ok "a union of 70 takes the memory of two: $all and $two KB" test "$all" -lt $((two + 8000))
two=$(peak "$hytrace" keep few-many.db many10.json many11.json)
all=$(peak "$hytrace" keep many.db many??.json)
ok "so does a store: $all and $two KB" test "$all" -lt $((two + 20000))
two=$(peak "$hytrace" merge few-many.db)
all=$(peak "$hytrace" merge many.db)
ok "and a union of its runs: $all and $two KB" test "$all" -lt $((two + 8000))
two=$(peak "$hytrace" diff few-many.db many10.json)
all=$(peak "$hytrace" diff many.db many10.json)
ok "and a diff of them: $all and $two KB" test "$all" -lt $((two + 8000))
two=$(peak "$hytrace" report -f html "$u" few-many.db)
all=$(peak "$hytrace" report -f html "$u" many.db)
ok "a page of many unions takes not much more than one of two runs: $all and $two KB" test "$all" -lt $((two + 20000))
jq -c '.functions = [range(5000) as $i | .functions[0] | .name = "f\($i)" | .addr = "0xffffffff81\($i + 100000)" | .line = $i + 1]' 1234abcd.universe >many.universe
two=$(peak "$hytrace" report -f lcov --universe=many.universe few-many.db)
all=$(peak "$hytrace" report -f lcov --universe=many.universe many.db)
ok "lcov of many runs takes not much more than of two: $all and $two KB" test "$all" -lt $((two + 14000))
# In a module of an unknown build, a function is what lies where among its namesakes.
jq '.modules[0].build_id = null | .functions[].module = "dummy"' many.json | python3 -c 'import json, sys
run = json.load(sys.stdin)
run["functions"] = [run["functions"][0] | {"name": f"f{i // 2}", "offset": 16 * i, "first_ns": i} for i in range(60000)]
json.dump(run, sys.stdout)' >module.json
sed 's/"b1"/"b2"/' module.json >module2.json
is 'its functions are joined in seconds' "$(ulimit -t 5; "$hytrace" merge module.json module2.json | jq -c '[(.functions | length), ([.functions[].runs] | unique)]')" \
	'[60000,[2]]'
is 'all are in the union' "$("$hytrace" merge many.db | jq -c '[(.merged | length), ([.functions[].runs] | unique)]')" '[70,[70]]'

tap_end
