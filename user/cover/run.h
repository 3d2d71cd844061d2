/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of `hytrace cover`. */
#ifndef HYTRACE_COVER_RUN_H
#define HYTRACE_COVER_RUN_H

#include "cover/options.h"

/* Returns the exit status. */
int cover__run(const struct cover_options *o);

#endif
