// SPDX-License-Identifier: GPL-2.0
/*
 * The oneshot tracer's set (kernel/files/kernel/trace/oneshot_set.c), compiled
 * as it is: alone, full, forgetting, and under many threads that all insert the
 * same addresses at once.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "kernel_shim.h"
#include "../../kernel/files/kernel/trace/oneshot_set.c"

#define TEXT	0xffffffff81000000UL
#define MODULE	0xffffffffc0200000UL

static struct oneshot_set *set_new(unsigned int shift)
{
	struct oneshot_set *set = calloc(1, oneshot_set_bytes(shift));

	cr_assert(set != NULL);
	oneshot_set_init(set, shift);
	return set;
}

/* Insert and, if it is new, publish; as the tracer does. */
static enum oneshot_insert set_add(struct oneshot_set *set, unsigned long addr,
				   unsigned long kind, unsigned int owner)
{
	struct oneshot_rec *rec = NULL;
	enum oneshot_insert ret = oneshot_set_insert(set, addr, kind, &rec);

	if (ret == ONESHOT_INSERTED)
		oneshot_rec_publish(rec, addr, 1000 + (addr & 0xff), 42, 3, owner);
	return ret;
}

/* How many published records of @addr are there? */
static unsigned int set_count(struct oneshot_set *set, u64 addr)
{
	unsigned int i, count = 0;

	for (i = 0; i < oneshot_set_nr(set); i++)
		count += oneshot_rec_meta(&set->recs[i]) && set->recs[i].addr == addr;
	return count;
}

Test(oneshot_set, layout_fits_its_size)
{
	unsigned int shift;

	for (shift = ONESHOT_MIN_SHIFT; shift <= 12; shift++) {
		struct oneshot_set *set = set_new(shift);
		char *end = (char *)set + oneshot_set_bytes(shift);

		cr_assert(eq(u32, set->mask, (1U << shift) - 1));
		cr_assert(eq(u32, set->max_recs, (1U << shift) / 4 * 3));
		cr_assert(eq(ptr, &set->recs[set->max_recs], end));
		free(set);
	}
}

Test(oneshot_set, base_kernel_with_callers_takes_at_most_8_mib)
{
	/* 27,000 functions, 5.5 addresses each. */
	unsigned int shift = oneshot_set_shift_for(27000 * 11 / 2);

	cr_assert(eq(u32, shift, 18));
	cr_assert(le(sz, oneshot_set_bytes(shift), (size_t)8 << 20));
}

Test(oneshot_set, shift_for_gives_room_for_as_many)
{
	unsigned long nr;

	for (nr = 1; nr < 1000000; nr = nr * 3 / 2 + 1) {
		unsigned int shift = oneshot_set_shift_for(nr);

		cr_assert(ge(ulong, (3UL << shift) / 4, nr), "%lu", nr);
		cr_assert(shift == ONESHOT_MIN_SHIFT || (3UL << (shift - 1)) / 4 < nr, "%lu", nr);
	}
}

Test(oneshot_set, empty_has_nothing)
{
	struct oneshot_set *set = set_new(8);

	cr_assert(not(oneshot_set_has(set, TEXT, ONESHOT_FUNCTION)));
	cr_assert(not(oneshot_set_has(set, TEXT, ONESHOT_CALLER)));
	cr_assert(eq(u32, oneshot_set_nr(set), 0));
	free(set);
}

Test(oneshot_set, once)
{
	struct oneshot_set *set = set_new(8);
	const struct oneshot_rec *rec = &set->recs[0];

	cr_assert(eq(int, set_add(set, TEXT + 4, ONESHOT_FUNCTION, 7), ONESHOT_INSERTED));
	cr_assert(eq(int, set_add(set, TEXT + 4, ONESHOT_FUNCTION, 7), ONESHOT_KNOWN));
	cr_assert(oneshot_set_has(set, TEXT + 4, ONESHOT_FUNCTION));
	cr_assert(not(oneshot_set_has(set, TEXT + 4, ONESHOT_CALLER)));
	cr_assert(eq(u32, oneshot_set_nr(set), 1));

	cr_assert(eq(u64, rec->addr, TEXT + 4));
	cr_assert(eq(u64, rec->ns, 1004));
	cr_assert(eq(u32, rec->pid, 42));
	cr_assert(eq(u32, oneshot_meta_cpu(rec->meta), 3));
	cr_assert(eq(u32, oneshot_meta_owner(rec->meta), 7));
	free(set);
}

Test(oneshot_set, fields_do_not_touch_each_other)
{
	struct oneshot_rec rec;

	oneshot_rec_publish(&rec, TEXT, ~0ULL, ~0U, 8191, 0);
	cr_assert(eq(u32, oneshot_meta_cpu(rec.meta), 8191));
	cr_assert(eq(u32, oneshot_meta_owner(rec.meta), 0));
	cr_assert(not(rec.meta & ONESHOT_REC_FORGOTTEN));
	oneshot_rec_publish(&rec, TEXT, ~0ULL, ~0U, 0, 32767);
	cr_assert(eq(u32, oneshot_meta_cpu(rec.meta), 0));
	cr_assert(eq(u32, oneshot_meta_owner(rec.meta), 32767));
	cr_assert(ne(u32, oneshot_rec_meta(&rec), 0));
}

Test(oneshot_set, both_kinds_are_one_record)
{
	struct oneshot_set *set = set_new(8);

	set_add(set, TEXT, ONESHOT_CALLER, 0);
	cr_assert(eq(u32, oneshot_set_kinds(set, &set->recs[0]), ONESHOT_CALLER));
	cr_assert(eq(int, set_add(set, TEXT, ONESHOT_FUNCTION, 0), ONESHOT_KNOWN));
	cr_assert(eq(u32, oneshot_set_kinds(set, &set->recs[0]), ONESHOT_BOTH));
	cr_assert(oneshot_set_has(set, TEXT, ONESHOT_FUNCTION));
	cr_assert(oneshot_set_has(set, TEXT, ONESHOT_CALLER));
	cr_assert(eq(u32, oneshot_set_nr(set), 1));
	free(set);
}

Test(oneshot_set, full_refuses_counts_and_still_finds)
{
	struct oneshot_set *set = set_new(8);
	unsigned long i, room = set->max_recs;

	for (i = 0; i < room; i++)
		cr_assert(eq(int, set_add(set, TEXT + 16 * i, ONESHOT_FUNCTION, 0), ONESHOT_INSERTED));
	for (i = room; i < room + 50; i++) {
		cr_assert(eq(int, set_add(set, TEXT + 16 * i, ONESHOT_FUNCTION, 0), ONESHOT_REFUSED));
		cr_assert(not(oneshot_set_has(set, TEXT + 16 * i, ONESHOT_FUNCTION)));
	}
	for (i = 0; i < room; i++) {
		cr_assert(oneshot_set_has(set, TEXT + 16 * i, ONESHOT_FUNCTION));
		cr_assert(eq(int, set_add(set, TEXT + 16 * i, ONESHOT_CALLER, 0), ONESHOT_KNOWN));
	}
	cr_assert(eq(u32, oneshot_set_nr(set), room));
	cr_assert(eq(long, atomic_long_read(&set->refused), 50));
	free(set);
}

Test(oneshot_set, forgotten_addresses_are_new_and_their_records_stay)
{
	struct oneshot_set *set = set_new(8);

	set_add(set, MODULE + 0x10, ONESHOT_FUNCTION, 5);
	set_add(set, MODULE + 0x1f, ONESHOT_CALLER, 5);
	set_add(set, MODULE + 0x20, ONESHOT_FUNCTION, 6);	/* the next one's */
	set_add(set, MODULE - 1, ONESHOT_FUNCTION, 4);

	cr_assert(eq(u32, oneshot_set_forget(set, MODULE, 0x20), 2));
	cr_assert(eq(u32, oneshot_set_forget(set, MODULE, 0x20), 0));

	cr_assert(not(oneshot_set_has(set, MODULE + 0x10, ONESHOT_FUNCTION)));
	cr_assert(not(oneshot_set_has(set, MODULE + 0x1f, ONESHOT_CALLER)));
	cr_assert(oneshot_set_has(set, MODULE + 0x20, ONESHOT_FUNCTION));
	cr_assert(oneshot_set_has(set, MODULE - 1, ONESHOT_FUNCTION));

	/* An offset, and the kind it had, whatever comes next. */
	cr_assert(eq(u64, set->recs[0].addr, 0x10));
	cr_assert(eq(int, set_add(set, MODULE + 0x10, ONESHOT_CALLER, 9), ONESHOT_INSERTED));
	cr_assert(eq(u32, oneshot_set_kinds(set, &set->recs[0]), ONESHOT_FUNCTION));
	cr_assert(eq(u32, oneshot_meta_owner(set->recs[0].meta), 5));
	cr_assert(eq(u32, oneshot_set_kinds(set, &set->recs[4]), ONESHOT_CALLER));
	cr_assert(eq(u32, oneshot_meta_owner(set->recs[4].meta), 9));
	free(set);
}

Test(oneshot_set, tombstones_do_not_break_chains)
{
	struct oneshot_set *set = set_new(8);
	unsigned long i;

	for (i = 0; i < 150; i++)
		set_add(set, MODULE + i, ONESHOT_FUNCTION, 1);
	cr_assert(eq(u32, oneshot_set_forget(set, MODULE, 75), 75));
	for (i = 0; i < 75; i++)
		cr_assert(not(oneshot_set_has(set, MODULE + i, ONESHOT_FUNCTION)));
	for (i = 75; i < 150; i++)
		cr_assert(oneshot_set_has(set, MODULE + i, ONESHOT_FUNCTION));
	free(set);
}

/*
 * An insertion that is interrupted between its steps, by one of the same
 * address: what a thread cannot be made to do, its steps can.
 */
Test(oneshot_set, unpublished_record_is_not_read)
{
	struct oneshot_set *set = set_new(8);
	struct oneshot_rec *rec;

	cr_assert(eq(int, oneshot_set_insert(set, TEXT, ONESHOT_FUNCTION, &rec), ONESHOT_INSERTED));
	/* The interrupt: the address is known, and has no record to read. */
	cr_assert(eq(int, set_add(set, TEXT, ONESHOT_FUNCTION, 0), ONESHOT_KNOWN));
	cr_assert(eq(int, set_add(set, TEXT, ONESHOT_CALLER, 0), ONESHOT_KNOWN));
	cr_assert(eq(u32, oneshot_rec_meta(&set->recs[0]), 0));
	cr_assert(eq(u32, oneshot_set_forget(set, TEXT + 1, 100), 0));

	oneshot_rec_publish(rec, TEXT, 1, 2, 3, 4);
	cr_assert(eq(u32, oneshot_set_kinds(set, rec), ONESHOT_BOTH));
	free(set);
}

#define THREADS	16
#define ADDRS	20000UL

static struct oneshot_set *shared;
static pthread_barrier_t start;
static unsigned long inserted[THREADS], forgotten_seen;

/* Every thread inserts every address, from a place of its own in the list. */
static void *insert_all(void *arg)
{
	unsigned long me = (unsigned long)arg, i;

	pthread_barrier_wait(&start);
	for (i = 0; i < ADDRS; i++) {
		unsigned long n = (i + me / 4 * (ADDRS / 4)) % ADDRS;
		unsigned long kind = (n + me) % 2 ? ONESHOT_FUNCTION : ONESHOT_CALLER;
		unsigned long addr = TEXT + n * 7;

		inserted[me] += set_add(shared, addr, kind, 0) == ONESHOT_INSERTED;
		if (!oneshot_set_has(shared, addr, kind))
			__atomic_fetch_add(&forgotten_seen, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Reads while the others insert: a record is whole, or not there. */
static void *read_all(void *unused __attribute__((unused)))
{
	unsigned long i, torn = 0, round;

	pthread_barrier_wait(&start);
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

Test(oneshot_set, threads_insert_each_address_once, .timeout = 120)
{
	pthread_t threads[THREADS], reader;
	unsigned long i, total = 0, voids = 0;
	void *torn;

	shared = set_new(16);
	pthread_barrier_init(&start, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		cr_assert(zero(int, pthread_create(&threads[i], NULL, insert_all, (void *)i)));
	cr_assert(zero(int, pthread_create(&reader, NULL, read_all, NULL)));
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		total += inserted[i];
	}
	pthread_join(reader, &torn);

	cr_assert(zero(ulong, (unsigned long)torn));
	cr_assert(zero(ulong, forgotten_seen));
	cr_assert(eq(ulong, total, ADDRS));
	for (i = 0; i < oneshot_set_nr(shared); i++)
		voids += shared->recs[i].meta == ONESHOT_REC_VOID;
	cr_assert(eq(ulong, oneshot_set_nr(shared), ADDRS + voids));
	for (i = 0; i < ADDRS; i += 97)
		cr_assert(eq(u32, set_count(shared, TEXT + i * 7), 1));
	for (i = 0; i < oneshot_set_nr(shared); i++)
		if (oneshot_rec_meta(&shared->recs[i]))
			cr_assert(eq(u32, oneshot_set_kinds(shared, &shared->recs[i]), ONESHOT_BOTH));
	free(shared);
}

/* Threads that fill the set: what is refused and what is recorded is all there was. */
static unsigned long refused[THREADS];

static void *insert_own(void *arg)
{
	unsigned long me = (unsigned long)arg, i;

	pthread_barrier_wait(&start);
	for (i = 0; i < 1000; i++) {
		switch (set_add(shared, TEXT + (me * 1000 + i) * 16, ONESHOT_FUNCTION, 0)) {
		case ONESHOT_INSERTED:
			inserted[me]++;
			break;
		case ONESHOT_REFUSED:
			refused[me]++;
			break;
		case ONESHOT_KNOWN:
			break;
		}
	}
	return NULL;
}

Test(oneshot_set, threads_fill_it_to_the_last_record, .timeout = 120)
{
	unsigned long i, in = 0, out = 0;
	pthread_t threads[THREADS];

	shared = set_new(10);
	pthread_barrier_init(&start, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		cr_assert(zero(int, pthread_create(&threads[i], NULL, insert_own, (void *)i)));
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		in += inserted[i];
		out += refused[i];
	}
	cr_assert(eq(ulong, in, shared->max_recs));
	cr_assert(eq(ulong, out, THREADS * 1000 - in));
	cr_assert(eq(long, atomic_long_read(&shared->refused), (long)out));
	free(shared);
}
