#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs tests in a guest and prints their results as one stream of TAP. A test is a t-*.sh of this folder, or
# some of our tests for the kernel's own ftracetest, run by its own runner. All tests of a call share a boot. The
# first test's head says how to boot:
#
#	# kernels: patched stock	the kernels it runs on, as for vm.sh --kernel
#	# linux: 6.12			the only LINUX= whose series has what it tests
#	# append: ARGS			on the kernel command line
#	# vm: OPTIONS			of vm.sh
#	# then: TEST			a test that runs after it
#
# Steps that need no kernel are quicker on the host. If there is a t-NAME.host.sh, it runs after t-NAME.sh, in
# the directory ($HYTRACE_FILES) with the files that t-NAME.sh has left.
#
# A test fails if it says so, if it has fewer results than planned, if its script dies, or if the guest dies.
# Our own tests for ftracetest also fail if its runner skips them because a feature is missing, except on other machines
# than x86-64 (patched-i386, patched-arm64), which do not have all. tests/run.pl knows all tests, runs them, and counts.
#
# usage: run.sh [--kernel K] [--out DIR] TEST...
#	TEST: t-NAME, ftracetest/DIR or ftracetest/DIR/NAME.tc
#	--kernel K	patched by default
#	--out DIR	for logs, build/test/TEST by default

set -euo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
clone=$(dirname "$(dirname "$here")")
suite=tools/testing/selftests/ftrace
ours=$clone/kernel/files/$suite/test.d
kernel=patched
out=
results=0
failed=0
. "$here/splats.sh"
. "$here/qemu-work.sh"
. "$clone/kernel/known.sh"

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
	--kernel | --out)
		(($# > 1)) || die "$1 needs a value"
		[[ $1 != --kernel ]] || kernel=$2
		[[ $1 != --out ]] || out=$(realpath -m "$2")
		shift
		;;
	-h | --help)
		usage
		exit 0
		;;
	-*) die "unknown option $1; see run.sh --help" ;;
	*) break ;;
	esac
	shift
done
(($#)) || die 'which test? see run.sh --help'
[[ $out ]] || out=$clone/build/test/$1

# header NAME TEST: prints the value of NAME in the test's head
header()
{
	[[ $2 == ftracetest/* ]] || sed -n "s/^# $1: *//p" "$here/$2.sh" | head -n 1
}

result()
{
	results=$((results + 1))
	[[ $1 == ok ]] || failed=$((failed + 1))
	printf '%s %d - %s\n' "$1" "$results" "$2"
	shift 2
	(($# == 0)) || printf '%s\n' "$@" | cut -c1-160 | sed 's/^/#   /'
}

# show_log N: prints the last lines of the log of ftracetest's test number N.
show_log()
{
	local log

	for log in "$out/logs/$1-"*-log.*; do
		[[ ! -f $log ]] || tail -n 12 "$log" | cut -c1-160 | sed 's/^/#   | /'
	done
}

# judge NAME: prints the results of one test, and a failure if its TAP is not complete.
judge()
{
	local name=$1 line text number planned=0 count=0 bad=0 status=none tap=$out/$1.tap

	if [[ ! -e $tap ]]; then
		result 'not ok' "$name did not run"
		return
	fi
	while read -r line; do
		# The title without "not ok 7 - ", and the number 7
		[[ $line =~ ^(not )?ok\ ([0-9]+)\ *-?\ *(.*) ]] && number=${BASH_REMATCH[2]} text=${BASH_REMATCH[3]}
		case $line in
		1..*) planned=${line#1..} ;;
		'ok '*'# SKIP'* | 'ok '*'# XFAIL'*)
			count=$((count + 1))
			if [[ $name == ftracetest && ! $kernel =~ ^patched-(i386|arm64) ]]; then
				bad=$((bad + 1))
				result 'not ok' "${text//\#/}"
				show_log "$number"
			else
				result ok "$text"
			fi
			;;
		'ok '*)
			count=$((count + 1))
			result ok "$text"
			;;
		'not ok '*)
			count=$((count + 1))
			bad=$((bad + 1))
			result 'not ok' "${text//\#/}"
			[[ $name != ftracetest ]] || show_log "$number"
			;;
		'#   '*) ((!bad)) || printf '%s\n' "$line" ;;
		esac
	done <"$tap"
	[[ ! -e $out/$name.status ]] || status=$(<"$out/$name.status")
	if [[ $count -eq 0 || $count -ne $planned ]]; then
		result 'not ok' "$name has $count of $planned results, exit status $status" \
			"$(tail -n 15 "$out/$name.err" 2>/dev/null)"
	elif [[ $status != 0 && $bad -eq 0 ]]; then
		result 'not ok' "$name: exit status $status" "$(tail -n 15 "$out/$name.err" 2>/dev/null)"
	fi
}

# Makes a copy of the patched tree's runner and its helpers with our tests alone.
assemble_ftracetest()
{
	local source

	source=$("$clone/kernel/build.sh" --print-tree)
	mkdir -p "$out/suite/test.d"
	cp "$source/$suite/ftracetest" "$out/suite/"
	cp "$source/$suite/test.d/functions" "$out/suite/test.d/"
	cp -r "$ours"/. "$out/suite/test.d/"
}

vmlinux_of()
{
	local dir

	case $1 in
	patched)
		if dir=$(known "${LINUX:-6.12}"); then
			echo "$dir/vmlinux"
		else
			"$clone/kernel/build.sh" --print-vmlinux
		fi
		;;
	debug | kcsan | selftest)
		if dir=$(known "${LINUX:-6.12} --$1"); then
			echo "$dir/vmlinux"
		else
			"$clone/kernel/build.sh" "--$1" --print-vmlinux
		fi
		;;
	patched-i386 | patched-arm64)
		if dir=$(known "${LINUX:-6.12} --arch=${1#patched-}"); then
			echo "$dir/vmlinux"
		else
			"$clone/kernel/build.sh" "--arch=${1#patched-}" --print-vmlinux
		fi
		;;
	*/*) [[ ! -e $1/vmlinux ]] || echo "$1/vmlinux" ;;
	esac
}

# Runs the host's half of a test.
run_host()
{
	local name=$1.host status=0

	(cd "$out/files" && "$here/$name.sh") >"$out/$name.tap" 2>"$out/$name.err" </dev/null || status=$?
	echo $status >"$out/$name.status"
	judge "$name"
}

# limit_work VM: ends the guest of that vm.sh when it has worked for $limit seconds; before that, has inside.sh end its test.
# Processor time of QEMU is work, and so is all time in which QEMU has nothing to do, as a guest that hangs may be idle. What
# it waits for a processor does not count, except in a run that has to end at a certain time.
limit_work()
{
	local vm=$1 second work=0 ticks=0 before runs qemu=''

	second=$(getconf CLK_TCK)
	while sleep 5; do
		before=$ticks
		work_of "$vm" || continue
		((runs)) && [[ ! ${HYTRACE_TEST_UNTIL:-} ]] || before=$((ticks - 5 * second))
		work=$((work + ticks - before))
		((work < limit * second * 9 / 10)) || : >"$out/over"
		((work < limit * second)) || break
	done
	echo "run.sh: the guest was ended after $limit s of work" >>"$out/vm.err"
	kill "$vm"
}

# Runs the commands in a guest. The variables are those of main().
run_guest()
{
	local vm watcher status=0

	"$clone/kernel/vm.sh" --kernel "$kernel" --append "$append" --mem 2G --timeout "$longest" \
		"${options[@]}" --console "$out/console" --share "$out" -- \
		env HYTRACE_LIMIT=60 HYTRACE_OVER="$out/over" \
		HYTRACE_STRESS="${HYTRACE_STRESS:-}" \
		HYTRACE_BPFTOOL="$bpftool" \
		HYTRACE_KERNEL="$kernel" HYTRACE_VMLINUX="$HYTRACE_VMLINUX" HYTRACE_FILES="$out/files" \
		"$here/inside.sh" "$out" "${commands[@]}" 2>"$out/vm.err" >"$out/vm.out" &
	vm=$!
	limit_work $vm >/dev/null 2>&1 &
	watcher=$!
	# The guest runs in the background so that this shell handles signals at once.
	# shellcheck disable=SC2064 # this guest
	trap "kill $vm $watcher; exit 143" TERM INT
	wait $vm || status=$?
	kill $watcher 2>/dev/null || true
	wait $watcher 2>/dev/null || true
	return $status
}

# impossible_flags CONSOLE: prints the flags of a double fault if no processor has these: bits 22 to 31 are always 0, and no
# instruction sets them. Two of some 150 guests died like that under QEMU 7.2, on busy machines and in functions that have
# nothing in common with the series. The cause is not known, but such a crash says nothing of the test. So the guest runs once
# more, and this is shown; if it is the kernel, it happens again.
impossible_flags()
{
	local flags

	grep -aq 'Oops: double fault' "$1" || return
	flags=$(LC_ALL=C sed -nE 's/.*EFLAGS: ([0-9a-f]{8})( .*|$)/\1/p' "$1" | head -n 1)
	[[ $flags ]] && ((16#$flags >> 22)) && echo "$flags"
}

main()
{
	local append options behind suites='' names=() commands=() limit=1800 longest left status=0 test flags bpftool

	append=$(header append "$1")
	read -ra options <<<"$(header vm "$1")"
	behind=$(header 'then' "$1")
	# Only the files of an earlier run are removed.
	[[ ! -e $out || -e $out/console || -z $(ls "$out") ]] || die "$out: it has files that are not of an earlier run"
	rm -rf "$out"
	mkdir -p "$out/files"
	: >"$out/console"
	# shellcheck disable=SC2086 # names of tests
	for test in "$@" $behind; do
		case $test in
		ftracetest/*)
			[[ -e $ours/${test#*/} ]] || die "$test: no such test in kernel/files/$suite/test.d"
			[[ -d $out/suite ]] || assemble_ftracetest
			suites+=:$out/suite/test.d/${test#*/}
			;;
		*)
			[[ -e $here/$test.sh ]] || die "$test: no such test in tests/guest"
			commands+=("$here/$test.sh")
			names+=("$test")
			;;
		esac
	done
	if [[ $suites ]]; then
		commands+=("ftracetest:$out/suite/ftracetest$suites")
		names+=(ftracetest)
	fi
	bpftool=$(known tools || "$clone/kernel/tools.sh")/bpftool
	HYTRACE_VMLINUX=$(vmlinux_of "$kernel")
	export HYTRACE_VMLINUX
	# When the host is busy with something else, the guest sees a lockup. So it waits longer.
	append+=' sysctl.kernel.watchdog_thresh=30 rcupdate.rcu_cpu_stall_timeout=60'
	# Under TCG, a kernel that checks each memory access takes ten times as long, and tasks wait as much longer
	# for mutexes. If a task hangs for ever, the guest's time limit ends it.
	if [[ $kernel == debug || $kernel == kcsan ]]; then
		limit=$((5400 + ${HYTRACE_STRESS:-0}))
		append+=' sysctl.kernel.hung_task_timeout_secs=1800'
		# The tracers' start-up tests take a quarter of an hour. A tracer on the command line disables them.
		[[ $append == *ftrace=* ]] || append+=' ftrace=nop'
	fi
	longest=$((limit * 10))
	if [[ ${HYTRACE_TEST_UNTIL:-} ]]; then
		left=$((HYTRACE_TEST_UNTIL - EPOCHSECONDS))
		limit=$((left < 1 ? 1 : left < limit ? left : limit)) longest=$limit
	fi
	run_guest || status=$?
	if [[ $status -ne 0 ]] && flags=$(impossible_flags "$out/console"); then
		result ok "this guest a first time # SKIP it died of flags that no processor has (EFLAGS $flags), and ran again"
		mv "$out/console" "$out/console.first"
		rm -rf "$out"/{*.tap,*.err,*.status,logs,dmesg,splats,over} "$out"/files/*
		: >"$out/console"
		status=0
		run_guest || status=$?
	fi
	for test in "${names[@]}"; do
		judge "$test"
		[[ ! -e $here/$test.host.sh ]] || run_host "$test"
	done
	if [[ $status -ne 0 ]]; then
		result 'not ok' "the guest ended with status $status, see $out/{vm.err,console}" \
			"$(splats_in "$out/console" | head -n 5)" "$(tail -n 30 "$out/vm.err")"
	elif [[ -s $out/splats ]]; then
		result 'not ok' "the kernel complained, see $out/dmesg" "$(head -n 3 "$out/splats")"
	# In a long run, the log no longer has the first messages; the console has.
	elif splats_in "$out/console" >"$out/splats"; then
		result 'not ok' "the kernel complained, see $out/console" "$(head -n 3 "$out/splats")"
	fi
	echo "1..$results"
	((!failed && results))
}

main "$@"
