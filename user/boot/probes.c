// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the events of kernel probes; see probes.h.
 *
 *   [000] ..... 0.793720: device: (really_probe+0x0/0x390) dev="0000:00:02.0" drv="virtio-pci"
 *   [000] ..... 0.870036: device_end: (__driver_probe_device+0x84/0x170 <- really_probe) ret=0
 *
 * The name of a device, and of a driver, is the first member of the struct that struct device and
 * struct device_driver begin with, on all kernels since 2.6.25. The result is read from the
 * register, as boot loaders would expand the $ of $retval. The quotes are for the semicolons. A
 * task can be in several probes at once, as a bus probes its devices in its own probe. So there is
 * room for 64 returns at a time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "boot/probes.h"

/* From include/linux/errno.h: user space has no such error. */
#define EPROBE_DEFER 517

static const struct {
	const char *start, *end;
} kinds[PROBE_KINDS] = {
	[PROBE_DEVICE] = { "device", "device_end" },
	[PROBE_UNPACK] = { "unpack", "unpack_end" },
	[PROBE_CONSOLE] = { "console", "console_end" },
};

const char *boot_probes__parameters(void)
{
	return "kprobe_event=\"p:" PROBES_GROUP "/device,really_probe,dev=+0(+0(%di)):string,"
	       "drv=+0(+0(%si)):string;r64:" PROBES_GROUP "/device_end,really_probe,ret=%ax:s32;"
	       "p:" PROBES_GROUP "/unpack,do_populate_rootfs;"
	       "r64:" PROBES_GROUP "/unpack_end,do_populate_rootfs;"
	       "p:" PROBES_GROUP "/console,console_unlock;r64:" PROBES_GROUP "/console_end,console_unlock\"";
}

/* The text between @before and @after; NULL: there is none, as after a page fault. */
static const char *text_between(struct boot_probes *p, const char *fields, const char *before,
				const char *after)
{
	const char *start = strstr(fields, before), *end;
	char text[128];

	if (!start)
		return NULL;
	start += strlen(before);
	end = strstr(start, after);
	if (!end || end - start >= (ptrdiff_t)sizeof(text))
		return NULL;
	memcpy(text, start, end - start);
	text[end - start] = '\0';
	return strings__intern(p->store, text);
}

static int on_start(struct boot_probes *p, enum probe_kind kind, const struct trace_context *c,
		    const char *fields)
{
	struct boot_probe *probe = LIST_ADD(p->list, p->count);

	*probe = (struct boot_probe){ .kind = kind, .pid = c->pid, .start = c->time };
	if (kind == PROBE_DEVICE) {
		probe->device = text_between(p, fields, " dev=\"", "\" drv=");
		probe->driver = text_between(p, fields, " drv=\"", "\"");
	}
	return 0;
}

static int on_end(struct boot_probes *p, enum probe_kind kind, const struct trace_context *c,
		  const char *fields)
{
	const char *result = strstr(fields, ") ret=");
	int value = 0;

	if (kind == PROBE_DEVICE && (!result || sscanf(result, ") ret=%d", &value) != 1))
		return -EPROTO;
	for (size_t i = p->count; i-- > 0;) {
		struct boot_probe *probe = &p->list[i];

		if (probe->finished || probe->pid != c->pid || probe->kind != kind)
			continue;
		/* really_probe() returns the error of a driver as a positive number. */
		probe->result = value > 0 ? -value : value;
		probe->deferred = probe->result == -EPROBE_DEFER;
		probe->time = probe->self = c->time - probe->start;
		probe->finished = true;
		break;
	}
	return 0;
}

int boot_probes__take(struct boot_probes *p, const struct trace_context *c)
{
	for (int kind = 0; kind < PROBE_KINDS; kind++) {
		const char *start = trace_context__fields(c, kinds[kind].start), *end = trace_context__fields(c, kinds[kind].end);

		if (start)
			return on_start(p, kind, c, start);
		if (end)
			return on_end(p, kind, c, end);
	}
	return -ENOENT;
}

/* The innermost probe of the same kind and task around this probe; NULL: none. */
static struct boot_probe *outer_of(const struct boot_probes *p, size_t index)
{
	const struct boot_probe *inner = &p->list[index];

	while (index-- > 0) {
		struct boot_probe *other = &p->list[index];

		if (other->pid == inner->pid && other->kind == inner->kind && other->finished &&
		    other->start + other->time >= inner->start + inner->time)
			return other;
	}
	return NULL;
}

void boot_probes__end(struct boot_probes *p)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct boot_probe *probe = &p->list[i];
		struct boot_probe *outer = NULL;

		if (probe->kind == PROBE_DEVICE && probe->finished)
			outer = outer_of(p, i);
		if (outer)
			outer->self -= p->list[i].time;
	}
}

void boot_probes__free(struct boot_probes *p)
{
	free(p->list);
}

uint64_t boot_probes__sum(const struct boot_probes *p, enum probe_kind kind, uint64_t until,
			  size_t *ret_count)
{
	uint64_t sum = 0;

	*ret_count = 0;
	for (size_t i = 0; i < p->count; i++) {
		const struct boot_probe *probe = &p->list[i];

		if (probe->kind != kind || !probe->finished || probe->start + probe->time > until)
			continue;
		sum += probe->self;
		(*ret_count)++;
	}
	return sum;
}

static int by_self(const void *a, const void *b, void *arg)
{
	const struct boot_probe *list = arg;
	const size_t *x = a, *y = b;

	if (list[*x].self != list[*y].self)
		return list[*x].self > list[*y].self ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

size_t *boot_probes__longest(const struct boot_probes *p, size_t *ret_count)
{
	size_t *list = xcalloc(p->count, sizeof(*list)), count = 0;

	for (size_t i = 0; i < p->count; i++) {
		if (p->list[i].kind == PROBE_DEVICE)
			list[count++] = i;
	}
	qsort_r(list, count, sizeof(*list), by_self, p->list);
	*ret_count = count;
	return list;
}
