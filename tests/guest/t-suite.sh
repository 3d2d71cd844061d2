#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# hytrace suite: each call is in the run of the test that made it. suite-calls.pl draws system calls, and so knows which.

# shellcheck disable=SC2016 # runners have variables of their own

. "$(dirname "$(realpath "$0")")/loader.sh"
calls=$(dirname "$(realpath "$0")")/suite-calls.pl

few=()
suite()
{
	"$hytrace" suite "${few[@]}" "$@"
}
# As suite; it must end
within()
{
	timeout -k 1 60 "$hytrace" suite "${few[@]}" "$@"
}
# shellcheck disable=SC2034 # for loader.sh
subject=suite

# runs STORE COLUMNS [WHERE]: these columns of each run
runs()
{
	"$hytrace" sql -f csv "$1" "SELECT $2 FROM run ${3:+WHERE $3} ORDER BY id" | tail -n +2
}

# ran STORE PATTERN: "TEST,FUNCTION" of the functions of this name
ran()
{
	"$hytrace" sql -f csv "$1" "SELECT test, name FROM ran_function JOIN run ON run.id = run WHERE name LIKE '$2' ESCAPE '\\' \
		ORDER BY 1, 2" | tail -n +2
}

# truth STORE TRUTH: the runs of tests must have the calls of TRUTH, and no other of those that can be drawn
truth()
{
	sort -u "$2" | grep -wFf traceable >wanted
	cut -d, -f2 wanted | sort -u >drawn
	ran "$1" '\_\_x64\_sys\_%' | grep -v '^(between tests)' | grep -wFf drawn | sort -u >got
	diff wanted got | head -n 5
	cmp wanted got
}

# ---- lists

printf '%s\n' '# four tests' 'make mkdir dir' 'fail rmdir dir; echo said; exit 3' '' 'slow sleep 60' 'true' >list
ok 'a list is run, and a test of it has failed' status 1 --keep list.db -o files --timeout 1 --strict list
is 'results are KTAP' "$(sed -E 's/, [0-9.]+ s|# [0-9.]+ s/ TIME/' out)" "KTAP version 1
1..4
ok 1 make  TIME
# said
not ok 2 fail # status 3 TIME
not ok 3 slow # TIMEOUT after 1 s
ok 4 true  TIME"
is 'each is a run with its status, also one that fails' "$(runs list.db "test, json_extract(head, '\$.status')")" "make,0
fail,3
slow,124
true,0
(between tests),"
is 'functions are in the runs of the tests that called them' "$(ran list.db '\_\_x64\_sys\_%dir')" "fail,__x64_sys_rmdir
make,__x64_sys_mkdir"
is 'there is a file of each' "$(ls files)" "_between_tests_.json
fail.json
make.json
slow.json
true.json"
is 'they are the runs of the store' "$("$hytrace" keep list.db files/*.json && runs list.db 'count(*)')" 5
"$hytrace" keep again.db files/*.json
for test in make fail true '(between tests)'; do
	is "a kept file is the same run: $test" "$("$hytrace" merge "again.db?document=*$(tr '() ' '___' <<<"$test").json" | jq -S 'del(.cost)')" \
		"$("$hytrace" merge "list.db?test=$(tr '() ' '???' <<<"$test")" | jq -S 'del(.cost)')"
done

# ---- which call is in which run

# Of two names of one address, such as __x64_sys_getuid and __ia32_sys_getuid, ftrace has one.
grep -o '^__x64_sys_[a-z_0-9]*' "$tracing/available_filter_functions" >traceable

for engine in oneshot bpf; do
	ok "$engine: a thousand tests are recorded" status 0 -e "$engine" --task -a '__x64_sys_*' --keep "$engine.db" -- \
		perl "$calls" 1000 42 "$engine.truth" gap
	is "$engine: all of them" "$(runs "$engine.db" 'count(DISTINCT test), sum(complete)')" 1001,1001
	is "$engine: most system calls have their names" "$(($(cut -d, -f2 "$engine.truth" | sort -u | grep -cwFf traceable) >= 15))" 1
	ok "$engine: each has the calls that it made, and no others" truth "$engine.db" "$engine.truth"
	is "$engine: what comes between two tests is in neither" "$(ran "$engine.db" '\_\_x64\_sys\_setpgid')" \
		'(between tests),__x64_sys_setpgid'
	is "$engine: statuses" "$(runs "$engine.db" "test, json_extract(head, '\$.status')" "test IN ('test 6', 'test 7', 'test 1000')")" \
		$'test 6,6\ntest 7,0\ntest 1000,6'
done
ok 'a small log is read in time' status 0 -e bpf --task -a '__x64_sys_*' --max-entries 16 --strict --keep small.db -- \
	perl "$calls" 200 3 small.truth busy
ok 'each of its tests has its calls' truth small.db small.truth
ok 'results alone cut, too' status 0 --task -a '__x64_sys_*' --keep results.db -- perl "$calls" 100 7 results.truth results
ok 'each has its calls' truth results.db results.truth

# An instance of its own records the same processes without a cut.
cat >uncut.sh <<'END'
mkdir $1/instances/uncut
echo 1 >$1/instances/uncut/options/function-fork
echo 'vfs_*' >$1/instances/uncut/set_ftrace_filter
$2 mark --begin first
echo $$ >$1/instances/uncut/set_ftrace_pid
echo oneshot >$1/instances/uncut/current_tracer
for test in 1 2 3 4 5 6; do
	mkdir d$test
	ls -la d$test >/dev/null
	cat $0 >d$test/file
	ln -s x d$test/link
	rm -r d$test
	$2 mark --status 0 test$test
	$2 mark --begin next$test
done
echo nop >$1/instances/uncut/current_tracer
$2 mark --status 0 last
END
ok 'a runner of several programs' status 0 --task -a 'vfs_*' --no-callers --keep sum.db -- sh uncut.sh "$tracing" "$hytrace"
"$hytrace" sql -f csv sum.db 'SELECT DISTINCT name FROM ran_function ORDER BY 1' | tail -n +2 >sum
"$hytrace" sql -f csv sum.db "SELECT DISTINCT name FROM ran_function JOIN run ON run.id = run WHERE test != '(between tests)' ORDER BY 1" |
	tail -n +2 >sum.tests
sed -n '/ vfs_/s/ //p' "$tracing/available_filter_functions_addrs" | sort >places
sort "$tracing/instances/uncut/oneshot_seen" | join - <(sed 's/^\(.\{16\}\)/\1 /' places) | cut -d' ' -f2 | sort -u >uncut
rmdir "$tracing/instances/uncut"
ok 'the sum of the cuts has all that was recorded without a cut' test -z "$(comm -13 sum uncut)"
is 'and nothing else, but for what came before and after' "$(comm -23 sum.tests uncut | grep -vx 'vfs_write\|vfs_open\|vfs_read' | xargs)" ''

# ---- runners

# ---- runners

# A few functions are attached in a moment.
few=(-a '__x64_sys_*' -a 'vfs_*')

cat >tap.sh <<'END'
echo TAP version 13
mkdir one; echo 'ok 1 - first: mkdir # 1 ms'
echo '# ok 7 - in a comment'
rmdir one; sleep .5; echo 'not ok 2 second'
sleep .5; echo 1..2; exit 9
END
ok 'the results in a runner'\''s output cut' status 9 --task --keep tap.db -- sh tap.sh
is 'the output is passed on' "$(<out)" "$(sed -n "s/.*echo '*\([^';]*\)'*.*/\1/p" tap.sh | sed 's/^TAP.*/TAP version 13/')"
is 'its tests are runs' "$(runs tap.db "test, json_extract(head, '\$.status')")" $'first: mkdir,0\nsecond,1\n(between tests),'
is 'with their calls' "$(ran tap.db '\_\_x64\_sys\_mkdir')" 'first: mkdir,__x64_sys_mkdir'
full()
{
	within "$@" >/dev/full
}
subject=full
ok 'output that is lost is an error' says 'standard output: No space' 125 --task --keep tap.db -- sh tap.sh
quiet()
{
	within "$@" >/dev/null
}
subject=quiet
ok 'output without an end' status 143 --duration .5 --keep yes.db -- sh -c 'echo ok 1 a; (sleep 2; kill $$) & exec yes'
subject=suite
ok 'a line to the FIFO is a mark' status 0 --task --keep fifo.db -- sh -c 'mkdir f; echo one >"$HYTRACE_MARK"; sleep .5; echo end 4 two >"$HYTRACE_MARK"; sleep .5'
is 'with its status' "$(runs fifo.db "test, json_extract(head, '\$.status')")" $'one,\ntwo,4\n(between tests),'
ok 'a begin that does not wait' status 0 --keep prompt.db -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$0" mark --begin $i; done; sleep .5; echo begin last >"$HYTRACE_MARK"; sleep .05; mkdir prompt; sleep .5; "$0" mark --status 0 last' "$hytrace"
is 'is not held up by sets that are read' "$(ran prompt.db '\_\_x64\_sys\_mkdir')" last,__x64_sys_mkdir
ok 'results and marks' status 0 --task --keep order.db -- \
	sh -c 'kill -STOP $PPID; echo ok 1 one; echo begin two >"$HYTRACE_MARK"; kill -CONT $PPID; sleep 1; echo end 0 two >"$HYTRACE_MARK"'
is 'come in their order' "$(runs order.db test | xargs)" 'one two (between tests)'
ok 'a runner without any test' says 'no test was seen' 125 --keep none.db -- true
ok 'a runner' status 0 --keep list.db -- sh -c 'ls /proc/$$/fd; echo ok 1 x'
is 'has no file of hytrace' "$(xargs <out)" '0 1 2 ok 1 x'
ok 'a runner of another name' says 'nonesuch: command not found' 127 --keep none.db -- nonesuch

# ---- ends

"$hytrace" suite "${few[@]}" --task --keep stopped.db -- sh -c 'echo ok 1 done; "$0" mark --begin long; echo now >ready; exec sleep 60' "$hytrace" >out 2>err &
ok 'a test is running' soon test -s ready
interrupt $!
is 'Ctrl-C keeps what is there, and the test that it has ended' "$(runs stopped.db "test, json_extract(head, '\$.ended')")" \
	$'done,command\nlong,signal\n(between tests),signal'
printf '%s\n' 'short sleep 1' 'long echo now >begun; sleep 60' 'later true' >ends
"$hytrace" suite "${few[@]}" --task --keep ended.db ends >out 2>err &
ok 'a test of a list is running' soon test -s begun
interrupt $!
is 'Ctrl-C ends the list, too' "$?" 130
is 'with its results' "$(grep -o '^ok 1 short\|^not ok 2 long # interrupted\|^Bail' out | xargs)" 'ok 1 short not ok 2 long # interrupted Bail'
subject=within
ok 'after --duration, the list goes on, here from a pipe' status 0 --task --duration .5 --keep over.db \
	<(printf '%s\n' 'short sleep 1' 'later true')
is 'and is not recorded' "$(runs over.db test | xargs)" 'short (between tests)'
subject=suite
"$hytrace" suite "${few[@]}" --task --duration 3 --keep over.db -- \
	sh -c 'echo ok 1 a; trap "exit 7" TERM; sleep 5; touch late; sleep 20 & wait' >out 2>err &
ok 'a runner goes on after --duration' soon test -e late
pause 1
kill -TERM $!
wait $!
is 'and still gets signals' "$?" 7
ok 'nothing is left' soon nothing_left
ls -d /tmp/hytrace-mark.* >left 2>&1
is 'nor is a FIFO' "$(grep -c 'No such' left)" 1
"$hytrace" suite "${few[@]}" --keep killed.db -- sh -c '"$0" mark one; kill -KILL $PPID; "$0" mark two 2>said; echo $? >mark; touch over' "$hytrace" >out 2>err
ok 'after a kill the runner goes on' soon test -e over
is 'a mark says that nobody listens' "$(<mark) $(grep -o 'hytrace suite. has ended' said)" '1 hytrace suite` has ended'
ok 'and the watchdog cleans up' soon nothing_left

mkdir full
mount -t tmpfs -o size=400k nodev full
ok 'a disk that becomes full is an error' says 'full/runs.db' 125 --keep full/runs.db -- sh -c 'echo ok 1 a; sleep 1; cat /dev/zero >full/filler 2>/dev/null; echo ok 2 b; sleep 1'
umount full
few=()
ok 'losses are told' says 'of the runs are not complete' 0 -e bpf --max-entries 16 --keep lost.db -- \
	sh -c 'find / -xdev -maxdepth 2 >/dev/null; echo ok 1 a'
ok 'the event engine is refused' says 'oneshot or bpf' 125 -e event --keep x.db -- true

# ---- the kernel's part

is 'a set is replaced at once if the write does not wait, up to 32 of them' "$(perl -e '
	use Fcntl; use IO::Handle;
	my $dir = "$ARGV[0]/instances/cuts";
	mkdir $dir or die; open my $tracer, ">", "$dir/current_tracer" or die; syswrite $tracer, "oneshot" or die;
	sysopen my $seen, "$dir/oneshot_seen", O_WRONLY | O_NONBLOCK or die;
	my ($count, $refused) = (0, 0);
	for (1 .. 300) { defined syswrite($seen, "0") ? $count++ : $refused++; }
	print $count >= 32 && $refused ? "refused: $!, " : "$count cut, $refused refused, ";
	print $seen->IO::Handle::sync ? "complete, " : "fsync: $!, ";
	print defined syswrite($seen, "0") ? "again" : $!;
	syswrite $tracer, "nop"; close $seen; close $tracer; rmdir $dir or die' "$tracing")" \
	'refused: Resource temporarily unavailable, complete, again'

tap_end
