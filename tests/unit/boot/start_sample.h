/* SPDX-License-Identifier: GPL-2.0 */
/* Events of a boot as the kernel prints them, and a report of them. */
#ifndef START_SAMPLE_H
#define START_SAMPLE_H

#include "boot/boot_sample.h"
#include "kernel/sample.h"

#define AT(comm, pid, time, event) "         " comm "-" pid "       [000] .....     " time ": " event "\n"
#define INIT(time, event) AT("swapper", "1", time, event)

static const char start_events[] __attribute__((unused)) =
	"# tracer: nop\n#\n"
	"          <idle>-0       [000] ...1.     0.000000: initcall_level: level=console\n"
	"          <idle>-0       [000] ...1.     0.000001: initcall_start: func=con_init+0x0/0x250\n"
	"          <idle>-0       [000] ...1.     0.000003: initcall_finish: func=con_init+0x0/0x250 ret=0\n"
	INIT("0.500000", "initcall_level: level=early")
	INIT("0.510000", "initcall_start: func=a_init+0x0/0x10")
	INIT("0.530000", "initcall_finish: func=a_init+0x0/0x10 ret=0")
	INIT("0.600000", "initcall_level: level=late")
	INIT("0.610000", "initcall_start: func=b_init+0x0/0x10")
	/* Another task loads a module meanwhile, and this task makes an initcall in an initcall. */
	AT("modprob", "7", "0.611000", "module_load: first E ")
	AT("modprob", "9", "0.611500", "module_load: other")
	AT("modprob", "7", "0.612000", "initcall_start: func=0xffffffffc0000000")
	INIT("0.620000", "initcall_start: func=inner_init+0x0/0x10")
	"CPU:1 [LOST 3 EVENTS]\n"
	INIT("0.650000", "initcall_finish: func=inner_init+0x0/0x10 ret=-19")
	AT("modprob", "7", "0.660000", "initcall_finish: func=0xffffffffc0000000 ret=0")
	INIT("0.700000", "initcall_finish: func=b_init+0x0/0x10 ret=0")
	INIT("0.800000", "sched_process_exec: filename=/init pid=1 old_pid=1")
	AT("modprob", "8", "0.810000", "sched_process_exec: filename=/bin/modprobe pid=8 old_pid=8")
	AT("modprob", "8", "0.820000", "module_load: second")
	AT("modprob", "8", "0.821000", "initcall_start: func=second_init+0x0/0x20 [second]")
	INIT("0.900000", "sched_process_exec: filename=/usr/lib/systemd/systemd pid=1 old_pid=1")
	INIT("0.910000", "sched_wakeup: comm=swapper pid=1");

/* The kernel's part of a boot from these events. */
static inline int read_start(const char *events)
{
	FILE *f = sample_file(events);
	struct events e;
	int err;

	begin_boot();
	events__begin(&e, &b);
	err = events__read(&e, EVENTS_ALL, f, UINT64_MAX, "trace");
	fclose(f);
	events__end(&e);
	return err;
}

static inline void sample_start_report(void)
{
	cr_assert(read_start(start_events) == 0);
}

#endif /* START_SAMPLE_H */
