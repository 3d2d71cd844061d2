# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For tests of commands that read documents: an empty directory to work in, and functions that make
# documents of a small kernel. Sources tap.sh.
# shellcheck disable=SC2016 # jq has variables of its own

# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tap.sh"
. "$clone/tests/guest/schema-lib.sh"
cd "$tap_scratch" || exit 1
# What is kept of a kernel is kept here.
export XDG_CACHE_HOME=$tap_scratch/cache
mkdir "$XDG_CACHE_HOME"

# status COMMAND...: prints the exit status of hytrace; the output is in the file out, and messages are in err
status()
{
	"$hytrace" "$@" >out 2>err
	echo $?
}

# says TEXT COMMAND...: fails with 2, and this message
says()
{
	local text=$1
	shift

	[[ $(status "$@") == 2 ]] && grep -qFe "$text" err
}

# universe NAME BUILD-ID <LINES: the functions of a kernel, a line for each: "ADDR NAME MODULE UNIT [UNTRACED]",
# - for none. An address of a module is an offset.
universe()
{
	jq -Rn --arg build "$2" '{hytrace: "0", document: "functions", schema: 2, selection: "all",
		kernel: {release: "6.12.0-test", arch: "x86_64", build_id: $build, addresses: "linked",
			modules: [{name: "dummy", build_id: "d0", srcversion: null, size: null, came: false, went: false}]},
		totals: {functions: 0, traceable: 0, init: 0},
		functions: [inputs | select(. != "") | split(" ") | map(if . == "-" then null else . end) |
			{name: .[1], module: .[2], unit: .[3], file: .[3], line: 7, sympos: 1, untraced: .[4],
			init: (.[1] | startswith("init_"))} + (.[0] as $addr | if .[2] then
			{addr: null, offset: ($addr | tonumber)} else {addr: $addr, offset: null} end)]}' >"$1"
}

# document NAME BUILD-ID FUNCTION... [-- JQ-FILTER]: that has seen these, and one caller
document()
{
	local name=$1 build=$2 functions=() filter=.
	shift 2

	while (($#)) && [[ $1 != -- ]]; do
		functions+=("$1")
		shift
	done
	(($#)) && filter=$2
	jq -n --arg build "$build" --slurpfile u "$build.universe" '($u[0].functions | map({key: .name, value: .}) |
			from_entries) as $known |
		{hytrace: "0", document: "coverage", schema: 2, engine: "oneshot",
		kernel: {release: "6.12.0-test", version: null, arch: "x86_64", build_id: $build, config: null,
			cmdline: null, addresses: "linked", calls: null},
		host: "here", boot_id: "b1", command: ["make", "test"],
		filters: {allow: [], deny: [], denied_by_hytrace: [], scope: "system", pid: null, cgroup: null,
			comm: null, callers: true},
		options: {retire: false, retire_ms: null, max_entries: null, duration: null, pin: false},
		started: "2026-01-02T03:04:05.000006Z", seconds: 1.5, ended: "command", status: 0, merged: null,
		window: {clock: "local", opening_ns: 1, open_ns: 2, closing_ns: 9000, closed_ns: 9001, error_ns: 0},
		totals: {entries: 0, functions: 0, callers: 1, traceable: 8, traced: 8, traced_seen: 0},
		complete: true, lost: {}, losses: [], cost: {},
		modules: [{name: "dummy", build_id: "d0", srcversion: null, size: null, came: false, went: false}],
		follows_modules: true, unattached: null,
		functions: [$ARGS.positional | to_entries[] | .key as $at | $known[.value] |
			{addr, name, "module": .module, offset, sympos,
				first_ns: (100 + $at), cpu: 0, pid: 1, tgid: null, comm: null, caller: null}],
		callers: [{addr: "0xffffffff81000105", name: "vfs_read", module: null, offset: null, symbol_offset: 5,
			first_ns: 99, cpu: 0, pid: 1, tgid: null, comm: null, entered: null}]} |
		.totals.functions = (.functions | length) | .totals.traced_seen = .totals.functions |
		.totals.entries = .totals.functions + 1' --args "${functions[@]}" | jq "$filter" >"$name"
}

# link_kernel BUILD-ID: compiles main.c to a kernel, vmlinux
link_kernel()
{
	printf '.globl __fentry__\n__fentry__: ret\n.section .note.GNU-stack, ""\n' >fentry.S
	gcc -O2 -g -ffreestanding -fno-pic -mcmodel=kernel -mfentry -mrecord-mcount -pg -c main.c && gcc -c fentry.S &&
		ld -e 0 --build-id=0x"$1" -Ttext=0xffffffff81000000 -o vmlinux main.o fentry.o \
			--defsym=__start_mcount_loc=__start___mcount_loc --defsym=__stop_mcount_loc=__stop___mcount_loc &&
		"$hytrace" functions -f json --vmlinux vmlinux >"$1.universe"
}

# Compiles a kernel, vmlinux, of build 1234abcd, and makes its documents: 1234abcd.universe, a.json and boot.json.
small_kernel()
{
	cat >main.c <<-'END'
		const char linux_banner[] = "Linux version 6.12.0-test (a@b) #1";
		__attribute__((noinline)) int rw_verify_area(int a) { return a * 3; }
		int vfs_read(int a) { return rw_verify_area(a) + 1; }
	END
	link_kernel 1234abcd && document a.json 1234abcd vfs_read || return
	jq -n '{hytrace: "0", document: "boot", schema: 5, tracer: "function", kernel: {release: "6.12.0-test",
		build_id: "aa", cmdline: ""}, boot_id: "b", machine: {cpus: 1, memory_bytes: 1, model: "x"},
		window: {clock: "x86-tsc", unit: "ns", begin: 0, until: 1}, totals: {functions: 1, sites: 1, timeless: 0},
		lost: {lost: 0}, cost: {}, calls: [], phases: [], start: null, asked: false, parts: {},
		firmware: {kexec: false, unstable: false}, userspace: {},
		functions: [{name: "vfs_read", calls: 5}]}' >boot.json
}
