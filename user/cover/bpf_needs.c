// SPDX-License-Identifier: GPL-2.0-only
/* What a run's options mean for the BPF program; see bpf_cover.h. */
#include <bpf/bpf.h>
#include <fcntl.h>

#include "base/error.h"
#include "base/memory.h"
#include "cover/bpf_cover.h"
#include "kernel/features.h"
#include "kernel/fentry_multi.h"
#include "cover.h"
#include "cover.skel.h"

/*
 * There are about four times as many call sites as functions, and few of them are ever executed. So
 * this is enough for all callers.
 */
#define CALLERS_TO_FUNCTION 4
#define SPARE_ENTRIES 1024

/* ---- the functions that the program calls */

/* In which cases the program calls a function (bits). */
enum {
	OWN_ALWAYS = 0,
	OWN_PROBE_READ = 1 << 0,	/* on kernels without bpf_rdonly_cast() */
	OWN_FOLLOWING = 1 << 1,		/* --task, --pid */
	OWN_CGROUP = 1 << 2,
	OWN_COMM = 1 << 3,
	OWN_PINNED = 1 << 4,
};

/*
 * The functions that the program calls, and those that the kernel calls to run it. They were found
 * in the output of the function tracer, after the program's entry. They differ between kernels, and
 * some may not exist. While the program runs, the kernel does not run it again. So each call of
 * these functions would count as a missed call of the workload.
 *
 * For a call with known addresses, only the first functions are called, by kprobe.multi.
 * rcu_read_unlock_special(), which rcu_read_unlock() calls once in a while, is not here, because
 * other code calls it as well.
 */
static const struct {
	const char *name;
	unsigned int when;		/* in any of these cases, or OWN_ALWAYS */
} own_functions[] = {
	{ "__rcu_read_lock", OWN_ALWAYS },
	{ "__rcu_read_unlock", OWN_ALWAYS },
	/* Some kernels call it for each function, others for a few functions (get_entry_ip()). */
	{ "copy_from_kernel_nofault", OWN_ALWAYS },
	{ "copy_from_kernel_nofault_allowed", OWN_ALWAYS },
	/* 7.3 calls this one instead. */
	{ "is_endbr", OWN_ALWAYS },
	/* In 7.3, called after the program if its task was switched out meanwhile. */
	{ "___migrate_enable", OWN_ALWAYS },
	/* Called for a new address. */
	{ "bpf_get_func_ip_kprobe_multi", OWN_ALWAYS },
	{ "bpf_ktime_get_ns", OWN_ALWAYS },
	{ "bpf_get_current_pid_tgid", OWN_ALWAYS },
	{ "bpf_get_current_comm", OWN_ALWAYS },
	/* Called if the verifier does not inline it. */
	{ "bpf_get_smp_processor_id", OWN_ALWAYS },
	/*
	 * Finds the true caller if a return tracer is on a function. Called if the verifier does
	 * not inline it.
	 */
	{ "bpf_get_current_task", OWN_ALWAYS },
	/* Reads the return address if the kernel has no bpf_rdonly_cast(). */
	{ "bpf_probe_read_kernel", OWN_PROBE_READ },
	/* Shows whether the current task is followed. */
	{ "percpu_array_map_lookup_elem", OWN_FOLLOWING },
	{ "bpf_current_task_under_cgroup", OWN_CGROUP },
	{ "bpf_get_current_task_btf", OWN_COMM },
	/*
	 * Shows whether an interrupt has come while the loader attaches (--retire, and new
	 * modules).
	 */
	{ "bpf_this_cpu_ptr", OWN_ALWAYS },
	/* A separate program reports modules that are loaded. */
	{ "__bpf_trace_module_load", OWN_ALWAYS },
	{ "bpf_ringbuf_output", OWN_ALWAYS },
	{ "__bpf_ringbuf_reserve", OWN_ALWAYS },
	{ "bpf_ringbuf_commit", OWN_ALWAYS },
	{ "bpf_ringbuf_notify", OWN_ALWAYS },
	{ "bpf_trace_run1", OWN_ALWAYS },
	/* Separate programs update the set of tasks. */
	{ "__bpf_trace_sched_switch", OWN_FOLLOWING },
	{ "__bpf_trace_sched_process_fork", OWN_FOLLOWING },
	{ "__bpf_trace_sched_process_template", OWN_FOLLOWING },
	{ "bpf_trace_run2", OWN_FOLLOWING },
	{ "bpf_trace_run4", OWN_FOLLOWING },
	{ "htab_map_delete_elem", OWN_FOLLOWING },
	{ "free_htab_elem", OWN_FOLLOWING },
	{ "check_and_free_fields", OWN_FOLLOWING },
	{ "bpf_obj_free_fields", OWN_FOLLOWING },
	{ "pcpu_freelist_push", OWN_FOLLOWING },
	{ "__pcpu_freelist_push", OWN_FOLLOWING },
	/* For the set of tasks, and for the pinned map. */
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

static unsigned int when_own(const struct request *r)
{
	const struct scope *scope = &r->options->scope;

	return (symbols__by_name(r->kernel->symbols, "bpf_rdonly_cast") ? 0 : OWN_PROBE_READ) |
	       (scope__follows(scope) ? OWN_FOLLOWING : 0) | (scope->cgroup ? OWN_CGROUP : 0) |
	       (scope->comm ? OWN_COMM : 0) | (r->options->how.pin ? OWN_PINNED : 0);
}

void bpf_needs__deny_own(struct globs *own, const struct request *request)
{
	unsigned int when = when_own(request);

	for (size_t i = 0; i < sizeof(own_functions) / sizeof(own_functions[0]); i++) {
		if (!own_functions[i].when || own_functions[i].when & when)
			globs__add(own, own_functions[i].name);
	}
}

/* ---- the maps and programs */

/* The largest array of older kernels: KMALLOC_MAX_SIZE. */
#define LARGEST_OF_OLD_KERNELS (4 * 1024 * 1024)

static size_t set_bytes(unsigned int bits)
{
	return SET_PLACES(bits) * sizeof(uint64_t);
}

static bool is_possible(size_t bytes)
{
	int fd;

	if (bytes <= LARGEST_OF_OLD_KERNELS)
		return true;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, sizeof(__u32), bytes, 1, NULL);
	if (fd >= 0)
		close(fd);
	return fd != -E2BIG;
}

/*
 * Half of the places stay empty, so that each address finds a place. @entries: reduced if necessary
 */
static unsigned int set_bits(unsigned long *entries)
{
	unsigned int bits = SET_LEAST_BITS;

	while (bits < SET_MOST_BITS && 1ul << bits < 2 * *entries)
		bits++;
	while (!is_possible(set_bytes(bits)))
		bits--;
	if (*entries > 1ul << (bits - 1))
		*entries = 1ul << (bits - 1);
	return bits;
}

static int size_maps(struct bpf_cover *b)
{
	const struct request *r = b->request;
	const struct cover_how *how = &r->options->how;
	unsigned long entries = how->max_entries;
	struct cover_bpf *skel = b->skel;
	unsigned int bits;

	if (!entries)
		entries = traceable__count(r->kernel->traceable) * (how->callers ? CALLERS_TO_FUNCTION : 1) +
			  SPARE_ENTRIES;
	bits = set_bits(&entries);
	if (r->cuts)
		entries = 1ul << (bits - 1);
	skel->rodata->log_entries = entries;
	skel->rodata->set_shift = 32 - bits;
	if (bpf_map__set_max_entries(skel->maps.hits, entries) ||
	    bpf_map__set_max_entries(skel->maps.seen, entries) ||
	    bpf_map__set_value_size(skel->maps.bss_set, set_bytes(bits)))
		return error__return(-EINVAL, "%lu: not a possible number of addresses", entries);
	return 0;
}

/*
 * Is the tracepoint module_load needed, and there? The event engine does not need it: a glob of an
 * event takes functions of new modules, too. A kernel without modules does not have it.
 */
static bool watches_modules(const struct bpf_cover *b, enum bpf_cover_entry entry)
{
	return entry != ENTER_BY_EVENT &&
	       symbols__by_name(b->request->kernel->symbols, "__bpf_trace_module_load");
}

static void find_trampolines(struct bpf_cover *b)
{
	static const char *const names[] = {
		[GRAPH_TRAMPOLINE] = "return_to_handler",
		[RETHOOK_TRAMPOLINE] = "arch_rethook_trampoline",
		[KRETPROBE_TRAMPOLINE] = "__kretprobe_trampoline",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct symbol *sym = symbols__by_name(b->request->kernel->symbols, names[i]);

		b->skel->rodata->return_trampolines[i] = sym ? sym->addr : 0;
	}
}

/* Finds the function from which the kernel calls the functions that check_caller is attached to. */
static void find_checked(struct bpf_cover *b)
{
	const struct symbols *symbols = b->request->kernel->symbols;
	const struct symbol *sym = symbols__by_name(symbols, "bpf_prog_test_run_tracing"), *next = sym;
	const struct symbol *end = symbols__at(symbols, 0) + symbols__count(symbols);

	while (next && next < end && next->addr == sym->addr)
		next++;
	b->skel->rodata->checked_from = next && next < end ? sym->addr : 0;
	b->skel->rodata->checked_bytes = next && next < end ? next->addr - sym->addr : 0;
}

/* Which of the programs of a way of entry is loaded; NULL: none of them. */
static struct bpf_program *choose_entry(struct bpf_program *const programs[3], const struct request *r, bool wanted)
{
	struct bpf_program *chosen = !wanted ? NULL : programs[r->cuts ? 2 : !r->options->how.callers];

	for (size_t i = 0; i < 3; i++)
		bpf_program__set_autoload(programs[i], programs[i] == chosen);
	return chosen;
}

static void choose_fentry(struct bpf_cover *b, bool wanted)
{
	struct bpf_program *const programs[] = {
		b->skel->progs.cover_fentry, b->skel->progs.cover_fentry_nc, b->skel->progs.cover_fentry_cuts,
	};

	if (wanted)
		find_checked(b);
	for (size_t i = 0; i < 3; i++)
		tracing_multi__choose(programs[i]);
	b->fentry = choose_entry(programs, b->request, wanted);
	tracing_multi__choose(b->skel->progs.check_caller);
	bpf_program__set_autoload(b->skel->progs.check_caller, wanted && b->request->options->how.callers);
}

/* Loads only the programs and the maps that this run needs. */
static void choose_programs(struct bpf_cover *b, enum bpf_cover_entry entry)
{
	const struct cover_options *o = b->request->options;
	bool follow = scope__follows(&o->scope), watches = watches_modules(b, entry), event = entry == ENTER_BY_EVENT;
	struct bpf_program *const programs[] = {
		b->skel->progs.cover_entry, b->skel->progs.cover_entry_nc, b->skel->progs.cover_entry_cuts,
	};

	b->program = choose_entry(programs, b->request, !event) ?: b->skel->progs.cover_event_entry;
	bpf_program__set_autoload(b->skel->progs.cover_event_entry, event);
	choose_fentry(b, entry == ENTER_BY_FENTRY_MULTI);
	bpf_program__set_autoload(b->skel->progs.on_switch, follow);
	bpf_program__set_autoload(b->skel->progs.on_fork, follow);
	bpf_program__set_autoload(b->skel->progs.on_free, follow);
	bpf_program__set_autoload(b->skel->progs.take_threads, follow);
	bpf_program__set_autoload(b->skel->progs.refresh_cpu, follow);
	bpf_program__set_autoload(b->skel->progs.on_module, watches);
	bpf_map__set_autocreate(b->skel->maps.seen, o->how.pin);
	bpf_map__set_autocreate(b->skel->maps.cgroup, o->scope.cgroup);
	bpf_map__set_autocreate(b->skel->maps.followed, follow);
	bpf_map__set_autocreate(b->skel->maps.cpu_followed, follow);
	bpf_map__set_autocreate(b->skel->maps.news, watches);
	find_trampolines(b);
	b->skel->rodata->with_callers = o->how.callers;
	b->skel->rodata->with_cuts = b->request->cuts;
	b->skel->bss->generation = 1;
	b->skel->rodata->with_map = o->how.pin;
	b->skel->rodata->follow_tasks = follow;
	b->skel->rodata->in_cgroup = o->scope.cgroup;
	if (o->scope.comm)
		strncpy((char *)b->skel->rodata->comm, o->scope.comm,
			sizeof(b->skel->rodata->comm) - 1);
}

int bpf_needs__choose(struct bpf_cover *b, enum bpf_cover_entry entry)
{
	choose_programs(b, entry);
	return size_maps(b);
}

/* Only cgroup v2 works: with its one hierarchy, a task has only one cgroup. */
static int choose_cgroup(struct bpf_cover *b, const char *given)
{
	__u32 zero = 0;
	char *path = xasprintf("%s%s", *given == '/' ? "" : "/sys/fs/cgroup/", given);
	int fd, err;

	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = fd < 0 ? -errno : bpf_map_update_elem(bpf_map__fd(b->skel->maps.cgroup), &zero, &fd, BPF_ANY);
	if (err && features__ask(FEATURE_CGROUP)->state == FEATURE_NO)
		features__refuse(FEATURE_CGROUP, "--cgroup");
	else if (err)
		error__print("--cgroup %s: %s", path,
			     fd < 0 ? strerror(-err) :
			     "is no cgroup of version 2; give the path of one, as under /sys/fs/cgroup");
	if (fd >= 0)
		close(fd);
	free(path);
	return err ? -EINVAL : 0;
}

int bpf_needs__fill(struct bpf_cover *b)
{
	const char *cgroup = b->request->options->scope.cgroup;

	return cgroup ? choose_cgroup(b, cgroup) : 0;
}
