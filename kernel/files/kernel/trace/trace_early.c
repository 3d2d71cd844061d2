// SPDX-License-Identifier: GPL-2.0
/*
 * Very early function tracing: calls from before start_kernel() on, until the
 * tracer of ftrace= can take over.
 *
 * Compilers leave a call of __fentry__ at the head of each function, and ftrace
 * turns it into a NOP when it comes up, some hundred thousand calls into the
 * boot. Until then, if the command line says ftrace=function or ftrace=oneshot,
 * __fentry__ jumps to a recorder of the architecture:
 *
 *   early_ftrace_start()     before start_kernel(): reads the command line, makes
 *                            NOPs of the sites that ftrace_filter= and
 *                            ftrace_notrace= leave out, reserves the buffer, and
 *                            switches the recorder on.
 *   early_ftrace_extend()    memblock has memory: the second piece of the buffer.
 *   ftrace_init()            leaves the sites alone, and takes the sets of sites
 *                            that the filters have selected.
 *   early_ftrace_prepare()   there is a ring buffer: it is made large enough.
 *   early_ftrace_hand_over() the tracer starts. Instead of poking its call into
 *                            one site after the other: the early calls are
 *                            written to the ring buffer, or the oneshot set, then
 *                            all sites are turned in one pass into the call of
 *                            the tracer, or a NOP, and the recorder is switched
 *                            off. From when the last call is copied until then
 *                            nothing that is traced is called, so there is no call
 *                            that nobody sees, and none that is seen twice.
 *   early_ftrace_finish()    no tracer has started (lockdown, no memory): NOPs.
 *
 * Contexts. One CPU, interrupts off, no RCU, all of the time. What may interrupt
 * a recorder are exceptions and NMIs; see there for how it takes its places. C
 * code here may be interrupted likewise, and touches the recorder's variables at
 * these places only: before it is on, when a piece is added or the clock is set,
 * and in the hand-over, when NMIs are ignored.
 *
 * Buffer. Two pieces: RESERVE_BRK memory, as nothing else is there at the first
 * call, and memblock's later, in two parts if nothing was to be recorded while the
 * ring buffer grew. A recorder adds to early_ftrace_pos whether or not
 * there was room, so where it stands tells exactly how many were lost, and behind
 * which call; the trace has an event there that says so. Calls are
 * twelve bytes: the low halves of both addresses, which are the kernel's text,
 * and of the clock; the clock's high half is an entry of its own, with an ip of
 * zero, when it has changed, and is kept with a piece for its beginning.
 *
 * For oneshot there is no need to keep calls: a set of pairs, 64 KiB, holds each
 * function and caller once, with the time. It becomes the head of the tracer's.
 *
 * Time is the raw clock of the architecture (TSC). When the tracer starts, its
 * frequency is known, and early times are counted back from what the trace clock
 * and the TSC say at that moment. Where the kernel sets the TSC itself in between
 * (TSC_ADJUST), earlier times move with it. So they join the trace clock without a step,
 * whichever it is, if its zero is not after the first event; the clocks behind
 * sched_clock() on x86 ask early_ftrace_zero() where to begin. On clocks that
 * began later, early times before that are zero; stats tell how many.
 *
 * The memory is given back by an initcall: the page allocator of that time
 * cannot take what memblock has reserved while some struct pages are missing.
 */
#define pr_fmt(fmt) "ftrace: early: " fmt

#include <linux/bitmap.h>
#include <linux/clocksource.h>
#include <linux/ftrace.h>
#include <linux/ftrace_early.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/kmemleak.h>
#include <linux/kstrtox.h>
#include <linux/math64.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/ring_buffer.h>
#include <linux/seq_file.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <asm/sections.h>
#include <asm/setup.h>

#include "trace.h"

#ifndef FTRACE_MCOUNT_MAX_OFFSET
#define FTRACE_MCOUNT_MAX_OFFSET	ULONG_MAX
#endif

/* Of the buffer of all calls; an ip of zero has the clock's high half in parent_ip. */
struct early_call {
	u32	ip;
	u32	parent_ip;
	u32	tsc;
};

/* Of the set of oneshot. */
struct early_pair {
	u32	ip;
	u32	parent_ip;
	u32	tsc;
	u32	tsc_high;
};

static_assert(sizeof(struct early_call) == EARLY_CALL_SIZE);
static_assert(sizeof(struct early_pair) == EARLY_PAIR_SIZE);

struct early_piece {
	struct early_call	*start;
	struct early_call	*end;
	unsigned long		lost;	/* calls behind its last one */
	u64			ahead;	/* to be added to its times */
	u32			tsc_high;
};

/*
 * The recorders' own. early_ftrace_end is where the piece in use ends, or where it
 * was closed: what comes then is only counted.
 */
struct early_call *early_ftrace_pos __initdata;
struct early_call *early_ftrace_end __initdata;
u32 early_ftrace_tsc_high __initdata;
struct early_pair *early_ftrace_set __initdata;
u32 early_ftrace_pairs __initdata;
u32 early_ftrace_refused __initdata;

bool early_ftrace_on __ro_after_init;

/*
 * The image's, memblock's in two parts, and all of them cut once when the clock is
 * set; and one more each time that tracing is switched on again.
 */
#define EARLY_PIECES_NEEDED	4
static struct early_piece early_pieces[EARLY_PIECES_NEEDED + 28] __initdata;
static unsigned int early_nr_pieces __initdata;
/* Where the memory of the last one ends. */
static struct early_call *early_memory_end __initdata;
static u64 early_first_tsc __initdata;
/* How many calls there were when ftrace came up, markers included. */
static unsigned long early_mark __initdata;

/* What the image's own memory is used for, from its start: sets of sites, then calls. */
static void *early_brk __initdata;
static size_t early_brk_size __initdata;
static void *early_memblock __initdata;
static size_t early_memblock_size __initdata;

static bool early_once __initdata;
static bool early_dump_on_oops __initdata;
static bool early_off __initdata;
static bool early_buffer_kept;

/* The command line, cut into its words. */
static char early_cmdline[COMMAND_LINE_SIZE] __initdata;
static char *early_filter __initdata;
static char *early_notrace __initdata;
static unsigned long *early_filter_sites __initdata;
static unsigned long *early_notrace_sites __initdata;

/* For early_stats, when all of the above is gone. */
static struct {
	const char	*tracer;
	const char	*refused;
	const char	*clock;
	unsigned long	recorded;
	unsigned long	before_ftrace_init;
	unsigned long	lost;
	unsigned long	overwritten;
	unsigned long	before_zero;
	unsigned long	sites;
	struct early_ftrace_sites changed;
	unsigned long	buffer_bytes;
	unsigned long	ring_buffer_bytes;
	u64		first;
	u64		last;
	u64		filter_cycles;
	u64		copy_cycles;
	u64		convert_cycles;
	u32		khz;
	int		cpu;
} early_stats;

static unsigned long __init early_nr_sites(void)
{
	return __stop_mcount_loc - __start_mcount_loc;
}

/* Weak functions that were not linked leave addresses of nothing. */
static bool __init early_site_valid(unsigned long i)
{
	unsigned long addr = __start_mcount_loc[i];

	return __is_kernel_text(addr) || is_kernel_inittext(addr);
}

/*
 * Filters.
 */

/*
 * A name that it matches begins with @first, unless that is zero, and has all of
 * @chars and @pairs. To tell that a name is not wanted, the cheapest comes first.
 */
struct early_glob {
	char		*search;
	unsigned int	len;
	int		type;
	int		not;
	char		first;
	u64		chars;
	u64		pairs;
	unsigned long	index;
};

struct early_globs {
	unsigned long		*sites;
	unsigned int		nr;
	struct early_glob	glob[] __counted_by(nr);
};

static void __init early_glob_init(struct early_glob *glob)
{
	const char *c;
	char last = 0;

	glob->first = 0;
	glob->pairs = 0;
	/* Between two commas there may be nothing, and nothing has such a name. */
	glob->chars = glob->type == MATCH_FULL && !*glob->search ? ~0ULL : 0;
	/* An index is of a site, whatever its name. */
	if (glob->type == MATCH_INDEX)
		return;
	/* A name that begins with a star is looked at in the middle or the end. */
	if (glob->type != MATCH_MIDDLE_ONLY && glob->type != MATCH_END_ONLY &&
	    !strchr("*?[\\", *glob->search))
		glob->first = *glob->search;

	for (c = glob->search; *c; c++) {
		/* What is in brackets, or behind a backslash, need not be there. */
		if (glob->type == MATCH_GLOB && strchr("[\\", *c))
			break;
		if (glob->type == MATCH_GLOB && strchr("*?", *c)) {
			last = 0;
			continue;
		}
		glob->chars |= kallsyms_char(*c);
		if (last)
			glob->pairs |= kallsyms_pair(last, *c);
		last = *c;
	}
}

static bool __init early_globs_want(void *data, char first, const u8 *tokens,
				    unsigned int len)
{
	const struct early_globs *globs = data;
	const struct early_glob *glob, *end = globs->glob + globs->nr;
	u64 chars = 0, pairs = 0;

	for (glob = globs->glob; glob < end; glob++) {
		if (glob->first && glob->first != first)
			continue;
		if (!chars)
			chars = kallsyms_name_chars(tokens, len);
		if (glob->chars & ~chars)
			continue;
		if (!pairs)
			pairs = kallsyms_name_pairs(tokens, len);
		if (!(glob->pairs & ~pairs))
			return true;
	}
	return false;
}

static bool __init early_glob_matches(const struct early_glob *glob, unsigned long i,
				      char *name)
{
	if (glob->type == MATCH_INDEX)
		return glob->index == i;
	return name && (!glob->first || glob->first == *name) &&
	       early_ftrace_match(name, glob->search, glob->len, glob->type);
}

static void __init early_globs_apply(void *data, unsigned long i, char *name,
				     unsigned long offset)
{
	const struct early_globs *globs = data;
	unsigned int g;

	if (!early_site_valid(i))
		return;
	if (offset > FTRACE_MCOUNT_MAX_OFFSET)
		name = NULL;

	for (g = 0; g < globs->nr; g++) {
		if (early_glob_matches(&globs->glob[g], i, name))
			__assign_bit(i, globs->sites, !globs->glob[g].not);
	}
}

/*
 * The sites that a comma separated list selects, as match_records() would. @scratch
 * is enough for any list. Cuts @list up.
 */
static void __init early_resolve(char *list, unsigned long *sites, void *scratch)
{
	struct early_globs *globs = scratch;
	unsigned long nr = early_nr_sites(), i, index;
	char *word;

	globs->sites = sites;
	globs->nr = 0;
	while ((word = strsep(&list, ","))) {
		struct early_glob *glob = &globs->glob[globs->nr++];

		glob->type = filter_parse_regex(word, strlen(word), &glob->search, &glob->not);
		glob->len = strlen(glob->search);
		early_glob_init(glob);
		if (glob->type != MATCH_INDEX)
			continue;
		/* Counted from 1, and among the sites that there are. */
		glob->index = nr;
		if (kstrtoul(glob->search, 0, &index) || !index)
			continue;
		for (i = 0; i < nr; i++) {
			if (early_site_valid(i) && !--index) {
				glob->index = i;
				break;
			}
		}
	}

	kallsyms_on_each_sorted(__start_mcount_loc, nr, early_globs_want, early_globs_apply, globs);
}

/*
 * Make NOPs of the sites that are not to be traced. A filter that selects nothing
 * is none, as it is for ftrace.
 */
static void __init early_skip_sites(void)
{
	unsigned long i, nr = early_nr_sites();
	bool only = early_filter && !bitmap_empty(early_filter_sites, nr);

	if (early_filter && !only)
		pr_warn("ftrace_filter=%s selects no function: all are traced\n", early_filter);

	for (i = 0; i < nr; i++) {
		if (!early_site_valid(i))
			continue;
		if ((!only || test_bit(i, early_filter_sites)) &&
		    (!early_notrace || !test_bit(i, early_notrace_sites)))
			early_stats.sites++;
		else
			arch_early_ftrace_skip(ftrace_call_adjust(__start_mcount_loc[i]));
	}
}

/**
 * early_ftrace_sites - what the early filters have selected
 * @globs: ftrace_filter= or ftrace_notrace= as ftrace has got it
 * @enable: 1 for the former, 0 for the latter
 *
 * Return: a bitmap over the mcount table; NULL if @globs is not what was on the
 * command line then, but came from somewhere else, as a bootconfig.
 */
const unsigned long *__init early_ftrace_sites(const char *globs, int enable)
{
	const char *then = enable ? early_filter : early_notrace;

	if (!early_ftrace_on || !then || strcmp(globs, then))
		return NULL;
	return enable ? early_filter_sites : early_notrace_sites;
}

/*
 * Starting.
 */

/* Where the words of interest are. Later ones override earlier ones, as for __setup(). */
struct early_params {
	const char	*tracer;
	char		*only;
	char		*except;
	bool		off;
};

static void __init early_parse(struct early_params *params)
{
	char *args = skip_spaces(early_cmdline), *param, *val;

	while (*args) {
		args = next_arg(args, &param, &val);
		if (!val && !strcmp(param, "--"))
			break;

		if (!strncmp(param, "ftrace_dump_on_oops", 19))
			early_dump_on_oops = !val || strcmp(val, "0");
		if (!val)
			continue;

		if (parameq(param, "ftrace"))
			params->tracer = val;
		else if (parameq(param, "ftrace_filter"))
			params->only = val;
		else if (parameq(param, "ftrace_notrace"))
			params->except = val;
		else if (parameq(param, "ftrace_early") && kstrtobool(val, &params->off) == 0)
			params->off = !params->off;
	}
}

/* Known when it is done; for the kernel's own parser it is no option for init. */
static int __init early_ftrace_setup(char *str)
{
	bool on;

	if (kstrtobool(str, &on))
		pr_warn("ftrace_early=%s: neither 0 nor 1, ignored\n", str);
	return 1;
}
__setup("ftrace_early=", early_ftrace_setup);

/* What early_resolve() needs for a list, without the copy that it cuts up. */
static size_t __init early_globs_size(const char *list)
{
	size_t words = 1;

	while ((list = strchr(list, ','))) {
		list++;
		words++;
	}
	return struct_size_t(struct early_globs, glob, words);
}

static size_t __init early_scratch_size(const char *list)
{
	return list ? early_globs_size(list) + strlen(list) + 1 : 0;
}

/* Two sets of sites, then what calls go to, which early_resolve() has first. */
static bool __init early_reserve(void)
{
	bool filter = early_filter || early_notrace;
	size_t sites = filter ? BITS_TO_LONGS(early_nr_sites()) * sizeof(long) : 0;
	size_t set = EARLY_PAIR_SIZE << EARLY_SET_SHIFT;
	size_t least = max3(set, early_scratch_size(early_filter),
			    early_scratch_size(early_notrace));

	early_brk_size = 1UL << CONFIG_VERY_EARLY_FTRACE_BUF_SHIFT;
	if (2 * sites + least > early_brk_size)
		return false;
	if (early_once)
		early_brk_size = PAGE_ALIGN(2 * sites + least);

	early_brk = arch_early_ftrace_reserve(early_brk_size);
	if (filter) {
		early_filter_sites = early_brk;
		early_notrace_sites = early_brk + sites;
	}

	if (early_once) {
		early_ftrace_set = early_brk + 2 * sites;
		early_stats.buffer_bytes = set;
	} else {
		struct early_piece *piece = &early_pieces[early_nr_pieces++];

		piece->start = early_brk + 2 * sites;
		piece->end = piece->start +
			     (early_brk_size - 2 * sites) / sizeof(*piece->start);
		early_ftrace_pos = piece->start;
		early_ftrace_end = piece->end;
		early_memory_end = piece->end;
		/* Not the present one: the first call begins with it. */
		early_ftrace_tsc_high = ~0U;
		early_stats.buffer_bytes = (piece->end - piece->start) * sizeof(*piece->start);
	}
	return true;
}

/* Resolves one list, and wipes the scratch memory, which is to be a set. */
static void __init early_filter_init(const char *list, unsigned long *sites)
{
	void *scratch = early_once ? (void *)early_ftrace_set : early_pieces[0].start;
	char *copy = scratch + early_globs_size(list);

	memcpy(copy, list, strlen(list) + 1);
	early_resolve(copy, sites, scratch);
	memset(scratch, 0, early_scratch_size(list));
}

static int early_panic_event(struct notifier_block *nb, unsigned long event, void *data);

static struct notifier_block early_panic_nb __initdata = {
	.notifier_call	= early_panic_event,
	.priority	= INT_MAX,
};

/**
 * early_ftrace_start - begin to record, if the command line says so
 *
 * Context: one CPU, interrupts off, as early as there is a command line.
 */
void __init early_ftrace_start(void)
{
	struct early_params params = {};
	u64 start;

	arch_early_ftrace_cmdline(early_cmdline, sizeof(early_cmdline));
	early_parse(&params);

	if (params.off || !params.tracer)
		return;
	early_once = IS_ENABLED(CONFIG_ONESHOT_TRACER) && !strcmp(params.tracer, "oneshot");
	if (!early_once && strcmp(params.tracer, "function"))
		return;
	early_stats.refused = arch_early_ftrace_refuses();

	/* An empty list is none. */
	if (params.only && *params.only)
		early_filter = params.only;
	if (params.except && *params.except)
		early_notrace = params.except;
	if (!early_stats.refused && !early_reserve())
		early_stats.refused = "CONFIG_VERY_EARLY_FTRACE_BUF_SHIFT is too small for filters";
	if (early_stats.refused) {
		pr_warn("nothing is recorded: %s\n", early_stats.refused);
		return;
	}
	early_stats.tracer = early_once ? "oneshot" : "function";

	start = arch_early_ftrace_clock();
	if (early_filter)
		early_filter_init(early_filter, early_filter_sites);
	if (early_notrace)
		early_filter_init(early_notrace, early_notrace_sites);
	early_skip_sites();
	early_stats.filter_cycles = arch_early_ftrace_clock() - start;

	if (early_dump_on_oops)
		atomic_notifier_chain_register(&panic_notifier_list, &early_panic_nb);

	early_first_tsc = arch_early_ftrace_clock();
	early_ftrace_on = true;
	arch_early_ftrace_start(early_once);
}

/* Calls that found no room in the piece in use. */
static unsigned long __init early_lost_now(void)
{
	struct early_call *pos = READ_ONCE(early_ftrace_pos);

	return pos > early_ftrace_end ? pos - early_ftrace_end : 0;
}

static unsigned long __init early_all_lost(void)
{
	unsigned long lost = early_lost_now();
	unsigned int i;

	if (early_once)
		return early_ftrace_refused;
	for (i = 0; i < early_nr_pieces; i++)
		lost += early_pieces[i].lost;
	return lost;
}

/*
 * No piece is there: what the recorder is called for is lost, and counted from
 * here. An address that nothing else has, with enough behind it to count to.
 */
#ifdef CONFIG_64BIT
#define EARLY_NOWHERE	((struct early_call *)-(1UL << 30))
#else
#define EARLY_NOWHERE	((struct early_call *)-65536UL)
#endif

/* From here on calls are counted only. An NMI may still have recorded some. */
static void __init early_close(void)
{
	WRITE_ONCE(early_ftrace_end, min(READ_ONCE(early_ftrace_pos), early_ftrace_end));
}

/*
 * From here on calls are recorded there, or behind the last one if @start is NULL;
 * not until tracing is on again if it is off. The caller sees to the order of pieces.
 * An NMI may come at any time, and must not find the position of one piece with the
 * end of the other.
 */
static void __init early_continue_at(struct early_call *start, struct early_call *end)
{
	struct early_piece *old = &early_pieces[early_nr_pieces - 1];
	struct early_piece *piece = &early_pieces[early_nr_pieces];
	struct early_call *pos;

	/* What comes is counted where there was none. */
	if (early_nr_pieces == ARRAY_SIZE(early_pieces))
		return;

	pos = xchg(&early_ftrace_pos, EARLY_NOWHERE);
	old->end = min(pos, early_ftrace_end);
	old->lost = pos - old->end;

	if (!start)
		start = old->end;
	piece->start = start;
	piece->end = end;
	piece->tsc_high = early_ftrace_tsc_high;
	early_nr_pieces++;
	early_memory_end = end;
	WRITE_ONCE(early_ftrace_end, end);
	old->lost += xchg(&early_ftrace_pos, start) - EARLY_NOWHERE;
	/* As this may be what an NMI does, it is looked at last. */
	if (READ_ONCE(early_off))
		early_close();
}

/**
 * early_ftrace_extend - add memory to the buffer
 *
 * As much again as it had, and what larger machines need: they call the more
 * functions the more memory they have (1.1 million calls with 256 GiB).
 *
 * Context: when memblock can give memory away from the low megabyte.
 */
void __init early_ftrace_extend(void)
{
	phys_addr_t ram = memblock_phys_mem_size();
	struct early_call *end;
	size_t size;

	if (!early_ftrace_on || early_once)
		return;

	size = early_brk_size + (ram >> 13);
	size = PAGE_ALIGN(min_t(phys_addr_t, size, ram >> 4));
	early_memblock = memblock_alloc_raw(size, PAGE_SIZE);
	if (!early_memblock) {
		pr_warn("no memory for %zu bytes more\n", size);
		return;
	}
	early_memblock_size = size;

	end = (struct early_call *)early_memblock + size / sizeof(*end);
	early_stats.buffer_bytes += size / sizeof(*end) * sizeof(*end);
	early_continue_at(early_memblock, end);
}

/**
 * early_ftrace_zero - when is the zero of a clock that begins now to be?
 * @now: the raw clock
 *
 * Return: the raw clock at the first event if there have been some, @now if not.
 */
u64 __init early_ftrace_zero(u64 now)
{
	return early_ftrace_on ? early_first_tsc : now;
}

static u64 __init early_pair_tsc(const struct early_pair *pair)
{
	return (u64)pair->tsc_high << 32 | pair->tsc;
}

static void __init early_pair_set_tsc(struct early_pair *pair, u64 tsc)
{
	pair->tsc = tsc;
	pair->tsc_high = tsc >> 32;
}

/**
 * early_ftrace_clock_set - the raw clock is set to another time
 * @ahead: by how much it is ahead of what it was, or behind, if negative
 *
 * What was recorded gets the time that the clock would have said, had it always
 * been right.
 *
 * Context: nothing is called between this and the setting of the clock.
 */
void __ref early_ftrace_clock_set(s64 ahead)
{
	unsigned int i;

	if (!early_ftrace_on)
		return;

	early_first_tsc += ahead;
	if (early_once) {
		for (i = 0; i < 1 << EARLY_SET_SHIFT; i++)
			early_pair_set_tsc(&early_ftrace_set[i],
					   early_pair_tsc(&early_ftrace_set[i]) + ahead);
		return;
	}
	for (i = 0; i < early_nr_pieces; i++)
		early_pieces[i].ahead += ahead;
	early_continue_at(NULL, early_memory_end);
}

/**
 * early_ftrace_off - tracing is switched off before the tracer has started
 *
 * As a warning does with traceoff_on_warning, and a debugger as long as it has the
 * machine. What is called until tracing is on again is counted as lost, so the trace
 * tells of it.
 *
 * Context: any, also NMI. No text is changed: others may be about to execute it.
 */
void __ref early_ftrace_off(void)
{
	if (!early_ftrace_on || early_off)
		return;

	WRITE_ONCE(early_off, true);
	if (early_once)
		early_ftrace_pairs += EARLY_SET_MAX;
	else
		early_close();
}

/**
 * early_ftrace_resume - tracing is switched on again
 *
 * Context: any, as of early_ftrace_off().
 */
void __ref early_ftrace_resume(void)
{
	if (!early_ftrace_on || !early_off)
		return;
	/* The others are spoken for. */
	if (early_nr_pieces > ARRAY_SIZE(early_pieces) - EARLY_PIECES_NEEDED)
		return;

	WRITE_ONCE(early_off, false);
	if (early_once)
		early_ftrace_pairs -= EARLY_SET_MAX;
	/* If a piece is being added just now, that one is going to be open. */
	else if (READ_ONCE(early_ftrace_pos) < EARLY_NOWHERE)
		early_continue_at(NULL, early_memory_end);
}

/*
 * Reading what was recorded.
 */

/* The kernel's image is in the last 2 GiB of the address space. */
static unsigned long early_address(u32 low)
{
	return (unsigned long)(long)(s32)low;
}

static unsigned long early_ip(u32 low)
{
	return early_address(low) - MCOUNT_INSN_SIZE;
}

/* Where recorded calls end in piece @i. */
static struct early_call *early_piece_end(unsigned int i)
{
	return i == early_nr_pieces - 1 ? min(READ_ONCE(early_ftrace_pos), early_ftrace_end) :
					  early_pieces[i].end;
}

/* How many calls have been recorded by now? Markers included. */
static unsigned long __init early_nr_calls(void)
{
	unsigned long nr = 0;
	unsigned int i;

	for (i = 0; i < early_nr_pieces; i++)
		nr += early_piece_end(i) - early_pieces[i].start;
	return nr;
}

/**
 * early_ftrace_mark - ftrace comes up, which is in no call that is traced
 */
void __init early_ftrace_mark(void)
{
	if (early_ftrace_on)
		early_mark = early_nr_calls();
}

typedef void (*early_fn)(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
			 u64 tsc);

/* @lost is called where calls are missing. */
static void __init early_read_calls(struct trace_array *tr, early_fn fn,
				    void (*lost)(struct trace_array *tr, unsigned long nr))
{
	unsigned long n = 0, missing;
	struct early_call *call;
	unsigned int i;
	u64 high;

	for (i = 0; i < early_nr_pieces; i++) {
		high = early_pieces[i].tsc_high;
		for (call = early_pieces[i].start; call < early_piece_end(i); call++) {
			if (n++ == early_mark)
				early_stats.before_ftrace_init = early_stats.recorded;
			if (!call->ip) {
				high = call->parent_ip;
				continue;
			}
			fn(tr, early_ip(call->ip), early_address(call->parent_ip),
			   (high << 32 | call->tsc) + early_pieces[i].ahead);
		}
		missing = i == early_nr_pieces - 1 ? early_lost_now() : early_pieces[i].lost;
		if (missing && lost)
			lost(tr, missing);
	}
	/* None has found room since. */
	if (n && n == early_mark)
		early_stats.before_ftrace_init = early_stats.recorded;
}

static int __init early_pair_cmp(const void *a, const void *b)
{
	u64 ta = early_pair_tsc(a), tb = early_pair_tsc(b);

	return ta < tb ? -1 : ta > tb;
}

/* In order of time. Ends the set's use as a set. */
static void __init early_read_pairs(struct trace_array *tr, early_fn fn)
{
	struct early_pair *set = early_ftrace_set;
	unsigned int i, nr = 0;

	for (i = 0; i < 1 << EARLY_SET_SHIFT; i++) {
		if (set[i].ip)
			set[nr++] = set[i];
	}
	sort(set, nr, sizeof(*set), early_pair_cmp, NULL);

	for (i = 0; i < nr; i++)
		fn(tr, early_ip(set[i].ip), early_address(set[i].parent_ip),
		   early_pair_tsc(&set[i]));
}

/*
 * Time.
 */

/* What the clocks say at the moment of the hand-over, and how to get from one to the others. */
static struct {
	u64	tsc;
	u64	trace;
	u64	local;
	u32	mult;
	u32	shift;
	u64	(*now)(void);
	bool	in_ns;
	u64	last;
} early_time __initdata;

/* The time of the event that is being written, for the ring buffer. */
static u64 early_stamp __initdata;

static u64 __init notrace early_stamp_clock(void)
{
	return early_stamp;
}

static void __init early_time_init(struct trace_array *tr)
{
	u64 tsc, trace, local, best = U64_MAX;
	u32 khz = arch_early_ftrace_khz();
	int i;

	early_time.now = tracing_clock(tr);
	early_time.in_ns = trace_clock_in_ns(tr);
	if (khz)
		clocks_calc_mult_shift(&early_time.mult, &early_time.shift, khz,
				       NSEC_PER_MSEC, 0);
	/* A hypervisor may come in between: what took least counts. */
	for (i = 0; i < 8; i++) {
		tsc = arch_early_ftrace_clock();
		trace = early_time.now();
		local = trace_clock_local();
		if (arch_early_ftrace_clock() - tsc >= best)
			continue;
		best = arch_early_ftrace_clock() - tsc;
		early_time.tsc = tsc;
		early_time.trace = trace;
		early_time.local = local;
	}
	early_stats.khz = khz;
}

/* How many nanoseconds before the hand-over? */
static u64 __init early_ns_before(u64 tsc)
{
	return mul_u64_u32_shr(early_time.tsc - tsc, early_time.mult, early_time.shift);
}

static u64 __init early_to_local_clock(u64 tsc)
{
	u64 before = early_ns_before(tsc);

	return before > early_time.local ? 0 : early_time.local - before;
}

static u64 __init early_to_trace_clock(u64 tsc)
{
	u64 before, time;

	if (!early_time.in_ns) {
		/* Raw itself, or one that counts something else than time. */
		time = arch_early_ftrace_is_clock(early_time.now) ? tsc : early_time.now();
	} else {
		before = early_ns_before(tsc);
		if (before > early_time.trace)
			early_stats.before_zero++;
		time = before > early_time.trace ? 0 : early_time.trace - before;
	}

	/* An exception in a recorder has the earlier place and the later time. */
	early_time.last = max(early_time.last, time);
	return early_time.last;
}

/*
 * Handing over.
 */

static struct trace_array *early_tr __initdata;
static unsigned int early_trace_ctx __initdata;

static void __init early_copy_call(struct trace_array *tr, unsigned long ip,
				   unsigned long parent_ip, u64 tsc)
{
	early_stamp = early_to_trace_clock(tsc);
	if (!early_stats.recorded++)
		early_stats.first = early_stamp;

	if (early_once)
		oneshot_early_hit(tr, ip, parent_ip, early_to_local_clock(tsc));
	else
		trace_function(tr, ip, parent_ip, early_trace_ctx);
}

/* Events that say so. */
static unsigned long early_nr_lost_events __initdata;

/* Says so at the place, as the ring buffer would of what it has lost itself. */
static void __init early_copy_lost(struct trace_array *tr, unsigned long nr)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	char text[sizeof("[LOST  EVENTS]\n") + 20];
	struct ring_buffer_event *event;
	struct print_entry *entry;
	int len;

	len = snprintf(text, sizeof(text), "[LOST %lu EVENTS]\n", nr);
	event = trace_buffer_lock_reserve(buffer, TRACE_PRINT, sizeof(*entry) + len + 1,
					  early_trace_ctx);
	if (!event)
		return;

	entry = ring_buffer_event_data(event);
	entry->ip = (unsigned long)early_ftrace_hand_over;
	memcpy(entry->buf, text, len + 1);
	ring_buffer_unlock_commit(buffer);
	early_nr_lost_events++;
}

/* Everything that was recorded, to the tracer that is about to start. */
static void __init early_copy(struct trace_array *tr)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	bool off = !ring_buffer_record_is_set_on(buffer);
	unsigned long written, kept;

	early_stats.cpu = raw_smp_processor_id();
	early_time_init(tr);
	early_trace_ctx = tracing_gen_ctx();

	/* It was switched off after these calls. */
	if (off)
		ring_buffer_record_on(buffer);
	ring_buffer_set_clock(buffer, early_stamp_clock);
	if (early_once)
		early_read_pairs(tr, early_copy_call);
	else
		early_read_calls(tr, early_copy_call, early_copy_lost);
	ring_buffer_set_clock(buffer, early_time.now);
	if (off)
		ring_buffer_record_off(buffer);

	/* Readers pass over what is older than this: the buffer was reset a moment ago. */
	tr->array_buffer.time_start = 0;

	early_stats.last = early_stamp;
	early_stats.clock = tracing_clock_name(tr);
	early_stats.lost = early_all_lost();
	/* What oneshot has is in its set. */
	if (early_once)
		return;
	/* The buffer was empty. */
	written = early_stats.recorded + early_nr_lost_events;
	kept = ring_buffer_entries_cpu(buffer, early_stats.cpu);
	if (written > kept)
		early_stats.overwritten = written - kept;
}

static void __init early_count_call(struct trace_array *tr, unsigned long ip,
				    unsigned long parent_ip, u64 tsc)
{
	early_stats.recorded++;
}

/* No tracer wants them. */
static void __init early_drop(void)
{
	if (early_once)
		early_read_pairs(NULL, early_count_call);
	else
		early_read_calls(NULL, early_count_call, NULL);
	pr_warn("tracer %s has not started: %lu calls dropped\n", early_stats.tracer,
		early_stats.recorded + early_all_lost());
	early_stats.recorded = 0;
	early_stats.before_ftrace_init = 0;
}

static void __init early_stop(void)
{
	arch_early_ftrace_stop();
	early_ftrace_on = false;
}

static void __init early_hand_over(int enable)
{
	u64 start, copied, changed;
	unsigned long flags;

	local_irq_save(flags);
	arch_early_ftrace_stop_nmi();
	start = arch_early_ftrace_clock();
	early_copy(early_tr);
	copied = arch_early_ftrace_clock();
	arch_early_ftrace_replace_code(enable, &early_stats.changed);
	changed = arch_early_ftrace_clock();
	early_stop();
	arch_early_ftrace_restart_nmi();
	local_irq_restore(flags);

	early_stats.copy_cycles = copied - start;
	early_stats.convert_cycles = changed - copied;
}

/**
 * early_ftrace_hand_over - the tracer starts
 * @enable: as of ftrace_replace_code(), in the place of which this is called
 *
 * Context: ftrace_lock and text_mutex are held.
 * Return: true if there was something to take over, and all sites are changed.
 */
bool __ref early_ftrace_hand_over(int enable)
{
	if (likely(!early_ftrace_on))
		return false;

	early_hand_over(enable);
	return true;
}

/* As tracing_resize_ring_buffer(), which cannot be used until tracing is enabled. */
static int __init early_resize(struct trace_array *tr, unsigned long size, int cpu)
{
	int ret = ring_buffer_resize(tr->array_buffer.buffer, size, cpu);

	if (ret < 0)
		return ret;
	per_cpu_ptr(tr->array_buffer.data, cpu)->entries = size;

#ifdef CONFIG_TRACER_MAX_TRACE
	/* Buffers that are to be swapped have the same size. */
	if (tr->allocated_snapshot) {
		ret = ring_buffer_resize(tr->max_buffer.buffer, size, cpu);
		if (ret < 0)
			return ret;
		per_cpu_ptr(tr->max_buffer.data, cpu)->entries = size;
	}
#endif
	return 0;
}

/* To see what allocating a page of the ring buffer calls. */
#define EARLY_PROBE_PAGES	256

/**
 * early_ftrace_prepare - make room in the ring buffer
 * @tr: the trace_array whose tracer is about to start
 *
 * For what was recorded, and for what will be until the tracer runs. Making room
 * is a lot of calls itself, which take room again: some 10 a page. If it takes so
 * many that a page hardly has room for its own (KASAN and lockdep: 144), what is
 * called to make room is counted as lost. At least half of what the buffer had is
 * left for what comes then.
 */
void __init early_ftrace_prepare(struct trace_array *tr)
{
	unsigned long had, calls, each, pages, size;
	int cpu = raw_smp_processor_id();
	/* An event's header is 4 bytes, a page of the buffer has 16 that are not events. */
	const unsigned long per_page = (PAGE_SIZE - 16) / (4 + sizeof(struct ftrace_entry));
	bool close;

	if (!early_ftrace_on)
		return;

	early_tr = tr;
	if (early_once)
		return;

	had = ring_buffer_size(tr->array_buffer.buffer, cpu);
	calls = early_nr_calls();
	if ((calls + calls / 4 + 16384) / per_page * PAGE_SIZE <= had / 2)
		return;

	size = had + EARLY_PROBE_PAGES * (PAGE_SIZE - 16);
	if (early_resize(tr, size, cpu) < 0)
		goto no_memory;
	early_stats.ring_buffer_bytes = size;

	/* The rest of what comes until the tracer runs is less than 8192 calls. */
	each = (early_nr_calls() - calls) / EARLY_PROBE_PAGES + 1;
	calls = early_nr_calls() + 16384;
	close = each > per_page / 2;
	pages = calls / (close ? per_page : per_page - each);
	if (pages <= EARLY_PROBE_PAGES)
		return;
	pages += pages / 16;

	size = had + pages * (PAGE_SIZE - 16);
	close = close && early_ftrace_pos < early_ftrace_end;
	if (close)
		early_close();
	if (early_resize(tr, size, cpu) == 0)
		early_stats.ring_buffer_bytes = size;
	if (close)
		early_continue_at(NULL, early_memory_end);
	if (early_stats.ring_buffer_bytes == size)
		return;
no_memory:
	pr_warn("no memory for a ring buffer of %lu bytes: the first calls will be overwritten\n",
		size);
}

/**
 * early_ftrace_finish - the end of early tracing, whatever has happened
 *
 * If the tracer has taken over there is not much left to do. If it runs and has
 * no site to change, what was recorded is its own; if it has not started, the
 * calls are dropped.
 */
void __init early_ftrace_finish(void)
{
	if (!early_stats.tracer)
		return;

	if (early_ftrace_on) {
		unsigned long flags;

		local_irq_save(flags);
		arch_early_ftrace_stop_nmi();
		if (early_tr && !strcmp(early_tr->current_trace->name, early_stats.tracer))
			early_copy(early_tr);
		else
			early_drop();
		/* Nobody has asked for any site. */
		arch_early_ftrace_replace_code(0, &early_stats.changed);
		early_stats.changed.differing = 0;
		early_stop();
		arch_early_ftrace_restart_nmi();
		local_irq_restore(flags);
	}

	if (early_dump_on_oops)
		atomic_notifier_chain_unregister(&panic_notifier_list, &early_panic_nb);

	if (early_stats.recorded)
		pr_info("%lu %s recorded, %lu lost, at %lu of the call sites%s%s\n",
			early_stats.recorded, early_once ? "pairs of function and caller" : "calls",
			early_stats.lost, early_stats.sites,
			early_off ? ", until tracing was switched off" : "",
			early_stats.overwritten ? "; the first ones are overwritten" : "");
	if (early_stats.changed.differing)
		pr_warn("filters selected something else than the tracer's at %lu call sites\n",
			early_stats.changed.differing);
	if (early_stats.changed.unexpected)
		pr_warn("neither a call nor a NOP at %lu call sites, which are left alone and not traced; the first is %pS\n",
			early_stats.changed.unexpected,
			(void *)early_stats.changed.first_unexpected);
}

static int __init early_free(void)
{
	if (early_brk)
		free_reserved_area(early_brk, early_brk + early_brk_size, -1, "early ftrace");
	if (early_memblock) {
		kmemleak_free_part_phys(__pa(early_memblock), early_memblock_size);
		free_reserved_area(early_memblock, early_memblock + early_memblock_size, -1,
				   "early ftrace");
	}
	return 0;
}
core_initcall(early_free);

/**
 * early_ftrace_keep_buffer - is the ring buffer to survive a change of the clock?
 * @keep: until this is called with false
 *
 * The default clock is chosen late at boot, between two that tell the same time.
 */
void __init early_ftrace_keep_buffer(bool keep)
{
	early_buffer_kept = keep && early_stats.recorded;
}

bool early_ftrace_keeps_buffer(void)
{
	return early_buffer_kept;
}

/*
 * A crash before the tracer runs.
 */

#define EARLY_DUMP_CALLS	32

/* What a crash calls first; the boot has no other use for them. */
static bool __init early_begins_crash(unsigned long ip)
{
	/* The call site is at the function's head, behind what landing pad it has. */
	return ip - (unsigned long)panic < 16 || ip - (unsigned long)oops_enter < 16;
}

/* Before @end, in piece @i and the one before; the last ones first. */
static void __init early_dump_calls(void)
{
	struct early_call *call, *end = NULL;
	unsigned int i = early_nr_pieces, piece_of_end = early_nr_pieces - 1, n = 0;
	bool off;

	/* The crash itself calls a lot, all the more if it is printed on a slow console. */
	while (i--) {
		for (call = early_piece_end(i); call-- > early_pieces[i].start;) {
			if (call->ip && early_begins_crash(early_ip(call->ip))) {
				end = call;
				piece_of_end = i;
			}
		}
	}
	i = piece_of_end;
	off = !end && early_off;
	/* Not those that print this. */
	if (!end)
		end = early_piece_end(i);
	pr_emerg("the last calls%s, latest first:\n",
		 off ? " before tracing was switched off" : "");
	for (;; end = early_piece_end(--i)) {
		for (call = end; call-- > early_pieces[i].start && n < EARLY_DUMP_CALLS;) {
			if (!call->ip)
				continue;
			n++;
			pr_emerg("-%u %ps <- %pS\n", n, (void *)early_ip(call->ip),
				 (void *)early_address(call->parent_ip));
		}
		if (!i || n == EARLY_DUMP_CALLS)
			break;
	}
}

/* A set keeps the first call of each pair: those before the crash, the last ones first. */
static void __init early_dump_pairs(void)
{
	const struct early_pair *set = early_ftrace_set, *last;
	u64 before = U64_MAX;
	unsigned int i, n;

	for (i = 0; i < 1 << EARLY_SET_SHIFT; i++) {
		if (set[i].ip && early_begins_crash(early_ip(set[i].ip)))
			before = min(before, early_pair_tsc(&set[i]));
	}

	pr_emerg("the last calls that were new, latest first:\n");
	for (n = 1; n <= EARLY_DUMP_CALLS; n++) {
		last = NULL;
		for (i = 0; i < 1 << EARLY_SET_SHIFT; i++) {
			u64 tsc = early_pair_tsc(&set[i]);

			if (set[i].ip && tsc < before && (!last || tsc > early_pair_tsc(last)))
				last = &set[i];
		}
		if (!last)
			break;
		before = early_pair_tsc(last);
		pr_emerg("-%u %ps <- %pS\n", n, (void *)early_ip(last->ip),
			 (void *)early_address(last->parent_ip));
	}
}

/**
 * early_ftrace_dump - print the last calls before a crash
 *
 * Does nothing unless ftrace_dump_on_oops is on the command line, and when the
 * tracer has taken over, which has its own way.
 */
void __ref early_ftrace_dump(void)
{
	if (!early_ftrace_on || !early_dump_on_oops)
		return;

	early_dump_on_oops = false;
	if (early_once)
		early_dump_pairs();
	else
		early_dump_calls();
}

static int __ref early_panic_event(struct notifier_block *nb, unsigned long event, void *data)
{
	early_ftrace_dump();
	return NOTIFY_DONE;
}

/*
 * early_stats
 */

static int early_stats_show(struct seq_file *m, void *v)
{
	seq_printf(m, "tracer: %s\n", early_stats.tracer ?: "none");
	seq_printf(m, "refused: %s\n", early_stats.refused ?: "none");
	seq_printf(m, "recorded: %lu\n", early_stats.recorded);
	seq_printf(m, "before_ftrace_init: %lu\n", early_stats.before_ftrace_init);
	seq_printf(m, "lost: %lu\n", early_stats.lost);
	seq_printf(m, "overwritten: %lu\n", early_stats.overwritten);
	seq_printf(m, "first: %llu\n", early_stats.first);
	seq_printf(m, "last: %llu\n", early_stats.last);
	seq_printf(m, "clock: %s\n", early_stats.clock ?: "none");
	seq_printf(m, "before_zero: %lu\n", early_stats.before_zero);
	seq_printf(m, "tsc_khz: %u\n", early_stats.khz);
	seq_printf(m, "cpu: %d\n", early_stats.cpu);
	seq_printf(m, "sites: %lu\n", early_stats.sites);
	seq_printf(m, "differing: %lu\n", early_stats.changed.differing);
	seq_printf(m, "unexpected: %lu\n", early_stats.changed.unexpected);
	seq_printf(m, "buffer_bytes: %lu\n", early_stats.buffer_bytes);
	seq_printf(m, "ring_buffer_bytes: %lu\n", early_stats.ring_buffer_bytes);
	seq_printf(m, "filter_cycles: %llu\n", early_stats.filter_cycles);
	seq_printf(m, "copy_cycles: %llu\n", early_stats.copy_cycles);
	seq_printf(m, "convert_cycles: %llu\n", early_stats.convert_cycles);
	return 0;
}

static int early_stats_open(struct inode *inode, struct file *file)
{
	int ret = tracing_check_open_get_tr(NULL);

	return ret ?: single_open(file, early_stats_show, NULL);
}

static const struct file_operations early_stats_fops = {
	.open		= early_stats_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int __init early_tracefs_init(void)
{
	if (!tracing_init_dentry())
		trace_create_file("early_stats", TRACE_MODE_READ, NULL, NULL, &early_stats_fops);
	return 0;
}
fs_initcall(early_tracefs_init);
