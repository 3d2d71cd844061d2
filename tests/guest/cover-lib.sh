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
			'any(.functions[]; .name == $f)' "$document"
	done
}

# once DOCUMENT: no place has two entries of one kind
once()
{
	is 'each place is there once' "$(jq -r '((.functions | map(. + {kind: 1})) + (.callers | map(. + {kind: 2})))[] |
		[.addr, .module, .offset, .kind] | @csv' "$1" |
		sort | uniq -d)" ''
}

# Where _stext is linked. A stock kernel has no vmlinux here, and is linked where all of x86-64 are.
linked_stext()
{
	if [[ ${HYTRACE_VMLINUX:-} ]]; then
		nm "$HYTRACE_VMLINUX" | awk '$3 == "_stext" { print $1 }'
	else
		echo ffffffff81000000
	fi
}

# "ADDRESS NAME" of the kernel's text as linked: the guest's /proc/kallsyms, which is here, moved to there
linked_symbols()
{
	perl -e 'no warnings "portable"; my ($linked, $off) = (hex(shift)); my @text;
		while (<>) { my ($a, $t, $n) = split; next if $t !~ /[tTwW]/ || /\[/;
			$off = hex($a) - $linked if $n eq "_stext"; push(@text, [hex($a), $n]); }
		printf("%x %s\n", $_->[0] - $off, $_->[1]) for @text;' "$(linked_stext)" kallsyms
}

# symbols_agree DOCUMENT: with those of the kernel, which know nothing of the document's own offset
symbols_agree()
{
	is 'its addresses are as linked' "$(jq -r '.kernel.addresses' "$1")" linked
	jq -r '.functions[] | select(.module == null) | "\(.addr) \(.name)"' "$1" |
		sed 's/^0x//' | sort >addresses
	linked_symbols | sort >linked
	is 'each function'\''s address, as linked, is that of its symbol' \
		"$(comm -23 addresses linked | head)" ''
	ok 'there are some' test "$(wc -l <addresses)" -gt 300
}
