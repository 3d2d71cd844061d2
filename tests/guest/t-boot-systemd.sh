#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched stock
# nightly: patched stock
# append: trace_instance=hytrace_boot,initcall:*,module:module_load,sched:sched_process_exec,sched:sched_process_exit,sched:sched_waking,timer:hrtimer_expire_entry trace_buf_size=16M trace_options=nooverwrite
# vm: --init systemd --units tests/guest/units --append systemd.mask=postgresql.service --append systemd.mask=e2scrub_reap.service --append systemd.mask=systemd-binfmt.service
#
# hytrace boot on the whole of a boot whose init is systemd, with five units made for it. systemctl and systemd-analyze
# tell the same of it; what they do not tell, two markers in the trace do: how the clocks belong together. The guest is
# slow, so t-boot-systemd.host.sh compares. t-guide-boot runs this in its own guest, whose boot was asked for more events.

. "$(dirname "$(realpath "$0")")/tap.sh"
cd "$tap_scratch" || exit 1
tracing=/sys/kernel/tracing

# writes CLAIM FILE WORD...: hytrace boot WORD... writes that file, if no test has left it that ran before in this guest
writes()
{
	[[ -s $HYTRACE_FILES/$2 ]] || ok "$1" "$hytrace" boot "${@:3}" -o "$HYTRACE_FILES/$2"
}

writes 'hytrace boot writes json' boot.json -f json
writes 'hytrace boot writes text' text -n 1000
writes 'hytrace boot draws a picture' boot.svg plot
"$hytrace" boot blame -o blame.json
"$hytrace" boot critical-chain -o chain.json
"$hytrace" boot critical-chain -f text -o text.json
is 'a file whose name ends in .json is json, unless -f says otherwise' "$(head -c 1 blame.json) $(head -c 1 chain.json) $(
	head -n 1 text.json | xargs)" '{ { WAITED FOR STARTED TIME'

# What systemd tells of each unit, and of the whole.
cat /proc/modules >modules
systemctl list-units --all --plain --no-legend | awk '{ print $1 }' >units
xargs -d '\n' systemctl show -p Id -p InactiveExitTimestampMonotonic -p ActiveEnterTimestampMonotonic -- <units >shown
systemctl show -P UnitsLoadFinishTimestampMonotonic >loaded
systemd-analyze critical-chain --no-pager >their-chain
systemd-analyze blame --no-pager >their-blame
systemd-analyze time >their-time
systemd-analyze plot >"$HYTRACE_FILES/their-plot"

# ---- who is not root

if [[ -e /run/dbus/system_bus_socket ]]; then
	is 'who is not root may ask, too' "$(setpriv --reuid=65534 --clear-groups "$hytrace" boot critical-chain -f json 2>&1)" \
		"$(<chain.json)"
else
	setpriv --reuid=65534 --clear-groups "$hytrace" boot critical-chain >said 2>&1
	is 'without a bus, who is not root is told' "$? $(grep -c 'systemd cannot be asked' said)" '3 1'
fi

# ---- the clocks

mkdir "$tracing/instances/tsc"
echo x86-tsc >"$tracing/instances/tsc/trace_clock"
cat >marks.pl <<'END'
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep);
open my $local, '>', "$ARGV[0]/instances/hytrace_boot/trace_marker" or die;
open my $tsc, '>', "$ARGV[0]/instances/tsc/trace_marker" or die;
# The host may stop the guest between two writes. Of many, those are taken that were made within the shortest time.
for my $mark ('warm', 'first', 'second') {
	my @best;
	for my $try (1 .. 100) {
		my $before = clock_gettime(CLOCK_MONOTONIC);
		syswrite $local, "mark-$mark-$try";
		syswrite $tsc, "mark-$mark-$try";
		my $after = clock_gettime(CLOCK_MONOTONIC);
		@best = ("$mark-$try", $before, $after) if !@best || $after - $before < $best[2] - $best[1];
	}
	printf "%s %.9f %.9f\n", @best;
	sleep 2;
}
END
# Without the events of the boot, the marks are found sooner.
echo 0 >"$tracing/instances/hytrace_boot/events/enable"
echo >"$tracing/instances/hytrace_boot/trace"
perl marks.pl "$tracing" >marks

# at INSTANCE MARK: prints when it was written
at()
{
	sed -n "s/.* \([0-9.]*\): tracing_mark_write: mark-$2\$/\1/p" "$tracing/instances/$1/trace"
}

# The first and the second mark, each in a line: when it was made by CLOCK_MONOTONIC, at the earliest and at the latest; and
# when by the clock of the boot, and by the TSC
tail -n 2 marks | while read -r mark times; do
	echo "$times $(at hytrace_boot "$mark") $(at tsc "$mark")"
done >clocks
rmdir "$tracing/instances/tsc"

# ---- without the events of initcalls

rmdir "$tracing/instances/hytrace_boot"
"$hytrace" boot blame -n 3 >few 2>said
is 'without the events of initcalls, blame has units' "$? $(wc -l <few) $(grep -c 'hytrace_boot is not there: it was removed' said)" '0 5 1'
"$hytrace" boot time -o time.txt 2>said
is 'time takes a file' "$(sed -n '3s/ .*//p' time.txt)" PART
"$hytrace" boot -f json -o removed.json 2>said
is 'so has the report, which says what is missing' "$? $(grep -c 'instances/hytrace_boot is not there: it was removed' said)" '0 1'
cp removed.json text.json chain.json blame.json their-* shown loaded modules clocks "$HYTRACE_FILES"

tap_end
