// SPDX-License-Identifier: GPL-2.0-only
/* The result of one run, its modules and its losses; see coverage.h. */
#include <gelf.h>

#include "base/memory.h"
#include "base/text.h"
#include "document/coverage.h"
#include "kernel/hits.h"

/* ---- losses */

/* The man page hytrace-cover(1) lists their names and meanings as well. */
static const struct loss losses[] = {
	{ "refused", LOSS_MISSING, LOSS_OF_ANY, HIT_BOTH,
	  "hits of addresses that were not recorded: the set is full; --max-entries" },
	{ "map_full", LOSS_MISSING, LOSS_OF_ANY, HIT_BOTH,
	  "hits of addresses that were not recorded: there was no room; --max-entries" },
	{ "ftrace_off", LOSS_MISSING, LOSS_OF_ANY, 0,
	  "somebody turned ftrace off (kernel.ftrace_enabled): what was called after that is not recorded" },
	{ "unattached", LOSS_MISSING, LOSS_OF_ANY, 0,
	  "functions that were asked for and could not be attached to" },
	{ "ambiguous", LOSS_MISSING, LOSS_OF_ANY, 0,
	  "functions that were asked for and that could be any of several symbols of one name" },
	{ "modules_untraced", LOSS_MISSING, LOSS_OF_MODULES, 0,
	  "modules that came while it recorded and could not be traced" },
	{ "modules_late", LOSS_MAYBE, LOSS_OF_MODULES, 0,
	  "modules that came while it recorded and were attached to a little later" },
	{ "module_init_functions", LOSS_NOTHING, LOSS_OF_NONE, 0,
	  "functions in modules' init text, which is freed: counted, and listed by no result" },
	{ "module_init_callers", LOSS_NOTHING, LOSS_OF_NONE, 0,
	  "callers in modules' init text, which is freed: counted, and listed by no result" },
	{ "parents_lost", LOSS_MISSING, LOSS_OF_NONE, HIT_CALLER, "callers that a return trampoline hid" },
	{ "unresolvable_functions", LOSS_MAYBE, LOSS_OF_MODULES, 0,
	  "functions in generated code or unloaded modules, not listed" },
	{ "unresolvable_callers", LOSS_MAYBE, LOSS_OF_NONE, 0,
	  "callers in generated code or unloaded modules, not listed" },
	{ "callers_incomplete", LOSS_MAYBE, LOSS_OF_NONE, HIT_CALLER,
	  "functions that were watched for --retire=MS only and may have more callers" },
	{ "switches_left_out", LOSS_MAYBE, LOSS_OF_NONE, HIT_CALLER,
	  "call sites in the middle of a context switch: hytrace's own calls were left out" },
	{ "missed", LOSS_MAYBE, LOSS_OF_ANY, HIT_BOTH,
	  "calls in the middle of a call of the program, for which it was not run again" },
	{ "recursion_misses", LOSS_MAYBE, LOSS_OF_ANY, HIT_BOTH,
	  "calls that came while a BPF program of a probe ran on that CPU: from interrupts, with fentry.multi "
	  "also of tasks that preempted it, or with --pin or --engine event from this one" },
	{ "misses_unknown", LOSS_MAYBE, LOSS_OF_ANY, HIT_BOTH,
	  "this kernel, older than 6.7, does not count the calls for which the program was not run" },
	{ "unfinished", LOSS_MISSING, LOSS_OF_ANY, HIT_BOTH,
	  "hits that a BPF program had not finished writing when recording ended" },
	{ "tasks_full", LOSS_MAYBE, LOSS_OF_ANY, HIT_BOTH, "children that were not followed: too many tasks" },
	{ "events_lost", LOSS_NOTHING, LOSS_OF_NONE, 0,
	  "first hits that are in the set but not in the ring buffer" },
	{ "unnamed", LOSS_NOTHING, LOSS_OF_NONE, 0, "addresses that no symbol is known for; listed without a name" },
	{ "unpinned", LOSS_NOTHING, LOSS_OF_NONE, 0,
	  "addresses that the pinned map did not take; they are in the result" },
};

const struct loss *losses__at(size_t index)
{
	return index < sizeof(losses) / sizeof(losses[0]) ? &losses[index] : NULL;
}

const struct loss *losses__find(const char *name)
{
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		if (!strcmp(losses[i].name, name))
			return &losses[i];
	}
	return NULL;
}

const char *losses__name(const char *name)
{
	const struct loss *loss = losses__find(name);

	return loss ? loss->name : NULL;
}

enum loss_meaning losses__worst(const struct counters *lost)
{
	enum loss_meaning worst = LOSS_NOTHING;

	for (size_t i = 0; i < lost->count; i++) {
		const struct loss *loss = losses__find(lost->list[i].name);
		enum loss_meaning meaning = loss ? loss->meaning : LOSS_MAYBE;

		if (lost->list[i].value && meaning > worst)
			worst = meaning;
	}
	return worst;
}

bool losses__complete(const struct counters *lost)
{
	return losses__worst(lost) == LOSS_NOTHING;
}

bool losses__hide(const struct counters *lost, unsigned int kind)
{
	bool hide = false;

	for (size_t i = 0; i < lost->count; i++) {
		const struct loss *loss = losses__find(lost->list[i].name);

		hide |= lost->list[i].value && (!loss || loss->hides & kind);
	}
	return hide;
}

bool losses__may_hide(const struct counters *lost, bool stayed)
{
	enum loss_of least = stayed ? LOSS_OF_ANY : LOSS_OF_MODULES;
	bool hide = false;

	for (size_t i = 0; i < lost->count; i++) {
		const struct loss *loss = losses__find(lost->list[i].name);

		hide |= lost->list[i].value && (!loss || loss->of >= least);
	}
	return hide;
}

const char *loss_meaning__name(enum loss_meaning meaning)
{
	static const char *const names[] = {
		[LOSS_NOTHING] = "nothing", [LOSS_MAYBE] = "maybe", [LOSS_MISSING] = "missing",
	};

	return names[meaning];
}

/* ---- modules */

/* A build id has 20 bytes. With its ELF note header, it has 36. */
#define LARGEST_NOTE 256

void covered_module__free(struct covered_module *m)
{
	free(m->name);
	free(m->build_id);
	free(m->srcversion);
}

void covered_modules__free(struct covered_modules *m)
{
	for (size_t i = 0; i < m->count; i++)
		covered_module__free(&m->list[i]);
	free(m->list);
	memset(m, 0, sizeof(*m));
}

struct covered_module *covered_modules__add(struct covered_modules *m, const char *name)
{
	struct covered_module *added = LIST_ADD(m->list, m->count);

	added->name = xstrdup(name);
	return added;
}

const struct covered_module *covered_modules__find(const struct covered_modules *m, const char *name)
{
	for (size_t i = 0; i < m->count; i++) {
		if (!strcmp(m->list[i].name, name))
			return &m->list[i];
	}
	return NULL;
}

bool covered_modules__stayed(const struct covered_modules *m, const char *name)
{
	const struct covered_module *found = name ? covered_modules__find(m, name) : NULL;

	return !name || (found && !found->came && !found->went);
}

bool covered_module__differs(const struct covered_module *a, const struct covered_module *b)
{
	return a && b && (text__is_known_other(a->build_id, b->build_id) ||
			  text__is_known_other(a->srcversion, b->srcversion));
}

/* ---- modules of the running kernel */

static FILE *open_of(const char *module, const char *file)
{
	autofree char *path = xasprintf("/sys/module/%s/%s", module, file);

	return fopen(path, "re");
}

static char *read_srcversion(const char *module)
{
	FILE *f = open_of(module, "srcversion");
	char text[64] = "";

	if (!f)
		return NULL;
	if (fgets(text, sizeof(text), f))
		text[strcspn(text, "\n")] = '\0';
	fclose(f);
	return *text ? xstrdup(text) : NULL;
}

static char *read_build_id(const char *module)
{
	autofclose FILE *f = open_of(module, "notes/.note.gnu.build-id");
	unsigned char note[LARGEST_NOTE];
	const Elf64_Nhdr *header = (const void *)note;
	size_t size = f ? fread(note, 1, sizeof(note), f) : 0, start;
	char *result;

	if (size < sizeof(*header))
		return NULL;
	start = sizeof(*header) + (header->n_namesz + 3) / 4 * 4;
	if (header->n_type != NT_GNU_BUILD_ID || start > size || header->n_descsz > size - start)
		return NULL;
	result = xmalloc(2 * header->n_descsz + 1);
	for (size_t i = 0; i < header->n_descsz; i++)
		sprintf(result + 2 * i, "%02x", note[start + i]);
	return result;
}

static void add_module(struct covered_modules *m, const struct module *module, bool came, bool went)
{
	struct covered_module *added = covered_modules__add(m, module->name);

	added->size = module->size;
	added->came = came;
	added->went = went;
	/*
	 * If the module was removed, so were its files in /sys. A module that has the name now was
	 * loaded later, and may be of another build.
	 */
	if (!went) {
		added->build_id = read_build_id(module->name);
		added->srcversion = read_srcversion(module->name);
	}
}

/* If a module was loaded again, it has another address: then it counts as removed, and as loaded. */
static bool has_gone(const struct module *module, const struct symbols *after)
{
	const struct module *now = after ? symbols__module(after, module->name) : module;

	return !now || now->base != module->base || now->size != module->size;
}

void covered_modules__read(struct covered_modules *ret, const struct symbols *before, const struct symbols *after)
{
	const struct module *list;
	size_t count;

	list = symbols__modules(before, &count);
	for (size_t i = 0; i < count; i++)
		add_module(ret, &list[i], false, has_gone(&list[i], after));
	if (!after)
		return;
	list = symbols__modules(after, &count);
	for (size_t i = 0; i < count; i++) {
		const struct module *was = symbols__module(before, list[i].name);

		if (!was || has_gone(was, after))
			add_module(ret, &list[i], true, false);
	}
}

/* ---- modules in a recording */

static const struct json_field module_fields[] = {
	{ "name", &field_string, offsetof(struct covered_module, name) },
	{ "build_id", &field_string, offsetof(struct covered_module, build_id) },
	{ "srcversion", &field_string, offsetof(struct covered_module, srcversion) },
	{ "size", &field_some_number, offsetof(struct covered_module, size) },
	{ "came", &field_bool, offsetof(struct covered_module, came) },
	{ "went", &field_bool, offsetof(struct covered_module, went) },
	{ }
};

static void write_modules(json_writer_t *w, const struct json_field *field, const void *member)
{
	const struct covered_modules *m = member;

	jsonw_start_array(w);
	for (size_t i = 0; i < m->count; i++) {
		jsonw_start_object(w);
		json__write_fields(w, module_fields, &m->list[i]);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static int read_modules(struct json_object *array, const struct json_field *field, void *member,
			void *whole)
{
	struct covered_modules *m = member;
	int err = 0;

	for (size_t i = 0; !err && i < json_object_array_length(array); i++) {
		struct json_object *object = json_object_array_get_idx(array, i);

		if (!json__text(json__field(object, "name")))
			return -EINVAL;
		err = json__read_fields(object, module_fields, LIST_ADD(m->list, m->count), whole);
	}
	return err;
}

const struct json_kind field_modules = { write_modules, read_modules, json_type_array };

/* ---- the result */

void coverage__init(struct coverage *c, const char *engine)
{
	memset(c, 0, sizeof(*c));
	c->engine = xstrdup(engine);
	c->status = -1;
	hits__init(&c->hits);
}

void texts__free(char **list)
{
	for (char **item = list; item && *item; item++)
		free(*item);
	free(list);
}

void coverage__free(struct coverage *c)
{
	free(c->engine);
	free(c->host);
	free(c->boot_id);
	kernel_id__free(&c->kernel);
	texts__free(c->command);
	filter__free(&c->filter);
	covered_modules__free(&c->modules);
	texts__free(c->unattached);
	texts__free(c->ran_in);
	for (size_t i = 0; i < c->merged_count; i++) {
		free(c->merged[i].engine);
		free(c->merged[i].host);
		free(c->merged[i].boot_id);
	}
	free(c->merged);
	counters__free(&c->lost);
	counters__free(&c->cost);
	hits__free(&c->hits);
	memset(c, 0, sizeof(*c));
}

int coverage__open_hits(const struct coverage *c, enum hits_part part, const struct hits **ret)
{
	struct hits *hits;
	int err;

	*ret = &c->hits;
	if (!c->source.read)
		return 0;
	hits = xcalloc(1, sizeof(*hits));
	err = c->source.read(hits, &c->source, part);
	if (err)
		free(hits);
	else
		*ret = hits;
	return err;
}

void coverage__close_hits(const struct coverage *c, const struct hits *hits)
{
	if (hits == &c->hits)
		return;
	hits__free((struct hits *)hits);
	free((struct hits *)hits);
}

size_t coverage__count(const struct coverage *c, enum hit_kind kinds)
{
	if (!c->source.read)
		return kinds == HIT_BOTH ? c->hits.count : hits__count(&c->hits, kinds);
	return (kinds & HIT_FUNCTION ? c->source.functions : 0) + (kinds & HIT_CALLER ? c->source.callers : 0);
}

bool coverage__same_boot(const struct coverage *a, const struct coverage *b)
{
	return text__is_known_equal(a->boot_id, b->boot_id);
}

bool coverage__same_build(const struct coverage *a, const struct coverage *b, const char *module)
{
	const struct covered_module *x, *y;

	if (!text__is_known_equal(a->kernel.build_id, b->kernel.build_id) || !module)
		return text__is_known_equal(a->kernel.build_id, b->kernel.build_id);
	x = covered_modules__find(&a->modules, module);
	y = covered_modules__find(&b->modules, module);
	return x && y && text__is_known_equal(x->build_id, y->build_id);
}

bool coverage__same_builds(const struct coverage *a, const struct coverage *b)
{
	if (!text__is_known_equal(a->kernel.build_id, b->kernel.build_id))
		return false;
	for (size_t i = 0; i < a->modules.count; i++) {
		const struct covered_module *m = &a->modules.list[i];

		if (covered_module__differs(m, covered_modules__find(&b->modules, m->name)))
			return false;
	}
	return true;
}

void coverage__set_command(struct coverage *c, char *const *command)
{
	size_t count = 0;

	texts__free(c->command);
	while (command[count])
		count++;
	c->command = xcalloc(count + 1, sizeof(*c->command));
	for (size_t i = 0; i < count; i++)
		c->command[i] = xstrdup(command[i]);
}

bool coverage__same_command(const struct coverage *a, const struct coverage *b)
{
	char *const *word = a->command, *const *other = b->command;

	if (!word || !other)
		return word == other;
	while (*word && *other && !strcmp(*word, *other))
		word++, other++;
	return !*word && !*other;
}

bool coverage__lies_in(const struct coverage *c, const struct coverage *other)
{
	return scope__lies_in(&c->scope, &other->scope) &&
	       (other->scope.kind != SCOPE_TASK || coverage__same_command(c, other)) &&
	       (other->scope.kind != SCOPE_PID || coverage__same_boot(c, other));
}

bool coverage__is_unattached(const struct coverage *c, const char *name, const char *module)
{
	size_t length = name ? strlen(name) : 0, module_length = module ? strlen(module) : 0;

	for (char **item = name ? c->unattached : NULL; item && *item; item++) {
		const char *rest = *item + length;

		if (strncmp(*item, name, length))
			continue;
		if (module ? !strncmp(rest, " [", 2) && !strncmp(rest + 2, module, module_length) &&
			     !strcmp(rest + 2 + module_length, "]") : !*rest)
			return true;
	}
	return false;
}

size_t coverage__runs(const struct coverage *c)
{
	return c->merged ? c->merged_count : 1;
}

size_t coverages__runs(const struct coverage *const *list, size_t count)
{
	size_t runs = 0;

	for (size_t i = 0; i < count; i++)
		runs += coverage__runs(list[i]);
	return runs > count || count >= DOCUMENTS_MANY ? runs : 0;
}

size_t coverage__runs_of(const struct coverage *c, const struct hit *hit)
{
	return !hit ? 0 : c->merged ? hit->runs : 1;
}

void coverage__limit(struct coverage *c, uint64_t min_runs)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->hits.count; i++) {
		if (coverage__runs_of(c, &c->hits.list[i]) >= min_runs)
			c->hits.list[kept++] = c->hits.list[i];
	}
	c->hits.count = kept;
	c->min_runs = min_runs > c->min_runs ? min_runs : c->min_runs;
}

bool coverage__knows_first(const struct coverage *c)
{
	return !c->merged || c->boot_id;
}
