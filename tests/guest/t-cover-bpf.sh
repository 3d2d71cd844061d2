#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: stock stock-7.3
#
# The BPF engine: pinned maps, losses, options. t-cover-bpf.host.sh checks the record of a whole kernel against the
# kernel's own lists. On 7.3, most functions are on fentry.multi; t-cover-fentry.sh checks what is different then.

# shellcheck disable=SC2016 # jq has variables of its own

set -uo pipefail
# shellcheck source=tests/guest/loader.sh
. "$(dirname "$(realpath "$0")")/loader.sh"

work()
{
	cat <<'END'
echo something >file
cat file >/dev/null
(exit 3)
kill -0 $$
END
}
work >work.sh

# ---- the whole kernel

ok 'covers a command' "$hytrace" cover -e bpf -f json -o all.json -- sh work.sh
cp all.json /proc/kallsyms /sys/kernel/notes "$HYTRACE_FILES"
uname -r >"$HYTRACE_FILES/release"
ok 'losses are reported on stderr' sh -c "$hytrace cover -e bpf -a vfs_read -a 'bpf_*' --max-entries 2 \
	-f json -o full.json -- sh work.sh 2>err; grep -q 'lost: map_full' err"
ok 'a full log refuses hits and counts them' jq -e '.lost.map_full > 0 and (.functions + .callers | length) <= 2' full.json

# ---- features

is 'features: the answers no on a stock kernel' "$("$hytrace" features -f json | jq -r '.features[] | select(.here == "no") | .name' |
	grep -vxE 'vmlinux|cgroup2|fentry-multi' | xargs)" 'oneshot oneshot-retire very-early function-events cover-oneshot cover-event event'
is 'features: the reason is the message of cover' "$("$hytrace" features -f json cover-oneshot | jq -r '.features[0].reason')" \
	"$("$hytrace" cover -e oneshot --duration 1 2>&1 | sed 's/^hytrace: //; s/; .*//')"

# ---- tailor and text, of the same run

ok 'several results at once' "$hytrace" cover -e bpf -a 'vfs_*' -o t.json -o t.tailor -o t.txt -- \
	sh work.sh
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

"$hytrace" cover -e bpf -a 'vfs_*' --no-callers -o n.json -- sh work.sh 2>/dev/null
is '--no-callers: none' "$(jq -c '[.totals.callers, .filters.callers]' n.json)" '[0,false]'

# Meanwhile, another process writes.
(while pause 0.05; do echo noise >noise; done) &
noise=$!
"$hytrace" cover -e bpf -a 'vfs_*' --task -o task.json -- sh -c 'cat work.sh >/dev/null' 2>/dev/null
"$hytrace" cover -e bpf -a 'vfs_*' -o system.json -- sh -c 'cat work.sh >/dev/null' 2>/dev/null
is '--task: the other process is not recorded' \
	"$(jq --argjson p $noise '[(.functions + .callers)[].pid] | any(. == $p)' task.json)" false
is 'without --task, the other process is recorded' \
	"$(jq --argjson p $noise '[(.functions + .callers)[].pid] | any(. == $p)' system.json)" true
ok '--task: children of the command are recorded' jq -e '[(.functions + .callers)[].pid] | unique | length >= 2' task.json
"$hytrace" cover -e bpf -a 'vfs_*' --pid $noise --duration 1 -o pid.json 2>/dev/null
is '--pid: only that process is recorded' "$(jq -c '[(.functions + .callers)[].pid] | unique' pid.json)" "[$noise]"

# The command moves a process into a cgroup below the one that is asked for.
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
export inner=/sys/fs/cgroup/hytrace-test/inner
mkdir -p $inner
status 0 cover -a 'vfs_*' --cgroup hytrace-test -o group.json -- \
	sh -c 'echo $$ >$inner/cgroup.procs; echo $$ >who; exec cat work.sh'
is '--cgroup: only processes in it and below it are recorded' "$(jq -c '[.engine, ([(.functions + .callers)[].pid] | unique)]' \
	group.json)" "[\"bpf\",[$(cat who)]]"
is '--cgroup: the result names it' "$(jq -c '[.filters.cgroup, .filters.comm]' group.json)" '["hytrace-test",null]'
is '--cgroup: processes of another cgroup are not recorded' "$(status 0 cover -e bpf -a 'vfs_*' -f json -o none.json --cgroup $inner -- \
	cat work.sh; jq .totals.entries none.json)" 0
refused()
{
	local said=$1
	shift

	status 125 cover -a vfs_read "$@" -- true && grep -qF -- "$said" err
}
ok '--cgroup: a path that does not exist is refused' refused '--cgroup /sys/fs/cgroup/nowhere: No such file' --cgroup nowhere
ok '--cgroup: a directory that is no cgroup is refused' refused 'is no cgroup of version 2' --cgroup /tmp
status 0 cover -a 'vfs_*' --comm cat -o comm.json -- sh -c 'echo $$ >who; exec cat work.sh'
is '--comm: only processes with that name are recorded' "$(jq -c '[.engine, .filters.comm, ([(.functions + .callers)[].pid] | unique)]' comm.json)" \
	"[\"bpf\",\"cat\",[$(cat who)]]"
is '--comm: a name that begins with it is not recorded' "$(status 0 cover -a 'vfs_*' -f json -o none.json --comm ca -- cat work.sh
	jq .totals.entries none.json)" 0
ok '--comm: a name that is too long is refused' refused 'keeps 1 to 15' --comm 1234567890123456
ok '--comm: the oneshot engine refuses it' refused '--comm is for the BPF engines' --comm sh -e oneshot
if "$hytrace" features fentry-multi >/dev/null; then
	ok '--entry fentry: the kernel has it' status 0 cover -e bpf -a vfs_read --entry fentry -o entry.json -- true
else
	ok '--entry fentry: a kernel without it is refused' refused '--entry fentry: this kernel has no fentry.multi' --entry fentry
fi
is 'the result names the entry' "$(jq -r .options.entry all.json)" \
	"$("$hytrace" features fentry-multi >/dev/null && echo fentry || echo kprobe)"
kill $noise
wait $noise 2>/dev/null

# ---- modules that are loaded while tracing

"$hytrace" cover -e bpf -a '*_get_stats64' -f json -o loaded.json -- sh -c '
	modprobe dummy numdummies=0
	for try in $(seq 600); do
		[ "$(cat /sys/module/dummy/refcnt)" != 0 ] && break
		sleep 0.1
	done
	cat /sys/module/dummy/refcnt >refcnt
	ip link add hytrace0 type dummy && ip -s link show hytrace0 >/dev/null && ip link del hytrace0' 2>err
ok 'the tracer is attached to a module that is loaded meanwhile' test "$(cat refcnt)" = 1
ok 'functions of that module are recorded from then on' jq -e \
	'any(.functions[]; .name == "dummy_get_stats64" and .module == "dummy")' loaded.json
is 'that module is counted as late' "$(jq -c '.lost | [.modules_late, .modules_untraced, .unattached]' loaded.json)" \
	'[1,0,0]'
ok 'a message names the module that came late' grep -q 'the module dummy came while tracing: what ran in its first' err
is 'that module can be unloaded afterwards' "$(rmmod dummy 2>&1)" ''
"$hytrace" cover -e bpf -a vfs_read -f json -o loaded.json -- modprobe dummy numdummies=0 2>err
is 'a module of which no function was asked for is no loss' \
	"$(jq -c '.lost | [.modules_late, .modules_untraced]' loaded.json)" '[0,0]'
rmmod dummy
# hytrace is stopped, so that it cannot be quicker than the command.
# shellcheck disable=SC2016 # for the command's sh
"$hytrace" cover -e bpf -a '*_get_stats64' -f json -o loaded.json -- \
	sh -c 'kill -STOP $PPID; modprobe dummy numdummies=0 && rmmod dummy; kill -CONT $PPID' 2>err
is 'a module that is unloaded before it is attached to is counted' "$(jq .lost.modules_untraced loaded.json)" 1
ok 'a message names the module that was not traced' grep -q 'the module dummy came while tracing, and its functions were not traced: it' err

# ---- modules that are unloaded before they can be attached to

# The result is a fifo: after hytrace has read the kernel's lists, it waits for a reader before it attaches.
mkfifo result
modprobe dummy numdummies=0
"$hytrace" cover -e bpf -a '*_get_stats64' -a vfs_read -f json -o result -- cat work.sh >/dev/null 2>err &
pid=$!
ok 'hytrace has read its lists and waits for a reader' soon grep -qE 'wait_for_partner|fifo_open' /proc/$pid/wchan
ok 'the module can be unloaded meanwhile' rmmod dummy
cat result >gone.json
wait $pid
is 'other functions are recorded' "$? $(jq '[.functions[].name] | any(. == "vfs_read")' gone.json)" '0 true'
is 'the functions of the module are counted and named as unattached' "$(jq -c '[.lost.unattached > 0, any(.unattached[]; . == "dummy_get_stats64 [dummy]")]' \
	gone.json)" '[true,true]'
rm result

# ---- callers whose return address another tracer has replaced

# hidden PREPARE FINISH: covers vfs_read while another tracer, which PREPARE starts and FINISH stops, is on it, too.
hidden()
{
	"$hytrace" cover -e bpf -a vfs_read -f json -o hidden.json -- sh -c "$1; cat work.sh >/dev/null; $2" 2>err
	jq -c '[([.callers[] | .name] |
		any(. == "ksys_read"), any(test("return_to_handler|trampoline"))), .lost.parents_lost]' hidden.json
}
graph=$tracing/instances/graph
mkdir $graph
echo vfs_read >$graph/set_ftrace_filter
# The process that reads the trace is itself traced, so it would never come to the end.
is 'the function graph tracer: callers are found' "$(hidden "echo function_graph >$graph/current_tracer" \
	"echo 0 >$graph/tracing_on; grep -c vfs_read $graph/trace >graphed; echo nop >$graph/current_tracer")" '[true,false,0]'
ok 'the function graph tracer has traced the function, too' test "$(cat graphed)" -gt 0
rmdir $graph
fprobe=$tracing/events/fprobes/hidden
echo 'f:hidden vfs_read%return' >$tracing/dynamic_events
is 'an fprobe of the return: callers are found' "$(hidden "echo 1 >$fprobe/enable" "echo 0 >$fprobe/enable")" \
	'[true,false,0]'
echo >$tracing/dynamic_events

# ---- a time namespace

unshare -T --monotonic 100000 "$hytrace" cover -e bpf -a 'vfs_*' -f json -o clock.json -- cat work.sh >/dev/null 2>&1
ok 'in a time namespace the times are those of the kernel' jq -e '.window as $w | .totals.functions > 0 and
	all((.functions + .callers)[]; .first_ns >= $w.opening_ns - $w.error_ns and .first_ns <= $w.closed_ns + $w.error_ns) and
	$w.open_ns < 90000e9' clock.json

# ---- known functions are retired

export tracing
ok '--retire succeeds' "$hytrace" cover -e bpf --no-callers --retire --pin retire -f json -o retire.json -- sh -c '
	link=/sys/fs/bpf/hytrace/retire/link
	# The link comes first. On a busy machine the other two can take until the first change.
	bpftool -j link show pinned $link >link-before.json
	wc -l <$tracing/enabled_functions >before
	bpftool prog dump xlated name cover_entry >xlated
	for try in $(seq 600); do
		cat work.sh >/dev/null
		wc -l <$tracing/enabled_functions >after
		[ "$(cat after)" -lt "$(cat before)" ] && break
		sleep 0.1
	done
	# The kernel may change the file while it is read. So it is read until its length stays the same.
	until [ "$(wc -l <$tracing/enabled_functions)" = "$(cat after)" ]; do
		wc -l <$tracing/enabled_functions >after
	done
	bpftool -j link show pinned $link >link-after.json
	mkfifo late'
ok '--retire: hundreds of functions have retired' jq -e '.cost.retired > 300 and .cost.retired < .totals.functions' retire.json
# There may have been another change after the file was read.
is '--retire: only retired functions are no longer traced' "$(jq --argjson gone "$(($(cat before) - $(cat after)))" \
	'$gone == .cost.retired or (.cost.retire_batches > 1 and $gone < .cost.retired)' retire.json)" true
# If this kernel lacks the variable that tells whether an interrupt runs, the verifier removes the call.
ok '--retire: the program asks whether an interrupt runs' grep -q 'call bpf_this_cpu_ptr' xlated
ok '--retire: the function that it calls for this is denied' jq -e '.filters.denied_by_hytrace | index("bpf_this_cpu_ptr")' retire.json
is '--retire: hytrace'\''s own calls are counted' "$(jq '.cost.own_calls > 0' retire.json)" true
ok '--retire: a function that is first called afterwards is recorded' jq -e '.functions | any(.name | test("^(do|filename)_mknodat$"))' retire.json
is '--retire: each function is recorded once' "$(jq -r '.functions[] | [.addr, .module, .offset] | @csv' retire.json | sort | uniq -d)" ''
is '--retire: functions that hytrace calls to retire others are not recorded' \
	"$(jq '.functions | any(.name == "bpf_link_prime")' retire.json)" false
ok '--retire: a newer link has taken the place of the first' [ "$(jq .id link-before.json)" -lt "$(jq .id link-after.json)" ]
is '--retire: no function is traced afterwards' "$(wc -l <$tracing/enabled_functions)" 0

# ---- functions that the program itself calls, as the function tracer sees them

watch=$tracing/instances/watch
mkdir $watch
# Generated code is the caller of the functions that the program calls, and of those that run the program. Of the
# functions that these call in turn, some are not denied, such as locks, because others call them as well.
callees()
{
	awk '$2 ~ /^(0x[0-9a-f]+|bpf_prog_.*|bpf_trampoline_.*|__bpf_prog_.*_recur|kprobe_multi_link_.*|bpf_trace_run[0-9])$/ { print $1 }' calls |
		sort -u | grep -vx rcu_read_unlock_special
}
callees_of_denied()
{
	jq -r '.filters.denied_by_hytrace[]' own.json |
		awk 'NR == FNR { own[$1] = 1; next } own[$2] && !own[$1] { print $1 }' - calls |
		sort -u | grep -vE '^(_raw_spin_|rcu_|__rcu_|migrate_|preempt_|kmalloc|kfree|irq_|asm_|sysvec_|__set_cpus_allowed_ptr$)'
}
# Where a function is on fentry.multi and on the function tracer, each call of it is slow. So only some are then.
some=
! "$hytrace" features fentry-multi >/dev/null || some='-a s* -a v*'
# The patterns are for hytrace.
set -f
for options in "$some" "--pin=watch --task --comm sh $some"; do
	echo 0 >$watch/tracing_on
	echo >$watch/trace
	echo 8192 >$watch/buffer_size_kb
	echo function >$watch/current_tracer
	# shellcheck disable=SC2086 # several words
	"$hytrace" cover -e bpf -f json -o own.json $options -- sh -c \
		"echo 1 >$watch/tracing_on; (sleep 0.1); echo 0 >$watch/tracing_on" 2>/dev/null
	# Each "callee caller" pair once, because there are hundreds of thousands of calls.
	awk 'sub(/.*: /, "") && sub(/<-/, "") && !seen[$1, $2]++ { print $1, $2 }' $watch/trace >calls
	callees >called
	ok "the function tracer sees calls of the program ($options)" grep -qx bpf_ktime_get_ns called
	is 'each function that the program calls and that can be traced is denied' "$(comm -23 called \
		<(jq -r '.filters.denied_by_hytrace[]' own.json | sort))" ''
	is 'functions that these call in turn are denied' "$(callees_of_denied)" ''
	echo nop >$watch/current_tracer
done
set +f
rmdir $watch

# ---- pins, read by the distribution's own bpftool

"$hytrace" cover -e bpf -a 'vfs_*' --pin t-bpf -o pin.json -- sh -c \
	'cat work.sh >/dev/null; bpftool -j map dump pinned /sys/fs/bpf/hytrace/t-bpf/seen >dump.json
	 bpftool -j prog show pinned /sys/fs/bpf/hytrace/t-bpf/prog >prog.json
	 ls /sys/fs/bpf/hytrace/t-bpf >pins' 2>err
# Functions that fentry.multi cannot take have a link of their own.
is 'the map, the program and the link are pinned' "$(grep -v '^link[0-9]' pins | tr '\n' ' ')" 'link prog seen '
ok 'bpftool shows typed keys and values' jq -e \
	'length > 0 and all(.[].formatted; (.key | type) == "number" and .value.kind >= 1 and
	 .value.first_ns > 0 and (.value | has("cpu") and has("pid")))' dump.json
ok 'bpftool shows the program' jq -e '.name | test("^cover_f?entry$")' prog.json
ok 'all pins are gone afterwards' test ! -e /sys/fs/bpf/hytrace
ok 'a pin outside bpffs is refused' sh -c \
	"$hytrace cover -e bpf -a vfs_read --pin $PWD/here -- true 2>err; [ \$? = 125 ] &&
	 grep -q 'is not in a bpffs' err && [ ! -e here ]"
umount /sys/fs/bpf 2>/dev/null
"$hytrace" cover -e bpf -a 'vfs_*' --pin again -o pin.json -- \
	sh -c 'ls /sys/fs/bpf/hytrace/again >pins' 2>err
is 'bpffs is mounted if it is not mounted yet' "$(grep -v '^link[0-9]' pins | tr '\n' ' ')" 'link prog seen '

# ---- two runs

"$hytrace" cover -e bpf -a 'vfs_*' -d vfs_write -o a.json -- sh work.sh 2>/dev/null
"$hytrace" cover -e bpf -a 'vfs_*' -o b.json -- sh work.sh 2>/dev/null
"$hytrace" compare a.json b.json >comparison 2>err
ok 'compare: a denied function is explained' grep -q 'was told to leave it out.*vfs_write' comparison
is 'compare: a document has no difference from itself' "$("$hytrace" compare a.json a.json | tail -n 1)" 'No difference.'
echo '{"hytrace": "0", "schema": 1}' >bad.json
"$hytrace" compare bad.json a.json 2>err
is 'compare: not a document' $? 2

tap_end
