// SPDX-License-Identifier: GPL-2.0-only
/* Coverage by fentry.multi; see bpf_fentry.h. */
#include <bpf/bpf.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cover/bpf_fentry.h"
#include "kernel/fentry_multi.h"
#include "cover.h"
#include "cover.skel.h"

/* ---- the functions, and their types */

/* Returns the end of the part that begins with function number @i. */
static size_t end_of_part(const struct traceable *t, size_t i)
{
	size_t end = i + 1;

	while (end < traceable__count(t) && text__equals(traceable__at(t, i)->module, traceable__at(t, end)->module))
		end++;
	return end;
}

size_t bpf_fentry__links(const struct request *request)
{
	const struct traceable *t = request->kernel->traceable;
	size_t count = 0;

	for (size_t i = 0; i < traceable__count(t); i = end_of_part(t, i))
		count++;
	return count;
}

static bool is_asked_for(const struct bpf_fentry *f, size_t i)
{
	const struct request *r = f->cover->request;
	const struct traceable_function *function = traceable__at(r->kernel->traceable, i);

	return filter__judge(r->filter, function->name, function->module) == FILTER_TRACED;
}

static void find_parts(struct bpf_fentry *f)
{
	const struct traceable *t = f->cover->request->kernel->traceable;

	for (size_t i = 0, end; i < traceable__count(t); i = end) {
		size_t asked = i;

		end = end_of_part(t, i);
		while (asked < end && !is_asked_for(f, asked))
			asked++;
		if (asked < end)
			*LIST_ADD(f->parts, f->part_count) = (struct fentry_part){
				.module = traceable__at(t, i)->module, .first = i, .end = end,
			};
	}
}

/* Notes the id of a BTF if it is of a module that has a part. */
static void note_btf(struct bpf_fentry *f, __u32 id)
{
	char name[64] = "";
	struct bpf_btf_info info = { .name = (uintptr_t)name, .name_len = sizeof(name) };
	int fd = bpf_btf_get_fd_by_id(id);
	__u32 size = sizeof(info);

	if (fd < 0)
		return;
	if (!bpf_btf_get_info_by_fd(fd, &info, &size) && info.kernel_btf) {
		for (size_t i = 0; i < f->part_count; i++) {
			if (f->parts[i].module && !strcmp(f->parts[i].module, name))
				f->parts[i].btf = id;
		}
	}
	close(fd);
}

static int read_types(struct bpf_fentry *f)
{
	struct btf *vmlinux = btf__load_vmlinux_btf(), *own;
	__u32 id = 0;

	if (!vmlinux)
		return error__return(-EOPNOTSUPP, "cannot read the kernel's types: %s", strerror(errno));
	while (!bpf_btf_get_next_id(id, &id))
		note_btf(f, id);
	/* vmlinux is always read, because the functions of check_callers() are in it. */
	fentry_ids__add(&f->ids, vmlinux, NULL);
	for (size_t i = 0; i < f->part_count; i++) {
		/* A module without BTF, or one that was removed meanwhile, has no functions that fit. */
		own = f->parts[i].btf ? btf__load_from_kernel_by_id_split(f->parts[i].btf, vmlinux) : NULL;
		if (own)
			fentry_ids__add(&f->ids, own, f->parts[i].module);
		btf__free(own);
	}
	btf__free(vmlinux);
	return 0;
}

/* ---- callers */

/*
 * Finds the functions that the kernel calls when a program of this type is tested. They have
 * different numbers of arguments.
 */
static size_t find_tested(const struct bpf_fentry *f, __u32 *ids, size_t room)
{
	size_t found = 0;

	for (size_t i = 1; i <= room; i++) {
		const struct fentry_id *id;
		char name[32];

		snprintf(name, sizeof(name), "bpf_fentry_test%zu", i);
		id = fentry_ids__find(&f->ids, name, NULL);
		if (id && id->fit == FENTRY_FITS)
			ids[found++] = id->id;
	}
	return found;
}

/* The place of the return address is not an interface of the kernel, so this tests whether it is right. */
static int check_callers(struct bpf_fentry *f)
{
	struct cover_bpf *skel = f->cover->skel;
	int program = bpf_program__fd(skel->progs.check_caller), link, err;
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	size_t count;
	__u32 ids[6];

	count = find_tested(f, ids, sizeof(ids) / sizeof(ids[0]));
	link = count ? tracing_multi__link(program, ids, count) : -ENOENT;
	err = link < 0 ? link : bpf_prog_test_run_opts(program, &opts);
	if (link >= 0)
		close(link);
	if (err)
		return error__return(-EOPNOTSUPP, "cannot try out whether fentry.multi shows callers: %s",
				     strerror(-err));
	if (skel->bss->checked_right < count || skel->bss->checked_wrong)
		return error__return(-EOPNOTSUPP, "fentry.multi shows the callers of %u of %zu calls on this kernel",
				     skel->bss->checked_right, count);
	return 0;
}

int bpf_fentry__prepare(struct bpf_fentry *f, struct bpf_cover *cover)
{
	const struct request *r = cover->request;
	int err;

	f->cover = cover;
	f->attached = xcalloc(traceable__count(r->kernel->traceable), sizeof(*f->attached));
	fentry_ids__begin(&f->ids, r->kernel->traceable, r->kernel->symbols);
	find_parts(f);
	err = read_types(f);
	return err || !r->options->how.callers ? err : check_callers(f);
}

/* ---- attaching */

static int try_link(void *context, const __u32 *ids, size_t count)
{
	const int *program = context;

	return tracing_multi__link(*program, ids, count);
}

/*
 * Are the functions of the module still those that were read, and will they stay? The kernel can remove
 * a link of fentry.multi only if all of its functions still exist. Otherwise they would go on to call
 * the link's trampolines, which the kernel frees. So no link may have a function of init text.
 */
static bool is_settled(const struct bpf_fentry *f, const char *module)
{
	struct symbols *now;
	bool settled;

	if (symbols__load_modules(&now))
		return false;
	settled = symbols__module_stayed(f->cover->request->kernel->symbols, now, module) &&
		  module__has_ended_init(module) > 0;
	symbols__free(now);
	return settled;
}

/* Returns a descriptor of the program for the part's module, or a negative errno. */
static int load_for(struct bpf_fentry *f, const struct fentry_part *part)
{
	int btf, program;

	if (!part->module)
		return bpf_program__fd(f->cover->fentry);
	btf = bpf_btf_get_fd_by_id(part->btf);
	if (btf < 0)
		return -errno;
	program = bpf_cover__clone(f->cover, btf);
	close(btf);
	/* From here on, the module cannot be unloaded. */
	return program < 0 || is_settled(f, part->module) ? program : -ENOENT;
}

static size_t choose_ids(const struct bpf_fentry *f, const struct fentry_part *part, struct fentry_try *list)
{
	size_t count = 0;

	for (size_t i = part->first; i < part->end; i++) {
		if (f->ids.list[i].fit == FENTRY_FITS && is_asked_for(f, i)) {
			list->ids[count] = f->ids.list[i].id;
			list->indices[count++] = i;
		}
	}
	return count;
}

static int attach_part(struct bpf_fentry *f, const struct fentry_part *part, size_t which, struct fentry_try *list)
{
	int program, link;

	list->count = choose_ids(f, part, list);
	list->refusal = 0;
	if (!list->count)
		return 0;
	program = load_for(f, part);
	link = program < 0 ? program : fentry_try__link(list, try_link, &program);
	if (link < 0) {
		/* -ENOENT: the module is gone, or going, or the kernel takes none of its functions. */
		if (!part->module || link != -ENOENT)
			error__warn("%s%s: fentry.multi cannot be attached: %s; kprobe.multi takes its place, at a "
				    "higher cost", part->module ? "the module " : "", part->module ?: "the kernel",
				    strerror(-(list->refusal ?: link)));
		return 0;
	}
	for (size_t i = 0; i < list->count; i++)
		f->attached[list->indices[i]] = true;
	f->count += list->count;
	return bpf_cover__take_link(f->cover, which, link);
}

int bpf_fentry__attach(struct bpf_fentry *f, size_t more)
{
	size_t room = traceable__count(f->cover->request->kernel->traceable), used = 0;
	struct fentry_try list = {
		.ids = xcalloc(room, sizeof(*list.ids)), .indices = xcalloc(room, sizeof(*list.indices)),
	};
	int err = 0;

	for (size_t i = 0; !err && i < f->part_count; i++) {
		size_t before = f->count;

		err = attach_part(f, &f->parts[i], used ? more + used - 1 : 0, &list);
		used += f->count > before;
	}
	free(list.ids);
	free(list.indices);
	return err;
}

bool bpf_fentry__has(const struct bpf_fentry *f, size_t index)
{
	return f->attached && f->attached[index];
}

void bpf_fentry__free(struct bpf_fentry *f)
{
	free(f->parts);
	fentry_ids__free(&f->ids);
	free(f->attached);
	*f = (struct bpf_fentry){};
}
