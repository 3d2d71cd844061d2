#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# `make bench-tailor`: what `hytrace tailor` takes out of a kernel, beside other ways to a small one. Each kernel is built
# and booted with one CPU whose instructions are counted, and runs the workload of `make tailor`:
#
#   - the kernel that `make tailor` began with; from Debian's configuration, that is what localmodconfig alone yields;
#   - what `hytrace tailor` made of it, without --all and with it;
#   - the same records and lists, used by the rules of undertaker-tailor and Cozart, as these describe them (additive.py):
#     what ran, the boot counted, and what that depends on are added to allnoconfig;
#   - tinyconfig, which is made to be small and boots no such guest.
#
# The time is that of the guest, where an instruction takes a nanosecond and waiting takes none.
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

# make_config NAME ARGUMENT...: makes a configuration by the kernel's own make
make_config()
{
	mkdir -p "$out/$1"
	make -s -C "$objects/source" O="$PWD/$out/$1" "${@:2}" >"$out/$1.log" 2>&1 || { cat "$out/$1.log" >&2; return 1; }
}

build/hytrace tailor --build "$objects" --vmlinux "$(kernel/build.sh "${first[@]}" --print-vmlinux)" \
	-o "$out/next.config" "$out/first/boot.json" "$out/first/run.json" >/dev/null
put_config "$out/next.config" "$out/default.config"

/usr/bin/python3 -c 'import kconfiglib' 2>/dev/null || {
	echo "python3-kconfiglib is not installed; \`make deps\` installs what is needed" >&2
	exit 1
}
/usr/bin/python3 tests/bench/additive.py "$objects" "$out/report.json" "$out/additive"
put_config "$out/additive/.config" "$out/additive.config"

make_config tiny ARCH=x86_64 tinyconfig
put_config "$out/tiny/.config" "$out/tiny.config"

# row NAME FLAVOUR-OF-kernel/build.sh...: builds, boots and measures
row()
{
	local name=$1 image directory built options objects modules count bytes boot workload status=0 begun=$SECONDS
	shift

	kernel/build.sh "$@" >&2
	image=$(kernel/build.sh "$@" --print-image)
	directory=${image%/*}
	# If the kernel was in the cache, its directory of objects may be missing.
	kernel/build.sh "$@" --configure >&2
	built=$(kernel/build.sh "$@" --print-objects)
	echo "# $name: built in $((SECONDS - begun)) s" >&2
	options=$(options_on "$directory/config" | wc -l)
	objects=$(list_objects "$built" | sed '/^module /d' | wc -l)
	modules=$(find "$directory/lib/modules" -name '*.ko*' 2>/dev/null | wc -l) || true
	read -r count bytes < <(functions_of "$directory/vmlinux")
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
	printf '| %s | %d | %d | %d | %d | %d | %d | %s | %s |\n' "$name" "$options" "$objects" "$modules" "$count" \
		$((bytes / 1024)) $(($(stat -c %s "$image") / 1024)) "${boot:--}" "$workload" | tee -a "$out/peers.md"
}

cat >"$out/peers.md" <<'END'
| kernel | options | objects | modules | functions | their KiB | bzImage, KiB | seconds to /init | workload |
|---|--:|--:|--:|--:|--:|--:|--:|---|
END
cat "$out/peers.md"
row "$([[ $start == base ]] && echo base || echo 'localmodconfig alone')" "${first[@]}"
row 'hytrace tailor' "--whole=$out/default.config"
row 'hytrace tailor --all' "--whole=$out/new.config"
row 'what ran, added to allnoconfig' "--whole=$out/additive.config"
row tinyconfig "--whole=$out/tiny.config"
