#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Plays the owner of the directory in which root writes a result, for the commands that need no kernel: that user makes
# links, pipes and hard links there. tests/unit/base/place.c and run/output.c have what can only be hit in between.
# shellcheck disable=SC2016 # jq has variables of its own

. "$(dirname "$(realpath "$0")")/../guest/documents-lib.sh"

# ---- one door

# The others write to a pipe, and in directories of /run that are root's alone.
is 'no other code makes, renames or gives away files' "$(cd "$clone/user" && grep -rnE --include='*.c' \
	'O_CREAT|O_TMPFILE|open\(.*, "[wa]|\b(creat|mkstemp|tmpfile|linkat|rename|renameat|f?chmod|fchmodat|[lf]?chown)\(' . |
	grep -v '^./base/files.c:' | cut -d: -f1 | sort | uniq -c | awk '{ print $1, $2 }')" \
	"1 ./bench/cmd_bench.c
3 ./bench/workloads.c
1 ./run/child.c"

[[ $(id -u) = 0 ]] || {
	skip 'what the owner of a directory can do' 'this needs root'
	tap_end
}

# ---- the options

# Those of boot (but boot compare), cover, event and tailor need a running kernel, or the directory of its build.
is 'no other command names a file to write' "$(cd "$clone/user" &&
	grep -rlE --include='*.c' 'OPTION_OUTPUT,|"(output|report)",.*"FILE"' . | sort | xargs)" \
	"./affected/cmd_affected.c ./boot/cmd_boot.c ./boot/cmd_compare.c ./cover/cmd_cover.c ./event/cmd_event.c \
./report/cmd_callers.c ./report/cmd_report.c ./report/cmd_why.c ./report/diff.c ./report/functions.c ./report/merge.c ./store/cmd_sql.c ./tailor/cmd_tailor.c"

ok 'a kernel and its documents are there' small_kernel
ok 'and a store' "$hytrace" keep runs.db a.json

printf '%s\n' '--- a/main.c' '+++ b/main.c' '@@ -3 +3 @@' '-a' '+b' >one.patch
commands=(
	'affected --vmlinux vmlinux one.patch'
	'boot compare boot.json boot.json'
	'callers --vmlinux vmlinux vfs_read a.json'
	'calls --vmlinux vmlinux vfs_read a.json'
	'diff a.json a.json'
	'functions --vmlinux vmlinux'
	'merge a.json'
	'report a.json'
	'report -f json a.json'
	'report -f html a.json'
	'report -f tailor a.json'
	'report -f lcov --vmlinux vmlinux a.json'
	'report -f dot --vmlinux vmlinux a.json'
	'sql runs.db VALUES(1)'
	'why --vmlinux vmlinux vfs_read'
)

# ---- what the owner makes

owner=nobody
fresh()
{
	rm -rf joe root sticky
	mkdir joe root sticky
	chmod 1777 sticky
	echo secret >root/secret
	chmod 600 root/secret
	chown "$owner" joe
}

untouched()
{
	[[ $(ls -A root) = secret && $(<root/secret) = secret && $(stat -c '%a %u' root/secret) = '600 0' ]]
}

# write STATUS COMMAND -o FILE, in words of one argument
write()
{
	local status=0

	# shellcheck disable=SC2086
	timeout 60 "$hytrace" $2 -o "$3" >out 2>err || status=$?
	[[ $status -eq $1 ]] || {
		echo "status $status: $(<err)"
		return 1
	}
}

# not MESSAGE COMMAND FILE: is refused, and nothing happens to root's files
not()
{
	local message=$1 status=0

	# shellcheck disable=SC2086
	timeout 60 "$hytrace" $2 -o "$3" >out 2>err || status=$?
	[[ $status -eq 0 || $status -eq 124 ]] || ! grep -q "$message" err || ! untouched || return 0
	echo "status $status: $(<err)"
	return 1
}

for command in "${commands[@]}"; do
	fresh
	ln -s ../root/secret joe/result
	ln -s ../root/new joe/nothing
	ln -s ../root joe/way
	ln -s own joe/back
	ln -s /dev/null joe/device
	mkdir joe/own
	ln -s ../joe/own/result sticky/link
	: >sticky/file
	mkfifo sticky/pipe
	chown -h "$owner" joe/* sticky/*
	ok "$command: a link to root's file" not 'is refused' "$command" joe/result
	ok "$command: a link to nothing in root's directory" not 'is refused' "$command" joe/nothing
	ok "$command: a directory that is a link to root's" not 'is refused' "$command" joe/way/result
	ok "$command: a link to a device" not 'is refused' "$command" joe/device
	ok "$command: a link of another user in a directory for all" not 'choose another name' "$command" sticky/link
	ok "$command: a file" not 'choose another name' "$command" sticky/file
	ok "$command: a pipe" not 'choose another name' "$command" sticky/pipe
	ok "$command: a directory" not 'Is a directory' "$command" joe/own
	ok "$command: a full disk" not 'No space left' "$command" /dev/full
	ok "$command: a link to the owner's own directory is followed" write 0 "$command" joe/back/result
	ok 'and the result is there' test -s joe/own/result
	rm joe/result
	ln root/secret joe/result
	ok "$command: a hard link is replaced" write 0 "$command" joe/result
	ok 'and not written to' untouched
	ok 'and the result has the permissions of what was there' test "$(stat -c '%a %u' joe/result)" = '600 0'
	ok "$command: nothing is left" test -z "$(find joe sticky root -name '*.tmp')"
done

# ---- a disk that gets full

fresh
echo old >joe/result
for command in "${commands[@]}"; do
	# Its end is waited for: the message comes before it removes its file.
	# shellcheck disable=SC2086
	said=$(trap '' XFSZ; ulimit -f 0; exec "$hytrace" $command -o joe/result 2>&1)
	ok "$command: a limit of a file's size" grep -q 'File too large' <<<"$said"
	is 'leaves the old file' "$(<joe/result) $(ls -A joe)" 'old result'
done

tap_end
