// SPDX-License-Identifier: GPL-2.0-only
/*
 * Repeats the steps of the early recorder to measure its cost; see cost.h. The instructions must
 * be those of early_ftrace_record() in the kernel, with the jump that leads to it. rdtsc and the
 * read-modify-write take nearly all of the time, and it depends on the instructions around them.
 * A kernel that does not record executes a call and a return instead, which are not counted.
 *
 * The recorder of returns, early_ftrace_record_graph() and early_ftrace_return(), reads the clock
 * twice. So the durations that it records include a part of its own time. This part is the recorded
 * duration of an empty function, less its own return and the return of __fentry__.
 */
#include <stddef.h>
#include <stdbool.h>
#include <string.h>
#include <sys/param.h>

#include "boot/cost.h"

#ifdef __x86_64__
#include <x86intrin.h>

#define CALLS 1000
#define ENTRY 12
/* The fastest round has no interrupts or cache misses. A busy machine may need more, some 0.1 s. */
#define ROUNDS 30
#define MAX_ROUNDS 1000

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

/* For the recorder of returns: the size of an entry of the buffer, and the number of frames. */
#define TIMED_ENTRY 16
#define FRAMES 4

struct frame {
	void *call, *ret, *slot;
	uint64_t clock;
};

void early_cost_function(void);
void early_cost_jump(void);
void early_cost_jump_not_recorded(void);
void early_cost_function_not_recorded(void);

/* Twice the size: a function and the function that it jumps to are two calls. */
char early_cost_timed[2 * CALLS * TIMED_ENTRY], *early_cost_timed_end = early_cost_timed + sizeof(early_cost_timed);
struct frame early_cost_frames[FRAMES];
struct frame *early_cost_frame, *early_cost_frames_end = early_cost_frames + FRAMES;

/* The frame's members are at 0, 8, 16 and 24, and it has 32 bytes. */
asm(".pushsection .text\n"
    ".balign 16\n"
    "early_cost_graph:\n"
    "	jmp	1f\n"
    "	.balign 16\n"
    "1:	push	%rax\n"
    "	push	%rdx\n"
    "	push	%rcx\n"
    "	push	%rbx\n"
    "	rdtsc\n"
    "	cmp	%edx, early_cost_high(%rip)\n"
    "	jne	6f\n"
    "2:	mov	$16, %ecx\n"
    "	xadd	%rcx, early_cost_pos(%rip)\n"
    "	cmp	%rcx, early_cost_timed_end(%rip)\n"
    "	jbe	4f\n"
    "	mov	%eax, 8(%rcx)\n"
    "	mov	early_cost_frame(%rip), %rbx\n"
    "	cmp	%rbx, early_cost_frames_end(%rip)\n"
    "	jbe	4f\n"
    "	mov	$32, %ebx\n"
    "	xadd	%rbx, early_cost_frame(%rip)\n"
    "	movl	$0, 12(%rcx)\n"
    "	mov	%rcx, (%rbx)\n"
    "	mov	%eax, 24(%rbx)\n"
    "	mov	%edx, 28(%rbx)\n"
    "	lea	40(%rsp), %rax\n"
    "	mov	%rax, 16(%rbx)\n"
    "	mov	(%rax), %rdx\n"
    "	mov	%rdx, 8(%rbx)\n"
    "	lea	early_cost_came_back(%rip), %rax\n"
    "	mov	%rax, 40(%rsp)\n"
    "7:	cmp	%rax, %rdx\n"
    "	je	8f\n"
    "	mov	%edx, 4(%rcx)\n"
    "	mov	32(%rsp), %eax\n"
    "	mov	%eax, (%rcx)\n"
    "4:	pop	%rbx\n"
    "	pop	%rcx\n"
    "	pop	%rdx\n"
    "	pop	%rax\n"
    "	ret\n"
    "8:	sub	$32, %rbx\n"
    "	mov	8(%rbx), %rdx\n"
    "	jmp	7b\n"
    "6:	mov	%edx, early_cost_high(%rip)\n"
    "	jmp	2b\n"
    "	.balign 16\n"
    "early_cost_came_back:\n"
    "	sub	$8, %rsp\n"
    "	push	%rax\n"
    "	push	%rdx\n"
    "	push	%rcx\n"
    "	push	%rbx\n"
    "	rdtsc\n"
    "	mov	early_cost_frame(%rip), %rbx\n"
    "	sub	24-32(%rbx), %eax\n"
    "	sbb	28-32(%rbx), %edx\n"
    "	jnz	5f\n"
    "	test	%eax, %eax\n"
    "	js	5f\n"
    "5:	cmp	$1, %eax\n"
    "	adc	$0, %eax\n"
    "	mov	-32(%rbx), %rcx\n"
    "	mov	%eax, 12(%rcx)\n"
    "	mov	8-32(%rbx), %rax\n"
    "	mov	%rax, 32(%rsp)\n"
    "	subq	$32, early_cost_frame(%rip)\n"
    "	pop	%rbx\n"
    "	pop	%rcx\n"
    "	pop	%rdx\n"
    "	pop	%rax\n"
    "	ret\n"
    "early_cost_function:\n"
    "	call	early_cost_graph\n"
    "	ret\n"
    "early_cost_jump:\n"
    "	call	early_cost_graph\n"
    "	jmp	early_cost_function\n"
    "early_cost_jump_not_recorded:\n"
    "	call	early_cost_return\n"
    "	jmp	early_cost_function_not_recorded\n"
    "early_cost_function_not_recorded:\n"
    "	call	early_cost_return\n"
    "	ret\n"
    ".popsection\n");

static uint64_t took(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < CALLS; i++) {
		uint32_t cycles;

		memcpy(&cycles, early_cost_timed + i * TIMED_ENTRY + 12, sizeof(cycles));
		sum += cycles;
	}
	return sum;
}

enum { RECORD, RETURN, FUNCTION, FUNCTION_NOT_RECORDED, JUMP, JUMP_NOT_RECORDED, NR_STEPS };

static void (*const steps[NR_STEPS])(void) = {
	early_cost_record, early_cost_return, early_cost_function, early_cost_function_not_recorded, early_cost_jump,
	early_cost_jump_not_recorded,
};

struct best {
	uint64_t steps[NR_STEPS];
	uint64_t inside;		/* the least took(), the sum of recorded durations */
};

/* Runs each step in each round, so that a change of the CPU's frequency affects all steps. */
static void measure(struct best *best)
{
	for (int step = 0; step < NR_STEPS; step++) {
		uint64_t start = __rdtsc(), cycles;

		early_cost_pos = step >= FUNCTION ? early_cost_timed : early_cost_buffer;
		for (int i = 0; i < CALLS; i++)
			steps[step]();
		cycles = __rdtsc() - start;
		if (cycles < best->steps[step])
			best->steps[step] = cycles;
		if (step == FUNCTION && took() < best->inside)
			best->inside = took();
	}
}

static bool costs_from(const struct best *best, struct early_cost *cost)
{
	const uint64_t *c = best->steps;
	uint64_t returns, jumps;

	if (c[RECORD] <= c[RETURN] || c[FUNCTION] <= c[FUNCTION_NOT_RECORDED] || c[FUNCTION_NOT_RECORDED] <= c[RETURN])
		return false;
	/* The difference is a call and a return, which take as long as two returns. */
	returns = c[FUNCTION_NOT_RECORDED] - c[RETURN];
	if (best->inside <= returns)
		return false;
	cost->entries = c[RECORD] - c[RETURN];
	cost->calls = c[FUNCTION] - c[FUNCTION_NOT_RECORDED];
	cost->inside = MIN(best->inside - returns, cost->calls);
	/* The difference is the recording of two calls, one of which is a jump. */
	jumps = c[JUMP] - MIN(c[JUMP], c[JUMP_NOT_RECORDED]);
	cost->jumps = jumps - MIN(jumps, 2 * cost->calls);
	return true;
}

struct early_cost early_cost__measure(void)
{
	struct early_cost cost = {};
	struct best best;

	memset(&best, 0xff, sizeof(best));
	early_cost_frame = early_cost_frames;
	for (int round = 1; round <= MAX_ROUNDS; round++) {
		measure(&best);
		if (round >= ROUNDS && costs_from(&best, &cost))
			break;
	}
	return cost;
}
#else
struct early_cost early_cost__measure(void)
{
	return (struct early_cost){};
}
#endif
