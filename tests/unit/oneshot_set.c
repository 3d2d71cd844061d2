// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the oneshot tracer's set (kernel/files/kernel/trace/oneshot_set.c),
 * compiled as it is: its bits, its records, lack of memory, forgetting and
 * remembering. oneshot_set_threads.c tests it with threads. Where a set has no
 * chunk, it has read-only zeros, and there are unmapped pages around each chunk. So
 * a test crashes if the set writes to the zeros or outside of a chunk.
 */

/*
 * Another CPU or an interrupt may use the set between any two steps. To test that,
 * a function can be called after each load and store of shared data.
 */
static void (*behind_load)(void);
static void (*behind_store)(void);

#define READ_ONCE(x) ({							\
	__typeof__(x) __read = __atomic_load_n(&(x), __ATOMIC_RELAXED);	\
	if (behind_load)						\
		behind_load();						\
	__read; })

#define smp_store_release(p, v) do {					\
	__atomic_store_n(p, v, __ATOMIC_RELEASE);			\
	if (behind_store)						\
		behind_store();						\
} while (0)

#include "oneshot_set_test.h"

/* The first and the last address of the 2 GiB. */
#define FIRST	0xffffffff80000000UL
#define LAST	0xffffffffffffffffUL

/* A set with the chunks of TEXT and MODULE, and one block. */
static struct oneshot_set *set_ready(void)
{
	struct oneshot_set *ready = set_new(ONESHOT_MAX_RECS);

	set_cover(ready, TEXT, 1);
	set_cover(ready, MODULE, 1);
	set_add_block(ready);
	return ready;
}

/* The set of a test, which is ready; or without chunks and blocks. */
static struct oneshot_set *set;

static void begin(void)
{
	set = set_ready();
}

static void end(void)
{
	set_free(set);
}

static void begin_empty(void)
{
	set = set_new(ONESHOT_MAX_RECS);
}

TestSuite(oneshot_set, .init = begin, .fini = end);
TestSuite(empty_set, .init = begin_empty, .fini = end);

static void set_anew(u32 limit)
{
	set_free(set);
	set = set_new(limit);
}

static enum oneshot_insert insert_bit(struct oneshot_set *set, unsigned long key)
{
	return oneshot_set_insert(set, key, NULL);
}

/* A record of a hit at @hit, which is at @addr now */
static void expect_rec(const struct oneshot_rec *rec, u64 addr, unsigned long hit, unsigned int kind,
		       unsigned int owner)
{
	cr_assert(eq(u64, rec_addr(rec), addr));
	cr_assert(eq(u64, rec->ns, ns_of(hit)));
	cr_assert(eq(u32, rec->pid, pid_of(hit)));
	cr_assert(eq(u32, oneshot_meta_cpu(rec->meta), cpu_of(hit)));
	cr_assert(eq(u32, oneshot_meta_owner(rec->meta), owner));
	cr_assert(eq(u32, oneshot_meta_kind(rec->meta), kind));
}

/* Functions of TEXT, @count of them. */
static void add_many(struct oneshot_set *set, unsigned long count)
{
	unsigned long i;

	for (i = 0; i < count; i++)
		cr_assert(eq(int, set_add(set, TEXT + i * 128, ONESHOT_FUNCTION, 0),
			     ONESHOT_INSERTED), "%lu", i);
}

Test(empty_set, empty_has_nothing)
{
	unsigned int i;

	for (i = 0; i < ONESHOT_CHUNKS; i++) {
		unsigned long addr = i * CHUNK + i * 251UL % CHUNK;

		cr_assert(not(oneshot_set_has(set, addr)), "%lx", addr);
		cr_assert(not(oneshot_set_has(set, FIRST | addr)), "%lx", addr);
	}
	cr_assert(eq(u32, oneshot_set_nr(set), 0));
	cr_assert(eq(u32, oneshot_set_spare(set), 0));
}

Test(oneshot_set, what_insertions_write_is_in_a_cache_line_of_its_own)
{
	cr_assert(eq(sz, offsetof(struct oneshot_set, nr_recs) % 64, 0));
	cr_assert(eq(sz, _Alignof(struct oneshot_set) % 64, 0));
}

Test(oneshot_set, once)
{
	const struct oneshot_rec *rec = oneshot_set_rec(set, 0);
	unsigned long addr = TEXT + 0x1234;

	cr_assert(eq(int, set_add(set, addr, ONESHOT_FUNCTION, 7), ONESHOT_INSERTED));
	cr_assert(eq(int, set_add(set, addr, ONESHOT_FUNCTION, 7), ONESHOT_KNOWN));
	cr_assert(set_has(set, addr, ONESHOT_FUNCTION));
	cr_assert(eq(u32, oneshot_set_nr(set), 1));
	cr_assert(eq(u32, rec->other, other_of(addr)));
	expect_rec(rec, addr, addr, ONESHOT_FUNCTION, 7);
}

Test(oneshot_set, fields_do_not_touch_each_other)
{
	static const unsigned int kinds[] = { ONESHOT_FUNCTION, ONESHOT_CALLER };
	static const unsigned int cpus[] = { 0, 1, 4096, 8191 };
	static const unsigned int owners[] = { 0, 1, 16384, 32767 };

	for (unsigned int i = 0; i < 2 * 4 * 4; i++) {
		unsigned int kind = kinds[i % 2], cpu = cpus[i / 2 % 4], owner = owners[i / 8];
		struct oneshot_rec rec = {};

		oneshot_rec_publish(&rec, LAST, kind, ~0ULL, ~0U, cpu, owner);
		cr_assert(rec_is_live(&rec));
		cr_assert(eq(u32, oneshot_meta_kind(rec.meta), kind));
		cr_assert(eq(u32, oneshot_meta_cpu(rec.meta), cpu));
		cr_assert(eq(u32, oneshot_meta_owner(rec.meta), owner));
	}
}

Test(oneshot_set, too_large_a_number_does_not_touch_other_fields)
{
	struct oneshot_rec rec = {};

	oneshot_rec_publish(&rec, TEXT, ONESHOT_FUNCTION, 0, 0, 8192, 0);
	cr_assert(eq(u32, oneshot_meta_owner(rec.meta), 0));
	cr_assert(eq(u32, oneshot_meta_cpu(rec.meta), 0));
}

Test(oneshot_set, function_and_caller_at_one_address_are_two)
{
	cr_assert(eq(int, set_add(set, TEXT, ONESHOT_CALLER, 0), ONESHOT_INSERTED));
	cr_assert(not(set_has(set, TEXT, ONESHOT_FUNCTION)));
	cr_assert(eq(int, set_add(set, TEXT, ONESHOT_FUNCTION, 0), ONESHOT_INSERTED));
	cr_assert(set_has(set, TEXT, ONESHOT_FUNCTION));
	cr_assert(set_has(set, TEXT, ONESHOT_CALLER));
	cr_assert(eq(u32, set_count(set, TEXT, ONESHOT_FUNCTION), 1));
	cr_assert(eq(u32, set_count(set, TEXT, ONESHOT_CALLER), 1));
	cr_assert(eq(u32, oneshot_set_nr(set), 2));
}

/* A call site calls only the tracer, so it is never the caller of a function. */
Test(oneshot_set, caller_behind_a_call_site_is_its_function)
{
	cr_assert(eq(int, set_add(set, TEXT, ONESHOT_FUNCTION, 0), ONESHOT_INSERTED));
	cr_assert(set_has(set, TEXT + 5, ONESHOT_CALLER));
	cr_assert(eq(int, set_add(set, TEXT + 5, ONESHOT_CALLER, 0), ONESHOT_KNOWN));
	cr_assert(eq(u32, oneshot_set_nr(set), 1));
}

Test(empty_set, both_ends_of_the_2_gib)
{
	oneshot_set_add_chunk(set, FIRST, chunk_new());
	oneshot_set_add_chunk(set, LAST, chunk_new());
	set_add_block(set);

	cr_assert(eq(int, set_add(set, FIRST, ONESHOT_CALLER, 0), ONESHOT_INSERTED));
	cr_assert(eq(int, set_add(set, LAST, ONESHOT_CALLER, 0), ONESHOT_INSERTED));
	cr_assert(set_has(set, FIRST, ONESHOT_CALLER));
	cr_assert(set_has(set, LAST, ONESHOT_CALLER));
	/* Call sites that end at these addresses; then one that ends too late, and one that begins too early. */
	cr_assert(eq(int, set_add(set, LAST - 5, ONESHOT_FUNCTION, 0), ONESHOT_KNOWN));
	cr_assert(eq(int, set_add(set, FIRST - 5, ONESHOT_FUNCTION, 0), ONESHOT_KNOWN));
	cr_assert(eq(int, set_add(set, LAST - 4, ONESHOT_FUNCTION, 0), ONESHOT_REFUSED));
	cr_assert(eq(int, set_add(set, FIRST - 1, ONESHOT_CALLER, 0), ONESHOT_REFUSED));
	cr_assert(eq(u32, oneshot_set_nr(set), 2));
}

Test(empty_set, nothing_below_text_changes_anything)
{
	static const unsigned long tops[] = { 0, 1UL << 32, 0x7fffUL << 32, 0xffff8880UL << 32,
					      0xfffffffeUL << 32, 0xffffffffUL << 32 };
	unsigned int i;

	/* All chunks are there, so nothing is refused for lack of a chunk. */
	for (i = 0; i < ONESHOT_CHUNKS; i++)
		oneshot_set_add_chunk(set, i * CHUNK, chunk_new());
	set_add_block(set);

	for (i = 0; i < ONESHOT_CHUNKS; i++) {
		unsigned long low = i * CHUNK + i * 509UL % CHUNK;

		for_each(one, tops) {
			if ((*one | low) >= FIRST)
				continue;
			cr_assert(eq(int, set_add(set, *one | low, ONESHOT_CALLER, 0),
				     ONESHOT_REFUSED), "%lx", *one | low);
			cr_assert(not(oneshot_set_has(set, low)));
			cr_assert(eq(int, insert_bit(set, *one | low), ONESHOT_REFUSED));
			cr_assert(not(oneshot_set_has(set, low)));
		}
	}
	cr_assert(eq(u32, oneshot_set_nr(set), 0));
	cr_assert(eq(u32, set->wanted, 0));
}

Test(oneshot_set, low_bits_of_a_known_address_are_refused_below_text)
{
	set_add(set, TEXT, ONESHOT_CALLER, 0);
	cr_assert(eq(int, set_add(set, (u32)TEXT, ONESHOT_CALLER, 0), ONESHOT_REFUSED));
	cr_assert(eq(int, set_add(set, (u32)TEXT + 1, ONESHOT_CALLER, 0), ONESHOT_REFUSED));
	cr_assert(set_has(set, TEXT, ONESHOT_CALLER));
	cr_assert(not(set_has(set, TEXT + 1, ONESHOT_CALLER)));
	cr_assert(eq(u32, oneshot_set_nr(set), 1));
}

Test(empty_set, nobody_wants_a_chunk_below_text)
{
	cr_assert(eq(int, insert_bit(set, (u32)MODULE), ONESHOT_REFUSED));
	cr_assert(eq(u32, set->wanted, 0));
}

/*
 * For addresses with records, no chunk is asked for, because chunks are added
 * before such code runs.
 */
Test(empty_set, chunk_that_is_missing_is_wanted_for_what_needs_no_record)
{
	set_add_block(set);
	cr_assert(eq(int, set_add(set, MODULE, ONESHOT_CALLER, 0), ONESHOT_REFUSED));
	cr_assert(eq(u32, set->wanted, 0));
	cr_assert(eq(int, insert_bit(set, MODULE), ONESHOT_REFUSED));
	cr_assert(eq(u32, set->wanted, 0xc02 + 1));
	cr_assert(eq(u32, oneshot_set_nr(set), 0));
	cr_assert(eq(u32, set->nr_chunks, 0));
}

Test(empty_set, chunk_that_is_missing_is_used_when_it_is_there)
{
	unsigned int i;

	set_add_block(set);
	/* One address in every fifth chunk, and the first and the last one of the 2 GiB. */
	for (i = 0; i < ONESHOT_CHUNKS / 2; i++) {
		unsigned long addr = FIRST + i * CHUNK + i * 509UL % CHUNK;

		if (i % 5 && addr < LAST - CHUNK)
			continue;
		cr_assert(eq(int, set_add(set, addr, ONESHOT_CALLER, 0), ONESHOT_REFUSED));
		cr_assert(eq(int, insert_bit(set, addr), ONESHOT_REFUSED));
		cr_assert(eq(u32, set->wanted, ONESHOT_CHUNKS / 2 + i + 1));
		cr_assert(not(set_has(set, addr, ONESHOT_CALLER)));
		cr_assert(oneshot_set_lacks_chunk(set, addr));

		oneshot_set_add_chunk(set, (set->wanted - 1UL) << ONESHOT_CHUNK_SHIFT,
				      chunk_new());
		set->wanted = 0;
		cr_assert(not(oneshot_set_lacks_chunk(set, addr)));
		cr_assert(not(set_has(set, addr, ONESHOT_CALLER)));
		cr_assert(eq(int, set_add(set, addr, ONESHOT_CALLER, 0), ONESHOT_INSERTED));
		cr_assert(eq(int, set_add(set, addr, ONESHOT_CALLER, 0), ONESHOT_KNOWN));
		cr_assert(eq(int, insert_bit(set, addr), ONESHOT_KNOWN));
		cr_assert(eq(u32, set->wanted, 0));
	}
	for (i = 0; i < ONESHOT_CHUNKS / 2; i++) {
		unsigned long addr = FIRST + i * CHUNK + i * 509UL % CHUNK;

		cr_assert(eq(int, set_has(set, addr, ONESHOT_CALLER),
			     !(i % 5 && addr < LAST - CHUNK)), "%lx", addr);
	}
}

Test(empty_set, chunks_are_given_back)
{
	void *chunks[ONESHOT_CHUNKS] = {};
	unsigned int i, count = 0;

	for (i = 0; i < ONESHOT_CHUNKS; i += i % 7 + 1) {
		chunks[i] = chunk_new();
		oneshot_set_add_chunk(set, i * CHUNK + i * 509UL % CHUNK, chunks[i]);
		cr_assert(eq(u32, set->nr_chunks, ++count));
	}
	for (i = 0; i < ONESHOT_CHUNKS; i++) {
		cr_assert(eq(ptr, oneshot_set_chunk(set, i), chunks[i]), "%u", i);
		cr_assert(eq(int, oneshot_set_lacks_chunk(set, i * CHUNK), !chunks[i]));
		cr_assert(eq(int, oneshot_set_lacks_chunk(set, (i + 1) * CHUNK - 1), !chunks[i]));
	}
}

Test(empty_set, refused_without_room_and_new_again_when_there_is)
{
	set_cover(set, TEXT, 1);
	cr_assert(eq(int, set_add(set, TEXT, ONESHOT_FUNCTION, 0), ONESHOT_REFUSED));
	cr_assert(not(set_has(set, TEXT, ONESHOT_FUNCTION)));
	cr_assert(eq(int, set_add(set, TEXT, ONESHOT_FUNCTION, 0), ONESHOT_REFUSED));
	cr_assert(eq(u32, oneshot_set_nr(set), 0));
	/* It was refused for lack of records, so no chunk is asked for. */
	cr_assert(eq(u32, set->wanted, 0));

	set_add_block(set);
	cr_assert(eq(int, set_add(set, TEXT, ONESHOT_FUNCTION, 0), ONESHOT_INSERTED));
	cr_assert(set_has(set, TEXT, ONESHOT_FUNCTION));
}

Test(oneshot_set, refusal_leaves_neighbours_known)
{
	set_anew(2);
	set_cover(set, TEXT, 1);
	set_add_block(set);
	set_add(set, TEXT + 64, ONESHOT_CALLER, 0);
	set_add(set, TEXT + 127, ONESHOT_CALLER, 0);
	cr_assert(eq(int, set_add(set, TEXT + 70, ONESHOT_CALLER, 0), ONESHOT_REFUSED));
	cr_assert(set_has(set, TEXT + 64, ONESHOT_CALLER));
	cr_assert(set_has(set, TEXT + 127, ONESHOT_CALLER));
	cr_assert(not(set_has(set, TEXT + 70, ONESHOT_CALLER)));
	cr_assert(eq(int, set_add(set, TEXT + 64, ONESHOT_CALLER, 0), ONESHOT_KNOWN));
}

Test(oneshot_set, limit_is_less_than_a_block)
{
	set_anew(10);
	set_cover(set, TEXT, 1);
	set_add_block(set);
	cr_assert(eq(u32, set->room, 10));
	add_many(set, 10);
	cr_assert(eq(int, set_add(set, MODULE, ONESHOT_FUNCTION, 0), ONESHOT_REFUSED));
	set_cover(set, MODULE, 1);
	cr_assert(eq(int, set_add(set, MODULE, ONESHOT_FUNCTION, 0), ONESHOT_REFUSED));
	cr_assert(not(set_has(set, MODULE, ONESHOT_FUNCTION)));
	cr_assert(eq(u32, oneshot_set_nr(set), 10));
	cr_assert(eq(u32, oneshot_set_spare(set), 0));
}

Test(oneshot_set, limit_is_one_more_than_a_block)
{
	set_anew(ONESHOT_BLOCK_RECS + 1);
	set_cover(set, TEXT, CHUNK);
	set_cover(set, MODULE, 1);
	set_add_block(set);
	add_many(set, ONESHOT_BLOCK_RECS);
	cr_assert(eq(int, set_add(set, MODULE, ONESHOT_FUNCTION, 0), ONESHOT_REFUSED));
	cr_assert(not(set_has(set, MODULE, ONESHOT_FUNCTION)));

	set_add_block(set);
	cr_assert(eq(u32, set->room, ONESHOT_BLOCK_RECS + 1));
	cr_assert(eq(int, set_add(set, MODULE, ONESHOT_FUNCTION, 0), ONESHOT_INSERTED));
	cr_assert(eq(int, set_add(set, MODULE + 1, ONESHOT_FUNCTION, 0), ONESHOT_REFUSED));
	cr_assert(eq(ptr, oneshot_set_rec(set, ONESHOT_BLOCK_RECS), set->blocks[1]));
	cr_assert(eq(u64, rec_addr(set->blocks[1]), MODULE));
}

Test(empty_set, records_of_all_blocks_are_in_order_of_first_hit)
{
	u32 i;

	set_cover(set, TEXT, 16UL * ONESHOT_MAX_RECS);
	for (i = 0; i < ONESHOT_MAX_RECS; i++) {
		if (!oneshot_set_spare(set))
			set_add_block(set);
		set_add(set, TEXT + i * 16UL, ONESHOT_CALLER, 0);
	}
	cr_assert(eq(u32, set->nr_blocks, ONESHOT_BLOCKS));
	cr_assert(eq(u32, set->room, ONESHOT_MAX_RECS));
	cr_assert(eq(u32, oneshot_set_nr(set), ONESHOT_MAX_RECS));
	for (i = 0; i < ONESHOT_MAX_RECS; i++)
		cr_assert(eq(u64, rec_addr(oneshot_set_rec(set, i)), TEXT + i * 16UL));
	cr_assert(eq(int, set_add(set, TEXT + 1, ONESHOT_CALLER, 0), ONESHOT_REFUSED));
}

Test(empty_set, known_without_a_record)
{
	set_cover(set, TEXT, 1);
	cr_assert(eq(int, oneshot_set_insert(set, TEXT, NULL), ONESHOT_INSERTED));
	cr_assert(eq(int, oneshot_set_insert(set, TEXT, NULL), ONESHOT_KNOWN));
	cr_assert(oneshot_set_has(set, TEXT));
	set_add_block(set);
	cr_assert(eq(int, set_add(set, TEXT, ONESHOT_CALLER, 0), ONESHOT_KNOWN));
	cr_assert(eq(u32, oneshot_set_nr(set), 0));
	cr_assert(eq(u32, oneshot_set_spare(set), ONESHOT_BLOCK_RECS));
}

Test(oneshot_set, spare_is_what_there_is_room_for)
{
	set_anew(2 * ONESHOT_BLOCK_RECS - 1);
	set_cover(set, TEXT, 1);
	cr_assert(eq(u32, oneshot_set_spare(set), 0));
	set_add_block(set);
	cr_assert(eq(u32, oneshot_set_spare(set), ONESHOT_BLOCK_RECS));
	add_many(set, 100);
	cr_assert(eq(u32, oneshot_set_spare(set), ONESHOT_BLOCK_RECS - 100));
	set_add_block(set);
	cr_assert(eq(u32, oneshot_set_spare(set), 2 * ONESHOT_BLOCK_RECS - 101));
}

Test(oneshot_set, bytes_are_of_all_it_has)
{
	size_t bytes = sizeof(*set);

	set_anew(10);
	cr_assert(eq(sz, oneshot_set_bytes(set), bytes));
	set_cover(set, TEXT, 2 * CHUNK);
	bytes += 2 * 128 * 1024;
	cr_assert(eq(sz, oneshot_set_bytes(set), bytes));
	/* The memory of a block counts as a whole, even if the limit is lower. */
	set_add_block(set);
	bytes += 176 * 1024;
	cr_assert(eq(sz, oneshot_set_bytes(set), bytes));
	add_many(set, 10);
	cr_assert(eq(sz, oneshot_set_bytes(set), bytes));
}

Test(empty_set, base_kernel_takes_at_most_4_mib)
{
	const unsigned long text = 12 << 20, init = 4 * (1 << 20) / 10;
	unsigned long i;

	/* Init text has chunks of its own, one or two. */
	set_cover(set, TEXT, text);
	set_cover(set, TEXT + text + 7 * CHUNK / 2, init);
	for (i = 0; i < 8; i++)
		set_add_block(set);
	for (i = 0; i < 30000; i++) {
		cr_assert(eq(int, set_add(set, TEXT + i * (text / 30000), ONESHOT_CALLER, 0),
			     ONESHOT_INSERTED));
		/* Blocks are added before they are needed, as in trace_oneshot_sets.c. */
		while (oneshot_set_spare(set) < 5 * ONESHOT_BLOCK_RECS)
			set_add_block(set);
	}
	cr_assert(le(sz, oneshot_set_bytes(set), (size_t)4 << 20));
}

Test(oneshot_set, forgotten_address_is_an_offset_and_all_else_stays)
{
	const struct oneshot_rec *function = oneshot_set_rec(set, 0);
	const struct oneshot_rec *caller = oneshot_set_rec(set, 1);

	set_add(set, MODULE + 0x10, ONESHOT_FUNCTION, 5);
	set_add(set, MODULE + 0x1f, ONESHOT_CALLER, 32767);
	oneshot_rec_forget(oneshot_set_rec(set, 0), MODULE);
	oneshot_rec_forget(oneshot_set_rec(set, 1), MODULE - 0x1000);

	cr_assert(rec_is_forgotten(function));
	expect_rec(function, 0x10, MODULE + 0x10, ONESHOT_FUNCTION, 5);
	cr_assert(rec_is_forgotten(caller));
	expect_rec(caller, 0x101f, MODULE + 0x1f, ONESHOT_CALLER, 32767);

	/* Code that is still running there stays known, until other code gets the place. */
	cr_assert(eq(int, set_add(set, MODULE + 0x10, ONESHOT_FUNCTION, 5), ONESHOT_KNOWN));
}

Test(oneshot_set, the_other_address_stays_unless_other_code_gets_the_place)
{
	struct oneshot_rec rec = { .other = (u32)MODULE };

	oneshot_rec_publish(&rec, LAST, ONESHOT_CALLER, 1, 2, 3, 4);
	cr_assert(eq(u64, oneshot_text_addr(rec.other), MODULE));
	cr_assert(eq(u64, rec_addr(&rec), LAST));
	oneshot_rec_clear_other(&rec, MODULE - 0x1000, 0x1000);
	cr_assert(eq(u64, oneshot_text_addr(rec.other), MODULE));
	oneshot_rec_clear_other(&rec, MODULE + 1, 0x1000);
	cr_assert(eq(u64, oneshot_text_addr(rec.other), MODULE));
	oneshot_rec_forget(&rec, LAST - 0x10);
	cr_assert(eq(u64, oneshot_text_addr(rec.other), MODULE));
	cr_assert(eq(u64, rec_addr(&rec), 0x10));

	oneshot_rec_clear_other(&rec, MODULE - 0xfff, 0x1000);
	cr_assert(eq(u32, rec.other, 0));
}

Test(oneshot_set, remembered_addresses_are_known_where_they_are_now)
{
	const struct oneshot_rec *rec = oneshot_set_rec(set, 0);
	unsigned long moved = MODULE + 0x5000;

	set_add(set, MODULE + 0x10, ONESHOT_FUNCTION, 5);
	set_add(set, MODULE + 0x1f, ONESHOT_CALLER, 5);
	cr_assert(eq(u32, module_goes(set, 5, MODULE), 2));
	cr_assert(eq(u32, module_goes(set, 5, MODULE), 0));

	cr_assert(eq(u32, module_remembers(set, 5, moved), 2));
	cr_assert(eq(u32, module_remembers(set, 5, moved), 0));
	cr_assert(set_has(set, moved + 0x10, ONESHOT_FUNCTION));
	cr_assert(not(set_has(set, moved + 0x10, ONESHOT_CALLER)));
	cr_assert(set_has(set, moved + 0x1f, ONESHOT_CALLER));
	cr_assert(not(set_has(set, moved + 0x1f, ONESHOT_FUNCTION)));
	cr_assert(eq(int, set_add(set, moved + 0x10, ONESHOT_FUNCTION, 6), ONESHOT_KNOWN));

	/* The record is like one that was never forgotten. */
	cr_assert(rec_is_live(rec));
	expect_rec(rec, moved + 0x10, MODULE + 0x10, ONESHOT_FUNCTION, 5);
	cr_assert(eq(u32, set_count(set, moved + 0x1f, ONESHOT_CALLER), 1));
	cr_assert(eq(u32, oneshot_set_nr(set), 2));

	/* The old addresses stay known until other code gets the place. */
	cr_assert(set_has(set, MODULE + 0x10, ONESHOT_FUNCTION));
	cr_assert(set_has(set, MODULE + 0x1f, ONESHOT_CALLER));
	oneshot_set_clear(set, MODULE, 0x1000);
	cr_assert(not(set_has(set, MODULE + 0x10, ONESHOT_FUNCTION)));
	cr_assert(not(set_has(set, MODULE + 0x1f, ONESHOT_CALLER)));
	cr_assert(set_has(set, moved + 0x10, ONESHOT_FUNCTION));
}

Test(oneshot_set, record_waits_for_a_place_to_be_remembered_at)
{
	const struct oneshot_rec *rec = oneshot_set_rec(set, 0);
	unsigned long moved = MODULE + 16 * CHUNK;
	struct oneshot_rec before;

	set_add(set, MODULE + 0x10, ONESHOT_CALLER, 5);
	module_goes(set, 5, MODULE);
	before = *rec;

	cr_assert(eq(u32, module_remembers(set, 5, moved), 0));
	cr_assert(eq(u32, module_remembers(set, 5, (u32)MODULE), 0));
	cr_assert(eq(int, memcmp(rec, &before, sizeof(before)), 0));
	cr_assert(not(set_has(set, moved + 0x10, ONESHOT_CALLER)));
	/* No chunk is asked for, because the caller itself adds chunks. */
	cr_assert(eq(u32, set->wanted, 0));

	set_cover(set, moved, 1);
	cr_assert(eq(u32, module_remembers(set, 5, moved), 1));
	cr_assert(set_has(set, moved + 0x10, ONESHOT_CALLER));
	cr_assert(eq(u64, rec_addr(rec), moved + 0x10));
}

Test(oneshot_set, remembering_takes_no_room)
{
	set_anew(1);
	set_cover(set, MODULE, 1);
	set_add_block(set);
	set_add(set, MODULE + 0x10, ONESHOT_FUNCTION, 5);
	module_goes(set, 5, MODULE);
	cr_assert(eq(u32, module_remembers(set, 5, MODULE + 0x40), 1));
	cr_assert(eq(u32, oneshot_set_nr(set), 1));
}

/*
 * When the module came back, there was no chunk for the address; when the code
 * ran, there was one. So the address got a second record.
 */
Test(oneshot_set, two_records_of_an_address_become_one)
{
	set_add(set, MODULE + 0x10, ONESHOT_FUNCTION, 5);
	module_goes(set, 5, MODULE);
	oneshot_set_clear(set, MODULE, 64);
	cr_assert(eq(int, set_add(set, MODULE + 0x10, ONESHOT_FUNCTION, 5), ONESHOT_INSERTED));
	cr_assert(eq(u32, module_goes(set, 5, MODULE), 1));
	cr_assert(eq(u32, oneshot_set_nr(set), 2));

	cr_assert(eq(u32, module_remembers(set, 5, MODULE + 0x1000), 2));
	cr_assert(eq(u32, set_count(set, MODULE + 0x1010, ONESHOT_FUNCTION), 1));
	cr_assert(rec_is_live(oneshot_set_rec(set, 0)));
	cr_assert(eq(u32, oneshot_rec_meta(oneshot_set_rec(set, 1)), 0));

	/* The second record never comes back. */
	cr_assert(eq(u32, module_goes(set, 5, MODULE + 0x1000), 1));
	cr_assert(eq(u32, module_remembers(set, 5, MODULE), 1));
	cr_assert(eq(u32, oneshot_rec_meta(oneshot_set_rec(set, 1)), 0));
}

Test(oneshot_set, clear_takes_no_records)
{
	set_add(set, MODULE, ONESHOT_CALLER, 5);
	oneshot_set_clear(set, MODULE, 64);
	cr_assert(eq(u32, set_count(set, MODULE, ONESHOT_CALLER), 1));
	cr_assert(eq(u32, oneshot_set_nr(set), 1));
}

Test(empty_set, clear_passes_over_chunks_that_are_missing)
{
	unsigned long first = MODULE + CHUNK - 64, last = MODULE + 3 * CHUNK;

	/* Of five chunks the second and the fourth. */
	set_cover(set, MODULE, 1);
	set_cover(set, last, 1);
	insert_bit(set, first - 1);
	insert_bit(set, first);
	insert_bit(set, last + 63);
	insert_bit(set, last + 64);
	oneshot_set_clear(set, MODULE - CHUNK, CHUNK);
	oneshot_set_clear(set, first, last + 64 - first);
	oneshot_set_clear(set, MODULE + 4 * CHUNK, CHUNK);
	cr_assert(oneshot_set_has(set, first - 1));
	cr_assert(not(oneshot_set_has(set, first)));
	cr_assert(not(oneshot_set_has(set, last + 63)));
	cr_assert(oneshot_set_has(set, last + 64));
	cr_assert(eq(u32, set->nr_chunks, 2));
	cr_assert(eq(u32, set->wanted, 0));
}

Test(empty_set, clear_ends_where_addresses_end)
{
	oneshot_set_add_chunk(set, LAST, chunk_new());
	insert_bit(set, LAST - 64);
	insert_bit(set, LAST - 63);
	insert_bit(set, LAST);
	oneshot_set_clear(set, LAST - 63, 64);
	cr_assert(oneshot_set_has(set, LAST - 64));
	cr_assert(not(oneshot_set_has(set, LAST - 63)));
	cr_assert(not(oneshot_set_has(set, LAST)));
}

Test(oneshot_set, modules_that_come_back_take_neither_records_nor_chunks)
{
	unsigned long i, round, base = MODULE;
	u32 chunks = 0;

	set_add(set, TEXT, ONESHOT_FUNCTION, 0);
	for (i = 0; i < 100; i++)
		set_add(set, MODULE + i * 12, i % 2 ? ONESHOT_FUNCTION : ONESHOT_CALLER, 5);
	for (round = 0; round < 10000; round++) {
		unsigned long was = base;

		cr_assert(eq(u32, module_goes(set, 5, base), 100));
		base = MODULE + round % 7 * (CHUNK - 4096);
		cr_assert(eq(u32, module_comes(set, 5, was, base, 4096), 100));
		for (i = 0; i < 100; i++) {
			unsigned int kind = i % 2 ? ONESHOT_FUNCTION : ONESHOT_CALLER;

			cr_assert(eq(int, set_add(set, base + i * 12, kind, 5), ONESHOT_KNOWN));
		}
		if (round == 6)
			chunks = set->nr_chunks;
	}
	cr_assert(eq(u32, oneshot_set_nr(set), 101));
	cr_assert(eq(u32, set->nr_chunks, chunks));
	cr_assert(eq(u32, set->nr_blocks, 1));
	cr_assert(set_has(set, TEXT, ONESHOT_FUNCTION));
	for (i = 0; i < 100; i++)
		cr_assert(eq(u32, set_count(set, base + i * 12,
					    i % 2 ? ONESHOT_FUNCTION : ONESHOT_CALLER), 1));
}

Test(oneshot_set, modules_at_a_place_of_others_are_new)
{
	set_add(set, MODULE + 0x10, ONESHOT_FUNCTION, 5);
	module_goes(set, 5, MODULE);
	cr_assert(eq(u32, module_comes(set, 6, MODULE, MODULE, 4096), 0));
	cr_assert(eq(int, set_add(set, MODULE + 0x10, ONESHOT_FUNCTION, 6), ONESHOT_INSERTED));
	cr_assert(eq(u32, module_comes(set, 5, MODULE, MODULE + 4096, 4096), 1));

	cr_assert(eq(u32, set_count(set, MODULE + 0x10, ONESHOT_FUNCTION), 1));
	cr_assert(eq(u32, set_count(set, MODULE + 0x1010, ONESHOT_FUNCTION), 1));
	cr_assert(eq(u32, oneshot_meta_owner(oneshot_set_rec(set, 0)->meta), 5));
	cr_assert(eq(u32, oneshot_meta_owner(oneshot_set_rec(set, 1)->meta), 6));
}

/*
 * An insertion is interrupted between its steps, by another insertion of the same
 * address. A thread cannot be stopped there, so the steps are called one by one.
 */
Test(oneshot_set, unpublished_record_is_not_read)
{
	struct oneshot_rec *rec;

	cr_assert(eq(int, oneshot_set_insert(set, oneshot_key(MODULE, ONESHOT_CALLER), &rec),
		     ONESHOT_INSERTED));
	/* The interrupt: the address is known, and has no record to read. */
	cr_assert(eq(ptr, rec, oneshot_set_rec(set, 0)));
	cr_assert(set_has(set, MODULE, ONESHOT_CALLER));
	cr_assert(eq(int, set_add(set, MODULE, ONESHOT_CALLER, 0), ONESHOT_KNOWN));
	cr_assert(eq(u32, oneshot_set_nr(set), 1));
	cr_assert(eq(u32, oneshot_rec_meta(rec), 0));
	cr_assert(eq(u32, module_goes(set, 0, MODULE), 0));
	/* A later record of another address can be read before this one is published. */
	set_add(set, MODULE + 1, ONESHOT_CALLER, 0);
	cr_assert(ne(u32, oneshot_rec_meta(oneshot_set_rec(set, 1)), 0));

	oneshot_rec_publish(rec, MODULE, ONESHOT_CALLER, 1, 2, 3, 4);
	cr_assert(eq(u32, set_count(set, MODULE, ONESHOT_CALLER), 1));
}

static struct oneshot_set *interrupted;
static enum oneshot_insert found[8];
static unsigned int interrupts;

static void insert_another(void)
{
	behind_store = NULL;
	if (interrupts < ARRAY_SIZE(found))
		found[interrupts] = set_add(interrupted, MODULE + interrupts, ONESHOT_CALLER, 0);
	interrupts++;
	behind_store = insert_another;
}

Test(oneshot_set, block_is_there_before_there_is_room)
{
	interrupted = set;
	add_many(set, ONESHOT_BLOCK_RECS);
	behind_store = insert_another;
	set_add_block(set);
	behind_store = NULL;
	cr_assert(eq(u32, interrupts, 2));
	cr_assert(eq(int, found[0], ONESHOT_REFUSED));
	cr_assert(eq(int, found[1], ONESHOT_INSERTED));
	cr_assert(eq(u64, rec_addr(set->blocks[1]), MODULE + 1));
}

Test(empty_set, chunk_is_empty_when_it_is_there)
{
	interrupted = set;
	set_add_block(set);
	behind_store = insert_another;
	set_cover(set, MODULE, 1);
	behind_store = NULL;
	cr_assert(eq(u32, interrupts, 1));
	cr_assert(eq(int, found[0], ONESHOT_INSERTED));
	cr_assert(set_has(set, MODULE, ONESHOT_CALLER));
}

static void read_it(void)
{
	const struct oneshot_rec *rec = oneshot_set_rec(interrupted, 0);

	interrupts++;
	cr_assert(rec_is_live(rec));
	expect_rec(rec, MODULE, MODULE, ONESHOT_CALLER, 0);
}

Test(oneshot_set, record_is_whole_when_it_is_published)
{
	interrupted = set;
	behind_store = read_it;
	set_add(set, MODULE, ONESHOT_CALLER, 0);
	behind_store = NULL;
	cr_assert(eq(u32, interrupts, 1));
}

/* The number of loads until the interrupt comes, if there are so many. */
static unsigned int interrupts_left, inserted;

static void insert_the_same(void)
{
	behind_load = NULL;
	if (!--interrupts_left) {
		inserted += set_add(interrupted, MODULE, ONESHOT_CALLER, 0) == ONESHOT_INSERTED;
		return;
	}
	behind_load = insert_the_same;
}

Test(oneshot_set, one_of_two_inserts_wherever_they_meet)
{
	unsigned int at, met = 0;

	for (at = 1; at <= 8; at++) {
		struct oneshot_set *set = set_ready();

		interrupted = set;
		interrupts_left = at;
		inserted = 0;
		behind_load = insert_the_same;
		inserted += set_add(set, MODULE, ONESHOT_CALLER, 0) == ONESHOT_INSERTED;
		behind_load = NULL;
		met += !interrupts_left;
		cr_assert(eq(u32, inserted, 1), "%u", at);
		cr_assert(eq(u32, oneshot_set_nr(set), 1), "%u", at);
		cr_assert(set_has(set, MODULE, ONESHOT_CALLER));
		set_free(set);
	}
	cr_assert(gt(u32, met, 0));
}

static void insert_a_neighbour(void)
{
	behind_load = NULL;
	insert_bit(interrupted, MODULE + interrupts++);
	behind_load = insert_a_neighbour;
}

Test(empty_set, refusal_loses_nobody_elses_bit)
{
	unsigned int i;

	interrupted = set;
	set_cover(set, MODULE, 1);
	behind_load = insert_a_neighbour;
	cr_assert(eq(int, set_add(set, MODULE + 63, ONESHOT_CALLER, 0), ONESHOT_REFUSED));
	behind_load = NULL;
	cr_assert(gt(u32, interrupts, 0));
	cr_assert(lt(u32, interrupts, 63));
	for (i = 0; i < interrupts; i++)
		cr_assert(oneshot_set_has(set, MODULE + i), "%u", i);
	cr_assert(not(oneshot_set_has(set, MODULE + 63)));
}

/* xorshift64; any full-period generator will do. */
static unsigned long next_random(unsigned long *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

Test(empty_set, answers_as_an_array_of_bytes_does)
{
	static bool known[2 * CHUNK];
	unsigned long state = 88172645463325252UL, i, j;

	set_cover(set, MODULE, sizeof(known));
	for (i = 0; i < 1000000; i++) {
		/* Half of the addresses are near the border between two chunks. */
		unsigned long at = next_random(&state) % sizeof(known);

		if (next_random(&state) % 2)
			at = CHUNK - 512 + at % 1024;
		if (next_random(&state) % 16) {
			cr_assert(eq(int, oneshot_set_has(set, MODULE + at), known[at]));
			cr_assert(eq(int, insert_bit(set, MODULE + at),
				     known[at] ? ONESHOT_KNOWN : ONESHOT_INSERTED));
			known[at] = true;
		} else {
			unsigned long size = next_random(&state) % 8 * 64;

			at &= -64;
			if (at + size > sizeof(known))
				continue;
			oneshot_set_clear(set, MODULE + at, size);
			memset(known + at, 0, size);
		}
	}
	for (j = 0; j < sizeof(known); j++)
		cr_assert(eq(int, oneshot_set_has(set, MODULE + j), known[j]));
}
