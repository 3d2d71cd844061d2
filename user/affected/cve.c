// SPDX-License-Identifier: GPL-2.0-only
/* Reads CVE records; see cve.h. */
#include "affected/cve.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/read.h"

static void add(struct cve *c, const char ***list, size_t *count, const char *text)
{
	const char *kept = text && *text ? strings__intern(c->names, text) : NULL;

	for (size_t i = 0; kept && i < *count; i++) {
		if ((*list)[i] == kept)
			return;
	}
	if (kept)
		*LIST_ADD(*list, *count) = kept;
}

static bool is_commit(const char *text)
{
	return text && strlen(text) >= 12 && !text[strspn(text, "0123456789abcdef")];
}

static struct json_object *at(struct json_object *list, size_t i)
{
	return json_object_is_type(list, json_type_array) && i < json_object_array_length(list) ?
		json_object_array_get_idx(list, i) : NULL;
}

/* An affected range of commits ends before the one that fixes it. */
static void read_versions(struct cve *c, struct json_object *versions)
{
	struct json_object *version;

	for (size_t i = 0; (version = at(versions, i)); i++) {
		const char *type = json__text(json__field(version, "versionType"));
		const char *fix = json__text(json__field(version, "lessThan"));

		if (text__is_known_equal(type, "git") && is_commit(fix) &&
		    text__is_known_equal(json__text(json__field(version, "status")), "affected"))
			add(c, &c->commits, &c->commit_count, fix);
	}
}

static void read_record(struct cve *c, struct json_object *root)
{
	struct json_object *cna = json__field(json__field(root, "containers"), "cna"), *product;
	struct json_object *affected = json__field(cna, "affected");

	for (size_t i = 0; (product = at(affected, i)); i++) {
		struct json_object *files = json__field(product, "programFiles");

		for (size_t k = 0; at(files, k); k++)
			add(c, &c->files, &c->file_count, json__text(at(files, k)));
		read_versions(c, json__field(product, "versions"));
	}
}

int cve__read(struct cve *ret, const char *path)
{
	struct json_object *root;
	struct text t;
	int err;

	*ret = (struct cve){ .names = strings__new() };
	err = document__read_text(&t, document__open(path), path);
	if (err)
		return err;
	root = json__parse(t.bytes, t.length);
	free(t.bytes);
	if (text__is_known_equal(json__text(json__field(root, "dataType")), "CVE_RECORD"))
		read_record(ret, root);
	json_object_put(root);
	if (ret->file_count)
		return 0;
	return error__return(-EINVAL, "%s: is no CVE record in json format 5 that names files of the kernel "
			     "(containers.cna.affected.programFiles)", path);
}

void cve__free(struct cve *c)
{
	free(c->files);
	free(c->commits);
	strings__free(c->names);
}
