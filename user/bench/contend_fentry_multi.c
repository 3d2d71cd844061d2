// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contenders on fentry.multi: one program on many functions, each by a trampoline of its own.
 * With all functions, those that it cannot take have the same program on kprobe.multi. Together they
 * are the functions of the rows "kprobe-multi-...-denied", so that these rows can be compared.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "base/memory.h"
#include "bench/bench.h"
#include "bench/contend_bpf.h"
#include "kernel/features.h"
#include "kernel/fentry_ids.h"
#include "kernel/running.h"
#include "kernel/tracing_multi.h"

static int link_fd = -1;
static struct bpf_link *rest_link;

/* The functions of each way; they are found before attaching is timed. */
static __u32 *ids;
static unsigned long *sites;
static size_t id_count, site_count;

static bool is_asked_for(const struct traceable_function *f, enum bench_scope scope)
{
	return scope == BENCH_ONE ? !strcmp(f->name, BENCH_FUNCTION) : !bench_bpf__is_own(f->name);
}

static int choose(const struct fentry_ids *list, enum bench_scope scope)
{
	const struct traceable *t = list->traceable;

	ids = xcalloc(traceable__count(t), sizeof(*ids));
	sites = xcalloc(traceable__count(t), sizeof(*sites));
	id_count = site_count = 0;
	for (size_t i = 0; i < traceable__count(t); i++) {
		const struct traceable_function *f = traceable__at(t, i);

		if (!is_asked_for(f, scope))
			continue;
		if (list->list[i].fit == FENTRY_FITS)
			ids[id_count++] = list->list[i].id;
		else
			sites[site_count++] = f->site;
	}
	return id_count ? 0 : bench_error(-EOPNOTSUPP, "fentry.multi takes no function");
}

/* The functions of modules are left to kprobe.multi, as one program takes those of one BTF. */
static int choose_functions(enum bench_scope scope)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct kernel k = {};
	struct fentry_ids list = {};
	int err;

	if (!btf)
		return bench_error(-errno, "cannot load the kernel's types");
	err = kernel__load(&k, KERNEL_LISTS, NULL);
	if (!err) {
		fentry_ids__begin(&list, k.traceable, k.symbols);
		fentry_ids__add(&list, btf, NULL);
		err = choose(&list, scope);
	}
	fentry_ids__free(&list);
	kernel__free(&k);
	btf__free(btf);
	return err;
}

static int fentry_multi__setup(const struct contender *c, enum bench_scope scope)
{
	if (features__ask(FEATURE_FENTRY_MULTI)->state == FEATURE_NO)
		return -EOPNOTSUPP;
	return choose_functions(scope) ?: bench_bpf__setup(c, scope);
}

static int fentry_multi__attach(const struct contender *c, enum bench_scope scope)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts, .addrs = sites, .cnt = site_count);
	const struct bpf_variant *variant = c->variant;

	link_fd = tracing_multi__link(bpf_program__fd(bench_bpf__program(variant->program)), ids, id_count);
	if (link_fd < 0)
		return bench_error(link_fd, "cannot attach fentry.multi");
	if (!site_count)
		return 0;
	rest_link = bpf_program__attach_kprobe_multi_opts(bench_bpf__program(variant->rest), NULL, &opts);
	return rest_link ? 0 : bench_error(-errno, "cannot attach kprobe.multi to the rest");
}

static int fentry_multi__report(const struct contender *c, struct bench_row *row)
{
	const struct bpf_variant *variant = c->variant;
	double missed = 0;
	int err = bench_bpf__report(c, row);

	if (!err && rest_link)
		err = bench_bpf__missed(bpf_program__fd(bench_bpf__program(variant->rest)),
					bpf_link__fd(rest_link), &missed);
	row->missed += missed;
	return err;
}

static int fentry_multi__detach(const struct contender *c)
{
	int err = bpf_link__destroy(rest_link);

	rest_link = NULL;
	if (link_fd >= 0)
		close(link_fd);
	link_fd = -1;
	return err;
}

static void fentry_multi__cleanup(const struct contender *c)
{
	fentry_multi__detach(c);
	bench_bpf__cleanup(c);
	free(ids);
	free(sites);
	ids = NULL;
	sites = NULL;
}

static const struct bpf_variant empty = { "fentry_multi_empty", .rest = "multi_empty" };
static const struct bpf_variant hash = { "fentry_multi_hash", "seen", .rest = "multi_hash" };
static const struct bpf_variant bitmap = { "fentry_multi_bitmap", ".bss.bits", .rest = "multi_bitmap" };

#define CALLBACKS				\
	.scopes = BENCH_ONE | BENCH_ALL,	\
	.workloads = WORKLOADS_ALL,		\
	.setup = fentry_multi__setup,		\
	.attach = fentry_multi__attach,		\
	.report = fentry_multi__report,		\
	.detach = fentry_multi__detach,		\
	.cleanup = fentry_multi__cleanup

const struct contender contender_fentry_multi = {
	.name = "fentry-multi",
	.note = "an empty program; functions that it cannot take are on kprobe.multi",
	.variant = &empty,
	CALLBACKS,
};

const struct contender contender_fentry_multi_hash = {
	.name = "fentry-multi-hash",
	.note = "function and caller; functions that it cannot take are on kprobe.multi",
	.variant = &hash,
	.clear = bench_bpf__clear,
	CALLBACKS,
};

const struct contender contender_fentry_multi_bitmap = {
	.name = "fentry-multi-bitmap",
	.note = "function and caller; functions that it cannot take are on kprobe.multi",
	.variant = &bitmap,
	CALLBACKS,
};
