# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # what common.sh and vm.sh set
#
# Fetches packages of Debian releases other than this machine's into the cache: the sources of newer kernels, and stock
# kernels to test against. They are unpacked there and never installed. apt does the work with the machine's mirror and
# proxies and the distribution's keyring, but with lists, sources and settings of its own, so nothing on the machine
# changes, and Debian 12 and 13 get the same kernels. Sourced by fetch.sh and vm.sh.
#
#   $cache/debian/GROUP     the lists of a group of suites: bookworm, backports (of trixie), sid; or for another
#                           machine, bookworm-i386 and so on
#
# Packages that were fetched once stay, and the network is not needed again for them.

# Prints the lines of sources.list for a group. The machine's own mirror has all suites.
debian_sources()
{
	local mirror security keyring=/usr/share/keyrings/debian-archive-keyring.gpg targets

	targets=$(apt-get indextargets --format "\$(REPO_URI)" 'Created-By: Packages' 'Origin: Debian' 2>/dev/null | sort -u)
	mirror=$(grep -m1 '/debian/\?$' <<<"$targets") || mirror=http://deb.debian.org/debian
	security=$(grep -m1 '/debian-security/\?$' <<<"$targets") || security=http://deb.debian.org/debian-security
	case $1 in
	# A root for tests, which is fetched once, need not be the newest.
	bookworm-*) printf 'deb [signed-by=%s] %s bookworm main\n' "$keyring" "$mirror" ;;
	bookworm)
		printf 'deb [signed-by=%s] %s bookworm main\n' "$keyring" "$mirror"
		printf 'deb [signed-by=%s] %s bookworm-security main\n' "$keyring" "$security"
		;;
	backports) printf 'deb [signed-by=%s] %s trixie-backports main\n' "$keyring" "$mirror" ;;
	*) printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$mirror" "$1" ;;
	esac
}

# debian_apt GROUP PROGRAM ARGUMENT...: runs a program of apt with the group's lists.
debian_apt()
{
	APT_CONFIG=$cache/debian/$1/apt.conf LC_ALL=C "${@:2}"
}

# debian_update GROUP: brings the group's lists up to date, unless that was done within the last day. Without a network,
# older lists do. They are fetched by one run at a time.
debian_update()
(
	group=$1 dir=$cache/debian/$1 machine=amd64
	[[ $group != *-* ]] || machine=${group##*-}
	mkdir -p "$dir"/{lists,archives}/partial || exit
	exec 9>"$dir/lock"
	flock 9
	[[ -z $(find "$dir/updated" -mtime -1 2>/dev/null) ]] || exit 0
	debian_sources "$group" >"$dir/sources.list"
	cat >"$dir/apt.conf" <<-END
	Dir::State "$dir";
	Dir::State::status "/dev/null";
	Dir::Cache "$dir";
	Dir::Etc::sourcelist "$dir/sources.list";
	Dir::Etc::sourceparts "/dev/null";
	Dir::Etc::main "/dev/null";
	Dir::Etc::parts "/dev/null";
	Dir::Etc::preferences "/dev/null";
	Dir::Etc::preferencesparts "/dev/null";
	APT::Architecture "$machine";
	APT::Architectures "$machine";
	APT::Sandbox::User "root";
	Acquire::Languages "none";
	END
	apt-config dump 2>/dev/null | grep -iE '^Acquire::[a-z]+::(Proxy|Proxy-Auto-Detect|Verify-Peer|CaInfo)[: ]' >>"$dir/apt.conf" || :
	if debian_apt "$group" apt-get -qq update >"$dir/log" 2>&1 && ! grep -q '^[EW]:' "$dir/log"; then
		touch "$dir/updated"
	elif [[ ! -e $dir/updated ]]; then
		grep -m1 '^[EW]:' "$dir/log" >&2
		exit 1
	fi
)

# debian_newest GROUP PATTERN: prints the packages of the group whose name matches the extended regular expression, by
# version, the newest one first.
debian_newest()
{
	debian_apt "$1" apt-cache pkgnames | grep -xE "$2" | sort -rV
}

# debian_depends GROUP PACKAGE PATTERN: prints those packages that PACKAGE depends on whose name matches.
debian_depends()
{
	debian_apt "$1" apt-cache depends "$2" 2>/dev/null | awk '$1 == "Depends:" { print $2 }' | grep -xE "$3"
}

# debian_version GROUP PACKAGE: prints the version that would be fetched.
debian_version()
{
	debian_apt "$1" apt-cache show --no-all-versions "$2" | sed -n 's/^Version: //p'
}

# debian_unpack GROUP DIR PACKAGE...: fetches packages and unpacks them into DIR, which exists.
debian_unpack()
{
	local group=$1 dir=$2 deb
	shift 2

	mkdir -p "$dir/.debs" || return
	(cd "$dir/.debs" && debian_apt "$group" apt-get -qq download "$@") || return
	for deb in "$dir"/.debs/*.deb; do
		dpkg -x "$deb" "$dir" || return
	done
	rm -rf "$dir/.debs"
}
