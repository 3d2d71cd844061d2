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
	[stock-i386]='bookworm-i386 linux-image-6\.1\.[0-9]+-[0-9]+-686-pae'
	[stock-arm64]='bookworm-arm64 linux-image-6\.1\.[0-9]+-[0-9]+-arm64'
	[stock-7.3]='backports linux-image-7\.([3-9]|[1-9][0-9]+)\.[0-9]+\+deb[0-9.]+-amd64'
)

# unpack_stock GROUP PACKAGE DIR: fails if the package cannot be had. Newer packages have the image and the modules in
# others. Whether the modules are in lib or usr/lib depends on the package, and where kmod looks for them, on this
# machine; so one is a link to the other.
unpack_stock()
{
	local group=$1 package=$2 dir=$3 release=${2#linux-image-} tmp
	tmp=$(mktemp -d "$cache/stock/.unpack.XXXXXX") || return
	# shellcheck disable=SC2064 # this tmp
	trap "rm -rf '$tmp'" EXIT
	say "fetching Debian's $package (about 110 MB, once)"
	# shellcheck disable=SC2046 # names of packages
	debian_unpack "$group" "$tmp" "$package" \
		$(debian_depends "$group" "$package" "linux-(base|binary|modules)-[0-9].*") || {
		rm -rf "$tmp"
		return 1
	}
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

# ask_stock NAME GROUP PATTERN: brings latest-NAME up to date, and unpacks the kernel that it names.
ask_stock()
{
	local name=$1 group=$2 pattern=$3 latest=$cache/stock/latest-$1 package dir

	[[ -z $(find "$latest" -mtime -7 2>/dev/null) || ! -d $cache/stock/$(sed 's/^linux-image-//' "$latest") ]] || return 0
	package=$(debian_update "$group" && debian_newest "$group" "$pattern" | sed -n 1p) || true
	dir=$cache/stock/${package#linux-image-}
	if [[ $package ]] && { [[ -d $dir ]] || unpack_stock "$group" "$package" "$dir"; }; then
		printf '%s\n' "$package" >"$latest.$$" && mv "$latest.$$" "$latest"
		drop_old_stock
	elif [[ -e $latest && -d $cache/stock/$(sed 's/^linux-image-//' "$latest") ]]; then
		say "Debian's newest kernel cannot be had now; using the one that was unpacked before"
		touch "$latest"
	else
		die "cannot fetch ${package:-a package for $name}; is there a network, and room in $cache?"
	fi
}

# find_stock NAME: sets $image and $modules.
find_stock()
{
	local name=$1 group pattern dir
	read -r group pattern <<<"${stock_kernels[$name]}"
	(flock 9; ask_stock "$name" "$group" "$pattern") 9>"$cache/stock/.lock" || exit
	dir=$cache/stock/$(sed 's/^linux-image-//' "$cache/stock/latest-$name")
	image=$(echo "$dir"/boot/vmlinuz*)
	modules=$(echo "$dir"/lib/modules/*)
}
