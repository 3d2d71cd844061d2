// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: finding the functions and symbols that a line names, and complaining if
 * there are none.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <asm/sections.h>

#include "trace_fevent_types.h"
#include "trace_fevent_core.h"

static int add_function(struct fevent *fe, unsigned long ip)
{
	unsigned long *ips;
	unsigned int i;

	/* A module's functions may be found twice: by a write, and again by the notifier. */
	for (i = 0; i < fe->nr_ips; i++) {
		if (fe->ips[i] == ip)
			return 0;
	}
	ips = krealloc_array(fe->ips, fe->nr_ips + 1, sizeof(*ips), GFP_KERNEL);
	if (!ips)
		return -ENOMEM;
	ips[fe->nr_ips++] = ip;
	fe->ips = ips;
	return 0;
}

/* Preemption must be off. The module stays until it is on again. */
static struct module *loaded_module(const char *name)
{
#ifdef CONFIG_MODULES
	struct module *mod = find_module(name);

	return mod && mod->state != MODULE_STATE_GOING ? mod : NULL;
#else
	return NULL;
#endif
}

/* Copy the functions that a glob has matched: those in one module, or all. */
static unsigned int copy_hash(struct ftrace_hash *hash, const char *module, unsigned long *ips)
{
	struct ftrace_func_entry *entry;
	struct module *mod = NULL;
	unsigned int i, nr = 0;

	guard(preempt)();
	if (module) {
		mod = loaded_module(module);
		if (!mod)
			return 0;
	}
	for (i = 0; i < 1U << hash->size_bits; i++) {
		hlist_for_each_entry(entry, &hash->buckets[i], hlist) {
			if (!mod || within_module(entry->ip, mod))
				ips[nr++] = entry->ip;
		}
	}
	return nr;
}

/**
 * fevent_find_glob - find the functions of an event whose function is a glob
 * @fe: the event; functions that it has found before are dropped
 *
 * These are all functions that ftrace knows and the glob matches. ftrace's filters do
 * the matching: a filter is made and read, and not used.
 *
 * Context: Process context, event_mutex is held, may sleep.
 * Return: 0, -ENOENT if there is none, or another negative errno.
 */
int fevent_find_glob(struct fevent *fe)
{
	const struct fevent_proto *proto = fe->proto;
	struct ftrace_ops ops = { };
	struct ftrace_hash *hash;
	unsigned long *ips;
	char *filter;
	int ret;

	filter = kstrdup(proto->func, GFP_KERNEL);
	if (!filter)
		return -ENOMEM;
	ret = ftrace_set_filter(&ops, filter, strlen(filter), 1);
	kfree(filter);
	if (ret == -EINVAL)
		ret = -ENOENT;
	if (ret)
		goto cleanup;
	hash = rcu_dereference_protected(ops.func_hash->filter_hash,
					 lockdep_is_held(&event_mutex));
	ips = kvmalloc_array(hash->count + 1, sizeof(*ips), GFP_KERNEL);
	if (!ips) {
		ret = -ENOMEM;
		goto cleanup;
	}
	kvfree(fe->ips);
	fe->ips = ips;
	fe->nr_ips = copy_hash(hash, proto->module, ips);
	ret = fe->nr_ips ? 0 : -ENOENT;
cleanup:
	ftrace_free_filter(&ops);
	return ret;
}

/* Functions, or other symbols, with the same name: there may be many static ones. */
struct same_name {
	const char	*name;		/* for modules, where all symbols are compared */
	unsigned int	symbols;
	unsigned int	functions;	/* that ftrace knows */
	unsigned long	addr;		/* address of such a function, else of any symbol */
	unsigned long	ip;
};

static int count_same_name(void *data, unsigned long addr)
{
	struct same_name *same = data;
	unsigned long ip = ftrace_location(addr);

	same->symbols++;
	if (ip) {
		same->functions++;
		same->addr = addr;
		same->ip = ip;
	} else if (!same->functions) {
		same->addr = addr;
	}
	return 0;
}

/* Hints about a name that no symbol of the kernel proper has. */
struct other_names {
	const char	*name;
	size_t		len;
	char		*list;		/* modules that have the name */
	size_t		size;
	unsigned int	nr;
	char		clone[64];	/* a copy that the compiler has made of the function */
	char		nearest[64];	/* a function with a similar name */
	size_t		distance;	/* how similar, see fevent_distance() */
};

static int compare_name(void *data, const char *name, unsigned long addr)
{
	struct other_names *other = data;
	size_t distance;

	if (!strncmp(name, other->name, other->len) && name[other->len] == '.' &&
	    !str_has_prefix(name + other->len, ".cold")) {
		strscpy(other->clone, name, sizeof(other->clone));
		return 1;
	}
	distance = fevent_distance(name, other->name);
	if (distance < other->distance && ftrace_location(addr)) {
		other->distance = distance;
		strscpy(other->nearest, name, sizeof(other->nearest));
	}
	return 0;
}

#ifdef CONFIG_MODULES
static int is_in_module(void *data, const char *name, unsigned long addr)
{
	struct other_names *other = data;
	struct module *mod;
	size_t len;

	if (strcmp(name, other->name))
		return 0;
	guard(preempt)();
	mod = __module_address(addr);
	if (!mod)
		return 0;
	len = strlen(other->list);
	snprintf(other->list + len, other->size - len, "%s%s", other->nr++ ? ", " : "", mod->name);
	return 0;
}

static void list_modules(struct other_names *other)
{
	module_kallsyms_on_each_symbol(NULL, is_in_module, other);
}

static int count_if_same_name(void *data, const char *name, unsigned long addr)
{
	struct same_name *same = data;

	return strcmp(name, same->name) ? 0 : count_same_name(same, addr);
}

static void count_in_module(const char *module, struct same_name *same)
{
	module_kallsyms_on_each_symbol(module, count_if_same_name, same);
}
#else
static void count_in_module(const char *module, struct same_name *same)
{
}

static void list_modules(struct other_names *other)
{
}
#endif

/* Nothing in the kernel proper has this name: give the best reason that can be found. */
static int complain_not_found(const struct fevent_proto *proto,
			      struct fevent_complaint *complaint)
{
	char list[64] = "";
	struct other_names other = {
		.name = proto->func, .len = strlen(proto->func),
		.list = list, .size = sizeof(list), .distance = 4,
	};

	list_modules(&other);
	if (other.nr)
		return fevent_complain_with(complaint, IN_MODULE, proto->func_column, "%s", list);
	kallsyms_on_each_symbol(compare_name, &other);
	if (*other.clone)
		return fevent_complain_with(complaint, INLINED, proto->func_column,
					    "there is %s", other.clone);
	if (*other.nearest)
		return fevent_complain_with(complaint, NOT_A_FUNCTION, proto->func_column,
					    "did you mean %s", other.nearest);
	return fevent_complain(complaint, NOT_A_FUNCTION, proto->func_column);
}

static int find_in_kernel(struct fevent *fe, struct fevent_complaint *complaint)
{
	const struct fevent_proto *proto = fe->proto;
	struct same_name same = { };

	kallsyms_on_each_match_symbol(count_same_name, proto->func, &same);
	if (!same.symbols)
		return complain_not_found(proto, complaint);
	if (same.functions > 1)
		return fevent_complain_with(complaint, AMBIGUOUS, proto->func_column,
					    "%u in vmlinux", same.functions);
	if (!same.functions) {
		if (!core_kernel_text(same.addr))
			return fevent_complain(complaint, NOT_A_FUNCTION, proto->func_column);
		return fevent_complain(complaint, NOTRACE, proto->func_column);
	}
	return add_function(fe, same.ip);
}

static bool module_is_there(const char *name)
{
	guard(preempt)();
	return loaded_module(name);
}

/* Is it live? ftrace may not yet know the functions of a module that is being loaded. */
static bool module_has_come(const char *name)
{
#ifdef CONFIG_MODULES
	struct module *mod;

	guard(preempt)();
	mod = loaded_module(name);
	return mod && mod->state == MODULE_STATE_LIVE;
#else
	return false;
#endif
}

/* If true, no module of this name can be loaded. Not all built-in modules are known. */
static bool module_is_built_in(const char *name)
{
	bool built_in = !strcmp(name, "vmlinux");
#ifdef CONFIG_MODULES
	/* Events of the kernel's command line are made before there is a module_kset. */
	struct kobject *kobj = module_kset ? kset_find_obj(module_kset, name) : NULL;

	if (kobj) {
		built_in |= !container_of(kobj, struct module_kobject, kobj)->mod;
		kobject_put(kobj);
	}
#endif
	return built_in;
}

/* The module need not be loaded. */
static int check_module(const struct fevent_proto *proto, struct fevent_complaint *complaint)
{
	if (module_is_there(proto->module) || !module_is_built_in(proto->module))
		return 0;
	return fevent_complain(complaint, NOT_A_MODULE, proto->module_column);
}

static int find_in_module(struct fevent *fe, struct fevent_complaint *complaint)
{
	const struct fevent_proto *proto = fe->proto;
	struct same_name same = { .name = proto->func };

	if (!module_is_there(proto->module))
		return 0;
	count_in_module(proto->module, &same);
	/* If the module has begun to go meanwhile, finding no function proves nothing. */
	if (!same.functions && !module_is_there(proto->module))
		return 0;
	if (!same.symbols)
		return fevent_complain(complaint, NOT_IN_MODULE, proto->func_column);
	if (same.functions > 1)
		return fevent_complain_with(complaint, AMBIGUOUS, proto->func_column,
					    "%u in %s", same.functions, proto->module);
	if (!same.functions)
		return fevent_complain(complaint, NOTRACE, proto->func_column);
	return add_function(fe, same.ip);
}

/**
 * fevent_find_functions - find the functions of an event
 * @fe: the event, which has none yet
 * @complaint: filled in with what is wrong
 *
 * Context: Process context, event_mutex is held, may sleep.
 * Return: 0, also if the module is not loaded, -EINVAL with @complaint filled in, or
 * another negative errno.
 */
int fevent_find_functions(struct fevent *fe, struct fevent_complaint *complaint)
{
	const struct fevent_proto *proto = fe->proto;
	int ret;

	ret = proto->module ? check_module(proto, complaint) : 0;
	if (ret)
		return ret;
	if (!proto->glob)
		return proto->module ? find_in_module(fe, complaint) :
				       find_in_kernel(fe, complaint);
	if (proto->module && !module_is_there(proto->module))
		return 0;
	ret = fevent_find_glob(fe);
	/* The module is going, or it is coming: then the notifier looks again. */
	if (ret == -ENOENT && proto->module && !module_has_come(proto->module))
		return 0;
	if (ret == -ENOENT)
		return fevent_complain(complaint, NO_MATCH, proto->func_column);
	return ret;
}

static bool is_module_per_cpu(const char *name, unsigned long addr)
{
#if defined(CONFIG_MODULES) && defined(CONFIG_SMP)
	struct module *mod;

	guard(preempt)();
	mod = loaded_module(name);
	return mod && addr - (unsigned long)mod->percpu < mod->percpu_size;
#else
	return false;
#endif
}

/* A per-CPU variable has a copy for each CPU. Its symbol is not the address of any copy. */
static bool is_per_cpu(const char *module, unsigned long addr)
{
	if (!IS_ENABLED(CONFIG_SMP))
		return false;
	/*
	 * If the kernel's per-CPU symbols begin at 0, all per-CPU symbols look like user
	 * addresses. If not, those of modules lie after the kernel's, where other data are.
	 */
	return addr < TASK_SIZE_MAX || (addr >= (unsigned long)__per_cpu_start &&
					addr < (unsigned long)__per_cpu_end) ||
	       (module && is_module_per_cpu(module, addr));
}

/*
 * A symbol of a module goes with the module. So it has to be the module of the event's
 * function: the event does not fire without this module, and looks for the symbol again
 * when the module comes back.
 */
static int find_symbol(const struct fevent_proto *proto, struct fevent_field *field,
		       struct fevent_complaint *complaint)
{
	bool in_module = proto->module && !proto->glob;
	struct same_name same = { .name = field->base };

	kallsyms_on_each_match_symbol(count_same_name, field->base, &same);
	if (in_module && module_is_there(proto->module))
		count_in_module(proto->module, &same);
	/* The module may have begun to go meanwhile. */
	if (!same.symbols && in_module && !module_is_there(proto->module))
		return 0;
	if (!same.symbols)
		return fevent_complain(complaint, NO_SYMBOL, field->base_column);
	if (same.symbols > 1)
		return fevent_complain_with(complaint, MANY_SYMBOLS, field->base_column,
					    "there are %u", same.symbols);
	if (is_per_cpu(in_module ? proto->module : NULL, same.addr))
		return fevent_complain(complaint, PERCPU_SYMBOL, field->base_column);
	field->addr = same.addr;
	return 0;
}

/**
 * fevent_find_symbols - find the addresses of fields that are at a symbol
 * @fe: the event, its functions have been looked for
 * @fields: its fields; in those whose source is FEVENT_SYMBOL, addr is set
 * @nr_fields: how many
 * @complaint: filled in with what is wrong
 *
 * Context: Process context, event_mutex is held, may sleep.
 * Return: 0, also if the module is not loaded, or -EINVAL with @complaint filled in.
 */
int fevent_find_symbols(const struct fevent *fe, struct fevent_field *fields,
			unsigned int nr_fields, struct fevent_complaint *complaint)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr_fields && !ret; i++) {
		if (fields[i].source == FEVENT_SYMBOL)
			ret = find_symbol(fe->proto, &fields[i], complaint);
	}
	return ret;
}
