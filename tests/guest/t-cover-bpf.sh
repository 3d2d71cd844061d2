#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: stock stock-7.3
# nightly: stock-7.3
#
# The BPF engine: pinned maps, losses, options. t-cover-bpf.host.sh checks the documents, because jq is slow in a guest,
# and the record of a whole kernel against the kernel's own lists. On 7.3, most functions are on fentry.multi;
# t-cover-fentry.sh checks what is different then.

# shellcheck disable=SC2016 # jq and the command's sh have variables of their own

. "$(dirname "$(realpath "$0")")/loader.sh"

cat >work.sh <<'END'
echo something >file
cat file >/dev/null
(exit 3)
kill -0 $$
END

# ---- the whole kernel

# The kernel counts how often the program runs, and how often it does not because it runs already.
echo 'sh work.sh; bpftool -j prog show >programs.json' >all.sh
sysctl -q kernel.bpf_stats_enabled=1
ok 'covers a command' "$hytrace" cover -e bpf -f json -o all.json -- sh all.sh
sysctl -q kernel.bpf_stats_enabled=0
cp /proc/kallsyms /sys/kernel/notes "$HYTRACE_FILES"
uname -r >release
"$hytrace" cover -e bpf -a vfs_read -a 'bpf_*' --max-entries 2 -f json -o full.json -- sh work.sh 2>err
ok 'losses are reported on stderr' grep -q 'lost: map_full' err

# ---- features

"$hytrace" features -f json >features.json
"$hytrace" cover -e oneshot --duration 1 2>no-oneshot

# ---- tailor and text, of the same run

ok 'several results at once' "$hytrace" cover -e bpf -a 'vfs_*' -o t.json -o t.tailor -o t.txt -- \
	sh work.sh

# ---- options

"$hytrace" cover -e bpf -a 'vfs_*' -d vfs_write --no-callers -o n.json -- sh work.sh 2>/dev/null

# Meanwhile, another process writes.
(while pause 0.05; do echo noise >noise; done) &
noise=$!
echo $noise >noise.pid
"$hytrace" cover -e bpf -a 'vfs_*' --task -o task.json -- sh -c 'cat work.sh >/dev/null' 2>/dev/null
"$hytrace" cover -e bpf -a 'vfs_*' -o system.json -- sh -c 'cat work.sh >/dev/null' 2>/dev/null
"$hytrace" cover -e bpf -a 'vfs_*' --pid $noise --duration 1 -o pid.json 2>/dev/null

# The command moves a process into a cgroup below the one that is asked for.
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
export inner=/sys/fs/cgroup/hytrace-test/inner
mkdir -p $inner
status 0 cover -a 'vfs_*' --cgroup hytrace-test -o group.json -- \
	sh -c 'echo $$ >$inner/cgroup.procs; echo $$ >group.pid; exec cat work.sh'
status 0 cover -e bpf -a 'vfs_*' -f json -o other-group.json --cgroup $inner -- cat work.sh
refused()
{
	local said=$1
	shift

	status 125 cover -a vfs_read "$@" -- true && grep -qF -- "$said" err
}
ok '--cgroup: a path that does not exist is refused' refused '--cgroup /sys/fs/cgroup/nowhere: No such file' --cgroup nowhere
ok '--cgroup: a directory that is no cgroup is refused' refused 'is no cgroup of version 2' --cgroup /tmp
status 0 cover -a 'vfs_*' --comm cat -o comm.json -- sh -c 'echo $$ >comm.pid; exec cat work.sh'
status 0 cover -a 'vfs_*' -f json -o other-comm.json --comm ca -- cat work.sh
ok '--comm: a name that is too long is refused' refused 'keeps 1 to 15' --comm 1234567890123456
ok '--comm: the oneshot engine refuses it' refused '--comm is for the BPF recorders' --comm sh -e oneshot
fentry=$(jq -r '.features[] | select(.name == "fentry-multi").here' features.json)
if [[ $fentry == yes ]]; then
	ok '--entry fentry: the kernel has it' status 0 cover -e bpf -a vfs_read --entry fentry -o entry.json -- true
else
	ok '--entry fentry: a kernel without it is refused' refused '--entry fentry: this kernel has no fentry.multi' --entry fentry
fi
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
ok 'a message names the module that came late' grep -q 'the module dummy came while tracing: what ran in its first' err
is 'that module can be unloaded afterwards' "$(rmmod dummy 2>&1)" ''
"$hytrace" cover -e bpf -a vfs_read -f json -o unasked.json -- modprobe dummy numdummies=0 2>err
rmmod dummy
# hytrace is stopped, so that it cannot be quicker than the command.
# shellcheck disable=SC2016 # for the command's sh
"$hytrace" cover -e bpf -a '*_get_stats64' -f json -o untraced.json -- \
	sh -c 'kill -STOP $PPID; modprobe dummy numdummies=0 && rmmod dummy; kill -CONT $PPID' 2>err
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
is 'hytrace goes on without the module' $? 0
rm result

# ---- callers whose return address another tracer has replaced

# hidden NAME PREPARE FINISH: covers vfs_read while another tracer, which PREPARE starts and FINISH stops, is on it, too.
hidden()
{
	"$hytrace" cover -e bpf -a vfs_read -f json -o "hidden-$1.json" -- sh -c "$2; cat work.sh >/dev/null; $3" 2>err
}
graph=$tracing/instances/graph
mkdir $graph
echo vfs_read >$graph/set_ftrace_filter
# The process that reads the trace is itself traced, so it would never come to the end.
hidden graph "echo function_graph >$graph/current_tracer" \
	"echo 0 >$graph/tracing_on; grep -c vfs_read $graph/trace >graphed; echo nop >$graph/current_tracer"
ok 'the function graph tracer has traced the function, too' test "$(cat graphed)" -gt 0
rmdir $graph
fprobe=$tracing/events/fprobes/hidden
echo 'f:hidden vfs_read%return' >$tracing/dynamic_events
hidden fprobe "echo 1 >$fprobe/enable" "echo 0 >$fprobe/enable"
echo >$tracing/dynamic_events

# ---- a time namespace

unshare -T --monotonic 100000 "$hytrace" cover -e bpf -a 'vfs_*' -f json -o clock.json -- cat work.sh >/dev/null 2>&1

# ---- known functions are retired

export tracing
ok '--retire succeeds' "$hytrace" cover -e bpf --no-callers --retire --pin retire -f json -o retire.json -- sh -c '
	link=/sys/fs/bpf/hytrace/retire/link
	# The link comes first. On a busy machine the other two can take until the first change.
	bpftool -j link show pinned $link >link-before.json
	wc -l <$tracing/enabled_functions >before
	bpftool prog dump xlated name cover_entry_nc >xlated
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
# If the kernel lacks the variable that tells whether an interrupt runs, the verifier removes the call.
ok '--retire: the program asks whether an interrupt runs' grep -q 'call bpf_this_cpu_ptr' xlated
is '--retire: no function is traced afterwards' "$(wc -l <$tracing/enabled_functions)" 0

# ---- functions that the program itself calls, as the function tracer sees them

watch=$tracing/instances/watch
mkdir $watch
run=0
# Any function that is called will do to run the program. Where all are traced twice, each call in the guest is slow.
for options in '-a s* -a v*' '--pin=watch --task --comm sh -a s* -a v*'; do
	((++run))
	echo 0 >$watch/tracing_on
	echo >$watch/trace
	# The last of them, which are enough. Their pages are copied, because to print them takes as long as all else.
	echo 1024 >$watch/buffer_size_kb
	echo function >$watch/current_tracer
	# The patterns in the options are for hytrace.
	set -f
	# shellcheck disable=SC2086 # several words
	"$hytrace" cover -e bpf -f json -o own$run.json $options -- sh -c \
		"echo 1 >$watch/tracing_on; (sleep 0.1); echo 0 >$watch/tracing_on" 2>/dev/null
	set +f
	for pages in "$watch"/per_cpu/cpu[0-9]*/trace_pipe_raw; do
		dd ibs=4k obs=1M iflag=nonblock if="$pages" 2>/dev/null
	done >pages$run
	echo nop >$watch/current_tracer
done
rmdir $watch

# ---- pins, read by the distribution's own bpftool

umount /sys/fs/bpf
"$hytrace" cover -e bpf -a 'vfs_*' --pin t-bpf -o pin.json -- sh -c \
	'cat work.sh >/dev/null; bpftool -j map dump pinned /sys/fs/bpf/hytrace/t-bpf/seen >dump.json
	 bpftool -j prog show pinned /sys/fs/bpf/hytrace/t-bpf/prog >prog.json
	 ls /sys/fs/bpf/hytrace/t-bpf >pins' 2>err
# Functions that fentry.multi cannot take have a link of their own.
is 'the map, the program and the link are pinned, and bpffs is mounted if it is not mounted yet' "$(grep -v '^link[0-9]' pins | tr '\n' ' ')" 'link prog seen '
ok 'all pins are gone afterwards' test ! -e /sys/fs/bpf/hytrace
ok 'a pin outside bpffs is refused' sh -c \
	"$hytrace cover -e bpf -a vfs_read --pin $PWD/here -- true 2>err; [ \$? = 125 ] &&
	 grep -q 'is not in a bpffs' err && [ ! -e here ]"

find . -maxdepth 1 -type f ! -name '.*' -exec cp -t "$HYTRACE_FILES" {} +

tap_end
