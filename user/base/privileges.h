/* SPDX-License-Identifier: GPL-2.0-only */
/* What the process may do, asked before anything is tried. */
#ifndef HYTRACE_BASE_PRIVILEGES_H
#define HYTRACE_BASE_PRIVILEGES_H

/* -EPERM, and says which capabilities are missing. */
int privileges__check(void);

/* Behind a refusal: why even root is refused, "" when there is no more to say. */
const char *privileges__hint(int err);

#endif
