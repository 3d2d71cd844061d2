/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of the kernel on which recordings were made: vmlinux, and each module that a recording
 * names. Answers about calls come from these files, and so do function lists, which are called universes.
 */
#ifndef HYTRACE_REPORT_IMAGES_H
#define HYTRACE_REPORT_IMAGES_H

#include "document/coverage.h"
#include "document/universe.h"
#include "image/calls.h"
#include "image/image.h"
#include "image/inlines.h"
#include "image/lines.h"
#include "image/references.h"
#include "kernel/running.h"

struct image_of {
	const char *module;	/* NULL: vmlinux */
	struct image *image;	/* NULL: its file was not found, or is of another build */
	struct calls *calls;
	struct references *references;	/* NULL until origins__read() */
	struct inlines *inlines;	/* NULL before images__inlines(), or no debug information */
	size_t first;		/* images__number() of its first function */
};

struct images {
	struct image_of *list;	/* the first is vmlinux */
	size_t count;
	size_t functions;	/* the number of functions in all images */
	char *release;
};

/**
 * images__open() - find and read the files
 * @ret: to be freed by images__free(), even after a failure
 * @documents: the recordings, which name the kernel and the modules
 * @count: their number, at least 1
 * @vmlinux: the file; NULL: look in the usual places
 *
 * If the file of a module is missing, or of another build, a warning says so.
 *
 * Return: 0, or a negative errno after a message: -EINVAL if vmlinux is missing or of another
 * build.
 */
int images__open(struct images *ret, const struct coverage *const *documents, size_t count, const char *vmlinux);
/* Returns -EINVAL after a message if the recordings, at least one, are of two builds of the kernel. */
int images__check_builds(const struct coverage *const *documents, size_t count);
/* Makes images of vmlinux alone. images__free() frees the open @image. */
void images__of_vmlinux(struct images *ret, struct image *image);
void images__free(struct images *images);

/* The image of vmlinux (if @module is NULL) or of a module; NULL: unknown. */
struct image_of *images__get(const struct images *images, const char *module);
/* Reads the inlines of all images. Returns 0, or -EINVAL after a message if they are damaged. */
int images__inlines(const struct images *images);

/* The number of a function: below images->functions, and unique in all images. */
size_t images__number(const struct image_of *of, const struct image_function *f);
const struct image_function *images__function(const struct images *images, size_t number,
					      const struct image_of **ret_of);

/* Places in the source for addresses in several files of a kernel; each file's line tables are read once. */
struct source_line {
	const struct image_of *of;
	uint64_t addr;
	struct line_place place;
};

struct source_lines {
	bool entries;			/* all are function entries: find their definitions */
	struct source_line *list;	/* after source_lines__find(): by file, then by address */
	size_t count;
};

/* Adds an address. @s must be zero before the first one. */
void source_lines__want(struct source_lines *s, const struct image_of *of, uint64_t addr);
/* Finds all places. Call it once, after all addresses were added. */
void source_lines__find(struct source_lines *s);
/* Returns NULL if the place is not known. */
const struct line_place *source_lines__get(const struct source_lines *s, const struct image_of *of, uint64_t addr);
void source_lines__free(struct source_lines *s);

/* ---- universes (function lists) of those files, and of the running kernel */

/*
 * Finds what the running kernel can trace now. @k: its lists and its id. @vmlinux: its file, for source files; NULL:
 * they stay unknown. Returns 0, or a negative errno after a message.
 */
int universe__of_kernel(struct universe *ret, const struct kernel *k, const char *vmlinux);

/* Adds modules of the running kernel that @u does not have. */
void universe__add_modules_of_running(struct universe *u, const struct kernel *k);

/* The file of a module, its name, and its wanted build. */
struct module_file {
	const char *name, *build_id;	/* @build_id: NULL: any */
	char *path;
};

/**
 * universe__of_files() - read all functions of a kernel from its files
 * @ret: to be freed by universe__free()
 * @vmlinux: the file
 * @modules: modules to add; a file of another build than the wanted one is left out, with a warning
 * @count: the number of @modules
 *
 * Return: 0, or a negative errno after a message.
 */
int universe__of_files(struct universe *ret, const char *vmlinux, const struct module_file *modules, size_t count);

/* Adds a module. Call universe__settle() afterwards. */
int universe__add_module_file(struct universe *u, const struct module_file *m);
static inline bool universe__has_module(const struct universe *u, const char *module)
{
	return covered_modules__find(&u->modules, module);
}

/**
 * universe__of_running() - all functions of the running kernel
 * @ret: to be freed by universe__free()
 * @vmlinux: its vmlinux; NULL: look in the usual places
 *
 * Functions that can be traced are those that ftrace lists now, and freed init functions that could
 * be traced according to the file. Without a vmlinux, a warning says that reasons and places of
 * other functions are not known.
 *
 * Return: 0, or a negative errno after a message: -EPERM, -EOPNOTSUPP if the lists cannot be read.
 */
int universe__of_running(struct universe *ret, const char *vmlinux);

#endif
