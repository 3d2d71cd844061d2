# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the tests of text slots. Sources tap.sh.

slots_here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
# shellcheck source=tests/guest/tap.sh
. "$slots_here/tap.sh"

kcore() # runs kcore.pl with these arguments
{
	perl "$slots_here/kcore.pl" "$@"
}

addresses() # REGULAR-EXPRESSION: prints the addresses of the symbols that match
{
	awk -v name="^($1)\$" '$3 ~ name { print $1 }' /proc/kallsyms | sort -u
}
