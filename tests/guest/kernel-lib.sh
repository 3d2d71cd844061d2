# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Source this to ask what a configuration or a kernel has.

# options_on CONFIG: prints the names of the options that are y or m, in order
options_on()
{
	sed -n 's/^CONFIG_\(.*\)=[ym]$/\1/p' "$1" | LC_ALL=C sort
}

# put_config CONFIG PLACE: copies it if it differs. A new time would make all of the kernel compile again.
put_config()
{
	cmp -s "$1" "$2" || cp "$1" "$2"
}

# functions_of VMLINUX: prints how many functions it has, with those of the boot, and their bytes. The sizes of sections say
# less: they are padded to two megabytes. The padding in front of a function has a name of its own, and does not count.
functions_of()
{
	nm -S "$1" | perl -lane 'next if @F != 4 || $F[2] !~ /[tw]/i || $F[3] =~ /^__pfx_/ || $seen{$F[0]}++;
		$count++; $bytes += hex $F[1]; END { print "$count $bytes" }'
}

# shellcheck disable=SC2016 # make has variables
list_objects_goal='hytrace-list: ; @:$(foreach o,$(filter %.o,$(real-obj-y) $(lib-y)),$(info object $o))$(foreach d,$(subdir-ym),$(info directory $d))$(foreach m,$(filter %.o,$(obj-m)),$(foreach o,$(call real-search,$(patsubst $(obj)/%,%,$m),.o,-objs -y -m),$(info module $(obj)/$o)))'

# Lists all objects below a directory. What the top Makefile exports is in the environment.
# shellcheck disable=SC2154 # such as srctree
list_objects_below()
{
	local kind path directories=()

	while read -r kind path; do
		case $kind in
		object) printf '%s\n' "$path" ;;
		module) printf 'module %s\n' "$path" ;;
		directory) directories+=("$path") ;;
		esac
	done < <(make -rRs --no-print-directory -f "$srctree/scripts/Makefile.build" obj="$1" need-modorder=1 \
		--eval="$list_objects_goal" hytrace-list 2>/dev/null)
	for path in ${directories[@]+"${directories[@]}"}; do
		list_objects_below "$path"
	done
}

# list_objects BUILD: prints the objects that the kernel's make would build, one a line, with "module " before those of
# modules. BUILD is a directory in which a kernel was configured. Makefile.build itself is asked in each directory, with no
# variable emptied. A directory that two others name counts once.
list_objects()
{
	local work status=0

	work=$(mktemp) || return
	# sh, which make starts, hands no functions on.
	{
		declare -f list_objects_below
		declare -p list_objects_goal
		echo 'unset MAKEFLAGS MAKELEVEL MFLAGS; list_objects_below .'
	} >"$work"
	# shellcheck disable=SC2016 # make has variables
	(cd "$1" && make -s --no-print-directory \
		--eval='$(if $(hytrace-once),,$(eval hytrace-once := y)$(eval hytrace-walk: ; @bash '"$work"'))' hytrace-walk) |
		sed -E ':a; s,(^|/| )\./,\1,; ta; :b; s,[^/ ]+/\.\./,,; tb' | LC_ALL=C sort -u || status=$?
	rm -f "$work"
	return "$status"
}
