# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of the loader have in common, besides tap.sh, which this sources: $hytrace and $tracing,
# a scratch directory to be in, a look at what a command says, and patience. Set `subject` to another command
# than $hytrace if status and says are to run that, and define nothing_left.

# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tap.sh"
hytrace=$PWD/build/hytrace
tracing=/sys/kernel/tracing
subject=$hytrace
cd "$tap_scratch" || exit 1
[[ -d $tracing/instances ]] || mount -t tracefs nodev $tracing

# status WANTED ARGUMENT...: of the subject; what it prints is in out and err
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

# says TEXT WANTED ARGUMENT...: with that status and that text on stderr, with nothing left behind
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

# soon COMMAND...: succeeds in the end; the watchdog works beside us, and a guest may be a slow one
soon()
{
	local i

	for ((i = 0; i < 600; i++)); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	"$@"
}

# pause SECONDS: without a process, which would be one more that is traced
mkfifo "$tap_scratch/.never"
pause()
{
	read -r -t "$1" <>"$tap_scratch/.never" || true
}

# stop_guard PID: of the hytrace below that process
stop_guard()
{
	local parents=$1

	while ! pkill -STOP -x -P "$parents" hytrace-guard; do
		parents=$(pgrep -d, -P "$parents") || return 1
	done
}
