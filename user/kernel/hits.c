// SPDX-License-Identifier: GPL-2.0-only
/* Hits, each address once, with their names; see hits.h. */
#include <ctype.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "kernel/features.h"
#include "kernel/hits.h"

void hits__init(struct hits *h)
{
	memset(h, 0, sizeof(*h));
	h->names = strings__new();
}

void hits__free(struct hits *h)
{
	free(h->list);
	strings__free(h->names);
	memset(h, 0, sizeof(*h));
}

void hits__add(struct hits *h, const struct hit *hit)
{
	*LIST_ADD(h->list, h->count) = *hit;
}

const char *hits__name(struct hits *h, const char *name)
{
	return name ? strings__add(h->names, name) : NULL;
}

static int by_place(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return ORDER(x->kind, y->kind) ?: text__compare(x->module, y->module) ?:
	       (x->module ? ORDER(x->offset, y->offset) : ORDER(x->addr, y->addr));
}

/* The two hits of a call have one time. The function comes first, as in the kernel. */
static int by_time(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return ORDER(x->first_ns, y->first_ns) ?: by_place(a, b);
}

void hits__settle(struct hits *h)
{
	size_t kept = 0;

	if (!h->count)
		return;
	qsort(h->list, h->count, sizeof(*h->list), by_place);
	for (size_t i = 1; i < h->count; i++) {
		if (by_place(&h->list[kept], &h->list[i]))
			h->list[++kept] = h->list[i];
		else if (h->list[i].first_ns < h->list[kept].first_ns)
			h->list[kept] = h->list[i];
	}
	h->count = kept + 1;
	hits__order(h);
}

void hits__order(struct hits *h)
{
	if (h->count)
		qsort(h->list, h->count, sizeof(*h->list), by_time);
}

size_t hits__count(const struct hits *h, enum hit_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < h->count; i++)
		count += h->list[i].kind == kind;
	return count;
}

/* ---- names */

/* A site is at most this far after its function's symbol: after an ENDBR64. */
#define ENDBR_SIZE 4

/* A return address may be the beginning of the next function. The byte before it is in the call. */
static uint64_t inside(const struct hit *hit, uint64_t addr)
{
	return hit->kind == HIT_CALLER ? addr - 1 : addr;
}

/*
 * Is the hit in the module's text? An address below the module's base is in init text, which has no
 * offset in .text. An address behind the last function may be of a module that is gone.
 */
static bool in_module(const struct symbols *s, const struct places *p, struct hit *hit, const struct symbol *sym)
{
	const struct module *m = symbols__module(s, hit->module);
	uint64_t addr = inside(hit, hit->addr);

	if (!m || !m->base || addr < m->base || addr - m->base >= m->size)
		return false;
	hit->offset = hit->addr - m->base;
	return symbols__is_inside(s, sym, addr) ||
	       (p->kernel->files && addr - sym->addr < module_files__size(p->kernel->files, hit->module, sym->name));
}

/*
 * Finds a function by its site. Names come from ftrace's list if possible: if a function has
 * several aliases, kallsyms does not show which one ftrace uses. ftrace's list does not have init
 * code that was freed.
 */
static void resolve_function(const struct places *p, struct hits *hits, struct hit *hit,
			     const struct symbol *sym)
{
	const struct traceable_function *f = traceable__find_in(p->kernel->traceable, hit->addr, hit->module);

	if (f) {
		hit->addr = f->entry;
		hit->name = hits__name(hits, f->name);
	} else if (hit->addr - sym->addr <= ENDBR_SIZE) {
		hit->addr = sym->addr;
	}
}

static bool resolve_by(const struct symbols *s, const struct places *p, struct hits *hits,
		       struct hit *hit)
{
	const struct symbol *sym = symbols__find(s, inside(hit, hit->addr));

	if (!sym || symbol__is_generated(sym))
		return false;
	hit->name = hits__name(hits, sym->name);
	hit->module = sym->module ? strings__intern(hits->names, sym->module) : NULL;
	if (hit->kind == HIT_FUNCTION)
		resolve_function(p, hits, hit, sym);
	if (!hit->module && p->kernel->id.offset_known)
		hit->link = hit->addr - p->kernel->id.kaslr_offset;
	if (hit->link && hit->kind == HIT_CALLER) {
		hit->link = call_sites__linked(p->kernel->sites, hit->link);
		hit->addr = hit->link + p->kernel->id.kaslr_offset;
	}
	if (hit->kind == HIT_CALLER)
		hit->into = hit->addr - sym->addr;
	return hit->module ? in_module(s, p, hit, sym) : true;
}

bool places__resolve(const struct places *p, struct hits *hits, struct hit *hit)
{
	struct hit now = *hit, then = *hit;
	bool is_now = p->after && resolve_by(p->after, p, hits, &now);
	bool was_then = !(is_now && !now.module) && resolve_by(p->kernel->symbols, p, hits, &then);

	*hit = is_now ? now : then;
	/* If two modules were at the address, one after the other, nothing says which was hit. */
	return is_now && was_then ? then.module && !strcmp(now.module, then.module) : is_now || was_then;
}

static bool resolve_offset_by(const struct symbols *s, const struct places *p, struct hits *hits,
			      struct hit *hit)
{
	const struct module *m = symbols__module(s, hit->module);
	const struct symbol *sym;
	struct hit there = *hit;

	if (!m || !m->base)
		return false;
	there.addr = m->base + hit->offset;
	sym = symbols__find(s, inside(hit, there.addr));
	if (!sym || !sym->module || strcmp(sym->module, hit->module))
		return false;
	there.name = hits__name(hits, sym->name);
	if (hit->kind == HIT_FUNCTION)
		resolve_function(p, hits, &there, sym);
	else
		there.into = there.addr - sym->addr;
	there.offset = there.addr - m->base;
	*hit = there;
	return true;
}

void places__resolve_offset(const struct places *p, struct hits *hits, struct hit *hit)
{
	uint64_t start;

	if ((p->after && resolve_offset_by(p->after, p, hits, hit)) ||
	    resolve_offset_by(p->kernel->symbols, p, hits, hit) || !p->kernel->files)
		return;
	hit->name = hits__name(hits, module_files__find(p->kernel->files, hit->module,
							 inside(hit, hit->offset), &start));
	if (hit->name && hit->kind == HIT_FUNCTION)
		hit->offset = start;
	else if (hit->name)
		hit->into = hit->offset - start;
}

void places__resolve_other(const struct places *p, struct hits *hits, struct hit *hit, struct hit *other)
{
	other->kind = hit->kind == HIT_CALLER ? HIT_FUNCTION : HIT_CALLER;
	if (other->module)
		places__resolve_offset(p, hits, other);
	else if (!places__resolve(p, hits, other))
		return;
	hit->other = (struct other){
		.link = other->link,
		.offset = other->offset,
		.name = other->name,
		.module = other->module,
		.into = other->into,
	};
}

/* ---- the oneshot tracer's files */

static unsigned int kind_of(const char *word, size_t length)
{
	if (length == strlen("function") && !memcmp(word, "function", length))
		return HIT_FUNCTION;
	if (length == strlen("caller") && !memcmp(word, "caller", length))
		return HIT_CALLER;
	return 0;
}

/* The number of digits of an address in the kernel's image. */
#define ADDRESS_DIGITS 16

/* One address of a line. An empty @module means vmlinux. */
struct listed {
	uint64_t addr;
	char module[256];
};

/* @text: "-", an address, or an offset and a module. Returns the text after it; NULL: an error. */
static char *parse_other(char *text, struct listed *ret)
{
	char *end;
	int digits, used;

	if (*text == '-')
		return text + 1;
	ret->addr = text_list__address(text, &end);
	used = digits = end - text;
	if (!digits || digits > ADDRESS_DIGITS)
		return NULL;
	/* An address in the image has all digits and its highest bit set; a hidden one is zeros. */
	if (digits == ADDRESS_DIGITS)
		return !ret->addr || ret->addr >> 63 ? text + used : NULL;
	text += digits + strspn(text + digits, " ");
	used = strcspn(text, " \n");
	if (!used || used >= (int)sizeof(ret->module))
		return NULL;
	memcpy(ret->module, text, used);
	ret->module[used] = '\0';
	return text + used;
}

/* The next word of a line, and its length; 0: there is none. */
static size_t next_word(char **line, char **ret)
{
	char *at = *line;

	while (*at == ' ')
		at++;
	*ret = at;
	while (*at && *at != ' ' && *at != '\n')
		at++;
	*line = at;
	while (**line == ' ' || **line == '\n')
		++*line;
	return at - *ret;
}

/* strtoull() takes ten times as long, for numbers of any base with signs and blanks. */
static bool next_number(char **line, uint64_t *ret)
{
	char *word;
	size_t length = next_word(line, &word), i;

	*ret = 0;
	for (i = 0; i < length && word[i] >= '0' && word[i] <= '9'; i++)
		*ret = *ret * 10 + word[i] - '0';
	return length && i == length;
}

/* The kernel writes a newline and a backslash of a name as \n and \\. */
static bool parse_thread(char *text, struct hit *hit, char **ret)
{
	char *to, *end;

	/* One blank is before the name; further blanks are a part of the name. */
	if (*text != ' ')
		return false;
	hit->tgid = strtoul(text, &end, 10);
	if (end == text || *end != ' ')
		return false;
	*ret = to = end + 1;
	for (const char *from = to; *from && *from != '\n'; from++) {
		bool escaped = *from == '\\' && from[1];

		from += escaped;
		*to++ = escaped && *from == 'n' ? '\n' : *from;
	}
	*to = '\0';
	return true;
}

/* @ret_comm: NULL: the line has no thread's name. @line is changed. */
static bool parse_line(char *line, struct hit *hit, struct listed *ret, struct listed *other, char **ret_comm)
{
	uint64_t cpu, pid;
	char *word;
	size_t length;

	memset(hit, 0, sizeof(*hit));
	ret->addr = other->addr = 0;
	*ret->module = *other->module = '\0';
	ret->addr = text_list__address(line, &word);
	if (word == line || *word != ' ')
		return false;
	line = word;
	length = next_word(&line, &word);
	/* The line of a module has one more word, before one that begins with a letter. */
	if (isalpha(*line)) {
		if (!length || length >= sizeof(ret->module))
			return false;
		*(char *)mempcpy(ret->module, word, length) = '\0';
		length = next_word(&line, &word);
	}
	hit->kind = kind_of(word, length);
	if (!hit->kind || !next_number(&line, &hit->first_ns) || !next_number(&line, &cpu) || !next_number(&line, &pid))
		return false;
	hit->cpu = cpu;
	hit->pid = pid;
	*ret_comm = NULL;
	/* Older versions of the series list neither the other address nor the thread's name. */
	line = *line ? parse_other(line, other) : line;
	return line && (!*line || *line == '\n' || parse_thread(line, hit, ret_comm));
}

static void add_hit(struct hits *hits, const struct places *places, struct hit hit,
		    uint64_t addr, const char *module, uint64_t *unresolved)
{
	if (module) {
		hit.module = module;
		hit.offset = addr;
		places__resolve_offset(places, hits, &hit);
	} else {
		hit.addr = addr;
		if (!places__resolve(places, hits, &hit) || hit.module)
			++*unresolved;
	}
	hits__add(hits, &hit);
}

static int add_line(struct hits *hits, const struct places *places, char *line,
		    uint64_t *unresolved)
{
	struct listed place, other;
	struct hit hit;
	char *comm;

	if (!parse_line(line, &hit, &place, &other, &comm))
		return -EPROTO;
	if (!*place.module && !place.addr)
		return -EPERM;
	if (*other.module || other.addr) {
		struct hit there = {
			.addr = *other.module ? 0 : other.addr,
			.offset = *other.module ? other.addr : 0,
			.module = *other.module ? strings__intern(hits->names, other.module) : NULL,
		};

		places__resolve_other(places, hits, &hit, &there);
	}
	hit.comm = comm ? strings__intern(hits->names, comm) : NULL;
	add_hit(hits, places, hit, place.addr, *place.module ? strings__intern(hits->names, place.module) : NULL,
		unresolved);
	return 0;
}

int oneshot_entries__read(FILE *f, const char *name, const struct places *places,
			  struct hits *hits, uint64_t *ret_unnamed)
{
	uint64_t unresolved = 0;
	autofree char *line = NULL;
	size_t room = 0;
	int err = 0;

	for (int number = 1; !err && getline(&line, &room, f) > 0; number++) {
		err = add_line(hits, places, line, &unresolved);
		line[strcspn(line, "\n")] = '\0';
		if (err == -EPROTO)
			error__print("%s:%d: this line is not known: \"%s\"; is this kernel's tracer newer "
				     "than hytrace?", name, number, line);
		if (err == -EPERM)
			features__refuse(FEATURE_ADDRESSES, name);
	}
	if (!err && ferror(f))
		err = error__return(-EIO, "%s: %s", name, strerror(errno));
	*ret_unnamed = unresolved;
	return err;
}

/* Costs whose names in recordings are the kernel's. */
static const char *const costs[] = { "capacity", "retired", "retire_batches", "retire_ns" };

static void add_stat(struct counters *lost, struct counters *cost, loss_name loss,
		     const char *name, uint64_t value)
{
	if (loss(name)) {
		counters__add(lost, loss(name), value);
		return;
	}
	if (!strcmp(name, "bytes"))
		counters__add(cost, "memory_bytes", value);
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		if (!strcmp(name, costs[i]))
			counters__add(cost, costs[i], value);
	}
}

int oneshot_stats__read(FILE *f, const char *name, loss_name loss, struct counters *lost,
			struct counters *cost)
{
	char line[256], key[64];
	uint64_t value;

	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63[^:]: %" SCNu64, key, &value) == 2)
			add_stat(lost, cost, loss, key, value);
	}
	return ferror(f) ? error__return(-EIO, "%s: %s", name, strerror(errno)) : 0;
}
