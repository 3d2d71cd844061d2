# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by build.sh, series.sh and tools.sh: where the cache is, which kernel source this machine has, and how to unpack
# it safely. Sourced, never run.
#
# All that takes minutes to make is in the cache, in one directory for each kernel source. It is named after Debian's
# version and a hash of the tarball. So a stable update begins a new directory, and two tarballs of one version are
# never mixed up:
#
#   $cache/linux-VERSION-HASH/unpatched/src   the tarball, unpacked, with objects in .obj-FLAVOUR
#   $cache/linux-VERSION-HASH/linux.git       the same as a git repository, plus the series
#   $cache/linux-VERSION-HASH/touched-*.git   the same with only the files that the series changes, for --touched
#   $cache/linux-VERSION-HASH/series          for compiling each patch of the series
#   $cache/linux-VERSION-HASH/[unpatched/]images results of builds, a directory for each state, never rewritten
#   $cache/ccache, $cache/tools               shared by all of these
#   $cache/debian                             what debian.sh fetches: the tarballs of other kernels than 6.12
#
# LINUX= chooses the kernel: 6.12, which Debian's stable releases have, is the default; each other one has a series of
# its own, kernel/series-$linux, and a tarball that series.sh --fetch gets from a newer release of Debian.
# HYTRACE_LINUX_TARBALL= is for that kernel. Scripts that also need another one set HYTRACE_OTHER_LINUX= to it; then the
# tarball does not count.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cache=${HYTRACE_CACHE:-${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}/hytrace}
linux=${HYTRACE_OTHER_LINUX:-${LINUX:-6.12}}
edition=-$linux
[[ $linux != 6.12 ]] || edition=
tarball=${HYTRACE_LINUX_TARBALL:-}
[[ $linux == "${LINUX:-6.12}" ]] || tarball=
# What messages tell people to run.
build_sh="${edition:+LINUX=$linux }kernel/build.sh" series_sh="${edition:+LINUX=$linux }kernel/series.sh"
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

# Hashing 150 MB takes a second, so the hash is kept until the file's size or time changes.
tarball_hash()
{
	local stat=$1 memo=$cache/tarball-hash$edition line

	if [[ -r $memo ]] && read -r line <"$memo" && [[ ${line%% *} == "$stat" ]]; then
		printf '%s\n' "${line##* }"
		return
	fi
	line=$(sha256sum "$tarball")
	printf '%s %s\n' "$stat" "${line:0:8}" >"$memo.$$"
	mv "$memo.$$" "$memo"
	printf '%s\n' "${line:0:8}"
}

[[ $cache != /hytrace ]] || die "HOME is not set; HYTRACE_CACHE= says where the cache is to be"
[[ $root != *[[:space:]:]* ]] ||
	die "$root: the kernel is not built below a path with spaces or colons; move the clone"

[[ -r $root/kernel/series-$linux ]] ||
	die "LINUX=$linux: there is no series for this kernel; there is one for" \
		"$(printf '%s\n' "$root"/kernel/series-* | sed 's/.*series-//' | sort -V | xargs)"

# Makes the cache.
find_cache()
{
	mkdir -p "$cache" || die "cannot make the cache $cache; HYTRACE_CACHE= moves it"
	cache=$(cd "$cache" && pwd -P)
	[[ $cache != *[[:space:]:]* ]] ||
		die "the kernel is not built below a path with spaces or colons: $cache; HYTRACE_CACHE= moves it"
}

# Prints the version of Debian's package that $tarball is from; nothing if it is from elsewhere.
tarball_version()
{
	if [[ $tarball == "$cache"/debian/linux-source-*_*.tar.xz ]]; then
		basename "${tarball#*_}" .tar.xz
		return
	fi
	# shellcheck disable=SC2016 # dpkg-query's own variable
	dpkg-query -S "$tarball" 2>/dev/null | cut -d: -f1 | xargs -r dpkg-query -W -f '${Version}' 2>/dev/null
}

# Sets $tarball, which need not be there. That of another kernel than 6.12 is the one that series.sh --fetch has chosen.
choose_tarball()
{
	local memo=$cache/debian/linux-$linux

	[[ -z $tarball ]] || return 0
	tarball=/usr/src/linux-source-$linux.tar.xz
	[[ -z $edition || ! -r $memo ]] || tarball=$(<"$memo")
}

# Sets $store, the directory of this kernel source in the cache, and $repo, the repository in it.
find_store()
{
	local version hash stat

	find_cache
	choose_tarball
	[[ -r $tarball ]] || die "$tarball, the source of Linux $linux, is missing; \`make deps${edition:+ LINUX=$linux}\` gets it"
	version=$(tarball_version) || version=
	stat=$(stat -L -c '%n:%s:%Y' "$tarball")
	hash=$(tarball_hash "${stat// /_}")
	version=${version//:/.}
	store=$cache/linux-${version:-local}-$hash repo=$cache/linux-${version:-local}-$hash/linux.git
	mkdir -p "$store"
	check_version "$store/unpatched/src"
}

# check_version DIR: ends this script if another kernel than $linux, or one that is newer by no more than its minor
# version, was unpacked there.
check_version()
{
	local version

	[[ -f $1/Makefile ]] || return 0
	version=$(sed -nE 's/^(VERSION|PATCHLEVEL) *= *([0-9]+)$/\2/p' "$1/Makefile" | paste -sd.)
	{ [[ ${version%%.*} == "${linux%%.*}" ]] && printf '%s\n' "$linux" "$version" | sort -CV; } ||
		die "$tarball is Linux ${version:-(no VERSION in its Makefile)}, and no source for LINUX=$linux"
}

# lock FILE FD: waits for other builds, and says so. The lock belongs to the file descriptor, which a build's
# children inherit. So if this script is killed, they still hold it.
lock()
{
	local file=$1 fd=$2

	eval "exec $fd>>\"\$file\""
	if ! flock -n "$fd"; then
		note "waiting for another build, which holds $file"
		# The waits are short, so that signals are handled.
		until flock -w 1 "$fd"; do :; done
	fi
}

# Unpacks the tarball: completely, or not at all.
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
		check_version "$tmp"
		mv "$tmp" "$src"
		touch "$store/unpatched/.unpacked"
	fi
	exec 8>&-
}

# Makes a repository with the same files as one commit, tagged pristine. Objects are only ever added to it.
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

# With this bigFileThreshold, git puts all files into one pack at once. Garbage is never collected, because $repo
# does not know which objects the clones need.
import_into()
(
	local git=(git --git-dir="$1" --work-tree="$store/unpatched/src") tree commit file

	git init -q --bare "$1" || return
	"${git[@]}" config gc.auto 0
	printf '%s\n' '*~' '.*.sw?' '.#*' '*.orig' '*.rej' >"$1/info/exclude"
	if [[ $1 == */touched-* ]]; then
		cd "$store/unpatched/src" && touched_files | while read -r file; do
			[[ ! -e $file ]] || printf '%s\n' "$file"
		done | "${git[@]}" --literal-pathspecs add -f --pathspec-from-file=- || return
	else
		"${git[@]}" -c core.compression=1 -c core.bigFileThreshold=1 add -Af -- \
			"$store/unpatched/src" ':(exclude).obj-*' || return
	fi
	tree=$("${git[@]}" write-tree) || return
	commit=$(GIT_COMMITTER_DATE='1735689600 +0000' GIT_AUTHOR_DATE='1735689600 +0000' \
		GIT_AUTHOR_NAME=hytrace GIT_AUTHOR_EMAIL=hytrace@example.invalid \
		"${git[@]}" commit-tree -m "${store##*/}" "$tree") || return
	"${git[@]}" tag pristine "$commit"
)
