// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: the part from the initcalls on, from events as the kernel prints them.
 */
#include "boot/boot_sample.h"
#include "boot/start_sample.h"

TestSuite(boot_start, .init = enter, .fini = leave);

static void expect_initcall(size_t i, const char *name, int64_t us, int64_t self_us, int result)
{
	const struct span *call = &b.initcalls.list[i];

	cr_expect(eq(str, (char *)(call->name ?: "(none)"), (char *)name));
	cr_expect(span__time(call) == us * 1000 && call->self == self_us * 1000, "%s: %ld %ld", name, (long)span__time(call),
		  (long)call->self);
	cr_expect(call->result == result, "%s: %d", name, (int)call->result);
}

/* How much of a level is in initcalls. */
static int64_t in_initcalls(size_t level)
{
	return span__time(&b.levels.list[level]) - b.levels.list[level].self;
}

Test(boot_start, initcalls_of_each_task)
{
	cr_assert(read_start(start_events) == 0);
	cr_assert(b.initcalls.count == 6);
	expect_initcall(0, "con_init", 2, 2, 0);
	expect_initcall(1, "a_init", 20000, 20000, 0);
	expect_initcall(2, "b_init", 90000, 60000, 0);
	expect_initcall(3, "(none)", 48000, 48000, 0);
	expect_initcall(4, "inner_init", 30000, 30000, -19);
	cr_expect(b.initcalls.list[2].module == NULL && !strcmp(b.initcalls.list[2].in, "late"));
	cr_expect(eq(str, (char *)b.initcalls.list[3].module, "first"));
	cr_expect(eq(str, (char *)b.initcalls.list[5].module, "second"));
	cr_expect(not(span__has_end(&b.initcalls.list[5])));
	cr_expect(b.initcalls.list[0].class == SPAN_INITCALL && b.initcalls.list[3].class == SPAN_MODULE);
	cr_expect(eq(str, (char *)b.initcalls.list[0].in, "console"));
}

Test(boot_start, each_of_two_initcalls_in_one_is_no_time_of_its_own)
{
	cr_assert(read_start(INIT("0.100000", "initcall_level: level=early")
			     INIT("0.200000", "initcall_start: func=outer_init+0x0/0x10")
			     INIT("0.210000", "initcall_start: func=a_init+0x0/0x10")
			     INIT("0.220000", "initcall_finish: func=a_init+0x0/0x10 ret=0")
			     INIT("0.230000", "initcall_start: func=b_init+0x0/0x10")
			     INIT("0.250000", "initcall_finish: func=b_init+0x0/0x10 ret=0")
			     INIT("0.300000", "initcall_finish: func=outer_init+0x0/0x10 ret=0")) == 0);
	expect_initcall(0, "outer_init", 100000, 70000, 0);
	cr_expect(in_initcalls(0) == 100000000, "%lu", (long)in_initcalls(0));
}

Test(boot_start, levels_divide_the_time_of_the_init_task)
{
	cr_assert(read_start(start_events) == 0);
	cr_assert(b.levels.count == 2, "that of consoles is not the init task's");
	cr_expect(eq(str, (char *)b.levels.list[0].name, "early"));
	cr_expect(b.levels.list[0].start == 500000000 && span__time(&b.levels.list[0]) == 100000000);
	cr_expect(b.levels.list[0].count == 1 && in_initcalls(0) == 20000000);
	/* The time of an inner initcall is not counted twice, but the initcall is counted. */
	cr_expect(b.levels.list[1].count == 2 && in_initcalls(1) == 90000000);
	cr_expect(span__time(&b.levels.list[1]) == 100000000, "until its last initcall");
	cr_assert(b.inits.count == 2);
	cr_expect(eq(str, (char *)b.inits.list[0].name, "/init"));
	cr_expect(eq(str, (char *)b.inits.list[1].name, "/usr/lib/systemd/systemd"));
	cr_expect(b.inits.list[1].start == 900000000);
}

Test(boot_start, the_longest_by_themselves_come_first)
{
	const struct span **order, *list;
	size_t count;

	cr_assert(read_start(start_events) == 0);
	list = b.initcalls.list;
	order = span_list__by_self(&b.initcalls, NULL, &count);
	cr_expect(order[0] == &list[5], "it may still be running");
	cr_expect(order[1] == &list[2] && order[2] == &list[3] && order[3] == &list[4] && order[4] == &list[1] && order[5] == &list[0]);
	free(order);
}

Test(boot_start, an_end_without_a_beginning_is_left_out)
{
	cr_assert(read_start(INIT("0.5", "initcall_finish: func=a_init+0x0/0x10 ret=0")
			     INIT("0.6", "initcall_start: func=b_init+0x0/0x10")) == 0);
	cr_assert(b.initcalls.count == 1);
	cr_expect(not(span__has_end(&b.initcalls.list[0])));
	cr_expect(b.levels.count == 0 && b.inits.count == 0);
}

/* Each CPU has a buffer of its own, so any event may be missing. */
Test(boot_start, a_lost_end_changes_nothing_else)
{
	const struct span **order, *list;
	size_t count;

	cr_assert(read_start(INIT("0.100000", "initcall_level: level=early")
			     INIT("0.200000", "initcall_start: func=a_init+0x0/0x10")
			     INIT("0.300000", "initcall_start: func=b_init+0x0/0x10")
			     INIT("0.400000", "initcall_finish: func=b_init+0x0/0x10 ret=0")
			     INIT("0.500000", "initcall_finish: func=c_init+0x0/0x10 ret=0")
			     INIT("0.600000", "initcall_start: func=d_init+0x0/0x10")
			     INIT("0.900000", "initcall_finish: func=d_init+0x0/0x10 ret=0")) == 0);
	cr_assert(b.initcalls.count == 3);
	cr_expect(not(span__has_end(&b.initcalls.list[0])));
	expect_initcall(1, "b_init", 100000, 100000, 0);
	expect_initcall(2, "d_init", 300000, 300000, 0);
	cr_expect(in_initcalls(0) == 400000000 && span__time(&b.levels.list[0]) == 800000000);
	list = b.initcalls.list;
	order = span_list__by_self(&b.initcalls, NULL, &count);
	cr_expect(order[0] == &list[0] && order[1] == &list[2] && order[2] == &list[1]);
	free(order);
}

/* Without the event of a level, other events still tell the names of initcalls. */
Test(boot_start, names_and_levels_after_a_loss)
{
	cr_assert(read_start(INIT("1.600000", "initcall_start: func=foo_init+0x0/0x10")
			AT("modprob", "7", "1.600500", "initcall_start: func=m_init+0x0/0x10 [m]")
			INIT("1.610000", "initcall_finish: func=foo_init+0x0/0x10 ret=0")
			INIT("1.700000", "initcall_level: level=late")
			INIT("1.710000", "initcall_start: func=bar_init+0x0/0x10")
			INIT("1.720000", "initcall_finish: func=bar_init+0x0/0x10 ret=0")
			INIT("2.000000", "sched_process_exec: filename=/init pid=1 old_pid=1")) == 0);
	cr_expect(not(b.initcalls.list[0].class == SPAN_MODULE));
	cr_expect(b.initcalls.list[1].class == SPAN_MODULE && !b.initcalls.list[1].name, "nobody knows its module");
	print(text_of_ten, &b);
	expect_text("\nfoo_init           unknown");
	cr_expect(strstr(text, "(before)") == NULL, "the first levels are lost: %s", text);
	print_json(boot__write, &b);
	expect_at(object, "start.initcalls.0.name", "\"foo_init\"");
	expect_at(object, "start.initcalls.0.level", "\"unknown\"");
	expect_at(object, "start.initcalls.1.level", "\"module\"");
}

Test(boot_start, a_module_is_named_only_by_what_is_certain)
{
	/* The first place now belongs to another module. The second module_load is lost. */
	cr_assert(read_start(AT("modprob", "7", "0.1", "module_load: one")
			     AT("modprob", "7", "0.2", "initcall_start: func=f+0x0/0x40 [two]")
			     AT("modprob", "7", "0.3", "initcall_finish: func=f+0x0/0x40 [two] ret=-5")
			     AT("modprob", "7", "0.4", "initcall_start: func=0xffffffffc0000000")
			     AT("modprob", "7", "0.5", "initcall_finish: func=0xffffffffc0000000 ret=0")
			     AT("modprob", "7", "0.6", "module_load: three")
			     AT("modprob", "7", "0.7", "initcall_start: func=g_init+0x0/0x40 [three]")) == 0);
	cr_assert(b.initcalls.count == 3);
	expect_initcall(0, "(none)", 100000, 100000, -5);
	cr_expect(eq(str, (char *)b.initcalls.list[0].module, "one"));
	expect_initcall(1, "(none)", 100000, 100000, 0);
	cr_expect(b.initcalls.list[1].module == NULL);
	cr_expect(eq(str, (char *)b.initcalls.list[2].name, "g_init"));
}

Test(boot_start, the_clock_may_go_back_until_programs_run)
{
	cr_assert(read_start(INIT("0.010", "initcall_level: level=early")
			     INIT("0.5", "initcall_start: func=a_init+0x0/0x10")
			     INIT("0.6", "initcall_level: level=pure")
			     INIT("0.4", "initcall_finish: func=a_init+0x0/0x10 ret=0")
			     INIT("0.45", "initcall_start: func=b_init+0x0/0x10")
			     INIT("0.44", "initcall_finish: func=b_init+0x0/0x10 ret=0")
			     INIT("0.5", "sched_process_exec: filename=/init pid=1 old_pid=1")
			     INIT("0.3", "initcall_start: func=forged+0x0/0x10")) == 0);
	cr_expect(b.clock_back == 210000000);
	cr_expect(b.unread == 1 && strstr(b.first_unread, "forged"));
	cr_assert(b.initcalls.count == 2 && b.levels.count == 2);
	/* The clock steps back twice. */
	cr_expect(b.levels.list[0].start == 0 && b.levels.list[1].start == 390000000);
	cr_expect(b.initcalls.list[0].start == 290000000 && span__time(&b.initcalls.list[0]) == 100000000);
	cr_expect(b.initcalls.list[1].start == 440000000 && span__time(&b.initcalls.list[1]) == 0);
}

Test(boot_start, a_program_with_a_newline_in_its_name)
{
	cr_assert(read_start(INIT("0.5", "initcall_level: level=early")
			     INIT("0.6", "initcall_start: func=a_init+0x0/0x10")
			     AT("program", "9", "0.7", "sched_process_exec: filename=/tmp/x")
			     "y pid=9 old_pid=9\n"
			     INIT("0.8", "initcall_finish: func=a_init+0x0/0x10 ret=0")) == 0);
	cr_expect(b.unread == 1);
	cr_expect(eq(str, (char *)b.first_unread, "y pid=9 old_pid=9"));
	expect_initcall(0, "a_init", 200000, 200000, 0);
}

Test(boot_start, a_later_program_of_process_1_is_not_the_first)
{
	cr_assert(read_start(INIT("0.5", "initcall_start: func=a_init+0x0/0x10")
			     INIT("90.0", "sched_process_exec: filename=/sbin/init pid=1 old_pid=1")) == 0);
	cr_expect(b.inits.count == 0, "all levels are lost");
}

/* Process 1 is recognized by its pid: a service may have the name of init. */
Test(boot_start, a_service_with_the_name_of_init_is_none)
{
	cr_assert(read_start(INIT("0.5", "initcall_level: level=early")
			     INIT("1.0", "sched_process_exec: filename=/init pid=1 old_pid=1")
			     AT("systemd", "300", "1.5", "sched_process_exec: filename=/sbin/init pid=300 old_pid=300")
			     INIT("2.0", "sched_process_exec: filename=/sbin/init pid=1 old_pid=1")
			     AT("init", "301", "2.5", "sched_process_exec: filename=/sbin/init pid=301 old_pid=301")) == 0);
	cr_assert(b.inits.count == 2, "%zu", b.inits.count);
	cr_expect(b.inits.list[0].start == 1000000000 && b.inits.list[1].start == 2000000000);
}

static const char *const bad[] = {
	INIT("5", "initcall_level: level=early"),	/* another clock */
	INIT("0.5", "initcall_level: early"),
	INIT("0.5", "initcall_start: a_init"),
	INIT("0.5", "initcall_finish: func=a_init"),
	INIT("0.5", "initcall_finish: func=a_init ret=x"),
	INIT("0.5", "initcall_finish: func=0xffffffff81000000 (18446744071578845184) ret=0xffffffed (-19)"),
	INIT("0.5", "module_load: taints=0x0 (0) name=dummy"),
	INIT("0.5", "module_load: "),
	INIT("0.5", "sched_switch: prev_comm=swapper prev_pid=1"),
	INIT("0.5", "sched_waking: comm=swapper"),
	INIT("0.5", "softirq_entry: vec=1"),
	INIT("0.5", "device_end: (f <- really_probe)"),
	"initcall_level: level=early\n",
	"      swapper [000] .....     0.5: initcall_level: level=early\n",
};

Test(boot_start, refuses_what_it_cannot_read)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect(read_start(bad[i]) == -EPROTO, "%s", bad[i]);
}

Test(boot_start, reports_without_an_early_part)
{
	struct json_object *events;

	sample_start_report();
	print_json(boot__write, &b);
	expect_at(object, "tracer", "null");
	expect_at(object, "phases", "null");
	expect_at(object, "start.lost", "0");
	expect_at(object, "start.inits.0.start", "800000000");
	expect_at(object, "start.levels.0", "{\"name\":\"early\",\"start\":500000000,\"time\":100000000,"
					    "\"in_initcalls\":20000000,\"initcalls\":1}");
	expect_at(object, "start.unread", "0");
	expect_at(object, "start.initcalls.3.name", "null");
	expect_at(object, "start.initcalls.4",
		  "{\"name\":\"inner_init\",\"module\":null,\"level\":\"late\",\"pid\":1,"
		  "\"start\":620000000,\"time\":30000000,\"self\":30000000,"
		  "\"running\":null,\"ready\":null,\"waiting\":null,\"result\":-19}");
	expect_at(object, "start.initcalls.5",
		  "{\"name\":\"second_init\",\"module\":\"second\",\"level\":\"module\",\"pid\":8,"
		  "\"start\":821000000,\"time\":null,\"self\":null,"
		  "\"running\":null,\"ready\":null,\"waiting\":null,\"result\":null}");
	expect_at(object, "start.waits", "null");
	expect_at(object, "start.probes", "[]");
	expect_at(object, "start.full", "null");
	print(text_of_ten, &b);
	expect_text("\n(before)");
	cr_expect(strstr(text, "12.5%") != NULL, "a level's share of the time until init: %s", text);
	expect_text("\nStarted /init as init, at 0.800000 s\n"
		    "then /usr/lib/systemd/systemd as init, at 0.900000 s\n");
	expect_text("(its end is not known)");
	print_json(boot__chrome, &b);
	events = at(object, "traceEvents");
	/* Labels; phases: before, levels, until init, programs; initcalls and modules. */
	cr_expect(json_object_array_length(events) == 7 + 6 + 7, "%s", text);
	expect_at(event_of(events, "X", "a_init"), "ts", "510000.000");
	expect_at(event_of(events, "X", "a_init"), "tid", "1");
	expect_at(event_of(events, "X", "inner_init"), "args", "{\"level\":\"late\",\"result\":-19}");
	expect_at(event_of(events, "X", "first"), "tid", "7");
	expect_at(event_of(events, "X", "first"), "cat", "\"module\"");
	expect_at(event_of(events, "X", "(before)"), "dur", "500000.000");
	expect_at(event_of(events, "X", "until init"), "dur", "100000.000");
	expect_at(event_of(events, "X", "/init"), "dur", "100000.000");
	/* A begin event without an end has a row of its own: later bars would be inside it. */
	expect_at(event_of(events, "B", "second"), "ts", "821000.000");
	cr_expect(json_object_get_int(at(event_of(events, "B", "second"), "tid")) > 1 << 22);
	cr_expect(not(json_object_object_get_ex(event_of(events, "B", "second"), "dur", NULL)));
	expect_text(": the end was not seen\"");
	expect_nesting(events, 1);
	expect_nesting(events, 7);
}

/* The names of programs are from the initramfs, and may contain escape sequences. */
Test(boot_start, names_of_programs_cannot_command_a_terminal)
{
	read_start(INIT("0.100000", "initcall_level: level=early")
			INIT("0.800000", "sched_process_exec: filename=/in\x1b[31mit pid=1 old_pid=1"));
	print(text_of_ten, &b);
	expect_text("Started /in\\x1b[31mit as init");
	cr_expect(strchr(text, '\x1b') == NULL, "%s", text);
}

/* The rows of the table (before, levels, after) add up to the whole time. */
Test(boot_start, the_rows_are_the_whole)
{
	double start, time, sum = 0, end = 0;
	int rows = 0;

	sample_start_report();
	print(text_of_ten, &b);
	for (const char *line = strstr(text, "\n(before)"); line && line[1] != '\n'; line = strchr(line + 1, '\n')) {
		const char *at = line + 1;

		at += *at == '(' ? strcspn(at, ")") + 1 : strcspn(at, " ");
		cr_assert(sscanf(at, "%lf %lf", &start, &time) == 2, "%s", line);
		cr_expect(start > end - 1e-6 && start < end + 1e-6, "%s", line);
		end = start + time;
		sum += time;
		rows++;
	}
	cr_expect(rows == 4);
	cr_expect(sum > 0.8 - 1e-6 && sum < 0.8 + 1e-6, "%f", sum);
}

Test(boot_start, has_a_place_after_the_early_part)
{
	struct early_calls c;

	cr_assert(read_start(start_events) == 0);
	cr_assert(load(&c, &boot_stats, boot_trace, NULL) == 0);
	early__fill(&b, &boot_stats, &c, 0);
	early_calls__free(&c);
	print(text_of_ten, &b);
	cr_expect(strstr(text, "setup_arch") != NULL && strstr(text, "b_init") > strstr(text, "setup_arch"),
		  "%s", text);
	print_json(boot__write, &b);
	expect_at(object, "tracer", "\"function\"");
	expect_at(object, "start.levels.0.name", "\"early\"");
}
