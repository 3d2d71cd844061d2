/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Function events: the events that exist. Each file uses only the files above it, and
 * the record and hook sides:
 *
 *	trace_fevent_find.c	the functions and symbols that a line names
 *	trace_fevent.c		the events, and how they come and go
 *	trace_fevent_files.c	tracefs, and the kernel's command line
 */
#ifndef _TRACE_FEVENT_CORE_H
#define _TRACE_FEVENT_CORE_H

#include "trace_fevent_types.h"

/* trace_fevent_find.c */
int fevent_find_glob(struct fevent *fe);
int fevent_find_functions(struct fevent *fe, struct fevent_complaint *complaint);
int fevent_find_symbols(const struct fevent *fe, struct fevent_field *fields,
			unsigned int nr_fields, struct fevent_complaint *complaint);

/* trace_fevent.c */
extern struct list_head fevent_list;

static inline struct fevent *dyn_event_fevent(struct dyn_event *ev)
{
	return container_of(ev, struct fevent, devent);
}

static inline const char *fevent_group(struct fevent *fe)
{
	return trace_probe_group_name(&fe->tp);
}

static inline const char *fevent_name(struct fevent *fe)
{
	return trace_probe_name(&fe->tp);
}

bool is_fevent(struct dyn_event *ev);
int fevent_change_lines(const char *text, size_t len, struct fevent_complaint *complaint);
int fevent_clear(void);

#endif /* _TRACE_FEVENT_CORE_H */
