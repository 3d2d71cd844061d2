/* SPDX-License-Identifier: GPL-2.0-only */
/* The old name of kernel/running.h. */
#include "kernel/running.h"
