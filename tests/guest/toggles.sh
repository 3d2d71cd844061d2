#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Holds what `hytrace tailor` says that objects need against the kernel itself. Options are really set to n by conf, one
# at a time, in a directory of their own, and make lists what it would build there, with no variable emptied. Prints a
# line for each option: "same OPTION OBJECTS" or "differs OPTION" and the objects.
#
# Others may go with an option, by their dependencies. So the prediction is made for all that conf has turned off, and
# for none if something has come on.
#
# Usage: tests/guest/toggles.sh OBJECTS REPORT.json COUNT	COUNT: of options, drawn at random; 0: all

set -euo pipefail

objects=$(realpath "$1")
report=$(realpath "$2")
count=$3
tree=$(realpath "$objects/source")
work=$(mktemp -d)
build=$work/build
trap 'rm -rf "$work"' EXIT
mkdir "$build"

quiet()
{
	make -s -C "$tree" O="$build" "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
}

. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/kernel-lib.sh"

listed()
{
	list_objects "$build" | sed 's/^module //' | LC_ALL=C sort -u
}

configure()
{
	quiet olddefconfig && quiet include/config/auto.conf
}

# The options that own objects and that a person can set to n.
options()
{
	jq -r '.options[] | select(.changeable and .objects > 0).option' "$report"
}

cp "$objects/.config" "$build/.config"
# As hytrace does: without EXPERT, many options cannot be set to n.
sed -i 's/^# CONFIG_EXPERT is not set/CONFIG_EXPERT=y/' "$build/.config"
configure
cp "$build/.config" "$work/config"
options_on "$work/config" >"$work/on"
listed >"$work/all"

mapfile -t drawn < <(options | if ((count)); then shuf -n "$count"; else cat; fi)
for option in "${drawn[@]}"; do
	sed "s/^CONFIG_$option=.*/# CONFIG_$option is not set/" "$work/config" >"$build/.config"
	configure
	options_on "$build/.config" >"$work/now"
	if ! grep -q "^CONFIG_$option=" "$work/config" || grep -q "^CONFIG_$option=" "$build/.config"; then
		echo "differs $option: cannot be set to n"
		continue
	fi
	if [[ $(LC_ALL=C comm -13 "$work/on" "$work/now") ]]; then
		echo "skipped $option: others come on"
		continue
	fi
	listed | LC_ALL=C comm -23 "$work/all" - >"$work/vanished"
	LC_ALL=C comm -23 "$work/on" "$work/now" | jq -Rn --slurpfile report "$report" -r '
		([inputs] | map({key: ., value: true}) | from_entries) as $off |
		$report[0].objects[] | select(any(.needs[]; all(.[]; $off[.]))).object' | LC_ALL=C sort -u >"$work/predicted"
	if cmp -s "$work/vanished" "$work/predicted"; then
		echo "same $option $(wc -l <"$work/vanished")"
	else
		echo "differs $option: $(diff "$work/predicted" "$work/vanished" | grep '^[<>]' | xargs)"
	fi
done
