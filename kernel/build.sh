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
# A build is good when its stamp says so: obj/FLAVOUR/.hytrace-done holds a hash of the tree, the
# configuration and the compilers. It goes before anything is touched and comes back last. A build
# that was killed leaves .hytrace-building; whatever is younger than that is thrown away, as make
# cannot know a half-written object from a whole one.

set -euo pipefail
# shellcheck source=kernel/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=kernel/tree.sh
. "$root/kernel/tree.sh"

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
  --drop-tree        remove build/linux, unless it has work that is not in kernel/

Print a path and build nothing; fail unless there is a good build of the clone's present state
(HYTRACE_STALE_OK=1: of any state, with a warning)
  --print-vmlinux --print-image --print-modules --print-release --print-objects
  --print-tree       the kernel source with the series applied: build/linux, or the shared one
  --print-source     the pristine source, for tools/; unpacked if it is not yet

The cache is HYTRACE_CACHE, or hytrace in XDG_CACHE_HOME (~/.cache): what belongs to kernel sources no
longer installed may be removed there. HYTRACE_LINUX_TARBALL= takes another tarball than the one of
linux-source-6.12. V=1 shows the compiler's lines.
USAGE
}

# ---------------------------------------------------------------- flavours

# Sets $name, $fragments, $src and $obj.
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
	src=$store/src obj=$store/obj/$name
	if [[ -n $unpatched ]]; then
		src=$store/unpatched/src obj=$store/unpatched/obj/$name
	fi
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
		echo "2 $(release_suffix)"
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

is_done()
{
	local line

	[[ -f $obj/.hytrace-done ]] && read -r line <"$obj/.hytrace-done" && [[ ${line%% *} == "$1" ]]
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

# The unpatched source is always where it is.
src_is_at()
{
	[[ -n $unpatched || $(in_src rev-parse 'HEAD^{tree}') == "$1" ]]
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

install_modules()
{
	local tmp=$obj/modroot.tmp

	rm -rf "$tmp"
	kbuild -s INSTALL_MOD_PATH="$tmp" modules_install || return
	rm -f "$tmp"/lib/modules/*/build "$tmp"/lib/modules/*/source
	rm -rf "$obj/modroot"
	mv "$tmp" "$obj/modroot"
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

# compile: make everything in $obj from $src as it stands.
compile()
{
	local expected start

	expected=$(expected_files)
	start=$SECONDS
	step "compiling $name" "$expected" kbuild all || fail "compiling the $name kernel failed"
	[[ $expected -eq 0 ]] || count_files >"$obj/.hytrace-files"
	step "installing modules" 0 install_modules || fail "installing the modules failed"
	warnings=$(grep -c 'warning:' "$log" || true)
	[[ $warnings -eq 0 ]] || note "kernel: $warnings warnings, see $log"
	note "kernel: $name built in $((SECONDS - start)) s: $obj/arch/x86/boot/bzImage"
}

start_log()
{
	mkdir -p "$root/build" "$obj"
	: >"$log"
}

write_stamp()
{
	printf '%s %s\n' "$1" "$(<"$obj/include/config/kernel.release")" >"$obj/.hytrace-done.tmp" ||
		die "writing $obj/.hytrace-done failed; is the disk full?"
	mv "$obj/.hytrace-done.tmp" "$obj/.hytrace-done"
	rm -f "$obj/.hytrace-building"
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
	if is_done "$key" && src_is_at "$tree"; then
		note "kernel: $name is up to date"
		return
	fi
	mkdir -p "${src%/src}"
	lock "${src%/src}/build.lock" 9
	if is_done "$key"; then
		[[ -z $commit ]] || move_src "$commit"
		note "kernel: $name is up to date"
		return
	fi
	start_log
	rm -f "$obj/.hytrace-done"
	sweep
	[[ -z $commit ]] || move_src "$commit"
	configure
	compile
	write_stamp "$key"
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

# Each patch has to build, not just the last one. Objects of their own, as headers come and go.
series_build()
{
	local commit last n=0 count

	need gcc "$compiler" ld make flex bison bc pahole ccache xz git flock kmod perl
	import_source
	lock_clone
	last=$(series_commit)
	unlock_clone
	obj=$store/obj/series log=$root/build/kernel-series.log
	lock "$store/build.lock" 9
	start_log
	sweep
	count=$(in_src rev-list --count "pristine..$last")
	for commit in $(in_src rev-list --reverse "pristine..$last"); do
		n=$((n + 1))
		note "kernel: patch $n of $count: $(in_src log -1 --format=%s "$commit")"
		move_src "$commit"
		partial=1 configure
		step "compiling patch $n" 0 kbuild vmlinux modules ||
			fail "the series does not build at patch $n: $(in_src log -1 --format=%s "$commit")"
	done
	rm -f "$obj/.hytrace-building"
	exec 9>&-
	note "kernel: each of $count patches builds"
}

# W=1 and sparse over the directories that hold C files of ours. Both complain about the kernel's own
# files too; only what they say of ours counts.
check()
{
	local commit file files dirs findings

	need gcc "$compiler" ld make flex bison bc pahole ccache xz git flock perl sparse
	import_source
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
	configure
	while read -r file; do
		rm -f "$obj/${file%.[ch]}.o"
	done <<<"$files"
	# shellcheck disable=SC2086 # a list of directories
	step "checking $(wc -l <<<"$files") files" 0 kbuild W=1 C=2 $dirs || fail "compiling with W=1 failed"
	rm -f "$obj/.hytrace-building"
	exec 9>&-
	findings=$(while read -r file; do
		grep -F "/$file:" "$log" | grep -E ':[0-9]+: (sparse: )?(warning|error)' || true
	done <<<"$files")
	[[ -z $findings ]] || {
		printf '%s\n' "$findings" >&2
		die "W=1 or sparse found something in our files (above)"
	}
	note "kernel: W=1 and sparse find nothing in $(wc -l <<<"$files") files"
}

# ---------------------------------------------------------------- printing

good_or_die()
{
	local tree

	tree=$(wanted_tree) || tree=
	[[ -z $tree ]] || ! is_done "$(done_key "$tree")" || return 0
	local what="kernel/build.sh${unpatched:+ --unpatched}"
	[[ $flavour == base ]] || what+=" --$flavour"
	what+=${clang:+ --clang}
	if [[ -f $obj/.hytrace-done ]]; then
		[[ -z ${HYTRACE_STALE_OK:-} ]] || {
			printf '%s: the %s kernel is not built from the present sources\n' "$self" "$name" >&2
			return 0
		}
		die "the $name kernel in the cache is not built from this clone's present sources; run $what"
	fi
	die "no good build of the ${unpatched:+unpatched }$name kernel; run $what"
}

print_tree()
{
	if [[ -n $unpatched ]]; then
		[[ -f $store/unpatched/.unpacked ]] || die "not unpacked yet; run kernel/build.sh --unpatched"
		echo "$src"
	elif have_clone; then
		echo "$clone"
	else
		good_or_die
		src_is_at "$(wanted_tree)" || [[ -n ${HYTRACE_STALE_OK:-} ]] ||
			die "the shared source is not at this clone's state; run kernel/build.sh"
		echo "$src"
	fi
}

print()
{
	local line

	case $1 in
	tree) print_tree; return ;;
	source) unpack_source; echo "$store/unpatched/src"; return ;;
	esac
	good_or_die
	case $1 in
	vmlinux) echo "$obj/vmlinux" ;;
	image) echo "$obj/arch/x86/boot/bzImage" ;;
	modules) echo "$obj/modroot/lib/modules/$(<"$obj/include/config/kernel.release")" ;;
	objects) echo "$obj" ;;
	release)
		read -r line <"$obj/.hytrace-done"
		echo "${line#* }"
		;;
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
	--prepare | --refresh | --rebase | --series | --series-build | --check | --drop-tree)
		action=${1#--} ;;
	--print-tree | --print-vmlinux | --print-release | --print-image | --print-modules | \
		--print-objects | --print-source) action=$1 ;;
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
drop-tree) drop_tree ;;
--print-*) print "${action#--print-}" ;;
esac
