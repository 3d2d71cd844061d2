# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the host halves of hytrace cover's tests share, besides tap.sh, which this sources: $clone and $hytrace,
# and looks at a document of thousands of functions. They are in the directory of what their guest has left.
# shellcheck disable=SC2016 # jq has variables of its own

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
# shellcheck disable=SC2034 # by who sources this
hytrace=$clone/build/hytrace
# shellcheck source=tests/guest/tap.sh
. "$clone/tests/guest/tap.sh"

# ran DOCUMENT FUNCTION...: each of them is there, and not only as a caller
ran()
{
	local document=$1 function
	shift

	for function; do
		ok "$function ran" jq -e --arg f "$function" \
			'any(.functions[]; .name == $f and .kind != "caller")' "$document"
	done
}

# once DOCUMENT: no place has two entries
once()
{
	is 'each place is there once' "$(jq -r '.functions[] | [.addr, .module, .offset] | @csv' "$1" |
		sort | uniq -d)" ''
}

# symbols_agree DOCUMENT: with the guest's /proc/kallsyms, which is here
symbols_agree()
{
	local offset

	offset=$(jq -r '.kernel.kaslr_offset' "$1")
	ok 'the KASLR offset is known' test "$offset" != null
	jq -r '.functions[] | select(.kind != "caller" and .module == null) | "\(.addr) \(.name)"' "$1" |
		sed 's/^0x//' | sort >addresses
	perl -e 'no warnings "portable"; my $off = hex(shift); while (<>) { my ($a, $t, $n) = split;
		printf("%x %s\n", hex($a) - $off, $n) if $t =~ /[tTwW]/ && !/\[/; }' "$offset" kallsyms |
		sort >linked
	is 'each function'\''s address, as linked, is that of its symbol' \
		"$(comm -23 addresses linked | head)" ''
	ok 'there are some' test "$(wc -l <addresses)" -gt 300
}
