// SPDX-License-Identifier: GPL-2.0
/*
 * What the engines of `hytrace cover` do with its options, without a kernel: which engine is
 * chosen, what it refuses, which functions it leaves out as its own work, and what its failures
 * mean.
 */
#include <sysexits.h>

#include "cover/bpf_cover.h"
#include "cover/engines.h"
#include "kernel/sample.h"

#define MOST_WORDS 16

/* The options of this command line, nothing of which is refused; valid until the next call. */
static struct cover_options options_of(const char *line)
{
	static char words[256];
	static char *argv[MOST_WORDS + 1] = { "hytrace cover" };
	char *rest = words;
	struct cover_options o;
	int argc = 1;

	snprintf(words, sizeof(words), "%s", line);
	while (argc < MOST_WORDS && rest && *rest)
		argv[argc++] = strsep(&rest, " ");
	argv[argc] = NULL;
	cover_options__parse(&o, argc, argv);
	return o;
}

Test(options, fill_a_scope_and_how)
{
	struct cover_options o = options_of("--pid 17 --cgroup g --comm sh --retire=5 --pin dir");

	cr_expect(o.scope.kind == SCOPE_PID && o.scope.pid == 17);
	cr_expect(eq(str, (char *)o.scope.cgroup, "g"));
	cr_expect(eq(str, (char *)o.scope.comm, "sh"));
	cr_expect(o.how.callers && o.how.retire && o.how.retire_ms == 5);
	cr_expect(eq(str, (char *)o.how.pin, "dir"));
	cover_options__free(&o);
	o = options_of("--retire=5 --no-callers --task -- true");
	cr_expect(o.scope.kind == SCOPE_TASK && !strcmp(o.command[0], "true"));
	cr_expect(o.user == NULL && o.ready_fd == 0 && o.append == false);
	cr_expect(o.how.retire && !o.how.callers && !o.how.retire_ms, "there are none to watch");
	cover_options__free(&o);
}

Test(options, ready_fd_has_a_descriptor_of_its_own)
{
	struct cover_options o = options_of("--ready-fd 1 --duration 1 -o result.json");

	cr_expect(o.ready_fd == 1);
	cover_options__free(&o);
}

Test(options, ready_fd_does_not_mix_with_the_result, .exit_code = EX_USAGE)
{
	options_of("--ready-fd 1 --duration 1");
}

Test(options, ready_fd_does_not_mix_with_a_result_that_goes_there_by_name, .exit_code = EX_USAGE)
{
	options_of("--ready-fd 1 --duration 1 -o other.json -o /dev/stdout");
}

Test(options, ready_fd_does_not_mix_with_a_comparison, .exit_code = EX_USAGE)
{
	options_of("--ready-fd 1 --duration 1 -e both -o result.json");
}

Test(options, an_entry_is_kprobe_or_fentry)
{
	struct cover_options o = options_of("--entry kprobe --retire --no-callers");

	cr_expect(o.how.entry == ENTRY_KPROBE);
	cover_options__free(&o);
	o = options_of("--entry fentry");
	cr_expect(o.how.entry == ENTRY_FENTRY);
	cover_options__free(&o);
	o = options_of("--task -- true");
	cr_expect(o.how.entry == ENTRY_ANY);
	cover_options__free(&o);
}

Test(options, fentry_does_not_retire, .exit_code = EX_USAGE)
{
	options_of("--entry fentry --retire --no-callers");
}

static const char *chosen(const char *line)
{
	struct cover_options o = options_of(line);
	struct engines e = {};

	engines__choose(&e, &o);
	cr_expect(e.count == 1);
	cover_options__free(&o);
	return e.list[0].ops->name;
}

Test(engines, one_that_can_is_chosen)
{
	cr_expect(eq(str, (char *)chosen("--comm sh"), "bpf"));
	cr_expect(eq(str, (char *)chosen("--cgroup g"), "bpf"));
	cr_expect(eq(str, (char *)chosen("--pin dir"), "bpf"));
	cr_expect(eq(str, (char *)chosen("--entry kprobe"), "bpf"));
	cr_expect(eq(str, (char *)chosen("-e bpf"), "bpf"));
}

Test(engines, refuse_what_they_cannot_do)
{
	struct cover_options o = { .engine = ENGINE_ONESHOT };

	cr_expect(engines__refuse(&o) == NULL);
	o.how.pin = "dir";
	cr_expect(engines__refuse(&o) != NULL);
	o.engine = ENGINE_BOTH;
	cr_expect(engines__refuse(&o) == NULL, "the other one pins");
	o.scope.comm = "sh";
	cr_expect(eq(str, (char *)engines__refuse(&o), "--comm is for the BPF recorders: give --engine bpf or event"));
	o.engine = ENGINE_AUTO;
	cr_expect(engines__refuse(&o) == NULL, "the other one is chosen");
	o = (struct cover_options){ .engine = ENGINE_BOTH, .how.entry = ENTRY_KPROBE };
	cr_expect(engines__refuse(&o) == NULL);
	o.how.entry = ENTRY_FENTRY;
	cr_expect(engines__refuse(&o) != NULL, "not on the functions of oneshot");
	o.engine = ENGINE_BPF;
	cr_expect(engines__refuse(&o) == NULL);
	o.engine = ENGINE_EVENT;
	cr_expect(engines__refuse(&o) != NULL);
	o = (struct cover_options){ .engine = ENGINE_EVENT };
	cr_expect(engines__refuse(&o) == NULL);
	o.how.retire = true;
	cr_expect(engines__refuse(&o) != NULL);
}

static bool denies(const struct cover_options *o, const char *name)
{
	struct kernel kernel = { .symbols = sample_symbols() };
	struct request request = { .options = o, .kernel = &kernel };
	struct filter filter = {};
	bool denied = false;

	engine_bpf.deny_own(&filter.own, &request);
	for (size_t i = 0; i < filter.own.count; i++)
		denied |= !strcmp(filter.own.list[i].function, name);
	filter__free(&filter);
	kernel__free(&kernel);
	return denied;
}

Test(engines, leave_out_what_the_program_calls)
{
	struct cover_options o = {};

	cr_expect(denies(&o, "bpf_ktime_get_ns"), "always");
	cr_expect(denies(&o, "is_endbr"), "by kprobe.multi, for each function");
	cr_expect(denies(&o, "___migrate_enable"), "after the program");
	cr_expect(denies(&o, "bpf_get_current_comm"), "whose the first hit is");
	cr_expect(denies(&o, "bpf_probe_read_kernel"), "without bpf_rdonly_cast()");
	cr_expect(denies(&o, "bpf_get_current_task_btf") == false);
	o.scope.comm = "sh";
	cr_expect(denies(&o, "bpf_get_current_task_btf"));
	cr_expect(denies(&o, "htab_map_update_elem") == false);
	o.scope.kind = SCOPE_TASK;
	cr_expect(denies(&o, "htab_map_update_elem"));
	o = (struct cover_options){ .how.pin = "dir" };
	cr_expect(denies(&o, "htab_map_update_elem"));
	cr_expect(denies(&o, "htab_map_delete_elem") == false);
}

/* A script takes "not on this kernel" for "never". */
Test(engines, what_may_pass_is_not_the_kernels_fault)
{
	static const struct {
		int number, err;
	} cases[] = {
		{ EPERM, -EPERM }, { EACCES, -EPERM }, { ENOMEM, -ENOMEM }, { EBUSY, -EBUSY },
		{ EMFILE, -EMFILE }, { EINTR, -EINTR }, { EINVAL, -EOPNOTSUPP }, { ENOENT, -EOPNOTSUPP },
		{ E2BIG, -EOPNOTSUPP },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bpf_cover b = {};

		errno = cases[i].number;
		cr_expect(bpf_cover__put_link(&b, 0, NULL) == cases[i].err, "%s", strerror(cases[i].number));
	}
}

/* ---- parts of a run */

static int collect_three(void *engine, void *cut, struct coverage *c, const struct places *places)
{
	(void)cut, (void)places;
	for (uint64_t *ns = engine; *ns; ns++)
		hits__add(&c->hits, &(struct hit){ .kind = HIT_CALLER, .addr = *ns, .first_ns = *ns });
	return 0;
}

/* The number of hits that are in the part from 1,010,000 to @closing, and not outside of it. */
static size_t in_part(uint64_t closing, bool empty)
{
	static const struct engine_ops ops = { .name = "three", .collect = collect_three };
	/* The local clock is behind. */
	const struct clocks clocks = { { 1000000, 100000, 5000 }, { 1100000, 200000, 5000 } };
	struct kernel kernel = sample_kernel();
	struct running running = { .ops = &ops, .engine = (uint64_t[]){ 109000, 150000, 160000, 0 },
				   .open = 1010000, .closing = closing };
	struct cover_options o = {};
	struct filter filter = {};
	struct request request = { .options = &o, .kernel = &kernel, .filter = &filter };
	struct hits outside;
	struct coverage c;
	size_t count;

	hits__init(&outside);
	cr_assert(collect__run(&c, &running, &(struct piece){ NULL, empty, &outside }, &request, NULL, &clocks) == 0);
	count = c.hits.count;
	cr_expect(eq(sz, outside.count, 3 - count));
	coverage__free(&c);
	hits__free(&outside);
	kernel__free(&kernel);
	return count;
}

Test(pieces, end_with_their_window)
{
	cr_expect(eq(sz, in_part(1047000, false), 2), "also before it, and within the clocks' error");
	cr_expect(eq(sz, in_part(0, true), 0), "by the local clock, this is the far future");
}
