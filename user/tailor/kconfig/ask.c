// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers how a configuration would change if options were n. `hytrace tailor` compiles this with the
 * objects of the kernel's own scripts/kconfig, so no rule of Kconfig is written down twice, and an answer
 * takes a hundredth of the time of `make olddefconfig`. This file is no part of the loader.
 *
 * It reads commands from standard input, and writes answers that end with a line ".":
 *
 *	set NAME VALUE	sets an option to n, m or y, if it can be set
 *	mark		remembers the present values, from which answers to "try" tell differences
 *	dump		each option, one in a line: NAME TYPE FLAGS VALUE. FLAGS are letters, or "-":
 *				n  a person can set it to n now
 *				c  it is a member of a choice
 *				w  it is written to .config
 *	try NAME...	sets options to n, and those to n that come on by this and were off at the mark; answers what
 *			differs from the mark, one option in a line: NAME OLD NEW. For a number or a text, OLD and NEW
 *			are only "=" and "!". An option that is selected although its dependencies are off, and was
 *			not so at the mark, has "+" and "-"
 *	undo		undoes the last "try"
 *	write FILE	writes the configuration
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <internal.h>
#include <lkc.h>

/* Turning new options off may turn on others; this ends after far fewer rounds. */
#define MOST_ROUNDS 32

struct known {
	struct symbol *sym;
	tristate mark, was;	/* at the mark; set by the user before the last "try" */
	bool had;		/* the user had set it before the last "try" */
	bool unmet;		/* at the mark, it was selected although its dependencies were off */
	char *text;		/* of a number or a text, at the mark */
};

static struct known *list;
static size_t count;

static bool is_switch(const struct symbol *sym)
{
	return sym->type == S_BOOLEAN || sym->type == S_TRISTATE;
}

static int by_name(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return strcmp(x->sym->name, y->sym->name);
}

static void find_all(void)
{
	struct symbol *sym;
	size_t room = 0;

	for_all_symbols(sym) {
		if (!sym->name || sym->type == S_UNKNOWN || sym->flags & SYMBOL_CONST)
			continue;
		if (count == room) {
			room = room ? 2 * room : 16384;
			list = realloc(list, room * sizeof(*list));
			if (!list)
				exit(1);
		}
		list[count++] = (struct known){ .sym = sym };
	}
	qsort(list, count, sizeof(*list), by_name);
}

/*
 * Calculates all values anew. The code for choices looks at members whose visibility it has not calculated
 * yet. In conf, which reads only one configuration, that is the initial value, so it is set here.
 */
static void calculate(void)
{
	for (size_t i = 0; i < count; i++) {
		list[i].sym->visible = no;
		list[i].sym->flags &= ~SYMBOL_WRITE;
	}
	sym_clear_all_valid();
	for (size_t i = 0; i < count; i++)
		sym_calc_value(list[i].sym);
}

static void set(struct symbol *sym, tristate value)
{
	sym->def[S_DEF_USER].tri = value;
	sym->flags |= SYMBOL_DEF_USER;
}

static bool can_be_off(const struct symbol *sym)
{
	return is_switch(sym) && sym_tristate_within_range(sym, no) && !sym_get_choice_menu(sym);
}

static bool is_unmet(const struct symbol *sym)
{
	return sym->dir_dep.tri < sym->rev_dep.tri;
}

static void mark(void)
{
	calculate();
	for (size_t i = 0; i < count; i++) {
		struct symbol *sym = list[i].sym;

		list[i].mark = sym_get_tristate_value(sym);
		list[i].unmet = is_unmet(sym);
		free(list[i].text);
		list[i].text = is_switch(sym) ? NULL : strdup(sym_get_string_value(sym));
	}
}

static void dump(void)
{
	calculate();
	for (size_t i = 0; i < count; i++) {
		struct symbol *sym = list[i].sym;

		printf("%s %s %s%s%s- %s\n", sym->name, sym_type_name(sym->type), can_be_off(sym) ? "n" : "",
		       sym_get_choice_menu(sym) ? "c" : "", sym->flags & SYMBOL_WRITE ? "w" : "",
		       sym_get_string_value(sym));
	}
}

/* Sets to n what was off at the mark and is on now. Returns false if there is no such option. */
static bool answer_new(void)
{
	bool some = false;

	for (size_t i = 0; i < count; i++) {
		struct symbol *sym = list[i].sym;

		if (!is_switch(sym) || list[i].mark != no || sym_get_tristate_value(sym) == no || !can_be_off(sym))
			continue;
		set(sym, no);
		some = true;
	}
	return some;
}

static void print_changes(void)
{
	static const char *const words[] = { "n", "m", "y" };

	for (size_t i = 0; i < count; i++) {
		const struct known *k = &list[i];
		struct symbol *sym = k->sym;

		if (is_switch(sym)) {
			if (sym_get_tristate_value(sym) != k->mark)
				printf("%s %s %s\n", sym->name, words[k->mark], words[sym_get_tristate_value(sym)]);
			if (is_unmet(sym) && !k->unmet)
				printf("%s + -\n", sym->name);
		} else if (k->text && sym->flags & SYMBOL_WRITE && strcmp(k->text, sym_get_string_value(sym))) {
			printf("%s = !\n", sym->name);
		}
	}
}

static void try(char *names)
{
	for (size_t i = 0; i < count; i++) {
		list[i].was = list[i].sym->def[S_DEF_USER].tri;
		list[i].had = list[i].sym->flags & SYMBOL_DEF_USER;
	}
	for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
		struct symbol *sym = sym_find(name);

		if (sym && is_switch(sym))
			set(sym, no);
	}
	calculate();
	for (int i = 0; i < MOST_ROUNDS && answer_new(); i++)
		calculate();
	print_changes();
}

static void undo(void)
{
	for (size_t i = 0; i < count; i++) {
		struct symbol *sym = list[i].sym;

		if (!is_switch(sym))
			continue;
		sym->def[S_DEF_USER].tri = list[i].was;
		if (!list[i].had)
			sym->flags &= ~SYMBOL_DEF_USER;
	}
}

static int write_to(const char *path)
{
	/* What was undone is not calculated again until here. */
	calculate();
	return conf_write(path);
}

static void set_named(char *text)
{
	char *value = strchr(text, ' ');
	struct symbol *sym;

	if (!value)
		return;
	*value++ = '\0';
	sym = sym_find(text);
	calculate();
	if (sym)
		sym_set_tristate_value(sym, *value == 'y' ? yes : *value == 'm' ? mod : no);
}

static bool is(char *line, const char *command, char **rest)
{
	size_t length = strlen(command);

	if (strncmp(line, command, length) || (line[length] && line[length] != ' '))
		return false;
	*rest = line + length + (line[length] == ' ');
	return true;
}

int main(int argc, char **argv)
{
	char *line = NULL, *rest;
	size_t size = 0;

	if (argc != 3)
		return 2;
	conf_parse(argv[1]);
	if (conf_read(argv[2]))
		return 1;
	find_all();
	printf(".\n");
	fflush(stdout);
	while (getline(&line, &size, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (is(line, "set", &rest))
			set_named(rest);
		else if (is(line, "mark", &rest))
			mark();
		else if (is(line, "dump", &rest))
			dump();
		else if (is(line, "try", &rest))
			try(rest);
		else if (is(line, "undo", &rest))
			undo();
		else if (is(line, "write", &rest) && write_to(rest))
			return 1;
		printf(".\n");
		fflush(stdout);
	}
	free(line);
	return 0;
}
