/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Just enough of the kernel to compile those of its files in user space that need
 * little of it. Types, atomics and barriers use the compiler's builtins, with the
 * kernel's ordering. Allocations are counted, and fail when a test asks for it.
 */
#ifndef HYTRACE_KERNEL_SHIM_H
#define HYTRACE_KERNEL_SHIM_H

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef struct { int counter; } atomic_t;

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define __init
#define notrace
#define __percpu
#define ____cacheline_aligned	__attribute__((aligned(64)))
#define __packed __attribute__((packed))
#define __aligned(x) __attribute__((aligned(x)))
#define U32_MAX		UINT32_MAX
#define BITS_PER_LONG	(8 * __SIZEOF_LONG__)
/* x86's, the second one for 32 bits */
#define MCOUNT_INSN_SIZE	5
#define PAGE_OFFSET	0xc0000000UL
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define __printf(a, b)	__attribute__((format(printf, a, b)))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define min(a, b)	((a) < (b) ? (a) : (b))

#define NOKPROBE_SYMBOL(fn)
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
/* A test may have its own of these, to see more. */
#ifndef WRITE_ONCE
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELAXED)
#endif
#ifndef READ_ONCE
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#endif
#ifndef smp_store_release
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#endif

#define xchg(p, new)		__atomic_exchange_n(p, new, __ATOMIC_SEQ_CST)

static inline int atomic_read(const atomic_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline bool atomic_try_cmpxchg(atomic_t *v, int *old, int new)
{
	return __atomic_compare_exchange_n(&v->counter, old, new, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* include/linux/bitops.h: test_and_set_bit() is a full barrier, clear_bit() is none. */
static inline bool test_and_set_bit(long nr, unsigned long *addr)
{
	unsigned long bit = 1UL << nr % 64;

	return __atomic_fetch_or(addr + nr / 64, bit, __ATOMIC_SEQ_CST) & bit;
}

static inline void clear_bit(long nr, unsigned long *addr)
{
	__atomic_fetch_and(addr + nr / 64, ~(1UL << nr % 64), __ATOMIC_RELAXED);
}

/* include/linux/hex.h */
static inline int hex_to_bin(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* include/linux/err.h */
#define MAX_ERRNO	4095

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline bool IS_ERR(const void *ptr)
{
	return (unsigned long)ptr >= (unsigned long)-MAX_ERRNO;
}

/* include/linux/slab.h. After @shim_allocs_left allocations, one fails; -1: none fails. */
#define GFP_KERNEL	0

static long shim_allocs_left __attribute__((unused)) = -1;
static long shim_allocated __attribute__((unused));

static inline void *kcalloc(size_t n, size_t size, int flags __attribute__((unused)))
{
	void *p = NULL;

	if (shim_allocs_left < 0 || shim_allocs_left--)
		p = calloc(n, size);
	shim_allocated += !!p;
	return p;
}

static inline void *kzalloc(size_t size, int flags)
{
	return kcalloc(1, size, flags);
}

static inline void kfree(const void *p)
{
	shim_allocated -= !!p;
	free((void *)p);
}

/* include/linux/kconfig.h: all options are on. */
#define IS_ENABLED(option)	1

/* include/linux/init.h: nobody calls it, the compiler still sees it. */
#define __setup(name, fn)	\
	static int (*setup_##fn)(char *) __attribute__((unused)) = fn

#define pr_warn(...)		fprintf(stderr, __VA_ARGS__)

#endif /* HYTRACE_KERNEL_SHIM_H */
