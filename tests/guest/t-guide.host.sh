#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the commands of docs/guide.md and README that need no root, on the documents that t-guide.sh has left here, and compares
# what all commands print with what the guide shows.
# shellcheck disable=SC2016 # jq has variables of its own

. "$(dirname "$(realpath "$0")")/doc-lib.sh"
PATH=$clone/build:$PATH
# What is kept of a kernel is kept here.
export XDG_CACHE_HOME=$PWD/cache
mkdir -p cache
ln -sf "$HYTRACE_VMLINUX" vmlinux

# The older kernel: the same one, but each function lies elsewhere, one has another name, and one is not there.
older='def older: map(select(.name != "ext4_init_new_dir") |
		if .name == "ext4_add_entry" then .name = "ext4_add_entry_old" else . end |
		if .addr then .addr |= (.[0:-1] + "8") else . end);
	.kernel.build_id |= "0ld" + .[3:] | .kernel.build_id |= sub("l"; "0") | .kernel.release = "6.12.100-older" |
	.functions |= older'
hytrace functions -f json --vmlinux vmlinux -o newer.functions.json
jq "$older" newer.functions.json >older.functions.json
jq "$older | .callers = [] | .totals.callers = 0" mkdir.json >older.json

play sessions user
agree sessions
play readme user
agree readme
ok 'the guide has commands of root and of others' [ "$(find sessions -name '*.root' | wc -l)" -gt 5 -a \
	"$(find sessions -name '*.user' | wc -l)" -gt 15 ]

tap_end
