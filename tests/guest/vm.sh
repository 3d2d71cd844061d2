#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests kernel/vm.sh itself, from the host. All other guest tests rely on it: a guest's answer is the command's
# answer, and a guest that dies has no answer. A boot takes seconds, so tests share one where they can.
#
# Usage: tests/guest/vm.sh [KERNEL]   as for vm.sh --kernel (default patched)

kernel=${1:-patched}
. "$(dirname "$(realpath "$0")")/tap.sh"
scratch="$tap_scratch/vm test"
mkdir "$scratch"
# vm.sh keeps the files of a run here. The path distinguishes its QEMUs from all others.
export TMPDIR=$scratch/run
mkdir "$TMPDIR"

# Within so many seconds, a guest has done what it is asked to do here, however busy the machine is.
patience=300

vm()
{
	"$clone/kernel/vm.sh" --kernel "$kernel" "$@"
}

# late FILE TEXT OPTION...: lets a guest run into its timeout, but only after FILE has TEXT: until it has, each guest gets
# more time than the last one. Returns the last status.
late()
{
	local file=$1 text=$2 seconds status
	shift 2

	for seconds in 30 120 $patience; do
		status=0
		vm --timeout "$seconds" "$@" 2>/dev/null || status=$?
		! grep -q "$text" "$file" || break
	done
	return $status
}

our_qemus()
{
	local cmdline count=0
	for cmdline in /proc/[0-9]*/cmdline; do
		[[ $(tr '\0' ' ' 2>/dev/null <"$cmdline") != *qemu-system*"$TMPDIR"* ]] || count=$((count + 1))
	done
	echo "$count"
}

test_command()
{
	local dir="$scratch/it's a \"dir\", too"
	local awkward=('a b' "it's" '"q"' "\$HOME" '' $'two\nlines' '*' $'\\')
	mkdir -p "$dir/share" "$dir/second" "$dir/cwd"
	echo kept >"$dir/cwd/file"
	head -c 3000000 /dev/urandom >"$dir/cwd/data"
	cat >"$dir/cwd/inside" <<-'END'
	set -e
	exec 3>"$1/results"
	printf '<%s>' "${@:2}" >&3
	echo >&3
	pwd >&3
	cat file >&3
	echo changed >file
	echo root >/etc/vm-test && cat /etc/vm-test >&3
	echo kept >"${1%/*}/second/file"
	id -u >&3
	wc -c </dev/stdin >&3
	test -x "$CLONE/kernel/vm.sh" && echo clone >&3
	ls "$HYTRACE_CACHE" >/dev/null && echo cache >&3
	modprobe dummy && ls /sys/module/dummy/refcnt >/dev/null && echo module >&3
	bpftool prog list >/dev/null && echo bpftool >&3
	grep -qw function /sys/kernel/tracing/available_tracers && echo tracefs >&3
	cat data
	echo warning >/dev/stderr
	# A process that is left behind must not keep the guest from ending.
	setsid sleep 1000 &
	exit 7
	END
	# The reader waits before it reads on.
	(cd "$dir/cwd" && vm --share "$dir/share" --share "$dir/second" -- env CLONE="$clone" bash inside "$dir/share" \
		"${awkward[@]}" 2>"$dir/err") | (head -c 1; sleep 2; cat) >"$dir/out"
	is "the status is the command's" "${PIPESTATUS[0]}" 7
	is 'a slow reader loses nothing' "$(wc -c <"$dir/out")" 3000000
	is 'stdout has all of the output, and only that' "$(cmp "$dir/out" "$dir/cwd/data" 2>&1)" ''
	is "stderr is the command's alone" "$(<"$dir/err")" warning
	is 'the command saw its arguments, files and devices' "$(cat "$dir/share/results")" "$(
		printf '<%s>' "${awkward[@]}"
		printf '\n%s' "$dir/cwd" kept root 0 0 clone cache module bpftool tracefs)"
	is 'a second directory was shared' "$(cat "$dir/second/file")" kept
	is 'the current directory was not changed' "$(<"$dir/cwd/file")" kept
	ok 'nothing was written to the root' [ ! -e /etc/vm-test ]
}

test_closed()
{
	vm --timeout $patience -- yes | head -n 1 >"$scratch/closed"
	is 'a reader that goes away ends the guest' "${PIPESTATUS[0]} $(<"$scratch/closed")" '141 y'
}

test_panic()
{
	vm -- bash -c 'echo before; echo c >/proc/sysrq-trigger; exit 0' \
		>"$scratch/out" 2>"$scratch/err"
	is 'a panic is 125' $? 125
	is 'output before a panic arrives' "$(<"$scratch/out")" before
	is 'the console is shown' "$(grep -c 'Kernel panic - not syncing: sysrq' "$scratch/err")" 1
}

# In /tmp, systemd would remove what is left from another boot.
test_systemd()
{
	local dir=$scratch/systemd

	mkdir -p "$dir/units" "$dir/share"
	echo kept >"$dir/share/file"
	# What this machine may have, and takes long.
	ln -s /dev/null "$dir/units/postgresql.service"
	printf '%s\n' '[Service]' 'Type=oneshot' 'RemainAfterExit=yes' 'ExecStart=sleep 1' >"$dir/units/extra.service"
	cat >"$dir/share/inside" <<-'END'
	cat /proc/1/comm
	systemd-detect-virt --container
	systemd-analyze time | grep -oE '(\(kernel\)|\(userspace\))'
	systemctl is-active default.target extra.service
	systemctl list-jobs --no-legend --plain
	systemctl show -P After default.target | grep -ow extra.service
	cat "$1/file"
	echo warning >&2
	setsid sleep 1000 &
	exit 7
	END
	vm --init systemd --units "$dir/units" --share "$dir/share" -- bash "$dir/share/inside" "$dir/share" \
		>"$dir/out" 2>"$dir/err"
	is "with systemd, the status is the command's" $? 7
	is 'the boot is complete, and the guest is no container' "$(xargs <"$dir/out")" \
		'systemd none (kernel) (userspace) active active extra.service kept'
	is "with systemd, stderr is the command's alone" "$(<"$dir/err")" warning
	is 'a share in /tmp is as it was' "$(cat "$dir/share/file")" kept
	# This needs no more of the system than the command's own service.
	vm --init systemd --append 'systemd.unit=basic.target systemd.wants=hytrace-command.service' -- \
		bash -c 'echo before; echo c >/proc/sysrq-trigger; exit 0' >"$dir/out" 2>/dev/null
	is 'with systemd, a panic is 125' "$? $(<"$dir/out")" '125 before'
	vm --init openrc -- true 2>"$dir/err"
	is 'another init is refused' "$? $(grep -c 'there is only systemd' "$dir/err")" '125 1'
	vm --units "$dir/units" -- true 2>"$dir/err"
	is '--units needs systemd' "$? $(grep -c 'only --init systemd' "$dir/err")" '125 1'
}

# root_refused MESSAGE OPTION...
root_refused()
{
	"$clone/kernel/vm.sh" --root "$scratch/system" "${@:2}" -- true 2>"$scratch/err"
	is "--root: $1" "$? $(grep -c -- "$1" "$scratch/err")" '125 1'
}

test_never_ran()
{
	vm --append rdinit=/nowhere --timeout $patience -- true >"$scratch/out" 2>"$scratch/err"
	is 'a guest that does not boot is no pass' "$?" 125
	"$clone/kernel/vm.sh" --kernel /nowhere -- true 2>/dev/null
	is 'no such kernel is 125' $? 125
	vm --no-such-option -- true 2>/dev/null
	is 'a wrong option is 125' $? 125
	mkdir -p "$scratch/system/boot"
	root_refused 'no kernel is installed'
	touch "$scratch/system/boot/vmlinuz-1"
	root_refused 'initramfs-tools makes it'
	root_refused 'remove --share' --share "$scratch"
	root_refused 'remove --init' --init systemd
	vm --qemu --no-such-option -- true 2>"$scratch/err"
	is "QEMU's failure is 125" $? 125
	is "QEMU's failure is shown" "$(grep -c 'no-such-option' "$scratch/err")" 1
}

# These two only sleep, so tests that need no guest run meanwhile.
test_timeout()
{
	local asleep nowhere console=$scratch/nowhere

	# shellcheck disable=SC2094 # it reads the file after the guest has written it
	late "$scratch/asleep" before -- bash -c 'echo before; sleep 1000' >"$scratch/asleep" &
	asleep=$!
	late "$console" '[^=]nowhere\.target' --init systemd --console "$console" --append systemd.unit=nowhere.target -- \
		true >/dev/null &
	nowhere=$!
	"$@"
	wait $asleep
	is 'a timeout is 124' $? 124
	is 'output before a timeout arrives' "$(<"$scratch/asleep")" before
	wait $nowhere
	is 'a boot that does not reach its target is no pass' $? 124
	ok 'its console names the target' grep -q '[^=]nowhere\.target' "$console"
}

# Waits until the guest has said that it is up.
wait_for_guest()
{
	local n

	for ((n = 0; n < patience * 10; n++)); do
		[[ ! -s $scratch/out ]] || return 0
		sleep 0.1
	done
	return 1
}

# Sends $1 to vm.sh when the guest is up.
test_signal()
{
	local pid status left n
	: >"$scratch/out"
	# The shell starts background processes with SIGINT ignored.
	env --default-signal=INT "$clone/kernel/vm.sh" --kernel "$kernel" -- \
		sh -c 'echo up; sleep 1000' >"$scratch/out" 2>/dev/null &
	pid=$!
	wait_for_guest
	is "before $1 one QEMU runs" "$(our_qemus)" 1
	kill -s "$1" "$pid"
	wait "$pid" 2>/dev/null
	status=$?
	for ((n = 0; n < patience * 10; n++)); do
		left=$(our_qemus)
		((left)) || break
		sleep 0.1
	done
	is "after $1 no QEMU is left" "$status $left" "$2 0"
}

# QEMU has errors of its own, of which it aborts.
test_abort()
{
	local pid status=0
	: >"$scratch/out"
	# Where core files are written, this one would have the guest's memory.
	(ulimit -c 0; vm -- sh -c 'echo up; sleep 1000') >"$scratch/out" 2>"$scratch/err" &
	pid=$!
	ok 'the guest is up' wait_for_guest
	SECONDS=0
	ok 'its QEMU runs' pkill -ABRT -f "^qemu-system.*$TMPDIR/hytrace-vm\."
	wait "$pid" 2>/dev/null || status=$?
	is 'a QEMU that aborts is 125' "$status" 125
	ok 'this is seen at once, and not when the time is over' [ "$SECONDS" -lt $patience ]
	is 'and said' "$(grep -c 'the guest died while the command ran' "$scratch/err")" 1
}

# A stand-in for QEMU. It stops vm.sh, closes its outputs and dies of a signal. When vm.sh goes on, all these have ended.
# Which end bash tells it of first depends on their ids, so several of them run at once.
test_ended_together()
{
	local n pids=() statuses=()
	cat >"$scratch/some-qemu" <<'EOF'
#!/bin/bash
[[ "$*" != *-version* ]] || { echo 'QEMU emulator version 7.2.22'; exit; }
ulimit -c 0
run=$(grep -o '/[^ ,]*/hytrace-vm\.[A-Za-z0-9]*' <<<"$*" | head -n 1)
exec 3>"$run/ctl.out" 4>"$run/out.out" 5>"$run/err.out"
sleep 1
kill -STOP $PPID
(exec 3>&- 4>&- 5>&-; sleep 1; kill -CONT $PPID) &
exec 3>&- 4>&- 5>&-
kill -ABRT $$
EOF
	chmod 755 "$scratch/some-qemu"
	for n in {1..5}; do
		HYTRACE_QEMU=$scratch/some-qemu vm --timeout $patience -- true >/dev/null 2>&1 &
		pids+=($!)
	done
	for n in "${pids[@]}"; do
		wait "$n"
		statuses+=($?)
	done
	is 'a QEMU that ends together with its outputs is 125' "${statuses[*]}" '125 125 125 125 125'
}

test_dry_run()
{
	local line
	line=$(vm --dry-run --icount --append 'one two' --qemu '-name x' -- true)
	is 'a dry run prints the command' \
		"$(grep -c '^qemu-system-x86_64 .*one\\ two.*shift=0.*-name\\ x' <<<"$line")" 1
	is 'a dry run leaves nothing' "$(ls "$TMPDIR")" ''
}

# threads_of VERSION [OPTION]...: prints the thread option with which a QEMU of that version is started.
threads_of()
{
	local version=$1
	shift

	printf '#!/bin/sh\necho "QEMU emulator version %s"\n' "$version" >"$scratch/some-qemu"
	chmod 755 "$scratch/some-qemu"
	HYTRACE_QEMU=$scratch/some-qemu vm --dry-run "$@" -- true 2>&1 | grep -oE 'thread=[a-z]+ -cpu|needs QEMU 8.1'
}

without_guest()
{
	test_ended_together
	test_threads
}

test_threads()
{
	is 'CPUs share a thread before QEMU 8.1' "$(threads_of '7.2.22 (Debian)' --accel tcg)" 'thread=single -cpu'
	is 'CPUs have a thread each from QEMU 8.1 on' "$(threads_of 8.1.0 --accel tcg)" 'thread=multi -cpu'
	is 'CPUs have a thread each in QEMU 10.0' "$(threads_of '10.0.2 (Debian)' --accel tcg)" 'thread=multi -cpu'
	is 'CPUs share a thread if --accel says so' "$(threads_of 10.0.2 --accel tcg,thread=single)" 'thread=single -cpu'
	is 'CPUs share a thread with --icount' "$(threads_of 10.0.2 --icount)" 'thread=single -cpu'
	is 'thread=multi is refused for an old QEMU' "$(threads_of 7.2.22 --accel tcg,thread=multi)" 'needs QEMU 8.1'
	is 'a QEMU that is not there is named' \
		"$(HYTRACE_QEMU=/none vm --dry-run -- true 2>&1)" 'vm.sh: HYTRACE_QEMU=/none: no such program'
}

test_command
test_closed
test_panic
test_never_ran
test_systemd
test_signal INT 130
test_signal KILL 137
test_abort
test_timeout without_guest
rm -rf "$TMPDIR"/hytrace-vm.*
test_dry_run
tap_end
