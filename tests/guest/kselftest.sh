#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the kernel's own ftracetest suite on two kernels of the selftest flavour, a patched and an unpatched one,
# each with the suite of its own tree. Prints the tests that differ, and each test of kernel/files with its
# result. Fails if a test has become worse, or if one of our tests does not pass or has no result. Under TCG
# some tests fail by chance, so a test that has become worse is run again, alone, and the better result counts.
# A test that the kernel does not survive is not run again; the tests after it run in another guest.
#
# The unpatched results are kept in the cache: that kernel changes only with Debian's. Both runs
# take long, so they run at the same time. Logs and results are in build/kselftest/.
#
# Usage: tests/guest/kselftest.sh [--kernels UNPATCHED PATCHED] [TEST]...
#   --kernels  compare these, images or build directories, and build nothing
#   TEST       only these, files or directories below test.d

set -euo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
cache=${HYTRACE_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set; HYTRACE_CACHE= names another place}/.cache}/hytrace}
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

# list_tests: all tests of a suite, or the named ones, in the order of the runner, as paths below the suite.
list_tests()
{
	local suite_dir=$1 test
	shift
	(
		cd "$suite_dir"
		(($#)) || set -- .
		for test; do
			[[ ! -e test.d/$test ]] || find "test.d/$test" -name '*.tc' | sed 's|/\./|/|'
		done
	) | LC_ALL=C sort -u
}

runs_in_instance()
{
	grep -q '^#[ \t]*flags:.*instance' "$1"
}

# boot_suite KERNEL DIR TEST...: runs the suite in one guest. The runner's output is in DIR/output. Fails if the
# runner did not get to its end.
boot_suite()
{
	local kernel=$1 dir=$2 status=0
	shift 2
	# The suite makes and removes many files in its own directory and in the logs, so both are in memory.
	# shellcheck disable=SC2016 # for the guest's sh
	"$clone/kernel/vm.sh" --kernel "$kernel" --timeout "$timeout" --share "$dir/logs" \
		--console "$dir/console" -- sh -c '
			cp -r "$1" /tmp/suite && mkdir /tmp/logs && cd /tmp/suite || exit 125
			logs=$2
			shift 2
			./ftracetest --logdir /tmp/logs "$@"
			cp -r /tmp/logs/. "$logs"' sh "$dir/suite" "$dir/logs" "$@" \
		>"$dir/output" 2>"$dir/errors" </dev/null || status=$?
	# The sums are the last lines that the suite prints.
	((!status)) && grep -q '^# of undefined' "$dir/output"
}

# run_guest KERNEL SOURCE DIR TEST...: leaves the results in DIR/results and the logs in DIR/logs. A test that the
# kernel does not survive gets the result PANIC, and the others go on in another guest. Turns in an instance come
# last in a run; so the tests before that test go on with these turns first, and then the tests after it.
run_guest()
{
	local kernel=$1 source=$2 dir=$3 list before n deaths=0 test name
	shift 3
	rm -rf "$dir"
	mkdir -p "$dir/suite" "$dir/logs"
	cp -rL "$source/$suite/." "$dir/suite/"
	: >"$dir/results.all"
	mapfile -t list < <(list_tests "$dir/suite" "$@")
	((${#list[@]})) || echo "kselftest: $kernel: its tree has none of these tests" >&2
	while ((${#list[@]})); do
		if boot_suite "$kernel" "$dir" "${list[@]}"; then
			read_results "$dir/output" >>"$dir/results.all"
			break
		fi
		n=$(grep -c '^\[' "$dir/output" || true)
		deaths=$((deaths + 1))
		cp "$dir/console" "$dir/console.$deaths"
		if ((!n || deaths > 5)); then
			echo "kselftest: $kernel: the guest ended before the suite did, at test $n;" \
				"see $dir/{output,errors,console}" >&2
			return 1
		fi
		read_results "$dir/output" >>"$dir/results.all"
		before=()
		for test in "${list[@]}"; do
			! runs_in_instance "$dir/suite/$test" || before+=("$test")
		done
		if ((n > ${#list[@]})); then
			n=$((n - ${#list[@]}))
			test=${before[n - 1]}
			name="(instance) $(description_of "$dir/suite/$test")"
			list=("${before[@]:n}")
		else
			test=${list[n - 1]}
			name=$(description_of "$dir/suite/$test")
			before=()
			for test in "${list[@]:0:n-1}"; do
				! runs_in_instance "$dir/suite/$test" || before+=("$test")
			done
			list=("${before[@]}" "${list[@]:n}")
		fi
		printf '%s\tPANIC\n' "$name" >>"$dir/results.all"
		echo "kselftest: $kernel: died of '$name', see $dir/console.$deaths; going on with" \
			"${#list[@]} tests" >&2
	done
	rm -rf "$dir/suite"
	# A test that ran again, only for its turn in an instance, keeps its first result.
	awk -F '\t' '!seen[$1]++' "$dir/results.all" >"$dir/results"
}

description_of()
{
	sed -n 's/^#[ \t]*description:[ \t]*//p' "$1" | head -n 1
}

# Prints a "NAME<tab>RESULT" line for each result. When a name occurs again, a number is added to it.
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

# A key of all that the unpatched results depend on.
unpatched_key()
{
	{
		sha256sum <"$unpatched_image"
		cd "$unpatched_source/$suite" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
	} | sha256sum | cut -c1-16
}

# Leaves the unpatched results in $out/unpatched. Takes them from the cache if they are there.
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
	# If another run was quicker, its results stay.
	mv -T "$kept.$$" "$kept" 2>/dev/null || rm -rf "$kept.$$"
}

run_patched()
{
	run_guest "$patched_kernel" "$patched_source" "$out/patched" "${tests[@]}"
}

# Prints a "worse|better|new|gone<tab>NAME<tab>UNPATCHED<tab>PATCHED" line for each test that differs.
compare()
{
	awk -F '\t' -v OFS='\t' '
		BEGIN {
			split("PANIC FAIL UNDEFINED UNRESOLVED UNSUPPORTED UNTESTED XFAIL PASS", order, " ")
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

# Prints the files of the tests to run again alone: they have become worse, or are new and do not pass.
bad_tests()
{
	local kind name result
	while IFS=$'\t' read -r kind name _ result; do
		case $kind:$result in
		*:PANIC | new:PASS) ;;
		worse:* | new:*) find_test "${name#(instance) }" ;;
		esac
	done <"$out/differences" | sort -u
}

# Prints the file, below test.d, of the test with this description.
find_test()
{
	local file name=${1% #[0-9]*}
	while read -r file; do
		if [[ $(description_of "$file") == "$name" ]]; then
			echo "${file#"$patched_source/$suite/test.d/"}"
			return
		fi
	done < <(find "$patched_source/$suite/test.d" -name '*.tc')
	die "no test has the description '$name'"
}

# Takes the better of two results of a test, so that only a test that is worse each time counts as worse.
take_retry()
{
	awk -F '\t' -v OFS='\t' '
		NR == FNR { again[$1] = $2; next }
		$1 in again && again[$1] == "PASS" && $2 != "PASS" && $2 != "PANIC" {
			print "kselftest: unsteady: " $1 " was " $2 "; when run alone it passes" >"/dev/stderr"
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

# Prints the names that our tests have in the results, of those asked for: each test, and its turn in an instance. A series
# may leave out a part, and its tests.
our_tests()
{
	local dir=$clone/kernel/files/$suite file name
	list_tests "$dir" "${tests[@]}" | while read -r file; do
		[[ -e $patched_source/$suite/$file ]] || continue
		name=$(description_of "$dir/$file" | sed 's/  */ /g; s/ $//')
		printf '%s\n' "$name"
		! runs_in_instance "$dir/$file" || printf '(instance) %s\n' "$name"
	done
}

# Prints "NAME<tab>RESULT" for each of our tests. The result of a test that did not run is "-".
our_results()
{
	awk -F '\t' -v OFS='\t' 'NR == FNR { now[$1] = $2; next } { print $1, $1 in now ? now[$1] : "-" }' \
		"$out/patched/results" <(our_tests)
}

report()
{
	local kind name before now bad=0 which ours=0 passed=0
	for which in unpatched patched; do
		[[ -s $out/$which/results ]] || die "$which: no test has run"
		printf '%-10s %s\n' "$which:" "$(cut -f2 "$out/$which/results" | sort | uniq -c |
			awk '{ printf "%s%d %s", sep, $1, $2; sep = ", " }')"
	done
	while IFS=$'\t' read -r kind name before now; do
		printf '%-7s %-12s -> %-12s %s\n' "$kind" "$before" "$now" "$name"
		case $kind:$now in
		better:* | new:PASS) ;;
		*) bad=$((bad + 1)) ;;
		esac
	done <"$out/differences"
	while IFS=$'\t' read -r name now; do
		printf 'ours    %-12s %s\n' "$now" "$name"
		ours=$((ours + 1))
		[[ $now != PASS ]] || passed=$((passed + 1))
	done < <(our_results)
	echo "$(grep -c . "$out/differences" || true) differ, $bad worse; $passed of our $ours tests pass"
	# If all tests were run, our tests must be among them.
	((!bad && passed == ours && (ours || ${#tests[@]})))
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
		(($# > 2)) || die "--kernels needs two kernels; see --help"
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
