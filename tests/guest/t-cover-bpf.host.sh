#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks what t-cover-bpf.sh has copied from its guest: all functions of a command, against the kernel's symbols, and what
# options, modules and other tracers change.
# shellcheck disable=SC2016 # jq has variables of its own

. "$(dirname "$(realpath "$0")")/cover-lib.sh"

is 'the document names its schema, engine, command and kernel' "$(jq -c '[.schema, .engine, .command, .kernel.release]' all.json)" \
	"[2,\"bpf\",[\"sh\",\"all.sh\"],\"$(<release)\"]"
ran all.json vfs_read vfs_write kernel_clone do_exit bprm_execve
ok 'the document has more than 100 callers' jq -e '.totals.callers > 100' all.json
once all.json
is 'each entry is in the log once' "$(jq '.cost.logged - .totals.entries - .lost.unresolvable_callers -
	.lost.unresolvable_functions' all.json)" 0
# If the program called a function that it is attached to, each of its runs would miss a call. Interrupts come more rarely.
ok 'only calls in interrupts are missed' jq -e '[.[] | select((.name | test("^cover_f?entry")) and .run_cnt > 1000)] |
	length > 0 and all(.run_cnt > (.recursion_misses // 0))' programs.json
jq -r '.[] | select(.name | test("^cover_f?entry")) | "# \(.name): \(.run_cnt) runs, \(.recursion_misses // 0) calls missed"' programs.json
ok 'entries are in the order of their first hits' jq -e 'all(.functions, .callers; map(.first_ns) | . == sort)' all.json
ok 'first hits are within the window' jq -e '.window as $w | all((.functions + .callers)[].first_ns;
	. >= $w.opening_ns - 1000000 and . <= $w.closed_ns + 1000000)' all.json
ok 'totals.entries is the number of functions and callers' jq -e '.totals.entries == (.functions + .callers | length)' all.json
is 'the clock of first_ns is the ring buffer'\''s' "$(jq .window.clock all.json)" '"local"'

symbols_agree all.json
is 'the build id is the kernel'\''s' "$(jq -r .kernel.build_id all.json)" \
	"$(perl -e 'local $/; $_ = <>; /\x14\0\0\0\x03\0\0\0GNU\0(.{20})/s; print unpack("H*", $1)' \
		notes)"
ok 'the engine'\''s own helpers are listed as denied' jq -e \
	'.filters.denied_by_hytrace | index("bpf_ktime_get_ns")' all.json
ok 'denied functions are not recorded' jq -e '.filters.denied_by_hytrace as $own | any(.functions[];
	(.name as $n | $own | index($n))) | not' all.json
ok 'a full log refuses hits and counts them' jq -e '.lost.map_full > 0 and (.functions + .callers | length) <= 2' full.json

# ---- features

is 'features: the answers no on a stock kernel' "$(jq -r '.features[] | select(.here == "no") | .name' features.json |
	grep -vxE 'vmlinux|cgroup2|fentry-multi' | xargs)" 'oneshot oneshot-retire very-early function-events cover-oneshot cover-event event'
is 'features: the reason is the message of cover' "$(jq -r '.features[] | select(.name == "cover-oneshot").reason' features.json)" \
	"$(sed 's/^hytrace: //; s/; .*//' no-oneshot)"

# ---- tailor and text, of the same run

tailored()
{
	jq -r '(.functions + .callers)[] | if .module then "\(.offset) \(.module)" else .addr[2:] end' "$1" |
		awk 'NF == 2 { $1 = sprintf("%x", $1) } { print }' | sort
}
is 'tailor: the same addresses' "$(sort t.tailor)" "$(tailored t.json)"
ok 'tailor: the list is not empty' test -s t.tailor
is 'tailor: the list has only addresses' "$(grep -vE '^[0-9a-f]+( [^ ]+)?$' t.tailor)" ''
is 'text: the share is computed against the functions that were asked for' "$(sed -n 's/^Functions: \(.*\) (.*/\1/p' t.txt)" \
	"$(jq -r '"\(.totals.functions) seen of \(.totals.traced) that were asked for"' t.json)"
ok 'text: it says that inlined functions cannot be seen' grep -q 'Inlined functions cannot be seen' t.txt
ok 'text: the table has a row for the prefix vfs' grep -qE '^vfs +[0-9]+ +[0-9]+ ' t.txt

# ---- options

noise=$(<noise.pid)
pids='[(.functions + .callers)[].pid] | unique'
is '--no-callers: none' "$(jq -c '[.totals.callers, .filters.callers]' n.json)" '[0,false]'
is '--task: the other process is not recorded' "$(jq --argjson p "$noise" "$pids | any(. == \$p)" task.json)" false
is 'without --task, the other process is recorded' "$(jq --argjson p "$noise" "$pids | any(. == \$p)" system.json)" true
ok '--task: children of the command are recorded' jq -e "$pids | length >= 2" task.json
is '--pid: only that process is recorded' "$(jq -c "$pids" pid.json)" "[$noise]"
is '--cgroup: only processes in it and below it are recorded' "$(jq -c "[.engine, ($pids)]" group.json)" "[\"bpf\",[$(<group.pid)]]"
is '--cgroup: the result names it' "$(jq -c '[.filters.cgroup, .filters.comm]' group.json)" '["hytrace-test",null]'
is '--cgroup: processes of another cgroup are not recorded' "$(jq .totals.entries other-group.json)" 0
is '--comm: only processes with that name are recorded' "$(jq -c "[.engine, .filters.comm, ($pids)]" comm.json)" \
	"[\"bpf\",\"cat\",[$(<comm.pid)]]"
is '--comm: a name that begins with it is not recorded' "$(jq .totals.entries other-comm.json)" 0
is 'the result names the entry' "$(jq -r .options.entry all.json)" \
	"$(jq -r '.features[] | select(.name == "fentry-multi") | if .here == "yes" then "fentry" else "kprobe" end' features.json)"

# ---- modules that are loaded or unloaded

ok 'functions of a module that is loaded are recorded from then on' jq -e \
	'any(.functions[]; .name == "dummy_get_stats64" and .module == "dummy")' loaded.json
is 'that module is counted as late' "$(jq -c '.lost | [.modules_late, .modules_untraced, .unattached]' loaded.json)" '[1,0,0]'
is 'a module of which no function was asked for is no loss' \
	"$(jq -c '.lost | [.modules_late, .modules_untraced]' unasked.json)" '[0,0]'
is 'a module that is unloaded before it is attached to is counted' "$(jq .lost.modules_untraced untraced.json)" 1
ok 'other functions are recorded when a module is gone' jq -e 'any(.functions[]; .name == "vfs_read")' gone.json
is 'the functions of the module are counted and named as unattached' \
	"$(jq -c '[.lost.unattached > 0, any(.unattached[]; . == "dummy_get_stats64 [dummy]")]' gone.json)" '[true,true]'

# ---- callers whose return address another tracer has replaced

for other in graph fprobe; do
	is "a return tracer on the same function ($other): callers are found" "$(jq -c '[([.callers[] | .name] |
		any(. == "ksys_read"), any(test("return_to_handler|trampoline"))), .lost.parents_lost]' hidden-$other.json)" \
		'[true,false,0]'
done

# ---- a time namespace

ok 'in a time namespace the times are those of the kernel' jq -e '.window as $w | .totals.functions > 0 and
	all((.functions + .callers)[]; .first_ns >= $w.opening_ns - $w.error_ns and .first_ns <= $w.closed_ns + $w.error_ns) and
	$w.open_ns < 90000e9' clock.json

# ---- known functions are retired

ok '--retire: hundreds of functions have retired' jq -e '.cost.retired > 300 and .cost.retired < .totals.functions' retire.json
# There may have been another change after the file was read.
is '--retire: only retired functions are no longer traced' "$(jq --argjson gone "$(($(<before) - $(<after)))" \
	'$gone == .cost.retired or (.cost.retire_batches > 1 and $gone < .cost.retired)' retire.json)" true
ok '--retire: the function that tells whether an interrupt runs is denied' jq -e \
	'.filters.denied_by_hytrace | index("bpf_this_cpu_ptr")' retire.json
is '--retire: hytrace'\''s own calls are counted' "$(jq '.cost.own_calls > 0' retire.json)" true
ok '--retire: a function that is first called afterwards is recorded' jq -e \
	'.functions | any(.name | test("^(do|filename)_mknodat$"))' retire.json
is '--retire: each function is recorded once' "$(jq -r '.functions[] | [.addr, .module, .offset] | @csv' retire.json | sort | uniq -d)" ''
is '--retire: functions that hytrace calls to retire others are not recorded' \
	"$(jq '.functions | any(.name == "bpf_link_prime")' retire.json)" false
ok '--retire: a newer link has taken the place of the first' [ "$(jq .id link-before.json)" -lt "$(jq .id link-after.json)" ]

# ---- functions that the program itself calls, as the function tracer sees them

# Generated code is the caller of the functions that the program calls, and of those that run the program. Of the
# functions that these call in turn, some are not denied, such as locks, because others call them as well.
callees()
{
	awk '$2 ~ /^(0x[0-9a-f]+|bpf_prog_.*|bpf_trampoline_.*|__bpf_prog_.*_recur|kprobe_multi_link_.*|bpf_trace_run[0-9])$/ { print $1 }' "$1" |
		sort -u | grep -vx rcu_read_unlock_special
}
# calls_named PAGES: prints each "callee caller" pair in pages of the ring buffer once, by name. There are hundreds of thousands of
# calls. Generated code, which came after the guest's symbols were copied, is between two modules: it has an address alone.
calls_named()
{
	perl "$clone/tests/guest/ring-calls.pl" <"$1" | awk '!seen[$2, $3]++ { print $2, $3 }' | cat kallsyms <(echo -) - | perl -e '
		no warnings "portable";
		my @symbols;
		while (<STDIN>) { last if /^-$/; my ($a, $t, $n, $m) = split; push(@symbols, [hex($a), $n, $m // ""]) if $t =~ /[tTwW]/; }
		@symbols = sort { $a->[0] <=> $b->[0] } @symbols;
		sub name {
			my ($at, $low, $high) = (hex($_[0]), 0, scalar @symbols);
			while ($low < $high) { my $mid = ($low + $high) >> 1; $symbols[$mid][0] <= $at ? ($low = $mid + 1) : ($high = $mid); }
			return "0x$_[0]" unless $low && $low < @symbols && $symbols[$low - 1][2] eq $symbols[$low][2];
			# Of several names for a place, the kernel prints the first.
			$low-- while $low > 1 && $symbols[$low - 2][0] == $symbols[$low - 1][0];
			return $symbols[$low - 1][1];
		}
		while (<STDIN>) { my ($callee, $caller) = split; print name($callee), " ", name($caller), "\n"; }' | sort -u
}
# callees_of_denied DENIED CALLS
callees_of_denied()
{
	awk 'NR == FNR { own[$1] = 1; next } own[$2] && !own[$1] { print $1 }' "$@" |
		sort -u | grep -vE '^(_raw_spin_|rcu_|__rcu_|migrate_|preempt_|kmalloc|kfree|irq_|asm_|sysvec_|__set_cpus_allowed_ptr$)'
}
for run in 1 2; do
	jq -r '.filters.denied_by_hytrace[]' own$run.json | sort >denied
	calls_named pages$run >calls$run
	callees calls$run >called
	ok "the function tracer sees calls of the program ($run)" grep -qx bpf_ktime_get_ns called
	is 'each function that the program calls and that can be traced is denied' "$(comm -23 called denied)" ''
	is 'functions that these call in turn are denied' "$(callees_of_denied denied calls$run)" ''
done

# ---- pins

ok 'bpftool shows typed keys and values' jq -e \
	'length > 0 and all(.[].formatted; (.key | type) == "number" and .value.kind >= 1 and
	 .value.first_ns > 0 and (.value | has("cpu") and has("pid")))' dump.json
ok 'bpftool shows the program' jq -e '.name // "" | test("^cover_f?entry$")' prog.json

# ---- two runs

"$hytrace" compare n.json t.json >comparison 2>err
ok 'compare: a denied function is explained' grep -q 'was told to leave it out.*vfs_write' comparison
is 'compare: a document has no difference from itself' "$("$hytrace" compare n.json n.json | tail -n 1)" 'No difference.'
echo '{"hytrace": "0", "schema": 1}' >bad.json
"$hytrace" compare bad.json n.json 2>err
is 'compare: not a document' $? 2

tap_end
