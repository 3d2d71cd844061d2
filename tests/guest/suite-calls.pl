#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# A suite whose tests make system calls that are drawn: the truth about which functions belong to which test.
#
# usage: suite-calls.pl TESTS SEED TRUTH [MODE]
#
# Marks each test at $HYTRACE_MARK. MODE is what it does between two tests: nothing (default), or "gap": a system call that
# no test makes. With "results", there are no marks for the begin of a test, with "busy", tests make more calls. Writes "TEST FUNCTION" lines to TRUTH.

use strict;
use warnings;
use IO::Handle;
use IO::Poll qw(POLLIN);
use POSIX ();

my ($tests, $seed, $truth, $mode) = (@ARGV, '');
my $buffer = "\0" x 4096;
# Perl itself makes none of these while it marks.
my @calls = (
	[getuid => 102], [getgid => 104], [geteuid => 107], [getegid => 108], [getppid => 110], [getpgrp => 111],
	[umask => 95, 022], [sched_yield => 24], [getpriority => 140, 0, 0], [alarm => 37, 0], [times => 100, $buffer],
	[sysinfo => 99, $buffer], [newuname => 63, $buffer], [getrlimit => 97, 7, $buffer], [getrusage => 98, 0, $buffer],
	[sched_getscheduler => 145, 0], [sched_getparam => 143, 0, $buffer], [getpgid => 121, 0], [getsid => 124, 0],
	[personality => 135, 0xffffffff], [getresuid => 118, $buffer, $buffer, $buffer],
	[getresgid => 120, $buffer, $buffer, $buffer], [gettid => 186], [getcwd => 79, $buffer, 4096],
	[getitimer => 36, 0, $buffer], [sched_get_priority_max => 146, 1],
);

srand $seed;
open my $marks, '>', $ENV{HYTRACE_MARK} or die "$ENV{HYTRACE_MARK}: $!\n";
(my $path = $ENV{HYTRACE_MARK}) =~ s!/mark$!/answer!;
open my $answers, '<', $path or die "$path: $!\n";
open my $out, '>', $truth or die "$truth: $!\n";
$_->autoflush for $marks;

sub mark
{
	syswrite $marks, "$_[0]\n";
	sysread $answers, my $byte, 1;
}

for my $number (1 .. $tests) {
	my $name = "test $number";
	my @drawn = grep { $mode eq 'busy' || rand() < 0.3 } @calls;

	mark("begin $name") unless $mode eq 'results';
	for my $call (@drawn) {
		my (undef, @words) = @$call;

		syscall $words[0], @words[1 .. $#words];
	}
	mark($mode eq 'results' ? 'ok ' . $number . " - $name" : "end " . $number % 7 . " $name");
	print {$out} map { "$name,__x64_sys_$_->[0]\n" } @drawn;
	# getpgid() of a thread that does not exist, by another name: setpgid() fails, and no test calls it.
	syscall 109, -1, 0 if $mode eq 'gap';
}
close $out or die "$truth: $!\n";
