/* SPDX-License-Identifier: GPL-2.0-only */
/* The old name of kernel/hits.h. */
#include "kernel/hits.h"
