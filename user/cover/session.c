// SPDX-License-Identifier: GPL-2.0-only
/* The steps of a run; see session.h. Each step is a function, and has its helpers above it. */
#include "base/error.h"
#include "base/memory.h"
#include "cover/session.h"
#include "kernel/features.h"
#include "report/why.h"

void session__init(struct session *s, const struct cover_options *o)
{
	*s = (struct session){ .options = o, .process = -1 };
	workload__init(&s->workload, o->command, true);
}

/* Prints what `hytrace why` says about the function. Returns false if nothing was printed. */
static bool explain(const struct glob *g, const char *vmlinux)
{
	struct why w;
	bool known;

	if (why__of_running(&w, g->function, vmlinux))
		return false;
	known = w.found;
	for (size_t i = 0; known && i < w.count; i++) {
		const struct why_answer *a = &w.list[i];
		bool own = !strcmp(a->function, g->function);

		error__print("%s%s%s:%s%s %s", g->origin ?: "", g->origin ? ": " : "", g->function, own ? "" : " ",
			     own ? "" : a->function, a->text);
	}
	why__free(&w);
	return known;
}

/* An unknown name that resembles a known one is a typo. Only other names are looked up in files, which is slow. */
static int refuse(const struct glob *g, const struct kernel *k, const char *vmlinux)
{
	if (glob__is_name(g) &&
	    (symbols__by_name(k->symbols, g->function) || !traceable__similar(k->traceable, g->function)) &&
	    explain(g, vmlinux))
		return -EINVAL;
	return glob__refuse(g, k->traceable);
}

/* The filter is checked early, because of all arguments it is wrong most often. */
static int look_at_kernel(struct kernel *k, const struct filter *filter, const char *vmlinux)
{
	const struct glob *unmatched;
	int err;

	err = kernel__load(k, KERNEL_LISTS, NULL);
	unmatched = err ? NULL : filter__unmatched(filter, k->traceable);
	if (unmatched)
		err = refuse(unmatched, k, vmlinux);
	return err ?: kernel__load(k, KERNEL_ID | KERNEL_SITES | KERNEL_FILES, vmlinux);
}

/*
 * Fills in what the engines have to know. They add to the filter the functions that they exclude.
 */
static void make_request(struct session *s)
{
	filter__copy(&s->filter, &s->options->filter);
	s->request = (struct request){
		.options = s->options, .filter = &s->filter, .kernel = &s->kernel, .alone = s->engines.count == 1,
		.cuts = s->cuts, .apart = s->apart,
	};
	engines__deny_own(&s->engines, &s->filter.own, &s->request);
	s->request.asked_for = kernel__count_asked_for(&s->kernel, &s->filter);
}

int session__look(struct session *s)
{
	const struct cover_options *o = s->options;
	int err = workload__find(&s->workload) ?: ready__check(o->ready_fd);

	if (!err && o->user)
		err = login__find(&s->login, o->user);
	s->workload.login = s->login;
	err = err ?: features__require(FEATURE_CAPABILITIES, NULL) ?:
		     look_at_kernel(&s->kernel, &o->filter, o->result.vmlinux);
	if (!err && o->scope.pid) {
		s->process = process__open(o->scope.pid);
		err = s->process < 0 ? s->process : 0;
	}
	if (err)
		return err;
	engines__choose(&s->engines, o);
	err = engines__require(&s->engines, o);
	if (!err)
		make_request(s);
	return err;
}

/* Makes the instance with tracing_on off, and reads both clocks. Nobody reads its ring buffer, so it is made small. */
static int make_instance(struct session *s)
{
	struct instance **ret = &s->request.instance;

	return instance__create(ret, s->request.guard) ?:
	       instance__shrink(*ret, &s->ring_buffer_bytes) ?:
	       instance__read_clock(*ret, &s->clocks.first) ?:
	       instance__gate(*ret, false);
}

/* The command waits. With --task, its process is followed. */
static int fork_command(struct session *s)
{
	int err = workload__fork(&s->workload);

	if (err || s->options->scope.kind != SCOPE_TASK)
		return err;
	s->process = process__open_own(s->workload.pid);
	return s->process < 0 ? s->process : 0;
}

/* Attaching takes time. If the process has ended meanwhile, there is nothing to record. */
static int check_process(long pid, int process)
{
	if (pid && process__has_ended(process))
		return error__return(-ESRCH, "--pid %ld: the process has ended before it could be "
				     "traced", pid);
	return 0;
}

int session__attach(struct session *s)
{
	int err = make_instance(s);

	progress__say("attaching to %zu functions", s->request.asked_for);
	err = err ?: engines__prepare(&s->engines, &s->request) ?:
		     workload__begin(&s->workload) ?:
		     fork_command(s) ?:
		     engines__start(&s->engines, s->process) ?:
		     check_process(s->options->scope.pid, s->process);
	progress__end();
	return err;
}

int session__open(struct session *s)
{
	return engines__open(&s->engines) ?: workload__check(&s->workload) ?: workload__release(&s->workload);
}

int session__close(struct session *s)
{
	int closed = engines__close(&s->engines), stopped;

	workload__ended(&s->workload);
	/* With a command, nothing is printed: it may have printed part of a line, or may go on printing. */
	if (!s->options->command)
		progress__say("detaching");
	stopped = engines__stop(&s->engines);
	progress__end();
	return closed ?: stopped;
}

int session__look_again(const struct session *s, struct symbols **ret_after, struct clock_pair *ret)
{
	int err = symbols__hold(s->kernel.symbols) ? 0 : symbols__load(ret_after);

	return err ?: instance__read_clock(s->request.instance, ret);
}

int session__end(struct session *s, int err)
{
	workload__abandon(&s->workload);
	engines__destroy(&s->engines);
	instance__close(s->request.instance);
	filter__free(&s->filter);
	login__free(s->login);
	kernel__free(&s->kernel);
	if (s->process >= 0)
		close(s->process);
	return workload__finish(&s->workload, s->request.guard, err);
}
