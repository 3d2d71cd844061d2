#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests what tests/bench/complete.sh makes of the names that contenders have seen: what is regular, how many
# runs each has, and what fails it. The guest runs here, and each contender prints names that it is told.
# shellcheck disable=SC2016 # scripts in quotes, for shells to come

set -uo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
# shellcheck source=tests/guest/tap.sh
. "$clone/tests/guest/tap.sh"
fake=$tap_scratch/clone
mkdir -p "$fake/tests/bench" "$fake/kernel" "$fake/build/bench" "$tap_scratch/told"
# Its limits of what is too few are a hundredth here, and it has one round more, not three.
sed 's/^least_regular=3500$/least_regular=35/; s/^more_rounds=3$/more_rounds=1/; s/-lt 1000 /-lt 10 /' "$clone/tests/bench/complete.sh" \
	>"$fake/tests/bench/complete.sh"
cat >"$fake/kernel/vm.sh" <<-'END'
	#!/bin/bash
	while [[ $1 != -- ]]; do shift; done
	shift
	exec "$@"
END
# All contenders see f1 to f$regular, and with told/NAME as with a filter. $RUN is the run's number.
cat >"$fake/tests/bench/complete-run.sh" <<-END
	#!/bin/bash
	: >"\$2/err"
	if [[ -e $tap_scratch/told/\$1 ]]; then
		names() { seq -f f%.0f "\$REGULAR"; }
		RUN=\${2##*.} DIR=\$2
		. "$tap_scratch/told/\$1" >"\$2/names"
	else
		seq -f f%.0f "\$REGULAR" >"\$2/names"
	fi
END
chmod +x "$fake/kernel/vm.sh" "$fake"/tests/bench/*.sh

# told CONTENDER COMMANDS: what it prints
told()
{
	echo "$2" >"$tap_scratch/told/$1"
}

# complete WANTED-STATUS [SAID]: of contenders as told, which are forgotten then
complete()
{
	local status=0

	REGULAR=${regular:-35} "$fake/tests/bench/complete.sh" >"$tap_scratch/out" 2>"$tap_scratch/err" ||
		status=$?
	rm -f "$tap_scratch"/told/*
	((status == $1)) && grep -qE -- "${2:-.}" "$tap_scratch/err" && return
	echo "status $status, not $1, or not said: ${2:-}"
	cat "$tap_scratch/err"
	return 1
}

# rows FILTER: of what was written
rows()
{
	jq -cs "$1" "$fake/build/bench/complete.json"
}

ok 'its limits are known here' test "$(diff "$clone"/tests/bench/complete.sh "$fake/tests/bench" | grep -c '^>')" -eq 3
ok 'all see all' complete 0
is 'each contender has a row' "$(rows length)" 8
is 'and all have as many runs, until nothing is new' "$(rows 'map(.runs) | unique')" '[2]'
is 'and are held against the same set' "$(rows 'map(.regular) | unique')" '[35]'
regular=34 ok 'too few are regular' complete 1 '34 regular functions, at least 35'
regular=9 ok 'a contender that sees next to nothing has failed' complete 1 'oneshot: failed'

told bpftrace-count 'names | sed 1,20d'
ok 'a blind peer' complete 0
is 'does not make the set smaller' "$(rows 'map(.regular) | unique')" '[35]'
is 'and is told what it misses' "$(rows 'map(select(.contender == "bpftrace-count") | .missed_regular | length)')" '[20]'
told bpftrace-count 'names | sed 1,20d'
told oneshot 'names | sed 7d'
ok 'what such a peer and one of ours miss' complete 1 'boot 1, oneshot: has missed f7$'
is 'counts after more runs of all' "$(rows 'map(.runs) | unique')" '[4]'

for name in oneshot oneshot-retired cover-bpf cover-bpf-retired; do
	told "$name" 'names | sed 7d'
	ok "$name misses one" complete 1 "boot 1, $name: has missed f7\$"
done
told oneshot 'names | sed 7d'
told oneshot-retired 'names | sed 7d'
ok 'what a whole kind misses' complete 1 'boot 1, oneshot: has missed f7$'
told oneshot 'names | if ((RUN == 4)); then cat; else sed 7d; fi'
ok 'what comes in a fourth run' complete 0
is 'all have had four for' "$(rows 'map(.runs) | unique')" '[4]'
is 'and a single run lacks' "$(rows 'map(select(.contender == "oneshot") | .missed_a_run)[0]')" \
	'{"min":0,"median":1,"max":1}'
told cover-bpf 'names | sed 7d; echo f7 >"$DIR/denied"'
ok 'what one says that it leaves out' complete 0
is 'is none it misses' "$(rows 'map(select(.contender == "cover-bpf") | .left_out, .missed_regular)')" '[1,[]]'
for name in oneshot oneshot-retired event-bpf bpftrace-count profiler function; do
	told "$name" 'names; echo text_poke_queue'
done
ok 'what is not called for the BPF engine' complete 0
is 'is regular all the same' "$(rows 'map(.regular) | unique')" '[36]'
for name in oneshot cover-bpf; do
	told "$name" "names; echo own"
done
ok "what is hytrace's own work" complete 0
is 'is not regular' "$(rows 'map(.regular) | unique')" '[35]'
# Most of two kinds have it, in one run of two.
for name in function profiler cover-bpf cover-bpf-retired event-bpf; do
	told "$name" 'names; ((RUN == 2)) || echo chance'
done
ok 'nor what does not come in each run' complete 0
is 'is' "$(rows 'map(.regular) | unique')" '[35]'
told oneshot 'names; echo "new$RUN"'
told cover-bpf 'names; echo "new$RUN"'
ok 'what is new in each round' complete 0
is 'makes three' "$(rows 'map(.runs) | unique')" '[3]'
sed -i '/^contenders=/s/"${judged\[@\]}"/"${judged[@]:1}"/' "$fake/tests/bench/complete.sh"
ok 'one of ours is not there' complete 1 'boot 1, oneshot: 0 rows'
tap_end
