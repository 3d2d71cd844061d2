# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # what vm.sh sets and uses
#
# Debian's own kernels, to test against: unpacked from their packages into $cache/stock/RELEASE, never installed.
# Sourced by vm.sh.
#
# $cache/stock/latest-NAME names the package that NAME stands for. Debian is asked again after a week; without a network,
# the kernel that is there goes on being used.

# Each has a group of debian.sh, and the names of its packages. What comes after 7.3 is as good.
declare -A stock_kernels=(
	[stock-6.1]='bookworm linux-image-6\.1\.[0-9]+-[0-9]+-amd64'
	[stock-6.12]='bookworm linux-image-6\.12\.[0-9]+\+deb[0-9.]+-amd64'
	[stock-7.3]='backports linux-image-7\.[0-9]+\.[0-9]+\+deb[0-9.]+-amd64'
)

# unpack_stock GROUP PACKAGE DIR: newer packages have the image and the modules in others. Whether the modules are in
# lib or usr/lib depends on the package, and where kmod looks for them, on this machine; so one is a link to the other.
unpack_stock()
{
	local group=$1 package=$2 dir=$3 release=${2#linux-image-} tmp
	tmp=$(mktemp -d "$cache/stock/.unpack.XXXXXX")
	# shellcheck disable=SC2064 # this tmp
	trap "rm -rf '$tmp'" EXIT
	say "fetching Debian's $package (about 110 MB, once)"
	# shellcheck disable=SC2046 # names of packages
	debian_unpack "$group" "$tmp" "$package" \
		$(debian_depends "$group" "$package" "linux-(base|binary|modules)-[0-9].*") ||
		die "cannot fetch $package; is there a network, and room in $cache?"
	if [[ -d $tmp/lib ]]; then
		mkdir -p "$tmp/usr/lib"
		mv "$tmp"/lib/* "$tmp/usr/lib"
		rmdir "$tmp/lib"
	fi
	ln -s usr/lib "$tmp/lib"
	[[ -d $tmp/boot ]] || ln -s "lib/modules/$release" "$tmp/boot"
	# Modules need the index that an installation would have made.
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$tmp" "$release" || die "depmod failed for $package"
	chmod 755 "$tmp"
	rm -rf "$dir"
	mv "$tmp" "$dir"
	trap - EXIT
}

# Removes kernels that a Debian update has replaced, and what a killed unpack_stock() has left.
drop_old_stock()
{
	local dir

	for dir in "$cache"/stock/*/ "$cache"/stock/.unpack.*/; do
		dir=${dir%/}
		[[ -d $dir && $(find "$dir" -maxdepth 0 -mmin +60) ]] || continue
		grep -qxF "linux-image-${dir##*/}" "$cache"/stock/latest-* || rm -rf "$dir"
	done
}

# ask_stock NAME GROUP PATTERN: brings latest-NAME up to date.
ask_stock()
{
	local name=$1 group=$2 pattern=$3 latest=$cache/stock/latest-$1 package

	[[ -z $(find "$latest" -mtime -7 2>/dev/null) ]] || return 0
	package=$(debian_update "$group" && debian_newest "$group" "$pattern" | sed -n 1p) || true
	if [[ $package ]]; then
		printf '%s\n' "$package" >"$latest.$$" && mv "$latest.$$" "$latest"
	elif [[ -e $latest ]]; then
		say "Debian's list of kernels cannot be had now; using the kernel that was unpacked before"
		touch "$latest"
	else
		die "there is no package for $name; is there a network?"
	fi
}

# find_stock NAME: sets $image and $modules.
find_stock()
{
	local name=$1 group pattern package dir
	read -r group pattern <<<"${stock_kernels[$name]}"
	ask_stock "$name" "$group" "$pattern"
	package=$(<"$cache/stock/latest-$name")
	dir=$cache/stock/${package#linux-image-}
	if [[ ! -d $dir ]]; then
		(flock 9; [[ -d $dir ]] || unpack_stock "$group" "$package" "$dir"; drop_old_stock) 9>"$cache/stock/.lock"
	fi
	image=$(echo "$dir"/boot/vmlinuz*)
	modules=$(echo "$dir"/lib/modules/*)
}
