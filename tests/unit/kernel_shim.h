/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Just enough of the kernel for its pure files to compile in user space: types,
 * atomics and barriers, by the compiler's builtins, with the kernel's ordering.
 */
#ifndef HYTRACE_KERNEL_SHIM_H
#define HYTRACE_KERNEL_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef struct { int counter; } atomic_t;
typedef struct { long counter; } atomic_long_t;

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELAXED)
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

#define cmpxchg(p, old, new) ({						\
	__typeof__(*(p)) __old = (old);					\
	__atomic_compare_exchange_n(p, &__old, new, false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
	__old; })

static inline int atomic_read(const atomic_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline bool atomic_try_cmpxchg(atomic_t *v, int *old, int new)
{
	return __atomic_compare_exchange_n(&v->counter, old, new, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static inline long atomic_long_read(const atomic_long_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline void atomic_long_inc(atomic_long_t *v)
{
	__atomic_fetch_add(&v->counter, 1, __ATOMIC_RELAXED);
}

/* include/linux/hash.h: the multiplier is 2^32 / golden ratio. */
static inline u32 __hash_32(u32 val)
{
	return val * 0x61C88647U;
}

#endif /* HYTRACE_KERNEL_SHIM_H */
