#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests `hytrace features` as far as it does not matter which machine this is: its two forms agree, the document fits its
# schema, and each feature is explained in the man page. The answers themselves are tested in guests.

# shellcheck disable=SC2016 # jq has variables of its own

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
. "$clone/tests/guest/schema-lib.sh"
cd "$tap_scratch" || exit 1

# usage_error ARGUMENT...
usage_error()
{
	"$hytrace" features "$@" >out 2>err
	[[ $? == 2 && ! -s out && -s err ]]
}

ok 'it prints a document' "$hytrace" features -f json
"$hytrace" features -f json >features.json
ok 'the document fits its schema' valid features features.json
jq 'del(.features[0].here)' features.json >wrong.json
ok 'which takes no other' invalid features wrong.json
"$hytrace" features >features.txt
is 'the text has the same features with the same answers' \
	"$(awk 'NR > 1 && /^[a-z]/ { print $1, $2 }' features.txt)" "$(jq -r '.features[] | "\(.name) \(.here)"' features.json)"
is 'no name is there twice' "$(jq -r '.features[].name' features.json | sort | uniq -d)" ''
is 'one that is not there has a reason' "$(jq -r '.features[] | select(.here != "yes" and .reason == null) | .name' features.json)" ''
is 'and a remedy, or is for somebody else to tell' \
	"$(jq -r '.features[] | select(.here == "no" and .remedy == null and (.reason | test("Permission|Operation") | not)) |
		.name' features.json)" ''
is 'each is in the man page, and no other' \
	"$(sed -n '/^# FEATURES/,/^# FORMATS/p' "$clone/docs/hytrace-features.1.scd" | grep '^\*' | grep -o '[a-z][a-z0-9-]*' | sort)" \
	"$(jq -r '.features[].name' features.json | sort)"
is 'one that is asked for is the only one' "$("$hytrace" features -f json btf tracefs | jq -c '[.features[].name]')" '["tracefs","btf"]'
for here in yes no unknown; do
	name=$(jq -r --arg here $here '[.features[] | select(.here == $here) | .name][0] // ""' features.json)
	[[ ! $name ]] || {
		"$hytrace" features "$name" >out
		is "the status says whether it is there: $here" $? "$([[ $here == yes ]] && echo 0 || echo 3)"
	}
done
ok 'a feature that does not exist is a usage error' usage_error no-such-feature
ok 'and so is a format' usage_error -f xml
"$hytrace" features >/dev/full 2>err
is 'a failed write is an error' "$? $(grep -c 'standard output' err)" '1 1'
# refused ERROR: the answer for the BPF program where the kernel refuses to load it. The verifier itself says nothing then.
refused()
{
	local n

	strace -e trace=bpf -o traced "$hytrace" features cover-program >/dev/null 2>&1
	n=$(grep -n 'prog_name="cover_entry' traced | sed -n '1s/:.*//p')
	[[ $n ]] && strace -e trace=bpf -e "inject=bpf:error=$1:when=$n+" -o injected "$hytrace" features -f json cover-program
}
if [[ $("$hytrace" features -f json cover-program | jq -r '.features[0].here') == yes ]] && type -P strace >/dev/null; then
	is 'a kernel that does not take the program is said not to, and why' "$(refused EINVAL | jq -r '.features[0] | .here, .reason')" \
		$'no\nit cannot be loaded: Invalid argument'
	is 'without memory, it is not known' "$(refused ENOMEM | jq -r '.features[0].here')" unknown
else
	ok 'a kernel that does not take the program is said not to # SKIP this one takes it not, or there is no strace' true
fi
# Asks as a user without capabilities, which must be the reason for each feature.
setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --no-new-privs \
	"$hytrace" features -f json cover-bpf cover-oneshot >nobody.json 2>err
is 'without privileges, these are the reason' \
	"$(jq -c '[.features[] | [.here, .needs]] | unique' nobody.json)" '[["no","capabilities"]]'

tap_end
