// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU plugin that lists the calls of the tracer that a guest makes while it boots. Very early
 * function tracing, and the tracer that takes over from it, must have recorded these calls. The
 * plugin needs no help from the guest.
 *
 * Arguments (addresses in hex): fentry=ADDR is the address of __fentry__. sites=FILE has the call
 * sites that ftrace knows, one a line. begin=ADDR and end=ADDR are instructions: the calls between
 * the last begin and the first end after it are listed. from=ADDR and to=ADDR enclose a recorder,
 * whose instructions are counted, until the instruction timed=ADDR: from there on, the kernel times the recorder.
 * mark=ADDR is an instruction. out=FILE and times=FILE are the output.
 * Boot with nokaslr.
 *
 * out has a line for each call, in order: "e SITE PARENT" if the site still calls __fentry__, and
 * "l SITE PARENT" if ftrace has turned it into another call. PARENT is the function's return
 * address; QEMU provides it from 9.2 on. The last lines are "mark CALLS", how many calls of __fentry__
 * came before that instruction was first executed, and "recorder INSTRUCTIONS". times has a line for
 * each call of __fentry__: how many instructions the guest had executed by then.
 *
 * A call stores its return address on the stack; the parent lies above it. When the guest changes a
 * site, QEMU translates it again.
 */
#include <unistd.h>

#include "qemu_plugin.h"

static uint64_t fentry, begin, end, from, to, mark, timed, in_recorder;
static struct addresses sites;
static size_t word;
static bool listing, recording;
/* The last line has no newline yet. */
static bool unfinished;
static FILE *out, *times;
static uint64_t executed, nr_early, nr_at_mark;

static void on_begin(unsigned int vcpu, void *data)
{
	rewind(out);
	rewind(times);
	if (ftruncate(fileno(out), 0) || ftruncate(fileno(times), 0))
		perror("early_oracle");
	nr_early = 0;
	nr_at_mark = 0;
	in_recorder = 0;
	unfinished = false;
	listing = true;
	recording = true;
}

static void on_timed(unsigned int vcpu, void *data)
{
	recording = false;
}

static void on_end(unsigned int vcpu, void *id)
{
	if (!listing)
		return;
	listing = false;
	if (unfinished)
		fputc('\n', out);
	fprintf(out, "mark %" PRIu64 "\nrecorder %" PRIu64 "\n", nr_at_mark, in_recorder);
	if (fclose(out) || fclose(times))
		perror("early_oracle");
	ended = true;
	qemu_plugin_reset((uintptr_t)id, NULL);
}

static void on_instruction(unsigned int vcpu, void *data)
{
	executed++;
}

static void on_mark(unsigned int vcpu, void *data)
{
	if (listing && !nr_at_mark)
		nr_at_mark = nr_early;
}

static void on_recorder(unsigned int vcpu, void *data)
{
	in_recorder += listing && recording;
}

static void list(char kind, void *site)
{
	if (!listing || (kind == 'e' && !recording))
		return;
	if (unfinished)
		fputc('\n', out);
	if (kind == 'e') {
		nr_early++;
		fprintf(times, "%" PRIu64 "\n", executed);
	}
	fprintf(out, "%c %" PRIxPTR, kind, (uintptr_t)site);
	unfinished = true;
}

static void on_early_call(unsigned int vcpu, void *site)
{
	list('e', site);
}

static void on_later_call(unsigned int vcpu, void *site)
{
	list('l', site);
}

#if QEMU_PLUGIN_VERSION >= 4
/* QEMU sometimes reports a store twice. */
static void on_store(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t stack, void *data)
{
	static GByteArray *bytes;
	uint64_t parent = 0;

	if (!listing || !unfinished)
		return;
	if (!bytes)
		bytes = g_byte_array_new();
	if (qemu_plugin_read_memory_vaddr(stack + word, bytes, word))
		memcpy(&parent, bytes->data, word);
	fprintf(out, " %" PRIx64 "\n", parent);
	unfinished = false;
}
#endif

/* The address that the instruction calls; 0 if it is no call. */
static uint64_t target(const struct qemu_plugin_insn *insn)
{
	uint64_t addr = insn_target(insn);

	return word == sizeof(uint32_t) ? (uint32_t)addr : addr;
}

static void watch_call(struct qemu_plugin_insn *insn, void (*cb)(unsigned int vcpu, void *site), uint64_t site)
{
	watch(insn, cb, (void *)(uintptr_t)site);
#if QEMU_PLUGIN_VERSION >= 4
	qemu_plugin_register_vcpu_mem_cb(insn, on_store, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, NULL);
#endif
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);

	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t addr = qemu_plugin_insn_vaddr(insn), called = target(insn);

		watch(insn, on_instruction, NULL);
		if (addr == begin)
			watch(insn, on_begin, NULL);
		if (addr == end)
			watch(insn, on_end, (void *)(uintptr_t)id);
		if (addr == timed)
			watch(insn, on_timed, NULL);
		if (addr == mark)
			watch(insn, on_mark, NULL);
		if (addr >= from && addr < to)
			watch(insn, on_recorder, NULL);
		if (called == fentry || (called && has_address(&sites, addr)))
			watch_call(insn, called == fentry ? on_early_call : on_later_call, addr);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	for (char **arg = argv; arg < argv + argc; arg++) {
		if (!take(*arg, "fentry", &fentry) && !take(*arg, "begin", &begin) && !take(*arg, "end", &end) &&
		    !take(*arg, "mark", &mark) && !take(*arg, "from", &from) && !take(*arg, "to", &to) &&
		    !take(*arg, "timed", &timed) &&
		    !take_addresses(*arg, "sites", &sites) && !take_output(*arg, "out", &out))
			take_output(*arg, "times", &times);
	}
	word = fentry > UINT32_MAX ? sizeof(uint64_t) : sizeof(uint32_t);
	return install(id, fentry && begin && end && sites.count && out && times, "early_oracle",
		       "fentry=, begin=, end=, sites=, out= and times=", on_translation);
}
