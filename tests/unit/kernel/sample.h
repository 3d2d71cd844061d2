/* SPDX-License-Identifier: GPL-2.0 */
/* A small kernel for the loader's tests: its symbols, modules and traceable functions, as files. */
#ifndef LOADER_SAMPLE_H
#define LOADER_SAMPLE_H

#include "base/error.h"
#include "kernel/running.h"

#define KASLR 0x1000000UL

static const char sample_kallsyms[] =
	"ffffffff82000000 T _stext\n"
	"ffffffff82000100 T vfs_read\n"
	"ffffffff82000100 T alias_of_vfs_read\n"
	"ffffffff82000200 T vfs_write\n"
	"ffffffff82000300 t static_one\n"
	"ffffffff82000400 t static_one\n"
	"ffffffff82000500 T no_endbr\n"
	"ffffffff82000600 D some_data\n"
	"ffffffff82000700 T _etext\n"
	"ffffffffc0400000 t two_open\t[mod_two]\n"
	"ffffffffc0400100 t two_close\t[mod_two]\n"
	"ffffffffc0400200 t an_alias_of_two_last\t[mod_two]\n"
	"ffffffffc0400200 t two_last\t[mod_two]\n"
	"ffffffffc0500000 t bpf_prog_1234_cover\t[bpf]\n"
	"ffffffffc0600000 t ftrace_trampoline\t[__builtin__ftrace]\n";

static const char sample_modules[] =
	"mod_two 16384 0 - Live 0xffffffffc0400000\n"
	"mod_going 16384 0 - Unloading 0xffffffffc0700000\n";

/* Sites are 4 bytes after the symbol if there is an ENDBR64. */
static const char sample_traceable[] =
	"ffffffff82000104 vfs_read\n"
	"ffffffff82000204 vfs_write\n"
	"ffffffff82000304 static_one\n"
	"ffffffff82000404 static_one\n"
	"ffffffff82000500 no_endbr\n"
	"ffffffff82000550 __ftrace_invalid_address___80\n"
	"ffffffffc0400004 two_open [mod_two]\n"
	"ffffffffc0400104 two_close [mod_two]\n"
	"ffffffffc0400204 two_last [mod_two]\n";

static inline FILE *sample_file(const char *text)
{
	FILE *f = *text ? fmemopen((void *)text, strlen(text), "r") : fopen("/dev/null", "r");

	cr_assert(f != NULL);
	return f;
}

/* @modules: NULL: no list of them */
static inline struct symbols *symbols_of(const char *kallsyms, const char *modules)
{
	FILE *names = sample_file(kallsyms), *list = modules ? sample_file(modules) : NULL;
	struct symbols *s = NULL;

	cr_assert(symbols__read(&s, names, list) == 0);
	fclose(names);
	if (list)
		fclose(list);
	return s;
}

static inline struct symbols *sample_symbols(void)
{
	return symbols_of(sample_kallsyms, sample_modules);
}

static inline struct traceable *functions_of(const char *text, const struct symbols *s)
{
	FILE *f = sample_file(text);
	struct traceable *t = NULL;

	cr_assert(traceable__read(&t, f, s) == 0);
	fclose(f);
	return t;
}

static inline struct traceable *sample_functions(const struct symbols *s)
{
	return functions_of(sample_traceable, s);
}

/* To be freed by kernel__free(). */
static inline struct kernel sample_kernel(void)
{
	struct kernel k = { .symbols = sample_symbols(), .id = { .offset_known = true, .kaslr_offset = KASLR } };

	k.traceable = sample_functions(k.symbols);
	return k;
}

#endif
