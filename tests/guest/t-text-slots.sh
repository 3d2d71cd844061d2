#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# Text slots as others see them: the page tables, read in /proc/kcore, the memory itself, and perf. What
# they do is text-slots/slots.tc's.

set -uo pipefail
# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1
debug=/sys/kernel/debug

# look ADDRESS... (hexadecimal): a line for each, with what the page tables allow and the first 16 bytes
look()
{
	perl - "$@" <<'END'
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
	$symbol{$name} = hex $addr if $name =~ /^(page_offset_base|init_top_pgt|__pgtable_l5_enabled)$/;
}
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

for (@ARGV) {
	my $addr = hex;
	my $allowed = allowed($addr);
	print "$_ ", $allowed || 'unmapped', ' ', $allowed ? unpack('H*', memory($addr, 16)) : '', "\n";
}
END
}

addresses() # SYMBOL REGULAR EXPRESSION
{
	awk -v name="^($1)\$" '$3 ~ name { print $1 }' /proc/kallsyms | sort -u
}

# What is common to all lines of what look() has printed: one field of it.
field()
{
	cut -d' ' -f"$1" "$2" | sort -u | tr '\n' ' '
}

slot_names='ftrace_trampoline|kprobe_insn_page|kprobe_optinsn_page'

modprobe ftrace_many
grep ' vfs_' available_filter_functions_addrs | head -n 40 | cut -d' ' -f1 >"$tap_scratch/functions"
cat "$tap_scratch/functions" >$debug/ftrace_many/functions

# That the tables are read right.
# shellcheck disable=SC2046 # a list
look $(addresses 'jiffies|_stext|linux_banner') >"$tap_scratch/known"
is 'the page tables: data, text, and what can only be read' "$(cut -d' ' -f2 "$tap_scratch/known" | sort | xargs)" 'r rw rx'

# A probe behind the beginning of a function has a slot, where there is an instruction: tried at random.
while read -r name _; do
	[[ $(wc -l <kprobe_events) -lt 5 ]] || break
	echo "p:slots/${name} ${name}+9" >>kprobe_events 2>/dev/null
done < <(grep '^vfs_[a-z]* *$' available_filter_functions)
# perf looks on from here to the end.
# Of all CPUs, it starts its command when the events are on.
perf record -q -a -e dummy -o "$tap_scratch/perf.data" -- sh -c "touch $tap_scratch/ready; exec sleep infinity" &
perf=$!
for _ in {1..300}; do
	[[ -e $tap_scratch/ready ]] && break
	sleep 0.1
done
echo 1 >events/slots/enable
echo register regs >$debug/ftrace_many/control
# shellcheck disable=SC2046
look $(addresses "$slot_names") >"$tap_scratch/slots"
addresses ftrace_trampoline >"$tap_scratch/trampolines"
ok 'the slots of 40 ops and of probes' [ "$(wc -l <"$tap_scratch/slots")" -gt 42 ]
is 'are to be read and executed, and never written' "$(field 2 "$tap_scratch/slots")" 'rx '
is 'there is code in each' "$(grep -c ' cc' "$tap_scratch/slots")" 0

echo unregister >$debug/ftrace_many/control
echo 0 >events/slots/enable
echo >kprobe_events
cat $debug/text_slots >/dev/null	# waits for what is to be freed
addresses "$slot_names" >"$tap_scratch/left"
cut -d' ' -f1 "$tap_scratch/slots" | comm -23 - "$tap_scratch/left" >"$tap_scratch/gone"
# shellcheck disable=SC2046
look $(<"$tap_scratch/gone") | grep -v unmapped >"$tap_scratch/freed"
ok 'freed ones, in pages that stay' [ "$(wc -l <"$tap_scratch/freed")" -gt 1 ]
is 'are full of int3' "$(field 3 "$tap_scratch/freed")" "$(printf 'cc%.0s' {1..16}) "
is 'and no more to be written than before' "$(field 2 "$tap_scratch/freed")" 'rx '

# ---- perf

kill -INT $perf
wait $perf 2>/dev/null
perf report -D -i "$tap_scratch/perf.data" 2>/dev/null |
	sed -n 's/.*PERF_RECORD_KSYMBOL addr \([0-9a-f]*\) len \([0-9]*\) type \([0-9]*\) flags \(0x[0-9]*\) name \(.*\)/\1 \2 \3 \4 \5/p' \
	>"$tap_scratch/ksymbols"
told() # FLAGS
{
	awk -v flags="$1" '$3 == 2 && $4 == flags && $5 == "ftrace_trampoline" && $2 > 100 { print $1 }' \
		"$tap_scratch/ksymbols" | sort -u
}
comm -23 "$tap_scratch/trampolines" "$tap_scratch/left" >"$tap_scratch/came"
ok 'trampolines came and went' [ "$(wc -l <"$tap_scratch/came")" -ge 40 ]
ok 'perf is told of each that comes' [ "$(told 0x0 | comm -23 "$tap_scratch/came" - | wc -l)" -eq 0 ]
is 'and of each that goes' "$(told 0x1 | comm -23 "$tap_scratch/came" - | wc -l)" 0
rmmod ftrace_many

tap_end
