#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests commands that read documents, offline: hytrace report, merge, diff and compare, on small documents of a small
# kernel, which this script makes. Each json document is checked against its schema in docs/schema.
# shellcheck disable=SC2016 # jq has variables of its own

. "$(dirname "$(realpath "$0")")/../guest/documents-lib.sh"

# prints COMMAND...: prints the command's output; its messages go to the file err
prints()
{
	"$hytrace" "$@" 2>err
}

universe aa.universe aa <<'LINES'
0xffffffff81000100 vfs_read - fs/read_write.c
0xffffffff81000200 vfs_write - fs/read_write.c
0xffffffff81000300 ext4_iget - fs/ext4/inode.c
0xffffffff81000400 ext4_lookup.isra.0 - fs/ext4/namei.c
0xffffffff81000500 schedule - kernel/sched/core.c
0xffffffff81000600 do_nmi - kernel/nmi.c noinstr
0xffffffff81000700 futex_wait - kernel/futex/waitwake.c
0xffffffff81000800 init_it - init/main.c
0 dummy_xmit dummy drivers/net/dummy.c
64 dummy_open dummy drivers/net/dummy.c
LINES
universe bb.universe bb <<'LINES'
0xffffffff81000180 vfs_read - fs/read_write.c
0xffffffff81000200 vfs_write - fs/read_write.c notrace
0xffffffff81000380 ext4_iget - fs/ext4/inode.c
0xffffffff81000400 ext4_lookup - fs/ext4/namei.c
0xffffffff81000440 ext4_lookup.part.0 - fs/ext4/namei.c
0xffffffff81000700 futex_wait - kernel/futex/waitwake.c
0xffffffff81000900 brand_new - kernel/new.c
LINES
document a.json aa vfs_read ext4_iget dummy_xmit
document b.json aa vfs_read vfs_write ext4_lookup.isra.0 -- '.boot_id = "b2" | .host = "there"'
document boot.json aa vfs_read schedule init_it -- '.filters.scope = "boot" | .command = null | .ended = "reading" |
	.totals.traced_seen = 2'
document new.json bb vfs_read ext4_lookup ext4_lookup.part.0 brand_new -- '.modules = []'
ok 'the documents are valid' valid coverage a.json b.json boot.json new.json

# ---- report

u=--universe=aa.universe
is 'shares by directory' "$(prints report $u a.json | sed -n '/^DIRECTORY/,/^$/p' | tr -s ' ')" \
'DIRECTORY SEEN TRACEABLE SHARE
drivers/net 1 2 50.0%
fs 1 2 50.0%
fs/ext4 1 2 50.0%
and 2 more of which nothing was seen'
is 'and the totals' "$(prints report $u a.json | grep -E '^(Covered|Functions|Callers|Lost|Complete):')" \
'Covered: the whole system during: make test
Functions: 3 seen of 8 that can be traced (37.5%)
Callers:   1 places that called one
Lost:      nothing
Complete:  yes'
is 'there is no other message' "$(cat err)" ''
is 'several documents are columns' "$(prints report $u --by=file a.json b.json | sed -n '/^FILE/,/^$/p' | tr -s ' ')" \
'FILE TRACEABLE a SHARE b SHARE
drivers/net/dummy.c 2 1 50.0% 0 0.0%
fs/ext4/inode.c 1 1 100.0% 0 0.0%
fs/ext4/namei.c 1 0 0.0% 1 100.0%
fs/read_write.c 2 1 50.0% 2 100.0%
and 2 more of which nothing was seen'
is 'init text is no part of a share' "$(prints report $u boot.json | grep '^Functions:')" \
	'Functions: 2 seen of 8 that can be traced (25.0%); and 1 that were freed by then, loaded later, or are of trace events'
is 'of one directory' "$(prints report $u --in fs/ext4 a.json | grep -E '^(fs|Functions)' | tr -s ' ')" \
'fs/ext4/inode.c 1 1 100.0%
Functions: 1 seen of 2 that can be traced in fs/ext4 (50.0%)'
is 'what was seen' "$(prints report $u --seen --in :mod:dummy a.json)" $'dummy_xmit [dummy]\tdrivers/net/dummy.c:7'
is 'what nobody has seen' "$(prints report $u --unseen a.json b.json | cut -f 1)" $'schedule\nfutex_wait\ndummy_open [dummy]'
is 'function by function' "$(prints report $u --by=function --in fs a.json b.json | cut -f 1,2)" \
$'++\tvfs_read\n-+\tvfs_write\n+-\text4_iget\n-+\text4_lookup.isra.0'
is 'those with the largest share come first' \
	"$(prints report $u --by=file --sort=share b.json | sed -n '/^FILE/,/^$/p' | sed -n 2,3p | cut -d ' ' -f 1)" \
	$'fs/ext4/namei.c\nfs/read_write.c'
is 'an order of lines is refused where functions are listed: 2' \
	"$(status report $u --by=function --sort=share b.json) $(status report $u --unseen --sort=seen b.json)" '2 2'
prints report $u -f json a.json boot.json >report.json
ok 'json is valid' valid report report.json
is 'its sums are those of the text' \
	"$(jq -r '.columns[] | "Functions: \(.seen) seen of \(.asked_for) "' report.json)" \
	"$(prints report $u a.json boot.json | sed -n 's/^\(Functions: .* \)that can be traced.*/\1/p')"
is 'and those of its groups, and of its list' "$(jq -c '. as $r | [range(2) as $i |
	[$r.columns[$i].seen, ([$r.groups[].columns[$i].seen] | add),
	([$r.functions[] | select(.class == "traceable" and .seen[$i])] | length)] | unique | length]' report.json)" '[1,1]'
is 'tailor has a line for each place' "$(prints report -f tailor a.json | wc -l)" \
	"$(jq '.functions + .callers | length' a.json)"
is 'the lines are the addresses of the document' "$(prints report -f tailor a.json | head -n 1)" ffffffff81000105
jq '.unattached = ["vfs_write", "schedule"] | .lost = {unattached: 2}' a.json >unattached.json
is 'no share counts functions that could not be attached to' "$(prints report $u unattached.json | grep '^Functions:')" \
	'Functions: 3 seen of 6 that can be traced (50.0%); 2 more could not be attached to, so it is not known whether they ran'
is 'no share counts them without a universe' "$(prints report unattached.json | grep '^Functions:')" "$(prints report $u unattached.json | grep '^Functions:')"
is 'such functions are not unseen' "$(prints report $u --unseen unattached.json | cut -f 1)" $'ext4_lookup.isra.0\nfutex_wait\ndummy_open [dummy]'
jq '.filters.denied_by_hytrace = ["vfs_write", "none"]' a.json >own.json
is 'no share counts helpers of the engine' "$(prints report $u own.json | grep '^Functions:')" \
	'Functions: 3 seen of 7 that can be traced (42.9%); 1 helpers of the recorder are not traced'
is 'without a universe it is not known how many they are' "$(prints report own.json | grep '^Functions:')" \
	'Functions: 3 seen of 8 that can be traced (37.5%); up to 2 of them are helpers of the recorder, and not traced'
is 'they are not unseen' "$(prints report $u --unseen own.json | cut -f 1 | grep -c vfs_write)" 0
jq '.modules[0].came = true' a.json >came.json
is 'of a module that came and was followed, the rest is unseen' "$(prints report $u --unseen --in :mod:dummy came.json | cut -f 1)" \
	'dummy_open [dummy]'
jq '.modules[0].came = true | .follows_modules = false' a.json >late.json
is 'if nothing there could be seen, no function is listed' "$(prints report $u --unseen --in :mod:dummy late.json)" ''
ok 'and a warning says why' grep -q 'late.json: .*dummy_open.*its module was not there, or came later' err
is 'a compressed document is the same' "$(gzip -c a.json >a.json.gz; prints report $u a.json.gz)" \
	"$(prints report $u a.json)"
is 'from standard input as well' "$(prints report $u - <a.json | grep ^Functions)" "$(prints report $u a.json | grep ^Functions)"

is 'without a universe the totals are those of the document' "$(prints report a.json | grep '^Functions')" \
	'Functions: 3 seen of 8 that can be traced (37.5%)'
ok 'and a warning says what is missing' grep -q 'are not known.*--universe FILE' err
is 'then unseen functions are not known: 2' "$(status report --unseen a.json)" 2
mkdir -p cache/hytrace
build=$(readelf -n "$hytrace" | sed -n 's/.*Build ID: //p')
jq -r --arg version "$("$hytrace" --version)" --arg build "$build" '[$version + " " + $build + " universe 2", .kernel.release, .kernel.arch, .kernel.build_id,
		"111", "1", (.functions | length)], (.kernel.modules[] | [.name, .build_id]), (.functions[] |
	[(if .module then (if .offset == 64 then "40" else "0" end) else .addr[2:] end), .name, .module, .unit, .file, .line,
		.sympos, .untraced, (if .init then 1 else 0 end), ""]), ["end"] | map(. // "") | join("\t")' \
	aa.universe >cache/hytrace/functions-aa
is 'a universe that was kept is found by the build id' "$(prints report a.json)" "$(prints report $u a.json)"
rm -r cache/hytrace
jq '.functions |= map(select(.name != "schedule"))' aa.universe >less.universe
prints report --universe less.universe a.json >out
ok 'a warning says that a universe lacks functions' grep -q '8 of the functions.* could be traced; 7 are known' err
jq '.lost = {refused: 3}' a.json >lossy.json
jq '.kernel.modules[0].build_id = "d1"' aa.universe >module.universe
is 'a module of another build has no functions' "$(prints report --universe module.universe --by=function a.json | cut -f 2 |
	tr '\n' ' ')" 'vfs_read vfs_write ext4_iget ext4_lookup.isra.0 schedule futex_wait dummy_xmit [dummy] '
ok 'a warning says so' grep -q 'the module dummy is known only in another build (d1)' err
jq '.kernel.addresses = null | .functions |= [range(8) as $i | .[0] + {addr: null, sympos: ($i + 1)}] |
	.totals.traced_seen = 6' a.json >namesakes.json
is 'namesakes without addresses are several functions' "$(prints report namesakes.json | grep '^Functions')" \
	'Functions: 6 seen of 8 that can be traced (75.0%); and 2 that were freed by then, loaded later, or are of trace events'
ok 'a report tells losses' sh -c "'$hytrace' report $u lossy.json | grep -q '^Complete:  no'"

# ---- merge

is 'merge: 0' "$(status merge -o union.json a.json b.json)" 0
ok 'the union is valid' valid coverage union.json
is 'a union has what any document has, with the number of documents' "$(jq -c '[.functions[] | "\(.name) \(.runs)"] | sort' union.json)" \
	'["dummy_xmit 1","ext4_iget 1","ext4_lookup.isra.0 1","vfs_read 2","vfs_write 1"]'
is 'of two boots it has no times' "$(jq -c '[.boot_id, .host, ([.functions[].first_ns] | unique)]' union.json)" \
	'[null,null,[null]]'
is 'and tells which results it is of' "$(jq -c '[.merged[].host]' union.json)" '["here","there"]'
is 'it can be reported' "$(prints report $u union.json | grep -E '^(Functions|Engine)')" \
$'Functions: 5 seen of 8 that can be traced (62.5%)\nEngine:    oneshot, 3.00 s in 2 runs'
# later FILE: the same of a later run
later()
{
	jq '.started = "2026-01-02T04:05:06.000007Z"' "$1"
}
later a.json >later.json
later lossy.json >lossy_later.json
is 'and merged again' "$(prints merge union.json later.json | jq '[.functions[] | select(.name == "vfs_read").runs] + [.merged | length]' -c)" \
	'[3,3]'
is 'losses are added' "$(prints merge lossy.json lossy_later.json b.json | jq -c '[.lost.refused, .complete]')" '[6,false]'
is 'a run that would count twice is refused: 2' "$(status merge -o twice.json union.json a.json)" 2
ok 'the message says so' grep -q 'a.json: a run of it is in another file as well' err
ok 'there is no union then' test ! -e twice.json

# ---- diff

is 'a document is no other than itself: 0' "$(status diff a.json a.json)" 0
prints diff "$u" a.json b.json >out
is 'differences: 1' $? 1
is 'functions that are gone, and functions that are new' "$(grep -E '^[-+][a-z]' out | cut -f 1,2)" \
$'-ext4_iget\tfs/ext4/inode.c\n-dummy_xmit [dummy]\tdrivers/net/dummy.c\n+vfs_write\tfs/read_write.c\n+ext4_lookup.isra.0\tfs/ext4/namei.c'
is 'with the sums' "$(tail -n 1 out)" 'Functions: 1 in both, 2 gone, 2 new; matched by address'
is 'or only sums by directory, the largest change first' "$(prints diff --stat "$u" a.json b.json | tail -n +3 | tr -s ' ')" \
'DIRECTORY BOTH GONE NEW POSSIBLY
fs/ext4 0 1 1 0
drivers/net 0 1 0 0
fs 1 0 1 0
Functions: 1 in both, 2 gone, 2 new; matched by address'
is 'a directory without a change has no line' "$(prints diff --stat "$u" a.json <(jq '.functions[2].name = "schedule" |
	.functions[2].addr = "0xffffffff81000500" | .functions[2].module = null | .complete = false | .lost = {refused: 1}' a.json) |
	tail -n +3 | head -n 4 | tr -s ' ')" \
'DIRECTORY BOTH GONE NEW POSSIBLY
drivers/net 0 1 0 1
kernel/sched 0 0 1 0
and 2 more in which both have seen the same'
prints diff --stat -f json "$u" a.json b.json >stat.json
ok 'json with sums is valid' valid diff stat.json
is 'they are those of the list' "$(jq -c '[.directories | length, (map(.both) | add), (map(.gone) | add), (map(.new) | add)]' stat.json)" \
	"$(jq -c '[3, .both, (.gone | length), (.new | length)]' stat.json)"
is 'nothing is new in a part: 0' "$(status diff --fail-on new "$u" a.json union.json) $(status diff --fail-on new "$u" union.json a.json)" '1 0'
is 'but gone: 1' "$(status diff --fail-on gone "$u" union.json a.json)" 1
is 'of a part: its sums, and its status' "$(status diff --fail-on gone --in fs/ext4 "$u" a.json b.json; tail -n 1 out
	status diff --fail-on gone --in fs/read_write.c "$u" a.json b.json; tail -n 1 out)" \
$'1\nFunctions: 0 in both, 1 gone, 1 new; matched by address\n0\nFunctions: 1 in both, 0 gone, 1 new; matched by address'
is 'a part where nothing lies: 2' "$(status diff --in fs/ext5 "$u" a.json b.json)" 2
prints diff -f json "$u" --universe bb.universe a.json new.json >diff.json
is 'over two builds' $? 1
ok 'json is valid' valid diff diff.json
is 'functions are matched by file and name' "$(jq -c '[.matched_by, .both, .folded]' diff.json)" '["file",1,1]'
is 'with reasons' "$(jq -c '[.gone[], .new[] | "\(.name) \(.why)"]' diff.json)" \
	'["ext4_iget not-called","brand_new no-function","ext4_lookup not-called"]'
is 'what one side could not see is no difference' "$(jq -c '[.only_a_could[], .only_b_could[] | "\(.name) \(.why)"]' diff.json)" \
	'["dummy_xmit no-module"]'
jq '.filters.denied_by_hytrace = ["ext4_iget"] | .modules[0].came = true | .follows_modules = false | .functions |= .[:1]' a.json >blind.json
is 'it fails nothing: 0' "$(status diff --fail-on gone "$u" a.json blind.json)" 0
is 'and is in a line of its own' "$(grep -v '^---\|^+++' out)" \
"2 more in a.json, which blind.json could not see: 1 excluded: the recorder itself calls it; 1 its module was not there, or came later and was not followed
Functions: 1 in both, 0 gone, 0 new; matched by address"
jq '.lost = {module_init_functions: 3, module_init_callers: 2}' b.json >modprobe.json
is 'init text of a module makes nothing uncertain' "$(prints diff -f json "$u" a.json modprobe.json | jq -c '[.b.complete, ([.gone[].possibly] | unique)]')" \
	'[true,[false]]'
prints diff -f json "$u" b.json lossy.json >diff.json
is 'only possibly gone, where the other lacks something' \
	"$(jq -c '[([.gone[].possibly] | unique), ([.new[].possibly] | unique)]' diff.json)" '[[true],[false]]'
jq '.selection = "some"' aa.universe >some.universe
is 'a part of a universe: 2' "$(status diff --universe some.universe a.json new.json)" 2
ok 'of which one does not know the rest' grep -q 'some functions of that kernel' err
is 'a universe of another kernel: 2' "$(status diff --universe bb.universe a.json b.json)" 2

# ---- callers, calls and why without the kernel's files

jq '.functions[1].caller = {addr: "0xffffffff81000105", name: "vfs_read", "module": null, offset: null, symbol_offset: 5} |
	.functions[2].caller = {addr: "0xffffffff81000212", name: "vfs_write.cold", "module": null, offset: null, symbol_offset: 18} |
	.callers[0].entered = (.functions[1] | {addr, name, "module": .module, offset})' a.json >calls.json
is 'callers without a vmlinux has the first caller' "$(prints callers ext4_iget calls.json)" \
'ext4_iget
It ran, and was first called from vfs_read: that call returns to vfs_read+0x5.
CALLER   RETURNS TO
vfs_read vfs_read+0x5'
ok 'and says that this is not all' grep -q 'the vmlinux of 6.12.0-test (build id aa) was not found: known are only the first caller' err
is 'several recordings are columns' "$(prints callers 'ext4_*' b.json calls.json | tr -s ' ')" \
'ext4_iget
It ran in 1 of 2 recordings.
CALLER RETURNS TO b calls
vfs_read vfs_read+0x5 - yes

ext4_lookup.isra.0
It ran in 1 of 2 recordings.
Its caller is not known.'
is 'a function of one module' "$(prints callers dummy_xmit:mod:dummy calls.json | tail -n 1 | tr -s ' ')" 'vfs_write.cold vfs_write.cold+0x12'
is 'calls has the first callee of a site' "$(prints calls vfs_read calls.json)" \
'vfs_read
It ran.
CALLED    RETURNS TO
ext4_iget vfs_read+0x5'
is 'also in rare code, of a function without a record' "$(prints calls vfs_write calls.json | sed 's/  *$//')" \
'vfs_write.cold
It was not recorded, and ran: calls in it were.
CALLED             RETURNS TO
dummy_xmit [dummy] vfs_write.cold+0x12'
for command in callers calls; do
	prints $command -f json '*' calls.json b.json >result.json
	ok "$command -f json without a vmlinux is valid" valid calls result.json
	is "$command -f json has the same" "$(jq -c '[.missing, (.functions[] | select(.name == "ext4_iget" or .name == "vfs_read") |
		[.name, .seen, ((.callers // .calls)[] | [.name, .in, .returns_to, .symbol_offset, .seen])])]' result.json)" \
		"$([[ $command == calls ]] && echo '[null,["ext4_iget",[true,false]],["vfs_read",[true,true],[null,"vfs_read",5,null,[false,true]],["ext4_iget","vfs_read",5,null,[true,false]]]]' ||
		echo '[null,["ext4_iget",[true,false],["vfs_read","vfs_read",5,null,[true,false]]],["vfs_read",[true,true]]]')"
done
is 'a function that no recording has: 2' "$(status callers schedule calls.json) $(status calls dummy_xmit:mod:none calls.json)" '2 2'
ok 'the message says so' grep -q 'dummy_xmit:mod:none: no recording has such a function, and the vmlinux of .* was not found' err
is 'so are recordings of two builds: 2' "$(status callers vfs_read calls.json new.json)$(status calls vfs_read new.json calls.json)" 22
ok 'as they are with one' grep -q 'the recordings are of two builds of the kernel, bb and aa' err
is 'so is a recording without callers: 2' "$(status callers vfs_read <(jq '.filters.callers = false | .callers = []' a.json))" 2
is 'why says that it ran: 0' "$(status why ext4_iget calls.json) $(cat out)" '0 ext4_iget: can be traced
ext4_iget: in calls.json: ran, first after 0.000000 s on CPU 0 in process 1'
ok 'and that other functions are not known' grep -q 'functions of 6.12.0-test are not known, but for those that recordings have' err
is 'of each recording' "$(prints why -f json vfs_read,dummy_xmit a.json b.json calls.json | jq -c '[.functions[] | [.name, (.answers[].why)]]')" \
	'[["vfs_read","traceable","seen","seen","seen"],["dummy_xmit","traceable","seen","not-called","seen"]]'
jq '.functions |= .[1:]' a.json >fewer.json
is 'only boots have what may be init text, which other runs cannot have seen' "$(prints why -f json init_it,vfs_read boot.json a.json fewer.json |
	jq -c '[.functions[] | [.name, (.answers[].why)]]')" \
	'[["init_it","traceable","seen","unknown","unknown"],["vfs_read","traceable","seen","seen","not-called"]]'
# A recorder does not always know where the kernel has been moved to.
jq '.kernel.addresses = null | .boot_id = "b5" | .functions |= map(.addr = null) | .callers[0].addr = null' a.json >moved.json
is 'without addresses, names stand for functions' "$(prints why -f json vfs_read a.json moved.json | jq -c '[.functions[].answers[].why]
	'; prints callers -f json vfs_read a.json moved.json | jq -c '[.functions[] | [.name, .seen]]')" \
	$'["traceable","seen","seen"]\n[["vfs_read",[true,true]]]'
is 'what no recording has is not known: 1' "$(status why schedule,vfs_read calls.json) $(grep -c 'schedule: is not known; if it is inlined' out)" '1 1'

# ---- compare

prints compare -f json --callers a.json b.json >compare.json
is 'compare has json, too: 1' $? 1
ok 'which is valid' valid compare compare.json
is 'with the counts of the text' "$(jq -r '.lists[0] | "\(.both) \(.only_a | length) \(.only_b | length)"' compare.json)" \
	"$(prints compare a.json b.json | sed -n '1s/.*; \([0-9]*\) in both, \([0-9]*\) only in .*, \([0-9]*\) only in .*/\1 \2 \3/p')"
is 'a union has no window to compare: 2' "$(status compare a.json union.json)" 2
ok 'the message names diff instead' grep -q 'hytrace diff' err

# ---- what is no such document

# refuses WHY COMMAND...: status 2, one line of stderr with that in it, and no output file
refuses()
{
	local why=$1
	shift

	rm -f result
	[[ $(status "$@" -o result) == 2 ]] || { echo 'not 2'; return 1; }
	grep -q -- "$why" err || { cat err; return 1; }
	[[ $(wc -l <err) == 1 && ! -e result && ! -s out ]]
}

# What is missing, or unknown, is not taken for the best that it could be.
while read -r change; do
	jq "$change" a.json >damaged.json
	ok "report refuses $change" refuses 'is damaged' report damaged.json
done <<'CHANGES'
del(.lost)
.lost = null
.lost = {refused: -5}
.lost = {refused: 0.5}
.lost = []
del(.complete)
.complete = "yes"
.filters.scope = "container"
.ended = "fire"
del(.filters)
.filters.deny = "vfs_*"
.filters.callers = null
.options.retire = 0
.unattached = "x"
.unattached = [1]
.modules = null
.modules[0].came = null
.kernel.addresses = "absolute"
.seconds = "1"
.totals.traced = null
.lost = {"x\n\u001b[31mComplete:  yes": 1}
.kernel.release = "6\n\u001b[32mComplete:  yes"
.functions[0].name = "\u009b31m"
.functions[0].module = "\u001b[31m"
.callers[0].name = "a\u007f"
.modules[0].name = "\u0007"
CHANGES
for change in '.unattached = null' 'del(.host)' '.kernel.addresses = null'; do
	jq "$change" a.json >unknown.json
	is "report takes $change: 0" "$(status report unknown.json)" 0
done
jq '.engine = "e\u001b[31m" | .filters.cgroup = "c\u001b[1m\nComplete:  yes" | .filters.comm = "\u001b[2m" | .command = ["x\nComplete:  yes", "\u001b]0;t\u0007"]' a.json >escapes.json
is 'no terminal obeys what a document has' "$(prints report $u escapes.json | grep -c $'[\x1b\x07]'; prints report $u escapes.json | grep -c '^Complete:')" $'0\n1'
jq '.complete = false' a.json >incomplete.json
is 'what is not complete is not, even if no loss is told' "$(prints report $u incomplete.json | grep '^Complete:')" \
	'Complete:  maybe not'
jq '.complete = false | .lost = {module_init_functions: 3}' a.json >earlier.json
is 'what it tells decides: an earlier version called a document incomplete for what no document has' \
	"$(prints report $u earlier.json | grep '^Complete:')" 'Complete:  yes'
jq '.lost = {refused: 18446744073709551615, map_full: 1}' a.json >many.json
is 'a sum does not wrap' "$(prints report $u many.json | grep '^Complete:')" 'Complete:  no'

jq -c '{hytrace, schema: 1, engine, functions}' a.json >one.json
head -c 900 a.json >cut.json
jq '.schema = 3' a.json >three.json
printf '{"hytrace": "0", "document": "coverage", "x": "' >huge.json
head -c 200000000 /dev/zero | tr '\0' x >>huge.json
echo '"}' >>huge.json
gzip -1 <huge.json >huge.json.gz
cp diff.json other.json
: >empty.json
echo null >null.json
for command in report merge 'diff b.json'; do
	# shellcheck disable=SC2086 # two words
	for case in 'one.json:schema 1' 'cut.json:cut off' 'three.json:schema 3' 'huge.json:larger than' \
		'huge.json.gz:larger than' 'null.json:not a file of' 'other.json:not a file of' 'empty.json:empty' 'none.json:No such file'; do
		ok "$command refuses ${case%%:*}" refuses "${case#*:}" $command "${case%%:*}"
	done
done
rm huge.json huge.json.gz
ok 'report refuses documents of two kernels' refuses 'two builds of the kernel' report a.json new.json
ok 'and of two builds of a module' refuses 'two builds of the module dummy' report a.json <(jq '.modules[0].build_id = "d1"' b.json)
ok 'report refuses the universe of another kernel' refuses 'another build' report a.json --universe bb.universe
ok 'report --in refuses what is not there' refuses 'fs/none' report "$u" a.json --in fs/none
is 'report -f tailor refuses two documents: 2' "$(status report a.json b.json -f tailor)" 2
jq '.kernel.addresses = null' a.json >hidden.json
ok 'report -f tailor refuses one without addresses' refuses 'no addresses as linked' report hidden.json -f tailor
ok 'merge refuses another kernel' refuses 'another build of the kernel' merge a.json new.json
jq '.filters.deny = ["x*"]' b.json >filter.json
ok 'merge refuses another filter' refuses 'other filters' merge a.json filter.json
jq '.modules[0].build_id = "d1"' b.json >module.json
ok 'merge refuses another build of a module' refuses 'another build of the module dummy' merge a.json module.json
ok 'merge refuses one without addresses' refuses 'no addresses as linked' merge a.json hidden.json
ok 'a full disk gives a message' sh -c "! '$hytrace' report $u a.json >/dev/full 2>err && grep -q 'standard output' err"

# ---- how fast

# A kernel of 60,000 functions, which was kept.
jq -c '.functions as $f | .functions = [range(60000) as $i | $f[0] + {addr: "0xffffffff82\($i + 100000)", name: "f\($i)",
	unit: "dir\($i % 500)/file\($i % 5000).c", file: "dir\($i % 500)/file\($i % 5000).c"}]' aa.universe >large.universe
seconds=$({ TIMEFORMAT=%U+%S; time "$hytrace" report --universe large.universe a.json >out 2>err; } 2>&1)
ok "a report of 60,000 functions takes less than 1.5 s of CPU ($seconds)" awk "BEGIN { exit !($seconds < 1.5) }"

# ---- a server that has the kernel's files

ok 'a small kernel' small_kernel
mkdir -p served/buildid/1234abcd && mv vmlinux served/buildid/1234abcd/debuginfo
python3 -u -m http.server --bind 127.0.0.1 -d served 0 >server 2>&1 &
server=$!
for _ in {1..100}; do
	port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' server)
	[[ -z $port ]] || break
	sleep 0.1
done
export no_proxy=127.0.0.1
is 'without DEBUGINFOD_URLS no server is asked' "$(prints callers vfs_read a.json | tail -n 1; grep -c GET server)" $'Its caller is not known.\n0'
export DEBUGINFOD_URLS=http://127.0.0.1:$port
is 'a debuginfod has the vmlinux' "$(prints calls vfs_read a.json | tail -n 1)" \
	'Of the 1 calls in it that name a function that can be traced, 0 were recorded.'
is 'it is asked once' "$(prints report --by function a.json | cut -f 1,2 | tr '\n' ' '; grep -c GET server)" $'-\trw_verify_area +\tvfs_read 1'
printf x >>served/buildid/1234abcd/debuginfo
mv served/buildid/1234abcd served/buildid/1234abce
jq '.kernel.build_id = "1234abce"' a.json >other.json
is 'what it has of another build is not taken' "$(prints callers vfs_read other.json | tail -n 1; grep -c 'GET.*200' server)" $'Its caller is not known.\n2'
kill "$server"
unset DEBUGINFOD_URLS

tap_end
