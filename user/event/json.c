// SPDX-License-Identifier: GPL-2.0-only
/* Turns records into json; see json.h. */
#include "event/json.h"

/* Types are as in `format`: "u8[8]" for an array, "__data_loc u8[]" for a dynamic one. */
static bool is_type(const struct tep_format_field *field, const char *type)
{
	const char *name = field->type;
	size_t length = strlen(type);

	if (field->flags & TEP_FIELD_IS_DYNAMIC && !strncmp(name, "__", 2))
		name += strcspn(name, " ") + 1;
	return !strncmp(name, type, length) && (!name[length] || strchr(" [", name[length]));
}

static void write_element(json_writer_t *w, const struct tep_format_field *field, const void *data, size_t size)
{
	uint64_t value = tep_read_number(field->event->tep, data, size);
	bool is_signed = field->flags & TEP_FIELD_IS_SIGNED;
	unsigned int shift = is_signed && size < sizeof(value) ? 8 * (sizeof(value) - size) : 0;

	if (is_type(field, "bool"))
		jsonw_bool(w, value);
	else
		jsonw_exact(w, shift ? (uint64_t)((int64_t)(value << shift) >> shift) : value, is_signed);
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

static void write_value(json_writer_t *w, const struct tep_format_field *field, const struct tep_record *record)
{
	size_t length, size = field->elementsize;
	const char *data;

	if (!find_data(field, record, &data, &length)) {
		jsonw_null(w);
	} else if (!(field->flags & TEP_FIELD_IS_ARRAY)) {
		write_element(w, field, data, length);
	/* libtraceevent takes arrays of u8 for strings as well, so the type decides. */
	} else if (is_type(field, "char")) {
		jsonw_text(w, data, strnlen(data, length));
	} else {
		jsonw_start_array(w);
		for (size_t at = 0; size && at + size <= length; at += size)
			write_element(w, field, data + at, size);
		jsonw_end_array(w);
	}
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
 * Writes "vfs_read [module]", or with an offset if @place is true, because the address is inside of the
 * function; null: unknown. Names of functions are those in ftrace's list: if there are aliases,
 * kallsyms does not show which one ftrace uses.
 */
static void write_place(json_writer_t *w, const char *name, struct tep_event *event, const struct tep_record *record,
			const char *field, bool place, const struct kernel *kernel)
{
	const struct traceable_function *function = NULL;
	const struct symbol *symbol = NULL;
	char text[512], offset[32] = "";
	uint64_t addr;

	if (number_of(event, record, field, &addr))
		symbol = symbols__find(kernel->symbols, addr);
	if (!symbol || !symbols__is_inside(kernel->symbols, symbol, addr)) {
		jsonw_null_field(w, name);
		return;
	}
	if (place)
		snprintf(offset, sizeof(offset), "+0x%" PRIx64, addr - symbol->addr);
	else
		function = traceable__find(kernel->traceable, addr);
	snprintf(text, sizeof(text), "%s%s%s%s%s", function ? function->name : symbol->name, offset,
		 symbol->module ? " [" : "", symbol->module ?: "", symbol->module ? "]" : "");
	jsonw_string_field(w, name, text);
}

bool field_has_bit(const struct tep_format_field *field)
{
	return strcmp(field->name, FIELD_IP) && strcmp(field->name, FIELD_PARENT_IP) &&
	       strcmp(field->name, FIELD_FAULTS);
}

/* Only names are shown, no addresses: who can read the file may not be allowed to read /proc/kallsyms. */
static void write_fields(json_writer_t *w, struct tep_event *event, const struct tep_record *record)
{
	uint64_t faults = 0;
	unsigned int bit = 0;

	number_of(event, record, FIELD_FAULTS, &faults);
	json__object(w, "fields");
	for (struct tep_format_field *f = event->format.fields; f; f = f->next) {
		if (!field_has_bit(f))
			continue;
		jsonw_name(w, f->name);
		if (faults >> bit++ & 1)
			jsonw_null(w);
		else
			write_value(w, f, record);
	}
	jsonw_end_object(w);
}

void event_json__write(json_writer_t *w, const struct tep_record *record, struct tep_event *event, const char *name,
		       const char *comm, const struct kernel *kernel)
{
	jsonw_start_object(w);
	jsonw_lluint_field(w, "ts", record->ts);
	jsonw_lluint_field(w, "cpu", record->cpu);
	jsonw_name(w, "pid");
	jsonw_int(w, tep_data_pid(event->tep, (struct tep_record *)record));
	json__string_or_null(w, "comm", comm);
	jsonw_string_field(w, "event", name);
	write_place(w, "function", event, record, FIELD_IP, false, kernel);
	write_place(w, "caller", event, record, FIELD_PARENT_IP, true, kernel);
	write_fields(w, event, record);
	jsonw_end_object(w);
}
