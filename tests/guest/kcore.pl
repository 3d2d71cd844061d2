#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# Prints the kernel's text as it is now, read from /proc/kcore. Addresses are hexadecimal. Prints a line for each:
#
#	kcore.pl look ADDRESS...	what the page tables allow, and the first 16 bytes
#	kcore.pl trampolines ADDRESS...	how a trampoline of ftrace returns (by "ret", or the name of the return thunk
#					to which it jumps), bit 5 of the address of that instruction, how often
#					the trampoline accounts for a call, and how often its original does

use strict;
use warnings;
no warnings 'portable';

open(my $kcore, '<:raw', '/proc/kcore') or die "kcore: $!";
sysread($kcore, my $head, 64);
my ($phoff, $phnum) = (unpack('Q', substr($head, 32, 8)), unpack('S', substr($head, 56, 2)));
sysseek($kcore, $phoff, 0);
sysread($kcore, my $table, 56 * $phnum);
my @parts = map { [unpack('L L Q Q Q Q', substr($table, 56 * $_, 48))] } 0 .. $phnum - 1;

sub memory { # ADDRESS SIZE
	my ($addr, $size) = @_;
	for (@parts) {
		my ($type, $flags, $off, $vaddr, $paddr, $filesz) = @$_;
		next if $type != 1 or $addr < $vaddr or $addr + $size > $vaddr + $filesz;
		sysseek($kcore, $off + ($addr - $vaddr), 0);
		sysread($kcore, my $bytes, $size) == $size or die "kcore: cannot read at ", sprintf('%x', $addr);
		return $bytes;
	}
	die 'kcore: nothing at ', sprintf('%x', $addr);
}

my %symbol;
open(my $symbols, '<', '/proc/kallsyms');
while (<$symbols>) {
	my ($addr, $type, $name) = split;
	$symbol{$name} = hex $addr
		if $name =~ /^(page_offset_base|init_top_pgt|__pgtable_l5_enabled)$|^ftrace_(regs_)?caller(_end)?$|_return_thunk$/;
}
my %thunk = map { $symbol{$_} => $_ } grep { /_return_thunk$/ } sort keys %symbol;
my $direct = unpack('Q', memory($symbol{page_offset_base}, 8));
my @shifts = (39, 30, 21, 12);
unshift(@shifts, 48) if $symbol{__pgtable_l5_enabled} and unpack('L', memory($symbol{__pgtable_l5_enabled}, 4));

sub allowed { # ADDRESS: r, w, x; nothing if it is not mapped
	my ($addr) = @_;
	my ($table, $w, $x) = ($symbol{init_top_pgt}, 1, 1);
	for my $shift (@shifts) {
		my $entry = unpack('Q', memory($table + 8 * ($addr >> $shift & 511), 8));
		return '' unless $entry & 1;
		$w &&= $entry >> 1 & 1;
		$x &&= !($entry >> 63);
		last if $shift < 39 and $entry >> 7 & 1;	# a large page
		$table = $direct + ($entry & 0xffffffffff000);
	}
	return 'r' . ($w ? 'w' : '') . ($x ? 'x' : '');
}

sub look
{
	my ($addr) = @_;
	my $allowed = allowed($addr);

	return $allowed ? "$allowed " . unpack('H*', memory($addr, 16)) : 'unmapped ';
}

# The instruction that accounts for a call: sarq $5, %gs:...(%rip)
sub accounts
{
	my ($text) = @_;

	return scalar(() = $text =~ /\x65\x48\xc1\x3d....\x05/sg);
}

sub trampoline
{
	my ($addr) = @_;
	# The two originals differ in their first instruction. An ENDBR of 4 bytes may come before it.
	my $regs = memory($addr + 4, 8) eq memory($symbol{ftrace_regs_caller} + 4, 8);
	my $caller = $regs ? 'ftrace_regs_caller' : 'ftrace_caller';
	my $size = $symbol{$caller . '_end'} - $symbol{$caller};
	my ($opcode, $disp) = unpack('C l<', memory($addr + $size, 5));
	my $by = sprintf('%02x', $opcode);

	$by = 'ret' if $opcode == 0xc3;
	$by = $thunk{$addr + $size + 5 + $disp} // 'elsewhere' if $opcode == 0xe9;
	return join(' ', $by, ($addr + $size) >> 5 & 1, accounts(memory($addr, $size)),
		    accounts(memory($symbol{$caller}, $size)));
}

my $what = shift;
for (@ARGV) {
	print "$_ ", $what eq 'look' ? look(hex) : trampoline(hex), "\n";
}
