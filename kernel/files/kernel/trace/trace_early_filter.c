// SPDX-License-Identifier: GPL-2.0
/*
 * Very early function tracing: the filters of the command line.
 *
 * ftrace_filter= and ftrace_notrace= each become a set of call sites, in one pass over
 * the kernel's symbols, before the recorder is on. There is no allocator yet, so the
 * pass uses the memory in which calls will be recorded. Then the sites that are not to
 * be traced become NOPs. ftrace takes the sets over when it comes up.
 */
#define pr_fmt(fmt) "ftrace: early: " fmt

#include <linux/bitmap.h>
#include <linux/ftrace.h>
#include <linux/ftrace_early.h>
#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "../kallsyms_internal.h"
#include "trace.h"
#include "trace_early_internal.h"

#ifndef FTRACE_MCOUNT_MAX_OFFSET
#define FTRACE_MCOUNT_MAX_OFFSET	ULONG_MAX
#endif

/*
 * The filters: the lists of the command line, NULL if missing, and the sites that
 * they select, a bit for each entry of the mcount table.
 */
static struct {
	const char	*only;
	const char	*except;
	unsigned long	*only_sites;
	unsigned long	*except_sites;
} early_filter __initdata;

static unsigned long __init early_nr_sites(void)
{
	return __stop_mcount_loc - __start_mcount_loc;
}

/* Weak functions that were not linked leave addresses that are not in the text. */
static bool __init early_site_valid(unsigned long i)
{
	unsigned long addr = __start_mcount_loc[i];

	return __is_kernel_text(addr) || is_kernel_inittext(addr);
}

/*
 * All names that the pattern matches begin with @first, unless @first is zero. So for
 * most names, the first character is enough to tell that they do not match.
 */
struct early_glob {
	char		*search;
	unsigned int	len;
	int		type;
	int		not;
	char		first;
	unsigned long	index;
};

struct early_globs {
	unsigned long		*sites;
	unsigned int		nr;
	struct early_glob	glob[] __counted_by(nr);
};

static char __init early_glob_first(const struct early_glob *glob)
{
	switch (glob->type) {
	/* An index selects a site, whatever its name. */
	case MATCH_INDEX:
	/* A pattern that begins with a star matches the middle or the end of names. */
	case MATCH_MIDDLE_ONLY:
	case MATCH_END_ONLY:
		return 0;
	default:
		return strchr("*?[\\", *glob->search) ? 0 : *glob->search;
	}
}

static bool __init early_globs_want(void *data, char first)
{
	const struct early_globs *globs = data;
	unsigned int g;

	for (g = 0; g < globs->nr; g++) {
		if (!globs->glob[g].first || globs->glob[g].first == first)
			return true;
	}
	return false;
}

static bool __init early_glob_matches(const struct early_glob *glob, unsigned long i,
				      char *name)
{
	if (glob->type == MATCH_INDEX)
		return glob->index == i;
	return name && (!glob->first || glob->first == *name) &&
	       early_ftrace_match(name, glob->search, glob->len, glob->type);
}

static void __init early_globs_apply(void *data, unsigned long i, char *name,
				     unsigned long offset)
{
	const struct early_globs *globs = data;
	unsigned int g;

	if (!early_site_valid(i))
		return;
	if (offset > FTRACE_MCOUNT_MAX_OFFSET)
		name = NULL;

	for (g = 0; g < globs->nr; g++) {
		if (early_glob_matches(&globs->glob[g], i, name))
			__assign_bit(i, globs->sites, !globs->glob[g].not);
	}
}

/*
 * Find the sites that a comma separated list selects, as match_records() would. @scratch
 * has room for the words of @list, which is cut up.
 */
static void __init early_resolve(char *list, unsigned long *sites, void *scratch)
{
	struct early_globs *globs = scratch;
	unsigned long nr = early_nr_sites(), i, index;
	char *word;

	globs->sites = sites;
	globs->nr = 0;
	while ((word = strsep(&list, ","))) {
		struct early_glob *glob = &globs->glob[globs->nr++];

		glob->type = filter_parse_regex(word, strlen(word), &glob->search, &glob->not);
		glob->len = strlen(glob->search);
		glob->first = early_glob_first(glob);
		/* There may be an empty word between two commas, which matches nothing. */
		if (glob->type == MATCH_FULL && !glob->len)
			globs->nr--;
		if (glob->type != MATCH_INDEX)
			continue;
		/* Indexes count from 1, and count only valid sites. */
		glob->index = nr;
		if (kstrtoul(glob->search, 0, &index) || !index)
			continue;
		for (i = 0; i < nr; i++) {
			if (early_site_valid(i) && !--index) {
				glob->index = i;
				break;
			}
		}
	}

	kallsyms_on_each_sorted(__start_mcount_loc, nr, early_globs_want, early_globs_apply, globs);
}

/* The memory that early_resolve() needs for a list, without the copy that it cuts up. */
static size_t __init early_globs_size(const char *list)
{
	size_t words = 1;

	while ((list = strchr(list, ','))) {
		list++;
		words++;
	}
	return struct_size_t(struct early_globs, glob, words);
}

static size_t __init early_scratch_size(const char *list)
{
	return list ? early_globs_size(list) + strlen(list) + 1 : 0;
}

/**
 * early_filter_scratch_size - the memory that early_filter_init() needs meanwhile
 * @params: the command line
 *
 * Return: bytes.
 */
size_t __init early_filter_scratch_size(const struct early_params *params)
{
	return max(early_scratch_size(params->only), early_scratch_size(params->except));
}

static size_t __init early_set_size(void)
{
	return BITS_TO_LONGS(early_nr_sites()) * sizeof(long);
}

/**
 * early_filter_sites_size - the memory that the sets of sites take
 * @params: the command line
 *
 * Return: bytes, 0 without filters.
 */
size_t __init early_filter_sites_size(const struct early_params *params)
{
	return params->only || params->except ? 2 * early_set_size() : 0;
}

/* Resolves one list, and wipes the scratch memory. */
static void __init early_filter_resolve(const char *list, unsigned long *sites, void *scratch)
{
	char *copy = scratch + early_globs_size(list);

	memcpy(copy, list, strlen(list) + 1);
	early_resolve(copy, sites, scratch);
	memset(scratch, 0, early_scratch_size(list));
}

/* Does a list name functions of modules? Modules are not there yet. */
static bool __init early_for_modules(const char *list)
{
	return strstr(list, ":mod:");
}

/*
 * Make NOPs of the sites that are not to be traced, and count the traced ones. A filter
 * that selects nothing is ignored, as ftrace does, unless it waits for modules.
 */
static unsigned long __init early_skip_sites(void)
{
	unsigned long i, nr = early_nr_sites(), traced = 0;
	bool only = early_filter.only && (!bitmap_empty(early_filter.only_sites, nr) ||
					  early_for_modules(early_filter.only));

	if (early_filter.only && !only)
		pr_warn("ftrace_filter=%s selects no function: all are traced\n",
			early_filter.only);

	for (i = 0; i < nr; i++) {
		if (!early_site_valid(i))
			continue;
		if ((!only || test_bit(i, early_filter.only_sites)) &&
		    (!early_filter.except || !test_bit(i, early_filter.except_sites)))
			traced++;
		else
			arch_early_ftrace_skip(ftrace_call_adjust(__start_mcount_loc[i]));
	}
	return traced;
}

/**
 * early_filter_init - resolve the filters, and make NOPs of the sites that they exclude
 * @params: the command line; its lists must stay
 * @sites: zeroed memory for the sets of sites, which must stay until ftrace has them
 * @scratch: zeroed memory, early_filter_scratch_size() bytes; zeroed again afterwards
 *
 * Return: how many sites are traced.
 */
unsigned long __init early_filter_init(const struct early_params *params, void *sites,
				       void *scratch)
{
	early_filter.only = params->only;
	early_filter.except = params->except;
	early_filter.only_sites = sites;
	early_filter.except_sites = sites + early_set_size();
	if (params->only)
		early_filter_resolve(params->only, early_filter.only_sites, scratch);
	if (params->except)
		early_filter_resolve(params->except, early_filter.except_sites, scratch);
	return early_skip_sites();
}

/**
 * early_ftrace_sites - the sites that an early filter has selected
 * @globs: ftrace_filter= or ftrace_notrace= as ftrace has got it
 * @enable: 1 for ftrace_filter=, 0 for ftrace_notrace=
 *
 * Return: a bitmap over the mcount table; NULL if @globs was not on the command line
 * but comes from somewhere else, such as a bootconfig, or if it names functions of
 * modules. Then ftrace has to read @globs.
 */
const unsigned long *__init early_ftrace_sites(const char *globs, int enable)
{
	const char *then = enable ? early_filter.only : early_filter.except;

	if (!early_ftrace_on || !then || strcmp(globs, then) || early_for_modules(globs))
		return NULL;
	return enable ? early_filter.only_sites : early_filter.except_sites;
}
