/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Very early function tracing: its interface to the boot code, the architecture
 * and ftrace. kernel/trace/trace_early.c tells how it works.
 */
#ifndef _LINUX_FTRACE_EARLY_H
#define _LINUX_FTRACE_EARLY_H

/* A call in the buffer: struct early_call, with the time that it took if returns are recorded. */
#define EARLY_CALL_SIZE		12
#define EARLY_TIMED_CALL_SIZE	16

/*
 * How long a call took: 0 if it has not returned. From 2^31 counts of the clock on, the highest
 * bit is set, and the other bits count units of 2^16 counts, as memory is scarce before there
 * is memblock. EARLY_TOOK_UNKNOWN: its return was not watched, or the clock was set back.
 */
#define EARLY_TOOK_SHIFT	16
#define EARLY_TOOK_LONG		0x80000000
#define EARLY_TOOK_UNKNOWN	0xffffffff

/* Room for open calls, struct early_frame. At most 24 have been seen open at once. */
#define EARLY_FRAMES		512

/*
 * The set of the oneshot tracer: 4,096 entries of struct early_pair, 64 KiB. It
 * counts as full at three quarters, so that a search for a missing pair ends.
 */
#define EARLY_PAIR_SIZE		16
#define EARLY_SET_SHIFT		12
#define EARLY_SET_MAX		(3 << (EARLY_SET_SHIFT - 2))

#ifndef __ASSEMBLY__

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * enum early_recorder - what is recorded
 * @EARLY_RECORD_CALLS: every call
 * @EARLY_RECORD_RETURNS: every call, and how long it takes
 * @EARLY_RECORD_ONCE: each pair of function and caller once
 */
enum early_recorder {
	EARLY_RECORD_CALLS,
	EARLY_RECORD_RETURNS,
	EARLY_RECORD_ONCE,
};

#ifdef CONFIG_VERY_EARLY_FUNCTION_TRACER

/**
 * early_ftrace_on - are calls being recorded, and do the call sites belong to early tracing?
 *
 * True from early_ftrace_start() to early_ftrace_hand_over() or
 * early_ftrace_finish(). There is only one CPU while it is true. The code and data
 * that it guards are freed with the init sections.
 */
extern bool early_ftrace_on;

extern unsigned long __start_mcount_loc[];
extern unsigned long __stop_mcount_loc[];

void early_ftrace_start(void);
void early_ftrace_extend(void);
bool early_ftrace_hand_over(int enable);
void early_ftrace_finish(void);
void early_ftrace_dump(void);
void early_ftrace_off(void);
void early_ftrace_resume(void);
void early_ftrace_clock_set(s64 ahead);

/* The recorders and their variables. */
struct early_call;
struct early_frame;
struct early_pair;

extern struct early_call *early_ftrace_pos;
extern struct early_call *early_ftrace_end;
extern u32 early_ftrace_tsc_high;
extern struct early_pair *early_ftrace_set;
extern u32 early_ftrace_pairs;
extern u32 early_ftrace_refused;
extern struct early_frame *early_ftrace_frame;
extern struct early_frame *early_ftrace_frames_end;

void early_ftrace_record(void);
void early_ftrace_record_graph(void);
void early_ftrace_record_once(void);
void early_ftrace_return(void);

/* For timing the recorders: a function that jumps to one that returns, and its return. */
void early_ftrace_timed_jump(void);
void early_ftrace_timed_call(void);
void early_ftrace_timed_return(void);

/* Inside of early_ftrace_return(): the return address of open calls. */
extern const char early_ftrace_returned[];
/* The address of early_ftrace_returned, for unwinders; 0 while returns are not recorded. */
extern unsigned long early_ftrace_ret_to;

unsigned long early_ftrace_find_ret_addr(unsigned long *slot);

/**
 * early_ftrace_ret_addr - the return address that a recorder has replaced
 * @addr: a return address on the stack
 * @slot: where @addr is
 *
 * Context: any. For unwinders.
 * Return: the original address; @addr if it has not been replaced.
 */
static inline unsigned long early_ftrace_ret_addr(unsigned long addr, unsigned long *slot)
{
	if (unlikely(addr == early_ftrace_ret_to && addr))
		return early_ftrace_find_ret_addr(slot);
	return addr;
}

/**
 * struct early_ftrace_sites - what was found when all call sites were changed
 * @differing: how many sites were a call and have become a NOP, or the other way round
 * @unexpected: how many sites were neither, and have been left alone
 * @first_unexpected: the address of the first unexpected site
 */
struct early_ftrace_sites {
	unsigned long	differing;
	unsigned long	unexpected;
	unsigned long	first_unexpected;
};

/**
 * struct early_ftrace_cost - what the recorder takes for 1,000 calls, by its clock
 * @record: to record them; 0: not known
 * @inside: the part of @record that the recorded times of the calls include
 * @jump: in addition to @record, and to @inside, if a function jumped to the called one
 */
struct early_ftrace_cost {
	u32	record;
	u32	inside;
	u32	jump;
};

/* The other functions of the architecture. */
const char *arch_early_ftrace_refuses(void);
void arch_early_ftrace_cmdline(char *buf, size_t size);
void *arch_early_ftrace_reserve(size_t size);
void arch_early_ftrace_free(void *mem, size_t size);
void arch_early_ftrace_start(enum early_recorder recorder);
void arch_early_ftrace_time(enum early_recorder recorder, struct early_ftrace_cost *cost);
void arch_early_ftrace_stop(void);
void arch_early_ftrace_skip(unsigned long ip);
void arch_early_ftrace_stop_nmi(void);
void arch_early_ftrace_restart_nmi(void);
void arch_early_ftrace_replace_code(int enable, struct early_ftrace_sites *sites);
u64 arch_early_ftrace_clock(void);
u64 (*arch_early_ftrace_trace_clock(const char **name))(void);
u32 arch_early_ftrace_khz(void);

#else /* !CONFIG_VERY_EARLY_FUNCTION_TRACER */

#define early_ftrace_on		false

static inline void early_ftrace_start(void) { }
static inline void early_ftrace_extend(void) { }
static inline bool early_ftrace_hand_over(int enable) { return false; }
static inline void early_ftrace_finish(void) { }
static inline void early_ftrace_dump(void) { }
static inline void early_ftrace_off(void) { }
static inline void early_ftrace_resume(void) { }
static inline void early_ftrace_clock_set(s64 ahead) { }
/* With an inline function, the compiler allocates the registers of its callers in another way. */
#define early_ftrace_ret_addr(addr, slot)	((void)(slot), (addr))

#endif /* CONFIG_VERY_EARLY_FUNCTION_TRACER */

#endif /* __ASSEMBLY__ */
#endif /* _LINUX_FTRACE_EARLY_H */
