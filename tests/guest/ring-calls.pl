#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# Prints the calls in pages of a ring buffer that were read from trace_pipe_raw, each one as "TIME SITE PARENT". Events
# early_call have a duration as well, which is printed as the kernel does. In a guest without KVM, the kernel needs
# a minute to print as many calls as a boot makes, and a second to copy their pages.

use strict;
use warnings;

while (read(STDIN, my $page, 4096)) {
	my ($time, $size) = unpack('QQ', $page);
	# Above the size are flags.
	my ($at, $end) = (16, 16 + ($size & 0xfffff));

	while ($at < $end) {
		my ($head, $next) = unpack('LL', substr($page, $at, 8) . "\0" x 4);
		my ($kind, $delta) = ($head & 31, $head >> 5);
		my $length = 4 + ($kind > 29 ? 4 : $kind ? 4 * $kind : $next);

		# 29 fills the page, or was an event that was taken back; 30 adds a large step to the time, and 31 is the whole time.
		if ($kind == 29) {
			last unless $delta;
			$at += 4 + $next;
			next;
		}
		$delta |= $next << 27 if $kind > 29;
		$time = $kind == 31 ? $delta : $time + $delta;
		if ($kind < 29) {
			my ($type, $site, $parent, $took) = unpack('S x6 QQQ', substr($page, $at + ($kind ? 4 : 8), $length) . "\0" x 8);

			# The number of early_call depends on the configuration, its size does not.
			if ($type == 1) {
				printf("%d %x %x\n", $time, $site, $parent);
			} elsif ($length == 36) {
				printf("%d %x %x %s\n", $time, $site, $parent, !$took ? 'open' : $took == ~0 ? 'unknown' : $took);
			}
		}
		$at += $length;
	}
}
