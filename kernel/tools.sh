#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# libbpf.a, its headers, bpftool and bpftool's json_writer, built from the kernel's own source and
# kept in the cache: Debian 12's libbpf is too old for what the loader asks of it, and its headers
# would not match. They are not touched by the series, so every clone shares one build.
#
#   $dir/libbpf.a  $dir/include/{bpf,linux}/*.h  $dir/include/json_writer.h  $dir/json_writer.o  $dir/bpftool

set -euo pipefail
# shellcheck source=kernel/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage()
{
	cat <<'USAGE'
Usage: kernel/tools.sh [--print]
Builds libbpf.a and bpftool from the kernel source, unless the cache has them, and prints their
directory. With --print it only prints where they are or would be.
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

# json_writer is no library: its one object and its header, freed from the kernel's own includes.
build_json_writer()
{
	local src=$1 out=$2 dir=$1/tools/bpf/bpftool

	sed 's|#include <linux/compiler.h>|#ifndef __printf\n#define __printf(a, b) __attribute__((format(printf, a, b)))\n#endif|' \
		"$dir/json_writer.h" >"$out/include/json_writer.h"
	gcc -O2 -fPIE -I"$out/include" -I"$src/tools/include" -c -o "$out/json_writer.o" \
		"$dir/json_writer.c"
}

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
		build_json_writer "$store/unpatched/src" "$tmp"
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

find_store
dir=$(tools_dir)
if [[ -z $print && ! -d $dir ]]; then
	need gcc clang-19 make xz flock
	mkdir -p "$cache/tools"
	lock "$cache/tools/lock" 9
	[[ -d $dir ]] || build "$dir"
fi
printf '%s\n' "$dir"
