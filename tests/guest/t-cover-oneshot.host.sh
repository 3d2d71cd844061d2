#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What t-cover-oneshot.sh has brought out of its guest, looked at where it is quick: documents with
# thousands of functions against the kernel's symbols, each other, and hytrace compare.
# shellcheck disable=SC2016 # jq has variables of its own

set -uo pipefail
# shellcheck source=tests/guest/cover-lib.sh
. "$(dirname "$(realpath "$0")")/cover-lib.sh"

# ---- alone

is 'auto takes oneshot where it is, and says so' "$(jq -r .engine one.json)" oneshot
ran one.json vfs_read vfs_write kernel_clone do_exit
is 'nothing is lost' "$(jq -c '[.lost.refused, .lost.unnamed, .lost.parents_lost]' one.json)" '[0,0,0]'
once one.json
symbols_agree one.json

ok 'its functions have their offset in .text' perl -e '
	my ($modules, %sym) = @ARGV;
	open(my $nm, "-|", "nm", glob("$modules/kernel/drivers/net/dummy.ko"));
	while (<$nm>) { my ($a, $t, $n) = split; $sym{$n} = hex($a) if $t =~ /t/i; }
	open(my $jq, "-|", "jq", "-r", ".functions[] | select(.module == \"dummy\") |
		\"\\(.name) \\(.offset)\"", "module.json");
	my $n = 0;
	while (<$jq>) { my ($name, $offset) = split; $n++; die "$name $offset" if $sym{$name} != $offset; }
	die "none" unless $n > 2;' "$(dirname "$HYTRACE_VMLINUX")/lib/modules/*"

# ---- both at once

ok 'two documents' test -s both.oneshot.json -a -s both.bpf.json
ok 'two lists' test -s both.oneshot.tailor -a -s both.bpf.tailor
is 'each says its engine' "$(jq -r .engine both.oneshot.json both.bpf.json | tr '\n' ' ')" 'oneshot bpf '
ran both.bpf.json ext4_file_write_iter
ok 'thousands of functions each' jq -e '.totals.functions > 2000' both.oneshot.json both.bpf.json
# reasons ARGUMENT...: compare knows one for each difference, and its status says whether all are certain
reasons()
{
	local status=0 certain=1

	"$hytrace" compare --all "$@" >reasons || status=$?
	cat reasons
	! grep -qE '^  [0-9]+: UNEXPLAINED' reasons || return 1
	! grep -qE '^  [0-9]+: possibly' reasons || certain=0
	[[ $status == $((1 - certain)) ]]
}
# possibly_at_most SHARE: of what is in both, that share in percent is only possibly explained, in each list
possibly_at_most()
{
	awk -v share="$1" '/ in both, / { both = $0; sub(/ in both.*/, "", both); sub(/.* /, "", both); lists++ }
		/^Of the differences/ { if ($7 > both * share / 100) bad = 1 }
		END { exit bad || !lists || !both }' reasons
}
ok 'compare has a reason for every function' reasons both.oneshot.json both.bpf.json
ok 'for at most 1 %, only possibly' possibly_at_most 1
ok 'and for every caller' reasons --callers both.oneshot.json both.bpf.json
ok 'for at most 2 %, only possibly' possibly_at_most 2
jq '.functions = [] | .callers = []' both.bpf.json >empty.json
"$hytrace" compare both.oneshot.json empty.json >out
is 'an emptied list is a difference, whatever was lost: 1' $? 1
ok 'and not called explained' sh -c '! grep -q "All differences are explained" out'
jq '.kernel.addresses = null | .functions |= map(.addr = null)' both.oneshot.json >hidden.json
jq '.functions = .functions[:9]' hidden.json >few.json
"$hytrace" compare hidden.json few.json >out
is 'without addresses a list is not the same as its beginning' $? 1
ok 'but each function of its own' grep -qE '; [1-9] in both' out
"$hytrace" compare both.oneshot.json no-such.json 2>err
is 'what cannot be read is no difference: 2' $? 2
"$hytrace" compare both.oneshot.json both.oneshot.json >/dev/full 2>err
is 'nor is what cannot be written: 2' $? 2
differ=$(jq -rn --slurpfile a both.oneshot.json --slurpfile b both.bpf.json '
	def set(d): [d.functions[] | select(.module == null) | .addr] | unique;
	(set($a[0]) - set($b[0]) | length), (set($b[0]) - set($a[0]) | length)' | tr '\n' ' ')
is 'by another count the same differences' "$differ" \
	"$(sed -n '1s/.* in both, \([0-9]*\) only in .*, \([0-9]*\) only in .*/\1 \2 /p' <(
		jq '.functions |= map(select(.module == null))' both.oneshot.json >a.json
		jq '.functions |= map(select(.module == null))' both.bpf.json >b.json
		"$hytrace" compare a.json b.json))"
ok 'of the kernel'\''s own functions at most 1 % differ' test "${differ%% *}" -lt 40
ok 'own helpers are denied to oneshot as well' jq -e '.filters.denied_by_hytrace as $own |
	any(.functions[]; (.name as $n | $own | index($n))) | not' both.oneshot.json
tracers='oneshot_(call|first_hit|record|owner|event|write|set_insert)|fevent_(call|enter|return)'
# A program's own code is bpf_prog_TAG; the kernel's bpf_prog_...() serve socket filters as well.
tracers="^(in_gate_area_no_mm|$tracers|kprobe_multi_link_prog_run|fprobe_handler|bpf_prog_[0-9a-f]{16})"
# kallsyms_lookup() asks for the gate area as the tracer once did. And when a grace period is in a
# hurry, __rcu_read_unlock(), which is denied, jumps to a function that is not: its caller is the program's.
is 'and nothing that a tracer calls for its own work is listed' "$(jq -rs --arg tracers "$tracers" \
	'.[] | .functions + .callers | any(.name == "kallsyms_lookup_buildid") as $asked |
		any(.name == "rcu_read_unlock_special") as $jumped | .[].name // "" |
		select(test($tracers) and ($asked and . == "in_gate_area_no_mm" | not) and
			($jumped and . == "kprobe_multi_link_prog_run" | not))' \
	both.oneshot.json both.bpf.json)" ''
jq '.functions |= map(select(.name != "vfs_read"))' both.bpf.json |
	jq '.lost |= map_values(0)' >cut.json
"$hytrace" compare both.oneshot.json cut.json >out
is 'a difference without a reason: 1' $? 1
ok 'and it is told loudly' grep -q 'UNEXPLAINED.*vfs_read' out

# ---- by directory

for directory in fs/ext4 kernel/sched mm net/core drivers/block; do
	ok "seen in $directory" grep -qE "^$directory +[1-9][0-9]* +[0-9]+ +[0-9.]+%" both.oneshot.txt
done
ok 'no directory lies outside the source' sh -c '! grep -qE "^(/|\.\.)" both.oneshot.txt'

tap_end
