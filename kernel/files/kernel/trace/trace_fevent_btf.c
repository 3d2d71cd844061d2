// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: fields that are named by BTF.
 *
 * "file->f_inode.i_ino" is followed here from type to type, once, when the event
 * is made. What comes out is struct fevent_target: the register argument to start
 * from, the offsets at which pointers are to be loaded, and the type at the end.
 *
 * Which register an argument is in follows from the arguments before it, as long
 * as each of those takes one register. A struct that is passed by value, or 128
 * bits, may take none or two: what comes behind it is refused.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/stringhash.h>

#include "trace_btf.h"
#include "trace_fevent.h"

struct fevent_func {
	struct btf		*btf;
	const struct btf_type	*proto;
	const struct btf_param	*params;
	s32			nr_params;
};

/*
 * The kernel's BTF has no index of names: to find one function is to go through
 * all types, which is too much for each of thousands of events. So one write makes
 * an index of the functions, when it first needs it. Under event_mutex.
 */
struct fevent_btf_index {
	unsigned int	bits;
	u32		ids[];		/* 0: the slot is empty */
};

static struct fevent_btf_index *fevent_btf_index;

static u32 fevent_name_hash(const char *name)
{
	return full_name_hash(NULL, name, strlen(name));
}

static const char *fevent_btf_func_name(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_type_by_id(btf, id);

	return t && btf_type_is_func(t) ? btf_name_by_offset(btf, t->name_off) : NULL;
}

static void fevent_make_index(const struct btf *btf)
{
	u32 id, nr = 0, nr_types = btf_nr_types(btf), slot, mask;
	struct fevent_btf_index *index;
	const char *name;

	for (id = 1; id < nr_types; id++)
		nr += !!fevent_btf_func_name(btf, id);
	index = kvzalloc(struct_size(index, ids, roundup_pow_of_two(2 * nr + 1)), GFP_KERNEL);
	if (!index)
		return;
	index->bits = ilog2(roundup_pow_of_two(2 * nr + 1));
	mask = (1U << index->bits) - 1;
	for (id = 1; id < nr_types; id++) {
		name = fevent_btf_func_name(btf, id);
		if (!name)
			continue;
		slot = fevent_name_hash(name);
		while (index->ids[slot & mask])
			slot++;
		index->ids[slot & mask] = id;
	}
	fevent_btf_index = index;
}

/* The prototype of a function of the kernel proper, with a reference to its BTF. */
static const struct btf_type *fevent_find_proto(const char *func, struct btf **ret_btf)
{
	struct btf *btf = bpf_get_btf_vmlinux();
	const struct btf_type *t;
	u32 slot, mask, id;

	if (IS_ERR_OR_NULL(btf))
		return NULL;
	if (!fevent_btf_index)
		fevent_make_index(btf);
	if (!fevent_btf_index)
		return btf_find_func_proto(func, ret_btf);
	mask = (1U << fevent_btf_index->bits) - 1;
	for (slot = fevent_name_hash(func); (id = fevent_btf_index->ids[slot & mask]); slot++) {
		if (strcmp(fevent_btf_func_name(btf, id), func))
			continue;
		t = btf_type_by_id(btf, btf_type_by_id(btf, id)->type);
		if (!t || !btf_type_is_func_proto(t))
			return NULL;
		btf_get(btf);
		*ret_btf = btf;
		return t;
	}
	return NULL;
}

/**
 * fevent_btf_done - no more functions are going to be looked up
 *
 * Context: Process context, event_mutex is held.
 */
void fevent_btf_done(void)
{
	kvfree(fevent_btf_index);
	fevent_btf_index = NULL;
}

static int fevent_func_get(const struct fevent_proto *proto, struct fevent_func *ret_func)
{
	/* btf_find_func_proto() looks into the modules' BTF, too, for what is left. */
	if (proto->module)
		ret_func->proto = btf_find_func_proto(proto->func, &ret_func->btf);
	else
		ret_func->proto = fevent_find_proto(proto->func, &ret_func->btf);
	if (!ret_func->proto)
		return -ENOENT;
	ret_func->nr_params = 0;
	ret_func->params = btf_get_func_param(ret_func->proto, &ret_func->nr_params);
	return 0;
}

static void fevent_func_put(struct fevent_func *func)
{
	btf_put(func->btf);
}

static const char *fevent_param_name(const struct fevent_func *func, int i)
{
	return btf_name_by_offset(func->btf, func->params[i].name_off) ?: "";
}

static int fevent_find_param(const struct fevent_func *func, const char *name)
{
	int i;

	for (i = 0; i < func->nr_params; i++) {
		if (!strcmp(fevent_param_name(func, i), name))
			return i;
	}
	return -ENOENT;
}

static bool fevent_takes_one_register(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf, id, NULL);

	if (!t)
		return false;
	if (btf_type_is_ptr(t))
		return true;
	if (!btf_type_is_int(t) && !btf_is_any_enum(t))
		return false;
	return t->size <= sizeof(long);
}

/* The register of parameter @nr, or -EINVAL if that cannot be told from BTF. */
static int fevent_param_register(const struct fevent_func *func, int nr)
{
	int i;

	for (i = 0; i <= nr; i++) {
		if (!fevent_takes_one_register(func->btf, func->params[i].type))
			return -EINVAL;
	}
	return nr;
}

/**
 * fevent_btf_expand - the fields that '...' stands for
 * @proto: the prototype
 * @ret_fields: the fields, to be freed by kfree()
 * @ret_nr: how many
 * @complaint: where to say what is wrong
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINVAL with @complaint filled in, or -ENOMEM.
 */
int fevent_btf_expand(struct fevent_proto *proto, struct fevent_field **ret_fields,
		      unsigned int *ret_nr, struct fevent_complaint *complaint)
{
	struct fevent_field *fields;
	struct fevent_func func;
	size_t len, size = 0;
	char *names;
	int i, ret = 0;

	if (fevent_func_get(proto, &func))
		return fevent_complain(complaint, NO_BTF, proto->args_column);
	if (func.nr_params > FEVENT_MAX_ARGS) {
		ret = fevent_complain_with(complaint, TOO_MANY_ARGS, proto->args_column,
					   "%s has %d", proto->func, func.nr_params);
		goto cleanup;
	}
	for (i = 0; i < func.nr_params; i++)
		size += sizeof(*fields) + strlen(fevent_param_name(&func, i)) + 1;
	fields = kzalloc(size, GFP_KERNEL);
	if (!fields && size) {
		ret = -ENOMEM;
		goto cleanup;
	}
	names = (char *)(fields + func.nr_params);
	for (i = 0; i < func.nr_params; i++) {
		len = strlen(fevent_param_name(&func, i)) + 1;
		memcpy(names, fevent_param_name(&func, i), len);
		fields[i].source = FEVENT_PATH;
		fields[i].base = names;
		fields[i].name = names;
		fields[i].column = proto->args_column;
		fields[i].name_column = proto->args_column;
		fields[i].base_column = proto->args_column;
		names += len;
		if (fevent_field_name_reserved(fields[i].name)) {
			kfree(fields);
			ret = fevent_complain_with(complaint, RESERVED_FIELD, proto->args_column,
						   "an argument's name");
			goto cleanup;
		}
	}
	*ret_fields = fields;
	*ret_nr = func.nr_params;
cleanup:
	fevent_func_put(&func);
	return ret;
}

/**
 * fevent_btf_check_position - does a field have another argument's name?
 * @proto: the prototype
 * @field: a field with a name that is the value of a register
 *
 * Context: Process context, may sleep.
 * Return: 0, also if nothing is known of the function; -EINVAL if the function has
 * an argument of that name in another register.
 */
int fevent_btf_check_position(const struct fevent_proto *proto, const struct fevent_field *field)
{
	struct fevent_func func;
	int i, ret = 0;

	if (proto->glob || fevent_func_get(proto, &func))
		return 0;
	i = fevent_find_param(&func, field->name);
	if (i >= 0 && fevent_param_register(&func, i) >= 0 && i != field->arg)
		ret = -EINVAL;
	fevent_func_put(&func);
	return ret;
}

/**
 * fevent_btf_check_return - can the function have a return value?
 * @proto: the prototype of a return event
 * @complaint: where to say what is wrong
 *
 * Context: Process context, may sleep.
 * Return: 0, also if nothing is known of the function; -EINVAL if it is void.
 */
int fevent_btf_check_return(const struct fevent_proto *proto, struct fevent_complaint *complaint)
{
	struct fevent_func func;
	int ret = 0;

	if (proto->glob || proto->ret_type == FEVENT_T_VOID || fevent_func_get(proto, &func))
		return 0;
	if (!func.proto->type)
		ret = fevent_complain(complaint, NO_RETVAL, proto->ret_column);
	fevent_func_put(&func);
	return ret;
}

/* ---- from type to type ---- */

struct fevent_walk {
	const struct btf	*btf;
	const struct btf_type	*type;		/* of what was reached, no modifiers */
	u32			bit_offset;	/* within what the last step points to */
	u32			bit_size;	/* of a bit field */
	struct fevent_target	*target;
};

/* Whether there is a const anywhere between an id and the type proper. */
static bool fevent_is_const(const struct btf *btf, u32 id)
{
	const struct btf_type *t;

	for (t = btf_type_by_id(btf, id); t; t = btf_type_by_id(btf, t->type)) {
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_CONST:
			return true;
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_TYPE_TAG:
			break;
		default:
			return false;
		}
	}
	return false;
}

static int fevent_walk_set_type(struct fevent_walk *walk, u32 id)
{
	walk->type = btf_type_skip_modifiers(walk->btf, id, NULL);
	return walk->type ? 0 : -EINVAL;
}

/* Goes on from where the value points to. */
static int fevent_walk_follow(struct fevent_walk *walk, unsigned int offset)
{
	struct fevent_target *target = walk->target;

	if (target->nr_steps == ARRAY_SIZE(target->steps))
		return -E2BIG;
	/* What was reached in memory is a pointer, which the next step loads first. */
	target->in_memory = true;
	target->steps[target->nr_steps++] = offset;
	return 0;
}

static void fevent_walk_move(struct fevent_walk *walk, unsigned int offset)
{
	walk->target->steps[walk->target->nr_steps - 1] += offset;
}

/* The member whose name takes the smallest change, in one place, to become @name. */
static const char *fevent_nearest_member(const struct btf *btf, const struct btf_type *t,
					 const char *name)
{
	const struct btf_member *member;
	const char *candidate, *nearest = NULL;
	size_t distance, best = 4;
	int i;

	for_each_member(i, t, member) {
		candidate = btf_name_by_offset(btf, member->name_off);
		if (!candidate || !*candidate)
			continue;
		distance = fevent_distance(candidate, name);
		if (distance < best) {
			best = distance;
			nearest = candidate;
		}
	}
	return nearest;
}

static int fevent_no_member(struct fevent_walk *walk, const struct fevent_step *step,
			    struct fevent_complaint *complaint)
{
	const char *name = btf_name_by_offset(walk->btf, walk->type->name_off);
	const char *nearest = fevent_nearest_member(walk->btf, walk->type, step->member);

	return fevent_complain_with(complaint, NO_SUCH_MEMBER, step->column,
				    "%s has no member %s%s%s",
				    name && *name ? name : "this struct",
				    step->member, nearest ? ", did you mean " : "", nearest ?: "");
}

static int fevent_walk_member(struct fevent_walk *walk, const struct fevent_step *step,
			      struct fevent_complaint *complaint)
{
	const struct btf_member *member;
	const struct btf_type *in;
	u32 anon_offset = 0, bits;

	member = btf_find_struct_member((struct btf *)walk->btf, walk->type, step->member,
					&anon_offset, &in);
	if (IS_ERR(member))
		return PTR_ERR(member);
	if (!member)
		return fevent_no_member(walk, step, complaint);
	bits = anon_offset + __btf_member_bit_offset(in, member);
	walk->bit_size = __btf_member_bitfield_size(in, member);
	walk->bit_offset = bits % 8;
	fevent_walk_move(walk, bits / 8);
	return fevent_walk_set_type(walk, member->type);
}

static int fevent_walk_arrow(struct fevent_walk *walk, const struct fevent_step *step,
			     struct fevent_complaint *complaint)
{
	int ret;

	if (!btf_type_is_ptr(walk->type))
		return fevent_complain(complaint, NOT_A_POINTER, step->column);
	ret = fevent_walk_set_type(walk, walk->type->type);
	if (ret || !btf_type_is_struct(walk->type))
		return fevent_complain(complaint, NOT_A_POINTER, step->column);
	ret = fevent_walk_follow(walk, 0);
	if (ret)
		return fevent_complain(complaint, TOO_MANY_STEPS, step->column);
	return fevent_walk_member(walk, step, complaint);
}

static int fevent_walk_dot(struct fevent_walk *walk, const struct fevent_step *step,
			   struct fevent_complaint *complaint)
{
	/* A struct in registers is refused before. */
	if (!walk->target->in_memory || !btf_type_is_struct(walk->type))
		return fevent_complain(complaint, NOT_A_STRUCT, step->column);
	return fevent_walk_member(walk, step, complaint);
}

static int fevent_walk_index(struct fevent_walk *walk, const struct fevent_step *step,
			     struct fevent_complaint *complaint)
{
	bool is_array = walk->target->in_memory && btf_type_is_array(walk->type);
	u32 id, size;

	if (!is_array && !btf_type_is_ptr(walk->type))
		return fevent_complain(complaint, NOT_AN_ARRAY, step->column);
	id = is_array ? btf_array(walk->type)->type : walk->type->type;
	if (fevent_walk_set_type(walk, id) ||
	    IS_ERR_OR_NULL(btf_resolve_size(walk->btf, walk->type, &size)))
		return fevent_complain(complaint, NOT_AN_ARRAY, step->column);
	if (!size || (u64)size * step->n > INT_MAX / 2)
		return fevent_complain(complaint, BAD_NUMBER, step->column);
	if (!is_array && fevent_walk_follow(walk, 0))
		return fevent_complain(complaint, TOO_MANY_STEPS, step->column);
	fevent_walk_move(walk, size * step->n);
	return 0;
}

static bool fevent_is_char(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf, id, NULL);
	const char *name = t ? btf_name_by_offset(btf, t->name_off) : NULL;

	return t && btf_type_is_int(t) && t->size == 1 && name && !strcmp(name, "char");
}

static enum fevent_type fevent_int_type(const struct btf_type *t)
{
	bool is_signed = btf_type_is_enum(t) || btf_is_enum64(t) ?
			 btf_type_kflag(t) : btf_int_encoding(t) & BTF_INT_SIGNED;

	/* An enum of plain constants has no sign, yet is as wide as an int. */
	switch (t->size) {
	case 1:
		return is_signed ? FEVENT_T_S8 : FEVENT_T_U8;
	case 2:
		return is_signed ? FEVENT_T_S16 : FEVENT_T_U16;
	case 4:
		return is_signed ? FEVENT_T_S32 : FEVENT_T_U32;
	case 8:
		return is_signed ? FEVENT_T_S64 : FEVENT_T_U64;
	default:
		return FEVENT_T_NONE;
	}
}

static enum fevent_type fevent_scalar_type(const struct btf *btf, const struct btf_type *t)
{
	const char *name;

	if (btf_type_is_ptr(t))
		return BITS_PER_LONG == 64 ? FEVENT_T_X64 : FEVENT_T_X32;
	if (btf_is_any_enum(t))
		return fevent_int_type(t);
	if (!btf_type_is_int(t))
		return FEVENT_T_NONE;
	name = btf_name_by_offset(btf, t->name_off);
	if (name && !strcmp(name, "_Bool"))
		return FEVENT_T_BOOL;
	if (name && !strcmp(name, "char"))
		return FEVENT_T_CHAR;
	return fevent_int_type(t);
}

static int fevent_walk_array_end(struct fevent_walk *walk)
{
	const struct btf_array *array = btf_array(walk->type);
	struct fevent_target *target = walk->target;

	if (!target->in_memory || !array->nelems)
		return -EINVAL;
	target->count = min(array->nelems, FEVENT_MAX_COUNT);
	if (fevent_walk_set_type(walk, array->type))
		return -EINVAL;
	target->type = fevent_scalar_type(walk->btf, walk->type);
	return target->type == FEVENT_T_NONE ? -EINVAL : 0;
}

static int fevent_walk_end(struct fevent_walk *walk)
{
	struct fevent_target *target = walk->target;

	if (btf_type_is_array(walk->type))
		return fevent_walk_array_end(walk);
	if (btf_type_is_ptr(walk->type) && fevent_is_const(walk->btf, walk->type->type) &&
	    fevent_is_char(walk->btf, walk->type->type)) {
		target->type = FEVENT_T_STRING;
		return fevent_walk_follow(walk, 0);
	}
	target->type = fevent_scalar_type(walk->btf, walk->type);
	if (target->type == FEVENT_T_NONE)
		return -EINVAL;
	if (btf_is_any_enum(walk->type))
		target->enum_type = walk->type;
	if (walk->bit_size) {
		target->type = FEVENT_T_U64;
		target->bit_size = walk->bit_size;
		target->bit_offset = walk->bit_offset;
		if (walk->bit_size + walk->bit_offset > 64)
			return -EINVAL;
	}
	return 0;
}

static int fevent_walk_steps(struct fevent_walk *walk, const struct fevent_field *field,
			     struct fevent_complaint *complaint)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < field->nr_steps && !ret; i++) {
		const struct fevent_step *step = &field->steps[i];

		walk->bit_size = 0;
		switch (step->kind) {
		case FEVENT_ARROW:
			ret = fevent_walk_arrow(walk, step, complaint);
			break;
		case FEVENT_DOT:
			ret = fevent_walk_dot(walk, step, complaint);
			break;
		default:
			ret = fevent_walk_index(walk, step, complaint);
			break;
		}
	}
	return ret;
}

/**
 * fevent_btf_resolve - find out what a PATH leads to
 * @fe: the event; it keeps a reference to the BTF from now on
 * @field: a field whose source is FEVENT_PATH
 * @target: what it leads to
 * @complaint: where to say what is wrong
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINVAL with @complaint filled in, or -ENOMEM.
 */
int fevent_btf_resolve(struct fevent *fe, const struct fevent_field *field,
		       struct fevent_target *target, struct fevent_complaint *complaint)
{
	struct fevent_walk walk = { .target = target };
	struct fevent_func func;
	int ret, param;

	memset(target, 0, sizeof(*target));
	if (fevent_func_get(fe->proto, &func))
		return fevent_complain(complaint, NO_BTF, field->base_column);
	if (fe->btf)
		fevent_func_put(&func);
	else
		fe->btf = func.btf;

	param = fevent_find_param(&func, field->base);
	if (param < 0)
		return fevent_complain(complaint, NO_ARG, field->base_column);
	ret = fevent_param_register(&func, param);
	if (ret < 0)
		return fevent_complain(complaint, ARG_BY_VALUE, field->base_column);
	if (ret >= FEVENT_MAX_ARGS)
		return fevent_complain(complaint, TOO_MANY_ARGS, field->base_column);
	target->arg = ret;

	walk.btf = func.btf;
	ret = fevent_walk_set_type(&walk, func.params[param].type);
	if (ret)
		return fevent_complain(complaint, BTF_TYPE, field->base_column);
	ret = fevent_walk_steps(&walk, field, complaint);
	if (ret)
		return ret;
	if (fevent_walk_end(&walk))
		return fevent_complain(complaint, BTF_TYPE, field->base_column);
	return 0;
}

/**
 * fevent_btf_put - drop the reference that fevent_btf_resolve() has taken
 * @fe: the event
 */
void fevent_btf_put(struct fevent *fe)
{
	if (fe->btf)
		btf_put(fe->btf);
	fe->btf = NULL;
}

/* ---- enums ---- */

static s64 fevent_enum_value(const struct btf_type *t, int i)
{
	if (btf_is_enum64(t))
		return btf_enum64_value(&btf_enum64(t)[i]);
	return btf_type_kflag(t) ? btf_enum(t)[i].val : (s64)(u32)btf_enum(t)[i].val;
}

static u32 fevent_enum_name_off(const struct btf_type *t, int i)
{
	return btf_is_enum64(t) ? btf_enum64(t)[i].name_off : btf_enum(t)[i].name_off;
}

/**
 * fevent_btf_enum_name - the name that an enum has for a value
 * @btf: what @t belongs to
 * @t: the enum
 * @value: the value
 *
 * Context: Any.
 * Return: its name, or NULL if it has none.
 */
const char *fevent_btf_enum_name(const struct btf *btf, const struct btf_type *t, s64 value)
{
	int i;

	for (i = 0; i < btf_vlen(t); i++) {
		if (fevent_enum_value(t, i) == value)
			return btf_name_by_offset(btf, fevent_enum_name_off(t, i));
	}
	return NULL;
}

/**
 * fevent_btf_enum_symbols - an enum's values, as __print_symbolic() wants them
 * @btf: what @t belongs to
 * @t: the enum
 * @buf: where to print, may be NULL if @size is 0
 * @size: bytes there
 *
 * Return: the characters that it takes, as snprintf().
 */
int fevent_btf_enum_symbols(const struct btf *btf, const struct btf_type *t, char *buf, size_t size)
{
	int i, pos = 0;

	for (i = 0; i < btf_vlen(t); i++)
		pos += snprintf(buf + pos, size > pos ? size - pos : 0, ", { %lld, \"%s\" }",
				fevent_enum_value(t, i),
				btf_name_by_offset(btf, fevent_enum_name_off(t, i)));
	return pos;
}
