# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # what common.sh sets
#
# build/linux is the one tree in which the kernel is edited, compiled and debugged. This makes it, and keeps it in
# step with kernel/. Sourced by build.sh and series.sh.
#
#   $repo, in the cache     the pristine source as one commit, and on top of it the commits of each state
#                           of kernel/patches that was ever asked for; all clones share it
#   build/linux             a git work tree that borrows $repo's objects; it has a commit for each patch;
#                           build/linux-7.3 and so on for other kernels (LINUX=)
#   build/linux/.obj-NAME   the compiler's output, a directory for each flavour
#
# With series.sh --touched, git knows no more of the kernel than the files that patches change, and build/check-linux has links to all
# others in the pristine source. To import and write 87,000 files takes a minute; who only checks a series can save that.
#
# Our own files in build/linux are links to kernel/files, and git ignores them there. So an edit under either name is
# the same, and the two cannot differ. Only the patches exist twice, in kernel/patches and as commits.
# refs/hytrace/base is the commit at which both were the same the last time; it shows which of them has changed
# since:
#
#   kernel/patches  build/linux       a build           series.sh --refresh     series.sh --rebase
#   as at base      as at base        builds it         has nothing to do       has nothing to do
#   as at base      commits, edits    builds all of it  writes commits back     has nothing to do
#   changed         as at base        moves it, builds  has nothing to do       has nothing to do
#   changed         commits, edits    refuses           refuses                 puts them on top
#
# Only --refresh writes to kernel/. build/linux is moved only if nobody's work is in it. git then writes only the
# files that differ, so that make compiles only what depends on these. Work that takes git several steps (am, rebase)
# is done in a scratch clone without files, for the same reason.

clone=$root/build/linux$edition
base=refs/hytrace/base onto=refs/hytrace/onto
does_not_apply=4 # the exit status of series.sh --applies

# Commits of the series must be the same everywhere. So their committer is nobody, as is the author of patches without one,
# and the user's configuration of git has no influence.
nobody='nobody <nobody@example.invalid>'
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
export GIT_COMMITTER_NAME=${nobody% <*} GIT_COMMITTER_EMAIL=nobody@example.invalid
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY
unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_DATE

in_repo()
{
	git -C "$repo" "$@"
}

in_clone()
{
	git -C "$clone" "$@"
}

# For reading: build/linux has the objects of $repo, and its own.
in_either()
{
	if clone_fits; then
		in_clone "$@"
	else
		in_repo "$@"
	fi
}

# Takes the lock of this clone's tree and objects.
lock_clone()
{
	mkdir -p "$root/build"
	lock "$root/build/.linux$edition.lock" 6
}

# ---------------------------------------------------------------- kernel/ as commits

# list_series DIR [KERNEL]: prints the lines of DIR/series-KERNEL that are no comments.
list_series()
{
	local series=$1/series-${2:-$linux}

	[[ ! -f $series ]] || sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$series"
}

# Prints our files, without those that editors and patch leave behind, and those that belong to the series of other
# kernels only. A file that no series names yet belongs to each kernel.
list_files()
{
	local name word ours=() others=() file

	[[ -d $root/kernel/files ]] || return 0
	for name in "$root"/kernel/series-*; do
		name=${name##*series-}
		while read -ra word; do
			if [[ $name == "$linux" ]]; then
				ours+=("${word[@]:1}")
			else
				others+=("${word[@]:1}")
			fi
		done < <(list_series "$root/kernel" "$name")
	done
	find "$root/kernel/files" ! -type d ! -name '*~' ! -name '.*.sw?' ! -name '.#*' ! -name '*.orig' \
		! -name '*.rej' -printf '%P\n' |
		while read -r file; do
			! matches "$file" "${others[@]}" || matches "$file" "${ours[@]}" || continue
			printf '%s\n' "$file"
		done
}

# matches FILE WORD...: does a path, glob or directory of a line of a series name the file?
matches()
{
	local file=$1 word
	shift

	for word; do
		# shellcheck disable=SC2053 # a glob
		[[ $file != $word && $file != "$word"/* ]] || return 0
	done
	return 1
}

# Prints the files of the kernel that the patches change, and those that tell git how to treat files.
touched_files()
{
	list_series "$root/kernel" | awk '{ print "patches/" $1 }' | (cd "$root/kernel" && xargs -r sed -n 's|^--- a/||p') |
		cat - <(printf '%s\n' .gitattributes .gitignore) | sort -u
}

# scratch_clone FROM COMMIT DIR: makes a work tree with an index and almost no files.
scratch_clone()
{
	git clone -q --shared --no-checkout "$1" "$3" &&
		git -C "$3" sparse-checkout set --no-cone /.gitattributes &&
		git -C "$3" checkout -q --detach "$2"
}

# write_patches DIR OUT: writes DIR's patches in a form for git am, with an author; prints their names.
write_patches()
{
	local dir=$1 out=$2 name

	list_series "$dir" | while read -r name _; do
		mkdir -p "$out/$(dirname "$name")"
		[[ -s $dir/patches/$name ]] && awk -v from="From: $nobody" '
			NR == FNR { if (/^$/) body = 1; if (!body && /^From: /) from = ""; next }
			/^Subject: / && from { print from; from = "" }
			{ print }' "$dir/patches/$name" "$dir/patches/$name" >"$out/$name" || exit
		printf '%s\n' "$out/$name"
	done
}

# series_ref DIR: prints the name that $repo has for the commits of the patches in a DIR like kernel/.
series_ref()
{
	local key

	key=$(cd "$1" && list_series . | awk '{ print "patches/" $1 }' | xargs -r sha256sum) ||
		die "a patch that kernel/series-$linux names is missing from kernel/patches (above)"
	printf 'refs/hytrace/series/%.40s\n' "$(sha256sum <<<"3 $key")"
}

# series_commit [DIR]: makes the commits of kernel/patches, or of a DIR like kernel/; prints the last one.
series_commit()
{
	local dir=${1:-$root/kernel} ref tmp patches

	ref=$(series_ref "$dir")
	in_repo rev-parse -q --verify "$ref^{commit}" && return
	mkdir -p "$root/build"
	tmp=$(mktemp -d "$root/build/am.XXXXXX")
	write_patches "$dir" "$tmp/patches" >"$tmp/names" || die "no patches in $tmp; is the disk full?"
	mapfile -t patches <"$tmp/names"
	scratch_clone "$repo" pristine "$tmp/linux" || die "no scratch clone in $tmp; is the disk full?"
	apply "$tmp/linux" "${patches[@]}"
	in_repo fetch -q --no-tags --no-write-fetch-head "$tmp/linux" "+HEAD:$ref"
	rm -rf "$tmp"
	in_repo rev-parse "$ref"
}

# apply REPO PATCH...: applies the patches as commits. A stable update may have changed the lines around a patch;
# then less context is tried, with a message.
apply()
{
	local repo=$1 patch name am
	shift

	am=(git -C "$repo" am -q --empty=keep --committer-date-is-author-date --whitespace=nowarn)
	for patch; do
		! "${am[@]}" "$patch" >"$repo.log" 2>&1 || continue
		git -C "$repo" am -q --abort 2>/dev/null || true
		name=kernel/patches/${patch#"${repo%/*}/patches/"}
		if "${am[@]}" -C1 "$patch" >/dev/null 2>&1; then
			note "$name applies only with less context; look at it in build/linux$edition"
			continue
		fi
		if [[ ${on_trial:-} ]]; then
			rm -rf "${repo%/*}"
			note "$name does not apply to ${store##*/}"
			exit "$does_not_apply"
		fi
		if [[ -d $root/build/am/linux/.git/rebase-apply ]]; then
			rm -rf "${repo%/*}"
			die "$name does not apply; build/am/linux is in the middle of an earlier try: go on there, or" \
				"remove build/am"
		fi
		rm -rf "$root/build/am.old"
		[[ ! -d $root/build/am ]] || mv "$root/build/am" "$root/build/am.old"
		mv "${repo%/*}" "$root/build/am"
		die "$name does not apply to ${store##*/} (the patches before it do):" \
			"$(head -n 1 "$root/build/am/linux.log"). build/am/linux is there to redo it: edit," \
			"git add -f --sparse, git am --continue there; then in the clone" \
			"git -C build/am/linux format-patch --stdout -1 >$name"
	done
}

# ---------------------------------------------------------------- build/linux

have_clone()
{
	[[ -d $clone/.git ]]
}

# Is build/linux a tree of this kernel source?
clone_fits()
{
	have_clone && [[ $(in_clone config hytrace.source) == "$repo" ]]
}

clone_is()
{
	[[ $(in_clone rev-parse HEAD) == "$1" ]] && ! clone_dirty
}

# Prints files that have replaced links to ours. git ignores such edits until link_files() takes them over.
replaced_links()
{
	list_files | while read -r file; do
		[[ ! -f $clone/$file || -L $clone/$file ]] || printf '%s\n' "$file"
	done
}

# Can build/linux be removed? Only if all that is in it can be made again.
clone_is_spare()
{
	clone_is "$(in_clone rev-parse "$base")" && [[ -z $(replaced_links) ]] &&
		[[ -z $(in_clone for-each-ref refs/stash) ]] &&
		[[ -z $(in_clone rev-list -n 1 --branches --not "$base" HEAD) ]]
}

# If git cannot know, for example because the cache is gone, that counts as work.
clone_dirty()
{
	local status

	! status=$(in_clone status --porcelain) || [[ -n $status ]]
}

refuse_busy()
{
	local git=$clone/.git

	[[ ! -d $git/rebase-merge && ! -d $git/rebase-apply && ! -f $git/MERGE_HEAD ]] ||
		die "build/linux$edition is in the middle of a rebase, merge or am: finish or abort it first"
}

# link_pristine DIR: brings the files there that git does not know. git removes a link before it writes a file.
link_pristine()
{
	local all

	[[ $repo == */touched-* ]] || return 0
	mapfile -t all < <(find "$store/unpatched/src" -mindepth 1 -maxdepth 1 ! -name '.obj-*')
	cp -al -t "$1" "${all[@]}" 2>/dev/null || cp -a -t "$1" "${all[@]}"
}

# The last line of Debian's .gitignore hides every file that git does not know. It is removed from the work tree's
# copy, and git does not see that as an edit.
show_new_files()
{
	[[ $repo == */touched-* ]] || sed -i -e '\|^/\*$|d' "$1"
}

make_clone()
{
	note "making the clone's kernel tree, build/${clone##*/}"
	rm -rf "$clone.tmp"
	if ! git clone -q --shared --no-checkout -c gc.auto=0 -c hytrace.source="$repo" \
			-c core.untrackedCache=true "$repo" "$clone.tmp" ||
		! git -C "$clone.tmp" update-ref "$base" "$1" ||
		! link_pristine "$clone.tmp" ||
		! git -C "$clone.tmp" checkout -q -f -B hytrace "$1" ||
		! git -C "$clone.tmp" update-index --skip-worktree .gitignore ||
		! show_new_files "$clone.tmp/.gitignore" ||
		! mkdir -p "$clone.tmp/.git/info" || ! touch "$clone.tmp/.git/info/exclude"; then
		rm -rf "$clone.tmp"
		die "making build/linux$edition failed; is the disk full?"
	fi
	mv "$clone.tmp" "$clone"
}

# If build/linux is a tree of another kernel source, because of a stable update, it is replaced, unless there is work
# in it.
check_clone_source()
{
	! clone_fits || return 0
	clone_is_spare ||
		die "build/linux$edition was made from another source than $repo, and there is work in it: save it" \
			"(git -C build/linux$edition format-patch $base), move build/linux$edition away, run" \
			"$series_sh --prepare, and git am it there"
	rm -rf "$clone"
}

# Makes the links to our files, and no others. If an editor or sed -i has put a file in a link's place, that file has
# the edits, so it replaces the file in kernel/, unless the latter is newer.
link_files()
{
	local file ours link exclude=$clone/.git/info/exclude

	while IFS=/ read -r _ file; do
		[[ ! -L $clone/$file || -e $clone/$file ]] || rm "$clone/$file"
	done <"$exclude"
	# bindeb-pkg leaves packages here only if it was killed.
	printf '/%s\n' '.obj-*' compile_commands.json 'linux-*.deb' 'linux-upstream_*' >"$exclude.new"
	# Debian's .gitignore has such a line; other sources do not.
	[[ $repo != */touched-* ]] || echo '/*' >>"$exclude.new"
	list_files | while read -r file; do
		ours=$root/kernel/files/$file link=$clone/$file
		printf '/%s\n' "$file" >>"$exclude.new"
		[[ ! $link -ef $ours ]] || continue
		if [[ -f $link && ! -L $link ]]; then
			[[ -z $(in_clone ls-files -- ":(literal)$file") ]] ||
				die "kernel/files/$file is a file of the kernel itself, too: changes to it" \
					"belong into a patch"
			cmp -s "$link" "$ours" || take_over "$file"
		fi
		mkdir -p "${link%/*}"
		ln -srfn "$ours" "$link"
	done || exit 1
	mv "$exclude.new" "$exclude"
}

take_over()
{
	local ours=$root/kernel/files/$1

	# If the file never was a link, nobody has edited it in place of a link.
	{ [[ $clone/$1 -nt $ours ]] && grep -qxF "/$1" "$clone/.git/info/exclude"; } ||
		die "build/linux$edition/$1 is no link to kernel/files/$1, and the two differ: bring them together in" \
			"the latter, then remove the former"
	note "build/linux$edition/$1 is no longer a link: its content is copied to kernel/files/$1"
	{ cp -p "$ours" "$ours.new~" && cat "$clone/$1" >"$ours.new~" && mv "$ours.new~" "$ours"; } || {
		rm -f "$ours.new~"
		die "build/linux$edition/$1 could not be copied to kernel/files/$1; is the disk full? Both are as they were"
	}
}

# sync_clone make|keep: brings build/linux in step with kernel/, or dies. If it is missing, `make` makes it.
sync_clone()
{
	local series

	series=$(series_commit)
	! have_clone || check_clone_source
	if ! have_clone; then
		[[ $1 == make ]] || return 0
		make_clone "$series"
	fi
	if ! stands_on "$series"; then
		clone_is "$(in_clone rev-parse "$base")" || refuse_both
		refuse_busy
		in_clone reset -q --keep "$series" || die "could not move build/linux$edition to $series"
	fi
	in_clone update-ref "$base" "$series"
	link_files
}

# stands_on SERIES: is SERIES the base of the work in build/linux? Somebody may have resolved by hand what --rebase
# could not.
stands_on()
{
	local was

	was=$(in_clone rev-parse "$base")
	[[ $was != "$1" ]] || return 0
	[[ $(in_clone rev-parse -q --verify "$onto") == "$1" ]] &&
		in_clone merge-base --is-ancestor "$1" HEAD &&
		{ ! in_clone merge-base --is-ancestor "$was" HEAD ||
			in_clone merge-base --is-ancestor "$was" "$1"; }
}

refuse_both()
{
	die "both kernel/ and build/linux$edition have changed since they were last in step, and nothing is thrown" \
		"away: $series_sh --rebase puts the commits of build/linux$edition (and its uncommitted edits)" \
		"on top of kernel/; or, to drop them: git -C build/linux$edition reset --hard $base"
}

# Prints the tree that this clone wants built: with uncommitted edits, and without our files. It changes nothing,
# because --print-* use it. If nobody has made the commits of the series, nobody has built it.
wanted_tree()
{
	local tree series

	series=$(in_repo rev-parse -q --verify "$(series_ref "$root/kernel")^{commit}") || return
	tree=$series
	[[ -z $(! clone_fits || replaced_links) ]] || return
	if clone_fits && ! clone_is "$(in_clone rev-parse "$base")"; then
		stands_on "$series" || return
		tree=$(edited_tree)
	fi
	in_either rev-parse "$tree^{tree}"
}

edited_tree()
(
	GIT_INDEX_FILE=$(mktemp "$root/build/index.XXXXXX")
	export GIT_INDEX_FILE
	trap 'rm -f "$GIT_INDEX_FILE"' EXIT
	cp "$clone/.git/index" "$GIT_INDEX_FILE"
	in_clone add -A
	in_clone write-tree
)

prepare()
{
	import_source
	lock_clone
	sync_clone make
}
