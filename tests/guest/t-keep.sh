#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# hytrace cover --keep: a run is in the store however it ends; if it cannot be kept, it fails before the command runs,
# or else the run is in a file.

. "$(dirname "$(realpath "$0")")/loader.sh"

# Covers few functions, so that a run starts quickly.
cover()
{
	"$hytrace" cover --engine bpf -a 'vfs_*' "$@"
}
# shellcheck disable=SC2034 # for loader.sh
subject=cover

# runs STORE COLUMNS: these columns of each run
runs()
{
	"$hytrace" sql -f csv "$1" "SELECT $2 FROM run ORDER BY id" | tail -n +2
}

# ---- runs are kept

ok 'a run is kept' status 0 --keep runs.db -- cat /dev/null
is 'nothing is printed then' "$(cat out err)" ''
is 'it has the name of its command, and the time' "$(runs runs.db document | sed -E 's/[0-9]/9/g')" 'cat 9999-99-99T99:99:99Z'
ok 'its functions are there' test "$("$hytrace" sql -f csv runs.db "SELECT count(*) FROM ran_function WHERE name = 'vfs_read'")" = $'count(*)\n1'
ok 'with files, and the options of hytrace keep' status 7 --keep runs.db --test ltp/read01 --commit abc -o run.json -o run.txt -- sh -c 'exit 7'
is 'the store has them' "$(runs runs.db "test, revision, thin, document LIKE test || ' 2%'" | tail -n 1)" 'ltp/read01,abc,0,1'
ok 'the files are there as well' eval '[[ -s run.json && -s run.txt ]]'
is 'the file is the same run' "$("$hytrace" keep runs.db run.json && runs runs.db 'count(*)')" 2
is 'and the store has all of it' "$("$hytrace" merge 'runs.db?run=2' | jq -S 'del(.cost)')" "$("$hytrace" merge run.json | jq -S 'del(.cost)')"
ok 'without its first hits' status 0 --keep thin.db --thin -- true
is 'it is thin' "$(runs thin.db thin)" 1
ok 'by two recorders at once' status 0 --keep both.db -e both -- true
is 'each is a run' "$(runs both.db engine | sort | xargs)" 'bpf oneshot'
ok 'with -f, the result is printed as well' status 0 --keep runs.db -f json -- true
is 'as json' "$(jq -r .document out)" coverage
is 'the command runs as another user, and the store is of root' "$(cover --keep user.db --user nobody -- id -un; stat -c %u user.db)" $'nobody\n0'
# shellcheck disable=SC2016 # to be expanded by the inner shell
is 'the command has no open file of hytrace' "$(cover --keep runs.db -- sh -c 'ls /proc/$$/fd' 2>err | xargs)" '0 1 2'
cover --keep stopped.db --ready-fd 3 >out 2>err 3>ready &
ok 'a run without a command is recording' soon grep -qx READY ready
pkill -INT -x hytrace
wait $!
is 'after Ctrl-C it is kept' "$? $(runs stopped.db "json_extract(head, '$.ended')")" '0 signal'
# shellcheck disable=SC2016
cover --keep killed.db -- sh -c 'sleep 1; kill -KILL $PPID; sleep 1' >out 2>err
is 'a run of which hytrace is killed is not' "$(runs killed.db 'count(*)')" 0
ok 'nothing is left' soon nothing_left
for i in 1 2 3; do
	cover --keep many.db -- sleep 1 >"out$i" 2>&1 &
done
wait
is 'runs that end at once wait for each other' "$(runs many.db 'count(*)') $(cat out?)" '3 '

# ---- what cannot be kept fails before the command runs

echo text >text.db
mkdir full shut
mount -t tmpfs -o size=1m nodev shut
"$hytrace" keep shut/runs.db run.json
mount -o remount,ro shut
ok 'a text is no store' says 'text.db: is no store' 125 --keep text.db -- touch ran
ok 'nor is a directory' says 'full: cannot be opened: Is a directory' 125 --keep full -- touch ran
ok 'a directory that is not there' says 'cannot be opened' 125 --keep nowhere/runs.db -- touch ran
ok 'a store that cannot be written' says 'shut/runs.db' 125 --keep shut/runs.db -- touch ran
ok 'its test without a store' says 'are about --keep' 2 --test ltp/read01 --duration 1
is 'no command has run' "$(ls ran 2>&1)" "ls: cannot access 'ran': No such file or directory"
umount shut

# ---- a disk that is full at the end

mount -t tmpfs -o size=256k nodev full
ok 'the store fits' status 0 --keep full/runs.db -- true
kept=$(runs full/runs.db 'count(*)')
# shellcheck disable=SC2016
cover --keep full/runs.db --test t1 -- sh -c 'cat /dev/zero >full/filler 2>/dev/null; :' >out 2>err
is 'a disk that the command fills up: 125' $? 125
ok 'hytrace says where the run is, and what to do' grep -qE 'full/runs.db does not have this run, which is in /var/tmp/runs.db.new[0-9]*.json: when there is room, keep it by' err
is 'the store is as it was' "$(runs full/runs.db 'count(*)')" "$kept"
rm full/filler
ok 'that is what to do' "$hytrace" keep full/runs.db --test t1 "$(sed -nE 's/.*which is in ([^ ]*):.*/\1/p' err)"
is 'then the store has it' "$(runs full/runs.db test | tail -n 1)" t1
rm -f "$(sed -nE 's/.*which is in ([^ ]*):.*/\1/p' err)"
umount full
ok 'nothing is left after these failures' nothing_left

tap_end
