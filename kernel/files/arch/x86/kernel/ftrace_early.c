// SPDX-License-Identifier: GPL-2.0
/*
 * The x86 part of very early function tracing (kernel/trace/trace_early.c).
 *
 * Call sites are still the compiler's `call __fentry__`, the kernel's text is
 * writable until mark_readonly(), there is one CPU, and interrupts are off. So
 * memcpy() writes text, and sync_core() follows.
 *
 * The switch is the first instruction of __fentry__. While recording is on, it is
 * a jump to the recorder. Before and after, it is the original instruction. So a
 * switch that is off costs nothing.
 */
#include <linux/cc_platform.h>
#include <linux/cpufeature.h>
#include <linux/ftrace.h>
#include <linux/ftrace_early.h>
#include <linux/init.h>
#include <linux/processor.h>
#include <linux/string.h>
#include <linux/sync_core.h>
#include <linux/trace_clock.h>
#include <asm/cmdline.h>
#include <asm/nops.h>
#include <asm/set_memory.h>
#include <asm/setup.h>
#include <asm/text-patching.h>
#include <asm/tsc.h>

/* If this memory is not used, reserve_brk() gives it back to memblock. */
RESERVE_BRK(early_ftrace, 1 << CONFIG_VERY_EARLY_FTRACE_BUF_SHIFT);

static u8 fentry_insn[JMP32_INSN_SIZE] __initdata;

/* As data, or objtool would take an address inside of __fentry__ for a jump target. */
static void *__init early_fentry(void)
{
	void *fentry = __fentry__;

	OPTIMIZER_HIDE_VAR(fentry);
	return fentry;
}

/**
 * arch_early_ftrace_refuses - can a recorder read the time?
 *
 * Return: why it cannot, or NULL if it can.
 */
const char *__init arch_early_ftrace_refuses(void)
{
#ifdef CONFIG_X86_32
	/* setup_arch() has not looked at the CPU yet. */
	if (!have_cpuid_p() || !(cpuid_edx(1) & BIT(X86_FEATURE_TSC % 32)))
		return "the CPU has no time stamp counter";
#endif
	/*
	 * A hypervisor may intercept RDTSC, which raises #VC in such a guest. The handlers
	 * of #VC are traced, so the recorder would interrupt itself without end.
	 */
	if (cc_platform_has(CC_ATTR_GUEST_STATE_ENCRYPT))
		return "to read the time may be an exception in this guest (SEV-ES)";
	return NULL;
}

/**
 * arch_early_ftrace_cmdline - make the command line that setup_arch() will make
 * @buf: where to put it
 * @size: bytes there
 */
void __init arch_early_ftrace_cmdline(char *buf, size_t size)
{
	buf[0] = '\0';
#ifdef CONFIG_CMDLINE_BOOL
	strscpy(buf, builtin_cmdline, size);
	if (IS_ENABLED(CONFIG_CMDLINE_OVERRIDE))
		return;
	if (buf[0])
		strlcat(buf, " ", size);
#endif
	strlcat(buf, boot_command_line, size);
}

/**
 * arch_early_ftrace_reserve - memory before there is an allocator
 * @size: bytes, at most 1 << CONFIG_VERY_EARLY_FTRACE_BUF_SHIFT in all
 *
 * Return: zeroed memory in the kernel's image.
 */
void *__init arch_early_ftrace_reserve(size_t size)
{
	return extend_brk(size, PAGE_SIZE);
}

/**
 * arch_early_ftrace_free - give reserved memory to the page allocator
 * @mem: from arch_early_ftrace_reserve()
 * @size: bytes
 *
 * Like free_kernel_image_pages(), which frees nothing with debug_pagealloc. With PTI,
 * user space's page tables map a part of the image: memory that is freed must not stay
 * mapped there.
 */
void __init arch_early_ftrace_free(void *mem, size_t size)
{
	free_reserved_area(mem, mem + size, -1, "early ftrace");
#ifdef CONFIG_X86_64
	if (cpu_feature_enabled(X86_FEATURE_PTI))
		set_memory_np_noalias((unsigned long)mem, size >> PAGE_SHIFT);
#endif
}

/**
 * arch_early_ftrace_start - record calls from all call sites that are not skipped
 * @recorder: what to record
 */
void __init arch_early_ftrace_start(enum early_recorder recorder)
{
	static void (*const recorders[])(void) __initconst = {
		[EARLY_RECORD_CALLS] = early_ftrace_record,
		[EARLY_RECORD_RETURNS] = early_ftrace_record_graph,
		[EARLY_RECORD_ONCE] = early_ftrace_record_once,
	};
	void *fentry = early_fentry();

	memcpy(fentry_insn, fentry, sizeof(fentry_insn));
	memcpy(fentry, text_gen_insn(JMP32_INSN_OPCODE, fentry, recorders[recorder]),
	       sizeof(fentry_insn));
	sync_core();
}

/**
 * arch_early_ftrace_stop - restore __fentry__
 */
void __init arch_early_ftrace_stop(void)
{
	memcpy(early_fentry(), fentry_insn, sizeof(fentry_insn));
	sync_core();
}

static bool __init early_site_is(unsigned long ip, const void *insn)
{
	return !memcmp((void *)ip, insn, MCOUNT_INSN_SIZE);
}

static bool __init early_site_calls(unsigned long ip)
{
	return early_site_is(ip, text_gen_insn(CALL_INSN_OPCODE, (void *)ip, early_fentry()));
}

static void __init early_site_write(unsigned long ip, const void *insn)
{
	memcpy((void *)ip, insn, MCOUNT_INSN_SIZE);
}

/**
 * arch_early_ftrace_skip - do not trace a call site
 * @ip: its address
 *
 * A site that is not a call of __fentry__ is left as it is:
 * arch_early_ftrace_replace_code() will find it. To be called before
 * arch_early_ftrace_start(), whose sync_core() covers this, too.
 */
void __init arch_early_ftrace_skip(unsigned long ip)
{
	if (early_site_calls(ip))
		early_site_write(ip, x86_nops[MCOUNT_INSN_SIZE]);
}

/**
 * arch_early_ftrace_replace_code - turn each call site into a call of the tracer or a NOP
 * @enable: as for ftrace_replace_code()
 * @sites: filled in with what was found
 *
 * One pass, without a breakpoint, over all sites. It calls nothing that is
 * traced, so no call is recorded while some sites are changed and some are not.
 * A site that is neither a call of __fentry__ nor a NOP belongs to somebody else:
 * ftrace must not touch it any more.
 */
void __init arch_early_ftrace_replace_code(int enable, struct early_ftrace_sites *sites)
{
	unsigned long last_flags = 0, target = 0;
	struct ftrace_rec_iter *iter;

	for_ftrace_rec_iter(iter) {
		struct dyn_ftrace *rec = ftrace_rec_iter_record(iter);
		bool call = ftrace_test_record(rec, enable) == FTRACE_UPDATE_MAKE_CALL;
		bool called = early_site_calls(rec->ip);

		if (!called && !early_site_is(rec->ip, x86_nops[MCOUNT_INSN_SIZE])) {
			if (!sites->unexpected++)
				sites->first_unexpected = rec->ip;
			rec->flags |= FTRACE_FL_DISABLED;
			continue;
		}
		if (called != call)
			sites->differing++;

		if (call) {
			/*
			 * There is one user of ftrace. So the same flags mean the same
			 * target, and the users of each site need not be searched.
			 */
			if (!target || rec->flags != last_flags) {
				last_flags = rec->flags;
				target = ftrace_get_addr_new(rec);
			}
			early_site_write(rec->ip, text_gen_insn(CALL_INSN_OPCODE, (void *)rec->ip,
								(void *)target));
			ftrace_update_record(rec, enable);
		} else {
			early_site_write(rec->ip, x86_nops[MCOUNT_INSN_SIZE]);
		}
	}
	sync_core();
}

#define EARLY_TIMED_CALLS	64
#define EARLY_TIMED_ROUNDS	8

/* A jump makes two calls. The high half of the TSC may change, which takes one entry. */
static u8 early_timed_calls[(2 * EARLY_TIMED_CALLS + 1) * EARLY_TIMED_CALL_SIZE] __initdata;

/**
 * struct early_timed - TSC cycles of EARLY_TIMED_CALLS calls of functions that do nothing
 * @call: of early_ftrace_timed_call()
 * @jump: of early_ftrace_timed_jump()
 * @took: what the recorder of returns says of @call
 * @none: of early_ftrace_timed_return(), which is only a return
 */
struct early_timed {
	u64	call;
	u64	jump;
	u64	took;
	u64	none;
};

static u64 __init notrace early_timed_took(void)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < EARLY_TIMED_CALLS; i++)
		sum += *(u32 *)(early_timed_calls + i * EARLY_TIMED_CALL_SIZE + EARLY_CALL_SIZE);
	return sum;
}

static void __init early_timed_call_to(void (*site)(void), void *target)
{
	early_site_write((unsigned long)site, text_gen_insn(CALL_INSN_OPCODE, site, target));
}

/* The fastest round counts: caches are cold in the first one, and a hypervisor may interrupt. */
static void __init notrace early_time(struct early_timed *best, void *target)
{
	u64 start;
	int i, round;

	early_timed_call_to(early_ftrace_timed_call, target);
	early_timed_call_to(early_ftrace_timed_jump, target);
	sync_core();
	memset(best, 0xff, sizeof(*best));
	for (round = 0; round < EARLY_TIMED_ROUNDS; round++) {
		early_ftrace_pos = (void *)early_timed_calls;
		start = rdtsc();
		for (i = 0; i < EARLY_TIMED_CALLS; i++)
			early_ftrace_timed_call();
		best->call = min(best->call, rdtsc() - start);
		best->took = min(best->took, early_timed_took());

		early_ftrace_pos = (void *)early_timed_calls;
		start = rdtsc();
		for (i = 0; i < EARLY_TIMED_CALLS; i++)
			early_ftrace_timed_jump();
		best->jump = min(best->jump, rdtsc() - start);

		start = rdtsc();
		for (i = 0; i < EARLY_TIMED_CALLS; i++)
			early_ftrace_timed_return();
		best->none = min(best->none, rdtsc() - start);
	}
}

static u32 __init early_cost(u64 cycles, u64 less)
{
	return div_u64((cycles - min(cycles, less)) * 1000, EARLY_TIMED_CALLS);
}

/**
 * arch_early_ftrace_time - time the recorder
 * @recorder: EARLY_RECORD_CALLS or EARLY_RECORD_RETURNS, which is on
 * @cost: filled in
 *
 * Two functions call the recorder, and then nothing but a return in its place.
 *
 * Context: interrupts and NMIs are off, and no other site calls __fentry__ any more.
 */
void __init arch_early_ftrace_time(enum early_recorder recorder, struct early_ftrace_cost *cost)
{
	struct early_call *pos = early_ftrace_pos, *end = early_ftrace_end;
	struct early_timed on, off;

	early_ftrace_end = (void *)early_timed_calls + sizeof(early_timed_calls);
	early_time(&on, early_fentry());
	early_time(&off, early_ftrace_timed_return);
	early_ftrace_pos = pos;
	early_ftrace_end = end;

	cost->record = early_cost(on.call, off.call);
	if (recorder != EARLY_RECORD_RETURNS)
		return;
	/* Two returns of a call are not the recorder's. They are like a call and a return. */
	cost->inside = min(early_cost(on.took, off.call - min(off.call, off.none)), cost->record);
	cost->jump = early_cost(on.jump, off.jump);
	cost->jump -= min(cost->jump, 2 * cost->record);
}

/**
 * arch_early_ftrace_clock - the clock that the recorders read
 *
 * Return: the TSC.
 */
u64 __init arch_early_ftrace_clock(void)
{
	return rdtsc();
}

/**
 * arch_early_ftrace_trace_clock - the trace clock that reads the recorders' clock
 * @name: where to put its name
 *
 * Return: its function.
 */
u64 (*__init arch_early_ftrace_trace_clock(const char **name))(void)
{
	*name = "x86-tsc";
	return trace_clock_x86_tsc;
}

/**
 * arch_early_ftrace_khz - the frequency of the recorders' clock
 *
 * Return: kHz, 0 while it is not known.
 */
u32 arch_early_ftrace_khz(void)
{
	return tsc_khz;
}
