/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the QEMU plugins of the tests use of QEMU's interface for plugins.
 *
 * Debian's QEMU has plugins, but no header for them. The declarations below are the functions that the
 * plugins here use (QEMU's docs/devel/tcg-plugins.rst), in version QEMU_PLUGIN_VERSION of the
 * interface: 1 before QEMU 9, which refuses it, and 4 since 9.2. early-lib.sh chooses it.
 */
#ifndef HYTRACE_TESTS_QEMU_PLUGIN_H
#define HYTRACE_TESTS_QEMU_PLUGIN_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_W = 2 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int vcpu, void *data),
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      void (*cb)(unsigned int vcpu, qemu_plugin_meminfo_t info,
						 uint64_t vaddr, void *data),
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *data);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t id, void *data),
				    void *data);
/* Soon removes all callbacks of the plugin, so that the guest runs at full speed from then on. */
void qemu_plugin_reset(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t id));

#if QEMU_PLUGIN_VERSION >= 4
/* glib's type, which QEMU uses. */
typedef struct {
	uint8_t *data;
	unsigned int len;
} GByteArray;

GByteArray *g_byte_array_new(void);
bool qemu_plugin_read_memory_vaddr(uint64_t addr, GByteArray *data, size_t len);
#endif
#if QEMU_PLUGIN_VERSION >= 3
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#endif

/* QEMU looks these up. A plugin defines the second one. */
__attribute__((visibility("default"))) int qemu_plugin_version = QEMU_PLUGIN_VERSION;
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id,
							       const qemu_info_t *info, int argc,
							       char **argv);

/* Copies the first bytes of an instruction, as many as there are and fit; the rest becomes 0. */
static inline size_t insn_bytes(const struct qemu_plugin_insn *insn, uint8_t *code, size_t room)
{
	size_t size = qemu_plugin_insn_size(insn);

	if (size > room)
		size = room;
	memset(code, 0, room);
#if QEMU_PLUGIN_VERSION >= 3
	qemu_plugin_insn_data(insn, code, size);
#else
	memcpy(code, qemu_plugin_insn_data(insn), size);
#endif
	return size;
}

#define CALL_OPCODE 0xe8
#define CALL_SIZE 5

/* The address that the instruction calls, if it is a call of that form; otherwise 0. */
static inline uint64_t insn_target(const struct qemu_plugin_insn *insn)
{
	uint8_t code[CALL_SIZE];
	int32_t distance;

	if (qemu_plugin_insn_size(insn) != CALL_SIZE)
		return 0;
	insn_bytes(insn, code, sizeof(code));
	if (code[0] != CALL_OPCODE)
		return 0;
	memcpy(&distance, code + 1, sizeof(distance));
	return qemu_plugin_insn_vaddr(insn) + CALL_SIZE + distance;
}

/* Calls @cb with @data before each execution of the instruction. */
static inline void watch(struct qemu_plugin_insn *insn, void (*cb)(unsigned int vcpu, void *data), const void *data)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, cb, QEMU_PLUGIN_CB_NO_REGS, (void *)data);
}

/* An argument "NAME=VALUE": true if it has that name. */
static inline bool take_word(const char *arg, const char *name, const char **value)
{
	size_t length = strlen(name);

	if (strncmp(arg, name, length) || arg[length] != '=')
		return false;
	*value = arg + length + 1;
	return true;
}

static inline bool take(const char *arg, const char *name, uint64_t *addr)
{
	const char *value;

	if (!take_word(arg, name, &value))
		return false;
	*addr = strtoull(value, NULL, 16);
	return true;
}

static inline bool take_output(const char *arg, const char *name, FILE **out)
{
	const char *value;

	if (!take_word(arg, name, &value))
		return false;
	*out = fopen(value, "w");
	return true;
}

/* Addresses in ascending order. */
struct addresses {
	uint64_t *list;
	size_t count;
};

static inline int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static inline bool has_address(const struct addresses *a, uint64_t addr)
{
	return a->count && bsearch(&addr, a->list, a->count, sizeof(addr), by_address);
}

/* An argument that names a file with addresses, one a line */
static inline bool take_addresses(const char *arg, const char *name, struct addresses *a)
{
	const char *value;
	uint64_t addr;
	FILE *f;

	if (!take_word(arg, name, &value))
		return false;
	f = fopen(value, "r");
	while (f && fscanf(f, "%" SCNx64, &addr) == 1) {
		a->list = reallocarray(a->list, a->count + 1, sizeof(*a->list));
		a->list[a->count++] = addr;
	}
	if (f)
		fclose(f);
	if (a->count)
		qsort(a->list, a->count, sizeof(*a->list), by_address);
	return true;
}

/* The plugin has written its output. */
static bool ended;

static inline void on_exit_of_qemu(qemu_plugin_id_t id, void *name)
{
	if (!ended)
		fprintf(stderr, "%s: the guest has not come to the end\n", (const char *)name);
}

/* The end of qemu_plugin_install(): @complete: it has all arguments that it needs */
static inline int install(qemu_plugin_id_t id, bool complete, const char *name, const char *needed,
			  void (*on_translation)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb))
{
	if (!complete) {
		fprintf(stderr, "%s: %s are needed\n", name, needed);
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, (void *)name);
	return 0;
}

#endif /* HYTRACE_TESTS_QEMU_PLUGIN_H */
