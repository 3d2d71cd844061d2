/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the owners of objects for the next run, since asking Kbuild takes half a minute. There is
 * one file for each build directory. It has the configuration's checksum, the path of the source,
 * and the sizes and times of all Makefiles that were read. After any change, Kbuild is asked again.
 */
#ifndef HYTRACE_TAILOR_OWNERS_KEPT_H
#define HYTRACE_TAILOR_OWNERS_KEPT_H

#include "tailor/owners.h"

/* Returns false, with an empty @ret, if no valid answers are kept. */
bool owners__read_kept(struct owners *ret, struct kbuild *k);
/* Keeps the answers; failures are ignored. Removes those of build directories that were used long ago. */
void owners__keep(const struct owners *o, const struct kbuild *k);

#endif
