#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests what .ci/check says of what it leaves out, and which scripts it reads. kernel/build.sh and series.sh are
# made by this script.

# shellcheck disable=SC2016 # scripts, as they are written

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
export HYTRACE_CACHE=$tap_scratch/cache tree=$tap_scratch/tree
mkdir -p "$tree"/{.ci,kernel} "$tap_scratch/bin" "$HYTRACE_CACHE/debian"
cp "$clone/.ci/check" "$tree/.ci"
cp "$clone"/kernel/{common.sh,series-*} "$tree/kernel"
export PATH=$tap_scratch/bin:$PATH

# stand_in FILE: makes a program
stand_in()
{
	cat >"$1"
	chmod +x "$1"
}

# fetching STATUS [CHECKING [VERSION]]: a series.sh whose --fetch and --check end with these
fetching()
{
	stand_in "$tree/kernel/series.sh" <<-END
	#!/bin/sh
	case "\$*" in
	*--fetch) exit $1 ;;
	*--mails) mkdir -p build/check-series-7.3 && cd build/check-series-7.3 && touch ${patches-0001-x.patch} 0000-x.patch ;;
	*--check) exit ${2:-0} ;;
	esac
	END
	stand_in "$tree/kernel/build.sh" <<<$'#!/bin/sh\n'"echo '$HYTRACE_CACHE/linux-${3:-7.3.4-1}'"
}

check()
{
	"$tree/.ci/check" "$@" >"$tap_scratch/out" 2>&1
}

# said WHAT STATUS TEXT: the last check ended with this status, and printed one line with TEXT
said()
{
	is "$1" "$? $(grep -c "$3" "$tap_scratch/out")" "$2 1"
}

stamp=$HYTRACE_CACHE/debian/checked-7.3
for version in 7.3.4-1 7.4.1-1; do
	mkdir -p "$HYTRACE_CACHE/linux-$version/scripts"
	stand_in "$HYTRACE_CACHE/linux-$version/scripts/checkpatch.pl" <<<$'#!/bin/sh\n[ ! -e "$HYTRACE_CACHE/bad" ]'
done
fetching 0
check 7.3
is 'what is checked is not named' "$? $(grep -c 'not checked' "$tap_scratch/out")" '0 0'
ok 'and its time is kept' [ -e "$stamp" ]
touch "$HYTRACE_CACHE/bad"
check 7.3
said 'what checkpatch finds is found' 1 'something was found by'
rm -r "$HYTRACE_CACHE/bad" "$tree/build"
patches='' fetching 0
check 7.3
said 'a series without patches is no series' 1 'there are no patches in '
fetching 0
touch -d '13 days ago' "$stamp"
fetching 3
check 7.3
said 'a source that is not to be had is no fault for two weeks, and named' 0 '^make check: not checked: Linux 7.3, because there is no source'
touch -d '15 days ago' "$stamp"
check 7.3
said 'after that it is one' 1 'Linux 7.3 has not been checked since 2'
ok '... of that part' grep -q 'something was found by: series, checkpatch, sparse, W=1 on Linux 7.3' "$tap_scratch/out"
fetching 0 1 7.4.1-1
check 7.3
said 'what is found in a newer kernel is judged in the same way' 1 'not checked: Linux 7.3, because what was found'
rm "$stamp"
check 7.3
said 'in a new cache the two weeks begin' 0 'not checked: Linux 7.3, because what was found'
ok '... now' [ -e "$stamp" ]
fetching 0 1
check 7.3
is 'what is found in 7.3 is a finding' "$? $(grep -c 'not checked' "$tap_scratch/out")" '1 0'
fetching 1
check 7.3
is 'so is a failure to fetch' "$?" 1

git init -q "$tree"
printf '#!/bin/bash\ncp "$1" two\n' >"$tree/program"
printf 'cd "$one"\n' >"$tree/sourced.sh"
printf 'use strict;\n' >"$tree/other.pl"
git -C "$tree" add -f program sourced.sh other.pl
check shellcheck
said 'a mistake in a script that is sourced is found' 1 '^In sourced.sh line 1:'
sed -i 's/$/ || return/' "$tree/sourced.sh"
check shellcheck
is 'a variable that others set is none' "$? $(wc -l <"$tap_scratch/out")" '0 1'
echo 'cat $1' >>"$tree/program"
check shellcheck
said 'one in a program is found' 1 '^In program line 3:'
check shellcheck typos
said 'a part that there is not is refused, with the names of those that there are' 2 \
	'there is no part typos; the parts are: series .*shellcheck .*7.3$'
tap_end
