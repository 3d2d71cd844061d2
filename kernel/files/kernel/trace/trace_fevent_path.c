// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: fields that are found by their names in BTF.
 *
 * "file->f_inode.i_ino" is followed here from type to type, once, when the event
 * is made. The result is struct fevent_target: the register argument to start from,
 * the offsets at which pointers are loaded, and the type at the end.
 */
#include <linux/btf.h>
#include <linux/kallsyms.h>
#include <linux/slab.h>

#include "trace_btf.h"
#include "trace_fevent_types.h"
#include "trace_fevent_btf.h"

struct fevent_walk {
	const struct btf	*btf;
	const struct btf_type	*type;		/* the reached value's, without modifiers */
	u32			bit_offset;	/* bit field: its first bit in its byte, 0-7 */
	u32			bit_size;	/* bit field: its width, else 0 */
	struct fevent_target	*target;
};

/* Is there a const anywhere between an id and the type proper? */
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

/* Follow the pointer that was reached, and go on at @offset there. */
static int fevent_walk_follow(struct fevent_walk *walk, unsigned int offset)
{
	struct fevent_target *target = walk->target;

	if (target->nr_steps == ARRAY_SIZE(target->steps))
		return -E2BIG;
	/* The pointer that was reached is in a register, or the new step loads it first. */
	if (!target->in_memory) {
		target->arg += target->offset / sizeof(long);
		target->offset = 0;
	}
	target->in_memory = true;
	target->steps[target->nr_steps++] = offset;
	return 0;
}

static int fevent_walk_move(struct fevent_walk *walk, unsigned int offset)
{
	struct fevent_target *target = walk->target;
	int *at = target->in_memory ? &target->steps[target->nr_steps - 1] : &target->offset;

	return check_add_overflow(*at, offset, at) ? -E2BIG : 0;
}

/* The member whose name is the nearest to @name, see fevent_distance(). */
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
	if (fevent_walk_move(walk, bits / 8))
		return fevent_complain(complaint, BAD_NUMBER, step->column);
	if (fevent_walk_set_type(walk, member->type))
		return fevent_complain(complaint, BTF_TYPE, step->column);
	return 0;
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
	if (!btf_type_is_struct(walk->type))
		return fevent_complain(complaint, NOT_A_STRUCT, step->column);
	return fevent_walk_member(walk, step, complaint);
}

static int fevent_walk_index(struct fevent_walk *walk, const struct fevent_step *step,
			     struct fevent_complaint *complaint)
{
	bool is_array = btf_type_is_array(walk->type);
	u32 id, size, nelems;

	if (!is_array && !btf_type_is_ptr(walk->type))
		return fevent_complain(complaint, NOT_AN_ARRAY, step->column);
	id = is_array ? btf_array(walk->type)->type : walk->type->type;
	/* An array at a struct's end may be declared without a size. */
	nelems = is_array ? btf_array(walk->type)->nelems : 0;
	if (step->n >= nelems && (nelems || !walk->target->in_memory) && is_array)
		return fevent_complain_with(complaint, BAD_INDEX, step->column,
					    "it has %u", nelems);
	if (fevent_walk_set_type(walk, id) ||
	    IS_ERR_OR_NULL(btf_resolve_size(walk->btf, walk->type, &size)))
		return fevent_complain(complaint, NOT_AN_ARRAY, step->column);
	if (!size || (u64)size * step->n > INT_MAX / 2)
		return fevent_complain(complaint, BAD_NUMBER, step->column);
	if (!is_array && fevent_walk_follow(walk, 0))
		return fevent_complain(complaint, TOO_MANY_STEPS, step->column);
	if (fevent_walk_move(walk, size * step->n))
		return fevent_complain(complaint, BAD_NUMBER, step->column);
	return 0;
}

static bool fevent_is_char(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf, id, NULL);
	const char *name = t ? btf_name_by_offset(btf, t->name_off) : NULL;

	return t && btf_type_is_int(t) && t->size == 1 && name && !strcmp(name, "char");
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

/* Only the bytes that have the bits are read: the memory may end after them. */
static int fevent_walk_bits(struct fevent_walk *walk)
{
	unsigned int bytes = DIV_ROUND_UP(walk->bit_offset + walk->bit_size, 8);
	struct fevent_target *target = walk->target;

	/* In a packed struct, a bit field may span one more byte than its type has. */
	if (bytes > fevent_type_size(target->type))
		target->type = fevent_is_signed(walk->type) ? FEVENT_T_S64 : FEVENT_T_U64;
	if (bytes > sizeof(u64))
		return -EINVAL;
	target->bytes = bytes;
	target->bit_offset = walk->bit_offset;
	target->bit_size = walk->bit_size;
	return 0;
}

/* A struct with one member, such as a kuid_t or an atomic_t, is treated as that member. */
static int fevent_walk_unwrap(struct fevent_walk *walk)
{
	const struct btf_member *member;

	while (btf_type_is_struct(walk->type) && btf_type_vlen(walk->type) == 1) {
		member = btf_type_member(walk->type);
		/* BTF does not have unnamed bit fields, which may be before the member. */
		if (__btf_member_bit_offset(walk->type, member) ||
		    __btf_member_bitfield_size(walk->type, member))
			return -EINVAL;
		if (fevent_walk_set_type(walk, member->type))
			return -EINVAL;
	}
	return 0;
}

/* The end of a path without a type: BTF has the type. */
static int fevent_walk_end(struct fevent_walk *walk)
{
	struct fevent_target *target = walk->target;

	if (fevent_walk_unwrap(walk))
		return -EINVAL;
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
	return walk->bit_size ? fevent_walk_bits(walk) : 0;
}

/*
 * The end of a path with a type. As with arguments, strings and arrays are read from
 * the memory that a pointer points to. All else is read at the end of the path, and
 * must not be larger than the value there.
 */
static int fevent_walk_typed_end(struct fevent_walk *walk, const struct fevent_field *field,
				 struct fevent_complaint *complaint)
{
	struct fevent_target *target = walk->target;
	bool is_string = field->type == FEVENT_T_STRING || field->type == FEVENT_T_USTRING;
	u32 size, want = fevent_type_size(field->type) * (field->count ?: 1);

	target->type = field->type;
	target->count = field->count;
	if ((is_string || field->count) && btf_type_is_ptr(walk->type)) {
		if (fevent_walk_follow(walk, 0))
			return fevent_complain(complaint, TOO_MANY_STEPS, field->base_column);
		return 0;
	}
	if (is_string && target->in_memory && btf_type_is_array(walk->type))
		return 0;
	if (is_string || (field->count && !target->in_memory) ||
	    IS_ERR_OR_NULL(btf_resolve_size(walk->btf, walk->type, &size)))
		return fevent_complain(complaint, BTF_TYPE, field->base_column);
	if (walk->bit_size) {
		if (field->count || want * 8 < walk->bit_size || fevent_walk_bits(walk) ||
		    target->type != field->type)
			return fevent_complain(complaint, BTF_TYPE, field->base_column);
		return 0;
	}
	/* For an array without a size, only its beginning is known. */
	if (want > size && !(target->in_memory && btf_type_is_array(walk->type) && !size))
		return fevent_complain_with(complaint, TYPE_TOO_BIG, field->column,
					    "it has %u bytes", size);
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

static int fevent_resolve(const struct fevent_func *func, const struct fevent_field *field,
			  struct fevent_target *target, struct fevent_complaint *complaint)
{
	struct fevent_walk walk = { .target = target, .btf = func->btf };
	int param = field->arg, ret;
	unsigned int size;

	memset(target, 0, sizeof(*target));
	if (field->base)
		param = fevent_find_param(func, field->base);
	if (param < 0)
		return fevent_complain(complaint, NO_ARG, field->base_column);
	ret = fevent_param_register(func, param);
	if (ret < 0)
		return fevent_complain(complaint, NOT_IN_REGISTER, field->base_column);
	target->arg = ret;

	if (fevent_walk_set_type(&walk, func->params[param].type))
		return fevent_complain(complaint, BTF_TYPE, field->base_column);
	ret = fevent_walk_steps(&walk, field, complaint);
	if (ret)
		return ret;
	if (field->type != FEVENT_T_NONE)
		ret = fevent_walk_typed_end(&walk, field, complaint);
	else if (fevent_walk_end(&walk))
		ret = fevent_complain(complaint, BTF_TYPE, field->base_column);
	if (ret || target->in_memory)
		return ret;
	target->arg += target->offset / sizeof(long);
	target->offset %= sizeof(long);
	size = target->bit_size ? target->bytes : fevent_type_size(target->type);
	/* A bool is true if any bit of the value is set. */
	if (target->type == FEVENT_T_BOOL && !target->bit_size &&
	    !IS_ERR_OR_NULL(btf_resolve_size(walk.btf, walk.type, &size)))
		target->size = size;
	/* A value that begins in one register and ends in the next is refused. */
	if (target->offset + size > sizeof(long))
		return fevent_complain(complaint, BTF_TYPE, field->base_column);
	return 0;
}

/**
 * fevent_btf_resolve - find the value that a PATH leads to
 * @fe: the event; it keeps a reference to the BTF from now on
 * @field: a field whose source is FEVENT_PATH; if its base is NULL, its arg is the
 *	number of the argument
 * @target: the value
 * @complaint: filled in with what is wrong
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINVAL with @complaint filled in, or -ENOMEM.
 */
int fevent_btf_resolve(struct fevent *fe, const struct fevent_field *field,
		       struct fevent_target *target, struct fevent_complaint *complaint)
{
	struct fevent_func func;

	if (fevent_func_get(fe->proto, &func))
		return fevent_complain(complaint, NO_BTF, field->base_column);
	if (fe->layout.btf)
		fevent_func_put(&func);
	else
		fe->layout.btf = func.btf;
	return fevent_resolve(&func, field, target, complaint);
}

/* Room for a name from fevent_expand_name(). */
#define FEVENT_EXPANDED		(KSYM_NAME_LEN + sizeof("arg_"))

/* Arguments may have no name, or one that an event's own fields have. */
static void fevent_expand_name(const struct fevent_func *func, int i, char *name, size_t size)
{
	const char *param = fevent_param_name(func, i);

	if (!*param)
		snprintf(name, size, "arg%d", i + 1);
	else
		snprintf(name, size, "%s%s", fevent_field_name_reserved(param) ? "arg_" : "",
			 param);
}

/**
 * fevent_btf_expand - the fields that '...' stands for
 * @proto: the prototype
 * @ret_fields: the fields, to be freed by kfree()
 * @ret_nr: how many
 * @complaint: filled in with what is wrong
 *
 * '...' stands for all arguments that are in registers and whose values can be recorded.
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINVAL with @complaint filled in, or -ENOMEM.
 */
int fevent_btf_expand(struct fevent_proto *proto, struct fevent_field **ret_fields,
		      unsigned int *ret_nr, struct fevent_complaint *complaint)
{
	struct fevent_field *fields, *field;
	struct fevent_complaint ignored;
	struct fevent_target target;
	struct fevent_func func;
	int i, ret = 0;
	char *name;

	if (fevent_func_get(proto, &func))
		return fevent_complain(complaint, NO_BTF, proto->args_column);
	fields = kcalloc(FEVENT_MAX_ARGS, sizeof(*fields) + FEVENT_EXPANDED, GFP_KERNEL);
	if (!fields) {
		ret = -ENOMEM;
		goto cleanup;
	}
	name = (char *)(fields + FEVENT_MAX_ARGS);
	field = fields;
	for (i = 0; i < func.nr_params && field < fields + FEVENT_MAX_ARGS; i++) {
		fevent_expand_name(&func, i, name, FEVENT_EXPANDED);
		field->source = FEVENT_PATH;
		field->arg = i;
		field->name = name;
		field->column = proto->args_column;
		field->name_column = proto->args_column;
		field->base_column = proto->args_column;
		if (fevent_resolve(&func, field, &target, &ignored))
			continue;
		field++;
		name += FEVENT_EXPANDED;
	}
	*ret_fields = fields;
	*ret_nr = field - fields;
cleanup:
	fevent_func_put(&func);
	return ret;
}

/**
 * fevent_btf_put - drop the reference that fevent_btf_resolve() has taken
 * @fe: the event
 */
void fevent_btf_put(struct fevent *fe)
{
	if (fe->layout.btf)
		btf_put(fe->layout.btf);
	fe->layout.btf = NULL;
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
 * @btf: the BTF that @t belongs to
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
 * @btf: the BTF that @t belongs to
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
