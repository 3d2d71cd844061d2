/* SPDX-License-Identifier: GPL-2.0-only */
/* The old name of kernel/elf_file.h. */
#include "kernel/elf_file.h"
