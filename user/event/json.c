// SPDX-License-Identifier: GPL-2.0-only
/* Records as json; see json.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/json.h"

/* The integers up to here are all doubles as well. */
#define EXACT (1LL << 53)

static const unsigned char replacement[] = { 0xef, 0xbf, 0xbd };

/* How many bytes of it are one character; 0: it is none. */
static size_t character(const unsigned char *s, size_t length)
{
	static const struct {
		unsigned char mask, lead, count;
		uint32_t least;
	} forms[] = {
		{ 0x80, 0x00, 1, 0 }, { 0xe0, 0xc0, 2, 0x80 }, { 0xf0, 0xe0, 3, 0x800 },
		{ 0xf8, 0xf0, 4, 0x10000 },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		uint32_t code = s[0] & (unsigned char)~forms[i].mask;

		if ((s[0] & forms[i].mask) != forms[i].lead)
			continue;
		if (forms[i].count > length)
			return 0;
		for (size_t n = 1; n < forms[i].count; n++) {
			if ((s[n] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | (s[n] & 0x3f);
		}
		if (code < forms[i].least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
			return 0;
		return forms[i].count;
	}
	return 0;
}

struct json_object *json_text(const char *text, size_t length)
{
	const unsigned char *s = (const unsigned char *)text;
	struct json_object *object;
	char *clean;
	size_t used = 0;

	clean = malloc(sizeof(replacement) * length + 1);
	if (!clean)
		return NULL;
	for (size_t i = 0; i < length; ) {
		size_t bytes = character(s + i, length - i);

		memcpy(clean + used, bytes ? s + i : replacement,
		       bytes ? bytes : sizeof(replacement));
		used += bytes ? bytes : sizeof(replacement);
		i += bytes ? bytes : 1;
	}
	object = json_object_new_string_len(clean, used);
	free(clean);
	return object;
}

bool json_add(struct json_object *object, const char *name, struct json_object *value)
{
	if (!json_object_object_add(object, name, value))
		return true;
	json_object_put(value);
	return false;
}

const char *json_line(struct json_object *object)
{
	return json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
}

static struct json_object *address(uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	return json_object_new_string(text);
}

struct json_object *json_integer(uint64_t value, bool is_signed)
{
	int64_t number = value;
	char text[32];

	if (!is_signed)
		return value > EXACT ? address(value) : json_object_new_int64(number);
	if (number >= -EXACT && number <= EXACT)
		return json_object_new_int64(number);
	snprintf(text, sizeof(text), "%s0x%" PRIx64, number < 0 ? "-" : "",
		 number < 0 ? -value : value);
	return json_object_new_string(text);
}

/* An array's type goes on with its brackets, a dynamic one's begins with __data_loc. */
static bool is_type(const struct tep_format_field *field, const char *type)
{
	const char *name = field->type;
	size_t length = strlen(type);

	if (field->flags & TEP_FIELD_IS_DYNAMIC && !strncmp(name, "__", 2))
		name += strcspn(name, " ") + 1;
	return !strncmp(name, type, length) && (!name[length] || strchr(" [", name[length]));
}

static struct json_object *element(const struct tep_format_field *field, const void *data,
				   size_t size)
{
	uint64_t value = tep_read_number(field->event->tep, data, size);
	bool is_signed = field->flags & TEP_FIELD_IS_SIGNED;

	if (is_type(field, "bool"))
		return json_object_new_boolean(value);
	if (is_signed && size < sizeof(value)) {
		unsigned int shift = 8 * (sizeof(value) - size);

		value = (uint64_t)((int64_t)(value << shift) >> shift);
	}
	if (!strcmp(field->name, FIELD_IP) || !strcmp(field->name, FIELD_PARENT_IP))
		return address(value);
	return json_integer(value, is_signed);
}

static struct json_object *elements(const struct tep_format_field *field, const char *data,
				    size_t length, size_t size)
{
	struct json_object *array = json_object_new_array();

	for (size_t at = 0; array && size && at + size <= length; at += size) {
		struct json_object *value = element(field, data + at, size);

		if (!value || json_object_array_add(array, value)) {
			json_object_put(value);
			json_object_put(array);
			return NULL;
		}
	}
	return array;
}

/* Where a field's bytes lie; false: not in the record. */
static bool find_data(const struct tep_format_field *field, const struct tep_record *record,
		      const char **ret_data, size_t *ret_length)
{
	size_t offset = field->offset, length = field->size;

	if (offset + length > (size_t)record->size)
		return false;
	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		/* Length and offset of what lies behind the fields. */
		uint32_t where = tep_read_number(field->event->tep, (char *)record->data + offset,
						 length);

		if (field->flags & TEP_FIELD_IS_RELATIVE)
			offset += length;
		else
			offset = 0;
		offset += where & 0xffff;
		length = where >> 16;
		if (offset + length > (size_t)record->size)
			return false;
	}
	*ret_data = (char *)record->data + offset;
	*ret_length = length;
	return true;
}

bool event_json__value(const struct tep_format_field *field, const struct tep_record *record,
		       struct json_object **ret)
{
	const char *data;
	size_t length;

	*ret = NULL;
	if (!find_data(field, record, &data, &length))
		return true;
	/* libtraceevent takes arrays of u8 for strings as well: the type decides. */
	if (field->flags & TEP_FIELD_IS_ARRAY && is_type(field, "char"))
		*ret = json_text(data, strnlen(data, length));
	else if (field->flags & TEP_FIELD_IS_ARRAY)
		*ret = elements(field, data, length, field->elementsize);
	else
		*ret = element(field, data, length);
	return *ret;
}

static bool number_of(struct tep_event *event, const struct tep_record *record, const char *name,
		      uint64_t *ret)
{
	struct tep_format_field *field = tep_find_field(event, name);
	unsigned long long value;

	if (!field || field->offset + field->size > record->size ||
	    tep_read_number_field(field, record->data, &value))
		return false;
	*ret = value;
	return true;
}

/* "vfs_read [module]", and the offset if @place is one inside of it; NULL: not known. */
static struct json_object *name_address(uint64_t addr, bool place,
					const struct address_names *names)
{
	const struct traceable_function *function;
	const struct symbol *symbol;
	char text[512], offset[32] = "";

	function = place ? NULL : traceable__find(names->traceable, addr);
	symbol = symbols__find(names->symbols, addr);
	if (!symbol)
		return NULL;
	if (place)
		snprintf(offset, sizeof(offset), "+0x%" PRIx64, addr - symbol->addr);
	snprintf(text, sizeof(text), "%s%s%s%s%s", function ? function->name : symbol->name, offset,
		 symbol->module ? " [" : "", symbol->module ? symbol->module : "",
		 symbol->module ? "]" : "");
	return json_object_new_string(text);
}

static struct json_object *name_field(struct tep_event *event, const struct tep_record *record,
				      const char *field, bool place,
				      const struct address_names *names)
{
	uint64_t addr;

	if (!number_of(event, record, field, &addr))
		return NULL;
	return name_address(addr, place, names);
}

bool field_has_bit(const struct tep_format_field *field)
{
	return strcmp(field->name, FIELD_IP) && strcmp(field->name, FIELD_PARENT_IP) &&
	       strcmp(field->name, FIELD_FAULTS);
}

static bool add_fields(struct json_object *object, struct tep_event *event,
		       const struct tep_record *record)
{
	uint64_t faults = 0;
	unsigned int bit = 0;

	number_of(event, record, FIELD_FAULTS, &faults);
	for (struct tep_format_field *f = event->format.fields; f; f = f->next) {
		struct json_object *value = NULL;
		bool faulted = field_has_bit(f) && faults >> bit++ & 1;

		if (!strcmp(f->name, FIELD_FAULTS))
			continue;
		if ((!faulted && !event_json__value(f, record, &value)) ||
		    !json_add(object, f->name, value))
			return false;
	}
	return true;
}

/* The same for a value that must be there: NULL is no memory. */
static bool add_new(struct json_object *object, const char *name, struct json_object *value)
{
	return value && json_add(object, name, value);
}

static bool fill(struct json_object *object, const struct tep_record *record,
		 struct tep_event *event, const char *name, const char *comm,
		 const struct address_names *names)
{
	int pid = tep_data_pid(event->tep, (struct tep_record *)record);
	struct json_object *fields;

	if (!add_new(object, "ts", json_object_new_uint64(record->ts)) ||
	    !add_new(object, "cpu", json_object_new_int(record->cpu)) ||
	    !add_new(object, "pid", json_object_new_int(pid)) ||
	    !json_add(object, "comm", comm ? json_text(comm, strlen(comm)) : NULL) ||
	    !add_new(object, "event", json_text(name, strlen(name))) ||
	    !json_add(object, "function", name_field(event, record, FIELD_IP, false, names)) ||
	    !json_add(object, "caller", name_field(event, record, FIELD_PARENT_IP, true, names)))
		return false;
	fields = json_object_new_object();
	return add_new(object, "fields", fields) && add_fields(fields, event, record);
}

struct json_object *event_json__new(const struct tep_record *record, struct tep_event *event,
				    const char *name, const char *comm,
				    const struct address_names *names)
{
	struct json_object *object = json_object_new_object();

	if (object && !fill(object, record, event, name, comm, names)) {
		json_object_put(object);
		object = NULL;
	}
	return object;
}
