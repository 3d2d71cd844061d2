// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contenders that the kernel itself has: function, function_graph, profiler, oneshot, a callback of ftrace,
 * and KCOV.
 */
#include <fcntl.h>
#include <linux/kcov.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/files.h"
#include "base/sorted.h"
#include "bench/bench.h"
#include "kernel/running.h"

static int limit_to_scope(enum bench_scope scope)
{
	return scope == BENCH_ALL ? 0 : trace__write(bench_instance, "set_ftrace_filter", BENCH_FUNCTION);
}

static int tracer__detach(const struct contender *c)
{
	return trace__write(bench_instance, "current_tracer", "nop");
}

/* ---- tracers whose calls are events: function, and function_graph */

/* Sets a file that all instances share to 1. The old value is restored at the end. */
static int set_at_top(const char *name)
{
	double value;
	int err = trace__number(TOP, name, "", &value);

	if (err)
		return err;
	*bench_left = (struct bench_left){ .touched = true, .old = value };
	return trace__write(TOP, name, "1");
}

static int tracer__setup(const struct contender *c, enum bench_scope scope)
{
	char *text;
	bool there;
	int err;

	if (c->tracer.top && !trace__has(TOP, c->tracer.top))
		return -EOPNOTSUPP;
	err = trace_instance__open();
	err = err ?: trace__read(bench_instance, "available_tracers", &text);
	if (err)
		return err;
	there = strstr(text, c->tracer.name);
	free(text);
	if (!there)
		return -EOPNOTSUPP;
	return c->tracer.top ? set_at_top(c->tracer.top) : 0;
}

static int tracer__attach(const struct contender *c, enum bench_scope scope)
{
	int err = limit_to_scope(scope) ?: trace__write(bench_instance, "current_tracer", c->tracer.name);

	return !err && c->tracer.option ? trace__write(bench_instance, c->tracer.option, "1") : err;
}

static void tracer__cleanup(const struct contender *c)
{
	char old[32];

	trace_instance__close();
	snprintf(old, sizeof(old), "%.0f", bench_left->old);
	if (bench_left->touched)
		trace__write(TOP, c->tracer.top, old);
	bench_left->touched = false;
}

const struct method method_tracer = {
	.setup = tracer__setup,
	.attach = tracer__attach,
	.report = trace_instance__memory,
	.detach = tracer__detach,
	.cleanup = tracer__cleanup,
};

/* ---- profiler: counts and times for each function; it has no instances */

/* There is one profiler, with the filter of the top instance. Both may be in use. */
static int profiler__setup(const struct contender *c, enum bench_scope scope)
{
	char *enabled, *filter;
	bool used;
	int err;

	if (!trace__has(TOP, "function_profile_enabled"))
		return -EOPNOTSUPP;
	err = trace__read(TOP, "function_profile_enabled", &enabled);
	if (err)
		return err;
	err = trace__read(TOP, "set_ftrace_filter", &filter);
	used = !err && (*enabled != '0' || *filter != '#');
	free(enabled);
	free(filter);
	if (err)
		return err;
	if (used)
		return bench_error(-EBUSY, "the function profiler, or set_ftrace_filter, is in use");
	bench_left->touched = true;
	return trace__write(TOP, "set_ftrace_filter", scope == BENCH_ONE ? BENCH_FUNCTION : " ");
}

static int profiler__attach(const struct contender *c, enum bench_scope scope)
{
	return trace__write(TOP, "function_profile_enabled", "1");
}

/* Each function is a line, after two lines that are the head of the table. */
static int profiler__report(const struct contender *c, struct bench_row *row)
{
	double lines = 0;
	char *text;
	int err = trace__read(TOP, "trace_stat/function0", &text);

	if (err)
		return err;
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	row->seen = lines >= 2 ? lines - 2 : lines;
	free(text);
	return 0;
}

static int profiler__detach(const struct contender *c)
{
	return trace__write(TOP, "function_profile_enabled", "0");
}

static void profiler__cleanup(const struct contender *c)
{
	if (!bench_left->touched)
		return;
	trace__write(TOP, "function_profile_enabled", "0");
	trace__write(TOP, "set_ftrace_filter", " ");
	bench_left->touched = false;
}

const struct method method_profiler = {
	.setup = profiler__setup,
	.attach = profiler__attach,
	.report = profiler__report,
	.detach = profiler__detach,
	.cleanup = profiler__cleanup,
};

/* ---- oneshot: each address once */

static int oneshot__setup(const struct contender *c, enum bench_scope scope)
{
	int err = trace_instance__open();

	if (err)
		return err;
	if (!trace__has(bench_instance, "oneshot_seen"))
		return bench_error(-EOPNOTSUPP, "this kernel has no oneshot tracer");
	if (c->oneshot.retire && !trace__has(bench_instance, "oneshot_retire_ms"))
		return bench_error(-EOPNOTSUPP, "this kernel's oneshot tracer does not retire");
	return 0;
}

static int oneshot__attach(const struct contender *c, enum bench_scope scope)
{
	int err = limit_to_scope(scope);

	err = err ?: trace__write(bench_instance, "options/oneshot-parent", c->oneshot.parent);
	if (!err && c->oneshot.retire)
		err = trace__write(bench_instance, "options/oneshot-retire", "1");
	return err ?: trace__write(bench_instance, "current_tracer", "oneshot");
}

static int oneshot__clear(const struct contender *c)
{
	return trace__write(bench_instance, "oneshot_seen", "0");
}

static int oneshot__stat(const char *name, double *ret)
{
	return trace__number(bench_instance, "oneshot_stats", name, ret);
}

/* The note has the cost of retiring, in ns by the kernel's clock (icount: instructions). */
static int oneshot__report(const struct contender *c, struct bench_row *row)
{
	double sites, batches, ns;
	int err = oneshot__stat("entries", &row->seen) ?: oneshot__stat("bytes", &row->memory_bytes);

	err = err ?: oneshot__stat("refused", &row->missed);
	if (err || !c->oneshot.retire)
		return err;
	err = oneshot__stat("retired", &sites) ?: oneshot__stat("retire_batches", &batches);
	err = err ?: oneshot__stat("retire_ns", &ns);
	if (!err)
		snprintf(row->note, sizeof(row->note), "%s: %.0f, in %.0f batches that took %.0f",
			 c->note, sites, batches, ns);
	return err;
}

static void oneshot__cleanup(const struct contender *c)
{
	trace_instance__close();
}

const struct method method_oneshot = {
	.setup = oneshot__setup,
	.attach = oneshot__attach,
	.clear = oneshot__clear,
	.report = oneshot__report,
	.detach = tracer__detach,
	.cleanup = oneshot__cleanup,
};

/*
 * ---- ftrace itself: an ftrace_ops with a trampoline of its own
 *
 * Its callback only counts the call, which is the minimum that a callback of ftrace costs. The series' module
 * ftrace_many registers it.
 */

#define MODULE "ftrace_many"
#define FILES "/sys/kernel/debug/" MODULE "/"

static int write_file(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* Returns the number of a line "name: number", or -1. */
static long read_stat(const char *name)
{
	char *text = file__text(FILES "stats");
	const char *value = text__value(text, name);
	long number = value ? strtol(value, NULL, 10) : -1;

	free(text);
	return number;
}

static int modprobe(char *option)
{
	char *const argv[] = { "modprobe", "--quiet", option, MODULE, NULL };
	int status;
	pid_t pid;

	if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) || waitpid(pid, &status, 0) < 0)
		return -EOPNOTSUPP;
	return status ? -EOPNOTSUPP : 0;
}

static int choose_function(void)
{
	const struct traceable_function *const *named;
	struct kernel k = {};
	char text[32];
	size_t count = 0;
	int err = kernel__load(&k, KERNEL_LISTS, NULL);

	if (!err) {
		named = traceable__named(k.traceable, BENCH_FUNCTION, &count);
		if (count)
			snprintf(text, sizeof(text), "%llx\n", (unsigned long long)named[0]->site);
		err = count ? write_file(FILES "functions", text) : -ENOENT;
		if (err)
			bench_error(err, "cannot write to " FILES "functions");
	}
	kernel__free(&k);
	return err;
}

/* Remembers whether the module was loaded before: 1 if so, otherwise 0. */
static int ops__setup(const struct contender *c, enum bench_scope scope)
{
	bool loaded = !access(FILES "control", F_OK);

	if (loaded && read_stat("ops"))
		return bench_error(-EBUSY, FILES " is in use: unregister, then rmmod " MODULE);
	*bench_left = (struct bench_left){ .touched = true, .old = loaded };
	if (!loaded && (modprobe("--first-time") || access(FILES "control", F_OK)))
		return -EOPNOTSUPP;
	return choose_function();
}

static int control(const char *word)
{
	int err = write_file(FILES "control", word);

	return err ? bench_error(err, "cannot write '%s' to " FILES "control", word) : 0;
}

static int ops__attach(const struct contender *c, enum bench_scope scope)
{
	return control(scope == BENCH_ONE ? "register" : "register wide");
}

/* There is a figure only if the callback was called. */
static int ops__report(const struct contender *c, struct bench_row *row)
{
	return read_stat("calls") > 0 ? 0 : bench_error(-EIO, "the callback was not called");
}

static int ops__detach(const struct contender *c)
{
	return control("unregister");
}

static void ops__cleanup(const struct contender *c)
{
	if (!bench_left->touched)
		return;
	/* This fails if the callback is not registered any more. */
	write_file(FILES "control", "unregister");
	write_file(FILES "functions", "\n");
	if (!bench_left->old)
		modprobe("--remove");
	bench_left->touched = false;
}

const struct method method_ops = {
	.setup = ops__setup,
	.attach = ops__attach,
	.report = ops__report,
	.detach = ops__detach,
	.cleanup = ops__cleanup,
};

/*
 * ---- KCOV
 *
 * A kernel compiled for it (CONFIG_KCOV) calls a function at the beginning of each basic block, which stores
 * the block's address for the task that has asked for it. The base is therefore that of another kernel, which
 * always makes these calls. A block that runs again is stored again, until the buffer is full.
 */

#define KCOV_FILE "/sys/kernel/debug/kcov"
/* Words in the buffer, of which a repetition fills a fifth. The first counts the words after it. */
#define KCOV_ADDRESSES (1UL << 20)

static int kcov = -1;
static uint64_t *area = MAP_FAILED;

static void kcov__cleanup(const struct contender *c)
{
	if (area != MAP_FAILED)
		munmap(area, KCOV_ADDRESSES * sizeof(*area));
	if (kcov >= 0)
		close(kcov);
	area = MAP_FAILED;
	kcov = -1;
}

static int kcov__setup(const struct contender *c, enum bench_scope scope)
{
	kcov = open(KCOV_FILE, O_RDWR | O_CLOEXEC);
	if (kcov < 0)
		return errno == ENOENT ? -EOPNOTSUPP : bench_error(-errno, "cannot open " KCOV_FILE);
	if (ioctl(kcov, KCOV_INIT_TRACE, KCOV_ADDRESSES))
		return bench_error(-errno, "KCOV has no buffer of %lu addresses", KCOV_ADDRESSES);
	area = mmap(NULL, KCOV_ADDRESSES * sizeof(*area), PROT_READ | PROT_WRITE, MAP_SHARED, kcov, 0);
	if (area == MAP_FAILED)
		return bench_error(-errno, "cannot map KCOV's buffer");
	return 0;
}

static int kcov__attach(const struct contender *c, enum bench_scope scope)
{
	return ioctl(kcov, KCOV_ENABLE, KCOV_TRACE_PC) ? bench_error(-errno, "cannot enable KCOV") : 0;
}

static int kcov__detach(const struct contender *c)
{
	return ioctl(kcov, KCOV_DISABLE, 0) ? bench_error(-errno, "cannot disable KCOV") : 0;
}

static void kcov__again(const struct contender *c)
{
	__atomic_store_n(&area[0], 0, __ATOMIC_RELAXED);
}

/* Calls cost less when the buffer is full, so then there is no figure. */
static int kcov__report(const struct contender *c, struct bench_row *row)
{
	uint64_t count = __atomic_load_n(&area[0], __ATOMIC_RELAXED), seen = 0;

	if (!count || count >= KCOV_ADDRESSES - 1)
		return bench_error(-EIO, "KCOV has %llu addresses, of %lu at most",
				   (unsigned long long)count, KCOV_ADDRESSES - 2);
	qsort(area + 1, count, sizeof(*area), sorted__by_first);
	for (uint64_t i = 1; i <= count; i++)
		seen += i == 1 || area[i] != area[i - 1];
	row->seen = seen;
	row->memory_bytes = KCOV_ADDRESSES * sizeof(*area);
	return 0;
}

const struct method method_kcov = {
	.setup = kcov__setup,
	.attach = kcov__attach,
	.again = kcov__again,
	.report = kcov__report,
	.detach = kcov__detach,
	.cleanup = kcov__cleanup,
	.one_cpu = true,
};
