// SPDX-License-Identifier: GPL-2.0
/*
 * Which functions can be attached to by fentry.multi, for a made-up kernel with made-up types, and
 * what is done if the kernel refuses one all the same.
 */
#include "kernel/fentry_multi.h"
#include "kernel/sample.h"

/* ---- the kernel */

#define TEXT 0xffffffff82000000

enum { NOTHING, NUMBER, LARGE, HALF, REAL, CONSTANT, TYPES };

/* @in: s: the symbols, l: the list of what can be traced, t: the types */
static const struct function {
	const char *in;
	uint64_t at;
	const char *name;
	enum fentry_fit fit;
	int count, argument, ret;
	bool varargs;
} functions[] = {
	{ "slt", 0x100, "fits", FENTRY_FITS, 2, CONSTANT, NUMBER },
	{ "s t", 0x100, "alias_of_fits", FENTRY_FITS, 2, CONSTANT, NUMBER },
	{ "slt", 0x200, "no_arguments", FENTRY_FITS },
	{ "sl", 0x300, "untyped.isra.0", FENTRY_NO_TYPE },
	{ "t", 0, "untyped" },
	{ "slt", 0x400, "static_one", FENTRY_NAMESAKE },
	{ "sl", 0x500, "static_one", FENTRY_NAMESAKE },
	{ "slt", 0x600, "with_twin", FENTRY_NAMESAKE },
	{ "s", 0x700, "with_twin" },
	{ "slt", 0x800, "two_types", FENTRY_NAMESAKE },
	{ "t", 0, "two_types", .count = 1, .argument = NUMBER },
	{ "slt", 0x900, "varargs", FENTRY_VARARGS, 1, NUMBER, .varargs = true },
	{ "slt", 0xa00, "returns_struct", FENTRY_RETURN, .ret = HALF },
	{ "slt", 0xb00, "large_argument", FENTRY_ARGUMENT, 1, LARGE },
	{ "slt", 0xc00, "struct_of_16", FENTRY_FITS, 1, HALF },
	{ "slt", 0xd00, "float_argument", FENTRY_ARGUMENT, 1, REAL },
	{ "slt", 0xe00, "twelve", FENTRY_FITS, 12, NUMBER },
	{ "slt", 0xf00, "thirteen", FENTRY_MANY, 13, NUMBER },
	{ "slt", 0x1000, "seven_of_16", FENTRY_MANY, 7, HALF },
	{ "slt", 0x1100, "migrate_enable", FENTRY_DENIED },
	{ "slt", 0x1200, "__rcu_read_unlock", FENTRY_DENIED },
	{ "slt", 0x1300, "rcu_read_unlock_special", FENTRY_DENIED },
	{ "slt", 0x1400, "srcu_like", FENTRY_FITS },
	/* Two of a module, whose types are others. */
	{ "sl", 0x100000, "fits\t[mod_two]" },
	{ "sl", 0x100100, "two_open\t[mod_two]" },
	{ "t", 0, "two_open" },
};

static int types[TYPES];

static int add_struct(struct btf *btf, const char *name, int members)
{
	int id = btf__add_struct(btf, name, 8 * members);

	for (int i = 0; i < members; i++) {
		char field[16];

		snprintf(field, sizeof(field), "f%d", i);
		cr_assert(btf__add_field(btf, field, types[NUMBER], 64 * i, 0) == 0);
	}
	return id;
}

static int add_function(struct btf *btf, const struct function *f)
{
	int proto = btf__add_func_proto(btf, types[f->ret]);

	for (int i = 0; i < f->count; i++)
		cr_assert(btf__add_func_param(btf, "a", types[f->argument]) == 0);
	if (f->varargs)
		cr_assert(btf__add_func_param(btf, "", 0) == 0);
	return btf__add_func(btf, f->name, BTF_FUNC_GLOBAL, proto);
}

static struct btf *vmlinux;
static struct symbols *symbols;
static struct traceable *traceable;
static struct fentry_ids ids;

static void begin(void)
{
	autofree char *kallsyms = PRINTED(out, for_each(f, functions) {
		if (strchr(f->in, 's'))
			fprintf(out, "%lx T %s\n", TEXT + f->at, f->name);
	});
	autofree char *list = PRINTED(out, for_each(f, functions) {
		if (strchr(f->in, 'l'))
			fprintf(out, "%lx %s\n", TEXT + f->at + 4, f->name);
	});

	vmlinux = btf__new_empty();
	types[NUMBER] = btf__add_int(vmlinux, "unsigned long", 8, 0);
	types[LARGE] = add_struct(vmlinux, "large", 3);
	types[HALF] = add_struct(vmlinux, "half", 2);
	types[REAL] = btf__add_float(vmlinux, "double", 8);
	types[CONSTANT] = btf__add_const(vmlinux, btf__add_typedef(vmlinux, "ulong", types[NUMBER]));
	for_each(f, functions) {
		if (strchr(f->in, 't'))
			add_function(vmlinux, f);
	}
	symbols = symbols_of(kallsyms, NULL);
	traceable = functions_of(list, symbols);
	fentry_ids__begin(&ids, traceable, symbols);
	fentry_ids__add(&ids, vmlinux, NULL);
}

static void end(void)
{
	fentry_ids__free(&ids);
	traceable__free(traceable);
	symbols__free(symbols);
	btf__free(vmlinux);
}

TestSuite(fentry_ids, .init = begin, .fini = end);

/* What is said about the function at an address. */
static const struct fentry_id *at(uint64_t addr)
{
	return &ids.list[traceable__find(traceable, TEXT + addr) - traceable__at(traceable, 0)];
}

static __u32 id_of(const char *name)
{
	return btf__find_by_name_kind(vmlinux, name, BTF_KIND_FUNC);
}

Test(fentry_ids, those_that_fit_and_why_the_others_do_not)
{
	for_each(f, functions) {
		if (strchr(f->in, 'l') && !strchr(f->name, '\t'))
			cr_expect(at(f->at)->fit == f->fit, "%s: %d", f->name, at(f->at)->fit);
	}
	cr_expect(at(0x100)->id == id_of("fits"));
	cr_expect(fentry_ids__find(&ids, "fits", NULL) == at(0x100));
	cr_expect(fentry_ids__find(&ids, "static_one", NULL) == NULL, "there are two");
	cr_expect(fentry_ids__find(&ids, "static_on", NULL) == NULL);
}

Test(fentry_ids, a_module_has_types_of_its_own)
{
	struct btf *module = btf__new_empty_split(vmlinux);
	__u32 in_module = add_function(module, &(struct function){ .name = "fits", .count = 1, .argument = NUMBER });

	cr_expect(at(0x100000)->fit == FENTRY_NO_TYPE, "the type of vmlinux's is not of the module's");
	cr_expect(at(0x100100)->fit == FENTRY_NO_TYPE);
	fentry_ids__add(&ids, module, "mod_two");
	cr_expect(at(0x100000)->fit == FENTRY_FITS);
	cr_expect(at(0x100000)->id == in_module);
	cr_expect(fentry_ids__find(&ids, "fits", "mod_two") == at(0x100000));
	cr_expect(at(0x100)->id == id_of("fits"), "a namesake in a module is none");
	btf__free(module);
}

/* ---- what the kernel refuses all the same */

/* A kernel that refuses some numbers. */
struct refusing {
	const __u32 *bad;
	size_t bad_count;
	int err;			/* what it says to them */
	size_t calls;
	__u32 last[64];			/* the last list that was accepted, and its length */
	size_t last_count;
};

static int try_refusing(void *context, const __u32 *ids, size_t count)
{
	struct refusing *r = context;

	r->calls++;
	cr_assert(count > 0);
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < r->bad_count; j++) {
			if (ids[i] == r->bad[j])
				return r->err;
		}
	}
	memcpy(r->last, ids, count * sizeof(*ids));
	r->last_count = count;
	return open("/dev/null", O_RDONLY);
}

static int link_refusing(struct refusing *r, struct fentry_try *list)
{
	static __u32 ids[64];
	static size_t indices[64];

	*list = (struct fentry_try){ ids, indices, 64, -1 };
	for (size_t i = 0; i < 64; i++) {
		ids[i] = 100 + i;
		indices[i] = i;
	}
	return fentry_try__link(list, try_refusing, r);
}

Test(fentry_try, a_list_without_refused_ones_is_attached_at_once)
{
	struct refusing r = {};
	struct fentry_try list;

	cr_expect(link_refusing(&r, &list) >= 0);
	cr_expect(r.calls == 1 && list.count == 64);
}

Test(fentry_try, refused_ones_are_found_and_the_others_attached_by_one_link)
{
	static const __u32 bad[] = { 100, 117, 118, 163 };
	struct refusing r = { bad, 4, -EINVAL };
	struct fentry_try list;

	cr_expect(link_refusing(&r, &list) >= 0);
	cr_expect(list.count == 60 && r.last_count == 60);
	for (size_t i = 0; i < list.count; i++) {
		cr_expect(list.ids[i] == 100 + list.indices[i], "what a function is known by goes with it");
		cr_expect(r.last[i] == list.ids[i]);
		cr_expect(i == 0 || list.ids[i] > list.ids[i - 1], "no other is lost, and none is there twice");
	}
	cr_expect(r.calls < 64, "%zu calls: it does not try each one", r.calls);
}

Test(fentry_try, if_all_are_refused_it_says_so_and_keeps_the_reason)
{
	__u32 bad[64];
	struct refusing r = { bad, 64, -EBUSY };
	struct fentry_try list;

	for (size_t i = 0; i < 64; i++)
		bad[i] = 100 + i;
	cr_expect(link_refusing(&r, &list) == -ENOENT && list.refusal == -EBUSY);
	r.bad_count = 0;
	cr_expect(link_refusing(&r, &list) >= 0 && !list.refusal);
}

Test(fentry_try, a_failure_that_no_function_causes_ends_it)
{
	static const __u32 bad[] = { 110 };
	struct refusing r = { bad, 1, -ENOMEM };
	struct fentry_try list;

	cr_expect(link_refusing(&r, &list) == -ENOMEM);
	cr_expect(r.calls == 1);
}
