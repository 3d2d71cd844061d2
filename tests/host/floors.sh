#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests .ci/floors, which checks the loader's includes against its table of folders: it must find violations.

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
tree=$tap_scratch/user
cp -r "$clone/user" "$tree"
cd "$tap_scratch" || exit 1

floors()
{
	find user -name '*.[ch]' | sort | xargs "$clone/.ci/floors" 2>&1
}

# finds WHAT FILE LINE TEXT: .ci/floors prints TEXT if LINE is the first include of FILE
finds()
{
	cp "$tree/$2" "$tap_scratch/kept"
	sed -i "0,/^#include/s||$3\n#include|" "$tree/$2"
	is "$1" "$(floors | sed "s|:[0-9]*:|:|")" "user/$2: $4"
	cp "$tap_scratch/kept" "$tree/$2"
}

is 'the loader has no violation' "$(floors)" ''
finds 'boot must not use cover' boot/span.c '#include "cover/options.h"' 'boot does not use cover; see .ci/floors'
finds 'event must not use boot' event/hist.c '#  include "boot/calls.h"' \
	'event does not use boot; see .ci/floors'
finds 'kernel must not use run' kernel/running.h '#include "run/guard.h"' \
	'kernel does not use run; see .ci/floors'
finds 'base must not use kernel' base/error.c '#include "kernel/symbols.h"' \
	'base does not use kernel; see .ci/floors'
finds 'a path with .. is no way around' run/pin.c '#include "../event/json.h"' 'run does not use ..; see .ci/floors'
finds 'an include must name its folder' cover/run.c '#include "error.h"' '"error.h" does not say its folder'
finds 'a line has at most 120 columns' base/error.c "$(printf '//\t/* %0107d */' 0)" 'the line has more than 120 columns'
printf '//\t/* %0106d */\n' 0 >"$tap_scratch/user/base/wide.h"
is 'a tab counts up to the next multiple of 8 columns' "$(floors)" ''
rm "$tap_scratch/user/base/wide.h"
ok 'a skeleton of a BPF program needs no folder' grep -q '"cover.skel.h"' "$tree"/cover/bpf_cover.c

mkdir "$tree/attic"
echo '/* */' >"$tree/attic/old.c"
is 'a new folder needs a line in the table' "$(floors)" \
	'user/attic/old.c:1: the folder attic is not in the table of .ci/floors'
rm -r "$tree/attic"

for ((i = 0; i < 600; i++)); do
	echo '/* */'
done >>"$tree/base/error.c"
is 'a file of more than 600 lines' "$(floors | grep -v budget)" 'user/base/error.c:601: the file has more than 600 lines'
cp "$clone/user/base/error.c" "$tree/base/error.c"
mkdir -p tests/fuzz
most=$(grep -oE 'tests/fuzz [0-9]+' "$clone/.ci/floors" | cut -d' ' -f2)
yes '/* */' | head -n $((most + 1)) >tests/fuzz/it.c
is 'a folder with more lines than its budget' "$("$clone/.ci/floors" tests/fuzz/it.c)" \
	"tests/fuzz/it.c:$((most + 1)): tests/fuzz has more than the $most lines of its budget in .ci/floors"
sed -i '1d; 2s|.*|#include "nowhere/it.h"|' tests/fuzz/it.c
is 'a folder with as many lines as its budget, which may include anything' "$("$clone/.ci/floors" tests/fuzz/it.c)" ''
mkdir -p tests/attic
echo >tests/attic/it.c
is 'a new folder of tests needs a budget' "$("$clone/.ci/floors" tests/attic/it.c)" \
	'tests/attic/it.c:1: the folder attic is not in the table of .ci/floors'
echo '#include "boot/calls.h"' >"$tree/event/it.c"
ok '.ci/floors fails if it finds something' sh -c "! '$clone/.ci/floors' user/event/it.c"
ok '.ci/floors succeeds if it finds nothing' "$clone/.ci/floors" user/base/error.c
tap_end
