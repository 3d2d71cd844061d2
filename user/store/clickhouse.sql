-- SPDX-License-Identifier: GPL-2.0-only
-- Makes the tables of a store of hytrace in ClickHouse (18.16 or later), if they are not there. The files beside it, of
-- `hytrace sql STORE --dump DIR`, are then loaded:
--	clickhouse-client --multiquery <clickhouse.sql
--	for t in object function site; do clickhouse-client -q "TRUNCATE TABLE \`$t\`"; done
--	for t in object function site could run ran hit hit_site; do clickhouse-client -q "INSERT INTO \`$t\` FORMAT TSV" <$t.tsv; done
-- Each dump has all objects, functions and sites, and the runs that were asked for.
-- What is loaded again is there once when ClickHouse has merged the parts (OPTIMIZE TABLE hit FINAL).
CREATE TABLE IF NOT EXISTS object (id UInt32, name Nullable(String), build_id Nullable(String), srcversion Nullable(String),
	kernel Nullable(UInt32), release Nullable(String), arch Nullable(String), config Nullable(String))
	ENGINE = ReplacingMergeTree() ORDER BY id;
CREATE TABLE IF NOT EXISTS function (object UInt32, nr UInt32, module Nullable(String), name Nullable(String), addr Int64,
	sympos Nullable(UInt32), file Nullable(String), dir Nullable(String), line Nullable(UInt32), unit Nullable(String),
	untraced Nullable(String), init Nullable(UInt8)) ENGINE = ReplacingMergeTree() ORDER BY (object, nr);
CREATE TABLE IF NOT EXISTS site (object UInt32, nr UInt32, module Nullable(String), name Nullable(String), addr Int64,
	symbol_offset UInt32, entered_object Nullable(UInt32), entered Nullable(UInt32))
	ENGINE = ReplacingMergeTree() ORDER BY (object, nr);
CREATE TABLE IF NOT EXISTS could (object UInt32, nr UInt32, certain UInt8)
	ENGINE = ReplacingMergeTree() ORDER BY (object, nr, certain);
CREATE TABLE IF NOT EXISTS run (id UInt32, hash String, document String, kernel UInt32, host Nullable(String),
	boot_id Nullable(String), engine String, started Nullable(String), seconds Float64, test Nullable(String),
	revision Nullable(String), scope String, complete UInt8, thin UInt8, functions UInt32, callers UInt32, head String)
	ENGINE = ReplacingMergeTree() ORDER BY id;
CREATE TABLE IF NOT EXISTS ran (run UInt32, object UInt32, sees UInt8) ENGINE = ReplacingMergeTree() ORDER BY (run, object);
CREATE TABLE IF NOT EXISTS hit (run UInt32, object UInt32, nr UInt32) ENGINE = ReplacingMergeTree() ORDER BY (object, nr, run);
CREATE TABLE IF NOT EXISTS hit_site (run UInt32, object UInt32, nr UInt32)
	ENGINE = ReplacingMergeTree() ORDER BY (object, nr, run);

CREATE VIEW IF NOT EXISTS ran_function AS
SELECT run, object, nr, module, name, file, dir, line FROM hit ANY INNER JOIN function USING (object, nr);
CREATE VIEW IF NOT EXISTS ran_site AS
SELECT run, object, nr, module, name, symbol_offset, entered_module, entered_name AS entered
FROM hit_site ANY INNER JOIN (SELECT object, nr, module, name, symbol_offset, entered_module, entered_name FROM site
	ANY LEFT JOIN (SELECT toNullable(object) AS entered_object, toNullable(nr) AS entered, module AS entered_module,
		name AS entered_name FROM function) USING (entered_object, entered)) USING (object, nr);
CREATE VIEW IF NOT EXISTS unseen AS
SELECT object, nr, module, name, file, dir, line, certain
FROM function ANY INNER JOIN (SELECT object, nr, max(certain) AS certain FROM could GROUP BY object, nr) USING (object, nr)
WHERE (object, nr) NOT IN (SELECT object, nr FROM hit);
