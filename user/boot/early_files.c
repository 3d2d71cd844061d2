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

#include "base/error.h"
#include "base/files.h"
#include "base/index.h"
#include "base/memory.h"
#include "boot/early.h"
#include "boot/events.h"
#include "kernel/features.h"
#include "kernel/hits.h"

static int cannot_read(const char *path, int err)
{
	error__print("%s: %s%s", path, strerror(-err), features__hint(err));
	return err == -EACCES ? -EPERM : err;
}

/* ---- early_stats */

/* Numbers, and texts. */
static const struct {
	const char *name;
	size_t offset, size;
} stats[] = {
#define STAT(field) { #field, offsetof(struct early_stats, field), sizeof(((struct early_stats *)NULL)->field) }
	STAT(tracer), STAT(refused), STAT(clock), STAT(recorded), STAT(shown), STAT(before_ftrace_init), STAT(lost),
	STAT(first), STAT(last), STAT(before_zero), STAT(tsc_khz), STAT(cpu), STAT(sites), STAT(differing),
	STAT(buffer_bytes), STAT(ring_buffer_bytes), STAT(convert_cycles), STAT(show_cycles), STAT(recorder_cycles),
	STAT(inside_cycles), STAT(jump_cycles),
#undef STAT
};

/* "hole: 1234 56": after 1,234 calls, 56 calls were lost. The lines are sorted. */
static int parse_hole(struct early_stats *s, const char *value)
{
	struct early_hole hole;
	char rest;

	if (sscanf(value, "%zu %" SCNu64 "%c", &hole.before, &hole.lost, &rest) != 2 || s->hole_count == EARLY_HOLES ||
	    (s->hole_count && hole.before < s->holes[s->hole_count - 1].before))
		return -EPROTO;
	s->holes[s->hole_count++] = hole;
	return 0;
}

/* Ignores unknown names: they are from a later kernel. */
static int parse_stat(struct early_stats *s, const char *line)
{
	size_t length = strcspn(line, ":");
	const char *value = line + length + strspn(line + length, ": ");

	if (!*value)
		return -EPROTO;
	if (!strncmp(line, "hole:", 5))
		return parse_hole(s, value);
	for (size_t i = 0; i < sizeof(stats) / sizeof(stats[0]); i++) {
		char *to = (char *)s + stats[i].offset, rest;

		if (strlen(stats[i].name) != length || strncmp(stats[i].name, line, length))
			continue;
		if (stats[i].size > sizeof(uint64_t))
			snprintf(to, stats[i].size, "%s", value);
		else if (!isdigit((unsigned char)*value) || sscanf(value, "%" SCNu64 "%c", (uint64_t *)to, &rest) != 1)
			return -EPROTO;
	}
	return 0;
}

int early_stats__parse(struct early_stats *ret, char *text, const char *path)
{
	char *line;

	*ret = (struct early_stats){};
	for (int number = 1; (line = strsep(&text, "\n")) && (*line || text); number++) {
		if (parse_stat(ret, line))
			return error__return(-EPROTO, "%s:%d: this line is not known: \"%s\"; is this kernel newer than "
					     "hytrace?", path, number, line);
	}
	if (!*ret->tracer || !*ret->clock)
		return error__return(-EPROTO, "%s: has no line \"%s\": is this kernel newer than "
				     "hytrace?", path, *ret->tracer ? "clock:" : "tracer:");
	return 0;
}

static bool is_refused(const struct early_stats *s)
{
	return *s->refused && strcmp(s->refused, "none");
}

static int check_tracer(const struct early_stats *s, const char *path)
{
	if (is_refused(s))
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
	autofree char *path = xasprintf("%s/early_stats", dir), *text = file__text(path);

	if (!text)
		return errno == ENOENT ? features__refuse(FEATURE_EARLY, NULL) : cannot_read(path, -errno);
	return early_stats__parse(ret, text, path) ?: check_tracer(ret, path);
}

bool early_stats__asked(const char *dir)
{
	autofree char *path = xasprintf("%s/early_stats", dir), *text = file__text(path);
	struct early_stats s;

	return text && (early_stats__parse(&s, text, path) || strcmp(s.tracer, "none") || is_refused(&s));
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

static struct early_call *add_call(struct early_calls *c, uint64_t time, uint32_t function, uint32_t parent)
{
	struct early_call *call = LIST_ADD(c->list, c->count);

	*call = (struct early_call){ time, END_UNKNOWN, function, parent, false };
	if (time > c->until)
		c->until = time;
	return call;
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
	word += strlen(" (");
	if (!strcmp(word, "open)"))
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

/* Sets when a call has ended. If one call has an end, each call gets one. */
static int set_end(struct early_calls *c, struct early_call *call, const struct early_stats *s, const struct line *line)
{
	if (line->took == TOOK_COUNTS && line->counts >= END_OPEN - line->time)
		return -EPROTO;
	c->timed = true;
	c->rounding = early_stats__time(s, ROUNDED_TO) + 1;
	c->open += line->took == TOOK_OPEN;
	c->unknown += line->took == TOOK_UNKNOWN;
	call->end = line->took == TOOK_OPEN ? END_OPEN : END_UNKNOWN;
	if (line->took != TOOK_COUNTS)
		return 0;
	call->end = early_stats__time(s, line->time + line->counts);
	call->rounded = line->counts >= LONGEST_EXACT;
	if (call->end > c->until)
		c->until = call->end;
	return 0;
}

/* Returns 1 for a later call: a user has turned tracing of the instance on. */
static int take_line(struct early_calls *c, const struct early_stats *s, char *line)
{
	struct early_call *call;
	struct line parsed;
	int err;

	err = parse_line(line, &parsed);
	if (err || parsed.time > s->last)
		return err ?: 1;
	if (!parsed.function)
		return 0;
	call = add_call(c, early_stats__time(s, parsed.time), intern(c, parsed.function), 0);
	call->parent = intern(c, parsed.parent);
	return parsed.took == TOOK_NOT_TOLD ? 0 : set_end(c, call, s, &parsed);
}

static int read_calls(struct early_calls *c, const struct early_stats *s, FILE *f, const char *path,
		      const char *dir)
{
	autofree char *line = NULL;
	size_t room = 0;
	int err = 0;

	for (size_t number = 1; !err && c->count < s->recorded && getline(&line, &room, f) > 0; number++) {
		err = trace_line__is_no_event(line) ? 0 : take_line(c, s, line);
		if (err == -EPROTO)
			error__print("line %zu of %s is not a function event: \"%.*s\"; reset %s/trace_options, or is this kernel "
				     "newer than hytrace?", number, path, (int)strcspn(line, "\n"), line, dir);
	}
	if (!err && ferror(f))
		err = cannot_read(path, -errno);
	return err < 0 ? err : 0;
}

/*
 * Notes where calls were lost: directly before the call of an index, or after the last call. Reading trace_pipe
 * consumes calls from the beginning, so the missing calls are the first ones.
 */
static void add_holes(struct early_calls *c, const struct early_stats *s, uint64_t missing)
{
	for_array(hole, s->holes, s->hole_count) {
		size_t before = hole->before - missing;

		if (hole->before < missing)
			continue;
		if (c->hole_count && c->holes[c->hole_count - 1].before == before)
			c->holes[c->hole_count - 1].lost += hole->lost;
		else
			*LIST_ADD(c->holes, c->hole_count) = (struct early_hole){ before, hole->lost };
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
	autofree char *instance = xasprintf("%s/instances/early", dir);
	autofree char *path = xasprintf("%s/per_cpu/cpu%" PRIu64 "/trace", instance, s->cpu);
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
	/* The index of ftrace_init() is counted from the first call. 0 means that the kernel does not know it. */
	if (!err && !*ret_missing && s->before_ftrace_init && s->before_ftrace_init < c->count) {
		/* The phase of this function needs the name, which may not occur in any call. */
		intern(c, FTRACE_FUNCTION);
		c->ftrace_init = s->before_ftrace_init;
	}
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
	autofree char *path = xasprintf("%s/oneshot_entries", dir);
	FILE *f = fopen(path, "re");
	struct hits set;
	uint64_t unnamed;
	int err;

	if (!f)
		return cannot_read(path, -errno);
	hits__init(&set);
	err = oneshot_entries__read(f, path, places, &set, &unnamed) ?: take_hits(c, s, &set, path);
	fclose(f);
	hits__free(&set);
	return err;
}
