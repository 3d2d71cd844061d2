/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Function events: what BTF knows of functions and their arguments.
 */
#ifndef _TRACE_FEVENT_BTF_H
#define _TRACE_FEVENT_BTF_H

#include <linux/btf.h>

#include "trace_fevent_types.h"

/**
 * struct fevent_target - the value at the end of a PATH, an argument, or a return value
 * @type: how the value is recorded
 * @count: elements of an array, bytes of a char[n], else 0
 * @enum_type: the enum that names the value, or NULL
 * @bytes: for a bit field, the number of bytes that it spans
 * @bit_offset: for a bit field, the offset of its first bit in these bytes
 * @bit_size: for a bit field, its width in bits, else 0
 * @arg: the register to start from
 * @in_memory: @steps lead to an address, else the value is in the register
 * @offset: bytes before the value in the register
 * @size: bytes of the value in the register; 0 if unknown, or if @type has as many
 * @is_signed: whether the value has a sign
 * @steps: offsets; at each one except the last, a pointer is loaded and followed
 * @nr_steps: how many
 */
struct fevent_target {
	enum fevent_type	type;
	unsigned int		count;
	const struct btf_type	*enum_type;
	unsigned int		bytes;
	unsigned int		bit_offset;
	unsigned int		bit_size;
	unsigned int		arg;
	bool			in_memory;
	int			offset;
	unsigned int		size;
	bool			is_signed;
	int			steps[FEVENT_MAX_STEPS + 1];
	unsigned int		nr_steps;
};

#ifdef CONFIG_PROBE_EVENTS_BTF_ARGS
int fevent_btf_expand(struct fevent_proto *proto, struct fevent_field **ret_fields,
		      unsigned int *ret_nr, struct fevent_complaint *complaint);
int fevent_btf_register(const struct fevent_proto *proto, const struct fevent_field *field,
			struct fevent_target *target, struct fevent_complaint *complaint);
int fevent_btf_resolve(struct fevent *fe, const struct fevent_field *field,
		       struct fevent_target *target, struct fevent_complaint *complaint);
int fevent_btf_return(const struct fevent_proto *proto, struct fevent_target *target,
		      struct fevent_complaint *complaint);
int fevent_find_typedef(const char *name, unsigned int len);
const char *fevent_btf_enum_name(const struct btf *btf, const struct btf_type *t, s64 value);
int fevent_btf_enum_symbols(const struct btf *btf, const struct btf_type *t, char *buf,
			    size_t size);
void fevent_btf_put(struct fevent *fe);
void fevent_btf_done(void);

/* trace_fevent_btf.c, for trace_fevent_path.c */

/**
 * struct fevent_func - what BTF knows of a function
 * @btf: the BTF that it is in
 * @proto: its type
 * @params: its parameters
 * @nr_params: how many, without the further arguments of a variadic function
 * @variadic: it may have further arguments
 */
struct fevent_func {
	struct btf		*btf;
	const struct btf_type	*proto;
	const struct btf_param	*params;
	s32			nr_params;
	bool			variadic;
};

int fevent_func_get(const struct fevent_proto *proto, struct fevent_func *ret_func);
void fevent_func_put(struct fevent_func *func);
int fevent_param_register(const struct fevent_func *func, int nr);
const char *fevent_param_name(const struct fevent_func *func, int i);
enum fevent_type fevent_scalar_type(const struct btf *btf, const struct btf_type *t);
int fevent_find_param(const struct fevent_func *func, const char *name);

static inline bool fevent_is_signed(const struct btf_type *t)
{
	/* An enum of plain constants has no sign, yet is as wide as an int. */
	return btf_is_any_enum(t) ? btf_type_kflag(t) : btf_int_encoding(t) & BTF_INT_SIGNED;
}
#else
static inline int fevent_btf_expand(struct fevent_proto *proto, struct fevent_field **ret_fields,
				    unsigned int *ret_nr, struct fevent_complaint *complaint)
{
	return fevent_complain(complaint, NO_BTF, proto->args_column);
}

static inline int fevent_btf_register(const struct fevent_proto *proto,
				      const struct fevent_field *field,
				      struct fevent_target *target,
				      struct fevent_complaint *complaint)
{
	target->arg = field->arg;
	return 0;
}

static inline int fevent_btf_resolve(struct fevent *fe, const struct fevent_field *field,
				     struct fevent_target *target,
				     struct fevent_complaint *complaint)
{
	return fevent_complain(complaint, NO_BTF, field->base_column);
}

static inline int fevent_btf_return(const struct fevent_proto *proto,
				    struct fevent_target *target,
				    struct fevent_complaint *complaint)
{
	return 0;
}

static inline int fevent_find_typedef(const char *name, unsigned int len)
{
	return -ENOENT;
}

static inline const char *fevent_btf_enum_name(const struct btf *btf, const struct btf_type *t,
					       s64 value)
{
	return NULL;
}

static inline int fevent_btf_enum_symbols(const struct btf *btf, const struct btf_type *t,
					  char *buf, size_t size)
{
	return 0;
}

static inline void fevent_btf_put(struct fevent *fe)
{
}

static inline void fevent_btf_done(void)
{
}
#endif

#endif /* _TRACE_FEVENT_BTF_H */
