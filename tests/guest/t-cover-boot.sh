#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: ftrace=oneshot oneshot_size=0
#
# Needs a guest of its own, because the set of the boot is there only once. oneshot_size=0, the default, makes the
# command line differ from other tests'.
#
# hytrace cover --boot reports what ftrace=oneshot has recorded since the boot, in the form of any other run.
# t-cover-boot.host.sh checks the documents.

. "$(dirname "$(realpath "$0")")/loader.sh"

is 'oneshot has run since the boot' "$(cat $tracing/current_tracer)" oneshot
start=$SECONDS
ok '--boot reads the set of the boot' "$hytrace" cover --boot --vmlinux "$HYTRACE_VMLINUX" \
	-o boot.json -o boot.tailor -o boot.txt
passed=$((SECONDS - start + 1))
is '--boot leaves the tracer running' "$(cat $tracing/current_tracer)" oneshot
cp boot.json boot.tailor boot.txt $tracing/available_filter_functions_addrs /proc/kallsyms "$HYTRACE_FILES"
ok '--boot is refused with --task and a command' sh -c "$hytrace cover --boot --task -- true 2>/dev/null;
	[ \$? = 125 ]"
for option in --no-callers '--max-entries 9'; do
	# shellcheck disable=SC2086 # two words
	ok "--boot is refused with $option" status 2 cover --boot $option
done
ok 'a run with oneshot beside the boot succeeds' "$hytrace" cover -e oneshot -o run.json -- sh -c 'true'
is 'that run leaves the tracer of the boot running' "$(cat $tracing/current_tracer)" oneshot
cp run.json "$HYTRACE_FILES"
echo 0 >$tracing/tracing_on
sleep 2
ok '--boot reads the set of a stopped tracer' "$hytrace" cover --boot -o stopped.json
is 'stopped: the window closes at the last hit' "$(jq '.window.closing_ns == ([.functions[-1], .callers[-1]] | map(.first_ns) | max)' stopped.json)" true
ok 'stopped: the window closes more than a second before the reading' jq -e '.window.closed_ns - .window.closing_ns > 1000000000' \
	stopped.json
# Hits go on until the end of the set is read.
# shellcheck disable=SC2016 # jq has variables of its own
ok 'running: the window closes when the set is read' jq -e --argjson passed $passed '.ended == "reading" and
	.window.closing_ns > ([.functions[-1], .callers[-1]] | map(.first_ns) | max) - $passed * 1000000000' boot.json

# ---- the list of functions

modprobe dummy
ok 'hytrace functions lists the functions of the running kernel' "$hytrace" functions -f json -o functions.json
cat $tracing/available_filter_functions_addrs >listed_addrs
cat /proc/kallsyms >listed_symbols
cp functions.json listed_addrs listed_symbols "$HYTRACE_FILES"
rmmod dummy

tap_end
