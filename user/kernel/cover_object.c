// SPDX-License-Identifier: GPL-2.0-only
/* Loads bpf/cover.bpf.c; see cover_object.h. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/memory.h"
#include "kernel/cover_object.h"
#include "cover.h"
#include "cover.skel.h"

/* Before 6.4, the kernel cuts off the end of a longer log. It is used only for refused programs. */
static char verifier_log[1024 * 1024];
static bool without_variables;

/*
 * libbpf calls this for each program, after it has resolved the program's references. The kernel's
 * variables are made to look missing; the program checks for that before it uses them.
 */
static int forget_variables(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	size_t count = bpf_program__insn_cnt(program);
	autofree struct bpf_insn *insns = NULL;

	if (!without_variables)
		return 0;
	insns = xcalloc(count, sizeof(*insns));
	memcpy(insns, bpf_program__insns(program), count * sizeof(*insns));
	for (size_t i = 0; i < count; i++) {
		if (insns[i].code == (BPF_LD | BPF_IMM | BPF_DW) && insns[i].src_reg == BPF_PSEUDO_BTF_ID)
			insns[i].src_reg = insns[i].imm = insns[i + 1].imm = 0;
	}
	return bpf_program__set_insns(program, insns, count);
}

/* Only a section's handler may change a resolved program. For "entry", see bpf/cover.bpf.c. */
static int handle_sections(void)
{
	static const struct {
		const char *name;
		enum bpf_prog_type type;
		enum bpf_attach_type attach;
	} sections[] = {
		{ "kprobe.multi", BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI },
		{ "tracepoint", BPF_PROG_TYPE_TRACEPOINT, 0 },
		{ "entry", BPF_PROG_TYPE_UNSPEC, 0 },
	};
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = forget_variables);
	static size_t handled;
	int err = 0;

	for (; err >= 0 && handled < sizeof(sections) / sizeof(sections[0]); handled += err >= 0)
		err = libbpf_register_prog_handler(sections[handled].name, sections[handled].type,
						   sections[handled].attach, &opts);
	return err;
}

struct cover_bpf *cover_object__open(void)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .kernel_log_buf = verifier_log,
		    .kernel_log_size = sizeof(verifier_log));

	libbpf_set_print(NULL);
	verifier_log[0] = '\0';
	return handle_sections() < 0 ? NULL : cover_bpf__open_opts(&opts);
}

bool cover_object__may_load_again(int err)
{
	bool again = err == -ENOENT && !without_variables;

	without_variables |= again;
	return again;
}

int cover_object__try(void)
{
	struct cover_bpf *skel;
	int err;

	do {
		struct bpf_program *program;

		skel = cover_object__open();
		if (!skel)
			return -errno;
		bpf_object__for_each_program(program, skel->obj)
			bpf_program__set_autoload(program, program == skel->progs.cover_entry ||
						  program == skel->progs.cover_event_entry ||
						  program == skel->progs.take_own);
		bpf_map__set_autocreate(skel->maps.seen, false);
		bpf_map__set_autocreate(skel->maps.cgroup, false);
		bpf_map__set_autocreate(skel->maps.followed, false);
		bpf_map__set_autocreate(skel->maps.cpu_followed, false);
		bpf_map__set_autocreate(skel->maps.news, false);
		skel->rodata->set_shift = 32 - SET_LEAST_BITS;
		err = cover_bpf__load(skel);
		cover_bpf__destroy(skel);
	} while (cover_object__may_load_again(err));
	return err;
}

const char *verifier__last_words(char *log)
{
	char *last = log + strlen(log);

	for (char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (*line != '\n' && strncmp(line, "processed ", strlen("processed ")))
			last = line;
	}
	last[strcspn(last, "\n")] = '\0';
	return last;
}

const char *cover_object__reason(void)
{
	return verifier__last_words(verifier_log);
}
