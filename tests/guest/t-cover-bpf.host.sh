#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks what t-cover-bpf.sh has copied from its guest: all functions of a command, against the kernel's symbols.
# shellcheck disable=SC2016 # jq has variables of its own

set -uo pipefail
# shellcheck source=tests/guest/cover-lib.sh
. "$(dirname "$(realpath "$0")")/cover-lib.sh"

is 'the document names its schema, engine, command and kernel' "$(jq -c '[.schema, .engine, .command, .kernel.release]' all.json)" \
	"[2,\"bpf\",[\"sh\",\"work.sh\"],\"$(<release)\"]"
ran all.json vfs_read vfs_write kernel_clone do_exit bprm_execve
ok 'the document has more than 100 callers' jq -e '.totals.callers > 100' all.json
once all.json
is 'each entry is in the log once' "$(jq '.cost.logged - .totals.entries - .lost.unresolvable_callers -
	.lost.unresolvable_functions' all.json)" 0
# These are calls, so a slow run has more of them than functions: 2,400 to 5,100 in a second were seen. Ten times as many are
# not those of interrupts alone.
missed_in_a_second=$(jq '.window as $w | .lost.recursion_misses * 1e9 / ($w.closed_ns - $w.opening_ns) | floor' all.json)
echo "# calls that were missed in a second: $missed_in_a_second"
ok 'only calls in interrupts are missed' [ "$missed_in_a_second" -lt 50000 ]
ok 'entries are in the order of their first hits' jq -e 'all(.functions, .callers; map(.first_ns) | . == sort)' all.json
ok 'first hits are within the window' jq -e '.window as $w | all((.functions + .callers)[].first_ns;
	. >= $w.opening_ns - 1000000 and . <= $w.closed_ns + 1000000)' all.json
ok 'totals.entries is the number of functions and callers' jq -e '.totals.entries == (.functions + .callers | length)' all.json
is 'the clock of first_ns is the ring buffer'\''s' "$(jq .window.clock all.json)" '"local"'

symbols_agree all.json
is 'the build id is the kernel'\''s' "$(jq -r .kernel.build_id all.json)" \
	"$(perl -e 'local $/; $_ = <>; /\x14\0\0\0\x03\0\0\0GNU\0(.{20})/s; print unpack("H*", $1)' \
		notes)"
ok 'the engine'\''s own helpers are listed as denied' jq -e \
	'.filters.denied_by_hytrace | index("bpf_ktime_get_ns")' all.json
ok 'denied functions are not recorded' jq -e '.filters.denied_by_hytrace as $own | any(.functions[];
	(.name as $n | $own | index($n))) | not' all.json

tap_end
