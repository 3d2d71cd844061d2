-- SPDX-License-Identifier: GPL-2.0-only
-- Makes the tables of a store of hytrace in PostgreSQL, if they are not there, and loads the files beside it, of
-- `hytrace sql STORE --dump DIR`: cd DIR && psql -f postgresql.sql. All is loaded, or nothing. A run is loaded once.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
BEGIN;
CREATE TABLE IF NOT EXISTS object (id integer PRIMARY KEY, name text COLLATE "C", build_id text, srcversion text, kernel integer,
	release text, arch text, config text);
CREATE TABLE IF NOT EXISTS function (object integer, nr integer, module text COLLATE "C", name text COLLATE "C", addr bigint,
	sympos bigint, file text COLLATE "C", dir text COLLATE "C", line integer, unit text, untraced text, init integer,
	PRIMARY KEY (object, nr));
CREATE INDEX IF NOT EXISTS function_name ON function (name);
CREATE TABLE IF NOT EXISTS site (object integer, nr integer, module text COLLATE "C", name text COLLATE "C", addr bigint,
	symbol_offset bigint, entered_object integer, entered integer, PRIMARY KEY (object, nr));
CREATE TABLE IF NOT EXISTS could (object integer, nr integer, certain integer, PRIMARY KEY (object, nr, certain));
CREATE TABLE IF NOT EXISTS run (id bigint PRIMARY KEY, hash text UNIQUE, document text, kernel integer, host text COLLATE "C",
	boot_id text, engine text, started text COLLATE "C", seconds double precision, test text COLLATE "C",
	revision text COLLATE "C", scope text, complete integer, thin integer, functions integer, callers integer, head text);
CREATE TABLE IF NOT EXISTS ran (run bigint, object integer, sees integer, PRIMARY KEY (run, object));
CREATE TABLE IF NOT EXISTS hit (run integer, object integer, nr integer, PRIMARY KEY (object, nr, run));
CREATE TABLE IF NOT EXISTS hit_site (run integer, object integer, nr integer, PRIMARY KEY (object, nr, run));

CREATE OR REPLACE VIEW ran_function AS
SELECT run, object, nr, module, name, file, dir, line FROM hit JOIN function USING (object, nr);
CREATE OR REPLACE VIEW ran_site AS
SELECT run, hit_site.object, hit_site.nr, site.module, site.name, symbol_offset, f.module AS entered_module, f.name AS entered
FROM hit_site JOIN site USING (object, nr) LEFT JOIN function AS f ON f.object = site.entered_object AND f.nr = site.entered;
CREATE OR REPLACE VIEW unseen AS
SELECT object, nr, module, name, file, dir, line, certain
FROM function JOIN (SELECT object, nr, max(certain) AS certain FROM could GROUP BY object, nr) AS c USING (object, nr)
WHERE NOT EXISTS (SELECT 1 FROM hit WHERE hit.object = function.object AND hit.nr = function.nr);

-- Each dump has all of these three.
TRUNCATE object, function, site;
\copy object FROM 'object.tsv'
\copy function FROM 'function.tsv'
\copy site FROM 'site.tsv'
CREATE TEMPORARY TABLE more (LIKE could) ON COMMIT DROP;
\copy more FROM 'could.tsv'
INSERT INTO could SELECT * FROM more ON CONFLICT DO NOTHING;
\copy run FROM 'run.tsv'
\copy ran FROM 'ran.tsv'
\copy hit FROM 'hit.tsv'
\copy hit_site FROM 'hit_site.tsv'
COMMIT;
ANALYZE;
