/* SPDX-License-Identifier: GPL-2.0 */
/* A small kernel, and documents of it, for the tests of reports and other answers from documents. */
#ifndef HYTRACE_TESTS_REPORT_SAMPLE_DOCUMENTS_H
#define HYTRACE_TESTS_REPORT_SAMPLE_DOCUMENTS_H

#include "document/coverage.h"
#include "document/universe.h"

#define BUILD "0123456789abcdef"

static const struct function kernel_functions[] = {
	{ 0x1000, "vfs_read", NULL, "fs/read_write.c", "fs/read_write.c", 10 },
	{ 0x1100, "vfs_write", NULL, "fs/read_write.c", "fs/read_write.c", 20 },
	{ 0x1200, "ext4_iget", NULL, "fs/ext4/inode.c", "fs/ext4/inode.c", 30 },
	{ 0x1300, "ext4_lookup.isra.0", NULL, "fs/ext4/namei.c", "fs/ext4/namei.c", 40 },
	{ 0x1400, "schedule", NULL, "kernel/sched/core.c", "kernel/sched/core.c", 50 },
	{ 0x1500, "do_nmi", NULL, "kernel/nmi.c", "kernel/nmi.c", 60, .untraced = "noinstr" },
	{ 0x1600, "start_it", NULL, "init/main.c", "init/main.c", 70, .init = true },
	{ 0x1700, "stop", NULL, "kernel/a.c", "kernel/a.c", 80, .sympos = 1 },
	{ 0x1800, "stop", NULL, "kernel/b.c", "kernel/b.c", 90, .sympos = 2 },
	{ 0x0, "dummy_xmit", "dummy", "drivers/net/dummy.c", "drivers/net/dummy.c", 5 },
	{ 0x40, "dummy_open", "dummy", "drivers/net/dummy.c", "drivers/net/dummy.c", 15 },
	{ 0x0, "dummy_init", "dummy", "drivers/net/dummy.c", "drivers/net/dummy.c", 25, .init = true },
};

static inline void sample_universe(struct universe *u)
{
	universe__init(u);
	u->linked = u->placed = u->whole = true;
	u->build_id = strdup(BUILD);
	for (size_t i = 0; i < sizeof(kernel_functions) / sizeof(kernel_functions[0]); i++)
		universe__add(u, &kernel_functions[i]);
	universe__settle(u);
}

static inline void sample_document(struct coverage *c, const char *boot)
{
	coverage__init(c, "oneshot");
	c->kernel.release = strdup("6.12.0-test");
	c->kernel.build_id = strdup(BUILD);
	c->kernel.offset_known = true;
	c->boot_id = strdup(boot);
	c->window = (struct window){ 10, 20, 1000, 1010, 1 };
	c->how.callers = true;
	c->traceable = c->traced = 7;
}

static inline void sample_module(struct coverage *c, const char *build_id, bool came)
{
	struct covered_module *m = covered_modules__add(&c->modules, "dummy");

	cr_assert(m != NULL);
	m->build_id = build_id ? strdup(build_id) : NULL;
	m->came = came;
}

/* A function of the sample kernel, or any other, at @ns. */
static inline void see(struct coverage *c, const char *name, const char *module, uint64_t addr, uint64_t ns)
{
	struct hit hit = {
		.link = module ? 0 : addr, .offset = module ? addr : 0, .name = hits__name(&c->hits, name),
		.module = hits__name(&c->hits, module), .first_ns = ns, .kind = HIT_FUNCTION,
	};

	hits__add(&c->hits, &hit);
}

static inline void see_caller(struct coverage *c, const char *name, uint64_t addr, uint64_t ns)
{
	see(c, name, NULL, addr, ns);
	c->hits.list[c->hits.count - 1].kind = HIT_CALLER;
}

#endif
