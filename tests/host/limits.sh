#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests how a guest that hangs is ended, and that one on a busy machine is not (limit_work() of tests/guest/run.sh, and
# run_script() of inside.sh). Stand-ins take the place of vm.sh and QEMU.
# shellcheck disable=SC2016,SC2034,SC2154,SC2317 # scripts in quotes, for shells to come; variables and functions of limit_work()

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
cd "$tap_scratch" || exit 1
unset HYTRACE_TEST_UNTIL

# ---- the host's half

. "$clone/tests/guest/qemu-work.sh"
# shellcheck source=/dev/null
. <(sed -n '/^limit_work/,/^}/p' "$clone/tests/guest/run.sh")

# guest STATE SECONDS...: lets limit_work look at a guest whose QEMU is in that state, and has taken so much processor time.
# After the last look, the guest ends by itself. Prints how many looks there were, how many of them after inside.sh was told
# to end its test, and what is said.
guest()
{
	local state=$1 took=("${@:2}") looks=0 told=0 limit=40 out=$PWD

	rm -f over vm.err
	: >vm.err
	sleep()
	{
		((looks < ${#took[@]})) || { echo "$looks $told"; exit; }
		looks=$((looks + 1))
		[[ ! -e over ]] || told=$((told + 1))
	}
	pgrep()
	{
		((looks > ${late:-0})) && echo 1
	}
	sed()
	{
		echo "$state 2 3 4 5 6 7 8 9 10 11 $((took[looks - 1] * second)) 0"
	}
	kill()
	{
		echo "$looks $told, ended $1"
	}
	limit_work vm
	cat vm.err
}

is 'a guest that ends in time is not ended' "$(guest R 5 10 15)" '3 0'
is 'one that works for too long is ended, and its test before' "$(guest R 10 20 35 37 39 41 41 | head -n 1)" '6 2, ended vm'
is 'which is said' "$(guest R 41 | tail -n 1)" 'run.sh: the guest was ended after 40 s of work'
is 'one that is idle for too long is ended, too' "$(guest S 1 1 1 1 1 1 1 1 1 1 1 | head -n 1)" '8 0, ended vm'
is 'one that only waits for a processor is not' "$(guest R 1 1 1 1 1 1 1 1 1 1 1)" '11 0'
is 'except in a run that has to end' "$(HYTRACE_TEST_UNTIL=1; guest R 1 1 1 1 1 1 1 1 1 1 1 | head -n 1)" '8 0, ended vm'
is 'one whose QEMU comes late is looked at from then on, by a shell that ends for any other failure' \
	"$(set -e; late=2 guest R 41 41 41 | head -n 1)" '3 0, ended vm'

# ---- the guest's half

# script LIMIT COMMAND: runs it as a test, and prints its status, and whether there was a list of what ran
script()
{
	local status=0

	printf '#!/bin/bash\n%s\n' "$2" >script
	chmod +x script
	HYTRACE_LIMIT=$1 bash -c '. <(sed -n "/^run_script/,/^}/p" "$0"); run_script ./script' \
		"$clone/tests/guest/inside.sh" >said 2>&1 || status=$?
	echo "$status $(grep -c 'what ran when its time was over' said) $(grep -c 'sleep 1000$' said)"
}

export HYTRACE_OVER=$PWD/over
rm -f over
is 'a test whose time is not over goes on' "$(script 0.1 'sleep 1; exit 3')" '3 0 0'
is 'one whose time is over is ended, with a list of what ran' "$(script 0.1 ': >over; sleep 1000')" '124 1 1'

tap_end
