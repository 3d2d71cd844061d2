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
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qemu_plugin.h"

static uint64_t fentry, begin, end, from, to, mark, timed, in_recorder;
/* In ascending order. */
static uint64_t *sites;
static size_t nr_sites;
static size_t word;
static bool listing, recording;
/* The last line has no newline yet. */
static bool unfinished;
static FILE *out, *times;
static uint64_t executed, nr_early, nr_at_mark;

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool is_site(uint64_t addr)
{
	return bsearch(&addr, sites, nr_sites, sizeof(*sites), by_address);
}

static bool read_sites(const char *name)
{
	FILE *f = fopen(name, "r");
	uint64_t addr;

	while (f && fscanf(f, "%" SCNx64, &addr) == 1) {
		sites = reallocarray(sites, nr_sites + 1, sizeof(*sites));
		sites[nr_sites++] = addr;
	}
	if (f)
		fclose(f);
	if (nr_sites)
		qsort(sites, nr_sites, sizeof(*sites), by_address);
	return nr_sites;
}

static void on_begin(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
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
	(void)vcpu;
	(void)data;
	recording = false;
}

static void on_end(unsigned int vcpu, void *id)
{
	(void)vcpu;
	if (!listing)
		return;
	listing = false;
	if (unfinished)
		fputc('\n', out);
	fprintf(out, "mark %" PRIu64 "\nrecorder %" PRIu64 "\n", nr_at_mark, in_recorder);
	if (fclose(out) || fclose(times))
		perror("early_oracle");
	qemu_plugin_reset((uintptr_t)id, NULL);
}

static void on_instruction(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	executed++;
}

static void on_mark(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	if (listing && !nr_at_mark)
		nr_at_mark = nr_early;
}

static void on_recorder(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
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
	(void)vcpu;
	list('e', site);
}

static void on_later_call(unsigned int vcpu, void *site)
{
	(void)vcpu;
	list('l', site);
}

#if QEMU_PLUGIN_VERSION >= 4
/* QEMU sometimes reports a store twice. */
static void on_store(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t stack, void *data)
{
	static GByteArray *bytes;
	uint64_t parent = 0;

	(void)vcpu;
	(void)info;
	(void)data;
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

static void watch_call(struct qemu_plugin_insn *insn, void (*cb)(unsigned int vcpu, void *site),
		       uint64_t site)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, cb, QEMU_PLUGIN_CB_NO_REGS,
					       (void *)(uintptr_t)site);
#if QEMU_PLUGIN_VERSION >= 4
	qemu_plugin_register_vcpu_mem_cb(insn, on_store, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W,
					 NULL);
#endif
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);

	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t addr = qemu_plugin_insn_vaddr(insn), called = target(insn);

		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_instruction, QEMU_PLUGIN_CB_NO_REGS, NULL);
		if (addr == begin)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_begin, QEMU_PLUGIN_CB_NO_REGS,
							       NULL);
		if (addr == end)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_end, QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)id);
		if (addr == timed)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_timed, QEMU_PLUGIN_CB_NO_REGS,
							       NULL);
		if (addr == mark)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS,
							       NULL);
		if (addr >= from && addr < to)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_recorder,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		if (called == fentry || (called && is_site(addr)))
			watch_call(insn, called == fentry ? on_early_call : on_later_call, addr);
	}
}

static void on_exit_of_qemu(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	fprintf(stderr, "early_oracle: the guest has not come to the end\n");
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
		else if (!strncmp(argv[i], "end=", 4))
			end = strtoull(value, NULL, 16);
		else if (!strncmp(argv[i], "mark=", 5))
			mark = strtoull(value, NULL, 16);
		else if (!strncmp(argv[i], "timed=", 6))
			timed = strtoull(value, NULL, 16);
		else if (!strncmp(argv[i], "from=", 5))
			from = strtoull(value, NULL, 16);
		else if (!strncmp(argv[i], "to=", 3))
			to = strtoull(value, NULL, 16);
		else if (!strncmp(argv[i], "sites=", 6) && !read_sites(value))
			fprintf(stderr, "early_oracle: %s: no addresses\n", value);
		else if (!strncmp(argv[i], "out=", 4))
			out = fopen(value, "w");
		else if (!strncmp(argv[i], "times=", 6))
			times = fopen(value, "w");
	}
	if (!fentry || !begin || !end || !nr_sites || !out || !times) {
		fprintf(stderr, "early_oracle: fentry=, begin=, end=, sites=, out= and times= are needed\n");
		return -1;
	}
	word = fentry > UINT32_MAX ? sizeof(uint64_t) : sizeof(uint32_t);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	return 0;
}
