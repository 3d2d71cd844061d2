// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a picture of a boot that has everything: bars of each class, on two parts, lanes that are
 * packed, the load of two CPUs, and names that are no text. tests/host/picture.sh opens it in a
 * browser. Each line of the file that is named says what a bar has to be: its name, lane and part,
 * and where it begins and ends in ns.
 */
#include "boot/boot.h"
#include "boot/picture.h"

#define MS 1000000LL

static struct timeline t;
static FILE *list;

static void add(size_t lane, enum span_class class, const char *name, int64_t start_ms, int64_t end_ms)
{
	timeline__add(&t, lane, class, name, start_ms * MS, end_ms * MS);
	fprintf(list, "%s\t%s\t%d\t%lld\t%lld\n", name, t.lanes[lane].group ?: t.lanes[lane].name,
		(int)t.lanes[lane].part, start_ms * MS, end_ms * MS);
}

static size_t lane(const char *name, const char *group, enum timeline_part_id part, enum lane_kind kind)
{
	return timeline__lane(&t, &(struct lane){ .name = name, .group = group, .part = part, .kind = kind, .pid = -1 });
}

static void add_early(void)
{
	size_t phases = lane("phases", NULL, TIMELINE_EARLY, LANE_NESTS), calls = lane("calls", NULL, TIMELINE_EARLY, LANE_NESTS);

	t.parts[TIMELINE_EARLY].own_clock = true;
	add(phases, SPAN_PHASE, "setup_arch", 0, 200);
	add(phases, SPAN_PHASE, "mm_core_init", 200, 300);
	add(calls, SPAN_CALL, "start_kernel", 0, 300);
	add(calls, SPAN_CALL, "setup_arch()", 0, 200);
	add(calls, SPAN_CALL, "e820__memblock_setup", 20, 40);
}

static void add_boot(void)
{
	size_t phases = lane("phases", NULL, TIMELINE_BOOT, LANE_NESTS);
	size_t task = lane("process 1", NULL, TIMELINE_BOOT, LANE_NESTS);
	size_t units = lane("units", NULL, TIMELINE_BOOT, LANE_APART);
	size_t cpu = lane("CPU 0", NULL, TIMELINE_BOOT, LANE_NESTS);

	add(phases, SPAN_PHASE, "firmware", -2000, 0);
	add(phases, SPAN_PHASE, "kernel", 0, 2000);
	add(phases, SPAN_PROGRAM, "/sbin/init", 2000, 8000);
	add(task, SPAN_INITCALL, "acpi_init", 200, 900);
	add(task, SPAN_PROBE, "0000:00:04.0", 300, 600);
	add(task, SPAN_WAIT, "synchronize_rcu", 300, 450);
	add(task, SPAN_INITCALL, "<script>document.title = 1</script>", 1000, 1500);
	add(task, SPAN_INITCALL, "</title></rect>&amp;]]>", 1500, 1700);
	/* A browser shows these as U+FFFD. */
	timeline__add(&t, task, SPAN_INITCALL, "\x01\x02\xff\xfe\xe2\x80\xae", 1700 * MS, 1900 * MS);
	add(units, SPAN_UNIT, "a.service", 2100, 4000);
	add(units, SPAN_UNIT, "b.service", 2200, 2700);
	add(units, SPAN_UNIT, "c.mount", 7900, 8000);
	add(lane("process 70", "modules", TIMELINE_BOOT, LANE_NESTS), SPAN_MODULE, "virtio_net", 2500, 2600);
	add(lane("process 71", "modules", TIMELINE_BOOT, LANE_NESTS), SPAN_MODULE, "btrfs", 2550, 3000);
	add(cpu, SPAN_RUNNING, "systemd-udevd", 2300, 2900);
	add(cpu, SPAN_IO, "sda", 3000, 3100);
	timeline__add(&t, units, SPAN_UNIT, "d.service", 5000 * MS, NOT_KNOWN);
	/* With those above, 150 units. Each fifth one takes no time. */
	for (int i = 0; i < 146; i++)
		timeline__add(&t, units, SPAN_UNIT, timeline__keep(&t, i % 40 ? "unit-%d.service" :
			      "systemd-fsck@dev-disk-by\\x2duuid-2c5bd3a5\\x2d6e8b\\x2d4d2a\\x2d9a9e\\x2d%04d.service", i),
			      (2400 + i * 38) * MS, (2400 + i * 38 + i % 5 * (i % 5) * 4) * MS);
	timeline__add(&t, lane("programs", NULL, TIMELINE_BOOT, LANE_APART), SPAN_PROGRAM, "/bin/udevadm", 2150 * MS, 2500 * MS);
	/* Side by side, and much narrower than a pixel. */
	for (int i = 0; i < 500; i++)
		timeline__add(&t, cpu, SPAN_RUNNING, "kworker", 4000 * MS + i * 100000, 4000 * MS + i * 100000 + 90000);
	timeline__mark(&t, "/sbin/init", 2000 * MS);
	timeline__mark(&t, "<img src=x onerror=alert(1)>", 7000 * MS);
}

static void add_load(void)
{
	boot_load__init(&t.load, 0, 8000 * MS, 80, 2);
	for (size_t cpu = 0; cpu < 2; cpu++) {
		boot_load__add(&t.load, cpu, 0, 8000 * MS, false);
		for (int i = 0; i < 80; i++)
			boot_load__add(&t.load, cpu, i * 100 * MS, (i * 100 + (i * (7 + (int)cpu)) % 100) * MS, true);
	}
	for (int i = 0; i < 40; i++)
		t.load.io_bytes[20 + i / 2] += i * 4096;
}

int main(int argc, char **argv)
{
	struct boot b = {
		.kernel.release = "6.12.0-<b>&\"", .boot_id = "boot", .lost = 3, .early.tracer = "function",
	};

	if (argc != 2) {
		fprintf(stderr, "usage: made_picture LIST >PICTURE\n");
		return 2;
	}
	list = fopen(argv[1], "w");
	if (!list) {
		fprintf(stderr, "made_picture: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	timeline__init(&t);
	add_early();
	add_boot();
	add_load();
	timeline__finish(&t);
	picture__write(&t, &b, stdout);
	timeline__free(&t);
	return fclose(list) || fflush(stdout) ? 1 : 0;
}
