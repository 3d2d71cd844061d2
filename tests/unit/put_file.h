/* SPDX-License-Identifier: GPL-2.0 */
/* Makes files of a test, with their directories. */
#ifndef TEST_PUT_FILE_H
#define TEST_PUT_FILE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static void put_file(const char *top, const char *name, const char *text)
{
	char path[256], command[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	snprintf(command, sizeof(command), "mkdir -p \"$(dirname %s)\"", path);
	cr_assert(system(command) == 0);
	f = fopen(path, "w");
	cr_assert(f != NULL);
	fputs(text, f);
	fclose(f);
}

#endif
