// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU plugin that tells when a guest makes initcalls, without any help from the guest: it counts the
 * instructions until the call of the function, and until its return. With `-icount shift=0`, an
 * instruction takes 1 ns.
 *
 * Arguments (addresses in hex): call=ADDR is the call instruction in do_one_initcall(), back=ADDR the
 * one after it, out=FILE the output. Boot with nokaslr, on one processor.
 *
 * out has a line for each, in order: "call INSTRUCTIONS HALTS" and "back INSTRUCTIONS HALTS". HALTS is
 * how often the processor has been halted until then: while it is, time passes without instructions.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"

#define HALT_OPCODE 0xf4

static uint64_t call, back, executed, halts;
static FILE *out;

static void on_instruction(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	executed++;
}

static void on_halt(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	halts++;
}

static void on_place(unsigned int vcpu, void *word)
{
	(void)vcpu;
	fprintf(out, "%s %" PRIu64 " %" PRIu64 "\n", (const char *)word, executed, halts);
}

static bool is_halt(const struct qemu_plugin_insn *insn)
{
	uint8_t code[2];

	return insn_bytes(insn, code, sizeof(code)) == 1 && code[0] == HALT_OPCODE;
}

static void watch(struct qemu_plugin_insn *insn, void (*cb)(unsigned int vcpu, void *data),
		  const char *word)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, cb, QEMU_PLUGIN_CB_NO_REGS, (void *)word);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t addr = qemu_plugin_insn_vaddr(insn);

		watch(insn, on_instruction, NULL);
		if (addr == call)
			watch(insn, on_place, "call");
		if (addr == back)
			watch(insn, on_place, "back");
		if (is_halt(insn))
			watch(insn, on_halt, NULL);
	}
}

static void on_exit_of_qemu(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	if (fclose(out))
		perror("initcall_oracle");
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "call=", 5))
			call = strtoull(argv[i] + 5, NULL, 16);
		else if (!strncmp(argv[i], "back=", 5))
			back = strtoull(argv[i] + 5, NULL, 16);
		else if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "w");
	}
	if (!call || !back || !out) {
		fprintf(stderr, "initcall_oracle: call=, back= and out= are needed\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	return 0;
}
