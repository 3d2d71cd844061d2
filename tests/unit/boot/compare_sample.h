/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the tests of hytrace boot compare: made-up reports, and the results of a comparison. */
#ifndef COMPARE_SAMPLE_H
#define COMPARE_SAMPLE_H

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>

#include "boot/compare.h"

#define MOST_BOOTS 10
#define MS 1000000

/* json-c also accepts single quotes. */
static const char usual[] =
	"{'hytrace':'0','document':'boot','schema':4,'tracer':'function',"
	"'kernel':{'release':'6.12.1','build_id':'1a2b','cmdline':'quiet root=/dev/vda'},"
	"'machine':{'cpus':2,'memory_bytes':2000000000,'model':'x'},"
	"'window':{'unit':'ns'},'totals':{'functions':3,'sites':100},'lost':{'lost':0},"
	"'phases':[{'name':'setup_arch','time':50000000,'calls':500,'phases':["
	"{'name':'e820_add','time':10000000,'calls':50,'phases':[]}]},{'name':null,'time':1,'calls':1}],"
	"'functions':[{'name':'f','calls':5000},{'name':'g.isra.0','calls':100},{'name':'g.part.1','calls':20}],"
	"'start':{'lost':0,'inits':[{'program':'/init','start':1000000000},{'program':'/sbin/init','start':1500000000}],"
	"'levels':[{'name':'early','start':200000000,'time':300000000,'initcalls':2},"
	"{'name':'late','start':500000000,'time':400000000,'initcalls':1}],"
	"'initcalls':[{'name':'a_init','module':null,'self':20000000},{'name':'init','module':null,'self':5000000},"
	"{'name':'init','module':null,'self':7000000},{'name':'m_init','module':'m','self':30000000}],"
	"'waits':[{'where':'late','class':'task','name':'kworker','time':3000000,'count':2},"
	"{'where':'fs','class':'task','name':'kworker','time':1000000,'count':1}],"
	"'probes':[{'kind':'device','name':'vda','self':40000000},{'kind':'console','name':null,'self':1}]},"
	"'units':[{'name':'a.service','time':60000000}],"
	"'parts':{'rows':[{'name':'firmware','level':null,'time':700000000},{'name':'late','level':'late','time':1}]}}";

static struct boot_comparison c;
static bool compared;
static struct json_object *boots[MOST_BOOTS];
static const char *const paths[MOST_BOOTS] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" };

static inline struct json_object *json(const char *text)
{
	struct json_object *value = json_tokener_parse(text);

	cr_assert(value || !strcmp(text, "null"), "%s", text);
	return value;
}

/* Replaces the value at a path such as "start.lost". */
static inline void put(size_t boot, const char *path, const char *value)
{
	struct json_object *object = boots[boot];
	char part[64];

	for (size_t length; (length = strcspn(path, ".")) < strlen(path); path += length + 1) {
		snprintf(part, sizeof(part), "%.*s", (int)length, path);
		cr_assert(json_object_object_get_ex(object, part, &object), "%s", path);
	}
	json_object_object_add(object, path, json(value));
}

static inline void put_number(size_t boot, const char *path, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	put(boot, path, text);
}

/* Replaces the value of a member of an element of an array. */
static inline void put_element(size_t boot, const char *part, const char *array, size_t index, const char *member,
			const char *value)
{
	struct json_object *object = boots[boot];

	if (part)
		cr_assert(json_object_object_get_ex(object, part, &object));
	cr_assert(json_object_object_get_ex(object, array, &object));
	json_object_object_add(json_object_array_get_idx(object, index), member, json(value));
}

static inline void put_count(size_t boot, const char *part, const char *array, size_t index, const char *member,
			     long count)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", count);
	put_element(boot, part, array, index, member, text);
}

static inline void tear_down(void)
{
	if (compared)
		boot_comparison__free(&c);
	compared = false;
	for (size_t i = 0; i < MOST_BOOTS; i++) {
		json_object_put(boots[i]);
		boots[i] = NULL;
	}
}

static inline void make_boots(size_t count)
{
	char id[32];

	tear_down();
	for (size_t i = 0; i < count; i++) {
		boots[i] = json(usual);
		snprintf(id, sizeof(id), "'boot-%zu'", i);
		put(i, "boot_id", id);
	}
}

static inline void make_two(void)
{
	make_boots(2);
}

static inline int compare_groups(size_t a, size_t b)
{
	int err = 0;

	boot_comparison__init(&c, a, b);
	compared = true;
	for (size_t i = 0; !err && i < a + b; i++)
		err = boot_comparison__read(&c, i, paths[i], boots[i]);
	return err ? err : boot_comparison__run(&c);
}

static inline void compare(size_t a, size_t b)
{
	cr_assert(compare_groups(a, b) == 0);
}

static inline const struct boot_row *row_of(const char *kind, const char *name)
{
	for (size_t i = 0; i < c.row_count; i++) {
		if (!strcmp(c.rows[i].kind->word, kind) && !strcmp(c.rows[i].name, name))
			return &c.rows[i];
	}
	cr_fatal("there is no %s %s", kind, name);
	return NULL;
}

static inline const struct boot_change *change_of(const char *kind, const char *name, enum boot_measure measure)
{
	return &row_of(kind, name)->change[measure];
}

static inline bool is_noted(const char *text)
{
	for (size_t i = 0; i < c.notes.count; i++) {
		if (strstr(c.notes.list[i], text))
			return true;
	}
	return false;
}

/* Ten boots with some noise. In the last five boots, some rows are larger. */
static inline void make_planted(void)
{
	make_boots(10);
	for (size_t i = 0; i < 10; i++) {
		put_count(i, "start", "initcalls", 0, "self", 20 * MS + i * 7 % 10 * 1000 + (i >= 5) * MS);
		put_count(i, "start", "initcalls", 3, "self", 30 * MS + i * 3 % 10 * MS);
		put_count(i, "start", "levels", 0, "time", 300 * MS + i * 7 % 10 * 1000 + (i >= 5) * (MS + 5000));
		put_count(i, NULL, "functions", 0, "calls", 5000 + (i >= 5) * 1000);
	}
}

#endif /* COMPARE_SAMPLE_H */
