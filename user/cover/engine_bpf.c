// SPDX-License-Identifier: GPL-2.0-only
/*
 * The BPF engine: attaches the coverage program to every function asked for, with one kprobe.multi link.
 * Works on any kernel that has kprobe.multi.
 */
#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cover/bpf_cover.h"

/*
 * What the program calls, or the kernel to run it, by following the function tracer's output from the
 * program on (a set of functions that differs between kernels: it need not exist). Each of these calls
 * would come while it runs, which the kernel does not run it for again: it would count as missed, and as
 * the workload's.
 *
 * Of a call that brings nothing new these are the first ones, which are kprobe.multi's own. Not here is what
 * rcu_read_unlock() calls once in a while, rcu_read_unlock_special(), as others call it as well.
 */
static const struct {
	const char *name;
	unsigned int when;		/* in any of these cases, or OWN_ALWAYS */
} own_functions[] = {
	{ "__rcu_read_lock", OWN_ALWAYS },
	{ "__rcu_read_unlock", OWN_ALWAYS },
	/* Its own as well, on some kernels for each function and on others for a few (get_entry_ip()). */
	{ "copy_from_kernel_nofault", OWN_ALWAYS },
	{ "copy_from_kernel_nofault_allowed", OWN_ALWAYS },
	/* On a first hit. */
	{ "bpf_get_func_ip_kprobe_multi", OWN_ALWAYS },
	{ "bpf_ktime_get_ns", OWN_ALWAYS },
	{ "bpf_get_current_pid_tgid", OWN_ALWAYS },
	/* Where the verifier does not inline it. */
	{ "bpf_get_smp_processor_id", OWN_ALWAYS },
	/* Reading the return address on a kernel without bpf_rdonly_cast(). */
	{ "bpf_probe_read_kernel", OWN_PROBE_READ },
	/* Whose call it is. */
	{ "percpu_array_map_lookup_elem", OWN_FOLLOWING },
	{ "bpf_current_task_under_cgroup", OWN_CGROUP },
	{ "bpf_get_current_task_btf", OWN_COMM },
	/* Keeping the set of tasks up to date, by programs of its own. */
	{ "__bpf_trace_sched_switch", OWN_FOLLOWING },
	{ "__bpf_trace_sched_process_fork", OWN_FOLLOWING },
	{ "__bpf_trace_sched_process_template", OWN_FOLLOWING },
	{ "bpf_trace_run1", OWN_FOLLOWING },
	{ "bpf_trace_run2", OWN_FOLLOWING },
	{ "bpf_trace_run4", OWN_FOLLOWING },
	{ "htab_map_delete_elem", OWN_FOLLOWING },
	{ "free_htab_elem", OWN_FOLLOWING },
	{ "check_and_free_fields", OWN_FOLLOWING },
	{ "bpf_obj_free_fields", OWN_FOLLOWING },
	{ "pcpu_freelist_push", OWN_FOLLOWING },
	{ "__pcpu_freelist_push", OWN_FOLLOWING },
	/* That, and the pinned map. */
	{ "__htab_map_lookup_elem", OWN_FOLLOWING | OWN_PINNED },
	{ "lookup_nulls_elem_raw", OWN_FOLLOWING | OWN_PINNED },
	{ "htab_map_update_elem", OWN_FOLLOWING | OWN_PINNED },
	{ "htab_lock_bucket", OWN_FOLLOWING | OWN_PINNED },
	{ "htab_unlock_bucket", OWN_FOLLOWING | OWN_PINNED },
	{ "lookup_elem_raw", OWN_FOLLOWING | OWN_PINNED },
	{ "alloc_htab_elem", OWN_FOLLOWING | OWN_PINNED },
	{ "__pcpu_freelist_pop", OWN_FOLLOWING | OWN_PINNED },
	{ "___pcpu_freelist_pop", OWN_FOLLOWING | OWN_PINNED },
};

int bpf_own__deny(struct globs *own, const struct symbols *symbols, unsigned int when)
{
	int err = 0;

	if (!symbols__by_name(symbols, "bpf_rdonly_cast"))
		when |= OWN_PROBE_READ;
	for (size_t i = 0; !err && i < sizeof(own_functions) / sizeof(own_functions[0]); i++) {
		if (!own_functions[i].when || own_functions[i].when & when)
			err = globs__add(own, own_functions[i].name);
	}
	return err;
}

struct bpf_engine {
	struct bpf_cover cover;
	unsigned long *addrs;
	size_t addr_count;
	char **unattached;
	size_t unattached_count;
};

static int bpf__available(bool quiet)
{
	/* Asked of the kernel by loading the program: nothing else is as exact. */
	(void)quiet;
	return 0;
}

static int choose_addresses(struct bpf_engine *b, const struct request *r)
{
	size_t count = traceable__count(r->traceable);

	b->addrs = calloc(count + 1, sizeof(*b->addrs));
	b->unattached = calloc(count + 1, sizeof(*b->unattached));
	if (!b->addrs || !b->unattached)
		return error__no_memory();
	for (size_t i = 0; i < count; i++) {
		const struct traceable_function *f = traceable__at(r->traceable, i);
		const struct module *m;

		if (filter__judge(r->filter, f->name, f->module) != FILTER_TRACED)
			continue;
		/* A module on its way in or out makes the kernel refuse the whole list. */
		m = f->module ? symbols__module(r->symbols, f->module) : NULL;
		if (f->module && (!m || !m->live))
			b->unattached[b->unattached_count++] = strdup(f->name);
		else
			b->addrs[b->addr_count++] = f->site;
	}
	if (!b->addr_count)
		return error__return(-EINVAL, "nothing is left to trace: -d takes away all that -a "
				     "gives");
	return 0;
}

static void bpf__destroy(void *engine)
{
	struct bpf_engine *b = engine;

	bpf_cover__unload(&b->cover);
	for (size_t i = 0; i < b->unattached_count; i++)
		free(b->unattached[i]);
	free(b->unattached);
	free(b->addrs);
	free(b);
}

static int bpf__prepare(void **ret, const struct request *request)
{
	struct bpf_engine *b;
	int err;

	b = calloc(1, sizeof(*b));
	if (!b)
		return error__no_memory();
	err = choose_addresses(b, request);
	if (!err)
		err = bpf_cover__load(&b->cover, request, ENTRY_KPROBE_MULTI, 1);
	if (err)
		bpf__destroy(b);
	else
		*ret = b;
	return err;
}

static uint64_t count_missed(const struct bpf_cover *b)
{
	struct bpf_link_info info = {};
	__u32 size = sizeof(info);

	if (bpf_link_get_info_by_fd(bpf_link__fd(b->links[0]), &info, &size))
		return 0;
	return info.kprobe_multi.missed;
}

static int bpf__start(void *engine)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts);
	struct bpf_engine *b = engine;
	int err;

	b->cover.link_missed = count_missed;
	opts.addrs = b->addrs;
	opts.cnt = b->addr_count;
	err = bpf_cover__add_link(&b->cover, bpf_program__attach_kprobe_multi_opts(
					b->cover.program, NULL, &opts));
	return err ? err : bpf_cover__started(&b->cover);
}

static int bpf__collect(void *engine, struct coverage *c, const struct places *places,
			const struct clock_pair *first, const struct clock_pair *last)
{
	struct bpf_engine *b = engine;

	c->unattached = b->unattached;
	b->unattached = NULL;
	b->unattached_count = 0;
	return bpf_cover__collect(&b->cover, c, places, first, last);
}

const struct engine_ops engine_bpf = {
	.name = "bpf",
	.available = bpf__available,
	.prepare = bpf__prepare,
	.follow = bpf_cover__follow,
	.start = bpf__start,
	.open = bpf_cover__open,
	.close = bpf_cover__close,
	.stop = bpf_cover__stop,
	.collect = bpf__collect,
	.destroy = bpf__destroy,
};
