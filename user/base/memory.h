/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory, lists, strings and counters for programs that may exit: if memory is lacking, they print a message
 * and exit, as git's xmalloc() does. So callers need no error paths. The watchdog, if any, removes what was put
 * into the kernel; the program's command goes on, and its temporary files stay.
 *
 * Code that must not exit uses the functions of the C library: the watchdog itself (run/guard.c), retiring, and
 * reading events.
 */
#ifndef HYTRACE_BASE_MEMORY_H
#define HYTRACE_BASE_MEMORY_H

#include <dirent.h>

void memory__fail(void) __attribute__((noreturn));

/* The memory of the variable is freed at the end of its block, as by the kernel's __free(kfree). */
#define autofree __attribute__((cleanup(memory__free_variable)))

static inline void memory__free_variable(void *variable)
{
	free(*(void **)variable);
}

/* And a file, or a directory, that was opened for reading is closed there. */
#define autofclose __attribute__((cleanup(memory__close_file)))
#define autoclosedir __attribute__((cleanup(memory__close_directory)))

static inline void memory__close_file(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void memory__close_directory(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* As malloc(), calloc() and reallocarray(), but never return NULL, not even for a size of 0. */
void *xmalloc(size_t size) __attribute__((malloc));
void *xcalloc(size_t count, size_t size) __attribute__((malloc));
void *xreallocarray(void *list, size_t count, size_t size);

/* As strdup(), strndup() and asprintf(). The copy of NULL is NULL. */
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* As open_memstream(), and as fclose() for its stream. Other errors than lack of memory cannot occur. */
FILE *xopen_memstream(char **text, size_t *size);
void xclose_memstream(FILE *f);

/**
 * LIST_ADD() - add an element to a list
 * @list: a variable with the address of the list, NULL at first; it may be shortened, but only this macro allocates it
 * @count: a variable with the number of its elements, of type size_t
 *
 * The room is doubled when the count is a power of two, so it is not stored. Then pointers to elements become
 * invalid.
 *
 * Return: the address of the new element, which is zero
 */
#define LIST_ADD(list, count) ({ (list) = list__grow(list, count, sizeof(*(list))); &(list)[(count)++]; })

void *list__grow(void *list, size_t count, size_t size);

/* ---- a store for hundreds of thousands of names, one after the other in large blocks, which are freed all at once */

struct strings;

struct strings *strings__new(void);
void strings__free(struct strings *s);
/* Copies @text into the store. */
const char *strings__add(struct strings *s, const char *text);
/* As strings__add(), but equal strings that were added by this function share one copy (names of modules). */
const char *strings__intern(struct strings *s, const char *text);

/* ---- named numbers in the order in which they were added: counts of losses and costs */

struct counter {
	const char *name;
	uint64_t value;
};

struct counters {
	struct counter *list;
	size_t count;
};

/* @name must live as long as the counters. */
void counters__add(struct counters *counters, const char *name, uint64_t value);
/* Stops at the largest value: counts of another run, or in a recording, may be any number. */
void counter__raise(struct counter *c, uint64_t by);
/* The first counter of that name; NULL: there is none. */
struct counter *counters__find(const struct counters *counters, const char *name);
/* Returns 0 if there is no counter of that name. */
uint64_t counters__get(const struct counters *counters, const char *name);
/* The sum of all counters. */
uint64_t counters__sum(const struct counters *counters);
void counters__free(struct counters *counters);

#endif
