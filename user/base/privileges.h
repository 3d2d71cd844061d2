/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks what the process may do, before it tries anything. */
#ifndef HYTRACE_BASE_PRIVILEGES_H
#define HYTRACE_BASE_PRIVILEGES_H

/* Returns 0, or -EPERM after a message that names the missing capabilities. */
int privileges__check(void);

/* Text to append to a refusal: why even root is refused; "" if there is nothing to add. */
const char *privileges__hint(int err);

#endif
