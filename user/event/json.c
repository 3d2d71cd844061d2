// SPDX-License-Identifier: GPL-2.0-only
/* Turns records into json; see json.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "event/json.h"

void event_json__put(struct json_object *object, const char *name, struct json_object *value)
{
	if (!object || !value || !json_add(object, name, value))
		memory__fail();
}

/* ---- during the run: lack of memory is an error that ends the run, and the command is still waited for */

/* Types are as in `format`: "u8[8]" for an array, "__data_loc u8[]" for a dynamic one. */
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

/* Finds a field's bytes. Returns false if they are not in the record. */
static bool find_data(const struct tep_format_field *field, const struct tep_record *record,
		      const char **ret_data, size_t *ret_length)
{
	size_t offset = field->offset, length = field->size;

	if (offset + length > (size_t)record->size)
		return false;
	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		/* The field has the length and the offset of its data, which follow the fields. */
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
	/* libtraceevent takes arrays of u8 for strings as well, so the type decides. */
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

/*
 * "vfs_read [module]", or with an offset if @place is true, because the address is inside of the
 * function; NULL: unknown. Names of functions are those in ftrace's list: if there are aliases,
 * kallsyms does not show which one ftrace uses.
 */
static struct json_object *name_address(uint64_t addr, bool place, const struct kernel *kernel)
{
	const struct traceable_function *function;
	const struct symbol *symbol;
	char text[512], offset[32] = "";

	function = place ? NULL : traceable__find(kernel->traceable, addr);
	symbol = symbols__find(kernel->symbols, addr);
	if (!symbol || !symbols__is_inside(kernel->symbols, symbol, addr))
		return NULL;
	if (place)
		snprintf(offset, sizeof(offset), "+0x%" PRIx64, addr - symbol->addr);
	snprintf(text, sizeof(text), "%s%s%s%s%s", function ? function->name : symbol->name, offset,
		 symbol->module ? " [" : "", symbol->module ? symbol->module : "",
		 symbol->module ? "]" : "");
	return json_object_new_string(text);
}

static struct json_object *name_field(struct tep_event *event, const struct tep_record *record,
				      const char *field, bool place, const struct kernel *kernel)
{
	uint64_t addr;

	if (!number_of(event, record, field, &addr))
		return NULL;
	return name_address(addr, place, kernel);
}

bool field_has_bit(const struct tep_format_field *field)
{
	return strcmp(field->name, FIELD_IP) && strcmp(field->name, FIELD_PARENT_IP) &&
	       strcmp(field->name, FIELD_FAULTS);
}

/* Only names are shown, no addresses: who can read the file may not be allowed to read /proc/kallsyms. */
static bool add_fields(struct json_object *object, struct tep_event *event,
		       const struct tep_record *record)
{
	uint64_t faults = 0;
	unsigned int bit = 0;

	number_of(event, record, FIELD_FAULTS, &faults);
	for (struct tep_format_field *f = event->format.fields; f; f = f->next) {
		struct json_object *value = NULL;

		if (!field_has_bit(f))
			continue;
		if ((!(faults >> bit++ & 1) && !event_json__value(f, record, &value)) ||
		    !json_add(object, f->name, value))
			return false;
	}
	return true;
}

/* As json_add(), for a value that must exist: NULL means lack of memory. */
static bool add_new(struct json_object *object, const char *name, struct json_object *value)
{
	return value && json_add(object, name, value);
}

static bool fill(struct json_object *object, const struct tep_record *record,
		 struct tep_event *event, const char *name, const char *comm, const struct kernel *kernel)
{
	int pid = tep_data_pid(event->tep, (struct tep_record *)record);
	struct json_object *fields;

	if (!add_new(object, "ts", json_object_new_uint64(record->ts)) ||
	    !add_new(object, "cpu", json_object_new_int(record->cpu)) ||
	    !add_new(object, "pid", json_object_new_int(pid)) ||
	    !json_add(object, "comm", comm ? json_text(comm, strlen(comm)) : NULL) ||
	    !add_new(object, "event", json_text(name, strlen(name))) ||
	    !json_add(object, "function", name_field(event, record, FIELD_IP, false, kernel)) ||
	    !json_add(object, "caller", name_field(event, record, FIELD_PARENT_IP, true, kernel)))
		return false;
	fields = json_object_new_object();
	return add_new(object, "fields", fields) && add_fields(fields, event, record);
}

struct json_object *event_json__new(const struct tep_record *record, struct tep_event *event,
				    const char *name, const char *comm, const struct kernel *kernel)
{
	struct json_object *object = json_object_new_object();

	if (object && !fill(object, record, event, name, comm, kernel)) {
		json_object_put(object);
		object = NULL;
	}
	return object;
}
