// SPDX-License-Identifier: GPL-2.0
/*
 * How long a look-up in the oneshot tracer's set takes on this machine, in
 * nanoseconds: what counting instructions does not show, caches and chains of
 * probes. The kernel's file as it is, in user space, at different loads; a
 * working set of 300 addresses, which a system call comes near to, and all of
 * them in random order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../unit/kernel_shim.h"
#include "../../../kernel/files/kernel/trace/oneshot_set.c"

#define SHIFT	18	/* what a kernel of 25,000 functions gets */
#define TEXT	0xffffffff81000000UL
#define LOOKUPS	20000000UL

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/* xorshift64; any full-period generator will do. */
static unsigned long next_random(unsigned long *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static double lookup_ns(const struct oneshot_set *set, const unsigned long *addrs,
			unsigned long count)
{
	unsigned long i, next = 0, found = 0;
	double start = now_ns();

	for (i = 0; i < LOOKUPS; i++) {
		found += oneshot_set_has(set, addrs[next], ONESHOT_FUNCTION);
		next = next + 1 < count ? next + 1 : 0;
	}
	if (found != LOOKUPS)
		abort();
	return (now_ns() - start) / LOOKUPS;
}

int main(void)
{
	static const unsigned int loads[] = { 5, 10, 20, 40, 60, 75 };
	struct oneshot_set *set = aligned_alloc(64, oneshot_set_bytes(SHIFT));
	unsigned long *addrs = calloc(1UL << SHIFT, sizeof(*addrs));
	unsigned long state = 88172645463325252UL, count = 0, addr = TEXT;
	unsigned int i;

	if (!set || !addrs)
		return 1;
	memset(set, 0, oneshot_set_bytes(SHIFT));
	oneshot_set_init(set, SHIFT);

	printf("load   300 addresses   all, in random order\n");
	for (i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		unsigned long j;

		while (count < (1UL << SHIFT) / 100 * loads[i]) {
			struct oneshot_rec *rec;

			/* As functions and calls lie in text: 64 bytes apart on average. */
			addr += 1 + next_random(&state) % 127;
			if (oneshot_set_insert(set, addr, ONESHOT_FUNCTION, &rec) == ONESHOT_INSERTED)
				oneshot_rec_publish(rec, addr, 0, 0, 0, 0);
			addrs[count++] = addr;
		}
		for (j = count - 1; j; j--) {
			unsigned long k = next_random(&state) % (j + 1), swap = addrs[j];

			addrs[j] = addrs[k];
			addrs[k] = swap;
		}
		printf("%3u %%  %10.2f ns   %10.2f ns\n", loads[i],
		       lookup_ns(set, addrs, 300), lookup_ns(set, addrs, count));
	}
	free(addrs);
	free(set);
	return 0;
}
