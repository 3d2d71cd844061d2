// SPDX-License-Identifier: GPL-2.0-only
/*
 * Repeats the steps of the early recorder to measure their cost; see cost.h. They must be the same
 * instructions as early_ftrace_record() in the kernel, with the jump that leads to it. Nearly all
 * of the time is that of rdtsc and of the read-modify-write, and other code would have these in
 * other places. A kernel that does not record has a call and a return there, which are not counted.
 */
#include <stddef.h>

#include "boot/cost.h"

#ifdef __x86_64__
#include <x86intrin.h>

#define CALLS 1000
#define ENTRY 12
/* The best of a few rounds has no interrupts, and has its data in the caches. */
#define ROUNDS 30

void early_cost_record(void);
void early_cost_return(void);

char early_cost_buffer[CALLS * ENTRY];
char *early_cost_pos, *early_cost_end = early_cost_buffer + sizeof(early_cost_buffer);
uint32_t early_cost_high;

asm(".pushsection .text\n"
    ".balign 16\n"
    "early_cost_record:\n"
    "	jmp	1f\n"
    "	.balign 16\n"
    "1:	push	%rax\n"
    "	push	%rdx\n"
    "	rdtsc\n"
    "	cmp	%edx, early_cost_high(%rip)\n"
    "	jne	3f\n"
    "2:	mov	$12, %edx\n"
    "	xadd	%rdx, early_cost_pos(%rip)\n"
    "	cmp	%rdx, early_cost_end(%rip)\n"
    "	jbe	4f\n"
    "	mov	%eax, 8(%rdx)\n"
    "	mov	16(%rsp), %eax\n"
    "	mov	%eax, (%rdx)\n"
    "	mov	24(%rsp), %eax\n"
    "	mov	%eax, 4(%rdx)\n"
    "4:	pop	%rdx\n"
    "	pop	%rax\n"
    "early_cost_return:\n"
    "	ret\n"
    "3:	mov	%edx, early_cost_high(%rip)\n"
    "	jmp	2b\n"
    ".popsection\n");

static uint64_t measure(void (*step)(void))
{
	uint64_t best = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start = __rdtsc(), cycles;

		early_cost_pos = early_cost_buffer;
		for (int i = 0; i < CALLS; i++)
			step();
		cycles = __rdtsc() - start;
		if (cycles < best)
			best = cycles;
	}
	return best;
}

uint64_t early_cost__measure(void)
{
	uint64_t record = measure(early_cost_record), none = measure(early_cost_return);

	return record > none ? record - none : 0;
}
#else
uint64_t early_cost__measure(void)
{
	return 0;
}
#endif
