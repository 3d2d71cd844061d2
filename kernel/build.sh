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
# shellcheck source=kernel/debian.sh
. "$root/kernel/debian.sh"
# shellcheck source=kernel/tree.sh
. "$root/kernel/tree.sh"
# shellcheck source=kernel/make.sh
. "$root/kernel/make.sh"
# shellcheck source=kernel/series.sh
. "$root/kernel/series.sh"
# shellcheck source=kernel/checks.sh
. "$root/kernel/checks.sh"

PATH=$PATH:/usr/sbin:/sbin

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
  --unpatched        the pristine source, without our patches and options
  --config FRAGMENT  add a Kconfig fragment, a file or a name in kernel/config; may be repeated

Instead of building
  --deb              build, and make a Debian package of it in build/deb
  --object=FILE.o    compile only that file, in the flavour's configuration; may be repeated
  --fetch            fetch the source of another kernel than 6.12 (LINUX=) from Debian, unless one is there that fits
  --applies          see whether the series applies to the kernel's source; if not, the exit status is 4
  --prepare          make build/linux, this clone's kernel tree, or bring it in step with kernel/
  --refresh          write the commits in build/linux back into kernel/patches
  --rebase           put these commits on top of a kernel/ that has changed too
  --series           write build/series/*.patch and check that git am of them gives the same tree
  --series-build     build the kernel at each patch of the series
  --check            compile our files with W=1 and sparse; fail if they find something in our files
  --off-check        compare the code with our options off with that of the unpatched kernel
  --drop-tree        remove build/linux, unless it has work that is not in kernel/

  --touched          with --fetch, --series or --check: if the kernel's source has not been imported into git, do it with no
                     more files than the series changes, in trees of their own (build/check-*)
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

# ---------------------------------------------------------------- the source of a newer kernel

# Fetches the source of a kernel to which the series applies: of $linux's major version, not older than $linux, the newest
# one in Debian's backports, or else in sid. One that was fetched before stays as long as the series applies to it. The exit
# status is 3 if there is none, but 1 if one of them is of $linux itself, or if something else fails.
fetch()
{
	local memo=$cache/debian/linux-$linux file='' group name names version tried=''

	[[ $edition && -z $tarball ]] || return 0
	mkdir -p "$cache/debian"
	lock "$cache/debian/.fetch" 5
	[[ ! -r $memo ]] || file=$(<"$memo")
	if [[ -r $file ]]; then
		! fits "$file" || return 0
		tried=", $(package_of "$file")"
	fi
	type -P apt-get dpkg-deb >/dev/null || no_source 'there is no apt-get or dpkg-deb to ask Debian with'
	rm -rf "$cache"/debian/fetch.*
	for group in backports sid; do
		debian_update "$group" || continue
		mapfile -t names < <(debian_newest "$group" "linux-source-${linux%%.*}\.[0-9]+")
		for name in "${names[@]}"; do
			printf '%s\n' "linux-source-$linux" "$name" | sort -CV || break
			version=$(debian_version "$group" "$name") || version=
			[[ $version ]] || continue
			file=$cache/debian/${name}_${version//[:~]/.}.tar.xz
			[[ $tried, != *", $(package_of "$file"),"* ]] || continue
			[[ -f $file ]] || fetch_package "$group" "$name" "$file" || continue
			if fits "$file"; then
				printf '%s\n' "$file" >"$memo"
				drop_old_tarballs
				return
			fi
			tried+=", $(package_of "$file")"
			drop_source "$file"
		done
	done
	tried=${tried#, }
	no_source "it applies to none that can be had from Debian's trixie-backports and sid (${tried:-none was fetched})"
}

# Says why fetch() has no source for the series, and ends this script.
no_source()
{
	note "$self: no source for kernel/series-$linux: $1; HYTRACE_LINUX_TARBALL= names another one, and 6.12 needs none of this"
	[[ $tried != *"linux-source-$linux "* ]] || exit 1
	exit 3
}

# Prints the package that a tarball in the cache is from, and its version.
package_of()
{
	basename "${1/_/ }" .tar.xz
}

# fits FILE: tells whether the series applies to the source in this tarball, and if so, says which it is. Any other
# failure ends this script.
fits()
{
	local status=0

	LINUX=$linux HYTRACE_OTHER_LINUX='' HYTRACE_LINUX_TARBALL=$1 "$root/kernel/build.sh" ${touched:+--touched} \
		--applies </dev/null 5>&- || status=$?
	case $status in
	0) note "LINUX=$linux is Debian's $(package_of "$1")" ;;
	"$does_not_apply") return 1 ;;
	*) exit 1 ;;
	esac
}

# fetch_package GROUP PACKAGE FILE: fails if the package cannot be had.
fetch_package()
{
	local dir

	note "fetching Debian's $(package_of "$3") (about 160 MB, once)"
	dir=$(mktemp -d "$cache/debian/fetch.XXXXXX") || exit
	if ! debian_unpack "$1" "$dir" "$2" || ! mv "$dir/usr/src/$2.tar.xz" "$3"; then
		rm -rf "$dir"
		note "cannot fetch $2; is there a network, and room in $cache?"
		return 1
	fi
	rm -rf "$dir"
}

# drop_source FILE: removes a tarball that is of no use, and what was unpacked from it.
drop_source()
(
	tarball=$1
	find_store
	rm -rf "$store" "$tarball"
)

# Removes the tarballs that no kernel uses any longer.
drop_old_tarballs()
{
	local file

	for file in "$cache"/debian/linux-source-*.tar.xz; do
		grep -qxF -- "$file" "$cache"/debian/linux-[0-9]* || rm "$file"
	done
}

# ---------------------------------------------------------------- flavours

# Sets $name, $fragments, $src, $obj and $images.
choose_flavour()
{
	local extra

	fragments=()
	foundation=()
	case $flavour in
	small) ;;
	cloud) foundation=("$(debian_config cloud)") ;;
	whole) foundation=("$(readlink -e "$whole")") || die "--whole=$whole: no such file" ;;
	*) add_fragment base ;;
	esac
	if [[ $flavour != whole && -z $unpatched && -n $(list_series "$root/kernel") ]]; then
		add_fragment hytrace
	fi
	[[ $flavour == base || $flavour == whole ]] || add_fragment "$flavour"
	name=$flavour${clang:+-clang}
	# Each file has its own objects.
	[[ $flavour != whole ]] || name+=-$(sha256sum <<<"${foundation[0]}" | cut -c1-6)
	for extra in ${extras[@]+"${extras[@]}"}; do
		[[ -r $extra ]] || extra=$root/kernel/config/${extra%.config}.config
		[[ -r $extra ]] || die "--config ${extra##*/}: no such file, and none of that name in kernel/config"
		extra=$(readlink -f "$extra")
		fragments+=("$extra")
		name+=+$(basename "$extra" .config)-$(sha256sum <<<"$extra" | cut -c1-6)
	done
	src=$clone
	[[ -z $unpatched ]] || src=$store/unpatched/src
	obj=$src/.obj-$name
	images=$store/${unpatched:+unpatched/}images
	log=$root/build/kernel$edition-${unpatched:+unpatched-}$name.log
}

# add_fragment NAME: adds a fragment of kernel/config, and after it the lines of it that only this kernel knows.
add_fragment()
{
	local dir=$root/kernel/config

	fragments+=("$dir/$1.config")
	[[ ! -r $dir/$1-$linux.config ]] || fragments+=("$dir/$1-$linux.config")
}

# debian_config NAME: prints the file with the configuration that Debian builds its kernel of that name from.
debian_config()
{
	local packed=/usr/src/linux-config-$linux/config.amd64_none_$1-amd64.xz file=$store/debian-$1.config

	[[ -r $packed ]] || die "$packed is missing; \`make deps\` installs linux-config-6.12; LINUX=$linux has none"
	xz -dc "$packed" >"$file.$$" || die "cannot unpack $packed to $file; is the disk full?"
	if cmp -s "$file.$$" "$file"; then
		rm "$file.$$"
	else
		mv "$file.$$" "$file"
	fi
	printf '%s\n' "$file"
}

release_suffix()
{
	printf -- '-%s' "${unpatched:-hytrace}"
	[[ $name == base ]] || printf -- '-%s' "$(tr -cs '[:alnum:].\n' - <<<"$name")"
}

toolchain()
{
	"$compiler" --version | sed -n 1p
	ld --version | sed -n 1p
	pahole --version
	# Kconfig writes its version down, also where no Rust is compiled.
	rustc --version 2>/dev/null || true
}

# The part of a tree that the compiler reads. Documentation and self-tests may change without a build.
compiled_part()
{
	in_either ls-tree "$1" | sed -E '/	(Documentation|tools)$/d'
	in_either ls-tree "$1" Documentation/Kconfig
	in_either ls-tree "$1" tools/ | sed '/	tools\/testing$/d'
}

# Prints modes, names and contents of those of our files that stdin names.
hash_files()
{
	local files

	mapfile -t files < <(LC_ALL=C sort)
	[[ ${#files[@]} -eq 0 ]] || (cd "$root/kernel/files" && stat -c '%A %n' "${files[@]}" &&
		sha256sum "${files[@]}")
}

# done_key TREE: a hash of all that a finished build depends on: the tree, our files that are linked into it, the
# fragments, and the compilers.
done_key()
{
	{
		echo "7 $(release_suffix)"
		if [[ -n $unpatched ]]; then
			echo "$1"
		else
			compiled_part "$1"
			list_files | sed -E '/^(Documentation|tools\/testing)\//d' | hash_files
		fi
		cat "${foundation[@]}" "${fragments[@]}"
		toolchain
	} | sha256sum | cut -c1-40
}

# Prints the tree that this clone wants built; nothing if this cannot be known without writing.
tree_to_build()
{
	if [[ -n $unpatched ]]; then
		echo "${store##*/}"
	elif [[ -d $repo ]]; then
		wanted_tree
	fi
}

# ---------------------------------------------------------------- the results of builds

# Prints the directory of the build with this key. It exists if there has been such a build.
image_dir()
{
	printf '%s/%s-%s\n' "$images" "$name" "${1:0:16}"
}

is_done()
{
	[[ -d $(image_dir "$1") ]]
}

# Prints the images of this flavour, the last used one first.
list_images()
{
	local dir

	for dir in "$images/$name"-*; do
		[[ ! ${dir#"$images/$name-"} =~ ^[0-9a-f]{16}$ ]] || printf '%s\n' "$dir"
	done | xargs -r -d '\n' ls -1dt
}

# keep KEY: puts the files of a build that guests and tools read into the cache.
keep()
{
	local dir tmp

	dir=$(image_dir "$1")
	mkdir -p "$images" && tmp=$(mktemp -d "$dir.XXXXXX") && chmod 755 "$tmp" || return
	kbuild -s INSTALL_MOD_PATH="$tmp" modules_install || return
	rm -f "$tmp"/lib/modules/*/build "$tmp"/lib/modules/*/source
	cp "$obj/arch/x86/boot/bzImage" "$obj/vmlinux" "$tmp" || return
	cp "$obj/.config" "$tmp/config" || return
	cp "$obj/include/config/kernel.release" "$tmp/release" || return
	# If another clone was quicker, the directory is there, with the same contents.
	mv -T "$tmp" "$dir" 2>/dev/null || { rm -rf "$tmp"; [[ -d $dir ]]; }
}

# Removes old images. Three images of each flavour stay, and all that were used in the last hour or have a guest,
# which holds a lock on its image's directory. Directories that a killed keep() has left do not count.
drop_old_images()
{
	local dir

	find "$images" -mindepth 1 -maxdepth 1 -name '*-*.??????' -mmin +60 -exec rm -rf {} +
	list_images | tail -n +4 | while read -r dir; do
		[[ $(find "$dir" -maxdepth 0 -mmin +60) ]] || continue
		exec 3<"$dir"
		! flock -n 3 || rm -rf "$dir"
		exec 3<&-
	done
}

# ---------------------------------------------------------------- building

# Removes files that a killed build or a full disk may have left half-written.
sweep()
{
	if [[ -f $obj/.hytrace-building ]]; then
		note "kernel: the last build was cut short; removing what it was writing"
		find "$obj" -type f -newer "$obj/.hytrace-building" -delete
	else
		touch -d '1 second ago' "$obj/.hytrace-building"
	fi
}

expected_files()
{
	if [[ -f $obj/vmlinux ]]; then
		echo 0
	elif [[ -f $obj/.hytrace-files ]]; then
		cat "$obj/.hytrace-files"
	else
		echo 1750
	fi
}

# sources FIND-TEST...: finds files that the compiler may read, in both places where they are edited.
sources()
{
	local dirs=("$src")

	[[ -n $unpatched || ! -d $root/kernel/files ]] || dirs+=("$root/kernel/files")
	find "${dirs[@]}" -mindepth 1 -name '.*' -prune -o -type f "$@"
}

# compile TREE: builds everything from $src, which holds TREE. The result is kept under a key that was the same
# before and after the build, so others may edit or pull meanwhile. make compares times; so a file that was restored
# with its old time (mv, cp -p) gets a new time.
compile()
{
	local tree=$1 expected start=$SECONDS begun=$obj/.hytrace-begun written key

	start_log
	sweep
	expected=$(expected_files)
	while :; do
		key=$(done_key "$tree")
		configure "$tree"
		# Nobody edits the pristine source, and links to it change its times.
		[[ -n $unpatched || ! -f $begun ]] || sources -cnewer "$begun" ! -newer "$begun" -exec touch {} +
		touch "$begun"
		step "compiling $name" "$expected" kbuild all compile_commands.json ||
			fail "compiling the $name kernel failed"
		[[ $expected -eq 0 ]] || count_files >"$obj/.hytrace-files"
		touch "$begun.end"
		written=$(sources -newer "$begun" ! -newer "$begun.end" -print -quit)
		[[ -n $unpatched ]] || sync_clone make
		tree=$(tree_to_build)
		[[ -n $written || $(done_key "$tree") != "$key" ]] || break
		note "kernel: ${written:-kernel/} was changed meanwhile; building once more"
		expected=0
	done
	is_done "$key" || step "installing" 0 keep "$key" || fail "putting the $name kernel into $images failed"
	ln -sfn "${obj##*/}/compile_commands.json" "$src/compile_commands.json"
	rm -f "$obj/.hytrace-building"
	warnings=$(grep -c 'warning:' "$log" || true)
	[[ $warnings -eq 0 ]] || note "kernel: $warnings warnings, see $log"
	note "kernel: $name built in $((SECONDS - start)) s: $(image_dir "$key")"
}

start_log()
{
	mkdir -p "$root/build" "$obj"
	: >"$log"
}

need_compiler()
{
	need gcc "$compiler" ld make flex bison bc pahole ccache xz lz4 git flock kmod perl python3
}

# open_tree make|keep: locks the source, and brings it in step with kernel/.
open_tree()
{
	if [[ -n $unpatched ]]; then
		unpack_source
		lock "$store/unpatched/lock" 6
	else
		import_source
		lock_clone
		sync_clone "$1"
	fi
}

build()
{
	local tree

	need_compiler
	open_tree keep
	tree=$(tree_to_build)
	if is_done "$(done_key "$tree")"; then
		note "kernel: $name is up to date"
		return
	fi
	[[ -n $unpatched ]] || sync_clone make
	compile "$tree"
	drop_old_images
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
		sweep
		configure "$(tree_to_build)"
		step "making a package of $name" 0 make_package "$dir" || fail "packaging the $name kernel failed"
		rm -f "$obj/.hytrace-building"
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
	sweep
	configure "$(tree_to_build)"
	step "compiling ${objects[*]}" 0 kbuild "${objects[@]}" || fail "compiling ${objects[*]} failed"
	rm -f "$obj/.hytrace-building"
	! grep -A3 'warning:' "$log" >&2
}

# ---------------------------------------------------------------- printing

# Prints the directory of the build of the clone's present state; with HYTRACE_STALE_OK, it may be the last used one
# of another state. The directory then counts as used now.
find_image()
{
	local tree dir what="$build_sh${unpatched:+ --unpatched}"

	tree=$(tree_to_build) || tree=
	dir=${tree:+$(image_dir "$(done_key "$tree")")}
	if [[ ! -d $dir ]]; then
		case $flavour in
		base) ;;
		whole) what+=" --whole=$whole" ;;
		*) what+=" --$flavour" ;;
		esac
		what+=${clang:+ --clang}
		dir=$(list_images | sed -n 1p)
		[[ -n $dir ]] || die "the ${unpatched:+unpatched }$name kernel has no good build; run $what"
		[[ -n ${HYTRACE_STALE_OK:-} ]] ||
			die "the $name kernel in the cache is not built from this clone's present sources; run $what"
		printf '%s: the %s kernel is not built from the present sources\n' "$self" "$name" >&2
	fi
	touch -c "$dir" 2>/dev/null || true
	printf '%s\n' "$dir"
}

print()
{
	local dir

	case $1 in
	tree)
		if [[ -n $unpatched ]]; then
			unpack_source
			echo "$src"
		else
			prepare
			echo "$clone"
		fi
		return
		;;
	source) unpack_source; echo "$store/unpatched/src"; return ;;
	objects)
		[[ -f $obj/include/config/auto.conf ]] || die "$obj is not configured; run $build_sh --configure"
		echo "$obj"
		return
		;;
	esac
	dir=$(find_image)
	case $1 in
	vmlinux) echo "$dir/vmlinux" ;;
	image) echo "$dir/bzImage" ;;
	release) cat "$dir/release" ;;
	esac
}

# ---------------------------------------------------------------- command line

action=build flavour=base whole='' compiler=gcc clang='' unpatched='' touched='' extras=() objects=()
while [[ $# -gt 0 ]]; do
	case $1 in
	--debug | --kcsan | --selftest | --small | --cloud)
		[[ $flavour == base ]] || die "--$flavour and $1: one flavour at a time"
		flavour=${1#--}
		;;
	--whole=*)
		[[ $flavour == base ]] || die "--$flavour and $1: one flavour at a time"
		flavour=whole whole=${1#*=}
		;;
	--clang) clang=clang compiler=clang-19 ;;
	--unpatched) unpatched=unpatched ;;
	--touched) touched=touched ;;
	--config)
		[[ $# -gt 1 ]] || die "--config needs a fragment"
		extras+=("$2")
		shift
		;;
	--config=*) extras+=("${1#*=}") ;;
	--object=*) action=build_objects objects+=("${1#*=}") ;;
	# make writes auto.conf after it has compiled scripts/kconfig.
	--configure) action=build_objects objects+=(include/config/auto.conf) ;;
	--deb | --fetch | --applies | --prepare | --refresh | --rebase | --series | --series-build | --check | --off-check | --drop-tree)
		action=${1#--} ;;
	--print-tree | --print-objects | --print-vmlinux | --print-release | --print-image | --print-source) action=$1 ;;
	-h | --help)
		usage
		exit 0
		;;
	*)
		printf '%s: unknown option %s; --help lists them\n' "$self" "$1" >&2
		exit 2
		;;
	esac
	shift
done

trap stop INT TERM HUP
[[ -z $touched || $action =~ ^(fetch|applies|prepare|series|check)$ ]] || die "--touched is only for --fetch, --series and --check"
case $action in
fetch)
	find_cache
	fetch
	exit
	;;
# It needs neither the source nor the cache to know whether there is work in the tree.
drop_tree | drop-tree)
	drop_tree
	exit
	;;
esac
find_store
repo=$store/linux.git
[[ -z $touched ]] || use_touched
choose_flavour
case $action in
series) emit_series ;;
--print-*) print "${action#--print-}" ;;
*) "${action//-/_}" ;;
esac
