#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the patched kernel: unpacks Debian's linux-source-6.12, makes one git commit per patch of
# kernel/series, configures from the fragments in kernel/config and compiles, as little as it can.
#
# One shared checkout per kernel source is moved from commit to commit: git touches only the files
# that differ, so make compiles only what depends on them, whichever clone asks. Objects of each
# flavour live apart. What is built is what the clone holds: kernel/, or build/linux with its
# commits and even uncommitted edits (tree.sh says how the two are kept in step).
#
# What a build is for, the image, vmlinux and the modules, is put into images/FLAVOUR-KEY, where KEY is a
# hash of the tree, the configuration and the compilers. It appears there whole or not at all and is
# never written again: the guests of one clone go on while another clone builds, and going back to a
# state that has been built before takes no time. A build that was killed leaves .hytrace-building
# with its objects; whatever is younger than that is thrown away, as make cannot know a half-written
# object from a whole one.

set -euo pipefail
# shellcheck source=kernel/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=kernel/tree.sh
. "$root/kernel/tree.sh"
# shellcheck source=kernel/off_check.sh
. "$root/kernel/off_check.sh"

PATH=$PATH:/usr/sbin:/sbin

usage()
{
	cat <<'USAGE'
Usage: kernel/build.sh [FLAVOUR] [OPTION]...
Builds the patched kernel and its modules; with nothing changed it is done in seconds.

Flavour (default: base + hytrace)
  --debug            with KASAN, lock checking, fault injection, start-up self-tests
  --selftest         with what the kernel's ftrace selftests ask for
  --small            the least that can be traced, without user space, instead of base
  --clang            compiled with clang
  --unpatched        the pristine source, without our patches and options
  --config FRAGMENT  add a Kconfig fragment, a file or a name in kernel/config; may be repeated

Instead of building
  --prepare          make build/linux, this clone's kernel tree, or bring it in step with kernel/
  --refresh          write the commits in build/linux back into kernel/patches and kernel/files
  --rebase           put them on top of a kernel/ that has changed too
  --series           write build/series/*.patch and prove that git am gives the very same tree
  --series-build     build the kernel at each patch of the series
  --check            compile what is ours with W=1 and sparse; fail on any finding in our files
  --off-check        compare the code with our options off to that of the unpatched kernel
  --drop-tree        remove build/linux, unless it has work that is not in kernel/

Print a path and build nothing; fail unless there is a good build of the clone's present state
(HYTRACE_STALE_OK=1: of any state, with a warning)
  --print-vmlinux --print-image --print-release
  --print-tree       the kernel source with the series applied: build/linux, made if it is missing
  --print-source     the pristine source, for tools/; unpacked if it is not yet

The cache is HYTRACE_CACHE, or hytrace in XDG_CACHE_HOME (~/.cache): what belongs to kernel sources no
longer installed may be removed there. HYTRACE_LINUX_TARBALL= takes another tarball than the one of
linux-source-6.12. V=1 shows the compiler's lines.
USAGE
}

# ---------------------------------------------------------------- flavours

# Sets $name, $fragments, $src, $obj and $images.
choose_flavour()
{
	local extra

	fragments=("$root/kernel/config/base.config")
	[[ $flavour != small ]] || fragments=("$root/kernel/config/small.config")
	if [[ -z $unpatched && -n $(list_series "$root/kernel") ]]; then
		fragments+=("$root/kernel/config/hytrace.config")
	fi
	[[ $flavour =~ ^(base|small)$ ]] || fragments+=("$root/kernel/config/$flavour.config")
	name=$flavour${clang:+-clang}
	for extra in ${extras[@]+"${extras[@]}"}; do
		[[ -r $extra ]] || extra=$root/kernel/config/${extra%.config}.config
		[[ -r $extra ]] || die "--config ${extra##*/}: no such file, and none of that name in kernel/config"
		extra=$(readlink -f "$extra")
		fragments+=("$extra")
		name+=+$(basename "$extra" .config)-$(sha256sum <<<"$extra" | cut -c1-6)
	done
	src=$store/${unpatched:+unpatched/}src
	obj=$store/${unpatched:+unpatched/}obj/$name
	images=$store/${unpatched:+unpatched/}images
	log=$root/build/kernel-${unpatched:+unpatched-}$name.log
}

release_suffix()
{
	printf -- '-%s' "${unpatched:-hytrace}"
	[[ $name == base ]] || printf -- '-%s' "$(tr -cs '[:alnum:].\n' - <<<"$name")"
}

toolchain()
{
	"$compiler" --version | sed -n 1p
	ld --version | sed -n 1p
	pahole --version
}

# What of a tree the compiler reads: documentation and self-tests may change without a build.
compiled_part()
{
	if [[ -n $unpatched ]]; then
		echo "$1"
	else
		in_src ls-tree "$1" | grep -vE '	(Documentation|tools)$'
		in_src ls-tree "$1" Documentation/Kconfig
		in_src ls-tree "$1" tools/ | grep -vE '	tools/testing$'
	fi
}

# done_key TREE: what a finished build depends on.
done_key()
{
	{
		echo "3 $(release_suffix)"
		compiled_part "$1"
		cat "${fragments[@]}"
		toolchain
	} | sha256sum | cut -c1-40
}

# The tree that this clone wants built, or nothing when that cannot be known without writing.
wanted_tree()
{
	if [[ -n $unpatched ]]; then
		echo "${store##*/}"
	elif have_src; then
		wanted_tree_quietly
	fi
}

# ---------------------------------------------------------------- what builds leave

# The directory of the build with this key, which is there when there has been one.
image_dir()
{
	printf '%s/%s-%s\n' "$images" "$name" "${1:0:16}"
}

is_done()
{
	[[ -d $(image_dir "$1") ]]
}

# Those of this flavour, the last one used first.
list_images()
{
	local dir

	for dir in "$images/$name"-*; do
		[[ ! ${dir#"$images/$name-"} =~ ^[0-9a-f]{16}$ ]] || printf '%s\n' "$dir"
	done | xargs -r -d '\n' ls -1dt
}

# keep KEY: what guests and tools read of a build.
keep()
{
	local dir tmp

	dir=$(image_dir "$1")
	tmp=$dir.tmp
	rm -rf "$tmp"
	mkdir -p "$tmp" || return
	kbuild -s INSTALL_MOD_PATH="$tmp" modules_install || return
	rm -f "$tmp"/lib/modules/*/build "$tmp"/lib/modules/*/source
	cp "$obj/arch/x86/boot/bzImage" "$obj/vmlinux" "$tmp" || return
	cp "$obj/.config" "$tmp/config" || return
	cp "$obj/include/config/kernel.release" "$tmp/release" || return
	mv -T "$tmp" "$dir"
}

# Of each flavour three are kept, and what was used in the last hour, or what a guest runs on, which
# holds a lock on its image's directory.
drop_old_images()
{
	local dir

	list_images | tail -n +4 | while read -r dir; do
		[[ $(find "$dir" -maxdepth 0 -mmin +60) ]] || continue
		exec 3<"$dir"
		! flock -n 3 || rm -rf "$dir"
		exec 3<&-
	done
}

# ---------------------------------------------------------------- running make

# The same in every clone and flavour, so that ccache finds what another one compiled. The prefix
# map: ccache's base directory makes paths relative, and __FILE__ has to stay what it would be.
kbuild()
{
	export CCACHE_DIR=$cache/ccache CCACHE_BASEDIR=$cache CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=8G
	export KBUILD_BUILD_TIMESTAMP='2025-01-01 00:00:00 UTC' KBUILD_BUILD_VERSION=1
	export KBUILD_BUILD_USER=hytrace KBUILD_BUILD_HOST=hytrace
	unset MAKEFLAGS MAKELEVEL MFLAGS ARCH CROSS_COMPILE KCONFIG_CONFIG KCFLAGS V
	local prefix=-fmacro-prefix-map=../../src/=

	make -C "$src" O="$obj" -j"$(nproc)" LOCALVERSION="$(release_suffix)" \
		CC="ccache $compiler" HOSTCC='ccache gcc' KCPPFLAGS="$prefix" "$@"
}

child=

stop()
{
	trap - INT TERM HUP
	[[ -z $child ]] || {
		kill -TERM -- "-$child" 2>/dev/null || true
		wait "$child" 2>/dev/null || true
		while kill -0 -- "-$child" 2>/dev/null; do sleep 0.1; done
	}
	[[ ! -t 2 ]] || printf '\n' >&2
	printf '%s: interrupted; the next run goes on from here\n' "$self" >&2
	exit 130
}

# step LABEL EXPECTED COMMAND...: runs it with all output in the log, and says how far it is.
step()
{
	local label=$1 expected=$2 status=0 lines
	shift 2

	note "kernel: $label"
	printf '\n### %s: %s\n' "$label" "$*" >>"$log"
	lines=$(wc -l <"$log")
	# A process group of its own, to be stopped as a whole.
	set -m
	"$@" >>"$log" 2>&1 </dev/null &
	child=$!
	set +m
	if [[ -t 2 && -z ${V:-} ]]; then
		progress "$label" "$expected" "$child"
	elif [[ -n ${V:-} ]]; then
		tail -n +$((lines + 1)) -s 0.2 --pid="$child" -f "$log" >&2
	fi
	wait "$child" || status=$?
	child=
	return "$status"
}

progress()
{
	local label=$1 expected=$2 pid=$3 start=$SECONDS before files spent left

	before=$(count_files)
	while kill -0 "$pid" 2>/dev/null; do
		sleep 1
		files=$(($(count_files) - before))
		spent=$((SECONDS - start))
		left=
		if [[ $files -gt 20 && $expected -gt $files ]]; then
			left=", $(((expected - files) * spent / files / 60 + 1)) min left"
		fi
		printf '\r\033[K  %s: %d%s files, %d:%02d%s' "$label" "$files" \
			"$([[ $expected -eq 0 ]] || echo " of about $expected")" \
			$((spent / 60)) $((spent % 60)) "$left" >&2
	done
	printf '\r\033[K' >&2
}

count_files()
{
	grep -cE '^  (CC|AS|HOSTCC)( |$)' "$log" || true
}

first_error()
{
	local pattern='(fatal )?error:|undefined reference|\*\*\*|No space left|Error [0-9]+$|Killed$|cannot '

	awk '/^### / { text = "" } { text = text $0 "\n" } END { printf "%s", text }' "$log" >"$log.last"
	grep -m1 -A6 -E "$pattern" "$log.last" | sed -e 's|\.\./\.\./src/||g' -e "s|$src/||g" | cut -c1-200 >&2 ||
		tail -n 15 "$log.last" >&2
	rm -f "$log.last"
}

fail()
{
	# Half-written files may be anywhere on a full disk: keep .hytrace-building, the next run cleans.
	if ! grep -q 'No space left on device' "$log"; then
		rm -f "$obj/.hytrace-building"
	fi
	first_error
	die "$1; the whole log is $log"
}

# ---------------------------------------------------------------- configuration

# What .config depends on beside the fragments: every Kconfig file.
kconfig_key()
{
	{
		echo "$(release_suffix) $(toolchain)"
		cat "${fragments[@]}"
		if [[ -n $unpatched ]]; then
			echo "$store"
		else
			in_src ls-tree -r HEAD | grep -E '	(.*/)?Kconfig[^/]*$' || true
		fi
	} | sha256sum | cut -c1-40
}

# The fragments over allnoconfig. merge_config.sh joins them, and leaves its temporary files where it
# is called from.
generate_config()
{
	cd "$obj"
	KCONFIG_CONFIG=$obj/.fragments "$src/scripts/kconfig/merge_config.sh" -m -Q "${fragments[@]}" ||
		return
	kbuild KCONFIG_CONFIG="$1" KCONFIG_ALLCONFIG="$obj/.fragments" allnoconfig
}

# .config is replaced only by a different one: its time is what make goes by.
configure()
{
	local key new=$obj/.config.new

	key=$(kconfig_key)
	if [[ -f $obj/.config && -f $obj/.hytrace-config && $(<"$obj/.hytrace-config") == "$key" ]]; then
		return
	fi
	rm -f "$obj/.hytrace-config" "$new"
	step configuring 0 generate_config "$new" || fail "configuring the kernel failed"
	[[ -n ${partial:-} ]] || check_stuck "$new"
	cmp -s "$new" "$obj/.config" || cp "$new" "$obj/.config"
	rm -f "$new" "$new.old"
	printf '%s\n' "$key" >"$obj/.hytrace-config"
}

# Every option asked for has to be in the .config: a dependency that is missing, or an option that
# a new kernel has renamed, must not go by silently. Of two lines for one option the last counts.
check_stuck()
{
	local config=$1 missing

	missing=$(awk '
		function option(line) { sub(/^# /, "", line); sub(/[= ].*/, "", line); return line }
		/^(# )?CONFIG_[A-Za-z0-9_]+(=| is not set)/ {
			o = option($0)
			if (FILENAME == config) {
				have[o] = $0
			} else {
				want[o] = $0
				where[o] = FILENAME ":" FNR
			}
		}
		END {
			for (o in want) {
				got = o in have ? have[o] : "# " o " is not set"
				if (want[o] != got)
					printf "  %s (%s), but it is: %s\n", want[o], where[o],
						o in have ? got : "not visible"
			}
		}' config="$config" "${fragments[@]}" "$config" | sort)
	[[ -z $missing ]] || {
		printf '%s\n' "${missing//$root\//}" >&2
		missing=$(sed -n '1s/.*CONFIG_\([A-Za-z0-9_]*\).*/\1/p' <<<"$missing")
		die "options did not stick: what they depend on is off, or this kernel does not have them;" \
			"look at \"config $missing\": grep -rnw --include='Kconfig*' 'config $missing' $src"
	}
}

# ---------------------------------------------------------------- building

# Brings the shared checkout to a commit, whatever an interrupted run left behind.
move_src()
{
	local commit=$1

	rm -f "$store/src/.git/index.lock"
	in_src update-index -q --refresh >/dev/null || true
	in_src reset -q --hard "$commit" || die "moving $store/src to $commit failed; is the disk full?"
	in_src clean -fdxq
}

# What a killed build or a full disk may have left half-written.
sweep()
{
	if [[ -f $obj/.hytrace-building ]]; then
		note "kernel: the last build was cut short; removing what it was writing"
		find "$obj" -type f -newer "$obj/.hytrace-building" -delete
	else
		touch -d '1 second ago' "$obj/.hytrace-building"
	fi
}

expected_files()
{
	if [[ -f $obj/vmlinux ]]; then
		echo 0
	elif [[ -f $obj/.hytrace-files ]]; then
		cat "$obj/.hytrace-files"
	else
		echo 2000
	fi
}

# compile KEY: make everything in $obj from $src as it stands, and keep the result.
compile()
{
	local expected start

	expected=$(expected_files)
	start=$SECONDS
	step "compiling $name" "$expected" kbuild all || fail "compiling the $name kernel failed"
	[[ $expected -eq 0 ]] || count_files >"$obj/.hytrace-files"
	step "installing" 0 keep "$1" || fail "putting the $name kernel into $images failed"
	warnings=$(grep -c 'warning:' "$log" || true)
	[[ $warnings -eq 0 ]] || note "kernel: $warnings warnings, see $log"
	note "kernel: $name built in $((SECONDS - start)) s: $(image_dir "$1")"
}

start_log()
{
	mkdir -p "$root/build" "$obj"
	: >"$log"
}

build()
{
	local commit='' tree key

	need gcc "$compiler" ld make flex bison bc pahole ccache xz git flock kmod perl
	if [[ -n $unpatched ]]; then
		unpack_source
		tree=$(wanted_tree)
	else
		import_source
		lock_clone
		commit=$(wanted_commit)
		unlock_clone
		tree=$(in_src rev-parse "$commit^{tree}")
	fi
	key=$(done_key "$tree")
	if is_done "$key"; then
		note "kernel: $name is up to date"
		return
	fi
	mkdir -p "${src%/src}"
	lock "${src%/src}/build.lock" 9
	if is_done "$key"; then
		note "kernel: $name is up to date"
		return
	fi
	start_log
	sweep
	[[ -z $commit ]] || move_src "$commit"
	configure
	compile "$key"
	rm -f "$obj/.hytrace-building"
	drop_old_images
	exec 9>&-
}

prepare()
{
	local commit

	import_source
	lock_clone
	commit=$(series_commit)
	have_clone && check_clone_store
	if have_clone; then
		wanted_commit >/dev/null
	else
		make_clone "$commit"
	fi
	unlock_clone
}

# Each patch has to build, not just the last one. Objects of their own, as headers come and go. A patch
# that changes nothing the compiler reads builds as the one before it does.
series_build()
{
	local commit last n=0 count built=0 part='' before

	need gcc "$compiler" ld make flex bison bc pahole ccache xz git flock kmod perl
	import_source
	lock_clone
	last=$(series_commit)
	unlock_clone
	fragments+=("$root/kernel/config/series.config")
	obj=$store/obj/series log=$root/build/kernel-series.log
	lock "$store/build.lock" 9
	start_log
	sweep
	count=$(in_src rev-list --count "pristine..$last")
	for commit in $(in_src rev-list --reverse "pristine..$last"); do
		n=$((n + 1)) before=$part
		part=$(compiled_part "$commit")
		[[ $part != "$before" ]] || continue
		note "kernel: patch $n of $count: $(in_src log -1 --format=%s "$commit")"
		move_src "$commit"
		partial=1 configure
		step "compiling patch $n" 0 kbuild vmlinux modules ||
			fail "the series does not build at patch $n: $(in_src log -1 --format=%s "$commit")"
		built=$((built + 1))
	done
	rm -f "$obj/.hytrace-building"
	exec 9>&-
	! grep -A3 'warning:' "$log" >&2 || die "the compiler warns of a patch of the series (above)"
	note "kernel: each of $count patches builds, $built of them with something to compile"
}

# The lines that the series adds to the kernel's own files or changes there, as FILE:LINE.
changed_lines()
{
	in_src diff -U0 --no-renames --diff-filter=M pristine HEAD -- '*.[ch]' | awk '
		/^\+\+\+ b\// { file = substr($0, 7) }
		/^@@/ {
			split(substr($3, 2), at, ",")
			for (i = 0; i < (at[2] == "" ? 1 : at[2]); i++)
				print file ":" at[1] + i
		}'
}

# Of FILE..., the objects that this configuration has.
configured_objects()
{
	local file

	for file; do
		if [[ -f $store/obj/base/${file%.c}.o ]]; then
			printf '%s\n' "${file%.c}.o"
		else
			note "not in this configuration, so not checked: $file"
		fi
	done
}

# W=1 and sparse over our files' directories and the kernel's own files that the series changes. Both
# complain about the kernel's code, too; what counts is what they say of our files and of our lines.
check()
{
	local commit files dirs changed objects findings

	build
	need sparse
	lock_clone
	commit=$(wanted_commit)
	unlock_clone
	obj=$store/obj/check log=$root/build/kernel-check.log
	lock "$store/build.lock" 9
	start_log
	sweep
	move_src "$commit"
	files=$(in_src diff --name-only --diff-filter=A pristine HEAD | grep -vE '^(tools|samples)/' |
		grep -E '\.[ch]$') || die "the series has no C file of its own: nothing to check"
	dirs=$(xargs -n 1 dirname <<<"$files" | grep -v '^include' | sort -u | sed 's|$|/|')
	mapfile -t changed < <(in_src diff --name-only --diff-filter=M pristine HEAD -- '*.c')
	objects=$(configured_objects ${changed[@]+"${changed[@]}"})
	configure
	while read -r file; do
		rm -f "$obj/${file%.[cho]}.o"
	done <<<"$files"$'\n'"$objects"
	# shellcheck disable=SC2086 # lists of directories and objects
	step "checking $(wc -l <<<"$files") files of ours, ${#changed[@]} of the kernel's" 0 \
		kbuild W=1 C=2 $dirs $objects || fail "compiling with W=1 failed"
	rm -f "$obj/.hytrace-building"
	findings=$(sed "s|^\(\.\./\.\./src\|$src\)/||" "$log" | awk -F: '
		FILENAME != "-" { ours[$0] = 1; next }
		/^[^ :]+:[0-9]+:[0-9]+: (sparse: )?(warning|error)/ && ($1 in ours || ($1 ":" $2) in ours)
		' <(printf '%s\n' "$files"; changed_lines) - | sort -u)
	exec 9>&-
	[[ -z $findings ]] || {
		printf '%s\n' "$findings" >&2
		die "W=1 or sparse found something in our files or lines (above)"
	}
	note "kernel: W=1 and sparse find nothing in $(wc -l <<<"$files") files of ours and" \
		"$(changed_lines | wc -l) lines of the kernel's"
}

# ---------------------------------------------------------------- printing

# Prints the directory of the build of the clone's present state, or with HYTRACE_STALE_OK of the last
# one used. It counts as used from now on.
find_image()
{
	local tree dir what="kernel/build.sh${unpatched:+ --unpatched}"

	tree=$(wanted_tree) || tree=
	dir=${tree:+$(image_dir "$(done_key "$tree")")}
	if [[ ! -d $dir ]]; then
		[[ $flavour == base ]] || what+=" --$flavour"
		what+=${clang:+ --clang}
		dir=$(list_images | sed -n 1p)
		[[ -n $dir ]] || die "no good build of the ${unpatched:+unpatched }$name kernel; run $what"
		[[ -n ${HYTRACE_STALE_OK:-} ]] ||
			die "the $name kernel in the cache is not built from this clone's present sources; run $what"
		printf '%s: the %s kernel is not built from the present sources\n' "$self" "$name" >&2
	fi
	touch -c "$dir" 2>/dev/null || true
	printf '%s\n' "$dir"
}

print()
{
	local dir

	case $1 in
	tree)
		if [[ -n $unpatched ]]; then
			unpack_source
			echo "$src"
		else
			prepare
			echo "$clone"
		fi
		return
		;;
	source) unpack_source; echo "$store/unpatched/src"; return ;;
	esac
	dir=$(find_image)
	case $1 in
	vmlinux) echo "$dir/vmlinux" ;;
	image) echo "$dir/bzImage" ;;
	release) cat "$dir/release" ;;
	esac
}

# ---------------------------------------------------------------- command line

action=build flavour=base compiler=gcc clang='' unpatched='' extras=()
while [[ $# -gt 0 ]]; do
	case $1 in
	--debug | --selftest | --small)
		[[ $flavour == base ]] || die "--$flavour and $1: one flavour at a time"
		flavour=${1#--}
		;;
	--clang) clang=clang compiler=clang-19 ;;
	--unpatched) unpatched=unpatched ;;
	--config)
		[[ $# -gt 1 ]] || die "--config needs a fragment"
		extras+=("$2")
		shift
		;;
	--config=*) extras+=("${1#*=}") ;;
	--prepare | --refresh | --rebase | --series | --series-build | --check | --off-check | --drop-tree)
		action=${1#--} ;;
	--print-tree | --print-vmlinux | --print-release | --print-image | --print-source) action=$1 ;;
	-h | --help)
		usage
		exit 0
		;;
	*)
		printf '%s: unknown option %s; --help lists them\n' "$self" "$1" >&2
		exit 2
		;;
	esac
	shift
done

trap stop INT TERM HUP
find_store
choose_flavour
case $action in
build) build ;;
prepare) prepare ;;
refresh) refresh ;;
rebase) rebase ;;
series) emit_series ;;
series-build) series_build ;;
check) check ;;
off-check) off_check ;;
drop-tree) drop_tree ;;
--print-*) print "${action#--print-}" ;;
esac
