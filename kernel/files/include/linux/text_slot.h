/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small pieces of kernel text that share pages, see kernel/text_slot.c.
 */
#ifndef _LINUX_TEXT_SLOT_H
#define _LINUX_TEXT_SLOT_H

#include <linux/types.h>

/**
 * enum text_slot_type - what a slot of text is for
 * @TEXT_SLOT_FTRACE: a copy of ftrace_caller
 * @TEXT_SLOT_FTRACE_REGS: a copy of ftrace_regs_caller
 * @TEXT_SLOT_KPROBE: a copy of a probed instruction, to be executed out of line
 * @TEXT_SLOT_OPTPROBE: the detour of an optimized kprobe
 * @TEXT_SLOT_TYPES: how many types there are
 */
enum text_slot_type {
	TEXT_SLOT_FTRACE,
	TEXT_SLOT_FTRACE_REGS,
	TEXT_SLOT_KPROBE,
	TEXT_SLOT_OPTPROBE,
	TEXT_SLOT_TYPES
};

/**
 * struct text_slot - a slot that was found
 * @addr: where it begins
 * @size: in bytes, rounded up to whole granules
 * @type: what the slot is for
 */
struct text_slot {
	unsigned long		addr;
	unsigned int		size;
	enum text_slot_type	type;
};

#ifdef CONFIG_TEXT_SLOTS
void *text_slot_alloc(enum text_slot_type type, size_t size);
int text_slot_publish(void *addr, const void *image, size_t size);
void text_slot_free(void *addr, bool wait);
bool text_slot_find(unsigned long addr, struct text_slot *slot);
bool is_text_slot(unsigned long addr);
bool text_slot_nth(enum text_slot_type first, enum text_slot_type last, unsigned int *nth,
		   struct text_slot *slot);
int text_slot_address_lookup(unsigned long addr, unsigned long *size, unsigned long *offset,
			     char *name);
/* By the architecture: called at boot, when the code that slots copy has been patched. */
void text_slots_apply_alternatives(void);
#else
static inline bool is_text_slot(unsigned long addr)
{
	return false;
}

static inline int text_slot_address_lookup(unsigned long addr, unsigned long *size,
					   unsigned long *offset, char *name)
{
	return 0;
}

static inline void text_slots_apply_alternatives(void) { }
#endif

#endif /* _LINUX_TEXT_SLOT_H */
