// SPDX-License-Identifier: GPL-2.0
/* Names of functions without what the compiler appends. */

#include "kernel/symbols.h"

Test(function_name, base_length)
{
	static const struct {
		const char *name;
		size_t length;
	} cases[] = {
		{ "vfs_read", 8 }, { "f.isra.0", 1 }, { "f.part.0.constprop.1", 1 }, { "f.cold", 1 }, { "f.0", 3 },
		{ "f.constprop.0.isra.0", 1 }, { "f.llvm.123", 1 }, { ".cold", 5 },
	};

	for_each(c, cases)
		cr_expect(function__base_length(c->name) == c->length, "%s", c->name);
}

Test(function_name, base_name)
{
	struct strings *names = strings__new();

	expect_str(function__base_name(names, "f.isra.0"), "f");
	expect_str(function__base_name(names, "vfs_read"), "vfs_read");
	strings__free(names);
}
