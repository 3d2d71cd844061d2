# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # what the scripts set that source this
#
# Builds the kernel that image.sh has chosen by the kernel's own build: its arguments, its configuration, its progress and
# its errors. All of its output is in $log. Sourced by build.sh and series.sh.

# For depmod and kmod.
PATH=$PATH:/usr/sbin:/sbin

# ---------------------------------------------------------------- running make

# The arguments are the same in every clone and flavour, so that ccache finds what another clone compiled. Only the
# directory of the compiler is an absolute path; the prefix map removes it from the debug information.
#
# ccache preprocesses a file that it does not know once more, to find one of another flavour that differs in its options
# only. That is a fifth of a build, and in vain while there is no build yet; then the compiler's own list of headers does.
# cc.sh keeps from ccache what reads a file that is in no such list.
#
# Where variables are at each instruction takes a sixth of the time to compile and a third of an object, and only a debugger
# asks. cc.sh keeps it for some directories. pahole 1.25 and later read it: without it, they leave two thirds of the functions
# out of BTF.
kbuild()
{
	local prefix="-fdebug-prefix-map=$obj=. -fdebug-prefix-map=../=" flags=-fno-var-tracking watched=()

	export CCACHE_DIR=$cache/ccache CCACHE_BASEDIR=$src CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=8G
	export KBUILD_BUILD_TIMESTAMP='2025-01-01 00:00:00 UTC' KBUILD_BUILD_VERSION=1
	export KBUILD_BUILD_USER=hytrace KBUILD_BUILD_HOST=hytrace PYTHONDONTWRITEBYTECODE=1
	unset MAKEFLAGS MAKELEVEL MFLAGS ARCH CROSS_COMPILE KCONFIG_CONFIG KCFLAGS V
	unset CCACHE_DEPEND
	compgen -G "$images/*" >/dev/null || export CCACHE_DEPEND=1
	[[ $flavour != kcsan ]] || mapfile -t watched < <(watched_by_kcsan)
	printf '%s\n' "$(pahole --version)" v1.25 | sort -CuV || flags=
	make -C "$src" O="$obj" -j"$(nproc)" LOCALVERSION="$(release_suffix)" \
		CC="$root/kernel/cc.sh $compiler" HOSTCC='ccache gcc' KCPPFLAGS="$prefix" KCFLAGS="$flags" \
		"${machine[@]}" "${watched[@]}" "$@"
}

# The variables of kcsan.config. On make's command line they count in all of the kernel's Makefiles, some of which
# turn KCSAN off for a whole directory.
watched_by_kcsan()
{
	echo KCSAN_SANITIZE=n
	list_files | sed -nE 's|^kernel/(.*/)?([^/]+)\.c$|KCSAN_SANITIZE_\2.o=y|p'
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
trap stop INT TERM HUP

# step LABEL EXPECTED COMMAND...: runs the command with all output in the log, and shows its progress.
step()
{
	local label=$1 expected=$2 status=0 lines
	shift 2

	note "kernel: $label"
	printf '\n### %s: %s\n' "$label" "$*" >>"$log"
	lines=$(wc -l <"$log")
	# A process group of its own, so that all of it can be stopped.
	set -m
	"$@" >>"$log" 2>&1 </dev/null &
	child=$!
	set +m
	if [[ -z ${V:-} ]]; then
		progress "$label" "$expected" "$child"
	else
		tail -n +$((lines + 1)) -s 0.2 --pid="$child" -f "$log" >&2
	fi
	wait "$child" || status=$?
	child=
	return "$status"
}

# progress LABEL EXPECTED PID: shows how far a step is: each second on a terminal, elsewhere a line a minute.
progress()
{
	local label=$1 expected=$2 pid=$3 start=$SECONDS begin='' end=$'\n' next=60 tick=0.1 before files spent left

	[[ ! -t 2 ]] || begin=$'\r\033[K' end='' next=0
	before=$(count_files)
	while kill -0 "$pid" 2>/dev/null; do
		sleep "$tick"
		spent=$((SECONDS - start))
		((spent < 2)) || tick=1
		((spent >= next)) || continue
		[[ $begin ]] || next=$((spent + 60))
		files=$(($(count_files) - before))
		left=
		if [[ $files -gt 20 && $expected -gt $files ]]; then
			left=", $(((expected - files) * spent / files / 60 + 1)) min left"
		fi
		printf '%s  %s: %d%s files, %d:%02d%s%s' "$begin" "$label" "$files" \
			"$([[ $expected -eq 0 ]] || echo " of about $expected")" \
			$((spent / 60)) $((spent % 60)) "$left" "$end" >&2
	done
	[[ ! $begin ]] || printf '%s' "$begin" >&2
}

count_files()
{
	grep -cE '^  (CC|AS|HOSTCC)( |$)' "$log" || true
}

first_error()
{
	local pattern='(fatal )?error:|undefined reference|\*\*\*|No space left|Error [0-9]+$|Killed$|cannot '

	awk '/^### / { text = "" } { text = text $0 "\n" } END { printf "%s", text }' "$log" >"$log.last"
	grep -m1 -A6 -E "$pattern" "$log.last" | sed -e 's|\.\./||g' -e "s|$src/||g" | cut -c1-200 >&2 ||
		tail -n 15 "$log.last" >&2
	rm -f "$log.last"
}

fail()
{
	# On a full disk, any file may be half-written. Then .hytrace-building stays, so that the next run removes
	# them.
	if ! grep -q 'No space left on device' "$log"; then
		rm -f "$obj/.hytrace-building"
	fi
	first_error
	die "$1; the whole log is $log"
}

# ---------------------------------------------------------------- configuration

# kconfig_key TREE: a hash of what .config depends on, besides the fragments: every Kconfig file.
kconfig_key()
{
	{
		echo "$(release_suffix) $(toolchain)"
		cat "${foundation[@]}" "${fragments[@]}"
		if [[ -n $unpatched ]]; then
			echo "$store"
		else
			in_either ls-tree -r "$1" | sed -nE '/	(.*\/)?Kconfig[^/]*$/p'
			list_files | sed -nE '/(.*\/)?Kconfig[^/]*$/p' | hash_files
		fi
	} | sha256sum | cut -c1-40
}

# Puts the fragments on top of allnoconfig. merge_config.sh joins them; it leaves temporary files in the current
# directory.
generate_config()
{
	local others=allnoconfig

	# A distribution's configuration has a line for each option. Other options get their defaults.
	[[ ${#foundation[@]} -eq 0 ]] || others=alldefconfig
	cd "$obj" || return
	KCONFIG_CONFIG=$obj/.fragments "$src/scripts/kconfig/merge_config.sh" -m -Q \
		"${foundation[@]}" "${fragments[@]}" || return
	kbuild KCONFIG_CONFIG="$1" KCONFIG_ALLCONFIG="$obj/.fragments" "$others"
}

# configure TREE: replaces .config only if it differs, because make compares its time.
configure()
{
	local key new=$obj/.config.new

	key=$(kconfig_key "$1")
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

# Each option of the fragments must end up in .config, so that a missing dependency, or an option that a new kernel
# has renamed, is noticed. If two lines name an option, the last one counts.
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
		die "these options are not in .config: an option that they depend on is off, or this kernel does not have them;" \
			"look at \"config $missing\": grep -rnw --include='Kconfig*' 'config $missing' $src"
	}
}

# ---------------------------------------------------------------- building

# Removes files that a killed build or a full disk may have left half-written.
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
	else
		cat "$obj/.hytrace-files" 2>/dev/null || echo 1750
	fi
}

# sources FIND-TEST...: finds files that the compiler may read, in both places where they are edited.
sources()
{
	local dirs=("$src")

	[[ -n $unpatched || ! -d $root/kernel/files ]] || dirs+=("$root/kernel/files")
	find "${dirs[@]}" -mindepth 1 -name '.*' -prune -o -type f "$@"
}

# compile TREE: builds everything from $src, which holds TREE. The result is kept under a key that was the same
# before and after the build, so others may edit or pull meanwhile. make compares times; so a file that was restored
# with its old time (mv, cp -p) gets a new time.
compile()
{
	local tree=$1 expected start=$SECONDS begun=$obj/.hytrace-begun written key

	start_log
	sweep
	expected=$(expected_files)
	while :; do
		key=$(done_key "$tree")
		configure "$tree"
		# Nobody edits the pristine source, and links to it change its times.
		[[ -n $unpatched || ! -f $begun ]] || sources -cnewer "$begun" ! -newer "$begun" -exec touch {} +
		touch "$begun"
		step "compiling $name" "$expected" kbuild all compile_commands.json ||
			fail "compiling the $name kernel failed"
		[[ $expected -eq 0 ]] || count_files >"$obj/.hytrace-files"
		touch "$begun.end"
		written=$(sources -newer "$begun" ! -newer "$begun.end" -print -quit)
		[[ -n $unpatched ]] || sync_clone make
		tree=$(tree_to_build)
		[[ -n $written || $(done_key "$tree") != "$key" ]] || break
		note "kernel: ${written:-kernel/} was changed meanwhile; building once more"
		expected=0
	done
	is_done "$key" || step "installing" 0 keep "$key" || fail "putting the $name kernel into $images failed"
	[[ $arch ]] || ln -sfn "${obj##*/}/compile_commands.json" "$src/compile_commands.json"
	rm -f "$obj/.hytrace-building"
	warnings=$(grep -c 'warning:' "$log" || true)
	[[ $warnings -eq 0 ]] || note "kernel: $warnings warnings, see $log"
	note "kernel: $name built in $((SECONDS - start)) s: $(image_dir "$key")"
}

# make_some TREE LABEL COMMAND...: configures $src, which holds TREE, and runs the command on its objects.
make_some()
{
	mkdir -p "$obj"
	sweep
	configure "$1"
	step "$2" 0 "${@:3}" || fail "$2 failed"
	rm -f "$obj/.hytrace-building"
}

start_log()
{
	mkdir -p "$root/build" "$obj"
	: >"$log"
}

need_compiler()
{
	need gcc "$compiler" "${cross}ld" make flex bison bc pahole ccache xz lz4 git flock kmod perl python3
}

# open_tree make|keep: locks the source, and brings it in step with kernel/.
open_tree()
{
	if [[ -n $unpatched ]]; then
		unpack_source
		lock "$store/unpatched/lock" 6
	else
		import_source
		lock_clone
		sync_clone "$1"
	fi
}

build()
{
	local tree

	need_compiler
	open_tree keep
	tree=$(tree_to_build)
	if is_done "$(done_key "$tree")"; then
		note "kernel: $name is up to date"
		return
	fi
	[[ -n $unpatched ]] || sync_clone make
	compile "$tree"
	drop_old_images
}
