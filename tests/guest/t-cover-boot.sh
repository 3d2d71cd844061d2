#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: ftrace=oneshot oneshot_size=0
#
# A guest of its own, as what the boot has recorded is there once: hence the size, which is the default.
#
# hytrace cover --boot: what ftrace=oneshot has recorded since boot, by the same words as any other run.
# What the documents say is for t-cover-boot.host.sh.

set -uo pipefail
# shellcheck source=tests/guest/loader.sh
. "$(dirname "$(realpath "$0")")/loader.sh"

is 'oneshot runs since boot' "$(cat $tracing/current_tracer)" oneshot
ok 'takes boot'\''s set' "$hytrace" cover --boot --vmlinux "$HYTRACE_VMLINUX" \
	-o boot.json -o boot.tailor -o boot.txt
is 'and leaves the tracer as it is' "$(cat $tracing/current_tracer)" oneshot
cp boot.json boot.tailor boot.txt $tracing/available_filter_functions_addrs /proc/kallsyms "$HYTRACE_FILES"
ok '--boot goes with nothing that would trace' sh -c "$hytrace cover --boot --task -- true 2>/dev/null;
	[ \$? = 125 ]"
for option in --no-callers '--max-entries 9'; do
	# shellcheck disable=SC2086 # two words
	ok "nor with $option" status 2 cover --boot $option
done
ok 'a run beside it' "$hytrace" cover -e oneshot -o run.json -- sh -c 'true'
is 'that does not touch it' "$(cat $tracing/current_tracer)" oneshot
cp run.json "$HYTRACE_FILES"
echo 0 >$tracing/tracing_on
sleep 2
ok 'takes it when it was stopped before, too' "$hytrace" cover --boot -o stopped.json
is 'its window ends with the last hit' "$(jq '.window.closing_ns == ([.functions[-1], .callers[-1]] | map(.first_ns) | max)' stopped.json)" true
ok 'which is more than a second before it was read' jq -e '.window.closed_ns - .window.closing_ns > 1000000000' \
	stopped.json
ok 'that of a tracer that goes on is that of the reading' jq -e \
	'.ended == "reading" and .window.closing_ns > ([.functions[-1], .callers[-1]] | map(.first_ns) | max) - 1000000000' boot.json

tap_end
