// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the files that very early function tracing leaves behind; see files.h.
 *
 *   early_stats            recorded: 391022
 *   per_cpu/cpu0/trace               <idle>-0       [000] d....     0.000012: f <-caller
 *   oneshot_entries        see kernel/oneshot_files.c
 *
 * When the ordinary tracer took over, the early calls were copied to the ring buffer, to which that
 * tracer writes as well. So they are at its beginning: as many as early_stats says, and not later
 * than its `last`. If later calls have overwritten some of them, the buffer begins in the middle of
 * the early calls, or after them.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "boot/files.h"
#include "kernel/features.h"
#include "boot/trace_line.h"
#include "kernel/oneshot_files.h"

/*
 * Times of the set are counted from one clock, times of the early hits from another. Reading one
 * clock after the other takes less than this. Between the last early hit and the tracer's first
 * one, all sites are changed, which takes longer.
 */
#define HAND_OVER_NS 1000

/* The path, to be freed; NULL after a message: no memory. */
static char *path_of(const char *dir, const char *file)
{
	char *path;

	if (asprintf(&path, "%s/%s", dir, file) < 0) {
		error__no_memory();
		return NULL;
	}
	return path;
}

static int cannot_read(const char *path, int err)
{
	error__print("%s: %s%s", path, strerror(-err), features__hint(err));
	return err == -EACCES ? -EPERM : err;
}

/* ---- early_stats */

static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
#define NUMBER(field) { #field, offsetof(struct early_stats, field) }
	NUMBER(recorded), NUMBER(before_ftrace_init), NUMBER(lost), NUMBER(overwritten),
	NUMBER(first), NUMBER(last), NUMBER(before_zero), NUMBER(tsc_khz), NUMBER(cpu),
	NUMBER(sites), NUMBER(differing), NUMBER(buffer_bytes), NUMBER(ring_buffer_bytes),
	NUMBER(copy_cycles), NUMBER(convert_cycles),
#undef NUMBER
};

static int parse_number(struct early_stats *s, const char *name, const char *text)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint64_t value;
		char rest;

		if (strcmp(numbers[i].name, name))
			continue;
		if (!isdigit((unsigned char)*text) ||
		    sscanf(text, "%" SCNu64 "%c", &value, &rest) != 1)
			return -EPROTO;
		memcpy((char *)s + numbers[i].offset, &value, sizeof(value));
		return 0;
	}
	/* The line is from a later kernel. */
	return 0;
}

static int parse_stat(struct early_stats *s, const char *line)
{
	char name[64], value[32];

	if (sscanf(line, "%63[^:]: %31s", name, value) != 2)
		return -EPROTO;
	if (!strcmp(name, "tracer"))
		strcpy(s->tracer, value);
	else if (!strcmp(name, "clock"))
		strcpy(s->clock, value);
	else if (!strcmp(name, "refused"))
		sscanf(line, "%*[^:]: %127[^\n]", s->refused);
	else
		return parse_number(s, name, value);
	return 0;
}

int early_stats__read(struct early_stats *ret, FILE *f, const char *name)
{
	struct early_stats s = {};
	char line[256];
	int err = 0;

	for (int number = 1; !err && fgets(line, sizeof(line), f); number++) {
		err = parse_stat(&s, line);
		if (err)
			error__print("%s:%d: this line is not known: \"%.*s\"; is this kernel newer than "
				     "hytrace?", name, number, (int)strcspn(line, "\n"), line);
	}
	if (!err && ferror(f))
		err = error__return(-EIO, "%s: %s", name, strerror(errno));
	if (!err && (!*s.tracer || !*s.clock))
		err = error__return(-EPROTO, "%s: has no line \"%s\": is this kernel newer than "
				    "hytrace?", name, *s.tracer ? "clock:" : "tracer:");
	if (!err)
		*ret = s;
	return err;
}

static int check_tracer(const struct early_stats *s, const char *path)
{
	if (*s->refused && strcmp(s->refused, "none"))
		return error__return(-EOPNOTSUPP,
			"this boot asked to be traced early, and the kernel has refused it: %s (%s)",
			s->refused, path);
	if (!strcmp(s->tracer, "none"))
		return error__return(-EOPNOTSUPP,
			"this boot was not traced early (%s): add ftrace=function to the kernel "
			"command line, or ftrace=oneshot for each function once", path);
	if (strcmp(s->tracer, "function") && strcmp(s->tracer, "oneshot"))
		return error__return(-EPROTO, "%s: the tracer \"%s\" is not known: is this kernel "
				     "newer than hytrace?", path, s->tracer);
	if (!s->recorded)
		return error__return(-ENODATA,
			"%s: the boot asked for the tracer %s, and no early call was recorded: "
			"either no function that ftrace_filter= selects ran that early, or the "
			"tracer could not start; `dmesg | grep 'ftrace: early'` says which", path,
			s->tracer);
	return 0;
}

int early_stats__load(struct early_stats *ret, const char *dir)
{
	char *path = path_of(dir, "early_stats");
	FILE *f;
	int err;

	if (!path)
		return -ENOMEM;
	f = fopen(path, "re");
	if (f) {
		err = early_stats__read(ret, f, path);
		fclose(f);
		if (!err)
			err = check_tracer(ret, path);
	} else if (errno == ENOENT) {
		err = features__refuse(FEATURE_EARLY, NULL);
	} else {
		err = cannot_read(path, -errno);
	}
	free(path);
	return err;
}

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++) {
		if (!strcmp(name, *list))
			return true;
	}
	return false;
}

/* With the TSC's frequency, its times become nanoseconds. */
static bool is_tsc(const struct early_stats *s)
{
	return !strcmp(s->clock, "x86-tsc") && s->tsc_khz;
}

/* The two clocks that begin with the first early call. */
static bool is_local(const char *clock)
{
	return !strcmp(clock, "local") || !strcmp(clock, "global");
}

bool early_stats__in_ns(const struct early_stats *s)
{
	static const char *const clocks[] = { "perf", "mono", "mono_raw", "boot", "tai", NULL };

	return is_tsc(s) || is_local(s->clock) || is_one_of(s->clock, clocks);
}

uint64_t early_stats__time(const struct early_stats *s, uint64_t time)
{
	return is_tsc(s) ? early_stats__cycles_ns(s, time) : time;
}

/* Copying takes some time, so 0 means that the kernel does not know it. */
bool early_stats__has_hand_over(const struct early_stats *s)
{
	return s->tsc_khz && s->copy_cycles;
}

uint64_t early_stats__cycles_ns(const struct early_stats *s, uint64_t cycles)
{
	return cycles / s->tsc_khz * 1000000 + cycles % s->tsc_khz * 1000000 / s->tsc_khz;
}

/* ---- messages about a line */

/* Is the line a comment, "CPU:0 [LOST 12 EVENTS]", or part of a stack trace? */
static bool is_no_event(const char *line)
{
	return *line == '#' || *line == '\n' || !strncmp(line, "CPU:", 4) ||
	       !strncmp(line, " => ", 4);
}

/*
 * Lists options that change the form of lines, with the names that trace_options has when they are
 * set.
 */
static void wrong_options(const char *dir, char *ret, size_t room)
{
	static const char *const wrong[] = {
		"nocontext-info", "noprint-parent", "latency-format", "raw", "hex", "bin", "fields",
		"printk-msg-only", NULL
	};
	char *path = path_of(dir, "trace_options"), line[64];
	FILE *f = path ? fopen(path, "re") : NULL;
	size_t used = 0;

	*ret = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (used < room && is_one_of(line, wrong))
			used += snprintf(ret + used, room - used, "%s%s", used ? ", " : "", line);
	}
	if (f)
		fclose(f);
	free(path);
}

static int not_understood(const char *dir, const char *path, size_t number, const char *line)
{
	char options[128], shown[80];
	size_t length = 0;

	/* With the option "bin", the line may have any bytes. */
	for (; line[length] && length < sizeof(shown) - 1; length++)
		shown[length] = isprint((unsigned char)line[length]) ? line[length] : '?';
	shown[length] = '\0';
	wrong_options(dir, options, sizeof(options));
	if (*options)
		return error__return(-EPROTO, "line %zu of %s is not a function event: \"%s\"; "
				     "%s/trace_options has %s: reset that", number, path, shown, dir,
				     options);
	return error__return(-EPROTO, "line %zu of %s is not a function event: \"%s\"; is this kernel "
			     "newer than hytrace?", number, path, shown);
}

/* ---- the ring buffer */

struct reader {
	struct early_calls *calls;
	const struct early_stats *stats;
	uint64_t expected;
	bool over;
};

/* Times in microseconds are rounded by the kernel, as in ns2usecs(). */
static bool is_late(const struct early_stats *s, const struct trace_line *line)
{
	uint64_t last = s->last;

	if (line->fraction)
		last = (last + 500) / 1000 * 1000;
	return line->time > last;
}

static int take_line(struct reader *r, char *line)
{
	uint32_t function, parent;
	struct trace_line parsed;
	int err;

	err = trace_line__parse(line, &parsed);
	if (err)
		return err;
	/* There may be lost calls after the last early one. */
	r->over = is_late(r->stats, &parsed) ||
		  (parsed.function && r->calls->count == r->expected);
	if (r->over)
		return 0;
	if (parsed.lost)
		return early_calls__add_hole(r->calls, parsed.lost);
	if (!parsed.function)
		return 0;
	err = early_calls__intern(r->calls, parsed.function, &function);
	if (!err)
		err = early_calls__intern(r->calls, parsed.parent, &parent);
	if (!err)
		err = early_calls__add(r->calls, early_stats__time(r->stats, parsed.time), function,
				       parent);
	return err;
}

static int read_calls(struct reader *r, FILE *f, const char *path, const char *dir)
{
	char *line = NULL;
	size_t room = 0;
	int err = 0;

	for (size_t number = 1; !err && !r->over && getline(&line, &room, f) > 0; number++) {
		if (is_no_event(line))
			continue;
		err = take_line(r, line);
		if (err == -EPROTO)
			not_understood(dir, path, number, line);
	}
	if (!err && ferror(f))
		err = cannot_read(path, -errno);
	free(line);
	return err;
}

/* The buffer's present clock, from "[local] global counter"; "" if it is unknown. */
static void present_clock(const char *dir, char *ret, size_t room)
{
	char *path = path_of(dir, "trace_clock"), line[256] = "", *name;
	FILE *f = path ? fopen(path, "re") : NULL;

	if (f && !fgets(line, sizeof(line), f))
		*line = '\0';
	name = strchr(line, '[');
	snprintf(ret, room, "%.*s", name ? (int)strcspn(name + 1, "]") : 0, name ? name + 1 : "");
	if (f)
		fclose(f);
	free(path);
}

/*
 * Changing the clock clears the buffer, and its times then have another scale. One change is made
 * by the kernel itself: from local to global, if it finds that the TSC is not stable. These two
 * have one scale, and the buffer is kept.
 */
static bool clock_was_changed(const struct early_stats *s, const char *now)
{
	return *now && strcmp(s->clock, now) && !(is_local(s->clock) && is_local(now));
}

/* How many events have been overwritten in this CPU's buffer since it was cleared. */
static uint64_t overruns(const struct early_stats *s, const char *dir)
{
	char *path = NULL, line[128];
	uint64_t value = 0;
	FILE *f;

	if (asprintf(&path, "%s/per_cpu/cpu%" PRIu64 "/stats", dir, s->cpu) < 0)
		return 0;
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "overrun: %" SCNu64, &value) == 1)
			break;
	}
	if (f)
		fclose(f);
	free(path);
	return value;
}

static int nothing_left(const struct early_stats *s, const char *dir, const char *path)
{
	uint64_t overrun = overruns(s, dir);
	char clock[32];

	present_clock(dir, clock, sizeof(clock));
	if (clock_was_changed(s, clock))
		return error__return(-ENODATA,
			"%s: nothing is left of the early part of the boot: the trace clock was %s "
			"then and is %s now, and changing it clears the ring buffer; boot with "
			"trace_clock=%s", path, s->clock, clock, clock);
	if (s->recorded <= s->overwritten)
		return error__return(-ENODATA,
			"%s: nothing was left of the early part of the boot when it was copied there: "
			"the ring buffer was too small; boot with a larger trace_buf_size=", path);
	if (overrun > s->overwritten)
		return error__return(-ENODATA,
			"%s: nothing is left of the early part of the boot: later calls have "
			"overwritten it (%" PRIu64 " events so far); boot with "
			"trace_options=nooverwrite, which keeps the oldest, or with a larger "
			"trace_buf_size=", path, overrun);
	return error__return(-ENODATA,
		"%s: nothing is left of the early part of the boot: the ring buffer was cleared since, "
		"by a write to `trace` or by a change of the tracer", path);
}

/*
 * Time 0 is that of calls before the clock began; it is that of all calls if the TSC's frequency
 * was unknown.
 */
static void find_timeless(struct early_calls *c, const struct early_stats *s)
{
	while (s->before_zero && c->timeless < c->count && !c->list[c->timeless].time)
		c->timeless++;
}

int early_calls__load(struct early_calls *c, const struct early_stats *s, const char *dir,
		      uint64_t *ret_missing)
{
	struct reader r = { .calls = c, .stats = s };
	char clock[32], *path = NULL;
	FILE *f = NULL;
	int err = 0;

	if (asprintf(&path, "%s/per_cpu/cpu%" PRIu64 "/trace", dir, s->cpu) < 0)
		return error__no_memory();
	r.expected = s->recorded > s->overwritten ? s->recorded - s->overwritten : 0;
	present_clock(dir, clock, sizeof(clock));
	r.over = !r.expected || clock_was_changed(s, clock);
	if (!r.over) {
		f = fopen(path, "re");
		err = f ? read_calls(&r, f, path, dir) : cannot_read(path, -errno);
	}
	if (f)
		fclose(f);
	if (!err && !c->count)
		err = nothing_left(s, dir, path);
	find_timeless(c, s);
	*ret_missing = r.expected - c->count;
	/* The index of ftrace_init() is counted from the first call. */
	if (!err && c->count == s->recorded)
		err = early_calls__mark_ftrace(c, s->before_ftrace_init);
	free(path);
	return err;
}

/* ---- the set of oneshot */

/*
 * The kernel records the function and then its caller, with the same time. One of them may be known
 * already.
 */
static int add_hit(struct early_calls *c, const struct hit *hit)
{
	struct early_call *last = c->count ? &c->list[c->count - 1] : NULL;
	char name[512];
	uint32_t id;
	int err;

	if (hit->name)
		snprintf(name, sizeof(name), hit->module ? "%s [%s]" : "%s", hit->name, hit->module);
	else
		snprintf(name, sizeof(name), "0x%" PRIx64, hit->addr);
	err = early_calls__intern(c, name, &id);
	if (err)
		return err;
	if (hit->kind & HIT_FUNCTION)
		return early_calls__add(c, hit->first_ns, id, NO_NAME);
	if (last && last->time == hit->first_ns && last->parent == NO_NAME) {
		last->parent = id;
		return 0;
	}
	return early_calls__add(c, hit->first_ns, NO_NAME, id);
}

/*
 * Takes the early hits, by their times. Hits have times of the clock "local", and early_stats has
 * times of the trace clock, which may be another one; so its duration is used. The clock "local"
 * begins with the first early call. If a set begins later than these calls took, it was made
 * afterwards.
 */
static int take_hits(struct early_calls *c, const struct early_stats *s, const struct hits *set,
		     const char *path)
{
	uint64_t length = early_stats__time(s, s->last) - early_stats__time(s, s->first) +
			  HAND_OVER_NS;
	uint64_t zero = is_local(s->clock) ? s->first : 0, last;
	int err = 0;

	if (!s->tsc_khz)
		return error__return(-EOPNOTSUPP,
			"the TSC's frequency was not known when the tracer took over, so early hits "
			"have no time: which ones they are is not known; boot with tsc_early_khz=");
	if (!early_stats__in_ns(s))
		return error__return(-EOPNOTSUPP,
			"the trace clock was %s, which tells no time: which hits are early ones is not "
			"known; boot with another trace_clock=", s->clock);
	if (!set->count || set->list[0].pid || set->list[0].first_ns > zero + length)
		return error__return(-ENODATA, "%s: nothing is left of the early part of the boot: "
				     "the set was cleared since", path);
	last = set->list[0].first_ns + length;
	for (size_t i = 0; !err && i < set->count && set->list[i].first_ns <= last; i++)
		err = add_hit(c, &set->list[i]);
	return err;
}

int early_calls__load_oneshot(struct early_calls *c, const struct early_stats *s, const char *dir,
			      const struct places *places)
{
	char *path = path_of(dir, "oneshot_entries");
	struct hits set;
	uint64_t unnamed;
	FILE *f;
	int err;

	if (!path)
		return -ENOMEM;
	hits__init(&set);
	f = fopen(path, "re");
	if (f) {
		err = oneshot_entries__read(f, path, places, &set, &unnamed);
		fclose(f);
	} else {
		err = cannot_read(path, -errno);
	}
	if (!err)
		err = take_hits(c, s, &set, path);
	find_timeless(c, s);
	hits__free(&set);
	free(path);
	return err;
}
