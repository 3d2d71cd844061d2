/* SPDX-License-Identifier: GPL-2.0-only */
/* The report: which options go and which stay, and why; as text, json and html. */
#ifndef HYTRACE_TAILOR_REPORT_H
#define HYTRACE_TAILOR_REPORT_H

#include "tailor/select.h"

#define TAILOR_SCHEMA 1

struct tailored {
	const char *config;	/* path of the old configuration */
	const struct kbuild *build;
	const struct documents *documents;
	const struct owners *owners;
	const struct evidence *evidence;
	const struct selection *selection;
	bool lossy;		/* recordings with losses were used */
};

struct tailored_totals {
	size_t objects, objects_after;		/* in vmlinux: now, and expected */
	size_t modules, modules_after;		/* objects in modules */
	uint64_t bytes, bytes_after;		/* the size of functions in vmlinux */
	size_t classes[SEEN_BLIND + 1];		/* the number of options that own objects */
	size_t fates[FATES];
};

struct tailored_totals tailored__totals(const struct tailored *t);

/* The reason for an option's fate, in words, to be freed. */
char *decision__reason(const struct decision *d);
/* Lines that say what no recording can show; NULL ends them. */
extern const char *const tailored_limits[];

/* Write errors stay in the stream. */
void tailored__print(const struct tailored *t, FILE *out);
void tailored__write_json(const struct tailored *t, FILE *out);
/* Writes the json into a page for a browser. Returns -EINVAL after a message if the page has no place for it. */
int tailored__write_html(const struct tailored *t, FILE *out);

#endif
