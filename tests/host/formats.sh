#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that a command which has -f and -o takes the format from FILE's ending, unless -f is given: of the commands that need
# no running kernel, each format; of all of them, what --help says.

. "$(dirname "$(realpath "$0")")/../guest/documents-lib.sh"

ok 'a kernel and its documents are there' small_kernel
printf '%s\n' '--- a/main.c' '+++ b/main.c' '@@ -3 +3 @@' '-a' '+b' >one.patch

# same FORMAT FILE ARGUMENT...: -o FILE is what -f FORMAT prints
same()
{
	local format=$1 file=$2
	shift 2

	rm -f "$file"
	"$hytrace" "$@" -f "$format" >wanted 2>err && "$hytrace" "$@" -o "$file" 2>err && cmp wanted "$file" && return
	cat err
	return 1
}

# After same text: of two names, the last one gives the format.
last()
{
	"$hytrace" "$@" -o named.json -o named.txt 2>err && cmp wanted named.txt
}

while IFS=: read -r formats command; do
	for format in $formats; do
		# shellcheck disable=SC2086 # a list of words
		ok "$command: a name ends with .$format" same "$format" "named.$format" $command
	done
	# shellcheck disable=SC2086
	{
		ok "$command: a name ends with what is no format of it" same text named.pdf $command
		ok "$command: -f counts more than the name" same text named.json $command -f text
		ok "$command: the last name counts" last $command
	}
done <<'COMMANDS'
text json tap:affected --vmlinux vmlinux --store a.json one.patch
text json:boot compare boot.json boot.json
text json:callers --vmlinux vmlinux vfs_read a.json
text json:calls --vmlinux vmlinux vfs_read a.json
text json:diff a.json a.json
text json:functions --vmlinux vmlinux
text json:why --vmlinux vmlinux vfs_read
text json tailor lcov html dot folded:report --vmlinux vmlinux a.json
COMMANDS
ok 'report: lcov is .info as well' same lcov named.info report --vmlinux vmlinux a.json

subcommands()
{
	"$hytrace" "$@" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'
}

is 'each other command that has both options says the same' "$({ subcommands
	subcommands event | sed 's/^/event /'
	subcommands boot | sed 's/^/boot /'; } | while read -r command; do
	# shellcheck disable=SC2086
	help=$("$hytrace" $command --help 2>&1)
	[[ $help != *--format=*--output=* ]] || tr -s ' \n' ' ' <<<"$help" | grep -qE "FILE's ending selects it|ending of the report's FILE selects it" ||
		echo "$command"
done)" ''

tap_end
