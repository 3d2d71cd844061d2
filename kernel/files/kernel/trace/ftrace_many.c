// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of many ftrace_ops at once: an ops, and so a trampoline, for each of the
 * functions that are asked for.
 *
 * In /sys/kernel/debug/ftrace_many:
 *
 * functions	addresses of functions, in hexadecimal, one on a line, as
 *		available_filter_functions_addrs has them; what else is on a line is
 *		left alone. Each write adds to those of the writes before, or, if it is
 *		of no more than white space, drops them.
 * control	"register" and "unregister", together, or, with "each" behind, one by one.
 *		Behind "register" also what the ops are to be like: "regs" (with all
 *		registers), "unwind" (each call walks its stack), "ipmodify" (nobody else
 *		may have the function so).
 * stats	how many ops there are, whether they are registered, how long the last of
 *		either took, how many calls there were, and of how many of the functions.
 * ends		where the stacks ended, which is on the way into the kernel.
 */
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/ftrace.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>

#define MAX_OPS		20000
#define MAX_WRITE	(1 << 20)
#define MAX_ENDS	32
#define MAX_DEPTH	64

struct many {
	struct ftrace_ops	ops;
	atomic_long_t		calls;
};

/* Protects all but what callbacks count. */
static DEFINE_MUTEX(many_mutex);
static struct many *many[MAX_OPS];
static struct ftrace_ops *many_ops[MAX_OPS];
static unsigned int nr_many;
static bool registered;
static u64 last_ns;
static struct dentry *dir;

/* Where stacks ended; those for which there was no room are counted in the last one. */
static struct {
	unsigned long	addr;
	atomic_long_t	count;
} ends[MAX_ENDS + 1];

static void notrace count_end(unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < MAX_ENDS; i++) {
		unsigned long seen = READ_ONCE(ends[i].addr);

		if (!seen)
			seen = cmpxchg(&ends[i].addr, 0, addr) ?: addr;
		if (seen == addr)
			break;
	}
	atomic_long_inc(&ends[i].count);
}

static void notrace many_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			      struct ftrace_regs *fregs)
{
	atomic_long_inc(&container_of(ops, struct many, ops)->calls);
}

static void notrace many_unwind(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
				struct ftrace_regs *fregs)
{
	unsigned long stack[MAX_DEPTH];
	unsigned int nr;
	int bit;

	/* What it calls may be traced. */
	bit = ftrace_test_recursion_trylock(ip, parent_ip);
	if (bit < 0)
		return;
	atomic_long_inc(&container_of(ops, struct many, ops)->calls);
	nr = stack_trace_save(stack, MAX_DEPTH, 0);
	if (nr && nr < MAX_DEPTH)
		count_end(stack[nr - 1]);
	ftrace_test_recursion_unlock(bit);
}

static void drop_all(void)
{
	while (nr_many) {
		nr_many--;
		ftrace_free_filter(&many[nr_many]->ops);
		kfree(many[nr_many]);
	}
}

static int add_function(unsigned long addr)
{
	struct many *one;
	int ret;

	if (nr_many == MAX_OPS)
		return -ENOSPC;
	one = kzalloc(sizeof(*one), GFP_KERNEL);
	if (!one)
		return -ENOMEM;
	ret = ftrace_set_filter_ip(&one->ops, addr, 0, 0);
	if (ret) {
		ftrace_free_filter(&one->ops);
		kfree(one);
		return ret;
	}
	many_ops[nr_many] = &one->ops;
	many[nr_many++] = one;
	return 0;
}

/* The end of what was written before, if that was the beginning of a line. */
struct part {
	unsigned int	len;
	char		text[128];
};

/* Takes a line, which may be an empty one. */
static int add_line(char *line)
{
	unsigned long addr;

	line = skip_spaces(line);
	line[strcspn(line, " \t")] = '\0';
	if (!*line)
		return 0;
	return kstrtoul(line, 16, &addr) ?: add_function(addr);
}

static ssize_t functions_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	struct part *part = file->private_data;
	char *text __free(kvfree) = NULL;
	char *line, *next;
	int ret;

	len = min_t(size_t, len, MAX_WRITE);
	text = kvmalloc(part->len + len + 1, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	memcpy(text, part->text, part->len);
	if (copy_from_user(text + part->len, from, len))
		return -EFAULT;
	text[part->len + len] = '\0';

	guard(mutex)(&many_mutex);
	if (registered)
		return -EBUSY;
	if (!*skip_spaces(text))
		drop_all();
	for (next = text; (line = strsep(&next, "\n")) && next;) {
		ret = add_line(line);
		if (ret)
			return ret;
	}
	if (strlen(line) >= sizeof(part->text))
		return -EINVAL;
	part->len = strscpy(part->text, line, sizeof(part->text));
	return len;
}

static int functions_open(struct inode *inode, struct file *file)
{
	file->private_data = kzalloc(sizeof(struct part), GFP_KERNEL);
	return file->private_data ? 0 : -ENOMEM;
}

/* What has no newline behind it is an address, too. */
static int functions_release(struct inode *inode, struct file *file)
{
	struct part *part = file->private_data;

	guard(mutex)(&many_mutex);
	if (!registered)
		add_line(part->text);
	kfree(part);
	return 0;
}

static const struct file_operations functions_fops = {
	.owner		= THIS_MODULE,
	.open		= functions_open,
	.write		= functions_write,
	.release	= functions_release,
};

static int unregister_all(bool each)
{
	unsigned int i;
	int ret = 0;

	if (!each)
		return unregister_ftrace_functions(many_ops, nr_many);
	for (i = 0; i < nr_many && !ret; i++)
		ret = unregister_ftrace_function(many_ops[i]);
	return ret;
}

static int register_all(bool each)
{
	unsigned int i;
	int ret;

	if (!each)
		return register_ftrace_functions(many_ops, nr_many);
	for (i = 0; i < nr_many; i++) {
		ret = register_ftrace_function(many_ops[i]);
		if (!ret)
			continue;
		while (i--)
			unregister_ftrace_function(many_ops[i]);
		return ret;
	}
	return 0;
}

static void forget_calls(unsigned long flags, ftrace_func_t func)
{
	unsigned int i;

	for (i = 0; i < nr_many; i++) {
		many[i]->ops.flags = (many[i]->ops.flags & FTRACE_OPS_FL_INITIALIZED) | flags;
		many[i]->ops.func = func;
		atomic_long_set(&many[i]->calls, 0);
	}
	memset(ends, 0, sizeof(ends));
}

static ssize_t control_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	unsigned long flags = 0;
	ftrace_func_t func = many_call;
	bool each = false, on;
	char text[64], *next, *word;
	u64 began;
	int ret;

	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, len))
		return -EFAULT;
	text[len] = '\0';
	next = strim(text);
	word = strsep(&next, " ");
	on = !strcmp(word, "register");
	if (!on && strcmp(word, "unregister"))
		return -EINVAL;
	while ((word = strsep(&next, " "))) {
		if (!strcmp(word, "each"))
			each = true;
		else if (on && !strcmp(word, "regs"))
			flags |= FTRACE_OPS_FL_SAVE_REGS;
		else if (on && !strcmp(word, "ipmodify"))
			flags |= FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY;
		else if (on && !strcmp(word, "unwind"))
			func = many_unwind;
		else
			return -EINVAL;
	}

	guard(mutex)(&many_mutex);
	if (on == registered)
		return -EBUSY;
	if (on)
		forget_calls(flags, func);
	began = ktime_get_ns();
	ret = on ? register_all(each) : unregister_all(each);
	last_ns = ktime_get_ns() - began;
	if (ret)
		return ret;
	registered = on;
	/* For as long as ftrace may come here. */
	if (on)
		__module_get(THIS_MODULE);
	else
		module_put(THIS_MODULE);
	return len;
}

static const struct file_operations control_fops = {
	.owner	= THIS_MODULE,
	.write	= control_write,
};

static int stats_show(struct seq_file *m, void *v)
{
	unsigned long calls = 0, functions = 0;
	unsigned int i;

	guard(mutex)(&many_mutex);
	for (i = 0; i < nr_many; i++) {
		unsigned long n = atomic_long_read(&many[i]->calls);

		calls += n;
		functions += n > 0;
	}
	seq_printf(m, "ops: %u\nregistered: %d\nlast_ns: %llu\ncalls: %lu\nfunctions_called: %lu\n",
		   nr_many, registered, last_ns, calls, functions);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int ends_show(struct seq_file *m, void *v)
{
	unsigned int i;

	for (i = 0; i <= MAX_ENDS; i++) {
		if (atomic_long_read(&ends[i].count))
			seq_printf(m, "%ld %ps\n", atomic_long_read(&ends[i].count),
				   (void *)ends[i].addr);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ends);

static int __init ftrace_many_init(void)
{
	dir = debugfs_create_dir("ftrace_many", NULL);
	debugfs_create_file("functions", 0200, dir, NULL, &functions_fops);
	debugfs_create_file("control", 0200, dir, NULL, &control_fops);
	debugfs_create_file("stats", 0400, dir, NULL, &stats_fops);
	debugfs_create_file("ends", 0400, dir, NULL, &ends_fops);
	return 0;
}

static void __exit ftrace_many_exit(void)
{
	debugfs_remove_recursive(dir);
	drop_all();
}

module_init(ftrace_many_init);
module_exit(ftrace_many_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Tests many ftrace_ops at once");
