# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the tests of the loader: $tracing, a scratch directory as the current one, checks of a
# command's status and messages, and waiting. If `status` and `says` are to run another command than $hytrace, set
# `subject` to it. Sources tap.sh.

# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tap.sh"
tracing=/sys/kernel/tracing
subject=$hytrace
cd "$tap_scratch" || exit 1
# Universes that this machine has kept would change what a guest's reports know.
export XDG_CACHE_HOME=$tap_scratch/cache
mkdir -p "$XDG_CACHE_HOME"
[[ -d $tracing/instances ]] || mount -t tracefs nodev $tracing

# status WANTED ARGUMENT...: runs the subject, whose exit status must be WANTED; its output is in out and err
status()
{
	local wanted=$1 got=0
	shift

	"$subject" "$@" >out 2>err || got=$?
	[[ $got == "$wanted" ]] || {
		echo "status $got, not $wanted"
		cat out err
		return 1
	}
}

# Are there no instance, event, pin or unfinished result of hytrace?
nothing_left()
{
	local file left=''

	for file in $tracing/{instances/hytrace-*,events/hytrace_*,function_events} /sys/fs/bpf/hytrace* ./*.tmp; do
		[[ ! -e $file || $file == */function_events && $(<"$file") != *hytrace_* ]] || left+=" $file"
	done
	[[ -z $left ]] || {
		echo "left behind: $left"
		return 1
	}
}

# says TEXT WANTED ARGUMENT...: as status; stderr must have TEXT, and the subject must leave nothing behind
says()
{
	local text=$1
	shift

	status "$@" || return 1
	grep -qF -- "$text" err || {
		echo "not said: $text"
		cat err
		return 1
	}
	nothing_left
}

# soon COMMAND...: waits until it succeeds, two minutes at most; the watchdog works beside this script, and a guest may be slow
soon()
{
	local end=$((SECONDS + 120))

	until "$@" >/dev/null 2>&1; do
		((SECONDS < end)) || { "$@"; return; }
		sleep 0.1
	done
}

# pause SECONDS: sleeps without a process, because tracing would record that process
mkfifo "$tap_scratch/.never"
pause()
{
	read -r -t "$1" <>"$tap_scratch/.never" || true
}

# stop_guard PID: stops the watchdog below process PID, which is hytrace or has started it
stop_guard()
{
	local parents=$1

	while ! pkill -STOP -x -P "$parents" hytrace-guard; do
		parents=$(pgrep -d, -P "$parents") || return 1
	done
}
