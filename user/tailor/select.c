// SPDX-License-Identifier: GPL-2.0-only
/* Finds which options can go; see select.h. */
#include "base/error.h"
#include "base/memory.h"
#include "tailor/select.h"

const char *const fate_words[] = { "dropped", "went", "put back", "listed", "proved", "left", "needed", NULL };

struct selector {
	struct selection *s;
	struct kconfig *k;
	const struct evidence *evidence;
	const struct keeps *keeps;
	bool all;
};

static int by_name(const void *a, const void *b)
{
	const struct decision *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct decision *get(const struct selection *s, const char *option)
{
	struct decision key = { .name = option };

	return s->count ? bsearch(&key, s->list, s->count, sizeof(key), by_name) : NULL;
}

bool selection__drops(const struct selection *s, const struct owned *object)
{
	for (size_t i = 0; i < object->needs.count; i++) {
		const struct need *need = object->needs.list[i];
		bool some = false;

		for (size_t j = 0; j < need->count; j++) {
			const struct decision *d = get(s, need->options[j] + strlen("CONFIG_"));

			/* A variable that is no option of Kconfig does not change. */
			some |= !d || d->after != 'n';
		}
		if (!some)
			return true;
	}
	return false;
}

static bool is_on(const struct kconfig_option *o)
{
	return o->written && (o->value == 'y' || o->value == 'm');
}

static enum seen seen(const struct decision *d)
{
	return d->facts ? d->facts->witness.in : SEEN_BLIND;
}

static bool is_proved(const struct decision *d)
{
	return seen(d) == SEEN_RUN || seen(d) == SEEN_BOOT;
}

static bool is_wanted(const struct decision *d)
{
	return d->keep || is_proved(d);
}

/* ---- the beginning */

/* Many prompts are hidden without EXPERT. Options that EXPERT turns on are set to n where possible. */
static int become_expert(struct selector *s, const struct kconfig_options *before)
{
	const struct kconfig_option *expert = kconfig_options__get(before, "EXPERT");
	struct kconfig_options now = {};
	int err;

	if (!expert || expert->value == 'y')
		return 0;
	err = kconfig__set(s->k, "EXPERT", 'y') ?: kconfig__read(s->k, &now);
	for (size_t i = 0; !err && i < now.count; i++) {
		const struct kconfig_option *was = kconfig_options__get(before, now.list[i].name);

		if (is_on(&now.list[i]) && now.list[i].changeable && was && !is_on(was) &&
		    strcmp(now.list[i].name, "EXPERT"))
			err = kconfig__set(s->k, now.list[i].name, 'n');
	}
	kconfig_options__free(&now);
	if (!err)
		err = kconfig__read(s->k, &now);
	for (size_t i = 0; !err && i < now.count; i++) {
		const struct kconfig_option *was = kconfig_options__get(before, now.list[i].name);

		if (is_on(&now.list[i]) && was && !is_on(was))
			*LIST_ADD(s->s->expert, s->s->expert_count) = now.list[i].name;
	}
	kconfig_options__free(&now);
	return err;
}

static int begin(struct selector *s)
{
	struct kconfig_options before = {};
	int err = kconfig__read(s->k, &before);

	if (!err) {
		keeps__warn(s->keeps, &before);
		s->s->on_before = before.on;
		s->s->list = xcalloc(before.on, sizeof(*s->s->list));
	}
	for (size_t i = 0; !err && i < before.count; i++) {
		const char *name = before.list[i].name;

		if (!is_on(&before.list[i]))
			continue;
		s->s->list[s->s->count++] = (struct decision){
			.name = name, .before = before.list[i].value, .facts = evidence__option(s->evidence, name),
			.keep = keeps__find(s->keeps, name),
		};
	}
	if (!err)
		err = become_expert(s, &before);
	kconfig_options__free(&before);
	if (!err)
		err = kconfig__mark(s->k);
	return err;
}

/* ---- trying */

struct candidates {
	struct decision **list;
	size_t count;
};

static int rank(char value)
{
	return value == 'y' ? 2 : value == 'm';
}

/* The first change that is not allowed; NULL: there is none. */
static const struct change *violation(const struct selector *s, const struct changes *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		const struct change *c = &changes->list[i];
		const struct decision *d;

		if (c->from == '=' || c->from == '+' || rank(c->to) > rank(c->from))
			return c;
		d = get(s->s, c->name);
		if (d && is_wanted(d))
			return c;
	}
	return NULL;
}

static int try(struct selector *s, struct decision **list, size_t count)
{
	const char **names = xcalloc(count, sizeof(*names));
	struct changes changes;
	const struct change *bad;
	int err;

	for (size_t i = 0; i < count; i++)
		names[i] = list[i]->name;
	progress__say("trying to set %zu options to n", count);
	err = kconfig__try(s->k, names, count, &changes);
	free(names);
	bad = err ? NULL : violation(s, &changes);
	if (bad) {
		list[0]->because = bad->name;
		list[0]->because_from = bad->from;
		list[0]->because_to = bad->to;
		err = kconfig__undo(s->k);
	}
	changes__free(&changes);
	if (err || !bad)
		return err;
	if (count == 1) {
		list[0]->fate = FATE_PUT_BACK;
		return 0;
	}
	err = try(s, list, count / 2);
	return err ? err : try(s, list + count / 2, count - count / 2);
}

int decision__by_bytes(const void *a, const void *b)
{
	const struct decision *x = *(const struct decision *const *)a, *y = *(const struct decision *const *)b;
	uint64_t p = x->facts ? x->facts->bytes : 0, q = y->facts ? y->facts->bytes : 0;

	return p != q ? (p > q ? -1 : 1) : strcmp(x->name, y->name);
}

/*
 * Would a use of the option have been recorded? Calls of code that is freed after the boot tell
 * nothing about code that stays. A module that was not loaded has not run, even without a file.
 */
static bool can_tell(const struct decision *d)
{
	if (!d->facts || !d->facts->objects || seen(d) == SEEN_BLIND)
		return false;
	return d->facts->staying || (seen(d) == SEEN_NEVER && !d->facts->traceable);
}

static bool is_candidate(const struct selector *s, const struct kconfig_option *o, const struct decision *d)
{
	if (!d || !o->changeable || !is_on(o) || is_wanted(d))
		return false;
	/* No option is tried twice. */
	if (d->fate == FATE_PUT_BACK || d->fate == FATE_DROPPED)
		return false;
	return s->all || can_tell(d);
}

/* One round. @ret_some: whether there were candidates. */
static int drop(struct selector *s, bool *ret_some)
{
	struct candidates c = { .list = xcalloc(s->s->count, sizeof(*c.list)) };
	struct kconfig_options now = {};
	int err = kconfig__read(s->k, &now);

	for (size_t i = 0; !err && i < now.count; i++) {
		struct decision *d = get(s->s, now.list[i].name);

		if (d && !s->s->rounds && is_on(&now.list[i])) {
			d->changeable = now.list[i].changeable;
			d->choice = now.list[i].choice;
			s->s->changeable += d->changeable;
		}
		/* The fate so far: options that are selected now may be changeable in a later round. */
		if (d && (!s->s->rounds || (d->fate == FATE_NEEDED && now.list[i].changeable)))
			d->fate = d->keep ? FATE_LISTED : is_proved(d) ? FATE_PROVED :
				  now.list[i].changeable ? FATE_LEFT : FATE_NEEDED;
		if (!is_candidate(s, &now.list[i], d))
			continue;
		d->fate = FATE_DROPPED;
		c.list[c.count++] = d;
	}
	kconfig_options__free(&now);
	*ret_some = c.count;
	s->s->candidates += c.count;
	s->s->rounds += c.count > 0;
	if (!err && c.count) {
		qsort(c.list, c.count, sizeof(*c.list), decision__by_bytes);
		err = try(s, c.list, c.count);
	}
	free(c.list);
	return err;
}

/* ---- the end */

static int finish(struct selector *s)
{
	struct kconfig_options now = {};
	int err = kconfig__read(s->k, &now);

	for (size_t i = 0; !err && i < s->s->count; i++) {
		struct decision *d = &s->s->list[i];
		const struct kconfig_option *o = kconfig_options__get(&now, d->name);

		d->after = o && is_on(o) ? o->value : 'n';
		if (d->after == 'n' && d->fate != FATE_DROPPED)
			d->fate = FATE_WENT;
		else if (d->after != 'n' && d->fate == FATE_DROPPED)
			d->fate = FATE_NEEDED;
		s->s->lost += rank(d->after) < rank(d->before) && is_wanted(d);
	}
	for (size_t i = 0; !err && i < now.count; i++) {
		const struct kconfig_option *o = &now.list[i];
		bool expected = get(s->s, o->name);

		for (size_t j = 0; j < s->s->expert_count; j++)
			expected |= !strcmp(s->s->expert[j], o->name);
		s->s->came += is_on(o) && !expected;
	}
	s->s->on_after = now.on;
	kconfig_options__free(&now);
	return err;
}

int selection__make(struct selection *ret, struct kconfig *k, const struct evidence *evidence,
		    const struct keeps *keeps, bool all)
{
	struct selector s = { ret, k, evidence, keeps, all };
	bool some = true;
	int err;

	*ret = (struct selection){};
	err = begin(&s);
	while (!err && some)
		err = drop(&s, &some);
	progress__end();
	if (!err)
		err = finish(&s) ?: kconfig__write(k, &ret->config);
	return err;
}

void selection__free(struct selection *s)
{
	free(s->list);
	free(s->expert);
	free(s->config);
}
