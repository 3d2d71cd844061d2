// SPDX-License-Identifier: GPL-2.0
/*
 * Small pieces of kernel text that share pages.
 *
 * A trampoline of ftrace's needs some 230 or 360 bytes, a probed instruction 16, and each
 * trampoline had a page of its own, with a page of address space behind it, and each
 * kind of probe had caches of its own. Here they share packs of pages, which are
 * read-only and executable from the moment that anything is in them, and are never
 * writable where they are executable: what is new is built elsewhere, for the address
 * that it will have, and poked (text_slot_publish()).
 *
 *   text_slot_alloc()   int3 in a pack     ─┐  a slot's life
 *   text_slot_publish() code                │
 *   text_slot_free()    dead: still code    │
 *   a worker            int3, free         ─┘
 *
 * Data: a pack is a few pages of text and their map (text_slot_map.h). All packs are in a
 * list, in which a slot is looked for by whoever wants one, and in a latch tree, in which
 * an address is looked up by whoever has one.
 *
 * Growth: a pack is as large as all packs before it, of one to 16 pages, so that what was
 * used at most and what is held are in proportion. Of those that are empty, the first one
 * stays: otherwise a slot that comes and goes where the others are full would make a pack
 * and give it back each time. One slot keeps a pack: they cannot be moved.
 *
 * Freeing: who frees a slot says whether somebody may still be in it. ftrace has waited
 * already, for tasks, and for code that RCU does not watch; kprobes have not, and RCU is
 * what they need. Waiting is a worker's, for all that came meanwhile at once, and
 * so is filling a slot with int3, which takes text_mutex, which kprobes may hold.
 *
 * Locks: event_mutex, ftrace_lock or kprobe_mutex -> text_mutex -> text_slot_mutex. Inside
 * of the last one memory is allocated, which takes what that takes.
 *
 * Looking up (text_slot_find(), is_text_slot()) is for unwinders: from any context, NMI
 * included, without a lock, O(log packs), and traced or probed by nobody. A pack is
 * freed after a grace period of RCU's, and one for what runs with preemption disabled
 * where RCU is not watching. Who looks an address up, and is not stopped in that slot,
 * or returns there, may be told what was there a moment before. Of what readers read,
 * where a pack lies and how large it is does not change while they can find it, and is
 * read plainly; its bits and its counts do change, and take READ_ONCE() and WRITE_ONCE().
 *
 * Early: ftrace's first trampolines are allocated in early_trace_init(), when slab, vmalloc
 * and text poking work, so there is nothing that has to be had before. None can be freed
 * before there are workqueues, and none is: ftrace frees what is allocated dynamically,
 * and what it has just made and cannot write, which does not happen.
 */
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/execmem.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/perf_event.h>
#include <linux/rbtree_latch.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/set_memory.h>
#include <linux/slab.h>
#include <linux/text_slot.h>
#include <linux/workqueue.h>

#include <asm/text-patching.h>

#include "text_slot_map.h"

#define PACK_MAX_PAGES	16

/* Slots are counted for so many granules at a time, to find the n-th one soon. */
#define BLOCK_GRANULES	128
#define PACK_MAX_BLOCKS	(PACK_MAX_PAGES * (PAGE_SIZE / TEXT_SLOT_GRANULE) / BLOCK_GRANULES)

/* How long slots that are dead are collected: what is freed is freed in numbers. */
#define COLLECT_MS	100

/* Kinds of slots in the maps, behind the types: those that wait for ... */
enum {
	DEAD = TEXT_SLOT_TYPES,	/* the worker, and nothing else */
	DEAD_BEFORE_RCU,	/* a grace period that has not begun */
	DEAD_IN_RCU,		/* one that has */
	KINDS
};

static_assert(KINDS <= TEXT_SLOT_MAP_KINDS);
static_assert(PACK_MAX_PAGES * (PAGE_SIZE / TEXT_SLOT_GRANULE) <= U16_MAX);

struct text_pack {
	struct latch_tree_node	node;
	struct list_head	list;	/* in text_packs */
	struct list_head	free;	/* among those that the worker frees */
	unsigned long		text;
	unsigned int		pages;
	unsigned int		dead;	/* granules of slots of one of the kinds above */
	/* How many slots of each type begin in it, and in each of its blocks. */
	u16			slots[TEXT_SLOT_TYPES];
	u16			block_slots[PACK_MAX_BLOCKS][TEXT_SLOT_TYPES];
	struct text_slot_map	map;	/* has to be the last */
};

/* Protects all of it, see above. Readers of the list may be under RCU instead. */
static DEFINE_MUTEX(text_slot_mutex);
static LIST_HEAD(text_packs);
static struct latch_tree_root text_pack_tree __cacheline_aligned;
static unsigned int text_pack_pages;
static unsigned int text_pack_count;

static struct {
	unsigned int	slots;
	unsigned int	bytes;
} text_slot_stats[KINDS];

static const struct {
	const char	*name;	/* in text_slots */
	const char	*symbol;
	bool		perf;	/* perf is told here, and not by whose it is */
} text_slot_types[TEXT_SLOT_TYPES] = {
	[TEXT_SLOT_FTRACE]	= { "ftrace", "ftrace_trampoline" },
	[TEXT_SLOT_FTRACE_REGS]	= { "ftrace_regs", "ftrace_trampoline" },
	[TEXT_SLOT_KPROBE]	= { "kprobe", KPROBE_INSN_PAGE_SYM, true },
	[TEXT_SLOT_OPTPROBE]	= { "optprobe", KPROBE_OPTINSN_PAGE_SYM, true },
};

/* ---- looking up */

static __always_inline struct text_pack *pack_of(struct latch_tree_node *node)
{
	return container_of(node, struct text_pack, node);
}

static __always_inline bool pack_less(struct latch_tree_node *a, struct latch_tree_node *b)
{
	return pack_of(a)->text < pack_of(b)->text;
}

static __always_inline int pack_compare(void *key, struct latch_tree_node *node)
{
	unsigned long addr = (unsigned long)key;
	struct text_pack *pack = pack_of(node);

	if (addr < pack->text)
		return -1;
	return addr >= pack->text + pack->pages * PAGE_SIZE;
}

static const struct latch_tree_ops text_pack_ops = {
	.less = pack_less,
	.comp = pack_compare,
};

static __always_inline struct text_pack *find_pack(unsigned long addr)
{
	struct latch_tree_node *node;

	node = latch_tree_find((void *)addr, &text_pack_tree, &text_pack_ops);
	return node ? pack_of(node) : NULL;
}

/* The kind of the slot at an address, its pack, and the granule that it begins with. */
static __always_inline int find_kind(unsigned long addr, struct text_pack **pack,
				     unsigned int *granule)
{
	*pack = find_pack(addr);
	if (!*pack)
		return -ENOENT;
	*granule = (addr - (*pack)->text) / TEXT_SLOT_GRANULE;
	return text_slot_map_kind(&(*pack)->map, granule);
}

static __always_inline void fill_slot(struct text_slot *slot, const struct text_pack *pack,
				      unsigned int granule, enum text_slot_type type)
{
	slot->addr = pack->text + granule * TEXT_SLOT_GRANULE;
	slot->size = text_slot_map_granules(&pack->map, granule) * TEXT_SLOT_GRANULE;
	slot->type = type;
}

/**
 * text_slot_find - find the slot at an address
 * @addr: any address
 * @slot: filled in with what is there
 *
 * A slot that is dead is not found: nobody is in it, or it is a kprobe's, of which
 * nobody asks more than is_text_slot() tells.
 *
 * Context: Any, NMI included.
 * Return: whether there is one.
 */
notrace bool text_slot_find(unsigned long addr, struct text_slot *slot)
{
	struct text_pack *pack;
	unsigned int granule;
	bool found;
	int kind;

	preempt_disable_notrace();
	kind = find_kind(addr, &pack, &granule);
	found = kind >= 0 && kind < TEXT_SLOT_TYPES;
	if (found)
		fill_slot(slot, pack, granule, kind);
	preempt_enable_notrace();
	return found;
}

NOKPROBE_SYMBOL(text_slot_find);

/**
 * is_text_slot - is there code at an address?
 * @addr: any address
 *
 * Context: Any, NMI included.
 * Return: whether it is in a slot, if need be in one whose last user has not left yet.
 */
notrace bool is_text_slot(unsigned long addr)
{
	struct text_pack *pack;
	unsigned int granule;
	bool found;

	preempt_disable_notrace();
	found = find_kind(addr, &pack, &granule) >= 0;
	preempt_enable_notrace();
	return found;
}

NOKPROBE_SYMBOL(is_text_slot);

/**
 * text_slot_address_lookup - name the slot at an address
 * @addr: any address
 * @size: filled in with its size in bytes
 * @offset: filled in with how far behind its beginning @addr is
 * @name: filled in with its name, of at most KSYM_NAME_LEN
 *
 * Context: Any, NMI included.
 * Return: the name's length, or 0 if there is none.
 */
int text_slot_address_lookup(unsigned long addr, unsigned long *size, unsigned long *offset,
			     char *name)
{
	struct text_slot slot;

	if (!text_slot_find(addr, &slot))
		return 0;
	if (size)
		*size = slot.size;
	if (offset)
		*offset = addr - slot.addr;
	return strscpy(name, text_slot_types[slot.type].symbol, KSYM_NAME_LEN);
}

static __always_inline unsigned int count_types(const u16 *slots, enum text_slot_type first,
						enum text_slot_type last)
{
	unsigned int nr = READ_ONCE(slots[first]);

	return last == first ? nr : nr + READ_ONCE(slots[last]);
}

/* The @nth slot of some types in a pack: the granule that it begins with, or -ENOENT. */
static int find_nth(const struct text_pack *pack, enum text_slot_type first,
		    enum text_slot_type last, unsigned int nth)
{
	unsigned int block, nr, nr_blocks = pack->map.nr / BLOCK_GRANULES;
	int granule;

	for (block = 0; block < nr_blocks; block++) {
		nr = count_types(pack->block_slots[block], first, last);
		if (nth < nr)
			break;
		nth -= nr;
	}
	granule = block * BLOCK_GRANULES - 1;
	do {
		granule = text_slot_map_next(&pack->map, granule + 1, first, last);
	} while (granule >= 0 && nth--);
	return granule;
}

/**
 * text_slot_nth - find the n-th slot of a type, or of two types
 * @first: the type
 * @last: the same, or the next one
 * @nth: n, which is made smaller by how many there are if that is not enough
 * @slot: filled in with what is there
 *
 * Which one is the n-th changes as slots come and go.
 *
 * Context: Any but NMI.
 * Return: whether there is one.
 */
bool text_slot_nth(enum text_slot_type first, enum text_slot_type last, unsigned int *nth,
		   struct text_slot *slot)
{
	struct text_pack *pack;
	unsigned int nr, begin;
	int granule, kind;

	guard(rcu)();
	list_for_each_entry_rcu(pack, &text_packs, list) {
		nr = count_types(pack->slots, first, last);
		if (*nth >= nr) {
			*nth -= nr;
			continue;
		}
		granule = find_nth(pack, first, last, *nth);
		begin = granule;
		kind = granule < 0 ? granule : text_slot_map_kind(&pack->map, &begin);
		if (kind >= (int)first && kind <= (int)last) {
			fill_slot(slot, pack, granule, kind);
			return true;
		}
		/* It has gone, and whatever comes next is the next. */
		*nth = 0;
	}
	return false;
}

/* ---- coming */

/* The one place that counts, so that all figures are of the same moment. */
static void count_slot(struct text_pack *pack, unsigned int granule, unsigned int kind,
		       int slots, int granules)
{
	u16 *here = pack->block_slots[granule / BLOCK_GRANULES];

	lockdep_assert_held(&text_slot_mutex);
	text_slot_stats[kind].slots += slots;
	text_slot_stats[kind].bytes += granules * TEXT_SLOT_GRANULE;
	if (kind < TEXT_SLOT_TYPES) {
		WRITE_ONCE(pack->slots[kind], pack->slots[kind] + slots);
		WRITE_ONCE(here[kind], here[kind] + slots);
	} else {
		pack->dead += granules;
	}
}

static struct text_pack *add_pack(unsigned int pages)
{
	unsigned int granules = pages * (PAGE_SIZE / TEXT_SLOT_GRANULE);
	struct text_pack *pack;
	void *text;

	pack = kzalloc(offsetof(struct text_pack, map) + text_slot_map_size(granules), GFP_KERNEL);
	if (!pack)
		return NULL;
	text = execmem_alloc(EXECMEM_FTRACE, pages * PAGE_SIZE);
	if (!text)
		goto err_free;
	memset(text, INT3_INSN_OPCODE, pages * PAGE_SIZE);
	if (set_memory_rox((unsigned long)text, pages))
		goto err_free_text;

	pack->text = (unsigned long)text;
	pack->pages = pages;
	text_slot_map_init(&pack->map, granules);
	list_add_tail_rcu(&pack->list, &text_packs);
	latch_tree_insert(&pack->node, &text_pack_tree, &text_pack_ops);
	text_pack_pages += pages;
	text_pack_count++;
	return pack;

err_free_text:
	execmem_free(text);
err_free:
	kfree(pack);
	return NULL;
}

/**
 * text_slot_alloc - get a place for a small piece of text
 * @type: what for
 * @size: in bytes, from 1 to PAGE_SIZE
 *
 * It lies in the two gigabytes of the kernel and its modules, at a multiple of 16, is
 * executable, and has nothing but int3 in it. For direct calls and jumps only: it
 * has no ENDBR unless what is published there brings one.
 *
 * Context: Process context, may sleep; text_mutex may be held.
 * Return: the place, or NULL if there is no memory.
 */
void *text_slot_alloc(enum text_slot_type type, size_t size)
{
	unsigned int nr = DIV_ROUND_UP(size, TEXT_SLOT_GRANULE);
	struct text_pack *pack;
	unsigned long addr;
	int granule;

	if (WARN_ON_ONCE(type >= TEXT_SLOT_TYPES || !size || size > PAGE_SIZE))
		return NULL;

	scoped_guard(mutex, &text_slot_mutex) {
		list_for_each_entry(pack, &text_packs, list) {
			granule = text_slot_map_alloc(&pack->map, nr, type);
			if (granule >= 0)
				goto found;
		}
		/* What waits to be collected is some time from being free. */
		pack = add_pack(clamp(text_pack_pages, 1, PACK_MAX_PAGES)) ?: add_pack(1);
		if (!pack)
			return NULL;
		granule = text_slot_map_alloc(&pack->map, nr, type);
found:
		count_slot(pack, granule, type, 1, nr);
		addr = pack->text + granule * TEXT_SLOT_GRANULE;
	}
	if (text_slot_types[type].perf)
		perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, addr, nr * TEXT_SLOT_GRANULE,
				   false, text_slot_types[type].symbol);
	return (void *)addr;
}

/**
 * text_slot_publish - put text in its place
 * @addr: what text_slot_alloc() has returned
 * @image: the text, made for that address
 * @size: in bytes, no more than what was allocated
 *
 * Context: Process context, may sleep; text_mutex must not be held.
 * Return: 0, or -EINVAL.
 */
int text_slot_publish(void *addr, const void *image, size_t size)
{
	struct text_slot slot;

	if (WARN_ON_ONCE(!text_slot_find((unsigned long)addr, &slot) ||
			 slot.addr != (unsigned long)addr || size > slot.size))
		return -EINVAL;
	return text_poke_copy(addr, image, size) ? 0 : -EINVAL;
}

/* ---- going */

static void collect_slots(struct work_struct *work);
static DECLARE_DELAYED_WORK(text_slot_work, collect_slots);

/**
 * text_slot_free - give a slot back
 * @addr: what text_slot_alloc() has returned
 * @wait: somebody may still be in it, until a grace period of RCU's has passed;
 *	if not, nobody may be
 *
 * Nobody may come to it any more.
 *
 * Context: Process context, may sleep; text_mutex may be held.
 */
void text_slot_free(void *addr, bool wait)
{
	unsigned int granule, nr, dead = wait ? DEAD_BEFORE_RCU : DEAD;
	struct text_pack *pack;
	struct text_slot slot;

	/* Neither twice nor in the middle. */
	if (WARN_ON_ONCE(!text_slot_find((unsigned long)addr, &slot) ||
			 slot.addr != (unsigned long)addr))
		return;
	/* Before somebody else can have it. */
	if (text_slot_types[slot.type].perf)
		perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, slot.addr, slot.size, true,
				   text_slot_types[slot.type].symbol);

	scoped_guard(mutex, &text_slot_mutex) {
		pack = find_pack(slot.addr);
		granule = (slot.addr - pack->text) / TEXT_SLOT_GRANULE;
		nr = slot.size / TEXT_SLOT_GRANULE;
		text_slot_map_change(&pack->map, granule, dead);
		count_slot(pack, granule, slot.type, -1, -nr);
		count_slot(pack, granule, dead, 1, nr);
	}
	schedule_delayed_work(&text_slot_work, msecs_to_jiffies(COLLECT_MS));
}

/* Has all dead slots of a kind be of another one. */
static void change_dead(unsigned int from, unsigned int to)
{
	struct text_pack *pack;
	unsigned int nr;
	int granule;

	list_for_each_entry(pack, &text_packs, list) {
		granule = 0;
		while (pack->dead &&
		       (granule = text_slot_map_next(&pack->map, granule, from, from)) >= 0) {
			nr = text_slot_map_granules(&pack->map, granule);
			text_slot_map_change(&pack->map, granule, to);
			count_slot(pack, granule, from, -1, -nr);
			count_slot(pack, granule, to, 1, nr);
		}
	}
}

/* What a slot is filled with, so much at a time. */
static const u8 int3s[512] = { [0 ... 511] = INT3_INSN_OPCODE };

static void fill(void *addr, void *end)
{
	for (; addr < end; addr += sizeof(int3s))
		text_poke_copy_locked(addr, int3s, min_t(size_t, end - addr, sizeof(int3s)), false);
}

/* Frees all slots that are DEAD, and has int3 in them, unless the pack is to go. */
static void free_dead(struct text_pack *pack, bool goes)
{
	unsigned int nr;
	int granule = 0;
	void *addr;

	while ((granule = text_slot_map_next(&pack->map, granule, DEAD, DEAD)) >= 0) {
		nr = text_slot_map_granules(&pack->map, granule);
		addr = (void *)pack->text + granule * TEXT_SLOT_GRANULE;
		if (!goes)
			fill(addr, addr + nr * TEXT_SLOT_GRANULE);
		text_slot_map_free(&pack->map, granule);
		count_slot(pack, granule, DEAD, -1, -nr);
	}
}

/* Is there nothing but what is dead, and need nobody be waited for in it? */
static bool is_all_dead(const struct text_pack *pack)
{
	return pack->dead == pack->map.used &&
	       text_slot_map_next(&pack->map, 0, DEAD + 1, KINDS - 1) < 0;
}

/* Takes a pack out of sight. Who is reading goes on along its links for a while. */
static void take_pack(struct text_pack *pack, struct list_head *going)
{
	list_del_rcu(&pack->list);
	list_add(&pack->free, going);
	latch_tree_erase(&pack->node, &text_pack_tree, &text_pack_ops);
	text_pack_pages -= pack->pages;
	text_pack_count--;
}

/*
 * A pack at a time, so that nobody waits long for the locks. Only this takes packs out of
 * the list, and others come at its end, so the way through it is safe without them.
 */
static void collect_slots(struct work_struct *work)
{
	struct text_pack *pack, *next;
	LIST_HEAD(going);
	bool wait, empty, kept = false;

	scoped_guard(mutex, &text_slot_mutex) {
		wait = text_slot_stats[DEAD_BEFORE_RCU].slots;
		change_dead(DEAD_BEFORE_RCU, DEAD_IN_RCU);
	}
	if (wait) {
		synchronize_rcu();
		scoped_guard(mutex, &text_slot_mutex)
			change_dead(DEAD_IN_RCU, DEAD);
	}

	/* Of empty ones the first stays, which usually is the smallest. */
	mutex_lock(&text_slot_mutex);
	list_for_each_entry_safe(pack, next, &text_packs, list) {
		if (!pack->dead && pack->map.used)
			continue;
		mutex_unlock(&text_slot_mutex);
		cond_resched();
		mutex_lock(&text_mutex);
		mutex_lock(&text_slot_mutex);
		empty = is_all_dead(pack);
		free_dead(pack, empty && kept);
		if (empty && kept)
			take_pack(pack, &going);
		kept |= empty;
		mutex_unlock(&text_mutex);
	}
	mutex_unlock(&text_slot_mutex);
	if (list_empty(&going))
		return;

	/* Somebody may be looking at them, where RCU is not watching as well. */
	synchronize_rcu_tasks_rude();
	synchronize_rcu();
	list_for_each_entry_safe(pack, next, &going, free) {
		execmem_free((void *)pack->text);
		kfree(pack);
	}
}

/* ---- telling */

static int text_slots_show(struct seq_file *m, void *v)
{
	unsigned int kind, used = 0, slots = 0, bytes = 0;

	guard(mutex)(&text_slot_mutex);
	for (kind = 0; kind < KINDS; kind++)
		used += text_slot_stats[kind].bytes;
	seq_printf(m, "packs %u pages %u bytes %lu used %u\n", text_pack_count, text_pack_pages,
		   text_pack_pages * PAGE_SIZE, used);
	seq_puts(m, "# type slots bytes\n");
	for (kind = 0; kind < TEXT_SLOT_TYPES; kind++)
		seq_printf(m, "%s %u %u\n", text_slot_types[kind].name,
			   text_slot_stats[kind].slots, text_slot_stats[kind].bytes);
	for (; kind < KINDS; kind++) {
		slots += text_slot_stats[kind].slots;
		bytes += text_slot_stats[kind].bytes;
	}
	seq_printf(m, "dead %u %u\n", slots, bytes);
	return 0;
}

/* Whoever looks wants to see what is in use, and not what waits to be collected. */
static int text_slots_open(struct inode *inode, struct file *file)
{
	flush_delayed_work(&text_slot_work);
	return single_open(file, text_slots_show, NULL);
}

static const struct file_operations text_slots_fops = {
	.owner		= THIS_MODULE,
	.open		= text_slots_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int __init text_slots_init(void)
{
	debugfs_create_file("text_slots", 0400, NULL, NULL, &text_slots_fops);
	return 0;
}
late_initcall(text_slots_init);
