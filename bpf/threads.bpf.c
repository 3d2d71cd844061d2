// SPDX-License-Identifier: GPL-2.0
/*
 * The threads of a process by the numbers that they have in the initial PID namespace, which nothing
 * else tells from inside another. What is read from this iterator is one __u32 after the other; which
 * process it goes over is said when it is attached.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

SEC("iter/task")
int list_threads(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	__u32 pid;

	if (!task)
		return 0;
	pid = task->pid;
	bpf_seq_write(ctx->meta->seq, &pid, sizeof(pid));
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
