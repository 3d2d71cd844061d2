/* SPDX-License-Identifier: GPL-2.0-only */
/* The old name of base/error.h. */
#include "base/error.h"
