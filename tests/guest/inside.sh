#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's half of tests/guest/run.sh. Runs the named tests one after the other, and leaves each test's TAP,
# stderr and exit status in a directory that the host reads. If the kernel complains meanwhile, or lockdep is off
# at the end, the batch fails, whatever the tests say.
#
# usage: inside.sh DIR TEST...		TEST: a script, or ftracetest:RUNNER[:DIRECTORY-OR-TC]...

set -uo pipefail

out=$1
shift
. "$(dirname "${BASH_SOURCE[0]}")/splats.sh"

# Everything that a test writes goes to memory, because the root file system is an overlay over 9p.
export TMPDIR=/tmp

# Its logs have each command. A line that is written to a share is a message to the host, so they are copied afterwards.
run_ftracetest()
{
	local words status=0

	IFS=: read -ra words <<<"$1"
	"${words[0]}" -K -l /tmp/logs "${words[@]:1}" || status=$?
	cp -r /tmp/logs "$out/"
	return $status
}

# Runs a test, and ends it when $HYTRACE_LIMIT seconds have gone by; if $HYTRACE_OVER is set and that file is not there, the
# test gets as many once more. A test that hangs does so on some machines only, so its tasks are listed first, by a process
# that waits for the end of its input, or for that time.
run_script()
{
	local end status=0

	exec {end}> >(
		while read -rt "$HYTRACE_LIMIT"; (($? > 128)); do
			[[ -e ${HYTRACE_OVER:-/} ]] || continue
			echo "what ran when its time was over:" >&2
			# Tasks of the kernel have no arguments.
			ps --ppid 2 -p 2 --deselect -o pid,ppid,stat,wchan:20,args | cut -c1-150 >&2
			# As when a time of its own is over, it ends the test.
			pkill -ALRM -x -P $$ timeout
			exit
		done
	)
	timeout -k 10 0 "$1" {end}>&- || status=$?
	exec {end}>&-
	return $status
}

for test; do
	case $test in
	ftracetest:*)
		name=ftracetest
		mkdir -p /tmp/logs
		run_ftracetest "${test#*:}" >"$out/$name.tap" 2>"$out/$name.err" </dev/null
		;;
	*)
		name=$(basename "$test" .sh)
		run_script "$test" >"$out/$name.tap" 2>"$out/$name.err" </dev/null
		;;
	esac
	echo $? >"$out/$name.status"
done

dmesg >"$out/dmesg"
splats_in "$out/dmesg" >"$out/splats"
lockdep_off "${HYTRACE_LOCKDEP_STATS:-/proc/lockdep_stats}" >>"$out/splats"
exit 0
