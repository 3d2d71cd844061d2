# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of text slots share, besides tap.sh, which this sources.

slots_here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
# shellcheck source=tests/guest/tap.sh
. "$slots_here/tap.sh"

kcore() # as kcore.pl
{
	perl "$slots_here/kcore.pl" "$@"
}

addresses() # SYMBOL REGULAR EXPRESSION
{
	awk -v name="^($1)\$" '$3 ~ name { print $1 }' /proc/kallsyms | sort -u
}
