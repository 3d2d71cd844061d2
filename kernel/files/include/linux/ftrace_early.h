/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Very early function tracing: its interface to the boot code, the architecture
 * and ftrace. kernel/trace/trace_early.c tells what it is and how it works.
 */
#ifndef _LINUX_FTRACE_EARLY_H
#define _LINUX_FTRACE_EARLY_H

/* A call in the buffer: struct early_call */
#define EARLY_CALL_SIZE		12

/*
 * The set of the oneshot tracer: 4,096 entries of struct early_pair, 64 KiB. It
 * counts as full at three quarters, so that a search for a missing pair ends.
 */
#define EARLY_PAIR_SIZE		16
#define EARLY_SET_SHIFT		12
#define EARLY_SET_MAX		(3 << (EARLY_SET_SHIFT - 2))

#ifndef __ASSEMBLY__

#include <linux/types.h>

#ifdef CONFIG_VERY_EARLY_FUNCTION_TRACER

/**
 * early_ftrace_on - are calls being recorded, and the call sites ours?
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
struct early_pair;

extern struct early_call *early_ftrace_pos;
extern struct early_call *early_ftrace_end;
extern u32 early_ftrace_tsc_high;
extern struct early_pair *early_ftrace_set;
extern u32 early_ftrace_pairs;
extern u32 early_ftrace_refused;

void early_ftrace_record(void);
void early_ftrace_record_once(void);

/**
 * struct early_ftrace_sites - what was found when all call sites were changed
 * @differing: how many were a call and have become a NOP, or the other way round
 * @unexpected: how many were neither, and have been left alone
 * @first_unexpected: the address of the first of these
 */
struct early_ftrace_sites {
	unsigned long	differing;
	unsigned long	unexpected;
	unsigned long	first_unexpected;
};

/* The other functions of the architecture. */
const char *arch_early_ftrace_refuses(void);
void arch_early_ftrace_cmdline(char *buf, size_t size);
void *arch_early_ftrace_reserve(size_t size);
void arch_early_ftrace_free(void *mem, size_t size);
void arch_early_ftrace_start(bool once);
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

#endif /* CONFIG_VERY_EARLY_FUNCTION_TRACER */

#endif /* __ASSEMBLY__ */
#endif /* _LINUX_FTRACE_EARLY_H */
