# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Messages that a kernel must not print during a test. This list is used for the logs and consoles of all guests.
# INFO: is printed by lockdep (a key that is not static), by RCU about a stall, and by the hung task detector.

splats='WARNING: |BUG: |INFO: |Oops|KASAN|UBSAN|suspicious RCU|blocked for more than|soft lockup|hard LOCKUP'
splats+='|detected stall|general protection fault|early exception'
# The exceptions have nothing to do with the series. The unwind data for the last instructions of return_to_handler()
# are wrong, and a backtrace from an NMI there warns of it. If a process is killed while it makes an instance, the
# kernel warns about that instance's ring buffer. An NMI takes long when the host is busy. The scheduler counts its
# deadline server as a task that keeps a CPU from going offline (fixed in 6.17).
no_splats='stack going in the wrong direction. at return_to_handler\|WARNING: .* trace_rb_cpu_prepare+'
no_splats+='\|INFO: NMI handler .* took too long to run\|WARNING: .* sched_cpu_dying+'

# splats_in FILE: prints such messages, and fails if there is none.
splats_in()
{
	grep -av "$no_splats" "$1" | grep -aE "$splats"
}

# lockdep_off FILE: succeeds and prints a line if lockdep is off; fails if it is on or the kernel has none. lockdep
# turns itself off after its first report, and sometimes without one. FILE is /proc/lockdep_stats.
lockdep_off()
{
	[[ -e $1 ]] && grep -q '^ *debug_locks: *0$' "$1" && echo "lockdep is off: $1"
}
