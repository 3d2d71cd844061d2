#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks the documents that t-cover-fentry.sh has copied from its guest.
# shellcheck disable=SC2016 # jq has variables of its own

. "$(dirname "$(realpath "$0")")/cover-lib.sh"

# entry DOCUMENT: by what its functions were attached, and how many by fentry.multi
entry()
{
	jq -c '[.options.entry, .cost.by_fentry]' "$1"
}
by_fentry=$(jq .cost.by_fentry auto.json)
traced=$(jq .totals.traced auto.json)

# ---- which functions are on it

is 'it is the choice where the kernel has it, and the document counts the functions that are on it' "$(entry auto.json)" \
	"[\"fentry\",$(<auto.direct)]"
is 'all that were asked for are attached to' "$(grep -c '^[^[:space:]]' auto.enabled)" "$traced"
ok 'some are left to kprobe.multi' [ "$by_fentry" -lt "$traced" ]
is 'each has one of the two, and none has both' "$(grep -c '^[^[:space:]]* (1)' auto.enabled)" "$traced"
is '--entry kprobe: none is on it' "$(<kprobe.direct) $(entry kprobe.json)" '0 ["kprobe",0]'
is '--entry fentry: as many as by default, where the limit of open files is raised' "$(<fentry.direct) $(entry fentry.json)" "$by_fentry [\"fentry\",$by_fentry]"
is '--retire is by kprobe.multi' "$(entry retire.json)" '["kprobe",0]'

# ---- a kernel that refuses something

for name in refused-EINVAL refused-EACCES callerless limited; do
	is "kprobe.multi takes all functions instead ($name)" "$(entry $name.json) $(jq .totals.traced $name.json)" \
		"[\"kprobe\",0] $traced"
done
is 'a function that fentry.multi refuses is found, and is the only one that goes to kprobe.multi' \
	"$(entry one-refused.json) $(jq -c '[.totals.traced, .lost.unattached]' one-refused.json)" "[\"fentry\",$((by_fentry - 1))] [$traced,0]"
is 'if it refuses all of them, kprobe.multi takes all' \
	"$(jq -c '[.cost.by_fentry, .totals.traced, .lost.unattached]' all-refused.json)" "[0,$traced,0]"
is 'features: if there is no memory to try it, it is not known whether it is there' "$(jq -r '.features[0].here' memory-fentry.json)" unknown
is 'the same with kprobe.multi' "$(jq -r '.features[0].here' memory-kprobe.json)" unknown
is 'features: without BTF, that is the reason' "$(jq -c '.features[0] | [.here, .reason, .remedy]' btf.json)" \
	'["no","this kernel has no BTF: there is no /sys/kernel/btf/vmlinux","boot a kernel with CONFIG_DEBUG_INFO_BTF"]'

# ---- what is recorded is what kprobe.multi records

# outer.json is of fentry.multi, inner.json of kprobe.multi at the same time.
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
is 'the only function of the smallest list is on it' "$(jq -c '[.cost.by_fentry, .totals.functions]' one.json)" '[1,1]'

# ---- functions with all numbers of arguments show their callers

pairs()
{
	jq -r '.functions[] | "\(.name) \(.caller.name)"' "pairs-$1.json" | sort
}
pairs kprobe >wanted
ok 'kprobe.multi shows the caller of do_mmap' grep -qx 'do_mmap vm_mmap_pgoff' wanted
ok 'and of a function without arguments' grep -q '^sched_exec .' wanted
is 'each function has the caller that kprobe.multi shows' "$(pairs fentry)" "$(<wanted)"

# ---- modules

ok 'functions of a module are on it' jq -e '.cost.by_fentry > 5 and .options.entry == "fentry"' module.json
ok 'a function of the module is recorded, with its caller' jq -e 'any(.functions[]; .name == "dummy_get_stats64" and
	.module == "dummy" and .caller.name == "dev_get_stats")' module.json
is 'a module that still has its init text is left to kprobe.multi' "$(jq -c '[.cost.by_fentry,
	any(.functions[]; .name == "dummy_get_stats64"), .lost.unattached]' coming.json)" '[0,true,0]'
ok 'the document counts calls that the program of a module misses' \
	[ "$(jq .lost.recursion_misses missing.json)" -ge "$(($(<after) - $(<before)))" ]

tap_end
