# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # what build.sh sets
#
# With the series' options off, its kernel is the one that it is applied to: what the series touches is
# compiled with and without it, from base's configuration, and the code in the objects is compared. That
# is each file of the kernel's own that a patch changes, and all that lies beside a header that it does.
# Sourced by build.sh.
#
# Many objects are equal to the last byte. Of the others each instruction is compared, with what it
# refers to. Where a number is the place of data that others have pushed along (strings, the tables of
# WARN()), or one that the compiler has put behind a name of its own, the place may differ.

# What is to be compiled, as make's targets: touched_by COMMIT.
touched_by()
{
	local file

	in_src diff --name-only --diff-filter=M pristine "$1" | grep -vE '^(tools|include)/' |
		while read -r file; do
			case $file in
			# Of those for other machines base has no object.
			*.[cS]) [[ ! -e $store/obj/base/${file%.[cS]}.o ]] || echo "${file%.[cS]}.o" ;;
			*.h) echo "${file%/*}/" ;;
			esac
		done | sort -u
}

# build_off COMMIT NAME TARGET...
build_off()
{
	local commit=$1 what=$2
	shift 2
	obj=$store/obj/$what name=off
	mkdir -p "$obj"
	sweep
	move_src "$commit"
	partial=1 configure
	step "compiling $what" 0 kbuild "$@" || fail "compiling $what failed"
	(cd "$obj" && for what; do find "$what" -name '*.o'; done | LC_ALL=C sort -u) \
		>"$obj/.hytrace-objects"
	rm -f "$obj/.hytrace-building"
}

# The code of an object, a function's name in front of each line.
code_of()
{
	objdump -drw --no-show-raw-insn "$1" | sed -n -E '
		/^[0-9a-f]+ <(.*)>:$/{s//\1/;s/\.[0-9]+\b/.N/g;h;b}
		/^ +[0-9a-f]+:/{
			s/^ +[0-9a-f]+:[ \t]*//
			s/[ \t]+[0-9a-f]+: (R_X86_64_)/ \1/g
			s/\b[0-9a-f]+ <([^>]*)>/<\1>/g
			s/(\.rodata[^ +]*|\.data[^ +]*|\.init\.data|\.init\.rodata|\.bss|__bug_table|__ex_table)[+-]0x[0-9a-f]+/\1/g
			s/(\.LC|[A-Za-z_]\.)[0-9]+\b/\1N/g
			G;s/(.*)\n(.*)/\2: \1/p
		}'
}

# Names the functions of an object that differ, one a line.
differing_functions()
{
	diff <(code_of "$1") <(code_of "$2") | sed -n -E 's/^[<>] ([^ ]*): .*/\1/p' | sort -u
}

off_check()
{
	local commit object functions targets same=0 compared=0 bad=0 without with

	need gcc "$compiler" ld make flex bison bc pahole ccache xz git flock kmod perl objdump
	import_source
	lock_clone
	commit=$(wanted_commit)
	unlock_clone
	lock "$store/build.lock" 9
	fragments=("$root/kernel/config/base.config")
	log=$root/build/kernel-off.log
	start_log
	[[ -e $store/obj/base/vmlinux ]] || die "the base kernel is needed first; run kernel/build.sh"
	mapfile -t targets < <(touched_by "$commit")
	build_off pristine off-unpatched "${targets[@]}"
	without=$obj
	build_off "$commit" off-patched "${targets[@]}"
	with=$obj
	exec 9>&-
	[[ -s $without/.hytrace-objects ]] || die "nothing was compiled"
	diff "$without/.hytrace-objects" "$with/.hytrace-objects" >&2 ||
		die "with the options off there are other objects (above)"
	while read -r object; do
		if cmp -s "$without/$object" "$with/$object"; then
			same=$((same + 1))
			continue
		fi
		compared=$((compared + 1))
		functions=$(differing_functions "$without/$object" "$with/$object")
		[[ $functions ]] || continue
		bad=$((bad + 1))
		printf '%s: %s\n' "${object%.o}" "${functions//$'\n'/ }" >&2
	done <"$with/.hytrace-objects"
	((!bad)) || die "with the options off the code of $bad objects is another one (above)"
	note "kernel: with the options off, the code of all $((same + compared)) objects that the series touches is" \
		"the unpatched one; $same are the same to the last byte"
}
