#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: ftrace=oneshot trace_options=nooneshot-parent,oneshot-retire
#
# Functions that retire. From boot on: the option is set before there are workers, and then all functions of the boot
# retire. With a workload, beside an instance whose functions do not retire: both must see the same functions. And
# with a module that has been rebuilt.

workload=$PWD/tests/guest/workload.sh
. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

stat_of()
{
	sed -n "s/^$1: //p" oneshot_stats
}

# names_of FILE: of a list of addresses, prints those names that only one function has.
names_of()
{
	sort "$1" | join -o 2.2 - <(sort available_filter_functions_addrs) | sort |
		join - <(cut -d' ' -f1 available_filter_functions | sort | uniq -u)
}

is 'the tracer runs with the options of the command line' \
	"$(cat current_tracer options/oneshot-parent options/oneshot-retire | xargs)" 'oneshot 0 1'
# No function is new from here on. Functions that were new before retire within 0.8 s, or later on a busy machine.
echo 0 >tracing_on
end=$((SECONDS + 120)) retired=
until [[ $(stat_of retired) == "$retired" && $retired -gt $(($(stat_of functions) * 9 / 10)) ]] || ((SECONDS > end)); do
	retired=$(stat_of retired)
	sleep 3
done
sed 's/^/# /' oneshot_stats
ok 'thousands of functions have been recorded' [ "$(stat_of functions)" -gt 3000 ]
is 'no callers have been recorded' "$(stat_of callers)" 0
is 'each function is recorded once' "$(sort oneshot_seen | uniq -d)" ''
# Functions of init code, and of modules, may be gone before they can retire.
ok 'nine in ten of these functions have retired' [ "$(stat_of retired)" -gt $(($(stat_of functions) * 9 / 10)) ]
ok 'functions have retired in batches' [ "$(stat_of retire_batches)" -gt $(($(stat_of functions) / 257)) ]
is 'no callers are counted as missing, because none were asked for' "$(stat_of callers_incomplete)" 0
grep -v ' ' oneshot_seen >"$tap_scratch/seen"
names_of "$tap_scratch/seen" >"$tap_scratch/names"
ok 'thousands of these functions still exist' [ "$(wc -l <"$tap_scratch/names")" -gt 2000 ]
is 'none of these functions is traced any more' \
	"$(cut -d' ' -f1 enabled_functions | sort | join - "$tap_scratch/names" | head -n 5)" ''
ok 'functions that were not called are still traced' [ "$(wc -l <enabled_functions)" -gt 10000 ]

# tracing_on is 0, so nothing is recorded and nothing retires again.
echo 0 >oneshot_seen
is 'after a clear, all functions are traced again' "$(wc -l <enabled_functions)" "$(wc -l <available_filter_functions)"
echo nop >current_tracer
is 'after a stop, no function is traced' "$(wc -l <enabled_functions)" 0

# ---- beside an instance whose functions do not retire

for instance in retires stays; do
	mkdir instances/$instance
	echo 0 >instances/$instance/tracing_on
	echo 0 >instances/$instance/options/oneshot-parent
done
echo 0 >options/oneshot-retire
echo 1 >instances/retires/options/oneshot-retire

# covers WIDE NARROW: runs the workload with both instances; the window of WIDE encloses that of NARROW
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
	ok "$2 within $1: $2 has thousands of functions" [ "$(wc -l <"$tap_scratch/$2")" -gt 2000 ]
	ok "$2 within $1: more than 1000 have retired" [ "$(cd instances/retires && stat_of retired)" -gt 1000 ]
	is "$2 within $1: $1 has all functions of $2" "$(comm -13 "$tap_scratch/$1" "$tap_scratch/$2" | head -n 5)" ''
	for instance in retires stays; do
		echo nop >instances/$instance/current_tracer
	done
}

covers retires stays
covers stays retires
rmdir instances/retires instances/stays

# ---- with a module that has been rebuilt

# without_endbr MODULE FUNCTION OUT: writes the module's file as if that function had been compiled without indirect
# branch tracking: its call site is then at its first byte, and the ENDBR comes after it. Two places name the call
# site, the list of call sites and the call's relocation. Nothing else needs a change.
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

		# entries SECTION: the places in the file of its entries of 24 bytes (symbols and relocations)
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
		substr($elf, $code, 5) eq "\xf3\x0f\x1e\xfa\xe8" or die "$ARGV[1] does not begin with ENDBR and a call\n";
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
		$changed == 2 or die "$changed places were changed, not 2\n";
		binmode STDOUT;
		print $elf;' "$1" "$2" >"$3"
}

# seen FUNCTION: how many entries the set has for this function of the loaded module
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

within() # SECONDS COMMAND ARGUMENT...: waits at most SECONDS until it succeeds
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
ok 'a rebuilt module is made' without_endbr "$file" foo_bar_reg "$tap_scratch/$module.ko"
echo 1 >tracing_on
echo 0 >options/oneshot-parent
echo 1 >options/oneshot-retire
echo vfs_mkdir >set_ftrace_filter
echo '*:mod:trace_events_sample' >>set_ftrace_filter
echo oneshot >current_tracer
insmod "$file"
echo 1 >$event
echo 0 >$event
is 'a function of the first module is recorded' "$(seen foo_bar_reg)" 1
ok 'that function retires' within 120 retired foo_bar_reg
rmmod $module
echo '*:mod:trace_events_sample' >>set_ftrace_filter
insmod "$tap_scratch/$module.ko"
# The module is loaded now. The worker would retire the function within 0.8 s.
sleep 3
is 'the function of the rebuilt module is not recorded yet' "$(seen foo_bar_reg)" 0
ok 'the function of the rebuilt module has not retired yet' grep -q '^foo_bar_reg ' enabled_functions
echo 1 >$event
echo 0 >$event
is 'when it is called, the function of the rebuilt module is recorded' "$(seen foo_bar_reg)" 1
ok 'the function of the rebuilt module retires' within 120 retired foo_bar_reg
rmmod $module
echo nop >current_tracer

tap_end
