#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# `make test T=long/bench-tailor`: what `hytrace tailor` takes out of a kernel, beside other ways to a small one. Each kernel is built
# and booted with one CPU whose instructions are counted, and runs the workload of `make tailor`:
#
#   - the kernel that `make tailor` began with; from Debian's configuration, that is what localmodconfig alone yields;
#   - what `hytrace tailor` made of it, without --all and with it;
#   - the same records and lists, used the other way round (additive.py): what ran, the boot counted, and what that depends
#     on are added to allnoconfig;
#   - tinyconfig, which is made to be small and boots no such guest.
#
# The time to /init is that of the guest, where an instruction takes a nanosecond and waiting takes none. How many functions
# system calls can reach: see native/reachable.c. The minutes are those of this machine: to make the configuration, and to
# build it. What ccache has from another build is taken from there, so the first kernel that is built takes longest.
#
# `make tailor`, with the same FROM= and nothing else, comes first. Prints a table, and leaves it in build/tailor/START/peers.md.
#
# Usage: tests/bench/tailor.sh base|cloud

set -euo pipefail

if [[ ${1:-} == in-guest ]]; then
	dmesg | sed -n 's/^\[ *\([0-9.]*\)\] Run \/init .*/boot \1/p'
	exec tests/guest/workload.sh >&2
fi

cd "$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")"
# shellcheck source=tests/guest/kernel-lib.sh
. tests/guest/kernel-lib.sh
start=${1:?base or cloud}
out=build/tailor/$start
[[ -s $out/report.json && -s $out/new.config && ! -s $out/put-back.keep ]] || {
	echo "$out has no result; run \`make tailor FROM=$start\` first" >&2
	exit 1
}
first=()
[[ $start == base ]] || first=("--whole=$out/start.config")
kernel/build.sh "${first[@]}" --configure
objects=$(kernel/build.sh "${first[@]}" --print-objects)

# The configurations are made here, and each takes some of the time of its row.
declare -A configured
begun=$SECONDS
# config_done NAME: the time until now was taken by that configuration
config_done()
{
	configured[$1]=$((SECONDS - begun))
	begun=$SECONDS
}

# make_config NAME ARGUMENT...: makes a configuration by the kernel's own make
make_config()
{
	mkdir -p "$out/$1"
	make -s -C "$objects/source" O="$PWD/$out/$1" "${@:2}" >"$out/$1.log" 2>&1 || { cat "$out/$1.log" >&2; return 1; }
}

build/hytrace tailor --build "$objects" --vmlinux "$(kernel/build.sh "${first[@]}" --print-vmlinux)" \
	--all -o "$out/next.config" "$out/first/boot.json" "$out/first/run.json" >/dev/null
put_config "$out/next.config" "$out/all.config"
config_done all

/usr/bin/python3 -c 'import kconfiglib' 2>/dev/null || {
	echo "python3-kconfiglib is not installed; \`make deps\` installs what is needed" >&2
	exit 1
}
/usr/bin/python3 tests/bench/additive.py "$objects" "$out/report.json" "$out/additive"
put_config "$out/additive/.config" "$out/additive.config"
config_done additive

make_config tiny ARCH=x86_64 tinyconfig
put_config "$out/tiny/.config" "$out/tiny.config"
config_done tiny
# make tailor has made this one, in as much time as the one with --all.
configured[new]=${configured[all]}

# reached VMLINUX: functions that system calls can reach. The loader reads no kernel without ftrace, so tinyconfig's is given
# a table of what can be traced, which does not matter here.
reached()
{
	local vmlinux=$1

	nm "$vmlinux" | grep -q ' __start_mcount_loc$' || {
		vmlinux=$out/with-table
		objcopy --strip-debug --add-symbol __start_mcount_loc=.rodata:0,global \
			--add-symbol __stop_mcount_loc=.rodata:8,global "$1" "$vmlinux"
	}
	build/bench/reachable "$vmlinux"
}

# row NAME CONFIG: builds, boots and measures; CONFIG: a file in $out without ".config"; "": what came first
row()
{
	local name=$1 config=$2 image directory built options objects modules count bytes boot workload status=0 begun=$SECONDS
	local minutes least most

	set -- ${config:+"--whole=$out/$config.config"}
	[[ $config ]] || set -- "${first[@]}"
	kernel/build.sh "$@" >&2
	image=$(kernel/build.sh "$@" --print-image)
	directory=${image%/*}
	# If the kernel was in the cache, its directory of objects may be missing.
	kernel/build.sh "$@" --configure >&2
	built=$(kernel/build.sh "$@" --print-objects)
	minutes=$(awk -v s=$((SECONDS - begun + ${configured[${config:-none}]:-0})) 'BEGIN { printf "%.1f", s / 60 }')
	options=$(options_on "$directory/config" | wc -l)
	objects=$(list_objects "$built" | sed '/^module /d' | wc -l)
	modules=$(find "$directory/lib/modules" -name '*.ko*' 2>/dev/null | wc -l) || true
	read -r count bytes < <(functions_of "$directory/vmlinux")
	read -r least most < <(reached "$directory/vmlinux")
	kernel/vm.sh --kernel "$directory" --icount --mem 3G --timeout 900 -- tests/bench/tailor.sh in-guest \
		>"$out/guest.out" 2>"$out/guest.err" || status=$?
	boot=$(sed -n 's/^boot //p' "$out/guest.out")
	# These are vm.sh's own.
	case $status in
	0) workload=passes ;;
	124) workload='does not end' ;;
	125) workload='does not begin' ;;
	*) workload=fails ;;
	esac
	printf '| %s | %d | %d | %d | %d | %d to %d | %d | %d | %s | %s | %s |\n' "$name" "$options" "$objects" "$modules" \
		"$count" "$least" "$most" $((bytes / 1024)) $(($(stat -c %s "$image") / 1024)) "${boot:--}" "$workload" \
		"$minutes" | tee -a "$out/peers.md"
}

cat >"$out/peers.md" <<'END'
| kernel | options | objects | modules | functions | reached by system calls | KiB | bzImage, KiB | seconds to /init | workload | minutes |
|---|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|
END
cat "$out/peers.md"
row "$([[ $start == base ]] && echo base || echo 'localmodconfig alone')" ''
row 'hytrace tailor' new
row 'hytrace tailor --all' all
row 'what ran, added to allnoconfig' additive
row tinyconfig tiny
