/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The owners of objects as they are kept for the next time, since Kbuild takes half a minute to tell them: one file for
 * each directory of objects. It has the configuration that make was asked with, the source, and the sizes and times of all
 * Makefiles when they were read. If one of these has changed, Kbuild is asked again.
 */
#ifndef HYTRACE_TAILOR_OWNERS_KEPT_H
#define HYTRACE_TAILOR_OWNERS_KEPT_H

#include "tailor/owners.h"

/* Returns false if none are kept that are still right. @ret is then empty. */
bool owners__read_kept(struct owners *ret, struct kbuild *k);
/* Does nothing if they cannot be kept. Removes what was kept of directories that are gone. */
void owners__keep(const struct owners *o, const struct kbuild *k);

#endif
