/* SPDX-License-Identifier: GPL-2.0-only */
/* The old name of kernel/symbols.h. */
#include "kernel/symbols.h"
