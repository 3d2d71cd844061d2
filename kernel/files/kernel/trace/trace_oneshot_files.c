// SPDX-License-Identifier: GPL-2.0
/*
 * oneshot tracer: its files in tracefs, oneshot_seen, oneshot_entries, oneshot_stats,
 * oneshot_size and oneshot_retire_ms, in each instance.
 */
#include <linux/kallsyms.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "trace.h"
#include "trace_oneshot_internal.h"

/*
 * A reader of a set. The set stays while the file is open. The reader only holds
 * trace_types_lock while it shows something, so that no module comes or goes.
 */
struct oneshot_reader {
	struct trace_array	*tr;
	struct oneshot_set	*set;
	bool			show_addr;
};

static struct oneshot_rec *oneshot_listed_from(struct oneshot_set *set, loff_t *pos)
{
	if (!set)
		return NULL;

	for (; *pos < oneshot_set_nr(set); ++*pos) {
		struct oneshot_rec *rec = oneshot_set_rec(set, *pos);
		u32 meta = oneshot_rec_meta(rec);

		if (meta)
			return rec;
	}

	return NULL;
}

static void *oneshot_seq_start(struct seq_file *m, loff_t *pos)
{
	struct oneshot_reader *reader = m->private;

	mutex_lock(&trace_types_lock);
	return oneshot_listed_from(reader->set, pos);
}

static void *oneshot_seq_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct oneshot_reader *reader = m->private;

	++*pos;
	return oneshot_listed_from(reader->set, pos);
}

static void oneshot_seq_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&trace_types_lock);
}

static void oneshot_show_place(struct seq_file *m, unsigned long addr, unsigned int owner,
			       bool is_offset)
{
	struct oneshot_reader *reader = m->private;
	struct oneshot_place place = oneshot_place(reader->tr, addr, owner, is_offset);

	if (!reader->show_addr)
		place.addr = 0;
	/* A set has tens of thousands of addresses, and seq_printf() parses its format for each. */
	seq_put_hex_ll(m, NULL, place.addr, place.module ? 0 : 2 * sizeof(place.addr));
	if (place.module) {
		seq_putc(m, ' ');
		seq_puts(m, place.module);
	}
}

static void oneshot_show_rec(struct seq_file *m, const struct oneshot_rec *rec)
{
	u32 meta = oneshot_rec_meta(rec);

	oneshot_show_place(m, oneshot_rec_addr(rec, meta), oneshot_meta_owner(meta),
			   meta & ONESHOT_REC_FORGOTTEN);
}

/* The other address of the hit, if its code is there. */
static void oneshot_show_other(struct seq_file *m, const struct oneshot_rec *rec)
{
	unsigned long addr = oneshot_text_addr(rec->other);
	unsigned int owner = rec->other ? oneshot_owner(addr) : ONESHOT_OWNER_UNKNOWN;

	if (oneshot_owner_listed(owner))
		oneshot_show_place(m, addr, owner, false);
	else
		seq_putc(m, '-');
}

static int oneshot_seen_show(struct seq_file *m, void *v)
{
	oneshot_show_rec(m, v);
	seq_putc(m, '\n');
	return 0;
}

static int oneshot_entries_show(struct seq_file *m, void *v)
{
	const struct oneshot_rec *rec = v;
	u32 meta = oneshot_rec_meta(rec);

	oneshot_show_rec(m, rec);
	seq_puts(m, oneshot_meta_kind(meta) == ONESHOT_FUNCTION ? " function" : " caller");
	seq_put_decimal_ull(m, " ", rec->ns);
	seq_put_decimal_ull(m, " ", oneshot_meta_cpu(meta));
	seq_put_decimal_ll(m, " ", (int)rec->pid);
	seq_putc(m, ' ');
	oneshot_show_other(m, rec);
	seq_put_decimal_ll(m, " ", (int)rec->tgid);
	seq_putc(m, ' ');
	/* As in /proc/PID/status: a name may have any character, even a newline. */
	seq_escape_str(m, rec->comm, ESCAPE_SPACE | ESCAPE_SPECIAL, "\n\\");
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations oneshot_seen_seq_ops = {
	.start	= oneshot_seq_start,
	.next	= oneshot_seq_next,
	.stop	= oneshot_seq_stop,
	.show	= oneshot_seen_show,
};

static const struct seq_operations oneshot_entries_seq_ops = {
	.start	= oneshot_seq_start,
	.next	= oneshot_seq_next,
	.stop	= oneshot_seq_stop,
	.show	= oneshot_entries_show,
};

static void oneshot_reader_begin(struct oneshot_reader *reader, struct trace_array *tr,
				 const struct file *file)
{
	reader->tr = tr;
	reader->show_addr = kallsyms_show_value(file->f_cred);
	guard(mutex)(&trace_types_lock);
	reader->set = oneshot_set_get(tr->oneshot.set);
}

static void oneshot_reader_end(struct oneshot_reader *reader)
{
	guard(mutex)(&trace_types_lock);
	oneshot_set_put(reader->set);
}

static int oneshot_open(struct inode *inode, struct file *file,
			const struct seq_operations *ops)
{
	struct trace_array *tr = inode->i_private;
	struct oneshot_reader *reader;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;

	/* A file that is open for writing only needs no iterator: it clears the set. */
	if (!(file->f_mode & FMODE_READ)) {
		file->private_data = NULL;
		return 0;
	}

	reader = __seq_open_private(file, ops, sizeof(*reader));
	if (!reader) {
		trace_array_put(tr);
		return -ENOMEM;
	}

	oneshot_reader_begin(reader, tr, file);
	return 0;
}

static int oneshot_seen_open(struct inode *inode, struct file *file)
{
	return oneshot_open(inode, file, &oneshot_seen_seq_ops);
}

static int oneshot_entries_open(struct inode *inode, struct file *file)
{
	return oneshot_open(inode, file, &oneshot_entries_seq_ops);
}

static int oneshot_release(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;

	if (file->f_mode & FMODE_READ) {
		oneshot_reader_end(((struct seq_file *)file->private_data)->private);
		seq_release_private(inode, file);
	}
	trace_array_put(tr);
	return 0;
}

static ssize_t oneshot_seen_write(struct file *file, const char __user *ubuf,
				  size_t cnt, loff_t *ppos)
{
	unsigned long val;
	int ret;

	ret = kstrtoul_from_user(ubuf, cnt, 10, &val);
	if (ret)
		return ret;
	if (val)
		return -EINVAL;

	/* *ppos stays: it is the position of the file's reader. */
	return oneshot_clear(file_inode(file)->i_private, !(file->f_flags & O_NONBLOCK)) ?: cnt;
}

/* Who has cleared a set without waiting waits here before reading the old one. */
static int oneshot_seen_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	oneshot_wait_for_old();
	return 0;
}

static const struct file_operations oneshot_seen_fops = {
	.open		= oneshot_seen_open,
	.read		= seq_read,
	.write		= oneshot_seen_write,
	.fsync		= oneshot_seen_fsync,
	.llseek		= tracing_lseek,
	.release	= oneshot_release,
};

static const struct file_operations oneshot_entries_fops = {
	.open		= oneshot_entries_open,
	.read		= seq_read,
	.llseek		= tracing_lseek,
	.release	= oneshot_release,
};

/* Count the records that readers get; @marked: functions of which callers may be missing. */
static void oneshot_count(const struct oneshot_set *set, struct oneshot_unlisted *seen,
			  unsigned long *marked)
{
	u32 i, nr = oneshot_set_nr(set);

	for (i = 0; i < nr; i++) {
		u32 meta = oneshot_rec_meta(oneshot_set_rec(set, i));

		if (!meta)
			continue;
		*marked += !!(meta & ONESHOT_REC_MARKED);
		if (oneshot_meta_kind(meta) == ONESHOT_FUNCTION)
			seen->functions++;
		else
			seen->callers++;
	}
}

static struct oneshot_counts oneshot_sum_counts(const struct oneshot_set *set)
{
	struct oneshot_counts sum = {};
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct oneshot_counts *counts = per_cpu_ptr(set->counts, cpu);

		sum.refused += READ_ONCE(counts->refused);
		sum.events_lost += READ_ONCE(counts->events_lost);
		sum.parents_lost += READ_ONCE(counts->parents_lost);
		sum.init.functions += READ_ONCE(counts->init.functions);
		sum.init.callers += READ_ONCE(counts->init.callers);
		sum.unknown.functions += READ_ONCE(counts->unknown.functions);
		sum.unknown.callers += READ_ONCE(counts->unknown.callers);
	}
	return sum;
}

static int oneshot_stats_show(struct seq_file *m, void *v)
{
	struct oneshot_reader *reader = m->private;
	struct oneshot_unlisted seen = {};
	struct oneshot_counts counts = {};
	struct oneshot_retire retire = {};
	struct oneshot_set *set;
	unsigned long marked = 0;

	guard(mutex)(&trace_types_lock);

	set = reader->set;
	if (set) {
		oneshot_count(set, &seen, &marked);
		counts = oneshot_sum_counts(set);
		retire = oneshot_table(set)->retire;
	}

	seq_printf(m, "entries: %lu\n", seen.functions + seen.callers);
	seq_printf(m, "functions: %lu\n", seen.functions);
	seq_printf(m, "callers: %lu\n", seen.callers);
	seq_printf(m, "capacity: %u\n", set ? set->limit : 0);
	seq_printf(m, "bytes: %zu\n", set ? oneshot_set_bytes(set) : 0);
	seq_printf(m, "refused: %lu\n", counts.refused);
	seq_printf(m, "events_lost: %lu\n", counts.events_lost);
	seq_printf(m, "parents_lost: %lu\n", counts.parents_lost);
	seq_printf(m, "module_init_functions: %lu\n", counts.init.functions);
	seq_printf(m, "module_init_callers: %lu\n", counts.init.callers);
	seq_printf(m, "unresolvable_functions: %lu\n", counts.unknown.functions);
	seq_printf(m, "unresolvable_callers: %lu\n", counts.unknown.callers);
	seq_printf(m, "retired: %lu\n", retire.sites);
	seq_printf(m, "retire_batches: %lu\n", retire.batches);
	seq_printf(m, "retire_ns: %llu\n", retire.ns);
	seq_printf(m, "callers_incomplete: %lu\n", marked);
	return 0;
}

static int oneshot_stats_open(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;
	struct oneshot_reader *reader;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;

	reader = kzalloc(sizeof(*reader), GFP_KERNEL);
	ret = reader ? single_open(file, oneshot_stats_show, reader) : -ENOMEM;
	if (ret) {
		kfree(reader);
		trace_array_put(tr);
		return ret;
	}
	oneshot_reader_begin(reader, tr, file);
	return 0;
}

static int oneshot_stats_release(struct inode *inode, struct file *file)
{
	struct oneshot_reader *reader = ((struct seq_file *)file->private_data)->private;

	oneshot_reader_end(reader);
	kfree(reader);
	trace_array_put(inode->i_private);
	return single_release(inode, file);
}

static const struct file_operations oneshot_stats_fops = {
	.open		= oneshot_stats_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= oneshot_stats_release,
};

static ssize_t oneshot_size_read(struct file *file, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = file->private_data;
	char buf[16];
	int len;

	len = scnprintf(buf, sizeof(buf), "%u\n", READ_ONCE(tr->oneshot.size));
	return simple_read_from_buffer(ubuf, cnt, ppos, buf, len);
}

/* The new size takes effect at the next start: the present set keeps its limit. */
static ssize_t oneshot_size_write(struct file *file, const char __user *ubuf,
				  size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = file->private_data;
	unsigned int size;
	int ret;

	ret = kstrtouint_from_user(ubuf, cnt, 0, &size);
	if (ret)
		return ret;
	if (size > ONESHOT_MAX_RECS)
		return -EINVAL;

	guard(mutex)(&trace_types_lock);
	WRITE_ONCE(tr->oneshot.size, size);
	*ppos += cnt;
	return cnt;
}

static const struct file_operations oneshot_size_fops = {
	.open		= tracing_open_generic_tr,
	.read		= oneshot_size_read,
	.write		= oneshot_size_write,
	.llseek		= default_llseek,
	.release	= tracing_release_generic_tr,
};

static ssize_t oneshot_retire_ms_read(struct file *file, char __user *ubuf, size_t cnt,
				      loff_t *ppos)
{
	struct trace_array *tr = file->private_data;
	char buf[16];
	int len;

	len = scnprintf(buf, sizeof(buf), "%u\n", READ_ONCE(tr->oneshot.retire_ms));
	return simple_read_from_buffer(ubuf, cnt, ppos, buf, len);
}

static ssize_t oneshot_retire_ms_write(struct file *file, const char __user *ubuf,
				       size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = file->private_data;
	unsigned int ms;
	int ret;

	ret = kstrtouint_from_user(ubuf, cnt, 0, &ms);
	if (ret)
		return ret;

	guard(mutex)(&trace_types_lock);
	ret = oneshot_retire_may(tr, tr->oneshot.flags, ms);
	if (ret)
		return ret;
	WRITE_ONCE(tr->oneshot.retire_ms, ms);
	oneshot_work_soon();
	*ppos += cnt;
	return cnt;
}

static const struct file_operations oneshot_retire_ms_fops = {
	.open		= tracing_open_generic_tr,
	.read		= oneshot_retire_ms_read,
	.write		= oneshot_retire_ms_write,
	.llseek		= default_llseek,
	.release	= tracing_release_generic_tr,
};

void oneshot_create_files(struct trace_array *tr, struct dentry *parent)
{
	trace_create_file("oneshot_seen", TRACE_MODE_WRITE, parent, tr, &oneshot_seen_fops);
	trace_create_file("oneshot_entries", TRACE_MODE_READ, parent, tr, &oneshot_entries_fops);
	trace_create_file("oneshot_stats", TRACE_MODE_READ, parent, tr, &oneshot_stats_fops);
	trace_create_file("oneshot_size", TRACE_MODE_WRITE, parent, tr, &oneshot_size_fops);
	trace_create_file("oneshot_retire_ms", TRACE_MODE_WRITE, parent, tr,
			  &oneshot_retire_ms_fops);
}
