// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: what process 1 waited for, and how busy processors were, from events as the kernel prints them.
 */
#include "base/memory.h"
#include "boot/boot_sample.h"

static const char *const begin = LEVEL("0.100", "early") START("0.110", "a_init");
static const char *const end = FINISH("0.200", "a_init") EXEC("1", "0.300", "/init");

TestSuite(boot_waits, .fini = free_boot);
TestSuite(boot_sched, .fini = free_boot);

/* Checks that the path has no gaps from the first initcall until init, and that the rows are all of it. */
static void expect_whole(void)
{
	int64_t time = 100 * MS, sum = b.process.running;

	for_list(piece, &b.path) {
		cr_expect(piece->start == time, "%s", piece->name);
		time = piece->end;
	}
	cr_expect(b.process.start == 100 * MS && b.process.end == 300 * MS && time == 300 * MS);
	for_array(wait, b.waits, b.wait_count) {
		int64_t parts = 0;

		for (int class = 0; class < CLASS_COUNT; class++)
			parts += wait->parts[class];
		cr_expect(parts == wait->time, "%s", wait->name);
		sum += wait->time;
	}
	cr_expect(sum == 200 * MS, "rows leave nothing out");
}

/*
 * Prints what process 1 did, in ms, then the same of a_init, and then the waits, the longest first: the place, what it waited
 * for, the time, how often, and what this did meanwhile.
 */
static void print_waits(FILE *f)
{
	const struct span *p = &b.process, *call = &b.initcalls.list[0];

	fprintf(f, "ran %g, ready %g; a_init %g, %g, %g", p->running / 1e6, p->ready / 1e6, call->running / 1e6, call->ready / 1e6,
		call->waiting / 1e6);
	for_array(wait, b.waits, b.wait_count) {
		fprintf(f, "\n%s: %s %s %g*%d", wait->where, wait_class_names[wait->class], wait->name ?: "?", wait->time / 1e6,
			(int)wait->count);
		for (int class = 0; class < CLASS_COUNT; class++) {
			if (wait->parts[class])
				fprintf(f, ", %s %g", wait_class_names[class], wait->parts[class] / 1e6);
		}
	}
}

/* The events of a_init's time, and what is known of the waits by them. @lost: events before them */
static void read_lossy(int64_t lost, const char *middle, const char *expected)
{
	char *events = PRINTED(f, fprintf(f, "%s%s%s", begin, middle, end));

	begin_events();
	b.lost = lost;
	cr_assert(take_events(EVENTS_ALL, events, UINT64_MAX) == 0 && b.unread == 0);
	events__end(&reading);
	free(events);
	expect_whole();
	PRINT(f, print_waits(f));
	if (expected)
		expect_str(text, expected);
}

static void read_middle(const char *middle, const char *expected)
{
	read_lossy(0, middle, expected);
}

/* What process 1 did and waited for. */
static const struct {
	const char *events, *expected;
} waits[] = {
	/* A timer. */
	{ SWITCH("0", "0.120", "swapper/0", "1", "D", "swapper/0", "0")
	  ON("0", "0", "..s1.", "0.169", "softirq_entry: vec=1 [action=TIMER]")
	  ON("0", "0", "..s1.", "0.169", "timer_expire_entry: timer=00 function=process_timeout now=1 baseclk=1")
	  WAKING("0", "0", "d.s2.", "0.170", "swapper/0", "1")
	  SWITCH("0", "0.171", "swapper/0", "0", "R", "swapper/0", "1"),
	  "ran 149, ready 1; a_init 39, 1, 50\n"
	  "a_init: timer process_timeout 50*1, timer 50\n"
	  "a_init: ready ? 1*1, ready 1" },
	/* Waits for another task, which itself waits for an interrupt, and for a CPU. */
	{ WAKING("0", "1", "d..2.", "0.115", "worker", "7")
	  SWITCH("0", "0.120", "swapper/0", "1", "D", "worker", "7")
	  AT("7", "0.121", "workqueue_execute_start: work struct 00: function async_run_entry_fn")
	  SWITCH("0", "0.130", "worker", "7", "D", "other", "8")
	  ON("0", "8", "d.h1.", "0.139", "irq_handler_entry: irq=11 name=ahci")
	  WAKING("0", "8", "d.h2.", "0.140", "worker", "7")
	  ON("0", "8", "d.h1.", "0.141", "irq_handler_exit: irq=11 ret=handled")
	  SWITCH("0", "0.150", "other", "8", "S", "worker", "7")
	  WAKING("0", "7", "d..2.", "0.160", "swapper/0", "1")
	  AT("7", "0.165", "workqueue_execute_end: work struct 00: function async_run_entry_fn")
	  SWITCH("0", "0.170", "worker", "7", "I", "swapper/0", "1"),
	  "ran 150, ready 10; a_init 40, 10, 40\n"
	  "a_init: async async_run_entry_fn 40*1, running 20, ready 10, interrupt 10\n"
	  "a_init: ready async_run_entry_fn 10*1, ready 10" },
	/* The waits of RCU's thread during the grace period are not told. */
	{ SWITCH("0", "0.120", "swapper/0", "1", "D", "rcu_preempt", "9")
	  SWITCH("0", "0.121", "rcu_preempt", "9", "I", "swapper/0", "0")
	  ON("0", "0", "..s1.", "0.150", "softirq_entry: vec=1 [action=TIMER]")
	  ON("0", "0", "..s1.", "0.150", "timer_expire_entry: timer=00 function=process_timeout now=1 baseclk=1")
	  WAKING("0", "0", "d.s2.", "0.150", "rcu_preempt", "9")
	  SWITCH("0", "0.151", "swapper/0", "0", "R", "rcu_preempt", "9")
	  WAKING("0", "9", "d..2.", "0.152", "swapper/0", "1")
	  SWITCH("0", "0.153", "rcu_preempt", "9", "I", "swapper/0", "1"),
	  "ran 167, ready 1; a_init 57, 1, 32\n"
	  "a_init: rcu rcu_preempt 32*1, rcu 32\n"
	  "a_init: ready rcu_preempt 1*1, ready 1" },
	/* A waking after the decision to sleep, before the switch; the waker's interrupt has ended. */
	{ ON("1", "8", "d.h1.", "0.119000", "irq_handler_entry: irq=11 name=ahci")
	  ON("1", "8", "d.h1.", "0.119100", "irq_handler_exit: irq=11 ret=handled")
	  WAKING("1", "8", "d.h2.", "0.119990", "swapper/0", "1")
	  SWITCH("0", "0.120000", "swapper/0", "1", "D", "swapper/0", "0")
	  SWITCH("0", "0.121000", "swapper/0", "0", "R", "swapper/0", "1"),
	  "ran 199, ready 1; a_init 89, 1, 0\n"
	  "a_init: ready ? 1*1, ready 1" },
	/* An interrupt that has no name. */
	{ ON("1", "8", "d.h1.", "0.119000", "irq_handler_entry: irq=11 name=ahci")
	  ON("1", "8", "d.h1.", "0.119100", "irq_handler_exit: irq=11 ret=handled")
	  SWITCH("0", "0.120", "swapper/0", "1", "D", "swapper/0", "0")
	  WAKING("1", "8", "d.h2.", "0.130", "swapper/0", "1")
	  SWITCH("0", "0.130", "swapper/0", "0", "R", "swapper/0", "1"),
	  "ran 190, ready 0; a_init 80, 0, 10\n"
	  "a_init: interrupt ? 10*1, interrupt 10" },
	/* Process 1 is ready: its CPU runs no task for a while, and then another task. */
	{ SWITCH("0", "0.120", "swapper/0", "1", "R+", "swapper/0", "0")
	  SWITCH("0", "0.123", "swapper/0", "0", "R", "other", "7")
	  SWITCH("0", "0.128", "other", "7", "S", "swapper/0", "1"),
	  "ran 192, ready 8; a_init 82, 8, 0\n"
	  "a_init: ready other 5*1, ready 5\n"
	  "a_init: ready ? 3*1, ready 3" },
	/* A lost waking is not known. */
	{ SWITCH("0", "0.120", "swapper/0", "1", "D", "swapper/0", "0")
	  SWITCH("0", "0.130", "swapper/0", "0", "R", "swapper/0", "1"),
	  "ran 190, ready 0; a_init 80, 0, 10\n"
	  "a_init: unknown ? 10*1, unknown 10" },
	/* Two tasks wake each other in turn; the name of a task looks like fields. */
	{ SWITCH("0", "0.120", "swapper/0", "1", "S", "a prev_pid=3", "7")
	  WAKING("0", "7", "d..2.", "0.130", "swapper/0", "1")
	  SWITCH("0", "0.130", "a prev_pid=3", "7", "S", "swapper/0", "1")
	  WAKING("0", "1", "d..2.", "0.140", "a prev_pid=3", "7")
	  SWITCH("0", "0.140", "swapper/0", "1", "S", "a prev_pid=3", "7")
	  WAKING("0", "7", "d..2.", "0.150", "swapper/0", "1")
	  SWITCH("0", "0.150", "a prev_pid=3", "7", "S", "swapper/0", "1"),
	  "ran 180, ready 0; a_init 70, 0, 20\n"
	  "a_init: task a prev_pid=3 20*2, running 20" },
	/* A program named like an event is no event. */
	{ SWITCH("0", "0.120", "swapper/0", "1", "R+", "x next_pid=1 ", "7")
	  SWITCH("0", "0.150", "x next_pid=1 ", "7", "R", "swapper/0", "1"),
	  "ran 170, ready 30; a_init 60, 30, 0\n"
	  "a_init: ready x next_pid=1  30*1, ready 30" },
	/* The task that woke process 1 waited for other tasks, which did the work. */
	{ SWITCH("0", "0.120", "swapper/0", "1", "D", "first", "7")
	  SWITCH("0", "0.122", "first", "7", "D", "second", "8")
	  SWITCH("0", "0.125", "second", "8", "D", "third", "9")
	  SWITCH("0", "0.130", "third", "9", "D", "swapper/0", "0")
	  ON("0", "0", "..s1.", "0.134", "softirq_entry: vec=1 [action=TIMER]")
	  ON("0", "0", "..s1.", "0.134", "timer_expire_entry: timer=00 function=f now=1 baseclk=1")
	  WAKING("0", "0", "d.s2.", "0.135", "third", "9")
	  SWITCH("0", "0.135", "swapper/0", "0", "R", "third", "9")
	  WAKING("0", "9", "d..2.", "0.145", "second", "8")
	  SWITCH("0", "0.145", "third", "9", "S", "second", "8")
	  WAKING("0", "8", "d..2.", "0.148", "first", "7")
	  SWITCH("0", "0.148", "second", "8", "S", "first", "7")
	  WAKING("0", "7", "d..2.", "0.150", "swapper/0", "1")
	  SWITCH("0", "0.150", "first", "7", "S", "swapper/0", "1"),
	  "ran 170, ready 0; a_init 60, 0, 30\n"
	  "a_init: task first 30*1, running 4, task 21, timer 5" },
	/* The early waking was not for this sleep: process 1 did wait. */
	{ SWITCH("0", "0.110", "swapper/0", "1", "R+", "other", "8")
	  SWITCH("0", "0.111", "other", "8", "S", "swapper/0", "1")
	  WAKING("1", "8", "d..2.", "0.119950", "swapper/0", "1")
	  SWITCH("0", "0.120", "swapper/0", "1", "D", "swapper/0", "0")
	  ON("0", "0", "d.h1.", "0.179", "hrtimer_expire_entry: hrtimer=00 function=hrtimer_wakeup now=1")
	  WAKING("0", "0", "d.h2.", "0.180", "swapper/0", "1")
	  ON("0", "0", "d.h1.", "0.180", "hrtimer_expire_exit: hrtimer=00")
	  SWITCH("0", "0.181", "swapper/0", "0", "R", "swapper/0", "1"),
	  "ran 138, ready 2; a_init 28, 2, 60\n"
	  "a_init: timer hrtimer_wakeup 60*1, timer 60\n"
	  "a_init: ready ? 1*1, ready 1\n"
	  "a_init: ready other 1*1, ready 1" },
	/* After the wait, process 1 runs on another CPU than before. */
	{ SWITCH("0", "0.120", "swapper/0", "1", "D", "hog", "7")
	  SWITCH("1", "0.121", "swapper/1", "0", "R", "other", "8")
	  WAKING("1", "8", "d..2.", "0.130", "swapper/0", "1")
	  SWITCH("0", "0.140", "hog", "7", "S", "swapper/0", "0")
	  SWITCH("1", "0.150", "other", "8", "S", "swapper/0", "1"),
	  "ran 170, ready 20; a_init 60, 20, 10\n"
	  "a_init: ready other 20*1, ready 20\n"
	  "a_init: task other 10*1, running 9, unknown 1" },
	/* A later program has the pid of a task of the boot. */
	{ SWITCH("0", "0.120", "swapper/0", "1", "D", "kdevtmpfs", "7")
	  WAKING("0", "7", "d..2.", "0.130", "swapper/0", "1")
	  SWITCH("0", "0.131", "kdevtmpfs", "7", "S", "swapper/0", "1")
	  SWITCH("0", "0.140", "swapper/0", "1", "R+", "rcu_evil", "7")
	  SWITCH("0", "0.141", "rcu_evil", "7", "S", "swapper/0", "1"),
	  "ran 188, ready 2; a_init 78, 2, 10\n"
	  "a_init: task kdevtmpfs 10*1, running 10\n"
	  "a_init: ready kdevtmpfs 1*1, ready 1\n"
	  "a_init: ready rcu_evil 1*1, ready 1" },
	/* Wakings in softirqs, and in a hard interrupt inside a softirq. Timers had expired before. */
	{ SWITCH("0", "0.120", "swapper/0", "1", "D", "swapper/0", "0")
	  ON("0", "0", "..s1.", "0.129", "softirq_entry: vec=1 [action=TIMER]")
	  ON("0", "0", "..s1.", "0.129", "timer_expire_entry: timer=00 function=f now=1 baseclk=1")
	  ON("0", "0", "..s1.", "0.129", "softirq_entry: vec=4 [action=BLOCK]")
	  WAKING("0", "0", "d.s2.", "0.130", "swapper/0", "1")
	  SWITCH("0", "0.130", "swapper/0", "0", "R", "swapper/0", "1")
	  SWITCH("0", "0.140", "swapper/0", "1", "D", "swapper/0", "0")
	  ON("0", "0", "..s1.", "0.144", "softirq_entry: vec=9 [action=RCU]")
	  WAKING("0", "0", "d.s2.", "0.145", "swapper/0", "1")
	  SWITCH("0", "0.145", "swapper/0", "0", "R", "swapper/0", "1")
	  SWITCH("0", "0.150", "swapper/0", "1", "D", "swapper/0", "0")
	  ON("0", "0", "..s1.", "0.150", "softirq_entry: vec=8 [action=HRTIMER]")
	  ON("0", "0", "..s1.", "0.150", "hrtimer_expire_entry: hrtimer=00 function=soft_fn now=1")
	  ON("0", "0", "d.H1.", "0.151", "irq_handler_entry: irq=11 name=ahci")
	  WAKING("0", "0", "d.H2.", "0.152", "swapper/0", "1")
	  SWITCH("0", "0.152", "swapper/0", "0", "R", "swapper/0", "1"),
	  "ran 183, ready 0; a_init 73, 0, 17\n"
	  "a_init: block BLOCK 10*1, block 10\n"
	  "a_init: rcu RCU 5*1, rcu 5\n"
	  "a_init: interrupt ahci 2*1, interrupt 2" },
	/* A new task woke process 1. Before it existed, process 1 waited for its creator. */
	{ SWITCH("0", "0.120", "swapper/0", "1", "D", "kthreadd", "2")
	  ON("0", "2", "d..2.", "0.125", "sched_wakeup_new: comm=kthreadd pid=30 prio=120 target_cpu=000")
	  SWITCH("0", "0.126", "kthreadd", "2", "S", "kthreadd", "30")
	  WAKING("0", "30", "d..2.", "0.130", "swapper/0", "1")
	  SWITCH("0", "0.131", "new", "30", "S", "swapper/0", "1"),
	  "ran 189, ready 1; a_init 79, 1, 10\n"
	  "a_init: task kthreadd 10*1, running 4, ready 1, task 5\n"
	  "a_init: ready kthreadd 1*1, ready 1" },
};

Test(boot_waits, of_process_1)
{
	for_each(one, waits)
		read_middle(one->events, one->expected);
}

/* A worker that executed another work first, and a flush of the work. */
Test(boot_waits, works_of_one_worker)
{
	read_middle(SWITCH("0", "0.120", "swapper/0", "1", "D", "worker", "7")
		    AT("7", "0.121", "workqueue_execute_start: work struct 00: function slow_work")
		    AT("7", "0.141", "workqueue_execute_end: work struct 00: function slow_work")
		    AT("7", "0.142", "workqueue_execute_start: work struct 01: function deferred_probe_work_func")
		    AT("7", "0.146", "workqueue_execute_end: work struct 01: function deferred_probe_work_func")
		    AT("7", "0.146", "workqueue_execute_start: work struct 02: function wq_barrier_func")
		    WAKING("0", "7", "d..2.", "0.147", "swapper/0", "1")
		    AT("7", "0.147", "workqueue_execute_end: work struct 02: function wq_barrier_func")
		    SWITCH("0", "0.150", "worker", "7", "I", "swapper/0", "1"),
		    "ran 170, ready 3; a_init 60, 3, 27\n"
		    "a_init: probe deferred_probe_work_func 27*1, running 27\n"
		    "a_init: ready worker 3*1, ready 3");
	/* The pieces of the path are named after the works. */
	for_list(piece, &b.path) {
		cr_expect(piece->start != 121 * MS || (piece->end == 141 * MS && piece->kind == CLASS_WORK));
		cr_expect(piece->start != 142 * MS || (piece->end == 147 * MS && piece->kind == CLASS_PROBE));
	}
}

/* If events are lost, the state of a task before its first event is not known: perhaps it ran. */
Test(boot_waits, lost_events)
{
	read_lossy(1, SWITCH("0", "0.120", "swapper/0", "1", "D", "swapper/0", "0")
		   WAKING("1", "7", "d..2.", "0.180", "swapper/0", "1")
		   SWITCH("1", "0.185", "other", "7", "S", "swapper/1", "0")
		   SWITCH("0", "0.190", "swapper/0", "0", "R", "swapper/0", "1"),
		   "ran 110, ready 10; a_init 10, 10, 70\n"
		   "a_init: task ? 60*1, unknown 60\n"
		   "early: unknown ? 20*1, unknown 20\n"
		   "a_init: ready ? 10*1, ready 10");
}

Test(boot_sched, busy_processors)
{
	read_middle(SWITCH("0", "0.120", "swapper/0", "1", "D", "swapper/0", "0")
		    SWITCH("1", "0.125", "swapper/1", "0", "R", "other", "7")
		    SWITCH("1", "0.150", "other", "7", "S", "swapper/1", "0")
		    SWITCH("0", "0.170", "swapper/0", "0", "R", "swapper/0", "1")
		    ON("1", "0", ".....", "0.180", "block_rq_complete: 8,0 R () 2048 + 8 none,0,0 [0]"), NULL);
	/* Until the last event of a task. */
	cr_assert(b.cpu_count == 2);
	cr_expect(b.cpus[0].busy == 30 * MS && b.cpus[1].busy == 25 * MS);
	cr_expect(b.io_count == 1 && b.ios[0].bytes == 4096);
}

Test(boot_waits, many_processors_have_a_sum)
{
	char *events = PRINTED(f, for (int cpu = 1; cpu < 10; cpu++)
		fprintf(f, ON("0", "0", "d..2.", "0.1%d", "sched_switch: prev_comm=a prev_pid=0 prev_prio=120 "
			      "prev_state=R ==> next_comm=b next_pid=7 next_prio=120"), cpu));

	/* Gives each line another CPU. */
	for (char *line = events, cpu = '1'; *line; line = strchr(line, '\n') + 1)
		strstr(line, "[000]")[3] = cpu++;
	read_middle(events, NULL);
	print(text_of_ten, &b);
	expect_text("\nProcessors in this time: CPU 1 was busy ");
	expect_text(", ...; 9 CPUs were busy ");
	expect_no_text("CPU 9 was");
	free(events);
}

/* ---- a full buffer */

Test(boot_sched, what_a_full_buffer_does_not_have_is_not_known)
{
	static const char events[] = SWITCH("1", "0.125", "swapper/1", "0", "R", "other", "7")
				     SWITCH("2", "0.130", "swapper/2", "0", "R", "third", "8")
				     ON("1", "7", ".....", "0.140", "block_rq_complete: 8,0 R () 2048 + 8 none,0,0 [0]");

	for (int init_ms = 130; init_ms <= 131; init_ms++) {
		begin_events();
		cr_assert(take_events(EVENTS_ALL, events, UINT64_MAX) == 0);
		cr_expect(b.full == NOT_KNOWN);
		events__note_full(&reading, 2);
		events__note_full(&reading, 1);
		events__note_full(&reading, 77);
		cr_expect(b.full == 130 * MS, "the first one: %ld", (long)b.full);
		*LIST_ADD(b.inits.list, b.inits.count) = (struct span){ .name = "/init", .start = init_ms * MS, .end = NOT_KNOWN };
		events__note_no_room(&reading, 9);
		cr_expect(b.lost == (init_ms == 130 ? 0 : 9), "init was there before, or not");
		events__end(&reading);
		cr_expect(b.runs.count == 2 && b.runs.list[1].cpu == 2 && b.runs.list[1].end == 130 * MS);
		cr_expect(b.runs.list[0].end == 140 * MS && b.cpus[1].until == 130 * MS);
	}
}
