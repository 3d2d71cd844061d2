// SPDX-License-Identifier: GPL-2.0
/*
 * The loader's results: reads the oneshot tracer's files, merges records, writes documents and
 * reads them back, and explains differences.
 */
#include "cover/outputs.h"
#include "document/coverage.h"
#include "document/coverage_json.h"
#include "kernel/hits.h"
#include "kernel/sample.h"
#include "report/compare.h"
#include "report/images.h"
#include "report/report.h"
#include "run/instance.h"
#include "printed.h"

static struct coverage a, b, c, back;
static struct comparison cmp;

static void free_all(void)
{
	compare__free(&cmp);
	coverage__free(&a);
	coverage__free(&b);
	coverage__free(&c);
	coverage__free(&back);
	free_printed();
}

TestSuite(oneshot_entries, .fini = free_all);
TestSuite(oneshot_stats, .fini = free_all);
TestSuite(places, .fini = free_all);
TestSuite(tailor, .fini = free_all);
TestSuite(text, .fini = free_all);
TestSuite(coverage_json, .fini = free_all);
TestSuite(compare, .fini = free_all);

static int read_into(struct coverage *c, const char *lines)
{
	struct kernel k = sample_kernel();
	autofclose FILE *f = sample_file(lines);
	uint64_t unnamed;
	int err;

	coverage__free(c);
	coverage__init(c, "oneshot");
	err = oneshot_entries__read(f, "oneshot_entries", &(struct places){ .kernel = &k }, &c->hits, &unnamed);
	counters__add(&c->lost, "unnamed", unnamed);
	hits__settle(&c->hits);
	kernel__free(&k);
	return err;
}

static int read_entries(const char *lines)
{
	return read_into(&c, lines);
}

static const char entries[] =
	"ffffffff82000204 function 200 1 42\n"
	"ffffffff82000111 caller 201 1 42\n"
	"ffffffff82000104 function 100 0 7\n"
	"104 mod_two function 300 0 9\n"
	"17 mod_two caller 301 0 9\n"
	"17ef1 mod_gone function 302 0 9\n";

/* @end: what comes after the thread's number. NULL: the line is refused. */
static const struct {
	const char *end, *comm;
	uint32_t tgid;
} threads[] = {
	{ "- 41 sh", "sh", 41 },
	{ "ffffffff82000111 41 a  name ", "a  name ", 41 },
	{ "17 mod_two 41  b", " b", 41 },
	{ "17 250 41 8250", "8250", 41 },
	{ "0000000000000000 41 hidden", "hidden", 41 },
	{ "- 0 a\\nb\\\\nc", "a\nb\\nc", 0 },
	{ "- 0 ", "", 0 },
	{ "-", NULL, 0 }, { "ffffffff82000111", NULL, 0 }, { "17 mod_two", NULL, 0 },
};

Test(oneshot_entries, tell_the_thread)
{
	for_each(t, threads) {
		char line[128];

		snprintf(line, sizeof(line), "ffffffff82000204 function 200 1 42 %s\n", t->end);
		cr_assert(eq(int, read_entries(line), 0), "%s", t->end);
		cr_expect(eq(u32, c.hits.list[0].pid, 42));
		cr_expect(eq(u32, c.hits.list[0].tgid, t->tgid), "%s", t->end);
		expect_str(c.hits.list[0].comm ?: "NULL", t->comm ?: "NULL", "%s", t->end);
	}
}

Test(oneshot_entries, refuse_other_ends)
{
	static const char *const ends[] = {
		"x 41 sh", "-1 sh", "- sh", "- 41", "7fffffff82000111 41 sh", "ffffffff820001110 mod_two 41 sh",
	};

	for_each(end, ends) {
		char line[128];

		snprintf(line, sizeof(line), "ffffffff82000204 function 200 1 42 %s\n", *end);
		cr_expect(eq(int, read_entries(line), -EPROTO), "%s", *end);
	}
}

/* An address as linked, or in a module, and the function there */
static void print_place(FILE *f, const char *name, const char *module, uint64_t link, uint64_t offset)
{
	fprintf(f, module ? "%s %s+%" PRIx64 : "%s %s%" PRIx64, name ?: "?", module ?: "", module ? offset : link);
	cr_expect(module == NULL || link == 0);
}

/* A line for each hit: when, on which CPU and in which thread, what, and the other address. */
static void expect_hits(const char *lines, const char *wanted)
{
	char *got;

	cr_assert(read_entries(lines) == 0);
	got = PRINTED(f, for (const struct hit *h = c.hits.list; h < c.hits.list + c.hits.count; h++) {
		fprintf(f, "%" PRIu64 " %u %u %s ", h->first_ns, h->cpu, h->pid, h->kind == HIT_CALLER ? "caller" : "function");
		print_place(f, h->name, h->module, h->link, h->offset);
		if (h->other.name) {
			fputs(" = ", f);
			print_place(f, h->other.name, h->other.module, h->other.link, h->other.offset);
			fprintf(f, "+%x", h->other.into);
		}
		fputc('\n', f);
	});
	expect_str(got, wanted);
	free(got);
}

/* A function is at its entry, while a return address stays what it is. */
Test(oneshot_entries, become_hits_in_order_of_time)
{
	expect_hits(entries, "100 0 7 function vfs_read ffffffff81000100\n"
			     "200 1 42 function vfs_write ffffffff81000200\n"
			     "201 1 42 caller alias_of_vfs_read ffffffff81000111\n"
			     "300 0 9 function two_close mod_two+100\n"
			     "301 0 9 caller two_open mod_two+17\n"
			     "302 0 9 function ? mod_gone+17ef1\n");
	cr_expect(hits__count(&c.hits, HIT_FUNCTION) == 4);
	cr_expect(hits__count(&c.hits, HIT_CALLER) == 2);
}

/* It is of the function that called. */
Test(oneshot_entries, a_return_address_may_be_the_next_functions_entry)
{
	expect_hits("ffffffff82000100 caller 50 1 3\nffffffff82000104 function 100 0 7\n",
		    "50 1 3 caller _stext ffffffff81000100\n100 0 7 function vfs_read ffffffff81000100\n");
	expect_hits("100 mod_two caller 50 1 3\n104 mod_two function 100 0 7\n",
		    "50 1 3 caller two_open mod_two+100\n100 0 7 function two_close mod_two+100\n");
}

/* ftrace's list has no freed init code. The symbol _etext is not one of its functions there; at 709, no site is. */
Test(oneshot_entries, init_code_is_at_its_entry_too)
{
	expect_hits("ffffffff82000704 function 50 1 3\nffffffff82000709 function 60 1 3\n",
		    "50 1 3 function _etext ffffffff81000700\n60 1 3 function _etext ffffffff81000709\n");
}

/* kallsyms: an_alias_of_two_last, two_last */
Test(oneshot_entries, a_modules_function_has_the_name_that_ftrace_gives_it)
{
	expect_hits("204 mod_two function 50 1 3\n", "50 1 3 function two_last mod_two+200\n");
}

Test(oneshot_entries, have_the_other_address_of_the_hit)
{
	expect_hits("ffffffff82000111 caller 1 1 3 ffffffff82000104\n"
		    "17 mod_two caller 2 1 3 104 mod_two\n"
		    "ffffffff82000104 function 3 1 3 ffffffff82000211\n"
		    "104 mod_two function 4 1 3 17 mod_two\n"
		    "18 mod_two caller 5 1 3 -\n"
		    "19 mod_two caller 6 1 3\n"
		    "1a mod_two caller 7 1 3 17ef1 mod_gone\n"
		    "1b mod_two caller 8 1 3 ffffffffc0900000\n",
		    "1 1 3 caller alias_of_vfs_read ffffffff81000111 = vfs_read ffffffff81000100+0\n"
		    "2 1 3 caller two_open mod_two+17 = two_close mod_two+100+0\n"
		    "3 1 3 function vfs_read ffffffff81000100 = vfs_write ffffffff81000211+11\n"
		    "4 1 3 function two_close mod_two+100 = two_open mod_two+17+17\n"
		    "5 1 3 caller two_open mod_two+18\n"
		    "6 1 3 caller two_open mod_two+19\n"
		    "7 1 3 caller two_open mod_two+1a\n"
		    "8 1 3 caller two_open mod_two+1b\n");
}

static const char *const bad_entries[] = {
	"ffffffff82000104\n",
	"ffffffff82000104 function\n",
	"ffffffff82000104 something 1 2 3\n",
	"ffffffff82000104 function 1 2 3 4\n",
	"ffffffff82000104 mod function x 2 3\n",
	"ffffffff82000104 function 1 2 3 ffffffff82000104 a b\n",
	"ffffffff82000111 caller 1 2 3 x\n",
	"ffffffff82000111 caller 1 2 3 - -\n",
	"ffffffff82000111 caller 1 2 3 104 mod_two 4\n",
	"LOST 12 EVENTS\n",
	"\n",
};

Test(oneshot_entries, refuses_what_it_does_not_know)
{
	for_each(line, bad_entries)
		cr_expect(read_entries(*line) == -EPROTO, "%s", *line);
}

Test(oneshot_entries, hidden_addresses_are_not_permitted)
{
	cr_expect(read_entries("0000000000000000 function 1 2 3\n") == -EPERM);
}

Test(oneshot_stats, losses_and_costs)
{
	autofclose FILE *f = sample_file("entries: 5\nfunctions: 3\ncallers: 2\ncapacity: 1024\nbytes: 40960\n"
			      "refused: 7\nevents_lost: 1\nunresolvable_callers: 2\nnew_one: 9\n"
			      "retired: 3\nretire_batches: 1\nretire_ns: 4050\ncallers_incomplete: 4\n");

	coverage__init(&c, "oneshot");
	cr_expect(oneshot_stats__read(f, "oneshot_stats", losses__name, &c.lost, &c.cost) == 0);
	cr_expect(counters__get(&c.lost, "refused") == 7);
	cr_expect(counters__get(&c.lost, "unresolvable_callers") == 2);
	cr_expect(counters__get(&c.cost, "memory_bytes") == 40960);
	cr_expect(counters__get(&c.lost, "entries") == 0);
	cr_expect(counters__get(&c.lost, "callers_incomplete") == 4);
	cr_expect(counters__get(&c.cost, "retired") == 3);
	cr_expect(counters__get(&c.cost, "retire_batches") == 1);
	cr_expect(counters__get(&c.cost, "retire_ns") == 4050);
	cr_expect(counters__sum(&c.lost) == 14);
}

Test(places, generated_code_is_nowhere)
{
	struct kernel k = sample_kernel();
	struct places places = { .kernel = &k };
	struct hit hit = { .addr = 0xffffffffc0500010, .kind = HIT_CALLER };

	coverage__init(&c, "bpf");
	cr_expect(not(places__resolve(&places, &c.hits, &hit)));
	hit.addr = 0xffffffffc0400111;
	cr_expect(places__resolve(&places, &c.hits, &hit));
	cr_expect(hit.offset == 0x111);
	hit.addr = 0xffffffff82000100;
	hit.kind = HIT_FUNCTION;
	cr_expect(places__resolve(&places, &c.hits, &hit));
	cr_expect(eq(str, (char *)hit.name, "vfs_read"), "ftrace's name, not the alias");
	kernel__free(&k);
}

/* ---- documents */

static void sample_coverage(struct coverage *sample, const char *engine)
{
	cr_assert(read_into(sample, entries) == 0);
	free(sample->engine);
	sample->engine = strdup(engine);
	sample->kernel.release = strdup("6.12.0-test");
	sample->kernel.build_id = strdup("0123456789abcdef");
	sample->kernel.offset_known = true;
	sample->boot_id = strdup("boot");
	sample->follows_modules = true;
	sample->seconds = 1.5;
	sample->ended = ENDED_BY_DURATION;
	sample->how = (struct cover_how){
		.callers = true, .retire = true, .retire_ms = 100, .max_entries = 4711,
		.duration = 2.5, .pin = "/sys/fs/bpf/dir",
	};
	sample->window = (struct window){ 10, 20, 1000, 1010, 1 };
	sample->traceable = 8;
	sample->traced = 6;
	sample->traced_seen = 3;
	cr_assert(globs__add(&sample->filter.own, "own_helper") == 0);
}

static void print_json(const struct coverage *document)
{
	PRINT(f, coverage__write_json(document, f));
}

static void save(const char *document, char *path)
{
	int fd;

	strcpy(path, "/tmp/document.XXXXXX");
	fd = mkstemp(path);
	cr_assert(write(fd, document, strlen(document)) == (ssize_t)strlen(document));
	close(fd);
}

Test(tailor, is_addresses_and_nothing_else)
{
	sample_coverage(&c, "oneshot");
	PRINT(f, cr_expect(report__tailor(&c.hits, f) == 0));
	cr_expect(eq(str, text, "ffffffff81000100\nffffffff81000200\nffffffff81000111\n"
				"100 mod_two\n17 mod_two\n17ef1 mod_gone\n"));
	c.hits.list[0].link = 0;
	PRINT(f, cr_expect(report__tailor(&c.hits, f) == 1, "the number of entries without an address"));
}

/* The text report without DWARF. */
static void report(void)
{
	const struct report_form form = {};
	const struct coverage *list[] = { &c };
	struct kernel k = sample_kernel();
	struct universe u;
	struct rows rows;

	covered_modules__add(&c.modules, "mod_two");
	cr_assert(universe__of_kernel(&u, &k, NULL) == 0);
	rows__make(&rows, &u, list, 1);
	PRINT(f, report__text(&rows, NULL, &form, f));
	rows__free(&rows);
	universe__free(&u);
	kernel__free(&k);
}

/* The row of a group: "SEEN TRACEABLE SHARE". */
static bool has_row(const char *group, const char *numbers)
{
	const char *row = strstr(text, group);
	char seen[3][16], row_numbers[64];

	if (!row || sscanf(row + strlen(group), "%15s %15s %15s", seen[0], seen[1], seen[2]) != 3)
		return false;
	sprintf(row_numbers, "%s %s %s", seen[0], seen[1], seen[2]);
	cr_expect(eq(str, row_numbers, (char *)numbers), "%s", group);
	return true;
}

Test(text, what_was_freed_is_no_part_of_the_others)
{
	struct hit freed = { .addr = 0xffffffff82000700, .name = "_etext", .kind = HIT_FUNCTION };

	sample_coverage(&c, "oneshot");
	for (int i = 0; i < 9; i++) {
		freed.addr += 0x100;
		hits__add(&c.hits, &freed);
	}
	report();
	cr_expect(has_row("\n(init code, freed)", "9 - -"));
	cr_expect(has_row("\n(others)", "2 5 40.0%"));
	cr_expect(has_row("\n[mod_two]", "1 3 33.3%"));
	cr_expect(has_row("\n[mod_gone] (loaded later)", "1 - -"));
}

Test(text, a_module_at_the_place_of_another_is_not_that)
{
	sample_coverage(&c, "oneshot");
	for (size_t i = 0; i < c.hits.count; i++) {
		if (c.hits.list[i].kind == HIT_FUNCTION && c.hits.list[i].addr == 0xffffffffc0400100)
			c.hits.list[i].module = "mod_new";
	}
	report();
	cr_expect(has_row("\n[mod_new] (loaded later)", "1 - -"));
	expect_no_text("\n[mod_two]");
}

Test(text, says_whether_it_is_complete)
{
	static const struct {
		const char *name, *says;
	} cases[] = {
		{ "unpinned", "\nComplete:  yes\n" }, { "missed", "\nComplete:  maybe not\n" },
		{ "refused", "\nComplete:  no\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sample_coverage(&c, "oneshot");
		counters__add(&c.lost, cases[i].name, 1);
		report();
		cr_expect(strstr(text, cases[i].says) != NULL, "%s", cases[i].name);
	}
}

/* "Functions: ..." */
static char *first_total(void)
{
	char *line;

	report();
	line = strstr(text, "Functions:");
	cr_assert(line != NULL);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

Test(text, a_share_is_of_what_was_asked_for)
{
	sample_coverage(&c, "oneshot");
	/* The function of mod_gone is in no list. */
	cr_expect(eq(str, first_total(), "Functions: 3 seen of 8 that can be traced (37.5%); and 1 that were "
				"freed by then, loaded later, or are of trace events"));
	cr_assert(globs__add(&c.filter.allow, "vfs_*") == 0);
	cr_assert(globs__add(&c.filter.deny, "vfs_w*") == 0);
	c.hits.count = 1;
	c.hits.list[0] = (struct hit){ .addr = 0xffffffff82000100, .name = "vfs_read",
				  .kind = HIT_FUNCTION };
	cr_expect(eq(str, first_total(), "Functions: 1 seen of 1 that were asked for (100.0%); 8 can be "
				"traced"));
}

Test(coverage_json, comes_back_as_it_was)
{
	struct covered_module *module;
	char *written, path[64];

	sample_coverage(&c, "bpf");
	c.scope = (struct scope){ SCOPE_PID, 4711, "/some/where", "sh" };
	c.host = strdup("here");
	c.status = 3;
	c.started = 1700000000123456000;
	module = covered_modules__add(&c.modules, "mod_two");
	module->build_id = strdup("01ab");
	module->came = true;
	c.hits.list[0].sympos = 2;
	c.hits.list[0].tgid = 17;
	c.hits.list[0].comm = "sh";
	print_json(&c);
	expect_text("\"started\": \"2023-11-14T22:13:20.123456Z\"");
	save(text, path);
	written = strdup(text);
	cr_assert(coverage__read_json(&back, path) == 0);
	cr_expect(back.scope.kind == SCOPE_PID && back.scope.pid == 4711);
	cr_expect(eq(str, (char *)back.scope.cgroup, "/some/where"));
	cr_expect(eq(str, (char *)back.scope.comm, "sh"));
	print_json(&back);
	cr_expect(eq(str, text, written));
	cr_expect(back.hits.count == c.hits.count);
	cr_expect(back.started == c.started && back.status == 3);
	cr_expect(back.hits.list[0].tgid == 17);
	cr_expect(eq(str, (char *)back.hits.list[0].comm, "sh"));
	cr_expect(back.hits.list[1].comm == NULL, "it is not known");
	cr_expect(back.modules.count == 1 && back.modules.list[0].came && !back.modules.list[0].went);
	for (size_t i = 0; i < c.hits.count; i++)
		cr_expect(c.hits.list[i].kind == back.hits.list[i].kind, "in the same order, %zu", i);
	cr_expect(back.kernel.offset_known);
	cr_expect(back.traced_seen == 3);
	cr_expect(back.ended == ENDED_BY_DURATION);
	cr_expect(back.how.retire && back.how.retire_ms == 100 && back.how.pin);
	cr_expect(back.how.max_entries == 4711 && back.how.duration == 2.5);
	unlink(path);
	free(written);
}

Test(coverage_json, is_json_whatever_is_in_it)
{
	char path[64];

	sample_coverage(&c, "bpf");
	c.command = calloc(3, sizeof(*c.command));
	c.command[0] = strdup("it's\x01\x1f\x7f \"so\"\\");
	c.command[1] = strdup("\xff\xc3(\xc3\xa4");
	print_json(&c);
	expect_text("it's\\u0001\\u001f");
	save(text, path);
	cr_assert(coverage__read_json(&back, path) == 0);
	cr_expect(eq(str, back.command[0], c.command[0]));
	cr_expect(eq(str, back.command[1], "\xef\xbf\xbd\xef\xbf\xbd(\xc3\xa4"));
	unlink(path);
}

Test(coverage_json, unknown_is_null)
{
	sample_coverage(&c, "bpf");
	c.kernel.offset_known = false;
	c.hits.list[0].link = 0;
	print_json(&c);
	expect_text("\"addresses\": null");
	expect_text("\"addr\":null,\"name\":\"vfs_read\"");
	expect_text("\"command\": null");
	cr_expect(strstr(text, "\"tgid\":null,\"comm\":null") != NULL, "and not 0, which is a process");
}

#define HEAD "\"hytrace\": \"0\", \"document\": \"coverage\", \"schema\": 2, \"engine\": \"bpf\", \"window\": {\"closed_ns\": 1}, "
#define DOCUMENT HEAD "\"callers\": [], "

static const char *const bad_documents[] = {
	"",
	"{",
	"[]",
	"{}",
	"{\"hytrace\": \"0\", \"document\": \"coverage\", \"schema\": 2}",
	"{\"hytrace\": \"0\", \"schema\": 99, \"engine\": \"bpf\", \"functions\": []}",
	"{" DOCUMENT "\"functions\": [1]}",
	"{" DOCUMENT "\"functions\": [{\"name\": \"x\"}]}",
	"{" HEAD "\"functions\": []}",
	"{\"hytrace\": \"0\", \"document\": \"functions\", \"schema\": 2, \"functions\": []}",
	"{" DOCUMENT "\"functions\": {}}",
	"{" DOCUMENT "\"functions\": []} {}",
	"{" DOCUMENT "\"functions\": []}\n\nx",
	"{" DOCUMENT "\"functions\": [], \"filters\": {\"allow\": [\"@/etc/passwd\"]}}",
	/* Otherwise all hits of another document would certainly be after its end. */
	"{\"hytrace\": \"0\", \"document\": \"coverage\", \"schema\": 2, \"engine\": \"bpf\", \"functions\": [], \"callers\": []}",
};

Test(coverage_json, refuses_what_is_none)
{
	for (size_t i = 0; i < sizeof(bad_documents) / sizeof(bad_documents[0]); i++) {
		struct coverage none;
		char path[64];

		save(bad_documents[i], path);
		cr_expect(coverage__read_json(&none, path) == -EINVAL, "%s", bad_documents[i]);
		unlink(path);
	}
}

Test(coverage_json, says_whether_it_is_complete)
{
	static const struct {
		const char *name;
		uint64_t value;
		bool complete;
	} cases[] = {
		{ "refused", 1, false }, { "refused", 0, true }, { "recursion_misses", 1, false },
		{ "misses_unknown", 1, false }, { "misses_unknown", 0, true },
		{ "unpinned", 1, true }, { "of_tomorrow", 1, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sample_coverage(&c, "bpf");
		counters__add(&c.lost, cases[i].name, cases[i].value);
		print_json(&c);
		cr_expect(strstr(text, cases[i].complete ? "\"complete\": true" :
				 "\"complete\": false") != NULL, "%s", cases[i].name);
	}
}

/* ---- modules that come while recording */

static size_t new_modules(const char *allow, const char *kallsyms, const char *modules)
{
	FILE *files[] = { sample_file(kallsyms), sample_file(modules) };
	struct symbols *before = sample_symbols(), *after = NULL;
	struct filter filter = {};
	size_t found;

	cr_assert(symbols__read(&after, files[0], files[1]) == 0);
	cr_assert(globs__add(&filter.allow, allow) == 0);
	cr_assert(globs__add(&filter.deny, "two_denied") == 0);
	cr_expect(filter__new_modules(&filter, before, NULL) == 0);
	found = filter__new_modules(&filter, before, after);
	filter__free(&filter);
	symbols__free(before);
	symbols__free(after);
	fclose(files[0]);
	fclose(files[1]);
	return found;
}

#define MODULE_TWO "mod_two 16384 0 - Live 0xffffffffc0400000\n"
#define MODULE_NEW "mod_new 16384 0 - Live 0xffffffffc0800000\n"
#define SYMBOLS "ffffffff82000000 T two_core\nffffffffc0400000 t two_open\t[mod_two]\n"

Test(filter, of_modules_that_came_those_that_are_asked_for)
{
	static const char asked[] = SYMBOLS "ffffffffc0800000 t two_new\t[mod_new]\n";
	static const char denied[] = SYMBOLS "ffffffffc0800000 t two_denied\t[mod_new]\n";

	cr_expect(new_modules("two_*", asked, MODULE_TWO MODULE_NEW) == 1);
	cr_expect(new_modules("two_*", asked, MODULE_TWO) == 0, "it has gone again");
	cr_expect(new_modules("vfs_*", asked, MODULE_TWO MODULE_NEW) == 0);
	cr_expect(new_modules("two_*", denied, MODULE_TWO MODULE_NEW) == 0);
	cr_expect(new_modules("two_*", asked, "mod_two 16384 0 - Live 0xffffffffc0900000\n") == 1, "anew");
}

/* ---- losses */

/* The table and the man page say the same of the same names: "*name*, *other* (missing)". */
Test(losses, are_those_of_the_man_page)
{
	autofclose FILE *f = fopen("docs/hytrace-cover.1.scd", "r");
	size_t count = 0, documented = 0;
	char line[512];

	cr_assert(f != NULL, "run it where the Makefile is");
	while (losses__at(count))
		count++;
	while (fgets(line, sizeof(line), f)) {
		char *meaning = strrchr(line, '('), *name;

		/* Not the line of *hytrace*(1). */
		if (*line != '*' || !meaning || meaning[-1] != ' ' ||
		    strcmp(line + strlen(line) - 2, ")\n"))
			continue;
		*meaning++ = '\0';
		meaning[strlen(meaning) - 2] = '\0';
		for (name = strtok(line, "*, "); name; name = strtok(NULL, "*, ")) {
			const struct loss *loss = losses__find(name);

			cr_assert(loss != NULL, "%s is no loss", name);
			cr_expect(eq(str, meaning, (char *)loss_meaning__name(loss->meaning)), "%s", name);
			documented++;
		}
	}
	cr_expect(documented == count, "%zu of %zu are in the man page", documented, count);
}

/* A document that has lost one of these may have lost the first call of a listed function. */
Test(losses, which_may_hide_an_earlier_call)
{
	static const struct {
		const char *name;
		unsigned int kinds;
	} hiding[] = {
		{ "refused", HIT_BOTH }, { "map_full", HIT_BOTH }, { "missed", HIT_BOTH },
		{ "recursion_misses", HIT_BOTH }, { "unfinished", HIT_BOTH }, { "tasks_full", HIT_BOTH },
		{ "misses_unknown", HIT_BOTH },
		{ "parents_lost", HIT_CALLER }, { "callers_incomplete", HIT_CALLER }, { "switches_left_out", HIT_CALLER },
	};

	for (size_t i = 0; losses__at(i); i++) {
		const char *name = losses__at(i)->name;
		struct counters lost = {};
		unsigned int kinds = 0;

		for (size_t j = 0; j < sizeof(hiding) / sizeof(hiding[0]); j++)
			kinds |= strcmp(hiding[j].name, name) ? 0 : hiding[j].kinds;
		counters__add(&lost, name, 1);
		cr_expect(losses__hide(&lost, HIT_FUNCTION) == !!(kinds & HIT_FUNCTION), "%s", name);
		cr_expect(losses__hide(&lost, HIT_CALLER) == !!(kinds & HIT_CALLER), "%s", name);
		counters__free(&lost);
	}
}

/* ---- comparing */

static void compare(unsigned int kinds)
{
	compare__free(&cmp);
	compare__run(&cmp, &a, &b, kinds);
}

static void print_some(size_t limit)
{
	PRINT(f, compare__print(&cmp, "a", "b", limit, f));
}

static void print_comparison(void)
{
	print_some(0);
}

/* A hit that only the second document has is a difference as well. */
Test(compare, either_side_is_listed_up_to_a_limit)
{
	static const char *const headings[] = {
		"\nOnly in a: 4\n  4: b was told to leave it out (-d): ",
		"\nOnly in b: 4\n  4: a was told to leave it out (-d): ",
	};

	for (int i = 0; i < 2; i++) {
		char *list;

		sample_coverage(&a, "oneshot");
		sample_coverage(&b, "bpf");
		(i ? &a : &b)->hits.count = 0;
		for (size_t j = 0; j < a.hits.count + b.hits.count; j++)
			(i ? &b : &a)->hits.list[j].name = "name";
		cr_assert(globs__add(&(i ? &a : &b)->filter.deny, "*") == 0);
		compare(HIT_FUNCTION);
		print_some(3);
		list = strstr(text, headings[i]);
		cr_assert(list != NULL, "%s", text);
		cr_expect(strstr(list, " ...\n") != NULL, "%s", list);
		cr_expect(strstr(list, "\nAll differences are explained.\n") != NULL, "%s", list);
		print_some(4);
		cr_expect(strstr(text, " ...") == NULL, "%s", text);
	}
}

Test(compare, misses_are_possible_and_explain_no_more_than_were_counted)
{
	sample_coverage(&a, "oneshot");
	sample_coverage(&b, "bpf");
	b.hits.count = 0;
	counters__add(&b.lost, "recursion_misses", 3);
	compare(HIT_FUNCTION);
	cr_expect(cmp.only_a_count == 4);
	cr_expect(compare__count(&cmp, CERTAIN) == 0);
	cr_expect(compare__count(&cmp, POSSIBLE) == 3);
	cr_expect(compare__count(&cmp, UNEXPLAINED) == 1);
	print_comparison();
	expect_text("\n  3: possibly: b counts calls");
	expect_text("0 are explained, 3 only possibly, 1 are UNEXPLAINED.");
}

/*
 * Even with thousands of losses, an emptied list is no success, neither of functions nor of
 * callers.
 */
Test(compare, an_emptied_list_is_not_explained)
{
	static const unsigned int kinds[] = { HIT_FUNCTION, HIT_CALLER };

	for (size_t i = 0; i < 2; i++) {
		sample_coverage(&a, "oneshot");
		sample_coverage(&b, "bpf");
		b.hits.count = 0;
		counters__add(&b.lost, "recursion_misses", 115067);
		globs__add(&b.filter.deny, "other_*");
		compare(kinds[i]);
		cr_expect(compare__count(&cmp, CERTAIN) == 0);
		cr_expect(compare__count(&cmp, POSSIBLE) == cmp.only_a_count);
		print_comparison();
		expect_no_text("All differences are explained");
	}
}

/* A document of a kernel whose KASLR offset is not known. */
static void without_addresses(struct coverage *sample)
{
	sample_coverage(sample, "bpf");
	sample->kernel.offset_known = false;
	for (size_t i = 0; i < sample->hits.count; i++)
		sample->hits.list[i].link = sample->hits.list[i].addr = 0;
}

Test(compare, unknown_addresses_are_not_all_one)
{
	without_addresses(&a);
	without_addresses(&b);
	memmove(b.hits.list, b.hits.list + 1, --b.hits.count * sizeof(*b.hits.list));
	compare(HIT_FUNCTION);
	cr_expect(cmp.by_name != NULL);
	cr_expect(cmp.both == 2, "vfs_write and two_close");
	/* vfs_read, and on both sides one without a name to look for. */
	cr_assert(cmp.only_a_count == 2 && cmp.only_b_count == 1);
	cr_expect(cmp.only_a[1].reason == REASON_NO_ADDRESS);
	cr_expect(eq(str, (char *)cmp.only_a[0].hit->name, "vfs_read"));
	cr_expect(cmp.only_a[0].reason == REASON_UNEXPLAINED);
	print_comparison();
	expect_text("addresses as linked are not known");
}

Test(compare, one_name_of_two_functions_is_not_one_function)
{
	without_addresses(&a);
	without_addresses(&b);
	a.hits.list[0].name = a.hits.list[1].name = "static_one";
	b.hits.list[0].name = "static_one";
	compare(HIT_FUNCTION);
	cr_expect(cmp.both == 2, "one of them, and two_close");
	cr_expect(cmp.only_a_count == 2 && cmp.only_b_count == 2);
}

Test(compare, another_build_by_name)
{
	sample_coverage(&a, "oneshot");
	sample_coverage(&b, "bpf");
	free(b.kernel.build_id);
	b.kernel.build_id = strdup("fedcba9876543210");
	for (size_t i = 0; i < b.hits.count; i++)
		b.hits.list[i].link += b.hits.list[i].link ? 0x40 : 0;
	compare(HIT_FUNCTION);
	cr_expect(cmp.by_name != NULL);
	cr_expect(cmp.both == 3);
	cr_assert(cmp.only_a_count == 1 && cmp.only_b_count == 1, "what has no name");
	cr_expect(cmp.only_a[0].reason == REASON_NO_ADDRESS);
}

/* ---- names and times */

static const struct {
	const char *path, *engine, *expected;
} names[] = {
	{ "run.json", "bpf", "run.bpf.json" },
	{ "/tmp/a.b/run", "oneshot", "/tmp/a.b/run.oneshot" },
	{ "dir/run.tar.json", "bpf", "dir/run.tar.bpf.json" },
	{ ".hidden", "bpf", ".hidden.bpf" },
};

Test(outputs, a_name_for_each_engine)
{
	for_each(name, names) {
		autofree char *path = outputs__engine_path(name->path, name->engine);

		expect_str(path, name->expected);
	}
}

Test(clock, drift_is_spread)
{
	struct clock_pair first = { 1000, 501000, 0 }, last = { 2000, 502010, 0 };

	cr_expect(clock_pair__local(&first, &last, 1000) == 501000);
	cr_expect(clock_pair__local(&first, &last, 2000) == 502010);
	cr_expect(clock_pair__local(&first, &last, 1500) == 501505);
	cr_expect(clock_pair__local(&first, &first, 1700) == 501700);
}
