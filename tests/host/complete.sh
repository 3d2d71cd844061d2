#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests what tests/bench/complete.sh does with the names that contenders have seen: which functions are regular, how
# many runs each contender has, and what makes it fail. The guest's part runs here, and each contender prints names
# that the test tells it.
# shellcheck disable=SC2016 # scripts in quotes, for shells to come

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
fake=$tap_scratch/clone
mkdir -p "$fake/tests/bench" "$fake/kernel" "$fake/build/bench" "$tap_scratch/told"
# The copy has limits of a hundredth of the real ones, and one additional round instead of three.
sed 's/^least_regular=3500$/least_regular=35/; s/^more_rounds=3$/more_rounds=1/; s/-lt 1000 /-lt 10 /' "$clone/tests/bench/complete.sh" \
	>"$fake/tests/bench/complete.sh"
cat >"$fake/kernel/vm.sh" <<-'END'
	#!/bin/bash
	while [[ $1 != -- ]]; do shift; done
	shift
	exec "$@"
END
# Each contender sees f1 to f$regular. If there is a told/NAME, it runs that as a filter. $RUN is the run's number.
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

# told CONTENDER COMMANDS: the contender runs COMMANDS to print its names
told()
{
	echo "$2" >"$tap_scratch/told/$1"
}

# complete WANTED-STATUS [SAID]: runs it with contenders as told, and then forgets what was told
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

# rows FILTER: applies a jq filter to the written rows
rows()
{
	jq -cs "$1" "$fake/build/bench/complete.json"
}

ok 'the copy differs in exactly three limits' test "$(diff "$clone"/tests/bench/complete.sh "$fake/tests/bench" | grep -c '^>')" -eq 3
ok 'all contenders see all functions: 0' complete 0
is 'each contender has a row' "$(rows length)" 8
is 'all have two runs, because the second brings nothing new' "$(rows 'map(.runs) | unique')" '[2]'
is 'all are compared with the same set' "$(rows 'map(.regular) | unique')" '[35]'
regular=34 ok 'too few regular functions: 1' complete 1 '34 regular functions, at least 35'
regular=9 ok 'a contender that sees almost nothing: 1' complete 1 'oneshot: failed'

told bpftrace-count 'names | sed 1,20d'
ok 'a peer that misses much: 0' complete 0
is 'that peer does not make the set smaller' "$(rows 'map(.regular) | unique')" '[35]'
is 'that peer has the functions that it misses in its row' "$(rows 'map(select(.contender == "bpftrace-count") | .missed_regular | length)')" '[20]'
told bpftrace-count 'names | sed 1,20d'
told oneshot 'names | sed 7d'
ok 'a function that this peer and one of ours miss: 1' complete 1 'boot 1, oneshot: has missed f7$'
is 'that counts only after additional runs of all' "$(rows 'map(.runs) | unique')" '[4]'

for name in oneshot oneshot-retired cover-bpf cover-bpf-retired; do
	told "$name" 'names | sed 7d'
	ok "$name misses one function: 1" complete 1 "boot 1, $name: has missed f7\$"
done
told oneshot 'names | sed 7d'
told oneshot-retired 'names | sed 7d'
ok 'a function that all contenders of a kind miss: 1' complete 1 'boot 1, oneshot: has missed f7$'
told oneshot 'names | if ((RUN == 4)); then cat; else sed 7d; fi'
ok 'a function that is only seen in the fourth run: 0' complete 0
is 'all contenders have four runs for that' "$(rows 'map(.runs) | unique')" '[4]'
is 'the row says how many functions a single run lacks' "$(rows 'map(select(.contender == "oneshot") | .missed_a_run)[0]')" \
	'{"min":0,"median":1,"max":1}'
told cover-bpf 'names | sed 7d; echo f7 >"$DIR/denied"'
ok 'a function that a contender says it leaves out: 0' complete 0
is 'that function does not count as missed' "$(rows 'map(select(.contender == "cover-bpf") | .left_out, .missed_regular)')" '[1,[]]'
for name in oneshot oneshot-retired event-bpf bpftrace-count profiler function; do
	told "$name" 'names; echo text_poke_queue; echo smp_text_poke_batch_add'
done
ok 'functions that are not called for the BPF engine, of both kernels: 0' complete 0
is 'these functions are regular' "$(rows 'map(.regular) | unique')" '[37]'
for name in oneshot cover-bpf; do
	told "$name" "names; echo own"
done
ok "a function that only hytrace's contenders see: 0" complete 0
is 'that function is not regular' "$(rows 'map(.regular) | unique')" '[35]'
# Most contenders of two kinds see it, but only in one run of two.
for name in function profiler cover-bpf cover-bpf-retired event-bpf; do
	told "$name" 'names; ((RUN == 2)) || echo chance'
done
ok 'a function that is not seen in each run: 0' complete 0
is 'that function is not regular' "$(rows 'map(.regular) | unique')" '[35]'
told oneshot 'names; echo "new$RUN"'
told cover-bpf 'names; echo "new$RUN"'
ok 'a function that is new in each round: 0' complete 0
is 'makes three' "$(rows 'map(.runs) | unique')" '[3]'
sed -i '/^contenders=/s/"${judged\[@\]}"/"${judged[@]:1}"/' "$fake/tests/bench/complete.sh"
ok 'one of our contenders is missing: 1' complete 1 'boot 1, oneshot: 0 rows'
tap_end
