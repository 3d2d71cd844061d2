#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks what t-boot.sh has copied from its guest. Of what the tracer has recorded, each function must be one in the symbol
# table of the kernel's image, and each caller must be the return address of a call instruction. The document of the boot must
# fit its schema.

. "$(dirname "$(realpath "$0")")/tap.sh"
. "$clone/tests/guest/picture-lib.sh"

# ---- the set

awk '$2 == "function" { print $1 }' oneshot_entries | sort >functions
awk '$2 == "caller" { print $1 }' oneshot_entries | sort >callers

# A call site may come after an ENDBR, which has 4 bytes.
nm "$HYTRACE_VMLINUX" | awk '$2 ~ /[tTwW]/ { print $1 }' | sort -u >symbols
ok 'the kernel itself has thousands of recorded functions' [ "$(wc -l <functions)" -gt 3000 ]
is 'each function is a symbol of vmlinux, or 4 bytes after one' \
	"$(perl -e '
		no warnings "portable";
		open(my $s, "<", $ARGV[0]); my %sym = map { chomp; hex($_) => 1 } <$s>;
		open(my $f, "<", $ARGV[1]);
		while (<$f>) { chomp; my $a = hex; print "$_\n" unless $sym{$a} || $sym{$a - 4}; }' \
		symbols functions 2>&1)" ''

# Name, address, offset and size
readelf -SW "$HYTRACE_VMLINUX" | sed -n 's/^ *\[ *[0-9]*\] //p' | awk '$2 == "PROGBITS" { print $1, $3, $4, $5 }' |
	grep -E '^\.(text|init\.text|noinstr\.text|entry\.text) ' >sections
is 'each caller comes after a call instruction in vmlinux' \
	"$(perl -e '
		no warnings "portable";
		open(my $v, "<:raw", $ENV{HYTRACE_VMLINUX}) or die;
		my @text;
		open(my $s, "<", $ARGV[0]);
		while (<$s>) {
			my ($name, $addr, $off, $size) = split;
			seek($v, hex $off, 0); read($v, my $data, hex $size);
			push @text, [hex $addr, $data];
		}
		open(my $c, "<", $ARGV[1]);
		my ($n, $bad) = (0, 0);
		while (<$c>) {
			chomp;
			my $a = hex; my $ok = 0;
			for (@text) {
				my $o = $a - $_->[0];
				next if $o < 8 || $o > length $_->[1];
				my $b = substr($_->[1], $o - 7, 7);
				# call rel32; call *mem and *reg in their lengths; the longest of these, which the
				# kernel turns into a shorter call rel32 when it boots; and NOPs that leave room
				# for a call
				$ok = $b =~ /\xe8....$/s || $b =~ /\xff[\x15\x90-\x97]....$/s ||
					$b =~ /\xff[\x50-\x57].$/s || $b =~ /\xff[\xd0-\xd7\x10-\x17]$/s ||
					$b =~ /\xff[\x14\x54\x94]/s || $b =~ /\xff\x15...$/s ||
					$b =~ /\x90{5}$/s;
			}
			print "$_\n" unless $ok;
			$n++;
		}
		print "no callers\n" unless $n;' sections callers 2>&1 | head)" ''

# ---- hytrace boot

ok 'the document fits its schema' valid boot boot.json
is 'it is of oneshot' "$(jq -r .tracer boot.json)" oneshot
is 'the picture is XML' "$(xmllint --noout boot.svg 2>&1)" ''
ok 'and has the phases' grep -q '>mm_core_init' boot.svg

tap_end
