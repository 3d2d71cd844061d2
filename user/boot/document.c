// SPDX-License-Identifier: GPL-2.0-only
/* Writes a boot as a document, and reads it; see boot.h. Each object has one table of fields. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "boot/account.h"
#include "document/read.h"

/* The kernel's stack has no room for more frames. */
#define MOST_DEPTH 1024

#define OF(type, name, kind, member, ...) { name, &kind, offsetof(type, member), ##__VA_ARGS__ }
#define B(name, kind, member, ...) OF(struct boot, name, kind, member, ##__VA_ARGS__)
#define S(name, kind, member, ...) OF(struct span, name, kind, member, ##__VA_ARGS__)
/* A list of spans: before a span is read, it has the class and no arguments. */
#define SPANS(of, of_class) &(const struct json_list){ \
	of, sizeof(struct span), offsetof(struct span_list, count) - offsetof(struct span_list, list), \
	&(const struct span){ SPAN_NONE, .class = of_class, .end = NOT_KNOWN } }

/* ---- kinds of fields */

static void write_kept(json_writer_t *w, const struct json_field *field, const void *member)
{
	const char *text = *(const char *const *)member;

	text ? jsonw_string(w, text) : jsonw_null(w);
}

static int read_kept(struct json_object *value, const struct json_field *field, void *member, void *whole)
{
	struct boot *b = whole;

	*(const char **)member = value ? strings__intern(b->store, json__text(value)) : NULL;
	return 0;
}

const struct json_kind field_kept = { write_kept, read_kept, json_type_string, true };

const struct json_kind field_name = { write_kept, read_kept, json_type_string };

static void write_clock(json_writer_t *w, const struct json_field *field, const void *member)
{
	jsonw_string(w, "local");
}

static const struct json_kind clock_word = { write_clock };

/* The time of a span, from its start, which is read before. */
static void write_length(json_writer_t *w, const struct json_field *field, const void *member)
{
	const struct span *s = member;

	s->end == NOT_KNOWN ? jsonw_null(w) : jsonw_int(w, s->end - s->start);
}

static int read_length(struct json_object *value, const struct json_field *field, void *member, void *whole)
{
	struct span *s = member;
	int64_t length = json_object_get_int64(value);

	/* The sum with a start is no overflow. */
	if (length < 0 || length >= INT64_MAX / 8)
		return -EINVAL;
	s->end = value ? s->start + length : NOT_KNOWN;
	return 0;
}

static const struct json_kind length = { write_length, read_length, json_type_int, true };
/* Of a span that has an end. */
static const struct json_kind whole_length = { write_length, read_length, json_type_int };

/* Has the driver put the probe of a device off? */
static void write_deferred(json_writer_t *w, const struct json_field *field, const void *member)
{
	const struct span *s = member;

	s->result == NOT_KNOWN ? jsonw_null(w) : jsonw_bool(w, s->note);
}

static int read_deferred(struct json_object *value, const struct json_field *field, void *member, void *whole)
{
	struct span *s = member;

	s->note = json_object_get_boolean(value) ? "deferred" : NULL;
	return 0;
}

static const struct json_kind deferred = { write_deferred, read_deferred, json_type_boolean, true };

/* The parts of a wait: an object with the classes that are not 0. */
static void write_parts(json_writer_t *w, const struct json_field *field, const void *member)
{
	const uint64_t *parts = member;

	jsonw_start_object(w);
	for (int class = 0; class < CLASS_COUNT; class++) {
		if (parts[class])
			jsonw_lluint_field(w, wait_class_names[class], parts[class]);
	}
	jsonw_end_object(w);
}

static int read_parts(struct json_object *value, const struct json_field *field, void *member, void *whole)
{
	uint64_t *parts = member;

	for (int class = 0; class < CLASS_COUNT; class++)
		parts[class] = json_object_get_uint64(json__field(value, wait_class_names[class]));
	return 0;
}

static const struct json_kind parts_of_wait = { write_parts, read_parts, json_type_object };

/* Null if there is no early part. */
static void write_lost(json_writer_t *w, const struct json_field *field, const void *member)
{
	const struct boot *b = member;

	boot__has_early(b) ? json__counter_values(w, &b->early.lost) : jsonw_null(w);
}

static int read_lost(struct json_object *value, const struct json_field *field, void *member, void *whole)
{
	struct boot *b = member;

	if (value) {
		json_object_object_foreach(value, key, number)
			counters__add(&b->early.lost, strings__intern(b->store, key), json_object_get_uint64(number));
	}
	return 0;
}

static const struct json_kind early_lost = { write_lost, read_lost, json_type_object, true };

/*
 * An object with a part of the boot, whose fields have offsets in struct boot. If the part is not known, it is null,
 * and its members stay as they are. @tells: the offset of a member of 8 bytes, which is then NULL or NOT_KNOWN
 */
struct part {
	size_t tells;
	const struct json_field *fields;
};

static void write_part(json_writer_t *w, const struct json_field *field, const void *member)
{
	const struct part *part = field->detail;
	int64_t tells = *(const int64_t *)((const char *)member + part->tells);

	if (!tells || tells == NOT_KNOWN) {
		jsonw_null(w);
		return;
	}
	jsonw_start_object(w);
	json__write_fields(w, part->fields, member);
	jsonw_end_object(w);
}

static int read_part(struct json_object *value, const struct json_field *field, void *member, void *whole)
{
	const struct part *part = field->detail;

	return value ? json__read_fields(value, part->fields, member, whole) : 0;
}

static const struct json_kind field_part = { write_part, read_part, json_type_object, true };

#define PART(name, tells, fields) { name, &field_part, 0, &(const struct part){ offsetof(struct boot, tells), fields } }

/* ---- the early part */

static const char *const units[] = { "ns", "counts", NULL };
static const char *const early_kinds[] = { "function", "before", "tracer", "hole", "self", NULL };

#define E(name, kind, member, ...) B(name, kind, early.member, ##__VA_ARGS__)
#define P(name, kind, member, ...) OF(struct boot_phase, name, kind, member, ##__VA_ARGS__)
#define F(name, kind, member, ...) OF(struct boot_function, name, kind, member, ##__VA_ARGS__)

static const struct json_field window_fields[] = {
	E("clock", field_name, clock),
	E("unit", field_word, counts, units),
	E("first", field_time, first),
	E("last", field_time, last),
	E("before_zero", field_time, before_zero),
	E("tsc_khz", field_time, tsc_khz),
	E("begin", field_int, begin),
	E("until", field_int, until),
	E("zero", field_time, zero),
	{ }
};

static const struct json_field totals_fields[] = {
	E("recorded", field_time, recorded),
	E("calls", field_time, calls),
	E("functions", field_time, functions),
	E("callers", field_time, callers),
	E("returns", field_time, returns),
	E("open", field_time, open),
	E("unknown", field_time, unknown),
	E("timeless", field_int, timeless),
	E("sites", field_time, sites),
	E("differing", field_time, differing),
	{ }
};

static const struct json_field cost_fields[] = {
	E("buffer_bytes", field_time, buffer_bytes),
	E("ring_buffer_bytes", field_time, ring_buffer_bytes),
	E("thousand_calls_ns", field_time, thousand_calls),
	E("thousand_inside_ns", field_time, thousand_inside),
	{ }
};

static const struct json_field hand_over_fields[] = {
	E("convert_ns", field_time, convert),
	E("show_ns", field_time, show),
	{ }
};

static const struct json_field ftrace_fields[] = {
	E("time", field_time, ftrace_init),
	E("before", field_time, before_ftrace_init),
	{ }
};

static const struct json_field phase_fields[] = {
	P("name", field_kept, name),
	P("kind", field_word, kind, early_kinds),
	P("start", field_time, start),
	P("time", field_time, time),
	P("net", field_time, net),
	P("lost", field_time, lost),
	P("calls", field_time, calls),
	P("functions", field_time, functions),
	P("callers", field_time, callers),
	P("phases", field_list, inner, JSON_LIST(struct boot_phase, inner, inner_count, phase_fields)),
	{ }
};

static const struct json_field function_fields[] = {
	F("name", field_name, name),
	F("calls", field_time, calls),
	F("first", field_time, first),
	F("inclusive", field_time, inclusive),
	F("inclusive_net", field_time, inclusive_net),
	F("self", field_time, self),
	F("self_net", field_time, self_net),
	F("open", field_time, open),
	F("unknown", field_time, unknown),
	{ }
};

static const struct json_field call_fields[] = {
	S("name", field_name, name),
	S("caller", field_name, in),
	S("start", field_int, start),
	{ "time", &whole_length, 0 },
	S("end", field_kept, note),
	{ }
};

static const struct json_field stack_fields[] = {
	OF(struct boot_stack, "name", field_name, name),
	OF(struct boot_stack, "outer", field_int, outer),
	OF(struct boot_stack, "self", field_int, self),
	{ }
};

/* ---- from the initcalls on */

static const char *const probe_kinds[] = {
	[PROBE_DEVICE] = "device", [PROBE_UNPACK] = "unpack", [PROBE_CONSOLE] = "console", NULL
};

static const struct json_field init_fields[] = {
	S("program", field_name, name),
	S("start", field_int, start),
	{ }
};

static const struct json_field level_fields[] = {
	S("name", field_name, name),
	S("start", field_int, start),
	{ "time", &whole_length, 0 },
	S("in_initcalls", field_int, running),
	S("initcalls", field_int, count),
	{ }
};

static const struct json_field initcall_fields[] = {
	S("name", field_kept, name),
	S("module", field_kept, module),
	S("level", field_name, in),
	S("pid", field_time, task),
	S("start", field_int, start),
	{ "time", &length, 0 },
	S("self", field_time, self),
	S("running", field_time, running),
	S("ready", field_time, ready),
	S("waiting", field_time, waiting),
	S("result", field_time, result),
	{ }
};

static const struct json_field probe_fields[] = {
	S("kind", field_word, kind, probe_kinds),
	S("name", field_kept, name),
	S("driver", field_kept, in),
	S("pid", field_time, task),
	S("start", field_int, start),
	{ "time", &length, 0 },
	S("self", field_time, self),
	S("result", field_time, result),
	{ "deferred", &deferred, 0 },
	{ }
};

static const struct json_field piece_fields[] = {
	S("where", field_name, in),
	S("class", field_word, kind, wait_class_names),
	S("name", field_kept, name),
	S("pid", field_time, task),
	S("start", field_int, start),
	{ "time", &whole_length, 0 },
	{ }
};

static const struct json_field program_fields[] = {
	S("name", field_name, name),
	S("pid", field_time, task),
	S("start", field_int, start),
	{ "time", &length, 0 },
	{ }
};

static const struct json_field wait_fields[] = {
	OF(struct boot_wait, "where", field_name, where),
	OF(struct boot_wait, "class", field_word, class, wait_class_names),
	OF(struct boot_wait, "name", field_kept, name),
	OF(struct boot_wait, "time", field_int, time),
	OF(struct boot_wait, "count", field_int, count),
	OF(struct boot_wait, "parts", parts_of_wait, parts),
	{ }
};

static const struct json_field io_fields[] = {
	OF(struct boot_io, "time", field_int, time), OF(struct boot_io, "bytes", field_int, bytes), { }
};

static const struct json_field run_fields[] = {
	S("cpu", field_int, cpu),
	S("name", field_name, name),
	S("pid", field_time, task),
	S("start", field_int, start),
	{ "time", &whole_length, 0 },
	{ }
};

static const struct json_field cpu_fields[] = {
	OF(struct boot_cpu, "cpu", field_int, cpu),
	OF(struct boot_cpu, "busy", field_int, busy),
	OF(struct boot_cpu, "until", field_int, until),
	{ }
};

static const struct json_field divided_fields[] = {
	B("start", field_int, process.start), B("time", whole_length, process), B("running", field_int, process.running),
	B("ready", field_int, process.ready), B("waiting", field_int, process.waiting), { }
};

static const struct json_field event_fields[] = {
	B("events", field_int, events), B("events_until_init", field_int, events_until_init), { }
};

static const struct json_field start_fields[] = {
	{ "clock", &clock_word },
	B("lost", field_int, lost),
	B("full", field_time, full),
	B("unread", field_int, unread),
	B("first_unread", field_kept, first_unread),
	B("clock_back", field_int, clock_back),
	B("inits", field_list, inits, SPANS(init_fields, SPAN_PROGRAM)),
	B("levels", field_list, levels, SPANS(level_fields, SPAN_PHASE)),
	B("initcalls", field_list, initcalls, SPANS(initcall_fields, SPAN_INITCALL)),
	PART("init", waits, divided_fields),
	B("processors", field_list, cpus, JSON_LIST(struct boot, cpus, cpu_count, cpu_fields)),
	B("waits", field_list, waits, JSON_LIST(struct boot, waits, wait_count, wait_fields)),
	B("path", field_list, path, SPANS(piece_fields, SPAN_WAIT)),
	B("probes", field_list, probes, SPANS(probe_fields, SPAN_PROBE)),
	B("probes_lost", field_time, probes_lost),
	B("probes_full", field_time, probes_full),
	B("programs", field_list, programs, SPANS(program_fields, SPAN_PROGRAM)),
	B("runs", field_list, runs, SPANS(run_fields, SPAN_RUNNING)),
	B("requests", field_list, ios, JSON_LIST(struct boot, ios, io_count, io_fields)),
	{ "cost", &field_object, 0, event_fields },
	{ }
};

/* ---- all */

static const struct json_field boot_fields[] = {
	E("tracer", field_kept, tracer),
	B("kernel", field_object, kernel, kernel_id_fields),
	B("boot_id", field_string, boot_id),
	E("cpu", field_time, cpu),
	PART("window", early.tracer, window_fields),
	PART("totals", early.tracer, totals_fields),
	{ "lost", &early_lost, 0 },
	PART("cost", early.tracer, cost_fields),
	PART("hand_over", early.convert, hand_over_fields),
	PART("ftrace_init", early.before_ftrace_init, ftrace_fields),
	E("phases", field_list, phases, JSON_LIST(struct boot_early, phases, phase_count, phase_fields)),
	E("functions", field_list, function_list, JSON_LIST(struct boot_early, function_list, function_count, function_fields)),
	E("calls", field_list, longest, SPANS(call_fields, SPAN_CALL)),
	E("stacks", field_list, stacks, JSON_LIST(struct boot_early, stacks, stack_count, stack_fields)),
	PART("start", levels.list, start_fields),
	{ }
};

void boot__write(const struct boot *b, FILE *out)
{
	json_writer_t *w = json__begin(out, "boot", BOOT_SCHEMA);

	json__write_fields(w, boot_fields, b);
	json__write_fields(w, account_fields, b);
	json__end(&w);
}

/* ---- reading */

/* Are the spans sorted? Views look for them by time. */
static bool are_sorted(const struct boot *b)
{
	const struct span_list *const lists[] = {
		&b->inits, &b->levels, &b->initcalls, &b->probes, &b->programs, &b->path, &b->early.longest,
	};

	for_array(l, lists, sizeof(lists) / sizeof(lists[0])) {
		for (size_t i = 1; i < (*l)->count; i++) {
			if ((*l)->list[i].start < (*l)->list[i - 1].start)
				return false;
		}
	}
	return true;
}

/* Is each stack inside of an earlier one, and not deep? */
static bool are_stacks(const struct boot_early *e)
{
	int64_t *depth = xcalloc(e->stack_count, sizeof(*depth));
	bool possible = true;

	for (size_t i = 0; possible && i < e->stack_count; i++) {
		const struct boot_stack *s = &e->stacks[i];

		possible = s->outer >= -1 && s->outer < (int64_t)i;
		if (possible && s->outer >= 0)
			depth[i] = depth[s->outer] + 1;
		possible &= depth[i] < MOST_DEPTH;
	}
	free(depth);
	return possible;
}

/* Is there what a part always has? */
static bool has_parts(const struct boot *b)
{
	return (!b->has_start || (b->levels.list && b->inits.list && b->initcalls.list)) &&
	       (!b->parts.count || b->parts.total != NOT_KNOWN) &&
	       (!boot__has_early(b) || (b->early.clock && b->early.phases && b->early.function_list));
}

/* Sets what follows from other members. */
static void finish(struct boot *b)
{
	for (size_t i = 0; i + 1 < b->inits.count; i++)
		b->inits.list[i].end = b->inits.list[i + 1].start;
	for_list(call, &b->initcalls)
		call->class = strcmp(call->in, "module") ? SPAN_INITCALL : SPAN_MODULE;
	for_list(probe, &b->probes)
		probe->class = probe->kind == PROBE_DEVICE ? SPAN_PROBE : SPAN_CALL;
	for_list(piece, &b->path)
		piece->class = span_class__of_wait(piece->kind);
}

int boot__read(struct boot *ret, const char *path)
{
	struct json_object *root;
	struct text t;
	int err;

	boot__init(ret);
	err = document__read_text(&t, document__open(path), path);
	if (err)
		return err;
	/* Nearly all of it are runs of tasks: some 40 MiB of memory for each CPU whose buffer was full. */
	err = document__check_memory(&t, path, "use `hytrace boot` on that machine, or boot it with a smaller trace_buf_size=",
				     DOCUMENT_MOST_MEMORY) ?:
	      document__parse(&root, &t, path, "boot", "hytrace boot -f json", BOOT_SCHEMA);
	free(t.bytes);
	if (err)
		return err;
	ret->has_start = json__field(root, "start");
	err = json__read_fields(root, boot_fields, ret, ret) ?: json__read_fields(root, account_fields, ret, ret);
	json_object_put(root);
	if (err || !are_sorted(ret) || !are_stacks(&ret->early) || !has_parts(ret))
		return error__return(-EINVAL, "%s: is damaged: a field of it is missing, or makes no sense", path);
	finish(ret);
	return 0;
}
