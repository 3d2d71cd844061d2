#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Opens a picture of a made boot in a browser without a window. Each bar has to be where its times are, and no name may
# become anything but text. A real boot's picture is looked at by tests/guest/t-boot-start.host.sh.
# shellcheck disable=SC2016 # jq has variables of its own

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
. "$clone/tests/guest/page-lib.sh"
. "$clone/tests/guest/picture-lib.sh"
cd "$tap_scratch" || exit 1

ok 'the program that draws it is there' make -s -C "$clone" build/tests/host/made_picture
"$clone/build/tests/host/made_picture" bars.list >made.svg
is 'the picture is written' $? 0
is 'it is XML' "$(xmllint --noout made.svg 2>&1)" ''
look made.svg >looked.json
shown()
{
	jq -r "$1" looked.json
}

# ---- nothing but a picture

is 'the console of the browser says nothing' "$(cat console)" ''
is 'nothing is loaded' "$(shown '.loaded | length')" 0
is 'names do not become elements' "$(shown '.elements - ["g", "path", "rect", "style", "svg", "text", "title", "script"] | join(" ")')" ''
is 'nor handlers of events' "$(shown .handlers)" 0
is 'the title has the name of the kernel' "$(shown .title)" 'Boot of Linux 6.12.0-<b>&"'
is 'what is no text is shown as such' "$(shown '[.bars[] | select(.name | test("^\ufffd{5}$"))] | length')" 2
chromium_alone --dump-dom "file://$PWD/made.svg" >as-is.svg 2>as-is.log
is 'the picture as it is has the same bars' "$(grep -o 'class="bar ' as-is.svg | wc -l)" "$(grep -o 'class="bar ' made.svg | wc -l)"
is 'and the console says nothing, either' "$(grep CONSOLE as-is.log)" ''

# ---- bars

ok 'there are three views' [ "$(shown '.views | length')" -eq 3 ]
is 'one is of the kernel alone' "$(shown '.views[1] | tojson')" '{"from":0,"to":2000000000}'
# The early part has the last view, and the boot the first one.
awk -F'\t' -v OFS='\t' '{ $3 = $3 ? 0 : 2 } 1' bars.list >expected
ok 'the list has bars' [ "$(wc -l <expected)" -gt 15 ]
is 'each bar is where its times are' "$(misplaced expected looked.json)" ''
awk -F'\t' -v OFS='\t' '$3 == 0 && $5 > 0 && $4 < 2000000000 { $3 = 1; print }' expected >kernel
is 'in the view of the kernel as well' "$(misplaced kernel looked.json)" ''
is 'a wrong list is noticed' "$(sed '1s/0$/5/;1s/$/00000000/' expected | misplaced /dev/stdin looked.json | wc -l)" 1
is 'bars of a lane do not cover each other' "$(shown '[.bars | group_by([.view, .lane, .y])[] | sort_by(.x) | . as $row |
	range(1; length) | select($row[.].x < $row[. - 1].x + $row[. - 1].width - 1) | $row[.].name] | join(" ")')" ''
is 'what is inside a bar is below it' "$(shown '[.bars[] | select(.view == 0 and .lane == "process 1")] |
	[.[] | select(.name | IN("acpi_init", "0000:00:04.0", "synchronize_rcu"))] | sort_by(.y) | map(.name) | join(" ")')" \
	'acpi_init 0000:00:04.0 synchronize_rcu'
is 'lanes have an order' "$(shown '[.lanes[:10][]] | join(", ")')" \
	'phases, CPUs busy, CPU 0 busy, CPU 1 busy, disks, process 1, units, CPU 0, modules, programs'
is 'narrow ones side by side are one bar' "$(shown '[.bars[] | select(.joined)] | map(.tip | split("\n")[0]) | join(", ")')" \
	'500 running: 45.00 ms'
is 'a tip tells what a bar is' "$(shown '.bars[] | select(.view == 0 and .name == "btrfs").tip')" \
	$'btrfs\nmodule: 450.0 ms\nfrom 2.550000 s to 3.000000 s'

# ---- for people

is 'of 150 units, 150 names can be read' "$(shown '.readable.units | length, (unique | length)' | xargs)" '150 150'
is 'nothing is outside of the picture' "$(shown '.outside | join("; ")')" ''
is 'names in bars end where their bars end' "$(shown '. as $l | [.labels[] | . as $t | select(any($l.bars[]; .y <= $t.y + 12 and
	.y + .height >= $t.y and .x + .width >= $t.right - 1 and .x < $t.right) | not).text] | join(", ")')" ''
is 'the legend has each class that there is' "$(shown '.legend | join(", ")')" \
	'phases, calls, initcalls, modules, probes of devices, programs, units, waiting, running, input and output'
is 'each class has a colour of its own' "$(shown '[.colours | to_entries | (length), (map(.value) | unique | length)] | join(" ")')" '10 10'
is 'the paper is white, and the ink is dark' "$(shown '"\(.paper) \(.ink)"')" 'rgb(255, 255, 255) rgb(31, 35, 40)'
look made.svg --blink-settings=preferredColorScheme=0 >looked.json
is 'for those who like it dark, it is' "$(shown '"\(.paper) \(.ink)"')" 'rgb(22, 24, 28) rgb(230, 232, 234)'
ok 'and no bar has the colour of the paper' [ "$(shown '.paper as $p | [.colours[] | select(. == $p)] | length')" -eq 0 ]

# The opposite: what the browser finds must be noticed.
sed 's/<\/style>/<\/style><script>nonesuch()<\/script>/' made.svg >broken.svg
look broken.svg >broken.json
ok 'a script that fails is noticed' grep -q 'nonesuch' console
tap_end
