// SPDX-License-Identifier: GPL-2.0-only
/*
 * How this boot was asked for events, and how the next one is; see next.h.
 *
 * - By kexec: the kernel is loaded once more, with another command line, and is gone after the next boot. Firmware and boot
 *   loader do not run in such a boot, so it has no times for them.
 * - GRUB reads custom.cfg beside its grub.cfg, and grub-reboot chooses an entry for one boot. The entry is in a condition:
 *   it is there only if it was chosen.
 * - systemd-boot reads a file for each entry, and bootctl chooses one for one boot.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kexec.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/param.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"

#include "boot/account.h"
#include "boot/next.h"

/* COMMAND_LINE_SIZE of x86, with the end of the string. */
#define MOST_COMMAND_LINE 2047

/* ---- this boot */

bool boot_asked__for(bool (*what)(const char *line))
{
	autofree char *line = file__text("/proc/cmdline");

	return what(line);
}

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

bool boot_asked__instance(const char *line)
{
	return asks(line, "trace_instance", START_INSTANCE);
}

bool boot_asked__in_top(const char *line)
{
	return asks(line, "trace_event", "initcall");
}

bool boot_asked__keeps_first(const char *line)
{
	return asks(line, "trace_options", "nooverwrite");
}

const char *boot_asked__no_events(const char *line)
{
	if (asks(line, "ftrace_boot_snapshot", START_INSTANCE) ||
	    (asks(line, "ftrace_boot_snapshot", NULL) && boot_asked__in_top(line)))
		return "ftrace_boot_snapshot has put the events of the kernel's boot into the file `snapshot` "
		       "there; leave it out of the command line";
	if (!boot_asked__instance(line) &&
	    (asks(line, "initcall_debug", NULL) || asks(line, "ftrace_graph_filter", "do_one_initcall")))
		return "initcall_debug, and ftrace=function_graph on do_one_initcall(), are what bootgraph of pm-graph "
		       "reads; hytrace boot needs the events that `hytrace boot next` asks for";
	return NULL;
}

void boot_asked__explain(void)
{
	autofree char *line = file__text("/proc/cmdline");
	const char *why = boot_asked__no_events(line);

	if (why)
		error__print("%s", why);
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

char *boot_next__command_line(const char *current, const char *parameters)
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
		line = boot_next__command_line(current, parameters);
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

#define ID "hytrace-boot"
/*
 * The end of the name of our file for systemd-boot. After the name of the entry that it copies, it sorts below this entry
 * (systemd's strverscmp_improved(): "-" is below "."), so that it never becomes the default of all boots.
 */
#define OURS "-" ID ".conf"
#define TITLE "Linux, traced for hytrace boot"
#define BEGIN "# hytrace boot next --grub: from here\n"
#define END "# to here: hytrace boot release removes it\n"

extern char **environ;

/* Replaces a file, or removes it if @text is empty. */
static int put_file(const char *path, const char *text)
{
	int err = *text ? place__write(path, text) : unlink(path) && errno != ENOENT ? -errno : 0;

	return err ? error__return(err, "cannot change %s: %s", path, strerror(-err)) : 0;
}

static int run(const char *program, const char *word, const char *second, const char *third)
{
	const char *words[] = { program, word, second, third, NULL };
	int status = -1, err;
	pid_t pid;

	err = posix_spawnp(&pid, program, NULL, NULL, (char **)words, environ);
	if (!err && (waitpid(pid, &status, 0) != pid || status))
		err = EIO;
	return err ? error__return(-err, "cannot choose the entry of the next boot: %s %s: %s", program, word,
				   status > 0 ? "it has failed" : strerror(err)) : 0;
}

/* The next line, without white space at its beginning, from *@at on. NULL: there is none. */
static const char *next_line(const char **at)
{
	const char *line = *at + strspn(*at, " \t");

	if (!**at)
		return NULL;
	*at += strcspn(*at, "\n");
	*at += **at == '\n';
	return line;
}

static bool begins(const char *line, const char *word)
{
	return !strncmp(line, word, strlen(word));
}

static bool ends(const char *name, const char *end)
{
	return strlen(name) > strlen(end) && !strcmp(name + strlen(name) - strlen(end), end);
}

/* ---- GRUB */

static char *without_entry(const char *text)
{
	const char *begin = strstr(text, BEGIN), *end = begin ? strstr(begin, END) : NULL;

	return end ? xasprintf("%.*s%s", (int)(begin - text), text, end + strlen(END)) : xstrdup(text);
}

/* In GRUB's language, text in single quotes is as it is. */
static char *quoted(const char *parameters)
{
	struct boot_word word;
	char *ret;
	size_t size;
	FILE *f = xopen_memstream(&ret, &size);

	while (boot_word__next(&parameters, &word))
		fprintf(f, "%s'%.*s%s%.*s'", ftell(f) ? " " : "", (int)word.name_length, word.name,
			word.value ? "=" : "", (int)word.value_length, word.value ?: "");
	xclose_memstream(f);
	return ret;
}

/* Is this the line that loads the kernel @image? Returns where its parameters begin, or NULL. */
static const char *find_parameters(const char *line, const char *image)
{
	const char *path = line + strcspn(line, " \t\n"), *end, *name;

	path += strspn(path, " \t");
	end = path + strcspn(path, " \t\n");
	name = strstr(path, image);
	return begins(line, "linux") && name && name + strlen(image) == end ? end : NULL;
}

/* Writes a copy of the first entry for this kernel, with other parameters. Returns false if there is none. */
static bool copy_entry(FILE *f, const char *config, const char *release, const char *parameters)
{
	autofree char *image = xasprintf("vmlinuz-%s", release), *ours = NULL, *old = NULL, *line = NULL;
	const char *entry, *body, *end, *word, *found = NULL;

	while (!found && (entry = next_line(&config))) {
		if (!begins(entry, "menuentry "))
			continue;
		for (body = end = config; (word = next_line(&config)) && *word != '}'; end = config)
			found = found ?: find_parameters(word, image);
	}
	if (!found)
		return false;
	ours = quoted(parameters);
	old = xstrndup(found, strcspn(found, "\n"));
	line = boot_next__command_line(old, ours);
	fprintf(f, BEGIN "if [ \"${default}\" = " ID " ]; then\nmenuentry '" TITLE "' --id " ID "%s {\n%.*s %s%.*s}\nfi\n" END,
		memmem(entry, body - entry, "--unrestricted", 14) ? " --unrestricted" : "", (int)(found - body), body, line,
		(int)(end - found - strlen(old)), found + strlen(old));
	return true;
}

/* Writes a custom.cfg. Returns false if there is no entry for this kernel, or GRUB would not find ours. */
static bool write_custom(FILE *f, const char *root, const char *custom, const char *release, const char *parameters)
{
	autofree char *config = file__text_at("%s/boot/grub/grub.cfg", root), *old = file__text(custom);
	autofree char *rest = without_entry(old ?: "");

	fputs(rest, f);
	/* The last line of another's text may have no end. */
	if (*rest && rest[strlen(rest) - 1] != '\n')
		fputc('\n', f);
	return config && strstr(config, "custom.cfg") && strstr(config, "next_entry") &&
	       copy_entry(f, config, release, parameters);
}

/* GRUB writes grubenv only into a plain partition or disk: file systems of several devices have no device number of one. */
static bool grub_can_write(const char *root)
{
	autofree char *path = xasprintf("%s/boot/grub", root), *device = NULL;
	struct stat st;

	if (stat(path, &st))
		return false;
	device = xasprintf("%s/sys/dev/block/%u:%u", root, major(st.st_dev), minor(st.st_dev));
	for (const char *const *kind = (const char *const []){ "", "/dm", "/md", NULL }; *kind; kind++) {
		autofree char *file = xasprintf("%s%s", device, *kind);

		/* The device is there, and what it is made of is not. */
		if (!access(file, F_OK) == !!**kind)
			return false;
	}
	return true;
}

static int remove_from_grub(const char *root)
{
	autofree char *path = xasprintf("%s/boot/grub/custom.cfg", root), *old = file__text(path);
	autofree char *environment = xasprintf("%s/boot/grub/grubenv", root), *chosen = file__text(environment);
	autofree char *rest = without_entry(old ?: "");
	int err = old && strcmp(old, rest) ? put_file(path, rest) : 0;

	if (!err && chosen && strstr(chosen, "\nnext_entry=" ID "\n"))
		err = run("grub-editenv", environment, "unset", "next_entry");
	return err;
}

/* ---- systemd-boot */

/* The directory of entries. To be freed; NULL: there is none. */
static char *find_entries(const char *root)
{
	static const char *const places[] = { "efi", "boot", "boot/efi" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *path = xasprintf("%s/%s/loader/entries", root, places[i]);

		if (!access(path, F_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* Does the line name an image of this release: "/6.1.0-1/linux", or "/vmlinuz-6.1.0-1"? */
static bool has_image(const char *line, size_t length, const char *release)
{
	const char *end = line + length, *at = line;
	size_t size = strlen(release);

	while ((at = memmem(at + 1, end - at - 1, release, size))) {
		if (strchr("/-", at[-1]) && (at + size == end || strchr("/ \t", at[size])))
			return true;
	}
	return false;
}

/* Writes a copy of an entry, if it is one for this kernel. */
static bool copy_file(FILE *f, const char *entry, const char *release, const char *parameters)
{
	autofree char *options = xstrdup(""), *line = NULL;
	bool found = false;
	const char *word;

	fputs("title " TITLE "\n", f);
	while ((word = next_line(&entry))) {
		int length = strcspn(word, "\n");

		if (begins(word, "options")) {
			autofree char *before = options;

			options = xasprintf("%s %.*s", before, length - 7, word + 7);
		} else if (begins(word, "linux") || begins(word, "initrd")) {
			fprintf(f, "%.*s\n", length, word);
		}
		found |= begins(word, "linux") && has_image(word, length, release);
	}
	line = boot_next__command_line(options, parameters);
	fprintf(f, "options %s\n", line);
	return found;
}

/* Writes a copy of an entry for this kernel. Returns the path of the copy, to be freed, or NULL: there is no such entry. */
static char *write_entry(FILE *f, const char *entries, const char *release, const char *parameters)
{
	DIR *d = opendir(entries);
	struct dirent *file;
	char *path = NULL;

	while (d && !path && (file = readdir(d))) {
		const char *name = file->d_name;
		autofree char *text = ends(name, ".conf") && !ends(name, OURS) ?
				      file__text_at("%s/%s", entries, name) : NULL;

		rewind(f);
		/* After a "+" are the tries that this entry has left. */
		if (text && copy_file(f, text, release, parameters))
			path = xasprintf("%s/%.*s" OURS, entries,
					 (int)MIN(strlen(name) - strlen(".conf"), strcspn(name, "+")), name);
	}
	if (d)
		closedir(d);
	return path;
}

static int remove_entries(const char *entries)
{
	DIR *d = opendir(entries);
	struct dirent *file;
	int err = 0;

	while (d && !err && (file = readdir(d))) {
		autofree char *path = xasprintf("%s/%s", entries, file->d_name);

		if (ends(file->d_name, OURS))
			err = put_file(path, "");
	}
	if (d)
		closedir(d);
	return err;
}

/* ---- */

int boot_next__add_entry(const char *root, const char *release, const char *parameters)
{
	autofree char *sys = xasprintf("%s/sys/firmware", root), *text = NULL;
	autofree char *entries = boot_firmware__is_systemd_boot(sys) ? find_entries(root) : NULL;
	autofree char *path = entries ? NULL : xasprintf("%s/boot/grub/custom.cfg", root);
	size_t size;
	FILE *f = xopen_memstream(&text, &size);
	bool found;
	int err;

	if (entries)
		path = write_entry(f, entries, release, parameters);
	found = entries ? path != NULL : write_custom(f, root, path, release, parameters);
	xclose_memstream(f);
	if (!found)
		return error__return(-ENOENT, "the boot loader has no entry for %s that can be copied, or it cannot be read: add what "
				     "`hytrace boot next` prints to the kernel's command line in the loader's editor", release);
	err = put_file(path, text) ?: (entries ? run("bootctl", "set-oneshot", strrchr(path, '/') + 1, NULL) :
				       run("grub-reboot", ID, NULL, NULL));
	if (err)
		boot_next__remove_entry(root);
	else if (!entries && !grub_can_write(root))
		error__warn("GRUB may be unable to forget this choice, as %s/boot/grub is on LVM, RAID or btrfs: each boot is "
			    "recorded until `hytrace boot release`", root);
	return err;
}

int boot_next__remove_entry(const char *root)
{
	autofree char *entries = find_entries(root);

	return (entries ? remove_entries(entries) : 0) ?: remove_from_grub(root);
}
