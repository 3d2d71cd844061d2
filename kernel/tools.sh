#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# libbpf.a, its headers and bpftool, built from the kernel's own source and kept in the cache:
# Debian 12's libbpf is too old for what the loader asks of it, and its headers would not match.
# They are not touched by the series, so every clone shares one build. On a machine without a
# kernel source, where only the loader is built, they are copies of the distribution's, if these
# are new enough.
#
#   $dir/libbpf.a  $dir/include/{bpf,linux}/*.h  $dir/bpftool

set -euo pipefail
# shellcheck source=kernel/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# With this version, libbpf has all that the loader calls. It is the one of Linux 6.12.
least_libbpf=1.5
# Debian has bpftool where only root looks for programs.
PATH=$PATH:/usr/sbin

usage()
{
	cat <<'USAGE'
Usage: kernel/tools.sh [--print]
Builds libbpf.a and bpftool from the kernel source, unless the cache has them, and prints their
directory. Without a kernel source, these are the distribution's. With --print it only prints where
they are or would be.
USAGE
}

# What the result depends on: the source and the compilers.
tools_dir()
{
	local key

	key=$( { echo "$store"; cat "$0"; gcc --version; clang-19 --version; } | sha256sum)
	printf '%s/tools/%s-%s\n' "$cache" "${store##*/linux-}" "${key:0:8}"
}

build_libbpf()
{
	local src=$1 out=$2

	mkdir -p "$out/libbpf"
	make -C "$src/tools/lib/bpf" -j"$(nproc)" OUTPUT="$out/libbpf/" DESTDIR="$out" prefix= \
		"$out/libbpf/libbpf.a" install_headers
	cp "$out/libbpf/libbpf.a" "$out/libbpf.a"
	# Debian's linux/bpf.h is older than this libbpf: no kprobe_multi in struct bpf_link_info.
	mkdir -p "$out/include/linux"
	cp "$src"/tools/include/uapi/linux/{bpf,bpf_common,btf}.h "$out/include/linux/"
	rm -rf "$out/libbpf"
}

build_bpftool()
{
	local src=$1 out=$2

	mkdir -p "$out/bpftool-build"
	make -C "$src/tools/bpf/bpftool" -j"$(nproc)" OUTPUT="$out/bpftool-build/" \
		CLANG=clang-19 LLVM_STRIP=llvm-strip-19 feature-llvm=0 feature-libbfd=0 \
		feature-disassembler-four-args=0 BPFTOOL_VERSION="$(make -s -C "$src" kernelversion)"
	cp "$out/bpftool-build/bpftool" "$out/bpftool"
	rm -rf "$out/bpftool-build"
}

# ---- without a kernel source

# Sets $library, $headers and $bpftool to what the distribution has, and $dir.
find_distribution()
{
	local version key

	version=$(pkg-config --modversion libbpf 2>/dev/null) || version=none
	bpftool=$(command -v bpftool) || bpftool=
	if [[ -z $bpftool ]] || ! pkg-config --exists "libbpf >= $least_libbpf" 2>/dev/null; then
		die "there is no kernel source, $tarball; \`make deps\` installs one. Without it, the loader can be" \
			"built with bpftool (here: ${bpftool:-none}) and libbpf-dev $least_libbpf or later (here: $version)"
	fi
	library=$(pkg-config --variable=libdir libbpf)/libbpf.a
	headers=$(pkg-config --variable=includedir libbpf)/bpf
	key=$( { cat "$0"; stat -c '%n %s %Y' "$library" "$headers" "$bpftool"; } | sha256sum)
	mkdir -p "$cache"
	dir=$(cd "$cache" && pwd -P)/tools/libbpf-$version-${key:0:8}
}

copy_distribution()
{
	local tmp=$1.tmp

	note "there is no kernel source, $tarball: using the distribution's libbpf and bpftool"
	rm -rf "$tmp"
	mkdir -p "$tmp/include"
	cp "$library" "$bpftool" "$tmp"
	cp -r "$headers" "$tmp/include"
	mv "$tmp" "$1"
}

# ---- the arguments
build()
{
	local dir=$1 tmp=$1.tmp log=$1.log

	unpack_source
	note "building libbpf and bpftool"
	rm -rf "$tmp" "$dir"
	mkdir -p "$tmp"
	# In a shell of its own, as -e does not work on the left of an ||.
	(
		set -e
		unset MAKEFLAGS MAKELEVEL MFLAGS V
		build_libbpf "$store/unpatched/src" "$tmp"
		build_bpftool "$store/unpatched/src" "$tmp"
	) >"$log" 2>&1 &
	wait $! || {
		grep -m1 -n -A5 -iE '(fatal )?error:|\*\*\*|no space left' "$log" >&2 || tail -n 20 "$log" >&2
		die "building libbpf and bpftool failed; the whole log is $log"
	}
	mv "$tmp" "$dir"
	# Of compilers that were updated since, and kernel sources that are gone.
	find "$cache/tools" -mindepth 1 -maxdepth 1 -mtime +30 ! -name lock -exec rm -rf {} +
}

case ${1:-} in
--print) print=1 ;;
'') print= ;;
-h | --help) usage; exit 0 ;;
*) usage >&2; exit 2 ;;
esac

# 6.12's have all that is called, on newer kernels as well. So nothing is compiled anew when another source comes.
if [[ -z $tarball && -r /usr/src/linux-source-6.12.tar.xz ]]; then
	linux=6.12 edition=
fi
choose_tarball
if [[ -r $tarball ]]; then
	find_store
	dir=$(tools_dir)
	make=build
else
	find_distribution
	make=copy_distribution
fi
if [[ -z $print && ! -d $dir ]]; then
	[[ $make != build ]] || need gcc clang-19 make xz flock
	mkdir -p "${dir%/*}"
	lock "${dir%/*}/lock" 9
	[[ -d $dir ]] || "$make" "$dir"
fi
printf '%s\n' "$dir"
