/* SPDX-License-Identifier: GPL-2.0-only */
/* The old name of base/files.h. */
#include "base/files.h"
