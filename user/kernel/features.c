// SPDX-License-Identifier: GPL-2.0-only
/* The table of features; see features.h. feature_probes.c finds out which of them are there. */
#include "base/error.h"
#include "kernel/feature_probes.h"
#include "kernel/features.h"

#define MOST_NEEDS 10
/* The features that a feature needs, and their number. */
#define NEEDS(...) .needs = { __VA_ARGS__ }, \
		   .need_count = sizeof((enum feature[]){ __VA_ARGS__ }) / sizeof(enum feature)

static const struct {
	const char *name, *use;
	const char *missing, *remedy;	/* the error message, unless the probe gives a reason */
	int err;
	feature_probe *probe;		/* NULL: it is there if everything that it needs is there */
	const char *file;		/* for probe_file() */
	enum feature needs[MOST_NEEDS];
	size_t need_count;
} table[FEATURE_COUNT] = {
	[FEATURE_CAPABILITIES] = {
		"capabilities", "all tracing", NULL, "run it as root", -EPERM, probe_capabilities,
	},
	[FEATURE_LOCKDOWN] = {
		"lockdown", "all tracing",
		"the kernel is locked down (/sys/kernel/security/lockdown says confidentiality)",
		"boot it with lockdown=integrity or none", -EPERM, probe_lockdown,
	},
	[FEATURE_TRACEFS] = {
		"tracefs", "all tracing", "tracefs is not there and cannot be mounted",
		"the kernel needs CONFIG_FTRACE, and root may `mount -t tracefs nodev /sys/kernel/tracing`",
		-EOPNOTSUPP, probe_tracefs,
	},
	[FEATURE_FTRACE] = {
		"ftrace", "all tracing", "ftrace is turned off (kernel.ftrace_enabled is 0): no function calls a "
		"tracer", "`sysctl kernel.ftrace_enabled=1` turns it on", -EOPNOTSUPP, probe_ftrace,
	},
	[FEATURE_FUNCTIONS] = {
		"functions", "the list of functions that can be traced",
		"tracefs has no file available_filter_functions", "hytrace needs a kernel with "
		"CONFIG_DYNAMIC_FTRACE", -EOPNOTSUPP, probe_functions,
	},
	[FEATURE_FUNCTION_ADDRESSES] = {
		"function-addresses", "functions that share a name are told apart",
		"tracefs has no file available_filter_functions_addrs", "kernels since 6.5 have it",
		-EOPNOTSUPP, probe_function_addresses,
	},
	[FEATURE_ADDRESSES] = {
		"addresses", "names of what is recorded", "the kernel shows no addresses (/proc/kallsyms)",
		"run as root (CAP_SYSLOG) with `sysctl kernel.kptr_restrict=1` or 0", -EPERM, probe_addresses,
	},
	[FEATURE_LINKED] = {
		"linked-addresses", "results that mean the same in each boot; -f tailor",
		"how far KASLR has moved the kernel is not known, so there are no addresses as linked",
		"give --vmlinux, or boot with nokaslr and a kernel that has /proc/kcore", -EOPNOTSUPP,
		probe_linked,
	},
	[FEATURE_VMLINUX] = {
		"vmlinux", "source directories and lines", "the vmlinux of this kernel is in none of the usual places",
		"install its debug package, or give --vmlinux", -EOPNOTSUPP, probe_vmlinux,
	},
	[FEATURE_ONESHOT] = {
		"oneshot", "coverage in the kernel",
		"this kernel has no oneshot tracer (CONFIG_ONESHOT_TRACER of the hytrace series)",
		"use --engine bpf, or boot a kernel of the hytrace series", -EOPNOTSUPP, probe_oneshot,
	},
	[FEATURE_RETIRE] = {
		"oneshot-retire", "cover --engine oneshot --retire",
		"this kernel's oneshot tracer cannot turn call sites off", "run without --retire, or use --engine bpf",
		-EOPNOTSUPP, probe_file, "oneshot_retire_ms",
	},
	[FEATURE_EARLY] = {
		"very-early", "tracing from the first instruction of start_kernel()",
		"this kernel has no very early function tracing: tracefs has no file early_stats",
		"boot a kernel of the hytrace series with CONFIG_VERY_EARLY_FUNCTION_TRACER", -EOPNOTSUPP,
		probe_file, "early_stats",
	},
	[FEATURE_EVENTS] = {
		"function-events", "events of kernel functions, with arguments",
		"this kernel has no function events: tracefs has no file function_events",
		"boot a kernel of the hytrace series with CONFIG_FUNCTION_EVENTS", -EOPNOTSUPP,
		probe_file, "function_events",
	},
	[FEATURE_BTF] = {
		"btf", "BPF programs that fit any kernel",
		"this kernel has no BTF: there is no /sys/kernel/btf/vmlinux",
		"boot a kernel with CONFIG_DEBUG_INFO_BTF", -EOPNOTSUPP, probe_btf,
	},
	[FEATURE_JIT] = {
		"bpf-jit", "BPF programs at their speed", "BPF programs are interpreted (net.core.bpf_jit_enable is 0)",
		"`sysctl net.core.bpf_jit_enable=1`", -EOPNOTSUPP, probe_jit,
	},
	[FEATURE_KPROBE_MULTI] = {
		"kprobe-multi", "coverage by BPF",
		"this kernel has no kprobe.multi, which needs a kernel with CONFIG_FPROBE=y",
		"Debian 12's own 6.1 has none, its linux-image-6.12-amd64 has", -EOPNOTSUPP, probe_kprobe_multi,
	},
	[FEATURE_FENTRY] = {
		"fentry", "rows of hytrace bench", "this kernel attaches no BPF program to a function's entry",
		"boot a kernel with CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS and BTF", -EOPNOTSUPP, probe_fentry,
	},
	[FEATURE_FENTRY_MULTI] = {
		"fentry-multi", "coverage by BPF at half the cost: hytrace cover --entry fentry",
		"this kernel has no fentry.multi, which is new in Linux 7.2",
		"run without --entry fentry: kprobe.multi does the same at a higher cost", -EOPNOTSUPP,
		probe_fentry_multi,
	},
	[FEATURE_COVER_PROGRAM] = {
		"cover-program", "the BPF program of hytrace cover", NULL, "it needs CONFIG_BPF_JIT, and `sysctl "
		"net.core.bpf_jit_enable=1`; or use --engine oneshot", -EOPNOTSUPP, probe_cover_program,
	},
	[FEATURE_MEMLOCK] = {
		"memlock", "BPF maps of any size", "this kernel counts BPF maps against RLIMIT_MEMLOCK",
		"`ulimit -l unlimited`; kernels since 5.11 do not", -EOPNOTSUPP, probe_memlock,
	},
	[FEATURE_CGROUP] = {
		"cgroup2", "cover --cgroup", "no cgroup hierarchy of version 2 is mounted",
		"`mount -t cgroup2 none /sys/fs/cgroup`", -EOPNOTSUPP, probe_cgroup,
	},
	[FEATURE_COVER_ONESHOT] = {
		"cover-oneshot", "hytrace cover --engine oneshot: the choice of auto if it is there",
		NEEDS(FEATURE_CAPABILITIES, FEATURE_LOCKDOWN, FEATURE_TRACEFS, FEATURE_FUNCTIONS, FEATURE_ONESHOT,
		      FEATURE_FTRACE, FEATURE_ADDRESSES),
	},
	[FEATURE_COVER_BPF] = {
		"cover-bpf", "hytrace cover --engine bpf: the choice of auto otherwise",
		NEEDS(FEATURE_CAPABILITIES, FEATURE_LOCKDOWN, FEATURE_TRACEFS, FEATURE_FUNCTIONS, FEATURE_KPROBE_MULTI,
		      FEATURE_BTF, FEATURE_COVER_PROGRAM, FEATURE_FTRACE, FEATURE_ADDRESSES),
	},
	[FEATURE_COVER_EVENT] = {
		"cover-event", "hytrace cover --engine event",
		NEEDS(FEATURE_CAPABILITIES, FEATURE_LOCKDOWN, FEATURE_TRACEFS, FEATURE_FUNCTIONS, FEATURE_EVENTS,
		      FEATURE_BTF, FEATURE_COVER_PROGRAM, FEATURE_FTRACE, FEATURE_ADDRESSES),
	},
	[FEATURE_EVENT] = {
		"event", "hytrace event",
		NEEDS(FEATURE_CAPABILITIES, FEATURE_LOCKDOWN, FEATURE_TRACEFS, FEATURE_EVENTS, FEATURE_FTRACE),
	},
	[FEATURE_BOOT] = {
		"boot", "hytrace boot", NEEDS(FEATURE_CAPABILITIES, FEATURE_TRACEFS),
	},
};

static struct {
	bool known;
	struct feature_answer answer;
	char reason[384];
} answers[FEATURE_COUNT];

const char *feature__name(enum feature f)
{
	return table[f].name;
}

const char *feature__use(enum feature f)
{
	return table[f].use;
}

enum feature features__find(const char *name)
{
	enum feature f = 0;

	while (f < FEATURE_COUNT && strcmp(table[f].name, name))
		f++;
	return f;
}

static struct feature_answer try_out(enum feature f)
{
	char *text = answers[f].reason, *remedy;
	enum feature_state state = table[f].probe(text, sizeof(answers[f].reason), table[f].file);
	const char *reason = *text ? text : NULL;

	remedy = strchr(text, '\n');

	if (remedy)
		*remedy++ = '\0';
	if (state != FEATURE_NO)
		return (struct feature_answer){ f, state, .reason = reason, .remedy = remedy };
	if (!remedy && (!reason || !table[f].missing))
		remedy = (char *)table[f].remedy;
	return (struct feature_answer){ f, state, table[f].err, reason ?: table[f].missing, remedy };
}

/* The first needed feature that is missing is the reason. @load: also ask FEATURE_COVER_PROGRAM. */
static struct feature_answer look_at_needs(enum feature f, bool load)
{
	struct feature_answer answer = { f, FEATURE_YES };

	for (size_t i = 0; i < table[f].need_count && answer.state != FEATURE_NO; i++) {
		const struct feature_answer *need;

		if (table[f].needs[i] == FEATURE_COVER_PROGRAM && !load)
			continue;
		need = features__ask(table[f].needs[i]);
		if (need->state == FEATURE_NO || (need->state == FEATURE_UNKNOWN && answer.state == FEATURE_YES))
			answer = *need;
	}
	return answer;
}

const struct feature_answer *features__ask(enum feature f)
{
	if (!answers[f].known)
		answers[f].answer = table[f].probe ? try_out(f) : look_at_needs(f, true);
	answers[f].known = true;
	return &answers[f].answer;
}

const struct feature_answer *features__ask_again(enum feature f)
{
	answers[f].known = false;
	answers[f].reason[0] = '\0';
	return features__ask(f);
}

bool features__has(enum feature f)
{
	return features__ask(f)->state == FEATURE_YES;
}

static int say(const char *who, const char *reason, const char *remedy, int err)
{
	error__print("%s%s%s%s%s", who ?: "", who ? ": " : "", reason, remedy ? "; " : "", remedy ?: "");
	return err;
}

int features__require(enum feature f, const char *who)
{
	struct feature_answer answer = table[f].probe ? *features__ask(f) : look_at_needs(f, false);

	return answer.state == FEATURE_NO ? say(who, answer.reason, answer.remedy, answer.err) : 0;
}

int features__refuse(enum feature f, const char *who)
{
	return say(who, table[f].missing ?: feature__name(f), table[f].remedy, table[f].err);
}

const char *features__hint(int err)
{
	static char text[256];

	if ((err != -EPERM && err != -EACCES) || features__ask(FEATURE_LOCKDOWN)->state != FEATURE_NO)
		return "";
	snprintf(text, sizeof(text), "; %s: %s", table[FEATURE_LOCKDOWN].missing, table[FEATURE_LOCKDOWN].remedy);
	return text;
}
