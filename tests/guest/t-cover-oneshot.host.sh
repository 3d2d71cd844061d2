#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks what t-cover-oneshot.sh has copied from its guest, because it is quicker on the host: what options do, and
# documents with thousands of functions, against the kernel's symbols, against each other, and with hytrace compare.
# shellcheck disable=SC2016 # jq has variables of its own

. "$(dirname "$(realpath "$0")")/cover-lib.sh"
. "$(dirname "$(realpath "$0")")/edges-lib.sh"

# ---- alone

is '--engine auto takes oneshot, and the document says so' "$(jq -r .engine one.json)" oneshot
ran one.json vfs_read vfs_write kernel_clone do_exit
is 'nothing is lost' "$(jq -c '[.lost.refused, .lost.unnamed, .lost.parents_lost]' one.json)" '[0,0,0]'
once one.json
symbols_agree one.json

ok 'functions of a module have their offsets in its .text' perl -e '
	my ($modules, %sym) = @ARGV;
	open(my $nm, "-|", "nm", glob("$modules/kernel/drivers/net/dummy.ko"));
	while (<$nm>) { my ($a, $t, $n) = split; $sym{$n} = hex($a) if $t =~ /t/i; }
	open(my $jq, "-|", "jq", "-r", ".functions[] | select(.module == \"dummy\") |
		\"\\(.name) \\(.offset)\"", "one.json");
	my $n = 0;
	while (<$jq>) { my ($name, $offset) = split; $n++; die "$name $offset" if $sym{$name} != $offset; }
	die "none" unless $n > 2;' "$(dirname "$HYTRACE_VMLINUX")/lib/modules/*"
is 'functions of an unloaded module have names' "$(jq '[.functions[] | select(.module == "dummy") | .name] |
	any(. == "dummy_dev_init")' one.json)" true
ok 'functions of a module that was loaded while tracing have names' jq -e \
	'any(.callers[]; .module == "dummy" and .name == "dummy_setup")' stays.json

# ---- options

noise=$(<noise.pid)
is '-a and -d select the functions that are recorded' \
	"$(jq -c '[.functions[].name] | [all(startswith("vfs_")), any(. == "vfs_read"), any(. == "vfs_write")]' some.json)" \
	'[true,true,false]'
is '--no-callers records no callers' "$(jq '.totals.callers' some.json)" 0
ok '--strict: the document says that it is complete, and how it ended' jq -e '.complete and .ended == "command" and
	.status == 3 and .options.max_entries == null' some.json
ok '--strict: the incomplete result is written' jq -e '(.complete | not) and .options.max_entries == 64' full.json
ok 'a full set refuses hits and counts them' jq -e '.lost.refused > 0 and .totals.entries == 64' full.json
is '--task: the other process is not recorded' \
	"$(jq --argjson p "$noise" '[(.functions + .callers)[].pid] | any(. == $p)' task.json)" false
is 'without --task, the other process is recorded' \
	"$(jq --argjson p "$noise" '[(.functions + .callers)[].pid] | any(. == $p)' system.json)" true
ok '--task: children of the command are recorded' jq -e '[(.functions + .callers)[].pid] | unique | length >= 2' task.json
is '--pid: only that process is recorded' "$(jq -c '[(.functions + .callers)[].pid] | unique' pid.json)" "[$noise]"
is '--duration: the document says that the time ended it' "$(jq -c '[.ended, .options.duration]' duration.json)" '["duration",0.5]'
is '--retire: the same functions are recorded as without it' "$(jq -c '[.functions[].name] | sort' only-retire.json)" \
	"$(jq -c '[.functions[].name] | sort' only.json)"
ok '--retire: nothing is counted as lost, and the costs are in the document' jq -e '.lost.callers_incomplete == 0 and
	.cost.retired > 0 and .cost.retired <= .totals.functions and .cost.retire_batches > 0 and .cost.retire_ns > 0' only-retire.json
ok '--retire=MS: callers are recorded while their functions are watched' jq -e '.totals.callers > 0 and
	.lost.callers_incomplete > 0 and .lost.callers_incomplete == .cost.retired' watched.json

# ---- both at once

is "only the BPF engine's document has an entry" \
	"$(jq -c .options.entry names.oneshot.json names.bpf.json | paste -sd' ')" 'null "kprobe"'
ok 'both engines have recorded more than 100 functions of the task' jq -e '.totals.functions > 100' names.oneshot.json names.bpf.json
ok 'both engines have recorded more than 20 functions of a process that never sleeps' jq -e '.totals.functions > 20' \
	pid2.oneshot.json pid2.bpf.json
mapfile -t pids <pids
for engine in oneshot bpf; do
	is "$engine: a name is that of the moment of the first hit" \
		"$(jq -c '[.functions[] | select(.name == "vfs_mkdir") | .comm, .pid, .tgid]' names.$engine.json)" \
		"[\"mkdir\",${pids[1]},${pids[1]}]"
	is "$engine: the same process had another name before" \
		"$(jq -c --argjson p "${pids[1]}" '[.functions[] | select(.pid == $p) | .comm] | index("sh") != null' names.$engine.json)" true
	is "$engine: a thread's process is known" \
		"$(jq -c '[.functions[] | select(.name == "vfs_rmdir") | .comm, .tgid, .pid != .tgid]' names.$engine.json)" \
		"[\"python3\",${pids[0]},true]"
	is "$engine: of each hit it is known whose it is" \
		"$(jq '[(.functions + .callers)[] | select(.comm == null or .tgid == null)] | length' names.$engine.json)" 0
done

ok 'both engines have written a document' test -s both.oneshot.json -a -s both.bpf.json
ok 'both engines have written a list' test -s both.oneshot.tailor -a -s both.bpf.tailor
is 'each document names its engine' "$(jq -r .engine both.oneshot.json both.bpf.json | tr '\n' ' ')" 'oneshot bpf '
ran both.bpf.json ext4_file_write_iter
ok 'each document has thousands of functions' jq -e '.totals.functions > 2000' both.oneshot.json both.bpf.json
# reasons ARGUMENT...: compare explains each difference, and its exit status says whether all reasons are certain
reasons()
{
	local status=0 certain=1

	"$hytrace" compare --all "$@" >reasons || status=$?
	cat reasons
	! grep -qE '^  [0-9]+: UNEXPLAINED' reasons || return 1
	! grep -qE '^  [0-9]+: possibly' reasons || certain=0
	[[ $status == $((1 - certain)) ]]
}
# possibly_at_most SHARE: in each list, at most SHARE percent of the common entries are only possibly explained
possibly_at_most()
{
	awk -v share="$1" '/ in both, / { both = $0; sub(/ in both.*/, "", both); sub(/.* /, "", both); lists++ }
		/^Of the differences/ { if ($7 > both * share / 100) bad = 1 }
		END { exit bad || !lists || !both }' reasons
}
ok 'compare explains every difference of functions' reasons both.oneshot.json both.bpf.json
ok 'at most 1 % of the functions are only possibly explained' possibly_at_most 1
ok 'compare explains every difference of callers' reasons --callers both.oneshot.json both.bpf.json
ok 'at most 2 % of the callers are only possibly explained' possibly_at_most 2
jq '.functions = [] | .callers = []' both.bpf.json >empty.json
"$hytrace" compare both.oneshot.json empty.json >out
is 'compare with an emptied list, whatever was lost: 1' $? 1
ok 'an emptied list is not called explained' sh -c '! grep -q "All differences are explained" out'
jq '.kernel.addresses = null | .functions |= map(.addr = null)' both.oneshot.json >hidden.json
jq '.functions = .functions[:9]' hidden.json >few.json
"$hytrace" compare hidden.json few.json >out
is 'without addresses, a list differs from its beginning: 1' $? 1
ok 'without addresses, functions are compared by name' grep -qE '; [1-9] in both' out
"$hytrace" compare both.oneshot.json no-such.json 2>err
is 'compare with a document that cannot be read: 2' $? 2
"$hytrace" compare both.oneshot.json both.oneshot.json >/dev/full 2>err
is 'compare whose output cannot be written: 2' $? 2
differ=$(jq -rn --slurpfile a both.oneshot.json --slurpfile b both.bpf.json '
	def set(d): [d.functions[] | select(.module == null) | .addr] | unique;
	(set($a[0]) - set($b[0]) | length), (set($b[0]) - set($a[0]) | length)' | tr '\n' ' ')
is 'compare counts the differences that jq counts' "$differ" \
	"$(sed -n '1s/.* in both, \([0-9]*\) only in .*, \([0-9]*\) only in .*/\1 \2 /p' <(
		jq '.functions |= map(select(.module == null))' both.oneshot.json >a.json
		jq '.functions |= map(select(.module == null))' both.bpf.json >b.json
		"$hytrace" compare a.json b.json))"
ok 'at most 1 % of the kernel'\''s own functions differ' test "${differ%% *}" -lt 40
ok 'the loader'\''s helpers are denied to oneshot as well' jq -e '.filters.denied_by_hytrace as $own |
	any(.functions[]; (.name as $n | $own | index($n))) | not' both.oneshot.json
tracers='oneshot_(call|first_hit|record|owner|event|write|set_insert)|fevent_(call|enter|return)'
# bpf_prog_TAG is a program's own code; the kernel's bpf_prog_...() functions serve socket filters as well.
tracers="^(in_gate_area_no_mm|$tracers|kprobe_multi_link_prog_run|fprobe_handler|bpf_prog_[0-9a-f]{16})"
# There are two exceptions. kallsyms_lookup() calls in_gate_area_no_mm(), as the tracer once did. If a grace period
# is urgent, __rcu_read_unlock(), which is denied, jumps to a function that is not, whose caller is then the program.
is 'no document has functions that a tracer calls for its own work' "$(jq -rs --arg tracers "$tracers" \
	'.[] | .functions + .callers | any(.name == "kallsyms_lookup_buildid") as $asked |
		any(.name == "rcu_read_unlock_special") as $jumped | .[].name // "" |
		select(test($tracers) and ($asked and . == "in_gate_area_no_mm" | not) and
			($jumped and . == "kprobe_multi_link_prog_run" | not))' \
	both.oneshot.json both.bpf.json)" ''
jq '.functions |= map(select(.name != "vfs_read"))' both.bpf.json |
	jq '.lost |= map_values(0)' >cut.json
"$hytrace" compare both.oneshot.json cut.json >out
is 'a difference without a reason: 1' $? 1
ok 'a difference without a reason is called UNEXPLAINED' grep -q 'UNEXPLAINED.*vfs_read' out

# ---- by directory

for directory in fs/ext4 kernel/sched mm net/core drivers/block; do
	ok "the text report has functions of $directory" grep -qE "^$directory +[1-9][0-9]* +[0-9]+ +[0-9.]+%" both.oneshot.txt
done
ok 'the text report has no directory outside the source' sh -c '! grep -qE "^(/|\.\.)" both.oneshot.txt'

# ---- reports, unions and differences

reports_agree both.oneshot.json both.oneshot.txt both.oneshot.tailor
"$hytrace" merge -o union.json both.oneshot.json both.bpf.json
is 'merge: the union has what any of them has' "$(jq '.totals.functions' union.json)" \
	"$(jq -rs '[.[].functions[] | [.module, .addr, .offset]] | unique | length' both.oneshot.json both.bpf.json)"
"$hytrace" diff -f json both.oneshot.json union.json >diff.json
is 'diff: nothing is gone from a union' "$(jq '.gone | length' diff.json)" 0
is 'diff: new is what the other engine alone has' "$(jq '.new | length' diff.json)" \
	"$("$hytrace" compare -f json both.oneshot.json both.bpf.json | jq '.lists[0].only_b | length')"

# ---- who called whom

edges_agree both.oneshot.json 0
graphs_agree both.oneshot.json

tap_end
