#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# For who edits the series of patches: turns the commits of build/linux into kernel/, and the series into mails, and checks
# them. kernel/build.sh builds the kernel, and makes build/linux as well.
#
# Before anything is replaced, git am is run on the text, and its result is compared with the commits that the text
# came from. So this does not rely on two programs that write and read patches agreeing.

set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=kernel/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# Who mails the series. After this, git does not read the user's configuration.
me=$(git -C "$root" -c user.useConfigOnly=true var GIT_AUTHOR_IDENT 2>/dev/null) || me=
me=${me% * *}
# shellcheck source=kernel/tree.sh
. "$root/kernel/tree.sh"
# shellcheck source=kernel/image.sh
. "$root/kernel/image.sh"
# shellcheck source=kernel/make.sh
. "$root/kernel/make.sh"
# shellcheck source=kernel/fetch.sh
. "$root/kernel/fetch.sh"
# shellcheck source=kernel/checks.sh
. "$root/kernel/checks.sh"

usage()
{
	cat <<'USAGE'
Usage: kernel/series.sh [--touched] ACTION
For who edits the kernel or its series of patches; kernel/build.sh builds it.

  --prepare      make build/linux, this clone's kernel tree, or bring it in step with kernel/
  --refresh      write the commits in build/linux back into kernel/patches
  --rebase       put these commits on top of a kernel/ that has changed too
  --drop-tree    remove build/linux, unless it has work that is not in kernel/
  --mails        write build/series/*.patch and check that git am of them gives the same tree
  --build-each   build the kernel at each patch of the series
  --check        compile our files with W=1 and sparse; fail if they find something in our files
  --off-check    compare the code with our options off with that of the unpatched kernel
  --fetch        fetch the source of another kernel than 6.12 (LINUX=) from Debian, unless one is there that fits
  --applies      see whether the series applies to the kernel's source; if not, the exit status is 4

  --touched      if the kernel's source has not been imported into git, do it with no more files than the series
                 changes, in trees of their own (build/check-*)

LINUX= and other variables are as for kernel/build.sh.
USAGE
}

# ---------------------------------------------------------------- from build/linux to kernel/

has_fixups()
{
	git -C "$1" log --format=%s pristine..HEAD | grep -E '^(fixup|squash|amend)! ' >/dev/null
}

# Folds fixup!, squash! and amend! commits into the commits that they name, in a scratch clone.
autosquash()
{
	local repo=$1 by_hand="by hand: git -C build/linux$edition rebase -i --autosquash pristine"

	has_fixups "$repo" || return 0
	GIT_SEQUENCE_EDITOR=: GIT_EDITOR=: git -C "$repo" rebase -q -i --autosquash pristine \
		>/dev/null 2>&1 || die "the fixup! commits in build/linux$edition cannot be squashed without conflicts; squash them $by_hand"
	! has_fixups "$repo" || die "a fixup! commit in build/linux$edition names no commit of the series: reword it"
	[[ $(git -C "$repo" rev-parse 'HEAD^{tree}') == "$(in_clone rev-parse 'HEAD^{tree}')" ]] ||
		die "squashing the fixup! commits changes the tree's content; squash them $by_hand"
}

# Prints the name that a commit's patch has in the series now, which is found by its subject; or a new name, of this
# kernel alone.
patch_name()
{
	local subject=$1 name

	while read -r name _; do
		if [[ $(git mailinfo /dev/null /dev/null <"$root/kernel/patches/$name" |
				sed -n 's/^Subject: //p') == "$subject" ]]; then
			printf '%s\n' "$name"
			return
		fi
	done < <(list_series "$root/kernel")
	printf '%s/%s.patch\n' "$linux" "$(tr -cs '[:alnum:]._\n' '-' <<<"$subject" |
		sed 's/^-//' | cut -c1-52 | sed 's/[-.]*$//')"
}

# Prints a patch without what differs when the same change is made to another kernel: the places of its hunks, and the
# names of blobs.
without_places()
{
	sed -E '/^index [0-9a-f]+\.\.[0-9a-f]+/d; s/^@@ .* @@.*/@@/' "$1"
}

# Prints the files of a commit that the kernel does not have. They go to kernel/files as a whole, so a single commit
# must bring all of such a file.
new_files()
{
	local commit=$1 status file title
	title=$(git -C "$tmp/linux" log -1 --format='%h ("%s")' "$commit")

	git -C "$tmp/linux" diff-tree -r --no-commit-id --no-renames --name-status "$commit" |
		while IFS=$'\t' read -r status file; do
			! in_repo cat-file -e "pristine:$file" 2>/dev/null || continue
			[[ ! -e $root/kernel/files/$file ]] ||
				die "commit $title in build/linux$edition has $file, which is a link to kernel/files:" \
					"take it out (git -C build/linux$edition rm --cached $file)"
			[[ $status == A ]] ||
				die "commit $title in build/linux$edition edits $file, which another commit brings: make" \
					"that edit a fixup! of the latter (git -C build/linux$edition commit --fixup=... $file)"
			printf '%s\n' "$file"
		done
}

# write_patch COMMIT NAME FILE...: writes the patch of a commit without these files. If another kernel has this patch,
# too, it stays as it is as long as the change is the same.
write_patch()
{
	local commit=$1 out=$tmp/kernel/patches/$2 now=$root/kernel/patches/$2 name=$2
	shift 2

	mkdir -p "${out%/*}"
	git -C "$tmp/linux" show -s --format=email --no-color "$commit" |
		sed "1s/^From [0-9a-f]*/From 0000000000000000000000000000000000000000/; 2{/^From: $nobody\$/d}" >"$out"
	git -C "$tmp/linux" -c core.abbrev=12 diff-tree -p --no-renames --no-commit-id "$commit" -- . \
		"${@/#/:(exclude,literal)}" >>"$out"
	if [[ -f $now ]] && ! cmp -s "$now" "$out" && others_with "$name" >/dev/null; then
		if [[ $(without_places "$now") == "$(without_places "$out")" ]]; then
			cp "$now" "$out"
		else
			note "  kernel/patches/$name is a patch of Linux $(others_with "$name" | xargs), too:" \
				"see whether it applies there (LINUX=... kernel/series.sh --prepare)"
		fi
	fi
}

# others_with NAME: prints the other kernels whose series have this patch; fails if there is none.
others_with()
{
	local series found=1

	for series in "$root"/kernel/series-*; do
		series=${series##*series-}
		[[ $series != "$linux" ]] || continue
		! list_series "$root/kernel" "$series" | grep -qxE -- "$1( .*)?" || { printf '%s\n' "$series"; found=0; }
	done
	return "$found"
}

# Fills $tmp/kernel with the series and patches of the commits, and $tmp/new with the names of files for
# kernel/files.
write_back()
{
	local commit name n=0 files series=$root/kernel/series-$linux new=$tmp/kernel/series-$linux

	mkdir -p "$tmp/kernel/patches"
	awk '/^[^#]/ { exit } { print }' "$series" >"$new"
	: >"$tmp/new"
	for commit in $(git -C "$tmp/linux" rev-list --reverse pristine..HEAD); do
		n=$((n + 1))
		name=$(patch_name "$(git -C "$tmp/linux" log -1 --format=%s "$commit")")
		[[ ! -f $tmp/kernel/patches/$name ]] ||
			die "two commits of build/linux$edition have the subject of $name: reword one"
		files=$(new_files "$commit") || exit 1
		mapfile -t files < <(grep . <<<"$files")
		write_patch "$commit" "$name" "${files[@]}"
		awk -v patch="$name" -v first=$((n == 1)) '
			$1 == patch { if (!first) printf "%s", text; print; found = 1; exit }
			/^#/ || /^$/ { text = text $0 "\n"; next }
			{ text = "" }
			END { if (!found) print patch }' "$series" >"$tmp/line"
		[[ ${#files[@]} -eq 0 ]] || sed -i "\$s|\$| ${files[*]}|" "$tmp/line"
		cat "$tmp/line" >>"$new"
		[[ ${#files[@]} -eq 0 ]] || printf '%s\n' "${files[@]}" >>"$tmp/new"
	done
}

# Copies $tmp/kernel to kernel/. Writes only files that differ, and removes patches of this series that are gone, unless
# another kernel has them.
install_back()
{
	local file name gone

	mapfile -t gone < <(list_series "$root/kernel" | sed 's/ .*//')
	(cd "$tmp" && find kernel -type f) | LC_ALL=C sort | while read -r file; do
		cmp -s "$tmp/$file" "$root/$file" && continue
		mkdir -p "$root/${file%/*}"
		cp "$tmp/$file" "$root/$file"
		note "  wrote $file"
	done
	for name in "${gone[@]}"; do
		[[ ! -e $tmp/kernel/patches/$name ]] || continue
		! others_with "$name" >/dev/null || continue
		rm "$root/kernel/patches/$name"
		note "  removed kernel/patches/$name"
	done
	while read -r file; do
		mkdir -p "$(dirname "$root/kernel/files/$file")"
		mv "$clone/$file" "$root/kernel/files/$file"
		note "  wrote kernel/files/$file"
	done <"$tmp/new"
}

refresh()
{
	local commit

	import_source
	lock_clone
	have_clone || die "there is no build/linux$edition to write back; $series_sh --prepare makes it"
	sync_clone keep
	refuse_busy
	! clone_dirty || die "build/linux$edition has uncommitted edits: commit them first (git -C build/linux$edition commit)," \
		"as a commit of their own or as a fixup! of the one they belong to"
	[[ -z $(in_clone rev-list --merges pristine..HEAD) ]] ||
		die "build/linux$edition has a merge commit, and a series is a line of commits: rebase it"
	if clone_is "$(in_clone rev-parse "$base")"; then
		note "nothing to write back"
		return
	fi
	tmp=$(mktemp -d "$root/build/refresh.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	scratch_clone "$clone" HEAD "$tmp/linux"
	autosquash "$tmp/linux"
	write_back
	commit=$(series_commit "$tmp/kernel")
	[[ ! -s $tmp/new ]] || git -C "$tmp/linux" rm -q --cached --sparse --pathspec-from-file="$tmp/new"
	[[ $(in_repo rev-parse "$commit^{tree}") == $(git -C "$tmp/linux" write-tree) ]] ||
		die "the written patches do not give the tree of build/linux$edition; nothing was changed"
	install_back
	in_clone update-ref refs/hytrace/before-refresh HEAD
	in_clone reset -q "$commit"
	in_clone update-ref "$base" "$commit"
	link_files
}

# Puts the work in build/linux on top of a kernel/ that has changed too.
rebase()
{
	local series stash

	import_source
	lock_clone
	have_clone || die "there is no build/linux$edition"
	check_clone_source
	refuse_busy
	series=$(series_commit)
	in_clone update-ref "$onto" "$series"
	stash=$(in_clone rev-parse -q --verify refs/stash) || true
	in_clone rebase -q --autostash --onto "$series" "$base" ||
		die "conflicts: resolve them in build/linux$edition and git rebase --continue there"
	if [[ $stash != "$(in_clone rev-parse -q --verify refs/stash)" ]]; then
		in_clone reset -q --hard
		die "the commits stand on kernel/ now; the uncommitted edits do not fit there and wait in a stash:" \
			"git -C build/linux$edition stash pop"
	fi
	sync_clone keep
}

drop_tree()
{
	have_clone || return 0
	clone_is_spare ||
		die "build/linux$edition has commits or edits that are not in kernel/: write them back with" \
			"$series_sh --refresh, or remove build/linux$edition yourself"
	rm -rf "$clone"
}

# ---------------------------------------------------------------- the mails of the series

# add_files DIR PATHSPEC...: adds those of our files that a line of the series names to an index.
add_files()
{
	local dir=$1
	shift
	(cd "$dir" && git --git-dir="$repo" --work-tree=. add --ignore-removal -- "$@")
}

# with_files TREE: prints the tree with our files added, as it is mailed.
with_files()
(
	GIT_INDEX_FILE=$(mktemp -u "$root/build/index.XXXXXX")
	export GIT_INDEX_FILE
	trap 'rm -f "$GIT_INDEX_FILE"' EXIT
	in_repo read-tree "$1"
	list_files | tr '\n' '\0' | (cd "$root/kernel/files" &&
		git --git-dir="$repo" --work-tree=. update-index --add -z --stdin)
	in_repo write-tree
)

# mailed_commits COMMIT: makes the commits to mail, each with those of our files that its line in kernel/series
# names; prints the last one. git gets the names as they are written there: paths, globs or directories.
mailed_commits()
(
	commit='' parent=$(in_repo rev-parse pristine) lines=() words=() more=() tree='' author=''
	GIT_INDEX_FILE=$(mktemp -u "$root/build/index.XXXXXX")
	export GIT_INDEX_FILE
	trap 'rm -f "$GIT_INDEX_FILE"' EXIT
	mapfile -t lines < <(list_series "$root/kernel")
	for commit in $(in_repo rev-list --reverse "pristine..$1"); do
		read -ra more <<<"${lines[0]}"
		lines=("${lines[@]:1}") words+=("${more[@]:1}")
		in_repo read-tree "$commit"
		[[ ${#words[@]} -eq 0 ]] || add_files "$root/kernel/files" "${words[@]}" ||
			die "the line of ${more[0]} in kernel/series-$linux names files that are not in kernel/files (above)"
		tree=$(in_repo write-tree)
		[[ $tree != $(in_repo rev-parse "$parent^{tree}") ]] ||
			die "${more[0]} changes nothing and no file of kernel/files belongs to it: take it out of" \
				"kernel/series-$linux"
		author=$(in_repo log -1 --format='%an <%ae>' "$commit")
		[[ $author != "$nobody" ]] || author=${me:-$nobody}
		parent=$(GIT_AUTHOR_NAME=${author%% <*} GIT_AUTHOR_EMAIL=$(email "$author") \
			GIT_AUTHOR_DATE=$(in_repo log -1 --format=%ad --date=raw "$commit") \
			GIT_COMMITTER_DATE=$(in_repo log -1 --format=%ad --date=raw "$commit") \
			in_repo commit-tree -p "$parent" -F <(in_repo log -1 --format=%B "$commit") "$tree")
	done
	tree=$(in_repo diff --name-only "$parent" "$(with_files "$1")")
	[[ -z $tree ]] || die "kernel/files/${tree%%$'\n'*} belongs to no patch: name it on a line of kernel/series-$linux"
	printf '%s\n' "$parent"
)

email()
{
	sed 's/.*<//; s/>$//' <<<"$1"
}

# Writes the cover letter. git gives numbers and subjects; the text is ours.
write_cover()
{
	local out=$1 text=$root/kernel/patches/cover-letter-$linux.txt version=${store##*/linux-} from

	# Debian's package may be that of a newer kernel.
	# shellcheck disable=SC2031 # drop_source() has a tarball of its own
	from=$(basename "$tarball" .tar.xz)
	from=${from%%_*}
	[[ $version == local-* ]] || from+=" ${version%-*} of Debian"

	[[ -f $text ]] || text=$root/kernel/patches/cover-letter.txt
	[[ -f $text ]] || die "$text, the cover letter's text, is missing"
	{
		tail -n +3 "$text"
		printf '\nThis is based on %s, whose tree is\n%s.\n' "$from" \
			"$(in_repo rev-parse 'pristine^{tree}')"
	} >"$tmp/blurb"
	awk -v subject="$(head -n 1 "$text")" -v blurb="$tmp/blurb" '
		/\*\*\* SUBJECT HERE \*\*\*/ { sub(/\*\*\* SUBJECT HERE \*\*\*/, subject) }
		/\*\*\* BLURB HERE \*\*\*/ { while ((getline line < blurb) > 0) print line; next }
		{ print }' "$out" >"$out.tmp"
	mv "$out.tmp" "$out"
}

# git am of the mails on the pristine tree must give the tree that we build.
prove_series()
{
	scratch_clone "$repo" pristine "$tmp/linux"
	find "$tmp/out" -name '*.patch' ! -name '0000-*' -print0 | LC_ALL=C sort -z |
		xargs -0 git -C "$tmp/linux" am -q >"$tmp/am.log" 2>&1 ||
		die "git am of the series fails: $(grep -m1 -E 'error|fail' "$tmp/am.log")"
	[[ $(git -C "$tmp/linux" rev-parse 'HEAD^{tree}') == "$(with_files "$1")" ]] ||
		die "git am of the series gives another tree than the one that is built"
}

mails()
{
	local out=$root/build/${touched:+check-}series$edition series mailed

	import_source
	lock_clone
	sync_clone keep
	series=$(series_commit)
	! have_clone || clone_is "$series" ||
		die "build/linux$edition has work that is not in kernel/: $series_sh --refresh writes it back"
	mailed=$(mailed_commits "$series")
	[[ -n $(in_repo rev-list "pristine..$mailed") ]] || die "kernel/series-$linux is empty: nothing to mail"
	[[ $me ]] || note "git has no user.name and user.email: the series is signed off by nobody"
	tmp=$(mktemp -d "$root/build/series.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	set -- "${me:-$nobody}"
	GIT_COMMITTER_NAME=${1%% <*} GIT_COMMITTER_EMAIL=$(email "$1") \
		in_repo format-patch -q --cover-letter --base=pristine --from --signoff --no-renames \
		--zero-commit --no-signature --subject-prefix=PATCH -o "$tmp/out" "pristine..$mailed"
	write_cover "$tmp/out/0000-cover-letter.patch"
	prove_series "$series"
	rm -rf "$out"
	mv "$tmp/out" "$out"
	note "build/${out##*/}: $(in_repo rev-list --count "pristine..$mailed") patches and a cover letter;" \
		"git am gives tree $(in_repo rev-parse "$mailed^{tree}" | cut -c1-12)"
}

# Each patch must build, not only the last one. This uses a tree of its own, which moves from commit to commit. If a
# patch changes nothing that the compiler reads, it builds as well as the one before it.
build_each()
{
	local commit last n=0 count built=0 part='' before partial=1

	need_compiler
	import_source
	last=$(mailed_commits "$(series_commit)")
	fragments+=("$root/kernel/config/series.config")
	src=$store/series/linux obj=$src/.obj-series log=$root/build/kernel$edition-series.log
	mkdir -p "$store/series"
	lock "$store/series/lock" 9
	[[ -d $src/.git ]] || git clone -q --shared --no-checkout "$repo" "$src"
	count=$(in_repo rev-list --count "pristine..$last")
	for commit in $(in_repo rev-list --reverse "pristine..$last"); do
		n=$((n + 1)) before=$part
		part=$(compiled_part "$commit")
		[[ $part != "$before" ]] || continue
		git -C "$src" reset -q --hard "$commit" || die "moving $src failed; is the disk full?"
		((built++)) || start_log
		make_some "$commit" "compiling patch $n of $count, \"$(in_repo log -1 --format=%s "$commit")\"," kbuild vmlinux modules
	done
	! grep -A3 'warning:' "$log" >&2 || die "the compiler has warnings for a patch of the series (above)"
	note "kernel: each of $count patches builds; $built of them change compiled files"
}

# ---------------------------------------------------------------- command line

# Chooses the smaller repository and tree, unless the whole kernel has been imported.
use_touched()
{
	[[ ! -d $repo ]] || return 0
	repo=$store/touched-$(touched_files | sha256sum | cut -c1-16).git
	clone=$root/build/check-linux$edition
}

action='' touched=''
for option; do
	case $option in
	--prepare | --refresh | --rebase | --drop-tree | --mails | --build-each | --check | --off-check | --fetch | --applies)
		action=${option#--} ;;
	--touched) touched=touched ;;
	-h | --help) usage; exit ;;
	*)
		printf '%s: unknown option %s; --help lists them\n' "$self" "$option" >&2
		exit 2
		;;
	esac
done
[[ $action ]] || { usage >&2; exit 2; }
[[ -z $touched || $action =~ ^(fetch|applies|prepare|mails|check)$ ]] || die "--touched is not for --$action; see --help"
# The others need neither the source nor the cache, or find these themselves.
if [[ $action != @(fetch|drop-tree) ]]; then
	find_store
	[[ -z $touched ]] || use_touched
	choose_flavour
fi
"${action//-/_}"
