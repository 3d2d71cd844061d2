#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What t-boot-size.sh has brought out of its guest: the set, and which functions there are.

set -uo pipefail
# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "$0")")/tap.sh"

is 'there are as many as the set can have' "$(grep -c . oneshot_entries)" 3000
is 'nothing is there twice' "$(sort oneshot_seen | uniq -d)" ''
# Those that were called from there are recorded.
ok 'functions that ftrace_notrace= names have run until then' [ "$({
		awk '$2 ~ /[tTwW]/ && NF == 3 { print $1, "s", $3 }' kallsyms
		awk 'NF == 5 && $2 != "function" { print $1, "c" }' oneshot_entries
	} | sort | awk '$2 == "s" { name = $3 } $2 == "c" && name ~ /^vfs_/ { n++ } END { print n + 0 }')" -gt 0 ]
is 'and are not recorded' "$(
	awk '$2 != "caller" { print $1 }' oneshot_entries | sort |
		join -o 2.2 - <(sort available_filter_functions_addrs) | grep '^vfs_')" ''

tap_end
