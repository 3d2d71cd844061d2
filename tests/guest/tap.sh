# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the tests in tests/guest/t-*.sh. They print TAP, one line for each claim. Source this, call ok, is and
# skip, and call tap_end last. After each claim comes how long it took since the one before it, as "# +1.23 s".
#
#	ok 'what has to be true' COMMAND ARGUMENT...	passes if COMMAND succeeds
#	is 'what has to be equal' GOT EXPECTED		if nothing is expected, GOT may not be of a command that failed:
#							a pipe of which the last status is 2 or more, with pipefail
#	skip 'what is not tested' 'why not'		shown and counted as a skip, never as a pass
#	interrupt PID					ends a child as Ctrl-C does, and waits for it
#
# A test whose script dies before tap_end has no plan, which the runner counts as a failure.
#
# Sets $clone, the clone; $hytrace, its loader; and the shell's options.

set -uo pipefail
clone=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
hytrace=$clone/build/hytrace
tap_count=0
tap_time=${EPOCHREALTIME/[.,]/}
tap_failed=0
tap_scratch=$(mktemp -d)
trap 'rm -rf "$tap_scratch"' EXIT

ok()
{
	local name=$1 status=0
	shift

	"$@" >"$tap_scratch/.tap" 2>&1 || status=$?
	# jq succeeds on an empty file, but whenever it has read something, it prints something.
	[[ $1 != jq || -s $tap_scratch/.tap ]] || status=1
	tap_result "$status" "$name"
	[[ $status -eq 0 ]] || {
		echo "#   status $status: $*"
		tail -n 20 "$tap_scratch/.tap" | sed 's/^/#   /'
	}
}

# When a function begins, $? is the status of the last command substitution in its arguments. grep and diff say 1 when
# they find nothing, or a difference; a missing file or program is more.
is()
{
	local substituted=$? status=0

	[[ $2 == "$3" ]] || status=1
	[[ $3 || $2 || $substituted -le 1 ]] || {
		status=1
		set -- "$1" "(nothing, but the command ended with status $substituted)" ''
	}
	tap_result "$status" "$1"
	[[ $status -eq 0 ]] || {
		printf '%s\n' "got:" "$2" "expected:" "$3" | cut -c1-300 | head -n 40 | sed 's/^/#   /'
	}
}

skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# A tool that handles SIGINT at the wrong moment may lose it, as bpftrace 0.17 did once in 40 runs. So it is sent
# again until the child has ended, for a minute.
interrupt()
{
	local pid=$1 i

	for ((i = 0; i < 20; i++)); do
		kill -INT "$pid" 2>/dev/null || break
		timeout 3 tail --pid="$pid" -s .1 -f /dev/null && break
	done
	if ((i == 20)); then
		kill -KILL "$pid"
		ok "SIGINT ends process $pid" false
	fi
	wait "$pid"
}

tap_result()
{
	local now=${EPOCHREALTIME/[.,]/} took

	took=$((now - tap_time)) tap_time=$now
	tap_count=$((tap_count + 1))
	if [[ $1 -eq 0 ]]; then
		echo "ok $tap_count - $2"
	else
		echo "not ok $tap_count - $2"
		tap_failed=$((tap_failed + 1))
	fi
	printf '# +%d.%02d s\n' $((took / 1000000)) $((took / 10000 % 100))
}

# tap_end: prints the plan. The script fails if a result has failed.
tap_end()
{
	echo "1..$tap_count"
	((!tap_failed))
}
