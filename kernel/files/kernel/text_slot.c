// SPDX-License-Identifier: GPL-2.0
/*
 * Small pieces of kernel text that share pages.
 *
 * A trampoline of ftrace needs some 230 or 360 bytes, and a probed instruction needs 16
 * bytes. Without slots, each trampoline has a page of its own, followed by an unused page
 * of address space, and each kind of probe has its own caches. Slots share packs of pages. A
 * pack is read-only and executable before there is any code in it, and is never writable
 * where it is executable. New code is built elsewhere, for the address that it will have,
 * and is then poked (text_slot_publish()).
 *
 *   text_slot_alloc()   int3 in a pack     ─┐  a slot's life
 *   text_slot_publish() code                │
 *   text_slot_free()    dead: still code    │
 *   a worker            int3, free         ─┘
 *
 * Data: a pack is a few pages of text and their map (text_slot_map.h). All packs are in a
 * list, to search for a free place, and in a latch tree, to look up an address.
 *
 * Growth: a new pack is as large as all packs before it together, from one to 16 pages. So
 * the number of pages is in proportion to the most text that was used. The first empty pack
 * stays: otherwise, while all other packs are full, a slot that comes and goes would make
 * and free a pack each time. A pack with a single slot stays, as slots cannot be moved.
 *
 * Freeing: the caller says whether somebody may still be in the slot. ftrace has already
 * waited for tasks, and for code that RCU does not watch. kprobes have not waited: they
 * need a grace period of RCU. A worker waits for it, once for all slots freed meanwhile.
 * The worker also fills slots with int3. This takes text_mutex, which kprobes may hold when
 * they free a slot.
 *
 * Locks: event_mutex, ftrace_lock or kprobe_mutex -> text_mutex -> text_slot_mutex. Memory
 * is allocated under text_slot_mutex, with all locks that this takes.
 *
 * Looking up (text_slot_find(), is_text_slot()) is for unwinders: it works in any context,
 * NMI included, takes no lock, costs O(log packs), and cannot be traced or probed. A pack is
 * freed after a grace period of RCU, and after a rude one of RCU-tasks, for code that runs
 * with preemption disabled where RCU is not watching. A look-up is only exact if the slot
 * cannot be freed meanwhile, because a task is stopped in it or returns to it; otherwise the
 * result may be stale. The address and the size of a pack do not change while readers can
 * find it, and are read plainly. Its bits and counts do change, and take READ_ONCE() and
 * WRITE_ONCE().
 *
 * Early: ftrace's first trampolines are allocated in early_trace_init(), when slab, vmalloc
 * and text poking work. So nothing has to be reserved before. No slot can be freed before
 * there are workqueues, and none is: ftrace only frees the trampolines of dynamically
 * allocated ops, and a trampoline that it has just made and cannot write, which does not
 * happen.
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

/* Slots are counted for blocks of so many granules, to find the n-th slot quickly. */
#define BLOCK_GRANULES	128
#define PACK_MAX_BLOCKS	(PACK_MAX_PAGES * (PAGE_SIZE / TEXT_SLOT_GRANULE) / BLOCK_GRANULES)

/* How long dead slots are collected, so that many are freed at once. */
#define COLLECT_MS	100

/* Kinds of slots in the maps, after the types: dead slots, which wait for ... */
enum {
	DEAD = TEXT_SLOT_TYPES,	/* the worker, and nothing else */
	DEAD_BEFORE_RCU,	/* a grace period that has not begun */
	DEAD_IN_RCU,		/* a grace period that has begun */
	KINDS
};

static_assert(KINDS <= TEXT_SLOT_MAP_KINDS);
static_assert(PACK_MAX_PAGES * (PAGE_SIZE / TEXT_SLOT_GRANULE) <= U16_MAX);

struct text_pack {
	struct latch_tree_node	node;
	struct list_head	list;	/* in text_packs */
	struct list_head	free;	/* in the worker's list of packs to free */
	unsigned long		text;
	unsigned int		pages;
	unsigned int		dead;	/* granules of slots of the three dead kinds */
	/* How many slots of each type begin in the pack, and in each of its blocks. */
	u16			slots[TEXT_SLOT_TYPES];
	u16			block_slots[PACK_MAX_BLOCKS][TEXT_SLOT_TYPES];
	struct text_slot_map	map;	/* has to be the last */
};

/* Protects everything, see above. Readers of the list may be under RCU instead. */
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
	bool		perf;	/* perf learns of the slot here, and not from its owner */
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
 * @slot: filled in with the slot that was found
 *
 * A dead slot is not found: either nobody is in it, or it is the slot of a kprobe,
 * and is_text_slot() is enough for kprobes.
 *
 * Context: Any, NMI included.
 * Return: whether there is such a slot.
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
 * Return: true if @addr is in a slot, also in a slot that was freed and not yet collected.
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
 * @offset: filled in with the offset of @addr in it
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
 * @last: the same type, or the next one
 * @nth: n, from 0; if there are not enough slots, it is reduced by their number
 * @slot: filled in with the slot that was found
 *
 * Which slot is the n-th changes as slots come and go.
 *
 * Context: Any but NMI.
 * Return: whether there is such a slot.
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
		/* The slot has gone: take the first one of the next pack that has any. */
		*nth = 0;
	}
	return false;
}

/* ---- coming */

/* All counting is done here, so that all counters are of the same moment. */
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
	/* Memory that is read-only and executable from the beginning is already full of int3. */
	if (!execmem_is_rox(EXECMEM_FTRACE)) {
		memset(text, INT3_INSN_OPCODE, pages * PAGE_SIZE);
		if (set_memory_rox((unsigned long)text, pages))
			goto err_free_text;
	}

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
 * text_slot_alloc - get a slot for a small piece of text
 * @type: what it is for
 * @size: in bytes, from 1 to PAGE_SIZE
 *
 * The slot is in the two gigabytes of the kernel and its modules, at a multiple of 16.
 * It is executable and filled with int3. It is for direct calls and jumps only: it has no
 * ENDBR unless the text that is published there begins with one.
 *
 * Context: Process context, may sleep; text_mutex may be held.
 * Return: the slot's address, or NULL if there is no memory.
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
		/* Do not wait for dead slots, which will be free only some time later. */
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
 * text_slot_publish - put text into its slot
 * @addr: from text_slot_alloc()
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
 * text_slot_free - free a slot
 * @addr: from text_slot_alloc()
 * @wait: true if somebody may still be in it until a grace period of RCU has passed;
 *	false if nobody is in it
 *
 * The slot's code must not be reachable any more.
 *
 * Context: Process context, may sleep; text_mutex may be held.
 */
void text_slot_free(void *addr, bool wait)
{
	unsigned int granule, nr, dead = wait ? DEAD_BEFORE_RCU : DEAD;
	struct text_pack *pack;
	struct text_slot slot;

	/* It must be the beginning of a slot, and the slot must not have been freed. */
	if (WARN_ON_ONCE(!text_slot_find((unsigned long)addr, &slot) ||
			 slot.addr != (unsigned long)addr))
		return;
	/* Tell perf before somebody else can get the slot. */
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

/* Change the kind of all dead slots from @from to @to. */
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

/* Dead slots are filled with this, piece by piece. */
static const u8 int3s[512] = { [0 ... 511] = INT3_INSN_OPCODE };

static void fill(void *addr, void *end)
{
	for (; addr < end; addr += sizeof(int3s))
		text_poke_copy_locked(addr, int3s, min_t(size_t, end - addr, sizeof(int3s)), false);
}

/* Free all slots that are DEAD. Fill them with int3, unless the pack itself goes. */
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

/* Are all slots of the pack dead, and does no slot wait for RCU? */
static bool is_all_dead(const struct text_pack *pack)
{
	return pack->dead == pack->map.used &&
	       text_slot_map_next(&pack->map, 0, DEAD + 1, KINDS - 1) < 0;
}

/* Unlink a pack. Readers may still follow its links for a while. */
static void take_pack(struct text_pack *pack, struct list_head *going)
{
	list_del_rcu(&pack->list);
	list_add(&pack->free, going);
	latch_tree_erase(&pack->node, &text_pack_tree, &text_pack_ops);
	text_pack_pages -= pack->pages;
	text_pack_count--;
}

/*
 * The locks are taken for one pack at a time, so that nobody waits long for them. Only this
 * function takes packs out of the list, and new packs come at its end. So the list can be
 * walked while the locks are not held.
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

	/* The first empty pack stays, which usually is the smallest pack. */
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

	/* Readers may still look at these packs, also where RCU is not watching. */
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

/* Collect dead slots first, so that the file shows what is in use. */
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
