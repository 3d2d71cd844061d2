#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched stock
#
# hytrace event: adds, lists and removes events, records them during a command, explains mistakes, and leaves nothing
# behind. And hytrace cover --engine event, which uses such events. t-event.host.sh reads most of the documents.
# shellcheck disable=SC2016 # jq has variables of its own, and so have inner shells

. "$(dirname "$(realpath "$0")")/loader.sh"

# later CLAIM FILTER FILE...: the host evaluates the filter, as jq takes ten times as long in a guest. It gets an array
# of all that is in the files.
later()
{
	printf '%s\0' "$1" "$2" "${*:3}" >>later
}

# ---- a kernel without function events

if [[ ${HYTRACE_KERNEL:-patched} == stock ]]; then
	for command in "add vfs_read()" "rm vfs_read" "list" "record vfs_read() --duration 1"; do
		# shellcheck disable=SC2086 # a list of words
		ok "event $command: 3" says 'has no function events' 3 event $command
	done
	ok 'a message names the missing option of the kernel' grep -q CONFIG_FUNCTION_EVENTS err
	ok 'event record with a command: 125' says 'has no function events' 125 \
		event record 'vfs_read()' -- true
	ok 'cover --engine event: 3' says 'has no function events' 3 \
		cover --engine event --duration 1
	"$hytrace" features -f json event >features.json
	later 'hytrace features gives the same reason' '.[0].features[0] | .here == "no" and
		(.reason | contains("no function events"))' features.json
	cp later features.json "$HYTRACE_FILES"
	tap_end
	exit
fi

# ---- add, list, rm

events()
{
	cat $tracing/function_events
}
ok 'list succeeds without events' status 0 event list

ok 'add makes two events' status 0 event add 'vfs_read(NULL, NULL, size_t count)' 'ssize_t vfs_write(...) as w'
is 'both events are there' "$(events | wc -l)" 2
ok 'an event without a name is named after its function' test -d $tracing/events/functions/vfs_read
ok 'an event with a name has that name' test -d $tracing/events/functions/w
is 'new events are disabled' "$(cat $tracing/events/functions/enable)" 0
"$hytrace" event list >out
ok 'list prints a table' grep -qE '^functions/vfs_read +no +0 vfs_read\(NULL, NULL, size_t count\)$' out
echo 1 >$tracing/events/functions/vfs_read/enable
"$hytrace" event list -f json >list.json
later 'list -f json' '.[0] | map([.group, .name, .enabled, .missed]) ==
	[["functions","vfs_read",true,0],["functions","w",false,0]]' list.json
later 'list -f json has the id of the event' ".[0][1].id == $(<$tracing/events/functions/w/id)" list.json

ok 'add of an event that exists is refused' says 'Event exists' 1 event add 'vfs_read()'
ok 'rm of a busy event is refused' says 'Event is busy' 1 event rm vfs_read
is 'the busy event stays' "$(events | wc -l)" 2
ok 'rm of two events is refused if one is busy' says 'Event is busy' 1 event rm w vfs_read
is 'then both events stay' "$(events | wc -l)" 2
echo 0 >$tracing/events/functions/vfs_read/enable
ok 'rm takes globs' status 0 event rm 'vfs_*'
is 'rm leaves events that do not match' "$(events | sed 's/.* as //')" w
ok 'rm of an unknown event is refused' says 'no function event has this name' 1 event rm nonesuch
ok 'rm of an event of another kind is refused' says 'no function event has this name' 1 \
	event rm sched/sched_switch
ok 'rm takes GROUP/NAME' status 0 event rm 'functions/*'
is 'rm has removed all events' "$(events)" ''

# ---- mistakes

is 'a wrong prototype: the message has the kernel'\''s words, the line and a caret' \
	"$("$hytrace" event add 'vfs_read(NULL, foo x)' 2>&1; echo $?)" \
	'hytrace: Unknown type
  vfs_read(NULL, foo x)
                 ^
1'
is 'a mistyped name: the message offers the right one' "$("$hytrace" event add 'vfs_open()' 'vfs_raed()' 2>&1)" \
	'hytrace: No such function: did you mean vfs_read
  vfs_raed()
  ^'
is 'no event is made if one is wrong' "$(events)" ''
is 'record: the message shows the line as the user has written it' \
	"$("$hytrace" event record 'vfs_read(NULL' 2>&1; echo $?)" \
	'hytrace: Missing closing parenthesis
  vfs_read(NULL
               ^
1'
ok 'record of a wrong prototype with a command: 125' says 'Unknown type' 125 event record 'vfs_read(foo x)' -- touch marker
ok 'the command is not run' test ! -e marker
ok 'add of a comment is refused' says 'is no prototype' 2 event add '# nothing'
ok 'add of a removal is refused' says 'hytrace event rm' 2 event add '!vfs_read'
ok 'an unknown command: 2' says 'no such command' 2 event foo
ok 'unknown format' says 'there is no such format' 2 event record -f xml 'vfs_read()'
ok '--task without a command' says '--task follows a command' 2 event record 'vfs_read()' --task
ok 'an output that cannot be written' says 'cannot be written' 125 \
	event record -o no/such/dir 'vfs_read()' -- true
ok '--hist of no field' says 'there are: count' 2 \
	event record 'vfs_read(NULL, NULL, size_t count)' --hist cont
ok '--hist of a string' says 'no event has a field of this name that is a number' 125 \
	event record 'do_sys_openat2(NULL, ustring name)' --hist name -- true

# ---- record

before=$(cd $tracing && cat current_tracer tracing_on set_event set_event_pid error_log trace_clock)
work='dd if=/dev/zero of=/dev/null bs=1234 count=7 status=none'

# shellcheck disable=SC2086 # a list of words
ok 'record succeeds' status 0 event record --task -o text 'vfs_read(NULL, NULL, size_t count)' -- $work
is 'text: each read has a line as the kernel prints it' "$(grep -cE \
	'^ +dd-[0-9]+ +\[00[0-9]\] [^ ]+ +[0-9]+\.[0-9]+: vfs_read: ksys_read->vfs_read\(count=1234\)$' text)" 7

# shellcheck disable=SC2086
ok 'record -o FILE.json succeeds' status 0 event record --task -o one.json \
	'vfs_read(NULL, NULL, size_t count)' -- $work
later 'json: each line is an object' 'length > 7 and all(type == "object")' one.json
later 'json: each read has an object' '[.[] | select(.fields.count == 1234)] | length == 7' one.json
later 'json: an object has the members of its event' 'map(select(.fields.count == 1234)) | map([.comm, .event, .function,
	(.caller | startswith("ksys_read+0x")), (.cpu | type), (.pid | type), (.ts | type),
	(.fields | has("__ip"))]) | unique ==
	[["dd","vfs_read","vfs_read",true,"number","number","number",false]]' one.json
later '--task: only one task is recorded' 'map(.pid // empty) | unique | length == 1' one.json
is 'json: the last line counts losses' "$(tail -n 1 one.json)" \
	'{"lost":{"overrun":0,"missed":0,"hist_dropped":0}}'
is 'the top instance'\''s tracing is not changed' "$(cd $tracing &&
	cat current_tracer tracing_on set_event set_event_pid error_log trace_clock)" "$before"
ok 'record leaves nothing behind' nothing_left

name=$'weird "name"\t\xff'
echo x >"$name"
"$hytrace" event record --task -f json -o kinds.json 'do_sys_openat2(int dfd, ustring name)' \
	'vfs_read(u8[4] first, u64 there = 0x10)' 'ssize_t vfs_read(NULL, NULL, size_t count) as back' \
	'vfs_*() as any' -- head -n 1 "$name" >out 2>err
later 'four events are recorded at once, two of them of one function' \
	'[.[].event // empty] | unique == ["any", "back", "do_sys_openat2", "vfs_read"]' kinds.json
later 'json: a string field is a string, whatever bytes it has' \
	'any(.fields.name == "weird \"name\"\t\ufffd" and .fields.dfd == -100)' kinds.json
later 'json: an array field is an array' 'map(select(.event == "vfs_read") | .fields.first) |
	length > 0 and all(length == 4 and (.[0] | type) == "number")' kinds.json
later 'json: a field that could not be read is null' \
	'map(select(.event == "vfs_read") | .fields.there) | length > 0 and all(. == null)' kinds.json
later 'json: a return has its value and its duration' \
	'any(.event == "back" and .fields.ret == 2 and .fields.count > 2 and .fields.duration > 0)' kinds.json
later 'json: events of a glob name their function' \
	'map(select(.event == "any") | .function) | index("vfs_read") and index("vfs_open")' kinds.json
later 'json: events are in the order of their times' 'map(.ts // empty) | . == sort' kinds.json
ok 'text: a fault is shown as by the kernel' sh -c "$hytrace event record --task \
	'vfs_read(u64 there = 0x10)' -- cat /etc/passwd | grep -q 'vfs_read(there=(fault))'"

(while pause 0.05; do read -r _ </etc/passwd; done) &
noise=$!
"$hytrace" event record -f json -o all.json 'vfs_read(NULL, NULL, size_t count)' --duration 1 2>err &
pid=$!
wait $pid
is '--duration ends record with 0' $? 0
later 'without --task, other processes are recorded' "any(.pid == $noise)" all.json
later 'hytrace itself is not recorded' "all(.pid != $pid)" all.json
later 'events of all CPUs are in the order of their times' 'map(.ts // empty) | length > 10 and . == sort' all.json
kill $noise
wait $noise 2>/dev/null

ok 'record of an event with a group succeeds' status 0 event record --task -f json -o named.json \
	'vfs_read() as mine/read' -- cat /etc/passwd
later 'the event has that group in the output' 'map(.event // empty) | unique == ["mine/read"]' named.json
ok 'that event is removed afterwards' sh -c "! grep mine $tracing/function_events"
"$hytrace" event add 'vfs_read() as mine/read'
ok 'record of an event that somebody else has made is refused' says 'there is such an event already' 125 \
	event record 'vfs_write() as mine/read' -- true
is 'and stays' "$(events)" 'vfs_read() as mine/read'
"$hytrace" event rm mine/read

"$hytrace" event record -f json -o lost.json 'vfs_read()' -- sh -c \
	"echo 4 >\$(echo $tracing/instances/hytrace-*)/buffer_size_kb
	 dd if=/dev/zero of=/dev/null bs=1 count=20000 status=none" 2>err
later 'events for which the ring buffer had no room are counted' 'last.lost.overrun > 0' lost.json
ok 'a message says how many events were lost' grep -q 'lost: overrun' err

# ---- histograms

# shellcheck disable=SC2086
ok '--hist succeeds' status 0 event record --task --hist count -f json -o hist.json \
	'vfs_read(NULL, NULL, size_t count)' 'vfs_write(NULL, NULL, size_t count)' 'vfs_open()' -- $work
later '--hist: each event that has the field has a histogram' \
	'map(.event // empty) == ["vfs_read","vfs_write"]' hist.json
later '--hist: the histograms count the reads and writes' 'map(.buckets // empty | map(select(.from == 1025))) ==
	[[{"from":1025,"to":2048,"count":7}],[{"from":1025,"to":2048,"count":7}]]' hist.json
"$hytrace" event record --task --hist ret -f json -o ret.json 'ssize_t vfs_read()' -- cat / >out 2>err
is '--hist: the exit status is the command'\''s' $? 1
later '--hist: negative values have buckets' '[.[0].buckets[] | select(.from < 0)] ==
	[{"from":-32,"to":-17,"count":1}]' ret.json
ok '--hist of reads that return zero succeeds' status 0 event record --task --hist ret -f json -o zero.json 'ssize_t vfs_read()' -- \
	cat /dev/null
later '--hist: zero has a bucket of its own' '.[0].buckets[] | select(.from == 0 and .to == 0) | .count >= 1' zero.json
# shellcheck disable=SC2086
ok '--hist as text succeeds' status 0 event record --task --hist count 'vfs_read(NULL, NULL, size_t count)' -- $work
ok '--hist as text prints a table' grep -qE '^ *1025 +2048 +7 #+' out

# ---- the end

ok 'a command'\''s own status' status 7 event record 'vfs_read()' -- sh -c 'exit 7'
ok 'not found: 127' says 'command not found' 127 event record 'vfs_read()' -- ./no-such-command

"$hytrace" event record -f json -o int.json 'vfs_read(NULL, NULL, size_t count)' >out 2>err &
pid=$!
ok 'record makes its event' soon sh -c "ls $tracing/events/hytrace_*/vfs_read"
ok 'record enables its event' soon sh -c "grep -q 1 $tracing/instances/hytrace-*/events/hytrace_*/vfs_read/enable"
sleep 1
$work
kill -INT $pid
wait $pid
is 'without a command, Ctrl-C ends record with 0' $? 0
later 'all events are printed after Ctrl-C' \
	'(map(select(.fields.count == 1234)) | length) == 7 and (last | has("lost"))' int.json
ok 'nothing is left after Ctrl-C' nothing_left

"$hytrace" event record -f json -o killed.json 'vfs_read()' 'ssize_t vfs_write(...)' -- sleep 1000 >out 2>err &
pid=$!
ok 'record has started its command' soon pgrep -x -P $pid sleep
ok 'its events are printed' soon sh -c 'cat /etc/passwd >/dev/null; test -s killed.json'
sleeper=$(pgrep -x -P $pid sleep)
is 'its two events are there' "$(events | grep -c 'hytrace_[0-9a-f]*/')" 2
kill -KILL $pid
wait $pid 2>/dev/null
ok 'after kill -9 the events and the instance are removed' soon nothing_left
ok 'after kill -9 no function is traced' soon sh -c "! grep -q . $tracing/enabled_functions"
sed -i '$d' killed.json
later 'after kill -9 the output stays' 'any(.event == "vfs_read")' killed.json
ok 'after kill -9 the command goes on' kill "$sleeper"

unshare --pid --fork --kill-child --mount-proc "$hytrace" event record --task -f json -o contained.json 'vfs_read()' \
	-- sh -c 'cat /etc/passwd; exec sleep 1000' >out 2>err &
pid=$!
ok 'record works in a container' soon grep -q '"fields":{' contained.json
ok 'its watchdog is stopped, so that it cannot clean up before it dies' stop_guard $pid
kill -KILL $pid
wait $pid 2>/dev/null
ok 'a killed container leaves its events behind' sh -c "grep -q 'hytrace_[0-9a-f]*/' $tracing/function_events"
ok 'the next run says that they were left behind' says 'was left behind by a run' 0 \
	event record --task --hist ret 'ssize_t vfs_read()' -- true
# The names take more than the 64 KiB that the pipe to the watchdog holds.
long=$(printf 'x%.0s' {1..50})
printf "vfs_read() as hytrace_00112233445566ff/${long}_%s\n" {1..900} >many
cat many >>$tracing/function_events
is '900 events look like those of a killed run' "$(events | grep -c hytrace_)" 900
before=$SECONDS
status 0 event record 'vfs_read()' -- true
is 'the next run removes them all' "$? $(grep -c 'was left behind by a run' err) $(events | grep -c hytrace_)" '0 900 0'
ok 'the next run does not block on the pipe to its watchdog' test $SECONDS -lt $((before + 300))

"$hytrace" event record --duration 1 -o short 'vfs_read()' -- sleep 1000 >out 2>err &
pid=$!
ok 'record with --duration has started its command' soon pgrep -x -P $pid sleep
ok 'after --duration nothing is left' soon nothing_left
ok 'the command goes on after --duration' pkill -x -P $pid sleep
wait $pid
is 'the exit status is the command'\''s' $? 143

"$hytrace" event record -f json 'vfs_read()' -- cat /etc/passwd 2>err | true
is 'a reader that has closed its pipe: 125' "${PIPESTATUS[0]}" 125
ok 'a message says that the pipe is broken' grep -q 'Broken pipe' err
(while pause 0.05; do read -r _ </etc/passwd; done) &
noise=$!
"$hytrace" event record 'vfs_read()' 2>err | head -n 1 >out
is 'without a command, a closed pipe ends record: 1' "${PIPESTATUS[0]}" 1
kill $noise
wait $noise 2>/dev/null
ok 'nothing is left after a closed pipe' nothing_left
dd if=/dev/zero of=/dev/null bs=1 status=none &
noise=$!
is_flooded()
{
	test "$(wc -l <flood)" -gt 1000
}

for format in text json; do
	# A shell starts background processes with SIGINT ignored.
	env --default-signal=INT "$hytrace" event record -f $format 'vfs_*() as all' >flood 2>err &
	flood=$!
	ok "$format: more than 1000 events are printed" soon is_flooded
	kill -INT $flood
	wait $flood
	is "$format: Ctrl-C ends that flood" $? 0
done
kill $noise
wait $noise 2>/dev/null
later 'json: a flood is in the order of its times, and each line is an object' 'map(.ts // empty) | . == sort' flood
"$hytrace" event record -f json -o a.json 'vfs_read()' -- sh -c 'sleep 1; cat /etc/passwd' >out 2>err &
pid=$!
"$hytrace" event record -f json -o b.json 'vfs_read()' -- sh -c 'sleep 1; cat /etc/passwd' >out2 2>err2
is 'of two runs at once, the second succeeds' $? 0
wait $pid
is 'of two runs at once, the first succeeds' $? 0
later 'of two runs at once, the first has its events' 'any(.event == "vfs_read")' a.json
later 'of two runs at once, the second has its events' 'any(.event == "vfs_read")' b.json
chmod 755 .
is 'without privileges: 3' \
	"$(setpriv --reuid=65534 --clear-groups "$hytrace" event list 2>err; echo $?)" 3
ok 'a message names the missing capability' grep -q CAP_SYS_ADMIN err
ok 'record to a full device: 125' says 'No space left' 125 event record -o /dev/full 'vfs_read()' -- cat /etc/passwd

mkdir small
mount -t tmpfs -o size=64k nodev small
ok 'record to a disk that becomes full: 125' says 'the file has what came until then' 125 \
	event record -f json -o small/full.json 'vfs_*() as all' -- sh -c '
		until [ "$(stat -c %s small/full.json)" = 65536 ]; do sleep 0.1; done; sleep 1'
is 'the file keeps the events until the disk was full' "$(stat -c %s small/full.json)" 65536
sed '$d' small/full.json >full.json
later 'all lines of that file but the last are whole' 'length > 50' full.json
umount small

# ---- cover

echo 'cat /etc/passwd >/dev/null; echo something >file; mkdir dir; mv file dir; rm -r dir' >work.sh
sh work.sh
ok 'cover --engine event succeeds' status 0 cover -e event -a 'vfs_*' --task -f json -o event.json -- sh work.sh
ok 'cover --engine bpf succeeds' status 0 cover -e bpf -a 'vfs_*' --task -f json -o bpf.json -- sh work.sh
later 'the document names the engine' '.[0].engine == "event"' event.json
later 'both engines see the same functions' 'map([.functions[] | .name] | unique) | .[0] == .[1]' event.json bpf.json
later 'these are more than 8 functions and 5 callers' '.[0].totals | .functions > 8 and .callers > 5' event.json
later 'both engines see the same callers' 'map([.callers[] | .addr] | unique) | .[0] == .[1]' event.json bpf.json
modprobe dummy numdummies=1
ok 'several -a, one of them of a module' status 0 cover -e event -a vfs_read -a 'vfs_w*' \
	-a '*:mod:dummy' -f json -o several.json -- sh -c 'cat work.sh >file; ip link set dummy0 up; rmmod dummy'
later 'functions of each -a are recorded' '.[0].functions | any(.name == "vfs_read") and
	any(.name == "vfs_write") and any(.name == "set_multicast_list" and .module == "dummy") and
	all(.module == "dummy" or (.name | startswith("vfs_")))' several.json
ok 'cover --engine event covers all functions, and many calls' status 0 cover -e event -f json -o many.json -- \
	sh -c 'sh work.sh; dd if=/dev/zero of=/dev/null bs=1 count=20000 status=none'
later 'that records more than 300 functions' '.[0].totals.functions > 300' many.json
later 'few calls are missed once their addresses are known' '.[0] | .lost.missed < 60 * .totals.entries' many.json
ok 'there may be more -a than files that a process may open' sh -c "grep '^[a-z_]* *\$' $tracing/available_filter_functions | sort | uniq -u |
	head -n 600 | sed 's/^/-a /' | xargs $hytrace cover -e event -f json -o events.json -- sh -c 'ulimit -n >limit'"
is 'the command keeps its limit of open files' "$(cat limit)" "$(ulimit -n)"
ok '--pin succeeds' status 0 cover -e event -a vfs_read -a vfs_write --pin t-event -o pin.json -- \
	sh -c 'ls /sys/fs/bpf/hytrace/t-event >pins; cat pins >/dev/null'
is '--pin: the map, the program and the links are pinned' "$(tr '\n' ' ' <pins)" 'link link2 prog seen '
ok '--deny is refused' says 'takes all functions that its glob matches' 2 cover -e event -d vfs_read --duration 1
ok 'cover --engine event leaves nothing behind' nothing_left

cp later flood ./*.json "$HYTRACE_FILES"
tap_end
