# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by run.sh and early-lib.sh: what the QEMU of a guest does, for those who end a guest that hangs.

# work_of VM: sets $ticks, the processor time that the QEMU of that vm.sh has taken, and $runs, whether any thread of it wants
# to run now or waits for a disk. Fails if there is no QEMU yet. $qemu keeps its process; it is empty at first.
# shellcheck disable=SC2034 # variables of those who call it
work_of()
{
	[[ $qemu ]] || qemu=$(pgrep -P "$1" '^qemu' | head -n 1)
	[[ $qemu ]] || return
	read -r ticks runs < <(sed 's/.*) //' "/proc/$qemu"/task/*/stat 2>/dev/null |
		awk '{ ticks += $12 + $13 } $1 ~ /[RD]/ { runs = 1 } END { print ticks + 0, runs + 0 }')
}
