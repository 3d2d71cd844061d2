# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The kernel tree as git sees it: the pristine source, the series as commits on top of it, a clone's
# own work tree, and the way back from commits to kernel/patches and kernel/files. Sourced by
# build.sh.
#
# Three places hold a state of the kernel:
#
#   kernel/{series,patches,files}   what is in our git; series_commit() makes commits of it, the
#                                   same ones everywhere: dates, names and order are fixed
#   build/linux                     the clone's work tree, for editing; HEAD and uncommitted edits
#   $store/src                      what the compiler reads; shared, moved from commit to commit
#
# refs/hytrace/base in build/linux is the series commit that it was last in step with. From it
# follows who has changed: only kernel/ (the tree is moved), only build/linux (its state is what is
# built, and --refresh writes it back), or both (refused, --rebase brings them together).

clone=$root/build/linux
fixed_date='1735689600 +0000'
series_format=2

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
export GIT_COMMITTER_NAME=hytrace GIT_COMMITTER_EMAIL=hytrace@example.invalid
export GIT_COMMITTER_DATE=$fixed_date
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY

in_src()
{
	git -C "$store/src" "$@"
}

in_clone()
{
	git -C "$clone" "$@"
}

# ---------------------------------------------------------------- the pristine source as a commit

have_src()
{
	[[ -f $store/src/.git/hytrace-imported ]]
}

import_source()
{
	local tmp=$store/src.tmp

	! have_src || return 0
	unpack_source
	lock "$store/import.lock" 7
	if ! have_src; then
		note "importing the kernel source into git"
		rm -rf "$tmp" "$store/src"
		import_into "$tmp" || {
			rm -rf "$tmp"
			die "importing $store/unpatched/src into git failed; is the disk full?"
		}
		mv "$tmp" "$store/src"
		touch "$store/src/.git/hytrace-imported"
	fi
	exec 7>&-
}

# gc would drop what only the clones' trees refer to; the rest makes speed of space.
import_into()
{
	local repo=$1 key

	git init -q --initial-branch=unused "$repo" || return
	for key in core.compression=1 core.checkStat=minimal core.trustctime=false gc.auto=0 \
		maintenance.auto=false advice.detachedHead=false; do
		git -C "$repo" config "${key%%=*}" "${key#*=}" || return
	done
	"$root/kernel/import.pl" "$store/unpatched/src" refs/tags/pristine \
		"$GIT_COMMITTER_NAME <$GIT_COMMITTER_EMAIL> $fixed_date" "${store##*/}" |
		git -C "$repo" fast-import --quiet --done --depth=0 || return
	git -C "$repo" checkout -q --detach pristine
}

# ---------------------------------------------------------------- kernel/series as commits

# Our files in DIR/files, without what editors and patch leave behind.
list_files()
{
	[[ ! -d $1/files ]] || (cd "$1/files" && find . ! -type d ! -name '*~' ! -name '.*.sw?' \
		! -name '.#*' ! -name '*.orig' ! -name '*.rej' -printf '%P\n' | LC_ALL=C sort)
}

# The lines of DIR/series that say something.
list_series()
{
	[[ ! -f $1/series ]] || sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$1/series"
}

series_key()
{
	local dir=$1 file

	{
		echo "$series_format $store"
		list_series "$dir"
		list_files "$dir" | while read -r file; do
			[[ ! -x $dir/files/$file ]] || echo "x $file"
		done
		list_files "$dir" | (cd "$dir/files" 2>/dev/null && xargs -r -d '\n' sha256sum)
		list_series "$dir" | awk '{ print $1 }' |
			(cd "$dir/patches" 2>/dev/null && xargs -r -d '\n' sha256sum)
	} | sha256sum | cut -c1-40
}

# Which line of the series a file belongs to: the first that names it, a glob that matches it
# (* also matches /) or a directory above it.
owner_of()
{
	local file=$1 n=0 word line
	shift

	for line; do
		# shellcheck disable=SC2086 # split into words, with globbing off
		set -f -- $line
		shift
		for word; do
			# shellcheck disable=SC2053 # a glob on purpose
			if [[ $file == $word || $file == "${word%/}"/* ]]; then
				echo "$n"
				return
			fi
		done
		n=$((n + 1))
	done
	return 1
}

apply_patch()
{
	local patch=$1 name=${1##*/} out

	[[ -r $patch ]] || die "kernel/series names $name, but kernel/patches/$name is missing"
	out=$(in_src apply --cached --allow-empty --whitespace=nowarn "$patch" 2>&1) && return
	if in_src apply --cached --allow-empty --whitespace=nowarn -C1 "$patch" 2>/dev/null; then
		note "kernel/patches/$name: applied with one line of context only; look at the result" \
			"in build/linux, then write it anew: kernel/build.sh --refresh"
		return
	fi
	die "kernel/patches/$name does not apply to ${store##*/} (the patches before it do):" \
		"${out%%$'\n'*}. To redo it: git -C $store/src worktree add /tmp/redo $parent," \
		"then there git am --reject $patch"
}

# fold_files DIR FILE...: puts files of ours into the index, all at once, as each git takes a while.
fold_files()
{
	local dir=$1 file mode blob taken
	shift

	[[ $# -gt 0 ]] || return 0
	taken=$(in_src ls-files -- "${@/#/:(literal)}")
	[[ -z $taken ]] || die "kernel/files/${taken%%$'\n'*} is a file of the kernel itself:" \
		"changes to it belong into a patch"
	for file; do
		[[ -L $dir/files/$file ]] || printf '%s\n' "$dir/files/$file"
	done | in_src hash-object -w --no-filters --stdin-paths >"$tmp/blobs"
	exec 5<"$tmp/blobs"
	for file; do
		mode=100644
		[[ ! -x $dir/files/$file ]] || mode=100755
		if [[ -L $dir/files/$file ]]; then
			mode=120000
			blob=$(readlink -n "$dir/files/$file" | in_src hash-object -w --stdin)
		else
			read -r blob <&5
		fi
		printf '%s %s\t%s\n' "$mode" "$blob" "$file"
	done >"$tmp/entries"
	exec 5<&-
	in_src update-index --index-info <"$tmp/entries"
}

# commit_patch PATCH: a commit of the index, with the patch's own author and message.
commit_patch()
{
	local patch=$1 info author email date subject

	info=$(git mailinfo "$tmp/msg" /dev/null <"$patch" 2>/dev/null)
	author=$(sed -n 's/^Author: //p' <<<"$info")
	email=$(sed -n 's/^Email: //p' <<<"$info")
	date=$(sed -n 's/^Date: //p' <<<"$info")
	subject=$(sed -n 's/^Subject: //p' <<<"$info")
	[[ -n $author && -n $subject ]] ||
		die "kernel/patches/${patch##*/}: no From: or Subject: line; write it with git format-patch"
	{
		printf '%s\n\n' "$subject"
		cat "$tmp/msg"
	} | git stripspace >"$tmp/message"
	GIT_AUTHOR_NAME=$author GIT_AUTHOR_EMAIL=$email GIT_AUTHOR_DATE=${date:-$fixed_date} \
		in_src commit-tree -p "$parent" -F "$tmp/message" "$(in_src write-tree)"
}

# Makes the commits of DIR (kernel/, or one just like it) and prints the last one.
make_series()
{
	local dir=$1 parent n=0 file line lines=() files owner
	local -A owned=()

	mapfile -t lines < <(list_series "$dir")
	while read -r file; do
		owner=$(owner_of "$file" ${lines[@]+"${lines[@]}"}) ||
			die "kernel/files/$file belongs to no patch: name it on a line of kernel/series"
		owned[$owner]+=$file$'\n'
	done < <([[ ${#lines[@]} -eq 0 ]] || list_files "$dir")

	parent=$(in_src rev-parse pristine)
	in_src read-tree "$parent"
	for line in ${lines[@]+"${lines[@]}"}; do
		apply_patch "$dir/patches/${line%%[[:space:]]*}"
		mapfile -t files < <(printf '%s' "${owned[$n]:-}")
		fold_files "$dir" ${files[@]+"${files[@]}"}
		[[ $(in_src write-tree) != $(in_src rev-parse "$parent^{tree}") ]] ||
			die "kernel/patches/${line%%[[:space:]]*} changes nothing and no file of kernel/files" \
				"belongs to it: take it out of kernel/series"
		parent=$(commit_patch "$dir/patches/${line%%[[:space:]]*}")
		n=$((n + 1))
	done
	printf '%s\n' "$parent"
}

# known_series [DIR]: the commit of DIR, if it has been made before; fails otherwise. Writes nothing.
known_series()
{
	in_src rev-parse -q --verify "refs/hytrace/series/$(series_key "${1:-$root/kernel}")^{commit}"
}

series_commit()
{
	local dir=${1:-$root/kernel} tmp commit key

	if commit=$(known_series "$dir"); then
		printf '%s\n' "$commit"
		return
	fi
	key=$(series_key "$dir")
	find "$store" -maxdepth 1 -name 'series.*' -mmin +60 -exec rm -rf {} +
	tmp=$(mktemp -d "$store/series.XXXXXX")
	commit=$(GIT_INDEX_FILE=$tmp/index make_series "$dir") || {
		rm -rf "$tmp"
		return 1
	}
	rm -rf "$tmp"
	in_src update-ref "refs/hytrace/series/$key" "$commit"
	printf '%s\n' "$commit"
}

# ---------------------------------------------------------------- the clone's own work tree

have_clone()
{
	[[ -d $clone/.git ]]
}

# The lock that keeps two runs in one clone from moving its tree at once.
lock_clone()
{
	mkdir -p "$root/build"
	lock "$root/build/.linux.lock" 6
}

unlock_clone()
{
	exec 6>&-
}

make_clone()
{
	local commit=$1

	note "making the clone's kernel tree, build/linux"
	rm -rf "$clone.tmp"
	if ! git clone -q --shared --no-checkout "$store/src" "$clone.tmp" ||
		! git -C "$clone.tmp" config hytrace.store "$store" ||
		! git -C "$clone.tmp" update-ref refs/hytrace/base "$commit" ||
		! git -C "$clone.tmp" checkout -q -B hytrace "$commit" ||
		! unhide_new_files "$clone.tmp"; then
		rm -rf "$clone.tmp"
		die "making build/linux failed; is the disk full?"
	fi
	mv "$clone.tmp" "$clone"
}

# Debian's .gitignore ends with a line that hides every file git does not know yet: taken out of the
# work tree's copy, without git seeing that as an edit.
unhide_new_files()
{
	local repo=$1

	git -C "$repo" update-index --skip-worktree .gitignore &&
		sed -i -e '\|^/\*$|d' "$repo/.gitignore"
}

clone_busy()
{
	local git=$clone/.git

	[[ -d $git/rebase-merge || -d $git/rebase-apply || -f $git/MERGE_HEAD ||
		-f $git/CHERRY_PICK_HEAD || -f $git/REVERT_HEAD ]]
}

clone_dirty()
{
	[[ -n $(in_clone status --porcelain) ]]
}

clone_base()
{
	in_clone rev-parse -q --verify refs/hytrace/base
}

clone_head()
{
	in_clone rev-parse -q --verify 'HEAD^{commit}'
}

# True when the tree holds something that kernel/ does not.
clone_has_work()
{
	[[ $(clone_head) != "$(clone_base)" ]] || clone_dirty
}

# A tree of another kernel source (a stable update came in): replaced, unless there is work in it.
check_clone_store()
{
	local was

	was=$(in_clone config hytrace.store) || was=
	[[ $was != "$store" ]] || return 0
	if [[ ! -d $was ]]; then
		die "build/linux was made from $was, which is gone; if there is work in build/linux that" \
			"you need, save its files; then remove build/linux"
	fi
	! clone_has_work ||
		die "build/linux belongs to ${was##*/}, the kernel source is now ${store##*/}, and there is" \
			"work in it: save it (git -C build/linux format-patch refs/hytrace/base), remove" \
			"build/linux, run kernel/build.sh --prepare, and git am it there"
	rm -rf "$clone"
}

# The clone's state with all uncommitted edits as a commit in the shared repository.
snapshot_clone()
{
	local index=$clone/.git/hytrace-index tree commit id

	if ! clone_dirty; then
		commit=$(clone_head)
	else
		cp "$clone/.git/index" "$index"
		GIT_INDEX_FILE=$index in_clone add -A
		tree=$(GIT_INDEX_FILE=$index in_clone write-tree)
		rm -f "$index"
		commit=$(GIT_AUTHOR_NAME=hytrace GIT_AUTHOR_EMAIL=hytrace@example.invalid \
			GIT_AUTHOR_DATE=$fixed_date in_clone commit-tree -p HEAD -m 'uncommitted edits' "$tree")
	fi
	in_clone update-ref refs/hytrace/snapshot "$commit"
	id=$(sha256sum <<<"$clone" | cut -c1-16)
	in_src fetch -q --no-tags --no-write-fetch-head "$clone" \
		"+refs/hytrace/snapshot:refs/hytrace/clone/$id"
	printf '%s\n' "$commit"
}

refuse_both()
{
	die "both kernel/ and build/linux have changed since they were last in step, and nothing is thrown" \
		"away: kernel/build.sh --rebase puts the commits of build/linux (and its uncommitted edits)" \
		"on top of kernel/; or, to drop them: git -C build/linux reset --hard refs/hytrace/base"
}

# Moves a tree without work in it to the series' commit.
follow_series()
{
	local commit=$1

	in_clone reset -q --keep "$commit" || die "could not move build/linux to $commit"
	in_clone update-ref refs/hytrace/base "$commit"
}

# Prints the commit that a build of this clone has to build, and brings build/linux in step.
wanted_commit()
{
	local series

	series=$(series_commit) || return
	if have_clone; then
		check_clone_store
	fi
	if ! have_clone; then
		printf '%s\n' "$series"
		return
	fi
	! clone_busy || die "build/linux is in the middle of a rebase, merge or am: finish or abort it first"
	if [[ $(clone_base) != "$series" ]]; then
		if ! clone_has_work; then
			follow_series "$series"
		elif ! clone_dirty && [[ $(in_clone rev-parse 'HEAD^{tree}') == $(in_src rev-parse "$series^{tree}") ]]; then
			follow_series "$series"
		else
			refuse_both
		fi
	fi
	if clone_has_work; then
		snapshot_clone
	else
		printf '%s\n' "$series"
	fi
}

# The same question for --print-*, which add objects and refs to the cache, but move nothing.
wanted_tree_quietly()
{
	local commit

	commit=$(series_commit) || return
	if have_clone && [[ $(in_clone config hytrace.store) == "$store" ]] && ! clone_busy &&
		clone_has_work; then
		[[ $(clone_base) == "$commit" ]] || return
		commit=$(snapshot_clone)
	fi
	in_src rev-parse "$commit^{tree}"
}

# ---------------------------------------------------------------- build/linux back into kernel/

has_fixups()
{
	in_clone log --format=%s pristine..HEAD | grep -E '^(fixup|squash|amend)! ' >/dev/null
}

# The commits of build/linux with their fixup!, squash! and amend! commits folded in.
autosquash()
{
	local before

	has_fixups || return 0
	before=$(in_clone rev-parse 'HEAD^{tree}')
	in_clone update-ref refs/hytrace/before-refresh HEAD
	GIT_SEQUENCE_EDITOR=: GIT_EDITOR=: in_clone -c advice.detachedHead=false \
		rebase -q -i --autosquash pristine >/dev/null 2>&1 || {
		in_clone rebase --abort >/dev/null 2>&1 || true
		die "the fixup! commits in build/linux do not squash without conflicts; run" \
			"git -C build/linux rebase -i --autosquash pristine by hand, then --refresh again"
	}
	! has_fixups || die "a fixup! commit in build/linux names no commit of the series: reword it"
	[[ $(in_clone rev-parse 'HEAD^{tree}') == "$before" ]] || {
		in_clone reset -q --hard refs/hytrace/before-refresh
		die "squashing the fixup! commits changed the tree's content; do it by hand:" \
			"git -C build/linux rebase -i --autosquash pristine"
	}
}

# Paths of HEAD that the pristine tree does not have: the content of kernel/files.
new_files()
{
	in_clone diff --no-renames --name-only --diff-filter=A pristine HEAD
}

# A chain like pristine..HEAD with only the edits to the kernel's own files in it: what is left is
# what patches are for. Prints `COMMIT LIGHT_COMMIT` for each.
light_chain()
{
	local commit parent tree

	parent=$(in_clone rev-parse pristine)
	while read -r commit; do
		in_clone read-tree "$commit"
		in_clone diff -z --no-renames --name-only --diff-filter=A pristine "$commit" |
			in_clone update-index --force-remove -z --stdin
		tree=$(in_clone write-tree)
		parent=$(in_clone log -1 --format=%B "$commit" |
			GIT_AUTHOR_NAME=$(in_clone log -1 --format=%an "$commit") \
			GIT_AUTHOR_EMAIL=$(in_clone log -1 --format=%ae "$commit") \
			GIT_AUTHOR_DATE=$(in_clone log -1 --format=%ad --date=raw "$commit") \
			in_clone commit-tree -p "$parent" "$tree")
		echo "$commit $parent"
	done < <(in_clone rev-list --reverse --topo-order pristine..HEAD)
}

# The name a commit's patch has now, found by its subject, or the next number and its subject.
patch_name()
{
	local subject=$1 n=$2 file slug old

	for file in "$root"/kernel/patches/*.patch; do
		[[ -e $file ]] || continue
		old=$(git mailinfo /dev/null /dev/null <"$file" | sed -n 's/^Subject: //p')
		if [[ $old == "$subject" ]]; then
			printf '%s\n' "${file##*/}"
			return
		fi
	done
	slug=$(tr -cs '[:alnum:]._\n' '-' <<<"$subject" | sed 's/^-//; s/[-.]*$//' | cut -c1-52)
	printf '%04d-%s.patch\n' "$n" "$slug"
}

# The line of kernel/series for PATCH, with what it said before.
old_words()
{
	list_series "$root/kernel" | awk -v patch="$1" '$1 == patch { $1 = ""; sub(/^ /, ""); print }'
}

write_patch()
{
	local light=$1 out=$2

	in_clone format-patch --always --no-renames --zero-commit --no-signature --no-numbered \
		--no-stat --subject-prefix=PATCH --stdout -1 "$light" |
		sed '1s/^From .*/From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001/' >"$out"
}

# A file of ours is whole in its patch, so that an edit of it belongs there and nowhere else: as a commit
# of its own, or in a fixup of another, it would lose its message or its place.
refuse_edit()
{
	local file=$1 commit=$2 owner=$3

	die "commit $(in_clone log -1 --format='%h ("%s")' "$commit") in build/linux edits $file, which is" \
		"part of $(in_clone log -1 --format='%h ("%s")' "$owner"): make that edit a fixup! of the" \
		"latter (git -C build/linux reset --soft HEAD^ takes the last commit back; then" \
		"git -C build/linux commit --fixup=$(in_clone log -1 --format=%h "$owner") -- $file)"
}

# Fills DIR with series, patches and files as build/linux has them.
write_back_into()
{
	local dir=$1 commit light subject name words file n lines=() commits=() owner
	local -A edited_by=()

	mkdir -p "$dir/patches" "$dir/files"
	while read -r commit light; do
		subject=$(in_clone log -1 --format=%s "$commit")
		name=$(patch_name "$subject" $((${#lines[@]} + 1)))
		[[ ! -f $dir/patches/$name ]] ||
			die "two commits of build/linux have the subject \"$subject\": reword one"
		write_patch "$light" "$dir/patches/$name"
		words=$(old_words "$name")
		while read -r file; do
			edited_by[$file]+=" ${#lines[@]}"
		done < <(in_clone diff-tree -r --no-commit-id --no-renames --name-only "$commit")
		lines+=("$name${words:+ $words}")
		commits+=("$commit")
	done <"$tmp/chain"

	while read -r file; do
		write_file "$file" "$dir/files/$file"
		if ! owner=$(owner_of "$file" "${lines[@]}"); then
			read -r owner _ <<<"${edited_by[$file]}"
			lines[owner]+=" $file"
		fi
		for n in ${edited_by[$file]}; do
			[[ $n == "$owner" ]] || refuse_edit "$file" "${commits[n]}" "${commits[owner]}"
		done
	done < <(new_files)
	write_series "$dir/series" ${lines[@]+"${lines[@]}"}
}

write_file()
{
	local file=$1 out=$2 mode

	mkdir -p "$(dirname "$out")"
	read -r mode _ < <(in_clone ls-tree HEAD -- "$file")
	if [[ $mode == 120000 ]]; then
		ln -s "$(in_clone cat-file blob "HEAD:$file")" "$out"
	else
		in_clone cat-file blob "HEAD:$file" >"$out"
		[[ $mode != 100755 ]] || chmod +x "$out"
	fi
}

# The series file with its comments: what it opens with, and those above a patch's line.
write_series()
{
	local out=$1 old=$root/kernel/series line
	shift

	if [[ -f $old ]]; then
		awk '/^[^#]/ { exit } { print }' "$old" >"$out"
	else
		printf '# The patches in order, each with its own of kernel/files.\n\n' >"$out"
	fi
	for line; do
		[[ $line == "$1" ]] || comments_above "${line%%[[:space:]]*}" >>"$out"
		printf '%s\n' "$line" >>"$out"
	done
}

comments_above()
{
	[[ ! -f $root/kernel/series ]] || awk -v patch="$1" '
		$1 == patch { printf "%s", text; exit }
		/^#/ || /^$/ { text = text $0 "\n"; next }
		{ text = "" }' "$root/kernel/series"
}

# Carries NEW over to kernel/, touching only what differs and dropping what is gone.
install_back()
{
	local new=$1 path

	(cd "$new" && find . ! -type d -printf '%P\n') | while read -r path; do
		if ! cmp -s "$new/$path" "$root/kernel/$path" ||
			[[ -x $new/$path && ! -x $root/kernel/$path || -L $new/$path ]]; then
			mkdir -p "$root/kernel/$(dirname "$path")"
			cp -Pf "$new/$path" "$root/kernel/$path"
			note "  wrote kernel/$path"
		fi
	done
	(cd "$root/kernel" && find patches files -name '*.patch' -o -path 'files/*' ! -type d) 2>/dev/null |
		while read -r path; do
			if [[ ! -e $new/$path && ! -L $new/$path ]]; then
				rm -f "$root/kernel/$path"
				note "  removed kernel/$path"
			fi
		done
	find "$root/kernel/files" -mindepth 1 -type d -empty -delete 2>/dev/null || true
}

refresh()
{
	local tmp series commit

	import_source
	lock_clone
	have_clone || die "there is no build/linux to write back; kernel/build.sh --prepare makes it"
	check_clone_store
	series=$(series_commit)
	! clone_busy || die "build/linux is in the middle of a rebase, merge or am: finish or abort it first"
	! clone_dirty || die "build/linux has uncommitted edits: commit them first (git -C build/linux commit)," \
		"as a commit of their own or as a fixup! of the one they belong to"
	[[ $(clone_base) == "$series" ]] || refuse_both
	[[ -z $(in_clone rev-list --merges pristine..HEAD) ]] ||
		die "build/linux has a merge commit; a series is a line: rebase it"
	if [[ $(clone_head) == "$series" ]]; then
		note "nothing to write back"
		return
	fi
	autosquash
	tmp=$(mktemp -d "$root/build/refresh.XXXXXX")
	GIT_INDEX_FILE=$tmp/index light_chain >"$tmp/chain"
	write_back_into "$tmp/new"
	commit=$(series_commit "$tmp/new")
	[[ $(in_src rev-parse "$commit^{tree}") == $(in_clone rev-parse 'HEAD^{tree}') ]] ||
		die "what would be written back is not the tree of build/linux; nothing was changed, see $tmp"
	install_back "$tmp/new"
	in_clone update-ref refs/hytrace/before-refresh HEAD
	in_clone reset -q --soft "$commit"
	in_clone update-ref refs/hytrace/base "$commit"
	rm -rf "$tmp"
	unlock_clone
}

# Puts the work in build/linux on top of a kernel/ that has changed too.
rebase()
{
	local series

	import_source
	lock_clone
	have_clone || die "there is no build/linux"
	check_clone_store
	series=$(series_commit)
	! clone_busy || die "build/linux is in the middle of a rebase, merge or am: finish or abort it first"
	in_clone rebase -q --autostash --onto "$series" refs/hytrace/base ||
		die "conflicts: resolve them in build/linux and git rebase --continue there, then run" \
			"git -C build/linux update-ref refs/hytrace/base $series"
	in_clone update-ref refs/hytrace/base "$series"
	unlock_clone
}

drop_tree()
{
	have_clone || return 0
	[[ -d $(in_clone config hytrace.store) ]] || return 0
	! clone_has_work || die "build/linux has commits or edits that are not in kernel/: write them back" \
		"with kernel/build.sh --refresh, or remove build/linux yourself"
	rm -rf "$clone"
}

# ---------------------------------------------------------------- the mailable series

# Numbers and subjects come from git; the text of the cover letter is ours.
write_cover()
{
	local out=$1 text=$root/kernel/patches/0000-cover-letter.txt subject

	[[ -f $text ]] || die "$text, the cover letter's text, is missing"
	subject=$(head -n 1 "$text")
	tail -n +3 "$text" >"$tmp/blurb"
	awk -v subject="$subject" -v blurb="$tmp/blurb" '
		/\*\*\* SUBJECT HERE \*\*\*/ { sub(/\*\*\* SUBJECT HERE \*\*\*/, subject) }
		/\*\*\* BLURB HERE \*\*\*/ { while ((getline line < blurb) > 0) print line; next }
		{ print }' "$out" >"$out.tmp"
	mv "$out.tmp" "$out"
}

# git am of what was written, on the pristine tree, has to give the tree that we build.
prove_series()
{
	local out=$1 series=$2 repo=$tmp/am

	git clone -q --shared --no-checkout "$store/src" "$repo"
	git -C "$repo" sparse-checkout set --no-cone /kernel/trace/
	git -C "$repo" checkout -q --detach pristine
	find "$out" -name '*.patch' ! -name '0000-*' -print0 | LC_ALL=C sort -z |
		xargs -0 git -C "$repo" am -q >"$tmp/am.log" 2>&1 ||
		die "git am of the series fails: $(grep -m1 -E 'error|fail' "$tmp/am.log")"
	[[ $(git -C "$repo" rev-parse 'HEAD^{tree}') == $(in_src rev-parse "$series^{tree}") ]] ||
		die "git am of build/series gives another tree than the one that is built:" \
			"$(git -C "$repo" diff --stat "$series" HEAD | tail -n 3)"
}

emit_series()
{
	local out=$root/build/series tmp series count

	import_source
	lock_clone
	if have_clone && clone_has_work; then
		die "build/linux has work that is not in kernel/: kernel/build.sh --refresh writes it back"
	fi
	series=$(series_commit)
	count=$(in_src rev-list --count "pristine..$series")
	[[ $count -gt 0 ]] || die "kernel/series is empty: nothing to mail"
	tmp=$(mktemp -d "$root/build/series.XXXXXX")
	# shellcheck disable=SC2064 # the directory of now
	trap "rm -rf '$tmp'" EXIT
	GIT_COMMITTER_NAME=$(first_patch %an) GIT_COMMITTER_EMAIL=$(first_patch %ae) \
		GIT_COMMITTER_DATE=$(first_patch %ad) in_src format-patch -q --cover-letter --no-renames --zero-commit --no-signature --subject-prefix=PATCH \
		-o "$tmp/out" "pristine..$series"
	write_cover "$tmp/out/0000-cover-letter.patch"
	prove_series "$tmp/out" "$series"
	rm -rf "$out"
	mv "$tmp/out" "$out"
	unlock_clone
	note "build/series: $count patches and a cover letter; git am gives tree" \
		"$(in_src rev-parse "$series^{tree}" | cut -c1-12)"
}

# The cover letter is from whoever wrote the first patch.
first_patch()
{
	in_src log --reverse --date=raw --format="$1" "pristine..$series" | sed -n 1p
}
