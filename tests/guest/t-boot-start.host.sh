#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks what t-boot-start.sh has copied from its guest: the document of its boot against the kernel's log, its image and
# its schema; and the trace, the text, the picture and the stacks against the document.
# shellcheck disable=SC2016 # jq has variables of its own

here=$(dirname "$(realpath "$0")")
. "$here/tap.sh"
. "$here/page-lib.sh"
. "$here/picture-lib.sh"

# ---- the document

ok 'the document fits its schema' valid boot boot.json
jq 'del(.start.initcalls[3].self)' boot.json >less.json
ok 'one that lacks a field does not' invalid boot less.json
jq '.start.levels[0].more = 1' boot.json >more.json
ok 'nor does one with another field' invalid boot more.json
is 'the schema describes each field' "$(jq -r '[paths(type == "object")] as $all | . as $s | $all[] |
	select(length > 1 and .[-2] == "properties") | . as $p | select($s | getpath($p) | has("description") | not) |
	map(tostring) | join(".")' "$clone/docs/schema/boot.json")" ''

# ---- the set

# "name result", as the kernel's log has them.
sed -n 's/.*\] initcall \([^+ ]*\)+[^ ]* returned \(-\{0,1\}[0-9]*\) after .*/\1 \2/p' log | sort >logged
jq -r '.start.initcalls[] | select(.module == null and .time != null) | "\(.name) \(.result)"' \
	boot.json | sort >shown
ok 'the log has hundreds of initcalls' [ "$(wc -l <logged)" -gt 300 ]
is "the kernel's own initcalls and their results are those of the log" \
	"$(comm -23 logged shown | head -n 5)" ''
is 'hytrace boot has none that the log does not have' "$(comm -13 logged shown | head -n 5)" ''
is 'the modules are those of the log, in its order' "$(jq -r '.start.initcalls[] | select(.module) | .module' boot.json | xargs)" \
	"$(sed -n 's/.*\] initcall [^ ]* \[\(.*\)\] returned .*/\1/p' log | xargs)"
is 'the dummy module is there, with its result' \
	"$(jq -c '.start.initcalls[] | select(.module == "dummy") | [.level, .result]' boot.json)" '["module",0]'
if [[ $HYTRACE_VMLINUX ]]; then
	is 'there are as many as the image has' "$(jq '[.start.initcalls[] | select(.level != "module")] | length' boot.json)" \
		"$(nm "$HYTRACE_VMLINUX" | grep -c ' __initcall__')"
fi
is 'the levels are those of the kernel' "$(jq -r '.start.levels[].name' boot.json | xargs)" \
	'early pure core postcore arch subsys fs device late'
is 'nothing is lost' "$(jq .start.lost boot.json)" 0

# ---- times

# "name usecs" of those that took at least 3 ms. The log does not count the time of its own line. Its clock counts only ticks
# until the initcalls of the level fs have chosen another one.
sed -n 's/.*\] initcall \([^+ ]*\)+[^ ]* returned -\{0,1\}[0-9]* after \([0-9]*\) usecs.*/\1 \2/p' log | sort -u |
	awk '$2 >= 3000' | sort >long.list
# Two functions may have the same name, and the log does not tell which one it is about.
jq -r '.start.initcalls | group_by(.name)[] | select(length == 1)[] | select(.level == "device" or .level == "late") |
	"\(.name) \(.time)"' boot.json | sort >times.list
join long.list times.list >both.list
ok "some initcalls take long: $(cut -d' ' -f1 both.list | xargs)" [ -s both.list ]
is 'their times are those of the log' \
	"$(awk '{ us = $3 / 1000 } us < $2 - 1000 || us > $2 + 1000' both.list)" ''
is 'a level takes at least as long as its initcalls' \
	"$(jq -c '[.start.levels[] | select(.in_initcalls > .time)]' boot.json)" '[]'
is 'the first init is that of the guest, after all levels' \
	"$(jq '.start | .inits[0].start > .levels[-1].start + .levels[-1].time' boot.json)" true
is 'trace viewers can read boot.trace' "$(jq -rf "$here/trace-events.jq" boot.trace 2>&1)" ''
is 'boot.trace has each initcall that ended' "$(jq '[.traceEvents[] | select(.cat | IN("initcall", "module"))] | length' boot.trace)" \
	"$(jq '[.start.initcalls[] | select(.time != null)] | length' boot.json)"
is 'the text has the five longest' "$(sed -n '/^INITCALL/,/^and/p' text | sed '1d;$d' | cut -d' ' -f1 | xargs)" \
	"$(jq -r '.start.initcalls | sort_by(-.self)[:5][] | .module // .name' boot.json | xargs)"
ok 'the text says when init was started' grep -q '^Started /init as init, at [0-9.]* s' text

# ---- waits and probes

is 'the time of process 1 until init is divided without a rest' \
	"$(jq '.start | ([.waits[].time] | add) + .init.running == .init.time' boot.json)" true
is 'and so is that of each initcall' \
	"$(jq -c '[.start.initcalls[] | select(.time != null and .time != .running + .ready + .waiting)]' boot.json)" '[]'
ok 'it had to wait' jq -e '.start.waits | length > 5' boot.json
is 'the text has the longest wait first' "$(sed -n '/^PROCESS 1 WAITED IN/{n;p}' text | cut -d' ' -f1)" \
	"$(jq -r '.start.waits[0].where' boot.json | cut -d' ' -f1)"
jq -r '.start.probes[] | select(.kind == "device" and .result == 0) | "\(.driver) \(.name)"' boot.json | sort -u >probed
ok "some devices have drivers: $(xargs <bound)" [ -s bound ]
is 'the probes of devices that have a driver now are there' "$(comm -13 probed bound)" ''
is 'no probe is lost' "$(jq .start.probes_lost boot.json)" 0
ok 'unpacking the initramfs took some time' jq -e '[.start.probes[] | select(.kind == "unpack")][0].time > 0' boot.json
ok 'the number of events is told' grep -q '^Recording: [0-9]* events until init; ' text

# ---- without systemd

is 'what is after the kernel is unknown, and says why' "$(jq -c '[.units, .userspace.manager, .userspace.why_not,
	(.parts.rows[] | select(.name == "units") | .time)]' boot.json)" '[null,null,"process 1 is not systemd",null]'
is 'the account is what the events tell' "$(jq '(.parts.rows | map(select(.name == "initcalls" or .name == "after_initcalls" or
	.name == "before_initcalls" or .name == "initrd") | .time) | add) == .start.inits[1].start' boot.json)" true
# An initcall has no time of the devices that it probed: these are in the list by themselves.
is 'blame has the longest of initcalls and modules' "$(
	jq -r '[.items[] | select(.kind != "probe")][:5][].name' blame.json | xargs)" \
	"$(jq -r '.start | [.probes[] | select(.kind == "device" and .time != null)] as $probes |
		[.initcalls | to_entries[] | select(.value.time != null)] as $calls |
		[$probes[] as $p | $calls | map(select(.value.pid == $p.pid and .value.start <= $p.start and
			.value.start + .value.time >= $p.start + $p.time)) | last | values | {key, time: $p.self}] as $within |
		$calls | map(.key as $key | .value + {own: (.value.self - ([$within[] | select(.key == $key).time] | add // 0))}) |
		sort_by(-.own)[:5][] | .module // .name' boot.json | xargs)"

# ---- the picture

is 'the picture is XML' "$(xmllint --noout boot.svg 2>&1)" ''
look boot.svg >looked.json
is 'the console of the browser says nothing, and nothing is loaded' "$(cat "$tap_scratch/console")$(jq '.loaded[]' looked.json)" ''
is 'nothing is outside of the picture' "$(jq -r '.outside | join("; ")' looked.json)" ''
is 'it has the name of the kernel' "$(jq -r .title looked.json)" "Boot of Linux $(jq -r .kernel.release boot.json)"
# Those that are wider than two pixels are drawn by themselves.
jq -r --slurpfile looked looked.json '($looked[0].views[0] | (.to - .from) / 600) as $least | .start.initcalls[] |
	select(.time and .time > $least and .start < $looked[0].views[0].to) |
	[.module // .name, (if .level == "module" then "modules" else "process 1" end), 0, .start, .start + .time] | @tsv' \
	boot.json >initcalls
jq -r '.start.levels[] | [.name, "phases", 0, .start, .start + .time] | @tsv' boot.json >phases
ok "some initcalls took long: $(cut -f1 initcalls | xargs)" [ "$(wc -l <initcalls)" -gt 0 ]
is 'each of them is where its times are' "$(misplaced initcalls looked.json)" ''
is 'so are levels' "$(jq -r '.views[0] | (.to - .from) / 600' looked.json |
	awk -F'\t' 'NR == FNR { least = $1; next } $5 - $4 > least' - phases | misplaced /dev/stdin looked.json)" ''
is 'nothing is between the phases' "$(jq '[.bars[] | select(.view == 0 and .lane == "phases" and .height > 20)] | sort_by(.x) |
	[range(1; length) as $i | .[$i].x - .[$i - 1].x - .[$i - 1].width | select(. > 1.5)] | length' looked.json)" 0

# ---- the stacks

is 'each task has the time of its initcalls' "$(awk '{ n = $NF; sub(/;.*/, ""); sum[$0] += n } END { for (t in sum) print t, sum[t] }' \
	boot.folded | sort)" "$(jq -r '.start.initcalls | map(select(.time != null)) | group_by(.pid)[] |
	"process \(.[0].pid) \(map(.self) | add / 1000)"' boot.json | sort)"
is 'process 1 has that of its levels' "$(sed -n 's/^process 1;.* //p' boot.folded | paste -sd+ | bc)" \
	"$(jq '[.start.levels[].in_initcalls] | add / 1000' boot.json)"

tap_end
