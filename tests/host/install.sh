#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests what `make install` installs, and that it works without the clone. commands.sh tests the help, the
# man page and the completion of each command.

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
cd "$clone" || exit 1

dest=$tap_scratch/dest

installed()
{
	(cd "$dest" && find . ! -type d -printf '%m %p\n' | sort -k 2)
}

# expected PREFIX: prints the files that must be installed.
expected()
{
	local page name

	echo "755 .$1/bin/hytrace"
	printf "755 .$1/libexec/hytrace/hytrace-%s\n" bench boot tailor
	echo "644 .$1/share/bash-completion/completions/hytrace"
	echo "644 .$1/share/zsh/site-functions/_hytrace"
	(cd docs/schema && printf "644 .$1/share/hytrace/schema/%s\n" *.json store.md)
	for page in docs/*.[0-9].scd; do
		echo "644 .$1/share/man/man1/$(basename "$page" .scd)"
		# A page about two commands has a link for the other one.
		for name in $(sed -n '/^# NAME/,/^# [^N]/s/,* - .*//p' "$page" | tr -d ,); do
			[[ $name.1.scd == "${page#docs/}" ]] || echo "777 .$1/share/man/man1/$name.1"
		done
	done
}

ok 'make install succeeds' make -s install DESTDIR="$dest"
is 'make install puts everything below /usr/local' "$(installed)" "$(expected /usr/local | sort -k 2)"
rm -rf "$dest"
ok 'make install with a prefix succeeds' make -s install DESTDIR="$dest" PREFIX=/usr
is 'make install puts everything below the prefix' "$(installed)" "$(expected /usr | sort -k 2)"

# The files move to another place, where another user would have them, without the clone.
mv "$dest/usr" "$tap_scratch/usr"
hytrace=$tap_scratch/usr/bin/hytrace
cd / || exit 1
is 'the installed program runs' "$("$hytrace" --version)" \
	"hytrace $(sed -n 's/.*HYTRACE_VERSION "\(.*\)"/\1/p' "$clone/user/base/version.h")"
ok 'it needs nothing of the clone' sh -c "! readelf -d '$hytrace' | grep -E 'R(UN)?PATH'"
for page in "$tap_scratch"/usr/share/man/man1/*; do
	ok "$(basename "$page") is a man page" grep -q '^\.SH NAME' "$page"
done
is 'each schema that a man page names is installed' "$(cd "$tap_scratch/usr" &&
	grep -oh 'share/hytrace/schema/[a-z-]*\.[a-z]*' "$clone"/docs/*.scd | xargs ls 2>&1 >/dev/null)" ''
is 'no man page names a schema of the clone' "$(grep -l 'docs/schema/[a-z]' "$clone"/docs/*.scd)" ''

tap_end
