#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the kernel's own ftracetest suite on two kernels of the selftest flavour, the patched and the
# unpatched one, each with the suite of its own tree, and prints the tests that differ. Fails when one
# has got worse, or when one that only the patched tree has does not pass. Under TCG some tests
# depend on the machine's mood: one that has got worse is run again, alone, and only then believed.
#
# The unpatched results are kept in the cache: that kernel changes only with Debian's. Both runs
# take long, so they run at the same time. Logs and results are in build/kselftest/.
#
# Usage: tests/guest/kselftest.sh [--kernels UNPATCHED PATCHED] [TEST]...
#   --kernels  compare these, images or build directories, and build nothing
#   TEST       only these, files or directories below test.d

set -euo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
cache=${HYTRACE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hytrace}
out=$clone/build/kselftest
suite=tools/testing/selftests/ftrace
timeout=5400
unpatched_kernel='unpatched-selftest'
patched_kernel=selftest
tests=()

die()
{
	echo "kselftest: $*" >&2
	exit 1
}

# run_guest KERNEL SUITE DIR TEST...: the suite's output in DIR/output, its logs in DIR/logs.
run_guest()
{
	local kernel=$1 source=$2 dir=$3 status=0 test list=()
	shift 3
	rm -rf "$dir"
	mkdir -p "$dir/suite" "$dir/logs"
	cp -r "$source/$suite/." "$dir/suite/"
	for test; do
		[[ ! -e $dir/suite/test.d/$test ]] || list+=("test.d/$test")
	done
	if (($# && !${#list[@]})); then
		echo "kselftest: $kernel: its tree has none of these tests" >&2
		: >"$dir/results"
		return
	fi
	# The suite makes and removes many files in its own directory and in the logs: both in memory.
	# shellcheck disable=SC2016 # for the guest's sh
	"$clone/kernel/vm.sh" --kernel "$kernel" --timeout "$timeout" --share "$dir/logs" \
		--console "$dir/console" -- sh -c '
			cp -r "$1" /tmp/suite && mkdir /tmp/logs && cd /tmp/suite || exit 125
			logs=$2
			shift 2
			./ftracetest --logdir /tmp/logs "$@"
			cp -r /tmp/logs/. "$logs"' sh "$dir/suite" "$dir/logs" "${list[@]}" \
		>"$dir/output" 2>"$dir/errors" </dev/null || status=$?
	rm -rf "$dir/suite"
	# The sums are the last that the suite prints.
	if ((status)) || ! grep -q '^# of undefined' "$dir/output"; then
		echo "kselftest: $kernel: the guest ended with $status before the suite did; the last test was" \
			"$(grep -c '^\[' "$dir/output"); see $dir/{output,errors,console}" >&2
		return 1
	fi
	read_results "$dir/output" >"$dir/results"
}

# "NAME<tab>RESULT" a line; a name that comes again gets a number.
read_results()
{
	sed -n 's/^\[[0-9]*\]\(.*[^\t]\)\t*\[\([A-Z]*\)\]$/\1\t\2/p' "$1" |
		awk -F '\t' -v OFS='\t' '{ gsub(/ +/, " ", $1); sub(/^ /, "", $1); if (n[$1]++) $1 = $1 " #" n[$1]; print $1, $2 }'
}

image_of()
{
	if [[ $1 == unpatched-selftest ]]; then
		"$clone/kernel/build.sh" --unpatched --selftest --print-image
	else
		[[ ! -d $1 ]] || set -- "$1/arch/x86/boot/bzImage"
		realpath -e -- "$1" || die "--kernels takes paths; $1 is not there"
	fi
}

# What the unpatched results depend on.
unpatched_key()
{
	{
		sha256sum <"$unpatched_image"
		cd "$unpatched_source/$suite" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
	} | sha256sum | cut -c1-16
}

# Leaves the unpatched results in $out/unpatched, from the cache when it has them.
run_unpatched()
{
	local kept
	kept=$cache/kselftest/$(unpatched_key)
	if ((!${#tests[@]})) && [[ -s $kept/results ]]; then
		echo "kselftest: unpatched: kept results, $kept" >&2
		rm -rf "$out/unpatched"
		cp -r "$kept" "$out/unpatched"
		return
	fi
	run_guest "$unpatched_kernel" "$unpatched_source" "$out/unpatched" "${tests[@]}" || return 1
	((!${#tests[@]})) || return 0
	mkdir -p "$cache/kselftest"
	rm -rf "$kept.$$"
	cp -r "$out/unpatched" "$kept.$$"
	# Another run may have been quicker; then its results stay.
	mv -T "$kept.$$" "$kept" 2>/dev/null || rm -rf "$kept.$$"
}

run_patched()
{
	run_guest "$patched_kernel" "$patched_source" "$out/patched" "${tests[@]}"
}

# Lines "worse|better|new|gone<tab>NAME<tab>UNPATCHED<tab>PATCHED" for all that differs.
compare()
{
	awk -F '\t' -v OFS='\t' '
		BEGIN {
			split("FAIL UNDEFINED UNRESOLVED UNSUPPORTED UNTESTED XFAIL PASS", order, " ")
			for (i in order)
				rank[order[i]] = i
		}
		NR == FNR { before[$1] = $2; next }
		{
			now[$1] = $2
			if (!($1 in before))
				print "new", $1, "-", $2
			else if (before[$1] != $2)
				print rank[$2] + 0 < rank[before[$1]] + 0 ? "worse" : "better", $1, before[$1], $2
		}
		END {
			for (name in before)
				if (!(name in now))
					print "gone", name, before[name], "-"
		}' "$1" "$2"
}

# The files of the tests that have got worse or are new and do not pass.
bad_tests()
{
	local kind name result
	while IFS=$'\t' read -r kind name _ result; do
		case $kind:$result in
		worse:* | new:FAIL | new:UN*) find_test "${name#(instance) }" ;;
		esac
	done <"$out/differences" | sort -u
}

# The file, below test.d, of the test with this description.
find_test()
{
	local file name=${1% #[0-9]*}
	while read -r file; do
		if [[ $(sed -n 's/^#[ \t]*description:[ \t]*//p' "$file" | head -n 1) == "$name" ]]; then
			echo "${file#"$patched_source/$suite/test.d/"}"
			return
		fi
	done < <(find "$patched_source/$suite/test.d" -name '*.tc')
	die "no test has the description '$name'"
}

# Takes the better of two results of a test: worse means worse each time.
take_retry()
{
	awk -F '\t' -v OFS='\t' '
		NR == FNR { again[$1] = $2; next }
		$1 in again && again[$1] == "PASS" && $2 != "PASS" {
			print "kselftest: unsteady: " $1 " was " $2 ", run alone it passes" >"/dev/stderr"
			$2 = "PASS"
		}
		{ print }' "$1" "$2"
}

retry_bad_tests()
{
	local list=()
	mapfile -t list < <(bad_tests)
	((${#list[@]})) || return 0
	echo "kselftest: once more, alone: ${list[*]}" >&2
	run_guest "$patched_kernel" "$patched_source" "$out/again" "${list[@]}" || return 1
	cp "$out/patched/results" "$out/patched/results.first"
	take_retry "$out/again/results" "$out/patched/results.first" >"$out/patched/results"
	compare "$out/unpatched/results" "$out/patched/results" >"$out/differences"
}

report()
{
	local kind name before now bad=0 which
	for which in unpatched patched; do
		printf '%-10s %s\n' "$which:" "$(cut -f2 "$out/$which/results" | sort | uniq -c |
			awk '{ printf "%s%d %s", sep, $1, $2; sep = ", " }')"
	done
	while IFS=$'\t' read -r kind name before now; do
		printf '%-7s %-12s -> %-12s %s\n' "$kind" "$before" "$now" "$name"
		case $kind:$now in
		worse:* | gone:* | new:[!P]*) bad=$((bad + 1)) ;;
		esac
	done <"$out/differences"
	echo "$(grep -c . "$out/differences" || true) differ, $bad worse"
	((!bad))
}

main()
{
	local unpatched=0 patched=0 pid
	case ${1:-} in
	-h | --help)
		sed -n '/^# Usage/,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
		exit 0
		;;
	--kernels)
		(($# > 2)) || die "--kernels needs two; see --help"
		unpatched_kernel=$2 patched_kernel=$3
		shift 3
		;;
	*)
		"$clone/kernel/build.sh" --unpatched --selftest
		"$clone/kernel/build.sh" --selftest
		;;
	esac
	tests=("$@")
	mkdir -p "$out"
	unpatched_image=$(image_of "$unpatched_kernel")
	unpatched_source=$("$clone/kernel/build.sh" --print-source)
	patched_source=$("$clone/kernel/build.sh" --print-tree)
	run_unpatched &
	pid=$!
	run_patched || patched=1
	wait "$pid" || unpatched=1
	((!unpatched && !patched)) || exit 1
	compare "$out/unpatched/results" "$out/patched/results" >"$out/differences"
	retry_bad_tests
	report
}

main "$@"
