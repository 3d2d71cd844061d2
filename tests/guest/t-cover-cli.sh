#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# hytrace cover as a script uses it: exit statuses, bad input that is refused before anything is enabled, nothing
# left behind however a run ends, and results that cannot be written.

# shellcheck disable=SC2012 # ls: all names are ours

. "$(dirname "$(realpath "$0")")/loader.sh"

# Covers few functions, so that a run starts quickly.
cover()
{
	"$hytrace" cover --engine bpf -a 'vfs_*' "$@"
}
# shellcheck disable=SC2034 # for loader.sh
subject=cover

# ---- with a command: the exit status is that of the command

ok 'true gives 0' status 0 -o tty.json -- true
is 'without a terminal, nothing is said about attaching' "$(grep -c taching err)" 0
ok 'killed by a signal: 128 + its number' status 143 -- sh -c 'kill -TERM $$'
ok 'not found: 127, as a shell' says 'command not found' 127 -- ./no-such-command
echo 'not a program' >data
ok 'not executable: 126, as a shell' says 'cannot be executed' 126 -- ./data
# shellcheck disable=SC2016 # to be expanded by the inner shell
cover -f json -o cmd.json -- sh -c 'echo to-stdout; echo to-stderr >&2; read -r x; echo "got $x"
	ls /proc/$$/fd; grep -E "^Sig(Blk|Ign)" /proc/self/status >signals; exit 7' >out 2>err <<<'the input'
is 'a command'\''s own status' $? 7
is 'stdin and stdout are the command'\''s' "$(head -n 2 out)" $'to-stdout\ngot the input'
ok 'stderr is the command'\''s' grep -qx to-stderr err
is 'no file of hytrace is open in the command' "$(sed 1,2d out | xargs)" '0 1 2'
is 'the command'\''s signals are handled as before' "$(<signals)" "$(sh -c 'grep -E "^Sig(Blk|Ign)" /proc/self/status')"

# ---- a terminal

tty=$(script -qec "$hytrace cover -e bpf -a 'vfs_*' -o tty.json -- true" /dev/null)
ok 'a terminal shows that hytrace is attaching' grep -qE 'attaching to [0-9]+ functions' <<<"$tty"
is 'that line is erased in the end' "$(grep -c taching <<<"${tty##*$'\r\e[K'}")" 0
tty=$(script -qec "$hytrace cover -e bpf -a 'vfs_*' -o tty.json -- no-such-command" /dev/null)
is 'nothing is attached for a command that is not found' \
	"$(grep -c taching <<<"$tty") $(grep -c 'command not found' <<<"$tty")" '0 1'

# watched ENGINE SHOWN: covers vfs_* on a terminal without a command, and presses Ctrl-C when it has shown this
watched()
{
	script -qefc "$hytrace cover -e $1 -a 'vfs_*' -o watched.json" /dev/null >shown &
	soon grep -qaE "$2" shown
	# A number would come a second later.
	[[ $1 == bpf ]] || pause 2
	pkill -INT -x hytrace
	wait $!
}
watched bpf 'recording: [1-9][0-9]* functions so far'
is 'without a command, Ctrl-C ends a run with 0' $? 0
tty=$(<shown)
ok 'without a command, a terminal shows how many functions are recorded so far' \
	grep -qE 'recording: [1-9][0-9]* functions so far' <<<"$tty"
is 'the result is written after Ctrl-C, and the calls for the number are not recorded' \
	"$(jq -c '[(.functions | length > 0), any((.functions + .callers)[]; .comm == "hytrace")]' watched.json)" '[true,false]'
ok 'nothing is left after Ctrl-C' nothing_left
is 'nothing of it stays, and there are no colours' \
	"$(grep -c recording <<<"${tty##*$'\r\e[K'}") $(grep -c $'\e\\[[0-9;]*m' <<<"$tty")" '0 0'
watched oneshot 'recording; Ctrl-C ends it'
is 'oneshot shows no number, as that would be recorded' \
	"$(grep -ac 'recording; Ctrl-C ends it' shown) $(grep -ac 'so far' shown)" '1 0'

# ---- closed standard streams

# closed REDIRECTION...: a run with this redirection of its streams succeeds and writes its result
closed()
{
	rm -f closed.json
	eval "cover -f json -o closed.json -- true $*" || return 1
	jq -e '.functions + .callers | length' closed.json && nothing_left
}
ok 'with standard input closed' closed '<&-'
ok 'with standard output closed' closed '>&-'
ok 'with standard error closed' closed '2>&-'
ok 'with all of them closed' closed '<&- >&- 2>&-'
# shellcheck disable=SC2016 # to be expanded by the inner shell
cover -o r.txt -- sh -c '[ ! -e /proc/$$/fd/0 ] && [ -e /proc/$$/fd/1 ] && [ ! -e /proc/$$/fd/2 ]' <&- 2>&-
is 'streams that were closed are closed in the command' $? 0
ok 'a result for a closed standard output: 125' sh -c \
	"$hytrace cover -e bpf -a vfs_read -- true >&- 2>err; [ \$? = 125 ] && grep -q 'Bad file descriptor' err"
mkfifo fifo
sleep 100 >fifo &
writer=$!
ok 'with a fifo that never ends' closed '<fifo'
kill $writer
wait $writer 2>/dev/null

# ---- bad input

ok 'unknown engine: 2' says 'there is no such engine' 2 --engine foo --duration 1
ok 'the same with a command: 125' says 'there is no such engine' 125 --engine foo -- true
ok 'unknown option: 2' says 'unrecognized option' 2 --foo
ok 'unknown format' says 'there is no such format' 125 -f xml -- true
ok 'a mistyped name: the right one is offered' says 'did you mean vfs_read?' 125 -a vfs_raed -- true
ok 'a function that cannot be traced: why' says 'exc_nmi: cannot be traced: it' 125 -a exc_nmi -- true
ok 'a glob without a match' says 'matches none of the' 125 -a 'nothing_like_this_*' -- true
ok 'the same for -d' says 'matches none of the' 125 -d 'nothing_like_this_*' -- true
ok 'a module that is not there' says 'is the module nonesuch loaded?' 125 -a ':mod:nonesuch' -- true
ok 'an unreadable @file' says 'cannot read the list' 125 -a @no-such-file -- true
printf '# only a comment\n\n' >empty.list
ok 'an @file that names nothing' says 'names no function' 125 -a @empty.list -- true
printf 'vfs_read\n  vfs_write # with a comment\nvfs_raed\n' >bad.list
ok '@file: the message names the line' says 'bad.list:3: vfs_raed: no such function' 125 -a @bad.list -- true
ok 'an output that cannot be written' says 'cannot be written' 125 -o no/such/dir/x.json -- true
ok 'an output that is a directory' says 'cannot be written' 125 -o . -- true
ok '--pid of no process: 2' says 'no such process' 2 --pid 4194303
ok '--task without a command' says '--task follows a command' 2 --task
ok '--retire with events' says 'cannot stop tracing single functions' 2 -e event --retire --no-callers
ok '--retire with callers for ever' says 'give it with --no-callers, or --retire=MS' 2 --engine oneshot --retire
ok 'two documents on standard output are refused' says 'give -o NAME' 125 -e both -f json -o - -- true
ok 'two documents on /dev/stdout are refused' says 'give -o NAME' 125 -e both -f json -o /dev/stdout -- true
ok 'an empty name of a result is refused' says 'the name is empty' 125 -o '' -- true
ok 'an empty --cgroup is refused' says 'the path is empty' 125 --cgroup '' -- true
ok 'an empty --pin is refused' says 'the directory is missing' 125 --pin '' -- true
ok 'one file for two results is refused' says 'is given twice' 125 -o x.json -o ./x.json -- true
ok 'a too large --max-entries is refused' says 'not a number from 1 to 8388608' 2 --max-entries 8388609
ok '--retire=0 is refused' says 'not a number from 1' 2 --engine oneshot --retire=0
ok 'a bad --duration is refused' says 'not a time' 2 --duration never
ok 'an unknown command: 2' sh -c "$hytrace foo 2>err; [ \$? = 2 ] && grep -q 'no such command' err"
touch marker
cover -a vfs_raed -- rm marker >/dev/null 2>&1
ok 'the command is not run after bad input' test -e marker

# ---- filters

printf 'vfs_read\n\n# not this\nvfs_write\n' >two.list
ok 'a list in a file' "$hytrace" cover -e bpf -a @two.list -f json -o two.json -- \
	sh -c 'cat /etc/passwd >/dev/null; echo x >y'
is 'only functions of the list are recorded' "$(jq -c '[.functions[] | .name] | sort' two.json)" \
	'["vfs_read","vfs_write"]'
is 'the document has the number of functions of the list' "$(jq .totals.traced two.json)" 2
cover -d vfs_read -f json -o three.json -- sh -c 'cat /etc/passwd >/dev/null; echo x >y'
is '-d takes away' "$(jq -c '[.functions[] | .name] |
	[any(. == "vfs_read"), any(. == "vfs_write")]' three.json)" '[false,true]'

# ---- the end

"$hytrace" cover -e bpf -a 'vfs_*' -f json -o killed.json -- sleep 1000 >out 2>err &
pid=$!
ok 'a run with a command starts it' soon pgrep -x -P $pid sleep
kill -TERM $pid
wait $pid
is 'a signal to hytrace ends the command, whose status it returns' $? 143
ok 'the result is written after that signal' jq -e '.command == ["sleep", "1000"]' killed.json

# Signals before tracing begins: the child, which is still hytrace, waits until all functions are attached. These are so many
# that this takes some seconds.
many='[p-t]*'
# Stops hytrace when it has made its child, so that it cannot be ready too soon. On a busy machine, it may have been all the
# same: then once more.
early()
{
	local try

	for try in {1..5}; do
		rm -f early.ran
		echo old >early.json
		"$hytrace" cover -e bpf -a "$many" -f json -o early.json -- touch early.ran >out 2>err &
		pid=$!
		soon pgrep -x -P $pid hytrace
		kill -STOP $pid
		! pgrep -x -P $pid hytrace >/dev/null || return 0
		echo "# not stopped in time, try $try"
		kill -CONT $pid
		wait $pid
	done
}
for signal in INT TERM; do
	early
	ok 'hytrace attaches while its child waits' pgrep -x -P $pid hytrace
	# Without job control, the shell makes a background process ignore SIGINT; only the command inherits that.
	kill -$signal $pid
	kill -CONT $pid
	wait $pid
	is "SIG$signal before tracing began: 125" $? 125
	ok 'a message says that the command is not started' grep -q 'before tracing began: the command is not started' err
	ok 'the command is not started' test ! -e early.ran
	is 'the old result is not changed' "$(cat early.json)" old
done
early
ok 'hytrace attaches once more while its child waits' pgrep -x -P $pid hytrace
pkill -KILL -x -P $pid hytrace
kill -CONT $pid
wait $pid
is 'the child is killed before the command is started: 125' $? 125
is 'the old result is not changed by that' "$(cat early.json)" old

# The result goes to a full pipe that nobody reads, so hytrace hangs while it writes the result.
mkfifo stuck
(exec 3<stuck && exec sleep 1000) &
reader=$!
"$hytrace" cover -e bpf -a "$many" -f json -o stuck -- true >out 2>err &
pid=$!
ok 'hytrace hangs while it writes the result' soon grep -qE '^(anon_)?pipe_write$' /proc/$pid/wchan
kill -TERM $pid
sleep 1.5
ok 'one signal does not end it' kill -0 $pid
kill -TERM $pid
wait $pid
is 'a second signal ends it' $? 143
ok 'the watchdog cleans up after that' soon nothing_left
kill $reader
wait $reader
rm stuck

start=$SECONDS
ok '--duration ends a run with 0' status 0 --duration 1 -f json -o d.json
passed=$((SECONDS - start + 1))
ok '--duration ends a run in time' test $passed -lt 120
# shellcheck disable=SC2016 # jq has variables of its own
ok 'the document has the time that was traced' jq -e --argjson passed $passed '.seconds >= 0.9 and .seconds < $passed' d.json

sleep 1000 &
sleeper=$!
"$hytrace" cover -e bpf -a 'vfs_*' --pid $sleeper -f json -o p.json --ready-fd 7 >out 2>err 7>ready &
pid=$!
ok 'hytrace makes its instance' soon sh -c "ls -d $tracing/instances/hytrace-*"
ok '--pid starts a run, and hytrace attaches' soon sh -c "grep -q '^vfs_read ' $tracing/enabled_functions"
soon grep -qx READY ready
kill $sleeper
wait $pid
is 'a run with --pid ends with the process' $? 0

# shellcheck disable=SC2016 # to be expanded by the inner shell
timeout 300 env --ignore-signal=HUP --ignore-signal=CHLD "$hytrace" cover -e bpf -a vfs_read -f json \
	-o hup.json -- sh -c 'kill -HUP $PPID; sleep 1; exit 5' >out 2>err
is 'a run with SIGHUP and SIGCHLD ignored ends with the command' $? 5
ok 'an ignored SIGHUP does not end it before' jq -e '.seconds >= 0.9' hup.json

"$hytrace" cover -e bpf -a 'vfs_*' --pin t-cover -o never.json -- sleep 1000 >out 2>err &
pid=$!
ok 'hytrace has started the command' soon pgrep -x -P $pid sleep
sleeper=$(pgrep -x -P $pid sleep)
ok 'the pins are there' test -e /sys/fs/bpf/hytrace/t-cover/link
ok 'the unfinished result is there' sh -c 'ls never.json.*.tmp'
ok 'the watchdog is there' pgrep -x hytrace-guard
kill -KILL $pid
wait $pid 2>/dev/null
ok 'after kill -9 the instance, the pins and the unfinished result are removed' soon nothing_left
ok 'after kill -9 no function is traced' soon sh -c "! grep -q . $tracing/enabled_functions"
ok 'after kill -9 the watchdog has ended' soon sh -c '! pgrep -x hytrace-guard'
ok 'after kill -9 there is no half result' test ! -e never.json
ok 'after kill -9 the command goes on' kill "$sleeper"

# kill -9 at six moments, each later than the one before. If a run has ended before its moment, they begin anew, closer
# together.
begun=$EPOCHREALTIME
cover -- true >/dev/null 2>&1
step=$(bc -l <<<"($EPOCHREALTIME - $begun) / 6")
at=0 killed=0
for ((runs = 0; killed < 6 && runs < 40; runs++)); do
	at=$(bc -l <<<"$at + $step")
	"$hytrace" cover -e bpf -a 'vfs_*' -f json -o never.json -- true >/dev/null 2>&1 &
	sleep "$at"
	kill -KILL $! 2>/dev/null
	wait $! 2>/dev/null
	if (($? == 137)); then
		((++killed))
	else
		at=0 step=$(bc -l <<<"$step / 2")
	fi
done
is 'hytrace was killed at six moments while it ran' $killed 6
ok 'kill -9 at any moment leaves nothing' soon nothing_left

# shellcheck disable=SC2016 # to be expanded by the inner shell
ok 'a run whose watchdog is killed fails with 125' status 125 -f json -o w.json -- sh -c 'pkill -KILL -x -P $PPID hytrace-guard'
ok 'a message says that the watchdog was killed' grep -q 'watchdog process was killed' err
ok 'the next run removes what that run has left behind' says 'was left behind' 0 -- true

# ---- the result so far

# begin OPTION...: starts a run whose pid is $pid, and returns when it says that recording has begun
begin()
{
	"$hytrace" cover -a 'vfs_*' -o now.json -o now.tailor --ready-fd 7 "$@" >out 2>err 7>ready &
	pid=$!
	soon grep -qx READY ready
}

for engine in oneshot bpf; do
	rm -rf now.* first.json dir
	ok "$engine: --ready-fd says when recording has begun" begin -e $engine
	cat /etc/passwd >/dev/null
	kill -USR1 $pid
	ok "$engine: SIGUSR1 writes the result so far" soon test -s now.json
	is "$engine: that result is a document of a run that goes on" \
		"$(jq -c '[.ended, .status, any(.functions[]; .name == "vfs_read"), any(.functions[]; .name == "vfs_mkdir")]' now.json)" \
		'["not",null,true,false]'
	ok "$engine: so is each other file" soon test -s now.tailor
	ok "$engine: recording goes on" kill -0 $pid
	cp now.json first.json
	mkdir dir
	kill -USR1 $pid
	ok "$engine: the next SIGUSR1 writes what came since then" soon jq -e 'any(.functions[]; .name == "vfs_mkdir")' now.json
	# shellcheck disable=SC2016 # jq has variables of its own
	ok "$engine: nothing that was recorded is missing then" jq -e --slurpfile first first.json \
		'([$first[0].functions[].addr] - [.functions[].addr]) == []' now.json
	kill -KILL $pid
	wait $pid 2>/dev/null
	ok "$engine: after kill -9 the result so far is there" jq -e '.ended == "not"' now.json
	ok "$engine: and nothing else is left" soon nothing_left
done
ok 'after SIGUSR1, Ctrl-C' begin -e bpf
kill -USR1 $pid
ok 'the result so far is written' soon jq -e '.ended == "not"' now.json
kill -INT $pid
wait $pid
is 'ends the run as without a request for the result' "$? $(jq -r .ended now.json)" '0 signal'
"$hytrace" cover -e bpf -a vfs_read --duration 2 --ready-fd 7 >out 2>err 7>ready &
pid=$!
soon grep -qx READY ready
kill -USR1 $pid
wait $pid
is 'without a file, SIGUSR1 is a warning, and the result is printed at the end' \
	"$? $(grep -c 'give -o FILE to have it before' err) $(grep -c '^Functions:' out)" '0 1 1'
ok '--ready-fd with a descriptor that is not open' says 'is not open' 2 --ready-fd 9 --duration 1
# shellcheck disable=SC2016 # to be expanded by the inner shell
cover --ready-fd 7 -o r.txt -- sh -c 'cat ready; [ ! -e /proc/$$/fd/7 ]' >out 2>err 7>ready
is 'the command does not get that descriptor' $? 0

# ---- adding to a result

ok '--append makes a file that is not there' status 0 --append -o sum.json -- cat /etc/passwd
ok '--append adds to a file that is there' status 0 --append -o sum.json -- mkdir added
ok 'the file has what both runs have seen' jq -e '[.functions[].name] | index("vfs_read") and index("vfs_mkdir")' sum.json
is 'each function is there once' "$(jq -r '.functions[].name' sum.json | sort | uniq -d)" ''
cp sum.json before.json
ok '--append with other filters is refused' says 'sum.json: has other filters' 125 -a 'do_*' --append -o sum.json -- touch never
jq '.kernel.build_id = "0123"' sum.json >other.json
ok '--append to a result of another kernel is refused' says 'other.json: is of another build' 125 --append -o other.json -- touch never
echo no document >bad.json
ok '--append to what is no document is refused' says 'bad.json' 125 --append -o bad.json -- touch never
ok '--append to a text is refused' says 'only json recordings' 125 --append -o sum.txt -- touch never
ok '--append without a file is refused' says 'give -o FILE.json' 125 --append -- touch never
ok 'the command does not run then' test ! -e never
ok 'and the file is as it was' cmp sum.json before.json

# ---- another user

chmod 755 . "$tap_scratch"
# shellcheck disable=SC2016 # to be expanded by the inner shell
(umask 027 && cover --user nobody -f json -o user.json -- sh -c 'id -un; id -Gn; echo $HOME $USER $LOGNAME; touch mine') >out 2>err
is '--user: the command runs as that user, with the groups and variables of it' "$(cat out)" \
	"nobody
$(id -Gn nobody)
$(getent passwd nobody | cut -d: -f6) nobody nobody"
is '--user: the file of the result is that of root' "$(stat -c %U user.json)" root
is 'and it has the mode of the umask' "$(stat -c %a user.json)" 640
ok '--user: root'\''s directory is not the command'\''s' test ! -e mine
ok '--user for a user that does not exist' says 'no such user' 125 --user nonesuch -- true
ok '--user without a command' says 'whom a command runs as' 2 --user nobody --duration 1
ok '--user: a command that only root may execute' sh -c 'cp /bin/true own; chmod 700 own'
ok 'is refused: 126' says 'cannot be executed' 126 --user nobody -- ./own

# ---- containers

# Runs hytrace as process 1 of a PID namespace. When process 1 ends, its watchdog ends with it.
contain()
{
	unshare --pid --fork --kill-child --mount-proc "$hytrace" cover -a 'vfs_*' "$@"
}

for engine in oneshot bpf; do
	contain -e $engine --task -f json -o task.json -- sh -c 'cat /etc/passwd; (true)' >out 2>err
	is "$engine: --task in a container covers a command" "$? $(wc -l <out)" "0 $(wc -l </etc/passwd)"
	ok "$engine: --task in a container follows the command and its children" jq -e \
		'[(.functions + .callers)[].pid] | unique | length >= 2 and length <= 4' task.json
	# shellcheck disable=SC2016
	unshare --pid --fork --kill-child --mount-proc bash -c '
		eval "$1"
		shift
		while pause 0.05; do read -r _ </etc/passwd; done &
		while pause 0.05; do read -r _ </etc/group; done &
		"$@" --pid $!' bash "tap_scratch=$tap_scratch; $(declare -f pause)" "$hytrace" cover -e $engine -a 'vfs_*' --duration 0.5 -f json -o pid.json 2>err
	ok "$engine: --pid in a container follows that process alone" jq -e \
		'[(.functions + .callers)[].pid] | unique | length == 1' pid.json
done
pids=()
for name in one two; do
	contain -e bpf -f json -o same.json -- sh -c "touch $name; while [ ! -e go ]; do sleep 0.1; done" \
		>$name.out 2>&1 &
	pids+=($!)
done
ok 'two runs in containers have the same PID at the same time' soon sh -c 'ls one two'
is 'these two runs have an instance each' "$(ls -d $tracing/instances/hytrace-*[0-9a-f] | wc -l)" 2
is 'these two runs have an unfinished result each' "$(ls same.json.*.tmp | wc -l)" 2
touch go
wait "${pids[0]}" && wait "${pids[1]}"
# Beside much other work, a BPF program may miss calls: that is said, and no failure.
is 'these two runs succeed' "$? $(cat one.out two.out | grep -v ': lost: ')" '0 '
ok 'nothing is left after these two runs' nothing_left

contain -e oneshot -f json -o gone.json -- sh -c 'touch there; exec sleep 1000' >/dev/null 2>&1 &
contained=$!
contain -e oneshot -f json -o lives.json -- sh -c 'touch here; while [ ! -e now ]; do sleep 0.1; done' \
	>lives.out 2>&1 &
pid=$!
ok 'two more runs in containers have started their commands' soon ls there here
ok 'the watchdog of one is stopped, so that it cannot clean up before it dies' stop_guard $contained
pkill -KILL -P $contained
wait $contained 2>/dev/null
left=$(echo gone.json.*.tmp)
rm "$left"
left=${left#gone.json.}
is 'a killed container leaves its instance behind' "$(ls -d $tracing/instances/*[0-9a-f] | wc -l)" 2
exec 8<"$tracing/instances/hytrace-${left%.tmp}/trace_pipe"
ok 'the next run succeeds although that instance is in use' status 0 -- true
ok 'the next run says that it cannot remove that instance' grep -q 'cannot remove the tracing instance' err
exec 8<&-
cover -- true >out 2>err
is 'a later run says that the instance was left behind' "$(grep -c 'was left behind by a run' err)" 1
is 'a later run removes that instance, and not the one of the running container' "$(ls -d $tracing/instances/*[0-9a-f] | wc -l)" 1
touch now
wait $pid
is 'the running container succeeds' "$? $(cat lives.out)" '0 '
ok 'nothing is left after both containers' nothing_left

# ---- processes that are not there or end

# Without modules from files, Python starts quickly.
/usr/bin/python3 -I -S -c 'import _thread, time
_thread.start_new_thread(time.sleep, (1000,))
time.sleep(1000)' &
threads=$!
ok 'a process has two threads' soon sh -c "[ \$(ls /proc/$threads/task | wc -l) = 2 ]"
ok '--pid of a thread is refused' says 'this is a thread' 2 \
	--pid "$(find /proc/$threads/task -mindepth 1 -maxdepth 1 ! -name $threads -printf %f)" --duration 1
kill -KILL $threads
sleep 1000 &
sleeper=$!
timeout 300 "$hytrace" cover -e bpf -a 'vfs_*' --pid $sleeper >out 2>err &
pid=$!
ok 'hytrace has opened the process' soon sh -c "ls -l /proc/\$(pgrep -P $pid)/fd | grep -q pidfd"
kill -KILL $sleeper
wait $pid
status=$?
# hytrace may have been attached before the process ended.
ok 'hytrace does not wait for a process that ends before it is attached' sh -c \
	"[ $status = 0 ] || { [ $status = 1 ] && grep -q 'has ended before it could be traced' err; }"

# ---- trace options that others have set

# set_options OPTION...
set_options()
{
	local option

	for option; do
		echo "$option" >$tracing/trace_options
	done
}
# Options of which none hides what another one does share a run.
for options in 'latency-format nomarkers nooverwrite' 'nocontext-info sym-addr' raw; do
	# shellcheck disable=SC2086 # several words
	set_options $options
	ok "a run succeeds while somebody has set $options" status 0 -f json -o option.json -- true
	# shellcheck disable=SC2046,SC2086 # several words
	set_options $(printf 'no%s\n' $options | sed 's/^nono//')
done
# The kernel gives each CPU at least a few pages.
# shellcheck disable=SC2016 # jq has variables of its own
ok 'the ring buffer is as small as possible' jq -e --argjson cpus "$(nproc)" \
	'.cost.ring_buffer_bytes > 0 and .cost.ring_buffer_bytes <= $cpus * 5 * 4096' option.json

# ---- writing

cover -o /dev/stdout -- seq 500 >both.txt 2>err
is '-o /dev/stdout to a file: the file has the output of the command' "$(grep -cx '[0-9][0-9]*' both.txt)" 500
is '-o /dev/stdout to a file: the result comes after that output' "$(sed -n '501,$p' both.txt | grep -c '^Functions:')" 1
# shellcheck disable=SC2094 # both write to the same file, which is tested here
(cover -o both.txt -- seq 500; echo later) >both.txt 2>err
is '-o FILE that is also standard output: the file has all outputs' "$(grep -cx '[0-9][0-9]*' both.txt) $(grep -c '^Functions:' both.txt) $(tail -n 1 both.txt)" '500 1 later'
cover -o /dev/stderr -- sh -c 'echo said >&2' 2>both.txt
is '-o /dev/stderr to a file: the file has messages and the result' "$(head -n 1 both.txt) $(grep -c '^Functions:' both.txt)" 'said 1'
mkdir full
mount -t tmpfs -o size=4k nodev full
echo old >full/x.json
ok 'a full disk: 125' says 'No space left' 125 -f json -o full/x.json -- true
is 'a full disk: the old result stays' "$(cat full/x.json 2>/dev/null)" old
is 'a full disk: no other file is left' "$(ls full)" x.json
umount full
ok '/dev/full' says 'No space left' 125 -f json -o /dev/full -- true
limited=$(ulimit -f 0; cover -f json -o limit.json -- true 2>&1; echo "status $?")
is 'a file that exceeds its limit of size: 125' "${limited##*$'\n'}" 'status 125'
ok 'a message says that the file is too large' grep -q 'limit.json: the result could not be written: File too large' <<<"$limited"
cover -f json -- true 2>err | true
is 'a reader that has closed its pipe: 125' "${PIPESTATUS[0]}" 125
ok 'a message says that the pipe is broken' grep -q 'Broken pipe' err
ok 'nothing is left after these failures' nothing_left

# ---- privileges

chmod 755 . "$tap_scratch"
nobody()
{
	local got=0

	setpriv --reuid=65534 --regid=65534 --clear-groups "$hytrace" cover "$@" 2>err || got=$?
	echo $got
}
is 'without privileges: 3' "$(nobody --duration 1)" 3
ok 'a message names the missing capability' grep -q 'CAP_SYS_ADMIN' err
is 'without privileges, with a command: 125' "$(nobody -- true)" 125
sysctl -q kernel.kptr_restrict=2
is 'hidden addresses: 3' "$(cover --duration 1 2>err; echo $?)" 3
ok 'a message names the setting that hides addresses' grep -q 'kptr_restrict' err
sysctl -q kernel.kptr_restrict=1

# ---- features

# here NAME...: prints the answers of hytrace features, each once
here()
{
	"$hytrace" features -f json "$@" | jq -r '[.features[].here] | unique | join(" ")'
}
is 'features: all that the hytrace series and its configuration have is here' \
	"$(here capabilities lockdown tracefs ftrace functions function-addresses addresses linked-addresses oneshot oneshot-retire \
		very-early function-events btf bpf-jit kprobe-multi fentry memlock cover-oneshot cover-bpf cover-event event boot)" yes
mountpoint -q /sys/fs/cgroup && umount /sys/fs/cgroup
is 'features: no cgroups are mounted' "$(here cgroup2)" no
mount -t cgroup2 none /sys/fs/cgroup
is 'features: cgroups are mounted' "$(here cgroup2)" yes
umount /sys/fs/cgroup
is 'features leaves no BPF program behind' "$(bpftool prog show 2>/dev/null | grep -c hytrace_probe)" 0
sysctl -q kernel.kptr_restrict=2
is 'features: addresses are hidden' "$(here addresses cover-oneshot cover-bpf cover-event)" no
sysctl -q kernel.kptr_restrict=1
is 'features: without privileges, these are the reason' \
	"$(setpriv --reuid=65534 --regid=65534 --clear-groups "$hytrace" features -f json cover-oneshot cover-bpf event boot |
		jq -c '[.features[] | [.here, .needs]] | unique')" '[["no","capabilities"]]'
is 'features: root of a user namespace is not root' \
	"$(unshare --user --map-root-user "$hytrace" features -f json cover-bpf | jq -c '.features[0] | [.here, .needs]')" '["no","capabilities"]'
ok 'and the message of cover is the same' sh -c "unshare --user --map-root-user $hytrace cover --duration 1 2>err; [ \$? = 3 ] &&
	grep -q 'root of a user namespace only' err"
is 'features: in a PID namespace of its own all is there' \
	"$(unshare --pid --fork --mount-proc "$hytrace" features -f json cover-oneshot cover-bpf | jq -c '[.features[].here] | unique')" '["yes"]'

tap_end
