// SPDX-License-Identifier: GPL-2.0
/* The writer of json documents: where it breaks lines, and what becomes of any text. */

#include "base/json.h"

static FILE *out;
static char *text;
static size_t length;

static json_writer_t *begin(bool pretty)
{
	json_writer_t *w;

	out = open_memstream(&text, &length);
	w = jsonw_new(out, pretty);
	cr_assert(w != NULL);
	return w;
}

static void is(json_writer_t *w, const char *expected)
{
	jsonw_destroy(&w);
	cr_expect(w == NULL);
	fclose(out);
	cr_expect(strcmp(text, expected) == 0, "got:\n%s\nexpected:\n%s", text, expected);
	free(text);
}

/* An object with each kind of value. */
static void values(json_writer_t *w)
{
	jsonw_start_object(w);
	jsonw_string_field(w, "string", "a b");
	jsonw_bool_field(w, "yes", true);
	jsonw_bool_field(w, "no", false);
	jsonw_null_field(w, "null");
	jsonw_lluint_field(w, "most", UINT64_MAX);
	jsonw_name(w, "list");
	jsonw_start_array(w);
	jsonw_int(w, -1);
	jsonw_printf(w, "%.3f", 1.5);
	jsonw_start_array(w);
	jsonw_end_array(w);
	jsonw_start_object(w);
	jsonw_end_object(w);
	jsonw_end_array(w);
	jsonw_end_object(w);
}

Test(json_writer, all_in_one_line)
{
	json_writer_t *w = begin(false);

	values(w);
	is(w, "{\"string\":\"a b\",\"yes\":true,\"no\":false,\"null\":null,\"most\":18446744073709551615,"
	   "\"list\":[-1,1.500,[],{}]}\n");
}

Test(json_writer, a_field_a_line)
{
	json_writer_t *w = begin(true);

	jsonw_start_object(w);
	jsonw_name(w, "inner");
	jsonw_start_object(w);
	jsonw_lluint_field(w, "one", 1);
	jsonw_null_field(w, "two");
	jsonw_end_object(w);
	jsonw_name(w, "empty");
	jsonw_start_array(w);
	jsonw_end_array(w);
	jsonw_end_object(w);
	is(w, "{\n    \"inner\": {\n        \"one\": 1,\n        \"two\": null\n    },\n    \"empty\": []\n}\n");
}

Test(json_writer, an_element_a_line)
{
	json_writer_t *w = begin(true);

	jsonw_start_object(w);
	jsonw_name(w, "lines");
	jsonw_start_lines(w);
	for (int i = 0; i < 2; i++) {
		jsonw_start_object(w);
		jsonw_name(w, "list");
		jsonw_start_array(w);
		jsonw_start_object(w);
		jsonw_lluint_field(w, "a", i);
		jsonw_end_object(w);
		jsonw_end_array(w);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_name(w, "none");
	jsonw_start_lines(w);
	jsonw_end_array(w);
	/* A field a line again. */
	jsonw_name(w, "last");
	jsonw_start_object(w);
	jsonw_bool_field(w, "last", true);
	jsonw_end_object(w);
	jsonw_end_object(w);
	is(w, "{\n    \"lines\": [\n{\"list\":[{\"a\":0}]}\n,{\"list\":[{\"a\":1}]}\n    ],\n    \"none\": [],\n"
	   "    \"last\": {\n        \"last\": true\n    }\n}\n");
}

Test(json_writer, any_text)
{
	json_writer_t *w = begin(false);

	jsonw_start_array(w);
	jsonw_string(w, "");
	jsonw_string(w, "\"\\/\n\t\001");
	jsonw_string(w, "gr\xc3\xbc\xc3\x9f");
	jsonw_string(w, "\xff" "a\xc3");
	jsonw_string(w, "%s");
	jsonw_string(w, "\x7f" "a\xc2\x80" "b\xc2\x9f\xc2\xa0\xc3\x9b");
	jsonw_end_array(w);
	is(w, "[\"\",\"\\\"\\\\/\\n\\t\\u0001\",\"gr\xc3\xbc\xc3\x9f\",\"\xef\xbf\xbd" "a\xef\xbf\xbd\",\"%s\",\"\\u007fa\\u0080b\\u009f\xc2\xa0\xc3\x9b\"]\n");
}

/* Counters of another document may have any name. */
Test(json_writer, any_name)
{
	json_writer_t *w = begin(false);

	jsonw_start_object(w);
	jsonw_null_field(w, "a_b");
	jsonw_null_field(w, "");
	jsonw_null_field(w, "\"%s\"\n");
	jsonw_null_field(w, "a\x1b\xff");
	jsonw_null_field(w, "tsc_2");
	jsonw_end_object(w);
	is(w, "{\"a_b\":null,\"\":null,\"\\\"%s\\\"\\n\":null,\"a\\u001b\xef\xbf\xbd\":null,\"tsc_2\":null}\n");
}
