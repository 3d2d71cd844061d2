#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# hytrace NAME becomes hytrace-NAME where it has no such command itself: where such a program is looked for, and what is said
# if there is none.

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
cd "$tap_scratch" || exit 1

# says STATUS TEXT COMMAND...: the status, and that standard error has the text
says()
{
	local status=0 expected=$1 text=$2
	shift 2
	"$@" >out 2>err || status=$?
	[[ $status == "$expected" ]] && grep -qF -- "$text" err && return
	echo "status $status: $(<err)"
	return 1
}

for name in boot tailor bench; do
	is "hytrace $name is a program beside it" "$("$hytrace" "$name" --version)" "$("$hytrace" --version)"
	ok "its messages have its name, and so do those of hytrace-$name" says 2 "hytrace $name: unrecognized option '--frob'" \
		"$clone/build/hytrace-$name" --frob
	ok "hytrace --help lists $name" grep -q "^  $name " <("$hytrace" --help)
done

mkdir -p usr/bin usr/libexec/hytrace
cp "$hytrace" usr/bin
ok 'a program that is listed, and not there, is missing' says 1 'boot: the program hytrace-boot is missing' usr/bin/hytrace boot
ok 'a subcommand is none' says 2 'hytrace event: boot: no such command' "$hytrace" event boot
ok 'any other one is no command' says 2 'hytrace: foo: no such command' usr/bin/hytrace foo
cp "$clone/build/hytrace-boot" usr/libexec/hytrace
is 'once it is installed, it is found from there' "$(cd / && "$tap_scratch/usr/bin/hytrace" boot --version)" "$("$hytrace" --version)"
printf '#!/bin/sh\necho "$#: $*"\nexit 7\n' >usr/libexec/hytrace/hytrace-own
ok 'one that cannot be executed is named' says 3 'hytrace-own cannot be executed: Permission denied' usr/bin/hytrace own
chmod +x usr/libexec/hytrace/hytrace-own
is 'any other program of that name is run, with its arguments and its status' \
	"$(usr/bin/hytrace own -x 'a b' --help; echo $?)" $'3: -x a b --help\n7'
if ((EUID == 0)); then
	cp usr/libexec/hytrace/hytrace-own usr/bin/hytrace-theirs
	chown 65534 usr/bin/hytrace-theirs
	ln -s /bin/true usr/bin/hytrace-linked
	chown -h 65534 usr/bin/hytrace-linked
	ok 'a program of somebody else is not executed' says 3 'belongs to neither root, nor you' usr/bin/hytrace theirs
	ok 'nor is a link of somebody else' says 3 'belongs to neither root, nor you' usr/bin/hytrace linked
fi
# hytrace-bench starts hytrace.
cp "$hytrace" usr/libexec/hytrace/another
cp usr/libexec/hytrace/hytrace-own usr/bin/hytrace-there
is 'a program in libexec finds those in bin' "$(usr/libexec/hytrace/another there)" '0: '
cp usr/libexec/hytrace/hytrace-own usr/bin/hytrace-..
ok 'no name leads elsewhere' says 2 'no such command' usr/bin/hytrace ../libexec/hytrace/hytrace-own
ok 'nor one with other characters' says 2 'no such command' usr/bin/hytrace ..
# A name that was cut would be this one's.
cp usr/libexec/hytrace/hytrace-own "usr/bin/hytrace-$(printf 'a%.0s' {1..55})"
ok 'a long name is no command' says 2 'no such command' usr/bin/hytrace "$(printf 'a%.0s' {1..300})"
ln -s "$tap_scratch/usr/bin/hytrace" link
is 'a link to hytrace finds the programs of where it leads' "$(./link own)" '0: '
tap_end
