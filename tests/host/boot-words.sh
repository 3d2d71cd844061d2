#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests which words and options `hytrace boot` takes for mistakes. Neither a boot nor the kernel matters, so this needs no
# guest.

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
cd "$tap_scratch" || exit 1

# mistake CLAIM TEXT ARGUMENT...: with these arguments, hytrace boot says TEXT, writes nothing, and exits with 2
mistake()
{
	local claim=$1 text=$2
	shift 2

	"$hytrace" boot "$@" >out 2>err
	is "$claim" "$? $(wc -c <out) $(grep -c -- "$text" err) $(ls ./*.json ./*.svg 2>/dev/null)" '2 0 1 '
}

ok 'a right option is no mistake' "$hytrace" boot next --no-probes
mistake 'it was an option, which says the new form' '--next is a command: .hytrace boot next' --next --early
mistake 'so was release' '--release is a command: .hytrace boot release' --release
mistake '--early with a value that there is not is a mistake' 'there are --early and --early=graph' next --early=nothing
mistake 'so is --kernel without a command that reboots' 'give it after --' next --kernel image
mistake 'so is --grub with one' 'give one of them' next --grub -- true
mistake 'next has no format' 'invalid option' next -f json
mistake 'nor have plot and time' 'invalid option' plot -f json
mistake 'nor have they json' 'time is a text' time -o time.json
mistake 'a picture is no json' 'plot is a picture' plot -o boot.json
mistake 'a command of boot after next is a mistake' 'comes after --' next blame
mistake 'nor has release an output' 'invalid option' release -o boot.json
mistake 'which are words' 'is no json file' time plot
mistake 'so is -n with a picture' 'n is for text: other formats' -n 5 -o five.svg
mistake 'a command after options is a mistake' 'blame: has to come before its options: .hytrace boot blame' -f json blame
mistake 'a word that is none is a mistake' 'polt: no such command' polt
mistake 'so is a misspelt one' 'critical-chian: no such command' critical-chian
mistake 'a word that systemd-analyze has and hytrace has not: where those are that there are' \
	'dot: no such command; .hytrace boot --help. lists them' dot
mistake 'blame takes no word' 'nothing: is no json file' blame nothing
mistake '--fuzz says what has it' '--fuzz: .*-f json' critical-chain --fuzz=1s

tap_end
