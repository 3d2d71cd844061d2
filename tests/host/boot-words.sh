#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests which words and options `hytrace boot` takes for mistakes. Neither a boot nor the kernel matters, so this needs no
# guest.

set -uo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
hytrace=$clone/build/hytrace
# shellcheck source=tests/guest/tap.sh
. "$clone/tests/guest/tap.sh"
cd "$tap_scratch" || exit 1

# mistake CLAIM TEXT ARGUMENT...: with these arguments, hytrace boot says TEXT, writes nothing, and exits with 2
mistake()
{
	local claim=$1 text=$2
	shift 2

	"$hytrace" boot "$@" >out 2>err
	is "$claim" "$? $(wc -c <out) $(grep -c -- "$text" err) $(ls ./*.json ./*.svg 2>/dev/null)" '2 0 1 '
}

ok 'a right option is no mistake' "$hytrace" boot --next --no-probes
mistake '--early without --next is a mistake' '--early is for --next' --early
mistake 'so is --early with a value that there is not' 'there are --early and --early=graph' --next --early=nothing
mistake 'so is --release with another option' '--release takes no other option' --release --next
mistake '--next with a format is a mistake' 'takes neither -f nor -n nor -o' --next -f json
mistake 'plot with a format is a mistake' 'plot is -f svg, and takes neither another format nor --next' plot -f json
mistake 'plot with --next is a mistake' 'plot is -f svg, and takes neither another format nor --next' plot --next
mistake 'so is time in a FILE.json' 'time is a text' time -o time.json
mistake 'time has one format' 'time is a text' time -f json
mistake 'so is -n with a picture' 'n is for text and json' -n 5 -o five.svg
mistake 'a command of boot after --next is a mistake' 'blame: has to come before its options' --next blame
mistake 'so is one after other options' 'blame: has to come before its options: .hytrace boot blame' -f json blame
mistake 'a word that is none is a mistake' 'polt: no such command' polt
mistake 'so is a misspelt one' 'critical-chian: no such command' critical-chian
mistake 'a word that systemd-analyze has and hytrace has not: which ones there are' \
	'dot: no such command; there are blame' dot
mistake 'blame takes no argument' 'Too many arguments' blame nothing
mistake '--fuzz says what has it' '--fuzz: .*-f json' critical-chain --fuzz=1s

tap_end
