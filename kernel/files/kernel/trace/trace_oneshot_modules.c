// SPDX-License-Identifier: GPL-2.0
/*
 * oneshot tracer: whose an address is, and what becomes of it when its module goes.
 *
 * What is printed for a module's address is its name and the offset in
 * its .text. Both must be right after the module is gone and another one sits at
 * the same address. So the module is found when the address is first hit, in a
 * list of our own that NMIs can walk, which a module notifier keeps. When the
 * module goes, the records of its addresses become offsets. When it comes back,
 * they are known again, at the place where it is then. What is known of former
 * owners of that place is cleared before, for nobody executes it then; not so when
 * a module goes, as it may have started work that the kernel waits for only later.
 * The list says it is gone by then, so that what such work calls for the first time
 * counts as unknown. Offsets in .init.text look like offsets in .text to everybody
 * who reads them later, and the JIT's code has no name that would last: such
 * addresses are counted, once each, and have no record.
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

/**
 * oneshot_cover_modules - give a set places for the bits of all modules' text
 * @set: the set
 *
 * Context: May sleep.
 * Return: 0 or -ENOMEM.
 */
int oneshot_cover_modules(struct oneshot_set *set)
{
	const struct oneshot_module *mod;
	int ret = 0;

	for (mod = oneshot_modules; mod && !ret; mod = mod->next) {
		ret = oneshot_set_cover(set, mod->text, mod->text_size);
		ret = ret ?: oneshot_set_cover(set, mod->init, mod->init_size);
	}
	return ret;
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

/* Make the addresses that are still recorded as @mod's offsets. */
static void oneshot_forget(struct trace_array *tr, const struct oneshot_module *mod)
{
	struct oneshot_set *set = tr->oneshot.set;
	u32 i, nr = oneshot_set_nr(set);

	for (i = 0; i < nr; i++) {
		struct oneshot_rec *rec = oneshot_set_rec(set, i);
		u32 meta = oneshot_rec_meta(rec);

		if (meta && !(meta & ONESHOT_REC_FORGOTTEN) &&
		    oneshot_meta_owner(meta) == mod->id)
			oneshot_rec_forget(rec, mod->text);
	}
}

/* @mod is back: what is listed of it is known, and its call sites may retire again. */
static void oneshot_remember(struct trace_array *tr, const struct oneshot_module *mod)
{
	struct oneshot_set *set = tr->oneshot.set;
	u32 i, nr = oneshot_set_nr(set);
	bool any = false;

	for (i = 0; i < nr; i++) {
		struct oneshot_rec *rec = oneshot_set_rec(set, i);
		u32 meta = oneshot_rec_meta(rec);

		/* It may be a smaller one of the same name. */
		if (meta & ONESHOT_REC_FORGOTTEN && oneshot_meta_owner(meta) == mod->id &&
		    rec->addr < mod->text_size)
			any |= oneshot_set_remember(set, rec, mod->text);
	}
	if (any)
		oneshot_retire_came_back(tr);
}

/* Code comes to lie at a place that others may have had. */
static void oneshot_take_place(const struct module_memory *place, const char *name)
{
	unsigned long start = (unsigned long)place->base;
	struct trace_array *tr;

	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		struct oneshot_set *set = tr->oneshot.set;

		if (!set)
			continue;
		if (oneshot_set_cover(set, start, place->size))
			pr_warn_once("oneshot: no memory for module %s: its functions are refused\n",
				     name);
		oneshot_set_clear(set, start, place->size);
	}
}

static void oneshot_module_coming(const struct module *module)
{
	const struct module_memory *text = &module->mem[MOD_TEXT];
	const struct module_memory *init = &module->mem[MOD_INIT_TEXT];
	struct oneshot_module *mod = oneshot_module_named(module->name);
	struct trace_array *tr;

	/* What came too late to be forgotten when it went. */
	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		if (tr->oneshot.set && mod)
			oneshot_forget(tr, mod);
	}
	oneshot_take_place(text, module->name);
	oneshot_take_place(init, module->name);

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

/* Its init code has run and will be freed, and its place can be anybody's. */
static void oneshot_module_live(const struct module *module)
{
	struct oneshot_module *mod = oneshot_module_named(module->name);

	if (mod)
		WRITE_ONCE(mod->init_size, 0);
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
		if (tr->oneshot.set)
			oneshot_forget(tr, mod);
	}
}

static int oneshot_module_notify(struct notifier_block *nb, unsigned long state, void *data)
{
	guard(mutex)(&trace_types_lock);

	if (state == MODULE_STATE_COMING)
		oneshot_module_coming(data);
	else if (state == MODULE_STATE_LIVE)
		oneshot_module_live(data);
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
