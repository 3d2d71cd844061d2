// SPDX-License-Identifier: GPL-2.0
/*
 * Lists a process's threads by their numbers in the initial PID namespace. Inside another
 * namespace, nothing else gives these numbers. Reading from this iterator returns one __u32 for
 * each thread. The process is chosen when the iterator is attached.
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
