// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the files that very early function tracing leaves behind; see early.h.
 *
 *   early_stats                            recorded: 391022
 *   instances/early/per_cpu/cpu0/trace     <idle>-0       [000] d....     1644775138: f <-caller (1234)
 *   oneshot_entries                        see kernel/hits.c
 *
 * The instance is read as text, as reading its binary form (trace_pipe_raw) consumes the events. It has options and a
 * clock of its own, and only early calls are in it.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/index.h"
#include "base/memory.h"
#include "boot/early.h"
#include "boot/events.h"
#include "kernel/features.h"
#include "kernel/hits.h"

#define INSTANCE "instances/early"

static int cannot_read(const char *path, int err)
{
	error__print("%s: %s%s", path, strerror(-err), features__hint(err));
	return err == -EACCES ? -EPERM : err;
}

/* ---- the calls */

/* The index of @name; adds it if it is new. */
static uint32_t intern(struct early_calls *c, const char *name)
{
	struct lh_entry *entry = lh_table_lookup_entry(c->ids, name);
	uint32_t id = c->name_count;

	if (entry)
		return (uintptr_t)lh_entry_v(entry);
	name = strings__add(c->store, name);
	*LIST_ADD(c->names, c->name_count) = name;
	index__add(c->ids, name, (void *)(uintptr_t)id);
	return id;
}

static void add_call(struct early_calls *c, uint64_t time, uint32_t function, uint32_t parent)
{
	*LIST_ADD(c->list, c->count) = (struct early_call){ time, END_UNKNOWN, function, parent, false };
	if (time > c->until)
		c->until = time;
}

/* Sets when the last added call has ended. If one call has an end, each call gets one. */
static void set_end_to(struct early_calls *c, uint64_t end, bool rounded)
{
	struct early_call *last = &c->list[c->count - 1];

	c->timed = true;
	last->end = end;
	last->rounded = rounded;
	if (end == END_OPEN)
		c->open++;
	else if (end == END_UNKNOWN)
		c->unknown++;
	else if (end > c->until)
		c->until = end;
}

/* Calls were lost directly before the call at index @before, or after the last call. */
static void add_hole(struct early_calls *c, size_t before, uint64_t lost)
{
	if (c->hole_count && c->holes[c->hole_count - 1].before == before)
		c->holes[c->hole_count - 1].lost += lost;
	else
		*LIST_ADD(c->holes, c->hole_count) = (struct early_hole){ before, lost };
}

/* Notes that ftrace_init() begins directly before the call at @index, if there is such a call. */
static void mark_ftrace(struct early_calls *c, size_t index)
{
	/* 0 means that the kernel does not know the index. */
	if (!index || index >= c->count)
		return;
	/* The phase of this function needs the name, which may not occur in any call. */
	intern(c, FTRACE_FUNCTION);
	c->ftrace_init = index;
}

/* ---- early_stats */

static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
#define NUMBER(field) { #field, offsetof(struct early_stats, field) }
	NUMBER(recorded), NUMBER(shown), NUMBER(before_ftrace_init), NUMBER(lost),
	NUMBER(first), NUMBER(last), NUMBER(before_zero), NUMBER(tsc_khz), NUMBER(cpu),
	NUMBER(sites), NUMBER(differing), NUMBER(buffer_bytes), NUMBER(ring_buffer_bytes),
	NUMBER(convert_cycles), NUMBER(show_cycles), NUMBER(recorder_cycles), NUMBER(inside_cycles), NUMBER(jump_cycles),
#undef NUMBER
};

static int parse_number(struct early_stats *s, const char *name, const char *text)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint64_t value;
		char rest;

		if (strcmp(numbers[i].name, name))
			continue;
		if (!isdigit((unsigned char)*text) || sscanf(text, "%" SCNu64 "%c", &value, &rest) != 1)
			return -EPROTO;
		memcpy((char *)s + numbers[i].offset, &value, sizeof(value));
		return 0;
	}
	/* Ignores unknown names: they are from a later kernel. */
	return 0;
}

/* "hole: 1234 56": after 1,234 calls, 56 calls were lost. The lines are sorted. */
static int parse_hole(struct early_stats *s, const char *line)
{
	struct early_hole hole;
	char rest;

	if (sscanf(line, "hole: %zu %" SCNu64 "%c", &hole.before, &hole.lost, &rest) != 3 ||
	    rest != '\n' || s->hole_count == EARLY_HOLES ||
	    (s->hole_count && hole.before < s->holes[s->hole_count - 1].before))
		return -EPROTO;
	s->holes[s->hole_count++] = hole;
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
	else if (!strcmp(name, "hole"))
		return parse_hole(s, line);
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
	char *path = xasprintf("%s/early_stats", dir);
	FILE *f = fopen(path, "re");
	int err;

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

bool early_stats__asked(const char *dir)
{
	char *path = xasprintf("%s/early_stats", dir);
	FILE *f = fopen(path, "re");
	struct early_stats s;
	bool asked = false;

	if (f) {
		asked = early_stats__read(&s, f, path) || strcmp(s.tracer, "none") ||
			(*s.refused && strcmp(s.refused, "none"));
		fclose(f);
	}
	free(path);
	return asked;
}

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++) {
		if (!strcmp(name, *list))
			return true;
	}
	return false;
}

/* Is the clock the TSC, with a known frequency? Only then can times be converted to nanoseconds. */
static bool is_tsc(const struct early_stats *s)
{
	return !strcmp(s->clock, "x86-tsc") && s->tsc_khz;
}

bool early_stats__in_ns(const struct early_stats *s)
{
	return is_tsc(s) || !strcmp(s->clock, "local");
}

uint64_t early_stats__time(const struct early_stats *s, uint64_t time)
{
	return is_tsc(s) ? early_stats__cycles_ns(s, time) : time;
}

/* Changing the sites takes some time, so 0 means that the kernel does not know how long. */
bool early_stats__has_hand_over(const struct early_stats *s)
{
	return s->tsc_khz && s->convert_cycles;
}

uint64_t early_stats__cycles_ns(const struct early_stats *s, uint64_t cycles)
{
	return cycles / s->tsc_khz * 1000000 + cycles % s->tsc_khz * 1000000 / s->tsc_khz;
}

/* ---- error messages about a line */

/*
 * Lists the options of trace_options whose state changes the format of lines. "no" before a name means that the
 * option is off.
 */
static void wrong_options(const char *dir, char *ret, size_t room)
{
	static const char *const wrong[] = {
		"nocontext-info", "noprint-parent", "latency-format", "raw", "hex", "bin", "fields",
		"printk-msg-only", NULL
	};
	char *path = xasprintf("%s/trace_options", dir), line[64];
	FILE *f = fopen(path, "re");
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

/* ---- the instance */

/* Durations of at least LONGEST_EXACT counts are rounded down to multiples of ROUNDED_TO. */
#define LONGEST_EXACT (1ULL << 31)
#define ROUNDED_TO 65536

/* A line of the instance, such as "f <-caller (1234)". */
struct line {
	uint64_t time;			/* a count of the clock */
	const char *function, *parent;	/* point into the line, "f [module]"; NULL: another event */
	enum { TOOK_NOT_TOLD, TOOK_COUNTS, TOOK_OPEN, TOOK_UNKNOWN } took;	/* not told: returns were not recorded */
	uint64_t counts;		/* of the clock, for TOOK_COUNTS */
};

static size_t name_length(const char *name)
{
	return strcspn(name, " +");
}

/* Turns "f+0x12/0x34 [module] <ffffffff81000000>" into "f [module]". */
static const char *clean_name(char *name)
{
	char *module = strstr(name, " ["), *end = module ? strchr(module, ']') : NULL;
	size_t length = name_length(name);

	if (end) {
		memmove(name + length, module, end + 1 - module);
		length += end + 1 - module;
	}
	name[length] = '\0';
	return name;
}

/* Cuts " (123456)", " (open)" or " (unknown)" off the text. Returns false for another word. */
static bool take_took(char *text, struct line *ret)
{
	char *word = strstr(text, " ("), rest[2];

	if (!word)
		return true;
	*word = '\0';
	word += strlen(" ("); if (!strcmp(word, "open)"))
		ret->took = TOOK_OPEN;
	else if (!strcmp(word, "unknown)"))
		ret->took = TOOK_UNKNOWN;
	else if (isdigit((unsigned char)*word) &&
		 sscanf(word, "%" SCNu64 "%1[)]%1s", &ret->counts, rest, rest) == 2)
		ret->took = TOOK_COUNTS;
	else
		return false;
	return true;
}

/* Returns -EPROTO, without a message, if @line is not an event. */
static int parse_line(char *line, struct line *ret)
{
	char *event, *arrow, *colon;
	struct trace_context context;

	*ret = (struct line){};
	/* The early recorder's clock counts, so its times have no fraction. */
	if (trace_context__parse(line, &context) || context.fraction)
		return -EPROTO;
	event = context.event;
	ret->time = context.time;
	arrow = strstr(event, " <-");
	colon = strchr(event, ':');
	/* All other events have a name and a colon, except "<stack trace>" and the like. */
	if (*event == '<' || (colon && (!arrow || colon < arrow)))
		return strncmp(event, "function:", 9) ? 0 : -EPROTO;
	if (!arrow || !name_length(event) || !name_length(arrow + strlen(" <-")))
		return -EPROTO;
	if (!take_took(arrow + strlen(" <-"), ret))
		return -EPROTO;
	*arrow = '\0';
	ret->function = clean_name(event);
	ret->parent = clean_name(arrow + strlen(" <-"));
	return 0;
}

static int set_end(struct early_calls *c, const struct early_stats *s, const struct line *line)
{
	if (line->took == TOOK_COUNTS && line->counts >= END_OPEN - line->time)
		return -EPROTO;
	c->rounding = early_stats__time(s, ROUNDED_TO) + 1;
	if (line->took == TOOK_COUNTS)
		set_end_to(c, early_stats__time(s, line->time + line->counts),
				     line->counts >= LONGEST_EXACT);
	else
		set_end_to(c, line->took == TOOK_OPEN ? END_OPEN : END_UNKNOWN, false);
	return 0;
}

/* Returns 1 for a later call: a user has turned tracing of the instance on. */
static int take_line(struct early_calls *c, const struct early_stats *s, char *line)
{
	uint32_t function, parent;
	struct line parsed;
	int err;

	err = parse_line(line, &parsed);
	if (err || parsed.time > s->last)
		return err ?: 1;
	if (!parsed.function)
		return 0;
	function = intern(c, parsed.function);
	parent = intern(c, parsed.parent);
	add_call(c, early_stats__time(s, parsed.time), function, parent);
	return parsed.took == TOOK_NOT_TOLD ? 0 : set_end(c, s, &parsed);
}

static int read_calls(struct early_calls *c, const struct early_stats *s, FILE *f, const char *path,
		      const char *dir)
{
	char *line = NULL;
	size_t room = 0;
	int err = 0;

	for (size_t number = 1; !err && c->count < s->recorded && getline(&line, &room, f) > 0; number++) {
		if (trace_line__is_no_event(line))
			continue;
		err = take_line(c, s, line);
		if (err == -EPROTO)
			not_understood(dir, path, number, line);
	}
	if (!err && ferror(f))
		err = cannot_read(path, -errno);
	free(line);
	return err < 0 ? err : 0;
}

/* Reading trace_pipe consumes calls from the beginning, so the missing calls are the first ones. */
static void add_holes(struct early_calls *c, const struct early_stats *s, uint64_t missing)
{
	for (size_t i = 0; i < s->hole_count; i++) {
		if (s->holes[i].before >= missing)
			add_hole(c, s->holes[i].before - missing, s->holes[i].lost);
	}
}

static int nothing_left(const struct early_stats *s, const char *dir, const char *path)
{
	if (!s->shown)
		return error__return(-ENODATA,
			"the kernel could not make %s for %" PRIu64 " early calls; `dmesg | grep 'ftrace: "
			"early'` says why", dir, s->recorded);
	return error__return(-ENODATA,
		"%s: nothing is left of the early part of the boot: it was removed by rmdir, by a write "
		"to `trace` or to trace_clock, or by a reader of trace_pipe; it comes back with the "
		"next boot", path);
}

int early_calls__load(struct early_calls *c, const struct early_stats *s, const char *dir,
		      uint64_t *ret_missing)
{
	char *instance = xasprintf("%s/" INSTANCE, dir);
	char *path = xasprintf("%s/per_cpu/cpu%" PRIu64 "/trace", instance, s->cpu);
	/* If nothing is shown, an instance of this name is not the kernel's. */
	FILE *f = s->shown ? fopen(path, "re") : NULL;
	int err = 0;

	if (f)
		err = read_calls(c, s, f, path, instance);
	else if (s->shown && errno != ENOENT)
		err = cannot_read(path, -errno);
	if (f)
		fclose(f);
	if (!err && !c->count)
		err = nothing_left(s, instance, path);
	*ret_missing = s->recorded - c->count;
	if (!err)
		add_holes(c, s, *ret_missing);
	/* The index of ftrace_init() is counted from the first call. */
	if (!err && !*ret_missing)
		mark_ftrace(c, s->before_ftrace_init);
	free(path);
	free(instance);
	return err;
}

/* ---- the set of oneshot */

/* The kernel records the function and then its caller, with the same time. One of the two may be in the set already. */
static void add_hit(struct early_calls *c, const struct hit *hit)
{
	struct early_call *last = c->count ? &c->list[c->count - 1] : NULL;
	char name[512];
	uint32_t id;

	if (hit->name)
		snprintf(name, sizeof(name), hit->module ? "%s [%s]" : "%s", hit->name, hit->module);
	else
		snprintf(name, sizeof(name), "0x%" PRIx64, hit->addr);
	id = intern(c, name);
	if (hit->kind & HIT_FUNCTION)
		add_call(c, hit->first_ns, id, NO_NAME);
	else if (last && last->time == hit->first_ns && last->parent == NO_NAME)
		last->parent = id;
	else
		add_call(c, hit->first_ns, NO_NAME, id);
}

/*
 * Takes the hits up to the time of the last early hit. Later hits have later times, as the kernel has to change all
 * sites before them, which takes a while. If the set does not begin with the first early hit, it was cleared.
 */
static int take_hits(struct early_calls *c, const struct early_stats *s, const struct hits *set,
		     const char *path)
{
	if (s->before_zero == s->recorded)
		return error__return(-EOPNOTSUPP,
			"the TSC's frequency was not known when the tracer took over, so early hits "
			"have no time: which ones they are is not known; boot with tsc_early_khz=");
	if (!set->count || set->list[0].pid || set->list[0].first_ns != s->first)
		return error__return(-ENODATA, "%s: nothing is left of the early part of the boot: "
				     "the set was cleared since", path);
	for (size_t i = 0; i < set->count && set->list[i].first_ns <= s->last; i++)
		add_hit(c, &set->list[i]);
	/* Hits before the clock began have the time 0. */
	while (s->before_zero && c->timeless < c->count && !c->list[c->timeless].time)
		c->timeless++;
	return 0;
}

int early_calls__load_oneshot(struct early_calls *c, const struct early_stats *s, const char *dir,
			      const struct places *places)
{
	char *path = xasprintf("%s/oneshot_entries", dir);
	struct hits set;
	uint64_t unnamed;
	FILE *f;
	int err;

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
	hits__free(&set);
	free(path);
	return err;
}
