// SPDX-License-Identifier: GPL-2.0
/*
 * Function events in the loader: names in prototypes, entries of error_log, records as json, their
 * order across CPUs, and histograms.
 */
#include <limits.h>

#include "base/json.h"
#include "event/function_events.h"
#include "event/hist.h"
#include "event/json.h"
#include "event/pipes.h"
#include "event/prototype.h"
#include "kernel/sample.h"

static char *written;
static size_t written_size;
static FILE *out;

static json_writer_t *begin_json(void)
{
	out = open_memstream(&written, &written_size);
	return jsonw_new(out, false);
}

/* The line that was written. */
static void expect_line(json_writer_t *w, const char *expected, const char *of)
{
	jsonw_destroy(&w);
	fclose(out);
	written[strcspn(written, "\n")] = '\0';
	cr_expect(eq(str, written, (char *)expected), "%s", of);
	free(written);
}

/* ---- prototypes */

/* What becomes of each in the group "own": the event, and the line that makes it. */
static const struct naming {
	const char *text, *group, *name, *line;
} namings[] = {
	{ "vfs_read()", "own", "vfs_read", "vfs_read() as own/vfs_read" },
	{ "  vfs_read (NULL, size_t n)\t", "own", "vfs_read",
	  "vfs_read (NULL, size_t n) as own/vfs_read" },
	{ "ssize_t vfs_read(...)", "own", "vfs_read", "ssize_t vfs_read(...) as own/vfs_read" },
	{ "unsigned long f(u8[4] a)", "own", "f", "unsigned long f(u8[4] a) as own/f" },
	{ "dummy:dummy_xmit()", "own", "dummy_xmit", "dummy:dummy_xmit() as own/dummy_xmit" },
	{ "int dummy : dummy_xmit()", "own", "dummy_xmit",
	  "int dummy : dummy_xmit() as own/dummy_xmit" },
	{ "foo.isra.0()", "own", "foo_isra_0", "foo.isra.0() as own/foo_isra_0" },
	{ "vfs_*()", "own", "vfs_any", "vfs_*() as own/vfs_any" },
	{ "*()", "own", "any", "*() as own/any" },
	{ "[sk]free?()", "own", "_sk_free_", "[sk]free?() as own/_sk_free_" },
	{ "vfs_read() as mine", "own", "mine", "vfs_read() as own/mine" },
	{ "vfs_read()  as\tmine", "own", "mine", "vfs_read()  as\town/mine" },
	{ "vfs_read() as g/mine", "g", "mine", "vfs_read() as g/mine" },
	/* The kernel finds mistakes. */
	{ "vfs_read", "functions", "vfs_read", "vfs_read" },
	{ "vfs_read(", "functions", "vfs_read", "vfs_read(" },
	{ "vfs_read() assign", "functions", "vfs_read", "vfs_read() assign" },
	{ "vfs_read() as", "functions", "vfs_read", "vfs_read() as" },
	{ "(x)", "own", "event", "(x) as own/event" },
	{ "9p()", "own", "event", "9p() as own/event" },
};

static struct prototypes protos;

static void free_prototypes(void)
{
	prototypes__free(&protos);
	memset(&protos, 0, sizeof(protos));
}

TestSuite(prototype, .fini = free_prototypes);

Test(prototype, is_named_in_a_group_of_its_own)
{
	for_each(n, namings) {
		cr_assert(prototypes__add(&protos, n->text) == 0);
		prototypes__privatize(&protos, "own");
		cr_expect(eq(str, protos.list[0].group, (char *)n->group), "%s", n->text);
		cr_expect(eq(str, protos.list[0].name, (char *)n->name), "%s", n->text);
		cr_expect(eq(str, protos.list[0].line, (char *)n->line), "%s", n->text);
		cr_expect(protos.list[0].own == !strcmp(n->group, "own"), "%s", n->text);
		free_prototypes();
	}
}

Test(prototype, as_the_kernel_lists_it)
{
	cr_assert(prototypes__add(&protos, "vfs_read(NULL)\nfoo.cold() as g/bar\nvfs_*() as all\n") == 0);
	cr_assert(protos.count == 3);
	cr_expect(eq(str, protos.list[0].group, "functions"));
	cr_expect(eq(str, protos.list[0].name, "vfs_read"));
	cr_expect(eq(str, protos.list[1].group, "g"));
	cr_expect(eq(str, protos.list[1].name, "bar"));
	cr_expect(eq(str, protos.list[2].group, "functions"));
	cr_expect(eq(str, protos.list[2].name, "all"));
}

Test(prototype, the_same_name_twice_gets_a_number)
{
	char *text;

	cr_assert(prototypes__add(&protos, "f()") == 0);
	cr_assert(prototypes__add(&protos, "int f()") == 0);
	cr_assert(prototypes__add(&protos, "g() as f_2") == 0);
	cr_assert(prototypes__add(&protos, "f() as g/f") == 0);
	prototypes__privatize(&protos, "own");
	text = prototypes__join(&protos);
	/* A name that the user gave stays, even if it comes later. */
	cr_expect(eq(str, text, "f() as own/f\nint f() as own/f_3\ng() as own/f_2\nf() as g/f\n"));
	free(text);
}

/* 10, 20, ... characters */
#define TEN "_ten_chars"
#define FIFTY TEN TEN TEN TEN TEN

Test(prototype, a_long_name_is_the_functions)
{
	static const char longest[] = FIFTY FIFTY TEN TEN "_to_127";

	cr_assert(prototypes__add(&protos, FIFTY FIFTY TEN "()\n" FIFTY FIFTY TEN TEN "_to.127()") == 0);
	cr_expect(eq(str, protos.list[0].name, FIFTY FIFTY TEN));
	cr_expect(eq(str, protos.list[1].name, (char *)longest));
}

Test(prototype, a_name_that_is_made_is_not_too_long)
{
	static const char function[] = FIFTY FIFTY TEN TEN "_to_127";
	char text[1024];

	snprintf(text, sizeof(text), "%s()\n%s()\n%s_and_more()\n%s_and_most()", function, function,
		 function, function);
	cr_assert(prototypes__add(&protos, text) == 0);
	prototypes__privatize(&protos, "own");
	cr_expect(eq(str, protos.list[0].name, (char *)function));
	for (size_t i = 0; i < protos.count; i++) {
		cr_expect(strlen(protos.list[i].name) <= 127);
		for (size_t j = 0; j < i; j++)
			cr_expect(strcmp(protos.list[i].name, protos.list[j].name) != 0);
	}
}

Test(prototype, comments_and_empty_lines)
{
	cr_expect(prototypes__add(&protos, "# nothing\n\n \t\na()\n  # more\nb() \n") == 0);
	cr_assert(protos.count == 2);
	cr_expect(eq(str, protos.list[1].line, "b()"));
	cr_expect(prototypes__add(&protos, "") == -EINVAL);
	cr_expect(prototypes__add(&protos, "# nothing") == -EINVAL);
	cr_expect(prototypes__add(&protos, "c()\n!a") == -EINVAL, "removes");
}

/* ---- error_log */

static const char log_text[] =
	"[   10.000001] function_events: error: Missing closing parenthesis\n"
	"  Command: vfs_read(\n"
	"                    ^\n"
	"[   11.000002] hist:sched:sched_switch: error: Couldn't find field\n"
	"  Command: keys=foo\n"
	"                ^\n"
	"[   12.000003] function_events: dummy, tun: error: Function is in a module\n"
	"  Command: \tint two(x8 a)\n"
	"           \t    ^\n"
	"[   13.000004] trace_kprobe: error: Bad\n"
	"  Command: p\n"
	"           ^\n";

static void expect_entry(const char *log, const char *message, const char *detail,
			 const char *picture)
{
	struct log_entry e;
	char text[128], *drawn;

	cr_assert(error_log__last(log, "function_events", &e) == 0);
	snprintf(text, sizeof(text), "%.*s", (int)e.message_length, e.message);
	cr_expect(eq(str, text, (char *)message));
	snprintf(text, sizeof(text), "%.*s", (int)e.detail_length, e.detail);
	cr_expect(eq(str, text, (char *)detail));
	drawn = log_entry__picture(&e);
	cr_expect(eq(str, drawn, (char *)picture));
	free(drawn);
}

Test(error_log, the_last_of_our_own)
{
	/* The kernel counts a tab as one column, so a tab must stand below it. */
	static const char log[] =
		"[   12.000003] function_events: dummy, tun: error: Function is in a module\n"
		"  Command: \tint two(x8 a)\n"
		"                ^\n";

	expect_entry(log, "Function is in a module", "dummy, tun",
		     "  \tint two(x8 a)\n  \t    ^");
	expect_entry("[    1.0] function_events: error: Missing closing parenthesis\n"
		     "  Command: vfs_read(\n"
		     "                    ^\n"
		     "[    2.0] trace_kprobe: error: Bad\n"
		     "  Command: p\n"
		     "           ^\n",
		     "Missing closing parenthesis", "", "  vfs_read(\n           ^");
}

Test(error_log, there_may_be_none)
{
	struct log_entry e;

	cr_expect(error_log__last("", "function_events", &e) == -ENOENT);
	cr_expect(error_log__last(log_text, "function_event", &e) == -ENOENT);
	cr_expect(error_log__last("[ 1.0] function_events: error: cut short", "function_events",
				  &e) == -ENOENT);
	cr_expect(error_log__last(log_text, "function_events", &e) == 0);
	cr_expect(strncmp(e.stamp, "   12.000003", e.stamp_length) == 0);
}

Test(error_log, a_command_of_several_lines)
{
	static const char log[] =
		"[    1.0] function_events: error: Bad\n"
		"  Command: one()\n"
		"two()\n"
		"                   ^\n";

	expect_entry(log, "Bad", "", "  one()\n  two()\n    ^");
}

Test(error_log, no_caret)
{
	expect_entry("[    1.0] function_events: error: Bad\n  Command: one()\n", "Bad", "",
		     "  one()");
}

/* ---- json */

static const char format[] =
	"name: sample\n"
	"ID: 1000\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:unsigned long __ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long __parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:size_t count;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:s32 number;\toffset:32;\tsize:4;\tsigned:1;\n"
	"\tfield:u8 mac[6];\toffset:36;\tsize:6;\tsigned:0;\n"
	"\tfield:char name[8];\toffset:42;\tsize:8;\tsigned:1;\n"
	"\tfield:bool yes;\toffset:50;\tsize:1;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:52;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 words[2];\toffset:56;\tsize:16;\tsigned:0;\n"
	"\tfield:s64 ret;\toffset:72;\tsize:8;\tsigned:1;\n"
	"\tfield:u32 faults;\toffset:80;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"%ps->%ps(%s)\", (void *)REC->__parent_ip, (void *)REC->__ip, __get_str(path)\n";

struct __attribute__((packed)) sample {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	uint64_t ip, parent_ip, count;
	int32_t number;
	uint8_t mac[6];
	char name[8];
	uint8_t yes, pad;
	uint32_t path;
	uint64_t words[2];
	int64_t ret;
	uint32_t faults;
	char text[16];
};

static const struct sample sample = {
	.type = 1000, .pid = 42, .ip = 0xffffffff82000104, .parent_ip = 0xffffffffc0400010,
	.count = 4096, .number = -11, .mac = { 0, 1, 2, 3, 254, 255 }, .name = "abc", .yes = 1,
	.path = 84 | 9 << 16, .words = { 7, 0xffff888000000000 }, .ret = -5,
	.text = "/a\"\n\001\xff\xc3\xa4",
};

static struct tep_event *sample_event(struct tep_handle *tep)
{
	struct tep_event *event;

	tep_set_loglevel(TEP_LOG_NONE);
	tep_parse_event(tep, format, strlen(format), "functions");
	event = tep_find_event_by_name(tep, "functions", "sample");
	cr_assert(event != NULL);
	return event;
}

static void expect_json(const struct sample *s, size_t size, const char *expected)
{
	struct tep_handle *tep = tep_alloc();
	struct kernel kernel = sample_kernel();
	struct tep_record record = { .ts = 123456789, .cpu = 1, .data = (void *)s, .size = size };
	json_writer_t *w = begin_json();

	event_json__write(w, &record, sample_event(tep), "sample", "a\xff", &kernel);
	expect_line(w, expected, "the record");
	kernel__free(&kernel);
	tep_free(tep);
}

#define HEAD "{\"ts\":123456789,\"cpu\":1,\"pid\":42,\"comm\":\"a\xef\xbf\xbd\",\"event\":\"sample\"," \
	"\"function\":\"vfs_read\",\"caller\":\"two_open+0x10 [mod_two]\",\"fields\":{"

Test(event_json, every_kind_of_field)
{
	expect_json(&sample, sizeof(sample), HEAD
		"\"count\":4096,\"number\":-11,\"mac\":[0,1,2,3,254,255],\"name\":\"abc\",\"yes\":true,"
		"\"path\":\"/a\\\"\\n\\u0001\xef\xbf\xbd\xc3\xa4\","
		"\"words\":[7,\"0xffff888000000000\"],\"ret\":-5}}");
}

Test(event_json, what_could_not_be_read_is_null)
{
	struct sample s = sample;

	/* Each of the user's fields has a bit: mac, path and ret. */
	s.faults = 1 << 2 | 1 << 5 | 1 << 7;
	expect_json(&s, sizeof(s), HEAD
		"\"count\":4096,\"number\":-11,\"mac\":null,\"name\":\"abc\",\"yes\":true,"
		"\"path\":null,\"words\":[7,\"0xffff888000000000\"],\"ret\":null}}");
}

Test(event_json, a_record_that_is_too_short)
{
	expect_json(&sample, 42, HEAD
		"\"count\":4096,\"number\":-11,\"mac\":[0,1,2,3,254,255],\"name\":null,\"yes\":null,"
		"\"path\":null,\"words\":null,\"ret\":null}}");
}

/* The text of a module that came later, or is gone, may be there. */
Test(event_json, what_is_behind_a_module_is_not_a_part_of_it)
{
	struct sample s = sample;

	s.parent_ip = 0xffffffffc0401010;
	expect_json(&s, 24, "{\"ts\":123456789,\"cpu\":1,\"pid\":42,\"comm\":\"a\xef\xbf\xbd\",\"event\":\"sample\","
		    "\"function\":\"vfs_read\",\"caller\":null,\"fields\":{"
		    "\"count\":null,"
		    "\"number\":null,\"mac\":null,\"name\":null,\"yes\":null,\"path\":null,\"words\":null,"
		    "\"ret\":null}}");
}

static void expect_integer(uint64_t value, bool is_signed, const char *expected)
{
	json_writer_t *w = begin_json();

	jsonw_exact(w, value, is_signed);
	expect_line(w, expected, expected);
}

Test(event_json, numbers_are_strings_where_a_double_ends)
{
	expect_integer(1ULL << 53, false, "9007199254740992");
	expect_integer((1ULL << 53) + 1, false, "\"0x20000000000001\"");
	expect_integer(UINT64_MAX, false, "\"0xffffffffffffffff\"");
	expect_integer(UINT64_MAX, true, "-1");
	expect_integer(-(1LL << 53), true, "-9007199254740992");
	expect_integer(-(1LL << 53) - 1, true, "\"-0x20000000000001\"");
	expect_integer(INT64_MIN, true, "\"-0x8000000000000000\"");
	expect_integer(INT64_MAX, true, "\"0x7fffffffffffffff\"");
}

static void expect_text(const char *text, const char *expected)
{
	char quoted[64];
	json_writer_t *w = begin_json();

	snprintf(quoted, sizeof(quoted), "\"%s\"", expected);
	jsonw_text(w, text, strlen(text));
	expect_line(w, quoted, expected);
}

#define BAD "\xef\xbf\xbd"

Test(event_json, text_is_utf8)
{
	expect_text("plain /text", "plain /text");
	expect_text("\xe2\x82\xac\xf0\x9f\x98\x80", "\xe2\x82\xac\xf0\x9f\x98\x80");
	expect_text("\xe2\x82", BAD BAD);
	expect_text("\x80x\xc0\xaf", BAD "x" BAD BAD);
	expect_text("\xed\xa0\x80", BAD BAD BAD);
	expect_text("\xf4\x90\x80\x80", BAD BAD BAD BAD);
	expect_text("\xf8", BAD);
}

Test(event_json, text_ends_where_its_length_says)
{
	json_writer_t *w = begin_json();

	jsonw_start_array(w);
	jsonw_text(w, "abc", 2);
	jsonw_text(w, "\xe2\x82\xac", 2);
	jsonw_text(w, "a", 0);
	jsonw_end_array(w);
	expect_line(w, "[\"ab\",\"" BAD BAD "\",\"\"]", "parts");
}

/* ---- order */

struct given {
	unsigned long long times[16];
	int cpus[16];
	size_t count;
};

static int note(const struct tep_record *record, void *context)
{
	struct given *given = context;

	cr_expect(record->size == 4 && !memcmp(record->data, "data", 4));
	given->times[given->count] = record->ts;
	given->cpus[given->count++] = record->cpu;
	return 0;
}

static void add(struct record_order *order, unsigned long long ts, int cpu)
{
	const struct tep_record record = { .ts = ts, .cpu = cpu, .data = "data", .size = 4 };

	cr_assert(record_order__add(order, &record) == 0);
}

Test(record_order, holds_back_what_is_not_certain)
{
	struct record_order *order = record_order__new();
	struct given given = {};

	add(order, 10, 0);
	add(order, 30, 0);
	add(order, 20, 1);
	add(order, 30, 1);
	add(order, 40, 1);
	cr_expect(record_order__give(order, 30, note, &given) == 0);
	cr_assert(given.count == 4);
	cr_expect(given.times[0] == 10 && given.times[1] == 20 && given.times[2] == 30);
	cr_expect(given.cpus[2] == 0 && given.cpus[3] == 1, "as they came");
	add(order, 35, 0);
	cr_expect(record_order__give(order, 34, note, &given) == 0);
	cr_expect(given.count == 4);
	cr_expect(record_order__give(order, ULLONG_MAX, note, &given) == 0);
	cr_assert(given.count == 6);
	cr_expect(given.times[4] == 35 && given.times[5] == 40);
	add(order, 50, 0);
	record_order__free(order);
}

static int refuse(const struct tep_record *record, void *context)
{
	(void)record;
	++*(int *)context;
	return -EIO;
}

Test(record_order, an_error_ends_it)
{
	struct record_order *order = record_order__new();
	int calls = 0;

	add(order, 1, 0);
	add(order, 2, 0);
	cr_expect(record_order__give(order, ULLONG_MAX, refuse, &calls) == -EIO);
	cr_expect(calls == 1);
	record_order__free(order);
}

/* ---- histograms */

Test(event_hist, triggers)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event = sample_event(tep);
	char *t[2];

	cr_assert(event_hist__triggers(event, "count", "pause", t) == 0);
	cr_expect(eq(str, t[0], "hist:keys=count.log2:size=128:pause if count > 0"));
	cr_expect(eq(str, t[1], "hist:keys=count:size=8192:pause if count == 0 && "
				"!(faults & 0x1)"));
	free(t[0]);
	free(t[1]);
	cr_assert(event_hist__triggers(event, "ret", "continue", t) == 0);
	cr_expect(eq(str, t[1], "hist:keys=ret:size=8192:continue if ret <= 0 && "
				"!(faults & 0x80)"));
	free(t[0]);
	free(t[1]);
	cr_expect(event_hist__triggers(event, "mac", "pause", t) == -EINVAL, "an array");
	cr_expect(event_hist__triggers(event, "path", "pause", t) == -EINVAL, "a string");
	cr_expect(event_hist__triggers(event, "nonesuch", "pause", t) == -EINVAL);
	tep_free(tep);
}

static const char hist_text[] =
	"# event histogram\n"
	"#\n"
	"# trigger info: hist:keys=ret:vals=hitcount:sort=hitcount:size=8192 if ret <= 0 [active]\n"
	"#\n"
	"\n"
	"{ ret: 18446744073709551605 } hitcount:          3\n"
	"{ ret:          0 } hitcount:          2\n"
	"\n"
	"Totals:\n"
	"    Hits: 5\n"
	"    Entries: 2\n"
	"    Dropped: 1\n"
	"\n"
	"\n"
	"# event histogram\n"
	"#\n"
	"# trigger info: hist:keys=ret.log2:vals=hitcount:sort=hitcount:size=128 if ret > 0 [active]\n"
	"#\n"
	"\n"
	"{ ret: ~ 2^0  } hitcount:          1\n"
	"{ ret: ~ 2^12 } hitcount:         10\n"
	"{ ret: ~ 2^64 } hitcount:          4\n"
	"\n"
	"Totals:\n"
	"    Hits: 15\n"
	"    Entries: 3\n"
	"    Dropped: 2\n";

Test(event_hist, is_what_the_kernel_says)
{
	struct event_hist h = {};
	json_writer_t *w = begin_json();

	cr_assert(event_hist__read(&h, hist_text) == 0);
	cr_expect(h.hits == 20);
	cr_expect(h.dropped == 3);
	event_hist__write_json(&h, "vfs_read", "ret", w);
	expect_line(w,
		"{\"event\":\"vfs_read\",\"field\":\"ret\",\"count\":20,\"buckets\":["
		"{\"from\":-16,\"to\":-9,\"count\":3},"
		"{\"from\":0,\"to\":0,\"count\":2},"
		"{\"from\":1,\"to\":1,\"count\":1},"
		"{\"from\":2049,\"to\":4096,\"count\":10},"
		"{\"from\":\"0x8000000000000001\",\"to\":\"0xffffffffffffffff\",\"count\":4}]}", "the kernel's file");
	cr_expect(event_hist__read(&h, "{ stacktrace:\n") == -EINVAL);
}

Test(event_hist, every_value_has_its_bucket)
{
	static const struct {
		const char *value, *from, *to;
	} cases[] = {
		{ "0", "0", "0" },
		{ "18446744073709551615", "-1", "-1" },
		{ "18446744073709551614", "-2", "-2" },
		{ "18446744073709551613", "-4", "-3" },
		{ "9223372036854775808", "\"-0x8000000000000000\"", "\"-0x4000000000000001\"" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event_hist h = {};
		json_writer_t *w = begin_json();
		char line[128], expected[256];

		snprintf(line, sizeof(line), "{ x: %10s } hitcount:          1\n", cases[i].value);
		cr_assert(event_hist__read(&h, line) == 0);
		event_hist__write_json(&h, "e", "x", w);
		snprintf(expected, sizeof(expected), "{\"event\":\"e\",\"field\":\"x\",\"count\":1,"
			 "\"buckets\":[{\"from\":%s,\"to\":%s,\"count\":1}]}",
			 cases[i].from, cases[i].to);
		expect_line(w, expected, cases[i].value);
	}
}

Test(event_hist, as_a_table)
{
	struct event_hist h = {};
	autofree char *text = PRINTED(f, {
		event_hist__print(&h, "e", "x", f);
		cr_assert(event_hist__read(&h, "{ x: ~ 2^3 } hitcount: 8\n{ x: ~ 2^5 } hitcount: 4\n") == 0);
		event_hist__print(&h, "e", "x", f);
	});

	cr_expect(strncmp(text, "e: x of 0 events\ne: x of 12 events\n", 35) == 0);
	cr_expect(strstr(text, " 5") && strstr(text, "####################"), "%s", text);
	/* The empty slot in between is printed as well: 5..8, 9..16, 17..32. */
	cr_expect(strstr(text, " 16 ") != NULL, "%s", text);
}
