// SPDX-License-Identifier: GPL-2.0
/*
 * Measures, on the machine itself, how long it takes to call trampolines in two
 * layouts. In the first one each has a page, as in ftrace, with an unmapped page
 * between two of them. In the second one they are packed into slots
 * (kernel/text_slot.c), in packs of 16 pages.
 *
 * A stub stands for a trampoline. It is as large as one that saves all registers, and
 * its instructions do nothing. So this only measures how fast the processor fetches
 * them. The stubs are called in a random order, as the functions of a kernel are; the
 * order is the same for both layouts. The fastest of several runs counts.
 *
 * If perf can count misses of the instruction TLB, they are printed as well.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE		4096UL
/* ftrace_regs_caller's copy: 331 bytes, a return, and the address of the ops. */
#define STUB		344UL
/* The size of its slot in a pack, in whole granules of 16 bytes. */
#define SLOT		352UL
#define PACK		(16 * PAGE)
#define MAX_STUBS	4000
#define CALLS		(1 << 20)
#define RUNS		7

typedef void (*stub_fn)(void);

/* Where stub @i begins. */
static unsigned long page_each(unsigned int i)
{
	return i * 2 * PAGE;
}

static unsigned long packed(unsigned int i)
{
	const unsigned int in_pack = PACK / SLOT;

	return i / in_pack * (PACK + PAGE) + i % in_pack * SLOT;
}

/* The body consists of NOPs of five bytes, the average length of a trampoline's instructions. */
static void write_stub(unsigned char *at)
{
	static const unsigned char nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	unsigned char *end = at + STUB - 8 - 5;

	for (; at + sizeof(nop5) <= end; at += sizeof(nop5))
		memcpy(at, nop5, sizeof(nop5));
	*at = 0xc3;
}

static char *make_stubs(unsigned long (*place)(unsigned int i), size_t *size)
{
	unsigned int i;
	char *text;

	*size = place(MAX_STUBS - 1) + 2 * PAGE;
	text = mmap(NULL, *size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (text == MAP_FAILED) {
		fprintf(stderr, "text_layout: no memory for %u stubs: %s\n", MAX_STUBS,
			strerror(errno));
		exit(1);
	}
	/* The kernel's trampolines are not in large pages either. */
	madvise(text, *size, MADV_NOHUGEPAGE);
	for (i = 0; i < MAX_STUBS; i++)
		write_stub((unsigned char *)text + place(i));
	if (mprotect(text, *size, PROT_READ | PROT_EXEC)) {
		fprintf(stderr, "text_layout: its stubs may not be executed here: %s\n",
			strerror(errno));
		exit(1);
	}
	return text;
}

static int count_itlb_misses(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HW_CACHE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_CACHE_ITLB | PERF_COUNT_HW_CACHE_OP_READ << 8 |
			  PERF_COUNT_HW_CACHE_RESULT_MISS << 16,
		.exclude_kernel = 1, .exclude_hv = 1, .disabled = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

/* Returns the nanoseconds of a call. *@misses: its TLB misses, if @fd counts them. */
static double time_calls(const stub_fn *order, int fd, double *misses)
{
	struct timespec began, ended;
	double best = 1e9, ns;
	uint64_t count;
	int run, i;

	*misses = 0;
	for (run = 0; run < RUNS; run++) {
		if (fd >= 0) {
			ioctl(fd, PERF_EVENT_IOC_RESET, 0);
			ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		}
		clock_gettime(CLOCK_MONOTONIC, &began);
		for (i = 0; i < CALLS; i++)
			order[i]();
		clock_gettime(CLOCK_MONOTONIC, &ended);
		if (fd >= 0)
			ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		ns = ((ended.tv_sec - began.tv_sec) * 1e9 + ended.tv_nsec - began.tv_nsec) / CALLS;
		if (ns >= best)
			continue;
		best = ns;
		if (fd >= 0 && read(fd, &count, sizeof(count)) == sizeof(count))
			*misses = (double)count / CALLS;
	}
	return best;
}

/* Makes the order of one round through all stubs. It repeats, because code repeats its paths, too. */
static void shuffle(unsigned int *which, unsigned int nr)
{
	unsigned int i, j, at;

	srand(1);
	for (i = 0; i < nr; i++) {
		j = rand() % (i + 1);
		at = which[j];
		which[j] = i;
		if (i != j)
			which[i] = at;
	}
}

int main(void)
{
	static const unsigned int sizes[] = { 1, 4, 12, 16, 64, 256, 1000, 4000 };
	static unsigned int which[CALLS];
	static stub_fn order[CALLS];
	double ns[2], misses[2];
	size_t sizes_of[2];
	char *text[2];
	unsigned int i, s;
	int layout, fd;

	text[0] = make_stubs(page_each, &sizes_of[0]);
	text[1] = make_stubs(packed, &sizes_of[1]);
	fd = count_itlb_misses();
	printf("%8s %14s %12s %8s%s\n", "stubs", "page each, ns", "packed, ns", "ratio",
	       fd >= 0 ? "   iTLB misses a call" : "");
	for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		shuffle(which, sizes[s]);
		for (i = sizes[s]; i < CALLS; i++)
			which[i] = which[i - sizes[s]];
		for (layout = 0; layout < 2; layout++) {
			for (i = 0; i < CALLS; i++)
				order[i] = (stub_fn)(text[layout] + (layout ? packed(which[i]) :
								     page_each(which[i])));
			ns[layout] = time_calls(order, fd, &misses[layout]);
		}
		printf("%8u %14.2f %12.2f %8.2f", sizes[s], ns[0], ns[1], ns[0] / ns[1]);
		if (fd >= 0)
			printf(" %9.3f %9.3f", misses[0], misses[1]);
		putchar('\n');
	}
	if (fd < 0)
		printf("(misses of the iTLB are not counted here: %s)\n", strerror(errno));
	return 0;
}
