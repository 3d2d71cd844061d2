// SPDX-License-Identifier: GPL-2.0
/*
 * Feeds any bytes, as a line, to the parser of function events (libFuzzer): `make fuzz`.
 *
 * If the line is well-formed, it is printed and parsed again, which must give the same prototype,
 * and printed once more, which must give the same text. If it is not, the parser must report one of
 * its own errors, at a column within the line. Sanitizers check memory accesses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/kernel_shim.h"
#include "../../kernel/files/kernel/trace/fevent_error.c"
#include "../../kernel/files/kernel/trace/fevent_reader.c"
#include "../../kernel/files/kernel/trace/fevent_print.c"
#include "../../kernel/files/kernel/trace/fevent_parse.c"
#include "../unit/fevent_same.h"

#define MAX_ARGS	6

/* On a failure, the fuzzer keeps the bytes that lead here. */
#define CHECK(condition, what) do {				\
	if (!(condition)) {					\
		fprintf(stderr, "fevent_parse: %s\n", what);	\
		abort();					\
	}							\
} while (0)

/* Prints into memory of exactly the needed size. */
static char *print(const struct fevent_proto *proto, int *len)
{
	char *text;

	*len = fevent_print(proto, NULL, 0);
	CHECK(*len >= 0 && *len <= FEVENT_MAX_LINE, "the canonical line is too long");
	text = malloc(*len + 1);
	CHECK(text, "out of memory");
	CHECK(fevent_print(proto, text, *len + 1) == *len, "its length changed");
	CHECK(strlen(text) == (size_t)*len, "it does not end where it should");
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fevent_proto *proto, *again;
	const char *difference;
	struct fevent_error error;
	char *text, *text_again;
	int len, len_again;

	proto = fevent_parse((const char *)data, size, MAX_ARGS, sample_typedef, &error);
	if (IS_ERR(proto)) {
		CHECK(PTR_ERR(proto) == -EINVAL, "the error is not -EINVAL");
		CHECK(error.err > FEVENT_ERR_NONE && error.err <= FEVENT_ERR_TOO_MANY_ARGS,
		      "the complaint is not one of the parser's");
		CHECK(error.column <= size, "the complaint's column is after the end of the line");
		CHECK(!shim_allocated, "a leak");
		return 0;
	}
	CHECK(error.err == FEVENT_ERR_NONE, "a complaint about a line that was accepted");

	text = print(proto, &len);
	again = fevent_parse(text, len, MAX_ARGS, sample_typedef, &error);
	CHECK(!IS_ERR(again), "its own canonical line is refused");
	difference = fevent_difference(proto, again);
	CHECK(!difference, difference);
	text_again = print(again, &len_again);
	CHECK(!strcmp(text, text_again), "the canonical line has another canonical line");

	free(text_again);
	free(text);
	fevent_proto_free(again);
	fevent_proto_free(proto);
	CHECK(!shim_allocated, "a leak");
	return 0;
}
