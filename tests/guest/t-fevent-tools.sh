#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# Function events as the usual tools see them: perf, trace-cmd, bpftrace and bpftool, Debian's but for
# one bpftool that attaches. What they print is theirs and is independent of how the kernel prints an
# event.

set -uo pipefail
# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

# Three reads of 17 bytes, which nobody else does.
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
is 'perf records what was read' \
	"$(perf script -i "$tap_scratch/perf.data" 2>/dev/null | grep -c 'vfs_read(count=17)')" 3
perf record -q -o "$tap_scratch/perf.data" -e functions:read_return --filter 'count == 17' -a -- \
	bash -c reads 2>"$tap_scratch/perf.err"
is 'perf filters by a field and sees the return value' \
	"$(perf script -i "$tap_scratch/perf.data" 2>/dev/null | grep -c 'count=17) ret=17 duration=')" 3
is 'perf stat counts' "$(perf stat -x, -e functions:vfs_read --filter 'count==17' -a -- \
	bash -c reads 2>&1 | cut -d, -f1)" 3
ok 'perf cannot have user call chains' \
	bash -c '! perf record -q -g -o /dev/null -e functions:vfs_read -a -- true'
ok 'perf has call chains of the kernel' \
	perf record -q --call-graph fp --kernel-callchains -o "$tap_scratch/perf.data" \
	-e functions:vfs_read -a -- bash -c reads
is 'and they begin with the function' "$(perf script -i "$tap_scratch/perf.data" 2>/dev/null |
	awk '/vfs_read\(count=17\)/ { getline; print $2 }' | sort -u | sed 's/+.*//')" vfs_read

# --- trace-cmd, with fields of all types: what libtraceevent cannot parse, it says.

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
ok 'a string is there' grep -q 'name="/dev/zero"' "$tap_scratch/report"
ok 'a symbol too' grep -qE 'op=(read_zero|0x0)' "$tap_scratch/report"
grep -m 3 'types:' "$tap_scratch/report" | sed 's/^/# /'

# --- BPF: bpftrace makes programs of type TRACEPOINT

bpftrace -e 'tracepoint:functions:vfs_read /args->count == 17/ { @reads[comm] = count(); }
	tracepoint:functions:read_return /args->ret == 17/ { @returns = count(); }
	tracepoint:functions:vfs_read /args->count == 17/ { @stacks[kstack(2)] = count(); }
	' -c "/bin/bash -c reads" >"$tap_scratch/bpftrace" 2>&1
ok 'bpftrace reads a field' grep -q '^@reads\[dd\]: 3$' "$tap_scratch/bpftrace"
ok 'and the return value' grep -q '^@returns: 3$' "$tap_scratch/bpftrace"
ok 'bpf_get_stackid() works' grep -q 'vfs_read+' "$tap_scratch/bpftrace"
sed 's/^/# /' "$tap_scratch/bpftrace" | head -n 20

bpftrace -e 'tracepoint:functions:vfs_read /args->count == 17/ { printf("%s reads %d\n", comm, args->count); }
	' -c "/bin/bash -c reads" >"$tap_scratch/output" 2>&1
is 'bpf_perf_event_output() works' "$(grep -c '^dd reads 17$' "$tap_scratch/output")" 3

# A program that reads the record's second argument, which only one of the events has.
cat >"$tap_scratch/two.c" <<'END'
#define SEC(name) __attribute__((section(name), used))
struct record { unsigned long long ent, ip, parent_ip, a, b; };
SEC("tp/functions/EVENT") int two(struct record *r) { return r->b == 1; }
char LICENSE[] SEC("license") = "GPL";
END
echo 'vfs_mkdir(u64 a) as one_field' >>function_events
echo 'vfs_mkdir(u64 a, u64 b) as two_fields' >>function_events
attach()
{
	sed "s/EVENT/$1/" "$tap_scratch/two.c" >"$tap_scratch/$1.c"
	clang-19 -O2 -g -target bpf -c -o "$tap_scratch/$1.o" "$tap_scratch/$1.c" || return
	"$HYTRACE_BPFTOOL" prog load "$tap_scratch/$1.o" "/sys/fs/bpf/$1" autoattach
}
mount -t bpf bpf /sys/fs/bpf 2>/dev/null
ok 'a program may read to the end of the record' attach two_fields
is 'its link names the event' "$("$HYTRACE_BPFTOOL" link show pinned /sys/fs/bpf/two_fields |
	grep -o 'tracepoint two_fields')" 'tracepoint two_fields'
refusal=$(attach one_field 2>&1)
is 'and not past it' "$(grep -io -m 1 'permission denied' <<<"$refusal")" 'Permission denied'
rm -f /sys/fs/bpf/two_fields /sys/fs/bpf/one_field

bpftrace -e 'tracepoint:functions:vfs_read { @ = count(); }' >/dev/null 2>&1 &
job=$!
for _ in {1..40}; do
	bpftool perf 2>/dev/null | grep -q tracepoint && break
	sleep .5
done
ok 'bpftool perf names the event' bash -c 'bpftool perf | grep -q "tracepoint *vfs_read"'
is 'an event with a program is busy' \
	"$(bash -c 'echo "!vfs_read" >>function_events' 2>&1 | grep -o busy)" busy
kill -INT "$job"
wait "$job"
is 'nothing is hooked when all have left' "$(wc -l <enabled_functions)" 0
ok 'and all can go' bash -c 'echo >function_events'
is 'nothing is left' "$(cat function_events)" ''

tap_end
