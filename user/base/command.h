/* SPDX-License-Identifier: GPL-2.0-only */
/* The old name of base/program.h. */
#include "base/program.h"
