#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# hytrace cover with the oneshot tracer, alone and together with BPF: options, other people's tracing, retiring,
# and modules. t-cover-oneshot.host.sh checks the large documents.
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

# ---- alone

before=$(cd $tracing && cat current_tracer tracing_on set_ftrace_filter set_ftrace_notrace set_ftrace_pid)
ok '--engine auto covers a command' cover -o one.json -- sh -c 'cat /etc/passwd >/dev/null; echo x >y'
is 'the top instance'\''s tracing is not changed' "$(cd $tracing &&
	cat current_tracer tracing_on set_ftrace_filter set_ftrace_notrace set_ftrace_pid)" "$before"
is 'the instance is removed afterwards' "$(ls $tracing/instances)" ''

cp one.json "$HYTRACE_FILES"
cp /proc/kallsyms "$HYTRACE_FILES/kallsyms"

# ---- options

cover -e oneshot -a 'vfs_*' -d vfs_write --no-callers -o some.json -- sh -c 'cat /etc/passwd; echo x >y' \
	>/dev/null
is '-a and -d select the functions that are recorded' \
	"$(jq -c '[.functions[].name] | [all(startswith("vfs_")), any(. == "vfs_read"), any(. == "vfs_write")]' \
		some.json)" '[true,true,false]'
is '--no-callers records no callers' "$(jq '.totals.callers' some.json)" 0
(while pause 0.05; do echo noise >noise; done) &
noise=$!
cover -e oneshot -a 'vfs_*' --task -o task.json -- sh -c 'cat /etc/passwd >/dev/null; (true)'
cover -e oneshot -a 'vfs_*' -o system.json -- sh -c 'cat /etc/passwd >/dev/null'
is '--task: the other process is not recorded' \
	"$(jq --argjson p $noise '[(.functions + .callers)[].pid] | any(. == $p)' task.json)" false
is 'without --task, the other process is recorded' \
	"$(jq --argjson p $noise '[(.functions + .callers)[].pid] | any(. == $p)' system.json)" true
ok '--task: children of the command are recorded' jq -e '[(.functions + .callers)[].pid] | unique | length >= 2' task.json
cover -e oneshot -a 'vfs_*' --pid $noise --duration 1 -o pid.json
is '--pid: only that process is recorded' "$(jq -c '[(.functions + .callers)[].pid] | unique' pid.json)" "[$noise]"
kill $noise
wait $noise 2>/dev/null
cover -e oneshot --strict -a vfs_read -o strict.json -- sh -c 'cat /etc/passwd; exit 3' >/dev/null 2>err
is '--strict: with a complete result, the exit status is CMD'\''s' $? 3
ok 'the document says that it is complete, and how it ended' jq -e '.complete and .ended == "command" and .status == 3 and
	.options.max_entries == null' strict.json
cover -e oneshot --strict --max-entries 64 -o strict.json -- sh -c 'cat /etc/passwd; echo x >y' >/dev/null 2>err
is '--strict: with an incomplete result: 125' $? 125
ok '--strict: a message says that the result is not complete' grep -q 'strict: the result of oneshot is not complete' err
ok '--strict: the incomplete result is written' jq -e '(.complete | not) and .lost.refused > 0 and .options.max_entries == 64' strict.json
cover -e oneshot --duration 0.5 -a vfs_read -o duration.json -- sleep 1
is '--duration: the document says that the time ended it' "$(jq -c '[.ended, .options.duration]' duration.json)" '["duration",0.5]'
cover -e oneshot --max-entries 64 -o full.json -- sh -c 'cat /etc/passwd; echo x >y' >/dev/null 2>err
ok 'a full set refuses hits and counts them' jq -e '.lost.refused > 0 and .totals.entries == 64' full.json
ok 'a message says that hits were refused' grep -q 'lost: refused' err

"$hytrace" cover -e oneshot -o idle.json --duration 2 &
pid=$!
wait $pid
is 'hytrace itself sleeps while it records' "$(jq -c --argjson p $pid '.window as $w | [(.functions + .callers)[] |
	select(.pid == $p and .first_ns > $w.open_ns + 2e8 and .first_ns < $w.closing_ns - 1e8) | .name]' \
	idle.json)" '[]'
grep -v '\[' $tracing/available_filter_functions | grep -v __ftrace_invalid | awk 'NR % 20 == 0 { print $1 }' |
	sort -u >many.list
ok '-a takes a list of a thousand names' cover -e oneshot -a @many.list -o many.json -- \
	sh -c "cut -d' ' -f1 $tracing/instances/hytrace-*[0-9a-f]/set_ftrace_filter | sort -u >filtered"
ok 'the filter in the kernel has the names of the list' diff many.list filtered

# ---- retiring

# The command does the same work several times, so that later calls are only of functions that are already known.
# shellcheck disable=SC2016 # to be expanded by the inner shell
again='for i in 1 2 3 4 5 6; do mkdir dir; rmdir dir; sleep .3; done;
	grep -c "^vfs_mkdir " /sys/kernel/tracing/enabled_functions >still-on'
for retire in '' --retire; do
	cover -e oneshot -a 'vfs_*' --task --no-callers $retire -o "only$retire.json" -- sh -c "$again"
	mv still-on "still-on.${retire:-without}"
done
is 'without --retire, vfs_mkdir is traced until the end' "$(<still-on.without)" 1
is '--retire: vfs_mkdir has retired before the end' "$(<still-on.--retire)" 0
is '--retire: the same functions are recorded as without it' "$(jq -c '[.functions[].name] | sort' only--retire.json)" \
	"$(jq -c '[.functions[].name] | sort' only.json)"
ok '--retire: nothing is counted as lost, and the costs are in the document' jq -e '.lost.callers_incomplete == 0 and
	.cost.retired > 0 and .cost.retired <= .totals.functions and .cost.retire_batches > 0 and .cost.retire_ns > 0' only--retire.json
is '--retire: no call site is left changed' "$(grep -c . $tracing/enabled_functions)" 0
cover -e oneshot -a 'vfs_*' --task --retire=200 -o watched.json -- sh -c "$again" 2>err
ok '--retire=MS: callers are recorded while their functions are watched' jq -e '.totals.callers > 0 and
	.lost.callers_incomplete > 0 and .lost.callers_incomplete == .cost.retired' watched.json
ok '--retire=MS: a message counts functions whose callers are incomplete' grep -q 'lost: callers_incomplete [1-9].* functions that were watched for --retire=MS' err
mkdir $tracing/instances/retires
echo 0 >$tracing/instances/retires/options/oneshot-parent
echo 1 >$tracing/instances/retires/options/oneshot-retire
cover -e oneshot -a 'vfs_*' --no-callers --retire -o never.json -- true 2>err
is '--retire while another instance retires functions: 125' $? 125
ok 'a message says that only one instance can retire functions' grep -q 'only one instance of the oneshot tracer can turn call sites off' err
rmdir $tracing/instances/retires

# ---- a module that is loaded and unloaded

cover -e oneshot -o module.json -- sh -c 'modprobe dummy numdummies=1 && ip link set dummy0 up &&
	ip link set dummy0 down && rmmod dummy' 2>err
is 'functions of an unloaded module have names' \
	"$(jq -c '[.functions[] | select(.module == "dummy") | .name] |
		any(. == "dummy_dev_init")' module.json)" true
cp module.json "$HYTRACE_FILES"
cover -e bpf -a ether_setup -o stays.json -- sh -c 'modprobe dummy numdummies=0 && ip link add hytrace0 type dummy' 2>err
ok 'functions of a module that was loaded while tracing have names' jq -e \
	'any(.callers[]; .module == "dummy" and .name == "dummy_setup")' stays.json
rmmod dummy

# ---- both at once

ok 'both engines cover a workload' cover -e both -o both.json -o both.tailor -o both.txt \
	${vmlinux:+--vmlinux "$vmlinux"} -- "$workload"
sed 's/^/# /' "$tap_scratch/.tap" | cut -c1-200
cp both* "$HYTRACE_FILES"
cover -e both --entry kprobe --task -o task2.json -- sh -c 'ls / | sort; (exit 3)' >out 2>err
# same: no difference in out is UNEXPLAINED, and at most 30 are only possibly explained
same()
{
	grep -qE 'No difference|All differences are explained|, [0-9]+ only possibly, 0 are UNEXPLAINED' out &&
		[[ $(sed -n 's/.*, \([0-9]*\) only possibly.*/\1/p' out) -le 30 ]]
}
ok 'both engines follow a task with the same result' same
is "only the BPF engine's document has an entry" \
	"$(jq -c .options.entry task2.oneshot.json task2.bpf.json | paste -sd' ')" 'null "kprobe"'
ok 'both engines have recorded more than 100 functions of the task' jq -e '.totals.functions > 100' task2.oneshot.json task2.bpf.json

# A shell that becomes another program, and a thread that is not the first of its process.
cat >names.py <<'END'
import os, threading
thread = threading.Thread(target=os.rmdir, args=['names'])
print(os.getpid(), flush=True)
thread.start()
thread.join()
END
# shellcheck disable=SC2016 # to be expanded by the inner shell
cover -e both --task -o names.json -- sh -c 'echo $$; sh -c "echo \$\$; exec mkdir names"; exec python3 names.py' >pids 2>err
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
(while :; do :; done) &
busy=$!
cover -e both --pid $busy --duration 1 -o pid2.json >out 2>err
kill $busy
wait $busy 2>/dev/null
ok 'both engines follow a process that never sleeps, with the same result' same
ok 'both engines have recorded more than 20 functions of that process' jq -e '.totals.functions > 20' pid2.oneshot.json pid2.bpf.json
ok '-e both without -o is refused' sh -c "$hytrace cover -e both -f json -- true 2>err;
	[ \$? = 125 ] && grep -q 'give -o' err"

if [[ -n $vmlinux ]]; then
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
is 'the tracer runs in its instance' "$(cat $tracing/instances/hytrace-*[0-9a-f]/current_tracer)" oneshot
kill -KILL $pid
wait $pid 2>/dev/null
for ((i = 0; i < 100; i++)); do
	[[ -n $(ls $tracing/instances) ]] || break
	sleep 0.1
done
is 'after kill -9 the instance is removed' "$(ls $tracing/instances)" ''
is 'after kill -9 the unfinished result is removed' "$(echo killed.json*)" 'killed.json*'
kill "$sleeper"
is '--boot without ftrace=oneshot: 3' "$(cover --boot 2>err; echo $?)" 3
ok 'a message says to boot with ftrace=oneshot' grep -q 'ftrace=oneshot' err

tap_end
