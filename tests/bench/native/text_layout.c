// SPDX-License-Identifier: GPL-2.0
/*
 * Measures, on the machine itself, how long it takes to call trampolines in three
 * layouts. In the first one each has a page, as in ftrace, with an unmapped page
 * between two of them. In the second one each has a page within pages of 2 MB, as on
 * Linux 7.3. In the third one they are packed into slots (kernel/text_slot.c), in
 * packs of 16 pages.
 *
 * A stub stands for a trampoline. It is as large as one that saves all registers, and
 * its instructions do nothing. So this only measures how fast the processor fetches
 * them. The stubs are called in a random order, as the functions of a kernel are; the
 * order is the same for all layouts. The fastest of several runs counts.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE		4096UL
/* ftrace_regs_caller's copy: 331 bytes, a return, and the address of the ops. */
#define STUB		344UL
/* The size of its slot in a pack, in whole granules of 16 bytes. */
#define SLOT		352UL
#define PACK		(16 * PAGE)
#define LARGE_PAGE	(2UL << 20)
#define MAX_STUBS	4000
#define CALLS		(1 << 20)
#define RUNS		7

typedef void (*stub_fn)(void);

static unsigned long page_each(unsigned int i)
{
	return i * 2 * PAGE;
}

static unsigned long page_of_large(unsigned int i)
{
	return i * PAGE;
}

static unsigned long packed(unsigned int i)
{
	const unsigned int in_pack = PACK / SLOT;

	return i / in_pack * (PACK + PAGE) + i % in_pack * SLOT;
}

/*
 * @place: where stub @i begins
 * @advice: whether the kernel gives it large pages
 */
static const struct layout {
	const char	*name;
	unsigned long	(*place)(unsigned int i);
	int		advice;
} layouts[] = {
	{ "page each, ns", page_each, MADV_NOHUGEPAGE },
	{ "of 2 MB, ns", page_of_large, MADV_HUGEPAGE },
	{ "packed, ns", packed, MADV_NOHUGEPAGE },
};

#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

/* The body consists of NOPs of five bytes, the average length of a trampoline's instructions. */
static void write_stub(unsigned char *at)
{
	static const unsigned char nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	unsigned char *end = at + STUB - 8 - 5;

	for (; at + sizeof(nop5) <= end; at += sizeof(nop5))
		memcpy(at, nop5, sizeof(nop5));
	*at = 0xc3;
}

/* Returns how much of this process's memory is in large pages. */
static size_t large_kib(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[128];
	size_t kib = 0;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "AnonHugePages: %zu", &kib);
	if (f)
		fclose(f);
	return kib;
}

static char *make_stubs(const struct layout *layout)
{
	size_t size = layout->place(MAX_STUBS - 1) + 2 * PAGE;
	unsigned int i;
	char *text;

	/* A large page that is only advised or protected in part is divided. */
	size += -size % LARGE_PAGE;
	text = mmap(NULL, size + LARGE_PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (text == MAP_FAILED) {
		fprintf(stderr, "text_layout: no memory for %u stubs: %s\n", MAX_STUBS,
			strerror(errno));
		exit(1);
	}
	text += -(unsigned long)text % LARGE_PAGE;
	madvise(text, size, layout->advice);
	for (i = 0; i < MAX_STUBS; i++)
		write_stub((unsigned char *)text + layout->place(i));
	if (mprotect(text, size, PROT_READ | PROT_EXEC)) {
		fprintf(stderr, "text_layout: its stubs may not be executed here: %s\n",
			strerror(errno));
		exit(1);
	}
	if (layout->advice == MADV_HUGEPAGE && large_kib() * 1024 < size)
		fprintf(stderr, "text_layout: without all pages of 2 MB, \"%s\" is in small ones\n",
			layout->name);
	return text;
}

/* Returns the nanoseconds of a call. */
static double time_calls(const stub_fn *order)
{
	struct timespec began, ended;
	double best = 1e9, ns;
	int run, i;

	for (run = 0; run < RUNS; run++) {
		clock_gettime(CLOCK_MONOTONIC, &began);
		for (i = 0; i < CALLS; i++)
			order[i]();
		clock_gettime(CLOCK_MONOTONIC, &ended);
		ns = ((ended.tv_sec - began.tv_sec) * 1e9 + ended.tv_nsec - began.tv_nsec) / CALLS;
		if (ns < best)
			best = ns;
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
	unsigned int i, s, l;
	char *text[LAYOUTS];

	printf("%8s", "stubs");
	for (l = 0; l < LAYOUTS; l++) {
		text[l] = make_stubs(&layouts[l]);
		printf(" %14s", layouts[l].name);
	}
	putchar('\n');
	for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		shuffle(which, sizes[s]);
		for (i = sizes[s]; i < CALLS; i++)
			which[i] = which[i - sizes[s]];
		printf("%8u", sizes[s]);
		for (l = 0; l < LAYOUTS; l++) {
			for (i = 0; i < CALLS; i++)
				order[i] = (stub_fn)(text[l] + layouts[l].place(which[i]));
			printf(" %14.2f", time_calls(order));
		}
		putchar('\n');
	}
	return 0;
}
