#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# Runs every example of Documentation/trace/function-events.rst, in its order, by a shell that stops
# at the first that fails.

set -uo pipefail
# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "$0")")/tap.sh"
rst=$(realpath "$(dirname "$0")")/../../kernel/files/Documentation/trace/function-events.rst

# The root's prompt begins an example, in a literal block.
sed -n 's/^  # //p' "$rst" >"$tap_scratch/examples"
ok 'there are examples' [ "$(wc -l <"$tap_scratch/examples")" -gt 80 ]
ok 'all of them run' sh -ex "$tap_scratch/examples"
is 'and leave nothing hooked' "$(wc -l </sys/kernel/tracing/enabled_functions)" 0
echo >/sys/kernel/tracing/function_events
is 'nor busy' "$(cat /sys/kernel/tracing/function_events)" ''

tap_end
