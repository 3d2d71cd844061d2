#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: stock-6.1
# nightly: stock-6.1
# vm: --init systemd --units tests/guest/units --append systemd.mask=postgresql.service --append systemd.mask=e2scrub_reap.service --append systemd.mask=systemd-binfmt.service
#
# hytrace boot in a boot that was not asked for the events of its initcalls: what systemd and the clocks tell is there. Then
# a unit is started again, which has lost its time in the boot. t-guide-boot runs this in its own guest, too, when the
# events of its boot have been removed.
# shellcheck disable=SC2016 # variables of jq

. "$(dirname "$(realpath "$0")")/tap.sh"
cd "$tap_scratch" || exit 1

# Without its words on the command line, a boot that was asked is like one that was not.
sed 's/ trace_instance=.*//' /proc/cmdline >cmdline
mount --bind cmdline /proc/cmdline
"$hytrace" boot -f json -o boot.json 2>said
is 'hytrace boot reports what there is, and says what is missing' "$? $(grep -c 'was not asked for the events' said)" '0 1'
is 'it has no initcalls' "$(jq -c '[.start, .parts.rows[3].time, .parts.rows[4].time]' boot.json)" '[null,null,null]'
is 'the kernel is one part, until init' "$(jq -c '[.parts.rows[] | select(.with > 0) | [.name, .with]]' boot.json)" \
	'[["before_clock",2],["after_initcalls",2]]'
init=$(dmesg | sed -n 's/^\[ *\([0-9]*\)\.\([0-9]*\)\] Run .* as init process.*/\1\2000/p' | tail -n 1)
# The log's clock is ahead of the trace clock by what the kernel added to it when it found its clock stable.
ahead=$(dmesg | sed -n 's/.*sched_clock: Marking stable (.*)->(.*, \(-\{0,1\}[0-9]*\)).*/\1/p')
is 'the log tells when init was started' "$(jq --argjson init "$((init - ahead))" '(.parts.rows[] | select(.name == "initrd") | .start) - $init |
	. > -1000000 and . < 1000000' boot.json)" true
ok 'the time of each unit is there' jq -e '[.units[] | select(.start == null)] == []' boot.json
is 'what the boot waited for is there' "$("$hytrace" boot critical-chain -f json | jq -r '.rows[1:3][].name' | xargs)" \
	'ht-after.service ht-sleep.service'
is 'the end is where systemd has it' "$(jq '.userspace as $u | .parts |
	.rows[2].start + .total - $u.local_ahead - $u.finish | . > -10000000 and . < 10000000' boot.json)" true

# ---- a unit that is started again

is 'no unit was started again since the boot' "$(jq .parts.started_again boot.json)" 0
systemctl restart ht-after.service
"$hytrace" boot -f json -o boot.json 2>said
is 'one was' "$(jq .parts.started_again boot.json)" 1
is 'its start is not that of the boot' \
	"$(jq '.userspace.finish as $finish | .units[] | select(.name == "ht-after.service") | .start_monotonic > $finish' boot.json)" true
"$hytrace" boot >text 2>said
ok 'the text says so' grep -q '^1 unit has been started again since the boot: if it was started in it, too' text

umount /proc/cmdline
tap_end
