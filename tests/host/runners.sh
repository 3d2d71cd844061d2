#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests the programs that run the other tests, on the host and in seconds. tests/run.pl, tests/guest/run.sh and
# tests/guest/kselftest.sh run here in a tree of their own, with tests that fail in each possible way. Its vm.sh boots
# nothing: it runs the command on the host, or prints what it is told.
# shellcheck disable=SC2016 # scripts in quotes, for shells to come

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
tree=$tap_scratch/tree
suite=tools/testing/selftests/ftrace
# These variables are for the run of which this test is a part, and not for the runners here.
unset HYTRACE_TEST_OUT HYTRACE_STRESS HYTRACE_TEST_UNTIL
export HYTRACE_CACHE=$tap_scratch/cache

# program FILE: makes a script in the tree from stdin
program()
{
	mkdir -p "$(dirname "$tree/$1")"
	{ echo '#!/bin/bash' && cat; } >"$tree/$1"
	chmod +x "$tree/$1"
}

mkdir -p "$tree/tests/guest" "$tree/tests/unit/part" "$tree/kernel/files/$suite/test.d"
cp "$clone"/tests/{run.pl,Kept.pm} "$tree/tests/"
git init -q "$tree"
echo "it.patch $suite/test.d/*/*.tc" >"$tree/kernel/series-6.12"
cp "$clone"/tests/guest/{run,inside,tap,splats,qemu-work,kselftest}.sh "$tree/tests/guest/"
program kernel/tools.sh <<<'echo /nowhere'
cp "$clone/kernel/known.sh" "$tree/kernel/"
program kernel/build.sh <<END
case \$* in
*--print-source*) echo $tree/pristine ;;
*--print-tree*) echo $tree/patched ;;
*--print-image*) echo $tree/image ;;
*) echo /nowhere ;;
esac
END
program bin/dmesg <<<'echo "$DMESG"'
PATH=$tree/bin:$PATH

# counted "PASSED FAILED SKIPPED STATUS" COMMAND...: checks the counts that a runner prints, and its exit status.
counted()
{
	local wanted=$1 got status=0
	shift

	"$@" >"$tap_scratch/out" 2>&1 || status=$?
	got=$(awk '/^[0-9]/ { gsub(",", ""); for (i = 2; i <= NF; i += 2) n[$i] += $(i - 1) }
		END { print n["passed"] + 0, n["failed"] + 0, n["skipped"] + 0 }' "$tap_scratch/out")
	[[ "$got $status" == "$wanted" ]] || {
		echo "counted $got and status $status, not $wanted"
		cat "$tap_scratch/out"
		return 1
	}
}

# ---------------------------------------------------------------- tests in guests

program kernel/vm.sh <<'END'
# One that dies once says nothing the second time.
[[ $DEATH != once || ! -e ${0%/*}/died ]] || CONSOLE=
while [[ $1 != -- ]]; do
	[[ $1 != --console ]] || echo "$CONSOLE" >"$2"
	[[ $1 != --timeout || $2 -gt 1 ]] || exit 124
	shift
done
shift
[[ $DEATH != first ]] || exit 125
[[ $DEATH != once || -e ${0%/*}/died ]] || { : >"${0%/*}/died"; exit 125; }
rm -f "${0%/*}/died"
"$@"
[[ $DEATH != once ]] || exit 0
[[ -z $DEATH ]] || exit 125
END

# guest COUNTS [OPTION]...: runs the script on stdin as t-it.sh, and checks the counts
guest()
{
	local wanted=$1
	shift

	{ echo '# kernels: patched' && cat; } | program tests/guest/t-it.sh
	counted "$wanted" env DMESG="${dmesg:-}" CONSOLE="${console:-}" DEATH="${death:-}" \
		"$tree/tests/run.pl" "$@" guest/t-it
}

source_tap='. "$(dirname "$0")/tap.sh"'
good=$source_tap$'\nok one true\nis two 2 2\ntap_end'
ok 'guest tests: a test that passes' guest '2 0 0 0' <<<"$good"
ok 'a result that is skipped' guest '1 0 1 0' <<<"$source_tap"$'\nok one true\nskip two why\ntap_end'
ok 'a test with only skipped results fails' guest '0 0 1 1' <<<"$source_tap"$'\nskip two why\ntap_end'
ok 'a result that fails' guest '1 1 0 1' <<<"$source_tap"$'\nok one false\nok two true\ntap_end'
# A script that is run by itself reports a failure only by its exit status.
is 'the exit status of a script with a failed result' "$(cd "$clone" && bash -c '. tests/guest/tap.sh
	ok one false; tap_end' >/dev/null 2>&1; echo $?)" 1
is 'the exit status of a script without failed results' "$(cd "$clone" && bash -c '. tests/guest/tap.sh
	ok one true; tap_end' >/dev/null 2>&1; echo $?)" 0
ok 'two values that are not equal' guest '1 1 0 1' <<<"$source_tap"$'\nis one 1 2\nok two true\ntap_end'
ok 'a failed result with hashes in its title' guest '1 1 0 1' <<<"$source_tap"$'\nok "one # two # TODO" false\nok two true\ntap_end'
is 'a script that ends in time has no list of what ran' "$(HYTRACE_LIMIT=9 bash -c '
	set -- out; . <(sed -n "/^run_script/,/^}/p" "$0"); run_script true' "$clone/tests/guest/inside.sh" 2>&1)" ''
ok 'a script that hangs has one' grep -q 'sleep 100' <<<"$(HYTRACE_LIMIT=3 bash -c '
	. <(sed -n "/^run_script/,/^}/p" "$0"); hang() { :; }; run_script "$1"' "$clone/tests/guest/inside.sh" \
	"$(program hang <<<'sleep 100'; echo "$tree/hang")" 2>&1)"
ok 'a script that dies before its end' guest '1 1 0 1' <<<"$source_tap"$'\nok one true\nexit 0'
ok 'a script with fewer results than planned' guest '1 1 0 1' <<<$'echo "ok 1 - one"\necho 1..2'
ok 'a script without results' guest '0 1 0 1' <<<'exit 0'
program tests/guest/t-it.host.sh <<<'. "${BASH_SOURCE[0]%/*}/tap.sh"; ok three test -e left; ok four false; tap_end'
ok 'a test with a half on the host' guest '3 1 0 1' <<<"$good"$'\n: >"$HYTRACE_FILES/left"'
program tests/guest/t-it.host.sh <<<'exit 0'
ok 'a half on the host without results' guest '2 1 0 1' <<<"$good"
rm "$tree/tests/guest/t-it.host.sh"
ok 'a script that passes all and exits with 3' guest '2 1 0 1' <<<"$good"$'\nexit 3'
death=first ok 'a guest that does not boot' guest '0 2 0 1' <<<"$good"
death=last ok 'a guest that dies at the end' guest '2 1 0 1' <<<"$good"
flags=$'[ 1.0] Oops: double fault: 0000 [#1]\n[ 1.0] RSP: 0018:ffff9cf4001b3bc0 EFLAGS: '
death=once console=${flags}818fbec2 ok 'a guest that dies of flags that no processor has runs again' guest '2 0 1 0' <<<"$good"
death=once console=${flags}818fbec2 ok 'a test that fails then has failed' guest '2 1 1 1' <<<"$good"$'\nfalse'
death=once console=${flags}00390246 ok 'a guest that dies with possible flags does not' guest '0 2 0 1' <<<"$good"
rm "$tree/kernel/died"
death=once console=${flags/double fault/int3}818fbec2 ok 'nor one that dies in another way' guest '0 2 0 1' <<<"$good"
rm "$tree/kernel/died"
death=last console=${flags}818fbec2 ok 'nor does it run a third time' guest '2 1 1 1' <<<"$good"
dmesg='[ 1.0] WARNING: CPU: 0' ok 'a kernel that complains' guest '2 1 0 1' <<<"$good"
console='[ 1.0] BUG: bad' ok 'a kernel that complains only on the console' guest '2 1 0 1' <<<"$good"
while read -r dmesg; do
	ok "a kernel that says: $dmesg" guest '2 1 0 1' <<<"$good"
done <<'END'
INFO: trying to register non-static key.
rcu: INFO: rcu_preempt self-detected stall on CPU
INFO: rcu_tasks detected stalls on tasks:
INFO: task sh:1 blocked for more than 122 seconds.
watchdog: Watchdog detected hard LOCKUP on cpu 0
watchdog: BUG: soft lockup - CPU#1 stuck for 62s! [sh:1]
WARNING: possible circular locking dependency detected
UBSAN: array-index-out-of-bounds in kernel/trace/trace.c:1:2
PANIC: early exception 0x0d IP 10:ffffffff81000000 error 0 cr2 0x0
END
dmesg='INFO: NMI handler (nmi_cpu_backtrace_handler) took too long to run: 1.2 msecs' \
	ok 'a kernel that reports a slow NMI handler on a busy host' guest '2 0 0 0' <<<"$good"
echo ' debug_locks:                                 0' >"$tap_scratch/lockdep_stats"
export HYTRACE_LOCKDEP_STATS=$tap_scratch/lockdep_stats
ok 'a kernel whose lockdep is off at the end' guest '2 1 0 1' <<<"$good"
echo ' debug_locks:                                 1' >"$tap_scratch/lockdep_stats"
ok 'a kernel whose lockdep is on' guest '2 0 0 0' <<<"$good"
unset HYTRACE_LOCKDEP_STATS dmesg
dmesg='[ 1.0] WARNING: CPU: 1 PID: 3 at kernel/trace/ring_buffer.c:7462 trace_rb_cpu_prepare+0xc8/0xe0' \
	ok 'a warning that the unpatched kernel prints as well' guest '2 0 0 0' <<<"$good"
dmesg='all is well' ok 'a kernel that prints something else' guest '2 0 0 0' <<<"$good"
ok 'a test for which there is no time fails' guest '0 2 0 1' --minutes 0 <<<"$good"
ok 'a test that is for another kernel' guest '0 0 0 2' --kernel stock <<<"$good"
ok 'a test on a kernel that takes the place of the patched one' guest '2 0 0 0' --kernel debug <<<"$good"
ok 'run.pl with an unknown test' counted '0 0 0 2' "$tree/tests/run.pl" t-none
ok 'guest/run.sh with an unknown test' counted '0 0 0 2' "$tree/tests/guest/run.sh" t-none

# ftracetest COUNTS: runs our own tests; the stock runner prints what is on stdin
ftracetest()
{
	mkdir -p "$tree/kernel/files/$suite/test.d/mine" "$tree/patched/$suite/test.d"
	touch "$tree/patched/$suite/test.d/functions" "$tree/kernel/files/$suite/test.d/mine/it.tc"
	program "patched/$suite/ftracetest"
	counted "$1" env DMESG= CONSOLE= DEATH= "$tree/tests/run.pl" ftracetest
}

ok 'ftracetest: tests that pass' ftracetest '2 0 0 0' <<<'printf "ok %d x\n" 1 2; echo 1..2'
ok 'ftracetest: a test that fails' ftracetest '1 1 0 1' <<<'printf "%s\n" "not ok 1 x" "ok 2 x" 1..2'
ok 'ftracetest: a test of ours that is skipped fails' ftracetest '1 1 0 1' \
	<<<'printf "%s\n" "ok 1 x # SKIP" "ok 2 x" 1..2'
ok 'ftracetest: a test of ours that fails as expected fails' ftracetest '1 1 0 1' <<<'printf "%s\n" "ok 1 x # XFAIL" "ok 2 x" 1..2'
ok 'ftracetest: a test of ours without a result fails' ftracetest '1 1 0 1' <<<'printf "%s\n" "ok 1 x" 1..2'
rm -r "$tree/kernel/files/$suite/test.d/mine" "$tree/tests/guest/t-it.sh"

# ---------------------------------------------------------------- tests on this machine

# all COUNTS UNIT OTHER: runs UNIT as a unit test, and OTHER for each test that is a script
all()
{
	local name

	: >"$tree/tests/unit/part/it.c"
	program build/tests/unit/part/it <<<"echo noise; for a; do [[ \$a != --tap=* ]] || exec 4>\"\${a#*=}\"; done; $2"
	for name in tests/guest/{vm,early,early-graph,initcalls,compare}.sh tests/host/it.sh; do
		program "$name" <<<"$3"
	done
	counted "$1" "$tree/tests/run.pl" --all
}

unit='printf "%s\n" 1..1 "ok - x" >&4'
host='echo "ok 1 - x"; echo 1..1'
ok 'make test: tests that pass' all '5 0 0 0' "$unit" "$host"
ok 'a unit test that fails' all '5 1 0 1' 'printf "%s\n" 1..2 "ok - x" "not ok - y" >&4; exit 1' "$host"
ok 'the failure is printed again at the end' grep -Pzq '\nfailed:\n +[\d.]+ s  unit/part/it: 1 passed, 1 failed\n +NOT OK   y\n5 passed, 1 failed\n$' "$tap_scratch/out"
ok 'a unit test that crashes' all '5 1 0 1' "$unit; exit 139" "$host"
ok 'a unit test that is killed' all '5 1 0 1' "$unit; kill -9 \$\$" "$host"
ok 'a unit test without results' all '4 1 0 1' 'exit 0' "$host"
ok 'a unit test that is not there' all '4 1 0 1' 'exit 127' "$host"
ok 'a test on the host that fails' all '1 4 0 1' "$unit" 'echo "not ok 1 - x"; echo 1..1; exit 1'
ok 'a test on the host that dies' all '5 4 0 1' "$unit" 'echo "ok 1 - x"'
ok 'a test on the host that fails and dies' all '1 8 0 1' "$unit" 'echo "not ok 1 - x"'
ok 'a test on the host that passes and exits with 1' all '5 4 0 1' "$unit" "$host; exit 1"
ok 'a test on the host that was expected to fail' all '1 4 0 1' "$unit" 'echo "not ok 1 - x # TODO y"; echo 1..1'
ok 'a test on the host that is skipped' all '1 0 4 0' "$unit" 'echo "ok 1 - x # SKIP y"; echo 1..1'
cp "$tree/kernel/series-6.12" "$tree/kernel/series-7.3"
alike='[[ $0 == */guest/* || -z ${LINUX-} ]]'
LINUX=7.3 ok 'units and tests on the host are the same for each kernel' all '5 0 0 0' "$alike && $unit" "$alike && $host"
chosen='[[ $0 == */host/* || $LINUX == 7.3 ]]'
LINUX=7.3 ok 'tests in guests are of the kernel that is asked for' all '5 0 0 0' "$unit" "$chosen && $host"
all '' "$unit" "$host" >/dev/null
ok 'run.pl with a part of a name runs that test alone' counted '1 0 0 0' "$tree/tests/run.pl" part/it

# What a run prints and counts when it may keep results.
again()
{
	counted "$1" "$tree/tests/run.pl"
}
kept()
{
	sed -n 's/^kept: \([0-9]*\) results of \([0-9]*\) tests .*/\1 \2/p' "$tap_scratch/out"
}
mkdir -p "$HYTRACE_CACHE/stock"
echo linux-image-it >"$HYTRACE_CACHE/stock/latest-stock-6.12"
all '' "$unit" "$host" >/dev/null
ok 'what has passed is kept' again '0 0 0 0'
is 'and told' "$(kept)" '5 5'
ok 'ALL=1 runs it' counted '5 0 0 0' "$tree/tests/run.pl" --all
ok 'so does the gate' grep -q '^5 passed' <("$tree/tests/run.pl" --gate)
echo "$host" >"$tree/tests/guest/thing-lib.sh"
program tests/host/it.sh <<<'here=${0%/*}/../guest; . "$here/thing-lib.sh"'
ok 'a test with another script is run' again '1 0 0 0'
ok 'and kept' again '0 0 0 0'
echo '# more' >>"$tree/tests/guest/thing-lib.sh"
ok 'if a file that it sources changes, it runs' again '1 0 0 0'
is 'and no other one' "$(kept)" '4 4'
program build/tests/unit/part/it <<<"exec 4>/dev/stdout; for a; do [[ \$a != --tap=* ]] || exec 4>\"\${a#*=}\"; done; $unit; true"
ok 'so does a unit test whose program has changed' again '1 0 0 0'
sed -i "s|image\*) echo $tree/image|image*) echo $tree/other/image|" "$tree/kernel/build.sh"
ok 'tests of a kernel whose image is another one' again '3 0 0 0'
mkdir -p "$tree/build"
touch -d tomorrow "$tree/build/hytrace"
program tests/host/it.sh <<<'build/hytrace why x; echo "ok 1 - x"; echo 1..1'
for object in main report/it document/it base/it event/it; do
	mkdir -p "$tree"/{user,build/user}/"${object%/*}"
	case $object in
	main) echo 'void base(void), cmd_why(void), cmd_event(void); int main(void) { base(); cmd_why(); cmd_event(); }' ;;
	report/it) printf '#include "document/it.h"\nvoid cmd_why(void) { document(); }\n' ;;
	event/it) echo 'void cmd_event(void) { }' ;;
	*) echo "void ${object%/it}(void) { }" ;;
	esac >"$tree/user/$object.c"
done
printf '	{ "%s", "hytrace", cmd_%s, "" },\n' why why event event | sed '1i /*' | sed '$a */' >>"$tree/user/main.c"
echo 'void document(void);' >"$tree/user/document/it.h"
for object in main report/it document/it base/it event/it; do
	(cd "$tree" && gcc -MMD -Iuser -c -o "build/user/$object.o" "user/$object.c") || exit 1
done
again '' >/dev/null
ok 'what has passed with this loader is kept' again '0 0 0 0'
echo >>"$tree/user/event/it.c"
ok 'a source that a command does not reach' again '0 0 0 0'
echo >>"$tree/user/report/it.c"
ok 'the source of a command that the test calls' again '1 0 0 0'
echo >>"$tree/user/document/it.c"
ok 'a source that it reaches' again '1 0 0 0'
echo >>"$tree/user/document/it.h"
ok 'a header that it includes' again '1 0 0 0'
echo >>"$tree/user/base/it.c"
ok 'what the table of commands reaches' again '1 0 0 0'
# An object of a file that is embedded, and one of a source that has gone.
echo page >"$tree/user/report/page.html"
(cd "$tree/user/report" && ld -r -b binary -o "$tree/build/user/report/page.html.o" page.html) || exit 1
echo 'extern char _binary_page_html_start; void document(void); char *page(void) { document(); return &_binary_page_html_start; }' |
	gcc -x c -c -o "$tree/build/user/report/gone.o" -
echo 'char *page(void); void cmd_why(void) { page(); }' >"$tree/user/report/it.c"
cat >"$tree/user/event/it.c" <<'END'
extern char _binary_page_html_start;
char *page(void);
void cmd_event(void);
char *page(void) { return &_binary_page_html_start; }
void cmd_event(void) { }
END
for object in report/it event/it; do
	(cd "$tree" && gcc -MMD -Iuser -c -o "build/user/$object.o" "user/$object.c") || exit 1
done
again '' >/dev/null
echo >>"$tree/user/report/page.html"
ok 'a file that is embedded' again '1 0 0 0'
echo >>"$tree/user/event/it.c"
ok 'what the object of a source that has gone defines, too, is of the source that is there' again '1 0 0 0'
program tests/host/it.sh <<<$'says_so()\n{\n\t"$hytrace" "$@"\n}\nsays_so why x; echo "ok 1 - x"; echo 1..1'
again '' >/dev/null
echo >>"$tree/user/report/it.c"
ok 'a command by a function that calls the loader' again '1 0 0 0'
mkdir -p "$tree/docs"
printf '%s\n' '```console' '# hytrace why x' '```' >"$tree/docs/it.md"
program tests/host/it.sh <<<': docs/it.md; echo "ok 1 - x"; echo 1..1'
again '' >/dev/null
echo >>"$tree/user/report/it.c"
ok 'a command of a session that a document shows' again '1 0 0 0'
printf '	{ "%s", "hytrace", NULL, "" },\n' cover bench >>"$tree/user/main.c"
echo 'void cmd_cover(void) { }' >"$tree/user/base/it.c"
(cd "$tree" && gcc -MMD -Iuser -c -o build/user/base/it.o user/base/it.c) || exit 1
program tests/host/it.sh <<<'build/hytrace bench; echo "ok 1 - x"; echo 1..1'
again '' >/dev/null
echo >>"$tree/user/base/it.c"
ok 'hytrace bench runs hytrace cover' again '1 0 0 0'
program tests/host/it.sh <<<'build/hytrace why x; echo "ok 1 - x"; echo 1..1'
touch -d yesterday "$tree/build/hytrace"
echo >>"$tree/user/document/it.c"
ok 'a loader that is older than its source' again '1 0 0 0'
ok 'gives no result to keep' again '1 0 0 0'
program tests/host/it.sh <<<'echo >>"$0"; echo "ok 1 - x"; echo 1..1'
again '' >/dev/null
ok 'a test of which a file was changed meanwhile is not kept' again '1 0 0 0'
program tests/host/it.sh <<<'[[ -e $0.fail ]] && { echo "not ok 1 - x"; echo 1..1; exit 1; }; echo "ok 1 - x"; echo 1..1'
touch "$tree/tests/host/it.sh.fail"
ok 'a test that fails' again '0 1 0 1'
ok 'is not kept' again '0 1 0 1'
rm "$tree/tests/host/it.sh.fail"
program tests/host/it.sh <<<'[[ -e "'"$tap_scratch"'/bad" ]] && { echo "not ok 1 - x"; echo 1..1; exit 1; }; echo "ok 1 - x"; echo 1..1'
again '' >/dev/null
touch "$tap_scratch/bad"
ok 'a test that passed, and fails with the same inputs' counted '0 1 0 1' "$tree/tests/run.pl" host/it
ok 'is forgotten' again '0 1 0 1'
rm "$tap_scratch/bad"
again '' >/dev/null
printf 'host/it 2 1\n' >"$tree/tests/counts"
ok 'a test with fewer results than tests/counts has fails' counted '1 1 0 1' "$tree/tests/run.pl" host/it
ok 'and is not kept' again '1 1 0 1'
rm "$tree/tests/counts"
"$tree/tests/run.pl" --counts host/it >/dev/null
is 'tests/counts is what run.pl writes' "$(grep -v '^#' "$tree/tests/counts")" 'host/it 1 0'
rm -rf "$tree/tests/counts" "$tree/tests/guest/thing-lib.sh" "$tree/user" "$tree/build/user"

# ---- kernel/known.sh

# known_in CLONE PID: what is known of x there, if that process has exported it
known_in()
{
	HYTRACE_KNOWN="$2 /a"$'\n'"x=$tap_scratch" bash -c 'clone=$1; . "$2"; known x' - "$1" "$clone/kernel/known.sh"
}
is 'known: what a process above has exported' "$(known_in /a $$)" "$tap_scratch"
ok 'not of another process' sh -c '! "$@"' - bash -c "$(declare -f known_in); known_in /a 999999999"
ok 'nor of another clone' sh -c '! "$@"' - bash -c "$(declare -f known_in); known_in /b $$"

names="$("$clone/tests/run.pl" --list /)"
is 'each test is of make test, of the gate, of the night, or long' "$(for group in --all --gate --nightly; do
	"$clone/tests/run.pl" $group --list; done | sort -u | comm -13 - <(sort <<<"$names") | grep -v '^long/')" ''
is 'none of the night is in the gate' "$(comm -12 <("$clone/tests/run.pl" --gate --list | sort) <("$clone/tests/run.pl" --nightly --list | sort))" ''
is 'make test is a part of the gate' "$("$clone/tests/run.pl" --list | sort | comm -23 - <("$clone/tests/run.pl" --gate --list | sort))" ''
# A test that is renamed would be no nightly one any more.
is 'run.pl knows five tests that are nightly by their names' "$("$clone/tests/run.pl" --nightly --list |
	grep -cE '^(guest/t-(bench|fevent-scale|text-slots-depth)|ftracetest/text-slots)')" 5
is 'run.pl runs a nightly test that is named' "$("$clone/tests/run.pl" --list t-fevent-scale)" guest/t-fevent-scale
is 'each test has a line in tests/counts' "$(sed -n 's/^\([^# ]*\) [0-9]* [0-9]*$/\1/p' "$clone/tests/counts" | sort |
	comm -13 - <(grep -v '^long/' <<<"$names" | sort))" ''

# ---------------------------------------------------------------- tests/guest/kselftest.sh

for n in a b mine; do
	for kernel in pristine patched; do
		[[ $kernel-$n != pristine-mine ]] || continue
		mkdir -p "$tree/$kernel/$suite/test.d"
		echo "# description: $n" >"$tree/$kernel/$suite/test.d/$n.tc"
	done
done
mkdir -p "$tree/kernel/files/$suite/test.d"
cp "$tree/patched/$suite/test.d/mine.tc" "$tree/kernel/files/$suite/test.d"
echo image >"$tree/image"

# The output of the suite comes from a file for each kernel. A second run may have another file.
program kernel/vm.sh <<'END'
while (($#)); do
	case $1 in
	--kernel) said=$(dirname "$0")/../said.$(basename "$2") ;;
	--console) : >"$2" ;;
	--) break ;;
	esac
	shift
done
[[ ! -e $said.ran || ! -e $said.again ]] || said+=.again
[[ $said == *.again ]] || : >"$said.ran"
cat "$said"
END

# suite_says FILE RESULT...: writes results of the tests a, b and mine. After PANIC, the output ends.
suite_says()
{
	local file=$tree/said.$1 names=(a b mine) n=0 result
	shift

	: >"$file"
	for result; do
		[[ $result != PANIC ]] || {
			printf '[%d] %s\n' $((n + 1)) "${names[n]}" >>"$file"
			return
		}
		printf '[%d] %s\t[%s]\n' $((n + 1)) "${names[n]}" "$result" >>"$file"
		n=$((n + 1))
	done
	echo '# of undefined(test bug):  0' >>"$file"
}

# suites STATUS SAYS RESULT...: runs kselftest.sh with these results of the patched kernel; on the other one all pass
suites()
{
	local wanted=$1 says=$2 status=0 asked=("${only-.}")
	shift 2

	[[ ${only-.} ]] || asked=()
	rm -f "$tree"/said.*.ran
	: >"$tree/old"
	: >"$tree/new"
	suite_says old PASS PASS
	suite_says new "$@"
	"$tree/tests/guest/kselftest.sh" --kernels "$tree/old" "$tree/new" "${asked[@]}" \
		>"$tap_scratch/out" 2>&1 || status=$?
	((status == wanted)) && grep -q -- "$says" "$tap_scratch/out" && return
	echo "status $status, not $wanted, or no line with: $says"
	cat "$tap_scratch/out"
	return 1
}

ok 'kselftest: tests that pass' suites 0 '1 differ, 0 worse' PASS PASS PASS
ok 'a test that has become worse' suites 1 '^worse .*FAIL .* b' PASS FAIL PASS
ok 'a test that is no longer supported' suites 1 '^worse .*UNSUPPORTED .* b' PASS UNSUPPORTED PASS
ok 'a test that is gone' suites 1 '^gone .* b' PASS
ok 'each test of ours is named' suites 0 '^ours  *PASS  *mine$' PASS PASS PASS
ok 'the tests of ours are counted' suites 0 '1 of our 1 tests pass' PASS PASS PASS
ok 'a test of ours that did not run' suites 1 '^ours  *-  *mine$' PASS PASS
ok 'a test of ours that fails' suites 1 '^new .*FAIL .* mine' PASS PASS FAIL
ok 'a test of ours that fails as expected' suites 1 '^new .*XFAIL .* mine' PASS PASS XFAIL
ok 'a test of ours that is not supported' suites 1 '^new .*UNSUPPORTED .* mine' PASS PASS UNSUPPORTED
ok 'a test of ours that the kernel does not survive' suites 1 '^new .*PANIC .* mine' PASS PASS PANIC
only=none ok 'no test at all' suites 1 'no test has run'
only='' ok 'kselftest without arguments runs all tests' suites 0 '1 of our 1 tests pass' PASS PASS PASS
ours=$tree/kernel/files/$suite/test.d/mine.tc
mv "$ours" "$tree/mine.tc"
only='' ok 'a suite without tests of ours fails' suites 1 '0 of our 0 tests pass' PASS PASS PASS
sed 's/$/\n# flags: instance/' "$tree/mine.tc" >"$ours"
ok 'a test of ours whose turn in an instance did not run' suites 1 '^ours  *-  *(instance) mine$' PASS PASS PASS
cp "$tree/mine.tc" "$ours"
printf '[1] %s\t[PASS]\n' b >"$tree/said.new.again"
echo '# of undefined(test bug):  0' >>"$tree/said.new.again"
ok 'a test that passes when it is run alone' suites 0 'unsteady: b' PASS FAIL PASS
printf '[1] %s\t[PASS]\n' mine >"$tree/said.new.again"
echo '# of undefined(test bug):  0' >>"$tree/said.new.again"
ok 'a test that the kernel survives only the second time' suites 1 '^new .*PANIC .* mine' PASS PASS PANIC

# ---------------------------------------------------------------- tests/mutants.pl

mkdir -p "$tree/tests/mutants"
cp "$clone/tests/mutants.pl" "$tree/tests/"
# A test on the host may run the loader, which is therefore built first. Here there is nothing to build.
printf '.PHONY: user\nuser:\n' >"$tree/Makefile"
program tests/host/it.sh <<<'grep -q "^one$" ./a.thing'
printf '%s\n' zero one two two >"$tree/a.thing"
mkdir -p "$tree/user/it"
cat >"$tree/user/it/it.c" <<'END'
int first(int a);
static int first(int a)
{
	if (a &&
	    a != 5) {
		return a * a;
	}
	return one(a);
}

static const int second[] = {
	1, 2,
};

static int third(int a)
{
	return a;
}
END

# mutants STATUS SAYS MUTANT: runs mutants.pl with one mutant
mutants()
{
	local status=0

	printf '%s\n' '# all' '' '[host/it]' "$3" >"$tree/tests/mutants/it.mutants"
	"$tree/tests/mutants.pl" >"$tap_scratch/out" 2>&1 || status=$?
	((status == $1)) && grep -q -- "$2" "$tap_scratch/out" && return
	echo "status $status, not $1, or no line with: $2"
	cat "$tap_scratch/out"
	return 1
}

# applies MUTANT: prints the line of the C file at which it applies; nothing if it does not
applies()
{
	printf '%s\n' '[host/it]' "$1" >"$tree/tests/mutants/it.mutants"
	"$tree/tests/mutants.pl" --list | sed -n 's|^host/it .*user/it/it\.c:||p'
}

ok 'mutants: a mutant that a test catches' mutants 0 '^caught .* a\.thing:2$' 'a.thing: one ~> One'
ok 'a mutant that survives' mutants 1 '^SURVIVED .* a\.thing:1$' 'a.thing: zero ~> Zero'
ok 'a mutant whose words do not exist' mutants 1 '^does not apply: ' 'a.thing: three ~> Three'
ok 'a mutant whose words exist twice' mutants 1 '^does not apply: ' 'a.thing: two ~> Two'
ok 'a mutant in a file that no result depends on' mutants 1 'would be kept' 'first: one ~> two'
printf '	{ "none", "hytrace", cmd_none, "" },\n' >"$tree/user/main.c"
mkdir -p "$tree/user/none" "$tree/build/user/none"
echo 'void cmd_none(void) { }' >"$tree/user/none/it.c"
(cd "$tree" && gcc -MMD -c -o build/user/none/it.o user/none/it.c) || exit 1
program tests/host/it.sh <<<'grep -q "^one$" ./a.thing; build/hytrace none'
ok 'also if the test calls the loader' mutants 1 'would be kept' 'first: one ~> two'
program tests/host/it.sh <<<': ./a.thing; false'
ok 'a test that fails without a mutant' mutants 1 'host/it, without a mutant: caught' 'a.thing: one ~> One'
is 'the tree is not changed' "$(xargs <"$tree/a.thing")" 'zero one two two'
program tests/host/it.sh <<<': user/it/it.c'
is 'a mutant is found by its function, however its line is wrapped' "$(applies 'first: a && a != 5 ~> a')" 4
is 'or by file and function' "$(applies 'it/it.c:first: a * a ~> a')" 6
is 'words are whole ones' "$(applies 'third: a ~> b')$(applies 'third: return ~>')" 17
is 'what is between two parts of it may be anything' "$(applies 'first: if ... } ~>')" 4
is 'a table is found by its name' "$(applies 'second: 2 ~> 3')" 12
is 'what is in another function is not found' "$(applies 'first: 2 ~> 3')$(applies 'other.c:first: one ~> two')" ''

# ---- tests/guest/put-back.sh

. "$clone/tests/guest/put-back.sh"

# Fails without any of the options in $needed, and without both of a pair.
attempt()
{
	echo >>"$tap_scratch/attempts"
	for option; do
		[[ " $needed " != *" $option "* ]] || return 1
	done
	[[ " $* " != *' pair1 '*' pair2 '* ]]
}

# puts_back NEEDED TIER...: what is put back, in a line
puts_back()
{
	needed=$1
	shift
	: >"$tap_scratch/attempts"
	put_back "$@" | xargs
}

is 'put_back: the only option that is needed' "$(puts_back c 'a b' 'c d e' f)" c
is 'the first, and the last option' "$(puts_back 'a f' 'a b' 'c d e' f)" 'a f'
is 'two of one tier' "$(puts_back 'd e' 'a b' 'c d e' f)" 'd e'
is 'one that is the only one of all tiers' "$(puts_back a '' a '')" a
is 'of two, one of which must stay, the one of the later tier' "$(puts_back none 'a pair1' 'b c' 'd pair2 e')" pair2
puts_back 37 "$(seq 10 | xargs)" "$(seq 11 40 | xargs)" "$(seq 41 60 | xargs)" >"$tap_scratch/out"
is 'one of sixty' "$(<"$tap_scratch/out")" 37
# None, the two ends before it, five halves of a tier of thirty, and one that shows that no other is needed.
ok 'in nine attempts' test "$(wc -l <"$tap_scratch/attempts")" -le 9
ok 'nothing to put back fails' sh -c '! "$@"' - bash -c 'attempt() { false; }; . "$1"; put_back a "b c"' - "$clone/tests/guest/put-back.sh"
tap_end
