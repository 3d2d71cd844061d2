// SPDX-License-Identifier: GPL-2.0-only
/* See function_name.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strings.h"
#include "kernel/function_name.h"

size_t function__base_length(const char *name)
{
	static const char *const appended[] = { ".isra.", ".constprop.", ".part.", ".cold", ".llvm." };
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(appended) / sizeof(appended[0]); i++) {
		const char *found = strstr(name, appended[i]);

		if (found && found != name && (size_t)(found - name) < length)
			length = found - name;
	}
	return length;
}

const char *function__base_name(struct strings *names, const char *name)
{
	size_t length = function__base_length(name);
	const char *kept;
	char *text;

	if (!name[length])
		return name;
	/* A recording can have a name that is too long for the stack. */
	text = xstrndup(name, length);
	kept = strings__intern(names, text);
	free(text);
	return kept;
}
