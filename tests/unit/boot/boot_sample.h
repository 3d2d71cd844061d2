/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of hytrace boot: a directory like the tracefs of a booted kernel, with a boot
 * in it, and a short text form of calls.
 */
#ifndef BOOT_SAMPLE_H
#define BOOT_SAMPLE_H

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/boot.h"
#include "boot/early.h"
#include "boot/events.h"
#include "printed.h"

static char dir[] = "/tmp/tracefs.XXXXXX";
static const char *const files[] = {
	"early_stats", "oneshot_entries", "instances/early/trace_options",
	"instances/early/per_cpu/cpu0/trace",
};
static const char *const folders[] = {
	"instances", "instances/early", "instances/early/per_cpu", "instances/early/per_cpu/cpu0",
};
#define FOLDERS (sizeof(folders) / sizeof(folders[0]))

static inline void put(const char *file, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "w");
	cr_assert(f != NULL);
	fputs(text, f);
	fclose(f);
}

static inline void enter(void)
{
	char path[256];

	cr_assert(mkdtemp(dir) != NULL);
	for (size_t i = 0; i < FOLDERS; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, folders[i]);
		cr_assert(mkdir(path, 0700) == 0);
	}
}

/* The boot of a test. The next one or .fini frees it. */
static struct boot b __attribute__((unused));

static inline void free_boot(void)
{
	free_printed();
	boot__free(&b);
}

static inline void leave(void)
{
	char path[256];

	free_boot();
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		unlink(path);
	}
	for (size_t i = FOLDERS; i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s", dir, folders[i]);
		rmdir(path);
	}
	cr_expect(rmdir(dir) == 0, "something was left behind");
}

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

static inline int load(struct early_calls *c, const struct early_stats *s, const char *trace,
		uint64_t *ret_missing)
{
	uint64_t missing;

	put("instances/early/per_cpu/cpu0/trace", trace);
	early_calls__init(c);
	return early_calls__load(c, s, dir, ret_missing ? ret_missing : &missing);
}

static inline const char *function(const struct early_calls *c, size_t i)
{
	return c->names[c->list[i].function];
}

static inline const char *parent(const struct early_calls *c, size_t i)
{
	return c->names[c->list[i].parent];
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

static inline void sample_report(const struct early_stats *stats, const char *trace)
{
	struct early_calls c;
	uint64_t missing;

	begin_boot();
	cr_assert(load(&c, stats, trace, &missing) == 0);
	early__fill(&b, stats, &c, missing);
	early_calls__free(&c);
}

/* The early part of a boot with these calls, which it frees. */
static inline void fill_early(struct early_calls *c)
{
	static const struct early_stats stats = { .tracer = "function", .clock = "local" };

	begin_boot();
	early__fill(&b, &stats, c, 0);
	early_calls__free(c);
}

/* Prints the longest calls with their starts and ends: "f0-3 g1-2". */
static inline void print_spans(void)
{
	const struct span_list *l = &b.early.longest;

	PRINT(f, for (size_t i = 0; i < l->count; i++)
		 fprintf(f, "%s%s%ld-%ld", i ? " " : "", l->list[i].name, (long)l->list[i].start, (long)l->list[i].end));
}

/* Parses calls, with times 0, 1, 2, ...: "f<p" is a call of f by p, "..." are lost calls. */
static inline struct early_calls sample_calls(const char *text)
{
	char *copy = strdup(text), *rest = copy, *word;
	struct early_calls c;

	early_calls__init(&c);
	while ((word = strsep(&rest, " "))) {
		char *name = strsep(&word, "<");
		uint32_t f, p;

		if (!strcmp(name, "...")) {
			early_calls__add_hole(&c, c.count, 7);
			continue;
		}
		f = early_calls__intern(&c, name);
		p = early_calls__intern(&c, word);
		early_calls__add(&c, c.count, f, p);
	}
	free(copy);
	return c;
}

static inline const struct boot_phase *phase_of(const struct boot_phase *list, size_t i, const char *name, int64_t start_us,
					       int64_t us, int64_t calls)
{
	const struct boot_phase *p = &list[i];

	cr_expect(eq(str, (char *)(p->name ?: "?"), (char *)(name ?: "?")));
	cr_expect(p->start == start_us * 1000 && p->time == us * 1000 && p->calls == calls, "%s", name);
	return p;
}

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
	cr_expect(eq(str, again, text));
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

/* The trace event of a kind and a name, such as "X" and "setup_arch". */
static inline struct json_object *event_of(struct json_object *events, const char *kind, const char *name)
{
	for (size_t i = 0; i < json_object_array_length(events); i++) {
		struct json_object *event = json_object_array_get_idx(events, i);

		if (!strcmp(json_object_get_string(at(event, "name")), name) &&
		    !strcmp(json_object_get_string(at(event, "ph")), kind))
			return event;
	}
	cr_assert(false, "there is no event %s", name);
	return NULL;
}

/* Sorted by time, each event lies inside the innermost event that has not ended. */
static inline void expect_nesting(struct json_object *events, int track)
{
	double ends[64];
	size_t depth = 0;

	for (size_t i = 0; i < json_object_array_length(events); i++) {
		struct json_object *event = json_object_array_get_idx(events, i);
		double start, end;

		if (strcmp(json_object_get_string(at(event, "ph")), "X") ||
		    json_object_get_int(at(event, "tid")) != track)
			continue;
		start = json_object_get_double(at(event, "ts"));
		end = start + json_object_get_double(at(event, "dur"));
		while (depth && ends[depth - 1] <= start)
			depth--;
		cr_expect(depth == 0 || end <= ends[depth - 1] + 0.0001, "%s",
			  json_object_get_string(event));
		cr_assert(depth < 64);
		ends[depth++] = end;
	}
}

#endif /* BOOT_SAMPLE_H */
