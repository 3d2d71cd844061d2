#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a store costs: make bench-store. Keeps 1,000 recordings, which are variants of one of `make run`, and asks them; makes
# 10,000 runs of these for two questions; loads them into ClickHouse and PostgreSQL, where these are installed, and holds the
# answers against SQLite's. Prints each figure, and its target if it has one; they are also in build/bench-store/figures.tsv.
# Fails if a target is missed. A time is that of the processor (all threads, user and system), so that it hardly depends on
# what else runs; seconds that were waited for are marked "elapsed".
#
# RECORDING= and VMLINUX= are another recording, and its kernel; RUNS= another number than 1,000.

set -euo pipefail
clone=$(realpath "$(dirname "$0")/../..")
hytrace=$clone/build/hytrace out=$clone/build/bench-store runs=${RUNS:-1000}
recording=$(realpath "${RECORDING:-$clone/build/run/workload.oneshot.json}")
vmlinux=${VMLINUX:-$("$clone/kernel/build.sh" --print-vmlinux)}
mkdir -p "$out"
cd "$out"
# shellcheck source=tests/bench/figures-lib.sh
. "$clone/tests/bench/figures-lib.sh"
# shellcheck source=tests/guest/engines-lib.sh
. "$clone/tests/guest/engines-lib.sh"
trap stop_engines EXIT
export XDG_CACHE_HOME=$out/cache
rm -rf ./*.db ./*.json dump cache
mkdir cache

# ---- documents

make_documents "$runs"
figure "documents, zstd: a run" $(($(cat documents/*.zst | wc -c) / runs)) bytes
"$hytrace" functions -f json --vmlinux "$vmlinux" -o functions.json

told "keep $runs documents" 40 150 "$hytrace" keep full.db documents/*.zst
figure 'a run in a store' $(($(stat -c %s full.db) / runs)) bytes 60000
told "keep --thin $runs documents, with a function list" 40 150 "$hytrace" keep --thin thin.db --universe functions.json documents/*.zst
"$hytrace" keep full.db --universe functions.json documents/v00000.json.zst
figure 'a run in a store, --thin, without the functions' $((($(stat -c %s thin.db) -
	$(sqlite3 thin.db "SELECT sum(pgsize) FROM dbstat WHERE name IN ('function', 'function_name', 'function_first_run')")) / runs)) \
	bytes 10000

# ---- 10,000 runs: each of the thin ones ten times

multiply thin.db "$runs" 10000
fifty=$(sqlite3 full.db "SELECT group_concat('''' || name || '''') FROM (SELECT name FROM ran_function WHERE run = 1 AND module IS NULL AND
	nr % 70 = 7 GROUP BY name LIMIT 50)")
queries
sed -i "s/IN ('ext4_mkdir'[^)]*)/IN ($fifty)/" ./*.sql
told 'which of 10,000 runs reach these 50 functions' 1 '' "$hytrace" sql -f csv thin.db "$(<1.sql)"
figure 'these runs' $(($(wc -l <answer) - 1)) ''
told 'what did no run of 10,000 reach, by directory' 3 '' "$hytrace" sql -f csv thin.db "$(<2.sql)"

# ---- reports

told "report of $runs runs" 2 200 "$hytrace" report --universe functions.json full.db
told "report -f html of $runs runs" 10 200 "$hytrace" report -f html --universe functions.json full.db

# ---- other engines

for i in {1..6}; do
	told "query $i of docs/schema/store.md, $runs runs, SQLite" '' '' sqlite3 -readonly -separator $'\t' -nullvalue '\N' full.db "$(<"$i.sql")"
	mv answer "$i.expected"
done

# same ENGINE COMMAND...: its answers to all queries
same()
{
	local i start different=0

	for i in {1..6}; do
		start=$EPOCHREALTIME
		"${@:2}" <"$i.sql" | sed 's/ᴺᵁᴸᴸ/\\N/g' >answer || different=1
		figure "query $i, $1" "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }')" 's elapsed'
		cmp answer "$i.expected" || different=1
	done
	figure "answers of $1 that differ from SQLite's" $different '' 0
}

# loaded ENGINE COMMAND...: how long that takes
loaded()
{
	local start=$EPOCHREALTIME

	"${@:2}" >/dev/null
	figure "load $runs runs into $1" "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')" 's elapsed'
}

told "sql --dump of $runs runs" '' 150 "$hytrace" sql full.db --dump dump
figure 'a run in these files' $(($(cat dump/*.tsv | wc -c) / runs)) bytes
figure 'a run, rows of hit and hit_site' $(($(cat dump/hit*.tsv | wc -l) / runs)) ''
if command -v clickhouse-server clickhouse-client >/dev/null; then
	choose_ports
	start_clickhouse 1
	loaded ClickHouse load_clickhouse 1 dump
	figure 'a run in ClickHouse' $(($(clickhouse 1 -q "SELECT sum(bytes_on_disk) FROM system.parts WHERE active") / runs)) bytes
	same ClickHouse clickhouse 1 --multiquery --format TSVRaw
else
	echo 'ClickHouse is not installed: it is left out'
fi
if [[ $(postgresql_programs) ]] && command -v psql >/dev/null; then
	start_postgresql
	loaded PostgreSQL eval 'cd dump && postgresql -f postgresql.sql && cd ..'
	figure 'a run in PostgreSQL' $(($(postgresql -c "SELECT pg_database_size('postgres')") / runs)) bytes
	same PostgreSQL postgresql
else
	echo 'PostgreSQL is not installed: it is left out'
fi

# ---- hostile documents

hostile()
{
	measure "$hytrace" keep hostile.db "$2"
	figure "$1: exit status" "$status" '' 2
	figure "$1" "$megabytes" MB 300
}

head=$(jq -c '.functions = [] | .callers = [] | .x = []' "$recording")
python3 -c 'print(("{}," * (3 << 20))[:8 << 20], end="")' | zstd -q -19 >hostile.json.zst
hostile "$(stat -c %s hostile.json.zst) bytes of zstd, 8 MiB of {}," hostile.json.zst
python3 -c 'print("{}" * (64 << 20), end="")' >hostile.json
hostile '128 MiB of {}' hostile.json
python3 -c 'import sys; print(sys.argv[1][:-3] + "[" + "{}," * (30 << 20) + "{}]}")' "$head" >hostile.json
hostile '90 MiB of {}, in an unknown field' hostile.json
python3 -c 'import sys; print(sys.argv[1].replace("\"functions\":[]", "\"functions\":[" + "{}," * (5 << 19) + "{}]"))' "$head" >hostile.json
hostile '8 MiB of {}, as functions' hostile.json
rm -f hostile.*
exit $failed
