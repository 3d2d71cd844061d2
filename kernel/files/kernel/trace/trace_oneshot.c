// SPDX-License-Identifier: GPL-2.0
/*
 * oneshot tracer: every function, and every address that a function was called
 * from, is recorded exactly once.
 *
 * The record is a set (oneshot_set.h), not the ring buffer: it cannot overflow
 * in practice, is the same for all CPUs, and can be read while tracing. First
 * hits go to the ring buffer as well, as ordinary function events, for those
 * who want to see when and in what order.
 *
 *   oneshot_call()          all calls: two look-ups in the set, nothing else. No
 *                           lock, no recursion guard, no per-CPU data: it calls
 *                           nothing and stores nothing.
 *   oneshot_first_hit()     an address is not in the set: find the true caller,
 *                           insert, then write the event.
 *
 * Contexts. Both run wherever a function can be traced: NMI, interrupts, idle
 * (RCU is not watching), early boot. oneshot_first_hit() may call functions that
 * are traced themselves and so come back here. That ends, as an address is in
 * the set before anything else is called on its behalf. Writing the event takes
 * the usual recursion guard; where that refuses, the address is in the set, the
 * event is missing, and events_lost counts it. What does not come back here is
 * what another tracer's callback calls, where that one traces the function, too:
 * ftrace has its own recursion guard before it calls more than one.
 *
 * Lifetime of a set. It is kept when the tracer stops, so that it can be read at
 * leisure, and is replaced when the tracer starts again or when 0 is written to
 * oneshot_seen. Callbacks run also where RCU does not watch: stopping waits for
 * them by both a rude and an ordinary RCU-tasks grace period, and so does
 * replacing a set that is in use, before it is freed. Replacing, reading and
 * forgetting hold trace_types_lock. When ftrace has turned itself off, it cannot
 * take the tracer out of the functions any more: then a set stays in use.
 *
 * Modules. What is printed for a module's address is its name and the offset in
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
 *
 * Callers. A function that was tail-called finds the address of a return
 * trampoline on its stack when its caller is watched by the function graph
 * tracer, a kretprobe or an fprobe. The trampolines' addresses are never put in
 * the set, so that such calls always come to oneshot_first_hit(), which asks the
 * shadow stacks for the address that was there before.
 *
 * A call site could be turned off after its first hit. The place for that is
 * oneshot_first_hit(), once it has recorded all that it can of this site.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/rcupdate_trace.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/trace_clock.h>
#include <linux/vmalloc.h>
#include <asm/sections.h>
#include <asm/setup.h>

#include "trace.h"
#include "trace_output.h"
#include "trace_parent.h"
#include "oneshot_set.h"

/*
 * A kernel has some 4.4 call instructions for each function that can be traced
 * (119,000 for 27,000, x86-64), and not all of them call such a function.
 */
#define ONESHOT_ADDRS_PER_2_FUNCTIONS	11

/* Owners of a record that are not a module. Modules have 1 to ONESHOT_MAX_MODULES. */
#define ONESHOT_OWNER_KERNEL	0
#define ONESHOT_MAX_MODULES	0x7ffd
#define ONESHOT_OWNER_INIT	0x7ffe	/* a module's .init.text: counted, not listed */
#define ONESHOT_OWNER_UNKNOWN	0x7fff	/* JIT, trampolines: counted, not listed */

enum {
	ONESHOT_OPT_PARENT	= 0x1,
	ONESHOT_OPT_LINKADDR	= 0x2,
	ONESHOT_OPT_SYM		= 0x4,
};

static struct tracer_opt oneshot_opts[] = {
	/* Record callers, too */
	{ .name = "oneshot-parent", .bit = ONESHOT_OPT_PARENT },
	/* Print the addresses that the kernel was linked to */
	{ .name = "oneshot-linkaddr", .bit = ONESHOT_OPT_LINKADDR },
	/* Print symbols in trace and trace_pipe */
	{ .name = "oneshot-sym", .bit = ONESHOT_OPT_SYM },
	{ }
};

static struct tracer_flags oneshot_flags = {
	.opts = oneshot_opts,
};

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

/* Whose is @addr? */
static unsigned int oneshot_owner(unsigned long addr)
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

static bool oneshot_owner_listed(unsigned int owner)
{
	return owner <= ONESHOT_MAX_MODULES;
}

/* As trace_function(), but it tells when the buffer is off or full. */
static bool oneshot_write_function(struct trace_buffer *buffer, unsigned long ip,
				   unsigned long parent_ip)
{
	struct ring_buffer_event *event;
	struct ftrace_entry *entry;

	event = trace_buffer_lock_reserve(buffer, TRACE_FN, sizeof(*entry), tracing_gen_ctx());
	if (!event)
		return false;

	entry = ring_buffer_event_data(event);
	entry->ip = ip;
	entry->parent_ip = parent_ip;
	trace_buffer_unlock_commit_nostack(buffer, event);
	return true;
}

/* No function, and of a type of its own, lest a reader takes it for one. */
static bool oneshot_write_caller(struct trace_buffer *buffer, unsigned long ip)
{
	struct oneshot_caller_entry *entry;
	struct ring_buffer_event *event;

	event = trace_buffer_lock_reserve(buffer, TRACE_ONESHOT_CALLER, sizeof(*entry),
					  tracing_gen_ctx());
	if (!event)
		return false;

	entry = ring_buffer_event_data(event);
	entry->ip = ip;
	trace_buffer_unlock_commit_nostack(buffer, event);
	return true;
}

/* Tell of a first hit of this kind in the call of @ip from @parent_ip. */
static void oneshot_event(struct trace_array *tr, unsigned long kind, unsigned long ip,
			  unsigned long parent_ip)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	bool written = false;
	int bit;

	bit = ftrace_test_recursion_trylock(ip, parent_ip);
	if (bit >= 0) {
		written = kind == ONESHOT_FUNCTION ?
			  oneshot_write_function(buffer, ip, parent_ip) :
			  oneshot_write_caller(buffer, parent_ip);
		/* Cheaper than probes in the scheduler for as long as we trace. */
		if (written && tr->trace_flags & TRACE_ITER_RECORD_CMD)
			trace_save_cmdline(current);
		ftrace_test_recursion_unlock(bit);
	}

	if (!written)
		this_cpu_inc(tr->oneshot.lost->events);
}

/*
 * Returns true if @addr is new, in the set now, and to be listed. The time is now,
 * or *@ns.
 */
static bool oneshot_record(struct trace_array *tr, struct oneshot_set *set,
			   unsigned long addr, unsigned long kind, const u64 *ns)
{
	struct oneshot_rec *rec;
	unsigned int owner;

	switch (oneshot_set_insert(set, addr, kind, &rec)) {
	case ONESHOT_INSERTED:
		break;
	case ONESHOT_REFUSED:
		this_cpu_inc(tr->oneshot.lost->refused);
		return false;
	case ONESHOT_KNOWN:
		return false;
	}

	owner = oneshot_owner(addr);
	oneshot_rec_publish(rec, addr, ns ? *ns : trace_clock_local(), current->pid,
			    raw_smp_processor_id(), owner);
	return oneshot_owner_listed(owner);
}

static noinline void oneshot_first_hit(unsigned long ip, unsigned long parent_ip,
				       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct trace_array *tr = op->private;
	struct oneshot_set *set = READ_ONCE(tr->oneshot.set);
	bool new_function, new_caller = false;

	if (!tracer_tracing_is_on(tr))
		return;

	preempt_disable_notrace();

	new_function = oneshot_record(tr, set, ip, ONESHOT_FUNCTION, NULL);

	if (trace_is_return_trampoline(parent_ip))
		parent_ip = trace_true_parent(parent_ip, fregs);

	if (READ_ONCE(tr->oneshot.flags) & ONESHOT_OPT_PARENT) {
		if (likely(!trace_is_return_trampoline(parent_ip)))
			new_caller = oneshot_record(tr, set, parent_ip, ONESHOT_CALLER, NULL);
		else
			this_cpu_inc(tr->oneshot.lost->parents);
	}

	if (new_function)
		oneshot_event(tr, ONESHOT_FUNCTION, ip, parent_ip);
	if (new_caller)
		oneshot_event(tr, ONESHOT_CALLER, ip, parent_ip);

	preempt_enable_notrace();
}

static void oneshot_call(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct trace_array *tr = op->private;
	/* Pairs with the release in oneshot_swap(), by dependency. */
	const struct oneshot_set *set = READ_ONCE(tr->oneshot.set);

	if (likely(oneshot_set_has(set, ip, ONESHOT_FUNCTION))) {
		if (!(READ_ONCE(tr->oneshot.flags) & ONESHOT_OPT_PARENT))
			return;
		if (likely(oneshot_set_has(set, parent_ip, ONESHOT_CALLER)))
			return;
	}

	oneshot_first_hit(ip, parent_ip, op, fregs);
}

#ifdef CONFIG_VERY_EARLY_FUNCTION_TRACER
/**
 * oneshot_early_hit - a call from before the tracer has started
 * @tr: the trace_array; its set is there, and nobody uses it yet
 * @ip: the function
 * @parent_ip: its caller
 * @ns: when it was, of the local clock
 *
 * Context: one CPU, interrupts off, in order of time.
 */
void __init oneshot_early_hit(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
			      u64 ns)
{
	struct oneshot_set *set = tr->oneshot.set;

	if (oneshot_record(tr, set, ip, ONESHOT_FUNCTION, &ns))
		oneshot_event(tr, ONESHOT_FUNCTION, ip, parent_ip);
	if (tr->oneshot.flags & ONESHOT_OPT_PARENT &&
	    oneshot_record(tr, set, parent_ip, ONESHOT_CALLER, &ns))
		oneshot_event(tr, ONESHOT_CALLER, ip, parent_ip);
}
#endif

/*
 * Sets: allocating, replacing, freeing.
 */

/* Slots asked for on the command line, for all instances. */
static unsigned int oneshot_boot_size;

#ifdef CONFIG_ONESHOT_TRACER_STATIC
#define ONESHOT_STATIC_SHIFT	CONFIG_ONESHOT_TRACER_SHIFT
/* As oneshot_set_bytes(), which the compiler cannot evaluate here. */
#define ONESHOT_STATIC_BYTES						\
	(sizeof(struct oneshot_set) +					\
	 (1UL << ONESHOT_STATIC_SHIFT) * sizeof(unsigned long) +	\
	 (1UL << ONESHOT_STATIC_SHIFT) / 4 * 3 * sizeof(struct oneshot_rec))

static unsigned long oneshot_static_mem[ONESHOT_STATIC_BYTES / sizeof(unsigned long)]
	__aligned(__alignof__(struct oneshot_set));
static bool oneshot_static_used;

static struct oneshot_set *oneshot_set_alloc_static(unsigned int shift)
{
	struct oneshot_set *set = (struct oneshot_set *)oneshot_static_mem;

	if (oneshot_static_used || shift != ONESHOT_STATIC_SHIFT)
		return NULL;

	oneshot_static_used = true;
	memset(set, 0, ONESHOT_STATIC_BYTES);
	return set;
}

static bool oneshot_set_free_static(struct oneshot_set *set)
{
	if (set != (struct oneshot_set *)oneshot_static_mem)
		return false;

	oneshot_static_used = false;
	return true;
}
#else
static struct oneshot_set *oneshot_set_alloc_static(unsigned int shift)
{
	return NULL;
}

static bool oneshot_set_free_static(struct oneshot_set *set)
{
	return false;
}
#endif

static unsigned int oneshot_set_shift(const struct oneshot_set *set)
{
	return 32 - set->hash_shift;
}

static struct oneshot_set *oneshot_set_alloc(unsigned int shift)
{
	struct oneshot_set *set = oneshot_set_alloc_static(shift);

	/* Looked up on every call: huge pages spare the TLB. */
	if (!set)
		set = vmalloc_huge(oneshot_set_bytes(shift), GFP_KERNEL | __GFP_ZERO);
	if (set)
		oneshot_set_init(set, shift);
	return set;
}

static void oneshot_set_free(struct oneshot_set *set)
{
	if (!oneshot_set_free_static(set))
		vfree(set);
}

/* log2 of the number of slots for the next set of @tr. */
static unsigned int oneshot_next_shift(struct trace_array *tr)
{
	unsigned int shift;

	if (tr->oneshot.size)
		shift = order_base_2(tr->oneshot.size);
	else if (CONFIG_ONESHOT_TRACER_SHIFT)
		shift = CONFIG_ONESHOT_TRACER_SHIFT;
	else
		shift = oneshot_set_shift_for(ftrace_update_tot_cnt *
					      ONESHOT_ADDRS_PER_2_FUNCTIONS / 2);

	return clamp(shift, ONESHOT_MIN_SHIFT, ONESHOT_MAX_SHIFT);
}

/* Wait for all callbacks: they run where RCU is not watching, and may be preempted. */
static void oneshot_synchronize(void)
{
	synchronize_rcu_tasks_rude();
	synchronize_rcu_tasks();
}

/*
 * Give @tr another set and return the old one. Callbacks go on with that one until
 * they see the new one, which all do when this returns.
 */
static struct oneshot_set *oneshot_swap(struct trace_array *tr, struct oneshot_set *set)
{
	struct oneshot_set *old = tr->oneshot.set;

	lockdep_assert_held(&trace_types_lock);

	/* Pairs with the reading in oneshot_call(). */
	smp_store_release(&tr->oneshot.set, set);
	tr->oneshot.generation++;
	if (tr->oneshot.registered)
		oneshot_synchronize();
	return old;
}

/* A set to begin anew with, or NULL if no callback is left. */
static void oneshot_replace(struct trace_array *tr, struct oneshot_set *set)
{
	struct oneshot_set *old = oneshot_swap(tr, set);
	int cpu;

	memset(&tr->oneshot.init, 0, sizeof(tr->oneshot.init));
	memset(&tr->oneshot.unknown, 0, sizeof(tr->oneshot.unknown));
	if (tr->oneshot.lost) {
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(tr->oneshot.lost, cpu), 0, sizeof(*tr->oneshot.lost));
	}

	if (old)
		oneshot_set_free(old);
}

static int oneshot_renew(struct trace_array *tr)
{
	struct oneshot_set *set;

	if (!tr->oneshot.lost)
		tr->oneshot.lost = alloc_percpu(struct oneshot_lost);
	if (!tr->oneshot.lost)
		return -ENOMEM;

	set = oneshot_set_alloc(oneshot_next_shift(tr));
	if (!set)
		return -ENOMEM;

	oneshot_replace(tr, set);
	return 0;
}

void oneshot_init_array(struct trace_array *tr)
{
	tr->oneshot.flags = ONESHOT_OPT_PARENT;
	tr->oneshot.size = oneshot_boot_size;
}

/* Would the tracer be called for an instance that goes away? */
bool oneshot_is_stuck(const struct trace_array *tr)
{
	return tr->oneshot.registered && ftrace_is_dead();
}

/* The instance goes away: its tracer has been stopped, and nobody has a file open. */
void oneshot_free_array(struct trace_array *tr)
{
	oneshot_replace(tr, NULL);
	free_percpu(tr->oneshot.lost);
}

static int __init oneshot_size_setup(char *str)
{
	unsigned int size;

	if (kstrtouint(str, 0, &size) || size > 1U << ONESHOT_MAX_SHIFT) {
		pr_warn("oneshot_size=%s: not a number of slots from 0 to %u, ignored\n",
			str, 1U << ONESHOT_MAX_SHIFT);
		return 1;
	}

	oneshot_boot_size = size;
	return 1;
}
__setup("oneshot_size=", oneshot_size_setup);

/*
 * Modules coming and going.
 */

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

/*
 * Printing.
 */

/* An address as it is shown: in the kernel's image, or an offset in a module. */
struct oneshot_place {
	unsigned long	addr;
	const char	*module;
};

static struct oneshot_place oneshot_place(struct trace_array *tr, unsigned long addr,
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

static void oneshot_print_place(struct seq_file *m, const struct oneshot_place *place)
{
	if (place->module)
		seq_printf(m, "%lx %s", place->addr, place->module);
	else
		seq_printf(m, "%016lx", place->addr);
}

static void oneshot_print_header(struct seq_file *m)
{
}

/* Whoever opens the file reads it; what an oops prints is for the console. */
static void oneshot_open_trace(struct trace_iterator *iter)
{
	bool show_addr = oops_in_progress || kallsyms_show_value(current_cred());

	iter->private = (void *)(unsigned long)show_addr;
}

static enum print_line_t oneshot_print_line(struct trace_iterator *iter)
{
	bool caller = iter->ent->type == TRACE_ONESHOT_CALLER;
	struct trace_array *tr = iter->tr;
	struct trace_seq *s = &iter->seq;
	struct oneshot_place place;
	unsigned long ip;

	if (caller)
		ip = ((struct oneshot_caller_entry *)iter->ent)->ip;
	else if (iter->ent->type == TRACE_FN)
		ip = ((struct ftrace_entry *)iter->ent)->ip;
	else
		return TRACE_TYPE_UNHANDLED;

	if (tr->oneshot.flags & ONESHOT_OPT_SYM) {
		unsigned long sym_flags = tr->trace_flags & TRACE_ITER_SYM_MASK;

		/* A caller's symbol says little without the offset. */
		if (caller)
			sym_flags |= TRACE_ITER_SYM_OFFSET;
		seq_print_ip_sym(s, ip, sym_flags);
		trace_seq_putc(s, '\n');
		return trace_handle_return(s);
	}

	place = oneshot_place(tr, ip, oneshot_owner(ip), false);
	if (!iter->private)
		place.addr = 0;

	if (place.module)
		trace_seq_printf(s, "%lx %s\n", place.addr, place.module);
	else
		trace_seq_printf(s, "%016lx\n", place.addr);

	return trace_handle_return(s);
}

/* A new caller, when another tracer prints the buffer. */
static enum print_line_t oneshot_caller_print(struct trace_iterator *iter, int flags,
					      struct trace_event *event)
{
	struct oneshot_caller_entry *field = (struct oneshot_caller_entry *)iter->ent;

	trace_seq_puts(&iter->seq, "oneshot_caller: ");
	seq_print_ip_sym(&iter->seq, field->ip, flags | TRACE_ITER_SYM_OFFSET);
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static enum print_line_t oneshot_caller_raw(struct trace_iterator *iter, int flags,
					    struct trace_event *event)
{
	struct oneshot_caller_entry *field = (struct oneshot_caller_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%lx\n", field->ip);
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions oneshot_caller_funcs = {
	.trace		= oneshot_caller_print,
	.raw		= oneshot_caller_raw,
};

static struct trace_event oneshot_caller_event = {
	.type		= TRACE_ONESHOT_CALLER,
	.funcs		= &oneshot_caller_funcs,
};

/*
 * Files: oneshot_seen, oneshot_entries, oneshot_stats, oneshot_size.
 */

/*
 * A reader of the set. It holds trace_types_lock between start and stop only,
 * and finds out by the generation that it is not the same set any more.
 */
struct oneshot_reader {
	struct trace_array	*tr;
	unsigned int		generation;
	bool			show_addr;
};

static struct oneshot_rec *oneshot_listed_from(struct oneshot_set *set, loff_t *pos)
{
	if (!set)
		return NULL;

	for (; *pos < oneshot_set_nr(set); ++*pos) {
		struct oneshot_rec *rec = &set->recs[*pos];
		u32 meta = oneshot_rec_meta(rec);

		if (meta && oneshot_owner_listed(oneshot_meta_owner(meta)))
			return rec;
	}

	return NULL;
}

static void *oneshot_seq_start(struct seq_file *m, loff_t *pos)
{
	struct oneshot_reader *reader = m->private;
	struct oneshot_array *oneshot = &reader->tr->oneshot;

	mutex_lock(&trace_types_lock);

	if (!*pos)
		reader->generation = oneshot->generation;
	else if (reader->generation != oneshot->generation)
		return ERR_PTR(-ESTALE);

	return oneshot_listed_from(oneshot->set, pos);
}

static void *oneshot_seq_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct oneshot_reader *reader = m->private;

	++*pos;
	return oneshot_listed_from(reader->tr->oneshot.set, pos);
}

static void oneshot_seq_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&trace_types_lock);
}

static void oneshot_show_rec(struct seq_file *m, const struct oneshot_rec *rec)
{
	struct oneshot_reader *reader = m->private;
	u32 meta = oneshot_rec_meta(rec);
	struct oneshot_place place;

	place = oneshot_place(reader->tr, rec->addr, oneshot_meta_owner(meta),
			      meta & ONESHOT_REC_FORGOTTEN);
	if (!reader->show_addr)
		place.addr = 0;
	oneshot_print_place(m, &place);
}

static int oneshot_seen_show(struct seq_file *m, void *v)
{
	oneshot_show_rec(m, v);
	seq_putc(m, '\n');
	return 0;
}

static int oneshot_entries_show(struct seq_file *m, void *v)
{
	static const char * const kinds[] = {
		[ONESHOT_FUNCTION]	= "function",
		[ONESHOT_CALLER]	= "caller",
		[ONESHOT_BOTH]		= "both",
	};
	struct oneshot_reader *reader = m->private;
	const struct oneshot_rec *rec = v;

	oneshot_show_rec(m, rec);
	seq_printf(m, " %s %llu %u %d\n",
		   kinds[oneshot_set_kinds(reader->tr->oneshot.set, rec)],
		   rec->ns, oneshot_meta_cpu(rec->meta), (int)rec->pid);
	return 0;
}

static const struct seq_operations oneshot_seen_seq_ops = {
	.start	= oneshot_seq_start,
	.next	= oneshot_seq_next,
	.stop	= oneshot_seq_stop,
	.show	= oneshot_seen_show,
};

static const struct seq_operations oneshot_entries_seq_ops = {
	.start	= oneshot_seq_start,
	.next	= oneshot_seq_next,
	.stop	= oneshot_seq_stop,
	.show	= oneshot_entries_show,
};

static int oneshot_open(struct inode *inode, struct file *file,
			const struct seq_operations *ops)
{
	struct trace_array *tr = inode->i_private;
	struct oneshot_reader *reader;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;

	/* Nothing to iterate over for who only clears. */
	if (!(file->f_mode & FMODE_READ)) {
		file->private_data = NULL;
		return 0;
	}

	reader = __seq_open_private(file, ops, sizeof(*reader));
	if (!reader) {
		trace_array_put(tr);
		return -ENOMEM;
	}

	reader->tr = tr;
	reader->show_addr = kallsyms_show_value(file->f_cred);
	return 0;
}

static int oneshot_seen_open(struct inode *inode, struct file *file)
{
	return oneshot_open(inode, file, &oneshot_seen_seq_ops);
}

static int oneshot_entries_open(struct inode *inode, struct file *file)
{
	return oneshot_open(inode, file, &oneshot_entries_seq_ops);
}

static int oneshot_release(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;

	if (file->f_mode & FMODE_READ)
		seq_release_private(inode, file);
	trace_array_put(tr);
	return 0;
}

static ssize_t oneshot_seen_write(struct file *file, const char __user *ubuf,
				  size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = file_inode(file)->i_private;
	unsigned long val;
	int ret;

	ret = kstrtoul_from_user(ubuf, cnt, 10, &val);
	if (ret)
		return ret;
	if (val)
		return -EINVAL;

	guard(mutex)(&trace_types_lock);

	if (tr->oneshot.registered) {
		struct oneshot_set *set;

		set = oneshot_set_alloc(oneshot_set_shift(tr->oneshot.set));
		if (!set)
			return -ENOMEM;
		oneshot_replace(tr, set);
	} else {
		oneshot_replace(tr, NULL);
	}

	*ppos += cnt;
	return cnt;
}

static const struct file_operations oneshot_seen_fops = {
	.open		= oneshot_seen_open,
	.read		= seq_read,
	.write		= oneshot_seen_write,
	.llseek		= tracing_lseek,
	.release	= oneshot_release,
};

static const struct file_operations oneshot_entries_fops = {
	.open		= oneshot_entries_open,
	.read		= seq_read,
	.llseek		= tracing_lseek,
	.release	= oneshot_release,
};

/* What has been seen, counted as it is read. */
struct oneshot_counts {
	unsigned long		entries;
	unsigned long		functions;
	unsigned long		callers;
	struct oneshot_unlisted	init;
	struct oneshot_unlisted	unknown;
};

static void oneshot_count(const struct oneshot_set *set, struct oneshot_counts *counts)
{
	u32 i, nr = oneshot_set_nr(set);

	for (i = 0; i < nr; i++) {
		const struct oneshot_rec *rec = &set->recs[i];
		u32 meta = oneshot_rec_meta(rec);
		unsigned long function, caller;

		if (!meta)
			continue;

		function = !!(oneshot_set_kinds(set, rec) & ONESHOT_FUNCTION);
		caller = !!(oneshot_set_kinds(set, rec) & ONESHOT_CALLER);

		switch (oneshot_meta_owner(meta)) {
		case ONESHOT_OWNER_INIT:
			counts->init.functions += function;
			counts->init.callers += caller;
			break;
		case ONESHOT_OWNER_UNKNOWN:
			counts->unknown.functions += function;
			counts->unknown.callers += caller;
			break;
		default:
			counts->entries++;
			counts->functions += function;
			counts->callers += caller;
		}
	}
}

static struct oneshot_lost oneshot_sum_lost(const struct oneshot_array *oneshot)
{
	struct oneshot_lost sum = {};
	int cpu;

	if (!oneshot->lost)
		return sum;

	for_each_possible_cpu(cpu) {
		const struct oneshot_lost *lost = per_cpu_ptr(oneshot->lost, cpu);

		sum.refused += READ_ONCE(lost->refused);
		sum.events += READ_ONCE(lost->events);
		sum.parents += READ_ONCE(lost->parents);
	}
	return sum;
}

static int oneshot_stats_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;
	const struct oneshot_set *set;
	struct oneshot_counts counts;
	struct oneshot_lost lost;

	guard(mutex)(&trace_types_lock);

	set = tr->oneshot.set;
	counts = (struct oneshot_counts) {
		.init		= tr->oneshot.init,
		.unknown	= tr->oneshot.unknown,
	};
	if (set)
		oneshot_count(set, &counts);
	lost = oneshot_sum_lost(&tr->oneshot);

	seq_printf(m, "entries: %lu\n", counts.entries);
	seq_printf(m, "functions: %lu\n", counts.functions);
	seq_printf(m, "callers: %lu\n", counts.callers);
	seq_printf(m, "capacity: %u\n", set ? set->max_recs : 0);
	seq_printf(m, "bytes: %zu\n", set ? oneshot_set_bytes(oneshot_set_shift(set)) : 0);
	seq_printf(m, "refused: %lu\n", lost.refused);
	seq_printf(m, "events_lost: %lu\n", lost.events);
	seq_printf(m, "parents_lost: %lu\n", lost.parents);
	seq_printf(m, "module_init_functions: %lu\n", counts.init.functions);
	seq_printf(m, "module_init_callers: %lu\n", counts.init.callers);
	seq_printf(m, "unresolvable_functions: %lu\n", counts.unknown.functions);
	seq_printf(m, "unresolvable_callers: %lu\n", counts.unknown.callers);
	return 0;
}

static int oneshot_stats_open(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;

	ret = single_open(file, oneshot_stats_show, tr);
	if (ret)
		trace_array_put(tr);
	return ret;
}

static int oneshot_stats_release(struct inode *inode, struct file *file)
{
	trace_array_put(inode->i_private);
	return single_release(inode, file);
}

static const struct file_operations oneshot_stats_fops = {
	.open		= oneshot_stats_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= oneshot_stats_release,
};

static ssize_t oneshot_size_read(struct file *file, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = file->private_data;
	char buf[16];
	int len;

	len = scnprintf(buf, sizeof(buf), "%u\n", READ_ONCE(tr->oneshot.size));
	return simple_read_from_buffer(ubuf, cnt, ppos, buf, len);
}

/* For the next start: what is there stays as it is. */
static ssize_t oneshot_size_write(struct file *file, const char __user *ubuf,
				  size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = file->private_data;
	unsigned int size;
	int ret;

	ret = kstrtouint_from_user(ubuf, cnt, 0, &size);
	if (ret)
		return ret;
	if (size > 1U << ONESHOT_MAX_SHIFT)
		return -EINVAL;

	guard(mutex)(&trace_types_lock);
	WRITE_ONCE(tr->oneshot.size, size);
	*ppos += cnt;
	return cnt;
}

static const struct file_operations oneshot_size_fops = {
	.open		= tracing_open_generic_tr,
	.read		= oneshot_size_read,
	.write		= oneshot_size_write,
	.llseek		= default_llseek,
	.release	= tracing_release_generic_tr,
};

void oneshot_create_files(struct trace_array *tr, struct dentry *parent)
{
	trace_create_file("oneshot_seen", TRACE_MODE_WRITE, parent, tr, &oneshot_seen_fops);
	trace_create_file("oneshot_entries", TRACE_MODE_READ, parent, tr, &oneshot_entries_fops);
	trace_create_file("oneshot_stats", TRACE_MODE_READ, parent, tr, &oneshot_stats_fops);
	trace_create_file("oneshot_size", TRACE_MODE_WRITE, parent, tr, &oneshot_size_fops);
}

/*
 * The tracer.
 */

static int oneshot_trace_init(struct trace_array *tr)
{
	int ret;

	/* Allocated with the instance, unless that failed. */
	if (!tr->ops)
		return -ENOMEM;

	ret = oneshot_renew(tr);
	if (ret)
		return ret;

	ftrace_init_array_ops(tr, oneshot_call);
	tr->array_buffer.cpu = raw_smp_processor_id();

	ret = register_ftrace_function(tr->ops);
	if (ret)
		ftrace_reset_array_ops(tr);
	else
		tr->oneshot.registered = true;
	return ret;
}

static void oneshot_trace_reset(struct trace_array *tr)
{
	int ret = unregister_ftrace_function(tr->ops);

	if (ret || ftrace_is_dead()) {
		/* It leaves the call sites as they are. */
		pr_warn_once("oneshot: ftrace has turned itself off: the set stays in use\n");
	} else {
		/* It has waited if the ops may be freed, as those of an instance may. */
		if (!(tr->ops->flags & FTRACE_OPS_FL_DYNAMIC))
			oneshot_synchronize();
		tr->oneshot.registered = false;
	}
	ftrace_reset_array_ops(tr);
}

static u32 *oneshot_trace_flags_val(struct trace_array *tr)
{
	return &tr->oneshot.flags;
}

#ifdef CONFIG_FTRACE_STARTUP_TEST
/* How many records of @addr are there, and of what kinds? */
static __init int oneshot_selftest_count(struct oneshot_set *set, unsigned long addr,
					 unsigned int *kinds)
{
	u32 i, nr = oneshot_set_nr(set);
	int count = 0;

	for (i = 0; i < nr; i++) {
		struct oneshot_rec *rec = &set->recs[i];

		if (oneshot_rec_meta(rec) && rec->addr == addr) {
			*kinds = oneshot_set_kinds(set, rec);
			count++;
		}
	}
	return count;
}

static __init int trace_selftest_startup_oneshot(struct tracer *trace, struct trace_array *tr)
{
	int save_ftrace_enabled = ftrace_enabled;
	unsigned int kinds = 0;
	unsigned long ip;
	int i, ret;

	if (ftrace_filter_param) {
		pr_info("oneshot: kernel command line filter set: not tested\n");
		return 0;
	}

	ftrace_enabled = 1;

	ret = tracer_init(trace, tr);
	if (ret) {
		pr_warn("oneshot: cannot start: %d\n", ret);
		goto out;
	}

	for (i = 0; i < 3; i++)
		DYN_FTRACE_TEST_NAME();

	/* Off: not recorded, though it is new. */
	tracer_tracing_off(tr);
	DYN_FTRACE_TEST_NAME2();
	tracer_tracing_on(tr);

	trace->reset(tr);

	if (!ring_buffer_entries(tr->array_buffer.buffer)) {
		pr_warn("oneshot: no events\n");
		ret = -EINVAL;
	}

	ip = ftrace_location((unsigned long)DYN_FTRACE_TEST_NAME);
	if (!ret && (oneshot_selftest_count(tr->oneshot.set, ip, &kinds) != 1 ||
		     kinds != ONESHOT_FUNCTION)) {
		pr_warn("oneshot: called 3 times, recorded %d times as %u\n",
			oneshot_selftest_count(tr->oneshot.set, ip, &kinds), kinds);
		ret = -EINVAL;
	}

	ip = ftrace_location((unsigned long)DYN_FTRACE_TEST_NAME2);
	if (!ret && oneshot_selftest_count(tr->oneshot.set, ip, &kinds)) {
		pr_warn("oneshot: recorded while tracing was off\n");
		ret = -EINVAL;
	}

	oneshot_replace(tr, NULL);
out:
	ftrace_enabled = save_ftrace_enabled;
	return ret;
}
#endif /* CONFIG_FTRACE_STARTUP_TEST */

static struct tracer oneshot_trace __tracer_data = {
	.name		= "oneshot",
	.init		= oneshot_trace_init,
	.reset		= oneshot_trace_reset,
	.open		= oneshot_open_trace,
	.pipe_open	= oneshot_open_trace,
	.print_header	= oneshot_print_header,
	.print_line	= oneshot_print_line,
	.flags		= &oneshot_flags,
	.flags_val	= oneshot_trace_flags_val,
	.allow_instances = true,
#ifdef CONFIG_FTRACE_STARTUP_TEST
	.selftest	= trace_selftest_startup_oneshot,
#endif
};

/* Its trace file has lines of events only: even the tracer's name would be read as an address. */
bool tracer_is_oneshot(const struct tracer *tracer)
{
	return tracer == &oneshot_trace;
}

__init int init_oneshot_trace(void)
{
	if (!register_trace_event(&oneshot_caller_event))
		pr_warn("oneshot: events of callers cannot be printed\n");

	return register_tracer(&oneshot_trace);
}
