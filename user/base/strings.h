/* SPDX-License-Identifier: GPL-2.0-only */
/* The old name of base/memory.h. */
#include "base/memory.h"
