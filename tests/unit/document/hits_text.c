// SPDX-License-Identifier: GPL-2.0
/* A recording that is read from its text means the same as one that json-c has read. */
#include "base/text.h"
#include "document/coverage_json.h"
#include "document/hits_text.h"
#include "printed.h"

#define HEAD "{\"hytrace\":\"0\",\"document\":\"coverage\",\"schema\":2,\"engine\":\"oneshot\"," \
	"\"kernel\":{\"release\":\"6.12\",\"version\":null,\"arch\":null,\"build_id\":\"ab\",\"config\":null,\"cmdline\":null," \
	"\"addresses\":\"linked\",\"calls\":null},\"host\":null,\"boot_id\":\"b\",\"command\":null,\"filters\":{\"allow\":[]," \
	"\"deny\":[],\"denied_by_hytrace\":[],\"scope\":\"system\",\"pid\":null,\"cgroup\":null,\"comm\":null,\"callers\":true}," \
	"\"options\":{\"retire\":false,\"retire_ms\":null,\"max_entries\":null,\"duration\":null,\"pin\":false},\"started\":null," \
	"\"seconds\":1,\"ended\":\"command\",\"status\":0,\"merged\":null,\"window\":{\"clock\":\"local\",\"opening_ns\":1," \
	"\"open_ns\":2,\"closing_ns\":3,\"closed_ns\":4,\"error_ns\":0},\"totals\":{\"traceable\":1,\"traced\":1," \
	"\"traced_seen\":1},\"complete\":true,\"lost\":{},\"cost\":{},\"modules\":[],\"follows_modules\":false,"

#define FUNCTION "\"addr\":\"0xffffffff81000010\",\"name\":\"vfs_read\",\"module\":null,\"offset\":null,\"sympos\":1," \
	"\"first_ns\":20,\"cpu\":1,\"pid\":2,\"tgid\":2,\"comm\":\"a b\",\"caller\":{\"addr\":\"0x30\",\"name\":\"call\"," \
	"\"module\":null,\"offset\":null,\"symbol_offset\":5}}"
#define CALLER "{\"addr\":null,\"name\":\"open\",\"module\":\"dummy\",\"offset\":64,\"symbol_offset\":4,\"first_ns\":10," \
	"\"cpu\":0,\"pid\":3,\"tgid\":3,\"comm\":\"a b\",\"entered\":null}"

/* json-c reads a document that has a list twice. */
#define TWICE "\"functions\":[],"
#define WITH(before, later) HEAD before "\"functions\":[{" later FUNCTION ",{\"name\":\"x\",\"first_ns\":5}],\n\t\"callers\" : [ " CALLER " ] }\n"

/* The document as it is written again; NULL: it was refused. */
static char *read_again(const char *document, bool *ret_fast)
{
	struct text t = { .bytes = strdup(document), .length = strlen(document) };
	char *copy = strdup(document), *written;
	struct hits_text fast;
	struct coverage c;

	*ret_fast = hits_text__read(&fast, copy, t.length);
	cr_expect(eq(str, copy, (char *)document));
	hits_text__free(&fast);
	free(copy);
	written = coverage__read_text(&c, &t, "t") ? NULL : PRINTED(f, coverage__write_json(&c, f));
	free(t.bytes);
	if (written)
		coverage__free(&c);
	return written;
}

static void expect_same(const char *document, const char *with_json_c, const char *what)
{
	bool fast, slow;
	autofree char *a = read_again(document, &fast), *b = read_again(with_json_c, &slow);

	cr_expect(slow == false, "%s", with_json_c);
	cr_expect(text__equals(a, b) == true, "%s: %s: %s is not %s", what, document, a ?: "refused", b ?: "refused");
}

Test(hits_text, means_the_same)
{
	bool fast;
	char *written = read_again(WITH("", ""), &fast);

	cr_expect(fast);
	cr_assert(written != NULL);
	set_text(written);
	expect_text("{\"addr\":\"0xffffffff81000010\",\"name\":\"vfs_read\",\"module\":null,\"offset\":null,\"sympos\":1,\"first_ns\":20");
	expect_text("\"comm\":\"a b\",\"caller\":{\"addr\":\"0x30\",\"name\":\"call\",\"module\":null,\"offset\":null,\"symbol_offset\":5}}");
	expect_text("\"module\":\"dummy\",\"offset\":64,\"symbol_offset\":4,\"first_ns\":10");
	free_printed();
	expect_same(WITH("", ""), WITH(TWICE, ""), "whole");
}

/* Such as of a command with quotes: it is no reason to read all hits by json-c, which takes ten times the memory. */
Test(hits_text, passes_over_escapes_outside_of_hits)
{
	static const char plain[] = WITH("", "");
	const char *null = strstr(plain, "\"command\":null") + strlen("\"command\":");
	char *document, *written;
	bool fast;

	cr_assert(asprintf(&document, "%.*s[\"sh\",\"a\\\"]},{[\\\\\"]%s", (int)(null - plain), plain,
			   null + strlen("null")) > 0);
	written = read_again(document, &fast);
	cr_expect(fast);
	cr_assert(written != NULL);
	set_text(written);
	expect_text("a\\\"]},{[\\\\\"");
	free(document);
}

/* What hytrace does not write is left to json-c: a hit, or all of them. */
Test(hits_text, leaves_the_rest_to_json_c)
{
	static const char *const unusual[] = {
		"\"later\":0,", "\"comm\":\"a\\\"b\",", "\"cpu\":1.0,", "\"cpu\":-1,", "\"cpu\":01,", "\"cpu\":\"1\",",
		"\"first_ns\":1000000000000000000000,", "\"addr\":\"30\",", "\"addr\":\"0x11112222333344445\",", "\"entered\":null,",
		"\"comm\":\"a\001b\",", "\"addr\":\"0xG\",", "\"later\":[{\"a\":\"]}\"},[]],", "\"later\":'}',", "/* } */",
		"\"cpu\":0},7,null,{\"first_ns\":9,", "\"cpu\":0},{\"first_ns\":9,", "\"cpu\":0},,{\"first_ns\":9,", "\"later\":[},",
	};
	static const char *const lists[] = { "\"callers\":[],\"functions\":[]}", "\"functions\":[],\"callers\":[],\"functions\":[]}" };
	bool fast;

	for (size_t i = 0; i < sizeof(unusual) / sizeof(unusual[0]); i++) {
		char *document = xasprintf(HEAD "\"functions\":[{\"first_ns\":9,%s\"name\":\"x\"},{" FUNCTION "],\"callers\":[]}", unusual[i]);
		char *slow = xasprintf(HEAD TWICE "\"functions\":[{\"first_ns\":9,%s\"name\":\"x\"},{" FUNCTION "],\"callers\":[]}", unusual[i]);

		expect_same(document, slow, unusual[i]);
		free(document);
		free(slow);
	}
	for (size_t i = 0; i < 2; i++) {
		char *document = xasprintf(HEAD "%s", lists[i]);

		free(read_again(document, &fast));
		cr_expect(fast == (i == 0), "%s", document);
		free(document);
	}
	cr_expect(read_again(HEAD "\"functions\":[{\"name\":\"x\"}],\"callers\":[]}", &fast) == NULL);
	/* There is no list that "[]" could take the place of. */
	cr_expect(read_again("{\"functions\":", &fast) == NULL);
}

/* One hit with an escape, or whose lists come in the other order, does not make json-c read the others. */
Test(hits_text, gives_a_single_hit_to_json_c)
{
	static const char hit[] = "{" FUNCTION;
	char *written, *long_name = xasprintf("%066000d", 0);
	bool fast;

	written = read_again(HEAD "\"callers\":[" CALLER "],\"functions\":[{" FUNCTION ","
			     "{\"comm\":\"a\\u0041\\\"\",\"tgid\":4,\"first_ns\":7}]}", &fast);
	cr_expect(fast);
	cr_assert(written != NULL);
	set_text(written);
	expect_text("\"first_ns\":7,\"cpu\":0,\"pid\":0,\"tgid\":4,\"comm\":\"aA\\\"\"");
	expect_text("\"comm\":\"a b\"");
	free_printed();
	/* It might take as much memory as a document. */
	written = xasprintf(HEAD "\"functions\":[{\"later\":\"%s\",\"first_ns\":7},%s],\"callers\":[]}", long_name, hit);
	free(read_again(written, &fast));
	cr_expect(fast == false);
	free(written);
	free(long_name);
}

/* Any byte of the document is replaced, and any end of it is missing. */
Test(hits_text, means_the_same_when_damaged)
{
	static const char bytes[] = "\"{}[],:0x\\ ne", text[] = WITH("", ""), slow[] = WITH(TWICE, "");
	size_t shift = sizeof(slow) - sizeof(text), start = strstr(text, "\"functions\":[{") + 14 - text;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2(null, STDERR_FILENO);
	for (size_t i = start; text[i]; i++) {
		char a[sizeof(text)], b[sizeof(slow)];

		for (size_t j = 0; bytes[j]; j++) {
			memcpy(a, text, sizeof(a));
			memcpy(b, slow, sizeof(b));
			a[i] = b[i + shift] = bytes[j];
			expect_same(a, b, "replaced");
		}
		memcpy(a, text, sizeof(a));
		memcpy(b, slow, sizeof(b));
		a[i] = b[i + shift] = '\0';
		expect_same(a, b, "cut off");
	}
	close(null);
}
