// SPDX-License-Identifier: GPL-2.0
/*
 * The oneshot tracer's set under many threads that insert the same addresses at
 * once, while one that may sleep forgets, remembers and copies. Built with
 * ThreadSanitizer, which sees what is not ordered and makes the program fail; and
 * without Criterion, which wants memory where ThreadSanitizer has its own.
 *
 * usage: oneshot_set_threads [--tap=FILE] ...
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oneshot_set_test.h"

static unsigned int tests, failures;

static void is(const char *what, unsigned long got, unsigned long expected)
{
	bool ok = got == expected;

	printf("%sok %u - oneshot_set_threads: %s\n", ok ? "" : "not ", ++tests, what);
	if (!ok)
		printf("  got %lu, expected %lu\n", got, expected);
	failures += !ok;
}

static struct oneshot_set *shared;

static void start(pthread_t *thread, void *(*run)(void *), unsigned long arg)
{
	if (pthread_create(thread, NULL, run, (void *)arg))
		abort();
}

static unsigned long join(pthread_t thread)
{
	void *ret;

	pthread_join(thread, &ret);
	return (unsigned long)ret;
}

/* All threads insert all addresses, each from a place of its own in the list. */
#define THREADS	16
#define ADDRS	20000UL

static pthread_barrier_t begin;
static unsigned long not_known;

static void *insert_all(void *arg)
{
	unsigned long me = (unsigned long)arg, inserted = 0, i;

	pthread_barrier_wait(&begin);
	for (i = 0; i < ADDRS; i++) {
		unsigned long n = (i + me / 4 * (ADDRS / 4)) % ADDRS;
		unsigned long kind = (n + me) % 2 ? ONESHOT_FUNCTION : ONESHOT_CALLER;
		unsigned long addr = TEXT + n * 7;

		inserted += set_add(shared, addr, kind, 0) == ONESHOT_INSERTED;
		if (!oneshot_set_has(shared, addr, kind))
			__atomic_fetch_add(&not_known, 1, __ATOMIC_RELAXED);
	}
	return (void *)inserted;
}

/* Reads meanwhile: a record is whole, or not there. */
static void *read_all(void *unused __attribute__((unused)))
{
	unsigned long i, torn = 0, round;

	pthread_barrier_wait(&begin);
	for (round = 0; round < 20; round++) {
		for (i = 0; i < oneshot_set_nr(shared); i++) {
			const struct oneshot_rec *rec = &shared->recs[i];

			if (!oneshot_rec_meta(rec))
				continue;
			torn += rec->pid != 42 || rec->ns != 1000 + (rec->addr & 0xff) ||
				!oneshot_set_kinds(shared, rec);
		}
	}
	return (void *)torn;
}

static void insert_each_address_once(void)
{
	unsigned long i, total = 0, voids = 0, twice = 0, not_both = 0;
	pthread_t threads[THREADS], reader;

	shared = set_new(16);
	pthread_barrier_init(&begin, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		start(&threads[i], insert_all, i);
	start(&reader, read_all, 0);
	for (i = 0; i < THREADS; i++)
		total += join(threads[i]);
	is("a record is whole, or not there", join(reader), 0);

	is("what was inserted is known", not_known, 0);
	is("each address is new to one thread", total, ADDRS);
	for (i = 0; i < oneshot_set_nr(shared); i++) {
		voids += shared->recs[i].meta == ONESHOT_REC_VOID;
		not_both += oneshot_rec_meta(&shared->recs[i]) &&
			    oneshot_set_kinds(shared, &shared->recs[i]) != ONESHOT_BOTH;
	}
	is("each has a record, others are void", oneshot_set_nr(shared), ADDRS + voids);
	is("no kind is lost", not_both, 0);
	for (i = 0; i < ADDRS; i += 97)
		twice += set_count(shared, TEXT + i * 7) != 1;
	is("each has one record", twice, 0);
	free(shared);
}

/* Threads that fill the set: what is refused and what is recorded is all there was. */
static unsigned long refused;

static void *insert_own(void *arg)
{
	unsigned long me = (unsigned long)arg, inserted = 0, i;

	pthread_barrier_wait(&begin);
	for (i = 0; i < 1000; i++) {
		switch (set_add(shared, TEXT + (me * 1000 + i) * 16, ONESHOT_FUNCTION, 0)) {
		case ONESHOT_INSERTED:
			inserted++;
			break;
		case ONESHOT_REFUSED:
			__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
			break;
		case ONESHOT_KNOWN:
			break;
		}
	}
	return (void *)inserted;
}

static void fill_to_the_last_record(void)
{
	pthread_t threads[THREADS];
	unsigned long i, in = 0;

	shared = set_new(10);
	pthread_barrier_init(&begin, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		start(&threads[i], insert_own, i);
	for (i = 0; i < THREADS; i++)
		in += join(threads[i]);
	is("it is filled to the last record", in, shared->max_recs);
	is("and the rest is refused", refused, THREADS * 1000 - in);
	free(shared);
}

/*
 * Threads that run code, most of it the kernel's, some of it a module's, while the
 * module comes and goes, and the set is copied: as trace_oneshot_modules.c does it.
 */
#define RUNNERS		3
#define KERNEL_ADDRS	2000UL
#define ONCE_ADDRS	3000UL
#define MODULE_ADDRS	50UL
#define MODULE_OWNER	5
#define ROUNDS		30

static unsigned long passes[RUNNERS], module_base, once;
static bool stop;

static void *run_code(void *arg)
{
	unsigned long me = (unsigned long)arg, n = me * (KERNEL_ADDRS / RUNNERS);

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		/* Before the set: what a module does ends before its successor comes. */
		unsigned long base = smp_load_acquire(&module_base), i;
		struct oneshot_set *set = smp_load_acquire(&shared);

		for (i = 0; i < 50; i++, n++) {
			unsigned long addr = TEXT + n % KERNEL_ADDRS * 7;
			unsigned long kind = n & 1 ? ONESHOT_FUNCTION : ONESHOT_CALLER;

			set_add(set, addr, kind, 0);
			if (!oneshot_set_has(set, addr, kind))
				__atomic_fetch_add(&not_known, 1, __ATOMIC_RELAXED);
		}
		/* What each of them does once, and never again. */
		for (i = 0; i < 8; i++) {
			unsigned long next = __atomic_fetch_add(&once, 1, __ATOMIC_RELAXED) / RUNNERS;

			if (next < ONCE_ADDRS)
				set_add(set, TEXT + (KERNEL_ADDRS + next) * 7, ONESHOT_CALLER, 0);
		}
		for (i = 0; base && i < MODULE_ADDRS; i++)
			set_add(set, base + i * 12, ONESHOT_FUNCTION, MODULE_OWNER);

		__atomic_fetch_add(&passes[me], 1, __ATOMIC_ACQ_REL);
		/* There may be fewer processors than threads. */
		sched_yield();
	}
	return NULL;
}

/* Until nobody uses what was there before. */
static void synchronize(void)
{
	unsigned long i, before;

	for (i = 0; i < RUNNERS; i++) {
		before = smp_load_acquire(&passes[i]);
		while (smp_load_acquire(&passes[i]) - before < 2)
			sched_yield();
	}
}

static void copy_shared(void)
{
	struct oneshot_set *old = shared, *set = set_new(13);

	oneshot_set_copy(set, old, false);
	smp_store_release(&shared, set);
	synchronize();
	oneshot_set_copy(set, old, true);
	free(old);
}

static void module_goes(unsigned long base)
{
	set_forget_range(shared, MODULE, 1UL << 30, base);
}

static void come_and_go(void)
{
	unsigned long i, round, base = MODULE, twice = 0, forgotten = 0;
	pthread_t threads[RUNNERS];

	shared = set_new(13);
	for (i = 0; i < RUNNERS; i++)
		start(&threads[i], run_code, i);

	for (round = 0; round < ROUNDS; round++) {
		/* Once more: what came too late when it went. */
		module_goes(base);
		base = MODULE + round % 7 * 4096;
		set_remember_owner(shared, MODULE_OWNER, base);
		smp_store_release(&module_base, base);
		synchronize();
		smp_store_release(&module_base, 0);
		/* What it has begun may go on for a while. */
		if (round % 2)
			synchronize();
		module_goes(base);
		if (round % 3 == 0)
			copy_shared();
		synchronize();
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < RUNNERS; i++)
		join(threads[i]);

	module_goes(base);
	set_remember_owner(shared, MODULE_OWNER, MODULE);
	is("what modules have nothing to do with is known all the time", not_known, 0);
	once = once / RUNNERS < ONCE_ADDRS ? once / RUNNERS : ONCE_ADDRS;
	for (i = 0; i < KERNEL_ADDRS + once; i++)
		twice += set_count(shared, TEXT + i * 7) != 1;
	is("and has one record, however often the set is copied", twice, 0);
	for (twice = 0, i = 0; i < MODULE_ADDRS; i++)
		twice += set_count(shared, MODULE + i * 12) != 1;
	is("what is in the module has one record, however often that comes", twice, 0);
	for (i = 0; i < oneshot_set_nr(shared); i++)
		forgotten += oneshot_rec_meta(&shared->recs[i]) && !rec_is_live(&shared->recs[i]);
	is("and nothing else is left of it", forgotten, 0);
	free(shared);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "--tap=", 6) && !freopen(argv[i] + 6, "w", stdout)) {
			perror(argv[i] + 6);
			return 1;
		}
	}

	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(120);
	insert_each_address_once();
	fill_to_the_last_record();
	come_and_go();
	printf("1..%u\n", tests);
	return failures > 0;
}
