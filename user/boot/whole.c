// SPDX-License-Identifier: GPL-2.0-only
/* Collects the parts of a boot around the kernel's own part; see whole.h. */
#include <string.h>

#include "base/error.h"
#include "boot/asked.h"
#include "boot/whole.h"

void boot_whole__divide(struct boot_whole *w, const struct boot_start *start, const uint64_t *first_call)
{
	const struct boot_manager *m = &w->units.manager;
	const struct boot_known known = {
		.clock = &w->clock, .firmware = &w->firmware, .start = start, .units = &w->units,
		.first_call_known = first_call, .first_call = first_call ? *first_call : 0,
	};

	if (w->units.known && start)
		boot_clock__of_boot(&w->clock, start, m->userspace, m->finish);
	if (w->units.known)
		boot_firmware__add(&w->firmware, m->firmware, m->loader);
	boot_parts__find(&w->parts, &known);
}

void boot_whole__load(struct boot_whole *ret, const char *dir, const struct boot_start *start,
		      const uint64_t *first_call)
{
	struct boot_asked asked;

	memset(ret, 0, sizeof(*ret));
	boot_asked__load(&asked);
	ret->asked = start || boot_asked__instance(&asked) || boot_asked__in_top(&asked);
	boot_asked__free(&asked);
	boot_clock__measure(&ret->clock, dir);
	boot_firmware__load(&ret->firmware, "/sys/firmware");
	boot_units__load(&ret->units);
	boot_whole__divide(ret, start, first_call);
}

void boot_whole__free(struct boot_whole *w)
{
	boot_units__free(&w->units);
	boot_parts__free(&w->parts);
	memset(w, 0, sizeof(*w));
}

void boot_whole__losses(const struct boot_whole *w)
{
	uint64_t since;

	if (!w->units.known)
		error__warn("what init has started is not known: %s", w->units.why_not);
	else if (!boot_units__complete(&w->units))
		error__warn("the boot is not complete: systemd has %u jobs left, `systemctl list-jobs` shows them",
			    w->units.jobs);
	if (w->units.known && !w->clock.monotonic_known)
		error__warn("when systemd's units were started by the kernel's clock is not known: %s",
			    w->clock.why_no_monotonic);
	if (w->firmware.kexec)
		error__warn("another kernel has started this one (kexec): what came before is not known");
	else if (!w->clock.tsc_known)
		error__warn("when the processor was reset is not known: %s", w->clock.why_no_tsc);
	else if (!boot_clock__since_reset(&w->clock, &since) && !boot_firmware__fits(&w->firmware, since))
		error__warn("when the processor was reset is not known: its time stamp counter began %.3f s before the kernel's "
			    "clock, and firmware and boot loader have taken %.3f s; a warm start may not have cleared it",
			    since / 1e9, w->firmware.loader_end / 1e9);
	if (w->clock.unstable)
		error__warn("the kernel does not trust the time stamp counter: the clocks of its processors may differ, and then "
			    "who woke whom, and waits across processors, are doubtful");
}
