// SPDX-License-Identifier: GPL-2.0-only
/* Lists of options that are kept; see keep.h. */
#include <fnmatch.h>

#include "base/error.h"
#include "base/memory.h"
#include "tailor/keep.h"

/* The files in tailor/keep/, embedded in the program. */
extern const char _binary_hardening_keep_start[], _binary_hardening_keep_end[];
extern const char _binary_machine_keep_start[], _binary_machine_keep_end[];
extern const char _binary_policy_keep_start[], _binary_policy_keep_end[];

static const struct {
	const char *name, *start, *end;
} built_in[] = {
	{ "hardening", _binary_hardening_keep_start, _binary_hardening_keep_end },
	{ "machine", _binary_machine_keep_start, _binary_machine_keep_end },
	{ "policy", _binary_policy_keep_start, _binary_policy_keep_end },
};

#define BUILT_IN (sizeof(built_in) / sizeof(built_in[0]))

/* Cuts blanks off the end. */
static void trim(char *text)
{
	size_t length = strlen(text);

	while (length && strchr(" \t\r\n", text[length - 1]))
		text[--length] = '\0';
}

static int read_list(struct keeps *keeps, const char *name, FILE *f)
{
	autofree char *line = NULL;
	size_t size = 0, number = 0;
	int err = 0;

	while (!err && getline(&line, &size, f) > 0) {
		char *reason, *glob = line + strspn(line, " \t");

		number++;
		trim(glob);
		if (!*glob || *glob == '#')
			continue;
		if (!strncmp(glob, "CONFIG_", 7))
			glob += 7;
		reason = glob + strcspn(glob, " \t");
		if (*reason)
			*reason++ = '\0';
		reason += strspn(reason, " \t");
		if (strchr(glob, '='))
			err = error__return(-EINVAL, "%s:%zu: %s is no name of an option: write it without the value",
					    name, number, glob);
		else if (!*reason)
			err = error__return(-EINVAL, "%s:%zu: %s has no reason: write one after the name",
					    name, number, glob);
		else
			*LIST_ADD(keeps->list, keeps->count) =
				(struct keep){ xstrdup(glob), xstrdup(reason), xstrdup(name) };
	}
	if (!err && ferror(f))
		err = error__return(-EINVAL, "--keep %s: cannot be read: %s", name, strerror(errno));
	return err;
}

int keeps__add(struct keeps *keeps, const char *name)
{
	autofclose FILE *f = NULL;

	for (size_t i = 0; !f && i < BUILT_IN; i++) {
		if (!strcmp(name, built_in[i].name))
			f = fmemopen((void *)built_in[i].start, built_in[i].end - built_in[i].start, "r");
	}
	if (!f)
		f = fopen(name, "re");
	if (!f)
		return error__return(-EINVAL, "--keep %s: cannot be read: %s; lists that need no file are hardening, "
				     "machine and policy", name, strerror(errno));
	return read_list(keeps, name, f);
}

bool keeps__is_built_in(const char *name)
{
	for (size_t i = 0; i < BUILT_IN; i++) {
		if (!strcmp(name, built_in[i].name))
			return true;
	}
	return false;
}

int keeps__add_all(struct keeps *keeps)
{
	int err = 0;

	for (size_t i = 0; !err && i < BUILT_IN; i++)
		err = keeps__add(keeps, built_in[i].name);
	return err;
}

void keeps__free(struct keeps *keeps)
{
	for (size_t i = 0; i < keeps->count; i++) {
		free(keeps->list[i].glob);
		free(keeps->list[i].reason);
		free(keeps->list[i].list);
	}
	free(keeps->list);
}

void keeps__warn(const struct keeps *keeps, const struct kconfig_options *options)
{
	for (size_t i = 0; i < keeps->count; i++) {
		const struct keep *k = &keeps->list[i];
		size_t n = 0;

		/* The built-in lists are for several kernels. */
		if (keeps__is_built_in(k->list))
			continue;
		while (n < options->count && fnmatch(k->glob, options->list[n].name, 0))
			n++;
		if (n == options->count)
			error__warn("--keep %s: %s is no option of this kernel", k->list, k->glob);
	}
}

const struct keep *keeps__find(const struct keeps *keeps, const char *option)
{
	for (size_t i = 0; i < keeps->count; i++) {
		if (!fnmatch(keeps->list[i].glob, option, 0))
			return &keeps->list[i];
	}
	return NULL;
}
