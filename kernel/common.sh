# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What build.sh and tools.sh share: where the cache is, which kernel source this machine has, and
# how to unpack it safely. Sourced, never run.
#
# Everything that costs minutes lives in one directory of the cache per kernel source, named after
# Debian's version and the tarball's own hash, so that a stable update starts a new one and two
# different tarballs of one version can never be mixed up:
#
#   $cache/linux-VERSION-HASH/unpatched/src   the tarball, unpacked, with objects in .obj-FLAVOUR
#   $cache/linux-VERSION-HASH/linux.git       the same as a git repository, plus the series
#   $cache/linux-VERSION-HASH/series          for compiling each patch of the series
#   $cache/linux-VERSION-HASH/[unpatched/]images what was built, each state apart, never rewritten
#   $cache/ccache, $cache/tools               shared by all of them

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cache=${HYTRACE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hytrace}
tarball=${HYTRACE_LINUX_TARBALL:-/usr/src/linux-source-6.12.tar.xz}
self=${0##*/}

die()
{
	printf '%s: %s\n' "$self" "$*" >&2
	exit 1
}

note()
{
	[[ -n ${quiet:-} ]] || printf '%s\n' "$*" >&2
}

need()
{
	local program missing=()

	for program; do
		command -v "$program" >/dev/null || missing+=("$program")
	done
	[[ ${#missing[@]} -eq 0 ]] ||
		die "not installed: ${missing[*]}; \`make deps\` installs what is needed"
}

# The hash of 150 MB takes a second: remembered for as long as the file's size and time stay.
tarball_hash()
{
	local stat=$1 memo=$cache/tarball-hash line

	if [[ -r $memo ]] && read -r line <"$memo" && [[ ${line%% *} == "$stat" ]]; then
		printf '%s\n' "${line##* }"
		return
	fi
	line=$(sha256sum "$tarball")
	printf '%s %s\n' "$stat" "${line:0:8}" >"$memo.$$"
	mv "$memo.$$" "$memo"
	printf '%s\n' "${line:0:8}"
}

# Sets $store, the directory of this kernel source in the cache.
find_store()
{
	local version hash stat

	mkdir -p "$cache" || die "cannot make the cache $cache; HYTRACE_CACHE= moves it"
	cache=$(cd "$cache" && pwd -P)
	[[ -r $tarball ]] || die "$tarball is missing; \`make deps\` installs linux-source-6.12"
	# shellcheck disable=SC2016 # dpkg-query's own variable
	version=$(dpkg-query -S "$tarball" 2>/dev/null | cut -d: -f1 |
		xargs -r dpkg-query -W -f '${Version}' 2>/dev/null) || version=
	stat=$(stat -L -c '%n:%s:%Y' "$tarball")
	hash=$(tarball_hash "${stat// /_}")
	store=$cache/linux-${version:-local}-$hash
	store=${store//:/.}
	[[ $store != *[[:space:]:]* ]] ||
		die "the kernel cannot be built under a path with a space or colon: $store;" \
			"HYTRACE_CACHE= moves it"
	mkdir -p "$store"
}

# lock FILE FD: waits for other builds, and says so. The lock goes with the file descriptor, which
# a build's own children inherit: should this script be killed, they still hold it.
lock()
{
	local file=$1 fd=$2

	eval "exec $fd>>\"\$file\""
	if ! flock -n "$fd"; then
		note "waiting for another build, which holds $file"
		# In short waits, for a signal to get through.
		until flock -w 1 "$fd"; do :; done
	fi
}

# The unpacked tarball, complete or not there at all.
unpack_source()
{
	local src=$store/unpatched/src tmp=$store/unpatched/src.tmp

	[[ ! -f $store/unpatched/.unpacked ]] || return 0
	lock "$store/unpack.lock" 8
	if [[ ! -f $store/unpatched/.unpacked ]]; then
		note "unpacking ${tarball##*/}"
		rm -rf "$tmp" "$src"
		mkdir -p "$tmp"
		xz -dc -T0 "$tarball" | tar -x --strip-components=1 --no-same-owner -C "$tmp" || {
			rm -rf "$tmp"
			die "unpacking $tarball into $store failed; is the disk full?"
		}
		mv "$tmp" "$src"
		touch "$store/unpatched/.unpacked"
	fi
	exec 8>&-
}

# The same as one commit, tagged pristine, in a repository that is only ever added to.
import_source()
{
	[[ ! -d $repo ]] || return 0
	unpack_source
	lock "$store/import.lock" 7
	if [[ ! -d $repo ]]; then
		note "importing the kernel source into git"
		rm -rf "$repo.tmp"
		import_into "$repo.tmp" || {
			rm -rf "$repo.tmp"
			die "importing $store/unpatched/src into git failed; is the disk full?"
		}
		mv "$repo.tmp" "$repo"
	fi
	exec 7>&-
}

# bigFileThreshold: files above it go into one pack at once. Nothing is ever collected, as $repo does
# not know what the clones need.
import_into()
{
	local git=(git --git-dir="$1" --work-tree="$store/unpatched/src") tree commit

	git init -q --bare "$1" || return
	"${git[@]}" config gc.auto 0
	printf '%s\n' '*~' '.*.sw?' '.#*' '*.orig' '*.rej' >"$1/info/exclude"
	"${git[@]}" -c core.compression=1 -c core.bigFileThreshold=1 add -Af -- \
		"$store/unpatched/src" ':(exclude).obj-*' || return
	tree=$("${git[@]}" write-tree) || return
	commit=$(GIT_COMMITTER_DATE='1735689600 +0000' GIT_AUTHOR_DATE='1735689600 +0000' \
		GIT_AUTHOR_NAME=hytrace GIT_AUTHOR_EMAIL=hytrace@example.invalid \
		"${git[@]}" commit-tree -m "${store##*/}" "$tree") || return
	"${git[@]}" tag pristine "$commit"
}
