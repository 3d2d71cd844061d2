// SPDX-License-Identifier: GPL-2.0-only
/* The reasons in words; see untraced.h. */
#include <stddef.h>
#include <string.h>

#include "image/untraced.h"

static const struct reason {
	const char *word, *sentence;
} reasons[UNTRACED_COUNT] = {
	[UNTRACED_NOT] = { NULL, "can be traced" },
	[UNTRACED_NOINSTR] = { "noinstr", "is noinstr: it runs where the kernel is not ready for tracers" },
	[UNTRACED_ENTRY] = { "entry", "is entry code, which runs before the kernel is ready for tracers" },
	[UNTRACED_TRAMPOLINE] = { "trampoline", "is a trampoline that calls go through" },
	[UNTRACED_FRAGMENT] = { "fragment",
				"is the rarely used part of a function, which is jumped to and not called" },
	[UNTRACED_ASSEMBLY] = { "assembly", "is written in assembly, which has no call for tracers" },
	[UNTRACED_FILE] = { "file", "is in a file that is compiled without calls for tracers (its Makefile removes "
			    "the option)" },
	[UNTRACED_NOTRACE] = { "notrace", "is notrace, as all that is declared inline or __exit" },
	[UNTRACED_DISABLED] = { "disabled", "has a call for tracers, but ftrace of this kernel does not list it" },
	[UNTRACED_NO_CALL] = { "no-call", "has no call for tracers" },
};

const char *untraced__word(enum untraced why)
{
	return reasons[why].word;
}

enum untraced untraced__of_word(const char *word)
{
	for (int i = UNTRACED_NOT + 1; word && i < UNTRACED_COUNT; i++) {
		if (!strcmp(reasons[i].word, word))
			return i;
	}
	return UNTRACED_NOT;
}

const char *untraced__sentence(enum untraced why)
{
	return reasons[why].sentence;
}

const struct untraced_region untraced_regions[UNTRACED_REGIONS] = {
	{ ".noinstr.text", "__noinstr_text_start", "__noinstr_text_end", UNTRACED_NOINSTR },
	{ ".cpuidle.text", "__cpuidle_text_start", "__cpuidle_text_end", UNTRACED_NOINSTR },
	{ ".entry.text", "__entry_text_start", "__entry_text_end", UNTRACED_ENTRY },
	{ ".kprobes.text", "__kprobes_text_start", "__kprobes_text_end", UNTRACED_NOTRACE },
	{ ".static_call.text", "__static_call_text_start", "__static_call_text_end", UNTRACED_TRAMPOLINE },
	{ ".text..__x86.indirect_thunk", "__indirect_thunk_start", "__indirect_thunk_end", UNTRACED_TRAMPOLINE },
	{ ".text..__x86.return_thunk", NULL, NULL, UNTRACED_TRAMPOLINE },
};

enum untraced untraced__of_name(const char *name)
{
	static const char trampoline[] = "__SCT__";
	const char *cold = strstr(name, ".cold");

	if (cold && (!cold[5] || cold[5] == '.'))
		return UNTRACED_FRAGMENT;
	return strncmp(name, trampoline, strlen(trampoline)) ? UNTRACED_NOT : UNTRACED_TRAMPOLINE;
}
