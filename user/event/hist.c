// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hist triggers: making their texts, and parsing their file; see hist.h.
 *
 * libtracefs can make hist triggers as well (tracefs_hist_alloc() and so on), but version 1.6.4 of
 * Debian 12 cannot set their size. The kernel's default is 2,048 entries: a trigger for single values
 * would drop some that have room in ours, and each log2 trigger would need 16 times the memory.
 */
#include "base/memory.h"
#include "base/table.h"
#include "event/hist.h"
#include "event/json.h"

/*
 * There are few powers of two, and 128 is the kernel's minimum. But there may be many single values.
 */
#define LOG2_ENTRIES 128
#define VALUE_ENTRIES 8192
#define BAR_WIDTH 40

/* ---- triggers */

static bool is_number(const struct tep_format_field *field)
{
	return !(field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING | TEP_FIELD_IS_DYNAMIC));
}

/* The bit which is set if the field could not be read, and so is 0; 0: there is no such bit. */
static uint64_t fault_bit(struct tep_event *event, const struct tep_format_field *field)
{
	uint64_t bit = 1;

	if (!tep_find_field(event, FIELD_FAULTS))
		return 0;
	for (const struct tep_format_field *f = event->format.fields; f != field; f = f->next) {
		if (field_has_bit(f))
			bit <<= 1;
	}
	return field_has_bit(field) ? bit : 0;
}

bool event_hist__has(struct tep_event *event, const char *field)
{
	struct tep_format_field *f = tep_find_field(event, field);

	return f && is_number(f);
}

int event_hist__triggers(struct tep_event *event, const char *field, const char *state,
			 char *ret[2])
{
	struct tep_format_field *f = tep_find_field(event, field);
	char readable[64] = "";
	uint64_t bit;

	if (!event_hist__has(event, field))
		return -EINVAL;
	bit = fault_bit(event, f);
	if (bit)
		snprintf(readable, sizeof(readable), " && !(" FIELD_FAULTS " & 0x%" PRIx64 ")",
			 bit);
	ret[0] = xasprintf("hist:keys=%s.log2:size=%d:%s if %s > 0", field, LOG2_ENTRIES, state, field);
	ret[1] = xasprintf("hist:keys=%s:size=%d:%s if %s %s 0%s", field, VALUE_ENTRIES, state, field,
			   f->flags & TEP_FIELD_IS_SIGNED ? "<=" : "==", readable);
	return 0;
}

/* ---- reading */

static unsigned int ceil_log2(uint64_t value)
{
	return value > 1 ? 64 - __builtin_clzll(value - 1) : 0;
}

static size_t slot_of(int64_t value)
{
	if (value > 0)
		return HIST_ZERO + 1 + ceil_log2(value);
	return value ? HIST_BELOW - 1 - ceil_log2(-(uint64_t)value) : HIST_ZERO;
}

/*
 * Parses "{ count: ~ 2^12 } hitcount:          5" or "{ ret: 18446744073709551605 } hitcount:  1".
 */
static int read_entry(struct event_hist *h, const char *line)
{
	const char *key = strchr(line, ':'), *count = strstr(line, "} hitcount:");
	uint64_t value, hits;
	unsigned int power;
	size_t slot;

	if (!key || !count || sscanf(count, "} hitcount: %" SCNu64, &hits) != 1)
		return -EINVAL;
	if (sscanf(key, ": ~ 2^%u", &power) == 1 && power <= 64)
		slot = HIST_ZERO + 1 + power;
	else if (sscanf(key, ": %" SCNu64, &value) == 1)
		slot = slot_of(value);
	else
		return -EINVAL;
	h->counts[slot] += hits;
	return 0;
}

int event_hist__read(struct event_hist *h, const char *text)
{
	size_t length;
	int err = 0;

	for (const char *line = text; !err && *line; line += length) {
		uint64_t number;

		length = strcspn(line, "\n");
		length += line[length] == '\n';
		if (*line == '{')
			err = read_entry(h, line);
		else if (sscanf(line, " Hits: %" SCNu64, &number) == 1)
			h->hits += number;
		else if (sscanf(line, " Dropped: %" SCNu64, &number) == 1)
			h->dropped += number;
	}
	return err;
}

/* ---- printing */

struct bounds {
	bool negative;
	uint64_t least, greatest;	/* of the magnitude, without the sign */
};

static struct bounds bounds_of(size_t slot)
{
	bool negative = slot < HIST_ZERO;
	unsigned int power = negative ? HIST_BELOW - 1 - slot : slot - HIST_ZERO - 1;
	uint64_t near, far;

	if (slot == HIST_ZERO)
		return (struct bounds){};
	near = power ? (1ULL << (power - 1)) + 1 : 1;
	far = power < 64 ? 1ULL << power : UINT64_MAX;
	if (negative)
		return (struct bounds){ true, far, near };
	return (struct bounds){ false, near, far };
}

static void add_row(struct libscols_table *table, size_t slot, uint64_t count, uint64_t most)
{
	struct libscols_line *line = table__line(table, NULL);
	struct bounds b = bounds_of(slot);
	const char *sign = b.negative ? "-" : "";
	char bar[BAR_WIDTH + 1] = "";

	memset(bar, '#', most ? (double)count / most * BAR_WIDTH + 0.5 : 0);
	table__printf(line, 0, "%s%" PRIu64, sign, b.least);
	table__printf(line, 1, "%s%" PRIu64, sign, b.greatest);
	table__printf(line, 2, "%" PRIu64, count);
	table__cell(line, 3, bar);
}

/* The range from the first to the last slot that is not empty. Returns false if all are empty. */
static bool find_range(const struct event_hist *h, size_t *ret_first, size_t *ret_end,
		       uint64_t *ret_most)
{
	*ret_first = HIST_SLOTS;
	*ret_end = 0;
	*ret_most = 0;
	for (size_t i = 0; i < HIST_SLOTS; i++) {
		if (!h->counts[i])
			continue;
		if (*ret_first == HIST_SLOTS)
			*ret_first = i;
		*ret_end = i + 1;
		if (h->counts[i] > *ret_most)
			*ret_most = h->counts[i];
	}
	return *ret_end;
}

static uint64_t total(const struct event_hist *h)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < HIST_SLOTS; i++)
		sum += h->counts[i];
	return sum;
}

void event_hist__print(const struct event_hist *h, const char *event, const char *field, FILE *out)
{
	struct libscols_table *table;
	size_t first, end;
	uint64_t most;

	fprintf(out, "%s: %s of %" PRIu64 " events\n", event, field, total(h));
	if (!find_range(h, &first, &end, &most))
		return;
	table = table__new(out);
	table__column(table, "FROM", 20, SCOLS_FL_RIGHT);
	table__column(table, "TO", 20, SCOLS_FL_RIGHT);
	table__column(table, "COUNT", 10, SCOLS_FL_RIGHT);
	table__column(table, "", BAR_WIDTH, 0);
	for (size_t i = first; i < end; i++)
		add_row(table, i, h->counts[i], most);
	table__print(table);
}

static void write_bound(json_writer_t *w, const char *name, bool negative, uint64_t magnitude)
{
	jsonw_name(w, name);
	jsonw_exact(w, negative ? -magnitude : magnitude, negative);
}

void event_hist__write_json(const struct event_hist *h, const char *event, const char *field, json_writer_t *w)
{
	jsonw_start_object(w);
	jsonw_string_field(w, "event", event);
	jsonw_string_field(w, "field", field);
	jsonw_lluint_field(w, "count", total(h));
	json__array(w, "buckets");
	for (size_t i = 0; i < HIST_SLOTS; i++) {
		struct bounds b = bounds_of(i);

		if (!h->counts[i])
			continue;
		jsonw_start_object(w);
		write_bound(w, "from", b.negative, b.least);
		write_bound(w, "to", b.negative, b.greatest);
		jsonw_lluint_field(w, "count", h->counts[i]);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_end_object(w);
}
