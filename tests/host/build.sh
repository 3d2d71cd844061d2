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
	kernel/%.o: ; mkdir -p $(O)/$(@D) && cp kernel/$*.c $(O)/$@
	compile_commands.json: ; echo '[]' >$(O)/$@
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
	cp "$clone"/kernel/*.sh "$dir/kernel"
	cp "$clone/Makefile" "$dir"
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

# CONTRIBUTING's loop, line by line, as it is written there. Only the guest is left out, and the names are
# those of the files and of the patch that there are here.
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
	is 'the loop has ten lines' "${#commands[@]}" 10
	for command in "${commands[@]}"; do
		case $command in
		kernel/vm.sh*) continue ;;
		# The loop shows both: here the second has something of its own.
		*'commit -a '*'#'*'new one'*) sed -i 's/^g$/G/' "$one/build/linux/kernel/trace/trace.c" ;;
		esac
		ok "${command%%[[:space:]]#*}" bash -c "cd '$one' && $command"
		case $command in
		*OBJ=*) ok 'that object' [ -e "$one/build/linux/.obj-base/kernel/trace/trace.o" ] ;;
		*--fixup*)
			is 'it is of the patch that it names, not of one that speaks of it' \
				"$(tree log -1 --format=%s)" 'fixup! tracing: Add ours'
			;;
		esac
	done
	ok 'the edit of ours is in kernel/files' grep -q edited "$one/kernel/files/kernel/trace/ours.c"
	is 'the fixup in its patch' "$(grep -l '^+H$' "$one"/kernel/patches/*.patch)" "$one/kernel/patches/0001-tracing-Add-ours.patch"
	ok 'the commit is a new one' grep -q '^+G$' "$one/kernel/patches/0003-tracing-Edit-the-end.patch"
	ok 'with its message' grep -q '^Why it is edited\.$' "$one/kernel/patches/0003-tracing-Edit-the-end.patch"
	unset EDITOR
}

test_own_commit()
{
	echo new >"$one/build/linux/kernel/trace/new.c"
	sed -i 's/^f$/F/' "$one/build/linux/kernel/trace/trace.c"
	tree add -A
	tree commit -q -m 'tracing: Add new' -m 'Why it is new.'
	ok 'a commit with a new file and an edit becomes a patch' refresh
	ok 'with its message' grep -q '^Why it is new\.$' "$one/kernel/patches/0004-tracing-Add-new.patch"
	ok 'with its edit' grep -q '^+F$' "$one/kernel/patches/0004-tracing-Add-new.patch"
	is 'and its file, in the series' "$(tail -n 1 "$one/kernel/series")" \
		'0004-tracing-Add-new.patch kernel/trace/new.c'
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
	is 'a message and no diff' "$(grep -c -e '^Subject:' -e '^diff' "$one"/kernel/patches/*-Add-only-a-file.patch)" 1
	echo more >>"$one/kernel/files/kernel/trace/only.c"
	sed -i 's/^c$/C/' "$one/build/linux/kernel/trace/trace.c"
	tree commit -q -a --fixup=:/'^tracing: Add ours'
	ok 'which stays one when others change' refresh
	ok 'and its file what it is' grep -q more "$one/kernel/files/kernel/trace/only.c"
	is 'and the tree a clean one' "$(tree status --porcelain)" ''
}

# Our own files are in the tree under their own names: there is one of each.
test_ours()
{
	local link=$one/build/linux/kernel/trace/ours.c ours=$one/kernel/files/kernel/trace/ours.c

	echo 'by the tree' >>"$link"
	ok 'an edit of a file of ours in the tree is one of kernel/files' grep -q 'by the tree' "$ours"
	is 'it is nothing that git would commit there' "$(tree status --porcelain)" ''
	sed -i 's/by the tree/by sed/' "$link"
	ok 'a tool has put a file in the place of the link' [ ! -L "$link" ]
	"$one/kernel/build.sh" --prepare 2>/dev/null
	ok 'what it wrote goes to kernel/files' grep -q 'by sed' "$ours"
	ok 'and the link is back' [ -L "$link" ]

	sed -i 's/by sed/by sed again/' "$link"
	touch -d '+1 min' "$ours"
	"$one/kernel/build.sh" --prepare 2>"$tap_scratch/refused"
	is 'when both have changed, that is refused' "$?" 1
	ok 'and the file is named' grep -q 'kernel/trace/ours.c is no link' "$tap_scratch/refused"
	ok 'both are still there' grep -q 'by sed again' "$link"
	ok 'both are still there' grep -q 'by sed$' "$ours"
	rm "$link"

	echo mine >"$one/kernel/files/kernel/trace/late.c"
	touch -d '-1 min' "$one/kernel/files/kernel/trace/late.c"
	echo yours >"$one/build/linux/kernel/trace/late.c"
	"$one/kernel/build.sh" --prepare 2>/dev/null
	is 'a file that never was a link is nobody'\''s edit' "$(cat "$one/kernel/files/kernel/trace/late.c")" mine
	rm "$one/kernel/files/kernel/trace/late.c" "$one/build/linux/kernel/trace/late.c"

	echo two >"$one/kernel/files/kernel/trace/two.c"
	"$one/kernel/build.sh" --prepare
	is 'a new file of ours is in the tree' "$(cat "$one/build/linux/kernel/trace/two.c")" two
	env HYTRACE_CACHE="$tap_scratch/other" "$one/kernel/build.sh" --prepare 2>/dev/null
	is 'it stays when the tree is made anew for another cache' "$(cat "$one/build/linux/kernel/trace/two.c")" two
	"$one/kernel/build.sh" --series 2>"$tap_scratch/refused"
	is 'a file that no line of the series names is refused' "$?" 1
	ok 'and named' grep -q 'kernel/trace/two.c belongs to no patch' "$tap_scratch/refused"
	rm "$one/kernel/files/kernel/trace/two.c"
	"$one/kernel/build.sh" --prepare
	ok 'one that is gone is gone from the tree' [ ! -L "$one/build/linux/kernel/trace/two.c" ]

	echo mine >"$one/kernel/files/kernel/trace/trace.c"
	"$one/kernel/build.sh" --prepare 2>"$tap_scratch/refused"
	is "a file of the kernel's own is refused" "$?" 1
	ok 'and named' grep -q 'kernel/trace/trace.c is a file of the kernel itself' "$tap_scratch/refused"
	rm "$one/kernel/files/kernel/trace/trace.c"
}

# A commit whose edits have no place of their own is refused whole, with what to do instead.
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

# Changes on both sides are never mixed silently, and none is lost.
test_both()
{
	local patch=$one/kernel/patches/0001-tracing-Add-ours.patch image

	# What --rebase cannot do is done by hand, and then taken for what it is.
	cp "$patch" "$tap_scratch/patch"
	sed -i 's/^ours$/neither/' "$one/build/linux/kernel/trace/trace.c"
	tree commit -q -a -m 'tracing: Change what has changed'
	sed -i 's/^+ours$/+theirs/' "$patch"
	"$one/kernel/build.sh" --rebase 2>/dev/null
	is 'a conflict is left to be resolved' "$?" 1
	"$one/kernel/build.sh" --refresh 2>/dev/null
	is 'and waited for' "$?" 1
	sed -i '/^[<=>|]/d; s/^theirs$/both/; /^neither$/d' "$one/build/linux/kernel/trace/trace.c"
	tree add -A
	ok 'once it is' tree -c core.editor=: rebase --continue
	"$one/kernel/build.sh" --prepare
	is 'the tree is in step again' "$?" 0
	ok 'with what was resolved' grep -q '^both$' "$one/build/linux/kernel/trace/trace.c"
	reset_tree

	ok 'a tree without work follows kernel/' grep -q theirs "$one/build/linux/kernel/trace/trace.c"
	cp "$tap_scratch/patch" "$patch"
	sed -i 's/^e$/mine/' "$one/build/linux/kernel/trace/trace.c"
	for action in --prepare --series --refresh ''; do
		# shellcheck disable=SC2086 # nothing, for a build
		"$one/kernel/build.sh" $action 2>"$tap_scratch/refused"
		is "both sides changed: ${action:-a build} refuses" "$?" 1
		ok "both sides changed: ${action:-a build} names the way out" grep -q -e --rebase "$tap_scratch/refused"
	done
	ok 'the way out works' "$one/kernel/build.sh" --rebase
	is 'both changes are there' "$(grep -cE '^(mine|ours)$' "$one/build/linux/kernel/trace/trace.c")" 2
	ok 'uncommitted edits are built' "$one/kernel/build.sh"
	image=$("$one/kernel/build.sh" --print-image)
	ok 'as they are' grep -q mine "$image"
	refresh 2>"$tap_scratch/refused"
	is 'they are not written back' "$?" 1
	"$one/kernel/build.sh" --drop-tree 2>/dev/null
	is 'nor is the tree removed with them' "$?" 1
	tree commit -q -a -m 'tracing: Make it mine'
	ok 'a commit is' refresh
	is 'which leaves nothing to build' "$("$one/kernel/build.sh" 2>&1)" 'kernel: base is up to date'
	is 'it is by whoever made it' "$(sed -n 's/^From: //p' "$one"/kernel/patches/*-Make-it-mine.patch)" \
		'tester <tester@example.invalid>'

	sed -i 's/^+ours$/+theirs/' "$patch"
	sed -i 's/^ours$/not theirs/' "$one/build/linux/kernel/trace/trace.c"
	"$one/kernel/build.sh" --rebase 2>"$tap_scratch/refused"
	is 'edits that do not fit on top are no success' "$?" 1
	ok 'where they are is told' grep -q 'git -C build/linux stash pop' "$tap_scratch/refused"
	ok 'and there they are' grep -q 'not theirs' <<<"$(tree stash show -p)"
	is 'while the tree is a clean one' "$(tree status --porcelain)" ''
	tree stash pop -q 2>/dev/null
	ok 'they can be had as it says' grep -q '^not theirs$' "$one/build/linux/kernel/trace/trace.c"
	tree reset -q --hard
	tree stash drop -q
	cp "$tap_scratch/patch" "$patch"
	reset_tree
}

# Without the cache git knows nothing of the tree: then nobody can say that there is no work in it.
test_cache_gone()
{
	echo edited >>"$two/build/linux/kernel/trace/trace.c"
	mv "$HYTRACE_CACHE" "$HYTRACE_CACHE.away"
	"$two/kernel/build.sh" --prepare 2>/dev/null
	"$two/kernel/build.sh" --drop-tree 2>/dev/null
	ok 'what was edited outlives the cache' grep -q edited "$two/build/linux/kernel/trace/trace.c"
	rm -rf "$HYTRACE_CACHE"
	mv "$HYTRACE_CACHE.away" "$HYTRACE_CACHE"
	git -C "$two/build/linux" checkout -q kernel/trace/trace.c
}

# What is mailed says what it is based on, and is signed off by whoever mails it.
test_series()
{
	local first

	sed -i '/^From: /d' "$one/kernel/patches/0001-tracing-Add-ours.patch"
	ok 'the series gives the tree' env GIT_AUTHOR_NAME='A Mailer' GIT_AUTHOR_EMAIL=mailer@example.invalid \
		"$one/kernel/build.sh" --series
	first=$(echo "$one"/build/series/0001-*.patch)
	is 'a patch without an author is by whoever mails it' "$(sed -n 's/^From: //p' "$first")" \
		'A Mailer <mailer@example.invalid>'
	is 'and signed off' "$(sed -n 's/^Signed-off-by: //p' "$first")" 'A Mailer <mailer@example.invalid>'
	is 'one with an author is by that author still' \
		"$(sed -n 's/^From: //p' "$one"/build/series/0002-*.patch | tail -n 1)" 'tester <tester@example.invalid>'
	ok 'our files are in it' grep -q '^+++ b/kernel/trace/ours.c' "$first"
	ok 'the cover letter names the base' grep -qE '^base-commit: [0-9a-f]{40}$' "$one"/build/series/0000-*
	ok 'and the source' grep -q 'linux-source-6.12 local' "$one"/build/series/0000-*
}

# A patch that does not apply leaves what it takes to mend it.
test_broken()
{
	local patch=$two/kernel/patches/0001-tracing-Add-ours.patch

	sed -i 's/^ \([abc]\)$/ x\1/' "$patch"
	"$two/kernel/build.sh" --prepare 2>"$tap_scratch/refused"
	is 'a patch that does not apply is refused' "$?" 1
	ok 'and named' grep -q 'kernel/patches/0001-tracing-Add-ours.patch does not apply' "$tap_scratch/refused"
	sed -i '1s/^/ours\n/' "$two/build/am/linux/kernel/trace/trace.c"
	"$two/kernel/build.sh" --prepare 2>"$tap_scratch/refused"
	ok 'another try in between says that it waits' grep -q 'go on there' "$tap_scratch/refused"
	git -C "$two/build/am/linux" add -f --sparse kernel/trace/trace.c
	ok 'it can be redone as it says' git -C "$two/build/am/linux" am -q --continue
	git -C "$two/build/am/linux" format-patch -q --stdout -1 >"$patch"
	sed -i 's/^ Trace$/ Race/' "$two/kernel/patches/0002-Documentation-Describe-ours.patch"
	"$two/kernel/build.sh" --prepare 2>"$tap_scratch/refused"
	ok 'the next one that does not apply has its own tree' [ -d "$two/build/am/linux/.git/rebase-apply" ]
	ok 'and is named' grep -q '0002-Documentation-Describe-ours.patch does not apply' "$tap_scratch/refused"
	is 'what was redone is kept until there are two of them' \
		"$(git -C "$two/build/am.old/linux" log -1 --format=%s)" 'tracing: Add ours'
	is 'nothing else is left' "$(find "$two/build" -name 'am.??????' | wc -l)" 0
	sed -i 's/^ Race$/ Trace/' "$two/kernel/patches/0002-Documentation-Describe-ours.patch"
	ok 'and then applies' "$two/kernel/build.sh" --prepare
	ok 'with what was redone' grep -q "^+ours" "$patch"
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
		touch -d '-95 min' "$(dirname "$image")"
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

	# What was killed while it put an image there, and what still does.
	mkdir "${image%/*}.Abc123" "${image%/*}.Xyz789"
	touch -d '-61 min' "${image%/*}.Abc123"
	echo more >"$two/kernel/files/kernel/trace/ours.c"
	"$two/kernel/build.sh" 2>/dev/null
	is 'so does what a killed build has left there, and nothing younger' \
		"$(cd "${image%/*/*}" && echo ./*.??????)" "./$(basename "${image%/*}").Xyz789"
	rm -r "${image%/*}.Xyz789"
}

# What is somebody's work stays.
test_distclean()
{
	mkdir -p "$one/build/am/linux" "$one/build/docs"
	is 'distclean refuses to remove patches that did not apply' \
		"$(make -s -C "$one" distclean >/dev/null 2>&1; echo $?)" 2
	ok 'and they are there' [ -d "$one/build/am/linux" ]
	ok 'other things are not' [ ! -e "$one/build/docs" ]
	rm -r "$one/build/am"
	ok 'without them it removes all' make -s -C "$one" distclean
	ok 'build, too' [ ! -e "$one/build" ]
}

# Two that compile would write the same files.
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
	ok 'and goes on waiting' kill -0 $!
	ok 'one that compiles nothing does not' timeout 10 make -s -C "$one" help
	exec 8>&-
	wait $!
	# It says which directory it enters, whatever becomes of it there.
	ok 'after which it goes on' grep -q '^make\[1\]: ' "$said"
}

make_tarball
make_clone "$one"
make_clone "$two"
test_loop
test_own_commit
test_only_files
test_ours
test_refused 'a link that is committed' kernel/trace/ours.c commit_link
test_refused 'an edit of a new file in another commit' kernel/trace/newer.c commit_twice
test_both
test_series
test_images
test_cache_gone
test_broken
test_distclean
test_two_makes
tap_end
