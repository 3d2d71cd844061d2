-- SPDX-License-Identifier: GPL-2.0-only
-- The tables and views of a store, version 1. docs/schema/store.md explains them, with queries.
-- Tables keep their names, columns and meaning. A later version only adds to them; store.c upgrades older stores.

-- A kernel (name is null) or a module, of one build. A module whose build id is not known is known for its kernel only.
CREATE TABLE object (
	id INTEGER PRIMARY KEY,
	name TEXT,
	build_id TEXT,
	srcversion TEXT,
	kernel INTEGER REFERENCES object (id),
	release TEXT,
	arch TEXT,
	config TEXT
);
CREATE INDEX object_build ON object (name, build_id);

-- nr counts the functions of an object in the order in which they became known. addr is as linked; of a module, the
-- offset in its text; 0 if it is not known. sympos is null until a run or a function list tells it. file to text come from a
-- function list; init is null until then, and 1 if the function is freed after the boot. event is 1 if
-- it is code of a trace event, which runs only while that is on. text is a hash of the code. first_run is the first run that saw it.
CREATE TABLE function (
	object INTEGER NOT NULL REFERENCES object (id),
	nr INTEGER NOT NULL,
	name TEXT,
	addr INTEGER NOT NULL,
	sympos INTEGER,
	file TEXT,
	line INTEGER,
	unit TEXT,
	untraced TEXT,
	init INTEGER,
	event INTEGER,
	text INTEGER,
	first_run INTEGER,
	dir TEXT AS (rtrim(rtrim(file, replace(file, '/', '')), '/')),
	PRIMARY KEY (object, nr)
) WITHOUT ROWID;
CREATE INDEX function_name ON function (name);
CREATE INDEX function_first_run ON function (first_run);

-- Places that call: addr is the return address, name the function that contains it. entered_object and entered are the
-- function that the call entered in the first run that tells it.
CREATE TABLE site (
	object INTEGER NOT NULL REFERENCES object (id),
	nr INTEGER NOT NULL,
	name TEXT,
	addr INTEGER NOT NULL,
	symbol_offset INTEGER NOT NULL,
	entered_object INTEGER,
	entered INTEGER,
	PRIMARY KEY (object, nr)
) WITHOUT ROWID;

-- head is the document without its hits.
CREATE TABLE run (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	hash BLOB NOT NULL UNIQUE,
	document TEXT NOT NULL,
	kernel INTEGER NOT NULL REFERENCES object (id),
	host TEXT,
	boot_id TEXT,
	engine TEXT NOT NULL,
	started TEXT,
	seconds REAL NOT NULL,
	test TEXT,
	revision TEXT,
	scope TEXT NOT NULL,
	complete INTEGER NOT NULL,
	thin INTEGER NOT NULL,
	functions INTEGER NOT NULL,
	callers INTEGER NOT NULL,
	blind INTEGER,
	head TEXT NOT NULL
);
CREATE INDEX run_started ON run (started);

-- Functions that runs left out, because the recorder itself calls them or could not attach to them.
CREATE TABLE blind (
	list INTEGER NOT NULL,
	name TEXT NOT NULL,
	PRIMARY KEY (list, name)
) WITHOUT ROWID;

-- What ran: bit nr % 8 of byte nr / 8. sees: 0: only some functions of the object could be seen; 1: all that are not
-- init text; 2: init text as well.
CREATE TABLE ran (
	run INTEGER NOT NULL REFERENCES run (id),
	object INTEGER NOT NULL REFERENCES object (id),
	sees INTEGER NOT NULL,
	functions BLOB NOT NULL,
	sites BLOB NOT NULL,
	PRIMARY KEY (run, object)
);
CREATE INDEX ran_object ON ran (object, sees, run);

-- When, on which CPU and by which task each hit came first: columns that only hytrace reads. `keep --thin` leaves it out.
CREATE TABLE first (
	run INTEGER PRIMARY KEY REFERENCES run (id),
	hits BLOB NOT NULL
);

CREATE VIEW ran_function AS
SELECT ran.run, function.object, function.nr, object.name AS module, function.name, function.file, function.dir, function.line
FROM ran JOIN object ON object.id = ran.object
JOIN function ON function.object = ran.object AND function.nr < 8 * length(ran.functions)
WHERE instr('123456789ABCDEF', substr(hex(substr(ran.functions, function.nr / 8 + 1, 1)), 2 - function.nr % 8 / 4, 1))
	>> function.nr % 4 & 1;

CREATE VIEW ran_site AS
SELECT ran.run, site.object, site.nr, object.name AS module, site.name, site.symbol_offset,
	to_object.name AS entered_module, entered.name AS entered
FROM ran JOIN object ON object.id = ran.object
JOIN site ON site.object = ran.object AND site.nr < 8 * length(ran.sites)
LEFT JOIN object AS to_object ON to_object.id = site.entered_object
LEFT JOIN function AS entered ON entered.object = site.entered_object AND entered.nr = site.entered
WHERE instr('123456789ABCDEF', substr(hex(substr(ran.sites, site.nr / 8 + 1, 1)), 2 - site.nr % 8 / 4, 1))
	>> site.nr % 4 & 1;

-- The bitmaps as rows. In ClickHouse and PostgreSQL, which have no bitmaps, these are tables (sql --dump).
CREATE VIEW hit AS SELECT run, object, nr FROM ran_function;
CREATE VIEW hit_site AS SELECT run, object, nr FROM ran_site;

-- Functions of a function list, but for code of trace events, that at least one run could have seen. certain: one of these was complete.
-- Many runs may be incomplete, so each function is held against the few kinds of complete ones.
CREATE VIEW could AS
SELECT function.object, function.nr,
	EXISTS (SELECT 1 FROM (SELECT DISTINCT ran.object, ran.sees, run.blind
			FROM ran JOIN run ON run.id = ran.run WHERE run.complete) AS whole
		WHERE whole.object = function.object AND whole.sees > function.init AND
			NOT EXISTS (SELECT 1 FROM blind WHERE blind.list = whole.blind AND blind.name =
				function.name || coalesce(' [' || object.name || ']', ''))) AS certain
FROM function JOIN object ON object.id = function.object
WHERE function.untraced IS NULL AND NOT function.event AND EXISTS (
	SELECT 1 FROM ran JOIN run ON run.id = ran.run
	WHERE ran.object = function.object AND ran.sees > function.init AND
		NOT EXISTS (SELECT 1 FROM blind WHERE blind.list = run.blind AND blind.name =
			function.name || coalesce(' [' || object.name || ']', '')));

-- Those of them that no run has seen.
CREATE VIEW unseen AS
SELECT object, nr, object.name AS module, function.name, function.file, function.dir, function.line, could.certain
FROM could JOIN function USING (object, nr) JOIN object ON object.id = object WHERE function.first_run IS NULL;

-- Functions that no run of the newest kernel has seen, though a run of an earlier build has, and whose code is the same. The
-- newest kernel is that of the newest run; run is the first one of the last build that has seen the function.
CREATE VIEW unchanged AS
SELECT new.object, new.nr, object.name AS module, new.name, new.file, new.line, max(old.first_run) AS run
FROM function AS new JOIN object ON object.id = new.object
JOIN function AS old ON old.name = new.name AND old.text = new.text AND old.unit IS new.unit AND old.object <> new.object
JOIN object AS old_object ON old_object.id = old.object AND old_object.name IS object.name
WHERE new.first_run IS NULL AND old.first_run IS NOT NULL AND new.object IN (
	SELECT ran.object FROM ran JOIN run ON run.id = ran.run
	WHERE run.kernel = (SELECT kernel FROM run ORDER BY started DESC, id DESC LIMIT 1))
GROUP BY new.object, new.nr;
