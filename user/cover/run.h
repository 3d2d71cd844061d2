/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of `hytrace cover`. */
#ifndef HYTRACE_COVER_RUN_H
#define HYTRACE_COVER_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "cover/engines.h"
#include "cover/filter.h"

enum cover_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_TAILOR };

struct cover_options {
	enum cover_engine engine;
	struct filter filter;
	long pid;		/* 0: none */
	bool task, callers, boot, retire;
	bool strict;		/* what is not complete is an error */
	unsigned long retire_ms;
	bool format_given;
	enum cover_format format;
	const char **outputs;
	size_t output_count;
	const char *pin;
	const char *cgroup, *comm;	/* NULL: any */
	double duration;	/* 0: until the end */
	unsigned long max_entries;
	const char *vmlinux;
	char **command;		/* NULL-terminated; NULL: none */
};

/* The exit status. */
int cover__run(struct cover_options *o);

#endif
