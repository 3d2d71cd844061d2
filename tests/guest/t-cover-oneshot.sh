#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# hytrace cover with the oneshot tracer, alone and together with BPF: options, other people's tracing, retiring,
# and modules. t-cover-oneshot.host.sh checks the documents, because jq is slow in a guest.

workload=$PWD/tests/guest/workload.sh
vmlinux=${HYTRACE_VMLINUX:-}
. "$(dirname "$(realpath "$0")")/loader.sh"

cover()
{
	"$hytrace" cover "$@"
}

# ---- alone

before=$(cd $tracing && cat current_tracer tracing_on set_ftrace_filter set_ftrace_notrace set_ftrace_pid)
ok '--engine auto covers a command' cover -o one.json -- sh -c 'cat /etc/passwd >/dev/null; echo x >y
	modprobe dummy numdummies=1 && ip link set dummy0 up && ip link set dummy0 down && rmmod dummy'
is 'the top instance'\''s tracing is not changed' "$(cd $tracing &&
	cat current_tracer tracing_on set_ftrace_filter set_ftrace_notrace set_ftrace_pid)" "$before"
is 'the instance is removed afterwards' "$(ls $tracing/instances)" ''

cp /proc/kallsyms "$HYTRACE_FILES/kallsyms"

# ---- options

cover -e oneshot --strict -a 'vfs_*' -d vfs_write --no-callers -o some.json -- sh -c 'cat /etc/passwd; echo x >y; exit 3' \
	>/dev/null 2>err
is '--strict: with a complete result, the exit status is CMD'\''s' $? 3
(while pause 0.05; do echo noise >noise; done) &
noise=$!
echo $noise >noise.pid
cover -e oneshot -a 'vfs_*' --task -o task.json -- sh -c 'cat /etc/passwd >/dev/null; (true)'
cover -e oneshot -a 'vfs_*' -o system.json -- sh -c 'cat /etc/passwd >/dev/null'
cover -e oneshot -a 'vfs_*' --pid $noise --duration 1 -o pid.json
kill $noise
wait $noise 2>/dev/null
cover -e oneshot --strict -a '[s-v]*' --max-entries 64 -o full.json -- sh -c 'cat /etc/passwd; echo x >y' >/dev/null 2>err
is '--strict: with an incomplete result: 125' $? 125
ok '--strict: a message says that the result is not complete' grep -q 'strict: the result of oneshot is not complete' err
ok 'a message says that hits were refused' grep -q 'lost: refused' err
cover -e oneshot --duration 0.5 -a vfs_read -o duration.json -- sleep 3

"$hytrace" cover -e oneshot -a 'vfs_*' -o idle.json --ready-fd 7 7>ready &
pid=$!
ok 'recording begins' soon grep -qx READY ready
ok 'hytrace itself sleeps then' soon grep -q poll /proc/$pid/wchan
switches=$(grep ctxt_switches /proc/$pid/status)
pause 2
is 'it sleeps while it records' "$(grep ctxt_switches /proc/$pid/status)" "$switches"
kill -INT $pid
wait $pid
grep -v '\[' $tracing/available_filter_functions | grep -v __ftrace_invalid | awk 'NR % 20 == 0 { print $1 }' |
	sort -u >many.list
ok '-a takes a list of a thousand names' cover -e oneshot -a @many.list -o many.json -- \
	sh -c "cut -d' ' -f1 $tracing/instances/hytrace-*[0-9a-f]/set_ftrace_filter | sort -u >filtered"
ok 'the filter in the kernel has the names of the list' diff many.list filtered

# ---- retiring

# The command does the same work until its functions have retired, so that later calls are only of functions that are
# already known.
# shellcheck disable=SC2016 # to be expanded by the inner shell
again='for i in $(seq $1); do mkdir dir; rmdir dir; sleep .3
		grep -c "^vfs_mkdir " /sys/kernel/tracing/enabled_functions >still-on || break; done'
cover -e oneshot -a 'vfs_*' --task --no-callers -o only.json -- sh -c "$again" sh 6
is 'without --retire, vfs_mkdir is traced until the end' "$(<still-on)" 1
cover -e oneshot -a 'vfs_*' --task --no-callers --retire -o only-retire.json -- sh -c "$again" sh 300
is '--retire: vfs_mkdir has retired before the end' "$(<still-on)" 0
is '--retire: no call site is left changed' "$(grep -c . $tracing/enabled_functions)" 0
cover -e oneshot -a 'vfs_*' --task --retire=200 -o watched.json -- sh -c "$again" sh 300 2>err
ok '--retire=MS: a message counts functions whose callers are incomplete' grep -q 'lost: callers_incomplete [1-9].* functions that were watched for --retire=MS' err
mkdir $tracing/instances/retires
echo 0 >$tracing/instances/retires/options/oneshot-parent
echo 1 >$tracing/instances/retires/options/oneshot-retire
cover -e oneshot -a 'vfs_*' --no-callers --retire -o never.json -- true 2>err
is '--retire while another instance retires functions: 125' $? 125
ok 'a message says that only one instance can retire functions' grep -q 'only one instance of the oneshot tracer can turn call sites off' err
rmdir $tracing/instances/retires

# ---- a module that is loaded

cover -e bpf -a ether_setup -o stays.json -- sh -c 'modprobe dummy numdummies=0 && ip link add hytrace0 type dummy' 2>err
rmmod dummy

# ---- both at once

ok 'both engines cover a workload' cover -e both -o both.json -o both.tailor -o both.txt \
	${vmlinux:+--vmlinux "$vmlinux"} -- "$workload"
sed 's/^/# /' "$tap_scratch/.tap" | cut -c1-200
# same: no difference in out is UNEXPLAINED, and at most 30 are only possibly explained
same()
{
	grep -qE 'No difference|All differences are explained|, [0-9]+ only possibly, 0 are UNEXPLAINED' out &&
		[[ $(sed -n 's/.*, \([0-9]*\) only possibly.*/\1/p' out) -le 30 ]]
}

# A shell that becomes another program, and a thread that is not the first of its process. Whose calls are recorded does not
# depend on the function, so these are some of them.
cat >names.py <<'END'
import _thread, posix
done = _thread.allocate_lock()
done.acquire()
def remove():
	posix.rmdir('names')
	done.release()
print(posix.getpid(), flush=True)
_thread.start_new_thread(remove, ())
done.acquire()
END
# shellcheck disable=SC2016 # to be expanded by the inner shell
cover -e both --entry kprobe -a '[k-v]*' --task -o names.json -- \
	sh -c 'echo $$; sh -c "echo \$\$; exec mkdir names"; ls / | sort; (exit 3); exec /usr/bin/python3 -I -S names.py' >out 2>err
ok 'both engines follow a task with the same result' same
cp out pids
(while :; do :; done) &
busy=$!
cover -e both -a '[k-v]*' --pid $busy --duration 1 -o pid2.json >out 2>err
kill $busy
wait $busy 2>/dev/null
ok 'both engines follow a process that never sleeps, with the same result' same
ok '-e both without -o is refused' sh -c "$hytrace cover -e both -f json -- true 2>err;
	[ \$? = 125 ] && grep -q 'give -o' err"

if [[ -n $vmlinux ]]; then
	ok 'a vmlinux of another build is refused' sh -c "$hytrace cover --vmlinux $hytrace -- true 2>err;
		[ \$? = 125 ] && grep -q 'build id' err"
else
	ok 'HYTRACE_VMLINUX is given' false
fi

# ---- the end

"$hytrace" cover -e oneshot -a 'vfs_*' -o killed.json -- sleep 1000 &
pid=$!
ok 'the command is started' soon pgrep -x -P $pid sleep
sleeper=$(pgrep -x -P $pid sleep)
is 'the tracer runs in its instance' "$(cat $tracing/instances/hytrace-*[0-9a-f]/current_tracer)" oneshot
kill -KILL $pid
wait $pid 2>/dev/null
ok 'after kill -9 the instance is removed' soon sh -c "[ -z \"\$(ls $tracing/instances)\" ]"
is 'after kill -9 the unfinished result is removed' "$(echo killed.json*)" 'killed.json*'
kill "$sleeper"
is '--boot without ftrace=oneshot: 3' "$(cover --boot 2>err; echo $?)" 3
ok 'a message says to boot with ftrace=oneshot' grep -q 'ftrace=oneshot' err

cp -- *.json both.*.t* *.pid pids "$HYTRACE_FILES"

tap_end
