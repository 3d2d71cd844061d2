#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests how t-guide compares what a guide shows with what its commands print (tests/guest/doc-lib.sh and shows.pl): a test
# of a document that finds nothing would not be noticed.
# shellcheck disable=SC2016 # backquotes are of the guides

. "$(dirname "$(realpath "$0")")/../guest/doc-lib.sh"
cd "$tap_scratch" || exit 1

# differs SHOWN PRINTED: whether the comparison finds a difference
differs()
{
	printf '%s\n' "$1" >shown
	printf '%s\n' "$2" >printed
	! "$clone/tests/guest/shows.pl" shown printed
}
agrees()
{
	! differs "$@"
}
text=$'Files:  12\nname_7 0 of 0x1a\nlast'
ok 'another number is the same' agrees "$text" $'Files: 3\nname_7 0 of 0xff\nlast'
ok 'another word is not' differs "$text" $'Files: 12\nname_7 0 of 0x1a\nfirst'
ok 'nor is another number in a word' differs "$text" $'Files: 12\nname_8 0 of 0x1a\nlast'
ok 'nor is a number in place of 0' differs "$text" $'Files: 12\nname_7 1 of 0x1a\nlast'
ok 'nor is 0 in place of a number' differs "$text" $'Files: 0\nname_7 0 of 0x1a\nlast'
ok 'nor is a line more' differs "$text" "$text"$'\nmore'
ok 'nor is a line less' differs "$text"$'\nmore' "$text"
ok 'dots stand for lines' agrees $'...\nb\n...\nd' $'a\nb\nc\nc\nd'
ok 'and for none' agrees $'...\na\n...\nb' $'a\nb'
ok 'but not for the order of the others' differs $'...\nb\n...\na\n...' $'a\nb\nc'
ok 'the last line is the last' differs $'...\nb' $'a\nb\nc'
ok 'the first line is the first' differs $'b\n...' $'a\nb\nc'
ok 'dots in a line stand for text' agrees 'ran: ...' 'ran: a b c'
ok 'and for no other line' differs 'ran: ...' 'did not run: a'

# ---- a guide

cat >guide.md <<'END'
Not a command:

```
# false
```

```console
# echo a; false
a
# echo $?
1
$ seq 3 |
	wc -l
3
# echo 4 b
4 c
# false
```
END
ok 'a guide is taken apart' sessions guide.md sessions
is 'its commands are those of console blocks' "$(cd sessions && echo *.root *.user)" '01.root 02.root 04.root 05.root 03.user'
play sessions root
play sessions user
(agree sessions) >results
is 'each command that fails, or prints something else, is a failure' "$(grep -E '^(not )?ok' results | sed 's/ [0-9]* - /: /')" \
'ok: is as shown: echo a; false
ok: succeeds: echo $?
ok: is as shown: echo $?
ok: succeeds: seq 3 |
ok: is as shown: seq 3 |
ok: succeeds: echo 4 b
not ok: is as shown: echo 4 b
not ok: succeeds: false
ok: is as shown: false'
printf '```console\nno command\n```\n' >bad.md
ok 'output without a command is refused' sh -c '! bash -c ". \"$0\"; sessions bad.md none" >out 2>&1 && grep -q "output without a command: no" out' \
	"$clone/tests/guest/doc-lib.sh"

# ---- what the guide must not show

# It yields a hundredth, and drops ACLs of tmpfs among others. docs/results.md has figures of both.
is 'neither the guide nor `make tailor` takes hytrace tailor --all unasked' \
	"$(cd "$clone" && grep -nE '^[^#`]*--all\b' docs/guide.md tests/guest/tailor.sh)" ''

tap_end
