# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # what series.sh sets
#
# Checks of the code, besides that it compiles; sourced by series.sh.
#
# --check: W=1 and sparse. Both also complain about the kernel's own code; only complaints about our files and our
# lines count. ftrace.c reads its hashes, which are marked __rcu, under ftrace_lock without the accessors for
# that; our lines there do as it does. sparse 0.6.4 does not know __typeof_unqual__(), and the kernel leaves it out if it
# does not. objtool and resolve_btfids would take most of the time, and say nothing about lines; so make is told that the
# configuration does without them. The compiler sees the configuration as it is.
#
# --off-check: with the series' options off, the kernel must be the one to which the series is applied. The parts
# that the series changes are compiled with and without it, from base's configuration, and the code in the objects is
# compared. These parts are each file of the kernel that a patch changes, and all files in the directory of a header
# that a patch changes. Many objects are equal to the last byte. In the others, each instruction is compared, with
# the symbols that it refers to. Two kinds of numbers may differ: places of data that other data have moved (strings,
# the tables of WARN()), and the numbers that the compiler appends to names of its own.

# ---------------------------------------------------------------- W=1 and sparse

# Prints the lines of the kernel's own files that the series adds or changes, as FILE:LINE.
changed_lines()
{
	in_clone diff -U0 --no-renames --diff-filter=M pristine -- '*.[chS]' | awk '
		/^\+\+\+ b\// { file = substr($0, 7) }
		/^@@/ {
			split(substr($3, 2), at, ",")
			for (i = 0; i < (at[2] == "" ? 1 : at[2]); i++)
				print file ":" at[1] + i
		}'
}

# configured_objects FILE...: prints the objects of these files that base has, by the debug information of 6.12's build;
# base is the same for each kernel, and the others need not be built for this.
configured_objects()
{
	local file image

	image=$(HYTRACE_OTHER_LINUX=6.12 HYTRACE_STALE_OK=1 "$root/kernel/build.sh" --print-image) ||
		die "6.12's base kernel tells which files are configured, and cannot be found (above)"
	find "${image%/*}"/{vmlinux,lib} -type f \( -name vmlinux -o -name '*.ko' \) \
		-exec llvm-dwarfdump-19 --show-sources {} + | sed -n 's/^\.\///; /\.[cS]$/p' | sort -u >"$obj.sources"
	for file; do
		if grep -qxF -e "$file" "$obj.sources"; then
			printf '%s\n' "${file%.[cS]}.o"
		else
			note "not in this configuration, so not checked: $file"
		fi
	done
}

check()
{
	local files own changed objects findings

	need sparse llvm-dwarfdump-19
	[[ $edition ]] || build
	need_compiler
	open_tree make
	obj=$src/.obj-check log=$root/build/kernel$edition-check.log
	start_log
	files=$( (list_files; in_clone ls-files --others --exclude-standard) |
		grep -vE '^(tools|samples)/' | grep -E '\.[chS]$' | sort) ||
		die "the series has no C file of its own: nothing to check"
	mapfile -t own < <(grep '\.[cS]$' <<<"$files")
	mapfile -t changed < <(in_clone diff --name-only --diff-filter=M pristine -- '*.[cS]')
	objects=$(configured_objects "${own[@]}" ${changed[@]+"${changed[@]}"})
	while read -r file; do
		rm -f "$obj/${file%.[choS]}.o"
	done <<<"$files"$'\n'"$objects"
	# shellcheck disable=SC2086 # a list of objects
	make_some "$(tree_to_build)" "checking $(wc -l <<<"$files") files of ours, ${#changed[@]} of the kernel's" \
		kbuild W=1 C=2 CHECK='sparse -D__typeof_unqual__=__typeof__' CONFIG_OBJTOOL='' CONFIG_DEBUG_INFO_BTF='' $objects
	findings=$(sed -E "s#^(\.\.|$src)/##" "$log" | awk -F: '
		FILENAME != "-" { ours[$0] = 1; next }
		$1 == "kernel/trace/ftrace.c" && /address spaces|noderef/ { next }
		/^[^ :]+:[0-9]+:([0-9]+: (sparse: )?(warning|error)| (Warning|Error))/ && ($1 in ours || ($1 ":" $2) in ours)
		' <(printf '%s\n' "$files"; changed_lines) - | sort -u)
	[[ -z $findings ]] || {
		printf '%s\n' "$findings" >&2
		die "W=1 or sparse found something in our files or lines (above)"
	}
	note "kernel: W=1 and sparse find nothing in $(wc -l <<<"$files") files of ours and" \
		"$(changed_lines | wc -l) lines of the kernel's"
}

# ---------------------------------------------------------------- with the options off

# Prints the parts to compile, as make's targets.
touched()
{
	local file

	in_clone diff --name-only --diff-filter=M pristine | grep -vE '^(tools|include)/' |
		while read -r file; do
			case $file in
			# base has no objects of files for other machines.
			*.[cS]) [[ ! -e $clone/.obj-base/${file%.[cS]}.o ]] || echo "${file%.[cS]}.o" ;;
			# This header is only included by one file.
			kernel/kallsyms_internal.h) echo kernel/kallsyms.o ;;
			*.h) echo "${file%/*}/" ;;
			esac
		done | sort -u
}

# build_off SOURCE TREE TARGET...: compiles the targets with the options off.
build_off()
{
	local what partial=1

	src=$1 obj=$1/.obj-off name=off
	make_some "$2" "compiling $src" kbuild "${@:3}"
	shift 2
	(cd "$obj" && for what; do find "$what" -name '*.o'; done | LC_ALL=C sort -u) \
		>"$obj/.hytrace-objects"
}

# Prints the code of an object, each line with its function's name before it.
code_of()
{
	objdump -drw --no-show-raw-insn "$1" | sed -n -E '
		/^[0-9a-f]+ <(.*)>:$/{s//\1/;s/\.[0-9]+\b/.N/g;h;b}
		/^ +[0-9a-f]+:/{
			s/^ +[0-9a-f]+:[ \t]*//
			s/[ \t]+[0-9a-f]+: (R_X86_64_)/ \1/g
			s/\b[0-9a-f]+ <([^>]*)>/<\1>/g
			s/<[^>]*> (R_X86_64_)/ \1/
			s/(\.text|\.rodata[^ +]*|\.data[^ +]*|\.init\.data|\.init\.rodata|\.bss|__bug_table|__ex_table)[+-]0x[0-9a-f]+/\1/g
			s/(\.LC|[A-Za-z_]\.)[0-9]+\b/\1N/g
			G;s/(.*)\n(.*)/\2: \1/p
		}'
}

# Functions that the series changes for all kernels; patches of their own say so. These are three faults of ftrace
# (Leave the calls of a module alone, Have all ops that share a hash change with it, Stop sharing functions with an
# ops that is refused), with functions into which the compiler inlines others then; one fault of filters (Let a
# filter's pattern match the end); btf_alloc_id(), which leaves the interrupts' state unchanged; and what 6.12 gets from
# mainline (Have tracer option be instance specific, and the two patches after it).
changed_for_all=(ftrace_module_enable
	ftrace_set_modifying '(__)?ftrace_(run_modify_code|hash_move_and_update_ops).*'
	ftrace_init_tracefs_toplevel unregister_ftrace_function_probe_func
	'(un)?register_ftrace_function' '(__)?cleanup_direct_functions_after_ipmodify.*'
	lookup_rec ftrace_location ftrace_location_range ftrace_text_reserved
	regex_match_end btf_alloc_id
	'__remove_instance.*' trace_array_destroy '(__)?update_tracer(_options)?' '(__)?set_tracer_option' 'add_tracer.*'
	'create_trace_option_files?.*' free_tracers get_global_flags_val register_tracer '(do_)?run_tracer_selftest'
	'trace_array_(create|get_by_name).*' tracer_alloc_buffers early_trace_init 'tracer_init_tracefs.*'
	init_tracer_tracefs 'instance_(mkdir|rmdir)' 'tracing_set_(nop|tracer)' tracing_trace_options_show
	tracing_update_buffers 'apply_tracer?_boot_options' trace_set_options)

# Prints the functions of an object that differ, one a line, without those above.
differing_functions()
{
	comm -3 <(functions_of "$1") <(functions_of "$2") | sed -E 's/^\t//; s/: .*//' | sort -u |
		grep -vxE "$(IFS='|'; echo "${changed_for_all[*]}")" || :
}

# Prints each function with all of its code in one line, sorted.
functions_of()
{
	code_of "$1" | awk -F': ' '{ code[$1] = code[$1] "\\" substr($0, length($1) + 1) }
		END { for (name in code) print name code[name] }' | sed 's/\\/: /' | LC_ALL=C sort
}

off_check()
{
	local object functions targets same=0 compared=0 bad=0 without with

	need_compiler
	need objdump
	open_tree make
	compile "$(tree_to_build)"
	fragments=()
	add_fragment base
	log=$root/build/kernel$edition-off.log
	start_log
	mapfile -t targets < <(touched)
	build_off "$clone" "$(tree_to_build)" "${targets[@]}"
	with=$obj
	unpack_source
	lock "$store/unpatched/lock" 9
	build_off "$store/unpatched/src" "$(in_repo rev-parse 'pristine^{tree}')" "${targets[@]}"
	without=$obj
	exec 9>&-
	[[ -s $without/.hytrace-objects ]] || die "nothing was compiled"
	diff "$without/.hytrace-objects" "$with/.hytrace-objects" >&2 ||
		die "with the options off, there are other objects (above)"
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
	((!bad)) || die "with the options off, the code of $bad objects differs (above)"
	note "kernel: with the options off, all $((same + compared)) objects that the series touches have the code of" \
		"the unpatched kernel; $same are equal to the last byte"
}
