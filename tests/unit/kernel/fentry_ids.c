// SPDX-License-Identifier: GPL-2.0
/*
 * Which functions can be attached to by fentry.multi, for a made-up kernel with made-up types, and
 * what is done if the kernel refuses one all the same.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel/fentry_multi.h"
#include "kernel/sample.h"

/* ---- the kernel */

static const char kallsyms[] =
	"ffffffff82000100 T fits\n"
	"ffffffff82000100 T alias_of_fits\n"
	"ffffffff82000200 t no_arguments\n"
	"ffffffff82000300 t untyped.isra.0\n"
	"ffffffff82000400 t static_one\n"
	"ffffffff82000500 t static_one\n"
	"ffffffff82000600 T with_twin\n"
	"ffffffff82000700 t with_twin\n"		/* cannot be traced */
	"ffffffff82000800 T two_types\n"
	"ffffffff82000900 T varargs\n"
	"ffffffff82000a00 T returns_struct\n"
	"ffffffff82000b00 T large_argument\n"
	"ffffffff82000c00 T struct_of_16\n"
	"ffffffff82000d00 T float_argument\n"
	"ffffffff82000e00 T twelve\n"
	"ffffffff82000f00 T thirteen\n"
	"ffffffff82001000 T seven_of_16\n"
	"ffffffff82001100 T migrate_enable\n"
	"ffffffff82001200 T __rcu_read_unlock\n"
	"ffffffff82001300 t rcu_read_unlock_special\n"
	"ffffffff82001400 T srcu_like\n"
	"ffffffffc0400000 t fits\t[mod_two]\n"
	"ffffffffc0400100 t two_open\t[mod_two]\n";

static const char functions[] =
	"ffffffff82000104 fits\n"
	"ffffffff82000204 no_arguments\n"
	"ffffffff82000304 untyped.isra.0\n"
	"ffffffff82000404 static_one\n"
	"ffffffff82000504 static_one\n"
	"ffffffff82000604 with_twin\n"
	"ffffffff82000804 two_types\n"
	"ffffffff82000904 varargs\n"
	"ffffffff82000a04 returns_struct\n"
	"ffffffff82000b04 large_argument\n"
	"ffffffff82000c04 struct_of_16\n"
	"ffffffff82000d04 float_argument\n"
	"ffffffff82000e04 twelve\n"
	"ffffffff82000f04 thirteen\n"
	"ffffffff82001004 seven_of_16\n"
	"ffffffff82001104 migrate_enable\n"
	"ffffffff82001204 __rcu_read_unlock\n"
	"ffffffff82001304 rcu_read_unlock_special\n"
	"ffffffff82001404 srcu_like\n"
	"ffffffffc0400004 fits [mod_two]\n"
	"ffffffffc0400104 two_open [mod_two]\n";

struct types {
	struct btf *btf;
	int number, large, half, real, constant;
};

static int add_struct(struct btf *btf, const char *name, int member, int members)
{
	int id = btf__add_struct(btf, name, 8 * members);

	for (int i = 0; i < members; i++) {
		char field[16];

		snprintf(field, sizeof(field), "f%d", i);
		cr_assert(btf__add_field(btf, field, member, 64 * i, 0) == 0);
	}
	return id;
}

static struct types make_types(void)
{
	struct types t = { .btf = btf__new_empty() };

	t.number = btf__add_int(t.btf, "unsigned long", 8, 0);
	t.large = add_struct(t.btf, "large", t.number, 3);
	t.half = add_struct(t.btf, "half", t.number, 2);
	t.real = btf__add_float(t.btf, "double", 8);
	t.constant = btf__add_const(t.btf, btf__add_typedef(t.btf, "ulong", t.number));
	return t;
}

/* Adds a function with @count arguments of one type. Returns its number. */
static int add_function(struct btf *btf, const char *name, int ret, int count, int argument, bool varargs)
{
	int proto = btf__add_func_proto(btf, ret);

	for (int i = 0; i < count; i++)
		cr_assert(btf__add_func_param(btf, "a", argument) == 0);
	if (varargs)
		cr_assert(btf__add_func_param(btf, "", 0) == 0);
	return btf__add_func(btf, name, BTF_FUNC_GLOBAL, proto);
}

static struct types vmlinux_types(int *ret_fits)
{
	struct types t = make_types();
	struct btf *b = t.btf;

	*ret_fits = add_function(b, "fits", t.number, 2, t.constant, false);
	add_function(b, "alias_of_fits", t.number, 2, t.constant, false);
	add_function(b, "no_arguments", 0, 0, 0, false);
	add_function(b, "untyped", 0, 0, 0, false);
	add_function(b, "static_one", 0, 0, 0, false);
	add_function(b, "with_twin", 0, 0, 0, false);
	add_function(b, "two_types", 0, 0, 0, false);
	add_function(b, "two_types", 0, 1, t.number, false);
	add_function(b, "varargs", 0, 1, t.number, true);
	add_function(b, "returns_struct", t.half, 0, 0, false);
	add_function(b, "large_argument", 0, 1, t.large, false);
	add_function(b, "struct_of_16", 0, 1, t.half, false);
	add_function(b, "float_argument", 0, 1, t.real, false);
	add_function(b, "twelve", 0, 12, t.number, false);
	add_function(b, "thirteen", 0, 13, t.number, false);
	add_function(b, "seven_of_16", 0, 7, t.half, false);
	add_function(b, "migrate_enable", 0, 0, 0, false);
	add_function(b, "__rcu_read_unlock", 0, 0, 0, false);
	add_function(b, "rcu_read_unlock_special", 0, 0, 0, false);
	add_function(b, "srcu_like", 0, 0, 0, false);
	add_function(b, "two_open", 0, 0, 0, false);
	return t;
}

struct sample {
	struct symbols *symbols;
	struct traceable *traceable;
	struct fentry_ids ids;
};

static struct sample read_kernel(void)
{
	FILE *f = sample_file(kallsyms), *list = sample_file(functions);
	struct sample k = {};

	cr_assert(symbols__read(&k.symbols, f, NULL) == 0);
	cr_assert(traceable__read(&k.traceable, list, k.symbols) == 0);
	fentry_ids__begin(&k.ids, k.traceable, k.symbols);
	fclose(f);
	fclose(list);
	return k;
}

static void free_sample(struct sample *k)
{
	fentry_ids__free(&k->ids);
	traceable__free(k->traceable);
	symbols__free(k->symbols);
}

/* What is said about the function at an address. */
static const struct fentry_id *at(const struct sample *k, uint64_t addr)
{
	return &k->ids.list[traceable__find(k->traceable, addr) - traceable__at(k->traceable, 0)];
}

Test(fentry_ids, those_that_fit_and_why_the_others_do_not)
{
	static const struct {
		const char *name;
		uint64_t addr;
		enum fentry_fit fit;
	} rows[] = {
		{ "fits", 0xffffffff82000100, FENTRY_FITS },
		{ "no_arguments", 0xffffffff82000200, FENTRY_FITS },
		{ "untyped.isra.0", 0xffffffff82000300, FENTRY_NO_TYPE },
		{ "static_one", 0xffffffff82000400, FENTRY_NAMESAKE },
		{ "static_one", 0xffffffff82000500, FENTRY_NAMESAKE },
		{ "with_twin", 0xffffffff82000600, FENTRY_NAMESAKE },
		{ "two_types", 0xffffffff82000800, FENTRY_NAMESAKE },
		{ "varargs", 0xffffffff82000900, FENTRY_VARARGS },
		{ "returns_struct", 0xffffffff82000a00, FENTRY_RETURN },
		{ "large_argument", 0xffffffff82000b00, FENTRY_ARGUMENT },
		{ "struct_of_16", 0xffffffff82000c00, FENTRY_FITS },
		{ "float_argument", 0xffffffff82000d00, FENTRY_ARGUMENT },
		{ "twelve", 0xffffffff82000e00, FENTRY_FITS },
		{ "thirteen", 0xffffffff82000f00, FENTRY_MANY },
		{ "seven_of_16", 0xffffffff82001000, FENTRY_MANY },
		{ "migrate_enable", 0xffffffff82001100, FENTRY_DENIED },
		{ "__rcu_read_unlock", 0xffffffff82001200, FENTRY_DENIED },
		{ "rcu_read_unlock_special", 0xffffffff82001300, FENTRY_DENIED },
		{ "srcu_like", 0xffffffff82001400, FENTRY_FITS },
	};
	struct sample k = read_kernel();
	int fits;
	struct types t = vmlinux_types(&fits);

	fentry_ids__add(&k.ids, t.btf, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect(at(&k, rows[i].addr)->fit == rows[i].fit, "%s: %d", rows[i].name, at(&k, rows[i].addr)->fit);
	cr_expect(at(&k, 0xffffffff82000100)->id == (__u32)fits);
	cr_expect(fentry_ids__find(&k.ids, "fits", NULL) == at(&k, 0xffffffff82000100));
	cr_expect(fentry_ids__find(&k.ids, "static_one", NULL) == NULL, "there are two");
	cr_expect(fentry_ids__find(&k.ids, "static_on", NULL) == NULL);
	btf__free(t.btf);
	free_sample(&k);
}

Test(fentry_ids, a_module_has_types_of_its_own)
{
	struct sample k = read_kernel();
	int fits, in_module;
	struct types t = vmlinux_types(&fits);
	struct btf *module = btf__new_empty_split(t.btf);

	in_module = add_function(module, "fits", 0, 1, t.number, false);
	fentry_ids__add(&k.ids, t.btf, NULL);
	cr_expect(at(&k, 0xffffffffc0400000)->fit == FENTRY_NO_TYPE, "the type of vmlinux's is not of the module's");
	cr_expect(at(&k, 0xffffffffc0400100)->fit == FENTRY_NO_TYPE);
	fentry_ids__add(&k.ids, module, "mod_two");
	cr_expect(at(&k, 0xffffffffc0400000)->fit == FENTRY_FITS);
	cr_expect(at(&k, 0xffffffffc0400000)->id == (__u32)in_module);
	cr_expect(fentry_ids__find(&k.ids, "fits", "mod_two") == at(&k, 0xffffffffc0400000));
	cr_expect(at(&k, 0xffffffff82000100)->id == (__u32)fits, "a namesake in a module is none");
	btf__free(module);
	btf__free(t.btf);
	free_sample(&k);
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
