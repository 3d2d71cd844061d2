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
	tests/guest/workload.sh >&2 && echo workload
	exit
fi

cd "$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")"
# shellcheck source=tests/guest/list-objects.sh
. tests/guest/list-objects.sh
start=${1:?base or cloud}
out=build/tailor/$start
[[ -s $out/report.json && -s $out/new.config && ! -s $out/put-back.keep ]] || {
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
	local name=$1 image directory built boot ran status vmlinux begun=$SECONDS
	shift

	kernel/build.sh "$@" >&2
	image=$(kernel/build.sh "$@" --print-image)
	vmlinux=$(kernel/build.sh "$@" --print-vmlinux)
	directory=${image%/*}
	# If the kernel was in the cache, its directory of objects may be missing.
	kernel/build.sh "$@" --configure >&2
	built=$(kernel/build.sh "$@" --print-objects)
	echo "# $name: built in $((SECONDS - begun)) s" >&2
	status=0
	kernel/vm.sh --kernel "$directory" --icount --mem 3G --timeout 900 -- tests/bench/tailor.sh in-guest \
		>"$out/guest.out" 2>"$out/guest.err" || status=$?
	boot=$(sed -n 's/^boot //p' "$out/guest.out")
	# vm.sh tells so if the command never ran.
	[[ $status -ne 125 ]] || boot='does not boot'
	ran=$(grep -cx workload "$out/guest.out") || true
	printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' "$name" \
		"$(thousands "$(grep -c '=[ym]$' "$directory/config")")" \
		"$(thousands "$(list_objects "$built" | grep -vc '^module ')")" \
		"$(find "$directory/lib" -name '*.ko*' 2>/dev/null | wc -l)" \
		"$(thousands "$(nm "$vmlinux" | awk '$2 ~ /[tTwW]/ && $3 !~ /^__pfx_/ && !seen[$1]++' | wc -l)")" \
		"$(thousands "$((($(nm -S "$vmlinux" | awk 'NF == 4 && $3 ~ /[tTwW]/ && $4 !~ /^__pfx_/ && !seen[$1]++ {
			printf "%s0x%s", n++ ? "+" : "", $2 }')) / 1024))")" \
		"$(thousands "$(($(stat -c %s "$image") / 1024))")" \
		"${boot:-not known}" "$([[ $ran -eq 1 ]] && echo passes || echo fails)" | tee -a "$out/peers.md"
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
