#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: stock-6.1
# vm: --init systemd --units tests/guest/units
#
# hytrace boot in a boot that was not asked for the events of its initcalls: what systemd and the clocks tell is there.
# shellcheck disable=SC2016 # variables of jq

set -uo pipefail
hytrace=$PWD/build/hytrace
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/guest/tap.sh
. "$here/tap.sh"
cd "$tap_scratch" || exit 1

"$hytrace" boot -f json -o boot.json 2>said
is 'hytrace boot reports what there is, and says what is missing' "$? $(grep -c 'was not asked for the events' said)" '0 1'
is 'it has no initcalls' "$(jq -c '[.start, .parts.rows[3].time, .parts.rows[4].time]' boot.json)" '[null,null,null]'
is 'the kernel is one part, until init' "$(jq -c '[.parts.rows[] | select(.with > 0) | [.name, .with]]' boot.json)" \
	'[["before_clock",2],["initrd",3]]'
ok 'the time of each unit is there' jq -e '[.units[] | select(.start == null)] == []' boot.json
is 'what the boot waited for is there' "$("$hytrace" boot critical-chain -f json | jq -r '.[1:3][].name' | xargs)" \
	'ht-after.service ht-sleep.service'
is 'the end is where systemd has it' "$(jq '.userspace as $u | .parts |
	.rows[2].start + .total - $u.local_ahead - $u.finish | . > -10000000 and . < 10000000' boot.json)" true

tap_end
