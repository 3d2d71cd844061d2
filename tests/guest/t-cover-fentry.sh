#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: stock-7.3
# nightly: stock-7.3
#
# The BPF engine on fentry.multi: which functions are on it, that none is lost between it and kprobe.multi, and that the
# result is that of kprobe.multi. t-cover-bpf.sh checks everything that does not depend on it, with all functions.
# t-cover-fentry.host.sh checks the documents, because jq is slow in a guest.

# shellcheck disable=SC2016 # the command's sh has variables of its own

. "$(dirname "$(realpath "$0")")/loader.sh"

cat >work.sh <<'END'
echo something >file
cat file >/dev/null
(exit 3)
kill -0 $$
END

ok 'features: it is there' "$hytrace" features fentry-multi

# ---- which functions are on it

# attached NAME: a command that counts the functions which are attached
attached()
{
	echo "cat $tracing/enabled_functions >$1.enabled; grep -c direct-- $1.enabled >$1.direct; sh work.sh"
}
(ulimit -n 200; "$hytrace" cover -e bpf -a 'vfs_*' -o auto.json -- sh -c "ulimit -n >limit; $(attached auto)") 2>/dev/null
is 'covers a command, and the limit of open files is raised where that is allowed, and not for the command' "$? $(<limit)" '0 200'
is 'afterwards none is attached' "$(wc -l <$tracing/enabled_functions)" 0
"$hytrace" cover -e bpf --entry kprobe -a 'vfs_*' -o kprobe.json -- sh -c "$(attached kprobe)" 2>/dev/null
"$hytrace" cover -e bpf --entry fentry -a 'vfs_*' -o fentry.json -- sh -c "$(attached fentry)" 2>/dev/null
"$hytrace" cover -e bpf -a 'vfs_*' --no-callers --retire -o retire.json -- sh work.sh 2>/dev/null

ok '--entry fentry: refused with --retire' says '--retire attaches again and again' 2 cover --entry fentry --no-callers --retire \
	--duration 1
ok '--entry fentry: refused with oneshot beside it' says 'with oneshot on the same functions' 2 cover -e both --entry fentry \
	-o both.json --duration 1
ok '--entry fentry: refused by the event engine' says '--entry is for --engine bpf' 2 cover -e event --entry fentry --duration 1

# ---- a kernel that refuses something

strace -f -e trace=bpf -o traced "$hytrace" cover -e bpf -a 'vfs_*' -o calls.json -- true
grep 'bpf(' traced >calls
# covered_with NAME OUTCOME PATTERN MORE ARGUMENT...: covers while the first call of bpf(2) with PATTERN, and MORE calls after
# it, are not made, but have OUTCOME. The result is NAME.json. $skip: so many calls with PATTERN are made before
skip=0
covered_with()
{
	local n

	n=$(grep -n "$3" calls | sed -n "$((skip + 1))s/:.*//p")
	[[ $n ]] || return
	strace -f -e trace=bpf -e "inject=bpf:$2:when=$n..$((n + $4))" -o injected \
		"$hytrace" cover -e bpf -a 'vfs_*' -o "$1.json" "${@:5}" -- true 2>err
}

# refused NAME ERROR PATTERN ARGUMENT...: libbpf tries a second time
refused()
{
	covered_with "$1" "error=$2" "$3" 1 "${@:4}"
}

program='BPF_PROG_TYPE_TRACING.*prog_name="cover_fentry'
# EACCES is what the verifier says most often.
for error in EINVAL EACCES; do
	refused "refused-$error" $error "$program"
	is "a refused program of fentry.multi does not end the run ($error)" $? 0
	ok "and a warning says so ($error)" grep -q 'warning: all functions are attached by kprobe.multi' err
	refused "asked-$error" $error "$program" --entry fentry
	is "but it does if fentry.multi was asked for ($error)" \
		"$? $(ls "asked-$error.json" 2>/dev/null) $(grep -c 'cannot be loaded' err)" '125  1'
done
# The functions by which callers are tried out are not called, so no caller was seen.
covered_with callerless retval=0 '^[^(]*bpf(BPF_PROG_[TES_]*RUN,' 0
is 'the run goes on if fentry.multi shows no callers where they are tried out' $? 0
ok 'and it is said how many were seen' grep -q 'shows the callers of 0 of [1-9][0-9]* calls' err
# The first two links of fentry.multi show that the kernel has it, and the callers. Refused are then all functions, all
# again as the search begins, their first half, its first half, and so on down to the first function alone.
skip=2
multi='BPF_LINK_CREATE.*attach_type=\(0x3b\|BPF_TRACE_FENTRY_MULTI\)'
halvings=0 count=$(jq .cost.by_fentry calls.json)
for ((rest = count; rest > 1; rest /= 2)); do
	((halvings++))
done
covered_with one-refused error=EINVAL "$multi" $((1 + halvings))
is 'the run goes on if fentry.multi refuses a function' $? 0
# The search halves each list down to single functions, which takes 2 * count - 1 calls after the first one.
covered_with all-refused error=EBUSY "$multi" $((2 * count - 1))
is 'the run goes on if it refuses all of them' $? 0
ok 'and the warning has the kernel'\''s reason' grep -q 'the kernel: fentry.multi cannot be attached: Device or resource busy' err
skip=0

# here_without_memory FEATURE CALL: the answer for FEATURE if bpf(CALL) says that there is no memory.
here_without_memory()
{
	local n

	strace -f -e trace=bpf -o traced "$hytrace" features "$1" >/dev/null
	n=$(grep 'bpf(' traced | grep -nm 1 "$2" | cut -d: -f1)
	strace -f -e trace=bpf -e "inject=bpf:error=ENOMEM:when=$n" -o injected "$hytrace" features -f json "$1"
}
here_without_memory fentry-multi "$multi" >memory-fentry.json
here_without_memory kprobe-multi 'BPF_LINK_CREATE.*BPF_TRACE_KPROBE_MULTI' >memory-kprobe.json
mount -t tmpfs none /sys/kernel/btf
"$hytrace" features -f json fentry-multi >btf.json
umount /sys/kernel/btf

refused global EINVAL 'map_name="libbpf_global' --no-callers
is 'a program without its global data is refused' "$? $(grep -q 'cannot be loaded' err && echo said)" '125 said'

# ---- a limit of open files

# limited NAME ARGUMENT...: with a hard limit that only an administrator of the machine may raise
limited()
{
	(ulimit -n 200 && exec setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource \
		"$hytrace" cover -e bpf -a 'vfs_*' -o "$1.json" "${@:2}" -- true) 2>err
}

limited limited
is 'the run goes on where the limit may not be raised' $? 0
ok 'and a warning says so' grep -q 'warning: fentry.multi needs [0-9]* more file descriptors: ' err
limited asked-limited --entry fentry
is 'but not if fentry.multi was asked for' "$? $(ls asked-limited.json 2>/dev/null) $(grep -c -- '--entry fentry needs' err)" '125  1'

# ---- what is recorded is what kprobe.multi records

# Both at the same time. On functions that both are on, each call is slow, so these are not all.
some=(-a 'd*' -a 'v*' -a 'p*' -a 'k*')
ok 'both entries cover the same command' "$hytrace" cover -e bpf --entry fentry "${some[@]}" --task -o outer.json -- \
	"$hytrace" cover -e bpf --entry kprobe "${some[@]}" --task -o inner.json -- sh -c 'sh work.sh; sleep 0.1; ls -l / >/dev/null'

# ---- the smallest list, and another tracer that is on the functions by which callers are tried out

graph=$tracing/instances/graph
mkdir $graph
echo 'bpf_fentry_test*' >$graph/set_ftrace_filter
echo function_graph >$graph/current_tracer
ok 'covers one function while a return tracer is on' "$hytrace" cover -e bpf --entry fentry -a vfs_read -o one.json -- sh work.sh
echo nop >$graph/current_tracer
rmdir $graph
is 'afterwards nothing is attached' "$(wc -l <$tracing/enabled_functions)" 0

# ---- functions with all numbers of arguments show their callers

# The first callers of functions with none to nine arguments, the last three of which are on the stack.
pairs()
{
	"$hytrace" cover -e bpf --entry "$1" --task -a sched_exec -a __x64_sys_read -a ksys_read -a do_sys_openat2 -a vm_mmap_pgoff -a do_mmap \
		-f json -o "pairs-$1.json" -- cat work.sh >/dev/null 2>&1
}
pairs kprobe
pairs fentry

# ---- modules

modprobe dummy numdummies=1
ok 'covers a module' "$hytrace" cover -e bpf -a ':mod:dummy' -f json -o module.json -- ip -s link show dummy0
# As if its init function had just returned.
echo 4096 >initsize
mount --bind initsize /sys/module/dummy/initsize
"$hytrace" cover -e bpf -a ':mod:dummy' -f json -o coming.json -- ip -s link show dummy0 >/dev/null 2>&1
umount /sys/module/dummy/initsize
rmmod dummy

# Each module has a program of its own. It misses a call if it runs on that CPU, in a task that this one preempted.
modprobe dummy numdummies=200
cat >missing.sh <<'END'
missed()
{
	bpftool -j prog show | jq '[.[] | select(.name | startswith("cover_fentry")) | .recursion_misses // 0] | add'
}
missed >before
for cpu in $(seq 0 $(($(nproc) - 1))); do
	taskset -c $cpu bash -c 'while :; do mapfile -t lines </proc/net/dev; done' &
	taskset -c $cpu chrt -f 1 bash -c 'while :; do mapfile -t lines </proc/net/dev; read -rt 0.002; done' <>fifo &
done
end=$((SECONDS + 120))
until missed >after; [ "$(<after)" -gt "$(<before)" ] || ((SECONDS > end)); do
	sleep 0.5
done
kill $(jobs -p)
wait
missed >after
END
mkfifo fifo
"$hytrace" cover -e bpf -a ':mod:dummy' -f json -o missing.json -- bash missing.sh >/dev/null 2>&1
ok 'the program of a module misses calls of tasks that preempt it' [ "$(<after)" -gt "$(<before)" ]
is 'the module can be unloaded afterwards' "$(rmmod dummy 2>&1)" ''

ok 'nothing is left behind' nothing_left

find . -maxdepth 1 -type f ! -name '.*' -exec cp -t "$HYTRACE_FILES" {} +

tap_end
