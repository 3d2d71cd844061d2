#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched stock
# append: trace_instance=hytrace_boot,initcall:*,module:module_load,sched:sched_process_exec
# vm: --init systemd --units tests/guest/units
#
# hytrace boot on the whole of a boot whose init is systemd, with five units made for it. systemctl and systemd-analyze
# tell the same of it; what they do not tell, two markers in the trace do: how the clocks belong together.

# shellcheck disable=SC2016 # variables of jq

set -uo pipefail
hytrace=$PWD/build/hytrace
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/guest/tap.sh
. "$here/tap.sh"
cd "$tap_scratch" || exit 1
tracing=/sys/kernel/tracing

# json FILTER: prints what it finds in the document of this boot
json()
{
	jq -r "$1" boot.json
}

ok 'hytrace boot writes json' "$hytrace" boot -f json -o boot.json
ok 'hytrace boot writes text' "$hytrace" boot -n 1000 -o text
ok 'hytrace boot draws a picture' "$hytrace" boot plot -o boot.svg
cp boot.json boot.svg "$HYTRACE_FILES"
is 'the boot is complete, with systemd' "$(json '.userspace | [.manager, .complete] | map(tostring) | join(" ")')" 'systemd true'

# ---- units

# "NAME start active" in microseconds, for each unit that was started
systemctl list-units --all --plain --no-legend | awk '{ print $1 }' >units
xargs -d '\n' systemctl show -p Id -p InactiveExitTimestampMonotonic -p ActiveEnterTimestampMonotonic -- <units |
	awk -F= '$1 == "Id" { id = $2 } $1 ~ /^Inactive/ { start = $2 } $1 ~ /^Active/ { active = $2 }
		$0 == "" { print id, start, active; id = "" } END { if (id != "") print id, start, active }' |
	awk '$2 > 0' | sort >theirs
json '.units[] | "\(.name) \(.start_monotonic / 1000) \((.active_monotonic // 0) / 1000)"' | sort >ours
ok 'systemd has started dozens of units' [ "$(wc -l <theirs)" -gt 30 ]
is 'all units are there, with the times of systemctl show' "$(diff theirs ours)" ''
is 'those that were active have a time of the kernel for it' \
	"$(json '.userspace.local_ahead as $ahead | [.units[] | select(.start != .start_monotonic + $ahead or
		(.active_monotonic != null and .active != .active_monotonic + $ahead))] | length')" 0

# between NAME MIN MAX: is the unit's time between these, in ms?
between()
{
	json ".units[] | select(.name == \"$1\") | .time / 1000000 | . >= $2 and . <= $3"
}

is 'a unit that sleeps takes as long as it sleeps' "$(between ht-sleep.service 2000 3000)" true
is 'a unit that computes takes time' "$(between ht-spin.service 50 60000)" true
is 'a unit that failed took time until it failed' "$(between ht-fail.service 200 60000)" true
is 'a unit that did one thing took time until it was done' "$(between ht-once.service 300 60000)" true
is 'states and results are those of the units' "$(json '.units[] | select(.name | startswith("ht-")) |
	"\(.name) \(.state) \(.result)"' | sort | xargs)" \
	"ht-after.service active null ht-fail.service failed exit-code ht-once.service inactive null ht-sleep.service active null $(
	)ht-spin.service active null"
is 'a unit was started after the one that it is ordered after' "$(json '.units | map({(.name): .}) | add |
	.["ht-after.service"].start >= .["ht-sleep.service"].active and
	(.["ht-after.service"].after | index("ht-sleep.service") != null)')" true
ok 'the text has the unit that sleeps, with its time' grep -q '^ht-sleep.service  *[0-9.]*  *2\.[0-9]* active' text

# ---- the words of systemd-analyze

systemd-analyze critical-chain --no-pager | sed '1,/^$/d; s/^[^a-zA-Z0-9-]*//; s/^└─//; s/^─*//' | awk '{ print $1 }' |
	grep -v '^\.\.\.' >chain
"$hytrace" boot critical-chain -f json | jq -r '.[].name' >our-chain
is 'the critical chain is that of systemd-analyze' "$(cat our-chain)" "$(cat chain)"
is 'it begins with what was made to be last' "$(sed -n '2,4p' our-chain | xargs)" \
	'ht-after.service ht-sleep.service multi-user.target'
is 'json of the report has the same' "$(json '.userspace.critical_chain[].name')" "$(cat our-chain)"
is 'so has its text' "$("$hytrace" boot critical-chain | sed 1d | sed 's/^[ |`]*-//' | awk '{ print $1 }')" "$(cat our-chain)"
systemd-analyze blame --no-pager | awk '{ print $NF }' >their-blame
"$hytrace" boot blame -f json | jq -r '.[] | select(.kind == "unit") | .name' >our-blame
ok 'dozens of units took time' [ "$(wc -l <their-blame)" -gt 10 ]
is 'blame has the units of systemd-analyze, in its order' "$(diff their-blame our-blame)" ''
"$hytrace" boot blame -f json >all-blame
is 'initcalls and modules are in the same list' "$(jq -r '[.[].kind] | unique | join(" ")' all-blame)" 'initcall module unit'
is 'and the longest comes first' "$(jq '[.[].time] | . == (sort | reverse)' all-blame)" true

# ---- the account

before='[.parts.rows[] | select(.name as $n | ["firmware", "loader", "unpacking", "before_clock"] | index($n)) | .time // 0] | add'
# "Startup finished in 2.937s (kernel) + 1min 6.121s (userspace) = 1min 9.059s", in ms
theirs=$(systemd-analyze time | sed -n '1s/.*= //p' | awk '{ for (i = 1; i <= NF; i++)
	ms += $i ~ /min$/ ? $i * 60000 : $i ~ /ms$/ ? $i : $i * 1000; print ms }')
ok "systemd-analyze tells the whole: $theirs ms" [ "${theirs%.*}" -gt 2000 ]
# Without what came before the zero of the clock that both have.
total()
{
	json "(.parts.total - ($before) - .userspace.local_ahead) / 1000000 - $theirs | if . > -10 and . < 10 then \"yes\" else . end"
}

is 'the total is within 10 ms of it' "$(total)" yes
is 'the parts have no rest' "$(json '.parts | ([.rows[].time // 0] | add) + .not_accounted - .total')" 0
is 'not more than 1 % is not accounted for' "$(json '.parts | .not_accounted * 100 <= .total')" true
is 'each part begins where the one before ends' "$(json '.parts.rows | map(select(.time != null and .start != null and
	.name != "rest" and .name != "units")) | [range(1; length) as $i |
	.[$i].start - .[$i - 1].start - .[$i - 1].time | select(. != 0)] | length')" 0
is 'systemd is starting units when it has loaded them' \
	"$(json '.userspace as $u | .parts.rows[] | select(.name == "init") | .start + .time - $u.local_ahead')" \
	"$(systemctl show -P UnitsLoadFinishTimestampMonotonic)000"
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

mkdir "$tracing/instances/tsc"
echo x86-tsc >"$tracing/instances/tsc/trace_clock"
cat >marks.pl <<'END'
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep);
open my $local, '>', "$ARGV[0]/instances/hytrace_boot/trace_marker" or die;
open my $tsc, '>', "$ARGV[0]/instances/tsc/trace_marker" or die;
# The host may stop the guest between two writes. Of many, those are taken that were made within the shortest time.
for my $mark ('warm', 'first', 'second') {
	my @best;
	for my $try (1 .. 100) {
		my $before = clock_gettime(CLOCK_MONOTONIC);
		syswrite $local, "mark-$mark-$try";
		syswrite $tsc, "mark-$mark-$try";
		my $after = clock_gettime(CLOCK_MONOTONIC);
		@best = ("$mark-$try", $before, $after) if !@best || $after - $before < $best[2] - $best[1];
	}
	printf "%s %.9f %.9f\n", @best;
	sleep 2;
}
END
# The first report has stopped it.
echo 1 >"$tracing/instances/hytrace_boot/tracing_on"
perl marks.pl "$tracing" >marks

# at INSTANCE MARK: prints when it was written
at()
{
	sed -n "s/.* \([0-9.]*\): tracing_mark_write: mark-$2\$/\1/p" "$tracing/instances/$1/trace"
}

read -r first mono1 mono2 < <(grep '^first' marks)
read -r second _ < <(grep '^second' marks)
local1=$(at hytrace_boot "$first") local2=$(at hytrace_boot "$second") tsc1=$(at tsc "$first") tsc2=$(at tsc "$second")
is 'a marker is in the trace at the time that CLOCK_MONOTONIC has then' \
	"$(json ".userspace | (.local_ahead_error / 1e9 + 2e-6) as \$error | (.local_ahead / 1e9) as \$ahead |
		$local1 >= $mono1 + \$ahead - \$error and $local1 <= $mono2 + \$ahead + \$error")" true
ok 'that is known within 100 us' [ "$(json .userspace.local_ahead_error)" -lt 100000 ]
# Two marks are as far apart by both clocks.
is 'the time since the reset is what the TSC counts' \
	"$(json ".firmware.tsc_since_reset / 1e9 - ($tsc1 * ($local2 - $local1) / ($tsc2 - $tsc1) - $local1) |
		if . > -0.01 and . < 0.01 then \"yes\" else . end")" yes
rmdir "$tracing/instances/tsc"

# ---- mistakes

if [[ -e /run/dbus/system_bus_socket ]]; then
	is 'who is not root may ask, too' "$(setpriv --reuid=65534 --clear-groups "$hytrace" boot critical-chain -f json 2>&1 |
		jq -r '.[].name')" "$(cat our-chain)"
else
	setpriv --reuid=65534 --clear-groups "$hytrace" boot critical-chain >said 2>&1
	is 'without a bus, who is not root is told' "$? $(grep -c 'systemd cannot be asked' said)" '3 1'
fi
"$hytrace" boot blame -o named.json
"$hytrace" boot critical-chain -o chain.json
"$hytrace" boot blame -f text -o text.json
is 'a file whose name ends in .json is json, unless -f says otherwise' \
	"$(jq -r '.[0].kind' named.json) $(jq -r '.[0].depth' chain.json) $(head -n 1 text.json | xargs)" 'unit 0 TIME NAME KIND'
"$hytrace" boot blame nothing >said 2>&1
is 'blame takes no argument' $? 2
"$hytrace" boot critical-chian >said 2>&1
is 'a misspelt word is a mistake' "$? $(grep -c 'critical-chian: no such command' said)" '2 1'
rmdir "$tracing/instances/hytrace_boot"
"$hytrace" boot blame -n 3 >few 2>said
is 'without the events of initcalls, blame has units' "$? $(wc -l <few) $(grep -c 'hytrace_boot is not there: it was removed' said)" '0 5 1'
"$hytrace" boot -f json -o boot.json 2>said
is 'so has the report, which says what is missing' "$? $(grep -c 'instances/hytrace_boot is not there: it was removed' said) $(
	json '[.start, .tracer] | map(tostring) | join(" ")') $(json '.units | length > 30')" '0 1 null null true'
is 'and its total is the same' "$(total)" yes

# ---- a unit that is started again has lost its time in the boot

is 'no unit was started again since the boot' "$(json .parts.started_again)" 0
systemctl restart ht-after.service
"$hytrace" boot -f json -o boot.json 2>said
is 'one was' "$(json .parts.started_again)" 1
is 'its start is not that of the boot' \
	"$(json '.userspace.finish as $finish | .units[] | select(.name == "ht-after.service") | .start_monotonic > $finish')" true
"$hytrace" boot >text 2>said
ok 'the text says so' grep -q '^1 unit has been started again since the boot: if it was started in it, too' text

tap_end
