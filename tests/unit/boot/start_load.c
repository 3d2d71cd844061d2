// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: finding the events of a boot, and counting losses, in directories like tracefs: of
 * Linux 6.3 and later, where probes have a buffer of their own, and of older kernels.
 */
#include "boot/boot_sample.h"
#include "boot/record.h"
#include "boot/start_sample.h"
#include "put_file.h"

#define MS 1000000ll
#define STATS(dropped) "entries: 5\noverrun: 0\nnow ts:   100.000000\ndropped events: " dropped "\n"
#define PROBE(time) INIT(time, "device: (really_probe+0x0/0x390) dev=\"a\" drv=\"b\"")
#define EVENTS \
	INIT("0.100000", "initcall_level: level=early") INIT("0.200000", "initcall_start: func=a_init+0x0/0x10") \
	INIT("0.300000", "initcall_finish: func=a_init+0x0/0x10 ret=0") \
	INIT("0.500000", "sched_process_exec: filename=/init pid=1 old_pid=1")

static char root[] = "/tmp/start.XXXXXX";

static void make_root(void)
{
	cr_assert(mkdtemp(root) != NULL);
	put_file(root, "events/hytrace_boot/enable", "1\n");
	put_file(root, "kprobe_profile", "  hytrace_boot/device_end  42  3\n");
}

static void remove_root(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", root);
	cr_expect(system(command) == 0);
}

TestSuite(start_load, .init = make_root, .fini = remove_root);

/* If one buffer has all events, a lost event may be of any kind. */
Test(start_load, all_events_in_one_buffer)
{
	for (int full = 0; full < 2; full++) {
		put_file(root, "trace", EVENTS PROBE("0.600000"));
		put_file(root, "per_cpu/cpu0/stats", full ? STATS("500000") : STATS("0"));
		begin_boot();
		cr_assert(boot_events__load(&b, root, true) == 0);
		cr_expect(b.probes.count == 1 && b.probes_lost == 3, "%ld", (long)b.probes_lost);
		cr_expect(b.lost == 0 && b.full == (full ? 600 * MS : NOT_KNOWN) && b.probes_full == b.full, "%ld", (long)b.full);
		print_json(boot__write, &b);
		expect_at(object, "start.probes_full", full ? "600000000" : "null");
	}
	free_boot();
}

Test(start_load, probes_in_a_buffer_of_their_own)
{
	put_file(root, "instances/hytrace_boot/trace",
		 EVENTS INIT("0.550000", "block_rq_complete: 8,0 R () 2048 + 8 none,0,0 [0]"));
	put_file(root, "instances/hytrace_boot/per_cpu/cpu0/stats", STATS("700"));
	put_file(root, "trace", PROBE("0.600000"));
	put_file(root, "per_cpu/cpu0/stats", STATS("500"));
	begin_boot();
	cr_assert(boot_events__load(&b, root, false) == 0);
	cr_expect(b.probes.count == 1 && b.probes_lost == 503 && b.probes_full == NOT_KNOWN, "%ld", (long)b.probes_lost);
	cr_expect(b.lost == 0 && b.full == 550 * MS, "%ld", (long)b.full);
	free_boot();
}
