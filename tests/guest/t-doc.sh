#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# Runs every example of Documentation/trace/oneshot.rst and function-events.rst, in the document's order, in a shell
# that stops at the first failure.
# shellcheck disable=SC2016 # for shells to come

. "$(dirname "$(realpath "$0")")/doc-lib.sh"

# ---- oneshot.rst

mkdir "$tap_scratch/bin"
PATH+=:$tap_scratch/bin
printf '#!/bin/sh\nmkdir "%s/made" && rmdir "%s/made"\n' "$tap_scratch" "$tap_scratch" \
	>"$tap_scratch/bin/run-the-workload"
chmod +x "$tap_scratch/bin/run-the-workload"

examples oneshot.rst | sed "s|-e vmlinux|-e '$HYTRACE_VMLINUX'|" >"$tap_scratch/examples"
ok 'oneshot.rst has examples' [ "$(wc -l <"$tap_scratch/examples")" -gt 12 ]
ok 'all examples of oneshot.rst succeed' sh -ex -c '. "$1" >"$2"' sh "$tap_scratch/examples" "$tap_scratch/out"
cd $tracing || exit 1
ok 'the first example shows a set with thousands of entries' \
	[ "$(grep -cE '^([0-9a-f]{16}|[0-9a-f]+ [^ ]+)$' "$tap_scratch/out")" -gt 1000 ]
is 'the second and the third example show names of functions' "$(grep -cE '^ *vfs_mkdir$' "$tap_scratch/out")" 2
ok 'the third example shows their places in the source' grep -q '/namei\.c:[0-9]' "$tap_scratch/out"
echo nop >current_tracer
echo 0 >oneshot_seen
echo >set_ftrace_filter
echo >set_ftrace_pid
for option in function-fork oneshot-sym oneshot-linkaddr; do
	echo 0 >options/$option
done
is 'oneshot.rst explains the statistics that there are' \
	"$(sed -n '/^oneshot_stats$/,/^oneshot_size$/p' "$documents/oneshot.rst" | sed '1d;$d' | cut -c3-24 |
		grep -oE '^[a-z][a-z_, ]*' | grep -v '^One ' | tr -d ' ' | tr ',' '\n' | sort)" \
	"$(names oneshot_stats)"

# ---- function-events.rst

examples function-events.rst >"$tap_scratch/examples"
ok 'function-events.rst has examples' [ "$(wc -l <"$tap_scratch/examples")" -gt 80 ]
ok 'all examples of function-events.rst succeed' sh -ex "$tap_scratch/examples"
is 'the examples leave no function hooked' "$(wc -l <enabled_functions)" 0
echo >function_events
is 'nor busy' "$(cat function_events)" ''

tap_end
