// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the calls of a vmlinux whose called function the debug information names (DW_TAG_call_site): a line
 * "RETURN-ADDRESS NAME" for each, in hex. hytrace finds called functions in the instructions instead, so tests compare
 * the two.
 *
 * usage: call_origins VMLINUX
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>

static void print_call(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Addr returns_to;
	Dwarf_Die callee;
	const char *name;

	/* A jump returns nowhere. */
	if (dwarf_hasattr(die, DW_AT_call_tail_call) || !dwarf_attr(die, DW_AT_call_return_pc, &attr) ||
	    dwarf_formaddr(&attr, &returns_to) || !dwarf_attr(die, DW_AT_call_origin, &attr) ||
	    !dwarf_formref_die(&attr, &callee))
		return;
	name = dwarf_diename(&callee);
	if (name)
		printf("%llx %s\n", (unsigned long long)returns_to, name);
}

static void visit(Dwarf_Die *parent)
{
	Dwarf_Die die;

	if (dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_call_site:
			print_call(&die);
			break;
		case DW_TAG_subprogram:
		case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block:
			visit(&die);
			break;
		}
	} while (!dwarf_siblingof(&die, &die));
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	Dwarf *dwarf = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	if (!dwarf)
		return 1;
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL))
		visit(&die);
	return 0;
}
