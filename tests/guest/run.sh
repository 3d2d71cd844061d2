#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the guest tests: our tests for the kernel's own ftracetest, by its own runner, and each
# t-*.sh here. A boot takes seconds, so all that want the same kernel and command line share one, but
# for ftracetest, whose directories are a guest each, as they take longest. TCG
# runs a guest on one processor of ours, so there are as many guests at once as there are of those,
# but two at most, for the memory's sake. In the head of a t-*.sh:
#
#	# kernels: patched stock	the kernels it runs on, as for vm.sh --kernel
#	# append: ARGS			a guest of its own with these on the kernel command line
#	# vm: OPTIONS			and one with these of vm.sh
#
# A test can fail in four ways: it says so, it says less than it planned, its script dies, the guest
# dies. Nothing that is ours may be skipped by the ftracetest runner for want of a feature. Logs are
# in build/test/guest/, or below HYTRACE_TEST_OUT.
#
# usage: run.sh [--tally FILE] [--kernel K] [--minutes N] [TEST...]
#	TEST: ftracetest, ftracetest/DIR, ftracetest/DIR/NAME.tc or t-NAME; all by default
#	--kernel K	only on this kernel; debug, or the path of one, takes the place of patched
#	--minutes N	end after that; what has not been run by then has failed
#	--tally FILE	append "passed failed skipped" there

set -euo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
clone=$(dirname "$(dirname "$here")")
logs=${HYTRACE_TEST_OUT:-$clone/build/test}
out=$logs/guest
tests_dir=tools/testing/selftests/ftrace
ours=$clone/kernel/files/$tests_dir/test.d
tally=
only_kernel=
minutes=
# What no test may make the kernel say; a long run's early ones are only on the console.
splats='WARNING: |BUG: |Oops|KASAN|UBSAN|suspicious RCU|blocked for more than|soft lockup'
# But this: the unpatched kernel's unwind data for the last instructions of return_to_handler() are
# wrong, and a backtrace that an NMI makes there tells so.
no_splats='stack going in the wrong direction. at return_to_handler'
wanted=()
passed=0
failed=0
skipped=0

usage()
{
	sed -n '/^# usage/,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

die()
{
	printf 'run.sh: %s\n' "$*" >&2
	exit 2
}

while (($#)); do
	case $1 in
	--tally | --kernel | --minutes)
		(($# > 1)) || die "$1 needs a value"
		[[ $1 != --minutes ]] || minutes=$2
		[[ $1 != --tally ]] || tally=$(realpath -m "$2")
		[[ $1 != --kernel ]] || only_kernel=$2
		shift
		;;
	-h | --help)
		usage
		exit 0
		;;
	-*) die "unknown option $1; see run.sh --help" ;;
	*) wanted+=("$1") ;;
	esac
	shift
done

is_wanted()
{
	local name

	((${#wanted[@]})) || return 0
	for name in "${wanted[@]}"; do
		[[ $1 != "$(basename "$name" .sh)" && $1 != "${name%%/*}" ]] || return 0
	done
	return 1
}

header()
{
	sed -n "s/^# $1: *//p" "$2" | head -n 1
}

# The stock runner and its helpers, with our tests beside them, as they are in a patched tree.
assemble_ftracetest()
{
	local source dir=$logs/ftrace

	source=$("$clone/kernel/build.sh" --print-source)
	rm -rf "$dir"
	mkdir -p "$dir/test.d"
	cp "$source/$tests_dir/ftracetest" "$dir/"
	cp "$source/$tests_dir/test.d/functions" "$dir/test.d/"
	cp -r "$ours"/. "$dir/test.d/"
	echo "$dir"
}

# Prints "KERNEL<tab>APPEND<tab>VM<tab>TEST" for everything that is to run.
list_tests()
{
	local test kernel dir name tc only last=

	if is_wanted ftracetest; then
		dir=$(assemble_ftracetest)
		for name in "$dir"/test.d/*/; do
			tc=$(basename "$name")
			# TEST may name a directory, or one of its files.
			only=$(printf '%s\n' ${wanted[@]+"${wanted[@]}"} | sed -n "s|^ftracetest/\($tc.*\)|\1|p")
			[[ -n $only ]] || ! printf '%s\n' ${wanted[@]+"${wanted[@]}"} | grep -q ^ftracetest/ || continue
			[[ -e $dir/test.d/${only:-$tc} ]] || die "$only: no such test in kernel/files/$tests_dir/test.d"
			printf 'patched\thytrace.test=%s\t\tftracetest:%s:%s\n' "$tc" "$dir/ftracetest" \
				"$dir/test.d/${only:-$tc}"
			# Once more where the boot is traced, behind what looks at the trace: the suite clears it.
			[[ $tc != early-ftrace ]] || last=$(printf 'patched\t%s\t%s\tftracetest:%s:%s' \
				"$(header append "$here/t-early.sh")" "$(header vm "$here/t-early.sh")" \
				"$dir/ftracetest" "$dir/test.d/${only:-$tc}")
		done
	fi
	for test in "$here"/t-*.sh; do
		if [[ ! -e $test ]] || ! is_wanted "$(basename "$test" .sh)"; then
			continue
		fi
		[[ -n $(header kernels "$test") ]] || die "$test has no line '# kernels: ...'"
		for kernel in $(header kernels "$test"); do
			printf '%s\t%s\t%s\t%s\n' "$kernel" "$(header append "$test")" \
				"$(header vm "$test")" "$test"
		done
	done
	[[ ! $last ]] || printf '%s\n' "$last"
}

report()
{
	printf '%-8s %s\n' "$1" "$2"
}

fail()
{
	failed=$((failed + 1))
	report 'NOT OK' "$1"
	shift
	(($# == 0)) || printf '           %s\n' "$@"
}

# The log of the test that ftracetest has numbered $2, its last lines.
show_log()
{
	local log

	for log in "$1/logs/$2-"*-log.*; do
		[[ ! -f $log ]] || tail -n 12 "$log" | cut -c1-160 | sed 's/^/           | /'
	done
}

# Counts one test's TAP.
judge()
{
	local dir=$1 name=$2 where=$3 line planned=0 results=0 bad=0 status=none
	local tap=$dir/$name.tap text

	if [[ ! -e $tap ]]; then
		fail "$where: $name did not run"
		return
	fi
	while read -r line; do
		# What is tested, without "not ok 7 - "
		text=$(sed -E 's/^(not )?ok [0-9]+ *-? *//' <<<"$line")
		case $line in
		1..*) planned=${line#1..} ;;
		'ok '*'# SKIP'* | 'ok '*'# XFAIL'*)
			results=$((results + 1))
			if [[ $name == ftracetest ]]; then
				bad=$((bad + 1))
				fail "$where: $text"
				show_log "$dir" "$(awk '{ print $2 }' <<<"$line")"
			else
				skipped=$((skipped + 1))
				report skip "$where: $text"
			fi
			;;
		'ok '*)
			results=$((results + 1))
			passed=$((passed + 1))
			report ok "$where: $text"
			;;
		'not ok '*)
			results=$((results + 1))
			bad=$((bad + 1))
			fail "$where: $text"
			[[ $name != ftracetest ]] || show_log "$dir" "$(awk '{ print $3 }' <<<"$line")"
			;;
		'#   '*) ((!bad)) || printf '           %s\n' "$line" ;;
		esac
	done <"$tap"
	[[ ! -e $dir/$name.status ]] || status=$(<"$dir/$name.status")
	if [[ $results -eq 0 || $results -ne $planned ]]; then
		fail "$where: $name has $results results of $planned, exit status $status" \
			"$(tail -n 5 "$dir/$name.err" 2>/dev/null)"
	elif [[ $status != 0 && $bad -eq 0 ]]; then
		fail "$where: $name: exit status $status" "$(tail -n 5 "$dir/$name.err" 2>/dev/null)"
	fi
}

# One guest: run_batch KERNEL APPEND VM TEST...
run_batch()
{
	local kernel=$1 append=$2 options name dir status=0 test where vm limit=2700 start=$SECONDS
	read -ra options <<<"$3"
	shift 3

	if [[ $kernel == patched && ( $only_kernel == debug || $only_kernel == */* ) ]]; then
		kernel=$only_kernel
	fi
	# Under TCG, a kernel that checks each access to memory takes ten times as long, and so does
	# waiting for those who are before one at a mutex. What waits for ever ends with the guest.
	if [[ $only_kernel == debug ]]; then
		limit=$((5400 + ${HYTRACE_STRESS:-0}))
		append+=' sysctl.kernel.hung_task_timeout_secs=1800'
	fi
	if [[ $minutes ]] && ((limit > 60 * minutes - SECONDS)); then
		limit=$((60 * minutes - SECONDS))
		((limit > 0)) || limit=1
	fi
	where=$(basename "$kernel")${append:+ ($append)}${options[*]:+ ${options[*]}}
	dir=$out/$(tr -cs '[:alnum:].=\n' '_' <<<"$where")
	# With --kernel, tests that are for different kernels may have one and the same.
	until mkdir "$dir" 2>/dev/null; do
		[[ -e $dir ]] || die "$dir cannot be made"
		dir+=+
	done
	"$clone/kernel/vm.sh" --kernel "$kernel" --append "$append" --mem 2G --timeout "$limit" \
		"${options[@]}" --console "$dir/console" --share "$logs" -- \
		env HYTRACE_SPLATS="$splats" HYTRACE_NO_SPLATS="$no_splats" HYTRACE_LIMIT="$((limit / 2))" HYTRACE_STRESS="${HYTRACE_STRESS:-}" \
		HYTRACE_BPFTOOL="$("$clone/kernel/tools.sh" --print)/bpftool" \
		HYTRACE_KERNEL="$kernel" HYTRACE_VMLINUX="$(vmlinux_of "$kernel")" \
		"$here/inside.sh" "$dir" "$@" 2>"$dir/vm.err" >"$dir/vm.out" &
	# In the background only for a signal to be heard meanwhile.
	vm=$!
	trap 'kill "$vm" 2>/dev/null; exit 143' TERM
	wait "$vm" || status=$?
	report guest "$where: $((SECONDS - start)) s"
	for test; do
		name=ftracetest
		[[ $test == ftracetest:* ]] || name=$(basename "$test" .sh)
		judge "$dir" "$name" "$where"
	done
	if [[ $status -ne 0 ]]; then
		fail "$where: the guest ended with status $status" "see $dir/vm.err and $dir/console"
		tail -n 15 "$dir/vm.err" | cut -c1-160 | sed 's/^/           | /'
	elif [[ -s $dir/splats ]]; then
		fail "$where: the kernel complained, see $dir/dmesg" "$(head -n 3 "$dir/splats")"
	elif grep -v "$no_splats" "$dir/console" | grep -E "$splats" >"$dir/splats"; then
		fail "$where: the kernel complained, see $dir/console" "$(head -n 3 "$dir/splats")"
	fi
}

# A batch on its own: what it has to say, then a line of counts for add_up.
batch()
{
	passed=0 failed=0 skipped=0
	run_batch "$@"
	echo "counts $passed $failed $skipped"
}

# A batch that died before it could count is a failure.
add_up()
{
	local p f s

	if [[ $(tail -n 1 "$1") == 'counts '* ]]; then
		read -r _ p f s < <(tail -n 1 "$1")
		sed '$d' "$1"
	else
		cat "$1"
		report 'NOT OK' "the runner's batch died: $1"
		p=0 f=1 s=0
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

vmlinux_of()
{
	case $1 in
	patched) "$clone/kernel/build.sh" --print-vmlinux ;;
	debug | selftest) "$clone/kernel/build.sh" "--$1" --print-vmlinux ;;
	*/*) [[ ! -e $1/vmlinux ]] || echo "$1/vmlinux" ;;
	esac
}

# Without --kernel all but the debug kernel, which takes its time to build and to run.
runs_now()
{
	case $only_kernel in
	'') [[ $1 != debug ]] ;;
	debug) [[ $1 == patched || $1 == debug ]] ;;
	*/*) [[ $1 == patched ]] ;;
	*) [[ $1 == "$only_kernel" ]] ;;
	esac
}

main()
{
	local list key keys kernel append options tests report n batches=0 guests=2

	(($(nproc) > 1)) || guests=1
	trap 'jobs -rp | xargs -r kill; wait; exit 130' INT TERM

	mkdir -p "$logs"
	exec 9>"$logs/guest.lock"
	flock -n 9 || die "another run writes to $logs; HYTRACE_TEST_OUT= names another place"
	rm -rf "$out"
	mkdir -p "$out"
	list=$(list_tests)
	[[ -n $list ]] || die "no such test: ${wanted[*]}"
	mapfile -t keys < <(cut -f1-3 <<<"$list" | sort -u)
	for key in "${keys[@]}"; do
		kernel=$(cut -f1 <<<"$key") append=$(cut -f2 <<<"$key") options=$(cut -f3 <<<"$key")
		runs_now "$kernel" || continue
		mapfile -t tests < <(awk -F '\t' -v key="$key" \
			'$1 FS $2 FS $3 == key { print $4 }' <<<"$list")
		while (($(jobs -rp | wc -l) >= guests)); do
			wait -n || true
		done
		report=$out/batch.$((batches++))
		batch "$kernel" "$append" "$options" "${tests[@]}" >"$report" 2>&1 &
	done
	wait || true
	for ((n = 0; n < batches; n++)); do
		add_up "$out/batch.$n"
	done
	[[ -z $tally ]] || echo "$passed $failed $skipped" >>"$tally"
	[[ -n $tally ]] || echo "$passed passed, $failed failed, $skipped skipped"
	((!failed && passed))
}

main
