/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of hytrace boot: boots that are made from events and calls as the kernel prints them, and their views.
 */
#ifndef BOOT_SAMPLE_H
#define BOOT_SAMPLE_H

#include "boot/account.h"
#include "boot/early.h"
#include "boot/events.h"
#include "files_made.h"
#include "kernel/sample.h"
#include "printed.h"

#define MS 1000000ll
#define SECOND 1000000000ll

/* The boot of a test. The next one or .fini frees it. */
static struct boot b __attribute__((unused));

static inline void free_boot(void)
{
	free_printed();
	boot__free(&b);
}

/* Also the directory in place of tracefs. */
static inline void leave(void)
{
	free_boot();
	remove_files();
}

static inline void begin_boot(void)
{
	free_boot();
	boot__init(&b);
	b.kernel.release = strdup("6.12.0-test");
	b.kernel.version = strdup("#1");
	b.kernel.arch = strdup("x86_64");
	b.boot_id = strdup("boot");
}

/* ---- events */

/* A line of the trace. The command's column has 16 characters; the reader only uses the pid. */
#define ON(cpu, pid, flags, time, event) "         <.....>-" pid "       [00" cpu "] " flags "     " time ": " event "\n"
#define AT(pid, time, event) ON("0", pid, ".....", time, event)
#define INIT(time, event) AT("1", time, event)
#define LEVEL(time, name) INIT(time, "initcall_level: level=" name)
#define START(time, name) INIT(time, "initcall_start: func=" name "+0x0/0x10")
#define FINISH(time, name) INIT(time, "initcall_finish: func=" name "+0x0/0x10 ret=0")
#define EXEC(pid, time, name) AT(pid, time, "sched_process_exec: filename=" name " pid=" pid " old_pid=" pid)
#define SWITCH(cpu, time, comm, pid, state, next, next_pid) \
	ON(cpu, pid, "d..2.", time, "sched_switch: prev_comm=" comm " prev_pid=" pid \
	   " prev_prio=120 prev_state=" state " ==> next_comm=" next " next_pid=" next_pid " next_prio=120")
#define WAKING(cpu, pid, flags, time, whom, whom_pid) \
	ON(cpu, pid, flags, time, "sched_waking: comm=" whom " pid=" whom_pid " prio=120 target_cpu=000")

static const char start_events[] __attribute__((unused)) =
	"# tracer: nop\n#\n"
	"          <idle>-0       [000] ...1.     0.000000: initcall_level: level=console\n"
	"          <idle>-0       [000] ...1.     0.000001: initcall_start: func=con_init+0x0/0x250\n"
	"          <idle>-0       [000] ...1.     0.000003: initcall_finish: func=con_init+0x0/0x250 ret=0\n"
	LEVEL("0.500000", "early") START("0.510000", "a_init") FINISH("0.530000", "a_init")
	LEVEL("0.600000", "late") START("0.610000", "b_init")
	/* Another task loads a module meanwhile, and this task makes an initcall in an initcall. */
	AT("7", "0.611000", "module_load: first E ")
	AT("9", "0.611500", "module_load: other")
	AT("7", "0.612000", "initcall_start: func=0xffffffffc0000000")
	START("0.620000", "inner_init")
	"CPU:1 [LOST 3 EVENTS]\n"
	INIT("0.650000", "initcall_finish: func=inner_init+0x0/0x10 ret=-19")
	AT("7", "0.660000", "initcall_finish: func=0xffffffffc0000000 ret=0")
	FINISH("0.700000", "b_init")
	EXEC("1", "0.800000", "/init")
	EXEC("8", "0.810000", "/bin/modprobe")
	AT("8", "0.820000", "module_load: second")
	AT("8", "0.821000", "initcall_start: func=second_init+0x0/0x20 [second]")
	EXEC("1", "0.900000", "/usr/lib/systemd/systemd")
	INIT("0.910000", "sched_wakeup: comm=swapper pid=1");

/* The state between begin_events() and events__end(). */
static struct events reading __attribute__((unused));

static inline void begin_events(void)
{
	begin_boot();
	events__begin(&reading, &b);
}

static inline int take_events(enum events_wanted which, const char *events, uint64_t until)
{
	FILE *f = sample_file(events);
	int err = events__read(&reading, which, f, until, "trace");

	fclose(f);
	return err;
}

/* The kernel's part of a boot from these events. */
static inline int read_start(const char *events)
{
	int err;

	begin_events();
	err = take_events(EVENTS_ALL, events, UINT64_MAX);
	events__end(&reading);
	return err;
}

/* Prints spans as "NAME START-END(OWN TIME)", in ms, with a "?" for what is not known, into @text. */
static inline void print_spans(const struct span_list *l)
{
	PRINT(f, for_list(s, l) {
		fprintf(f, "%s%s %g-", s == l->list ? "" : ", ", s->module ?: s->name ?: "?", s->start / 1e6);
		if (!span__has_end(s))
			fputs("?", f);
		else if (s->self == NOT_KNOWN || s->self == span__time(s))
			fprintf(f, "%g", s->end / 1e6);
		else
			fprintf(f, "%g(%g)", s->end / 1e6, s->self / 1e6);
	});
}

#define expect_spans(l, expected, ...) ({ print_spans(l); expect_str(text, expected, ##__VA_ARGS__); })

/* ---- early calls */

#define IDLE "          <idle>-0       [000] d.... "
#define HEADER "# tracer: function\n#\n# entries-in-buffer/entries-written: 9/9   #P:1\n#\n"
/* If a user turns tracing of the instance on, it also has later calls. */
#define LATER IDLE "    1500000: later <-start_kernel\n" IDLE "    1501000: sched_switch: x\n"

static const char boot_trace[] __attribute__((unused)) = HEADER
	IDLE "    0: x86_64_start_kernel <-secondary_startup_64\n"
	IDLE "    1000: x86_64_start_reservations <-x86_64_start_kernel\n"
	IDLE "    2000: start_kernel <-x86_64_start_reservations\n"
	IDLE "    10000: set_magic <-start_kernel\n"
	IDLE "    20000: setup_arch <-start_kernel\n"
	IDLE "    21000: e820 <-setup_arch\n"
	IDLE "    22000: memset <-e820\n"
	IDLE "    100000: probe_roms <-setup_arch\n"
	IDLE "    101000: copy <-probe_roms\n"
	IDLE "    102000: memset <-copy\n"
	IDLE "    201000: copy <-probe_roms\n"
	IDLE "    202000: memset <-copy\n"
	IDLE "    900000: alloc_pages <-ftrace_process_locs\n"
	IDLE "    950000: memset <-ftrace_init\n"
	LATER;

static const struct early_stats boot_stats __attribute__((unused)) = {
	.tracer = "function", .clock = "x86-tsc", .recorded = 14, .shown = 14,
	.before_ftrace_init = 12, .last = 950000, .sites = 100, .tsc_khz = 1000000,
	.buffer_bytes = 4096, .ring_buffer_bytes = 8192, .convert_cycles = 7000001,
	.show_cycles = 228400000,
};

/* The early part of a boot from this instance. */
static inline int read_early(const struct early_stats *stats, const char *trace)
{
	begin_boot();
	put_text("instances/early/per_cpu/cpu0/trace", trace);
	return early__record(&b, stats, made);
}

static inline void sample_report(const struct early_stats *stats, const char *trace)
{
	cr_assert(read_early(stats, trace) == 0);
}

/* ---- views */

static inline void text_of_ten(const struct boot *b, FILE *out)
{
	boot__text(b, 10, out);
}

static inline void stacks(const struct boot *b, FILE *out)
{
	cr_assert(boot__folded(b, out) == 0);
}

/* Prints a view of a boot. A view of its document must be the same. */
static inline void print(void (*view)(const struct boot *b, FILE *out), const struct boot *b)
{
	char path[] = "/tmp/boot.json.XXXXXX", *again;
	struct boot copy;
	FILE *f = fdopen(mkstemp(path), "w");

	PRINT(out, view(b, out));
	boot__write(b, f);
	fclose(f);
	cr_assert(boot__read(&copy, path) == 0);
	again = PRINTED(out, view(&copy, out));
	expect_str(again, text);
	free(again);
	boot__free(&copy);
	unlink(path);
}

/* Prints a view, and parses it into @object. */
static inline void print_json(void (*view)(const struct boot *b, FILE *out), const struct boot *b)
{
	print(view, b);
	parse_text();
}

/* Lines of @text, which may end earlier, with ' in place of ": trace events. */
static inline void expect_events(const char *lines)
{
	char *copy = strdup(lines), *rest = copy, *line;

	for (char *at = copy; (at = strchr(at, '\'')); *at = '"')
		;
	while ((line = strsep(&rest, "\n")))
		expect_text(line);
	free(copy);
}

/* Sorted by time, each event lies inside the innermost event that has not ended. */
static inline void expect_nesting(struct json_object *events, int track)
{
	double ends[64];
	size_t depth = 0;

	for (size_t i = 0; i < json_object_array_length(events); i++) {
		struct json_object *event = json_object_array_get_idx(events, i);
		double start, end;

		if (strcmp(json_object_get_string(at(event, "ph")), "X") || json_object_get_int(at(event, "tid")) != track)
			continue;
		start = json_object_get_double(at(event, "ts"));
		end = start + json_object_get_double(at(event, "dur"));
		while (depth && ends[depth - 1] <= start)
			depth--;
		cr_expect(depth == 0 || end <= ends[depth - 1] + 0.0001, "%s", json_object_get_string(event));
		cr_assert(depth < 64);
		ends[depth++] = end;
	}
}

#endif /* BOOT_SAMPLE_H */
