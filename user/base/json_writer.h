/* SPDX-License-Identifier: GPL-2.0-only */
/* The old name of base/json.h. */
#include "base/json.h"
