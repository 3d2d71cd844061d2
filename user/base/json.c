// SPDX-License-Identifier: GPL-2.0-only
/* See json.h. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "event/json.h"

void json__string(json_writer_t *w, const char *value)
{
	struct json_object *text = json_text(value, strlen(value));

	jsonw_printf(w, "%s", json_line(text));
	json_object_put(text);
}

void json__string_or_null(json_writer_t *w, const char *name, const char *value)
{
	jsonw_name(w, name);
	if (value)
		json__string(w, value);
	else
		jsonw_null(w);
}

void json__address_or_null(json_writer_t *w, const char *name, bool known, uint64_t value)
{
	jsonw_name(w, name);
	if (known)
		jsonw_printf(w, "\"0x%" PRIx64 "\"", value);
	else
		jsonw_null(w);
}

void json__number_or_null(json_writer_t *w, const char *name, bool known, uint64_t value)
{
	if (known)
		jsonw_lluint_field(w, name, value);
	else
		jsonw_null_field(w, name);
}

void json__kernel(json_writer_t *w, const struct kernel_id *id)
{
	jsonw_name(w, "kernel");
	jsonw_start_object(w);
	json__string_or_null(w, "release", id->release);
	json__string_or_null(w, "build_id", id->build_id);
	json__address_or_null(w, "kaslr_offset", id->offset_known, id->kaslr_offset);
	jsonw_end_object(w);
}

void json__counters(json_writer_t *w, const char *name, const struct counters *counters)
{
	jsonw_name(w, name);
	jsonw_start_object(w);
	for (size_t i = 0; i < counters->count; i++)
		jsonw_lluint_field(w, counters->list[i].name, counters->list[i].value);
	jsonw_end_object(w);
}
