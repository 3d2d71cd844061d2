// SPDX-License-Identifier: GPL-2.0-only
/* A part of a kernel; see where.h. */
#include <string.h>

#include "base/error.h"
#include "report/where.h"

#define MODULE_MARK ":mod:"

static const char *module_of(const char *where)
{
	size_t mark = strlen(MODULE_MARK);

	return strncmp(where, MODULE_MARK, mark) ? NULL : where + mark;
}

bool where__has(const char *where, const char *module, const char *unit)
{
	const char *wanted = module_of(where);
	size_t length = strlen(where);

	if (wanted)
		return module && !strcmp(module, wanted);
	while (length > 1 && where[length - 1] == '/')
		length--;
	return unit && !strncmp(unit, where, length) && (!unit[length] || unit[length] == '/');
}

int where__check(const char *where, const struct universe *u)
{
	if (module_of(where) || u->placed)
		return 0;
	return error__return(-EINVAL, "--in %s: it is not known which source file a function is of: give "
			     "--vmlinux FILE with debug information, or --universe FILE that has been made "
			     "of such a file", where);
}

int where__is_empty(const char *where)
{
	return error__return(-EINVAL, "--in %s: no function that can be traced lies there%s", where,
			     module_of(where) ? "" : "; directories and files are named from the top of the "
						     "source tree: fs/ext4, fs/ext4/inode.c");
}
