/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Very early function tracing: what the boot code, the architecture and ftrace
 * have to know of it. What it is and how it works is told in
 * kernel/trace/trace_early.c.
 */
#ifndef _LINUX_FTRACE_EARLY_H
#define _LINUX_FTRACE_EARLY_H

/* A call in the buffer: struct early_call */
#define EARLY_CALL_SIZE		12

/*
 * The set of the oneshot tracer: 4,096 slots of struct early_pair, 64 KiB. It
 * is called full at three quarters, so that a search for what is not there ends.
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
 * From early_ftrace_start() to early_ftrace_hand_over() or
 * early_ftrace_finish(). There is one CPU as long as it is true, and what it
 * guards is freed with the init sections.
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
u64 early_ftrace_zero(u64 now);

/* kallsyms.c */

/* A bit for a character; letters have one each. */
static inline u64 kallsyms_char(char c)
{
	return 1ULL << (c & 63);
}

/* A bit for two characters that follow one another, to tell most names apart. */
static inline u64 kallsyms_pair(char a, char b)
{
	return 1ULL << ((a * 5 + b) & 63);
}

extern u64 kallsyms_token_chars[256];

/**
 * kallsyms_name_chars - which characters are in a name?
 * @tokens: the name, as in kallsyms_on_each_sorted()
 * @len: how many tokens
 *
 * By four, and inline, as this is most of what a glob that begins with a star
 * costs.
 *
 * Return: a set that has kallsyms_char() of each, and perhaps more.
 */
static __always_inline u64 kallsyms_name_chars(const u8 *tokens, unsigned int len)
{
	u64 chars = 0;

	for (; len > 3; len -= 4, tokens += 4)
		chars |= kallsyms_token_chars[tokens[0]] | kallsyms_token_chars[tokens[1]] |
			 kallsyms_token_chars[tokens[2]] | kallsyms_token_chars[tokens[3]];
	while (len--)
		chars |= kallsyms_token_chars[*tokens++];
	return chars;
}

u64 kallsyms_name_pairs(const u8 *tokens, unsigned int len);
void kallsyms_on_each_sorted(const unsigned long *addrs, unsigned long nr,
			     bool (*want)(void *data, char first, const u8 *tokens,
					  unsigned int len),
			     void (*fn)(void *data, unsigned long i, char *name,
					unsigned long offset),
			     void *data);

/* The recorders, and what they use. */
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
 * struct early_ftrace_sites - what changing all call sites has found
 * @differing: how many were a call and have become a NOP, or the other way round
 * @unexpected: how many were neither, and have been left alone
 * @first_unexpected: one of these
 */
struct early_ftrace_sites {
	unsigned long	differing;
	unsigned long	unexpected;
	unsigned long	first_unexpected;
};

/* What else the architecture does. */
const char *arch_early_ftrace_refuses(void);
void arch_early_ftrace_cmdline(char *buf, size_t size);
void *arch_early_ftrace_reserve(size_t size);
void arch_early_ftrace_start(bool once);
void arch_early_ftrace_stop(void);
void arch_early_ftrace_skip(unsigned long ip);
void arch_early_ftrace_stop_nmi(void);
void arch_early_ftrace_restart_nmi(void);
void arch_early_ftrace_replace_code(int enable, struct early_ftrace_sites *sites);
u64 arch_early_ftrace_clock(void);
bool arch_early_ftrace_is_clock(u64 (*clock)(void));
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
static inline u64 early_ftrace_zero(u64 now) { return now; }

#endif /* CONFIG_VERY_EARLY_FUNCTION_TRACER */

#endif /* __ASSEMBLY__ */
#endif /* _LINUX_FTRACE_EARLY_H */
