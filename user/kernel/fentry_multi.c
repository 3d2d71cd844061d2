// SPDX-License-Identifier: GPL-2.0-only
/* Links of fentry.multi, and which functions they can take; see fentry_multi.h. */
#include <bpf/bpf.h>
#include <sys/syscall.h>

#include "base/index.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/fentry_multi.h"

/* ---- links */

/* Each of hytrace's programs has fewer functions. */
#define MOST_FUNCTIONS 16

/* The part of union bpf_attr that BPF_LINK_CREATE uses here; the kernel takes the rest as 0. */
struct link_attr {
	__u32 program, target, attach_type, flags;
	__u64 ids, cookies;
	__u32 count, reserved;
};

void tracing_multi__choose(struct bpf_program *program)
{
	bpf_program__set_type(program, BPF_PROG_TYPE_TRACING);
	bpf_program__set_expected_attach_type(program, (enum bpf_attach_type)ATTACH_FENTRY_MULTI);
}

/* Adds a function that begins at @start, in order. */
static void add_start(struct bpf_func_info *functions, __u32 *count, __u32 start)
{
	__u32 at = *count;

	while (at && functions[at - 1].insn_off > start)
		at--;
	if ((at && functions[at - 1].insn_off == start) || *count == MOST_FUNCTIONS)
		return;
	memmove(&functions[at + 1], &functions[at], (*count - at) * sizeof(*functions));
	functions[at].insn_off = start;
	++*count;
}

/* Finds where the functions of a program begin: at its start, and where its calls lead. */
static __u32 find_functions(struct bpf_func_info *ret, const struct bpf_insn *insns, size_t insn_count)
{
	__u32 count = 0;

	add_start(ret, &count, 0);
	for (size_t i = 0; i < insn_count; i++) {
		if (insns[i].code == (BPF_JMP | BPF_CALL) && insns[i].src_reg == BPF_PSEUDO_CALL)
			add_start(ret, &count, i + 1 + insns[i].imm);
	}
	return count;
}

/* Reads the types of a program's functions, in order, and opens the BTF that has them. */
static int read_types(int program, struct bpf_func_info *ret, __u32 count)
{
	struct bpf_func_info functions[MOST_FUNCTIONS];
	struct bpf_prog_info info = {
		.func_info = (uintptr_t)functions, .func_info_rec_size = sizeof(*functions),
		.nr_func_info = MOST_FUNCTIONS,
	};
	__u32 size = sizeof(info);
	int err = bpf_prog_get_info_by_fd(program, &info, &size), btf;

	if (err)
		return err;
	if (info.nr_func_info != count)
		return -EINVAL;
	/* Take only the types: the offsets are places in the code as the kernel has rewritten it. */
	for (__u32 i = 0; i < count; i++)
		ret[i].type_id = functions[i].type_id;
	btf = bpf_btf_get_fd_by_id(info.btf_id);
	return btf < 0 ? -errno : btf;
}

/* After loading, bpf_program__insns() returns the instructions as they were loaded. */
int tracing_multi__clone(const struct bpf_program *program, int btf)
{
	const struct bpf_insn *insns = bpf_program__insns(program);
	size_t insn_count = bpf_program__insn_cnt(program);
	struct bpf_func_info functions[MOST_FUNCTIONS + 1];
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .attach_btf_obj_fd = btf, .func_info = functions,
		    .func_info_rec_size = sizeof(*functions),
		    .expected_attach_type = (enum bpf_attach_type)ATTACH_FENTRY_MULTI);
	int own, fd;

	opts.func_info_cnt = find_functions(functions, insns, insn_count);
	own = read_types(bpf_program__fd(program), functions, opts.func_info_cnt);
	if (own < 0)
		return own;
	opts.prog_btf_fd = own;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, bpf_program__name(program), "GPL", insns, insn_count, &opts);
	close(own);
	return fd;
}

int tracing_multi__link(int program, const __u32 *ids, size_t count)
{
	struct link_attr attr = {
		.program = program, .attach_type = ATTACH_FENTRY_MULTI, .ids = (uintptr_t)ids, .count = count,
	};
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

/* ---- functions */

/* From the kernel's bpf_check_attach_btf_id_multi(), btf_distill_func_proto() and its JIT for x86. */
#define LARGEST_ARGUMENT 16
#define MOST_WORDS 12

/*
 * The trampoline calls these functions each time a program runs. The kernel refuses to attach to
 * the listed names, but not to each function that ends a read-side section of RCU: sometimes
 * __rcu_read_unlock() calls more of RCU's functions. A trampoline on such a function would call it
 * again, and so on, until the stack overflows. Such functions differ between kernels, so all of
 * RCU's are left to kprobe.multi, which guards against recursion.
 */
static bool is_denied(const char *name)
{
	static const char *const names[] = {
		"migrate_disable", "migrate_enable", "___migrate_enable", "preempt_count_add", "preempt_count_sub",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return !strncmp(name + strspn(name, "_"), "rcu_", 4);
}

/* ---- names */

/* The first function in @module, from @one on in the chain of namesakes; NULL: there is none. */
static struct fentry_id *of_module(const struct fentry_ids *ids, struct fentry_id *one, const char *module)
{
	while (one && !text__equals(traceable__at(ids->traceable, one - ids->list)->module, module))
		one = one->namesake;
	return one;
}

/* Hashed, because many names are looked up: of nearly all symbols, and of all functions in BTF. */
static struct fentry_id *find(const struct fentry_ids *ids, const char *name, const char *module)
{
	struct lh_entry *entry = lh_table_lookup_entry(ids->names, name);

	return of_module(ids, entry ? lh_entry_v(entry) : NULL, module);
}

static void index_names(struct fentry_ids *ids)
{
	size_t count = traceable__count(ids->traceable);

	ids->names = index__new(2 * count + 1, NULL);
	for (size_t i = 0; i < count; i++) {
		const char *name = traceable__at(ids->traceable, i)->name;
		struct lh_entry *entry = lh_table_lookup_entry(ids->names, name);

		ids->list[i].namesake = entry ? lh_entry_v(entry) : NULL;
		if (entry)
			lh_entry_set_val(entry, &ids->list[i]);
		else
			index__add(ids->names, name, &ids->list[i]);
	}
}

static void mark_namesakes(struct fentry_ids *ids, const char *name, const char *module)
{
	for (struct fentry_id *one = find(ids, name, module); one; one = of_module(ids, one->namesake, module))
		one->fit = FENTRY_NAMESAKE;
}

/*
 * The kernel attaches to the first symbol of a name. If a name has several symbols, this may be
 * another function, traceable or not.
 */
void fentry_ids__begin(struct fentry_ids *ids, const struct traceable *t, const struct symbols *symbols)
{
	size_t count = traceable__count(t), at = 0;

	*ids = (struct fentry_ids){ .traceable = t, .list = xcalloc(count, sizeof(*ids->list)) };
	index_names(ids);
	for (size_t i = 0; i < symbols__count(symbols); i++) {
		const struct symbol *sym = symbols__at(symbols, i);

		while (at < count && traceable__at(t, at)->entry < sym->addr)
			at++;
		/* Skip the function's own symbol; add_function() marks traceable namesakes. */
		if (at == count || traceable__at(t, at)->entry != sym->addr ||
		    strcmp(traceable__at(t, at)->name, sym->name))
			mark_namesakes(ids, sym->name, sym->module);
	}
}

const struct fentry_id *fentry_ids__find(const struct fentry_ids *ids, const char *name, const char *module)
{
	const struct fentry_id *one = find(ids, name, module);

	return one && !of_module(ids, one->namesake, module) ? one : NULL;
}

void fentry_ids__free(struct fentry_ids *ids)
{
	free(ids->list);
	if (ids->names)
		lh_table_free(ids->names);
	*ids = (struct fentry_ids){};
}

/* ---- types */

/* The size of a type as the kernel sees it, or -1. @ret: the type without modifiers, typedefs. */
static int size_of(const struct btf *btf, __u32 id, const struct btf_type **ret)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	while (type && (btf_is_mod(type) || btf_is_typedef(type)))
		type = btf__type_by_id(btf, type->type);
	*ret = type;
	if (!type)
		return -1;
	if (btf_is_void(type))
		return 0;
	if (btf_is_ptr(type))
		return sizeof(void *);
	return btf_is_int(type) || btf_is_any_enum(type) || btf_is_composite(type) ? (int)type->size : -1;
}

static enum fentry_fit judge(const struct btf *btf, const struct btf_type *function)
{
	const struct btf_type *proto = btf__type_by_id(btf, function->type), *type;
	const struct btf_param *params;
	int size, words = 0;
	__u32 count;

	if (!proto || !btf_is_func_proto(proto))
		return FENTRY_NO_TYPE;
	size = size_of(btf, proto->type, &type);
	if (size < 0 || btf_is_composite(type))
		return FENTRY_RETURN;
	params = btf_params(proto);
	/* The type of btf_vlen() differs between versions of libbpf. */
	count = btf_vlen(proto);
	for (__u32 i = 0; i < count; i++) {
		if (i == count - 1 && !params[i].type)
			return FENTRY_VARARGS;
		size = size_of(btf, params[i].type, &type);
		if (size <= 0 || size > LARGEST_ARGUMENT)
			return FENTRY_ARGUMENT;
		words += (size + 7) / 8;
	}
	return words > MOST_WORDS ? FENTRY_MANY : FENTRY_FITS;
}

/* ---- names and types */

static void add_function(struct fentry_ids *ids, const struct btf *btf, __u32 id, const char *module)
{
	const struct btf_type *type = btf__type_by_id(btf, id);
	const char *name = btf__name_by_offset(btf, type->name_off);
	struct fentry_id *one = name ? find(ids, name, module) : NULL;

	if (!one)
		return;
	one->id = id;
	/* If a name has several types or functions, nothing says which type is whose. */
	if (one->fit != FENTRY_NO_TYPE || of_module(ids, one->namesake, module))
		mark_namesakes(ids, name, module);
	else
		one->fit = is_denied(name) ? FENTRY_DENIED : judge(btf, type);
}

void fentry_ids__add(struct fentry_ids *ids, const struct btf *btf, const char *module)
{
	const struct btf *base = btf__base_btf(btf);
	__u32 end = btf__type_cnt(btf);

	for (__u32 i = base ? btf__type_cnt(base) : 1; i < end; i++) {
		if (btf_is_func(btf__type_by_id(btf, i)))
			add_function(ids, btf, i, module);
	}
}

/* ---- functions that the kernel refuses nevertheless */

/* From the kernel's own include/linux/errno.h: a program cannot be attached. */
#define ENOTSUPP 524

/* Is the error about a function of the list, rather than about the whole system? */
static bool is_refusal(int err)
{
	static const int list[] = { EINVAL, ENOENT, EOPNOTSUPP, ENOTSUPP, EBUSY, E2BIG, ENODEV, EEXIST };

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (err == -list[i])
			return true;
	}
	return false;
}

/*
 * Moves the functions from @first to @end that the kernel accepts to @to. Returns their new end, or
 * a negative errno. An accepted half is attached, and detached at once.
 */
static ssize_t keep_accepted(struct fentry_try *list, size_t first, size_t end, size_t to,
			     int (*link)(void *context, const __u32 *ids, size_t count), void *context)
{
	size_t middle = first + (end - first) / 2;
	int fd = link(context, list->ids + first, end - first);
	ssize_t kept;

	if (fd >= 0) {
		close(fd);
		memmove(list->ids + to, list->ids + first, (end - first) * sizeof(*list->ids));
		memmove(list->indices + to, list->indices + first, (end - first) * sizeof(*list->indices));
		return to + end - first;
	}
	if (!is_refusal(fd))
		return fd;
	if (end - first == 1)
		return to;
	kept = keep_accepted(list, first, middle, to, link, context);
	return kept < 0 ? kept : keep_accepted(list, middle, end, kept, link, context);
}

int fentry_try__link(struct fentry_try *list, int (*link)(void *context, const __u32 *ids, size_t count),
		     void *context)
{
	int fd = link(context, list->ids, list->count);
	ssize_t kept;

	list->refusal = is_refusal(fd) ? fd : 0;
	if (!list->refusal)
		return fd;
	kept = keep_accepted(list, 0, list->count, 0, link, context);
	if (kept <= 0)
		return kept ?: -ENOENT;
	list->count = kept;
	return link(context, list->ids, list->count);
}
