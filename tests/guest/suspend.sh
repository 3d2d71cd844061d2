#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Suspends a machine to memory and lets QEMU wake it up, while function events wait for the returns of functions
# that are called on the way, and while the oneshot tracer records. Functions below the one that puts the
# machine to sleep never return, because the machine wakes up elsewhere. This runs on the host, because the
# guest cannot reach its files after it has slept (see suspend-inside.sh).
#
# Usage: tests/guest/suspend.sh [KERNEL]
#   KERNEL	as for vm.sh --kernel, with CONFIG_SUSPEND and CONFIG_HIBERNATION (default debug)

kernel=${1:-debug}
. "$(dirname "$(realpath "$0")")/tap.sh"
. "$clone/tests/guest/splats.sh"

# Wakes the machine up whenever it sleeps, and ends QEMU when the guest is done. QMP takes one command at a time and
# answers it. This becomes perl, so that whoever ends it ends perl, which would wait for ever for a QEMU that never starts.
wake_up()
{
	exec perl -e '
		use IO::Socket::UNIX;
		my $qmp;
		sleep 1 until $qmp = IO::Socket::UNIX->new(Peer => $ARGV[0]);
		$qmp->autoflush(1);
		sub ask
		{
			print $qmp qq({"execute": "$_[0]"}\n);
			while (<$qmp>) {
				return $_ if /"(return|error)"/;
			}
			exit;
		}
		<$qmp>;
		ask("qmp_capabilities");
		while (1) {
			ask("system_wakeup") if ask("query-status") =~ /"suspended"/;
			open(my $console, "<", $ARGV[1]) or next;
			ask("quit") if grep { /suspend: done=yes/ } <$console>;
		} continue {
			sleep 1;
		}' "$tap_scratch/qmp" "$tap_scratch/console"
}

wake_up >/dev/null &
waker=$!
"$clone/kernel/vm.sh" --kernel "$kernel" --qemu -global --qemu PIIX4_PM.disable_s3=0 \
	--qemu -qmp --qemu "unix:$tap_scratch/qmp,server=on,wait=off" \
	--append 'no_console_suspend printk.devkmsg=on ftrace=nop sysctl.kernel.watchdog_thresh=30' \
	--timeout 1800 --console "$tap_scratch/console" \
	-- sh "$clone/tests/guest/suspend-inside.sh" >"$tap_scratch/err" 2>&1
kill "$waker" 2>/dev/null
wait "$waker" 2>/dev/null
tr -d '\r' <"$tap_scratch/console" | sed -n 's/.*suspend: \([a-z_]*=\)/\1/p' >"$tap_scratch/out"
sed 's/^/# /' "$tap_scratch/out"

found()
{
	sed -n "s/^$1=//p" "$tap_scratch/out"
}

is 'the guest ran to its end' "$(found 'done')" yes
[[ $(found 'done') ]] || tail -n 30 "$tap_scratch/err" | sed 's/^/# /'
is 'no return is recorded while the machine hibernates, whoever ends that' \
	"$(found returns_hibernating) $(found returns_then)" '0 5'
ok 'the machine can be suspended to memory' grep -q '^modes=.*deep' "$tap_scratch/out"
is 'the machine was suspended twice' "$(found suspended) $(found suspended_again)" '1 2'
is 'the function that returns has one event for its call and one for its return' \
	"$(found enter) $(found enter_returns)" '1 1'
is 'the function that does not return has only an event for its call' "$(found below) $(found below_returns)" '1 0'
is 'its return is counted as missed, and its call is not' "$(found missed_below_returns) $(found missed_below)" '1 0'
ok 'so are the returns of all functions on the way down' [ "$(found missed_returns)" -gt 1 ]
is 'and none of their calls is' "$(found missed_calls)" 0
is 'the oneshot tracer records functions on the way down and up' "$(found seen_acpi_suspend_enter) $(found seen_acpi_pm_finish)" '1 1'
is 'events work after the second suspend' "$(found returns_again)" 1
is 'the machine was suspended while functions retired' "$(found suspended_retiring)" 3
is 'after that, interrupts that a CPU asks itself for still come' "$(found reader_woken)" 1
is 'and functions still retire' "$(found retires)" 1
is 'the kernel does not complain' "$(splats_in "$tap_scratch/console" | head -n 3)" ''

tap_end
