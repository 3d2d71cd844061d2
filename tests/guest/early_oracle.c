// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU plugin that counts, at each call site, the calls of __fentry__ that a guest executes: what
 * very early function tracing has to have recorded, without any help from the guest.
 *
 * Arguments: fentry=ADDR, the address of __fentry__; begin=ADDR, an instruction; counts start anew
 * whenever it is executed; from=ADDR, to=ADDR, a recorder, whose instructions are counted, too;
 * out=FILE, where the results go when QEMU ends: "ADDR COUNT" a line, and "recorder COUNT". Addresses
 * in hex. Boot with nokaslr, on one vCPU.
 *
 * Each `call` of that target that is translated gets a counter. A site that the guest turns into
 * something else is translated again, and counts no more: that is where ftrace takes over.
 *
 * Debian has QEMU with plugins and without their header. These are the functions used, of version 1
 * of the interface (QEMU's docs/devel/tcg-plugins.rst).
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
						enum qemu_plugin_op op, void *ptr, uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int vcpu, void *data),
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t id, void *data),
				    void *data);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id,
							       const qemu_info_t *info, int argc,
							       char **argv);

#define MAX_SITES (1 << 20)
#define CALL_OPCODE 0xe8
#define CALL_SIZE 5

struct site {
	uint64_t addr;
	uint64_t calls;
};

/* Counters have to stay where they are: translated code has their addresses. */
static struct site sites[MAX_SITES];
static uint64_t fentry, begin, from, to, mask, in_recorder;
static const char *out;

/* Open addressing; never full, as a kernel has fewer functions. */
static struct site *site_get(uint64_t addr)
{
	size_t i = addr * UINT64_C(0x9e3779b97f4a7c15) >> 44;

	while (sites[i].addr && sites[i].addr != addr)
		i = (i + 1) % MAX_SITES;
	sites[i].addr = addr;
	return &sites[i];
}

static void start_anew(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	for (size_t i = 0; i < MAX_SITES; i++)
		sites[i].calls = 0;
	in_recorder = 0;
}

static bool calls_fentry(const struct qemu_plugin_insn *insn)
{
	const uint8_t *code = qemu_plugin_insn_data(insn);
	int32_t distance;

	if (qemu_plugin_insn_size(insn) != CALL_SIZE || code[0] != CALL_OPCODE)
		return false;
	memcpy(&distance, code + 1, sizeof(distance));
	return (qemu_plugin_insn_vaddr(insn) + CALL_SIZE + distance & mask) == fentry;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t addr = qemu_plugin_insn_vaddr(insn);

		if (addr == begin)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, start_anew,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		if (calls_fentry(insn))
			qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
								   &site_get(addr)->calls, 1);
		if (addr >= from && addr < to)
			qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
								   &in_recorder, 1);
	}
}

static void on_exit_of_qemu(qemu_plugin_id_t id, void *data)
{
	FILE *f = fopen(out, "w");

	(void)id;
	(void)data;
	if (!f) {
		perror(out);
		return;
	}
	for (size_t i = 0; i < MAX_SITES; i++) {
		if (sites[i].calls)
			fprintf(f, "%" PRIx64 " %" PRIu64 "\n", sites[i].addr, sites[i].calls);
	}
	fprintf(f, "recorder %" PRIu64 "\n", in_recorder);
	if (fclose(f))
		perror(out);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		const char *value = strchr(argv[i], '=');

		if (!value) {
			fprintf(stderr, "early_oracle: %s: not name=value\n", argv[i]);
			return -1;
		}
		value++;
		if (!strncmp(argv[i], "fentry=", 7))
			fentry = strtoull(value, NULL, 16);
		else if (!strncmp(argv[i], "begin=", 6))
			begin = strtoull(value, NULL, 16);
		else if (!strncmp(argv[i], "from=", 5))
			from = strtoull(value, NULL, 16);
		else if (!strncmp(argv[i], "to=", 3))
			to = strtoull(value, NULL, 16);
		else if (!strncmp(argv[i], "out=", 4))
			out = strdup(value);
	}
	if (!fentry || !begin || !out) {
		fprintf(stderr, "early_oracle: fentry=, begin= and out= are needed\n");
		return -1;
	}
	mask = fentry > UINT32_MAX ? UINT64_MAX : UINT32_MAX;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	return 0;
}
