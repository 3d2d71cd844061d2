// SPDX-License-Identifier: GPL-2.0-only
/*
 * What does it cost a call to be seen? See measure.h.
 *
 * Under `-icount shift=0` the guest's TSC counts its instructions, so a cost is a number of
 * instructions, the same from run to run, and a thousand calls are enough to resolve one. What is
 * left of noise are timer ticks, and for a while what the kernel does after a change of what is traced:
 * a repetition is so short that most have no tick, and rounds of them are measured until most are alike.
 * The result is the median of the best round. Without icount the same code gives nanoseconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "bench/measure.h"

#define REPETITIONS 31
/* Instructions, or nanoseconds, of a repetition: a quarter of a tick. */
#define REPETITION_COST 1000000
/*
 * Rounds of repetitions, at most, until the median is within this of the least. A workload that takes longer
 * than a repetition has ticks in each.
 */
#define ROUNDS 8
#define QUIET 1.002
/* Switching all functions on and off takes seconds under TCG: just enough for a median. */
#define SWITCHES 3

static bool nanoseconds;
static volatile sig_atomic_t interrupted;
static volatile pid_t child;

static double now(void)
{
	struct timespec ts;

	/* Not the kernel's clock: its idea of the TSC's frequency is an estimate. */
	if (!nanoseconds)
		return __rdtsc();
	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Sorts the values. */
static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
	return values[count / 2];
}

/* A loop of two instructions has to take two: a TSC that counts time would make all rows nonsense. */
static int check_clock(void)
{
	const unsigned long loops = 100000;
	double took[REPETITIONS], each;
	int i;

	for (i = 0; i < REPETITIONS; i++) {
		unsigned long n = loops;

		took[i] = -now();
		asm volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
		took[i] += now();
	}
	each = median(took, REPETITIONS) / loops;
	if (fabs(each - 2) < 0.01)
		return 0;
	fprintf(stderr, "hytrace: bench: two instructions take %.3f ticks of the TSC, so it does not count them;\n"
		"hytrace: bench: start the guest with vm.sh --icount, or ask for --unit ns\n", each);
	return -EINVAL;
}

int measure__init(bool use_nanoseconds)
{
	bench_left = mmap(NULL, sizeof(*bench_left), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			  0);
	if (bench_left == MAP_FAILED)
		return bench_error(-errno, "cannot share memory");
	nanoseconds = use_nanoseconds;
	return nanoseconds ? 0 : check_clock();
}

/* ---- measuring one row */

/* Nanoseconds by the kernel's clock, which is as good as its estimate: within some thousandths. */
static double cpu_time(void)
{
	struct timespec ts;
	struct rusage r;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	getrusage(RUSAGE_CHILDREN, &r);
	return ts.tv_sec * 1e9 + ts.tv_nsec + (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e9 +
	       (r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e3;
}

static double time_calls(const struct workload *w, unsigned long calls)
{
	double start = w->waits ? cpu_time() : now();

	w->run(calls);
	return ((w->waits ? cpu_time() : now()) - start) / calls;
}

static void measure_cost(const struct workload *w, struct bench_row *row, bool base)
{
	double values[REPETITIONS], middle, best = INFINITY;
	unsigned long calls;
	int i, round;

	for (i = 0; i < REPETITIONS; i++)
		values[i] = time_calls(w, w->calls);
	calls = REPETITION_COST / median(values, REPETITIONS);
	if (calls < w->calls)
		calls = w->calls;
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < REPETITIONS; i++)
			values[i] = time_calls(w, calls);
		middle = median(values, REPETITIONS);
		if (middle < best) {
			best = middle;
			if (!base) {
				row->min = values[0];
				row->max = values[REPETITIONS - 1];
			}
		}
		if (calls == w->calls || middle <= QUIET * values[0])
			break;
	}
	if (base)
		row->base = best;
	else
		row->total = best;
}

/* What the first call after forgetting everything costs more than any other. */
static int measure_first_hit(const struct contender *c, const struct workload *w,
			     struct bench_row *row)
{
	double values[REPETITIONS];
	int i, err;

	for (i = 0; i < REPETITIONS; i++) {
		err = c->clear(c);
		if (err)
			return err;
		values[i] = time_calls(w, 1);
	}
	row->first_hit = median(values, REPETITIONS) - row->total;
	return 0;
}

/* What it takes to switch a contender on and off, over and over. */
struct switching {
	double attach[SWITCHES];
	double detach[SWITCHES];
};

static int time_attach(const struct contender *c, enum bench_scope scope, double *ret_took)
{
	double start = now();
	int err = c->attach(c, scope);

	*ret_took = now() - start;
	return err;
}

/* Of the switch whose attach has been timed. */
static int time_detach(const struct contender *c, struct switching *times, int i)
{
	double start = now();
	int err = c->detach(c);

	times->detach[i] = now() - start;
	if (!err && c->took)
		err = c->took(c, &times->attach[i], &times->detach[i]);
	return err;
}

/* All but the first attach and detach, between which the calls were measured. */
static int measure_switching(const struct contender *c, enum bench_scope scope,
			     struct switching *times, struct bench_row *row)
{
	int i, err = 0;

	for (i = 1; !err && i < SWITCHES; i++)
		err = time_attach(c, scope, &times->attach[i]) ?:
		      time_detach(c, times, i);
	if (err)
		return err;
	row->attach = median(times->attach, SWITCHES);
	row->detach = median(times->detach, SWITCHES);
	return 0;
}

static int measure_attached(const struct contender *c, const struct workload *const *list, size_t count,
			    enum bench_scope scope, struct bench_row *rows)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		const struct workload *w = list[i];

		w->run(w->which == WORKLOAD_GETPPID && c->warmup ? c->warmup : w->warmup);
		if (c->settle_ms) {
			usleep(c->settle_ms * 1000);
			w->run(w->warmup);
		}
		measure_cost(w, &rows[i], false);
		if (!i && c->report)
			err = c->report(c, rows);
	}
	/* With all functions traced, what runs between clearing and the call is unknown. */
	if (!err && c->clear && scope == SCOPE_ONE)
		err = measure_first_hit(c, list[0], rows);
	return err;
}

/* What is not a workload's goes to the first row: memory, what was seen, switching. */
static int measure_rows(const struct contender *c, const struct workload *const *list, size_t count,
			enum bench_scope scope, struct bench_row *rows)
{
	struct switching times;
	int err;

	for (size_t i = 0; i < count; i++) {
		list[i]->run(list[i]->warmup);
		measure_cost(list[i], &rows[i], true);
	}
	err = c->setup ? c->setup(c, scope) : 0;
	if (err)
		goto cleanup;
	if (c->attach)
		err = time_attach(c, scope, &times.attach[0]);
	err = err ?: measure_attached(c, list, count, scope, rows);
	if (!err && c->attach)
		err = time_detach(c, &times, 0) ?: measure_switching(c, scope, &times, rows);
cleanup:
	if (c->cleanup)
		c->cleanup(c);
	return err;
}

/* The rows as the child left them; -EIO when it died. */
static int collect_rows(int fd, struct bench_row *rows, size_t count)
{
	struct bench_row got[WORKLOADS];
	ssize_t size = count * sizeof(*rows), n = read(fd, got, size);
	int status;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	child = 0;
	if (!WIFEXITED(status))
		return -EIO;
	if (n == size)
		memcpy(rows, got, size);
	return -WEXITSTATUS(status);
}

/* The child dies of it as well, if not by the terminal then by this; then it is cleaned up. */
static void interrupt(int signal)
{
	interrupted = signal;
	if (child > 0)
		kill(child, SIGKILL);
}

void measure__catch_signals(void)
{
	struct sigaction action = { .sa_handler = interrupt };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGQUIT, &action, NULL);
	/* nohup(1) */
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

/* Some contenders look at one CPU only, or keep something for each. */
static void stay_here(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		bench_error(-errno, "cannot stay on CPU 0; event-perf looks at no other");
}

int measure__interrupted(void)
{
	return interrupted;
}

/* In the child that has just been forked. */
static void become_measured(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	/* Who is left to clean up then cannot know of it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stay_here();
}

bool measure__can_run(const struct workload *w)
{
	int status = -1;

	fflush(NULL);
	child = fork();
	if (!child) {
		become_measured();
		w->run(1);
		exit(0);
	}
	if (child < 0)
		bench_error(-errno, "cannot try %s", w->name);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	if (status)
		workloads__remove_files();
	return !status;
}

int measure__rows(const struct contender *c, const struct workload *const *list, size_t count,
		  enum bench_scope scope, struct bench_row *rows)
{
	int fds[2], err;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	*bench_left = (struct bench_left){};
	fflush(NULL);
	child = fork();
	if (child < 0) {
		err = -errno;
	} else if (!child) {
		become_measured();
		err = measure_rows(c, list, count, scope, rows);
		if (!err && write(fds[1], rows, count * sizeof(*rows)) != (ssize_t)(count * sizeof(*rows)))
			err = -EIO;
		exit(-err);
	} else {
		close(fds[1]);
		err = collect_rows(fds[0], rows, count);
		close(fds[0]);
		if (err && c->cleanup)
			c->cleanup(c);
		if (err)
			workloads__remove_files();
		return err;
	}
	close(fds[0]);
	close(fds[1]);
	return err;
}
