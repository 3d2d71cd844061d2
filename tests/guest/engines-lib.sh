# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For tests that load a store into other engines: servers of PostgreSQL and ClickHouse that are theirs alone, with a directory
# and a socket or ports of their own, and the queries of docs/schema/store.md. Sets $engines, the servers' directory.

engines=$(mktemp -d) engine_pids=()
chmod 711 "$engines"

# Ends the servers that were started here, and no others.
stop_engines()
{
	local pid

	for pid in ${engine_pids[@]+"${engine_pids[@]}"}; do
		# PostgreSQL waits for its clients at SIGTERM, but not at SIGINT; ClickHouse ends at both.
		kill -INT "$pid" 2>/dev/null
		timeout 20 tail --pid="$pid" -s .1 -f /dev/null || kill -KILL "$pid"
	done
	engine_pids=()
	rm -rf "$engines"
}

# answers COMMAND...: waits until a server does what it is asked; fails if it has ended, or after half a minute
answers()
{
	local i

	for ((i = 0; i < 150; i++)); do
		"$@" >/dev/null 2>&1 && return
		kill -0 "${engine_pids[-1]}" 2>/dev/null || return
		sleep .2
	done
	return 1
}

# The directory of PostgreSQL's programs, which Debian does not have in PATH; the latest one.
postgresql_programs()
{
	find /usr/lib/postgresql -path '*/bin/postgres' -printf '%h\n' 2>/dev/null | sort -V | tail -n 1
}

# It refuses to run as root.
start_postgresql()
{
	local programs as=()

	programs=$(postgresql_programs)
	mkdir "$engines/postgresql"
	if ((!EUID)); then
		chown 65534:65534 "$engines/postgresql"
		as=(setpriv --reuid=65534 --regid=65534 --clear-groups env -i)
	fi
	(cd / && ${as[@]+"${as[@]}"} "$programs/initdb" -D "$engines/postgresql/data" -A trust -U postgres --locale=C -E UTF8 -N) \
		>"$engines/postgresql.log" 2>&1 || return
	(cd / && exec ${as[@]+"${as[@]}"} "$programs/postgres" -D "$engines/postgresql/data" -k "$engines/postgresql" \
		-c listen_addresses= -c fsync=off -c max_wal_size=4GB) >>"$engines/postgresql.log" 2>&1 &
	engine_pids+=($!)
	answers postgresql -c 'SELECT 1'
}

# postgresql ARGUMENT...: psql on this server
postgresql()
{
	psql -qXAt -F $'\t' -P 'null=\N' -h "$engines/postgresql" -U postgres "$@"
}

# start_clickhouse NUMBER: server 1 or 2 of the cluster "two". Sets clickhouse_ports[NUMBER].
clickhouse_ports=()
start_clickhouse()
{
	local directory=$engines/clickhouse$1 port=${clickhouse_ports[$1]}

	mkdir -p "$directory"/{data,tmp}
	cat >"$directory/config.xml" <<-END
		<yandex>
		<logger><level>warning</level><console>1</console></logger>
		<listen_host>127.0.0.1</listen_host><tcp_port>$port</tcp_port>
		<http_port>$((port + 1))</http_port><interserver_http_port>$((port + 2))</interserver_http_port>
		<path>$directory/data/</path><tmp_path>$directory/tmp/</tmp_path><mark_cache_size>5368709</mark_cache_size>
		<users_config>users.xml</users_config><default_profile>default</default_profile>
		<default_database>default</default_database>
		<remote_servers><two>$(for port in "${clickhouse_ports[@]}"; do
			echo "<shard><replica><host>127.0.0.1</host><port>$port</port></replica></shard>"; done)</two></remote_servers>
		</yandex>
	END
	cat >"$directory/users.xml" <<-'END'
		<yandex><profiles><default><distributed_product_mode>global</distributed_product_mode></default></profiles>
		<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
			<quota>default</quota></default></users><quotas><default/></quotas></yandex>
	END
	(cd "$directory" && exec clickhouse-server --config-file="$directory/config.xml") >"$directory.log" 2>&1 &
	engine_pids+=($!)
	answers clickhouse "$1" -q 'SELECT 1'
}

# choose_ports: of which nobody listens on any of a server's three
choose_ports()
{
	local number port

	for number in 1 2; do
		while port=$((20000 + RANDOM % 3000 * 4)); do
			[[ $port == "${clickhouse_ports[1]-}" ]] ||
				(for ((i = 0; i < 3; i++)); do ! : <>"/dev/tcp/127.0.0.1/$((port + i))" || exit; done) 2>/dev/null && break
		done
		clickhouse_ports[number]=$port
	done
}

# clickhouse NUMBER ARGUMENT...
clickhouse()
{
	clickhouse-client --host 127.0.0.1 --port "${clickhouse_ports[$1]}" "${@:2}"
}

# load_clickhouse NUMBER DIR [DATABASE]: by the lines in the head of DIR/clickhouse.sql
load_clickhouse()
{
	mkdir -p "$engines/bin$1"
	clickhouse "$1" -q "CREATE DATABASE IF NOT EXISTS ${3:-default}"
	printf '#!/bin/sh\nexec %s --host 127.0.0.1 --port %s -d %s "$@"\n' "$(command -v clickhouse-client)" "${clickhouse_ports[$1]}" \
		"${3:-default}" >"$engines/bin$1/clickhouse-client"
	chmod +x "$engines/bin$1/clickhouse-client"
	(cd "$2" && PATH=$engines/bin$1:$PATH bash -e <(sed -n 's/^--\t//p' clickhouse.sql))
}

# distribute NUMBER DATABASE: makes the database "fleet", by the lines of docs/fleet.md: the tables of all servers
distribute()
{
	local lines

	lines=$(awk '/^```sql$/ { on = 1; next } /^```$/ { on = 0 } on' "$clone/docs/fleet.md")
	clickhouse "$1" --multiquery <<<"$lines" && clickhouse "$1" -d fleet --multiquery <"$clone/user/store/clickhouse.sql"
}

# queries: those of docs/schema/store.md that all engines understand, as files 1.sql, 2.sql, ...
queries()
{
	awk '/^### For SQLite only/ { exit } /^```$/ { if (file) close(file); file = "" } file { print >file }
		/^```sql$/ { file = ++n ".sql" }' "$clone/docs/schema/store.md"
}
