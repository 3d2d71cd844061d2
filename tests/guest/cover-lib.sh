# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the host halves of hytrace cover's tests: checks of a document with thousands of
# functions. The current directory has the files that the guest has left. Sources tap.sh.
# shellcheck disable=SC2016 # jq has variables of its own

# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tap.sh"
. "$clone/tests/guest/schema-lib.sh"

# ran DOCUMENT FUNCTION...: the document has each of them as a function, and not only as a caller
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
	is 'each place has one entry of each kind' "$(jq -r '((.functions | map(. + {kind: 1})) + (.callers | map(. + {kind: 2})))[] |
		[.addr, .module, .offset, .kind] | @csv' "$1" |
		sort | uniq -d)" ''
}

# The address at which _stext is linked. Stock kernels have no vmlinux here; on x86-64 they all link it at the same one.
linked_stext()
{
	if [[ ${HYTRACE_VMLINUX:-} ]]; then
		nm "$HYTRACE_VMLINUX" | awk '$3 == "_stext" { print $1 }'
	else
		echo ffffffff81000000
	fi
}

# Prints "ADDRESS NAME" lines of the kernel's text as linked, computed from the guest's kallsyms in this directory
linked_symbols()
{
	perl -e 'no warnings "portable"; my ($linked, $off) = (hex(shift)); my @text;
		while (<>) { my ($a, $t, $n) = split; next if $t !~ /[tTwW]/ || /\[/;
			$off = hex($a) - $linked if $n eq "_stext"; push(@text, [hex($a), $n]); }
		printf("%x %s\n", $_->[0] - $off, $_->[1]) for @text;' "$(linked_stext)" kallsyms
}

# symbols_agree DOCUMENT: its addresses are those of the kernel's symbols, which are found without the document
symbols_agree()
{
	is 'the document says that its addresses are as linked' "$(jq -r '.kernel.addresses' "$1")" linked
	jq -r '.functions[] | select(.module == null) | "\(.addr) \(.name)"' "$1" |
		sed 's/^0x//' | sort >addresses
	linked_symbols | sort >linked
	is 'each function has the linked address of its symbol' \
		"$(comm -23 addresses linked | head)" ''
	ok 'the document has more than 300 functions' test "$(wc -l <addresses)" -gt 300
}

# reports_agree DOCUMENT TEXT [TAILOR]: reports that are made of the document later, without the kernel, are those that
# were printed when it was recorded; and all forms have the same numbers
reports_agree()
{
	local all

	# That of the loader alone: kernel/ goes on with its own.
	export HYTRACE_CACHE=${HYTRACE_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set; HYTRACE_CACHE= names another place}/.cache}/hytrace}
	export XDG_CACHE_HOME=$PWD/cache
	mkdir -p cache
	"$hytrace" report ${HYTRACE_VMLINUX:+--vmlinux "$HYTRACE_VMLINUX"} "$1" >report.txt
	is 'hytrace report prints what hytrace cover printed' "$(cat report.txt)" "$(cat "$2")"
	"$hytrace" report "$1" >again.txt
	is 'it does so from what was kept of the vmlinux, too' "$(cat again.txt)" "$(cat "$2")"
	"$hytrace" report -f json "$1" >report.json
	all=$(jq '.totals.functions' "$1")
	is 'the lines of the table have all functions' "$(sed -n '/^[[(a-z].* [0-9]* *[-0-9]* *[-0-9.%]*$/p' report.txt |
		awk '{ sum += $(NF - 2) } END { print sum }')" "$all"
	is 'so have the sums in json' "$(jq '.columns[0] | .seen + .beside + .unknown' report.json)" "$all"
	is 'and the groups' "$(jq '[.groups[].columns[0] | .seen + .beside + .unknown] | add' report.json)" "$all"
	is 'and the functions' "$(jq '[.functions[] | select(.seen[0])] | length' report.json)" "$all"
	is 'the share is the one that was counted when it was recorded' "$(jq -c '.columns[0] | [.seen, .asked_for + .own + .events]' report.json)" \
		"$(jq -c '.totals | [.traced_seen, .traced]' "$1")"
	if [[ ${3:-} ]]; then
		is 'hytrace report -f tailor writes the same list' "$("$hytrace" report -f tailor "$1" | cksum)" "$(cksum <"$3")"
	fi
	ok 'the document is valid' valid coverage "$1"
	ok 'the report is valid' valid report report.json
}
