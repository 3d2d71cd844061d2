/* SPDX-License-Identifier: GPL-2.0-only */
/* The old name of kernel/call_sites.h. */
#include "kernel/call_sites.h"
