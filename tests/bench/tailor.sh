#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# `make bench-tailor`: what `hytrace tailor` takes out of a kernel, beside other ways to a small one. Each kernel is built
# and booted with one CPU whose instructions are counted, and runs the workload of `make tailor`:
#
#   - the kernel that `make tailor` began with; from Debian's configuration, that is what localmodconfig alone yields;
#   - what `hytrace tailor` made of it, without --all and with it;
#   - the same records, used by the rules of undertaker-tailor and Cozart, as these describe them (additive.py): what ran,
#     the boot counted, and what that depends on are added to allnoconfig;
#   - tinyconfig, which is made to be small and boots no such guest.
#
# `make tailor`, with the same FROM=, comes first. Prints a table, and leaves it in build/tailor/START/peers.md.
#
# Usage: tests/bench/tailor.sh base|cloud

set -euo pipefail

if [[ ${1:-} == in-guest ]]; then
	dmesg | sed -n 's/^\[ *\([0-9.]*\)\] Run \/init .*/boot \1/p'
	tests/guest/workload.sh >&2 && echo workload
	exit
fi

cd "$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")"
start=${1:?base or cloud}
out=build/tailor/$start
[[ -s $out/report.json && -s $out/new.config ]] || {
	echo "$out has no result; run \`make tailor FROM=$start\` first" >&2
	exit 1
}
first=()
[[ $start == base ]] || first=("--whole=$out/start.config")
objects=$(kernel/build.sh "${first[@]}" --print-objects)

# put CONFIG PLACE: a new time would make all of the kernel compile again.
put()
{
	cmp -s "$1" "$2" || cp "$1" "$2"
}

# make_config NAME ARGUMENT...: makes a configuration by the kernel's own make
make_config()
{
	mkdir -p "$out/$1"
	make -s -C "$objects/source" O="$PWD/$out/$1" "${@:2}" >"$out/$1.log" 2>&1 || { cat "$out/$1.log" >&2; return 1; }
}

build/hytrace tailor --build "$objects" --vmlinux "$(kernel/build.sh "${first[@]}" --print-vmlinux)" \
	-o "$out/next.config" --report "$out/default.txt" "$out/first/boot.json" "$out/first/run.json"
put "$out/next.config" "$out/default.config"

/usr/bin/python3 tests/bench/additive.py "$objects" "$out/report.json" "$out/additive"
put "$out/additive/.config" "$out/additive.config"

make_config tiny ARCH=x86_64 tinyconfig
put "$out/tiny/.config" "$out/tiny.config"

thousands()
{
	LC_ALL=C sed -E ':a; s/^([0-9]+)([0-9]{3})/\1,\2/; ta' <<<"$1"
}

# row NAME FLAVOUR-OF-kernel/build.sh...: builds, boots and measures
row()
{
	local name=$1 image directory built boot ran vmlinux begun=$SECONDS
	shift

	kernel/build.sh "$@" >&2
	image=$(kernel/build.sh "$@" --print-image)
	vmlinux=$(kernel/build.sh "$@" --print-vmlinux)
	directory=${image%/*}
	built=$(kernel/build.sh "$@" --print-objects)
	echo "# $name: built in $((SECONDS - begun)) s" >&2
	kernel/vm.sh --kernel "$directory" --icount --mem 3G --timeout 900 -- tests/bench/tailor.sh in-guest \
		>"$out/guest.out" 2>"$out/guest.err" || true
	boot=$(sed -n 's/^boot //p' "$out/guest.out")
	ran=$(grep -cx workload "$out/guest.out") || true
	printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' "$name" \
		"$(thousands "$(grep -c '=[ym]$' "$directory/config")")" \
		"$(thousands "$(ar t "$built/vmlinux.a" | wc -l)")" \
		"$(find "$directory/lib" -name '*.ko' 2>/dev/null | wc -l)" \
		"$(thousands "$(nm "$vmlinux" | awk '$2 ~ /[tTwW]/ && !seen[$1]++' | wc -l)")" \
		"$(thousands "$(($(nm -S "$vmlinux" | awk 'NF == 4 && $3 ~ /[tTwW]/ && !seen[$1]++ {
			printf "%s0x%s", n++ ? "+" : "", $2 }') / 1024))")" \
		"$(thousands "$(($(stat -c %s "$image") / 1024))")" \
		"${boot:-does not boot}" "$([[ $ran -eq 1 ]] && echo passes || echo fails)" | tee -a "$out/peers.md"
}

cat >"$out/peers.md" <<'END'
| kernel | options | objects | modules | functions | their KiB | bzImage, KiB | boot to /init, 10^9 instructions | workload |
|---|--:|--:|--:|--:|--:|--:|--:|---|
END
cat "$out/peers.md"
row "$([[ $start == base ]] && echo base || echo 'localmodconfig alone')" "${first[@]}"
row 'hytrace tailor' "--whole=$out/default.config"
row 'hytrace tailor --all' "--whole=$out/new.config"
row 'what ran, added to allnoconfig' "--whole=$out/additive.config"
row tinyconfig "--whole=$out/tiny.config"
