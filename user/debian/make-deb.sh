#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `make deb`: hytrace as a Debian package, build/deb/hytrace_VERSION_amd64.deb. A copy of what git knows of this
# clone, edits included, becomes a source tree with a debian/ directory; dpkg-buildpackage does the rest. The
# version is the loader's, and the date that of the last commit, so that the same commit gives the same package.
# Needs no network and no root.

set -euo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
clone=$(realpath "$here/../..")
out=$clone/build/deb
version=$(sed -n 's/.*HYTRACE_VERSION "\(.*\)"/\1/p' "$clone/user/base/version.h")
tree=$out/hytrace-$version
log=$out/build.log

die()
{
	printf 'make deb: %s\n' "$*" >&2
	exit 1
}

for program in dpkg-buildpackage dh git; do
	command -v $program >/dev/null ||
		die "$program is not installed; \`make deps\` installs what is needed"
done
[[ $version ]] || die 'user/base/version.h has no HYTRACE_VERSION'
rm -rf "$tree" "$out"/hytrace_* "$out"/hytrace-dbgsym_*
mkdir -p "$tree"
cd "$clone"
git ls-files -z | tar --null -T - --ignore-failed-read -c 2>/dev/null | tar -x -C "$tree"
mv "$tree/user/debian" "$tree/debian"
rm "$tree/debian/make-deb.sh"
# The list of packages is the one of `make deps`.
sed -i "s/@BUILD-DEPENDS@/$(.ci/deps --list "the loader|the kernel's source|BPF programs|man pages" |
	paste -sd, | sed 's/,/, /g')/" "$tree/debian/control"
date=$(git log -1 --format=%ct)
cat >"$tree/debian/changelog" <<-END
	hytrace ($version) unstable; urgency=medium

	  * Version $version, of commit $(git rev-parse --short=12 HEAD).

	 -- $(sed -n 's/^Maintainer: //p' "$tree/debian/control")  $(date -R -u -d "@$date")
END
# What make hands on to what it runs is not for another make.
unset MAKEFLAGS MAKELEVEL MFLAGS HYTRACE_MAKE_LOCKED
(cd "$tree" && SOURCE_DATE_EPOCH=$date dpkg-buildpackage --build=binary --no-sign -j"$(nproc)") >"$log" 2>&1 || {
	grep -m3 -A3 -E 'error:|Unmet build dependencies|\*\*\*' "$log" >&2 || tail -n 15 "$log" >&2
	die "building the package failed; the whole log is $log"
}
rm -rf "$tree"
ls "$out"/hytrace_*.deb
