/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of the kernel that documents were recorded on: vmlinux, and the modules when they are first asked for.
 * Answers about calls come from there.
 */
#ifndef HYTRACE_REPORT_IMAGES_H
#define HYTRACE_REPORT_IMAGES_H

#include "document/coverage.h"
#include "image/calls.h"
#include "image/image.h"
#include "image/inlines.h"
#include "image/references.h"

struct image_of {
	const char *module;	/* NULL: vmlinux */
	struct image *image;	/* NULL: its file was not found, or is of another build */
	struct calls *calls;
	struct references *references;	/* NULL until images__references() */
	struct inlines *inlines;	/* NULL until images__inlines(), and without debug information */
	size_t first;		/* its functions have numbers from here on */
};

struct images {
	struct image_of *list;	/* the first is vmlinux */
	size_t count;
	size_t functions;	/* how many all of them have */
	char *release;
};

/**
 * images__open() - find and read the files
 * @ret: to be freed by images__free() in any case
 * @documents: which say what kernel and what modules
 * @count: of these, from 1
 * @vmlinux: the file; NULL: it is looked for in the usual places
 *
 * A module whose file is not there, or is of another build, is told in a warning.
 *
 * Return: 0, or a negative errno, which is told: -EINVAL if there is no vmlinux, or one of another build.
 */
int images__open(struct images *ret, const struct coverage *const *documents, size_t count, const char *vmlinux);
void images__free(struct images *images);

/* Of vmlinux (@module is NULL) or of a module; NULL: that is not known. */
struct image_of *images__get(const struct images *images, const char *module);
/* 0, or -ENOMEM, said. */
int images__references(struct image_of *of);
/* Of all of them; 0, or -ENOMEM, said. */
int images__inlines(const struct images *images);

/* A number for each function, below images->functions. */
size_t images__number(const struct image_of *of, const struct image_function *f);
const struct image_function *images__function(const struct images *images, size_t number,
					      const struct image_of **ret_of);

#endif
