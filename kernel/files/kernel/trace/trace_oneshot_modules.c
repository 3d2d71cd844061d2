// SPDX-License-Identifier: GPL-2.0
/*
 * oneshot tracer: whose an address is, and what becomes of it when its module goes.
 *
 * What is printed for a module's address is its name and the offset in
 * its .text. Both must be right after the module is gone and another one sits at
 * the same address. So the module is found when the address is first hit, in a
 * list of our own that NMIs can walk, which a module notifier keeps. When the
 * module goes, every set forgets its addresses: their keys are taken out, and the
 * records are kept as offsets. When it comes back, they are known again, at the
 * place where it is then. When another one comes, what is left of former owners of
 * its place is forgotten first, for nobody executes it then; not so when a module
 * goes, as it may have started work that the kernel waits for only later. The list
 * says it is gone by then, so that what such work still calls counts as unknown.
 * Offsets in .init.text look like offsets in .text to everybody who reads them
 * later, and the JIT's code has no name that would last: such addresses are
 * counted and never listed. When what modules have left behind takes too much of a
 * set, oneshot_tidy() copies the rest to another one.
 */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <asm/sections.h>
#include <asm/setup.h>

#include "trace.h"
#include "trace_oneshot_internal.h"

/*
 * Modules, as NMIs can look them up: entries are added and never freed, one for
 * each name that was ever loaded. One that is not there has no size, and keeps its
 * place for those of its records that are not offsets yet. A module that is loaded
 * again has its entry changed under ->seq.
 */
struct oneshot_module {
	struct oneshot_module	*next;
	seqcount_t		seq;
	unsigned int		id;
	unsigned long		text;
	unsigned long		text_size;
	unsigned long		init;
	unsigned long		init_size;
	char			name[MODULE_NAME_LEN];
};

static struct oneshot_module *oneshot_modules;

/**
 * oneshot_owner - whose is an address?
 * @addr: the address
 *
 * Context: Any, also NMI.
 * Return: an owner, as records have it.
 */
unsigned int oneshot_owner(unsigned long addr)
{
	const struct oneshot_module *mod;

	/* is_kernel_text() calls what is traced for others. */
	if (__is_kernel_text(addr) || is_kernel_inittext(addr))
		return ONESHOT_OWNER_KERNEL;

	/* Pairs with the store in oneshot_module_get(). */
	for (mod = smp_load_acquire(&oneshot_modules); mod; mod = mod->next) {
		unsigned int seq = raw_read_seqcount(&mod->seq);
		bool text, init;

		text = addr - READ_ONCE(mod->text) < READ_ONCE(mod->text_size);
		init = addr - READ_ONCE(mod->init) < READ_ONCE(mod->init_size);

		/* It is only coming, perhaps below us: nobody executes it. */
		if (seq & 1 || read_seqcount_retry(&mod->seq, seq))
			continue;
		if (text)
			return mod->id;
		if (init)
			return ONESHOT_OWNER_INIT;
	}

	return ONESHOT_OWNER_UNKNOWN;
}

#ifdef CONFIG_MODULES
static struct oneshot_module *oneshot_module_find(unsigned int id)
{
	struct oneshot_module *mod;

	for (mod = oneshot_modules; mod && mod->id != id; mod = mod->next)
		;
	return mod;
}

static struct oneshot_module *oneshot_module_named(const char *name)
{
	struct oneshot_module *mod;

	for (mod = oneshot_modules; mod && strcmp(mod->name, name); mod = mod->next)
		;
	return mod;
}

/* For a module that comes; what goes has an entry, unless there was no memory for it. */
static struct oneshot_module *oneshot_module_get(const char *name)
{
	struct oneshot_module *mod = oneshot_module_named(name);
	unsigned int id = oneshot_modules ? oneshot_modules->id + 1 : 1;

	if (mod || id > ONESHOT_MAX_MODULES)
		return mod;

	mod = kzalloc(sizeof(*mod), GFP_KERNEL);
	if (!mod)
		return NULL;

	seqcount_init(&mod->seq);
	strscpy(mod->name, name, sizeof(mod->name));
	mod->id = id;
	mod->next = oneshot_modules;
	/* Pairs with the load in oneshot_owner(). */
	smp_store_release(&oneshot_modules, mod);
	return mod;
}

/* The code at an address goes away, or has gone. */
static void oneshot_forget(struct trace_array *tr, struct oneshot_rec *rec)
{
	unsigned int kinds, owner = oneshot_meta_owner(rec->meta);
	struct oneshot_module *mod = oneshot_module_find(owner);
	struct oneshot_unlisted *count;

	kinds = oneshot_set_forget(tr->oneshot.set, rec, mod ? mod->text : 0);
	if (mod)
		return;

	/* Not listed: its number is all that is told. */
	count = owner == ONESHOT_OWNER_INIT ? &tr->oneshot.init : &tr->oneshot.unknown;
	count->functions += !!(kinds & ONESHOT_FUNCTION);
	count->callers += !!(kinds & ONESHOT_CALLER);
	oneshot_rec_void(rec);
}

/*
 * Make room when an eighth of the set's records, or half of the slots that may be
 * taken for modules that come back, is what modules have left behind. After
 * hundreds of them, that is. Without memory, the next one tries again.
 */
static void oneshot_tidy(struct trace_array *tr)
{
	struct oneshot_set *old = tr->oneshot.set, *set;
	u32 i, nr = oneshot_set_nr(old), left = 0;

	for (i = 0; i < nr; i++)
		left += READ_ONCE(old->recs[i].meta) == ONESHOT_REC_VOID;
	if (left < old->max_recs / 8 && old->remembered < old->mask / 16)
		return;

	set = oneshot_set_alloc(oneshot_set_shift(old));
	if (!set)
		return;

	oneshot_set_copy(set, old, false);
	oneshot_swap(tr, set);
	oneshot_set_copy(set, old, true);
	oneshot_set_free(old);
}

/* @mod comes: what is known of former owners of its memory is not its own. */
static void oneshot_clean_place(struct trace_array *tr, const struct oneshot_module *mod,
				const struct module_memory *text,
				const struct module_memory *init)
{
	struct oneshot_set *set = tr->oneshot.set;
	u32 i, nr = oneshot_set_nr(set);

	for (i = 0; i < nr; i++) {
		struct oneshot_rec *rec = &set->recs[i];
		u32 meta = oneshot_rec_meta(rec);

		if (!meta || meta & ONESHOT_REC_FORGOTTEN)
			continue;
		/* Its own are what came too late when it went. */
		if (rec->addr - (unsigned long)text->base < text->size ||
		    rec->addr - (unsigned long)init->base < init->size ||
		    (mod && oneshot_meta_owner(meta) == mod->id))
			oneshot_forget(tr, rec);
	}

	oneshot_tidy(tr);
}

/* @mod is back: what is listed of it is known. */
static void oneshot_remember(struct trace_array *tr, const struct oneshot_module *mod)
{
	struct oneshot_set *set = tr->oneshot.set;
	u32 i, nr = oneshot_set_nr(set);

	for (i = 0; i < nr; i++) {
		struct oneshot_rec *rec = &set->recs[i];
		u32 meta = oneshot_rec_meta(rec);

		/* It may be a smaller one of the same name. */
		if (meta & ONESHOT_REC_FORGOTTEN && oneshot_meta_owner(meta) == mod->id &&
		    rec->addr < mod->text_size)
			oneshot_set_remember(set, rec, mod->text);
	}
}

static void oneshot_module_coming(const struct module *module)
{
	const struct module_memory *text = &module->mem[MOD_TEXT];
	const struct module_memory *init = &module->mem[MOD_INIT_TEXT];
	struct oneshot_module *mod = oneshot_module_named(module->name), *other;
	struct trace_array *tr;

	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		if (tr->oneshot.set)
			oneshot_clean_place(tr, mod, text, init);
	}

	/* Init code is freed when it has run, and nobody is told. */
	for (other = oneshot_modules; other; other = other->next) {
		if (other->init < (unsigned long)text->base + text->size &&
		    (unsigned long)text->base < other->init + other->init_size)
			WRITE_ONCE(other->init_size, 0);
	}

	mod = oneshot_module_get(module->name);
	if (!mod) {
		pr_warn_once("oneshot: no room for module %s: its functions are not listed\n",
			     module->name);
		return;
	}

	preempt_disable();
	raw_write_seqcount_begin(&mod->seq);
	WRITE_ONCE(mod->text, (unsigned long)text->base);
	WRITE_ONCE(mod->text_size, text->size);
	WRITE_ONCE(mod->init, (unsigned long)init->base);
	WRITE_ONCE(mod->init_size, init->size);
	raw_write_seqcount_end(&mod->seq);
	preempt_enable();

	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		if (tr->oneshot.set)
			oneshot_remember(tr, mod);
	}
}

static void oneshot_module_going(const struct module *module)
{
	struct oneshot_module *mod = oneshot_module_named(module->name);
	struct trace_array *tr;

	if (!mod)
		return;

	WRITE_ONCE(mod->text_size, 0);
	WRITE_ONCE(mod->init_size, 0);

	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		struct oneshot_set *set = tr->oneshot.set;
		u32 i, nr = set ? oneshot_set_nr(set) : 0;

		for (i = 0; i < nr; i++) {
			u32 meta = oneshot_rec_meta(&set->recs[i]);

			if (meta && !(meta & ONESHOT_REC_FORGOTTEN) &&
			    oneshot_meta_owner(meta) == mod->id)
				oneshot_forget(tr, &set->recs[i]);
		}
	}
}

static int oneshot_module_notify(struct notifier_block *nb, unsigned long state, void *data)
{
	guard(mutex)(&trace_types_lock);

	if (state == MODULE_STATE_COMING)
		oneshot_module_coming(data);
	else if (state == MODULE_STATE_GOING)
		oneshot_module_going(data);

	return NOTIFY_OK;
}

static struct notifier_block oneshot_module_nb = {
	.notifier_call = oneshot_module_notify,
};

/* Before the first module: what is loaded already is never announced. */
static int __init oneshot_modules_init(void)
{
	return register_module_notifier(&oneshot_module_nb);
}
core_initcall(oneshot_modules_init);
#else
static struct oneshot_module *oneshot_module_find(unsigned int id)
{
	return NULL;
}
#endif /* CONFIG_MODULES */

/**
 * oneshot_place - where an address is, as it is shown
 * @tr: the instance, for its options
 * @addr: the address, or its offset in its module's .text
 * @owner: whose it is
 * @is_offset: which of them
 *
 * Return: its place.
 */
struct oneshot_place oneshot_place(struct trace_array *tr, unsigned long addr,
				   unsigned int owner, bool is_offset)
{
	const struct oneshot_module *mod = NULL;

	if (owner == ONESHOT_OWNER_KERNEL) {
		if (tr->oneshot.flags & ONESHOT_OPT_LINKADDR)
			addr -= kaslr_offset();
	} else if (oneshot_owner_listed(owner)) {
		mod = oneshot_module_find(owner);
		if (mod && !is_offset)
			addr -= mod->text;
	}

	return (struct oneshot_place) { addr, mod ? mod->name : NULL };
}
