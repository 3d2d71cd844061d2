// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: the part from the initcalls on, from events as the kernel prints them; and finding the events of a boot, and
 * counting losses, in directories like tracefs: of Linux 6.3 and later, where probes have a buffer of their own, and of older
 * kernels.
 */
#include "boot/boot_sample.h"
#include "boot/next.h"

TestSuite(boot_start, .init = make_files, .fini = leave);

Test(boot_start, initcalls_of_each_task)
{
	cr_assert(read_start(start_events) == 0);
	expect_spans(&b.initcalls, "con_init 0.001-0.003, a_init 510-530, b_init 610-700(60), first 612-660, inner_init "
		     "620-650, second 821-?");
	cr_expect(b.initcalls.list[4].result == -19 && !b.initcalls.list[4].module && !b.initcalls.list[3].name);
	expect_str(b.initcalls.list[0].in, "console");
	expect_str(b.initcalls.list[2].in, "late");
	cr_expect(b.initcalls.list[0].class == SPAN_INITCALL && b.initcalls.list[3].class == SPAN_MODULE);
	/* The level of consoles is not the init task's. The last level ends with its last initcall. */
	expect_spans(&b.levels, "early 500-600, late 600-700");
	cr_expect(b.levels.list[0].count == 1 && b.levels.list[0].running == 20 * MS);
	/* The time of an inner initcall is not counted twice, but the initcall is counted. */
	cr_expect(b.levels.list[1].count == 2 && b.levels.list[1].running == 90 * MS);
	expect_spans(&b.inits, "/init 800-900, /usr/lib/systemd/systemd 900-?");
	expect_spans(&b.programs, "/bin/modprobe 810-?");
}

/* First what may still be running, then the longest by themselves. */
static void expect_order(const char *expected)
{
	struct span *list = NULL;
	size_t count;
	const struct span **order = span_list__by_self(&b.initcalls, NULL, &count);

	list = calloc(count, sizeof(*list));
	for (size_t i = 0; i < count; i++)
		list[i] = *order[i];
	expect_spans((&(struct span_list){ list, count }), expected);
	free(list);
	free(order);
}

Test(boot_start, each_of_two_initcalls_in_one_is_no_time_of_its_own)
{
	cr_assert(read_start(LEVEL("0.100000", "early") START("0.200000", "outer_init") START("0.210000", "a_init")
			     FINISH("0.220000", "a_init") START("0.230000", "b_init") FINISH("0.250000", "b_init")
			     FINISH("0.300000", "outer_init")) == 0);
	expect_spans(&b.initcalls, "outer_init 200-300(70), a_init 210-220, b_init 230-250");
	cr_expect(b.levels.list[0].running == 100 * MS);
	expect_order("outer_init 200-300(70), b_init 230-250, a_init 210-220");
	cr_assert(read_start(LEVEL("0.100000", "early") START("0.200000", "outer_init") START("0.210000", "a_init")
			     FINISH("0.290000", "a_init") FINISH("0.300000", "outer_init")) == 0);
	expect_order("a_init 210-290, outer_init 200-300(20)");
}

Test(boot_start, an_end_without_a_beginning_is_left_out)
{
	cr_assert(read_start(FINISH("0.5", "a_init") START("0.6", "b_init")) == 0);
	expect_spans(&b.initcalls, "b_init 600-?");
	cr_expect(b.levels.count == 0 && b.inits.count == 0);
}

/* Each CPU has a buffer of its own, so any event may be missing. */
Test(boot_start, a_lost_end_changes_nothing_else)
{
	cr_assert(read_start(LEVEL("0.100000", "early") START("0.200000", "a_init") START("0.300000", "b_init")
			     FINISH("0.400000", "b_init") FINISH("0.500000", "c_init") START("0.600000", "d_init")
			     FINISH("0.900000", "d_init")) == 0);
	expect_spans(&b.initcalls, "a_init 200-?, b_init 300-400, d_init 600-900");
	expect_spans(&b.levels, "early 100-900");
	cr_expect(b.levels.list[0].running == 400 * MS);
	expect_order("a_init 200-?, d_init 600-900, b_init 300-400");
}

/* Without the event of a level, other events still tell the names of initcalls. */
Test(boot_start, names_and_levels_after_a_loss)
{
	cr_assert(read_start(START("1.600000", "foo_init")
			     AT("7", "1.600500", "initcall_start: func=m_init+0x0/0x10 [m]")
			     FINISH("1.610000", "foo_init") LEVEL("1.700000", "late") START("1.710000", "bar_init")
			     FINISH("1.720000", "bar_init") EXEC("1", "2.000000", "/init")) == 0);
	cr_expect(b.initcalls.list[0].class == SPAN_INITCALL);
	cr_expect(b.initcalls.list[1].class == SPAN_MODULE && !b.initcalls.list[1].name, "nobody knows its module");
	print(text_of_ten, &b);
	expect_text("\nfoo_init           unknown");
	expect_no_text("(before)");
	print_json(boot__write, &b);
	expect_all("start.initcalls.0.name 'foo_init'\nstart.initcalls.0.level 'unknown'\n"
		   "start.initcalls.1.level 'module'");
}

Test(boot_start, a_module_is_named_only_by_what_is_certain)
{
	/* The first place now belongs to another module. The second module_load is lost. */
	cr_assert(read_start(AT("7", "0.1", "module_load: one")
			     AT("7", "0.2", "initcall_start: func=f+0x0/0x40 [two]")
			     AT("7", "0.3", "initcall_finish: func=f+0x0/0x40 [two] ret=-5")
			     AT("7", "0.4", "initcall_start: func=0xffffffffc0000000")
			     AT("7", "0.5", "initcall_finish: func=0xffffffffc0000000 ret=0")
			     AT("7", "0.6", "module_load: three")
			     AT("7", "0.7", "initcall_start: func=g_init+0x0/0x40 [three]")) == 0);
	expect_spans(&b.initcalls, "one 200-300, ? 400-500, three 700-?");
	cr_expect(b.initcalls.list[0].name == NULL && b.initcalls.list[0].result == -5);
	expect_str(b.initcalls.list[2].name, "g_init");
}

Test(boot_start, the_clock_may_go_back_until_programs_run)
{
	cr_assert(read_start(LEVEL("0.010", "early") START("0.5", "a_init") LEVEL("0.6", "pure") FINISH("0.4", "a_init")
			     START("0.45", "b_init") FINISH("0.44", "b_init") EXEC("1", "0.5", "/init")
			     START("0.3", "forged")) == 0);
	cr_expect(b.clock_back == 210 * MS && b.unread == 1 && strstr(b.first_unread, "forged"));
	/* The clock steps back twice. */
	expect_spans(&b.levels, "early 0-390, pure 390-440");
	expect_spans(&b.initcalls, "a_init 290-390, b_init 440-440");
}

Test(boot_start, a_program_with_a_newline_in_its_name)
{
	cr_assert(read_start(LEVEL("0.5", "early") START("0.6", "a_init") AT("9", "0.7", "sched_process_exec: filename=/tmp/x")
			     "y pid=9 old_pid=9\n" FINISH("0.8", "a_init")) == 0);
	cr_expect(b.unread == 1);
	expect_str(b.first_unread, "y pid=9 old_pid=9");
	expect_spans(&b.initcalls, "a_init 600-800");
}

/* Process 1 is recognized by its pid: a service may have the name of init. If all levels are lost, it may be a later program. */
Test(boot_start, a_service_with_the_name_of_init_is_none)
{
	cr_assert(read_start(LEVEL("0.5", "early") EXEC("1", "1.0", "/init") EXEC("300", "1.5", "/sbin/init")
			     EXEC("1", "2.0", "/sbin/init") EXEC("301", "2.5", "/sbin/init")) == 0);
	expect_spans(&b.inits, "/init 1000-2000, /sbin/init 2000-?");
	cr_assert(read_start(START("0.5", "a_init") EXEC("300", "80.0", "/bin/sh") EXEC("1", "90.0", "/sbin/init")) == 0);
	expect_spans(&b.inits, "");
	expect_spans(&b.programs, "/bin/sh 80000-?");
}

static const char *const bad[] = {
	LEVEL("5", "early"),	/* another clock */
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
	for_each(line, bad)
		cr_expect(read_start(*line) == -EPROTO, "%s", *line);
}

Test(boot_start, reports_without_an_early_part)
{
	struct json_object *events;

	cr_assert(read_start(start_events) == 0);
	print_json(boot__write, &b);
	expect_all("tracer null\nphases null\nstart.lost 0\nstart.inits.0.start 800000000\nstart.unread 0\n"
		   "start.levels.0 {'name':'early','start':500000000,'time':100000000,'in_initcalls':20000000,"
		   "'initcalls':1}\nstart.initcalls.3.name null\n"
		   "start.initcalls.4 {'name':'inner_init','module':null,'level':'late','pid':1,'start':620000000,"
		   "'time':30000000,'self':30000000,'running':null,'ready':null,'waiting':null,'result':-19}\n"
		   "start.initcalls.5 {'name':'second_init','module':'second','level':'module','pid':8,"
		   "'start':821000000,'time':null,'self':null,'running':null,'ready':null,'waiting':null,"
		   "'result':null}\nstart.waits null\nstart.probes []\nstart.full null");
	print(text_of_ten, &b);
	/* The rows are the whole time until init, of which a level has a share. */
	expect_text("\nLEVEL                    START       TIME   SHARE IN INITCALLS INITCALLS\n"
		    "(before)              0.000000   0.500000   62.5%              \n"
		    "early                 0.500000   0.100000   12.5%     0.020000         1\n"
		    "late                  0.600000   0.100000   12.5%     0.090000         2\n"
		    "(after, until init)   0.700000   0.100000   12.5%              \n\nStarted /init as init, at 0.800000 s\n"
		    "then /usr/lib/systemd/systemd as init, at 0.900000 s\n");
	expect_text("(its end is not known)");
	print_json(boot__chrome, &b);
	events = at(object, "traceEvents");
	/* Labels; phases: before, levels, until init, programs; initcalls and modules. */
	cr_expect(json_object_array_length(events) == 7 + 6 + 7, "%s", text);
	/* A begin event without an end has a row of its own: later bars would be inside it. */
	expect_events(",{'name':'(before)','cat':'phase','ph':'X','ts':0.000,'dur':500000.000,\n"
		      ",{'name':'until init','cat':'phase','ph':'X','ts':700000.000,'dur':100000.000,\n"
		      ",{'name':'/init','cat':'program','ph':'X','ts':800000.000,'dur':100000.000,\n"
		      ",{'name':'a_init','cat':'initcall','ph':'X','ts':510000.000,'dur':20000.000,'pid':2,'tid':1,\n"
		      "'dur':30000.000,'pid':2,'tid':1,'args':{'level':'late','result':-19}}\n"
		      ",{'name':'first','cat':'module','ph':'X','ts':612000.000,'dur':48000.000,'pid':2,'tid':7,\n"
		      ",{'name':'second','cat':'module','ph':'B','ts':821000.000,'pid':2,'tid':4194312,'args':{}}");
	expect_text(": the end was not seen\"");
	expect_nesting(events, 1);
	expect_nesting(events, 7);
}

/* The names of programs are from the initramfs, and may contain escape sequences. */
Test(boot_start, names_of_programs_cannot_command_a_terminal)
{
	cr_assert(read_start(LEVEL("0.100000", "early") EXEC("1", "0.800000", "/in\x1b[31mit")) == 0);
	print(text_of_ten, &b);
	expect_text("Started /in\\x1b[31mit as init");
	expect_no_text("\x1b");
}

static const char probes[] =
	INIT("0.5", "device: (really_probe+0x0/0x390) dev=\"00:03\" drv=\"serial\"")
	INIT("0.51", "device: (really_probe+0x0/0x390) dev=\"00:03:0\" drv=\"a b\"")
	AT("9", "0.511", "device: (really_probe+0x0/0x390) dev=(fault) drv=\"x\"")
	INIT("0.512", "console: (console_unlock+0x4/0x110)")
	INIT("0.513", "console_end: (vprintk_emit+0x2c6/0x310 <- console_unlock)")
	INIT("0.52", "device_end: (__driver_probe_device+0x84/0x170 <- really_probe) ret=517")
	AT("9", "0.53", "device_end: (__driver_probe_device+0x84/0x170 <- really_probe) ret=-517")
	INIT("0.6", "device_end: (__driver_probe_device+0x84/0x170 <- really_probe) ret=19")
	INIT("0.7", "device: (really_probe+0x0/0x390) dev=\"late\" drv=\"y\"");

/* ---- what ends reading, and lines that a program has made */

Test(boot_start, reading_ends_where_it_began)
{
	begin_events();
	cr_assert(take_events(EVENTS_ALL, probes, 511 * MS) == 0);
	events__end(&reading);
	cr_expect(b.probes.count == 3 && b.events == 3);
}

/* A trace that grows while it is read, here up to a million lines. It has no start of a program. */
static ssize_t next_line(void *cookie, char *buffer, size_t size)
{
	size_t *count = cookie;

	if (++*count > 1000000)
		return 0;
	return snprintf(buffer, size, "          <idle>-0       [000] d..2. %5zu.%06zu: something: else\n",
			*count / 1000, *count % 1000 * 1000);
}

Test(boot_start, reading_ends_although_no_program_is_started)
{
	size_t count = 0;
	FILE *f = fopencookie(&count, "r", (cookie_io_functions_t){ .read = next_line });

	begin_events();
	cr_assert(events__read(&reading, EVENTS_ALL, f, 5000 * MS, "trace") == 0);
	cr_expect(count > 5000 && count < 10000, "%zu lines", count);
	fclose(f);
}

Test(boot_start, lines_that_a_program_has_made)
{
	begin_events();
	cr_assert(take_events(EVENTS_ALL, LEVEL("0.100", "early")
			       START("0.110", "a_init")
			       AT("7", "0.125", "sched_process_exec: filename=/tmp/x")
			       FINISH("0.010", "a_init")
			       START("9.000", "evil")
			       FINISH("0.200", "a_init"), 8000 * MS) == 0);
	events__end(&reading);
	cr_expect(b.unread == 2, "the one that is too early, and the one that is too late: %ld", (long)b.unread);
	cr_expect(b.initcalls.count == 1 && span__time(&b.initcalls.list[0]) == 90 * MS);
}

/* ---- probes */

Test(boot_start, ends_belong_to_the_latest_of_their_task)
{
	cr_assert(read_start(probes) == 0 && b.unread == 0);
	expect_spans(&b.probes, "00:03 500-600(90), 00:03:0 510-520, ? 511-530, ? 512-513, late 700-?");
	cr_expect(b.probes.list[0].result == -19 && !b.probes.list[0].note);
	expect_str(b.probes.list[1].note, "deferred");
	expect_str(b.probes.list[1].in, "a b");
	cr_expect(b.probes.list[2].note && b.probes.list[3].kind == PROBE_CONSOLE);
	print(text_of_ten, &b);
	expect_text("\nlate ");
	expect_text("Writing to consoles, since the fs initcalls: 0.001000 s, 1 times\n");
}

/* ---- two files */

/* The top-level buffer may contain any events of other users. */
Test(boot_start, from_the_second_file_only_probes_are_taken)
{
	begin_events();
	cr_assert(take_events(EVENTS_ALL, LEVEL("0.100", "early")
			       SWITCH("1", "0.125", "swapper/1", "0", "R", "other", "7")
			       EXEC("1", "0.500", "/init")
			       SWITCH("1", "0.600", "other", "7", "S", "swapper/1", "0"), UINT64_MAX) == 0);
	cr_assert(take_events(EVENTS_OF_PROBES, LEVEL("0.090", "early")
				  INIT("0.200", "device: (really_probe+0x0/0x390) dev=\"00:03\" drv=\"serial\"")
				  SWITCH("1", "0.220", "other", "7", "S", "swapper/1", "0")
				  START("0.230", "a_init")
				  INIT("0.250", "device_end: (f+0x84/0x170 <- really_probe) ret=0")
				  EXEC("1", "0.260", "/sbin/init"), UINT64_MAX) == 0);
	events__end(&reading);
	cr_expect(b.initcalls.count == 0 && b.levels.count == 1 && b.inits.count == 1);
	cr_expect(b.runs.count == 1 && b.runs.list[0].end == 600 * MS);
	cr_assert(b.probes.count == 1 && span__time(&b.probes.list[0]) == 50 * MS);
	cr_expect(b.events == 4 + 2 && b.unread == 0, "%ld", (long)b.events);
}

/* ---- CLOCK_MONOTONIC */

#define TICK(time, function, now) \
	ON("0", "7", "d.h1.", time, "hrtimer_expire_entry: hrtimer=00000000a function=" function " now=" now)
#define BETWEEN(time) AT("7", time, "block_rq_complete: 8,0 R () 2048 + 8 none,0,0 [0]")

Test(boot_start, the_tick_tells_the_monotonic_clock)
{
	const struct clock_range *r;

	cr_assert(read_start(LEVEL("0.100", "early") SWITCH("0", "0.120", "x", "7", "R", "y", "8")
			     TICK("0.150", "tick_sched_timer", "1") EXEC("1", "0.300", "/init")) == 0);
	cr_expect(b.ahead[0].least == INT64_MIN && b.ahead[0].most == INT64_MAX, "no program ran by then");
	begin_events();
	cr_assert(take_events(EVENTS_ALL, LEVEL("0.100000", "early")
			       EXEC("1", "0.500000", "/init")
			       TICK("0.500900", "tick_nohz_handler", "1")
			       BETWEEN("0.600000")
			       TICK("0.600020", "tick_nohz_handler", "500010000")
			       /* Later in the same interrupt: only the upper bound helps. */
			       TICK("0.600050", "tick_nohz_handler", "500010000")
			       BETWEEN("0.699990")
			       TICK("0.700030", "tick_sched_timer", "600015000")
			       /* Another clock base; a softirq; no number. */
			       TICK("0.710000", "hrtimer_wakeup", "1700000000000000000")
			       ON("0", "7", "..s1.", "0.720000", "hrtimer_expire_entry: hrtimer=a function=tick_x now=1")
			       TICK("0.730000", "tick_sched_timer", "x")
			       /* Another function; an impossible time; later than AHEAD_NS. */
			       BETWEEN("0.800000")
			       TICK("0.800010", "tick_x", "0")
			       TICK("0.800020", "tick_nohz_handler", "9223372036854775807")
			       TICK("0.800030", "tick_sched_timer", "10800031000")
			       TICK("1.500001", "tick_sched_timer", "1")
			       EXEC("1", "2.000000", "/sbin/init"), UINT64_MAX) == 0);
	cr_assert(b.inits.count == 2);
	r = &b.ahead[0];
	cr_expect(r->least == 99990000 - 500, "%ld", (long)r->least);
	cr_expect(r->most == 100010000 + 500, "%ld", (long)r->most);
	cr_expect(b.ahead[1].least == INT64_MIN, "it has its own");
}

/* ---- directories */

static void make_tracefs(void)
{
	make_files();
	put_text("events/hytrace_boot/enable", "1\n");
	put_text("kprobe_profile", "  hytrace_boot/device_end  42  3\n");
}

TestSuite(start_load, .init = make_tracefs, .fini = leave);

#define STATS(dropped) "entries: 5\noverrun: 0\nnow ts:   100.000000\ndropped events: " dropped "\n"
#define PROBE(time) INIT(time, "device: (really_probe+0x0/0x390) dev=\"a\" drv=\"b\"")
#define EVENTS \
	LEVEL("0.100000", "early") START("0.200000", "a_init") \
	FINISH("0.300000", "a_init") \
	EXEC("1", "0.500000", "/init")

/* If one buffer has all events, a lost event may be of any kind. */
Test(start_load, all_events_in_one_buffer)
{
	for (int full = 0; full < 2; full++) {
		put_text("trace", EVENTS PROBE("0.600000"));
		put_text("per_cpu/cpu0/stats", full ? STATS("500000") : STATS("0"));
		begin_boot();
		cr_assert(boot_events__load(&b, made, &(struct boot_asked){ .in_top = true }) == 0);
		cr_expect(b.probes.count == 1 && b.probes_lost == 3, "%ld", (long)b.probes_lost);
		cr_expect(b.lost == 0 && b.full == (full ? 600 * MS : NOT_KNOWN) && b.probes_full == b.full, "%ld", (long)b.full);
		print_json(boot__write, &b);
		expect_at(object, "start.probes_full", full ? "600000000" : "null");
	}
}

Test(start_load, probes_in_a_buffer_of_their_own)
{
	/* A user can forge a probe there, by a newline in the name of a program. */
	put_text("instances/hytrace_boot/trace",
		 EVENTS PROBE("0.700000") INIT("0.750000", "block_rq_complete: 8,0 R () 2048 + 8 none,0,0 [0]"));
	put_text("instances/hytrace_boot/per_cpu/cpu0/stats", STATS("700"));
	put_text("trace", PROBE("0.600000"));
	put_text("per_cpu/cpu0/stats", STATS("500"));
	begin_boot();
	cr_assert(boot_events__load(&b, made, &(struct boot_asked){}) == 0);
	cr_expect(b.probes.count == 1 && b.probes_lost == 503 && b.probes_full == NOT_KNOWN, "%ld", (long)b.probes_lost);
	cr_expect(b.probes.list[0].start == 600 * MS);
	cr_expect(b.lost == 0 && b.full == 750 * MS, "%ld", (long)b.full);
}
