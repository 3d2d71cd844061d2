// SPDX-License-Identifier: GPL-2.0-only
/* Shared by the BPF engines; see bpf_cover.h. */
#include <bpf/bpf.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "cover/bpf_cover.h"
#include "kernel/cover_object.h"
#include "kernel/features.h"
#include "kernel/fentry_multi.h"
#include "run/pin.h"
#include "run/process.h"
#include "cover.h"
#include "cover.skel.h"

/* Indices into bpf_cover.pins. */
enum { PIN_MAP, PIN_PROGRAM, PIN_LINKS };

/* Errors that may not occur on the same kernel another time, or with other resource limits. */
static bool may_pass(int err)
{
	static const int list[] = {
		ENOMEM, EINTR, EAGAIN, EBUSY, EMFILE, ENFILE, ENOSPC,
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (err == -list[i])
			return true;
	}
	return false;
}

static int load_error(int err, const char *what)
{
	const char *reason = cover_object__reason();

	error__print("the BPF program cannot be %s: %s%s%s", what, *reason ? "the verifier says: " : "",
		     *reason ? reason : strerror(-err), features__hint(err));
	if (err == -EPERM || err == -EACCES)
		return -EPERM;
	/* Any other error means that this kernel lacks a type of program or attachment, BTF, or a function. */
	return may_pass(err) ? err : -EOPNOTSUPP;
}

/* Makes the names of the links' pins, before there are links: "link", then "link2" and so on. */
static int name_pins(struct bpf_cover *b, const char *dir)
{
	int err;

	b->pins = xcalloc(PIN_LINKS + b->link_room, sizeof(*b->pins));
	err = pin__path(dir, "seen", b->request->guard, &b->pins[PIN_MAP]) ?:
	      pin__path(dir, "prog", b->request->guard, &b->pins[PIN_PROGRAM]);
	for (size_t i = 0; !err && i < b->link_room; i++) {
		char name[32] = "link";

		if (i)
			snprintf(name, sizeof(name), "link%zu", i + 1);
		err = pin__path(dir, name, b->request->guard, &b->pins[PIN_LINKS + i]);
	}
	return err;
}

int bpf_cover__pin(struct bpf_cover *b)
{
	char *dir;
	int err;

	if (!b->request->options->how.pin)
		return 0;
	err = pin__prepare(b->request->options->how.pin, b->request->guard, &dir);
	if (err)
		return err;
	err = name_pins(b, dir);
	if (!err) {
		err = bpf_map__pin(b->skel->maps.seen, b->pins[PIN_MAP]) ?:
		      bpf_program__pin(b->fentry ?: b->program, b->pins[PIN_PROGRAM]);
		if (err)
			error__print("--pin %s: cannot pin: %s", dir, strerror(-err));
	}
	free(dir);
	return err;
}

static int map_hits(struct bpf_cover *b)
{
	struct bpf_map *map = b->skel->maps.hits;
	void *at;

	b->hits_bytes = (size_t)bpf_map__max_entries(map) * sizeof(struct cover_entry);
	at = mmap(NULL, b->hits_bytes, PROT_READ | (b->request->cuts ? PROT_WRITE : 0), MAP_SHARED,
		  bpf_map__fd(map), 0);
	if (at == MAP_FAILED)
		return error__return(-errno, "cannot map the BPF program's log: %s", strerror(errno));
	b->hits = at;
	return 0;
}

int bpf_cover__load(struct bpf_cover *b, const struct request *request, enum bpf_cover_entry entry,
		    size_t links)
{
	struct bpf_map *map;
	int err;

	b->request = request;
	b->links = xcalloc(links, sizeof(*b->links));
	b->link_room = links;
	do {
		cover_bpf__destroy(b->skel);
		b->skel = cover_object__open();
		if (!b->skel)
			return load_error(-errno, "opened");
		err = bpf_needs__choose(b, entry);
		if (err)
			return err;
		err = cover_bpf__load(b->skel);
	} while (cover_object__may_load_again(err));
	/* libbpf tests whether the kernel has global data. If that fails for lack of memory, it maps none. */
	if (!err && !b->skel->bss)
		err = -ENOMEM;
	if (err)
		return load_error(err, "loaded");
	bpf_object__for_each_map(map, b->skel->obj)
		b->memory += fdinfo__number(bpf_map__fd(map), "memlock");
	return map_hits(b) ?: bpf_needs__fill(b);
}

static void destroy_link(struct cover_link *link)
{
	if (link->libbpf)
		bpf_link__destroy(link->libbpf);
	else if (link->exists)
		close(link->fd);
	*link = (struct cover_link){};
}

static void destroy_links(struct bpf_cover *b)
{
	for (size_t i = 0; i < b->link_count; i++)
		destroy_link(&b->links[i]);
	b->link_count = 0;
}

void bpf_cover__unload(struct bpf_cover *b)
{
	destroy_links(b);
	free(b->links);
	for (size_t i = 0; i < b->clone_count; i++)
		close(b->clones[i]);
	free(b->clones);
	bpf_link__destroy(b->on_switch);
	bpf_link__destroy(b->on_fork);
	bpf_link__destroy(b->on_free);
	bpf_link__destroy(b->on_module);
	if (b->hits)
		munmap(b->hits, b->hits_bytes);
	cover_bpf__destroy(b->skel);
	for (size_t i = 0; b->pins && i < PIN_LINKS + b->link_room; i++)
		free(b->pins[i]);
	free(b->pins);
}

static int attach_tracepoint(struct bpf_program *program, struct bpf_link **ret)
{
	*ret = bpf_program__attach(program);
	return *ret ? 0 : load_error(-errno, "attached to a tracepoint");
}

static int take_threads(struct bpf_cover *b, int pidfd)
{
	int fd = process__iterate(pidfd, b->skel->progs.take_threads);
	char buffer[64];

	if (fd < 0)
		return load_error(fd, "run over the threads");
	while (read(fd, buffer, sizeof(buffer)) > 0)
		;
	close(fd);
	return 0;
}

static int refresh_cpus(struct bpf_cover *b)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU);
	int cpus = libbpf_num_possible_cpus(), err;

	for (int cpu = 0; cpu < cpus; cpu++) {
		opts.cpu = cpu;
		err = bpf_prog_test_run_opts(bpf_program__fd(b->skel->progs.refresh_cpu), &opts);
		/* -ENXIO: the CPU is offline. */
		if (err && err != -ENXIO)
			return load_error(err, "run on each CPU");
	}
	return 0;
}

/*
 * Attaches the probes that update the set of tasks first, and then adds the existing threads. So no
 * thread is missed.
 */
int bpf_cover__follow(void *engine, int pidfd)
{
	struct bpf_cover *b = engine;

	return attach_tracepoint(b->skel->progs.on_fork, &b->on_fork) ?:
	       attach_tracepoint(b->skel->progs.on_free, &b->on_free) ?:
	       attach_tracepoint(b->skel->progs.on_switch, &b->on_switch) ?:
	       take_threads(b, pidfd) ?:
	       refresh_cpus(b);
}

static int add_recursion(uint64_t *sum, int program)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);
	int err = bpf_prog_get_info_by_fd(program, &info, &size);

	*sum += err ? 0 : info.recursion_misses;
	return err;
}

/* @when: 0: the gate is still closed; 1: at the end */
static int read_misses(struct bpf_cover *b, int when)
{
	int err;

	b->recursion[when] = 0;
	err = add_recursion(&b->recursion[when], bpf_program__fd(b->program));
	if (!err && b->fentry)
		err = add_recursion(&b->recursion[when], bpf_program__fd(b->fentry));
	for (size_t i = 0; !err && i < b->clone_count; i++)
		err = add_recursion(&b->recursion[when], b->clones[i]);
	if (err)
		return error__return(err, "cannot read how many calls the BPF program missed: %s",
				     strerror(-err));
	b->missed[when] = b->replaced_missed + b->link_missed(b);
	return 0;
}

int bpf_cover__clone(struct bpf_cover *b, int btf)
{
	int fd = tracing_multi__clone(b->fentry, btf);

	if (fd >= 0)
		*LIST_ADD(b->clones, b->clone_count) = fd;
	return fd;
}

static int pin_link(struct bpf_cover *b, size_t which)
{
	const char *pin;
	int err;

	if (!b->request->options->how.pin || !b->links[which].exists)
		return 0;
	pin = b->pins[PIN_LINKS + which];
	err = bpf_obj_pin(b->links[which].fd, pin);
	return err ? error__return(err, "%s: cannot pin the link: %s", pin, strerror(-err)) : 0;
}

static void unpin_link(struct bpf_cover *b, size_t which)
{
	if (b->request->options->how.pin && b->links[which].exists)
		unlink(b->pins[PIN_LINKS + which]);
}

static struct cover_link link_of(struct bpf_link *link)
{
	return (struct cover_link){ !!link, link ? bpf_link__fd(link) : -1, link };
}

static int set_link(struct bpf_cover *b, size_t which, struct cover_link link)
{
	b->links[which] = link;
	if (b->link_count <= which)
		b->link_count = which + 1;
	return pin_link(b, which);
}

int bpf_cover__put_link(struct bpf_cover *b, size_t which, struct bpf_link *link)
{
	if (!link)
		return load_error(-errno, "attached");
	return set_link(b, which, link_of(link));
}

int bpf_cover__take_link(struct bpf_cover *b, size_t which, int fd)
{
	return set_link(b, which, (struct cover_link){ true, fd, NULL });
}

int bpf_cover__replace_link(struct bpf_cover *b, size_t which, struct bpf_link *link)
{
	struct cover_link old = b->links[which];
	int err;

	unpin_link(b, which);
	b->replaced_missed += b->link_missed(b);
	b->links[which] = (struct cover_link){};
	b->replaced_missed -= b->link_missed(b);
	err = set_link(b, which, link_of(link));
	/* This takes seconds. The pin already belongs to the new link. */
	destroy_link(&old);
	return err;
}

int bpf_cover__introduce(struct bpf_cover *b)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = bpf_prog_test_run_opts(bpf_program__fd(b->skel->progs.take_own), &opts);

	return err ? load_error(err, "run") : 0;
}

void bpf_cover__leave_out_own(void *engine, bool leave_out)
{
	struct bpf_cover *b = engine;

	b->left_out += leave_out ? 1 : -1;
	*(volatile __u32 *)&b->skel->bss->own_tgid = b->left_out ? b->skel->bss->loader_tgid : 0;
}

int bpf_cover__watch_modules(struct bpf_cover *b, int *ret_news)
{
	*ret_news = -1;
	if (!bpf_program__autoload(b->skel->progs.on_module))
		return 0;
	*ret_news = bpf_map__fd(b->skel->maps.news);
	return attach_tracepoint(b->skel->progs.on_module, &b->on_module);
}

uint64_t bpf_cover__news_lost(const struct bpf_cover *b)
{
	return b->skel->bss->stats.news_lost;
}

size_t bpf_cover__logged(const struct bpf_cover *b)
{
	size_t count = *(volatile __u32 *)&b->skel->bss->stats.logged;
	size_t room = bpf_map__max_entries(b->skel->maps.hits);

	return count < room ? count : room;
}

/* Entries that are being written at this moment are counted the next time. */
size_t bpf_cover__count(void *engine)
{
	struct bpf_cover *b = engine;
	size_t logged = bpf_cover__logged(b);

	for (; b->counted < logged; b->counted++) {
		const struct cover_entry *entry = &b->hits[b->counted];

		if (!__atomic_load_n(&entry->addr, __ATOMIC_ACQUIRE))
			break;
		b->functions += !!(entry->hit.kind & COVER_FUNCTION);
	}
	return b->functions;
}

int bpf_cover__started(struct bpf_cover *b)
{
	/*
	 * Done before the gate opens, because the gate of another engine may be open then, and
	 * would record these calls.
	 */
	return read_misses(b, 0);
}

int bpf_cover__gate(void *engine, bool open)
{
	struct bpf_cover *b = engine;

	*(volatile __u32 *)&b->skel->bss->recording = open ? COVER_OPEN : COVER_CLOSED;
	return 0;
}

/*
 * Waits for the end of programs that run now. On fentry.multi, a task may be preempted in the
 * middle of the program, and removing the link does not wait for that. The kernel waits when a map
 * of maps changes, on any number of CPUs and with nohz_full; membarrier() does not wait in these
 * cases. If this fails, hits that are not complete count as lost.
 */
static void wait_for_programs(void)
{
	int inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, sizeof(__u32), sizeof(__u32), 1, NULL), outer;
	LIBBPF_OPTS(bpf_map_create_opts, opts, .inner_map_fd = inner);
	__u32 zero = 0;

	if (inner < 0)
		return;
	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, NULL, sizeof(__u32), sizeof(__u32), 1, &opts);
	if (outer >= 0) {
		bpf_map_update_elem(outer, &zero, &inner, BPF_ANY);
		close(outer);
	}
	close(inner);
}

int bpf_cover__stop(void *engine)
{
	struct bpf_cover *b = engine;
	int err = read_misses(b, 1);

	for (size_t i = 0; i < b->link_count; i++)
		unpin_link(b, i);
	destroy_links(b);
	if (b->fentry)
		wait_for_programs();
	b->stopped = true;
	return err;
}

/* Hits that are only counted, because they cannot be listed. */
struct unlisted {
	uint64_t functions, callers;	/* their addresses are in no image */
	uint64_t unfinished;
};

static void add_hit(struct coverage *c, const struct places *places, const struct cover_entry *entry,
		    struct unlisted *unlisted)
{
	struct hit hit = {
		.addr = entry->addr,
		.kind = entry->hit.kind & HIT_BOTH,
		.first_ns = entry->hit.first_ns,
		.cpu = entry->hit.cpu,
		.pid = entry->hit.pid,
		.tgid = entry->hit.tgid,
		.comm = strings__intern(c->hits.names, entry->comm),
	};

	if (!places__resolve(places, &c->hits, &hit)) {
		/*
		 * The address is in no image, but in generated code, or in a module that is gone.
		 */
		unlisted->functions += !!(hit.kind & HIT_FUNCTION);
		unlisted->callers += !!(hit.kind & HIT_CALLER);
		return;
	}
	if (entry->other) {
		struct hit other = { .addr = entry->other };

		places__resolve_other(places, &c->hits, &hit, &other);
	}
	hits__add(&c->hits, &hit);
}

/* The entry number @i since the beginning: with cuts, the log is a ring. */
static struct cover_entry *entry_at(const struct bpf_cover *b, __u32 i)
{
	return &b->hits[b->request->cuts ? i & (bpf_map__max_entries(b->skel->maps.hits) - 1) : i];
}

/*
 * An entry without an address is being written by a program that runs now. At the end, no program
 * should run any more.
 */
static void read_hits(struct bpf_cover *b, const struct bpf_cut *cut, struct coverage *c, const struct places *places,
		      struct unlisted *unlisted)
{
	__u32 first = b->request->cuts ? b->skel->bss->stats.dropped : 0;
	__u32 end = b->request->cuts ? *(volatile __u32 *)&b->skel->bss->stats.logged : bpf_cover__logged(b);

	for (__u32 i = first; i != end; i++) {
		const struct cover_entry *entry = entry_at(b, i);

		if (!__atomic_load_n(&entry->addr, __ATOMIC_ACQUIRE))
			unlisted->unfinished += b->stopped;
		else if (!b->request->cuts || entry->hit.kind >> COVER_GENERATION_SHIFT == cut->generation)
			add_hit(c, places, entry, unlisted);
	}
}

static void add_losses(struct bpf_cover *b, const struct bpf_cut *cut, struct coverage *c,
		       const struct unlisted *unlisted)
{
	const struct cover_stats *from = &cut->stats[0], *to = &cut->stats[1];
	const struct counter list[] = {
		{ "map_full", to->full - from->full },
		{ "missed", cut->missed[1] - cut->missed[0] },
		{ "recursion_misses", cut->recursion[1] - cut->recursion[0] },
		{ "misses_unknown", !b->skel->bss->counts_misses },
		{ "parents_lost", to->parents_lost - from->parents_lost },
		{ "unpinned", to->unpinned - from->unpinned },
		{ "tasks_full", to->tasks_full - from->tasks_full },
		{ "unresolvable_functions", unlisted->functions },
		{ "unresolvable_callers", unlisted->callers },
		{ "unfinished", unlisted->unfinished },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		counters__add(&c->lost, list[i].name, list[i].value);
	counters__add(&c->cost, "memory_bytes", b->memory);
	counters__add(&c->cost, "capacity", bpf_map__max_entries(b->skel->maps.hits));
	counters__add(&c->cost, "logged", to->logged - from->logged);
	counters__add(&c->cost, "own_calls", to->own - from->own);
}

/* What was recorded since the last cut. */
static struct bpf_cut present(const struct bpf_cover *b)
{
	return (struct bpf_cut){
		.generation = b->skel->bss->generation, .stats = { b->base, b->skel->bss->stats },
		.missed = { b->missed[0], b->missed[1] }, .recursion = { b->recursion[0], b->recursion[1] },
	};
}

int bpf_cover__collect(struct bpf_cover *b, void *cut, struct coverage *c, const struct places *places)
{
	struct unlisted unlisted = {};
	int err = cut || b->stopped ? 0 : read_misses(b, 1);
	struct bpf_cut whole = present(b), *part = cut ?: &whole;

	if (err)
		return err;
	read_hits(b, part, c, places, &unlisted);
	add_losses(b, part, c, &unlisted);
	return 0;
}

/* ---- cuts: a new generation makes all addresses new, and what was lost so far is that of the old one */

int bpf_cover__cut(void *engine, void **ret)
{
	struct bpf_cover *b = engine;
	struct bpf_cut *cut;
	int err = read_misses(b, 1);

	if (err)
		return err;
	cut = xcalloc(1, sizeof(*cut));
	*(volatile __u32 *)&b->skel->bss->generation += 1;
	*cut = present(b);
	cut->generation--;
	b->base = cut->stats[1];
	b->missed[0] = b->missed[1];
	b->recursion[0] = b->recursion[1];
	*ret = cut;
	return 0;
}

int bpf_cover__complete(void *engine)
{
	wait_for_programs();
	return 0;
}

/*
 * Frees the places of entries in the log up to the first one of a later generation. Entries of this one that a program
 * has written even later are behind it, and go with that generation.
 */
void bpf_cover__drop(void *engine, void *data)
{
	struct bpf_cover *b = engine;
	const struct bpf_cut *cut = data;
	__u32 end = *(volatile __u32 *)&b->skel->bss->stats.logged, i = b->skel->bss->stats.dropped;

	for (; i != end; i++) {
		struct cover_entry *entry = entry_at(b, i);

		if (!__atomic_load_n(&entry->addr, __ATOMIC_ACQUIRE) ||
		    entry->hit.kind >> COVER_GENERATION_SHIFT > cut->generation)
			break;
		__atomic_store_n(&entry->addr, 0, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&b->skel->bss->stats.dropped, i, __ATOMIC_RELEASE);
	free(data);
}

/* The present set needs room, too. */
bool bpf_cover__crowded(void *engine)
{
	const struct bpf_cover *b = engine;
	const struct cover_stats *stats = &b->skel->bss->stats;

	return *(volatile __u32 *)&stats->logged - stats->dropped > bpf_map__max_entries(b->skel->maps.hits) / 4;
}
