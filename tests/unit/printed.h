/* SPDX-License-Identifier: GPL-2.0 */
/* What is printed: text, which the tests of a file look at one after the other, json, and messages on stderr. */
#ifndef HYTRACE_TESTS_PRINTED_H
#define HYTRACE_TESTS_PRINTED_H

#include <json-c/json.h>

/* What PRINT() has printed last, and parse_text() has read. */
static char *text __attribute__((unused));
static struct json_object *object __attribute__((unused));

/* What the statements print to the stream @f becomes @text. */
#define PRINT(f, ...) set_text(PRINTED(f, __VA_ARGS__))

static inline void set_text(char *printed)
{
	free(text);
	text = printed;
}

static inline void free_printed(void)
{
	set_text(NULL);
	json_object_put(object);
	object = NULL;
}

#define expect_text(part) cr_expect(strstr(text, part) != NULL, "no %s in %s", part, text)
#define expect_no_text(part) cr_expect(strstr(text, part) == NULL, "%s in %s", part, text)

/* What has come on stderr, which was redirected before; valid until the next call. */
static inline const char *said(void)
{
	static char text[1024];

	fflush(stderr);
	text[fread(text, 1, sizeof(text) - 1, cr_get_redirected_stderr())] = '\0';
	return text;
}

/* One line of that */
static inline void expect_said(const char *part)
{
	char line[512] = "";

	fflush(stderr);
	cr_assert(fgets(line, sizeof(line), cr_get_redirected_stderr()) != NULL);
	cr_expect(strstr(line, part) != NULL, "%s", line);
}

/* Parses it strictly, as other programs do. */
static inline struct json_object *parse(const char *json)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *parsed;

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	parsed = json_tokener_parse_ex(tokener, json, strlen(json) + 1);
	cr_assert(json_tokener_get_error(tokener) == json_tokener_success, "%s", json);
	json_tokener_free(tokener);
	return parsed;
}

static inline void parse_text(void)
{
	json_object_put(object);
	object = parse(text);
}

/* "phases.2.name" */
static inline struct json_object *at(struct json_object *from, const char *path)
{
	char *copy = strdup(path), *rest = copy, *word;

	while ((word = strsep(&rest, "."))) {
		if (json_object_is_type(from, json_type_array))
			from = json_object_array_get_idx(from, atoi(word));
		else
			cr_assert(json_object_object_get_ex(from, word, &from), "%s", path);
	}
	free(copy);
	return from;
}

static inline void expect_at(struct json_object *from, const char *path, const char *expected)
{
	cr_expect(eq(str, (char *)json_object_to_json_string_ext(at(from, path), JSON_C_TO_STRING_PLAIN),
		     (char *)expected), "%s", path);
}

/* Lines "PATH JSON" about @object, with ' in place of ". */
static inline void expect_all(const char *lines)
{
	char *copy = strdup(lines), *rest = copy, *line, *path;

	for (char *at = copy; (at = strchr(at, '\'')); *at = '"')
		;
	while ((line = strsep(&rest, "\n"))) {
		path = strsep(&line, " ");
		expect_at(object, path, line);
	}
	free(copy);
}

#endif
