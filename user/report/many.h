/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the text report prints of DOCUMENTS_MANY recordings and more. A column for each would not fit into a line. So
 * the table has the functions that any recording has seen, those that all have seen, and how the shares of the
 * recordings spread; and the totals are sums, with the recordings at both ends.
 */
#ifndef HYTRACE_REPORT_MANY_H
#define HYTRACE_REPORT_MANY_H

#include "base/table.h"
#include "report/report.h"

/* Prints what was covered, each different text once. */
void many__covered(const struct rows *r, FILE *out);
/* Adds the columns behind those of the name and of the functions asked for; and fills them in. */
void many__add_columns(struct libscols_table *table);
void many__fill(struct libscols_line *line, const struct tally *tallies, size_t columns);
void many__totals(const struct rows *r, const char *const *labels, const struct report_form *form, FILE *out);

#endif
