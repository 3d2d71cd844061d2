# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # what series.sh sets
#
# Finds the source of a newer kernel than 6.12, one to which the series applies. Sourced by series.sh.

# shellcheck source=kernel/debian.sh
. "$root/kernel/debian.sh"

# Fetches the source of a kernel to which the series applies: of $linux's major version, not older than $linux, the newest
# one in Debian's backports, or else in sid. One that was fetched before stays as long as the series applies to it. The exit
# status is 3 if there is none, but 1 if one of them is of $linux itself, or if something else fails.
fetch()
{
	local memo=$cache/debian/linux-$linux file='' group name names version tried=''

	[[ $edition && -z $tarball ]] || return 0
	find_cache
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

	LINUX=$linux HYTRACE_OTHER_LINUX='' HYTRACE_LINUX_TARBALL=$1 "$root/kernel/series.sh" ${touched:+--touched} \
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
{
	local tarball=$1 store repo

	find_store
	rm -rf "$store" "$tarball"
}

# Removes the tarballs that no kernel uses any longer.
drop_old_tarballs()
{
	local file

	for file in "$cache"/debian/linux-source-*.tar.xz; do
		grep -qxF -- "$file" "$cache"/debian/linux-[0-9]* || rm "$file"
	done
}

# Makes the commits of the series; if that fails because it does not apply, nothing is left to mend it in.
applies()
{
	import_source
	on_trial=1 series_commit >/dev/null
}
