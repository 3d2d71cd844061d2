// SPDX-License-Identifier: GPL-2.0-only
/*
 * The BPF engine: loads bpf/cover.bpf.c, attaches it to every function asked for with one kprobe.multi
 * link, and reads the map. Works on any kernel that has kprobe.multi.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cover.h"
#include "cover.skel.h"
#include "engine.h"
#include "error.h"
#include "pin.h"
#include "privileges.h"

#define NEWS_BYTES (1024 * 1024)
/* Callers outnumber functions: about four call sites to a function, of which few are ever used. */
#define CALLERS_TO_FUNCTION 4
#define SPARE_ENTRIES 1024

/*
 * What the program calls, by following the function tracer's output from the program on (a set of
 * functions that differs between kernels: it need not exist). Without this it would record itself as the
 * workload, and each of these calls would count as one that its recursion guard kept from it.
 *
 * Not here: locks and the like, which it calls on a first hit only and every workload calls as well.
 */
const char *const bpf_own_functions[] = {
	/* on each hit */
	"__rcu_read_lock",
	"__rcu_read_unlock",
	"bpf_get_func_ip_kprobe_multi",
	"__htab_map_lookup_elem",
	"lookup_nulls_elem_raw",
	"copy_from_kernel_nofault",
	/* on each first hit */
	"bpf_ktime_get_ns",
	"bpf_get_current_pid_tgid",
	"htab_map_update_elem",
	"htab_lock_bucket",
	"htab_unlock_bucket",
	"lookup_elem_raw",
	"alloc_htab_elem",
	"__pcpu_freelist_pop",
	"___pcpu_freelist_pop",
	"bpf_ringbuf_reserve",
	"__bpf_ringbuf_reserve",
	"bpf_ringbuf_submit",
	"bpf_ringbuf_commit",
	NULL,
};

struct bpf_engine {
	const struct request *request;
	struct cover_bpf *skel;
	struct bpf_link *link, *on_switch, *on_fork, *on_free;
	struct ring_buffer *ring;
	unsigned long *addrs;
	size_t addr_count;
	char **unattached;
	size_t unattached_count;
	char *pins[3];
	/* Counted since the link exists; before the opening, and at the end. */
	uint64_t missed[2], recursion[2];
	uint64_t news, memory;
};

static char last_message[1024];

/* libbpf's own words are kept for the case that loading fails; the verifier's log is all in there. */
static int keep_message(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level == LIBBPF_WARN)
		return vsnprintf(last_message, sizeof(last_message), fmt, ap);
	return 0;
}

static int bpf__available(bool quiet)
{
	/* Asked of the kernel by loading the program: nothing else is as exact. */
	(void)quiet;
	return 0;
}

static int load_error(int err, const char *what)
{
	last_message[strcspn(last_message, "\n")] = '\0';
	error__print("the BPF program cannot be %s: %s (%s)%s", what, strerror(-err), last_message,
		     privileges__hint(err));
	if (err == -EPERM || err == -EACCES)
		return -EPERM;
	/* Not in this kernel: program or attach type, BTF, a kernel function. */
	return err == -ENOMEM ? err : -EOPNOTSUPP;
}

static int choose_addresses(struct bpf_engine *b)
{
	const struct request *r = b->request;
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

static int size_maps(struct bpf_engine *b)
{
	const struct request *r = b->request;
	unsigned long entries = r->max_entries;

	if (!entries)
		entries = traceable__count(r->traceable) * (r->callers ? CALLERS_TO_FUNCTION : 1) +
			  SPARE_ENTRIES;
	if (bpf_map__set_max_entries(b->skel->maps.seen, entries) ||
	    bpf_map__set_max_entries(b->skel->maps.news, NEWS_BYTES))
		return error__return(-EINVAL, "%lu: not a possible number of map entries", entries);
	return 0;
}

/* Of the programs, only those that this run needs. */
static void choose_programs(struct bpf_engine *b)
{
	bool follow = b->request->follow;

	bpf_program__set_autoload(b->skel->progs.on_switch, follow);
	bpf_program__set_autoload(b->skel->progs.on_fork, follow);
	bpf_program__set_autoload(b->skel->progs.on_free, follow);
	bpf_program__set_autoload(b->skel->progs.take_threads, follow);
	bpf_program__set_autoload(b->skel->progs.refresh_cpu, follow);
	b->skel->rodata->with_callers = b->request->callers;
	b->skel->rodata->follow_tasks = follow;
}

static int pin_to(struct bpf_engine *b, int slot, const char *dir, const char *name)
{
	return pin__path(dir, name, b->request->guard, &b->pins[slot]);
}

static int pin_map_and_program(struct bpf_engine *b)
{
	char *dir;
	int err;

	err = pin__prepare(b->request->pin, b->request->guard, &dir);
	if (err)
		return err;
	err = pin_to(b, 0, dir, "seen");
	if (!err)
		err = pin_to(b, 1, dir, "prog");
	if (!err)
		err = pin_to(b, 2, dir, "link");
	if (!err) {
		err = bpf_map__pin(b->skel->maps.seen, b->pins[0]);
		if (!err)
			err = bpf_program__pin(b->skel->progs.cover_entry, b->pins[1]);
		if (err)
			error__print("--pin %s: cannot pin: %s", dir, strerror(-err));
	}
	free(dir);
	return err;
}

/* What the kernel says the object takes, from the descriptor's own page in /proc. */
static uint64_t memory_of(int fd)
{
	unsigned long long bytes = 0;
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			break;
	}
	if (f)
		fclose(f);
	return bytes;
}

static int take_news(void *arg, void *data, size_t size)
{
	struct bpf_engine *b = arg;

	(void)data;
	(void)size;
	b->news++;
	return 0;
}

static void bpf__destroy(void *engine)
{
	struct bpf_engine *b = engine;

	bpf_link__destroy(b->link);
	bpf_link__destroy(b->on_switch);
	bpf_link__destroy(b->on_fork);
	bpf_link__destroy(b->on_free);
	ring_buffer__free(b->ring);
	cover_bpf__destroy(b->skel);
	for (size_t i = 0; i < b->unattached_count; i++)
		free(b->unattached[i]);
	free(b->unattached);
	free(b->addrs);
	for (int i = 0; i < 3; i++)
		free(b->pins[i]);
	free(b);
}

static int bpf__load(struct bpf_engine *b)
{
	int err;

	b->skel = cover_bpf__open();
	if (!b->skel)
		return load_error(-errno, "opened");
	choose_programs(b);
	err = size_maps(b);
	if (err)
		return err;
	err = cover_bpf__load(b->skel);
	if (err)
		return load_error(err, "loaded");
	b->memory = memory_of(bpf_map__fd(b->skel->maps.seen)) +
		    memory_of(bpf_map__fd(b->skel->maps.news));
	b->ring = ring_buffer__new(bpf_map__fd(b->skel->maps.news), take_news, b, NULL);
	if (!b->ring)
		return load_error(-errno, "given a ring buffer");
	return 0;
}

static int bpf__prepare(void **ret, const struct request *request)
{
	struct bpf_engine *b;
	int err;

	libbpf_set_print(keep_message);
	b = calloc(1, sizeof(*b));
	if (!b)
		return error__no_memory();
	b->request = request;
	err = choose_addresses(b);
	if (!err)
		err = bpf__load(b);
	if (!err && request->pin)
		err = pin_map_and_program(b);
	if (err)
		bpf__destroy(b);
	else
		*ret = b;
	return err;
}

static int attach_tracepoint(struct bpf_program *program, struct bpf_link **ret)
{
	*ret = bpf_program__attach(program);
	return *ret ? 0 : load_error(-errno, "attached to the scheduler");
}

static int take_threads(struct bpf_engine *b, pid_t pid)
{
	struct bpf_link *link;
	char buffer[64];
	int fd, err = 0;

	b->skel->bss->follow_tgid = pid;
	link = bpf_program__attach_iter(b->skel->progs.take_threads, NULL);
	if (!link)
		return load_error(-errno, "attached to the task iterator");
	fd = bpf_iter_create(bpf_link__fd(link));
	if (fd < 0) {
		err = load_error(fd, "run over the tasks");
	} else {
		while (read(fd, buffer, sizeof(buffer)) > 0)
			;
		close(fd);
	}
	bpf_link__destroy(link);
	return err;
}

static int refresh_cpus(struct bpf_engine *b)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU);
	int cpus = libbpf_num_possible_cpus(), err;

	for (int cpu = 0; cpu < cpus; cpu++) {
		opts.cpu = cpu;
		err = bpf_prog_test_run_opts(bpf_program__fd(b->skel->progs.refresh_cpu), &opts);
		/* -ENXIO: that CPU is offline. */
		if (err && err != -ENXIO)
			return load_error(err, "run on each CPU");
	}
	return 0;
}

/* First the probes that keep the set up to date, then the threads there are: none slips between. */
static int bpf__follow(void *engine, pid_t pid)
{
	struct bpf_engine *b = engine;
	int err;

	err = attach_tracepoint(b->skel->progs.on_fork, &b->on_fork);
	if (!err)
		err = attach_tracepoint(b->skel->progs.on_free, &b->on_free);
	if (!err)
		err = attach_tracepoint(b->skel->progs.on_switch, &b->on_switch);
	if (!err)
		err = take_threads(b, pid);
	if (!err)
		err = refresh_cpus(b);
	return err;
}

/* @when: 0 with the gate still closed, 1 at the end. */
static int read_misses(struct bpf_engine *b, int when)
{
	struct bpf_link_info link = {};
	struct bpf_prog_info prog = {};
	__u32 size = sizeof(link);
	int err;

	err = bpf_link_get_info_by_fd(bpf_link__fd(b->link), &link, &size);
	if (!err) {
		size = sizeof(prog);
		err = bpf_prog_get_info_by_fd(bpf_program__fd(b->skel->progs.cover_entry), &prog,
					      &size);
	}
	if (err)
		return error__return(err, "cannot ask the kernel what the BPF program missed: %s",
				     strerror(-err));
	b->missed[when] = link.kprobe_multi.missed;
	b->recursion[when] = prog.recursion_misses;
	return 0;
}

static int bpf__start(void *engine)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts);
	struct bpf_engine *b = engine;
	int err;

	opts.addrs = b->addrs;
	opts.cnt = b->addr_count;
	b->link = bpf_program__attach_kprobe_multi_opts(b->skel->progs.cover_entry, NULL, &opts);
	if (!b->link)
		return load_error(-errno, "attached");
	if (b->request->pin) {
		err = bpf_link__pin(b->link, b->pins[2]);
		if (err)
			return error__return(err, "%s: cannot pin the link: %s", b->pins[2],
					     strerror(-err));
	}
	/* Not at the opening: the other engine's gate may be open by then, and would see us ask. */
	return read_misses(b, 0);
}

static int bpf__open(void *engine)
{
	struct bpf_engine *b = engine;

	*(volatile __u32 *)&b->skel->bss->recording = 1;
	return 0;
}

static void bpf__poll(void *engine)
{
	struct bpf_engine *b = engine;

	ring_buffer__consume(b->ring);
}

static int bpf__close(void *engine)
{
	struct bpf_engine *b = engine;

	*(volatile __u32 *)&b->skel->bss->recording = 0;
	return 0;
}

static int bpf__stop(void *engine)
{
	struct bpf_engine *b = engine;
	int err = read_misses(b, 1);

	if (b->request->pin)
		bpf_link__unpin(b->link);
	bpf_link__destroy(b->link);
	b->link = NULL;
	ring_buffer__consume(b->ring);
	return err;
}

struct unresolved {
	uint64_t functions, callers;
};

static int add_hit(struct coverage *c, const struct places *places, uint64_t addr,
		   const struct cover_hit *value, const struct clock_pair *first,
		   const struct clock_pair *last, struct unresolved *unresolved)
{
	struct hit hit = {
		.addr = addr,
		.kind = value->kind,
		.first_ns = clock_pair__local(first, last, value->first_ns),
		.cpu = value->cpu,
		.pid = value->pid,
	};

	if (!places__resolve(places, c, &hit)) {
		/* Generated code or a module that is gone: no place in any image, so counted. */
		unresolved->functions += !!(hit.kind & HIT_FUNCTION);
		unresolved->callers += !!(hit.kind & HIT_CALLER);
		return 0;
	}
	return coverage__add(c, &hit);
}

static int read_map(struct bpf_engine *b, struct coverage *c, const struct places *places,
		    const struct clock_pair *first, const struct clock_pair *last,
		    struct unresolved *unresolved)
{
	int fd = bpf_map__fd(b->skel->maps.seen), err = 0;
	struct cover_hit value;
	__u64 addr, *previous = NULL;

	while (!err && !bpf_map_get_next_key(fd, previous, &addr)) {
		previous = &addr;
		if (!bpf_map_lookup_elem(fd, &addr, &value))
			err = add_hit(c, places, addr, &value, first, last, unresolved);
	}
	return err;
}

static int add_losses(struct bpf_engine *b, struct coverage *c, const struct unresolved *unresolved)
{
	const struct cover_stats *s = (const struct cover_stats *)&b->skel->bss->stats;
	const struct counter list[] = {
		{ "map_full", s->map_full },
		{ "map_busy", s->map_busy },
		{ "map_error", s->map_error },
		{ "missed", b->missed[1] - b->missed[0] },
		{ "recursion_misses", b->recursion[1] - b->recursion[0] },
		{ "ring_dropped", s->ring_dropped },
		{ "tasks_full", s->tasks_full },
		{ "unresolvable_functions", unresolved->functions },
		{ "unresolvable_callers", unresolved->callers },
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(list) / sizeof(list[0]); i++)
		err = counters__add(&c->lost, list[i].name, list[i].value);
	if (!err)
		err = counters__add(&c->cost, "memory_bytes", b->memory);
	if (!err)
		err = counters__add(&c->cost, "capacity",
				    bpf_map__max_entries(b->skel->maps.seen));
	if (!err)
		err = counters__add(&c->cost, "ring_events", b->news);
	return err;
}

static int bpf__collect(void *engine, struct coverage *c, const struct places *places,
			const struct clock_pair *first, const struct clock_pair *last)
{
	struct unresolved unresolved = {};
	struct bpf_engine *b = engine;
	int err;

	c->unattached = b->unattached;
	b->unattached = NULL;
	b->unattached_count = 0;
	err = read_map(b, c, places, first, last, &unresolved);
	if (!err)
		err = add_losses(b, c, &unresolved);
	return err;
}

const struct engine_ops engine_bpf = {
	.name = "bpf",
	.available = bpf__available,
	.prepare = bpf__prepare,
	.follow = bpf__follow,
	.start = bpf__start,
	.open = bpf__open,
	.poll = bpf__poll,
	.close = bpf__close,
	.stop = bpf__stop,
	.collect = bpf__collect,
	.destroy = bpf__destroy,
};
