/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the two lists of hits of a recording from its text, ten times faster than json-c, which makes 30
 * objects of each hit. It only reads what hytrace itself writes, in any layout and order. If a hit has
 * anything else in it (an escaped character, an unknown field, a fraction), json-c reads this hit, and decides
 * what it means. If the lists themselves are unusual, or the text is no json, json-c reads the whole file.
 */
#ifndef HYTRACE_DOCUMENT_HITS_TEXT_H
#define HYTRACE_DOCUMENT_HITS_TEXT_H

#include <json-c/json.h>

#include "kernel/hits.h"

struct hits_text {
	struct hits hits;	/* the hits of each list are in the order of the file */
	bool too_many;		/* the document has more hits than a kernel can have, and is refused */
	bool cut_off;		/* the document was not read, as it has no end */
	bool lacks_time;	/* a hit has no first_ns, as in a union of runs of several boots */
	char *rest;		/* the document with two empty lists in place of the hits */
	size_t rest_length;
};

/**
 * hits_text__read() - read the hits of a document
 * @ret: to be freed by hits_text__free(), even after a failure
 * @text: the whole document, with a NUL after it; it is written to, and then as before
 * @length: its length without the NUL
 *
 * Return: false if json-c has to read the document.
 */
bool hits_text__read(struct hits_text *ret, char *text, size_t length);
/* Reads the hits of a document that json-c has read; forgets those that @ret has. @root: NULL: it has none */
void hits_text__of_json(struct hits_text *ret, struct json_object *root);
void hits_text__free(struct hits_text *t);

#endif
