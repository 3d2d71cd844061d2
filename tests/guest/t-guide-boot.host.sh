#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Compares what the commands of docs/boot.md have printed in the guest of t-guide-boot.sh with what the page shows, and
# whether the page explains all that they print.

here=$(dirname "$(realpath "$0")")
page=$(dirname "$(dirname "$here")")/docs/boot.md
. "$here/doc-lib.sh"

# If the machine is busy, the kernel measures its time stamp counter late, and says so on page after page.
grep -h "the kernel's clock went back by" sessions/*.printed | sort -u | sed 's/^/# /'
sed -i "/^hytrace: warning: the kernel's clock went back by/d" sessions/*.printed
agree sessions

# What the page explains is all that there is.
account=$(grep -lx 'hytrace boot time' sessions/*.root)
account=${account%.root}.printed
is 'time prints the account alone' "$(grep -c '^[A-Z]* .*START' "$account")" 1
is 'the page explains each part of the account' "$(sed '1,/^PART/d' "$account" |
	sed -n 's/  .*//; s/, with the .*//; s/^initcalls: .*/initcalls: early ... late/; /^It begins/q; p' | sort -u |
	while read -r part; do grep -qF "| $part |" "$page" || echo "$part"; done)" ''
# The column FOR goes until the next one begins.
awk '/^PROCESS 1 WAITED IN/ { from = index($0, " FOR ") + 1; rest = substr($0, from + 3)
		match(rest, /^ */); width = RLENGTH + 3; next }
	from && NF == 0 { exit }
	from { what = substr($0, from, width); sub(/ *$/, "", what); print what }' text | sort -u >waited
ok 'process 1 has waited for several things' [ "$(wc -l <waited)" -gt 3 ]
sed -n '/^| FOR /,/^$/p' "$page" >table
is 'the page explains each of them' "$(while read -r what; do grep -qF "$what" table || echo "$what"; done <waited)" ''

tap_end
