#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks what t-boot-systemd.sh has copied from its guest: the document of its boot against what systemd tells, its clocks
# and its schema, and the units and parts in the picture against the document.
# shellcheck disable=SC2016 # jq has variables of its own

. "$(dirname "$(realpath "$0")")/tap.sh"
. "$clone/tests/guest/page-lib.sh"
. "$clone/tests/guest/picture-lib.sh"

# json FILTER [DOCUMENT]: prints what it finds in the document of this boot
json()
{
	jq -r "$1" "${2:-boot.json}"
}

is 'the boot is complete, with systemd' "$(json '.userspace | [.manager, .complete] | map(tostring) | join(" ")')" 'systemd true'

# ---- units

# "NAME start active" in microseconds, for each unit that was started
awk -F= '$1 == "Id" { id = $2 } $1 ~ /^Inactive/ { start = $2 } $1 ~ /^Active/ { active = $2 }
	$0 == "" { print id, start, active; id = "" } END { if (id != "") print id, start, active }' shown |
	awk '$2 > 0' | sort >theirs
json '.units[] | "\(.name) \(.start_monotonic / 1000) \((.active_monotonic // 0) / 1000)"' | sort >ours
ok 'systemd has started dozens of units' [ "$(wc -l <theirs)" -gt 30 ]
is 'all units are there, with the times of systemctl show' "$(diff theirs ours)" ''
is 'those that were active have a time of the kernel for it' \
	"$(json '.userspace.local_ahead as $ahead | [.units[] | select(.start != .start_monotonic + $ahead or
		(.active_monotonic != null and .active != .active_monotonic + $ahead))] | length')" 0

# took NAME MIN: did the unit take at least so many ms? On a busy machine it takes longer, but no longer than the boot.
took()
{
	json ".parts.total as \$total | .units[] | select(.name == \"$1\") | .time >= $2 * 1000000 and .time < \$total"
}

is 'a unit that sleeps takes as long as it sleeps' "$(took ht-sleep.service 2000)" true
is 'a unit that computes takes time' "$(took ht-spin.service 5)" true
is 'a unit that failed took time until it failed' "$(took ht-fail.service 200)" true
is 'a unit that did one thing took time until it was done' "$(took ht-once.service 300)" true
is 'states and results are those of the units' "$(json '.units[] | select(.name | startswith("ht-")) |
	"\(.name) \(.state) \(.result)"' | sort | xargs)" \
	"ht-after.service active null ht-fail.service failed exit-code ht-once.service inactive null ht-sleep.service active null $(
	)ht-spin.service active null"
is 'a unit was started after the one that it is ordered after' "$(json '.units | map({(.name): .}) | add |
	.["ht-after.service"].start >= .["ht-sleep.service"].active and
	(.["ht-after.service"].after | index("ht-sleep.service") != null)')" true
ok 'the text has the unit that sleeps, with its time' \
	grep -qE "^ht-sleep.service +[0-9.]+ +$(json '.units[] | select(.name == "ht-sleep.service") | .time / 1e9 | floor')\.[0-9]+ active" text

# ---- the words of systemd-analyze

sed '1,/^$/d; s/^[^a-zA-Z0-9-]*//; s/^└─//; s/^─*//' their-chain | awk '{ print $1 }' | grep -v '^\.\.\.' >chain
jq -r '.rows[].name' chain.json >our-chain
is 'the critical chain is that of systemd-analyze' "$(cat our-chain)" "$(cat chain)"
is 'it begins with what was made to be last' "$(sed -n '2,4p' our-chain | xargs)" \
	'ht-after.service ht-sleep.service multi-user.target'
is 'the document of the report has the same' "$("$clone/build/hytrace" boot critical-chain -f json boot.json | jq -r '.rows[].name')" \
	"$(cat our-chain)"
is 'so has its text' "$(sed '1d; s/^[ |`]*-//' text.json | awk '{ print $1 }')" "$(cat our-chain)"
is 'its depths begin with 0' "$(jq -c '[.rows[:3][].depth]' chain.json)" '[0,1,2]'
awk '{ print $NF }' their-blame >their-units
jq -r '.items[] | select(.kind == "unit") | .name' blame.json >our-units
ok 'dozens of units took time' [ "$(wc -l <their-units)" -gt 10 ]
is 'blame has the units of systemd-analyze, in its order' "$(diff their-units our-units)" ''
# Probes are there if the boot was asked for them.
is 'initcalls and modules are in the same list' "$(jq -r '[.items[].kind | select(. != "probe")] | unique | join(" ")' blame.json)" \
	"initcall$([[ ! -s modules ]] || echo ' module') unit"
is 'and the longest comes first' "$(jq '[.items[].time] | . == (sort | reverse)' blame.json)" true

# ---- the account

before='[.parts.rows[] | select(.name as $n | ["firmware", "loader", "unpacking", "before_clock"] | index($n)) | .time // 0] | add'
# "Startup finished in 2.937s (kernel) + 1min 6.121s (userspace) = 1min 9.059s", in ms
theirs=$(sed -n '1s/.*= //p' their-time | awk '{ for (i = 1; i <= NF; i++)
	ms += $i ~ /min$/ ? $i * 60000 : $i ~ /ms$/ ? $i : $i * 1000; print ms }')
ok "systemd-analyze tells the whole: $theirs ms" [ "${theirs%.*}" -gt 2000 ]
# total DOCUMENT: is it theirs, within 10 ms? Without what came before the zero of the clock that both have.
total()
{
	json "(.parts.total - ($before) - .userspace.local_ahead) / 1000000 - $theirs | if . > -10 and . < 10 then \"yes\" else . end" "$1"
}

is 'the total is within 10 ms of it' "$(total boot.json)" yes
is 'the parts have no rest' "$(json '.parts | ([.rows[].time // 0] | add) + .not_accounted - .total')" 0
is 'not more than 1 % is not accounted for' "$(json '.parts | .not_accounted * 100 <= .total')" true
is 'each part begins where the one before ends' "$(json '.parts.rows | map(select(.time != null and .start != null and
	.name != "rest" and .name != "units")) | [range(1; length) as $i |
	.[$i].start - .[$i - 1].start - .[$i - 1].time | select(. != 0)] | length')" 0
is 'systemd is starting units when it has loaded them' \
	"$(json '.userspace as $u | .parts.rows[] | select(.name == "init") | .start + .time - $u.local_ahead')" \
	"$(<loaded)000"
is 'these are the parts' "$(json '[.parts.rows[] | select(.time != null) | .name] | unique | sort | join(" ")')" \
	'after_initcalls before_clock before_initcalls between init initcalls initrd rest units'
is 'what is not known is named, and its time is in the next part' \
	"$(json '.parts.rows[:3] | [.[0].name, .[0].time, .[1].name, .[1].time, .[2].name, .[2].with] | map(tostring) | join(" ")')" \
	'firmware null loader null before_clock 2'
ok 'the text says so' grep -q "^firmware  *-[0-9.]*  *unknown" text
is 'systemd is what stays process 1' "$(json .parts.init)" /lib/systemd/systemd
ok 'the text has what systemd-analyze counts' \
	grep -q "^systemd-analyze counts $(awk "BEGIN { printf \"%d\", $theirs / 1000 }")\.[0-9]* s" text

# ---- the clocks

{ read -r mono1 mono2 local1 tsc1 && read -r mono3 mono4 local2 tsc2; } <clocks
# The relation is that of the boot, and the marker's that of now: the kernel computes the clocks apart, each to some ppm. A
# slow machine takes longer until then, so the bound grows with the time.
is 'a marker is in the trace at the time that CLOCK_MONOTONIC has then' \
	"$(json ".userspace | ((.local_ahead_error + .local_ahead_slewed) / 1e9 + 1e-3 + 2e-5 * $mono2) as \$error |
		(.local_ahead / 1e9) as \$ahead |
		$local1 >= $mono1 + \$ahead - \$error and $local1 <= $mono2 + \$ahead + \$error")" true
# A tick and the last event before it enclose the clock. A slow machine has fewer events a second: one that boots in ten seconds
# has to know it within a millisecond.
is 'that is known within a ten thousandth of the boot' \
	"$(json 'if .userspace.local_ahead_error * 10000 < ([.parts.total, 10000000000] | max) then "yes" else .userspace.local_ahead_error end')" yes
# Two marks are as far apart by both clocks. The host may have stopped the guest between the two clocks of a mark, for as long
# as the mark took; what that does to the TSC's frequency counts for all of the time since the reset.
is 'the time since the reset is what the TSC counts' \
	"$(json "($tsc1 / ($tsc2 - $tsc1) * ($mono2 - $mono1 + $mono4 - $mono3 + 2e-6) + 0.002) as \$error |
		.firmware.tsc_since_reset / 1e9 - ($tsc1 * ($local2 - $local1) / ($tsc2 - $tsc1) - $local1) |
		if . > -\$error and . < \$error then \"yes\" else . end")" yes

# ---- without the events of initcalls

is 'the report has units, and no initcalls' "$(json '[.start, .tracer] | map(tostring) | join(" ")' removed.json) $(
	json '.units | length > 30' removed.json)" 'null null true'
is 'and its total is the same' "$(total removed.json)" yes

# ---- schema and picture

ok 'the document fits its schema' valid boot boot.json
ok 'so does that of blame' valid boot-blame blame.json
ok 'and that of the critical chain' valid boot-critical-chain chain.json
is 'all three are of one boot' "$(jq -r .boot_id boot.json blame.json chain.json | sort -u | wc -l)" 1
is 'the picture is XML' "$(xmllint --noout boot.svg 2>&1)" ''
look boot.svg >looked.json
is 'the console of the browser says nothing, and nothing is loaded' "$(cat "$tap_scratch/console")$(jq '.loaded[]' looked.json)" ''
is 'nothing is outside of the picture' "$(jq -r '.outside | join("; ")' looked.json)" ''
jq -r '.userspace as $u | [.units[] | select(.time and .time > 0 and .start_monotonic <= $u.finish)] | sort_by(-.time)[:20][] |
	[.name, "units", 0, .start, .start + .time] | @tsv' boot.json >units
ok "units are there: $(cut -f1 units | xargs)" [ "$(wc -l <units)" -gt 5 ]
is 'each of the longest is where its times are' "$(misplaced units looked.json)" ''
jq -r '.userspace.finish as $finish | .units[] | select(.start_monotonic <= $finish).name' boot.json | sort >booted
sed -n 's/.*<text[^>]*>\([^ <]*\.[a-z]*\)\( ([^)]*)\)\{0,1\}<.*/\1/p' their-plot | sort -u | comm -12 - booted >theirs
ok 'systemd-analyze plot has units' [ "$(wc -l <theirs)" -gt 30 ]
is 'each of them has a name that can be read' "$(jq -r '.readable.units[] | split(" ")[0]' looked.json | sort -u | comm -23 theirs - | xargs)" ''
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
