#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make test` runs when everything is built: the unit tests, what needs no guest (host/: those who
# count tests, for one), what boots guests of its own (vm.sh itself, very early tracing), then the guest
# tests. The last line is the sum, "N passed, N failed"; skips are shown and counted apart, above it.
# Nothing run, or something that died, is a failure. HYTRACE_TEST_OUT= moves the logs from build/test.
#
# usage: run.sh [unit|host|vm|early|guest]

set -uo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
build=$(dirname "$here")/build
logs=${HYTRACE_TEST_OUT:-$build/test}
tally=$logs/tally

# "PASSED FAILED SKIPPED" of a file of TAP.
tap_counts()
{
	awk '/^ok .*# SKIP/ { s++; next } /^ok / { p++ } /^not ok / { f++ }
		END { print p + 0, f + 0, s + 0 }' "$1" 2>/dev/null || echo 0 0 0
}

# Criterion counts for itself; a program that died before it could has no summary.
unit()
{
	local test name status counts ran=0

	mkdir -p "$logs/unit"
	for test in "$here"/unit/*.c; do
		name=$(basename "$test" .c)
		ran=1
		status=0
		"$build/tests/unit/$name" --tap="$logs/unit/$name.tap" --color=never \
			>"$logs/unit/$name.log" 2>&1 || status=$?
		counts=$(tap_counts "$logs/unit/$name.tap")
		if [[ $status -ne 0 && $counts == *' 0 '* || $counts == '0 0 '* ]]; then
			echo "0 1 0" >>"$tally"
			echo "NOT OK   unit: $name: exit status $status, see $logs/unit/$name.log"
		fi
		echo "$counts" >>"$tally"
		echo "unit     $name: $(awk '{ print $1 " passed, " $2 " failed" }' <<<"$counts")"
		[[ $status -eq 0 ]] || grep -E '^(not ok|  )' "$logs/unit/$name.tap" | head -n 40
	done
	((ran)) || echo "0 1 0" >>"$tally"
}

# A test that runs on this side: of host/, or of guest/ when it boots guests of its own.
host()
{
	local name=$1 log=$logs/$1.log status=0 counts test=$here/host/$1.sh

	[[ -e $test ]] || test=$here/guest/$name.sh
	"$test" >"$log" 2>&1 || status=$?
	counts=$(tap_counts "$log")
	if ! grep -qE '^1\.\.[1-9]' "$log" || [[ $status -ne 0 && $counts == *' 0 '* ]]; then
		echo "NOT OK   $name: its test died with status $status, see $log"
		echo "0 1 0" >>"$tally"
	fi
	echo "$counts" >>"$tally"
	printf '%-8s %s\n' "$name" "$(awk '{ print $1 " passed, " $2 " failed" }' <<<"$counts")"
	sed -n '/^not ok/,/^ok/{/^ok/!p}' "$log"
}

all_of_host()
{
	local test

	for test in "$here"/host/*.sh; do
		host "$(basename "$test" .sh)"
	done
}

guest()
{
	local before status=0

	before=$(wc -l <"$tally")
	"$here/guest/run.sh" --tally "$tally" || status=$?
	if [[ $(wc -l <"$tally") -eq $before ]]; then
		echo "NOT OK   guest: the runner died with status $status"
		echo "0 1 0" >>"$tally"
	fi
}

mkdir -p "$logs"
: >"$tally"
case ${1:-all} in
unit) unit ;;
host) all_of_host ;;
vm | early) host "$1" ;;
guest) guest ;;
all)
	unit
	# All guest tests are believed for what these say: who counts, and vm.sh itself.
	all_of_host
	host vm
	host early
	guest
	;;
*)
	echo "run.sh: unknown argument $1; usage: run.sh [unit|host|vm|early|guest]" >&2
	exit 2
	;;
esac

awk '{ p += $1; f += $2; s += $3 }
	END {
		if (s)
			printf "%d skipped\n", s
		printf "%d passed, %d failed\n", p, f
		exit f > 0 || p == 0
	}' "$tally"
