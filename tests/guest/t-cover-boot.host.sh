#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks what t-cover-boot.sh has copied from its guest: the set of a boot in each form, and the set of a later run.
# shellcheck disable=SC2016 # jq has variables of its own

. "$(dirname "$(realpath "$0")")/cover-lib.sh"
. "$(dirname "$(realpath "$0")")/edges-lib.sh"
. "$clone/tests/guest/page-lib.sh"

is 'each hit of the boot has its thread, from the first one on' "$(jq -c '[(.functions[0].comm | startswith("swapper")), .functions[0].tgid,
	([(.functions + .callers)[] | select(.comm == null or .tgid == null)] | length)]' boot.json)" '[true,0,0]'
is 'the document says that it is of a boot' "$(jq -c '[.engine, .filters.scope, .command]' boot.json)" '["oneshot","boot",null]'
ran boot.json kernel_init run_init_process bprm_execve
# The init text was traced, but it is no longer in ftrace's list.
for function in start_kernel kernel_init_freeable; do
	ok "$function is recorded" jq -e --arg f $function 'any(.functions[]; .name == $f)' boot.json
done
ok 'thousands of functions' jq -e '.totals.functions > 3000 and .totals.callers > 3000' boot.json
once boot.json
ok 'the tailor list has only addresses' sh -c '! grep -vE "^[0-9a-f]+( [^ ]+)?$" boot.tailor'
is 'the tailor list has as many addresses as the document' "$(wc -l <boot.tailor)" "$(jq '.functions + .callers | length' boot.json)"
symbols_agree boot.json
{
	linked_stext
	awk '$3 == "_stext" { print $1 }' kallsyms
	jq -r '.functions[] | select(.module == null) | .addr' boot.json
} >seen
is 'the text report computes its share without freed functions' \
	"$(sed -n 's/^Functions: \(.*\) seen of \(.*\) that can be traced (\(.*\)%).*/\1 \2 \3/p' boot.txt)" \
	"$(perl -e 'no warnings "portable"; open(my $seen, "<", "seen"); my $linked = hex(<$seen>); my $offset = hex(<$seen>) - $linked;
		my (%there, $of, $n); while (<>) { next if /__ftrace_invalid|__traceiter_|__probestub_/; $of++;
		my $a = hex((split)[0]) - $offset; $there{$a} = $there{$a - 4} = 1; }
		while (<$seen>) { $n++ if $there{hex($_)}; } printf("%d %d %.1f", $n, $of, 100 * $n / $of);' \
		available_filter_functions_addrs)"
is 'the document counts the same functions' "$(jq .totals.traced_seen boot.json)" \
	"$(sed -n 's/^Functions: \([0-9]*\) .*/\1/p' boot.txt)"
# The boot is recorded from its first call on. So a function that called another one must have been entered before.
is 'each function that is a caller and can be traced is recorded as a function' "$({
	awk '$3 == "_stext" { print $1 }' kallsyms
	jq -r '(.functions[] | select(.module == null) | "function \(.addr)"),
		(.callers[] | select(.module == null) | "caller \(.addr)")' boot.json
} | perl -e 'no warnings "portable"; my (%site, @symbols, %ran, @callers);
	open(my $f, "<", $ARGV[0]); while (<$f>) { $site{hex((split)[0])} = 1 if !/\[|__ftrace_invalid/; }
	open($f, "<", $ARGV[1]); while (<$f>) { push(@symbols, [hex($1), $2]) if /^(\S+) [tTwW] (\S+)$/; }
	@symbols = sort { $a->[0] <=> $b->[0] } @symbols;
	my $offset = hex(<STDIN>) - hex($ARGV[2]);
	while (<STDIN>) { my ($kind, $addr) = split; $addr = hex($addr) + $offset;
		if ($kind eq "function") { $ran{$addr} = 1; } else { push(@callers, $addr - 1); } }
	my $n = 0;
	for my $addr (@callers) {
		my ($low, $high) = (0, scalar(@symbols));
		while ($low < $high) { my $mid = int(($low + $high) / 2);
			if ($symbols[$mid][0] <= $addr) { $low = $mid + 1; } else { $high = $mid; } }
		my ($entry, $name) = @{$symbols[$low - 1]};
		next if !$site{$entry} && !$site{$entry + 4};
		$n++;
		print("$name\n") if !$ran{$entry};
	}
	print("only $n looked at\n") if $n < 3000;' available_filter_functions_addrs kallsyms "$(linked_stext)")" ''
# This holds also where the kernel has rewritten the call since. The one exception is the self-test of alternatives,
# whose call is only in a replacement.
is 'the document says that its return addresses are those of vmlinux' "$(jq -r .kernel.calls boot.json)" linked
is 'each return address except one comes after a call in vmlinux' "$({
	objdump -d --no-show-raw-insn "$HYTRACE_VMLINUX" | awk '
		/^ *[0-9a-f]+:/ { if (called) print "call", substr($1, 1, length($1) - 1); called = $2 == "call" || ($2 == "cs" && $3 == "call") }'
	jq -r '.callers[] | select(.addr) | "caller \(.addr[2:])"' boot.json
} | awk '$1 == "call" { after[$2] = 1 } $1 == "caller" { n++; lost += !($2 in after) }
	END { print (n > 3000 && lost <= 1) ? "all" : lost " of " n " do not" }')" all
ok 'the text report counts freed functions' grep -qE '^Functions: .*; and [1-9][0-9]{2,} that were freed' boot.txt
ok 'the text report says that it is of a boot' grep -q 'the boot of' boot.txt
"$hytrace" compare boot.json run.json >out
is 'compare: two runs with differences exit with 1' $? 1
ok 'compare: it says that these are two runs' grep -q '^Functions: .* (two runs: run.json began .* after boot.json had ended)' out
ok 'compare: it explains no difference with certainty' grep -qE '^Of the differences, 0 are explained, ' out
jq '.functions = [] | .callers = []' run.json >empty.json
"$hytrace" compare boot.json empty.json >out
is 'compare: an emptied document exits with 1' $? 1
ok 'compare: the only reason for an emptied document is the other time' sh -c \
	'grep -qE "^  [1-9][0-9]*: possibly: empty.json recorded at another time" out && [ "$(grep -c "^  " out)" = 1 ]'

# ---- reports

reports_agree boot.json boot.txt boot.tailor

# ---- who called whom

# The one is again alternatives' test of itself.
edges_agree boot.json 1

# ---- what other programs make of the same documents

# report FORMAT...
report()
{
	"$hytrace" report --vmlinux "$HYTRACE_VMLINUX" -f "$@" boot.json run.json
}
report json >report.json
report html >page.html
browse page.html >page.json
is 'a browser shows the shares of -f json' "$(jq -c .totals page.json)" "$(jq -c '[.columns[] | [.seen, .asked_for]]' report.json)"
is 'the shares of its directories add up to them' "$(jq -c '.sums as $s | [range(2) as $c | [$s | map(.[$c][0]), map(.[$c][1]) | add]]' \
	page.json)" "$(jq -c .totals page.json)"
is 'its filter of unseen functions has as many as --unseen lists' "$(jq -r '.filters[] | capture("^Unseen in all (?<n>.*)").n | sub(","; "")' \
	page.json)" "$(report text --unseen | wc -l)"
is 'the console of the browser says nothing' "$(cat "$tap_scratch/console")" ''
ok 'the page has at most 3 MB' test "$(stat -c %s page.html)" -lt 3000000
report lcov >run.info
# Copies of a function, of a header or made by the compiler, are one in the source.
is 'genhtml counts the functions of -f json' "$(functions_of --no-source run.info)" \
	"$(jq -r '[.functions[] | select(.line and .class != "event") | select(any(.seen[]; . != null))] |
		group_by([.file, (.name | sub("[.].*"; ""))]) | "\(map(select(any(.[].seen[]; .))) | length) of \(length)"' report.json)"
ok 'tens of thousands of lines with calls have a value' awk -F '[:,]' '/^DA/ { n[$3]++ } END { exit !(n[0] > 60000 && n[1] > 3000) }' \
	run.info

# ---- the list of functions

# differs_from_kernel DOCUMENT: the differences between its traceable functions and the kernel's own list, first those
# that only the kernel lists, then those that only the document has
differs_from_kernel()
{
	jq -r '.functions[] | select((.untraced or .init | not) and (.module == null or .module == "dummy")) |
		if .module then "\(.module) \(.offset)" else "vmlinux \(.addr)" end' "$1" >of_document
	perl -e 'no warnings "portable"; my ($linked, %start, %is) = hex(shift);
		open(my $f, "<", "listed_symbols");
		while (<$f>) { my ($a, $t, $n, $m) = split;
			$start{vmlinux} = hex($a) - $linked if $n eq "_stext" && !$m;
			$start{dummy} = hex($a) - shift(@ARGV) if $n eq "dummy_dev_init"; }
		open($f, "<", "of_document");
		while (<$f>) { my ($m, $a) = split; $is{"$m " . ($a =~ /^0x/ ? hex($a) : $a)} = 1; }
		open($f, "<", "listed_addrs");
		my %both;
		while (<$f>) { next if /__ftrace_invalid/; my ($a, $n, $m) = split; $m = $m ? $m =~ s/[][]//gr : "vmlinux";
			my ($key) = grep { $is{$_} } map { "$m " . (hex($a) - $start{$m} - $_) } 0, 4;
			if ($key) { $both{$key} = 1; } else { print("only listed: $m $n\n"); } }
		print("only in the document: $_\n") for grep { !$both{$_} } sort(keys(%is));
		printf(STDERR "%d in both\n", scalar(keys(%both)));' \
		"$(linked_stext)" "$(jq '.functions[] | select(.name == "dummy_dev_init").offset' offline.json)" 2>in_both
}

ok 'hytrace functions lists the functions of a vmlinux and its modules' "$hytrace" functions -f json \
	--vmlinux "$HYTRACE_VMLINUX" --modules "${HYTRACE_VMLINUX%/*}/lib/modules" -o offline.json
for document in functions.json offline.json; do
	is "$document has the functions that the kernel lists" "$(differs_from_kernel $document | head)" ''
	ok "$document has more than 20000 of them" awk '{ exit !($1 > 20000) }' in_both
done

# ---- a smaller configuration

# The build is only configured: its image may come from the cache.
"$clone/kernel/build.sh" --configure 2>&1 | sed 's/^/# /'
objects=$("$clone/kernel/build.sh" --print-objects)
# With another cache, it would import the source once more, and replace build/linux with all objects.
is "the kernel's tree is that of the cache" "$(git -C "$objects/source" config hytrace.source)" \
	"$(realpath "${HYTRACE_VMLINUX%/images/*}")/linux.git"
tailor()
{
	"$hytrace" tailor --build "$objects" --vmlinux "$HYTRACE_VMLINUX" "$@"
}
tailored()
{
	jq -r "$1" tailor.json
}
touch before
sleep 1
ok 'hytrace tailor' tailor -o new.config -f json --report tailor.json boot.json run.json
is 'it writes nothing to the build' "$(find "$objects" -newer before | head)" ''
ok 'its report is valid' valid tailor tailor.json
is 'all addresses lie in objects that Kbuild knows' "$(tailored '"\(.addresses > 20000) \(.unattributed)"')" 'true 0'
is 'Kbuild knows all units of vmlinux but three' "$(tailored '.unowned_units | sort | join(" ")')" \
	'.vmlinux.export.c arch/x86/include/asm/GEN-for-each-reg.h init/version-timestamp.c'
# Since it can load modules, all of each lib.a is taken.
is 'all objects are in vmlinux' "$(tailored '.objects[] | select(.linked | not).object')" ''
is 'nothing that is wanted is lost, and nothing comes on' "$(tailored '"\(.wanted_lost) \(.newly_on)"')" '0 0'
is 'the report counts the options of both configurations' "$(tailored '"\(.options_before) \(.options_after)"')" \
	"$(grep -c '=[ym]$' "$objects/.config") $(grep -c '=[ym]$' new.config)"
ok 'at least ten options go' test "$(tailored '.options_before - .options_after')" -ge 10
# What is newly on, but for EXPERT and what it brings; and what another value has.
is 'no line of the new configuration is another one' "$(comm -13 <(sort "$objects/.config") <(grep '^CONFIG_.*=' new.config | sort) |
	sed 's/^CONFIG_//; s/=y$//' | sort | xargs)" "$(tailored '.on_by_expert | sort | join(" ")')"
ok 'and by what is kept, at another time' tailor -o again.config --report tailor.txt boot.json run.json
ok 'the configuration is the same' cmp new.config again.config
is 'the text has as many dropped options' "$(sed -n 's/^Dropped: //p' tailor.txt)" \
	"$(tailored '[.options[] | select(.fate == "dropped")] | length')"
ok 'FANOTIFY goes, because nothing ran in its files' jq -e 'any(.options[]; .option == "FANOTIFY" and .fate == "dropped" and .objects > 1)' \
	tailor.json
is 'options of two lists stay, although nothing of them ran' "$(grep -cxE 'CONFIG_(SYN_COOKIES|VIRTIO_BALLOON)=y' new.config) $(
	tailored '[.options[] | select(.option | IN("SYN_COOKIES", "VIRTIO_BALLOON")) | .seen] | unique | join(", ")')" \
	'2 init only, never ran'

# ---- without the lists

jq '.lost.map_full = 3' boot.json >lossy.json
echo 'FANOTFIY mistyped' >mistyped.keep
tailor --lossy --keep none --keep mistyped.keep -o none.config -f html --report none.html lossy.json run.json 2>err
is 'a document with losses is taken with --lossy' $? 0
ok 'a mistyped line of a list is told' grep -q 'FANOTFIY is no option' err
# Its own object never runs; a line elsewhere does. A smaller kernel without it has no console.
ok 'the serial console stays without a list, by a line that ran' grep -q '^CONFIG_SERIAL_8250_CONSOLE=y' none.config
chromium_alone --dump-dom "file://$PWD/none.html" >shown.html 2>"$tap_scratch/chromium.log"
# The page has those that went with others, too, but shows the dropped ones first.
shown=$(grep -o '<td>Dropped</td>' shown.html | wc -l)
is 'the page shows the options that were dropped' \
	"$((shown + $(grep -o '"fate": *"went"' none.html | wc -l)))" \
	"$(comm -23 <(grep '=[ym]$' "$objects/.config" | sort) <(sort none.config) | wc -l)"
ok 'it says that a document lacks something' grep -q 'lack something (--lossy)' shown.html
is 'the console of the browser says nothing' "$(grep CONSOLE "$tap_scratch/chromium.log")" ''

# ---- what is refused

# refused WHY DOCUMENT...: status 2, one line that says why, and nothing is written
refused()
{
	local why=$1 status=0
	shift
	rm -f none
	tailor -o none "$@" >out 2>err || status=$?
	((status == 2)) && [[ ! -e none && ! -s out && $(grep -vc 'warning:' err) == 1 ]] && grep -q -- "$why" err && return
	echo "status $status"
	cat err
	return 1
}
refused_with_other_tools()
{
	local PATH=$PWD/other-tools:$PATH
	refused 'CONFIG_PAHOLE_VERSION=' boot.json
}
jq '.kernel.build_id = "00"' boot.json >other.json
mkdir -p bad/include/config
ok 'a document of another kernel is refused' refused 'another build' other.json
ok 'documents of two kernels are refused' refused 'two builds' boot.json other.json
ok 'a document with losses is refused' refused 'map_full 3' lossy.json
jq '.kernel.config = "crc32:00000000"' boot.json >config.json
ok 'a document of another configuration is refused' refused 'recorded on a kernel of another configuration' config.json
ok 'another configuration is refused' refused 'another configuration' --config <(sed 's/^CONFIG_NET=y/CONFIG_NET=n/' "$objects/.config") boot.json
ok 'outputs over inputs are refused' refused 'is a recording that is read' --report boot.json boot.json
ok 'and over each other' refused 'cannot both go' --report none boot.json
ok 'and over the configuration of the build' refused 'must stay as it is' --report "$objects/.config" boot.json
jq '.filters.allow = ["vfs_*"]' boot.json >filtered.json
ok 'a document of some functions is refused' refused 'only some of the functions' filtered.json
jq '.lost.module_init_functions = 3 | .modules = [] | .functions |= map(select(.module == null)) |
	.callers |= map(select(.module == null))' run.json >unnamed.json
ok 'and one of modules that it does not name' refused 'module_init_functions 3' boot.json unnamed.json
ok 'and documents without one of a boot' refused 'none of the recordings is of a boot' run.json
ok 'a list that does not exist is refused' refused 'no/list' --keep no/list boot.json
mkdir -p other-tools
printf '#!/bin/sh\necho v1.10\n' >other-tools/pahole
chmod +x other-tools/pahole
ok 'another program that Kconfig asks is refused' refused_with_other_tools
ok 'a directory without a build is refused' refused 'bad/.config' --build bad boot.json
cp "$objects/.config" bad/
ok 'a directory that is only configured is refused' refused 'auto.conf' --build bad boot.json
cp "$objects/include/config/auto.conf" bad/include/config/
touch -d '1 second' bad/.config
ok 'a configuration that was changed after the build is refused' refused 'was changed' --build bad boot.json
touch -d '2 seconds' bad/include/config/auto.conf
ok 'a directory without the kernel'"'"'s Makefile is refused' refused 'Makefile' --build bad boot.json

tap_end
