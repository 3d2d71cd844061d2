#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks what t-boot-start.sh has copied from its guest: the document of its boot against its schema, and the picture
# and the stacks against the document.
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

# ---- the document

ok 'the document fits its schema' fits boot.json
jq 'del(.start.initcalls[3].self)' boot.json >less.json
ok 'one that lacks a field does not' sh -c '! "$@" 2>err' sh /usr/bin/python3 -W ignore -m jsonschema -i less.json "$clone/docs/schema/boot.json"
jq '.start.levels[0].more = 1' boot.json >more.json
ok 'nor does one with another field' sh -c '! "$@" 2>err' sh /usr/bin/python3 -W ignore -m jsonschema -i more.json "$clone/docs/schema/boot.json"
is 'the schema describes each field' "$(jq -r '[paths(type == "object")] as $all | . as $s | $all[] |
	select(length > 1 and .[-2] == "properties") | . as $p | select($s | getpath($p) | has("description") | not) |
	map(tostring) | join(".")' "$clone/docs/schema/boot.json")" ''

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
ok "some initcalls took long: $(cut -f1 initcalls | xargs)" [ "$(wc -l <initcalls)" -gt 3 ]
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
