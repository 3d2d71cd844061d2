#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: hytrace.test=lockdown
#
# A kernel that is locked down does not show its addresses: opening each of the oneshot tracer's files is refused.
# Lockdown cannot be undone, so this test needs a guest of its own.

. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

echo vfs_mkdir >set_ftrace_filter
echo oneshot >current_tracer
mkdir "$tap_scratch/dir"
is 'before lockdown: mkdir is recorded' "$(wc -l <oneshot_seen)" 2
for file in oneshot_entries oneshot_stats oneshot_size oneshot_retire_ms; do
	ok "before lockdown: $file can be read" cat $file
done
exec 3<oneshot_seen

echo confidentiality >/sys/kernel/security/lockdown
is 'the kernel is locked down' \
	"$(grep -o '\[.*\]' /sys/kernel/security/lockdown)" '[confidentiality]'

refused()
{
	! cat "$1" >/dev/null 2>&1
}

cannot_write()
{
	! { echo 0 >"$1"; } 2>/dev/null
}

for file in oneshot_seen oneshot_entries oneshot_stats oneshot_size oneshot_retire_ms; do
	ok "$file cannot be read" refused $file
done
ok 'oneshot_seen cannot be cleared' cannot_write oneshot_seen
ok 'oneshot_size cannot be set' cannot_write oneshot_size
ok 'oneshot_retire_ms cannot be set' cannot_write oneshot_retire_ms
exec 3<&-

for engine in oneshot bpf; do
	is "hytrace cover -e $engine: not permitted" \
		"$("$hytrace" cover -e $engine --duration 1 2>"$tap_scratch/err"; echo $?)" 3
	ok 'it says that the kernel is locked down or hides its addresses' \
		grep -qE 'locked down|shows no addresses' "$tap_scratch/err"
done

is 'hytrace features: lockdown is what is missing' \
	"$("$hytrace" features -f json lockdown cover-oneshot cover-bpf cover-event | jq -c '[.features[] | [.here, .needs]] | unique')" \
	'[["no",null],["no","lockdown"]]'

is 'hytrace event add: not permitted' \
	"$("$hytrace" event add 'vfs_read()' 2>"$tap_scratch/err"; echo $?)" 3
ok 'hytrace event add says that the kernel is locked down' grep -q 'locked down' "$tap_scratch/err"

tap_end
