# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # what build.sh sets
#
# The kernel's own build as we call it: what it is given, how its configuration is made, how far it is
# and what it failed of. All it prints is in $log. Sourced by build.sh.

# ---------------------------------------------------------------- running make

# The same in every clone and flavour, so that ccache finds what another one compiled. What is still
# absolute is where the compiler runs, which the prefix map takes out of the debug information.
kbuild()
{
	export CCACHE_DIR=$cache/ccache CCACHE_BASEDIR=$src CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=8G
	export KBUILD_BUILD_TIMESTAMP='2025-01-01 00:00:00 UTC' KBUILD_BUILD_VERSION=1
	export KBUILD_BUILD_USER=hytrace KBUILD_BUILD_HOST=hytrace PYTHONDONTWRITEBYTECODE=1
	unset MAKEFLAGS MAKELEVEL MFLAGS ARCH CROSS_COMPILE KCONFIG_CONFIG KCFLAGS V
	local prefix="-fdebug-prefix-map=$obj=. -fdebug-prefix-map=../=" watched=()

	[[ $flavour != kcsan ]] || mapfile -t watched < <(watched_by_kcsan)
	make -C "$src" O="$obj" -j"$(nproc)" LOCALVERSION="$(release_suffix)" \
		CC="ccache $compiler" HOSTCC='ccache gcc' KCPPFLAGS="$prefix" "${watched[@]}" "$@"
}

# What kcsan.config is about: given to make, these count for all of the kernel's Makefiles, of which some
# take a whole directory out.
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
	grep -m1 -A6 -E "$pattern" "$log.last" | sed -e 's|\.\./||g' -e "s|$src/||g" | cut -c1-200 >&2 ||
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

# kconfig_key TREE: what .config depends on beside the fragments: every Kconfig file.
kconfig_key()
{
	{
		echo "$(release_suffix) $(toolchain)"
		cat "${fragments[@]}"
		if [[ -n $unpatched ]]; then
			echo "$store"
		else
			in_either ls-tree -r "$1" | sed -nE '/	(.*\/)?Kconfig[^/]*$/p'
			list_files | sed -nE '/(.*\/)?Kconfig[^/]*$/p' | hash_files
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

# configure TREE: .config is replaced only by a different one: its time is what make goes by.
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
