#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests kernel/build.sh and series.sh: the way from an edit to a patch, and that a build in one clone does not harm another clone.
# The kernel here has five files and a Makefile that only pretends to compile. The tests do not depend on the real
# kernel, and take seconds.

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
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
	VERSION = 6
	PATCHLEVEL = 12
	.RECIPEPREFIX = >
	allnoconfig:
	> cp $(KCONFIG_ALLCONFIG) $(KCONFIG_CONFIG)
	all:
	> mkdir -p $(O)/arch/x86/boot $(O)/include/config
	> cat kernel/trace/*.c >$(O)/vmlinux
	> cp $(O)/vmlinux $(O)/arch/x86/boot/bzImage
	> echo 6.12-mini >$(O)/include/config/kernel.release
	kernel/%.o: ; mkdir -p $(O)/$(@D) && cp kernel/$*.c $(O)/$@; cat $(COMPLAINTS) /dev/null >&2
	compile_commands.json: ; echo '[]' >$(O)/$@
	modules_install:
	> mkdir -p $(INSTALL_MOD_PATH)/lib/modules/6.12-mini
	END
	tar -C "$tap_scratch" -cJf "$HYTRACE_LINUX_TARBALL" linux
}

# make_clone DIR: makes a clone with two patches; the first one has a file of ours, and belongs to two kernels.
make_clone()
{
	local dir=$1

	mkdir -p "$dir/kernel/patches/6.12" "$dir/kernel/files/kernel/trace" "$dir/kernel/config"
	cp "$clone"/kernel/*.sh "$dir/kernel"
	cp "$clone/Makefile" "$dir"
	echo 'CONFIG_TRACE=y' >"$dir/kernel/config/base.config"
	: >"$dir/kernel/config/hytrace.config"
	echo ours >"$dir/kernel/files/kernel/trace/ours.c"
	cat >"$dir/kernel/patches/tracing-Add-ours.patch" <<-'END'
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
	cat >"$dir/kernel/patches/6.12/Documentation-Describe-ours.patch" <<-'END'
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
	printf '%s\n' 'tracing-Add-ours.patch kernel/trace/ours.c' \
		'6.12/Documentation-Describe-ours.patch' >"$dir/kernel/series-6.12"
	echo 'tracing-Add-ours.patch kernel/trace/ours.c' >"$dir/kernel/series-7.3"
	printf 'Ours\n\nAll of it.\n' >"$dir/kernel/patches/cover-letter.txt"
}

tree()
{
	git -C "$one/build/linux" "$@"
}

refresh()
{
	"$one/kernel/series.sh" --refresh
}

# Removes the changes of a test from the tree.
reset_tree()
{
	tree reset -q --hard refs/hytrace/base
}

# Runs the commands of CONTRIBUTING's loop, line by line, as written there. The guest is left out, and names of files
# and of the patch are replaced by those of this kernel.
test_loop()
{
	local commands command
	export EDITOR="$tap_scratch/editor"

	cat >"$EDITOR" <<-'END'
	#!/bin/sh
	case $1 in
	*/ours.c) echo edited >>"$1" ;;
	*/trace.c) sed -i 's/^h$/H/' "$1" ;;
	*) printf 'tracing: Edit the end\n\nWhy it is edited.\n' >"$1" ;;
	esac
	END
	chmod +x "$EDITOR"
	mapfile -t commands < <(sed -n '/^## Editing/,/^## /s/^    //p' "$clone/CONTRIBUTING.md" |
		sed 's/trace_oneshot\.c/ours.c/; s/Add the oneshot tracer/Add ours/')
	is 'the loop of CONTRIBUTING has ten lines' "${#commands[@]}" 10
	for command in "${commands[@]}"; do
		case $command in
		kernel/vm.sh*) continue ;;
		# The loop shows both ways to commit. The second one needs an edit of its own here.
		*'commit -a '*'#'*'new one'*) sed -i 's/^g$/G/' "$one/build/linux/kernel/trace/trace.c" ;;
		esac
		ok "${command%%[[:space:]]#*}" bash -c "cd '$one' && $command"
		case $command in
		*OBJ=*) ok 'make kernel OBJ= compiles that object' [ -e "$one/build/linux/.obj-base/kernel/trace/trace.o" ] ;;
		*--fixup*)
			is 'the fixup is for the patch of that name, not for one that mentions it' \
				"$(tree log -1 --format=%s)" 'fixup! tracing: Add ours'
			;;
		esac
	done
	ok 'the edit of a file of ours is in kernel/files' grep -q edited "$one/kernel/files/kernel/trace/ours.c"
	is 'the fixup is in its patch' "$(grep -rl '^+H$' "$one"/kernel/patches)" "$one/kernel/patches/tracing-Add-ours.patch"
	ok 'the other commit is a new patch' grep -q '^+G$' "$one/kernel/patches/6.12/tracing-Edit-the-end.patch"
	ok 'the new patch has the message of the commit' grep -q '^Why it is edited\.$' "$one/kernel/patches/6.12/tracing-Edit-the-end.patch"
	unset EDITOR
}

test_own_commit()
{
	echo new >"$one/build/linux/kernel/trace/new.c"
	sed -i 's/^f$/F/' "$one/build/linux/kernel/trace/trace.c"
	tree add -A
	tree commit -q -m 'tracing: Add new' -m 'Why it is new.'
	ok 'a commit with a new file and an edit becomes a patch' refresh
	ok 'that patch has the message of the commit' grep -q '^Why it is new\.$' "$one/kernel/patches/6.12/tracing-Add-new.patch"
	ok 'that patch has the edit' grep -q '^+F$' "$one/kernel/patches/6.12/tracing-Add-new.patch"
	is 'the series has the new file' "$(tail -n 1 "$one/kernel/series-6.12")" \
		'6.12/tracing-Add-new.patch kernel/trace/new.c'
}

state()
{
	(cd "$one/kernel" && find . -type f -exec sha256sum {} + | sort)
}

# A patch may consist of our own files only.
test_only_files()
{
	echo only >"$one/build/linux/kernel/trace/only.c"
	tree add -A
	tree commit -q -m 'tracing: Add only a file'
	ok 'a commit of new files only becomes a patch' refresh
	is 'that patch has a message and no diff' "$(grep -c -e '^Subject:' -e '^diff' "$one"/kernel/patches/6.12/*-Add-only-a-file.patch)" 1
	echo more >>"$one/kernel/files/kernel/trace/only.c"
	sed -i 's/^c$/C/' "$one/build/linux/kernel/trace/trace.c"
	tree commit -q -a --fixup=:/'^tracing: Add ours'
	ok 'a patch of files only survives changes of other patches' refresh
	ok 'its file keeps its edits' grep -q more "$one/kernel/files/kernel/trace/only.c"
	is 'the tree is clean' "$(tree status --porcelain)" ''
}

# Our own files are links in the tree, so there is only one copy of each.
test_ours()
{
	local link=$one/build/linux/kernel/trace/ours.c ours=$one/kernel/files/kernel/trace/ours.c

	echo 'by the tree' >>"$link"
	ok 'an edit of a file of ours in the tree is in kernel/files' grep -q 'by the tree' "$ours"
	is 'git in the tree sees no change' "$(tree status --porcelain)" ''
	sed -i 's/by the tree/by sed/' "$link"
	ok 'a tool has replaced the link by a file' [ ! -L "$link" ]
	"$one/kernel/series.sh" --prepare 2>/dev/null
	ok '--prepare copies that file to kernel/files' grep -q 'by sed' "$ours"
	ok '--prepare makes the link again' [ -L "$link" ]

	sed -i 's/by sed/by sed again/' "$link"
	touch -d '+1 min' "$ours"
	"$one/kernel/series.sh" --prepare 2>"$tap_scratch/refused"
	is '--prepare refuses if that file and kernel/files have both changed' "$?" 1
	ok 'that file is named' grep -q 'kernel/trace/ours.c is no link' "$tap_scratch/refused"
	ok 'the file in the tree is not changed' grep -q 'by sed again' "$link"
	ok 'the file in kernel/files is not changed' grep -q 'by sed$' "$ours"
	rm "$link"

	echo mine >"$one/kernel/files/kernel/trace/late.c"
	touch -d '-1 min' "$one/kernel/files/kernel/trace/late.c"
	echo yours >"$one/build/linux/kernel/trace/late.c"
	"$one/kernel/series.sh" --prepare 2>/dev/null
	is 'a file that never was a link does not replace the one of kernel/files' "$(cat "$one/kernel/files/kernel/trace/late.c")" mine
	rm "$one/kernel/files/kernel/trace/late.c" "$one/build/linux/kernel/trace/late.c"

	echo two >"$one/kernel/files/kernel/trace/two.c"
	"$one/kernel/series.sh" --prepare
	is 'a new file of ours is in the tree' "$(cat "$one/build/linux/kernel/trace/two.c")" two
	env HYTRACE_CACHE="$tap_scratch/other" "$one/kernel/series.sh" --prepare 2>/dev/null
	is 'it is there when the tree is made again for another cache' "$(cat "$one/build/linux/kernel/trace/two.c")" two
	"$one/kernel/series.sh" --mails 2>"$tap_scratch/refused"
	is '--mails refuses a file that no line of the series names' "$?" 1
	ok 'that file is named' grep -q 'kernel/trace/two.c belongs to no patch' "$tap_scratch/refused"
	rm "$one/kernel/files/kernel/trace/two.c"
	"$one/kernel/series.sh" --prepare
	ok 'a file that is removed from kernel/files is removed from the tree' [ ! -L "$one/build/linux/kernel/trace/two.c" ]

	echo mine >"$one/kernel/files/kernel/trace/trace.c"
	"$one/kernel/series.sh" --prepare 2>"$tap_scratch/refused"
	is "--prepare refuses a file of ours with the name of a kernel's file" "$?" 1
	ok 'the file of the kernel is named' grep -q 'kernel/trace/trace.c is a file of the kernel itself' "$tap_scratch/refused"
	rm "$one/kernel/files/kernel/trace/trace.c"
}

# If --refresh cannot assign an edit of a commit to a patch, it refuses all, and says what to do instead.
test_refused()
{
	local what=$1 names=$2 before
	shift 2

	before=$(state)
	"$@"
	refresh 2>"$tap_scratch/refused"
	is "$what is refused" "$?" 1
	ok "$what: the commit is named" grep -q 'tracing: Change' "$tap_scratch/refused"
	ok "$what: the file is named" grep -q "$names" "$tap_scratch/refused"
	is "$what: kernel/ stays as it is" "$(state)" "$before"
	reset_tree
}

commit_link()
{
	tree add -f kernel/trace/ours.c
	tree commit -q -m 'tracing: Change ours'
}

commit_twice()
{
	echo new >"$one/build/linux/kernel/trace/newer.c"
	tree add -A
	tree commit -q -m 'tracing: Add newer'
	echo newer >>"$one/build/linux/kernel/trace/newer.c"
	tree commit -q -a -m 'tracing: Change newer'
}

# If both sides have changed, nothing is mixed without notice, and no change is lost.
test_both()
{
	local patch=$one/kernel/patches/tracing-Add-ours.patch image

	# If --rebase has a conflict, it is resolved by hand, and series.sh accepts the result.
	cp "$patch" "$tap_scratch/patch"
	sed -i 's/^ours$/neither/' "$one/build/linux/kernel/trace/trace.c"
	tree commit -q -a -m 'tracing: Change what has changed'
	sed -i 's/^+ours$/+theirs/' "$patch"
	"$one/kernel/series.sh" --rebase 2>/dev/null
	is '--rebase fails if there is a conflict' "$?" 1
	"$one/kernel/series.sh" --refresh 2>/dev/null
	is '--refresh fails until the conflict is resolved' "$?" 1
	sed -i '/^[<=>|]/d; s/^theirs$/both/; /^neither$/d' "$one/build/linux/kernel/trace/trace.c"
	tree add -A
	ok 'the conflict can be resolved by git' tree -c core.editor=: rebase --continue
	"$one/kernel/series.sh" --prepare
	is '--prepare succeeds after that' "$?" 0
	ok 'the tree has the resolution' grep -q '^both$' "$one/build/linux/kernel/trace/trace.c"
	reset_tree

	ok 'a tree without work follows kernel/' grep -q theirs "$one/build/linux/kernel/trace/trace.c"
	cp "$tap_scratch/patch" "$patch"
	sed -i 's/^e$/mine/' "$one/build/linux/kernel/trace/trace.c"
	for action in 'series.sh --prepare' 'series.sh --mails' 'series.sh --refresh' build.sh; do
		# shellcheck disable=SC2086 # a command and its option
		"$one"/kernel/$action 2>"$tap_scratch/refused"
		is "both sides changed: $action refuses" "$?" 1
		ok "both sides changed: $action says to run --rebase" grep -q 'series.sh --rebase' "$tap_scratch/refused"
	done
	ok 'both sides changed: --rebase succeeds' "$one/kernel/series.sh" --rebase
	is 'both sides changed: the tree has both changes' "$(grep -cE '^(mine|ours)$' "$one/build/linux/kernel/trace/trace.c")" 2
	ok 'a build succeeds with uncommitted edits' "$one/kernel/build.sh"
	image=$("$one/kernel/build.sh" --print-image)
	ok 'the image has the uncommitted edits' grep -q mine "$image"
	refresh 2>"$tap_scratch/refused"
	is '--refresh refuses uncommitted edits' "$?" 1
	"$one/kernel/series.sh" --drop-tree 2>/dev/null
	is '--drop-tree refuses uncommitted edits' "$?" 1
	tree commit -q -a -m 'tracing: Make it mine'
	ok '--refresh accepts them when they are committed' refresh
	is 'after --refresh there is nothing to build' "$("$one/kernel/build.sh" 2>&1)" 'kernel: base is up to date'
	is 'the patch has the author of the commit' "$(sed -n 's/^From: //p' "$one"/kernel/patches/6.12/*-Make-it-mine.patch)" \
		'tester <tester@example.invalid>'

	sed -i 's/^+ours$/+theirs/' "$patch"
	sed -i 's/^ours$/not theirs/' "$one/build/linux/kernel/trace/trace.c"
	"$one/kernel/series.sh" --rebase 2>"$tap_scratch/refused"
	is '--rebase fails if uncommitted edits do not fit on the new patches' "$?" 1
	ok 'the message says how to get these edits back' grep -q 'git -C build/linux stash pop' "$tap_scratch/refused"
	ok 'git stash has these edits' grep -q 'not theirs' <<<"$(tree stash show -p)"
	is 'the tree is clean meanwhile' "$(tree status --porcelain)" ''
	tree stash pop -q 2>/dev/null
	ok 'git stash pop brings these edits back' grep -q '^not theirs$' "$one/build/linux/kernel/trace/trace.c"
	tree reset -q --hard
	tree stash drop -q
	cp "$tap_scratch/patch" "$patch"
	reset_tree
}

# Without the cache, git does not know the tree's contents. So series.sh cannot know whether there is work in it.
test_cache_gone()
{
	echo edited >>"$two/build/linux/kernel/trace/trace.c"
	mv "$HYTRACE_CACHE" "$HYTRACE_CACHE.away"
	"$two/kernel/series.sh" --prepare 2>/dev/null
	"$two/kernel/series.sh" --drop-tree 2>/dev/null
	ok 'edits survive the loss of the cache' grep -q edited "$two/build/linux/kernel/trace/trace.c"
	rm -rf "$HYTRACE_CACHE"
	mv "$HYTRACE_CACHE.away" "$HYTRACE_CACHE"
	git -C "$two/build/linux" checkout -q kernel/trace/trace.c
}

# The mails of the series name their base, and are signed off by the person who mails them.
test_series()
{
	local first

	sed -i '/^From: /d' "$one/kernel/patches/tracing-Add-ours.patch"
	ok 'git am of the series gives the tree' env GIT_AUTHOR_NAME='A Mailer' GIT_AUTHOR_EMAIL=mailer@example.invalid \
		"$one/kernel/series.sh" --mails
	first=$(echo "$one"/build/series/0001-*.patch)
	is 'a patch without an author is by the person who mails it' "$(sed -n 's/^From: //p' "$first")" \
		'A Mailer <mailer@example.invalid>'
	is 'that person has signed it off' "$(sed -n 's/^Signed-off-by: //p' "$first")" 'A Mailer <mailer@example.invalid>'
	is 'a patch with an author keeps the author' \
		"$(sed -n 's/^From: //p' "$one"/build/series/0002-*.patch | tail -n 1)" 'tester <tester@example.invalid>'
	ok 'the mails have our files' grep -q '^+++ b/kernel/trace/ours.c' "$first"
	ok 'the cover letter names the base' grep -qE '^base-commit: [0-9a-f]{40}$' "$one"/build/series/0000-*
	ok 'the cover letter names the source' grep -q 'This is based on linux, whose tree is' "$one"/build/series/0000-*
}

# Patches come and go, and with them the number of each one.
test_cover_letters()
{
	is 'cover letters name patches by their subjects' \
		"$(tr '\n' ' ' <<<"$(cat "$clone"/kernel/patches/cover-letter*.txt)" |
			grep -oiE '(first|second|third|fourth|fifth|sixth|seventh|last)( [a-z]+)? patch')" ''
	is 'that of 7.3 has no text slots' "$(grep -ci 'text.slots' "$clone/kernel/patches/cover-letter-7.3.txt")" 0
}

# If a patch does not apply, a tree is left in which it can be mended.
test_broken()
{
	local patch=$two/kernel/patches/tracing-Add-ours.patch

	sed -i 's/^ \([abc]\)$/ x\1/' "$patch"
	"$two/kernel/series.sh" --prepare 2>"$tap_scratch/refused"
	is 'a patch that does not apply is refused' "$?" 1
	ok 'that patch is named' grep -q 'kernel/patches/tracing-Add-ours.patch does not apply' "$tap_scratch/refused"
	sed -i '1s/^/ours\n/' "$two/build/am/linux/kernel/trace/trace.c"
	"$two/kernel/series.sh" --prepare 2>"$tap_scratch/refused"
	ok 'a second try says that the tree waits for the mended patch' grep -q 'go on there' "$tap_scratch/refused"
	git -C "$two/build/am/linux" add -f --sparse kernel/trace/trace.c
	ok 'git am --continue accepts the mended patch' git -C "$two/build/am/linux" am -q --continue
	git -C "$two/build/am/linux" format-patch -q --stdout -1 >"$patch"
	sed -i 's/^ Trace$/ Race/' "$two/kernel/patches/6.12/Documentation-Describe-ours.patch"
	"$two/kernel/series.sh" --prepare 2>"$tap_scratch/refused"
	ok 'the next patch that does not apply gets a tree of its own' [ -d "$two/build/am/linux/.git/rebase-apply" ]
	ok 'the next patch is named' grep -q '6.12/Documentation-Describe-ours.patch does not apply' "$tap_scratch/refused"
	is 'the tree of the mended patch is kept beside it' \
		"$(git -C "$two/build/am.old/linux" log -1 --format=%s)" 'tracing: Add ours'
	is 'no other tree is left' "$(find "$two/build" -name 'am.??????' | wc -l)" 0
	sed -i 's/^ Race$/ Trace/' "$two/kernel/patches/6.12/Documentation-Describe-ours.patch"
	ok 'both patches apply when they are mended' "$two/kernel/series.sh" --prepare
	ok 'the first patch has what was mended' grep -q "^+ours" "$patch"
}

# Images with files of ours stay the same for their guests while another clone builds.
test_images()
{
	local image built again lock

	ok 'a clone builds' "$one/kernel/build.sh"
	image=$("$one/kernel/build.sh" --print-image)
	built=$(sha256sum "$image" "$(dirname "$image")/vmlinux")
	echo 'other ours' >"$two/kernel/files/kernel/trace/ours.c"
	ok 'another clone builds other sources with the same cache' "$two/kernel/build.sh"
	ok 'the other clone has an image of its own' grep -q 'other ours' "$("$two/kernel/build.sh" --print-image)"
	is 'the images of the first clone are not changed' \
		"$(sha256sum "$image" "$(dirname "$image")/vmlinux")" "$built"
	is 'the first clone still has its image' "$("$one/kernel/build.sh" --print-image)" "$image"
	again=$("$one/kernel/build.sh" 2>&1)
	is 'the first clone has nothing to build' "$again" 'kernel: base is up to date'

	# Old images are removed, except the last three and one that a guest has locked.
	exec {lock}<"$(dirname "$image")"
	flock -s "$lock"
	for again in 1 2 3 4; do
		echo "$again" >"$two/kernel/files/kernel/trace/ours.c"
		find "$HYTRACE_CACHE"/linux-*/images -mindepth 1 -maxdepth 1 -exec touch -d "-$((90 - again)) min" {} +
		touch -d '-95 min' "$(dirname "$image")"
		"$two/kernel/build.sh" 2>/dev/null
	done
	ok 'an old image in use stays' [ -e "$image" ]
	is 'three of the other images stay' "$(find "$HYTRACE_CACHE"/linux-*/images -mindepth 1 -maxdepth 1 \
		! -path "$(dirname "$image")" | wc -l)" 3
	exec {lock}<&-
	echo last >"$two/kernel/files/kernel/trace/ours.c"
	touch -d '-95 min' "$(dirname "$image")"
	"$two/kernel/build.sh" 2>/dev/null
	ok 'an old image that is no longer in use is removed' [ ! -e "$image" ]

	# The directory of a build that was killed while it copied its image, and that of a build that still copies.
	mkdir "${image%/*}.Abc123" "${image%/*}.Xyz789"
	touch -d '-61 min' "${image%/*}.Abc123"
	echo more >"$two/kernel/files/kernel/trace/ours.c"
	"$two/kernel/build.sh" 2>/dev/null
	is 'the directory of the killed build is removed, and the younger one stays' \
		"$(cd "${image%/*/*}" && echo ./*.??????)" "./$(basename "${image%/*}").Xyz789"
	rm -r "${image%/*}.Xyz789"
}

# distclean does not remove anybody's work.
test_distclean()
{
	mkdir -p "$one/build/am/linux" "$one/build/docs"
	is 'distclean refuses to remove patches that did not apply' \
		"$(make -s -C "$one" distclean >/dev/null 2>&1; echo $?)" 2
	ok 'these patches are still there' [ -d "$one/build/am/linux" ]
	ok 'other directories are removed' [ ! -e "$one/build/docs" ]
	rm -r "$one/build/am"
	ok 'distclean succeeds without such patches' make -s -C "$one" distclean
	ok 'distclean removes build' [ ! -e "$one/build" ]
}

# LINUX= chooses another kernel. It has a tree, a source and a series of its own; a patch that both kernels have stands in
# kernel/patches once.
test_two_kernels()
{
	local dir=$tap_scratch/three other=$tap_scratch/newer.tar.xz newer=$tap_scratch/newer shared before
	shared=$dir/kernel/patches/tracing-Add-ours.patch

	cp -r "$tap_scratch/linux" "$newer"
	sed -i '1i one line\nand another' "$newer/kernel/trace/trace.c"
	sed -i 's/^VERSION.*/VERSION = 7/; s/^PATCHLEVEL.*/PATCHLEVEL = 3/' "$newer/Makefile"
	tar -C "$tap_scratch" -cJf "$other" newer
	make_clone "$dir"
	sed -i '/^@@/,$d; /^---$/d' "$shared"
	printf '%s\n' '@@ -2,6 +2,7 @@ a' ' b' ' c' ' d' '+ours' ' e' ' f' ' g' >>"$shared"
	echo old >"$dir/kernel/files/kernel/trace/old.c"
	echo fresh >"$dir/kernel/files/kernel/trace/fresh.c"
	sed -i '2s|$| kernel/trace/old.c|' "$dir/kernel/series-6.12"
	newer() { (cd "$dir" && LINUX=7.3 HYTRACE_LINUX_TARBALL=$other "$@"); }

	ok '6.12 is the kernel without LINUX=' "$dir/kernel/series.sh" --prepare
	HYTRACE_LINUX_TARBALL=$other "$dir/kernel/series.sh" --prepare 2>"$tap_scratch/refused"
	is 'a tarball of 7.3 is no source for it' "$? $(grep -c 'newer.tar.xz is Linux 7.3, and no source for LINUX=6.12' "$tap_scratch/refused")" '1 1'
	ok 'LINUX=7.3 has a tree beside it' newer kernel/series.sh --prepare
	is 'the patch that both have is applied where it belongs' \
		"$(grep -n ours "$dir/build/linux-7.3/kernel/trace/trace.c")" 7:ours
	is 'the patch that only 6.12 has is not applied' "$(cat "$dir/build/linux-7.3/Documentation/trace.txt")" Trace
	ok 'a file of ours is in both trees' [ -L "$dir/build/linux-7.3/kernel/trace/ours.c" ]
	ok 'so is one that no series names yet' [ -L "$dir/build/linux-7.3/kernel/trace/fresh.c" ]
	ok 'a file of 6.12 alone is not' [ ! -e "$dir/build/linux-7.3/kernel/trace/old.c" ]
	rm "$dir/kernel/files/kernel/trace/fresh.c"
	ok 'both have images of their own' newer kernel/build.sh
	"$dir/kernel/build.sh" --print-image 2>"$tap_scratch/refused"
	is '6.12 has not been built by that' "$?" 1
	HYTRACE_STALE_OK=1 HYTRACE_LINUX_TARBALL=$other "$dir/kernel/build.sh" --print-image 2>"$tap_scratch/refused"
	is 'its images are none of 6.12' "$? $(grep -c 'no source for LINUX=6.12' "$tap_scratch/refused")" '1 1'
	is 'a script that needs 7.3, too, has no tarball for it' "$(HYTRACE_OTHER_LINUX=7.3 "$dir/kernel/build.sh" --print-image 2>&1)" \
		"build.sh: /usr/src/linux-source-7.3.tar.xz, the source of Linux 7.3, is missing; \`make deps LINUX=7.3\` gets it"
	ok 'one that asks for the same kernel has it' newer env HYTRACE_OTHER_LINUX=7.3 kernel/build.sh --print-image
	sed -i.away 's/^ b$/ x/' "$shared"
	newer kernel/build.sh --print-image 2>"$tap_scratch/refused"
	is 'if the series does not apply, --print-image tells of no image' "$? $(grep -c 'run LINUX=7.3 kernel/build.sh$' "$tap_scratch/refused")" '1 1'
	ok 'and does nothing else' [ ! -e "$dir/build/am" ]
	mv "$shared.away" "$shared"

	before=$(<"$shared")
	sed -i 's/^h$/H/' "$dir/build/linux-7.3/kernel/trace/trace.c"
	git -C "$dir/build/linux-7.3" commit -q -a -m 'tracing: Be new'
	ok 'a commit for 7.3 is written back' newer kernel/series.sh --refresh
	ok 'its patch is of 7.3 alone' grep -q '^+H$' "$dir/kernel/patches/7.3/tracing-Be-new.patch"
	is 'the other patch, in another place there, is as it was' "$(<"$shared")" "$before"
	sed -i 's/^ours$/ours of both/' "$dir/build/linux-7.3/kernel/trace/trace.c"
	git -C "$dir/build/linux-7.3" commit -q -a --fixup=:/'^tracing: Add ours'
	newer kernel/series.sh --refresh 2>"$tap_scratch/refused"
	ok 'a change of the patch that both have is written' grep -q '^+ours of both$' "$shared"
	ok 'and the other kernel is named' grep -q 'tracing-Add-ours.patch is a patch of Linux 6.12, too' "$tap_scratch/refused"
	ok '6.12 has that change, too' "$dir/kernel/series.sh" --prepare
	ok '... in its tree' grep -q '^ours of both$' "$dir/build/linux/kernel/trace/trace.c"
	ok 'the series of 7.3 is mailed' newer kernel/series.sh --mails
	ok 'its cover letter names its source' grep -q 'This is based on newer, whose tree is' "$dir"/build/series-7.3/0000-*
	newer git -C build/linux-7.3 rebase -q --onto HEAD~2 HEAD~1 2>/dev/null
	newer kernel/series.sh --refresh 2>/dev/null
	is 'a patch that 7.3 drops stays for 6.12' "$(cd "$dir/kernel" && grep -c ours series-7.3; ls patches/*.patch)" \
		"0"$'\n'"patches/tracing-Add-ours.patch"

	LINUX=8.0 "$dir/kernel/build.sh" 2>"$tap_scratch/refused"
	is 'a kernel without a series is refused' "$?" 1
	ok 'those with one are named' grep -q 'LINUX=8.0: there is no series for this kernel; there is one for 6.12 7.3' \
		"$tap_scratch/refused"
	LINUX=7.3 HYTRACE_LINUX_TARBALL='' "$dir/kernel/build.sh" 2>"$tap_scratch/refused"
	ok 'without the source, the way to it is named' grep -q 'Linux 7.3, is missing; .make deps LINUX=7.3. gets it' "$tap_scratch/refused"
}

# A program that stands for one of apt.
stand_in()
{
	mkdir -p "$tap_scratch/bin"
	cat >"$tap_scratch/bin/$1"
	chmod +x "$tap_scratch/bin/$1"
}

# package VERSION TARBALL: makes a package of Debian with this source.
package()
{
	local deb=$tap_scratch/deb

	mkdir -p "$deb/DEBIAN" "$deb/usr/src"
	cp "$2" "$deb/usr/src/linux-source-$1.tar.xz"
	printf '%s\n' "Package: linux-source-$1" 'Version: 1.0~test' 'Architecture: all' 'Maintainer: a <a@b.invalid>' \
		'Description: none' >"$deb/DEBIAN/control"
	dpkg-deb -b "$deb" "$POOL/linux-source-$1.deb" >/dev/null
	rm -r "$deb"
}

# --fetch takes the newest source of Debian to which the series applies. Debian is a directory with packages here.
test_fetch()
{
	local dir=$tap_scratch/three name
	export POOL=$tap_scratch/pool

	mkdir -p "$POOL"
	stand_in apt-get <<-'END'
	#!/bin/sh
	echo "$*" >>"$POOL/asked"
	case $* in
	*download*) for name; do :; done; cp "$POOL/$name.deb" . ;;
	*update*) [ ! -e "$POOL/away" ] || { echo 'E: no network' >&2; exit 100; } ;;
	esac
	END
	stand_in apt-cache <<-'END'
	#!/bin/sh
	case $* in
	pkgnames) cd "$POOL" && ls *.deb | sed 's/\.deb$//' ;;
	show*) echo 'Version: 1.0~test' ;;
	esac
	END
	# To 7.10 the series does not apply; 7.2 is too old.
	package 7.2 "$tap_scratch/newer.tar.xz"
	package 7.3 "$tap_scratch/newer.tar.xz"
	sed 's/^VERSION.*/VERSION = 7/' -i "$tap_scratch/linux/Makefile"
	tar -C "$tap_scratch" -cJf "$tap_scratch/newest.tar.xz" linux
	package 7.10 "$tap_scratch/newest.tar.xz"
	sed -i '/^@@/,$d' "$dir/kernel/patches/7.3/tracing-Be-new.patch"
	printf '%s\n' '@@ -1,3 +1,4 @@' ' one line' '+two lines' ' and another' ' a' \
		>>"$dir/kernel/patches/7.3/tracing-Be-new.patch"
	rm -rf "$dir/build"
	fetch() { (cd "$dir" && PATH=$tap_scratch/bin:$PATH LINUX=7.3 HYTRACE_LINUX_TARBALL='' kernel/series.sh --fetch) 2>"$tap_scratch/said"; }

	: >"$POOL/away"
	fetch
	is 'without Debian, fetching fails' "$?" 3
	ok 'it says in one line what works all the same' grep -q 'no source for kernel/series-7.3: .*(none was fetched); .*6.12 needs none' \
		"$tap_scratch/said"
	mkdir -p "$tap_scratch/bare"
	for name in bash sort awk git xz find sed dirname basename mkdir flock rm cat; do
		ln -s "$(type -P $name)" "$tap_scratch/bare/$name"
	done
	env PATH="$tap_scratch/bare" LINUX=7.3 HYTRACE_LINUX_TARBALL='' "$dir/kernel/series.sh" --fetch 2>"$tap_scratch/said"
	is 'so it does without apt' "$? $(grep -c 'there is no apt-get or dpkg-deb' "$tap_scratch/said")" '3 1'
	rm "$POOL/away"
	mv "$POOL"/linux-source-7.{2,3}.deb "$tap_scratch"
	fetch
	is 'if there are only newer sources, and the series applies to none, it is as if there were none' "$?" 3
	ok 'these are named' grep -q '(linux-source-7.10 1.0.test);' "$tap_scratch/said"
	is 'and each is fetched once' "$(grep -c 'download linux-source-7.10' "$POOL/asked")" 1
	ok 'nothing of them is left in the cache' bash -c "! compgen -G '$HYTRACE_CACHE/debian/*.tar.xz' && ! compgen -G '$HYTRACE_CACHE/linux-1.0*'"
	mv "$tap_scratch"/linux-source-7.{2,3}.deb "$POOL"
	: >"$POOL/asked"
	ok 'the newest source to which the series applies is fetched' fetch
	ok 'it is named' grep -qx "LINUX=7.3 is Debian's linux-source-7.3 1.0.test" "$tap_scratch/said"
	ok 'the newer one was tried first' grep -q 'download linux-source-7.10' "$POOL/asked"
	: >"$POOL/away"
	: >"$POOL/asked"
	ok 'it is fetched once' fetch
	is 'and nobody is asked again' "$(<"$POOL/asked")" ''
	ok 'it is named each time' grep -qx "LINUX=7.3 is Debian's linux-source-7.3 1.0.test" "$tap_scratch/said"
	ok 'it can be built from' env LINUX=7.3 HYTRACE_LINUX_TARBALL='' "$dir/kernel/series.sh" --prepare
	rm "$POOL/away"
	stand_in xz <<<$'#!/bin/sh\nexit 1'
	rm -r "$HYTRACE_CACHE"/linux-1.0.test-*
	fetch
	is 'a source that cannot be unpacked is another fault' "$? $(grep -c 'is the disk full?' "$tap_scratch/said")" '1 1'
	is 'and nothing else is tried then' "$(<"$POOL/asked")" ''
	rm "$tap_scratch/bin/xz"
	sed -i 's/^ one/ x&/; s/^ and/ x&/' "$dir/kernel/patches/7.3/tracing-Be-new.patch"
	fetch
	is 'if the series applies to none any more, fetching fails' "$?" 1
	ok 'those that were tried are named' grep -q '(linux-source-7.3 1.0.test, linux-source-7.10 1.0.test);' "$tap_scratch/said"
	ok 'the one that was in use stays, to mend the series with' [ -r "$(cat "$HYTRACE_CACHE/debian/linux-7.3")" ]
	ok 'no older one was fetched' bash -c "! grep -q 'download linux-source-7.2' '$POOL/asked'"
	ok 'the tries leave nothing behind' [ ! -e "$dir/build/am" ]
	sed -i 's/^one/x &/; s/^and/x &/' "$tap_scratch/newer/kernel/trace/trace.c"
	tar -C "$tap_scratch" -cJf "$tap_scratch/newest.tar.xz" newer
	package 7.4 "$tap_scratch/newest.tar.xz"
	ok 'a newer one takes its place if the series applies to that' fetch
	is 'and it is removed' "$(cd "$HYTRACE_CACHE/debian" && echo *.tar.xz)" linux-source-7.4_1.0.test.tar.xz
	rm -rf "$dir/build/linux-7.3"
	ok 'the mails are for that one' env LINUX=7.3 HYTRACE_LINUX_TARBALL='' "$dir/kernel/series.sh" --mails
	ok 'and say so' grep -q 'This is based on linux-source-7.4 1.0.test of Debian, whose' "$dir"/build/series-7.3/0000-*
}

# check AT [WHAT]: prints what --check says if the compiler finds something there; WHAT is "Warning" as the assembler has it.
check()
{
	echo "$1: ${2:-warning}: planted" >"$tap_scratch/complaints"
	# The objects and the compiled files are of the pretended compiler as well.
	COMPLAINTS=$tap_scratch/complaints PATH=$tap_scratch/pretended:$PATH "$one/kernel/series.sh" --check 2>&1
}

test_check()
{
	local at

	mkdir -p "$tap_scratch/pretended"
	printf '#!/bin/sh\nprintf "./kernel/trace/%%s\\n" trace.c ours.c\n' >"$tap_scratch/pretended/llvm-dwarfdump-19"
	cp "$tap_scratch/pretended/llvm-dwarfdump-19" "$tap_scratch/pretended/sparse"
	chmod +x "$tap_scratch/pretended/"*
	# kbuild names files from the directory of objects, or in full.
	for at in ../kernel/trace/ours.c:7:1 "$one/build/linux/kernel/trace/ours.c:7:1" ../kernel/trace/trace.c:1:1; do
		check "$at" >"$tap_scratch/said"
		is "--check fails for a complaint at ${at##*/trace/}" $? 1
		ok 'and it names the place' grep -q "^kernel/trace/${at##*/trace/}: warning: planted" "$tap_scratch/said"
	done
	check ../kernel/trace/ours.c:7 Warning >"$tap_scratch/said"
	is '--check fails for a complaint of the assembler, which has no column' "$? $(grep -c ours.c:7: "$tap_scratch/said")" '1 1'
	check ../kernel/trace/trace.c:2:1 >"$tap_scratch/said"
	is "a complaint about the kernel's own line is not ours" $? 0
	ok 'and --check says what it read' grep -q 'find nothing in [1-9][0-9]* files of ours and [1-9]' "$tap_scratch/said"
}

# With --touched, git knows as little of the kernel as a check of the series needs, and the result is the same.
test_touched()
{
	local dir=$tap_scratch/three store said=$tap_scratch/said mails
	export LINUX=7.3 HYTRACE_LINUX_TARBALL=''

	store=$("$dir/kernel/build.sh" --print-source)
	store=${store%/unpatched/src}
	"$dir/kernel/series.sh" --mails 2>"$said"
	mails=$(cd "$dir/build/series-7.3" && sha256sum 000[1-9]*)
	"$dir/kernel/series.sh" --touched --mails 2>"$said"
	is 'a kernel that was imported is used with --touched, too' "$? $(compgen -G "$store/touched-*")" '0 '
	rm -rf "$store/linux.git" "$dir"/build/*linux-7.3
	ok 'otherwise, fewer files are imported for the mails' "$dir/kernel/series.sh" --touched --mails
	is 'these are the files that the series changes' "$(git -C "$store"/touched-*.git ls-tree -r --name-only pristine | xargs)" \
		'.gitignore kernel/trace/trace.c'
	is 'the mails are the same' "$(cd "$dir/build/check-series-7.3" && sha256sum 000[1-9]*)" "$mails"
	ok 'a tree can be made of them' "$dir/kernel/series.sh" --touched --prepare
	is 'it has all files of the kernel' "$(cat "$dir/build/check-linux-7.3/Documentation/trace.txt")" Trace
	ok '... and the patches' grep -q two "$dir/build/check-linux-7.3/kernel/trace/trace.c"
	ok 'which are not in the pristine source' bash -c "! grep two '$store/unpatched/src/kernel/trace/trace.c'"
	ok 'nothing is in the place of the whole tree' [ ! -e "$dir/build/linux-7.3" ]
	ok 'which can be made after it' "$dir/kernel/series.sh" --prepare
	is '... with all that git can know' "$(git -C "$dir/build/linux-7.3" ls-files Documentation)" Documentation/trace.txt
	unset LINUX
	export HYTRACE_LINUX_TARBALL=$tap_scratch/linux.tar.xz
}

# What cannot work is said at once, and in one line.
test_places()
{
	local spaced="$tap_scratch/a clone"

	make_clone "$spaced"
	is 'a clone below a path with a space is refused' "$("$spaced/kernel/build.sh" 2>&1)" \
		"build.sh: $spaced: the kernel is not built below a path with spaces or colons; move the clone"
	is 'so is such a cache' "$(HYTRACE_CACHE="$tap_scratch/a:cache" "$one/kernel/build.sh" 2>&1)" \
		"build.sh: the kernel is not built below a path with spaces or colons: $tap_scratch/a:cache; HYTRACE_CACHE= moves it"
	is 'without HOME, the cache has to be named' "$(env -u HOME -u XDG_CACHE_HOME -u HYTRACE_CACHE "$one/kernel/build.sh" 2>&1)" \
		'build.sh: HOME is not set; HYTRACE_CACHE= says where the cache is to be'
}

# build.sh builds, and series.sh is for who edits the series.
test_commands()
{
	"$one/kernel/series.sh" --touched >"$tap_scratch/said" 2>&1
	is 'series.sh says what it can do if it is not told what to' "$? $(grep -c '^  --mails ' "$tap_scratch/said")" '2 1'
	is 'build.sh has none of it' "$("$one/kernel/build.sh" --mails 2>&1)" 'build.sh: unknown option --mails; --help lists them'
	is 'except --refresh under its old name' "$("$one/kernel/build.sh" --refresh 2>&1)" 'nothing to write back'
	is 'a flavour that is not built is named with all its options' \
		"$("$one/kernel/build.sh" --config base --unpatched --print-image 2>&1 | sed 's/.*; //')" \
		'run kernel/build.sh --config base --unpatched'
	"$one/kernel/series.sh" --touched --refresh >"$tap_scratch/said" 2>&1
	is '--touched is refused where it has no meaning' "$? $(<"$tap_scratch/said")" \
		'1 series.sh: --touched is not for --refresh; see --help'
}

# Two makes that compile would write the same files.
test_two_makes()
{
	local said=$tap_scratch/two_makes

	mkdir -p "$one/build"
	: >"$said"
	exec 8>"$one/build/.make.lock"
	flock 8
	(unset MAKEFLAGS MAKELEVEL; cd "$one" && exec make bpf >"$said" 2>&1 8>&-) &
	for _ in {1..50}; do [[ -s $said ]] && break; sleep .1; done
	is 'a make waits for another one that compiles' "$(<"$said")" 'make: waiting for another make in this clone'
	ok 'it goes on waiting' kill -0 $!
	ok 'a make that compiles nothing does not wait' timeout 10 make -s -C "$one" help
	exec 8>&-
	wait $!
	# make prints the directory that it enters, whether or not the build then succeeds.
	ok 'the waiting make goes on when the other one ends' grep -q '^make\[1\]: ' "$said"
}

# incbin FILE: compiles it in depend mode around the first word, then around the second; prints which of them the object has.
incbin()
(
	mkdir -p "$tap_scratch/incbin"
	cd "$tap_scratch/incbin" || return
	export CCACHE_DIR=$tap_scratch/incbin/ccache CCACHE_DEPEND=1
	for word in earlier present; do
		echo "$word" >taken-in
		"$clone/kernel/cc.sh" gcc -Wp,-MMD,.object.d -c -o object.o "$1" || return
	done
	grep -aoE 'earlier|present' object.o
)

# ccache reads sources and headers; what .incbin takes in is neither.
test_incbin()
{
	mkdir -p "$tap_scratch/incbin"
	echo '.incbin "taken-in"' >"$tap_scratch/incbin/image.S"
	echo 'asm(".incbin \"taken-in\"");' >"$tap_scratch/incbin/config.c"
	is 'an assembler source has the file that it takes in as it is now' "$(incbin image.S)" present
	is 'so has a C source' "$(incbin config.c)" present
	echo 'int answer = 42;' >"$tap_scratch/incbin/plain.c"
	incbin plain.c >"$tap_scratch/incbin/none"
	ok 'what takes in nothing is compiled by ccache' \
		bash -c "CCACHE_DIR='$tap_scratch/incbin/ccache' ccache --print-stats | grep -qP '^direct_cache_hit\t1$'"
}

# called_in FILE: compiles it as Kbuild does, without the places of variables; prints how many calls are in its DWARF
called_in()
{
	mkdir -p "$(dirname "$tap_scratch/calls/$1")"
	echo 'int callee(int); int caller(int a) { return callee(a) + 1; }' >"$tap_scratch/calls/$1"
	CCACHE_DIR=$tap_scratch/calls/ccache "$clone/kernel/cc.sh" gcc -g -O2 -fno-var-tracking -c -o "$tap_scratch/calls/object.o" \
		"$tap_scratch/calls/$1" || return
	readelf -wi "$tap_scratch/calls/object.o" | grep -c 'DW_TAG_call_site)'
}

# flags_with VERSION: the flags that Kbuild gets with this pahole
# shellcheck disable=SC2034,SC2317 # for kbuild
flags_with()
(
	obj=/nowhere src=/nowhere cache=/nowhere images=/nowhere root=/nowhere compiler=gcc flavour=base version=$1
	# shellcheck source=/dev/null
	. "$clone/kernel/make.sh"
	trap - INT TERM HUP
	pahole() { echo "$version"; }
	release_suffix() { :; }
	make() { printf '%s\n' "$@" | grep '^KCFLAGS='; }
	kbuild
)

# Tests of guests ask for the calls of fs/ (edges-lib.sh).
test_calls()
{
	is 'DWARF has the calls of fs/' "$(called_in fs/open.c)" 1
	is 'and of the tracers' "$(called_in kernel/trace/trace.c)" 1
	is 'but not of other files, which are compiled in less time so' "$(called_in mm/fs.c)" 0
	is 'an older pahole needs no places of variables' "$(flags_with v1.24)" 'KCFLAGS=-fno-var-tracking'
	is 'the first that reads them does' "$(flags_with v1.25)" 'KCFLAGS='
	is 'and so do newer ones' "$(flags_with v1.31)" 'KCFLAGS='
}

make_tarball
make_clone "$one"
make_clone "$two"
test_loop
test_own_commit
test_only_files
test_ours
test_refused 'a commit of a link' kernel/trace/ours.c commit_link
test_refused 'a second commit that edits a new file' kernel/trace/newer.c commit_twice
test_both
test_series
test_cover_letters
test_images
test_cache_gone
test_broken
test_distclean
test_two_kernels
test_fetch
test_check
test_touched
test_places
test_commands
test_two_makes
test_incbin
test_calls
tap_end
