#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: ftrace=oneshot
# vm: --icount
#
# The oneshot tracer from boot on. Checks what it has recorded until now against the kernel's own image: each
# function must be one in the image's symbol table, and each caller must be the return address of a call
# instruction.

set -uo pipefail
# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "$0")")/tap.sh"
clone=$PWD
# shellcheck source=tests/guest/picture-lib.sh
. "$clone/tests/guest/picture-lib.sh"
cd /sys/kernel/tracing || exit 1

stat_of()
{
	sed -n "s/^$1: //p" oneshot_stats
}

# A pattern for the address at which this function calls __fentry__: its beginning, or after its ENDBR.
symbol_at()
{
	perl -ne 'BEGIN { $name = shift } /^(\w+) \w \Q$name\E$/ and printf("^%x|^%x", hex $1, hex($1) + 4)' \
		"$1" /proc/kallsyms | sed 's/|/\\|/'
}

is 'ftrace=oneshot starts the tracer' "$(cat current_tracer)" oneshot
# Recording stops, so that the lists stay as they are. At the end it goes on, for other tests in this guest.
echo 0 >tracing_on
sed 's/^/# /' oneshot_stats

ok 'thousands of functions have been recorded' [ "$(stat_of functions)" -gt 3000 ]
ok 'more callers than functions have been recorded' [ "$(stat_of callers)" -gt "$(stat_of functions)" ]
is 'the set never was full' "$(stat_of refused)" 0
ok 'the set takes at most 4 MiB' [ "$(stat_of bytes)" -le $((4 << 20)) ]
ok 'the set has room for every function that can be traced' \
	[ "$(stat_of capacity)" -gt "$(wc -l <available_filter_functions)" ]
# The addresses of a module that was loaded twice may occur twice; those of the kernel itself may not.
is 'each address of the kernel occurs once' "$(grep -v ' ' oneshot_seen | sort | uniq -d)" ''
is 'oneshot_seen has as many lines as the set has entries' "$(wc -l <oneshot_seen)" "$(stat_of entries)"
is 'the first entry is of process 0 on CPU 0' \
	"$(head -n 1 oneshot_entries | awk '{ print $4, $5 }')" '0 0'
# Hits from before start_kernel() come from the early set.
is 'the first function is one that was called before start_kernel()' \
	"$(grep -n "$(symbol_at x86_early_init_platform_quirks)" oneshot_seen | cut -d: -f1)" 1
first=$(cut -d' ' -f3 oneshot_entries | grep -E '^[0-9]+$' | sort -n | head -n 1)
init=$(dmesg | sed -n 's/^\[ *\([0-9]*\)\.\([0-9]*\)\] Run .* as init process.*/\1\2000/p' | head -n 1)
ok 'recording began before the first process' [ "$first" -lt "$((10#${init:-0}))" ]

# Prints name, address, offset and size of each section of the image.
sections()
{
	readelf -SW "$HYTRACE_VMLINUX" | sed -n 's/^ *\[ *[0-9]*\] //p' |
		awk '$2 == "PROGBITS" { print $1, $3, $4, $5 }'
}

echo 1 >options/oneshot-linkaddr
awk '$2 == "function" { print $1 }' oneshot_entries | sort >"$tap_scratch/functions"
awk '$2 == "caller" { print $1 }' oneshot_entries | sort >"$tap_scratch/callers"
echo 0 >options/oneshot-linkaddr

# A call site may come after an ENDBR, which has 4 bytes.
nm "$HYTRACE_VMLINUX" | awk '$2 ~ /[tTwW]/ { print $1 }' | sort -u >"$tap_scratch/symbols"
ok 'the kernel itself has thousands of recorded functions' [ "$(wc -l <"$tap_scratch/functions")" -gt 3000 ]
is 'each function is a symbol of vmlinux, or 4 bytes after one' \
	"$(perl -e '
		no warnings "portable";
		open(my $s, "<", $ARGV[0]); my %sym = map { chomp; hex($_) => 1 } <$s>;
		open(my $f, "<", $ARGV[1]);
		while (<$f>) { chomp; my $a = hex; print "$_\n" unless $sym{$a} || $sym{$a - 4}; }' \
		"$tap_scratch/symbols" "$tap_scratch/functions" 2>&1)" ''

sections | grep -E '^\.(text|init\.text|noinstr\.text|entry\.text) ' >"$tap_scratch/sections"
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
		print "no callers\n" unless $n;' "$tap_scratch/sections" "$tap_scratch/callers" 2>&1 | head)" ''

# ---- hytrace boot

cd "$tap_scratch" || exit 1
ok 'hytrace boot writes json' "$clone/build/hytrace" boot -f json -o boot.json
ok 'the document fits its schema' fits boot.json
is 'it is of oneshot' "$(jq -r .tracer boot.json)" oneshot
ok 'hytrace boot draws a picture' "$clone/build/hytrace" boot -f svg -o boot.svg
is 'which is XML' "$(xmllint --noout boot.svg 2>&1)" ''
ok 'and has the phases' grep -q '>mm_core_init' boot.svg

echo 1 >/sys/kernel/tracing/tracing_on
tap_end
