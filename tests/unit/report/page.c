// SPDX-License-Identifier: GPL-2.0
/* The calls in the data of the page, of the kernels of sample_documents.h and small_kernel.h. */
#include "base/json.h"
#include "printed.h"
#include "report/images.h"
#include "report/report.h"
#include "sample_documents.h"
#include "small_kernel.h"

static void call_of(struct coverage *c, const char *caller, uint64_t addr, uint32_t into, const char *callee,
		    uint64_t entry)
{
	struct hit *hit;

	see_caller(c, caller, addr + into, 100 + c->hits.count);
	hit = &c->hits.list[c->hits.count - 1];
	hit->into = into;
	hit->other = (struct other){ .name = callee, .link = entry };
}

/* The data of the page of one document. */
static struct json_object *data_of(const struct universe *u, const struct coverage *c, const struct images *images,
				   const char *where)
{
	const char *const labels[] = { "one" };
	const struct lcov_source source = {};
	struct rows rows;
	char *from;

	rows__make(&rows, u, &c, 1);
	if (where)
		cr_assert(eq(int, rows__restrict(&rows, where), 0));
	PRINT(out, cr_assert(eq(int, report__html(&rows, labels, images, &source, out), 0)));
	from = strstr(text, "id=\"data\">");
	cr_assert(from != NULL);
	from += strlen("id=\"data\">");
	*strstr(from, "</script>") = '\0';
	rows__free(&rows);
	return parse(from);
}

static const char *name(struct json_object *data, int64_t number)
{
	return json__text(json_object_array_get_idx(json__field(data, "names"), number)) ?: "?";
}

static int64_t number_at(struct json_object *list, size_t i)
{
	return json_object_get_int64(json_object_array_get_idx(list, i));
}

/* "CALLER+OFFSET>CALLEE " of each call; a way in the place of a callee that is not known. */
static const char *calls_of(struct json_object *data)
{
	struct json_object *sites = json__field(data, "sites");
	static char text[1024];
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < json_object_array_length(sites); i += 3) {
		int64_t callee = number_at(sites, i + 2);

		length += snprintf(text + length, sizeof(text) - length, "%s+%d>%s ", name(data, number_at(sites, i)),
				   (int)number_at(sites, i + 1), callee < 0 ? "" : name(data, callee));
	}
	return text;
}

/* vfs_read() calls ext4_iget(), which calls schedule(); and schedule() vfs_write(). */
Test(page, of_a_part_has_all_calls_to_and_from_it)
{
	struct json_object *data, *hits, *reasons, *words;
	struct coverage c;
	struct universe u;

	sample_universe(&u);
	sample_document(&c, "a");
	see(&c, "vfs_read", NULL, 0x1000, 30);
	see(&c, "schedule", NULL, 0x1400, 40);
	see(&c, "ext4_iget", NULL, 0x1200, 50);
	call_of(&c, "vfs_read", 0x1000, 8, "ext4_iget", 0x1200);
	call_of(&c, "ext4_iget", 0x1200, 9, "schedule", 0x1400);
	call_of(&c, "do_nmi", 0x1500, 7, "ext4_iget", 0x1200);
	call_of(&c, "schedule", 0x1400, 5, "vfs_write", 0x1100);
	data = data_of(&u, &c, NULL, "fs/ext4");
	cr_expect(eq(str, (char *)json__text(json__field(data, "in")), "fs/ext4"));
	cr_expect(eq(str, (char *)calls_of(data), "vfs_read+8>ext4_iget ext4_iget+9>schedule do_nmi+7>ext4_iget "));
	hits = json__field(json_object_array_get_idx(json__field(data, "columns"), 0), "hits");
	cr_assert(eq(sz, json_object_array_length(hits), 5));
	cr_expect(eq(int, number_at(hits, 4), 3), "it was the third function to be seen");
	/* Two rows; then vfs_read and schedule, which are outside, and do_nmi, which cannot be traced either. */
	reasons = json__field(data, "reasons");
	words = json__field(data, "words");
	cr_assert(eq(sz, json_object_array_length(reasons), 3));
	for (size_t i = 0; i < 3; i++) {
		struct json_object *word = json_object_array_get_idx(words, number_at(reasons, i));
		bool untraced = !strcmp(name(data, 2 + i), "do_nmi");

		cr_expect(eq(str, (char *)json__text(json_object_array_get_idx(word, 0)), untraced ? "noinstr" : "outside"));
		cr_expect(eq(int, !json_object_array_get_idx(word, 1), !untraced));
	}
	json_object_put(data);
	data = data_of(&u, &c, NULL, NULL);
	cr_expect(json__field(data, "in") == NULL);
	cr_expect(strstr(calls_of(data), "schedule+5>vfs_write ") != NULL, "the whole kernel has all");
	json_object_put(data);
	coverage__free(&c);
	universe__free(&u);
}

/* Two functions outside of the part have one name, and are two. */
Test(page, of_a_part_tells_namesakes_outside_apart)
{
	static const struct function twins[] = {
		{ .addr = 0x2600, .name = "twin", .unit = "mm/a.c" }, { .addr = 0x2700, .name = "twin", .unit = "mm/b.c" },
	};
	struct json_object *data, *sites;
	struct coverage c;
	struct universe u;

	sample_universe(&u);
	universe__add(&u, &twins[0]);
	universe__add(&u, &twins[1]);
	universe__settle(&u);
	sample_document(&c, "a");
	for (int i = 0; i < 3; i++)
		call_of(&c, "twin", twins[i % 2].addr, 8 + i, "ext4_iget", 0x1200);
	data = data_of(&u, &c, NULL, "fs/ext4");
	sites = json__field(data, "sites");
	cr_expect(number_at(sites, 0) != number_at(sites, 3));
	cr_expect(eq(i64, number_at(sites, 0), number_at(sites, 2 * 3)), "each is one");
	cr_expect(eq(str, (char *)calls_of(data), "twin+8>ext4_iget twin+9>ext4_iget twin+10>ext4_iget "));
	json_object_put(data);
	coverage__free(&c);
	universe__free(&u);
}

Test(page, has_the_places_of_calls_that_callers_has)
{
	char *directory = small_kernel(), vmlinux[256];
	const struct coverage *list[1];
	struct json_object *data;
	struct images images;
	struct universe u;
	struct coverage c;
	size_t count = 0;
	uint64_t addr;

	snprintf(vmlinux, sizeof(vmlinux), "%s/vmlinux", directory);
	sample_document(&c, "a");
	free(c.kernel.build_id);
	c.kernel.build_id = strdup(SMALL_BUILD_ID);
	list[0] = &c;
	cr_assert(eq(int, images__open(&images, list, 1, vmlinux), 0));
	cr_assert(eq(int, universe__of_files(&u, vmlinux, NULL, 0), 0));
	addr = universe__named(&u, "caller", &count)[0]->addr;
	cr_assert(eq(sz, count, 1));
	call_of(&c, "caller", addr, 10, NULL, 0);
	/* The kernel has made the call through a retpoline shorter; as linked, it returns to 20. */
	call_of(&c, "caller", addr, 17, NULL, 0);
	data = data_of(&u, &c, &images, NULL);
	cr_expect(eq(str, (char *)calls_of(data), "caller+5>callee caller+15> "));
	json_object_put(data);
	data = data_of(&u, &c, NULL, NULL);
	cr_expect(eq(str, (char *)calls_of(data), "caller+10> caller+17> "), "without the files, only where they return to is known");
	json_object_put(data);
	universe__free(&u);
	images__free(&images);
	coverage__free(&c);
	small_kernel__remove(directory);
}
