#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks what t-boot-systemd.sh has copied from its guest: the document of its boot against its schema, and the units and
# parts in the picture against the document.
# shellcheck disable=SC2016 # jq has variables of its own

set -uo pipefail
here=$(dirname "$(realpath "$0")")
clone=$(dirname "$(dirname "$here")")
# shellcheck source=tests/guest/tap.sh
. "$here/tap.sh"
# shellcheck source=tests/guest/page-lib.sh
. "$here/page-lib.sh"
# shellcheck source=tests/guest/picture-lib.sh
. "$here/picture-lib.sh"

ok 'the document fits its schema' fits boot.json
is 'the picture is XML' "$(xmllint --noout boot.svg 2>&1)" ''
look boot.svg >looked.json
is 'the console of the browser says nothing, and nothing is loaded' "$(cat "$tap_scratch/console")$(jq '.loaded[]' looked.json)" ''
is 'nothing is outside of the picture' "$(jq -r '.outside | join("; ")' looked.json)" ''
jq -r '.userspace as $u | [.units[] | select(.time and .time > 0 and .start_monotonic <= $u.finish)] | sort_by(-.time)[:20][] |
	[.name, "units", 0, .start, .start + .time] | @tsv' boot.json >units
ok "units are there: $(cut -f1 units | xargs)" [ "$(wc -l <units)" -gt 5 ]
is 'each of the longest is where its times are' "$(misplaced units looked.json)" ''
jq -r --slurpfile looked looked.json '($looked[0].views[0] | (.to - .from) / 600) as $least | .parts.rows[] |
	select(.start != null and .time != null and .time > $least and (.name | IN("units", "rest") | not)) | [.start, .start + .time] | @tsv' boot.json >parts
ok 'parts are there' [ "$(wc -l <parts)" -gt 3 ]
# By their times: their names are those for people.
is 'each part is where its times are' "$(jq -Rr --slurpfile looked looked.json '
	$looked[0] as $l | $l.views[0] as $v | (1250 / ($v.to - $v.from)) as $scale | split("\t") | map(tonumber) |
	(130 + (.[0] - $v.from) * $scale) as $from | (130 + (([.[1], $v.to] | min) - $v.from) * $scale) as $to |
	if any($l.bars[]; .view == 0 and .lane == "phases" and (.x - $from | fabs) < 1 and (.x + .width - $to | fabs) < 1)
	then empty else "\($from) to \($to)" end' parts)" ''
is 'nothing is between the parts' "$(jq '[.bars[] | select(.view == 0 and .lane == "phases" and .height > 20)] | sort_by(.x) |
	[range(1; length) as $i | .[$i].x - .[$i - 1].x - .[$i - 1].width | select(. > 1.5)] | length' looked.json)" 0
is 'and the last one ends with the picture' "$(jq '[.bars[] | select(.view == 0 and .lane == "phases") | .x + .width] | max |
	. > 1378 and . < 1382' looked.json)" true
is 'the picture ends when the boot was complete' "$(jq --slurpfile looked looked.json '.userspace |
	.finish + .local_ahead - $looked[0].views[0].to | . > -1000000 and . < 1000000' boot.json)" true
ok 'it has the default target' grep -qF "until $(jq -r .userspace.target boot.json)<" boot.svg

tap_end
