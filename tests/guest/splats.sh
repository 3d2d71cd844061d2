# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What no test may make the kernel say. This is the one list, for the logs and consoles of all guests.
# INFO: is lockdep's (a key that is not static), RCU's of a stall, and the hung task detector's.

splats='WARNING: |BUG: |INFO: |Oops|KASAN|UBSAN|suspicious RCU|blocked for more than|soft lockup|hard LOCKUP'
splats+='|detected stall|general protection fault|early exception'
# But these: the unpatched kernel's unwind data for the last instructions of return_to_handler() are
# wrong, and a backtrace that an NMI makes there tells so; it warns of the ring buffer that a process
# is killed over while it makes an instance; an NMI takes long when the host does something else; and the
# scheduler counts its deadline server as a task that keeps a CPU from going offline (mended in 6.17).
no_splats='stack going in the wrong direction. at return_to_handler\|WARNING: .* trace_rb_cpu_prepare+'
no_splats+='\|INFO: NMI handler .* took too long to run\|WARNING: .* sched_cpu_dying+'

# splats_in FILE: prints them, and fails when there is none.
splats_in()
{
	grep -av "$no_splats" "$1" | grep -aE "$splats"
}

# lockdep_off FILE: prints a line when lockdep is off, and fails when it is on or the kernel has none. After
# its first report it sees nothing more, and it can be off without a report. FILE is /proc/lockdep_stats.
lockdep_off()
{
	[[ -e $1 ]] && grep -q '^ *debug_locks: *0$' "$1" && echo "lockdep is off: $1"
}
