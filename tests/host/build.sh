#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests kernel/build.sh: the loop from an edit to a patch, and that what one clone builds is safe from
# another. All of it with a kernel of five files, whose Makefile pretends: nothing here depends on the
# real one, and it takes seconds.

set -uo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
# shellcheck source=tests/guest/tap.sh
. "$clone/tests/guest/tap.sh"
export HYTRACE_CACHE=$tap_scratch/cache HYTRACE_LINUX_TARBALL=$tap_scratch/linux.tar.xz
export GIT_AUTHOR_NAME=tester GIT_AUTHOR_EMAIL=tester@example.invalid
export GIT_COMMITTER_NAME=tester GIT_COMMITTER_EMAIL=tester@example.invalid
one=$tap_scratch/one two=$tap_scratch/two

make_tarball()
{
	local dir=$tap_scratch/linux

	mkdir -p "$dir/kernel/trace" "$dir/scripts/kconfig" "$dir/Documentation"
	printf '%s\n' a b c d e f g h >"$dir/kernel/trace/trace.c"
	echo 'Trace' >"$dir/Documentation/trace.txt"
	printf '/*\n' >"$dir/.gitignore"
	echo 'config TRACE' >"$dir/Kconfig"
	cat >"$dir/scripts/kconfig/merge_config.sh" <<-'END'
	#!/bin/sh
	shift 2
	cat "$@" >"$KCONFIG_CONFIG"
	END
	chmod +x "$dir/scripts/kconfig/merge_config.sh"
	cat >"$dir/Makefile" <<-'END'
	.RECIPEPREFIX = >
	allnoconfig:
	> cp $(KCONFIG_ALLCONFIG) $(KCONFIG_CONFIG)
	all:
	> mkdir -p $(O)/arch/x86/boot $(O)/include/config
	> cat kernel/trace/*.c >$(O)/vmlinux
	> cp $(O)/vmlinux $(O)/arch/x86/boot/bzImage
	> echo 6.12-mini >$(O)/include/config/kernel.release
	modules_install:
	> mkdir -p $(INSTALL_MOD_PATH)/lib/modules/6.12-mini
	END
	tar -C "$tap_scratch" -cJf "$HYTRACE_LINUX_TARBALL" linux
}

# make_clone DIR: two patches, the first with a file of ours.
make_clone()
{
	local dir=$1

	mkdir -p "$dir/kernel/patches" "$dir/kernel/files/kernel/trace" "$dir/kernel/config"
	cp "$clone"/kernel/*.sh "$clone"/kernel/*.pl "$dir/kernel"
	echo 'CONFIG_TRACE=y' >"$dir/kernel/config/base.config"
	: >"$dir/kernel/config/hytrace.config"
	echo ours >"$dir/kernel/files/kernel/trace/ours.c"
	cat >"$dir/kernel/patches/0001-tracing-Add-ours.patch" <<-'END'
	From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
	From: tester <tester@example.invalid>
	Date: Wed, 1 Jan 2025 00:00:00 +0000
	Subject: [PATCH] tracing: Add ours

	It is ours.
	---
	diff --git a/kernel/trace/trace.c b/kernel/trace/trace.c
	--- a/kernel/trace/trace.c
	+++ b/kernel/trace/trace.c
	@@ -1,3 +1,4 @@
	+ours
	 a
	 b
	 c
	END
	cat >"$dir/kernel/patches/0002-Documentation-Describe-ours.patch" <<-'END'
	From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
	From: tester <tester@example.invalid>
	Date: Wed, 1 Jan 2025 00:00:00 +0000
	Subject: [PATCH] Documentation: Describe ours, and tracing: Add ours

	---
	diff --git a/Documentation/trace.txt b/Documentation/trace.txt
	--- a/Documentation/trace.txt
	+++ b/Documentation/trace.txt
	@@ -1 +1,2 @@
	 Trace
	+Ours
	END
	printf '%s\n' '0001-tracing-Add-ours.patch kernel/trace/ours.c' \
		'0002-Documentation-Describe-ours.patch' >"$dir/kernel/series"
	printf 'Ours\n\nAll of it.\n' >"$dir/kernel/patches/0000-cover-letter.txt"
}

tree()
{
	git -C "$one/build/linux" "$@"
}

refresh()
{
	"$one/kernel/build.sh" --refresh
}

# Takes back what a test has left in the tree.
reset_tree()
{
	tree reset -q --hard refs/hytrace/base
}

# The commit that CONTRIBUTING tells to make, of a change to one of the kernel's files.
test_fixup()
{
	local command

	command=$(sed -n 's/.*git -C build\/linux commit -a \(--fixup=[^#]*[^ #]\).*/\1/p' "$clone/CONTRIBUTING.md")
	ok 'CONTRIBUTING tells how to make a fixup' [ -n "$command" ]
	sed -i 's/^h$/H/' "$one/build/linux/kernel/trace/trace.c"
	# Its example names a patch of the real series; the subject here is another.
	command=${command//Add the oneshot tracer/Add ours}
	ok 'a fixup is committed' eval "tree commit -q -a $command"
	is 'it is of the patch that it names, not of one that speaks of it' \
		"$(tree log -1 --format=%s)" 'fixup! tracing: Add ours'
	ok 'a fixup is written back' refresh
	is 'into that patch' "$(grep -l '^+H$' "$one"/kernel/patches/*.patch)" "$one/kernel/patches/0001-tracing-Add-ours.patch"
}

test_own_commit()
{
	echo new >"$one/build/linux/kernel/trace/new.c"
	sed -i 's/^f$/F/' "$one/build/linux/kernel/trace/trace.c"
	tree add -A
	tree commit -q -m 'tracing: Add new' -m 'Why it is new.'
	ok 'a commit with a new file and an edit becomes a patch' refresh
	ok 'with its message' grep -q '^Why it is new\.$' "$one/kernel/patches/0003-tracing-Add-new.patch"
	ok 'with its edit' grep -q '^+F$' "$one/kernel/patches/0003-tracing-Add-new.patch"
	is 'and its file, in the series' "$(tail -n 1 "$one/kernel/series")" \
		'0003-tracing-Add-new.patch kernel/trace/new.c'
}

# A commit whose edits have no place of their own is refused whole, with what to do instead.
test_refused()
{
	local what=$1 before
	shift

	before=$(cd "$one/kernel" && find . -type f -exec sha256sum {} + | sort)
	"$@"
	tree commit -q -a -m 'tracing: Change ours' -m 'Why it changes.'
	refresh 2>"$tap_scratch/refused"
	is "$what is refused" "$?" 1
	ok "$what: the file is named" grep -q 'edits kernel/trace/ours.c' "$tap_scratch/refused"
	ok "$what: its patch is named" grep -q 'tracing: Add ours' "$tap_scratch/refused"
	is "$what: kernel/ stays as it is" \
		"$(cd "$one/kernel" && find . -type f -exec sha256sum {} + | sort)" "$before"
	reset_tree
}

edit_ours()
{
	echo changed >>"$one/build/linux/kernel/trace/ours.c"
}

edit_both()
{
	edit_ours
	sed -i 's/^e$/E/' "$one/build/linux/kernel/trace/trace.c"
}

# Files of ours are built, read by guests, and must stay what they are while another clone builds.
test_images()
{
	local image built again lock

	ok 'a clone builds' "$one/kernel/build.sh"
	image=$("$one/kernel/build.sh" --print-image)
	built=$(sha256sum "$image" "$(dirname "$image")/vmlinux")
	echo 'other ours' >"$two/kernel/files/kernel/trace/ours.c"
	ok 'so does another one that shares the cache, with other sources' "$two/kernel/build.sh"
	ok 'which has other images' grep -q 'other ours' "$("$two/kernel/build.sh" --print-image)"
	is 'those of the first are where they were, as they were' \
		"$(sha256sum "$image" "$(dirname "$image")/vmlinux")" "$built"
	is 'and still its own' "$("$one/kernel/build.sh" --print-image)" "$image"
	again=$("$one/kernel/build.sh" 2>&1)
	is 'it has nothing to build' "$again" 'kernel: base is up to date'

	# Old ones go, but for the last three, and one that a guest holds on to.
	exec {lock}<"$(dirname "$image")"
	flock -s "$lock"
	for again in 1 2 3 4; do
		echo "$again" >"$two/kernel/files/kernel/trace/ours.c"
		find "$HYTRACE_CACHE"/linux-*/images -mindepth 1 -maxdepth 1 -exec touch -d "-$((90 - again)) min" {} +
		"$two/kernel/build.sh" 2>/dev/null
	done
	ok 'an image in use stays' [ -e "$image" ]
	is 'of the others three' "$(find "$HYTRACE_CACHE"/linux-*/images -mindepth 1 -maxdepth 1 \
		! -path "$(dirname "$image")" | wc -l)" 3
	exec {lock}<&-
	echo last >"$two/kernel/files/kernel/trace/ours.c"
	touch -d '-95 min' "$(dirname "$image")"
	"$two/kernel/build.sh" 2>/dev/null
	ok 'once it is not, it goes' [ ! -e "$image" ]
}

make_tarball
make_clone "$one"
make_clone "$two"
ok 'build/linux is made' "$one/kernel/build.sh" --prepare
test_fixup
test_own_commit
test_refused 'an edit of a file of ours, as a commit of its own' edit_ours
test_refused 'a commit over both kinds of files' edit_both
ok 'the series gives the tree' "$one/kernel/build.sh" --series
test_images
tap_end
