/* SPDX-License-Identifier: GPL-2.0-only */
/* The old name of run/output.h. */
#include "run/output.h"
