// SPDX-License-Identifier: GPL-2.0
/*
 * What a run loads of the BPF program: no map and no program that its options do not need; and what it says of the
 * maps' memory, and of what the kernel did not count.
 */

#include "base/files.h"
#include "cover/bpf_cover.h"
#include "kernel/cover_object.h"
#include "kernel/sample.h"
#include "printed.h"
#include "cover.h"
#include "cover.skel.h"

static struct cover_options options;
static struct kernel kernel;
static struct request request;
static struct bpf_cover cover;

/* A kernel that has modules, or not. */
static void begin(bool modules)
{
	options = (struct cover_options){ .how.callers = true };
	kernel.symbols = symbols_of(modules ? "10 T a\n20 T __bpf_trace_module_load\n" : "10 T a\n", NULL);
	kernel.traceable = sample_functions(kernel.symbols);
	request = (struct request){ .options = &options, .kernel = &kernel, .alone = true };
	cover = (struct bpf_cover){ .request = &request };
}

static void end(void)
{
	bpf_cover__unload(&cover);
	kernel__free(&kernel);
	kernel = (struct kernel){};
}

static void open_again(void)
{
	cover_bpf__destroy(cover.skel);
	cover.skel = cover_object__open();
	cr_assert(cover.skel != NULL);
}

/* The maps of a run, without those of the program's own variables. */
static void expect_maps(const char *wanted)
{
	struct bpf_map *map;
	char *got;

	open_again();
	cr_assert(bpf_needs__choose(&cover, ENTER_BY_KPROBE_MULTI) == 0);
	got = PRINTED(f, bpf_object__for_each_map(map, cover.skel->obj) {
		if (bpf_map__autocreate(map) && !bpf_map__is_internal(map))
			fprintf(f, "%s%s", ftell(f) ? " " : "", bpf_map__name(map));
	});
	expect_str(got, wanted);
	free(got);
}

Test(bpf_needs, no_map_that_a_run_does_not_use)
{
	begin(false);
	expect_maps("hits");
	options.how.pin = "dir";
	expect_maps("hits seen");
	options.how.pin = NULL;
	options.scope.cgroup = "group";
	expect_maps("hits cgroup");
	options.scope.cgroup = NULL;
	options.scope.kind = SCOPE_TASK;
	expect_maps("hits followed cpu_followed");
	end();
	begin(true);
	expect_maps("hits news");
	end();
}

/* Loads it, or skips the test. */
static void need_load(void)
{
	int err = cover_object__try() ?: bpf_cover__load(&cover, &request, ENTER_BY_KPROBE_MULTI, 1);

	cover.stopped = true;
	if (err)
		cr_skip_test("this process or this kernel cannot load it");
}

static uint64_t collected(const char *name)
{
	struct coverage c = {};
	struct places places = {};
	uint64_t value;

	coverage__init(&c, "bpf");
	cr_assert(bpf_cover__collect(&cover, NULL, &c, &places) == 0);
	value = counters__get(&c.lost, name) + counters__get(&c.cost, name);
	coverage__free(&c);
	return value;
}

Test(bpf_cover, counts_the_memory_of_all_its_maps)
{
	uint64_t least = 0;
	struct bpf_map *map;

	begin(false);
	options.scope.kind = SCOPE_TASK;
	need_load();
	bpf_object__for_each_map(map, cover.skel->obj)
		least += bpf_map__autocreate(map) ? fdinfo__number(bpf_map__fd(map), "memlock") : 0;
	cr_expect(eq(u64, collected("memory_bytes"), least));
	cr_expect(least > bpf_map__max_entries(cover.skel->maps.hits) * sizeof(struct cover_entry) +
		  bpf_map__max_entries(cover.skel->maps.followed));
	end();
}

Test(bpf_cover, tells_of_a_kernel_that_does_not_count_what_it_misses)
{
	begin(false);
	need_load();
	cr_expect(eq(u64, collected("misses_unknown"), 1));
	cover.skel->bss->counts_misses = 1;
	cr_expect(eq(u64, collected("misses_unknown"), 0));
	end();
}

/* The message of a failing load is made of what is kept of the log. */
Test(bpf_cover, says_why_the_verifier_refuses_the_program)
{
	const char *text;

	begin(false);
	options.scope.kind = SCOPE_TASK;
	need_load();
	open_again();
	bpf_needs__choose(&cover, ENTER_BY_KPROBE_MULTI);
	bpf_map__set_autocreate(cover.skel->maps.followed, false);
	errno = -cover_bpf__load(cover.skel);
	cr_redirect_stderr();
	bpf_cover__put_link(&cover, 0, NULL);
	text = said();
	cr_expect(strstr(text, "the verifier says: ") && strstr(text, "followed"), "%s", text);
}
