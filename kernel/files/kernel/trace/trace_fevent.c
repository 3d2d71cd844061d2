// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: trace events that are made by writing the prototype of a kernel
 * function.
 *
 *	# echo 'ssize_t vfs_read(NULL, NULL, size_t count)' > function_events
 *	# echo 1 > events/functions/vfs_read/enable
 *
 * This file creates and removes events. Other files tell what the record of an event is
 * (trace_fevent_record.h), and what happens when the function runs
 * (trace_fevent_hook.h). See Documentation/trace/function-events.rst.
 *
 * An event, struct fevent, comes from a line. fevent_parse() makes a structure of the
 * line, fevent_find_functions() finds the addresses of the functions, and
 * fevent_compile() lays out the record. The event becomes visible after all of this
 * has succeeded. It is a dynamic event (trace_dynevent.h) with a trace_probe inside,
 * like the event of a kprobe.
 *
 * One write is one change. First, all of its lines are read and checked: events to
 * create are prepared; events to remove must exist and must not be busy. Then the
 * change is made: first the events with new names, then the removals, then the events
 * that take over the name of a removed one. The last group may get ids of removed
 * events. So the buffers of all online CPUs are reset after the removals, and no record
 * there is taken for a record of another event. The buffer of a CPU that is offline may
 * still have such a record, as with all dynamic events.
 *
 * Modules. The module of MODULE: need not be loaded. Until it is, the event has no
 * functions and never fires. The module notifier finds the functions when the module
 * comes, and drops them when the module, or its init text, goes.
 *
 * Locks. Everything here is under event_mutex. An event is freed a grace period after
 * its last listener has left, see trace_fevent_hook.c.
 */
#define pr_fmt(fmt)	"function_events: " fmt

#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/stringhash.h>

#include "trace_fevent_types.h"
#include "trace_fevent_btf.h"
#include "trace_fevent_core.h"
#include "trace_fevent_hook.h"
#include "trace_fevent_record.h"

#define FEVENT_PREFIX		"F:"	/* in dynamic_events */

LIST_HEAD(fevent_list);
static DEFINE_HASHTABLE(fevent_names, 10);

static int fevent_create(const char *raw_command);
static int fevent_show(struct seq_file *m, struct dyn_event *ev);
static bool fevent_is_busy(struct dyn_event *ev);
static int fevent_release(struct dyn_event *ev);
static bool fevent_match(const char *system, const char *event, int argc, const char **argv,
			 struct dyn_event *ev);

static struct dyn_event_operations fevent_dyn_ops = {
	.create		= fevent_create,
	.show		= fevent_show,
	.is_busy	= fevent_is_busy,
	.free		= fevent_release,
	.match		= fevent_match,
};

/**
 * is_fevent - is a dynamic event a function event?
 * @ev: the dynamic event
 */
bool is_fevent(struct dyn_event *ev)
{
	return ev->ops == &fevent_dyn_ops;
}

/* ---- an event ---- */

static void fevent_free(struct fevent *fe)
{
	if (!fe)
		return;
	trace_probe_cleanup(&fe->tp);
	fevent_free_code(fe);
	fevent_btf_put(fe);
	kvfree(fe->ips);
	kfree(fe->text);
	fevent_proto_free(fe->proto);
	kfree(fe);
}

static char *fevent_text(const struct fevent_proto *proto)
{
	int len = fevent_print(proto, NULL, 0);
	char *text = kmalloc(len + 1, GFP_KERNEL);

	if (text)
		fevent_print(proto, text, len + 1);
	return text;
}

static void fevent_init_call(struct fevent *fe)
{
	struct trace_event_call *call = trace_probe_event_call(&fe->tp);

	call->event.funcs = &fevent_funcs;
	call->class->fields_array = fe->layout.fields;
	call->class->reg = fevent_class_reg;
	call->class->batch = &fevent_batch_ops;
	call->flags = TRACE_EVENT_FL_FUNCTION;
#ifdef CONFIG_PERF_EVENTS
	call->perf_perm = fevent_perf_perm;
#endif
}

/* Takes over @proto, also when it fails. */
static struct fevent *fevent_alloc(struct fevent_proto *proto, unsigned int nr_fields)
{
	int nr_args = nr_fields + FEVENT_EXTRA_ARGS;
	struct fevent *fe;

	fe = kzalloc(struct_size(fe, tp.args, nr_args), GFP_KERNEL);
	if (!fe) {
		fevent_proto_free(proto);
		return NULL;
	}
	fe->proto = proto;
	INIT_LIST_HEAD(&fe->batch);
	INIT_LIST_HEAD(&fe->listen.armed);
	INIT_LIST_HEAD(&fe->listen.fresh);
	dyn_event_init(&fe->devent, &fevent_dyn_ops);
	fe->text = fevent_text(proto);
	if (!fe->text || trace_probe_init(&fe->tp, proto->name, proto->group, false, nr_args)) {
		fevent_free(fe);
		return NULL;
	}
	return fe;
}

/* Takes over @proto, also when it fails. */
static struct fevent *fevent_new(struct fevent_proto *proto, struct fevent_complaint *complaint)
{
	struct fevent_field *expanded = NULL, *fields = proto->fields;
	unsigned int nr_fields = proto->nr_fields;
	struct fevent *fe;
	int ret;

	if (proto->returns && !IS_ENABLED(CONFIG_FUNCTION_EVENTS_RETURN)) {
		ret = fevent_complain(complaint, NO_RETURNS, proto->ret_column);
		goto fail;
	}
	if (proto->all_args) {
		ret = fevent_btf_expand(proto, &expanded, &nr_fields, complaint);
		if (ret)
			goto fail;
		fields = expanded;
	}
	fe = fevent_alloc(proto, nr_fields);
	if (!fe) {
		kfree(expanded);
		return ERR_PTR(-ENOMEM);
	}
	ret = fevent_find_functions(fe, complaint);
	if (!ret)
		ret = fevent_find_symbols(fe, fields, nr_fields, complaint);
	if (!ret)
		ret = fevent_compile(fe, fields, nr_fields, complaint);
	kfree(expanded);
	if (ret) {
		fevent_free(fe);
		return ERR_PTR(ret);
	}
	fevent_init_call(fe);
	return fe;

fail:
	fevent_proto_free(proto);
	return ERR_PTR(ret);
}

static bool fevent_is_busy(struct dyn_event *ev)
{
	struct fevent *fe = dyn_event_fevent(ev);

	return trace_probe_is_enabled(&fe->tp) ||
	       trace_event_dyn_busy(trace_probe_event_call(&fe->tp));
}

static int fevent_register(struct fevent *fe)
{
	struct trace_event_call *call = trace_probe_event_call(&fe->tp);
	int ret;

	/* Names are checked already; trace_probe_register_event_call() would walk all events. */
	if (!register_trace_event(&call->event))
		return -ENODEV;
	ret = trace_add_event_call(call);
	if (ret) {
		unregister_trace_event(&call->event);
		return ret;
	}
	list_add_tail(&fe->list, &fevent_list);
	return dyn_event_add(&fe->devent, call);
}

static int fevent_unregister(struct fevent *fe)
{
	int ret;

	if (fevent_is_busy(&fe->devent))
		return -EBUSY;
	/* A call that is under way may still use the event and its files. */
	fevent_wait_idle(fe);
	ret = trace_probe_unregister_event_call(&fe->tp);
	if (ret)
		return ret;
	dyn_event_remove(&fe->devent);
	list_del(&fe->list);
	hash_del(&fe->name_node);
	return 0;
}

/* ---- names ---- */

static u32 fevent_key(const char *name)
{
	return full_name_hash(NULL, name, strlen(name));
}

static struct fevent *fevent_find(const char *group, const char *name)
{
	struct fevent *fe, *doomed = NULL;

	hash_for_each_possible(fevent_names, fe, name_node, fevent_key(name)) {
		if (strcmp(fevent_name(fe), name) || strcmp(fevent_group(fe), group))
			continue;
		if (!fe->doomed)
			return fe;
		doomed = fe;
	}
	return doomed;
}

/* Does an event of another kind have this name? Function events are in the hash. */
static bool name_is_taken(const char *group, const char *name)
{
	struct trace_event_call *call;

	list_for_each_entry(call, &ftrace_events, list) {
		if ((call->flags & TRACE_EVENT_FL_FUNCTION) || !call->class->system ||
		    strcmp(call->class->system, group))
			continue;
		if (trace_event_name(call) && !strcmp(trace_event_name(call), name))
			return true;
	}
	return false;
}

/* Groups and events become directories, beside these files. */
static bool is_file_name(const char *name)
{
	static const char *const files[] = { "enable", "filter", "header_event", "header_page" };

	return match_string(files, ARRAY_SIZE(files), name) >= 0;
}

/* ---- a write ---- */

struct fevent_change {
	struct list_head	created;
	struct list_head	removed;
};

static int change_remove(struct fevent_change *change, struct fevent_proto *proto,
			 struct fevent_complaint *complaint)
{
	struct fevent *fe = fevent_find(proto->group, proto->name);

	if (!fe || fe->doomed) {
		fevent_complain(complaint, NO_EVENT, proto->name_column);
		return -ENOENT;
	}
	/* It was created by the same write and is not visible yet. */
	if (list_empty(&fe->devent.list)) {
		list_del(&fe->batch);
		hash_del(&fe->name_node);
		fevent_free(fe);
		return 0;
	}
	if (fevent_is_busy(&fe->devent)) {
		fevent_complain(complaint, BUSY, proto->name_column);
		return -EBUSY;
	}
	fe->doomed = true;
	list_add_tail(&fe->batch, &change->removed);
	return 0;
}

/* Takes over @proto, also when it fails. */
static int change_create(struct fevent_change *change, struct fevent_proto *proto,
			 struct fevent_complaint *complaint)
{
	struct fevent *old, *fe;
	int ret;

	old = fevent_find(proto->group, proto->name);
	if (is_file_name(proto->group) || is_file_name(proto->name)) {
		ret = fevent_complain(complaint, FILE_NAME, proto->name_column);
		goto fail;
	}
	if ((old && !old->doomed) || name_is_taken(proto->group, proto->name)) {
		fevent_complain(complaint, EXISTS, proto->name_column);
		ret = -EEXIST;
		goto fail;
	}
	fe = fevent_new(proto, complaint);
	if (IS_ERR(fe))
		return PTR_ERR(fe);
	fe->replaces = old;
	hash_add(fevent_names, &fe->name_node, fevent_key(fevent_name(fe)));
	list_add_tail(&fe->batch, &change->created);
	return 0;

fail:
	fevent_proto_free(proto);
	return ret;
}

static int change_add_line(struct fevent_change *change, const char *line, size_t len,
			   struct fevent_complaint *complaint)
{
	struct fevent_proto *proto;
	int ret;

	proto = fevent_parse(line, len, FEVENT_MAX_ARGS, fevent_find_typedef,
			     &complaint->error);
	if (IS_ERR(proto))
		return PTR_ERR(proto);
	switch (proto->kind) {
	case FEVENT_EVENT:
		return change_create(change, proto, complaint);
	case FEVENT_REMOVE:
		ret = change_remove(change, proto, complaint);
		break;
	default:
		ret = 0;
		break;
	}
	fevent_proto_free(proto);
	return ret;
}

/* This only fails for lack of memory or of event ids. */
static int change_register(struct fevent_change *change, bool replacing)
{
	struct fevent *fe;
	int ret;

	list_for_each_entry(fe, &change->created, batch) {
		if (fe->replaces != replacing)
			continue;
		ret = fevent_register(fe);
		if (ret)
			return ret;
	}
	return 0;
}

static void change_remove_removed(struct fevent_change *change)
{
	struct fevent *fe, *tmp;

	if (list_empty(&change->removed))
		return;
	list_for_each_entry_safe(fe, tmp, &change->removed, batch) {
		list_del(&fe->batch);
		if (!WARN_ON_ONCE(fevent_unregister(fe)))
			fevent_free(fe);
	}
	/* Other events may get the removed events' ids, which buffers may have in records. */
	tracing_reset_all_online_cpus();
}

static void change_undo(struct fevent_change *change)
{
	struct fevent *fe, *tmp;

	list_for_each_entry_safe(fe, tmp, &change->created, batch) {
		list_del(&fe->batch);
		if (list_empty(&fe->devent.list))
			hash_del(&fe->name_node);
		else
			WARN_ON_ONCE(fevent_unregister(fe));
		fevent_free(fe);
	}
	list_for_each_entry_safe(fe, tmp, &change->removed, batch) {
		list_del_init(&fe->batch);
		fe->doomed = false;
	}
}

static int change_commit(struct fevent_change *change)
{
	int ret;

	ret = change_register(change, false);
	if (ret) {
		change_undo(change);
		return ret;
	}
	change_remove_removed(change);
	ret = change_register(change, true);
	/* Events that were removed cannot be brought back. */
	if (ret)
		change_undo(change);
	return ret;
}

static void report_complaint(const char *line, size_t len,
			     const struct fevent_complaint *complaint)
{
	char loc[112];
	char *text;

	if (complaint->error.err == FEVENT_ERR_NONE)
		return;
	text = kmemdup_nul(line, len, GFP_KERNEL);
	if (!text)
		return;
	snprintf(loc, sizeof(loc), "function_events%s%s", complaint->detail[0] ? ": " : "",
		 complaint->detail);
	tracing_log_err(NULL, loc, text, fevent_err_text, complaint->error.err,
			complaint->error.column);
	kfree(text);
}

/* The last line may lack its newline. */
static int change_add_lines(struct fevent_change *change, const char *text, size_t len,
			    struct fevent_complaint *complaint)
{
	const char *end = text + len, *line, *next;
	int ret;

	for (line = text; line < end; line = next + 1) {
		next = memchr(line, '\n', end - line) ?: end;
		memset(complaint, 0, sizeof(*complaint));
		ret = change_add_line(change, line, next - line, complaint);
		if (ret) {
			report_complaint(line, next - line, complaint);
			return ret;
		}
		cond_resched();
	}
	return 0;
}

/**
 * fevent_change_lines - create and remove events, all or none
 * @text: lines, as in function_events
 * @len: their length
 * @complaint: what was wrong with a line, as in error_log
 *
 * If there is no memory for events that take over the names of removed ones, the
 * removed events stay removed.
 *
 * Context: Process context, event_mutex is held, may sleep.
 * Return: 0, or a negative errno: -EINVAL, -ENOENT, -EEXIST and -EBUSY are in
 * error_log.
 */
int fevent_change_lines(const char *text, size_t len, struct fevent_complaint *complaint)
{
	struct fevent_change change = {
		.created = LIST_HEAD_INIT(change.created),
		.removed = LIST_HEAD_INIT(change.removed),
	};
	int ret;

	lockdep_assert_held(&event_mutex);
	ret = security_locked_down(LOCKDOWN_KPROBES);
	if (ret)
		return ret;
	ret = change_add_lines(&change, text, len, complaint);
	fevent_btf_done();
	if (ret) {
		change_undo(&change);
		return ret;
	}
	return change_commit(&change);
}

/**
 * fevent_clear - remove all events
 *
 * Context: Process context, may sleep.
 * Return: 0, or -EBUSY if an event is in use; then none is removed.
 */
int fevent_clear(void)
{
	struct fevent_change change = {
		.created = LIST_HEAD_INIT(change.created),
		.removed = LIST_HEAD_INIT(change.removed),
	};
	struct fevent *fe;
	int ret = 0;

	mutex_lock(&event_mutex);
	list_for_each_entry(fe, &fevent_list, list) {
		if (fevent_is_busy(&fe->devent)) {
			change_undo(&change);
			ret = -EBUSY;
			break;
		}
		fe->doomed = true;
		list_add_tail(&fe->batch, &change.removed);
	}
	if (!ret)
		ret = change_commit(&change);
	mutex_unlock(&event_mutex);
	return ret;
}

/* ---- dynamic_events ---- */

static int fevent_create(const char *raw_command)
{
	struct fevent_complaint complaint;
	int ret;

	if (!str_has_prefix(raw_command, FEVENT_PREFIX))
		return -ECANCELED;
	raw_command += strlen(FEVENT_PREFIX);
	mutex_lock(&event_mutex);
	ret = fevent_change_lines(raw_command, strlen(raw_command), &complaint);
	mutex_unlock(&event_mutex);
	return ret;
}

static int fevent_show(struct seq_file *m, struct dyn_event *ev)
{
	seq_printf(m, FEVENT_PREFIX "%s\n", dyn_event_fevent(ev)->text);
	return 0;
}

static int fevent_release(struct dyn_event *ev)
{
	struct fevent *fe = dyn_event_fevent(ev);
	int ret = fevent_unregister(fe);

	if (ret)
		return ret;
	fevent_free(fe);
	return 0;
}

static bool fevent_match(const char *system, const char *event, int argc, const char **argv,
			 struct dyn_event *ev)
{
	struct fevent *fe = dyn_event_fevent(ev);

	if (argc)
		return false;
	return (!event[0] || !strcmp(event, fevent_name(fe))) &&
	       (!system || !strcmp(system, fevent_group(fe)));
}

/* ---- modules ---- */

#ifdef CONFIG_MODULES
/* Can the event have functions in @mod? It names @mod, or it is a glob over all modules. */
static bool fevent_cares_for(const struct fevent *fe, const struct module *mod)
{
	return fe->proto->module ? !strcmp(fe->proto->module, mod->name) : fe->proto->glob;
}

/*
 * When the event was made, the module was perhaps not loaded, or it was another version.
 * So make the event once more. If its records are the same, take over its functions and
 * the code that finds its values. No call uses the code that is replaced: no function
 * of the module has run yet.
 */
static int fevent_renew(struct fevent *fe, struct fevent_complaint *complaint)
{
	struct fevent_proto *proto;
	struct fevent *now;
	int i, ret = 0;

	proto = fevent_parse(fe->text, strlen(fe->text), FEVENT_MAX_ARGS, fevent_find_typedef,
			     &complaint->error);
	if (IS_ERR(proto))
		return PTR_ERR(proto);
	now = fevent_new(proto, complaint);
	if (IS_ERR(now))
		return PTR_ERR(now);
	if (fevent_same_records(fe, now)) {
		swap(fe->ips, now->ips);
		swap(fe->nr_ips, now->nr_ips);
		swap(fe->layout.cuts, now->layout.cuts);
		swap(fe->layout.loads, now->layout.loads);
		swap(fe->layout.loads_end, now->layout.loads_end);
		for (i = 0; i < fe->tp.nr_args; i++)
			swap(fe->tp.args[i].code, now->tp.args[i].code);
	} else {
		ret = fevent_complain(complaint, CHANGED, now->proto->module_column);
	}
	fevent_free(now);
	return ret;
}

static bool fevent_find_in(struct fevent *fe)
{
	struct fevent_complaint complaint = { };
	unsigned int before = fe->nr_ips;
	int ret;

	if (fe->proto->glob) {
		ret = fevent_find_glob(fe);
		if (ret == -ENOENT)
			ret = 0;
	} else {
		ret = fevent_renew(fe, &complaint);
	}
	if (ret) {
		report_complaint(fe->text, strlen(fe->text), &complaint);
		pr_warn("%s/%s is not armed in the module: %s (%d)\n", fevent_group(fe),
			fevent_name(fe), fevent_err_text[complaint.error.err], ret);
	}
	return fe->nr_ips != before;
}

static bool fevent_drop(struct fevent *fe, const struct module *mod, bool init_only)
{
	unsigned int i, nr = 0;
	bool dropped;

	for (i = 0; i < fe->nr_ips; i++) {
		if (init_only ? within_module_init(fe->ips[i], mod) :
				within_module(fe->ips[i], mod))
			continue;
		fe->ips[nr++] = fe->ips[i];
	}
	dropped = nr != fe->nr_ips;
	fe->nr_ips = nr;
	return dropped;
}

static int fevent_module_notify(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;
	bool changed = false;
	struct fevent *fe;
	int ret;

	mutex_lock(&event_mutex);
	list_for_each_entry(fe, &fevent_list, list) {
		bool armed = fevent_is_armed(fe);

		switch (state) {
		case MODULE_STATE_COMING:
			if (fevent_cares_for(fe, mod))
				changed |= fevent_find_in(fe) && armed;
			break;
		case MODULE_STATE_LIVE:
			changed |= fevent_drop(fe, mod, true) && armed;
			break;
		case MODULE_STATE_GOING:
			changed |= fevent_drop(fe, mod, false) && armed;
			break;
		}
	}
	if (changed) {
		ret = fevent_update_hooks();
		if (ret)
			fevent_forget(mod);
		if (ret && state != MODULE_STATE_GOING)
			pr_warn("error %d: events are not armed in module %s\n", ret, mod->name);
	}
	mutex_unlock(&event_mutex);
	return NOTIFY_OK;
}

/* It runs after BTF's own notifier, which has priority 0, as most notifiers have. */
static struct notifier_block fevent_module_nb = {
	.notifier_call	= fevent_module_notify,
	.priority	= -1,
};
#endif

/* Before anybody can read dynamic_events. */
static int __init fevent_init_early(void)
{
#ifdef CONFIG_MODULES
	int ret = register_module_notifier(&fevent_module_nb);

	if (ret)
		return ret;
#endif
	return dyn_event_register(&fevent_dyn_ops);
}
core_initcall(fevent_init_early);
