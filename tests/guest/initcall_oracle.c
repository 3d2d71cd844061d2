// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU plugin that tells when a guest makes initcalls, without any help from the guest: it counts the
 * instructions until the call of the function, and until its return. With `-icount shift=0`, an
 * instruction takes 1 ns.
 *
 * Arguments (addresses in hex): call=ADDR is the call instruction in do_one_initcall(), back=ADDR the
 * one after it, end=ADDR an instruction that ends the output when it is first executed, out=FILE the
 * output. Boot with nokaslr, on one processor. recorders=FILE has the addresses of the functions that
 * record an event, one in a line.
 *
 * out has a line for each, in order: "call INSTRUCTIONS HALTS EVENTS RECORDING" and "back ...", all of
 * them until then. HALTS is how often the processor has been halted: while it is, time passes without
 * instructions. EVENTS is how often a recorder has been called, and RECORDING the instructions until
 * it has returned. It returns to the instruction after the last call instruction before its own first
 * one. Interrupts in between count as well.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"

#define HALT_OPCODE 0xf4

static uint64_t call, back, end, executed, halts, events, recording;
/* The last call instruction, and that of the recorder which runs: where they return. 0: no recorder runs. */
static uint64_t after_call, after_recorder;
static uint64_t *recorders;
static size_t nr_recorders;
static FILE *out;

static void on_instruction(unsigned int vcpu, void *addr)
{
	(void)vcpu;
	executed++;
	if ((uintptr_t)addr == after_recorder)
		after_recorder = 0;
	if (after_recorder)
		recording++;
}

static void on_call(unsigned int vcpu, void *after)
{
	(void)vcpu;
	after_call = (uintptr_t)after;
}

/* Before on_instruction(), which counts its first instruction as well. */
static void on_recorder(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	events++;
	if (!after_recorder)
		after_recorder = after_call;
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
	if (out)
		fprintf(out, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", (const char *)word, executed,
			halts, events, recording);
}

static void on_end(unsigned int vcpu, void *id)
{
	(void)vcpu;
	if (!out)
		return;
	if (fclose(out))
		perror("initcall_oracle");
	out = NULL;
	qemu_plugin_reset((uintptr_t)id, NULL);
}

static bool is_halt(const struct qemu_plugin_insn *insn)
{
	uint8_t code[2];

	return insn_bytes(insn, code, sizeof(code)) == 1 && code[0] == HALT_OPCODE;
}

/*
 * Direct calls and those by a pointer, with prefixes. A retpoline has a call that only goes over some
 * bytes; nothing returns there.
 */
static bool is_call(const struct qemu_plugin_insn *insn)
{
	uint8_t code[8];
	size_t i = 0, size = insn_bytes(insn, code, sizeof(code));

	if (insn_target(insn) - qemu_plugin_insn_vaddr(insn) < 32)
		return false;
	while (i < size && (code[i] == 0x2e || code[i] == 0x3e || code[i] == 0x66 || code[i] >> 4 == 4))
		i++;
	return i + 1 < size && (code[i] == CALL_OPCODE || (code[i] == 0xff && (code[i + 1] >> 3 & 7) == 2));
}

static int by_address(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static bool is_recorder(uint64_t addr)
{
	return nr_recorders && bsearch(&addr, recorders, nr_recorders, sizeof(addr), by_address);
}

static int read_recorders(const char *name)
{
	uint64_t addr;
	FILE *f = fopen(name, "r");

	if (!f)
		return -1;
	while (fscanf(f, "%" SCNx64, &addr) == 1) {
		recorders = realloc(recorders, (nr_recorders + 1) * sizeof(*recorders));
		if (!recorders)
			break;
		recorders[nr_recorders++] = addr;
	}
	fclose(f);
	if (recorders)
		qsort(recorders, nr_recorders, sizeof(*recorders), by_address);
	return recorders ? 0 : -1;
}

static void watch(struct qemu_plugin_insn *insn, void (*cb)(unsigned int vcpu, void *data),
		  const void *data)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, cb, QEMU_PLUGIN_CB_NO_REGS, (void *)data);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);

	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t addr = qemu_plugin_insn_vaddr(insn);

		if (is_recorder(addr))
			watch(insn, on_recorder, NULL);
		watch(insn, on_instruction, (const void *)(uintptr_t)addr);
		if (is_call(insn))
			watch(insn, on_call, (const void *)(uintptr_t)(addr + qemu_plugin_insn_size(insn)));
		if (addr == call)
			watch(insn, on_place, "call");
		if (addr == back)
			watch(insn, on_place, "back");
		if (addr == end)
			watch(insn, on_end, (const void *)(uintptr_t)id);
		if (is_halt(insn))
			watch(insn, on_halt, NULL);
	}
}

static void on_exit_of_qemu(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	fprintf(stderr, "initcall_oracle: the guest has not come to the end\n");
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	int err = 0;

	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "call=", 5))
			call = strtoull(argv[i] + 5, NULL, 16);
		else if (!strncmp(argv[i], "back=", 5))
			back = strtoull(argv[i] + 5, NULL, 16);
		else if (!strncmp(argv[i], "end=", 4))
			end = strtoull(argv[i] + 4, NULL, 16);
		else if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "w");
		else if (!strncmp(argv[i], "recorders=", 10))
			err = read_recorders(argv[i] + 10);
	}
	if (!call || !back || !end || !out || err) {
		fprintf(stderr, "initcall_oracle: call=, back=, end=, out= and recorders= are needed\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	return 0;
}
