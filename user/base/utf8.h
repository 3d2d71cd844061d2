/* SPDX-License-Identifier: GPL-2.0-only */
/* The old name of base/text.h. */
#include "base/text.h"
