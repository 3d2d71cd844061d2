// SPDX-License-Identifier: GPL-2.0
/*
 * The numbers of a process's threads in the initial PID namespace; inside another namespace,
 * nothing else gives them. Reading from this iterator returns one __u32 after the other. The
 * process is chosen when it is attached.
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
