#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# hytrace cover with the oneshot tracer, alone and beside BPF: the result against the kernel's own
# symbols, other people's tracing left alone, and every difference between the engines explained.
# shellcheck disable=SC2016 # jq has variables of its own

set -uo pipefail
workload=$PWD/tests/guest/workload.sh
vmlinux=${HYTRACE_VMLINUX:-}
# shellcheck source=tests/guest/loader.sh
. "$(dirname "$(realpath "$0")")/loader.sh"

cover()
{
	"$hytrace" cover "$@"
}

has()
{
	jq -e --arg f "$2" 'any(.functions[]; .name == $f and .kind != "caller")' "$1"
}

# ---- alone

before=$(cd $tracing && cat current_tracer tracing_on set_ftrace_filter set_ftrace_notrace set_ftrace_pid)
ok 'auto takes oneshot where it is' cover -o one.json -- sh -c 'cat /etc/passwd >/dev/null; echo x >y'
is 'and says so' "$(jq -r .engine one.json)" oneshot
for function in vfs_read vfs_write kernel_clone do_exit; do
	ok "$function ran" has one.json $function
done
is 'nothing is lost' "$(jq -c '[.lost.refused, .lost.unnamed, .lost.parents_lost]' one.json)" '[0,0,0]'
is 'each place is there once' "$(jq -r '.functions[] | [.addr, .module, .offset] | @csv' one.json |
	sort | uniq -d)" ''
is 'nobody else'\''s tracing was touched' "$(cd $tracing &&
	cat current_tracer tracing_on set_ftrace_filter set_ftrace_notrace set_ftrace_pid)" "$before"
is 'the instance is gone' "$(ls $tracing/instances)" ''

offset=$(jq -r '.kernel.kaslr_offset' one.json)
jq -r '.functions[] | select(.kind != "caller" and .module == null) | "\(.addr) \(.name)"' one.json |
	sed 's/^0x//' | sort >addresses
perl -e 'no warnings "portable"; my $off = hex(shift); while (<>) { my ($a, $t, $n) = split;
	printf("%x %s\n", hex($a) - $off, $n) if $t =~ /[tTwW]/ && !/\[/; }' "$offset" /proc/kallsyms |
	sort >kallsyms
is 'each function'\''s address, as linked, is that of its symbol' \
	"$(comm -23 addresses kallsyms | head)" ''
ok 'there are some' test "$(wc -l <addresses)" -gt 300

# ---- options

cover -e oneshot -a 'vfs_*' -d vfs_write --no-callers -o some.json -- sh -c 'cat /etc/passwd; echo x >y' \
	>/dev/null
is '-a and -d: these and no others' \
	"$(jq -c '[.functions[].name] | [all(startswith("vfs_")), any(. == "vfs_read"), any(. == "vfs_write")]' \
		some.json)" '[true,true,false]'
is '--no-callers: none' "$(jq '.totals.callers' some.json)" 0
(while :; do echo noise >noise; done) &
noise=$!
cover -e oneshot -a 'vfs_*' --task -o task.json -- sh -c 'cat /etc/passwd >/dev/null; (true)'
cover -e oneshot -a 'vfs_*' -o system.json -- sh -c 'cat /etc/passwd >/dev/null'
is '--task: not the noise beside it' \
	"$(jq --argjson p $noise '[.functions[].pid] | any(. == $p)' task.json)" false
is 'which is there without it' \
	"$(jq --argjson p $noise '[.functions[].pid] | any(. == $p)' system.json)" true
ok '--task: the command'\''s children' jq -e '[.functions[].pid] | unique | length >= 2' task.json
cover -e oneshot -a 'vfs_*' --pid $noise --duration 1 -o pid.json
is '--pid: that process alone' "$(jq -c '[.functions[].pid] | unique' pid.json)" "[$noise]"
kill $noise
wait $noise 2>/dev/null
cover -e oneshot --max-entries 64 -o full.json -- sh -c 'cat /etc/passwd; echo x >y' >/dev/null 2>err
ok 'a full set refuses, counts' jq -e '.lost.refused > 0 and .totals.entries < 256' full.json
ok 'and is told' grep -q 'lost: refused' err

"$hytrace" cover -e oneshot -o idle.json --duration 2 &
pid=$!
wait $pid
is 'while it records, hytrace itself sleeps' "$(jq -c --argjson p $pid '.window as $w | [.functions[] |
	select(.pid == $p and .first_ns > $w.open_ns + 2e8 and .first_ns < $w.closing_ns - 1e8) | .name]' \
	idle.json)" '[]'
grep -v '\[' $tracing/available_filter_functions | grep -v __ftrace_invalid | awk 'NR % 20 == 0 { print $1 }' |
	sort -u >many.list
ok 'a list of a thousand names' cover -e oneshot -a @many.list -o many.json -- \
	sh -c "cut -d' ' -f1 $tracing/instances/hytrace-*/set_ftrace_filter | sort -u >filtered"
ok 'is what the kernel was told' diff many.list filtered

# ---- a module that comes and goes

cover -e oneshot -o module.json -- sh -c 'modprobe dummy numdummies=1 && ip link set dummy0 up &&
	ip link set dummy0 down && rmmod dummy' 2>err
is 'a module'\''s functions, after it is gone, by name' \
	"$(jq -c '[.functions[] | select(.module == "dummy" and .kind != "caller") | .name] |
		any(. == "dummy_dev_init")' module.json)" true
ok 'its functions have their offset in .text' perl -e '
	my %sym;
	open(my $nm, "-|", "nm", glob("/lib/modules/*/kernel/drivers/net/dummy.ko"));
	while (<$nm>) { my ($a, $t, $n) = split; $sym{$n} = hex($a) if $t =~ /t/i; }
	open(my $jq, "-|", "jq", "-r", ".functions[] | select(.module == \"dummy\" and .kind != \"caller\") |
		\"\\(.name) \\(.offset)\"", "module.json");
	my $n = 0;
	while (<$jq>) { my ($name, $offset) = split; $n++; die "$name $offset" if $sym{$name} != $offset; }
	die "none" unless $n > 2;'

# ---- both at once

ok 'both engines around a workload' cover -e both -o both.json -o both.tailor -o both.txt \
	${vmlinux:+--vmlinux "$vmlinux"} -- "$workload"
sed 's/^/# /' "$tap_scratch/.tap" | cut -c1-200
ok 'two documents' test -s both.oneshot.json -a -s both.bpf.json
ok 'two lists' test -s both.oneshot.tailor -a -s both.bpf.tailor
is 'each says its engine' "$(jq -r .engine both.oneshot.json both.bpf.json | tr '\n' ' ')" 'oneshot bpf '
ok 'ext4 ran' has both.bpf.json ext4_file_write_iter
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
ok 'compare has a reason for every function' reasons both.oneshot.json both.bpf.json
ok 'and for every caller' reasons --callers both.oneshot.json both.bpf.json
jq '.functions = []' both.bpf.json >empty.json
"$hytrace" compare both.oneshot.json empty.json >out
is 'an emptied list is a difference, whatever was lost: 1' $? 1
ok 'and not called explained' sh -c '! grep -q "All differences are explained" out'
jq '.kernel.kaslr_offset = null | .functions[].addr = null' both.oneshot.json >hidden.json
jq '.functions = .functions[:9]' hidden.json >few.json
"$hytrace" compare hidden.json few.json >out
is 'without addresses a list is not the same as its beginning' $? 1
ok 'but each function of its own' grep -qE '; [1-9] in both' out
"$hytrace" compare both.oneshot.json no-such.json 2>err
is 'what cannot be read is no difference: 2' $? 2
"$hytrace" compare both.oneshot.json both.oneshot.json >/dev/full 2>err
is 'nor is what cannot be written: 2' $? 2
differ=$(jq -rn --slurpfile a both.oneshot.json --slurpfile b both.bpf.json '
	def set(d): [d.functions[] | select(.kind != "caller" and .module == null) | .addr] | unique;
	(set($a[0]) - set($b[0]) | length), (set($b[0]) - set($a[0]) | length)' | tr '\n' ' ')
is 'by another count the same differences' "$differ" \
	"$(sed -n '1s/.* in both, \([0-9]*\) only in .*, \([0-9]*\) only in .*/\1 \2 /p' <(
		jq 'del(.functions[] | select(.module != null))' both.oneshot.json >a.json
		jq 'del(.functions[] | select(.module != null))' both.bpf.json >b.json
		"$hytrace" compare a.json b.json))"
ok 'of the kernel'\''s own functions at most 1 % differ' test "${differ%% *}" -lt 40
ok 'own helpers are denied to oneshot as well' jq -e '.filters.denied_by_hytrace as $own |
	any(.functions[]; .kind != "caller" and (.name as $n | $own | index($n))) | not' both.oneshot.json
tracers='oneshot_(call|first_hit|record|owner|event|write|set_insert)|fevent_(call|enter|return)'
# A program's own code is bpf_prog_TAG; the kernel's bpf_prog_...() serve socket filters as well.
tracers="^(in_gate_area_no_mm|$tracers|kprobe_multi_link_prog_run|fprobe_handler|bpf_prog_[0-9a-f]{16})"
is 'and nothing that a tracer calls for its own work is listed' "$(jq -rs --arg tracers "$tracers" \
	'.[].functions[].name // "" | select(test($tracers))' both.oneshot.json both.bpf.json)" ''
jq '.functions |= map(select(.name != "vfs_read"))' both.bpf.json |
	jq '.lost |= map_values(0)' >cut.json
"$hytrace" compare both.oneshot.json cut.json >out
is 'a difference without a reason: 1' $? 1
ok 'and it is told loudly' grep -q 'UNEXPLAINED.*vfs_read' out
cover -e both --task -o task2.json -- sh -c 'ls / | sort; (exit 3)' >out 2>err
same='No difference|All differences are explained|, 0 are UNEXPLAINED'
ok 'both follow a task to the same result' grep -qE "$same" out
(while :; do :; done) &
busy=$!
cover -e both --pid $busy --duration 1 -o pid2.json >out 2>err
kill $busy
wait $busy 2>/dev/null
ok 'and a process that is never switched out of its own will' grep -qE "$same" out
ok 'of which there is something' jq -e '.totals.functions > 20' pid2.oneshot.json pid2.bpf.json
ok 'both need a file for two documents' sh -c "$hytrace cover -e both -f json -- true 2>err;
	[ \$? = 125 ] && grep -q 'give -o' err"

# ---- by directory

if [[ -n $vmlinux ]]; then
	for directory in fs/ext4 kernel/sched mm net/core drivers/block; do
		ok "seen in $directory" grep -qE "^$directory +[1-9][0-9]* +[0-9]+ +[0-9.]+%" both.oneshot.txt
	done
	ok 'no directory lies outside the source' sh -c '! grep -qE "^(/|\.\.)" both.oneshot.txt'
	ok 'a vmlinux of another build is refused' sh -c "$hytrace cover --vmlinux $hytrace -- true 2>err;
		[ \$? = 125 ] && grep -q 'build id' err"
else
	ok 'HYTRACE_VMLINUX is given' false
fi

# ---- the end

"$hytrace" cover -e oneshot -o killed.json -- sleep 1000 &
pid=$!
for ((i = 0; i < 100; i++)); do
	pgrep -x -P $pid sleep >/dev/null && break
	sleep 0.1
done
sleeper=$(pgrep -x -P $pid sleep)
is 'it is tracing' "$(cat $tracing/instances/hytrace-*/current_tracer)" oneshot
kill -KILL $pid
wait $pid 2>/dev/null
for ((i = 0; i < 100; i++)); do
	[[ -n $(ls $tracing/instances) ]] || break
	sleep 0.1
done
is 'after kill -9 the instance is gone' "$(ls $tracing/instances)" ''
is 'and the unfinished result' "$(echo killed.json*)" 'killed.json*'
kill "$sleeper"
is '--boot without ftrace=oneshot: 3' "$(cover --boot 2>err; echo $?)" 3
ok 'and what to do' grep -q 'ftrace=oneshot' err

tap_end
