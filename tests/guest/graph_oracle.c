// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU plugin that measures the functions that a guest calls while it boots, in instructions, without
 * any help from the guest. Very early function tracing must tell the same of them. With
 * `-icount shift=0`, an instruction takes 1 ns.
 *
 * Which instruction belongs to which function? Code that is not traced belongs to the nearest function
 * that is: the innermost one that was called from a site of __fentry__ and has not returned. Of the
 * recorder, nothing belongs to anybody.
 *
 * Arguments (addresses in hex):
 *   fentry=ADDR	__fentry__
 *   recorder=FROM-TO	the recorder that it jumps to
 *   trampoline=FROM-TO	the code to which functions return while they are recorded; may be left out
 *   begin=ADDR, end=ADDR	instructions: what is between the last begin and the first end after it counts
 *   phases=FROM-TO	a function; what it calls is listed in order
 *   mark=ADDR		an instruction; the first call after it is in that list as well
 *   out=FILE		the output
 * Boot with nokaslr, on one processor.
 *
 * out has these lines, with numbers of instructions outside of the recorder:
 *   site ADDR CALLS RETURNS INCLUSIVE SELF	of each traced function; recursion counts once
 *   phase ADDR START END	of each direct call; END is 0 if it did not return; ADDR is 0 for the mark
 *   calls N, returns N, outside N, deepest N
 *   recorder N, trampoline N	the instructions of these
 *   strays N		returns that do not fit to the stack
 * A function that has not returned at the end counts up to the last call or return.
 *
 * Stacks of its own: a call stores its return address, and the plugin keeps where, and the address. If
 * a `ret` leads to one of these addresses, all that was called since has returned, as its own return
 * addresses are further down. `call __fentry__` stores its return address at F, so the function's own is
 * at F + 8. The place is what counts, not what is there: the recorder changes that. (From where a `ret`
 * loads would tell as much, but QEMU 7.2 does not report it.)
 *
 * The recorder's jump at __fentry__ is a part of it. Its `ret` is not: it returns in place of
 * __fentry__'s own.
 */
#include <search.h>

#include "qemu_plugin.h"

#define DEEPEST 4096
#define RET_OPCODE 0xc3
#define RET_N_OPCODE 0xc2

struct range {
	uint64_t from, to;
};

struct site {
	uint64_t addr;
	uint64_t calls, returns, inclusive, self;
	uint64_t running;
	struct site *next;
};

struct phase {
	uint64_t addr, start, end;
};

struct frame {
	struct site *site;
	uint64_t place;			/* of its return address */
	uint64_t start;
	size_t phase;			/* its index + 1; 0: none */
};

static uint64_t fentry, begin, end, mark;
static struct range recorder, trampoline, parent;
static FILE *out;

static void *by_addr;
static struct site *sites;
static struct phase *phases;
static size_t nr_phases;
static struct frame stack[DEEPEST];
static size_t depth, deepest;
/* All calls that have not returned, and where they put their return addresses. */
static struct {
	uint64_t place, addr;
} open_calls[DEEPEST];
static size_t nr_open;

static bool counting, marked;
/* The last instruction was a ret. */
static bool returning;
/*
 * The call that is being executed. Besides its store, QEMU 7.2 reports what an indirect call loads, and now
 * and then what other instructions do.
 */
static void *calling;
static uint64_t outside, charged, in_recorder, in_trampoline, calls, returns, strays;

static bool is_in(const struct range *r, uint64_t addr)
{
	return addr >= r->from && addr < r->to;
}

static int compare_sites(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static struct site *find_site(uint64_t addr)
{
	struct site key = { .addr = addr }, **node;

	node = tsearch(&key, &by_addr, compare_sites);
	if (*node == &key) {
		*node = calloc(1, sizeof(**node));
		(*node)->addr = addr;
		(*node)->next = sites;
		sites = *node;
	}
	return *node;
}

static void on_begin(unsigned int vcpu, void *data)
{
	for (struct site *s = sites; s; s = s->next)
		s->calls = s->returns = s->inclusive = s->self = s->running = 0;
	nr_phases = depth = deepest = 0;
	outside = charged = in_recorder = in_trampoline = calls = returns = strays = 0;
	marked = false;
	counting = true;
}

static void on_mark(unsigned int vcpu, void *data)
{
	marked = counting;
}

/* What ran since the last call or return was the work of the function on top. */
static void charge(void)
{
	if (depth)
		stack[depth - 1].site->self += outside - charged;
	charged = outside;
}

static void pop(void)
{
	struct frame *f = &stack[--depth];

	if (!--f->site->running)
		f->site->inclusive += charged - f->start;
	if (f->phase)
		phases[f->phase - 1].end = charged;
}

static size_t add_phase(uint64_t addr)
{
	phases = reallocarray(phases, nr_phases + 1, sizeof(*phases));
	phases[nr_phases++] = (struct phase){ .addr = addr, .start = outside };
	return nr_phases;
}

/* What is at this place of the stack or further down has returned. */
static void drop_calls(uint64_t place)
{
	while (nr_open && open_calls[nr_open - 1].place <= place)
		nr_open--;
}

static void on_call(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t place, void *after)
{
	if (calling != after || !qemu_plugin_mem_is_store(info))
		return;
	calling = NULL;
	drop_calls(place);
	if (nr_open == DEEPEST) {
		strays++;
		return;
	}
	open_calls[nr_open].place = place;
	open_calls[nr_open++].addr = (uintptr_t)after;
}

static bool is_phase(uint64_t place)
{
	return nr_open && open_calls[nr_open - 1].place == place &&
	       is_in(&parent, open_calls[nr_open - 1].addr);
}

static void on_traced_call(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t place, void *data)
{
	struct site *site = data;
	struct frame *f;

	if (calling != data || !qemu_plugin_mem_is_store(info))
		return;
	calling = NULL;
	if (!counting)
		return;
	place += 8;
	charge();
	if (depth == DEEPEST) {
		strays++;
		return;
	}
	f = &stack[depth++];
	*f = (struct frame){ .site = site, .place = place, .start = outside };
	if (depth > deepest)
		deepest = depth;
	site->calls++;
	site->running++;
	calls++;
	if (marked)
		add_phase(0);
	marked = false;
	/* A retpoline that jumped here has left its own call behind, which has not returned. */
	drop_calls(place - 8);
	if (is_phase(place))
		f->phase = add_phase(site->addr);
}

/* A ret leads to this address. */
static void returned_to(uint64_t addr)
{
	size_t i = nr_open;
	uint64_t place;

	while (i && open_calls[i - 1].addr != addr)
		i--;
	if (!i)
		return;
	place = open_calls[i - 1].place;
	nr_open = i - 1;
	if (!counting || !depth || stack[depth - 1].place > place)
		return;
	charge();
	/* A function that ended in a jump returns together with the one that it jumped to. */
	while (depth && stack[depth - 1].place <= place) {
		/* Only that one can have returned: each return is seen. */
		strays += stack[depth - 1].place != place;
		stack[depth - 1].site->returns++;
		returns++;
		pop();
	}
}

static void on_instruction(unsigned int vcpu, void *addr)
{
	if (returning)
		returned_to((uintptr_t)addr);
	returning = false;
	outside++;
}

static void on_recorder(unsigned int vcpu, void *data)
{
	returning = false;
	in_recorder++;
}

static void on_trampoline(unsigned int vcpu, void *data)
{
	returning = false;
	in_trampoline++;
}

static void on_ret(unsigned int vcpu, void *data)
{
	returning = true;
}

static void on_calling(unsigned int vcpu, void *data)
{
	calling = data;
}

static void write_results(void)
{
	while (depth)
		pop();
	for (size_t i = 0; i < nr_phases; i++)
		fprintf(out, "phase %" PRIx64 " %" PRIu64 " %" PRIu64 "\n", phases[i].addr, phases[i].start,
			phases[i].end);
	for (struct site *s = sites; s; s = s->next) {
		if (s->calls)
			fprintf(out, "site %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", s->addr,
				s->calls, s->returns, s->inclusive, s->self);
	}
	fprintf(out, "calls %" PRIu64 "\nreturns %" PRIu64 "\noutside %" PRIu64 "\ndeepest %zu\n"
		"recorder %" PRIu64 "\ntrampoline %" PRIu64 "\nstrays %" PRIu64 "\n", calls, returns, charged,
		deepest, in_recorder, in_trampoline, strays);
	if (fclose(out))
		perror("graph_oracle");
}

static void on_end(unsigned int vcpu, void *id)
{
	if (!counting)
		return;
	/* Phases that have not returned end here, too, but are listed as open. */
	for (size_t i = 0; i < depth; i++)
		stack[i].phase = 0;
	counting = false;
	ended = true;
	write_results();
	/*
	 * QEMU 7.2 still looks for the memory callback of an instruction that ended its block, such as a call, when a
	 * reset has freed it, and aborts. There, blocks that were translated before keep their callbacks.
	 */
#if QEMU_PLUGIN_VERSION >= 2
	qemu_plugin_reset((uintptr_t)id, NULL);
#endif
}

static void watch_call(struct qemu_plugin_insn *insn,
		       void (*cb)(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t place, void *data),
		       void *data)
{
	watch(insn, on_calling, data);
	qemu_plugin_register_vcpu_mem_cb(insn, cb, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, data);
}

static bool is_ret(const uint8_t *code)
{
	/* "repz ret" */
	if (code[0] == 0xf3)
		code++;
	return code[0] == RET_OPCODE || code[0] == RET_N_OPCODE;
}

/* With a prefix or without: 0xe8, or by a register or from memory: 0xff, and the number 2 in the next byte. */
static bool is_call(const uint8_t *code)
{
	if ((code[0] & 0xf0) == 0x40 || code[0] == 0x3e || code[0] == 0x2e)
		code++;
	return code[0] == CALL_OPCODE || (code[0] == 0xff && (code[1] >> 3 & 7) == 2);
}

static void watch_stack(struct qemu_plugin_insn *insn, const uint8_t *code)
{
	uint64_t addr = qemu_plugin_insn_vaddr(insn);
	void *after = (void *)(uintptr_t)(addr + qemu_plugin_insn_size(insn));

	if (insn_target(insn) == fentry)
		watch_call(insn, on_traced_call, find_site(addr));
	else if (is_call(code))
		watch_call(insn, on_call, after);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);

	for (i = 0; !ended && i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t addr = qemu_plugin_insn_vaddr(insn);
		uint8_t code[4];

		insn_bytes(insn, code, sizeof(code));
		if (is_in(&trampoline, addr))
			watch(insn, on_trampoline, NULL);
		else if ((is_in(&recorder, addr) || addr == fentry) && !is_ret(code))
			watch(insn, on_recorder, NULL);
		else
			watch(insn, on_instruction, (void *)(uintptr_t)addr);
		if (is_ret(code))
			watch(insn, on_ret, NULL);
		if (addr == begin)
			watch(insn, on_begin, NULL);
		if (addr == end)
			watch(insn, on_end, (void *)(uintptr_t)id);
		if (addr == mark)
			watch(insn, on_mark, NULL);
		watch_stack(insn, code);
	}
}

static bool take_range(const char *arg, const char *name, struct range *r)
{
	const char *to = strchr(arg, '-');

	if (!to || !take(arg, name, &r->from))
		return false;
	r->to = strtoull(to + 1, NULL, 16);
	return true;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	for (char **arg = argv; arg < argv + argc; arg++) {
		if (!take(*arg, "fentry", &fentry) && !take(*arg, "begin", &begin) && !take(*arg, "end", &end) &&
		    !take(*arg, "mark", &mark) && !take_range(*arg, "recorder", &recorder) &&
		    !take_range(*arg, "phases", &parent) && !take_range(*arg, "trampoline", &trampoline))
			take_output(*arg, "out", &out);
	}
	return install(id, fentry && begin && end && recorder.to && parent.to && out, "graph_oracle",
		       "fentry=, recorder=, begin=, end=, phases= and out=", on_translation);
}
