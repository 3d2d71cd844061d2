#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What an answer of hytrace affected costs: make bench-affected. Asks for a change of the size of ten stable releases
# (stable.py), and for 50 commits, with stores of up to 10,000 runs, which are variants of a recording of `make run`. Prints
# each figure, and its target if it has one; they are also in build/bench-affected/figures.tsv. Fails if a target is missed.
#
# RECORDING= and VMLINUX= are another recording, and its kernel; SOURCE= is another repository with the kernel's source.

set -euo pipefail
clone=$(realpath "$(dirname "$0")/../..")
hytrace=$clone/build/hytrace out=$clone/build/bench-affected
recording=$(realpath "${RECORDING:-$clone/build/run/workload.oneshot.json}")
vmlinux=${VMLINUX:-$("$clone/kernel/build.sh" --print-vmlinux)}
source=${SOURCE:-$(ls -d ~/.cache/hytrace/linux-6.12*/linux.git)}
mkdir -p "$out"
cd "$out"
# shellcheck source=tests/bench/figures-lib.sh
. "$clone/tests/bench/figures-lib.sh"
rm -rf ./*.db stable
export XDG_CACHE_HOME=$out/cache

make_documents 100
for i in documents/*.zst; do
	"$hytrace" keep runs.db --test "${i#*/}" "$i"
done
"$hytrace" functions -f json --vmlinux "$vmlinux" -o functions.json
"$hytrace" keep runs.db --universe functions.json "$i"
cp runs.db more.db
multiply more.db 100 10000
"$clone/tests/bench/stable.py" "$source" "$(git -C "$source" rev-list --all --max-parents=0 --max-count=1)" stable 3606 10908 50

told '10,908 changed functions in 3,606 files' 60 500 "$hytrace" affected --vmlinux "$vmlinux" --store runs.db --git stable main~50 -f json
figure 'of these, functions with a class' "$(jq '.functions | length' answer)" ''
for class in $(jq -r '.totals | del(.functions, .files, .hunks, .runs) | keys[]' answer); do
	figure "	$class" "$(jq --arg class "$class" '.totals[$class]' answer)" ''
done
told '50 commits, a store of 100 tests' 2 500 "$hytrace" affected --vmlinux "$vmlinux" --store runs.db --git stable main~50..main
told 'the same, without the vmlinux' 1 100 "$hytrace" affected --store runs.db --git stable main~50..main
told '50 commits, a store of 10,000 runs' 5 500 "$hytrace" affected --vmlinux "$vmlinux" --store more.db --git stable main~50..main
told '10,908 functions, a store of 10,000 runs' 60 500 "$hytrace" affected --vmlinux "$vmlinux" --store more.db --git stable main~50
exit $failed
