#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# linux: 6.12
# append: sysctl.kernel.ftrace_enabled=0
#
# A kernel that was booted with ftrace turned off, and one whose ftrace is turned off later: the kernel attaches to
# functions all the same, and no function calls a tracer. hytrace refuses to trace, as each result would be empty.

. "$(dirname "$(realpath "$0")")/loader.sh"

nothing_left()
{
	! ls -d $tracing/instances/hytrace-* ./*.tmp x.json 2>/dev/null
}

# refuses_all: each engine, and hytrace event record, with a clear message and without a result
refuses_all()
{
	local engine

	for engine in auto oneshot bpf event both; do
		ok "$1: cover --engine $engine" says 'ftrace is turned off (kernel.ftrace_enabled is 0)' 3 \
			cover -e $engine -a vfs_read -o x.json --duration 1
	done
	ok "$1: cover with a command: 125" says 'sysctl kernel.ftrace_enabled=1' 125 cover -a vfs_read -o x.json -- touch ran
	ok "$1: the command does not run" test ! -e ran
	ok "$1: event record" says 'ftrace is turned off' 3 event record 'vfs_read()' --duration 1
	is "$1: features names the reason" \
		"$("$hytrace" features -f json cover-oneshot cover-bpf cover-event event | jq -c '[.features[] | [.here, .needs]] | unique')" \
		'[["no","ftrace"]]'
}

is 'the kernel was booted with ftrace off' "$(</proc/sys/kernel/ftrace_enabled)" 0
refuses_all booted
sysctl -q kernel.ftrace_enabled=1
for engine in oneshot bpf event; do
	ok "turned on: $engine records" status 0 cover -e $engine -a vfs_read -o $engine.json -- cat /etc/passwd
	ok "turned on: $engine has a complete result" jq -e '.complete and .lost.ftrace_off == 0 and (.functions | length) == 1' $engine.json
done
sysctl -q kernel.ftrace_enabled=0
refuses_all later

# Meanwhile: what was recorded by then is the result, and it is not complete.
sysctl -q kernel.ftrace_enabled=1
for engine in oneshot bpf; do
	status 125 cover -e $engine -a vfs_read -a vfs_mkdir --strict -o off.json -- \
		sh -c 'cat /etc/passwd; echo 0 >/proc/sys/kernel/ftrace_enabled; mkdir dir'
	is "turned off while $engine records: it is counted as a loss" \
		"$(jq -c '[.complete, .lost.ftrace_off, ([.functions[].name] | sort)]' off.json)" '[false,1,["vfs_read"]]'
	ok "turned off while $engine records: a message says so" grep -q 'lost: ftrace_off' err
	sysctl -q kernel.ftrace_enabled=1
	rm -rf dir off.json
done

tap_end
