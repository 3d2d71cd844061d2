// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: function_events in tracefs, function_event= on the kernel's command
 * line, and events/functions/NAME/missed.
 */
#define pr_fmt(fmt)	"function_events: " fmt

#include <linux/init.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>
#include <asm/setup.h>

#include "trace_fevent_types.h"
#include "trace_fevent_core.h"
#include "trace_fevent_hook.h"

#define FEVENT_MAX_WRITE	(1024 * 1024)

/* ---- function_events ---- */

static int fevent_seq_show(struct seq_file *m, void *v)
{
	struct dyn_event *ev = v;

	if (is_fevent(ev))
		seq_printf(m, "%s\n", dyn_event_fevent(ev)->text);
	return 0;
}

static const struct seq_operations fevent_seq_ops = {
	.start	= dyn_event_seq_start,
	.next	= dyn_event_seq_next,
	.stop	= dyn_event_seq_stop,
	.show	= fevent_seq_show,
};

static int fevent_open(struct inode *inode, struct file *file)
{
	int ret;

	ret = security_locked_down(LOCKDOWN_TRACEFS);
	if (ret)
		return ret;
	ret = tracing_check_open_get_tr(NULL);
	if (ret)
		return ret;
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		ret = fevent_clear();
		if (ret)
			return ret;
	}
	return seq_open(file, &fevent_seq_ops);
}

static ssize_t fevent_write(struct file *file, const char __user *buffer, size_t count,
			    loff_t *ppos)
{
	struct fevent_complaint complaint;
	char *text;
	int ret;

	if (count > FEVENT_MAX_WRITE)
		return -E2BIG;
	if (!count)
		return 0;
	text = vmemdup_user(buffer, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	mutex_lock(&event_mutex);
	ret = fevent_change_lines(text, count, &complaint);
	mutex_unlock(&event_mutex);
	kvfree(text);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static const struct file_operations fevent_fops = {
	.owner		= THIS_MODULE,
	.open		= fevent_open,
	.read		= seq_read,
	.write		= fevent_write,
	.llseek		= seq_lseek,
	.release	= seq_release,
};

/* ---- events/functions/NAME/missed ---- */

static ssize_t fevent_missed_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_event_file *file;
	long missed = -1;
	char buf[32];
	int len;

	mutex_lock(&event_mutex);
	file = event_file_file(filp);
	if (file)
		missed = atomic_long_read(&to_fevent(file->event_call)->missed);
	mutex_unlock(&event_mutex);
	if (missed < 0)
		return -ENODEV;
	len = scnprintf(buf, sizeof(buf), "%ld\n", missed);
	return simple_read_from_buffer(ubuf, count, ppos, buf, len);
}

const struct file_operations fevent_missed_fops = {
	.open	= tracing_open_generic,
	.read	= fevent_missed_read,
	.llseek	= default_llseek,
};

/* ---- boot ---- */

static char fevent_boot_lines[COMMAND_LINE_SIZE] __initdata;

static int __init fevent_set_boot(char *str)
{
	strscpy(fevent_boot_lines, str, sizeof(fevent_boot_lines));
	/* Events may fire before anybody can ask for a buffer of more than a page. */
	trace_set_ring_buffer_expanded(NULL);
	return 1;
}
__setup("function_event=", fevent_set_boot);

static void __init fevent_enable_new(void)
{
	struct trace_event_file *file;
	struct fevent *fe;

	fevent_batch_begin();
	list_for_each_entry(fe, &fevent_list, list) {
		file = find_event_file(top_trace_array(), fevent_group(fe), fevent_name(fe));
		if (file)
			trace_event_enable_disable(file, 1, 0);
	}
	if (fevent_batch_end())
		pr_warn("the events of the command line could not be enabled\n");
}

/**
 * fevent_boot - create and enable the events of the kernel command line
 *
 * Context: As soon as there are trace events, long before tracefs and initcalls.
 */
void __init fevent_boot(void)
{
	char *rest = fevent_boot_lines, *line;
	struct fevent_complaint complaint;
	int ret;

	if (!*rest)
		return;
	mutex_lock(&event_mutex);
	/* A wrong line does not stop the other lines. */
	while ((line = strsep(&rest, ";"))) {
		ret = fevent_change_lines(line, strlen(line), &complaint);
		if (ret == -EINVAL || ret == -ENOENT || ret == -EEXIST)
			pr_warn("%s: %s%s%s, at column %u\n", line,
				fevent_err_text[complaint.error.err],
				complaint.detail[0] ? ": " : "", complaint.detail,
				complaint.error.column + 1);
		else if (ret)
			pr_warn("%s: error %d\n", line, ret);
	}
	fevent_enable_new();
	mutex_unlock(&event_mutex);
}

static int __init fevent_init(void)
{
	if (tracing_init_dentry())
		return 0;
	trace_create_file("function_events", TRACE_MODE_WRITE, NULL, NULL, &fevent_fops);
	return 0;
}
fs_initcall(fevent_init);
