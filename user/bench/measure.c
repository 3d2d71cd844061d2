// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures what it costs to see a call; see measure.h.
 *
 * Under `-icount shift=0`, the guest's TSC counts its instructions. So a cost is a number of
 * instructions, which is the same in each run, and a thousand calls are enough to resolve a single
 * instruction. The remaining noise is timer ticks, and for a while the kernel's work after a change
 * of the traced functions. A repetition is so short that most have no tick. Rounds of repetitions
 * are measured until most in a round are alike; the result is the median of the best round. Without
 * icount, the same code gives nanoseconds.
 */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <x86intrin.h>

#include "bench/measure.h"

#define REPETITIONS MEASURE_REPETITIONS
/* The length of a repetition in instructions or nanoseconds: a quarter of a tick. */
#define REPETITION_COST 1000000
/*
 * The most rounds of repetitions; fewer if the median is close to the minimum. Repetitions of a
 * workload that takes longer all have ticks, so more rounds would not help.
 */
#define ROUNDS 8
#define QUIET 1.002
/*
 * Attaches and detaches: just enough for a median, because under TCG, each takes seconds if all
 * functions are traced.
 */
#define SWITCHES 3

static bool nanoseconds;
static int repetitions = REPETITIONS;
static volatile sig_atomic_t interrupted;
static volatile pid_t child;

static double now(void)
{
	struct timespec ts;

	/* Not by the kernel's clock, whose TSC frequency is an estimate. */
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

/* Returns the median; sorts @values. */
static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
	return values[count / 2];
}

/*
 * A loop of two instructions must take two ticks. If the TSC counts time, all rows would be
 * meaningless.
 */
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

int measure__init(bool use_nanoseconds, int count)
{
	if (count)
		repetitions = count;
	bench_left = mmap(NULL, sizeof(*bench_left), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			  0);
	if (bench_left == MAP_FAILED)
		return bench_error(-errno, "cannot share memory");
	nanoseconds = use_nanoseconds;
	return nanoseconds ? 0 : check_clock();
}

/* ---- measuring one row */

/*
 * CPU time in ns by the kernel's clock, which is exact within some thousandths, as it uses an
 * estimate of the TSC's frequency.
 */
static double cpu_time(void)
{
	struct timespec ts;
	struct rusage r;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	getrusage(RUSAGE_CHILDREN, &r);
	return ts.tv_sec * 1e9 + ts.tv_nsec + (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e9 +
	       (r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e3;
}

static double time_calls(const struct timed_workload *w, unsigned long calls)
{
	double start = w->waits ? cpu_time() : now();

	w->run(calls);
	return ((w->waits ? cpu_time() : now()) - start) / calls;
}

/* @c: the attached contender; NULL: none. Returns the median of @values, and sorts them. */
static double repeat(const struct timed_workload *w, const struct contender *c, unsigned long calls,
		     double *values, int count)
{
	for (int i = 0; i < count; i++) {
		if (c && c->method->again)
			c->method->again(c);
		values[i] = time_calls(w, calls);
	}
	return median(values, count);
}

static int repetitions_of(const struct timed_workload *w)
{
	return w->repetitions && (int)w->repetitions < repetitions ? (int)w->repetitions : repetitions;
}

/* The user asks for fewer repetitions to get a quick result. */
static bool is_quick(void)
{
	return repetitions < REPETITIONS;
}

static void begin(const struct timed_workload *w)
{
	if (w->begin)
		w->begin();
}

static void warm_up(const struct timed_workload *w, unsigned long calls)
{
	w->run(is_quick() ? calls * repetitions / REPETITIONS + 1 : calls);
}

/* @c: the attached contender; NULL: the base is measured. */
static void measure_cost(const struct timed_workload *w, const struct contender *c, struct bench_row *row)
{
	int count = repetitions_of(w), rounds = is_quick() ? 1 : ROUNDS;
	double values[REPETITIONS], middle, best = INFINITY;
	unsigned long calls;

	calls = REPETITION_COST / repeat(w, c, w->calls, values, count);
	if (calls < w->calls)
		calls = w->calls;
	for (int round = 0; round < rounds; round++) {
		middle = repeat(w, c, calls, values, count);
		if (middle < best) {
			best = middle;
			if (c) {
				row->min = values[0];
				row->max = values[count - 1];
			}
		}
		if (calls == w->calls || middle <= QUIET * values[0])
			break;
	}
	if (c)
		row->total = best;
	else
		row->base = best;
}

/* How much more the first call after a clear costs than any other. */
static int measure_first_hit(const struct contender *c, const struct timed_workload *w,
			     struct bench_row *row)
{
	double values[REPETITIONS];
	int i, err;

	for (i = 0; i < REPETITIONS; i++) {
		err = c->method->clear(c);
		if (err)
			return err == -EOPNOTSUPP ? 0 : err;
		values[i] = time_calls(w, 1);
	}
	row->first_hit = median(values, REPETITIONS) - row->total;
	return 0;
}

/* The times to switch a contender on and off. */
struct switching {
	double attach[SWITCHES];
	double detach[SWITCHES];
};

static int time_attach(const struct contender *c, enum bench_scope scope, double *ret_took)
{
	double start = now();
	int err = c->method->attach(c, scope);

	*ret_took = now() - start;
	return err;
}

/* Times the detach that follows the timed attach. */
static int time_detach(const struct contender *c, struct switching *times, int i)
{
	double start = now();
	int err = c->method->detach(c);

	times->detach[i] = now() - start;
	if (!err && c->method->took)
		err = c->method->took(c, &times->attach[i], &times->detach[i]);
	return err;
}

/* Attaches and detaches again. The calls were measured between the first attach and detach. */
static int measure_switching(const struct contender *c, enum bench_scope scope,
			     struct switching *times, struct bench_row *row)
{
	int i, err = 0, count = is_quick() ? 1 : SWITCHES;

	for (i = 1; !err && i < count; i++)
		err = time_attach(c, scope, &times->attach[i]) ?:
		      time_detach(c, times, i);
	if (err)
		return err;
	row->attach = median(times->attach, count);
	row->detach = median(times->detach, count);
	return 0;
}

/* Each CPU has a ring buffer to wrap. */
static unsigned long warmup_calls(const struct contender *c, const struct timed_workload *w)
{
	if (w->which == WORKLOAD_PARALLEL && c->warmup)
		return c->warmup * sysconf(_SC_NPROCESSORS_ONLN);
	return w->which == WORKLOAD_GETPPID && c->warmup ? c->warmup : w->warmup;
}

static int measure_attached(const struct contender *c, const struct timed_workload *const *list, size_t count,
			    enum bench_scope scope, struct bench_row *rows)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		const struct timed_workload *w = list[i];

		warm_up(w, warmup_calls(c, w));
		if (c->settle_ms) {
			usleep(c->settle_ms * 1000);
			warm_up(w, w->warmup);
		}
		measure_cost(w, c, &rows[i]);
		if (!i && c->method->report)
			err = c->method->report(c, rows);
	}
	/* With all functions traced, it is unknown what runs between the clear and the call. */
	if (!err && c->method->clear && scope == BENCH_ONE && list[0]->which == WORKLOAD_GETPPID)
		err = measure_first_hit(c, list[0], rows);
	return err;
}

/* Figures that belong to no workload go to the first row: memory, what was seen, and switching. */
static int measure_rows(const struct contender *c, const struct timed_workload *const *list, size_t count,
			enum bench_scope scope, struct bench_row *rows)
{
	struct switching times;
	int err;

	for (size_t i = 0; i < count; i++) {
		begin(list[i]);
		warm_up(list[i], list[i]->warmup);
		measure_cost(list[i], NULL, &rows[i]);
	}
	err = c->method->setup ? c->method->setup(c, scope) : 0;
	if (err)
		goto cleanup;
	if (c->method->attach)
		err = time_attach(c, scope, &times.attach[0]);
	err = err ?: measure_attached(c, list, count, scope, rows);
	if (!err && c->method->attach)
		err = time_detach(c, &times, 0) ?: measure_switching(c, scope, &times, rows);
cleanup:
	if (c->method->cleanup)
		c->method->cleanup(c);
	return err;
}

/* Reads the rows that the child has left. Returns -EIO if it died. */
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

/* Ends the child, if the terminal has not done so. Then the parent cleans up. */
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
	/* nohup(1) ignores SIGHUP. */
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

/* Stays on one CPU: some contenders trace only one, or keep data for each CPU. */
static void stay_here(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		bench_error(-errno, "cannot stay on CPU 0, the only one that event-perf looks at");
}

int measure__interrupted(void)
{
	return interrupted;
}

/* Runs in the child after the fork. */
static void become_measured(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	/* The child must not outlive its parent, because nobody would clean up after the child. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stay_here();
}

bool measure__can_run(const struct timed_workload *w)
{
	int status = -1;

	fflush(NULL);
	child = fork();
	if (!child) {
		become_measured();
		begin(w);
		w->run(1);
		exit(0);
	}
	if (child < 0)
		bench_error(-errno, "cannot try %s", w->name);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	if (status)
		workloads__make_directory();
	return !status;
}

int measure__rows(const struct contender *c, const struct timed_workload *const *list, size_t count,
		  enum bench_scope scope, struct bench_row *rows)
{
	int fds[2], err;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	*bench_left = (struct bench_left){};
	fflush(NULL);
	child = fork();
	err = child < 0 ? -errno : 0;
	if (!child) {
		become_measured();
		err = measure_rows(c, list, count, scope, rows);
		if (!err && write(fds[1], rows, count * sizeof(*rows)) != (ssize_t)(count * sizeof(*rows)))
			err = -EIO;
		exit(-err);
	}
	close(fds[1]);
	err = err ?: collect_rows(fds[0], rows, count);
	close(fds[0]);
	if (err && c->method->cleanup)
		c->method->cleanup(c);
	if (err)
		workloads__make_directory();
	return err;
}
