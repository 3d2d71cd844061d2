// SPDX-License-Identifier: GPL-2.0
/*
 * How many differences each reason of a comparison may explain. One side has twenty functions or
 * callers that the other does not have. A reason explains those for which it can hold, and the
 * others stay UNEXPLAINED.
 */
#include "document/coverage.h"
#include "report/compare.h"

#define ALL 20
#define OF_VMLINUX 12		/* then four of a module that was there, and four of one that came */
#define MS 1000000ul
#define TEN_MS (10 * MS)

struct sides {
	struct coverage a, b;
};

static char **list_of_two(const char *item, const char *other)
{
	char **list = calloc(3, sizeof(*list));

	list[0] = strdup(item);
	list[1] = strdup(other);
	return list;
}

static char **list_of(const char *item)
{
	char **list = calloc(2, sizeof(*list));

	list[0] = strdup(item);
	return list;
}

static void add(struct coverage *c, const char *name, const char *module, unsigned int kind,
		unsigned int number, uint64_t first_ns)
{
	struct hit hit = {
		.name = hits__name(&c->hits, name), .module = hits__name(&c->hits, module),
		.kind = kind, .first_ns = first_ns,
	};

	if (module)
		hit.offset = 16 * number;
	else
		hit.link = 0xffffffff81000000 + 16 * number;
	hits__add(&c->hits, &hit);
}

/* "fn_00", the last of all, to "fn_19", the first, ten milliseconds apart from each other. */
static void fill(struct coverage *c, unsigned int kind)
{
	for (unsigned int i = 0; i < ALL; i++) {
		char name[16];

		sprintf(name, "fn_%02u", i);
		add(c, name, i < OF_VMLINUX ? NULL : i < OF_VMLINUX + 4 ? "there" : "came", kind, i,
		    (ALL - i) * TEN_MS);
	}
}

static void make(struct coverage *c, const char *engine, struct window window)
{
	coverage__init(c, engine);
	c->kernel.build_id = strdup("0123456789abcdef");
	c->kernel.offset_known = true;
	c->boot_id = strdup("boot");
	c->how.callers = c->follows_modules = true;
	covered_modules__add(&c->modules, "there");
	c->window = window;
}

/* @a has recorded for longer than @b, the same functions. */
static void begin(struct sides *s, unsigned int kind)
{
	make(&s->a, "oneshot", (struct window){ 10, 20, 400 * MS, 400 * MS + 10, 1 });
	make(&s->b, "bpf", (struct window){ 30, 40, 300 * MS, 300 * MS + 10, 1 });
	fill(&s->a, kind);
}

static void end(struct sides *s)
{
	coverage__free(&s->a);
	coverage__free(&s->b);
}

static void set_string(char **which, const char *text)
{
	free(*which);
	*which = text ? strdup(text) : NULL;
}

static void rename_module(struct coverage *c, const char *name)
{
	set_string(&c->modules.list[0].name, name);
}

static void close_at(struct coverage *c, uint64_t when)
{
	c->window.closing = c->window.closed = when;
}

static void open_at(struct coverage *c, uint64_t when)
{
	c->window.opening = c->window.open = when;
}

static void name_module(struct coverage *c, const char *module)
{
	for (size_t i = 0; i < c->hits.count; i++)
		c->hits.list[i].module = module;
}

/* A function that @b leaves out, which @a saw after nine of the twenty. */
static void call(struct coverage *c, const char *module)
{
	add(c, "left_out", module, HIT_FUNCTION, 100, 10 * TEN_MS);
}

static void lose(struct coverage *c, const char *name, uint64_t value)
{
	counters__add(&c->lost, name, value);
}

/* @count of the differences have @reason, and the others have none. */
static void expect(struct sides *s, unsigned int kind, enum reason reason, size_t count)
{
	struct comparison cmp;
	size_t found = 0, unexplained = 0;

	compare__run(&cmp, &s->a, &s->b, kind);
	for (size_t i = 0; i < cmp.only_a_count; i++) {
		found += cmp.only_a[i].reason == reason;
		unexplained += cmp.only_a[i].reason == REASON_UNEXPLAINED;
	}
	cr_expect(cmp.only_a_count >= ALL, "%zu", cmp.only_a_count);
	cr_expect(found == count, "%zu and not %zu", found, count);
	if (reason != REASON_UNEXPLAINED)
		cr_expect(found + unexplained == cmp.only_a_count, "%zu have another reason",
			  cmp.only_a_count - found - unexplained);
	compare__free(&cmp);
}

#define EXPLAINS(test, kind, reason, count, ...)				\
	Test(reasons, test)							\
	{									\
		struct sides s;							\
		struct coverage *a = &s.a, *b = &s.b;				\
										\
		(void)a, (void)b;						\
		begin(&s, kind);						\
		__VA_ARGS__;							\
		expect(&s, kind, reason, count);				\
		end(&s);							\
	}

#define OF_FUNCTIONS(test, ...) EXPLAINS(test, HIT_FUNCTION, __VA_ARGS__)
#define OF_CALLERS(test, ...) EXPLAINS(callers_##test, HIT_CALLER, __VA_ARGS__)

OF_FUNCTIONS(nothing, REASON_UNEXPLAINED, ALL, )
OF_CALLERS(nothing, REASON_UNEXPLAINED, ALL, )

/* ---- by name, and module */

OF_FUNCTIONS(denied, REASON_DENIED, 1, globs__add(&b->filter.deny, "fn_03"))
OF_FUNCTIONS(denied_in_a_module, REASON_DENIED, 4, globs__add(&b->filter.deny, ":mod:there"))
OF_FUNCTIONS(denied_to_itself, REASON_DENIED, 0, globs__add(&a->filter.deny, "fn_03"))
OF_FUNCTIONS(not_asked, REASON_NOT_ASKED, 15, globs__add(&b->filter.allow, "fn_0[0-4]"))
OF_FUNCTIONS(own, REASON_OWN, 1, globs__add(&b->filter.own, "fn_03"))
OF_FUNCTIONS(unattached, REASON_UNATTACHED, 1, b->unattached = list_of("fn_03"))
OF_FUNCTIONS(unattached_of_a_module, REASON_UNATTACHED, 1,
	     b->unattached = list_of("fn_12 [there]"))
OF_FUNCTIONS(unattached_of_another_module, REASON_UNATTACHED, 0,
	     b->unattached = list_of("fn_12 [came]"))
OF_FUNCTIONS(unattached_of_a_module_alone, REASON_UNATTACHED, 0,
	     b->unattached = list_of("fn_03 [there]"))
OF_FUNCTIONS(unattached_of_vmlinux_alone, REASON_UNATTACHED, 0,
	     b->unattached = list_of("fn_12"))
OF_FUNCTIONS(module, REASON_MODULE, 4, b->follows_modules = false)
OF_FUNCTIONS(no_module_was_there, REASON_MODULE, 8,
	     (b->follows_modules = false, rename_module(b, "other")))

/* ---- by time */

OF_FUNCTIONS(after, REASON_AFTER, 5, close_at(b, 155 * MS))
OF_FUNCTIONS(after_what_did_not_look_before, REASON_LATER, 5,
	     (close_at(b, 155 * MS), open_at(a, 35)))
OF_FUNCTIONS(after_what_was_not_sure_to_look_before, REASON_LATER, 5,
	     (close_at(b, 155 * MS), a->window.open = 35))
OF_FUNCTIONS(after_what_may_have_missed_a_call, REASON_LATER, 5,
	     (close_at(b, 155 * MS), lose(a, "recursion_misses", 1)))
OF_FUNCTIONS(after_what_may_have_missed_an_unknown, REASON_LATER, 5,
	     (close_at(b, 155 * MS), lose(a, "of_tomorrow", 1)))
OF_FUNCTIONS(after_a_loss_of_callers, REASON_AFTER, 5,
	     (close_at(b, 155 * MS), lose(a, "callers_incomplete", 1)))
OF_FUNCTIONS(after_what_followed_a_task, REASON_LATER, 5,
	     (close_at(b, 155 * MS), a->scope.kind = SCOPE_TASK))
OF_FUNCTIONS(after_in_a_module_that_was_there, REASON_AFTER, 16, close_at(b, 45 * MS))
OF_FUNCTIONS(after_in_modules_that_may_have_come, REASON_LATER, 5,
	     (close_at(b, 155 * MS), name_module(a, "came")))
OF_FUNCTIONS(before, REASON_BEFORE, 4, open_at(b, 45 * MS))
OF_FUNCTIONS(while_it_opened, REASON_EDGE, 4, b->window.open = 45 * MS)
OF_FUNCTIONS(while_it_closed, REASON_EDGE, 5, b->window.closing = 155 * MS)
/* The clocks may differ by the sum of the two documents' errors. */
OF_FUNCTIONS(near_the_opening, REASON_EDGE, 8, (open_at(b, 45 * MS), b->window.error = 40 * MS))
OF_FUNCTIONS(near_the_opening_by_the_other_clock, REASON_EDGE, 8,
	     (open_at(b, 45 * MS), a->window.error = 40 * MS))
OF_FUNCTIONS(near_the_closing, REASON_EDGE, 14, (close_at(b, 155 * MS), b->window.error = 45 * MS))
OF_FUNCTIONS(nearly_a_run_before, REASON_BEFORE, ALL,
	     (close_at(a, 230 * MS),
	      b->window = (struct window){ 240 * MS, 240 * MS, 400 * MS, 400 * MS, 20 * MS }))
OF_FUNCTIONS(a_run_before, REASON_OTHER_RUN, ALL,
	     b->window = ((struct window){ 500 * MS, 501 * MS, 600 * MS, 601 * MS, 1 }))
OF_FUNCTIONS(a_run_after, REASON_OTHER_RUN, ALL,
	     (a->window = ((struct window){ 500 * MS, 501 * MS, 600 * MS, 601 * MS, 1 })))
OF_FUNCTIONS(another_boot, REASON_OTHER_BOOT, ALL, set_string(&b->boot_id, "other"))
OF_FUNCTIONS(an_unknown_boot, REASON_OTHER_BOOT, ALL,
	     (set_string(&a->boot_id, NULL), set_string(&b->boot_id, NULL)))

OF_FUNCTIONS(the_others_boot_is_unknown, REASON_OTHER_BOOT, ALL, set_string(&b->boot_id, NULL))

/* ---- by tasks */

OF_FUNCTIONS(task, REASON_SCOPE, ALL, b->scope.kind = SCOPE_TASK)
OF_FUNCTIONS(a_task_of_the_boot, REASON_SCOPE, 0, (a->scope.kind = SCOPE_TASK, b->scope.kind = SCOPE_BOOT))
OF_FUNCTIONS(another_process, REASON_SCOPE, ALL,
	     (a->scope.kind = b->scope.kind = SCOPE_PID, a->scope.pid = 1, b->scope.pid = 2))
OF_FUNCTIONS(the_same_process, REASON_SCOPE, 0,
	     (a->scope.kind = b->scope.kind = SCOPE_PID, a->scope.pid = b->scope.pid = 1))

OF_FUNCTIONS(another_command, REASON_SCOPE, ALL,
	     (a->scope.kind = b->scope.kind = SCOPE_TASK, a->command = list_of("one"),
	      b->command = list_of("two")))
OF_FUNCTIONS(a_command_with_other_arguments, REASON_SCOPE, ALL,
	     (a->scope.kind = b->scope.kind = SCOPE_TASK, a->command = list_of("one"),
	      b->command = list_of_two("one", "two")))
OF_FUNCTIONS(the_same_command, REASON_SCOPE, 0,
	     (a->scope.kind = b->scope.kind = SCOPE_TASK, a->command = list_of("one"),
	      b->command = list_of("one")))
OF_FUNCTIONS(a_process_and_not_the_command, REASON_SCOPE, 0,
	     (a->scope.kind = b->scope.kind = SCOPE_PID, a->scope.pid = b->scope.pid = 1, a->command = list_of("one")))

OF_FUNCTIONS(cgroup, REASON_SCOPE, ALL, b->scope.cgroup = "one")
OF_FUNCTIONS(another_cgroup, REASON_SCOPE, ALL,
	     (a->scope.cgroup = "two", b->scope.cgroup = "one"))
OF_FUNCTIONS(the_same_cgroup, REASON_SCOPE, 0,
	     (a->scope.cgroup = "one", b->scope.cgroup = "one"))
OF_FUNCTIONS(a_cgroup_of_all, REASON_SCOPE, 0, a->scope.cgroup = "one")
OF_FUNCTIONS(comm, REASON_SCOPE, ALL, b->scope.comm = "sh")
OF_FUNCTIONS(the_same_comm, REASON_SCOPE, 0, (a->scope.comm = "sh", b->scope.comm = "sh"))

/* ---- by counters of losses */

OF_FUNCTIONS(refused, REASON_FULL, 3, lose(b, "refused", 3))
OF_FUNCTIONS(map_full, REASON_FULL, 3, lose(b, "map_full", 3))
OF_FUNCTIONS(full_on_this_side, REASON_FULL, 0, lose(a, "map_full", 3))
OF_FUNCTIONS(unresolvable, REASON_UNRESOLVED, 2, lose(b, "unresolvable_functions", 2))
OF_FUNCTIONS(unresolvable_of_what_came, REASON_UNRESOLVED, 4,
	     lose(b, "unresolvable_functions", 10))
OF_FUNCTIONS(unresolvable_callers, REASON_UNRESOLVED, 0, lose(b, "unresolvable_callers", 10))
OF_FUNCTIONS(init_text_has_no_offset, REASON_UNRESOLVED, 0, lose(b, "module_init_functions", 10))
OF_FUNCTIONS(late_module, REASON_MODULE_LATE, 4,
	     (b->follows_modules = false, lose(b, "modules_late", 1)))
OF_FUNCTIONS(one_late_module_of_two, REASON_MODULE_LATE, 4,
	     (b->follows_modules = false, rename_module(b, "other"), lose(b, "modules_late", 1)))
OF_FUNCTIONS(no_late_module_was_there, REASON_MODULE_LATE, 4,
	     (b->follows_modules = false, lose(b, "modules_late", 2)))
OF_FUNCTIONS(a_late_and_an_untraced_module, REASON_MODULE_LATE, 8,
	     (b->follows_modules = false, rename_module(b, "other"), lose(b, "modules_late", 1),
	      lose(b, "modules_untraced", 1)))
OF_FUNCTIONS(untraced_module, REASON_MODULE, 4,
	     (b->follows_modules = false, lose(b, "modules_untraced", 1)))
OF_FUNCTIONS(recursion, REASON_RECURSION, 3, lose(b, "recursion_misses", 3))
OF_FUNCTIONS(missed_calls_add_up, REASON_RECURSION, 5,
	     (lose(b, "recursion_misses", 3), lose(b, "missed", 2)))
OF_FUNCTIONS(an_events_are_the_programs_too, REASON_RECURSION, 3,
	     (set_string(&b->engine, "event"), lose(b, "recursion_misses", 3), lose(b, "missed", 2)))
OF_FUNCTIONS(retired, REASON_RETIRED, 0, lose(b, "callers_incomplete", 3))
OF_FUNCTIONS(lost_callers, REASON_UNEXPLAINED, ALL, lose(b, "parents_lost", 3))
OF_FUNCTIONS(tasks_that_were_not_followed, REASON_SCOPE, ALL, lose(b, "tasks_full", 1))
OF_FUNCTIONS(lost_events, REASON_UNEXPLAINED, ALL, lose(b, "events_lost", 100))

OF_FUNCTIONS(an_events_may_be_more, REASON_RECURSION, 4,
	     (set_string(&b->engine, "event"), lose(b, "recursion_misses", 3), lose(b, "missed", 4)))

/* ---- because of fentry.multi */

/* A call from @caller, which enters @callee; the first one of that function if @first. */
static void record_call(struct coverage *c, const char *caller, const char *callee, bool first)
{
	static unsigned int number = 200;
	struct hit *hit;

	if (first) {
		add(c, callee, NULL, HIT_FUNCTION, number++, TEN_MS);
		hit = &c->hits.list[c->hits.count - 1];
		hit->other.name = hits__name(&c->hits, caller);
	}
	add(c, caller, NULL, HIT_CALLER, number++, TEN_MS);
	hit = &c->hits.list[c->hits.count - 1];
	hit->other.name = hits__name(&c->hits, callee);
}

/* Of the four functions, two are only called from where fentry.multi leads, one of them through the other. */
static void migrate(struct sides *s, enum cover_entry_kind a, enum cover_entry_kind b)
{
	s->a.how.entry = a;
	s->b.how.entry = b;
	/* The callee comes before its caller, as in a document whose times are nearly the same. */
	record_call(&s->a, "__set_cpus_allowed_ptr", "affine_move_task.isra.0", true);
	record_call(&s->a, "___migrate_enable", "__set_cpus_allowed_ptr", true);
	record_call(&s->a, "migrate_disable_switch.isra.0", "set_cpus_allowed_fair", true);
	record_call(&s->a, "sched_setaffinity", "set_cpus_allowed_fair", false);
	record_call(&s->a, "__schedule", "pick_next_task", true);
}

OF_FUNCTIONS(pinned_by_fentry, REASON_PINNED, 2, migrate(&s, ENTRY_FENTRY, ENTRY_KPROBE))
OF_FUNCTIONS(pinned_by_nothing, REASON_PINNED, 0, migrate(&s, ENTRY_KPROBE, ENTRY_KPROBE))
OF_FUNCTIONS(pinned_in_both, REASON_PINNED, 0, migrate(&s, ENTRY_FENTRY, ENTRY_FENTRY))
OF_FUNCTIONS(pinned_by_an_inlined_function, REASON_PINNED, 1,
	     (a->how.entry = ENTRY_FENTRY, record_call(a, "__schedule", "set_cpus_allowed_fair", true)))
OF_CALLERS(pinned_by_fentry, REASON_PINNED, 3, migrate(&s, ENTRY_FENTRY, ENTRY_KPROBE))

/* By name: a hit without a name may be any one that only the other has, but not more than these. */
static void forget_names(struct sides *s, unsigned int count)
{
	set_string(&s->b.kernel.build_id, "fedcba9876543210");
	for (unsigned int i = 0; i < count; i++)
		s->a.hits.list[i].name = NULL;
	add(&s->b, "another", NULL, HIT_FUNCTION, 50, TEN_MS);
	add(&s->b, "one_more", NULL, HIT_FUNCTION, 51, TEN_MS);
}

OF_FUNCTIONS(nameless, REASON_NO_ADDRESS, 2, forget_names(&s, 5))
OF_FUNCTIONS(one_nameless, REASON_NO_ADDRESS, 1, forget_names(&s, 1))

/* ---- callers */

OF_CALLERS(not_recorded, REASON_NO_CALLERS, ALL, b->how.callers = false)
OF_CALLERS(of_what_is_denied, REASON_CALLED_DENIED, 11,
	   (globs__add(&b->filter.deny, "left_out"), call(a, NULL)))
OF_CALLERS(of_the_first_of_what_is_denied, REASON_CALLED_DENIED, 11,
	   (globs__add(&b->filter.deny, "left_*"), call(a, NULL),
	    add(a, "left_later", NULL, HIT_FUNCTION, 101, 18 * TEN_MS)))
/* The caller's processor may have stamped its hit first. */
OF_CALLERS(of_what_is_denied_at_about_that_time, REASON_CALLED_DENIED, 11,
	   (globs__add(&b->filter.deny, "left_out"),
	    add(a, "left_out", NULL, HIT_FUNCTION, 100, 10 * TEN_MS + MS / 2)))
OF_CALLERS(of_what_nobody_called, REASON_CALLED_DENIED, 0, globs__add(&b->filter.deny, "left_out"))
OF_CALLERS(of_what_is_not_asked_for, REASON_CALLED_NOT_ASKED, 11,
	   (globs__add(&b->filter.allow, "fn_*"), call(a, NULL)))
OF_CALLERS(of_what_all_asked_for, REASON_CALLED_NOT_ASKED, 0,
	   (globs__add(&b->filter.allow, "left_*"), call(a, NULL)))
OF_CALLERS(of_an_own_helper, REASON_CALLED_OWN, 11,
	   (globs__add(&b->filter.own, "left_out"), call(a, NULL)))
OF_CALLERS(of_an_own_helper_that_nobody_called, REASON_CALLED_OWN, 0,
	   globs__add(&b->filter.own, "left_out"))
OF_CALLERS(of_what_could_not_be_attached_to, REASON_CALLED_UNATTACHED, 11,
	   (b->unattached = list_of("left_out"), call(a, NULL)))
OF_CALLERS(of_a_module_that_came, REASON_CALLED_MODULE, 11,
	   (b->follows_modules = false, call(a, "came")))
OF_CALLERS(of_a_module_that_nobody_called, REASON_CALLED_MODULE, 0, b->follows_modules = false)
OF_CALLERS(of_a_module_that_was_there, REASON_CALLED_MODULE, 0,
	   (b->follows_modules = false, call(a, "there")))
OF_CALLERS(inside_an_own_helper, REASON_INSIDE_OWN, 1, globs__add(&b->filter.own, "fn_03"))
OF_CALLERS(inside_a_helper_of_another, REASON_INSIDE_OWN, 0,
	   (set_string(&b->engine, "oneshot"), globs__add(&b->filter.own, "fn_03")))
OF_CALLERS(after_they_retired, REASON_RETIRED, 10,
	   (b->how.retire_ms = 100, lose(b, "callers_incomplete", 1)))
OF_CALLERS(nothing_retired, REASON_RETIRED, 0, b->how.retire_ms = 100)
OF_CALLERS(unresolvable, REASON_UNRESOLVED, 2, lose(b, "unresolvable_callers", 2))
OF_CALLERS(init_text_has_no_offset, REASON_UNRESOLVED, 0, lose(b, "module_init_callers", 10))
OF_CALLERS(unresolvable_functions, REASON_UNRESOLVED, 0, lose(b, "unresolvable_functions", 10))
OF_CALLERS(hidden_by_a_return_trampoline, REASON_HIDDEN, 3, lose(b, "parents_lost", 3))
OF_CALLERS(hidden_on_this_side, REASON_HIDDEN, 0, lose(a, "parents_lost", 3))
OF_CALLERS(recursion, REASON_RECURSION, 3, lose(b, "recursion_misses", 3))

/* One document has return addresses of vmlinux, the other those at run time. */
static void link_calls(struct sides *s, bool linked, unsigned int others)
{
	s->a.kernel.calls_linked = true;
	s->b.kernel.calls_linked = linked;
	for (unsigned int i = 0; i < others; i++)
		add(&s->b, "another", NULL, HIT_CALLER, 50 + i, TEN_MS);
}

OF_CALLERS(as_linked_and_as_they_ran, REASON_REWRITTEN, 2, link_calls(&s, false, 2))
OF_CALLERS(of_which_those_in_modules_are_not_linked, REASON_REWRITTEN, OF_VMLINUX,
	   link_calls(&s, false, ALL))
OF_CALLERS(of_which_the_other_has_all, REASON_REWRITTEN, 0, link_calls(&s, false, 0))
OF_CALLERS(as_linked, REASON_REWRITTEN, 0, link_calls(&s, true, 2))
OF_CALLERS(as_linked_and_matched_by_name, REASON_REWRITTEN, 0,
	   (link_calls(&s, false, 2), set_string(&b->kernel.build_id, "fedcba9876543210")))
OF_CALLERS(after, REASON_AFTER, 5, close_at(b, 155 * MS))
OF_CALLERS(after_a_loss_of_callers, REASON_LATER, 5,
	   (close_at(b, 155 * MS), lose(a, "parents_lost", 1)))
OF_CALLERS(after_by_other_filters, REASON_LATER, 5,
	   (close_at(b, 155 * MS), globs__add(&a->filter.deny, "nobody")))
OF_CALLERS(after_by_a_filter_of_another_name, REASON_LATER, 5,
	   (close_at(b, 155 * MS), globs__add(&a->filter.deny, "nobody"), globs__add(&b->filter.deny, "nothing")))
OF_CALLERS(after_by_another_choice, REASON_LATER, 5,
	   (close_at(b, 155 * MS), globs__add(&a->filter.allow, "nobody")))
OF_CALLERS(after_by_other_helpers, REASON_LATER, 5,
	   (close_at(b, 155 * MS), globs__add(&a->filter.own, "nobody")))

/* ---- messages */

static char *printed(const struct coverage *one, const struct coverage *two)
{
	struct comparison cmp;
	char *text;

	compare__run(&cmp, one, two, HIT_FUNCTION);
	text = PRINTED(f, compare__print(&cmp, "one", "two", 0, f));
	compare__free(&cmp);
	return text;
}

Test(reasons, two_runs_are_told_so_in_the_first_line)
{
	autofree char *then = NULL, *before = NULL, *one_run = NULL;
	struct sides s;

	begin(&s, HIT_FUNCTION);
	one_run = printed(&s.a, &s.b);
	cr_expect(strstr(one_run, "two runs") == NULL, "%s", one_run);
	s.b.window = (struct window){ 1400 * MS + 10, 1401 * MS, 1600 * MS, 1601 * MS, 1 };
	then = printed(&s.a, &s.b);
	then[strcspn(then, "\n")] = '\0';
	cr_expect(strstr(then, "(two runs: two began 1.000 s after one had ended)") != NULL, "%s", then);
	before = printed(&s.b, &s.a);
	cr_expect(strstr(before, "(two runs: one began 1.000 s after two had ended)") != NULL, "%s", before);
	cr_expect(strstr(before, "All differences are explained") == NULL);
	end(&s);
}

Test(reasons, only_what_follows_from_the_data_is_certain)
{
	static const enum reason certain[] = {
		REASON_NO_CALLERS, REASON_UNATTACHED, REASON_NOT_ASKED, REASON_DENIED, REASON_OWN,
		REASON_MODULE, REASON_AFTER,
	};

	for (enum reason reason = 0; reason < REASON_COUNT; reason++) {
		bool is = false;

		for_each(one, certain)
			is |= *one == reason;
		is ^= reason__certainty(reason) == CERTAIN;
		cr_expect(not(is), "%d", reason);
	}
}
