#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched stock
#
# hytrace event: events made, listed and removed by hand, and recorded for the time of a command; what
# it says of mistakes, and what it leaves behind. And cover --engine event, which such events carry.
# shellcheck disable=SC2016 # jq has variables of its own, and so have inner shells

set -uo pipefail
# shellcheck source=tests/guest/loader.sh
. "$(dirname "$(realpath "$0")")/loader.sh"

nothing_left()
{
	local left

	left=$(
		ls -d $tracing/instances/hytrace-* $tracing/events/hytrace_* /sys/fs/bpf/hytrace* ./*.tmp
		grep -s hytrace_ $tracing/function_events
	) 2>/dev/null
	[[ -z $left ]] || {
		echo "left behind: $left"
		return 1
	}
}

# ---- a kernel that has no function events

if [[ ${HYTRACE_KERNEL:-patched} == stock ]]; then
	for command in "add vfs_read()" "rm vfs_read" "list" "record vfs_read() --duration 1"; do
		# shellcheck disable=SC2086 # a list of words
		ok "event $command: 3" says 'has no function events' 3 event $command
	done
	ok 'and what is needed' grep -q CONFIG_FUNCTION_EVENTS err
	ok 'event record with a command: 125' says 'has no function events' 125 \
		event record 'vfs_read()' -- true
	ok 'cover --engine event: 3' says 'has no function events' 3 \
		cover --engine event --duration 1
	tap_end
	exit
fi

# ---- by hand

events()
{
	cat $tracing/function_events
}
ok 'no events are no failure' status 0 event list

ok 'add' status 0 event add 'vfs_read(NULL, NULL, size_t count)' 'ssize_t vfs_write(...) as w'
is 'both are there' "$(events | wc -l)" 2
ok 'one is named after its function' test -d $tracing/events/functions/vfs_read
ok 'the other as it was told' test -d $tracing/events/functions/w
is 'nobody has enabled them' "$(cat $tracing/events/functions/enable)" 0
"$hytrace" event list >out
ok 'list' grep -qE '^functions/vfs_read +no +0 vfs_read\(NULL, NULL, size_t count\)$' out
echo 1 >$tracing/events/functions/vfs_read/enable
"$hytrace" event list -f json >list.json
is 'list -f json' "$(jq -c 'map([.group, .name, .enabled, .missed])' list.json)" \
	'[["functions","vfs_read",true,0],["functions","w",false,0]]'
is 'the id is the event'\''s' "$(jq '.[1].id' list.json)" "$(cat $tracing/events/functions/w/id)"

ok 'once more: it exists' says 'Event exists' 1 event add 'vfs_read()'
ok 'rm of one that is busy' says 'Event is busy' 1 event rm vfs_read
is 'it stays' "$(events | wc -l)" 2
ok 'rm is all or nothing' says 'Event is busy' 1 event rm w vfs_read
is 'the other one stays as well' "$(events | wc -l)" 2
echo 0 >$tracing/events/functions/vfs_read/enable
ok 'rm takes globs' status 0 event rm 'vfs_*'
is 'and leaves the others' "$(events | sed 's/.* as //')" w
ok 'rm of nothing' says 'no function event has this name' 1 event rm nonesuch
ok 'rm of an event of another kind' says 'no function event has this name' 1 \
	event rm sched/sched_switch
ok 'with GROUP' status 0 event rm 'functions/*'
is 'nothing is left' "$(events)" ''

# ---- mistakes

is 'a wrong prototype: the kernel'\''s words, the line and the caret' \
	"$("$hytrace" event add 'vfs_read(NULL, foo x)' 2>&1; echo $?)" \
	'hytrace: Unknown type
  vfs_read(NULL, foo x)
                 ^
1'
is 'a mistyped name: the right one is offered' "$("$hytrace" event add 'vfs_open()' 'vfs_raed()' 2>&1)" \
	'hytrace: No such function: did you mean vfs_read
  vfs_raed()
  ^'
is 'all or nothing' "$(events)" ''
is 'record: the line is the user'\''s own' \
	"$("$hytrace" event record 'vfs_read(NULL' 2>&1; echo $?)" \
	'hytrace: Missing closing parenthesis
  vfs_read(NULL
               ^
1'
ok 'with a command: 125' says 'Unknown type' 125 event record 'vfs_read(foo x)' -- touch marker
ok 'which is not run' test ! -e marker
ok 'no prototype' says 'is no prototype' 2 event add '# nothing'
ok 'a removal' says 'hytrace event rm' 2 event add '!vfs_read'
ok 'no command of that name' says 'no such command' 2 event foo
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
ok 'record' status 0 event record --task -o text 'vfs_read(NULL, NULL, size_t count)' -- $work
is 'text: a line as the kernel prints it, for each read' "$(grep -cE \
	'^ +dd-[0-9]+ +\[00[0-9]\] [^ ]+ +[0-9]+\.[0-9]+: vfs_read: ksys_read->vfs_read\(count=1234\)$' text)" 7

# shellcheck disable=SC2086
ok 'record -f json' status 0 event record --task -f json -o one.json \
	'vfs_read(NULL, NULL, size_t count)' -- $work
ok 'each line is an object' jq -es 'length > 7 and all(type == "object")' one.json
is 'json: the same reads' "$(jq -s '[.[] | select(.fields.count == 1234)] | length' one.json)" 7
is 'what is in it' "$(jq -sc 'map(select(.fields.count == 1234)) | map([.comm, .event, .function,
	(.caller | startswith("ksys_read+0x")), (.cpu | type), (.pid | type), (.ts | type),
	(.fields.__ip | startswith("0xffffffff"))]) | unique' one.json)" \
	'[["dd","vfs_read","vfs_read",true,"number","number","number",true]]'
is 'of one task' "$(jq -s 'map(.pid // empty) | unique | length' one.json)" 1
is 'the last line tells what was lost' "$(tail -n 1 one.json)" \
	'{"lost":{"overrun":0,"missed":0,"hist_dropped":0}}'
is 'nobody else'\''s tracing was touched' "$(cd $tracing &&
	cat current_tracer tracing_on set_event set_event_pid error_log trace_clock)" "$before"
ok 'nothing is left' nothing_left

name=$'weird "name"\t\xff'
echo x >"$name"
"$hytrace" event record --task -f json -o kinds.json 'do_sys_openat2(int dfd, ustring name)' \
	'vfs_read(u8[4] first, u64 there = 0x10)' 'ssize_t vfs_read(NULL, NULL, size_t count) as back' \
	'vfs_*() as any' -- head -n 1 "$name" >out 2>err
ok 'four events at once, also two of one function' jq -es \
	'[.[].event // empty] | unique == ["any", "back", "do_sys_openat2", "vfs_read"]' kinds.json
ok 'a string is one, whatever is in it' jq -es \
	'any(.fields.name == "weird \"name\"\t\ufffd" and .fields.dfd == -100)' kinds.json
ok 'an array is one' jq -es 'map(select(.event == "vfs_read") | .fields.first) |
	length > 0 and all(length == 4 and (.[0] | type) == "number")' kinds.json
ok 'what cannot be read is null' jq -es \
	'map(select(.event == "vfs_read") | .fields.there) | length > 0 and all(. == null)' kinds.json
ok 'a return has its value and how long it took' jq -es \
	'any(.event == "back" and .fields.ret == 2 and .fields.count > 2 and .fields.duration > 0)' kinds.json
ok 'a glob'\''s events tell their function' jq -es \
	'map(select(.event == "any") | .function) | index("vfs_read") and index("vfs_open")' kinds.json
ok 'in order of time' jq -es 'map(.ts // empty) | . == sort' kinds.json
ok 'text shows a fault as the kernel does' sh -c "$hytrace event record --task \
	'vfs_read(u64 there = 0x10)' -- cat /etc/passwd | grep -q 'vfs_read(there=(fault))'"

(while pause 0.05; do read -r _ </etc/passwd; done) &
noise=$!
"$hytrace" event record -f json -o all.json 'vfs_read(NULL, NULL, size_t count)' --duration 1 2>err &
pid=$!
wait $pid
is '--duration is a good end' $? 0
ok 'without --task everybody is there' jq -es --argjson p $noise 'any(.pid == $p)' all.json
ok 'but hytrace itself' jq -es --argjson p $pid 'all(.pid != $p)' all.json
ok 'in order of time, on all CPUs' jq -es 'map(.ts // empty) | length > 10 and . == sort' all.json
kill $noise
wait $noise 2>/dev/null

ok 'a group that was given stays' status 0 event record --task -f json -o named.json \
	'vfs_read() as mine/read' -- cat /etc/passwd
is 'and is told' "$(jq -rs 'map(.event // empty) | unique[]' named.json)" mine/read
ok 'it goes, too' sh -c "! grep mine $tracing/function_events"
"$hytrace" event add 'vfs_read() as mine/read'
ok 'somebody else'\''s is refused' says 'there is such an event already' 125 \
	event record 'vfs_write() as mine/read' -- true
is 'and stays' "$(events)" 'vfs_read() as mine/read'
"$hytrace" event rm mine/read

"$hytrace" event record -f json -o lost.json 'vfs_read()' -- sh -c \
	"echo 4 >\$(echo $tracing/instances/hytrace-*)/buffer_size_kb
	 dd if=/dev/zero of=/dev/null bs=1 count=20000 status=none" 2>err
ok 'what the ring buffer had no room for is counted' jq -es 'last.lost.overrun > 0' lost.json
ok 'and told' grep -q 'lost: overrun' err

# ---- histograms

# shellcheck disable=SC2086
ok '--hist' status 0 event record --task --hist count -f json -o hist.json \
	'vfs_read(NULL, NULL, size_t count)' 'vfs_write(NULL, NULL, size_t count)' 'vfs_open()' -- $work
is 'one for each event that has the field' "$(jq -sc 'map(.event // empty)' hist.json)" \
	'["vfs_read","vfs_write"]'
is 'it counts the reads and writes' "$(jq -sc 'map(.buckets // empty | map(select(.from == 1025)))' hist.json)" \
	'[[{"from":1025,"to":2048,"count":7}],[{"from":1025,"to":2048,"count":7}]]'
"$hytrace" event record --task --hist ret -f json -o ret.json 'ssize_t vfs_read()' -- cat / >out 2>err
is 'with the command'\''s status' $? 1
is 'negative values have their buckets' "$(jq -sc '.[0].buckets[] | select(.from < 0)' ret.json)" \
	'{"from":-32,"to":-17,"count":1}'
ok 'zero has one' status 0 event record --task --hist ret -f json -o ret.json 'ssize_t vfs_read()' -- \
	cat /dev/null
ok 'of its own' jq -es '.[0].buckets[] | select(.from == 0 and .to == 0) | .count >= 1' ret.json
# shellcheck disable=SC2086
ok 'as text' status 0 event record --task --hist count 'vfs_read(NULL, NULL, size_t count)' -- $work
ok 'a table' grep -qE '^ *1025 +2048 +7 #+' out

# ---- the end

ok 'a command'\''s own status' status 7 event record 'vfs_read()' -- sh -c 'exit 7'
ok 'not found: 127' says 'command not found' 127 event record 'vfs_read()' -- ./no-such-command

"$hytrace" event record -f json -o int.json 'vfs_read(NULL, NULL, size_t count)' >out 2>err &
pid=$!
ok 'it makes its event' soon sh -c "ls $tracing/events/hytrace_*/vfs_read"
ok 'and enables it' soon sh -c "grep -q 1 $tracing/instances/hytrace-*/events/hytrace_*/vfs_read/enable"
sleep 1
$work
kill -INT $pid
wait $pid
is 'Ctrl-C is a good end' $? 0
ok 'and everything is printed' jq -es \
	'(map(select(.fields.count == 1234)) | length) == 7 and (last | has("lost"))' int.json
ok 'nothing is left' nothing_left

"$hytrace" event record -f json -o killed.json 'vfs_read()' 'ssize_t vfs_write(...)' -- sleep 1000 >out 2>err &
pid=$!
ok 'it runs' soon pgrep -x -P $pid sleep
ok 'and its events come' soon sh -c 'cat /etc/passwd >/dev/null; test -s killed.json'
sleeper=$(pgrep -x -P $pid sleep)
is 'with two events' "$(events | grep -c 'hytrace_[0-9a-f]*/')" 2
kill -KILL $pid
wait $pid 2>/dev/null
ok 'after kill -9 all is gone: events, instance' soon nothing_left
ok 'and no function is traced' soon sh -c "! grep -q . $tracing/enabled_functions"
ok 'what was recorded stays' sh -c "sed '\$d' killed.json | jq -es 'any(.event == \"vfs_read\")'"
ok 'the command goes on' kill "$sleeper"

unshare --pid --fork --kill-child --mount-proc "$hytrace" event record --task -f json -o one.json 'vfs_read()' \
	-- sh -c 'cat /etc/passwd; exec sleep 1000' >out 2>err &
pid=$!
ok 'it records in a container' soon jq -es 'any(.fields)' one.json
ok 'its watchdog, which dies with it but may be quicker, is held up' stop_guard $pid
kill -KILL $pid
wait $pid 2>/dev/null
ok 'of which the events are left when it is killed' sh -c "grep -q 'hytrace_[0-9a-f]*/' $tracing/function_events"
ok 'the next run says so, and removes them' says 'was left behind by a run' 0 \
	event record --task --hist ret 'ssize_t vfs_read()' -- true
# The names take more than the 64 KiB that the pipe to the watchdog holds.
long=$(printf 'x%.0s' {1..50})
for ((i = 0; i < 900; i++)); do
	echo "vfs_read() as hytrace_00112233445566ff/${long}_$i"
done >>$tracing/function_events
is 'there are very many of a run that was killed' "$(events | grep -c hytrace_)" 900
before=$SECONDS
status 0 event record 'vfs_read()' -- true
is 'the next run removes them all' "$? $(grep -c 'was left behind by a run' err) $(events | grep -c hytrace_)" '0 900 0'
ok 'and does not wait for itself' test $SECONDS -lt $((before + 300))

"$hytrace" event record --duration 1 -o short 'vfs_read()' -- sleep 1000 >out 2>err &
pid=$!
ok 'it runs' soon pgrep -x -P $pid sleep
ok 'after --duration nothing is left' soon nothing_left
ok 'while the command goes on' pkill -x -P $pid sleep
wait $pid
is 'whose status it is' $? 143

"$hytrace" event record -f json 'vfs_read()' -- cat /etc/passwd 2>err | true
is 'a reader that has gone: 125' "${PIPESTATUS[0]}" 125
ok 'and it is told' grep -q 'Broken pipe' err
(while pause 0.05; do read -r _ </etc/passwd; done) &
noise=$!
"$hytrace" event record 'vfs_read()' 2>err | head -n 1 >out
is 'without a command it ends then: 1' "${PIPESTATUS[0]}" 1
kill $noise
wait $noise 2>/dev/null
ok 'nothing is left' nothing_left
dd if=/dev/zero of=/dev/null bs=1 status=none &
noise=$!
is_flooded()
{
	test "$(wc -l <flood)" -gt 1000
}

for format in text json; do
	# What a shell starts in the background ignores Ctrl-C.
	env --default-signal=INT "$hytrace" event record -f $format 'vfs_*() as all' >flood 2>err &
	flood=$!
	ok "$format: there is a flood" soon is_flooded
	kill -INT $flood
	wait $flood
	is 'which Ctrl-C ends' $? 0
done
kill $noise
wait $noise 2>/dev/null
ok 'in order of time, and each line an object' jq -es 'map(.ts // empty) | . == sort' flood
"$hytrace" event record -f json -o a.json 'vfs_read()' -- sh -c 'sleep 1; cat /etc/passwd' >out 2>err &
pid=$!
"$hytrace" event record -f json -o b.json 'vfs_read()' -- sh -c 'sleep 1; cat /etc/passwd' >out2 2>err2
is 'two at once do not disturb each other' $? 0
wait $pid
is 'neither of them' $? 0
ok 'both have their events' jq -es 'any(.event == "vfs_read")' a.json
ok 'and the other one has' jq -es 'any(.event == "vfs_read")' b.json
chmod 755 .
is 'not permitted: 3' \
	"$(setpriv --reuid=65534 --clear-groups "$hytrace" event list 2>err; echo $?)" 3
ok 'and what is missing is told' grep -q CAP_SYS_ADMIN err
ok 'a full disk' says 'No space left' 125 event record -o /dev/full 'vfs_read()' -- cat /etc/passwd

mkdir small
mount -t tmpfs -o size=64k nodev small
ok 'and one that fills up while recording' says 'it has what came until then' 125 \
	event record -f json -o small/full.json 'vfs_*() as all' -- sh -c '
		until [ "$(stat -c %s small/full.json)" = 65536 ]; do sleep 0.1; done; sleep 1'
is 'keeps the recording' "$(stat -c %s small/full.json)" 65536
ok 'of which all but the last line is whole' sh -c "sed '\$d' small/full.json | jq -es 'length > 50'"
umount small

# ---- cover

echo 'cat /etc/passwd >/dev/null; echo something >file; mkdir dir; mv file dir; rm -r dir' >work.sh
names()
{
	jq -c '[.functions[] | .name] | unique' "$1"
}

sh work.sh
ok 'cover --engine event' status 0 cover -e event -a 'vfs_*' --task -f json -o event.json -- sh work.sh
ok 'cover --engine bpf' status 0 cover -e bpf -a 'vfs_*' --task -f json -o bpf.json -- sh work.sh
is 'the document says which' "$(jq -r .engine event.json)" event
is 'both see the same functions' "$(names event.json)" "$(names bpf.json)"
ok 'of which there are some' jq -e '.totals.functions > 8 and .totals.callers > 5' event.json
is 'and the same callers' \
	"$(jq -c '[.callers[] | .addr] | unique' event.json)" \
	"$(jq -c '[.callers[] | .addr] | unique' bpf.json)"
modprobe dummy numdummies=1
ok 'several -a, a module'\''s functions among them' status 0 cover -e event -a vfs_read -a 'vfs_w*' \
	-a '*:mod:dummy' -f json -o several.json -- sh -c 'cat work.sh >file; ip link set dummy0 up; rmmod dummy'
ok 'all are there' jq -e '.functions | any(.name == "vfs_read") and
	any(.name == "vfs_write") and any(.name == "set_multicast_list" and .module == "dummy") and
	all(.module == "dummy" or (.name | startswith("vfs_")))' several.json
ok 'everything' status 0 cover -e event -f json -o all.json -- sh work.sh
ok 'is much' jq -e '.totals.functions > 300' all.json
ok 'many calls' status 0 cover -e event -f json -o many.json -- \
	dd if=/dev/zero of=/dev/null bs=1 count=20000 status=none
ok 'of addresses that are known miss nothing' jq -e '.lost.missed < 60 * .totals.entries' many.json
ok 'more -a than there may be files' sh -c "grep '^[a-z_]* *\$' $tracing/available_filter_functions | sort | uniq -u |
	head -n 600 | sed 's/^/-a /' | xargs $hytrace cover -e event -f json -o events.json -- sh -c 'ulimit -n >limit'"
is 'which leaves the command its limit' "$(cat limit)" "$(ulimit -n)"
ok '--pin' status 0 cover -e event -a vfs_read -a vfs_write --pin t-event -o pin.json -- \
	sh -c 'ls /sys/fs/bpf/hytrace/t-event >pins; cat pins >/dev/null'
is 'what is pinned' "$(tr '\n' ' ' <pins)" 'link link2 prog seen '
ok '--deny is refused' says 'none can be left out' 2 cover -e event -d vfs_read --duration 1
ok 'nothing is left' nothing_left

tap_end
