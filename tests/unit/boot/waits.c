// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: what process 1 waited for, and the probes of devices, from events as the kernel
 * prints them.
 */
#include "boot/boot_sample.h"
#include "base/memory.h"
#include "boot/events.h"
#include "kernel/sample.h"

/* A line of the trace. The command's column has 16 characters; the reader only uses the pid. */
#define ON(cpu, comm, pid, flags, time, event) \
	"         <.....>-" pid "       [00" cpu "] " flags "     " time ": " event "\n"
#define INIT(time, event) ON("0", "swapper", "1", ".....", time, event)
#define SWITCH(cpu, time, comm, pid, state, next, next_pid) \
	ON(cpu, "<.....>", pid, "d..2.", time, "sched_switch: prev_comm=" comm " prev_pid=" pid \
	   " prev_prio=120 prev_state=" state " ==> next_comm=" next " next_pid=" next_pid " next_prio=120")
#define WAKING(cpu, comm, pid, flags, time, whom, whom_pid) \
	ON(cpu, comm, pid, flags, time, "sched_waking: comm=" whom " pid=" whom_pid " prio=120 target_cpu=000")

#define MS 1000000LL

static const char *const begin =
	INIT("0.100", "initcall_level: level=early")
	INIT("0.110", "initcall_start: func=a_init+0x0/0x10");
static const char *const end =
	INIT("0.200", "initcall_finish: func=a_init+0x0/0x10 ret=0")
	INIT("0.300", "sched_process_exec: filename=/init pid=1 old_pid=1");

static const struct boot_wait *wait;
static struct events reading;

static void begin_reading(void)
{
	begin_boot();
	events__begin(&reading, &b);
}

static void free_start(void)
{
	boot_sched__free(&reading.sched);
	reading = (struct events){};
	free_boot();
}

static void read_events(enum events_wanted which, const char *events, uint64_t until)
{
	FILE *f = sample_file(events);

	cr_assert(events__read(&reading, which, f, until, "trace") == 0);
	fclose(f);
}

static const struct boot_wait *wait_of(enum wait_class class, const char *name)
{
	for (size_t i = 0; i < b.wait_count; i++) {
		if (b.waits[i].class == class && !strcmp(b.waits[i].name ?: "(none)", name))
			return &b.waits[i];
	}
	cr_assert(false, "no wait for %s %s", wait_class_names[class], name);
	return NULL;
}

/* Checks that the path has no gaps from the first initcall until init. */
static void expect_whole(void)
{
	int64_t time = b.wait_start, sum = b.running;

	cr_expect(b.wait_start == 100 * MS && b.wait_end == 300 * MS);
	for (size_t i = 0; i < b.path.count; i++) {
		cr_expect(b.path.list[i].start == time, "piece %zu", i);
		time = b.path.list[i].end;
	}
	cr_expect(time == b.wait_end);
	for (size_t i = 0; i < b.wait_count; i++) {
		int64_t parts = 0;

		for (int class = 0; class < CLASS_COUNT; class++)
			parts += b.waits[i].parts[class];
		cr_expect(parts == b.waits[i].time, "%s", b.waits[i].name);
		sum += b.waits[i].time;
	}
	cr_expect(sum == b.wait_end - b.wait_start, "rows leave nothing out");
}

static void read_middle_of(const char *middle)
{
	PRINT(f, fprintf(f, "%s%s%s", begin, middle, end));
	read_events(EVENTS_ALL, text, UINT64_MAX);
	cr_assert(b.unread == 0, "%ld", (long)b.unread);
}

static void read_middle(const char *middle)
{
	begin_reading();
	read_middle_of(middle);
	events__end(&reading);
	cr_assert(b.waits != NULL);
	expect_whole();
}

/* How long a CPU was busy while process 1 made the initcalls. */
static int64_t busy(int64_t cpu)
{
	for (size_t i = 0; i < b.cpu_count; i++) {
		if (b.cpus[i].cpu == cpu)
			return b.cpus[i].busy;
	}
	return NOT_KNOWN;
}

TestSuite(boot_waits, .fini = free_start);
TestSuite(boot_sched, .fini = free_start);
TestSuite(boot_start, .fini = free_start);
TestSuite(boot_probes, .fini = free_start);

Test(boot_waits, a_timer)
{
	read_middle(SWITCH("0", "0.120", "swapper/0", "1", "D", "swapper/0", "0")
		    ON("0", "<idle>", "0", "..s1.", "0.169", "softirq_entry: vec=1 [action=TIMER]")
		    ON("0", "<idle>", "0", "..s1.", "0.169", "timer_expire_entry: timer=00 function=process_timeout now=1 baseclk=1")
		    WAKING("0", "<idle>", "0", "d.s2.", "0.170", "swapper/0", "1")
		    SWITCH("0", "0.171", "swapper/0", "0", "R", "swapper/0", "1"));
	wait = wait_of(CLASS_TIMER, "process_timeout");
	cr_expect(wait->time == 50 * MS && wait->count == 1);
	cr_expect(eq(str, (char *)wait->where, "a_init"));
	cr_expect(wait->parts[CLASS_TIMER] == 50 * MS);
	/* For 1 ms, process 1 was ready, and no other task ran. */
	cr_expect(wait_of(CLASS_READY, "(none)")->time == 1 * MS);
	cr_expect(b.running == 149 * MS && b.ready == 1 * MS);
	cr_expect(b.initcalls.list[0].running == 39 * MS && b.initcalls.list[0].waiting == 50 * MS &&
		  b.initcalls.list[0].ready == 1 * MS);
}

/* Waits for another task, which itself waits for an interrupt, and for a CPU. */
Test(boot_waits, a_task_that_waits_itself)
{
	read_middle(WAKING("0", "swapper", "1", "d..2.", "0.115", "worker", "7")
		    SWITCH("0", "0.120", "swapper/0", "1", "D", "worker", "7")
		    ON("0", "worker", "7", ".....", "0.121", "workqueue_execute_start: work struct 00: function async_run_entry_fn")
		    SWITCH("0", "0.130", "worker", "7", "D", "other", "8")
		    ON("0", "other", "8", "d.h1.", "0.139", "irq_handler_entry: irq=11 name=ahci")
		    WAKING("0", "other", "8", "d.h2.", "0.140", "worker", "7")
		    ON("0", "other", "8", "d.h1.", "0.141", "irq_handler_exit: irq=11 ret=handled")
		    SWITCH("0", "0.150", "other", "8", "S", "worker", "7")
		    WAKING("0", "worker", "7", "d..2.", "0.160", "swapper/0", "1")
		    ON("0", "worker", "7", ".....", "0.165", "workqueue_execute_end: work struct 00: function async_run_entry_fn")
		    SWITCH("0", "0.170", "worker", "7", "I", "swapper/0", "1"));
	wait = wait_of(CLASS_ASYNC, "async_run_entry_fn");
	cr_expect(wait->time == 40 * MS && wait->count == 1);
	cr_expect(wait->parts[CLASS_RUNNING] + wait->parts[CLASS_ASYNC] == 20 * MS, "it ran twice");
	cr_expect(wait->parts[CLASS_RUNNING] == 20 * MS);
	cr_expect(wait->parts[CLASS_INTERRUPT] == 10 * MS);
	cr_expect(wait->parts[CLASS_READY] == 10 * MS);
	/* After the waking, process 1 waited for its CPU. */
	cr_expect(wait_of(CLASS_READY, "async_run_entry_fn")->time == 10 * MS);
}

/* The waits of RCU's thread during the grace period are not told. */
Test(boot_waits, a_grace_period)
{
	read_middle(SWITCH("0", "0.120", "swapper/0", "1", "D", "rcu_preempt", "9")
		    SWITCH("0", "0.121", "rcu_preempt", "9", "I", "swapper/0", "0")
		    ON("0", "<idle>", "0", "..s1.", "0.150", "softirq_entry: vec=1 [action=TIMER]")
		    ON("0", "<idle>", "0", "..s1.", "0.150", "timer_expire_entry: timer=00 function=process_timeout now=1 baseclk=1")
		    WAKING("0", "<idle>", "0", "d.s2.", "0.150", "rcu_preempt", "9")
		    SWITCH("0", "0.151", "swapper/0", "0", "R", "rcu_preempt", "9")
		    WAKING("0", "rcu_preempt", "9", "d..2.", "0.152", "swapper/0", "1")
		    SWITCH("0", "0.153", "rcu_preempt", "9", "I", "swapper/0", "1"));
	cr_expect(wait_of(CLASS_RCU, "rcu_preempt")->time == 32 * MS);
	cr_expect(wait_of(CLASS_RCU, "rcu_preempt")->parts[CLASS_RCU] == 32 * MS);
}

/* A waking after the decision to sleep, before the switch; the waker's interrupt has ended. */
Test(boot_waits, wakings_at_the_edge)
{
	read_middle(ON("1", "other", "8", "d.h1.", "0.119000", "irq_handler_entry: irq=11 name=ahci")
		    ON("1", "other", "8", "d.h1.", "0.119100", "irq_handler_exit: irq=11 ret=handled")
		    WAKING("1", "other", "8", "d.h2.", "0.119990", "swapper/0", "1")
		    SWITCH("0", "0.120000", "swapper/0", "1", "D", "swapper/0", "0")
		    SWITCH("0", "0.121000", "swapper/0", "0", "R", "swapper/0", "1"));
	/* Process 1 was ready all the time, and did not wait. */
	cr_expect(b.ready == 1 * MS, "%lu", b.ready);
	cr_expect(b.running == 199 * MS, "%lu", b.running);
}

Test(boot_waits, an_interrupt_that_has_no_name)
{
	read_middle(ON("1", "other", "8", "d.h1.", "0.119000", "irq_handler_entry: irq=11 name=ahci")
		    ON("1", "other", "8", "d.h1.", "0.119100", "irq_handler_exit: irq=11 ret=handled")
		    SWITCH("0", "0.120", "swapper/0", "1", "D", "swapper/0", "0")
		    WAKING("1", "other", "8", "d.h2.", "0.130", "swapper/0", "1")
		    SWITCH("0", "0.130", "swapper/0", "0", "R", "swapper/0", "1"));
	cr_expect(wait_of(CLASS_INTERRUPT, "(none)")->time == 10 * MS);
}

/* Process 1 is ready: its CPU runs no task for a while, and then another task. */
Test(boot_waits, ready_while_nothing_runs_and_while_another_does)
{
	read_middle(SWITCH("0", "0.120", "swapper/0", "1", "R+", "swapper/0", "0")
		    SWITCH("0", "0.123", "swapper/0", "0", "R", "other", "7")
		    SWITCH("0", "0.128", "other", "7", "S", "swapper/0", "1"));
	cr_expect(wait_of(CLASS_READY, "(none)")->time == 3 * MS);
	cr_expect(wait_of(CLASS_READY, "other")->time == 5 * MS);
}

Test(boot_waits, a_lost_waking_is_not_known)
{
	read_middle(SWITCH("0", "0.120", "swapper/0", "1", "D", "swapper/0", "0")
		    SWITCH("0", "0.130", "swapper/0", "0", "R", "swapper/0", "1"));
	cr_expect(wait_of(CLASS_UNKNOWN, "(none)")->time == 10 * MS);
}

/* Two tasks wake each other in turn; the name of a task looks like fields. */
Test(boot_waits, names_and_turns)
{
	read_middle(SWITCH("0", "0.120", "swapper/0", "1", "S", "a prev_pid=3", "7")
		    WAKING("0", "a prev_pid=3", "7", "d..2.", "0.130", "swapper/0", "1")
		    SWITCH("0", "0.130", "a prev_pid=3", "7", "S", "swapper/0", "1")
		    WAKING("0", "swapper", "1", "d..2.", "0.140", "a prev_pid=3", "7")
		    SWITCH("0", "0.140", "swapper/0", "1", "S", "a prev_pid=3", "7")
		    WAKING("0", "a prev_pid=3", "7", "d..2.", "0.150", "swapper/0", "1")
		    SWITCH("0", "0.150", "a prev_pid=3", "7", "S", "swapper/0", "1"));
	wait = wait_of(CLASS_TASK, "a prev_pid=3");
	cr_expect(wait->time == 20 * MS && wait->count == 2);
	cr_expect(wait->parts[CLASS_RUNNING] == 20 * MS);
}

Test(boot_waits, a_program_named_like_an_event_is_no_event)
{
	read_middle(SWITCH("0", "0.120", "swapper/0", "1", "R+", "x next_pid=1 ", "7")
		    SWITCH("0", "0.150", "x next_pid=1 ", "7", "R", "swapper/0", "1"));
	cr_expect(wait_of(CLASS_READY, "x next_pid=1 ")->time == 30 * MS);
	cr_expect(b.initcalls.list[0].ready == 30 * MS);
}

/* The task that woke process 1 waited for other tasks, which did the work. */
Test(boot_waits, who_ran_is_not_who_was_waited_for)
{
	read_middle(SWITCH("0", "0.120", "swapper/0", "1", "D", "first", "7")
		    SWITCH("0", "0.122", "first", "7", "D", "second", "8")
		    SWITCH("0", "0.125", "second", "8", "D", "third", "9")
		    SWITCH("0", "0.130", "third", "9", "D", "swapper/0", "0")
		    ON("0", "<idle>", "0", "..s1.", "0.134", "softirq_entry: vec=1 [action=TIMER]")
		    ON("0", "<idle>", "0", "..s1.", "0.134", "timer_expire_entry: timer=00 function=f now=1 baseclk=1")
		    WAKING("0", "<idle>", "0", "d.s2.", "0.135", "third", "9")
		    SWITCH("0", "0.135", "swapper/0", "0", "R", "third", "9")
		    WAKING("0", "third", "9", "d..2.", "0.145", "second", "8")
		    SWITCH("0", "0.145", "third", "9", "S", "second", "8")
		    WAKING("0", "second", "8", "d..2.", "0.148", "first", "7")
		    SWITCH("0", "0.148", "second", "8", "S", "first", "7")
		    WAKING("0", "first", "7", "d..2.", "0.150", "swapper/0", "1")
		    SWITCH("0", "0.150", "first", "7", "S", "swapper/0", "1"));
	wait = wait_of(CLASS_TASK, "first");
	cr_expect(wait->time == 30 * MS);
	cr_expect(wait->parts[CLASS_RUNNING] == 4 * MS && wait->parts[CLASS_TASK] == 21 * MS);
	cr_expect(wait->parts[CLASS_TIMER] == 5 * MS, "that of the third one");
}

/* The early waking was not for this sleep: process 1 did wait. */
Test(boot_waits, a_waking_that_came_to_nothing)
{
	read_middle(SWITCH("0", "0.110", "swapper/0", "1", "R+", "other", "8")
		    SWITCH("0", "0.111", "other", "8", "S", "swapper/0", "1")
		    WAKING("1", "other", "8", "d..2.", "0.119950", "swapper/0", "1")
		    SWITCH("0", "0.120", "swapper/0", "1", "D", "swapper/0", "0")
		    ON("0", "<idle>", "0", "d.h1.", "0.179", "hrtimer_expire_entry: hrtimer=00 function=hrtimer_wakeup now=1")
		    WAKING("0", "<idle>", "0", "d.h2.", "0.180", "swapper/0", "1")
		    ON("0", "<idle>", "0", "d.h1.", "0.180", "hrtimer_expire_exit: hrtimer=00")
		    SWITCH("0", "0.181", "swapper/0", "0", "R", "swapper/0", "1"));
	cr_expect(b.ready == 2 * MS, "%lu", b.ready);
	cr_expect(b.running == 138 * MS, "%lu", b.running);
	cr_expect(wait_of(CLASS_TIMER, "hrtimer_wakeup")->time == 60 * MS);
}

/* After the wait, process 1 runs on another CPU than before. */
Test(boot_waits, the_processor_is_that_on_which_it_runs)
{
	read_middle(SWITCH("0", "0.120", "swapper/0", "1", "D", "hog", "7")
		    SWITCH("1", "0.121", "swapper/1", "0", "R", "other", "8")
		    WAKING("1", "other", "8", "d..2.", "0.130", "swapper/0", "1")
		    SWITCH("0", "0.140", "hog", "7", "S", "swapper/0", "0")
		    SWITCH("1", "0.150", "other", "8", "S", "swapper/0", "1"));
	cr_expect(wait_of(CLASS_READY, "other")->time == 20 * MS);
}

/* A worker that executed another work first, and a flush of the work. */
Test(boot_waits, works_of_one_worker)
{
	read_middle(SWITCH("0", "0.120", "swapper/0", "1", "D", "worker", "7")
		    ON("0", "worker", "7", ".....", "0.121", "workqueue_execute_start: work struct 00: function slow_work")
		    ON("0", "worker", "7", ".....", "0.141", "workqueue_execute_end: work struct 00: function slow_work")
		    ON("0", "worker", "7", ".....", "0.142", "workqueue_execute_start: work struct 01: function deferred_probe_work_func")
		    ON("0", "worker", "7", ".....", "0.146", "workqueue_execute_end: work struct 01: function deferred_probe_work_func")
		    ON("0", "worker", "7", ".....", "0.146", "workqueue_execute_start: work struct 02: function wq_barrier_func")
		    WAKING("0", "worker", "7", "d..2.", "0.147", "swapper/0", "1")
		    ON("0", "worker", "7", ".....", "0.147", "workqueue_execute_end: work struct 02: function wq_barrier_func")
		    SWITCH("0", "0.150", "worker", "7", "I", "swapper/0", "1"));
	wait = wait_of(CLASS_PROBE, "deferred_probe_work_func");
	cr_expect(wait->time == 27 * MS);
	for (size_t i = 0; i < b.path.count; i++) {
		const struct span *piece = &b.path.list[i];

		if (piece->start == 121 * MS)
			cr_expect(piece->end == 141 * MS && piece->kind == CLASS_WORK &&
				  !strcmp(piece->name, "slow_work"));
		if (piece->start == 142 * MS)
			cr_expect(piece->end == 147 * MS && piece->kind == CLASS_PROBE);
	}
}

/* A later program has the pid of a task of the boot. */
Test(boot_waits, a_task_is_called_what_it_was_called_then)
{
	read_middle(SWITCH("0", "0.120", "swapper/0", "1", "D", "kdevtmpfs", "7")
		    WAKING("0", "kdevtmpfs", "7", "d..2.", "0.130", "swapper/0", "1")
		    SWITCH("0", "0.131", "kdevtmpfs", "7", "S", "swapper/0", "1")
		    SWITCH("0", "0.140", "swapper/0", "1", "R+", "rcu_evil", "7")
		    SWITCH("0", "0.141", "rcu_evil", "7", "S", "swapper/0", "1"));
	cr_expect(wait_of(CLASS_TASK, "kdevtmpfs")->time == 10 * MS);
	cr_expect(wait_of(CLASS_READY, "rcu_evil")->time == 1 * MS);
}

/* Wakings in softirqs, and in a hard interrupt inside a softirq. Timers had expired before. */
Test(boot_waits, soft_interrupts)
{
	read_middle(SWITCH("0", "0.120", "swapper/0", "1", "D", "swapper/0", "0")
		    ON("0", "<idle>", "0", "..s1.", "0.129", "softirq_entry: vec=1 [action=TIMER]")
		    ON("0", "<idle>", "0", "..s1.", "0.129", "timer_expire_entry: timer=00 function=f now=1 baseclk=1")
		    ON("0", "<idle>", "0", "..s1.", "0.129", "softirq_entry: vec=4 [action=BLOCK]")
		    WAKING("0", "<idle>", "0", "d.s2.", "0.130", "swapper/0", "1")
		    SWITCH("0", "0.130", "swapper/0", "0", "R", "swapper/0", "1")
		    SWITCH("0", "0.140", "swapper/0", "1", "D", "swapper/0", "0")
		    ON("0", "<idle>", "0", "..s1.", "0.144", "softirq_entry: vec=9 [action=RCU]")
		    WAKING("0", "<idle>", "0", "d.s2.", "0.145", "swapper/0", "1")
		    SWITCH("0", "0.145", "swapper/0", "0", "R", "swapper/0", "1")
		    SWITCH("0", "0.150", "swapper/0", "1", "D", "swapper/0", "0")
		    ON("0", "<idle>", "0", "..s1.", "0.150", "softirq_entry: vec=8 [action=HRTIMER]")
		    ON("0", "<idle>", "0", "..s1.", "0.150", "hrtimer_expire_entry: hrtimer=00 function=soft_fn now=1")
		    ON("0", "<idle>", "0", "d.H1.", "0.151", "irq_handler_entry: irq=11 name=ahci")
		    WAKING("0", "<idle>", "0", "d.H2.", "0.152", "swapper/0", "1")
		    SWITCH("0", "0.152", "swapper/0", "0", "R", "swapper/0", "1"));
	cr_expect(wait_of(CLASS_BLOCK, "BLOCK")->time == 10 * MS);
	cr_expect(wait_of(CLASS_RCU, "RCU")->time == 5 * MS);
	cr_expect(wait_of(CLASS_INTERRUPT, "ahci")->time == 2 * MS);
}

/* A new task woke process 1. Before it existed, process 1 waited for its creator. */
Test(boot_waits, a_task_that_is_made)
{
	read_middle(SWITCH("0", "0.120", "swapper/0", "1", "D", "kthreadd", "2")
		    ON("0", "kthreadd", "2", "d..2.", "0.125", "sched_wakeup_new: comm=kthreadd pid=30 prio=120 target_cpu=000")
		    SWITCH("0", "0.126", "kthreadd", "2", "S", "kthreadd", "30")
		    WAKING("0", "new", "30", "d..2.", "0.130", "swapper/0", "1")
		    SWITCH("0", "0.131", "new", "30", "S", "swapper/0", "1"));
	wait = wait_of(CLASS_TASK, "kthreadd");
	cr_expect(wait->time == 10 * MS);
	cr_expect(wait->parts[CLASS_UNKNOWN] == 0, "nothing of it is unknown");
}

/* If events are lost, the state of a task before its first event is not known. */
Test(boot_waits, lost_events)
{
	begin_reading();
	b.lost = 1;
	read_middle_of(SWITCH("0", "0.120", "swapper/0", "1", "D", "swapper/0", "0")
		    WAKING("1", "other", "7", "d..2.", "0.180", "swapper/0", "1")
		    SWITCH("1", "0.185", "other", "7", "S", "swapper/1", "0")
		       SWITCH("0", "0.190", "swapper/0", "0", "R", "swapper/0", "1"));
	events__end(&reading);
	wait = wait_of(CLASS_TASK, "(none)");
	cr_expect(wait->time == 60 * MS && wait->parts[CLASS_RUNNING] == 0, "perhaps it ran");
	cr_expect(wait->parts[CLASS_UNKNOWN] == 60 * MS);
}

Test(boot_sched, busy_processors)
{
	read_middle(SWITCH("0", "0.120", "swapper/0", "1", "D", "swapper/0", "0")
		    SWITCH("1", "0.125", "swapper/1", "0", "R", "other", "7")
		    SWITCH("1", "0.150", "other", "7", "S", "swapper/1", "0")
		    SWITCH("0", "0.170", "swapper/0", "0", "R", "swapper/0", "1")
		    ON("1", "<idle>", "0", ".....", "0.180", "block_rq_complete: 8,0 R () 2048 + 8 none,0,0 [0]"));
	cr_expect(busy(0) == 20 * MS + 10 * MS, "until the last event of a task");
	cr_expect(busy(1) == 25 * MS);
	cr_expect(b.io_count == 1 && b.ios[0].bytes == 4096);
}

Test(boot_waits, many_processors_have_a_sum)
{
	char *events = PRINTED(f, for (int cpu = 1; cpu < 10; cpu++)
		fprintf(f, ON("0", "swapper", "0", "d..2.", "0.1%d", "sched_switch: prev_comm=a prev_pid=0 prev_prio=120 "
			      "prev_state=R ==> next_comm=b next_pid=7 next_prio=120"), cpu));

	/* Gives each line another CPU. */
	for (char *line = events, cpu = '1'; *line; line = strchr(line, '\n') + 1)
		strstr(line, "[000]")[3] = cpu++;
	read_middle(events);
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
				     ON("1", "other", "7", ".....", "0.140", "block_rq_complete: 8,0 R () 2048 + 8 none,0,0 [0]");

	for (int init_ms = 130; init_ms <= 131; init_ms++) {
		begin_reading();
		read_events(EVENTS_ALL, events, UINT64_MAX);
		cr_expect(b.full == NOT_KNOWN);
		events__note_full(&reading, 2);
		events__note_full(&reading, 1);
		events__note_full(&reading, 77);
		cr_expect(b.full == 130 * MS, "the first one: %ld", (long)b.full);
		*LIST_ADD(b.inits.list, b.inits.count) = (struct span){ .name = "/init", .start = init_ms * MS, .end = NOT_KNOWN };
		events__note_no_room(&reading, 9);
		cr_expect(b.lost == (init_ms == 130 ? 0 : 9), "init was there before, or not");
		events__end(&reading);
		cr_expect(b.runs.count == 2 && b.runs.list[1].kind == 2 && b.runs.list[1].end == 130 * MS);
		cr_expect(b.runs.list[0].end == 140 * MS && b.cpus[1].until == 130 * MS);
	}
}

/* ---- two files */

/* The top-level buffer may contain any events of other users. */
Test(boot_start, from_the_second_file_only_probes_are_taken)
{
	begin_reading();
	read_events(EVENTS_ALL, INIT("0.100", "initcall_level: level=early")
			       SWITCH("1", "0.125", "swapper/1", "0", "R", "other", "7")
			       INIT("0.500", "sched_process_exec: filename=/init pid=1 old_pid=1")
			       SWITCH("1", "0.600", "other", "7", "S", "swapper/1", "0"), UINT64_MAX);
	read_events(EVENTS_OF_PROBES, INIT("0.090", "initcall_level: level=early")
				  INIT("0.200", "device: (really_probe+0x0/0x390) dev=\"00:03\" drv=\"serial\"")
				  SWITCH("1", "0.220", "other", "7", "S", "swapper/1", "0")
				  INIT("0.230", "initcall_start: func=a_init+0x0/0x10")
				  INIT("0.250", "device_end: (f+0x84/0x170 <- really_probe) ret=0")
				  INIT("0.260", "sched_process_exec: filename=/sbin/init pid=1 old_pid=1"), UINT64_MAX);
	events__end(&reading);
	cr_expect(b.initcalls.count == 0 && b.levels.count == 1 && b.inits.count == 1);
	cr_expect(b.runs.count == 1 && b.runs.list[0].end == 600 * MS);
	cr_assert(b.probes.count == 1 && span__time(&b.probes.list[0]) == 50 * MS);
	cr_expect(b.events == 4 + 2 && b.unread == 0, "%ld", (long)b.events);
}

/* ---- CLOCK_MONOTONIC */

#define TICK(time, function, now) \
	ON("0", "x", "7", "d.h1.", time, "hrtimer_expire_entry: hrtimer=00000000a function=" function " now=" now)
#define BETWEEN(time) ON("0", "x", "7", ".....", time, "block_rq_complete: 8,0 R () 2048 + 8 none,0,0 [0]")

Test(boot_start, the_tick_tells_the_monotonic_clock)
{
	const struct clock_range *r;

	read_middle(SWITCH("0", "0.120", "x", "7", "R", "y", "8") TICK("0.150", "tick_sched_timer", "1"));
	cr_expect(b.ahead[0].least == INT64_MIN && b.ahead[0].most == INT64_MAX, "no program ran by then");
	begin_reading();
	read_events(EVENTS_ALL, INIT("0.100000", "initcall_level: level=early")
			       INIT("0.500000", "sched_process_exec: filename=/init pid=1 old_pid=1")
			       TICK("0.500900", "tick_nohz_handler", "1")
			       BETWEEN("0.600000")
			       TICK("0.600020", "tick_nohz_handler", "500010000")
			       /* Later in the same interrupt: only the upper bound helps. */
			       TICK("0.600050", "tick_nohz_handler", "500010000")
			       BETWEEN("0.699990")
			       TICK("0.700030", "tick_sched_timer", "600015000")
			       /* Another clock base; a softirq; no number. */
			       TICK("0.710000", "hrtimer_wakeup", "1700000000000000000")
			       ON("0", "x", "7", "..s1.", "0.720000", "hrtimer_expire_entry: hrtimer=a function=tick_x now=1")
			       TICK("0.730000", "tick_sched_timer", "x")
			       /* Another function; an impossible time; later than AHEAD_NS. */
			       BETWEEN("0.800000")
			       TICK("0.800010", "tick_x", "0")
			       TICK("0.800020", "tick_nohz_handler", "9223372036854775807")
			       TICK("0.800030", "tick_sched_timer", "10800031000")
			       TICK("1.500001", "tick_sched_timer", "1")
			       INIT("2.000000", "sched_process_exec: filename=/sbin/init pid=1 old_pid=1"), UINT64_MAX);
	cr_assert(b.inits.count == 2);
	r = &b.ahead[0];
	cr_expect(r->least == 99990000 - 500, "%ld", (long)r->least);
	cr_expect(r->most == 100010000 + 500, "%ld", (long)r->most);
	cr_expect(b.ahead[1].least == INT64_MIN, "it has its own");
}

/* ---- forged lines */

Test(boot_start, lines_that_a_program_has_made)
{
	begin_reading();
	read_events(EVENTS_ALL, INIT("0.100", "initcall_level: level=early")
			       INIT("0.110", "initcall_start: func=a_init+0x0/0x10")
			       ON("0", "x", "7", ".....", "0.125", "sched_process_exec: filename=/tmp/x")
			       INIT("0.010", "initcall_finish: func=a_init+0x0/0x10 ret=0")
			       INIT("9.000", "initcall_start: func=evil+0x0/0x10")
			       INIT("0.200", "initcall_finish: func=a_init+0x0/0x10 ret=0"), 8000 * MS);
	events__end(&reading);
	cr_expect(b.unread == 2, "the one that is too early, and the one that is too late: %ld", (long)b.unread);
	cr_expect(b.initcalls.count == 1 && span__time(&b.initcalls.list[0]) == 90 * MS);
}

/* ---- probes */

static const char probes[] =
	INIT("0.5", "device: (really_probe+0x0/0x390) dev=\"00:03\" drv=\"serial\"")
	INIT("0.51", "device: (really_probe+0x0/0x390) dev=\"00:03:0\" drv=\"a b\"")
	ON("0", "kworker", "9", ".....", "0.511", "device: (really_probe+0x0/0x390) dev=(fault) drv=\"x\"")
	INIT("0.512", "console: (console_unlock+0x4/0x110)")
	INIT("0.513", "console_end: (vprintk_emit+0x2c6/0x310 <- console_unlock)")
	INIT("0.52", "device_end: (__driver_probe_device+0x84/0x170 <- really_probe) ret=517")
	ON("0", "kworker", "9", ".....", "0.53", "device_end: (__driver_probe_device+0x84/0x170 <- really_probe) ret=-517")
	INIT("0.6", "device_end: (__driver_probe_device+0x84/0x170 <- really_probe) ret=19")
	INIT("0.7", "device: (really_probe+0x0/0x390) dev=\"late\" drv=\"y\"");

Test(boot_probes, ends_belong_to_the_latest_of_their_task)
{
	const struct span *p, **order;
	size_t count;

	begin_reading();
	read_events(EVENTS_ALL, probes, UINT64_MAX);
	events__end(&reading);
	cr_assert(b.unread == 0 && b.probes.count == 5);
	p = b.probes.list;
	cr_expect(eq(str, (char *)p[0].name, "00:03"));
	cr_expect(eq(str, (char *)p[1].in, "a b"));
	cr_expect(span__time(&p[0]) == 100 * MS && p[0].self == 90 * MS && p[0].result == -19 && !p[0].note);
	cr_expect(span__time(&p[1]) == 10 * MS && p[1].note, "deferred");
	cr_expect(p[2].name == NULL && p[2].note && span__time(&p[2]) == 19 * MS);
	cr_expect(p[3].kind == PROBE_CONSOLE && span__time(&p[3]) == 1 * MS);
	cr_expect(not(span__has_end(&p[4])));
	order = span_list__by_self(&b.probes, NULL, &count);
	cr_expect(count == 5 && order[0] == &p[4] && order[1] == &p[0] && order[2] == &p[2] && order[3] == &p[1]);
	free(order);
	print(text_of_ten, &b);
	expect_text("\nlate ");
	expect_text("Writing to consoles, since the fs initcalls: 0.001000 s, 1 times\n");
}

Test(boot_start, reading_ends_where_it_began)
{
	begin_reading();
	read_events(EVENTS_ALL, probes, 511 * MS);
	events__end(&reading);
	cr_expect(b.probes.count == 3 && b.events == 3);
}

/* A trace that grows while it is read, here up to a million lines. It has no start of a program. */
static ssize_t next_line(void *cookie, char *buffer, size_t size)
{
	size_t *count = cookie;

	if (++*count > 1000000)
		return 0;
	return snprintf(buffer, size, "          <idle>-0       [000] d..2. %5zu.%06zu: something: else\n",
			*count / 1000, *count % 1000 * 1000);
}

Test(boot_start, reading_ends_although_no_program_is_started)
{
	size_t count = 0;
	FILE *f = fopencookie(&count, "r", (cookie_io_functions_t){ .read = next_line });

	begin_reading();
	cr_assert(events__read(&reading, EVENTS_ALL, f, 5000 * MS, "trace") == 0);
	cr_expect(count > 5000 && count < 10000, "%zu lines", count);
	fclose(f);
}
