// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contender that is KCOV. A kernel compiled for it (CONFIG_KCOV) calls a function at the
 * beginning of each basic block, which stores the block's address for the task that has asked for
 * it. The base is therefore that of another kernel, which always makes these calls. A block that
 * runs again is stored again, until the buffer is full.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kcov.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/bench.h"

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

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Calls cost less when the buffer is full, so then there is no figure. */
static int kcov__report(const struct contender *c, struct bench_row *row)
{
	uint64_t count = __atomic_load_n(&area[0], __ATOMIC_RELAXED), seen = 0;

	if (!count || count >= KCOV_ADDRESSES - 1)
		return bench_error(-EIO, "KCOV has %llu addresses, of %lu at most",
				   (unsigned long long)count, KCOV_ADDRESSES - 2);
	qsort(area + 1, count, sizeof(*area), compare_addresses);
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
