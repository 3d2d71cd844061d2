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
# The first callers of functions may differ, as the outer command began earlier.
is 'no caller is in generated code' "$(jq '[.callers[] | select(.module == "bpf" or (.name | startswith("bpf_trampoline")))] | length' \
	outer.json)" 0
is 'no caller could not be resolved' "$(jq -c '.lost | [.unresolvable_callers, .unresolvable_functions, .parents_lost]' outer.json)" \
	'[0,0,0]'

# ---- functions with all numbers of arguments show their callers

# The first callers of functions with one to nine arguments, the last three of which are on the stack.
pairs()
{
	"$hytrace" cover -e bpf --entry "$1" --task -a __x64_sys_read -a ksys_read -a do_filp_open -a vm_mmap_pgoff -a do_mmap \
		-f json -o pairs.json -- cat work.sh >/dev/null 2>&1
	jq -r '.functions[] | "\(.name) \(.caller.name)"' pairs.json | sort
}
pairs kprobe >wanted
ok 'kprobe.multi shows the caller of do_mmap' grep -qx 'do_mmap vm_mmap_pgoff' wanted
is 'each function has the caller that kprobe.multi shows' "$(pairs fentry)" "$(<wanted)"

# ---- a kernel that does not show callers there

# The function graph tracer hides one of the callers for which this is tried out.
graph=$tracing/instances/graph
mkdir $graph
echo bpf_fentry_test3 >$graph/set_ftrace_filter
echo function_graph >$graph/current_tracer
ok 'covers a command all the same' status 0 cover -e bpf -a vfs_read -o hidden.json -- sh work.sh
is 'by kprobe.multi' "$(jq -c '[.options.entry, .cost.by_fentry]' hidden.json)" '["kprobe",0]'
ok 'a message tells why' grep -q 'fentry.multi shows the callers of 5 of 6 calls' err
ok 'without callers it does not matter' status 0 cover -e bpf -a vfs_read --no-callers -o hidden.json -- sh work.sh
is 'by fentry.multi then' "$(jq -r .options.entry hidden.json)" fentry
ok '--entry fentry fails' says 'fentry.multi shows the callers of 5 of 6 calls' 3 cover --entry fentry -a vfs_read --duration 1
echo nop >$graph/current_tracer
rmdir $graph

# ---- modules

modprobe dummy numdummies=1
ok 'covers a module' "$hytrace" cover -e bpf -a ':mod:dummy' -f json -o module.json -- ip -s link show dummy0
ok 'functions of the module are on it' jq -e '.cost.by_fentry > 5 and .options.entry == "fentry"' module.json
ok 'a function of the module is recorded, with its caller' jq -e 'any(.functions[]; .name == "dummy_get_stats64" and
	.module == "dummy" and .caller.name == "dev_get_stats")' module.json
is 'the module can be unloaded afterwards' "$(rmmod dummy 2>&1)" ''

tap_end
