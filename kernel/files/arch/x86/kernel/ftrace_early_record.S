/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recorders of very early function tracing. While it is on, __fentry__ begins
 * with a jump to one of them (ftrace_early.c); kernel/trace/trace_early_buffer.c
 * has the buffer and the set.
 *
 * They can rely on nothing but the mapping of the kernel's image. They must not
 * call anything, as any function may be traced. There is one CPU, and interrupts
 * are off. Exceptions and NMIs may still interrupt them. So each entry is taken by
 * a single instruction, which needs no lock prefix. All registers are preserved,
 * except for the flags.
 *
 * Returns need no thunk: alternatives and mitigations are not there yet.
 */
#include <linux/ftrace_early.h>
#include <linux/init.h>
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/nops.h>
#include <asm/nospec-branch.h>
#include <asm/unwind_hints.h>

#ifdef CONFIG_X86_64
# define WORD	8
#else
# define WORD	4
#endif

/* 2^32 divided by the golden ratio, as in linux/hash.h */
#define GOLDEN_RATIO_32	0x61C88647

	__INIT

/*
 * Every call: { ip, parent_ip, low half of the TSC } is written at
 * early_ftrace_pos. The high half is written when it has changed, as a call
 * whose ip is zero.
 */
SYM_START(early_ftrace_record, SYM_L_GLOBAL, SYM_F_ALIGN)
	ANNOTATE_NOENDBR
	push	%_ASM_AX
	push	%_ASM_DX
	rdtsc
	cmp	%edx, _ASM_RIP(early_ftrace_tsc_high)
	jne	.Lnew_high
.Lrecord:
	mov	$EARLY_CALL_SIZE, %edx
	__ASM_SIZE(xadd) %_ASM_DX, _ASM_RIP(early_ftrace_pos)
	cmp	%_ASM_DX, _ASM_RIP(early_ftrace_end)
	jbe	.Lout				/* full: early_ftrace_pos counts the lost calls */
	mov	%eax, 8(%_ASM_DX)
	mov	2*WORD(%_ASM_SP), %eax
	mov	%eax, (%_ASM_DX)
	mov	3*WORD(%_ASM_SP), %eax
	mov	%eax, 4(%_ASM_DX)
.Lout:
	pop	%_ASM_DX
	pop	%_ASM_AX
	ANNOTATE_UNRET_SAFE
	ret
	int3

.Lnew_high:
	push	%_ASM_CX
	mov	$EARLY_CALL_SIZE, %ecx
	__ASM_SIZE(xadd) %_ASM_CX, _ASM_RIP(early_ftrace_pos)
	cmp	%_ASM_CX, _ASM_RIP(early_ftrace_end)
	jbe	1f
	movl	$0, (%_ASM_CX)
	mov	%edx, 4(%_ASM_CX)
	mov	%edx, _ASM_RIP(early_ftrace_tsc_high)
	jmp	2f
1:	/* No call is lost. The next call tries again, as the next piece needs the high half. */
	__ASM_SIZE(sub) $EARLY_CALL_SIZE, _ASM_RIP(early_ftrace_pos)
2:	pop	%_ASM_CX
	jmp	.Lrecord
SYM_FUNC_END(early_ftrace_record)

/* struct early_frame */
#define EARLY_FRAME_CALL	0
#define EARLY_FRAME_RET	WORD
#define EARLY_FRAME_SLOT	(2 * WORD)
#define EARLY_FRAME_CLOCK	(3 * WORD)
#define EARLY_FRAME_SIZE	(3 * WORD + 8)

/*
 * Every call, and when it returns: as early_ftrace_record(), and a duration, which is zero
 * until the call returns. A frame is filled, and then the function's return address is
 * replaced (trace_early_graph.c).
 */
SYM_START(early_ftrace_record_graph, SYM_L_GLOBAL, SYM_F_ALIGN)
	ANNOTATE_NOENDBR
	push	%_ASM_AX
	push	%_ASM_DX
	push	%_ASM_CX
	push	%_ASM_BX
	rdtsc
	cmp	%edx, _ASM_RIP(early_ftrace_tsc_high)
	jne	.Lgraph_new_high
.Lgraph_record:
	mov	$EARLY_TIMED_CALL_SIZE, %ecx
	__ASM_SIZE(xadd) %_ASM_CX, _ASM_RIP(early_ftrace_pos)
	cmp	%_ASM_CX, _ASM_RIP(early_ftrace_end)
	jbe	.Lgraph_out			/* full: early_ftrace_pos counts the lost calls */
	mov	%eax, 8(%_ASM_CX)
	mov	_ASM_RIP(early_ftrace_frame), %_ASM_BX
	cmp	%_ASM_BX, _ASM_RIP(early_ftrace_frames_end)
	jbe	.Lgraph_no_frame
	mov	$EARLY_FRAME_SIZE, %ebx
	__ASM_SIZE(xadd) %_ASM_BX, _ASM_RIP(early_ftrace_frame)
	movl	$0, 12(%_ASM_CX)
	mov	%_ASM_CX, EARLY_FRAME_CALL(%_ASM_BX)
	mov	%eax, EARLY_FRAME_CLOCK(%_ASM_BX)
	mov	%edx, EARLY_FRAME_CLOCK+4(%_ASM_BX)
	lea	5*WORD(%_ASM_SP), %_ASM_AX
	mov	%_ASM_AX, EARLY_FRAME_SLOT(%_ASM_BX)
	mov	(%_ASM_AX), %_ASM_DX
	mov	%_ASM_DX, EARLY_FRAME_RET(%_ASM_BX)
	lea	_ASM_RIP(early_ftrace_returned), %_ASM_AX
	mov	%_ASM_AX, 5*WORD(%_ASM_SP)
.Lgraph_caller:
	/* If the function was jumped to, its caller is the caller of the jumping function. */
	cmp	%_ASM_AX, %_ASM_DX
	je	.Lgraph_jumped
	mov	%edx, 4(%_ASM_CX)
	mov	4*WORD(%_ASM_SP), %eax
	mov	%eax, (%_ASM_CX)
.Lgraph_out:
	pop	%_ASM_BX
	pop	%_ASM_CX
	pop	%_ASM_DX
	pop	%_ASM_AX
	ANNOTATE_UNRET_SAFE
	ret
	int3

.Lgraph_jumped:
	sub	$EARLY_FRAME_SIZE, %_ASM_BX
	mov	EARLY_FRAME_RET(%_ASM_BX), %_ASM_DX
	jmp	.Lgraph_caller

.Lgraph_no_frame:
	movl	$EARLY_TOOK_UNKNOWN, 12(%_ASM_CX)
	mov	5*WORD(%_ASM_SP), %_ASM_DX
	lea	_ASM_RIP(early_ftrace_returned), %_ASM_AX
	jmp	.Lgraph_caller

.Lgraph_new_high:
	mov	$EARLY_TIMED_CALL_SIZE, %ecx
	__ASM_SIZE(xadd) %_ASM_CX, _ASM_RIP(early_ftrace_pos)
	cmp	%_ASM_CX, _ASM_RIP(early_ftrace_end)
	jbe	1f
	movl	$0, (%_ASM_CX)
	mov	%edx, 4(%_ASM_CX)
	mov	%edx, _ASM_RIP(early_ftrace_tsc_high)
	jmp	.Lgraph_record
1:	__ASM_SIZE(sub) $EARLY_TIMED_CALL_SIZE, _ASM_RIP(early_ftrace_pos)
	jmp	.Lgraph_record
SYM_FUNC_END(early_ftrace_record_graph)

/*
 * Each pair of function and caller once. An entry is taken by replacing the zero in
 * its first word. If an exception takes the entry that was just found empty, the
 * next entry is tried. If the exception took it for the same pair, the set has this
 * pair twice, and the tracer's set later drops the second one.
 */
SYM_START(early_ftrace_record_once, SYM_L_GLOBAL, SYM_F_ALIGN)
	ANNOTATE_NOENDBR
	push	%_ASM_AX
	push	%_ASM_BX
	push	%_ASM_CX
	push	%_ASM_DX
	mov	4*WORD(%_ASM_SP), %ecx
	mov	5*WORD(%_ASM_SP), %ebx
	imul	$GOLDEN_RATIO_32, %ebx, %eax
	add	%ecx, %eax
	imul	$GOLDEN_RATIO_32, %eax, %eax
	shr	$(32 - EARLY_SET_SHIFT - 4), %eax
	mov	_ASM_RIP(early_ftrace_set), %_ASM_DX
.Lprobe:
	and	$((EARLY_PAIR_SIZE << EARLY_SET_SHIFT) - EARLY_PAIR_SIZE), %eax
	cmp	%ecx, (%_ASM_DX, %_ASM_AX)
	jne	1f
	cmp	%ebx, 4(%_ASM_DX, %_ASM_AX)
	jne	2f
.Lonce_out:
	pop	%_ASM_DX
	pop	%_ASM_CX
	pop	%_ASM_BX
	pop	%_ASM_AX
	ANNOTATE_UNRET_SAFE
	ret
	int3

1:	cmpl	$0, (%_ASM_DX, %_ASM_AX)
	je	.Lnew_pair
2:	add	$EARLY_PAIR_SIZE, %eax
	jmp	.Lprobe

.Lnew_pair:
	cmpl	$EARLY_SET_MAX, _ASM_RIP(early_ftrace_pairs)
	jae	.Lrefused
	push	%_ASM_AX
	lea	(%_ASM_DX, %_ASM_AX), %_ASM_DX
	xor	%eax, %eax
	cmpxchg	%ecx, (%_ASM_DX)
	pop	%_ASM_AX
	mov	%_ASM_DX, %_ASM_CX
	jne	.Ltaken
	incl	_ASM_RIP(early_ftrace_pairs)
	mov	%ebx, 4(%_ASM_CX)
	rdtsc
	mov	%eax, 8(%_ASM_CX)
	mov	%edx, 12(%_ASM_CX)
	jmp	.Lonce_out

.Ltaken:
	mov	4*WORD(%_ASM_SP), %ecx
	mov	_ASM_RIP(early_ftrace_set), %_ASM_DX
	jmp	2b

.Lrefused:
	incl	_ASM_RIP(early_ftrace_refused)
	jmp	.Lonce_out
SYM_FUNC_END(early_ftrace_record_once)

/*
 * A recorded function returns to here. The innermost frame is that of its call. All
 * registers are preserved, except for the flags, which no function returns.
 */
SYM_CODE_START(early_ftrace_return)
	UNWIND_HINT_UNDEFINED
	ANNOTATE_NOENDBR
	/* Backtraces name the function before a return address. */
	nop
SYM_INNER_LABEL(early_ftrace_returned, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	sub	$WORD, %_ASM_SP
	UNWIND_HINT_FUNC
	push	%_ASM_AX
	push	%_ASM_DX
	push	%_ASM_CX
	push	%_ASM_BX
	rdtsc
	mov	_ASM_RIP(early_ftrace_frame), %_ASM_BX
	sub	EARLY_FRAME_CLOCK-EARLY_FRAME_SIZE(%_ASM_BX), %eax
	sbb	EARLY_FRAME_CLOCK+4-EARLY_FRAME_SIZE(%_ASM_BX), %edx
	jnz	.Lreturn_long
	test	%eax, %eax
	js	.Lreturn_long
.Lreturn_took:
	/* Zero would say that the call has not returned. */
	cmp	$1, %eax
	adc	$0, %eax
.Lreturn_known:
	mov	EARLY_FRAME_CALL-EARLY_FRAME_SIZE(%_ASM_BX), %_ASM_CX
	mov	%eax, 12(%_ASM_CX)
	mov	EARLY_FRAME_RET-EARLY_FRAME_SIZE(%_ASM_BX), %_ASM_AX
	mov	%_ASM_AX, 4*WORD(%_ASM_SP)
	__ASM_SIZE(sub) $EARLY_FRAME_SIZE, _ASM_RIP(early_ftrace_frame)
	pop	%_ASM_BX
	pop	%_ASM_CX
	pop	%_ASM_DX
	pop	%_ASM_AX
	ANNOTATE_UNRET_SAFE
	ret
	int3

.Lreturn_long:
	test	%edx, %edx
	js	.Lreturn_back
	shrd	$EARLY_TOOK_SHIFT, %edx, %eax
	or	$EARLY_TOOK_LONG, %eax
	jmp	.Lreturn_took

.Lreturn_back:
	/* Somebody has set the clock back. */
	mov	$EARLY_TOOK_UNKNOWN, %eax
	jmp	.Lreturn_known
SYM_CODE_END(early_ftrace_return)

/* Two functions that do nothing. ftrace_early.c makes calls of their NOPs. */
SYM_START(early_ftrace_timed_jump, SYM_L_GLOBAL, SYM_F_ALIGN)
	ANNOTATE_NOENDBR
	ASM_NOP5
	jmp	early_ftrace_timed_call
SYM_FUNC_END(early_ftrace_timed_jump)

SYM_START(early_ftrace_timed_call, SYM_L_GLOBAL, SYM_F_ALIGN)
	ANNOTATE_NOENDBR
	ASM_NOP5
SYM_INNER_LABEL(early_ftrace_timed_return, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	ANNOTATE_UNRET_SAFE
	ret
	int3
SYM_FUNC_END(early_ftrace_timed_call)
