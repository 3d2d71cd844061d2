#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# Function events in the usual tools: perf, trace-cmd, bpftrace and bpftool, all Debian's except one bpftool that
# attaches programs. The tools print events themselves, independently of how the kernel prints them.

. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

# Three reads of 17 bytes. No other process reads as many.
reads()
{
	dd if=/dev/zero of=/dev/null bs=17 count=3 2>/dev/null
}
export -f reads

echo 'vfs_read(NULL, NULL, size_t count)' >function_events
echo 'ssize_t vfs_read(count) as read_return' >>function_events

# --- perf

perf record -q -o "$tap_scratch/perf.data" -e functions:vfs_read -a -- bash -c reads \
	2>"$tap_scratch/perf.err"
is 'perf records each read' \
	"$(perf script -i "$tap_scratch/perf.data" 2>/dev/null | grep -c 'vfs_read(count=17)')" 3
perf record -q -o "$tap_scratch/perf.data" -e functions:read_return --filter 'count == 17' -a -- \
	bash -c reads 2>"$tap_scratch/perf.err"
is 'perf filters by a field and sees the return value' \
	"$(perf script -i "$tap_scratch/perf.data" 2>/dev/null | grep -c 'count=17) ret=17 duration=')" 3
is 'perf stat counts' "$(perf stat -x, -e functions:vfs_read --filter 'count==17' -a -- \
	bash -c reads 2>&1 | cut -d, -f1)" 3
ok 'perf records call chains of the kernel' \
	perf record -q --call-graph fp --kernel-callchains -o "$tap_scratch/perf.data" \
	-e functions:vfs_read -a -- bash -c reads
is 'these call chains begin with the function' "$(perf script -i "$tap_scratch/perf.data" 2>/dev/null |
	awk '/vfs_read\(count=17\)/ { getline; print $2 }' | sort -u | sed 's/+.*//')" vfs_read
ok 'perf records call chains of user space' perf record -q -g -o "$tap_scratch/perf.data" \
	-e functions:vfs_read -a -- bash -c reads
is 'these call chains have the program that called' "$(perf script -i "$tap_scratch/perf.data" 2>/dev/null |
	awk '/vfs_read\(count=17\)/ { wanted = 1 } /^$/ { wanted = 0 }
		wanted && /libc\.so/ { n++; wanted = 0 } END { print n }')" 3

# --- trace-cmd, with fields of all types. libtraceevent reports what it cannot parse.

cat >>function_events <<'END'
vfs_read(x64 p | symbol op+40[0]+16 | x64[2] words[0] | char[8] bytes[0], NULL, s8 a | u16 b | bool c) as types
do_sys_openat2(NULL, ustring name) as open
vfs_write(...) as write
vfs_fsync_range(file->f_mode, datasync, u64 $jiffies_64) as fsync
END
trace-cmd record -q -o "$tap_scratch/trace.dat" -e functions bash -c 'reads; sync /bin/bash' \
	>"$tap_scratch/trace-cmd.out" 2>&1
trace-cmd report -i "$tap_scratch/trace.dat" >"$tap_scratch/report" 2>"$tap_scratch/report.err"
is 'trace-cmd report shows the arguments' "$(grep -c 'vfs_read(count=17)$' "$tap_scratch/report")" 3
is 'libtraceevent parses all formats' \
	"$(cat "$tap_scratch/report.err" "$tap_scratch/report" | grep -ciE 'failed to parse|error:')" 0
ok 'trace-cmd report shows a string' grep -q 'name="/dev/zero"' "$tap_scratch/report"
ok 'trace-cmd report shows a symbol' grep -qE 'op=(read_zero|0x0)' "$tap_scratch/report"
grep -m 3 'types:' "$tap_scratch/report" | sed 's/^/# /'

# Names of enums, bit fields, and fields that could not be read: tools know them only by the format file.

cat >>function_events <<'END'
pid_task(pid->numbers[0].nr, type) as lookups
vfs_get_tree(fc->purpose, fc->phase, fc->need_free, fc->global, s8 number=fc->phase) as mounts
vfs_read(NULL, NULL, size_t count, s64 pos[0]) as positions
do_sys_openat2(long dfd) as wide
END
strange()
{
	kill -0 $$
	mount -t tmpfs none "$tap_scratch/mnt" && umount "$tap_scratch/mnt"
	printf %017d 0 | dd of=/dev/null bs=17 count=1
}
export -f strange
export tap_scratch
mkdir "$tap_scratch/mnt"
trace-cmd record -q -o "$tap_scratch/trace.dat" -e functions:lookups -e functions:mounts \
	-e functions:positions -e functions:wide bash -c strange >"$tap_scratch/trace-cmd.out" 2>&1
trace-cmd report -i "$tap_scratch/trace.dat" >"$tap_scratch/strange.trace-cmd" 2>&1
perf record -q -o "$tap_scratch/perf.data" -e functions:lookups -e functions:mounts \
	-e functions:positions -e functions:wide -a -- bash -c strange 2>"$tap_scratch/perf.err"
perf script -i "$tap_scratch/perf.data" >"$tap_scratch/strange.perf" 2>&1
for tool in trace-cmd perf; do
	shown=$tap_scratch/strange.$tool
	ok "$tool shows an enum's names" grep -qE 'lookups:.*nr=[1-9][0-9]*, type=PIDTYPE_PID\)' "$shown"
	# The phase depends on the system call that mount uses.
	ok "$tool shows bit fields, and an enum in one" grep -qE \
		'purpose=FS_CONTEXT_FOR_MOUNT, phase=FS_CONTEXT_CREAT(E_PARAMS|ING), need_free=1, global=0, number=[01]\)' \
		"$shown"
	ok "$tool shows which fields could not be read" grep -q 'count=17, pos=0) faults=0x2$' "$shown"
	ok "$tool shows the value of an argument that is smaller than a register" grep -q 'wide: .*(dfd=-100)$' "$shown"
	grep -m 4 -hE 'lookups:|mounts:|faults=0x2' "$shown" | sed 's/^/# /'
done

# --- BPF: bpftrace makes programs of type TRACEPOINT

bpftrace -e 'tracepoint:functions:vfs_read /args->count == 17/ { @reads[comm] = count(); }
	tracepoint:functions:read_return /args->ret == 17/ { @returns = count(); }
	tracepoint:functions:vfs_read /args->count == 17/ { @stacks[kstack(2)] = count(); }
	' -c "/bin/bash -c reads" >"$tap_scratch/bpftrace" 2>&1
ok 'bpftrace reads a field' grep -q '^@reads\[dd\]: 3$' "$tap_scratch/bpftrace"
ok 'bpftrace reads the return value' grep -q '^@returns: 3$' "$tap_scratch/bpftrace"
bpftrace -e 'tracepoint:functions:wide /args->dfd == -100/ { @wide = count(); }' \
	-c "/bin/cat /proc/version" >"$tap_scratch/wide" 2>&1
ok 'bpftrace reads an argument that is smaller than a register' grep -q '^@wide: [1-9]' "$tap_scratch/wide"
ok 'bpf_get_stackid() works' grep -q 'vfs_read+' "$tap_scratch/bpftrace"
sed 's/^/# /' "$tap_scratch/bpftrace" | head -n 20

bpftrace -e 'tracepoint:functions:vfs_read /args->count == 17/ { printf("%s reads %d\n", comm, args->count); }
	' -c "/bin/bash -c reads" >"$tap_scratch/output" 2>&1
is 'bpf_perf_event_output() works' "$(grep -c '^dd reads 17$' "$tap_scratch/output")" 3

# Arrays before other fields: bpftrace makes a struct from the format, and perf trace prints by it.

echo 'security_task_kill(p->comm, x64[2] words=p->comm, char[4] start=p->comm, s32 sig=sig, p->pid)
	as signalled' | tr -d '\n' >>function_events
signal()
{
	kill -0 $$
}
export -f signal
bpftrace -e 'tracepoint:functions:signalled /args->comm == "bash"/ {
	printf("%s %x %d %d\n", args->comm, args->words[0] & 0xffff, args->sig, args->pid == pid);
	}' -c "/bin/bash -c signal" >"$tap_scratch/arrays" 2>&1
ok 'bpftrace reads arrays, and the fields after them' grep -q '^bash 6162 0 1$' "$tap_scratch/arrays"
sed 's/^/# /' "$tap_scratch/arrays" | head -n 5
perf trace -e functions:signalled -a -- bash -c signal >"$tap_scratch/perf-trace" 2>&1
ok 'perf trace prints an array of char' grep -q 'comm: "bash' "$tap_scratch/perf-trace"
sed 's/^/# /' "$tap_scratch/perf-trace" | head -n 5

# A program that reads the second field of the record; only one of the two events has it.
cat >"$tap_scratch/two.c" <<'END'
#define SEC(name) __attribute__((section(name), used))
struct record { unsigned long long ent, ip, parent_ip, a, b; };
SEC("tp/functions/has_two") int two(struct record *r) { return r->b == 1; }
char LICENSE[] SEC("license") = "GPL";
END
echo 'vfs_mkdir(u64 a) as has_one' >>function_events
echo 'vfs_mkdir(u64 a, u64 b) as has_two' >>function_events
compile() # NAME: makes NAME.o of NAME.c
{
	clang-19 -O2 -g -target bpf -c -o "$tap_scratch/$1.o" "$tap_scratch/$1.c"
}
# attach EVENT: the programs differ in this name alone, and clang takes seconds here
attach()
{
	LC_ALL=C sed "s/has_two/$1/g" "$tap_scratch/two.o" >"$tap_scratch/$1.o"
	"$HYTRACE_BPFTOOL" prog load "$tap_scratch/$1.o" "/sys/fs/bpf/$1" autoattach
}
mount -t bpf bpf /sys/fs/bpf 2>/dev/null
compile two
ok 'a program may read to the end of the record' attach has_two
is 'its link names the event' "$("$HYTRACE_BPFTOOL" link show pinned /sys/fs/bpf/has_two |
	grep -o 'tracepoint has_two')" 'tracepoint has_two'
refusal=$(attach has_one 2>&1)
is 'a program may not read past the end of the record' \
	"$(grep -oE -m 1 'Permission denied|EACCES' <<<"$refusal" | head -n 1 | sed 's/EACCES/Permission denied/')" 'Permission denied'
rm -f /sys/fs/bpf/has_{one,two}

# When a program is tail-called, the kernel does not check how far it reads. So it reads the buffer after the longest
# record, which must be zero. The map that it looks up is traced, too, by a program that cannot run at that time.
{
	cat <<-'END'
	#define SEC(name) __attribute__((section(name), used))
	struct { int (*type)[1]; int (*max_entries)[1]; int *key; int *value; } numbers SEC(".maps");
	struct { int (*type)[3]; int (*max_entries)[1]; int *key; int *value; } programs SEC(".maps");
	static void *(*lookup)(void *map, void *key) = (void *)1;
	static long (*tail_call)(void *ctx, void *map, unsigned int index) = (void *)12;
	int calls, found;
	SEC("tp/functions/has_two") int first(void *ctx)
	{
		int key = 0;
		lookup(&numbers, &key);
		tail_call(ctx, &programs, 0);
		return 0;
	}
	SEC("tp/functions/looks_up") int refused(void *ctx) { return 0; }
	SEC("tp") int behind(void *ctx)
	{
		volatile unsigned long long *record = ctx, all = 0;
	END
	printf '	all |= record[%u];\n' {456..1023}
	echo '	calls++; found |= all != 0; return 0;'
	echo '}'
	echo 'char LICENSE[] SEC("license") = "GPL";'
} >"$tap_scratch/chain.c"
echo '__htab_map_lookup_elem() as looks_up' >>function_events
chain()
{
	compile chain &&
		"$HYTRACE_BPFTOOL" prog loadall "$tap_scratch/chain.o" /sys/fs/bpf/chain pinmaps /sys/fs/bpf/maps autoattach &&
		"$HYTRACE_BPFTOOL" map update pinned /sys/fs/bpf/maps/programs key 0 0 0 0 value pinned /sys/fs/bpf/chain/behind
}
bss()
{
	"$HYTRACE_BPFTOOL" map dump name chain.bss | grep -oE '"(calls|found)": [0-9]+' | sort | xargs
}
ok 'three programs are attached, one of them for tail calls' chain
mkdir "$tap_scratch/"{a,b,c}
is 'the tail-called program has run, and finds zeros after the record' "$(bss)" 'calls: 3 found: 0'
missed=$(<events/functions/looks_up/missed)
ok 'the event that could not run its program counts it as missed' test "$missed" -ge 3
is 'bpftool counts the same as recursion misses' "$("$HYTRACE_BPFTOOL" prog show name refused |
	grep -o 'recursion_misses [0-9]*')" "recursion_misses $missed"
rm -rf /sys/fs/bpf/{chain,maps}

bpftrace -e 'tracepoint:functions:vfs_read { @ = count(); }' >/dev/null 2>&1 &
job=$!
for _ in {1..240}; do
	bpftool perf 2>/dev/null | grep -q tracepoint && break
	sleep .5
done
ok 'bpftool perf names the event' bash -c 'bpftool perf | grep -q "tracepoint *vfs_read"'
is 'an event with a program is busy' \
	"$(bash -c 'echo "!vfs_read" >>function_events' 2>&1 | grep -o busy)" busy
interrupt "$job"
is 'no function is hooked when all tools have ended' "$(wc -l <enabled_functions)" 0

# --- many tracers of one function; each of them must see each call

cat >function_events <<'END'
vfs_read(NULL, NULL, size_t count) as entry
ssize_t vfs_read(NULL, NULL, size_t count) as return
vfs_read(NULL, NULL, size_t count, s64 pos[0]) as follow
vfs_rea[d](NULL, NULL, size_t count) as glob
END
cat >>dynamic_events <<'END'
p:agree/kprobe vfs_read count=$arg3
r:agree/kretprobe vfs_read ret=$retval
f:agree/fprobe vfs_read count=$arg3
f:agree/fexit vfs_read%return ret=$retval
END
ok 'four events and four probes are there' test "$(wc -l <dynamic_events)" -eq 8
mkdir instances/{agree,graph,oneshot}
for i in . instances/{agree,graph,oneshot}; do
	echo 4096 >"$i/buffer_size_kb"
	echo vfs_read >"$i/set_ftrace_filter"
done
echo 1 >instances/agree/events/functions/enable
echo 1 >instances/agree/events/agree/enable
echo oneshot >instances/oneshot/current_tracer
echo function >current_tracer
echo 1 >instances/graph/options/funcgraph-proc
echo function_graph >instances/graph/current_tracer
cat >"$tap_scratch/reads" <<'END'
echo $$ >"$0.pid"
exec dd if=/dev/zero of=/dev/null bs=17 count=2000
END
cat >"$tap_scratch/perf" <<END
exec perf stat -x, -o $tap_scratch/stat -e functions:entry --filter count==17 \
	-e functions:glob --filter count==17 -a -- /bin/bash $tap_scratch/reads
END
bpftrace -e 'kfunc:vfs_read /args->count == 17/ { @kfunc = count(); }
	kretfunc:vfs_read /args->count == 17/ { @kretfunc = count(); }
	kprobe:vfs_read /arg2 == 17/ { @kprobe = count(); }
	tracepoint:functions:follow /args->count == 17/ { @event = count(); }
	' -c "/bin/bash $tap_scratch/perf" >"$tap_scratch/bpftrace" 2>&1
# When a tracer stops, its records are gone. So only recording is stopped here.
echo 0 | tee tracing_on instances/{agree,graph,oneshot}/tracing_on >/dev/null
echo 0 | tee instances/agree/events/{functions,agree}/enable >/dev/null
sed 's/^/# /' "$tap_scratch/bpftrace"
pid=$(<"$tap_scratch/reads.pid")
seen()
{
	grep -cE -- "-$pid +\\[.* $1" instances/agree/trace
}
for event in entry follow glob return kprobe fprobe; do
	is "$event saw each read" "$(seen "$event:.*count=(17|0x11)\>")" 2000
done
for event in entry glob; do
	is "perf saw each read by $event" \
		"$(awk -F, -v event="functions:$event" '$3 == event { print $1 }' "$tap_scratch/stat")" 2000
done
for probe in kfunc kprobe kretfunc event; do
	is "bpftrace saw each read by $probe" \
		"$(sed -n "s/^@$probe: //p" "$tap_scratch/bpftrace")" 2000
done
# The following record no sizes, so they also count the reads with which dd begins.
all=$(seen entry:)
echo "# $all reads of any size"
is 'kretprobe saw each read' "$(seen kretprobe:)" "$all"
is 'fexit saw each read' "$(seen fexit:)" "$all"
is 'the function tracer saw each read' "$(grep -cE -- "-$pid +\\[.*: vfs_read <-" trace)" "$all"
is 'function_graph saw each read' \
	"$(grep -cE -- "-$pid +\\|.* vfs_read\\(\\)" instances/graph/trace)" "$all"
# The file of the set has addresses; the trace of its events has names.
echo 1 >instances/oneshot/options/oneshot-sym
ok 'oneshot saw a read' grep -qw vfs_read instances/oneshot/trace
is 'no event was missed' "$(cat events/functions/{entry,follow,glob,return}/missed | sort -u)" 0
echo nop | tee current_tracer instances/{oneshot,graph}/current_tracer >/dev/null
rmdir instances/{agree,graph,oneshot}
echo 1 >tracing_on
printf -- '-:agree/%s\n' kprobe kretprobe fprobe fexit >>dynamic_events

ok 'all events can be removed' bash -c 'echo >function_events'
is 'no event is left' "$(cat function_events)" ''

tap_end
