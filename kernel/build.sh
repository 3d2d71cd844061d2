#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the patched kernel: unpacks Debian's linux-source-6.12 (or the kernel that LINUX= chooses), makes build/linux
# from it and from kernel/ (tree.sh says how), makes the configuration from the fragments in kernel/config, and compiles
# as little as possible.
#
# make runs in build/linux/.obj-FLAVOUR. So all paths that the compiler sees are relative, and the same in each
# clone: if one clone has compiled a file, ccache has it for the others. In the debug information, file names begin
# at the top of the tree; gdb finds the files if it is started in build/linux, and clangd by compile_commands.json.
#
# The results of a build (image, vmlinux, modules) are put into images/FLAVOUR-KEY in the cache. KEY is a hash of the
# tree, the configuration and the compilers. That directory appears there complete or not at all, and is never
# written again. So the guests of one clone go on while another clone builds, and a state that some clone has built
# before takes no time. If a build is killed, .hytrace-building stays with its objects; the next build removes all
# younger files, because make cannot tell a half-written object from a complete one.

set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=kernel/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=kernel/tree.sh
. "$root/kernel/tree.sh"
# shellcheck source=kernel/image.sh
. "$root/kernel/image.sh"
# shellcheck source=kernel/make.sh
. "$root/kernel/make.sh"

usage()
{
	cat <<'USAGE'
Usage: kernel/build.sh [FLAVOUR] [OPTION]...
Builds the patched kernel and its modules; if nothing has changed, it takes seconds.

Flavour (default: base + hytrace)
  --debug            with KASAN, lock checking, fault injection, start-up self-tests
  --kcsan            with KCSAN looking for data races in our files
  --selftest         with the options that the kernel's ftrace selftests need
  --small            the smallest configuration that can be traced, without user space, instead of base
  --cloud            Debian's configuration for virtual machines in a cloud, with our options
  --whole=FILE       the configuration in FILE as it is
  --clang            compiled with clang
  --arch MACHINE     for i386 (32-bit x86) or arm64, with a small configuration instead of base
  --unpatched        the pristine source, without our patches and options
  --config FRAGMENT  add a Kconfig fragment, a file or a name in kernel/config; may be repeated

Instead of building
  --deb              build, and make a Debian package of it in build/deb
  --object=FILE.o    compile only that file, in the flavour's configuration; may be repeated
  --configure        only make the configuration, and what the kernel's own Makefiles and Kconfig need to be asked

Print a path and build nothing; fail unless there is a good build of the clone's present state
(HYTRACE_STALE_OK=1: of any state, with a warning)
  --print-vmlinux --print-image --print-release
  --print-tree       the kernel source with the series applied, and all objects: build/linux, which is made
                     if it is missing
  --print-objects    the directory of that flavour's objects in there, which need not be complete
  --print-source     the pristine source, for tools/; it is unpacked if it is not yet

LINUX=7.3 builds that kernel instead of 6.12; its tree is build/linux-7.3. The cache is HYTRACE_CACHE, or hytrace in
XDG_CACHE_HOME (~/.cache). Directories there of kernel sources that are no longer installed may be removed.
HYTRACE_LINUX_TARBALL= uses another tarball than Debian's. V=1 shows the compiler's command lines.
USAGE
}

# Makes Debian packages by the kernel's own bindeb-pkg, and keeps them under the key of the build that they are made of.
# Headers and debug information are left out: Debian has linux-libc-dev, and vmlinux is in the cache.
deb()
{
	local key dir

	need dpkg-buildpackage dh rsync
	build
	[[ -n $unpatched ]] || sync_clone make
	key=$(done_key "$(tree_to_build)")
	dir=$store/packages/${unpatched:+unpatched-}$name-${key:0:16}
	if [[ ! -d $dir ]]; then
		start_log
		make_some "$(tree_to_build)" "making a package of $name" make_package "$dir"
	fi
	mkdir -p "$root/build/deb"
	cp "$dir"/*.deb "$root/build/deb/"
	(cd "$dir" && printf '%s\n' *.deb) | sed "s|^|$root/build/deb/|"
}

# make_package DIR: DIR appears whole or not at all. bindeb-pkg writes its packages to $src.
make_package()
{
	local tmp

	export DEB_BUILD_PROFILES='pkg.linux-upstream.nokernelheaders pkg.linux-upstream.nokerneldbg'
	export KDEB_CHANGELOG_DIST=unstable KDEB_PKGVERSION
	KDEB_PKGVERSION=$(make -s -C "$src" kernelversion)-1 || return
	# The package's rules call make in the directory of the objects; sweep() may have removed its Makefile.
	kbuild outputmakefile && kbuild bindeb-pkg || return
	rm -f "$src"/linux-libc-dev_*.deb "$src"/linux-upstream_*
	mkdir -p "${1%/*}" && tmp=$(mktemp -d "$1.XXXXXX") && chmod 755 "$tmp" || return
	mv "$src"/linux-image-*.deb "$tmp" || return
	mv -T "$tmp" "$1" 2>/dev/null || { rm -rf "$tmp"; [[ -d $1 ]]; }
}

build_objects()
{
	need_compiler
	open_tree make
	start_log
	make_some "$(tree_to_build)" "compiling ${objects[*]}" kbuild "${objects[@]}"
	! grep -A3 'warning:' "$log" >&2
}

# ---------------------------------------------------------------- printing

# find_image FILE: prints where that file is in the build of the clone's present state; with HYTRACE_STALE_OK, it may be
# the last used one of another state. The build then counts as used now.
find_image()
{
	local tree dir

	tree=$(tree_to_build) || tree=
	dir=${tree:+$(image_dir "$(done_key "$tree")")}
	if [[ ! -d $dir ]]; then
		dir=$(list_images | sed -n 1p)
		[[ -n $dir ]] || die "the ${unpatched:+unpatched }$name kernel has no good build; run $build_sh$chosen"
		[[ -n ${HYTRACE_STALE_OK:-} ]] ||
			die "the $name kernel in the cache is not built from this clone's present sources; run $build_sh$chosen"
		printf '%s: the %s kernel is not built from the present sources\n' "$self" "$name" >&2
	fi
	touch -c "$dir" 2>/dev/null || true
	printf '%s\n' "$dir/$1"
}

# print WHAT: prints a path, or the release.
print()
{
	local file

	case $1 in
	tree)
		if [[ -n $unpatched ]]; then unpack_source; else prepare; fi
		echo "$src"
		;;
	source) unpack_source; echo "$store/unpatched/src" ;;
	objects)
		[[ -f $obj/include/config/auto.conf ]] || die "$obj is not configured; run $build_sh$chosen --configure"
		echo "$obj"
		;;
	vmlinux) find_image vmlinux ;;
	image) find_image "${boot_image##*/}" ;;
	release) file=$(find_image release) && cat "$file" ;;
	esac
}

# ---------------------------------------------------------------- command line

# What messages tell people to run has the same flavour.
action=build chosen='' objects=()
while [[ $# -gt 0 ]]; do
	[[ $1 == --print-* ]] || chosen+=" $1"
	case $1 in
	--debug | --kcsan | --selftest | --small | --cloud | --whole=*)
		[[ $flavour == base ]] || die "--$flavour and $1: one flavour at a time"
		flavour=${1#--}
		[[ $1 != --whole=* ]] || flavour=whole whole=${1#*=}
		;;
	--clang) clang=clang compiler=clang-19 ;;
	--arch)
		[[ $# -gt 1 ]] || die "--arch needs a machine"
		choose_arch "$2"
		chosen+=" $2"
		shift
		;;
	--arch=*) choose_arch "${1#*=}" ;;
	--unpatched) unpatched=unpatched ;;
	--config)
		[[ $# -gt 1 ]] || die "--config needs a fragment"
		extras+=("$2") chosen+=" $2"
		shift
		;;
	--config=*) extras+=("${1#*=}") ;;
	--object=*) action=build_objects objects+=("${1#*=}") ;;
	# make writes auto.conf after it has compiled scripts/kconfig.
	--configure) action=build_objects objects+=(include/config/auto.conf) ;;
	--deb) action=deb ;;
	--print-tree | --print-objects | --print-vmlinux | --print-release | --print-image | --print-source) action=$1 ;;
	# Its old name, which scripts of others have.
	--refresh) exec "$root/kernel/series.sh" "$@" ;;
	-h | --help) usage; exit ;;
	*)
		printf '%s: unknown option %s; --help lists them\n' "$self" "$1" >&2
		exit 2
		;;
	esac
	shift
done

find_store
choose_flavour
case $action in
--print-*) print "${action#--print-}" ;;
*) "$action" ;;
esac
