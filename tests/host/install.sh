#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests what `make install` installs, and that its documentation is complete: each option of the program is in its man
# page and is completed, and there are no others.

set -uo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
# shellcheck source=tests/guest/tap.sh
. "$clone/tests/guest/tap.sh"
cd "$clone" || exit 1

dest=$tap_scratch/dest

installed()
{
	(cd "$dest" && find . -type f -printf '%m %p\n' | sort -k 2)
}

# expected PREFIX: prints the files that must be installed.
expected()
{
	local page

	echo "755 .$1/bin/hytrace"
	echo "644 .$1/share/bash-completion/completions/hytrace"
	for page in docs/*.[0-9].scd; do
		echo "644 .$1/share/man/man1/$(basename "$page" .scd)"
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

# ---- options

# The options of each command that come from the library that parses options.
common='--help|--usage|--version'

# option_words COMMAND...: prints the long options of its --help
option_words()
{
	"$hytrace" "$@" --help | grep -oE '^ +(-., | +)--[a-z-]+' | grep -oE -e '--[a-z-]+' |
		grep -vxE -e "$common" | sort
}

# Prints the short options of a command's --help, each with its long one.
short_words()
{
	"$hytrace" "$@" --help | sed -nE 's/^ +(-[a-zA-Z]), (--[a-z-]+).*/\1 \2/p' |
		grep -vE -e " ($common)\$" | sort
}

# of_page COMMAND: prints the options with a paragraph of their own in the man page
of_page()
{
	sed -nE 's/^\*(-., )?(--[a-z-]+)\*.*/\2/p' "$clone/docs/hytrace-$1.1.scd" | sort -u
}

short_of_page()
{
	sed -nE 's/^\*(-.), (--[a-z-]+)\*.*/\1 \2/p' "$clone/docs/hytrace-$1.1.scd" | sort -u
}

# completed WORD...: prints the completions that bash offers for the last word
completed()
{
	PATH=$tap_scratch/usr/bin:$PATH \
		bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hytrace; printf "%s\n" "${COMPREPLY[@]}"' \
		"$tap_scratch/usr/share/bash-completion/completions/hytrace" hytrace "$@" | sort
}

completed_options()
{
	completed "$@" -- | grep -vxE -e "$common|"
}

subcommands()
{
	"$hytrace" "$@" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort
}

# described PAGE SECTION: prints the words with a paragraph of their own in this section.
described()
{
	sed -n "/^# $2/,/^# [^${2:0:1}]/s/^\*\([a-z]*\)\*\$/\1/p" "$clone/docs/$1.1.scd" | sort
}

is 'each command is completed' "$(completed '' | grep -v '^-')" "$(subcommands)"
is 'each command has a man page' "$(cd "$clone/docs" && printf '%s\n' hytrace-*.scd | sed 's/hytrace-\(.*\)\.1\.scd/\1/')" \
	"$(subcommands)"
is 'each command is in hytrace(1)' "$(described hytrace COMMANDS)" "$(subcommands)"
is 'each command of event is completed' "$(completed event '' | grep -v '^-')" "$(subcommands event)"
is 'each command of event is in its man page' "$(described hytrace-event DESCRIPTION)" "$(subcommands event)"

for command in cover compare features boot bench; do
	ok "$command has options" test -n "$(option_words $command)"
	is "$command: all options are in the man page" "$(of_page $command)" "$(option_words $command)"
	is "$command: all short options are in the man page" "$(short_of_page $command)" "$(short_words $command)"
	is "$command: all options are completed" "$(completed_options $command)" "$(option_words $command)"
done
mapfile -t events < <(subcommands event)
is 'event: all options are in the man page' "$(of_page event)" \
	"$(for command in "${events[@]}"; do option_words event "$command"; done | sort -u)"
for command in record list; do
	is "event $command: all options are completed" "$(completed_options event $command)" \
		"$(option_words event $command)"
done

# ---- values: "there is no such format; choose text, json or tailor"

choices()
{
	"$hytrace" "$@" nonesuch 2>&1 | sed -nE 's/.*choose (.*)/\1/p' | sed -E 's/,| or / /g' |
		tr -s ' ' '\n' | sort
}

for words in 'cover --engine' 'cover --format' 'features --format' 'boot --format' 'event record --format' 'event list --format'; do
	# shellcheck disable=SC2086 # a list of words
	ok "$words has values" test -n "$(choices $words)"
	# shellcheck disable=SC2086
	is "$words: each value is completed" "$(completed $words '')" "$(choices $words)"
done

tap_end
