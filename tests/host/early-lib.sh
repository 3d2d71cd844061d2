#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests which version of the plugin interface early-lib.sh chooses for a QEMU, which guests it takes for hung, and how it
# reads a ring buffer. The version strings are those that real programs print; the tests in guests have only one QEMU.
# A guest is a script here.

. "$(dirname "$(realpath "$0")")/../guest/early-lib.sh"
HYTRACE_QEMU=$scratch/qemu
export HYTRACE_QEMU

ok 'the plugin is compiled for the QEMU here' test -s "$scratch/early_oracle.so"
while read -r wanted version; do
	printf '#!/bin/sh\necho "%s"\necho "Copyright (c) 2003-2025 Fabrice Bellard 10.1"\n' \
		"QEMU emulator version $version" >"$HYTRACE_QEMU"
	chmod +x "$HYTRACE_QEMU"
	is "QEMU $version" "$(plugin_version)" "$wanted"
done <<'END'
1 7.2.17 (Debian 1:7.2+dfsg-7+deb12u13)
1 8.2.2
2 9.0.4
3 9.1.0
4 9.2.0
4 10.0.13 (Debian 1:10.0.13+ds-1)
4 11.0.50 (v11.0.0-123-g0123456789)
END

# guest SCRIPT: runs the script as a guest, and prints the status of vm.sh after end_if_hung has watched it
guest()
{
	printf '#!/bin/bash\nexec >>%q\n%s\n' "$scratch/console" "$1" >"$scratch/qemu-fake"
	chmod +x "$scratch/qemu-fake"
	rm -f "$scratch/console"
	(exec bash -c '"$0" & pid=$!; trap "kill $pid; exit 143" TERM; wait $pid' "$scratch/qemu-fake") 2>/dev/null &
	end_if_hung $! "$scratch/console"
	echo $?
}

mkfifo "$scratch/nothing"
panic='echo "Kernel panic - not syncing: no memory"'
spin='for ((n = 0; n < 50000000; n++)); do :; done'
is 'a guest that spins after a panic is ended' "$(guest "$panic; $spin")" 143
is 'a guest that halts after an early exception is ended' \
	"$(guest "echo 'PANIC: early exception 0x0e'; read -rt 100 <>$scratch/nothing")" 143
is 'a guest that says something after a panic is not ended' \
	"$(guest "$panic; for n in {1..30}; do sleep .2; echo; done; exit 7")" 7
# Four seconds of processor time, twice what a guest has after a panic.
spin='until read -ra stat </proc/self/stat; ((stat[13] + stat[14] >= 400)); do :; done'
is 'a guest that spins without a panic is not ended' "$(guest "echo hello; $spin; exit 7")" 7
is 'a guest that ends by itself is not waited for' "$(guest "$panic; exit 7")" 7

# Two pages with a call, a step of 2^27 + 3, calls that took 7 and the two special durations, and a long event that is
# no call. The second page begins anew, and has flags beside its size.
perl -e 'my $call = sub { pack("L SCCl QQ", $_[0] << 5 | 6, 1, 0, 0, 0, 0xffffffff81000010, 0xffffffff81000020) };
	my $took = sub { pack("L SCCl QQQ", 8, 99, 0, 0, 0, 16, 32, $_[0]) };
	my $first = $call->(5) . pack("LL", 3 << 5 | 30, 1) . join("", map { $took->($_) } 7, 0, ~0) .
		pack("LL x200", 2 << 5, 204) . $call->(1);
	my $second = pack("LL", 31, 1) . $call->(4) . pack("LL", 29, 0);
	print map { pack("QQ a4080", 1000, length($_->[0]) | $_->[1], $_->[0]) } [$first, 0], [$second, 3 << 30]' \
	>"$scratch/pages"
is 'the calls in pages of a ring buffer are read' "$(calls_in "$scratch/pages")" '1005 ffffffff81000010 ffffffff81000020
134218736 10 20 7
134218736 10 20 open
134218736 10 20 unknown
134218739 ffffffff81000010 ffffffff81000020
134217732 ffffffff81000010 ffffffff81000020'
tap_end
