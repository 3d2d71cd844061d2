#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests the runner of hytrace suite, which needs no kernel: --no-trace runs the tests of a list and prints KTAP. Also
# hytrace mark without a suite that hears it, and wrong arguments of both. t-suite.sh records suites.
# shellcheck disable=SC2016 # scripts in quotes, for shells to come

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
cd "$tap_scratch" || exit 1
unset HYTRACE_MARK

# suite [OPTION]... <LIST: prints what it prints without the seconds, and its exit status. Errors are in the file err.
suite()
{
	cat >list
	"$hytrace" suite --no-trace "$@" list 2>err </dev/null | sed -E 's/[0-9]+\.[0-9]{3} s$/TIME/'
	echo "status ${PIPESTATUS[0]}"
}

# refuses MESSAGE COMMAND...: it says so, and ends with status 2; with a RUNNER, as all that takes a command, with 125
refuses()
{
	local status=0 message=$1 wanted=2
	shift

	[[ " $* " != *' -- '* ]] || wanted=125
	"$hytrace" "$@" >out 2>err </dev/null || status=$?
	[[ $status -eq $wanted && ! -s out && $(head -n 1 err) == "hytrace$message" ]] && return
	echo "status $status:"
	cat out err
	return 1
}

# ended FILE: the process with this number has ended. Nobody may have waited for it.
ended()
{
	for ((i = 0; i < 40; i++)); do
		[[ $(sed 's/.*) //' "/proc/$(<"$1")/stat" 2>/dev/null) == [^Z]* ]] || return 0
		sleep .05
	done
	return 1
}

# ---- results

is 'tests that pass' "$(printf 'a true\nb exit 0\ntrue\n' | suite)" 'KTAP version 1
1..3
ok 1 a # TIME
ok 2 b # TIME
ok 3 true # TIME
status 0'
is 'each status of a test, and that of the suite' "$(printf '%s\n' 'a exit 3' 'b kill -SEGV $$' 'c no-such-program 2>/dev/null' \
	'd true' 'e#1 false' | suite)" 'KTAP version 1
1..5
not ok 1 a # status 3, TIME
not ok 2 b # status 139, TIME
not ok 3 c # status 127, TIME
ok 4 d # TIME
not ok 5 e\#1 # status 1, TIME
status 1'
is 'a test that is skipped has not failed' "$(printf 'a exit 32\nb exit 4\n' | suite --skip 32)" 'KTAP version 1
1..2
ok 1 a # SKIP
not ok 2 b # status 4, TIME
status 1'
is 'nor has a suite of such tests' "$(echo 'a exit 32' | suite --skip 32 | tail -n 1)" 'status 0'
is 'only with --skip' "$(echo 'a exit 32' | suite)" 'KTAP version 1
1..1
not ok 1 a # status 32, TIME
status 1'
mkdir net
printf '#!/bin/sh\necho $PWD; exit 4\n' >net/skips
printf '#!/bin/sh\necho "$0"; exit 5\n' >net/fails
chmod +x net/*
is 'kselftests run in their directories, and skip with 4' "$(printf 'net:skips\nnet:fails\n' | suite)" "KTAP version 1
1..2
# $tap_scratch/net
ok 1 net:skips # SKIP
# ./fails
not ok 2 net:fails # status 5, TIME
status 1"
is 'unless another status is given' "$(echo 'net:skips' | suite --skip 5 | tail -n 2)" 'not ok 1 net:skips # status 4, TIME
status 1'
is 'plain lines are commands and names' "$(printf 'exit 3\ntrue # x\n# y\n' | suite --plain)" 'KTAP version 1
1..2
not ok 1 exit 3 # status 3, TIME
ok 2 true \# x # TIME
status 1'
is 'a list from standard input' "$(echo 'a true' | "$hytrace" suite --no-trace - | sed 's/ #.*//')" 'KTAP version 1
1..1
ok 1 a'

# ---- output of tests

is 'the output of a test becomes comments' "$(printf '%s\n' 'a echo one; echo; echo two >&2; printf three' 'b true' 'c printf "\n"' | suite)" \
$'KTAP version 1\n1..3\n# one\n# \n# two\n# three\nok 1 a # TIME\nok 2 b # TIME\n# \nok 3 c # TIME\nstatus 0'
printf '# \0\377\1\n# \033\n' >expected
printf '%s\n' 'a printf "\0\377\1\n\033"' >list
"$hytrace" suite --no-trace list | sed 1,2d | head -n -1 >got
ok 'as it is, also if it is binary' cmp expected got
is 'none of it is a result' "$(echo 'a echo ok 1 - fake; echo Bail out!; echo 1..9' | suite | grep -cE '^(ok|1\.\.|Bail)')" 2
is 'long output is whole' "$(echo 'a seq 100000' | suite | sed -n 's/^# //p' | md5sum)" "$(seq 100000 | md5sum)"
is 'it comes when the test has ended' "$(printf 'a echo one\nb cat out\n' >list
	"$hytrace" suite --no-trace list >out; sed -n 's/^# //p' out | xargs)" 'one KTAP version 1 1..2 # one ok 1 a # 0.'"$(
	sed -nE 's/^# ok 1 a # 0\.//p' out)"
printf '\n# nothing\n' >none
is 'a test has no input, and only the standard descriptors' "$(printf 'a cat; cd /proc/self/fd; echo *\n' >list
	PS1='' bash -c 'for fd in /proc/$$/fd/*; do ((${fd##*/} < 3)) || eval "exec ${fd##*/}>&-"; done 2>/dev/null; exec "$@"' \
		sh "$hytrace" suite --no-trace list <none | sed -n 's/^# //p')" '0 1 2 3'
echo 'a grep -E "^Sig(Blk|Ign)" /proc/self/status' >list
is 'signals are as before' "$(env --default-signal "$hytrace" suite --no-trace list | sed -n 's/^# //p')" \
	"$(env --default-signal grep -E '^Sig(Blk|Ign)' /proc/self/status)"
ok 'standard output that is full: 1' sh -c 'echo "a true" >list; "$0" suite --no-trace list >/dev/full 2>err; test $? -eq 1 && grep -q "standard output" err' "$hytrace"

# ---- tests that do not end

is 'a time-out ends a test' "$(printf 'a sleep 100\nb true\n' | suite --timeout 2)" 'KTAP version 1
1..2
not ok 1 a # TIMEOUT after 2 s
ok 2 b # TIME
status 1'
printf 'a sleep 98765 & sleep 98765 & echo $! >pid; wait\n' | suite --timeout 2 >out
ok 'and all that it has started' ended pid
printf '%s\n' "a trap : TERM; (trap '' TERM; sleep 98765) & echo \$! >pid; while :; do wait; done" | suite --timeout 2 >out
ok 'also what ignores SIGTERM' ended pid
printf '%s\n' "a (trap '' TERM; sleep 98765) & echo \$! >pid; wait" | suite --timeout 2 >out
ok 'also when the test itself has ended by SIGTERM' ended pid
is 'a test may clean up at SIGTERM; with status 0 it has failed all the same' "$(printf '%s\n' \
	"a trap 'echo cleaned; exit 0' TERM; sleep 100 & wait" | suite --timeout 2)" 'KTAP version 1
1..1
# cleaned
not ok 1 a # TIMEOUT after 2 s
status 1'
is 'so has a test that ends with the status of a skip' "$(printf '%s\n' "a trap 'exit 77' TERM; sleep 100 & wait" |
	suite --timeout 2 --skip 77 | tail -n 2)" 'not ok 1 a # TIMEOUT after 2 s
status 1'
is 'a long time-out is none' "$(echo 'a sleep .1' | suite --timeout 1e9 | tail -n 1)" 'status 0'

for signal in INT TERM HUP; do
	printf '%s\n' 'a true' 'b echo here; sleep 98765 & echo $! >pid; touch ready; wait' 'c true' >list
	rm -f ready
	# A background process of this shell would ignore SIGINT.
	python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])' \
		"$hytrace" suite --no-trace list >out &
	runner=$!
	timeout 20 sh -c 'until [ -e ready ]; do sleep .05; done'
	kill -$signal $runner
	wait $runner
	status=$?
	is "SIG$signal ends the suite, with a status as a shell has it" $status $((128 + $(kill -l $signal)))
	is "SIG$signal: the test that ran is named" "$(sed -E 's/[0-9]+\.[0-9]{3} s$/TIME/; s/^Bail out! .+/Bail out! NAME/' out)" 'KTAP version 1
1..3
ok 1 a # TIME
# here
not ok 2 b # interrupted after TIME
Bail out! NAME'
	ok "SIG$signal: what the test had started has ended" ended pid
done
printf '%s\n' 'b sleep 98765 & echo $! >pid; echo $$ >sh; touch ready; wait' >list
rm -f ready
"$hytrace" suite --no-trace list >out &
runner=$!
timeout 20 sh -c 'until [ -e ready ]; do sleep .05; done'
kill -KILL $runner
wait $runner 2>/dev/null
ok 'if the runner is killed, the test is' ended sh
kill "$(<pid)"

# ---- wrong arguments and lists

echo 'a true' >list
ok 'no list' refuses ' suite: give a LIST of tests, or a RUNNER after --' suite
ok 'no list, without tracing' refuses ' suite: give a LIST of tests, or a RUNNER after --' suite --no-trace
ok 'two lists' refuses ' suite: one LIST at a time; a RUNNER comes after --' suite --no-trace list list
ok 'a list and a runner' refuses ' suite: LIST and RUNNER exclude each other' suite -o dir list -- true
ok 'nothing to record to' refuses ' suite: give --keep STORE or -o DIR for the recordings' suite list
ok 'nothing to record to, with a runner' refuses ' suite: give --keep STORE or -o DIR for the recordings' suite -- true
for record in '--keep runs.db' '-o dir'; do
	# shellcheck disable=SC2086 # two words
	ok "--no-trace with ${record% *}" refuses ' suite: --no-trace records nothing: it goes without --keep and -o' suite --no-trace $record list
done
for option in --plain --timeout=3 --skip=32; do
	ok "$option with a runner" refuses ' suite: --no-trace, --plain, --timeout and --skip are about a LIST' suite -o dir $option -- true
done
ok '--no-trace with a runner' refuses ' suite: give --keep STORE or -o DIR for the recordings' suite --no-trace -- true
for scope in --boot --pid=1; do
	ok "$scope" refuses ' suite: --boot and --pid: a suite records the machine, or with --task its tests' suite -o dir $scope list
done
for engine in both event; do
	ok "-e $engine" refuses ' suite: a suite takes one engine: oneshot or bpf' suite -o dir -e $engine list
done
for option in --retire=5 --pin=x; do
	ok "$option" refuses ' suite: --retire and --pin: each test begins with all functions' suite -o dir $option list
done
for limit in --comm --cgroup; do
	ok "$limit with oneshot" refuses " suite: $limit is for the BPF recorders: give --engine bpf or event" suite -o dir -e oneshot $limit x list
done
ok '--entry with oneshot' refuses ' suite: --entry is for --engine bpf' suite -o dir -e oneshot --entry kprobe list
ok '--test' refuses ' suite: --test: the tests have names of their own' suite --keep runs.db --test a list
for time in 0 x -1 1e10; do
	ok "--timeout $time" refuses " suite: --timeout $time: not a time in seconds" suite --no-trace --timeout=$time list
done
for number in 0 256 x; do
	ok "--skip $number" refuses " suite: --skip $number: not a number from 1 to 255" suite --no-trace --skip=$number list
done
for trace in --no-trace '-o dir'; do
	# shellcheck disable=SC2086 # two words
	{
		ok "$trace: a list that is not there" refuses ': gone: cannot read the list: No such file or directory' suite $trace gone
		ok "$trace: a directory" refuses ': .: cannot read the list: Is a directory' suite $trace .
		ok "$trace: a list without a test" refuses ': none: the list has no test' suite $trace none
	}
done
ok 'standard input without a test' refuses ': -: the list has no test' suite --no-trace -
ok 'nothing was made' test ! -e dir -a ! -e runs.db

# ---- marks

ok 'outside of a suite, a mark does nothing' sh -c '"$0" mark a && "$0" mark --begin b && "$0" mark --status 3 c' "$hytrace"
for arguments in '' 'a b'; do
	# shellcheck disable=SC2086 # words
	ok "mark $arguments" refuses " mark: give $([[ $arguments ]] && echo one NAME || echo the NAME of the test)" mark $arguments
done
for name in '' ' ' $'\t\r'; do
	ok "the name is blank ($(printf %q "$name"))" refuses ' mark: give one NAME' mark "$name"
done
for status in -1 256 x '' 1x; do
	ok "--status '$status'" refuses " mark: --status $status: is no exit status, from 0 to 255" mark --status="$status" a
done
ok '--begin and --status' refuses ' mark: --begin and --status exclude each other' mark --begin --status 0 a

# marks FILE [ARGUMENT]...: with this file as HYTRACE_MARK, hytrace mark prints and ends so
marks()
{
	local status=0

	HYTRACE_MARK=$1 timeout 20 "$hytrace" mark "${@:2}" a 2>&1 || status=$?
	echo "status $status"
}
is 'a suite whose directory is gone' "$(marks "$tap_scratch/gone/mark")" \
	"hytrace: HYTRACE_MARK=$tap_scratch/gone/mark: \`hytrace suite\` has ended
status 1"
mkdir dead && mkfifo dead/mark dead/answer
is 'a suite that was killed, so that its FIFOs are there' "$(marks dead/mark)" 'hytrace: HYTRACE_MARK=dead/mark: `hytrace suite` has ended
status 1'
is 'the runner of a list tells it, too' "$(echo 'a true' >list; HYTRACE_MARK=dead/mark "$hytrace" suite --no-trace list 2>&1; echo $?)" \
	'hytrace: HYTRACE_MARK=dead/mark: `hytrace suite` has ended
1'

# A suite: it writes the marks to the file marks, and answers each.
(exec 3<>dead/mark 4<>dead/answer
	while read -r line <&3; do
		echo "$line" >>marks
		echo >&4
	done) &
suite=$!
timeout 20 sh -c 'until test -e marks; do HYTRACE_MARK=dead/mark "$0" mark first 2>/dev/null; done' "$hytrace"
rm marks
is 'marks, as a suite hears them' "$(for arguments in --begin --status=3 ''; do
	# shellcheck disable=SC2086 # nothing, or a word
	marks dead/mark $arguments
done; cat marks)" 'status 0
status 0
status 0
begin a
end 3 a
end ? a'
is 'a name is one line' "$(HYTRACE_MARK=dead/mark "$hytrace" mark $'a\nb' 2>&1; echo $?)" \
	'hytrace: a name of a test has to be one line of less than 4080 bytes
2'
rm marks
printf '%s\n' 'a true' 'b false' 'c exit 32' 'd sleep 100' 'e kill -KILL $$' >list
HYTRACE_MARK=dead/mark timeout 60 "$hytrace" suite --no-trace --skip 32 --timeout 2 list >out
is 'the runner of a list marks each test and its status' "$(<marks)" 'begin a
end 0 a
begin b
end 1 b
begin c
end 32 c
begin d
end 124 d
begin e
end 137 e'
rm marks ready
printf '%s\n' 'a sleep 98765 & echo $! >pid; touch ready; wait' 'b true' >list
python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])' \
	"$(type -P env)" HYTRACE_MARK=dead/mark "$hytrace" suite --no-trace list >out &
runner=$!
timeout 20 sh -c 'until [ -e ready ]; do sleep .05; done'
kill -INT $runner
wait $runner
is 'after a signal, the runner waits for no answer' "$? $(<marks)" '130 begin a'
kill $suite
wait $suite 2>/dev/null
printf '%s\n' 'a until test -e closed; do sleep .05; done' 'b true' 'c false' >list
is 'if the recording ends before the suite, the tests go on without marks' "$(
	sh -c 'exec 3<>dead/mark 4<>dead/answer; HYTRACE_MARK=dead/mark "$0" suite --no-trace list 3>&- 4>&- & read -r line <&3; echo >&4
		sleep .5; exec 3>&- 4>&-; touch closed; wait $!; echo $?' "$hytrace" 2>&1 | sed 's/ # .*//')" 'KTAP version 1
1..3
hytrace: `hytrace suite` has ended before the mark
ok 1 a
ok 2 b
not ok 3 c
1'
is 'a suite that ends before it answers' "$(
	sh -c 'exec 3<>dead/mark 4<>dead/answer; HYTRACE_MARK=dead/mark "$0" mark a 3>&- 4>&- & read -r line <&3; exec 3>&- 4>&-
		wait $!; echo $?' "$hytrace" 2>&1)" 'hytrace: `hytrace suite` has ended before the mark was answered
1'

tap_end
