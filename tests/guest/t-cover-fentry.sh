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
attached='grep -c direct-- $tracing/enabled_functions >direct; grep -c "^[^[:space:]]" $tracing/enabled_functions >all; sh work.sh'
ok 'covers a command' "$hytrace" cover -e bpf -a 'vfs_*' -o auto.json -- sh -c "$attached"
is 'it is the choice where the kernel has it' "$(jq -r .options.entry auto.json)" fentry
is 'the document counts the functions that are on it' "$(jq .cost.by_fentry auto.json)" "$(<direct)"
is 'all that were asked for are attached to' "$(<all)" "$(jq .totals.traced auto.json)"
ok 'some are left to kprobe.multi' [ "$(<direct)" -lt "$(<all)" ]
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

# ---- what is recorded is what kprobe.multi records

# Both at the same time. On functions that both are on, each call is slow, so these are not all.
some=(-a 'd*' -a 'v*' -a 'p*' -a 'k*')
ok 'both entries cover the same command' "$hytrace" cover -e bpf --entry fentry "${some[@]}" --task -o outer.json -- \
	"$hytrace" cover -e bpf --entry kprobe "${some[@]}" --task -o inner.json -- sh -c 'sh work.sh; sleep 0.1; ls -l / >/dev/null'
jq -r '.functions[].name' inner.json | sort -u >inner
jq -r '.functions[].name' outer.json | sort -u >outer
ok 'there are hundreds of functions' [ "$(wc -l <inner)" -gt 200 ]
is 'each function that kprobe.multi has recorded is recorded' "$(comm -23 inner outer)" ''
callers_of()
{
	jq -r '.callers[] | select(.symbol_offset) | "\(.name)+\(.symbol_offset)"' "$1" | sort -u
}
is 'each caller, too' "$(comm -23 <(callers_of inner.json) <(callers_of outer.json))" ''
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

# System calls have one argument; these are called with none to six, from the functions behind the system calls.
"$hytrace" cover -e bpf --entry fentry -a sched_exec -a do_sys_openat2 -a ksys_read -a ksys_mmap_pgoff -a vm_mmap_pgoff -a do_mmap -a __vm_munmap \
	-f json -o pairs.json -- sh work.sh 2>/dev/null
pair()
{
	jq -r --arg f "$1" '.functions[] | select(.name == $f) | .caller.name' pairs.json
}
# Who calls these, which have no and three arguments, depends on what the compiler has inlined.
"$hytrace" cover -e bpf --entry kprobe -a ksys_read -a sched_exec -f json -o k.json -- sh work.sh 2>/dev/null
is 'all of these are on fentry.multi' "$(jq .cost.by_fentry pairs.json)" 7
for f in sched_exec ksys_read; do
	by_kprobe=$(jq -r --arg f $f '.functions[] | select(.name == $f) | .caller.name // empty' k.json)
	ok "kprobe.multi shows the caller of $f" test -n "$by_kprobe"
	is "fentry.multi shows the same caller of $f" "$(pair $f)" "$by_kprobe"
done
# Starting a program calls it, too, and may be the first.
ok 'the caller of a function with six arguments' jq -e 'any(.callers[]; .name == "ksys_mmap_pgoff")' pairs.json
is 'the caller of a function with nine arguments' "$(pair do_mmap)" vm_mmap_pgoff

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
is 'the module can be unloaded afterwards' "$(rmmod dummy 2>&1)" ''

ok 'nothing is left behind' nothing_left

tap_end
