// SPDX-License-Identifier: GPL-2.0-only
/*
 * How this boot was asked for events, and how the next one is; see next.h. By kexec, the kernel is loaded once more, with
 * another command line, and is gone after the next boot. Firmware and boot loader do not run in such a boot, so it has no
 * times for them.
 */
#include <fcntl.h>
#include <linux/kexec.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "boot/next.h"

/* COMMAND_LINE_SIZE of x86, with the end of the string. */
#define MOST_COMMAND_LINE 2047

/* ---- this boot */

/* The length of the first word. A quoted part may contain spaces. */
static size_t word_length(const char *text)
{
	bool quoted = false;
	size_t i;

	for (i = 0; text[i] && (quoted || !strchr(" \n", text[i])); i++)
		quoted ^= text[i] == '"';
	return i;
}

/* Kernels before 6.12 put the values of a bootconfig into quotes, and GRUB whole words. */
static void unquote(const char **text, size_t *length)
{
	if (*length > 1 && **text == '"' && (*text)[*length - 1] == '"') {
		++*text;
		*length -= 2;
	}
}

bool boot_word__next(const char **at, struct boot_word *ret)
{
	const char *text = *at ? *at + strspn(*at, " \n") : "", *name = text, *equals;
	size_t length = word_length(text), inside = length;

	if (!length || (length == 2 && !strncmp(text, "--", 2)))
		return false;
	*at = text + length;
	unquote(&name, &inside);
	equals = memchr(name, '=', inside);
	*ret = (struct boot_word){ text, length, name, equals ? (size_t)(equals - name) : inside };
	if (equals) {
		ret->value = equals + 1;
		ret->value_length = name + inside - ret->value;
		unquote(&ret->value, &ret->value_length);
	}
	return true;
}

static bool has_name(const struct boot_word *word, const char *name, size_t length)
{
	return word->name_length == length && !strncmp(word->name, name, length);
}

bool boot_word__is(const struct boot_word *word, const char *text)
{
	size_t name = strcspn(text, "="), length = text[name] ? strlen(text + name + 1) : 0;
	bool begins = length && text[name + length] == '*';

	if (!has_name(word, text, name) || !text[name] != !word->value)
		return false;
	length -= begins;
	return (begins ? word->value_length >= length : word->value_length == length) &&
	       !strncmp(word->value ?: "", text + name + 1, length);
}

/* Does the comma-separated @list contain "ITEM" or "ITEM:..."? */
static bool lists(const char *list, size_t size, const char *item)
{
	const char *end = list + size;
	size_t length = strlen(item);

	while (list && list < end) {
		const char *comma = memchr(list, ',', end - list) ?: end;

		if ((size_t)(comma - list) >= length && !strncmp(list, item, length) &&
		    (list + length == comma || list[length] == ':'))
			return true;
		list = comma + 1;
	}
	return false;
}

/* Is there the word @name with @item in its value? @item: NULL if it has no value */
static bool asks(const char *line, const char *name, const char *item)
{
	struct boot_word word;

	while (boot_word__next(&line, &word)) {
		if (has_name(&word, name, strlen(name)) && (item ? lists(word.value, word.value_length, item) : !word.value))
			return true;
	}
	return false;
}

struct boot_asked boot_asked__by(const char *line)
{
	struct boot_asked asked = {
		.instance = asks(line, "trace_instance", START_INSTANCE), .in_top = asks(line, "trace_event", "initcall"),
		.keeps_first = asks(line, "trace_options", "nooverwrite"),
	};

	if (asks(line, "ftrace_boot_snapshot", START_INSTANCE) || (asks(line, "ftrace_boot_snapshot", NULL) && asked.in_top))
		asked.no_events = "ftrace_boot_snapshot has put the events of the kernel's boot into the file `snapshot` "
				  "there; leave it out of the command line";
	else if (!asked.instance && (asks(line, "initcall_debug", NULL) || asks(line, "ftrace_graph_filter", "do_one_initcall")))
		asked.no_events = "initcall_debug, and ftrace=function_graph on do_one_initcall(), are what bootgraph of pm-graph "
				  "reads; hytrace boot needs the events that `hytrace boot next` asks for";
	return asked;
}

struct boot_asked boot_asked__now(void)
{
	autofree char *line = file__text("/proc/cmdline");

	return boot_asked__by(line);
}

/* ---- the command line of the next one */

/* Has hytrace added this word to the command line? */
static bool is_ours(const struct boot_word *word)
{
	static const char *const ours[] = {
		"trace_instance=" START_INSTANCE ",*", "trace_event=initcall:*,*", "kprobe_event=p:" PROBES_GROUP "/*",
		"BOOT_IMAGE=*", "trace_event=", START_BUFFER, START_KEEP, START_CLOCK, "ftrace_early=graph",
	};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (boot_word__is(word, ours[i]))
			return true;
	}
	return false;
}

/* Most kernels obey only the last word of these names: ours, if @parameters has one. */
static bool is_overridden(const struct boot_word *word, const char *parameters)
{
	static const char *const names[] = {
		"trace_buf_size=*", "trace_options=*", "trace_clock=*", "kprobe_event=*",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct boot_word other;

		for (const char *at = parameters; boot_word__is(word, names[i]) && boot_word__next(&at, &other);) {
			if (boot_word__is(&other, names[i]))
				return true;
		}
	}
	return false;
}

/* In GRUB's language, text in single quotes is as it is. */
static void write_quoted(FILE *f, const char *parameters)
{
	struct boot_word word;

	for (const char *space = ""; boot_word__next(&parameters, &word); space = " ")
		fprintf(f, "%s'%.*s%s%.*s'", space, (int)word.name_length, word.name, word.value ? "=" : "",
			(int)word.value_length, word.value ?: "");
}

char *boot_next__command_line(const char *current, const char *parameters, bool in_grub)
{
	struct boot_word word;
	char *ret;
	size_t size;
	FILE *f = xopen_memstream(&ret, &size);

	while (boot_word__next(&current, &word)) {
		if (is_ours(&word))
			continue;
		fprintf(f, "%.*s ", (int)word.length, word.text);
		if (is_overridden(&word, parameters))
			error__warn("%.*s of this boot's command line may have no effect in the next one, as ours comes "
				    "after it", (int)word.length, word.text);
	}
	if (in_grub)
		write_quoted(f, parameters);
	else
		fputs(parameters, f);
	/* The words after "--" are for init. */
	current += strspn(current, " \n");
	if (*current)
		fprintf(f, " %.*s", (int)strcspn(current, "\n"), current);
	xclose_memstream(f);
	return ret;
}

/* ---- kexec */

/* The first existing file, readable or not: the release is between the two parts of its name. To be freed; NULL: there is none. */
static char *find_file(const char *const names[][2], const char *release)
{
	for (; (*names)[0]; names++) {
		char *path = xasprintf("%s%s%s", (*names)[0], release, (*names)[1]);

		if (!access(path, F_OK))
			return path;
		free(path);
	}
	return NULL;
}

static const char *const kernels[][2] = {
	{ "/boot/vmlinuz-", "" }, { "/usr/lib/modules/", "/vmlinuz" }, { "/lib/modules/", "/vmlinuz" }, { }
}, *const initrds[][2] = {
	{ "/boot/initrd.img-", "" }, { "/boot/initramfs-", ".img" }, { "/boot/initrd-", "" }, { }
};

static int load(int kernel, int initrd, const char *line, const char *path)
{
	unsigned long flags = initrd < 0 ? KEXEC_FILE_NO_INITRAMFS : 0;

	if (strlen(line) >= MOST_COMMAND_LINE)
		return error__return(-E2BIG, "the kernel command line of the next boot has %zu characters, and %d "
				     "are possible: %s", strlen(line), MOST_COMMAND_LINE - 1, line);
	if (!syscall(SYS_kexec_file_load, kernel, initrd, strlen(line) + 1, line, flags))
		return 0;
	if (errno == ENOSYS)
		return error__return(-EOPNOTSUPP, "this kernel cannot start another one: it has no "
				     "CONFIG_KEXEC_FILE; add what `hytrace boot next` prints to the boot "
				     "loader's command line");
	if (errno == EPERM)
		return error__return(-EPERM, "this kernel may not start another one: it needs CAP_SYS_BOOT, and "
				     "the sysctl kernel.kexec_load_disabled to be 0");
	if (errno == ENOEXEC)
		return error__return(-ENOEXEC, "%s is no image that this kernel can start by kexec: --kernel names a "
				     "bzImage", path);
	return error__return(-errno, "cannot load %s for the next boot: %s%s", path, strerror(errno),
			     errno == EKEYREJECTED || errno == ENOKEY ? "; under lockdown it has to be signed" : "");
}

static int open_file(const char *path, const char *what)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return error__return(-errno, "cannot read the %s %s: %s%s", what, path, strerror(errno),
				     errno == EACCES ? "; run it as root" : "");
	/* The kernel would only return EINVAL, without saying which argument is invalid. */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return error__return(-ENOEXEC, "cannot read the %s %s: it is no regular file", what, path);
}

int boot_next__load(const char *kernel, const char *initrd, const char *parameters)
{
	autofree char *current = file__text("/proc/cmdline"), *found_kernel = NULL, *found_initrd = NULL, *line = NULL;
	int kernel_fd, initrd_fd = -1, err;
	struct utsname name;

	uname(&name);
	if (!kernel) {
		kernel = found_kernel = find_file(kernels, name.release);
		if (!kernel)
			return error__return(-ENOENT, "there is no /boot/vmlinuz-%s; --kernel names the image", name.release);
		if (!initrd)
			initrd = found_initrd = find_file(initrds, name.release);
	}
	if (!initrd)
		error__warn("the next boot has no initramfs: --initrd names one");
	err = kernel_fd = open_file(kernel, "kernel image");
	if (err >= 0 && initrd)
		err = initrd_fd = open_file(initrd, "initramfs");
	if (err >= 0 && !current)
		err = error__return(-EIO, "cannot read /proc/cmdline");
	if (err >= 0) {
		line = boot_next__command_line(current, parameters, false);
		err = load(kernel_fd, initrd_fd, line, kernel);
	}
	if (kernel_fd >= 0)
		close(kernel_fd);
	if (initrd_fd >= 0)
		close(initrd_fd);
	return err < 0 ? err : 0;
}

int boot_next__reboot(char **command)
{
	int err;

	execvp(command[0], command);
	err = error__return(-errno, "cannot run %s: %s; the kernel is not loaded any more", command[0],
			    strerror(errno));
	syscall(SYS_kexec_file_load, -1, -1, 0UL, NULL, (unsigned long)KEXEC_FILE_UNLOAD);
	return err;
}
