#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: ftrace=oneshot trace_options=nooneshot-parent,oneshot-retire
#
# Call sites that are turned off. From boot on: asked for before there are workers, and then of all
# functions, with everything that boots as the workload. With a workload, next to an instance whose
# call sites stay on: both have to have seen the same. And with a module that has been built anew.

set -uo pipefail
workload=$PWD/tests/guest/workload.sh
# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

stat_of()
{
	sed -n "s/^$1: //p" oneshot_stats
}

# The names that only one function has, of those in a list of addresses.
names_of()
{
	sort "$1" | join -o 2.2 - <(sort available_filter_functions_addrs) | sort |
		join - <(cut -d' ' -f1 available_filter_functions | sort | uniq -u)
}

is 'the tracer runs as it was told to' \
	"$(cat current_tracer options/oneshot-parent options/oneshot-retire | xargs)" 'oneshot 0 1'
# Nothing is new any more, and what was is turned off, at the latest after 1.6 s.
echo 0 >tracing_on
sleep 5
sed 's/^/# /' oneshot_stats
ok 'thousands of functions have been recorded' [ "$(stat_of functions)" -gt 3000 ]
is 'and no callers, from the first call on' "$(stat_of callers)" 0
is 'each once' "$(sort oneshot_seen | uniq -d)" ''
# But for those of modules' and the kernel's init code that was gone before its turn.
ok 'and nine in ten have retired' [ "$(stat_of retired)" -gt $(($(stat_of functions) * 9 / 10)) ]
ok 'in batches' [ "$(stat_of retire_batches)" -gt $(($(stat_of functions) / 257)) ]
is 'no callers are missing, as none were asked for' "$(stat_of callers_incomplete)" 0
grep -v ' ' oneshot_seen >"$tap_scratch/seen"
names_of "$tap_scratch/seen" >"$tap_scratch/names"
ok 'thousands of them are there still' [ "$(wc -l <"$tap_scratch/names")" -gt 2000 ]
is 'and none is traced any more' \
	"$(cut -d' ' -f1 enabled_functions | sort | join - "$tap_scratch/names" | head -n 5)" ''
ok 'but others are' [ "$(wc -l <enabled_functions)" -gt 10000 ]

# Where nothing is recorded nothing retires again.
echo 0 >oneshot_seen
is 'a clear brings all back' "$(wc -l <enabled_functions)" "$(wc -l <available_filter_functions)"
echo nop >current_tracer
is 'and a stop leaves nothing behind' "$(wc -l <enabled_functions)" 0

# ---- next to an instance that keeps them

for instance in retires stays; do
	mkdir instances/$instance
	echo 0 >instances/$instance/tracing_on
	echo 0 >instances/$instance/options/oneshot-parent
done
echo 0 >options/oneshot-retire
echo 1 >instances/retires/options/oneshot-retire

# covers WIDE NARROW: run the workload with both, the one's window around the other's
covers()
{
	local instance

	for instance in retires stays; do
		echo oneshot >instances/$instance/current_tracer
	done
	echo 1 >"instances/$1/tracing_on"
	echo 1 >"instances/$2/tracing_on"
	"$workload" >/dev/null 2>&1 || echo "the workload failed" >&2
	echo 0 >"instances/$2/tracing_on"
	echo 0 >"instances/$1/tracing_on"
	for instance in retires stays; do
		sort "instances/$instance/oneshot_seen" >"$tap_scratch/$instance"
		sed "s/^/# $instance: /" "instances/$instance/oneshot_stats" | grep -E 'functions|retire'
	done
	ok "$1 around $2: thousands of functions" [ "$(wc -l <"$tap_scratch/$2")" -gt 2000 ]
	ok 'most of which have retired' [ "$(cd instances/retires && stat_of retired)" -gt 1000 ]
	is "whatever $2 has seen $1 has" "$(comm -13 "$tap_scratch/$1" "$tap_scratch/$2" | head -n 5)" ''
	for instance in retires stays; do
		echo nop >instances/$instance/current_tracer
	done
}

covers retires stays
covers stays retires
rmdir instances/retires instances/stays

# ---- with a module that has been built anew

# without_endbr MODULE FUNCTION OUT: the module's file, as if built without indirect branch tracking for that
# function, whose call site is at its first byte then. What was there moves behind it: to the list of call
# sites and the call's relocation, both of which name it, nothing else has to be told.
without_endbr()
{
	perl -e '
		local $/;
		open my $file, "<:raw", $ARGV[0] or die "$ARGV[0]: $!\n";
		my $elf = <$file>;
		my ($at, $size, $nr, $names) = unpack("x40 Q x10 S3", $elf);
		my @sections = map {
			my %section;
			@section{qw(name type flags addr offset size link info)} =
				unpack("L2 Q4 L2", substr($elf, $at + $_ * $size));
			\%section;
		} 0 .. $nr - 1;
		$_->{name} = unpack("Z*", substr($elf, $sections[$names]{offset} + $_->{name})) for @sections;
		my %named = map { $_->{name} => $_ } @sections;

		# entries SECTION: where in the file those of 24 bytes are, of symbols and relocations
		sub entries
		{
			my ($section) = @_;
			return map { $section->{offset} + $_ * 24 } 0 .. $section->{size} / 24 - 1;
		}

		my $strings = $sections[$named{".symtab"}{link}]{offset};
		my ($start) = map { $_->[4] } grep {
			unpack("Z*", substr($elf, $strings + $_->[0])) eq $ARGV[1]
		} map { [unpack("L C2 S Q", substr($elf, $_))] } entries($named{".symtab"});
		my $code = $named{".text"}{offset} + $start;
		substr($elf, $code, 5) eq "\xf3\x0f\x1e\xfa\xe8" or die "$ARGV[1] begins with something else\n";
		substr($elf, $code, 9, "\xe8\0\0\0\0\x0f\x1f\x40\0");

		my $changed = 0;
		for (entries($named{".rela.text"})) {
			my $to = unpack("Q", substr($elf, $_));
			$to == $start + 5 or next;
			substr($elf, $_, 8, pack("Q", $start + 1));
			$changed++;
		}
		for (entries($named{".rela__mcount_loc"})) {
			unpack("q", substr($elf, $_ + 16)) == $start + 4 or next;
			substr($elf, $_ + 16, 8, pack("q", $start));
			$changed++;
		}
		$changed == 2 or die "$changed places to change\n";
		binmode STDOUT;
		print $elf;' "$1" "$2" >"$3"
}

# seen FUNCTION: how often it is in the set, of the module that is loaded
seen()
{
	local text site

	text=$(</sys/module/$module/sections/.text)
	site=$(sed -n "s/ $1 \[$module\]\$//p" available_filter_functions_addrs)
	grep -cx "$(printf '%x' $((0x$site - text))) $module" oneshot_seen
}

retired()
{
	! grep -q "^$1 " enabled_functions
}

within() # SECONDS COMMAND ARGUMENT...
{
	local end=$((SECONDS + $1))
	shift

	until "$@"; do
		((SECONDS < end)) || return
		sleep .2
	done
}

module=trace_events_sample
event=events/sample-trace/foo_bar_with_fn/enable
file=$(modinfo -F filename $module)
ok 'a module is built anew' without_endbr "$file" foo_bar_reg "$tap_scratch/$module.ko"
echo 1 >tracing_on
echo 0 >options/oneshot-parent
echo 1 >options/oneshot-retire
echo vfs_mkdir >set_ftrace_filter
echo '*:mod:trace_events_sample' >>set_ftrace_filter
echo oneshot >current_tracer
insmod "$file"
echo 1 >$event
echo 0 >$event
is 'its function is recorded' "$(seen foo_bar_reg)" 1
ok 'and retires' within 20 retired foo_bar_reg
rmmod $module
echo '*:mod:trace_events_sample' >>set_ftrace_filter
insmod "$tap_scratch/$module.ko"
# It is loaded by then, and the worker comes at the latest after 1.6 s.
sleep 3
is 'there it begins elsewhere, and has not been recorded' "$(seen foo_bar_reg)" 0
ok 'nor turned off' grep -q '^foo_bar_reg ' enabled_functions
echo 1 >$event
echo 0 >$event
is 'and is, when it is called' "$(seen foo_bar_reg)" 1
ok 'and retires as well' within 20 retired foo_bar_reg
rmmod $module
echo nop >current_tracer

tap_end
