#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# Compares what a document shows of a command's output with what the command printed. In the document,
#
#	a line with ... alone	stands for any lines, also none
#	... in a line		stands for any text
#	blanks			stand for any blanks
#	0 (0.0)			is 0
#	any other number	stands for any number that is not 0; hexadecimal with 0x
#
# A digit in a word, as in ext4 or 64M, is no number. All else must be the same. Prints the first lines that do not agree,
# and fails.
#
# usage: shows.pl SHOWN PRINTED

use strict;
use warnings;

my $value = qr/0x[0-9a-f]++|\d++(?:\.\d++)*+/;
my $number = qr/(?<![\w.])(?:$value)(?![A-Za-z_])/;
my $zero = qr/0++(?:\.0++)?+(?!\.?\d)(?!x)/;

sub lines
{
	my ($path) = @_;

	open(my $file, '<', $path) or die("$path: $!\n");
	chomp(my @lines = <$file>);
	return map { s/\s+$//r } @lines;
}

sub pattern
{
	my ($line) = @_;
	my $pattern = '';

	for (split(/(\.\.\.|$number|\s+)/, $line)) {
		if ($_ eq '...') {
			$pattern .= '.*';
		} elsif (/^\s+$/) {
			$pattern .= '\s+';
		} elsif (/^$zero$/) {
			$pattern .= $zero;
		} elsif (/^$number$/) {
			$pattern .= "(?!$zero)(?:$value)";
		} else {
			$pattern .= quotemeta($_);
		}
	}
	return qr/^$pattern$/;
}

die("usage: shows.pl SHOWN PRINTED\n") if @ARGV != 2;
my @shown = lines($ARGV[0]);
my @printed = lines($ARGV[1]);

# The parts between the lines of dots. The first one is at the beginning, the last one at the end, and each of the others
# at the first place after the one before.
my @parts = ([]);
for my $line (@shown) {
	if ($line eq '...') {
		push(@parts, []);
	} else {
		push(@{$parts[-1]}, $line);
	}
}

sub is_at
{
	my ($place, @wanted) = @_;

	return !grep { $printed[$place + $_] !~ $wanted[$_] } 0 .. $#wanted;
}

my $next = 0;
for my $i (0 .. $#parts) {
	my @wanted = map { pattern($_) } @{$parts[$i]};
	my $end = @printed - @wanted;
	my $from = $i == $#parts && $i && @wanted && $end > $next ? $end : $next;
	my ($place) = grep { is_at($_, @wanted) } $from .. ($i || $end < 0 ? $end : 0);

	if (!defined($place)) {
		print("is shown:    $_\n") for @{$parts[$i]};
		print("was printed: $_\n") for grep { defined } @printed[$next .. $next + 15];
		exit 1;
	}
	$next = $place + @wanted;
}
if (@parts == 1 && $next < @printed) {
	print("is not shown: $printed[$next]\n");
	exit 1;
}
