/* SPDX-License-Identifier: GPL-2.0 */
/* Files of a test, in a directory of its own. */
#ifndef TEST_FILES_H
#define TEST_FILES_H

static char test_dir[] = "/tmp/hytrace-test.XXXXXX";

/* Makes the directory and works in it; and removes it with all that is in it. */
static inline void enter_dir(void)
{
	cr_assert(mkdtemp(test_dir) != NULL);
	cr_assert(chdir(test_dir) == 0);
}

/* The path of a file there, which need not exist; valid for eight more calls. "": the directory itself */
static inline char *in_dir(const char *name)
{
	static char paths[8][256];
	static unsigned int next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s%s%s", test_dir, *name ? "/" : "", name);
	return path;
}

/* A command of the shell */
static inline void __attribute__((format(printf, 1, 2))) run_shell(const char *format, ...)
{
	char *command;
	va_list args;

	va_start(args, format);
	cr_assert(vasprintf(&command, format, args) > 0);
	va_end(args);
	cr_assert(system(command) == 0, "%s", command);
	free(command);
}

static inline void leave_dir(void)
{
	cr_assert(chdir("/") == 0);
	run_shell("rm -rf %s", test_dir);
}

/* Makes a file, whose directory is there. */
static inline void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	cr_assert(f && fputs(text, f) >= 0 && !fclose(f), "%s", path);
}

/* Makes a file in @top, with its directories. */
static inline void put_file(const char *top, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	run_shell("mkdir -p \"$(dirname %s)\"", path);
	write_text(path, text);
}

/* Are these the first bytes of a file? One that is not there holds nothing. */
static inline bool holds(const char *path, const char *text)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");

	if (!f)
		return false;
	fgets(got, sizeof(got), f);
	fclose(f);
	return !strcmp(got, text);
}

#endif
