#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests what `hytrace sql --dump` writes, and that SQLite, PostgreSQL and ClickHouse (also two servers, half of the hosts
# on each) give the same answers to the queries of docs/schema/store.md. make bench-store does so with 1,000 runs.
# shellcheck disable=SC2016 # jq has variables of its own

set -uo pipefail

# shellcheck source=tests/guest/documents-lib.sh
. "$(dirname "$(realpath "$0")")/../guest/documents-lib.sh"
# shellcheck source=tests/guest/engines-lib.sh
. "$clone/tests/guest/engines-lib.sh"
trap 'stop_engines; rm -rf "$tap_scratch"' EXIT

# same ENGINE COMMAND...: holds the answer to each query, which the command reads, against SQLite's
same()
{
	local engine=$1 i
	shift

	for i in {1..6}; do
		is "$engine answers query $i as SQLite does" "$("$@" <"$i.sql" 2>&1 | sed 's/ᴺᵁᴸᴸ/\\N/g')" "$(<"$i.expected")"
	done
}

# ---- a kernel of 40 functions and 12 runs of it, on two hosts, in two weeks, for three tests

{
	printf '0xffffffff81000%s %s - fs/ext4/namei.c\n' 100 ext4_mkdir 200 ext4_rmdir 300 ext4_rename2
	for i in {1000..1031}; do
		directory=mm
		((i % 3)) || directory=drivers/net/core
		printf '0xffffffff810%d f%d - %s/file%d.c\n' "$i" "$i" "$directory" "$i"
	done
	echo '0xffffffff81200000 init_ext4 - fs/ext4/super.c'
	echo '0xffffffff81200010 never - fs/ext4/super.c notrace'
	echo '0xffffffff81200020 no_directory - top.c'
	printf '%d dummy_%d dummy drivers/dummy.c\n' 0 0 64 1
} | universe 5678abcd.universe 5678abcd
tests=('ltp/mkdir' $'odd\t\\name\n' '')
for i in {0..11}; do
	functions=(dummy_0)
	((i % 2)) || functions+=(ext4_mkdir)
	((i % 3)) || functions+=(ext4_rmdir ext4_rename2)
	for j in {1000..1020}; do (((j * i) % 7 == 1)) || functions+=("f$j"); done
	((i < 6)) || functions+=(f1021 f1022)
	document "r$i.json" 5678abcd "${functions[@]}" -- ".boot_id = \"b$i\" | .host = \"host$((i % 4))\" | .complete = true |
		.started = \"2026-11-$(printf %02d $((i + 2)))T03:04:05.000006Z\" | .filters.denied_by_hytrace = [\"f1031\"] |
		.callers += [range(1 + $i % 3) | {addr: \"0xffffffff8100011\\(.)\", name: \"ext4_mkdir\", module: null, offset: null,
			symbol_offset: (16 + .), first_ns: 99, cpu: 0, pid: 1, tgid: null, comm: null, entered: null}] |
		.callers[1].entered = (.functions[1] | {addr, name, \"module\": .module, offset})"
	test=${tests[i % 3]}
	"$hytrace" keep s.db ${test:+--test "$test"} --universe=5678abcd.universe "r$i.json" || exit
done
queries

# ---- the files

is 'sql --dump: 0' "$(status sql s.db --dump d)" 0
is 'it writes these files' "$(cd d && echo *)" \
	'clickhouse.sql could.tsv function.tsv hit.tsv hit_site.tsv object.tsv postgresql.sql ran.tsv run.tsv site.tsv'
is 'a line is a row' "$(head -n 2 d/object.tsv)" '1	\N	5678abcd	\N	\N	6.12.0-test	x86_64	\N
2	dummy	d0	\N	\N	\N	\N	\N'
is 'texts are escaped' "$(cut -f 10 d/run.tsv | head -n 3)" 'ltp/mkdir
odd\t\\name\n
\N'
is 'a bit becomes a row' "$(sort -n d/hit.tsv | md5sum)" "$(sqlite3 -separator '	' s.db 'SELECT * FROM hit' | sort -n | md5sum)"
is 'also of a site' "$(sort -n d/hit_site.tsv | md5sum)" "$(sqlite3 -separator '	' s.db 'SELECT * FROM hit_site' | sort -n | md5sum)"
is 'a selection has its runs' "$(status sql 's.db?host=host[01]' --dump half/)$(cut -f 5 half/run.tsv | sort -u)" '0host0
host1'
is 'and their hits' "$(cut -f 1 half/hit.tsv | sort -nu)" "$(cut -f 1 half/run.tsv)"
is 'but all functions' "$(cmp d/function.tsv half/function.tsv)" ''
is 'a second dump replaces the files' "$(status sql 's.db?host=host0' --dump half)$(cut -f 5 half/run.tsv | sort -u)" 0host0
is 'a query and --dump exclude each other' "$(status sql s.db 'SELECT 1' --dump d2)" 2
ok 'and make no directory' [ ! -e d2 ]
ln -s d link && chown -h 65534 link 2>/dev/null && mkdir -m 1777 all && mv link all/
[[ $EUID -ne 0 ]] || is 'the link of another user is refused' "$(status sql s.db --dump all/link)$(grep -c 'is refused' err)" 21
cp s.db damaged.db
sqlite3 damaged.db "UPDATE ran SET functions = functions || zeroblob(100) || x'01' WHERE run = 3 AND object = 1"
is 'a bit that is no function is refused' "$(status sql damaged.db --dump d3)$(cat err)" \
	'2hytrace: damaged.db: is damaged: run 3 makes no sense'
ok 'and no file has rows of it' [ ! -e d3/hit.tsv ]

# 60,000 runs more
cp s.db many.db
sqlite3 many.db "WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) INSERT INTO run
		SELECT i, CAST(i AS BLOB), document, kernel, host, boot_id, engine, started, seconds, test, revision, scope, complete, thin,
			functions, callers, blind, '{}' FROM n, run WHERE id = 1;
	INSERT INTO ran SELECT run.id, object, sees, ran.functions, sites FROM run, ran WHERE run.id >= 100 AND ran.run = 1"
is 'many runs take no more memory than few' "$(python3 -c 'import resource, subprocess, sys
print(subprocess.run(sys.argv[1:]).returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10 < 64)' \
	"$hytrace" sql many.db --dump many)" '0 True'
is 'and none is left out' "$(wc -l <many/hit.tsv)" "$(sqlite3 many.db 'SELECT count(*) FROM hit')"

# ---- SQLite

for i in {1..6}; do
	sqlite3 -readonly -separator '	' -nullvalue '\N' s.db "$(<"$i.sql")" >"$i.expected"
	ok "query $i has an answer" [ -s "$i.expected" ]
done
is 'what no run reached' "$(<2.expected)" 'mm	5
drivers/net/core	3
	1
drivers	1'
is 'what is new in a week' "$(<4.expected)" 'f1021	mm/file1021.c	7
f1022	mm/file1022.c	7'

# ---- PostgreSQL

if [[ $(postgresql_programs) ]] && command -v psql >/dev/null; then
	ok 'a server of PostgreSQL starts' start_postgresql
	is 'it loads the files' "$(cd d && postgresql -f postgresql.sql 2>&1)" ''
	same PostgreSQL postgresql
	is 'a second load of the same runs is refused, and changes nothing' "$(cd d && postgresql -f postgresql.sql 2>&1 |
		grep -c 'duplicate key'; postgresql -c 'SELECT count(*) FROM run')" '1
12'
else
	skip 'PostgreSQL' 'it is not installed'
fi

# ---- ClickHouse

if command -v clickhouse-server clickhouse-client >/dev/null; then
	choose_ports
	ok 'a server of ClickHouse starts' start_clickhouse 1
	is 'it loads the files' "$(load_clickhouse 1 d 2>&1)" ''
	same ClickHouse clickhouse 1 --multiquery --format TSVRaw
	is 'what is loaded again is there once' "$(load_clickhouse 1 d 2>&1; for t in could run ran hit hit_site; do
		clickhouse 1 -q "OPTIMIZE TABLE $t FINAL"; done; clickhouse 1 -q 'SELECT count(*) FROM hit')" "$(wc -l <d/hit.tsv)"
	same 'after that, ClickHouse' clickhouse 1 --multiquery --format TSVRaw

	ok 'two servers start' start_clickhouse 2
	status sql 's.db?host=host[01]' --dump half >/dev/null
	is 'the first one has half of the hosts' "$(load_clickhouse 1 half shard)" ''
	status sql 's.db?host=host[23]' --dump half >/dev/null
	is 'the second one has the others' "$(load_clickhouse 2 half shard)" ''
	is 'both get tables of all' "$(for i in 1 2; do distribute $i shard; done 2>&1)" ''
	is 'half of the runs are on one server' "$(clickhouse 1 -q 'SELECT count(*) FROM shard.run')" 6
	same 'ClickHouse on two servers' clickhouse 2 -d fleet --multiquery --format TSVRaw
else
	skip 'ClickHouse' 'it is not installed'
fi

tap_end
