// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads the kernel once more, with another command line; see next.h.
 *
 * This uses kexec: a kernel that it has loaded is gone after the next boot. The configuration of a
 * boot loader would have to be changed and changed back, and each boot loader has its own format.
 * Firmware and boot loader do not run in such a boot, so it has no times for them.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kexec.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "boot/asked.h"
#include "boot/next.h"
#include "boot/probes.h"
#include "boot/start.h"

/* COMMAND_LINE_SIZE of x86, with the end of the string. */
#define MOST_COMMAND_LINE 2047

/*
 * Does the text at *@at begin with @text? Then moves *@at behind it. Quotes are ignored: kernels
 * before 6.12 put the values of a bootconfig into quotes.
 */
static bool begins_with(const char **at, const char *end, const char *text)
{
	const char *word = *at;

	for (; *text; text++, word++) {
		while (word < end && *word == '"')
			word++;
		if (word == end || *word != *text)
			return false;
	}
	while (word < end && *word == '"')
		word++;
	*at = word;
	return true;
}

/* Has hytrace added this word to the command line? */
static bool is_ours(const char *word, size_t length)
{
	static const char *const ours[] = {
		"trace_instance=" START_INSTANCE ",", "trace_event=initcall:*,",
		"kprobe_event=p:" PROBES_GROUP "/", "BOOT_IMAGE=",
	}, *const whole[] = { "trace_event=", START_BUFFER, START_KEEP, START_CLOCK, "ftrace_early=graph" };

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (begins_with(&word, word + length, ours[i]))
			return true;
	}
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		const char *rest = word;

		if (begins_with(&rest, word + length, whole[i]) && rest == word + length)
			return true;
	}
	return false;
}

/* Most kernels obey only the last word of these names: ours, if @parameters has one. */
static bool is_overridden(const char *word, size_t length, const char *parameters)
{
	static const char *const names[] = { "trace_buf_size=", "trace_options=", "trace_clock=", "kprobe_event=" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (length > strlen(names[i]) && !strncmp(word, names[i], strlen(names[i])))
			return strstr(parameters, names[i]);
	}
	return false;
}

/* The length of the first word. A quoted part may contain spaces. */
static size_t word_length(const char *text)
{
	bool quoted = false;
	size_t i;

	for (i = 0; text[i] && (quoted || (text[i] != '\n' && text[i] != ' ')); i++)
		quoted ^= text[i] == '"';
	return i;
}

char *boot_next__command_line(const char *current, const char *parameters)
{
	char *ret;
	size_t size;
	FILE *f = xopen_memstream(&ret, &size);

	while (*current) {
		size_t length = word_length(current);

		/* The words after "--" are for init. */
		if (length == 2 && !strncmp(current, "--", 2))
			break;
		if (length && !is_ours(current, length))
			fprintf(f, "%.*s ", (int)length, current);
		if (!is_ours(current, length) && is_overridden(current, length, parameters))
			error__warn("%.*s of this boot's command line may have no effect in the next one, as ours comes "
				    "after it", (int)length, current);
		current += length + (current[length] != '\0');
	}
	fputs(parameters, f);
	if (*current)
		fprintf(f, " %.*s", (int)strcspn(current, "\n"), current);
	xclose_memstream(f);
	return ret;
}

/* Prints a word of a command line as a key. Its value is quoted, as it may contain commas. */
static void print_key(FILE *f, const char *word, size_t length)
{
	const char *value = memchr(word, '=', length), *end = word + length;
	int name = value ? value - word : (int)length;

	value = value ? value + 1 : end;
	if (*value == '"' && end - value > 1) {
		value++;
		end--;
	}
	fprintf(f, "\t%.*s = \"%.*s\"\n", name, word, (int)(end - value), value);
}

char *boot_next__bootconfig(const char *parameters)
{
	char *ret;
	size_t size;
	FILE *f = xopen_memstream(&ret, &size);

	fputs("# For the end of an initramfs: bootconfig -a THIS-FILE INITRAMFS. This replaces a bootconfig that is\n"
	      "# there; bootconfig INITRAMFS prints that. The kernel reads it if its command line has the word\n"
	      "# bootconfig.\n"
	      "kernel {\n", f);
	while (*parameters) {
		size_t length = word_length(parameters);

		if (length)
			print_key(f, parameters, length);
		parameters += length + (parameters[length] != '\0');
	}
	fputs("}\n", f);
	xclose_memstream(f);
	return ret;
}

/* The first existing file, readable or not; @release replaces %s in its name. To be freed. */
static char *find_file(const char *const *names, const char *release)
{
	for (; *names; names++) {
		/* All of the names are constants of this file. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		char *path = xasprintf(*names, release);
#pragma GCC diagnostic pop

		if (!access(path, F_OK))
			return path;
		free(path);
	}
	return NULL;
}

static const char *const kernels[] = {
	"/boot/vmlinuz-%s", "/usr/lib/modules/%s/vmlinuz", "/lib/modules/%s/vmlinuz", NULL,
};
static const char *const initrds[] = {
	"/boot/initrd.img-%s", "/boot/initramfs-%s.img", "/boot/initrd-%s", NULL,
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
	char *found_kernel = NULL, *found_initrd = NULL, *line = NULL;
	int kernel_fd = -1, initrd_fd = -1, err;
	struct boot_asked asked;
	const char *current;
	struct utsname name;

	uname(&name);
	boot_asked__load(&asked);
	if (!kernel) {
		kernel = found_kernel = find_file(kernels, name.release);
		if (!kernel) {
			err = error__return(-ENOENT, "there is no /boot/vmlinuz-%s; --kernel names the image",
					    name.release);
			goto cleanup;
		}
		if (!initrd)
			initrd = found_initrd = find_file(initrds, name.release);
	}
	if (found_initrd && boot_asked__by_config(&asked)) {
		err = error__return(-EEXIST, "the bootconfig in %s asks for it already: restart without `hytrace boot "
				    "next`, or name an initramfs without it by --initrd", found_initrd);
		goto cleanup;
	}
	if (!initrd)
		error__warn("the next boot has no initramfs: --initrd names one");
	err = kernel_fd = open_file(kernel, "kernel image");
	if (err >= 0 && initrd)
		err = initrd_fd = open_file(initrd, "initramfs");
	if (err < 0)
		goto cleanup;
	/* The next kernel reads the bootconfig of this initramfs again, and adds its parameters. */
	current = found_initrd ? boot_asked__loader_line(&asked) : asked.line;
	if (!current) {
		err = error__return(-EIO, "cannot read /proc/cmdline");
		goto cleanup;
	}
	line = boot_next__command_line(current, parameters);
	err = load(kernel_fd, initrd_fd, line, kernel);
cleanup:
	if (kernel_fd >= 0)
		close(kernel_fd);
	if (initrd_fd >= 0)
		close(initrd_fd);
	free(line);
	boot_asked__free(&asked);
	free(found_kernel);
	free(found_initrd);
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
