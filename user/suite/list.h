/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A list of tests, and its runner: one after the other, each with a time limit, results in KTAP. The runner marks where
 * tests begin and end (mark.h), if `hytrace suite` has started it.
 */
#ifndef HYTRACE_SUITE_LIST_H
#define HYTRACE_SUITE_LIST_H

struct test {
	char *name;
	char *command;		/* for sh -c */
	char *directory;	/* where it runs; NULL: here */
	bool kselftest;		/* status 4 means that it was skipped */
};

struct test_list {
	struct test *list;
	size_t count;
};

/**
 * test_list__read() - read a list
 * @ret: to be freed by test_list__free(), even after a failure
 * @path: the list; "-" is standard input. Empty lines and lines that begin with # do not count. A line is one of:
 *	"NAME COMMAND...", as LTP's runtest files have it; "COLLECTION:TEST" of a kselftest-list.txt, whose programs are
 *	beside it; or one word, which is name and command
 * @plain: each line is a command, and the name of the test
 *
 * Return: 0, or -EINVAL after a message.
 */
int test_list__read(struct test_list *ret, const char *path, bool plain);
void test_list__free(struct test_list *t);

struct list_options {
	const char *path;
	bool plain;
	double timeout;		/* in seconds; 0: none */
	long skipped;		/* a test that ends with this status was skipped; 0: none */
};

/* Runs the tests of a list. Returns the exit status: 0, 1 if a test has failed, or 128 and a signal's number. */
int list__run(const struct list_options *o);

#endif
