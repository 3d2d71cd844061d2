// SPDX-License-Identifier: GPL-2.0
/*
 * oneshot tracer: the module that an address belongs to, and what becomes of the
 * address when this module goes.
 *
 * An address in a module is printed as the module's name and the offset in its
 * .text. Both must be right even after the module is gone and another module sits
 * at the same address. So the module is looked up at the first hit of the address,
 * in a list of our own. A module notifier maintains the list, and NMIs can walk it.
 *
 * When a module goes, the records of its addresses become offsets. When it comes back,
 * they become known addresses again, at its new place. Addresses that former owners had
 * at that place are cleared first: nobody executes code there then. This cannot be done
 * when a module goes: it may have started work that still runs, and that the kernel
 * waits for only later. The list then already says that the module is gone. So
 * functions that such work calls for the first time count as unknown.
 *
 * Addresses in init code and in code of the JIT are counted once each, but have no
 * record: an offset in .init.text would later look like an offset in .text, and code
 * of the JIT has no lasting name.
 *
 * A record also has the other address of the hit: a function's caller, or the function
 * that a caller has entered. The module of that address is looked up when the record is
 * read. If that module has gone, the address is not known any more.
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
 * The list of modules. NMIs can walk it: entries are added but never freed. Each name
 * that was ever loaded has one. If the module is not loaded, its sizes are 0, and its
 * addresses stay for records that are not offsets yet. When the module is loaded
 * again, its entry is changed under ->seq.
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
 * oneshot_owner - find the owner of an address
 * @addr: the address
 *
 * Context: Any, also NMI.
 * Return: a module's id, or one of ONESHOT_OWNER_*.
 */
unsigned int oneshot_owner(unsigned long addr)
{
	const struct oneshot_module *mod;

	/* Not is_kernel_text(): for other addresses, it calls a function that is traced. */
	if (__is_kernel_text(addr) || is_kernel_inittext(addr))
		return ONESHOT_OWNER_KERNEL;

	/* Pairs with the store in oneshot_module_get(). */
	for (mod = smp_load_acquire(&oneshot_modules); mod; mod = mod->next) {
		unsigned int seq = raw_read_seqcount(&mod->seq);
		bool text, init;

		text = addr - READ_ONCE(mod->text) < READ_ONCE(mod->text_size);
		init = addr - READ_ONCE(mod->init) < READ_ONCE(mod->init_size);

		/* It is being loaded, perhaps by code that we interrupt: nobody executes it. */
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
 * oneshot_cover_modules - add the missing chunks for the text of all modules
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

/* Find or add the entry of a module that is being loaded; NULL if there is no room. */
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

/* Turn the addresses that a set has recorded for @mod into offsets. */
static void oneshot_forget(struct oneshot_set *set, const struct oneshot_module *mod)
{
	u32 i, nr = oneshot_set_nr(set);

	for (i = 0; i < nr; i++) {
		struct oneshot_rec *rec = oneshot_set_rec(set, i);
		u32 meta = oneshot_rec_meta(rec);

		if (meta && !(meta & ONESHOT_REC_FORGOTTEN) &&
		    oneshot_meta_owner(meta) == mod->id)
			oneshot_rec_forget(rec, mod->text);
	}
}

/* @mod is back: its listed addresses are known again, and its functions may retire. */
static void oneshot_remember(struct oneshot_set *set, const struct oneshot_module *mod)
{
	u32 i, nr = oneshot_set_nr(set);

	for (i = 0; i < nr; i++) {
		struct oneshot_rec *rec = oneshot_set_rec(set, i);
		u32 meta = oneshot_rec_meta(rec);

		/* A module of the same name may be smaller. */
		if (meta & ONESHOT_REC_FORGOTTEN && oneshot_meta_owner(meta) == mod->id &&
		    rec->addr < mod->text_size &&
		    oneshot_set_remember(set, rec, mod->text))
			oneshot_table(set)->retire.next = 0;
	}
}

/* Clear the other address of each record if it lies in this place: its code has gone. */
static void oneshot_clear_other(struct oneshot_set *set, const struct module_memory *place)
{
	u32 i, nr = place->size ? oneshot_set_nr(set) : 0;

	for (i = 0; i < nr; i++) {
		struct oneshot_rec *rec = oneshot_set_rec(set, i);

		if (oneshot_rec_meta(rec))
			oneshot_rec_clear_other(rec, (unsigned long)place->base, place->size);
	}
}

/* Prepare all sets for code at a place that other code may have had before. */
static void oneshot_take_place(const struct module_memory *place, const char *name)
{
	unsigned long start = (unsigned long)place->base;
	struct oneshot_table *table;

	list_for_each_entry(table, &oneshot_tables, list) {
		if (oneshot_set_cover(&table->set, start, place->size))
			pr_warn_once("oneshot: no memory for module %s: its functions are refused\n",
				     name);
		oneshot_set_clear(&table->set, start, place->size);
		oneshot_clear_other(&table->set, place);
	}
}

static void oneshot_module_coming(const struct module *module)
{
	const struct module_memory *text = &module->mem[MOD_TEXT];
	const struct module_memory *init = &module->mem[MOD_INIT_TEXT];
	struct oneshot_module *mod = oneshot_module_named(module->name);
	struct oneshot_table *table;

	/* Records that were published too late for oneshot_module_going(). */
	list_for_each_entry(table, &oneshot_tables, list) {
		if (mod)
			oneshot_forget(&table->set, mod);
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

	list_for_each_entry(table, &oneshot_tables, list)
		oneshot_remember(&table->set, mod);
}

/* The init code has run and will be freed; other code may then be loaded at its place. */
static void oneshot_module_live(const struct module *module)
{
	struct oneshot_module *mod = oneshot_module_named(module->name);

	if (mod)
		WRITE_ONCE(mod->init_size, 0);
}

static void oneshot_module_going(const struct module *module)
{
	struct oneshot_module *mod = oneshot_module_named(module->name);
	struct oneshot_table *table;

	if (!mod)
		return;

	WRITE_ONCE(mod->text_size, 0);
	WRITE_ONCE(mod->init_size, 0);

	list_for_each_entry(table, &oneshot_tables, list)
		oneshot_forget(&table->set, mod);
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

/* Before the first module is loaded: the notifier only hears of later modules. */
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
 * oneshot_place - an address in the form that is shown
 * @tr: the instance, for its options
 * @addr: the address, or its offset in its module's .text
 * @owner: its owner
 * @is_offset: @addr is an offset
 *
 * Return: the address or offset, and the module.
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
