// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the oneshot tracer's files; see oneshot_files.h.
 *
 *   oneshot_entries   ffffffff8105a1b7 function 812345678 0 42 17ef1 mod_two 41 sh
 *                     17ef1 mod_two caller 812345690 1 42 ffffffff8105a1b7 41 sh
 *                     ffffffff8115b2c8 caller 812345699 1 42 18010 mod_two 41 sh
 *                     ffffffff8115b2d3 caller 812345712 1 42 - 41 a name
 *   oneshot_stats     entries: 4711
 *
 * The address of a function is that of its traced instruction. This differs from the symbol if the
 * function begins with ENDBR64. It is converted to the symbol here, because recordings have
 * symbols. After the time, CPU and thread comes the other address of the call: a function's caller,
 * or the function that was entered. The thread's process and the thread's name come last.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "kernel/features.h"
#include "kernel/oneshot_files.h"

static unsigned int kind_of(const char *word)
{
	if (!strcmp(word, "function"))
		return HIT_FUNCTION;
	if (!strcmp(word, "caller"))
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
	int digits = strspn(text, "0123456789abcdef"), used = digits;

	if (*text == '-')
		return text + 1;
	if (!digits || digits > ADDRESS_DIGITS)
		return NULL;
	ret->addr = strtoull(text, NULL, 16);
	/* An address in the image has all digits and its highest bit set; a hidden one is zeros. */
	if (digits == ADDRESS_DIGITS)
		return !ret->addr || ret->addr >> 63 ? text + used : NULL;
	return sscanf(text + digits, " %255s%n", ret->module, &used) == 1 ? text + digits + used : NULL;
}

/* The kernel writes a newline and a backslash of a name as \n and \\. */
static bool parse_thread(char *text, struct hit *hit, char **ret)
{
	char *to;
	int used = 0;

	/* One blank is before the name; further blanks are a part of the name. */
	if (*text != ' ' || sscanf(text, "%" SCNu32 "%n", &hit->tgid, &used) != 1 || text[used] != ' ')
		return false;
	*ret = to = text + used + 1;
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
	char word[2][256];
	int used = 0;

	memset(hit, 0, sizeof(*hit));
	memset(ret, 0, sizeof(*ret));
	memset(other, 0, sizeof(*other));
	if (sscanf(line, "%" SCNx64 " %255s %n", &ret->addr, word[0], &used) != 2)
		return false;
	hit->kind = kind_of(word[0]);
	line += used;
	/*
	 * The line of a module has one more word. No module is called "function" with a kind after
	 * it.
	 */
	if (sscanf(line, "%255s %n", word[1], &used) == 1 && kind_of(word[1])) {
		strcpy(ret->module, word[0]);
		hit->kind = kind_of(word[1]);
		line += used;
	}
	if (!hit->kind || sscanf(line, "%" SCNu64 " %" SCNu32 " %" SCNu32 " %n", &hit->first_ns, &hit->cpu,
				 &hit->pid, &used) != 3)
		return false;
	line += used;
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
	char *line = NULL;
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
	free(line);
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
