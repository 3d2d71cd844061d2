#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks the set that t-boot-size.sh has copied from its guest against the functions that can be traced.

. "$(dirname "$(realpath "$0")")/tap.sh"

is 'the set has as many entries as it can hold' "$(grep -c . oneshot_entries)" 3000
is 'no entry is there twice' "$(sort oneshot_seen | uniq -d)" ''
# Functions that ftrace_notrace= names have run if other functions were called from them.
ok 'functions that ftrace_notrace= names have run' [ "$({
		awk '$2 ~ /[tTwW]/ && NF == 3 { print $1, "s", $3 }' kallsyms
		awk '$2 == "caller" { print $1, "c" }' oneshot_entries
	} | sort | awk '$2 == "s" { name = $3 } $2 == "c" && name ~ /^vfs_/ { n++ } END { print n + 0 }')" -gt 0 ]
is 'functions that ftrace_notrace= names are not recorded' "$(
	awk '$2 != "caller" { print $1 }' oneshot_entries | sort |
		join -o 2.2 - <(sort available_filter_functions_addrs) | grep '^vfs_')" ''

tap_end
