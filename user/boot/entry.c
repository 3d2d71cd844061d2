// SPDX-License-Identifier: GPL-2.0-only
/*
 * An entry of the boot loader for the next boot; see next.h.
 *
 * - GRUB reads custom.cfg beside its grub.cfg, and grub-reboot chooses an entry for one boot. The entry is in a condition:
 *   it is there only if it was chosen.
 * - systemd-boot reads a file for each entry, and bootctl chooses one for one boot.
 */
#include <dirent.h>
#include <spawn.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "boot/account.h"
#include "boot/next.h"

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
	autofree char *image = xasprintf("vmlinuz-%s", release), *old = NULL, *line = NULL;
	const char *entry, *body, *end, *word, *found = NULL;

	while (!found && (entry = next_line(&config))) {
		if (!begins(entry, "menuentry "))
			continue;
		for (body = end = config; (word = next_line(&config)) && *word != '}'; end = config)
			found = found ?: find_parameters(word, image);
	}
	if (!found)
		return false;
	old = xstrndup(found, strcspn(found, "\n"));
	line = boot_next__command_line(old, parameters, true);
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
	line = boot_next__command_line(options, parameters, false);
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
