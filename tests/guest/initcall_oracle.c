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

#include "qemu_plugin.h"

#define HALT_OPCODE 0xf4

static uint64_t call, back, end, executed, halts, events, recording;
/* The last call instruction, and that of the recorder which runs: where they return. 0: no recorder runs. */
static uint64_t after_call, after_recorder;
static struct addresses recorders;
static FILE *out;

static void on_instruction(unsigned int vcpu, void *addr)
{
	executed++;
	if ((uintptr_t)addr == after_recorder)
		after_recorder = 0;
	if (after_recorder)
		recording++;
}

static void on_call(unsigned int vcpu, void *after)
{
	after_call = (uintptr_t)after;
}

/* Before on_instruction(), which counts its first instruction as well. */
static void on_recorder(unsigned int vcpu, void *data)
{
	events++;
	if (!after_recorder)
		after_recorder = after_call;
}

static void on_halt(unsigned int vcpu, void *data)
{
	halts++;
}

static void on_place(unsigned int vcpu, void *word)
{
	if (out)
		fprintf(out, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", (const char *)word, executed,
			halts, events, recording);
}

static void on_end(unsigned int vcpu, void *id)
{
	if (!out)
		return;
	if (fclose(out))
		perror("initcall_oracle");
	out = NULL;
	ended = true;
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

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);

	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t addr = qemu_plugin_insn_vaddr(insn);

		if (has_address(&recorders, addr))
			watch(insn, on_recorder, NULL);
		watch(insn, on_instruction, (void *)(uintptr_t)addr);
		if (is_call(insn))
			watch(insn, on_call, (void *)(uintptr_t)(addr + qemu_plugin_insn_size(insn)));
		if (addr == call)
			watch(insn, on_place, "call");
		if (addr == back)
			watch(insn, on_place, "back");
		if (addr == end)
			watch(insn, on_end, (void *)(uintptr_t)id);
		if (is_halt(insn))
			watch(insn, on_halt, NULL);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	for (char **arg = argv; arg < argv + argc; arg++) {
		if (!take(*arg, "call", &call) && !take(*arg, "back", &back) && !take(*arg, "end", &end) &&
		    !take_output(*arg, "out", &out))
			take_addresses(*arg, "recorders", &recorders);
	}
	return install(id, call && back && end && out && recorders.count, "initcall_oracle",
		       "call=, back=, end=, out= and recorders=", on_translation);
}
