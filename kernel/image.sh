# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # what the scripts set that source this
#
# What a kernel is built from, and its result: the configuration of a flavour, the key of all that the build depends on,
# and the image in the cache. Sourced by build.sh and series.sh.

# The flavour, which options of build.sh change.
flavour=base whole='' compiler=gcc clang='' unpatched='' extras=()

# The machine, which --arch changes: arguments for make, the image, the beginning of the names of binutils.
arch='' machine=() boot_image=arch/x86/boot/bzImage cross=''

# choose_arch NAME: x86's own gcc also compiles for 32 bits.
choose_arch()
{
	arch=$1 machine=("ARCH=$1")
	case $arch in
	i386) ;;
	arm64)
		cross=aarch64-linux-gnu- boot_image=arch/arm64/boot/Image
		compiler=${cross}gcc machine+=("CROSS_COMPILE=$cross")
		;;
	*) die "--arch $arch: there are i386 and arm64; without --arch, it is x86-64" ;;
	esac
}

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
	*) add_fragment "$([[ $arch ]] && echo other || echo base)" ;;
	esac
	if [[ $flavour != whole && -z $unpatched && -n $(list_series "$root/kernel") ]]; then
		add_fragment hytrace
	fi
	[[ -z $arch ]] || add_fragment "$arch"
	[[ $flavour == base || $flavour == whole ]] || add_fragment "$flavour"
	name=$flavour${clang:+-clang}
	if [[ $arch ]]; then
		name+=-$arch
		name=${name#base-}
	fi
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
	"${cross}ld" --version | sed -n 1p
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
		echo "8 $(release_suffix)"
		# How it is compiled, without comments.
		sed -n '/^kbuild()/,/^}/p' "$root/kernel/make.sh"
		sed '/^#/d' "$root/kernel/cc.sh"
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
	cp "$obj/$boot_image" "$obj/vmlinux" "$tmp" || return
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
