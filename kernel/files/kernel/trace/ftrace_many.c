// SPDX-License-Identifier: GPL-2.0
/*
 * Tests many ftrace_ops at once: each requested function gets an ops, and so a
 * trampoline.
 *
 * In /sys/kernel/debug/ftrace_many:
 *
 * functions	Write addresses of functions, in hexadecimal, one on a line, as
 *		available_filter_functions_addrs has them; the rest of a line is
 *		ignored. Each write adds functions. A write of only white space drops
 *		all of them. A read gives the functions that have been called, with
 *		their names and numbers of calls. Open it for reading or for writing,
 *		not for both.
 * control	"register" and "unregister", for all ops at once, or one by one if "each"
 *		follows. After "register", these words change the ops: "regs" (with all
 *		registers), "unwind" (each call walks its stack), "ipmodify" (no other ops
 *		on the function may be), "share" (each ops also has the next one's
 *		function), "wide" (the first ops is on all functions),
 *		"wide-last" (the last ops is), "notrace" (the first ops is not on its own
 *		function). The last four stay until the functions are dropped.
 * stats	how many ops there are, how many of them are registered, how long the last
 *		"register" or "unregister" took, how many calls there were, how many ops
 *		were called, and how many calls came from functions that the ops does not
 *		have.
 * ends		where the stacks ended: at the entry code of the kernel.
 */
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>

#define MAX_OPS		20000
#define MAX_WRITE	0x100000
#define MAX_ENDS	32
#define MAX_DEPTH	64

struct many {
	struct ftrace_ops	ops;
	unsigned long		addr;
	unsigned long		next;	/* its second function, with "share"; ~0 for all */
	atomic_long_t		calls;
	atomic_long_t		wrong;
};

/* Protects everything, except for the callbacks' counters. */
static DEFINE_MUTEX(many_mutex);
static struct many *many[MAX_OPS];
static struct ftrace_ops *many_ops[MAX_OPS];
static unsigned int nr_many;
static unsigned int nr_registered;
/* ftrace has disabled itself: nothing may be freed any more. */
static bool broken;
static u64 last_ns;
static struct dentry *dir;

/* Where stacks ended. The last entry counts the stacks for which there was no room. */
static struct {
	unsigned long	addr;
	atomic_long_t	count;
} ends[MAX_ENDS + 1];

static void notrace count_end(unsigned long addr)
{
	unsigned long seen;
	unsigned int i;

	for (i = 0; i < MAX_ENDS; i++) {
		seen = READ_ONCE(ends[i].addr);
		if (!seen)
			seen = cmpxchg(&ends[i].addr, 0, addr) ?: addr;
		if (seen == addr)
			break;
	}
	atomic_long_inc(&ends[i].count);
}

static void notrace count_call(unsigned long ip, struct ftrace_ops *ops)
{
	struct many *one = container_of(ops, struct many, ops);

	atomic_long_inc(&one->calls);
	if (ip != one->addr && ip != one->next && one->next != ~0UL)
		atomic_long_inc(&one->wrong);
}

static void notrace many_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			      struct ftrace_regs *fregs)
{
	count_call(ip, ops);
}

static void notrace many_unwind(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
				struct ftrace_regs *fregs)
{
	unsigned long stack[MAX_DEPTH];
	unsigned int nr;
	int bit;

	/* stack_trace_save() calls functions that may be traced. */
	bit = ftrace_test_recursion_trylock(ip, parent_ip);
	if (bit < 0)
		return;
	count_call(ip, ops);
	nr = stack_trace_save(stack, MAX_DEPTH, 0);
	/* A stack without an end is counted as ending here. */
	count_end(nr && nr < MAX_DEPTH ? stack[nr - 1] : ip);
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
	one->addr = addr;
	many_ops[nr_many] = &one->ops;
	many[nr_many++] = one;
	return 0;
}

/* The last line of the write before, if it had no newline. */
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

/* Takes the text of a write, after the unfinished line of the write before. */
static int add_text(char *text, struct part *part)
{
	char *line, *next;
	int ret;

	part->len = 0;
	part->text[0] = '\0';
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
	return 0;
}

static ssize_t functions_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	struct part *part = file->private_data;
	int ret = -EFAULT;
	char *text;

	guard(mutex)(&many_mutex);
	if (nr_registered || broken)
		return -EBUSY;
	len = min_t(size_t, len, MAX_WRITE);
	text = kvmalloc(part->len + len + 1, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	memcpy(text, part->text, part->len);
	if (!copy_from_user(text + part->len, from, len)) {
		text[part->len + len] = '\0';
		ret = add_text(text, part);
	}
	kvfree(text);
	return ret ?: len;
}

static int functions_show(struct seq_file *m, void *v)
{
	unsigned int i;

	guard(mutex)(&many_mutex);
	for (i = 0; i < nr_many; i++) {
		if (atomic_long_read(&many[i]->calls))
			seq_printf(m, "%lx %ps %ld\n", many[i]->addr, (void *)many[i]->addr,
				   atomic_long_read(&many[i]->calls));
	}
	return 0;
}

static int functions_open(struct inode *inode, struct file *file)
{
	struct part *part;

	if (!(file->f_mode & FMODE_WRITE))
		return single_open(file, functions_show, NULL);
	/* seq_file owns the private data of a file that is read. */
	if (file->f_mode & FMODE_READ)
		return -EINVAL;
	part = kzalloc(sizeof(*part), GFP_KERNEL);
	if (!part)
		return -ENOMEM;
	file->private_data = part;
	return 0;
}

/* The last line may lack its newline. */
static int functions_release(struct inode *inode, struct file *file)
{
	struct part *part = file->private_data;

	if (!(file->f_mode & FMODE_WRITE))
		return single_release(inode, file);

	guard(mutex)(&many_mutex);
	if (!nr_registered && !broken)
		add_line(part->text);
	kfree(part);
	return 0;
}

static const struct file_operations functions_fops = {
	.owner		= THIS_MODULE,
	.open		= functions_open,
	.read		= seq_read,
	.write		= functions_write,
	.release	= functions_release,
};

static int unregister_all(bool each)
{
	int ret;

	if (!each) {
		ret = unregister_ftrace_functions(many_ops, nr_registered);
		if (!ret)
			nr_registered = 0;
		return ret;
	}
	while (nr_registered) {
		ret = unregister_ftrace_function(many_ops[nr_registered - 1]);
		if (ret)
			return ret;
		nr_registered--;
	}
	return 0;
}

static int register_all(bool each)
{
	int ret;

	if (!each) {
		ret = register_ftrace_functions(many_ops, nr_many);
		if (!ret)
			nr_registered = nr_many;
		return ret;
	}
	while (nr_registered < nr_many) {
		ret = register_ftrace_function(many_ops[nr_registered]);
		if (ret) {
			unregister_all(true);
			return ret;
		}
		nr_registered++;
	}
	return 0;
}

/* Each ops also gets the next one's function, so that two are on each function. */
static int share_functions(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr_many && !ret; i++) {
		many[i]->next = many[(i + 1) % nr_many]->addr;
		ret = ftrace_set_filter_ip(&many[i]->ops, many[i]->next, 0, 0);
	}
	return ret;
}

static int widen(struct many *one)
{
	one->next = ~0UL;
	return ftrace_set_filter(&one->ops, NULL, 0, 1);
}

static int exclude_first(void)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol_no_offset(name, many[0]->addr);
	return ftrace_set_notrace(&many[0]->ops, name, strlen(name), 0);
}

static void forget_calls(unsigned long flags, ftrace_func_t func)
{
	unsigned int i;

	for (i = 0; i < nr_many; i++) {
		many[i]->ops.flags = (many[i]->ops.flags & FTRACE_OPS_FL_INITIALIZED) | flags;
		many[i]->ops.func = func;
		atomic_long_set(&many[i]->calls, 0);
		atomic_long_set(&many[i]->wrong, 0);
	}
	memset(ends, 0, sizeof(ends));
}

static ssize_t control_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	bool each = false, share = false, wide = false, wide_last = false;
	bool notrace_first = false, on;
	ftrace_func_t func = many_call;
	unsigned long flags = 0;
	char text[64], *next, *word;
	u64 began;
	int ret = 0;

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
		else if (on && !strcmp(word, "share"))
			share = true;
		else if (on && !strcmp(word, "wide"))
			wide = true;
		else if (on && !strcmp(word, "wide-last"))
			wide_last = true;
		else if (on && !strcmp(word, "notrace"))
			notrace_first = true;
		else
			return -EINVAL;
	}

	guard(mutex)(&many_mutex);
	if (broken || !nr_many || on == !!nr_registered)
		return -EBUSY;
	if (on) {
		forget_calls(flags, func);
		if (share)
			ret = share_functions();
		if (!ret && notrace_first)
			ret = exclude_first();
		if (!ret && wide)
			ret = widen(many[0]);
		if (!ret && wide_last)
			ret = widen(many[nr_many - 1]);
		if (ret)
			return ret;
		/* The module has to stay as long as ftrace may call it. */
		__module_get(THIS_MODULE);
	}
	began = ktime_get_ns();
	ret = on ? register_all(each) : unregister_all(each);
	last_ns = ktime_get_ns() - began;
	broken = ret == -ENODEV;
	if (!broken && !nr_registered)
		module_put(THIS_MODULE);
	return ret ?: len;
}

static const struct file_operations control_fops = {
	.owner	= THIS_MODULE,
	.write	= control_write,
};

static int stats_show(struct seq_file *m, void *v)
{
	unsigned long calls = 0, functions = 0, wrong = 0;
	unsigned int i;

	guard(mutex)(&many_mutex);
	for (i = 0; i < nr_many; i++) {
		calls += atomic_long_read(&many[i]->calls);
		functions += !!atomic_long_read(&many[i]->calls);
		wrong += atomic_long_read(&many[i]->wrong);
	}
	seq_printf(m, "ops: %u\nregistered: %u\nlast_ns: %llu\ncalls: %lu\nfunctions_called: %lu\n",
		   nr_many, nr_registered, last_ns, calls, functions);
	seq_printf(m, "wrong_calls: %lu\n", wrong);
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
	debugfs_create_file("functions", 0600, dir, NULL, &functions_fops);
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
