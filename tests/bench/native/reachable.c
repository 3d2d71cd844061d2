// SPDX-License-Identifier: GPL-2.0
/*
 * How much of a kernel can system calls reach? Prints two numbers of functions that stay in memory after the boot:
 *
 *	at least	reached from system calls by calls that the code names
 *	at most		the same, if a call by a pointer may lead to each function whose address is taken anywhere
 *
 * What is really reached lies between them: which pointer leads where is not known without running the kernel.
 *
 * Usage: reachable VMLINUX
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "image/references.h"

struct walk {
	const struct image_function *list;
	size_t count, todo_count;
	bool *reached;
	size_t *todo;
};

static void reach(struct walk *w, const struct image_function *f)
{
	size_t number = f - w->list;

	if (w->reached[number])
		return;
	w->reached[number] = true;
	w->todo[w->todo_count++] = number;
}

static void reach_callee(const struct call *call, void *data)
{
	if (call->callee)
		reach(data, call->callee);
}

static size_t follow(struct walk *w, const struct calls *calls)
{
	size_t stay = 0;

	while (w->todo_count)
		calls__of(calls, &w->list[w->todo[--w->todo_count]], reach_callee, w);
	for (size_t i = 0; i < w->count; i++)
		stay += w->reached[i] && !w->list[i].init;
	return stay;
}

int main(int argc, char **argv)
{
	struct references *references;
	struct image *image;
	struct calls *calls;
	struct walk w = {};
	size_t least, most;

	if (argc != 2 || image__open(&image, argv[1], NULL))
		return 1;
	calls = calls__open(image);
	references = references__read(image, calls);
	w.list = image__functions(image, &w.count);
	w.reached = calloc(w.count, sizeof(*w.reached));
	w.todo = calloc(w.count, sizeof(*w.todo));
	if (!w.reached || !w.todo)
		return 1;
	/* For programs of 64 and of 32 bits. */
	for (size_t i = 0; i < w.count; i++) {
		if (!fnmatch("__x64_*sys_*", w.list[i].name, 0) || !fnmatch("__ia32_*sys_*", w.list[i].name, 0))
			reach(&w, &w.list[i]);
	}
	least = follow(&w, calls);
	for (size_t i = 0; i < w.count; i++) {
		if (!w.list[i].init && references__taken(references, &w.list[i]) == TAKEN_YES)
			reach(&w, &w.list[i]);
	}
	most = follow(&w, calls);
	printf("%zu %zu\n", least, most);
	free(w.reached);
	free(w.todo);
	references__free(references);
	calls__free(calls);
	image__free(image);
	return 0;
}
