#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests .ci/deps, which `make deps` runs, without installing anything: on a machine that has no package and no
# apt-get, and with a tarball in place of the kernel's package.

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
unset HYTRACE_LINUX_TARBALL

# A directory with these programs alone.
mkdir "$tap_scratch/bin"
for program in bash sh sed tr sort comm uname cat id; do
	ln -s "$(type -P $program)" "$tap_scratch/bin/$program"
done

deps()
{
	"$clone/.ci/deps" "$@" 2>"$tap_scratch/err"
}

ok 'the list has the source of the kernel' grep -qx 'linux-source-6.12' <<<"$(deps --list)"
ok "the list by reasons has the loader's" grep -qx libtracefs-dev <<<"$(deps --list 'the loader')"
is 'the list by reasons is a part of it' "$(comm -23 <(deps --list 'the loader') <(deps --list))" ''
lines=$(sed -n '/^packages()/,/^LIST/p' "$clone/.ci/deps")
is 'each line of packages begins with the goal that needs them' "$(sed '1,/<</d; /^LIST/d; /^\(run\|test\|all\) /d' <<<"$lines")" ''
# On this machine nothing is missing; there, all is.
asked()
{
	PATH=$tap_scratch/bin "$clone/.ci/deps" "$1" 2>&1 | sed -n 's/.*Missing: //p' | tr ' ' '\n' | sort
}
is 'make run installs a part of what make test installs' "$(comm -23 <(asked run) <(asked test))" ''
is 'which is a part of all' "$(comm -23 <(asked test) <(asked all))" ''
is 'a guest is for all' "$(for goal in run test all; do asked $goal | grep -cx qemu-system-x86; done | xargs)" '1 1 1'
is 'and a browser is for tests' "$(for goal in run test all; do asked $goal | grep -cx chromium; done | xargs)" '0 1 1'
is 'the list has all' "$(asked all)" "$(deps --list)"
is 'with a tarball, that source is all that is left out' \
	"$(comm -3 <(deps --list) <(HYTRACE_LINUX_TARBALL=linux.tar.xz deps --list))" 'linux-source-6.12'
is 'without apt-get it fails' "$(PATH=$tap_scratch/bin deps || echo $?)" 1
ok 'it names what is missing' grep -q 'Missing: .* qemu-system-x86 ' "$tap_scratch/err"
ok 'and the tarball, on other systems' grep -q 'elsewhere, .* HYTRACE_LINUX_TARBALL= to a tarball' "$tap_scratch/err"
tap_end
