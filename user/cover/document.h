/* SPDX-License-Identifier: GPL-2.0-only */
/* A json document of `hytrace cover`, read back. */
#ifndef HYTRACE_COVER_DOCUMENT_H
#define HYTRACE_COVER_DOCUMENT_H

#include "cover/coverage.h"

/* -EINVAL, said: not readable, not json, not such a document, or of another schema. */
int document__read(struct coverage *ret, const char *path);

#endif
