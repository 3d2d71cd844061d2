#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: stock-7.3
#
# The BPF engine on fentry.multi: which functions are on it, that none is lost between it and kprobe.multi, and that the
# result is that of kprobe.multi. t-cover-bpf.sh checks everything that does not depend on it, with all functions.

# shellcheck disable=SC2016 # jq and the command's sh have variables of their own

set -uo pipefail
# shellcheck source=tests/guest/loader.sh
. "$(dirname "$(realpath "$0")")/loader.sh"

nothing_left()
{
	! ls -d $tracing/instances/hytrace-* ./*.tmp 2>/dev/null
}

cat >work.sh <<'END'
echo something >file
cat file >/dev/null
(exit 3)
kill -0 $$
END

is 'features: it is there' "$("$hytrace" features -f json fentry-multi | jq -r '.features[0].here')" yes

# ---- which functions are on it

export tracing
attached='cat $tracing/enabled_functions >enabled; grep -c direct-- enabled >direct; grep -c "^[^[:space:]]" enabled >all; sh work.sh'
ok 'covers a command' "$hytrace" cover -e bpf -a 'vfs_*' -o auto.json -- sh -c "$attached"
is 'it is the choice where the kernel has it' "$(jq -r .options.entry auto.json)" fentry
is 'the document counts the functions that are on it' "$(jq .cost.by_fentry auto.json)" "$(<direct)"
is 'all that were asked for are attached to' "$(<all)" "$(jq .totals.traced auto.json)"
ok 'some are left to kprobe.multi' [ "$(<direct)" -lt "$(<all)" ]
is 'each has one of the two, and none has both' "$(grep -c '^[^[:space:]]* (1)' enabled)" "$(<all)"
is 'afterwards none is attached' "$(wc -l <$tracing/enabled_functions)" 0

"$hytrace" cover -e bpf --entry kprobe -a 'vfs_*' -o kprobe.json -- sh -c "$attached" 2>/dev/null
is '--entry kprobe: none is on it' "$(<direct) $(jq -c '[.options.entry, .cost.by_fentry]' kprobe.json)" '0 ["kprobe",0]'
"$hytrace" cover -e bpf --entry fentry -a 'vfs_*' -o fentry.json -- sh -c "$attached" 2>/dev/null
is '--entry fentry: as many as by default' "$(<direct) $(jq -r .options.entry fentry.json)" "$(jq .cost.by_fentry auto.json) fentry"
"$hytrace" cover -e bpf -a 'vfs_*' --no-callers --retire -o retire.json -- sh work.sh 2>/dev/null
is '--retire is by kprobe.multi' "$(jq -c '[.options.entry, .cost.by_fentry]' retire.json)" '["kprobe",0]'

ok '--entry fentry: refused with --retire' says '--retire attaches again and again' 2 cover --entry fentry --no-callers --retire \
	--duration 1
ok '--entry fentry: refused with oneshot beside it' says 'with oneshot on the same functions' 2 cover -e both --entry fentry \
	-o both.json --duration 1
ok '--entry fentry: refused by the event engine' says '--entry is for the bpf engine' 2 cover -e event --entry fentry --duration 1

# ---- a kernel that refuses something

strace -f -e trace=bpf -o traced "$hytrace" cover -e bpf -a 'vfs_*' -o calls.json -- true
grep 'bpf(' traced >calls
# covered_with OUTCOME PATTERN MORE ARGUMENT...: covers while the first call of bpf(2) with PATTERN, and MORE calls after
# it, are not made, but have OUTCOME. $skip: so many calls with PATTERN are made before
skip=0
covered_with()
{
	local n

	rm -f refused.json
	n=$(grep -n "$2" calls | sed -n "$((skip + 1))s/:.*//p")
	[[ $n ]] || return
	strace -f -e trace=bpf -e "inject=bpf:$1:when=$n..$((n + $3))" -o injected \
		"$hytrace" cover -e bpf -a 'vfs_*' -o refused.json "${@:4}" -- true 2>err
}

# refused ERROR PATTERN ARGUMENT...: libbpf tries a second time
refused()
{
	covered_with "error=$1" "$2" 1 "${@:3}"
}

program='BPF_PROG_TYPE_TRACING.*prog_name="cover_fentry'
# EACCES is what the verifier says most often.
for error in EINVAL EACCES; do
	refused $error "$program"
	is "kprobe.multi takes the place of fentry.multi if its program is refused ($error)" \
		"$? $(jq -c '[.options.entry, .cost.by_fentry, .totals.traced]' refused.json)" \
		"0 [\"kprobe\",0,$(jq .totals.traced calls.json)]"
	ok "and a warning says so ($error)" grep -q 'warning: all functions are attached by kprobe.multi' err
	refused $error "$program" --entry fentry
	is "but not if fentry.multi was asked for ($error)" \
		"$? $(ls refused.json 2>/dev/null) $(grep -c 'cannot be loaded' err)" '125  1'
done
# The functions by which callers are tried out are not called, so no caller was seen.
covered_with retval=0 '^[^(]*bpf(BPF_PROG_[TES_]*RUN,' 0
is 'nor is fentry.multi used if it shows no callers where they are tried out' \
	"$? $(jq -c '[.options.entry, .cost.by_fentry, .totals.traced]' refused.json)" \
	"0 [\"kprobe\",0,$(jq .totals.traced calls.json)]"
ok 'and it is said how many were seen' grep -q 'shows the callers of 0 of [1-9][0-9]* calls' err
# The first two links of fentry.multi show that the kernel has it, and the callers. Refused are then all functions, all
# again as the search begins, their first half, its first half, and so on down to the first function alone.
skip=2
multi='BPF_LINK_CREATE.*attach_type=\(0x3b\|BPF_TRACE_FENTRY_MULTI\)'
halvings=0 count=$(jq .cost.by_fentry calls.json)
for ((rest = count; rest > 1; rest /= 2)); do
	((halvings++))
done
covered_with error=EINVAL "$multi" $((1 + halvings))
is 'a function that fentry.multi refuses is found, and is the only one that goes to kprobe.multi' \
	"$? $(jq -c '[.options.entry, .cost.by_fentry, .totals.traced, .lost.unattached]' refused.json)" \
	"0 [\"fentry\",$((count - 1)),$(jq .totals.traced calls.json),0]"
# The search halves each list down to single functions, which takes 2 * count - 1 calls after the first one.
covered_with error=EBUSY "$multi" $((2 * count - 1))
is 'if it refuses all of them, kprobe.multi takes all' \
	"$? $(jq -c '[.cost.by_fentry, .totals.traced, .lost.unattached]' refused.json)" "0 [0,$(jq .totals.traced calls.json),0]"
ok 'and the warning has the kernel'\''s reason' grep -q 'the kernel: fentry.multi cannot be attached: Device or resource busy' err
skip=0

# here_without_memory FEATURE CALL: the answer for FEATURE if bpf(CALL) says that there is no memory.
here_without_memory()
{
	local n

	strace -f -e trace=bpf -o traced "$hytrace" features "$1" >/dev/null
	n=$(grep 'bpf(' traced | grep -nm 1 "$2" | cut -d: -f1)
	strace -f -e trace=bpf -e "inject=bpf:error=ENOMEM:when=$n" -o injected "$hytrace" features -f json "$1" |
		jq -r '.features[0].here'
}
is 'features: if there is no memory to try it, it is not known whether it is there' \
	"$(here_without_memory fentry-multi "$multi")" unknown
is 'the same with kprobe.multi' "$(here_without_memory kprobe-multi 'BPF_LINK_CREATE.*BPF_TRACE_KPROBE_MULTI')" unknown
mount -t tmpfs none /sys/kernel/btf
is 'features: without BTF, that is the reason' \
	"$("$hytrace" features -f json fentry-multi | jq -c '.features[0] | [.here, .reason, .remedy]')" \
	'["no","this kernel has no BTF: there is no /sys/kernel/btf/vmlinux","boot a kernel with CONFIG_DEBUG_INFO_BTF"]'
umount /sys/kernel/btf

refused EINVAL 'map_name="libbpf_global' --no-callers
is 'a program without its global data is refused' "$? $(grep -q 'cannot be loaded' err && echo said)" '125 said'

# ---- a limit of open files

# limited ARGUMENT...: with a hard limit that only an administrator of the machine may raise
limited()
{
	rm -f limited.json
	(ulimit -n 200 && exec setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource \
		"$hytrace" cover -e bpf -a 'vfs_*' -o limited.json "$@" -- sh -c 'ulimit -n >limit') 2>err
}

(ulimit -n 200; "$hytrace" cover -e bpf -a 'vfs_*' -o raised.json -- sh -c 'ulimit -n >limit') 2>err
is 'the limit of open files is raised where that is allowed, and not for the command' \
	"$? $(jq .cost.by_fentry raised.json) $(<limit)" "0 $(jq .cost.by_fentry auto.json) 200"
limited
is 'kprobe.multi takes all where it is not' "$? $(jq -c '[.options.entry, .cost.by_fentry, .totals.traced]' limited.json)" \
	"0 [\"kprobe\",0,$(jq .totals.traced auto.json)]"
ok 'and a warning says so' grep -q 'warning: fentry.multi takes [0-9]* file descriptors besides the others: ' err
limited --entry fentry
is 'but not if fentry.multi was asked for' "$? $(ls limited.json 2>/dev/null) $(grep -c -- '--entry fentry takes' err)" '125  1'

# ---- what is recorded is what kprobe.multi records

# Both at the same time. On functions that both are on, each call is slow, so these are not all.
some=(-a 'd*' -a 'v*' -a 'p*' -a 'k*')
ok 'both entries cover the same command' "$hytrace" cover -e bpf --entry fentry "${some[@]}" --task -o outer.json -- \
	"$hytrace" cover -e bpf --entry kprobe "${some[@]}" --task -o inner.json -- sh -c 'sh work.sh; sleep 0.1; ls -l / >/dev/null'
jq -r '.functions[].name' inner.json | sort -u >inner
jq -r '.functions[].name' outer.json | sort -u >outer
ok 'there are hundreds of functions' [ "$(wc -l <inner)" -gt 200 ]
# A call that comes while the program runs on that CPU is missed and counted; each miss may hide one function and caller.
# There are more misses than functions, so they explain only one in fifty of these.
misses=$(jq .lost.recursion_misses outer.json)
# no_more_than_missed LACKING OF
no_more_than_missed()
{
	local lacking

	lacking=$(grep -c . "$1")
	[[ $lacking -le $misses && $((lacking * 50)) -le $(wc -l <"$2") ]] || { cat "$1"; return 1; }
}
comm -23 inner outer >lacking
echo "# lacking: $(grep -c . lacking) of $(wc -l <inner) functions, misses: $misses"
ok 'each function that kprobe.multi has recorded is recorded, or was missed' no_more_than_missed lacking inner
callers_of()
{
	jq -r '.callers[] | select(.symbol_offset) | "\(.name)+\(.symbol_offset)"' "$1" | sort -u
}
callers_of inner.json >inner
comm -23 inner <(callers_of outer.json) >lacking
echo "# lacking: $(grep -c . lacking) of $(wc -l <inner) callers"
ok 'each caller, too' no_more_than_missed lacking inner
is 'no caller could not be resolved' "$(jq -c '.lost | [.unresolvable_callers, .unresolvable_functions, .parents_lost]' outer.json)" \
	'[0,0,0]'

# ---- the smallest list, and another tracer that is on the functions by which callers are tried out

graph=$tracing/instances/graph
mkdir $graph
echo 'bpf_fentry_test*' >$graph/set_ftrace_filter
echo function_graph >$graph/current_tracer
ok 'covers one function while a return tracer is on' "$hytrace" cover -e bpf --entry fentry -a vfs_read -o one.json -- sh work.sh
is 'its only function is on it' "$(jq -c '[.cost.by_fentry, .totals.functions]' one.json)" '[1,1]'
echo nop >$graph/current_tracer
rmdir $graph
is 'afterwards nothing is attached' "$(wc -l <$tracing/enabled_functions)" 0

# ---- functions with all numbers of arguments show their callers

# The first callers of functions with none to nine arguments, the last three of which are on the stack.
pairs()
{
	"$hytrace" cover -e bpf --entry "$1" --task -a sched_exec -a __x64_sys_read -a ksys_read -a do_sys_openat2 -a vm_mmap_pgoff -a do_mmap \
		-f json -o pairs.json -- cat work.sh >/dev/null 2>&1
	jq -r '.functions[] | "\(.name) \(.caller.name)"' pairs.json | sort
}
pairs kprobe >wanted
ok 'kprobe.multi shows the caller of do_mmap' grep -qx 'do_mmap vm_mmap_pgoff' wanted
ok 'and of a function without arguments' grep -q '^sched_exec .' wanted
is 'each function has the caller that kprobe.multi shows' "$(pairs fentry)" "$(<wanted)"

# ---- modules

modprobe dummy numdummies=1
ok 'covers a module' "$hytrace" cover -e bpf -a ':mod:dummy' -f json -o module.json -- ip -s link show dummy0
ok 'functions of the module are on it' jq -e '.cost.by_fentry > 5 and .options.entry == "fentry"' module.json
ok 'a function of the module is recorded, with its caller' jq -e 'any(.functions[]; .name == "dummy_get_stats64" and
	.module == "dummy" and .caller.name == "dev_get_stats")' module.json
# As if its init function had just returned.
echo 4096 >initsize
mount --bind initsize /sys/module/dummy/initsize
"$hytrace" cover -e bpf -a ':mod:dummy' -f json -o coming.json -- ip -s link show dummy0 >/dev/null 2>&1
umount /sys/module/dummy/initsize
is 'a module that still has its init text is left to kprobe.multi' "$(jq -c '[.cost.by_fentry,
	any(.functions[]; .name == "dummy_get_stats64"), .lost.unattached]' coming.json)" '[0,true,0]'
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
sleep 5
kill $(jobs -p)
wait
missed >after
END
mkfifo fifo
"$hytrace" cover -e bpf -a ':mod:dummy' -f json -o missing.json -- bash missing.sh >/dev/null 2>&1
ok 'the program of a module misses calls of tasks that preempt it' [ "$(<after)" -gt "$(<before)" ]
ok 'and the document counts them' [ "$(jq .lost.recursion_misses missing.json)" -ge "$(($(<after) - $(<before)))" ]
is 'the module can be unloaded afterwards' "$(rmmod dummy 2>&1)" ''

ok 'nothing is left behind' nothing_left

tap_end
