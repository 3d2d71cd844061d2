#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The main job: `make run` calls it when the packages are there. It covers a kernel from end to end.
#
#   1. If no patched kernel was built yet, a first result comes before it: build the loader, and cover a workload
#      (workload.sh) on Debian's own kernel with BPF. The patched kernel is compiled meanwhile, with what the processors
#      have left. `main-job.sh first` only does this.
#   2. Boot the patched kernel with ftrace=oneshot, and take the functions that ran until user space began.
#   3. Cover the workload with the set in the kernel and with the map in BPF, both at the same time, and explain every
#      difference.
#      Record its parts once more, as the tests of a suite: one run for each of them.
#   4. In a guest in which an instruction takes a nanosecond, measure the cost of each of them.
#   5. In another guest of that kind, look at the boot from before start_kernel() on.
#   6. Write a page for a browser of what has run at boot and in the workload, and say which parts of it run what a patch
#      changes.
#
# What a person wants to read first is on one screen. All tables, documents and pages are in build/run and
# build/run-first, and what the tools said as well.
set -euo pipefail

out=build/run
# What a later Linux changes in code that the workload may run.
change=tests/guest/workload.patch
first=build/run-first

# The text of a module's init functions is freed before anybody can name them, and BPF is attached to a module a little
# after it has come. So a module that comes while it is recorded makes a result incomplete.
load_modules()
{
	modprobe -a ext4 loop dummy
}

# In the guests, this script runs again with a word that says what to do there.
case ${1:-} in
in-guest-first)
	load_modules
	build/hytrace cover -e bpf -o "$first/workload.json" -o "$first/report.txt" -- tests/guest/workload.sh
	build/hytrace functions -f json -o "$first/functions.json"
	exit
	;;
in-guest-cover)
	# The tracer is stopped so that the set keeps only the boot. tracing_on ends recording at once; nop then
	# turns the call sites off, one after the other.
	echo 0 >/sys/kernel/tracing/tracing_on
	echo nop >/sys/kernel/tracing/current_tracer
	echo 1 >/sys/kernel/tracing/tracing_on
	build/hytrace cover --boot --vmlinux "$2" -o "$out/boot.json" -o "$out/boot.tailor"
	load_modules
	build/hytrace cover --engine both --vmlinux "$2" -o "$out/workload.json" -o "$out/workload.tailor" \
		-- tests/guest/workload.sh
	build/hytrace suite --keep "$out/runs.db" tests/guest/workload.list >"$out/suite.txt"
	exit
	;;
in-guest-cost)
	run() { # NAME COMMAND...: prints a line "NAME user-seconds system-seconds"
		local name=$1 log
		shift
		log=$(mktemp)
		# The times are those of the workload only; attaching and reporting are not in them.
		# shellcheck disable=SC2016 # expanded by the inner shell
		"$@" bash -c 'TIMEFORMAT="%U %S"; { time tests/guest/workload.sh; } 2>"$1"' - "$log" \
			>/dev/null 2>"$log.err" || { cat "$log" "$log.err" >&2; return 1; }
		echo "$name $(tail -n 1 "$log")"
	}
	run warm-up env
	run nothing env
	run oneshot build/hytrace cover -e oneshot -o /tmp/oneshot.json --
	run retired build/hytrace cover -e oneshot --no-callers --retire -o /tmp/retired.json --
	run kprobe build/hytrace cover -e bpf --entry kprobe -o /tmp/kprobe.json --
	! build/hytrace features fentry-multi >/dev/null ||
		run fentry build/hytrace cover -e bpf --entry fentry -o /tmp/fentry.json --
	# The kernel's worker that retired functions; its time belongs to no process.
	jq -r '"retiring 0 \(.cost.retire_ns / 1e9)"' /tmp/retired.json
	exit
	;;
in-guest-early)
	# The early calls are in an instance of their own. Nothing else is recorded any more, and calls need not be slowed down.
	echo nop >/sys/kernel/tracing/current_tracer
	build/hytrace boot
	exit
	;;
esac

# ---- what is shown

# logged LOG COMMAND...: what it says is added to LOG, and shown only if it fails.
logged()
{
	local log=$1 status=0
	shift

	echo "\$ $*" >>"$log"
	"$@" 2>>"$log" || status=$?
	[[ $status -eq 0 ]] || { echo "make run: failed: $*; the end of $log:"; tail -n 20 "$log"; } >&2
	return "$status"
}

# rows FILE NAME...: the lines of that table with these words at the beginning
rows()
{
	local file=$1
	shift

	awk -v names=" $* " 'NF && index(names, " " $1 " ")' "$file"
}

# sums FILE: a line for each result of a report
sums()
{
	awk 'NF == 1 { name = $1 ": " }
	     /^Functions:/ { functions = $2 " of " $5 " functions that can be traced ran " $10; sub(/;$/, "", functions) }
	     /^Callers:/ { print "  " name functions ", called from " $2 " places" }' "$1"
}

# losses MEANS FILE...: a line for each kind of loss in these results that has one of these meanings
losses()
{
	local means=$1
	shift

	jq -r --arg means "$means" '.engine as $engine | .losses[] | select(.means | test($means)) |
		"  \($engine): \(if .means == "maybe" then "maybe lost" else "lost" end): \(.name) \(.value), " +
		(.text | sub("[:;].*"; ""))' "$@"
}

# costs FILE: multiples of what the workload takes if nothing traces it
costs()
{
	awk '$1 == "retiring" { worker = $3 }
	     NR == FNR || $1 == "warm-up" || $1 == "retiring" { next }
	     { total = $2 + $3 }
	     $1 == "nothing" { base = total; name = "not traced" }
	     $1 == "oneshot" { name = "oneshot, all functions and callers" }
	     $1 == "retired" { total += worker; name = "oneshot, functions only, --retire" }
	     $1 == "kprobe" { name = "kprobe.multi, all functions and callers" }
	     $1 == "fentry" { name = "fentry.multi, all functions and callers" }
	     { printf "  %-40s %8.0f million  %6.2f x\n", name, total * 1000, total / base }' "$1" "$1"
}

# classes FILE: a line for each class of functions, with the tests that ran them
classes()
{
	awk '/^CLASS/ { name = index($0, "FUNCTION"); file = index($0, "FILE"); next }
	     name && !NF { exit }
	     name { class = substr($0, 1, name - 1); function_name = substr($0, name, file - name)
		    gsub(/ +$/, "", class); gsub(/ +/, "", function_name)
		    if (match($0, /runs, [^,]*/))
			    function_name = function_name " (" substr($0, RSTART + 6, RLENGTH - 6) ")"
		    if (class != last)
			    printf "%s  %-17s", last == "" ? "" : "\n", class
		    printf " %s", function_name
		    last = class }
	     END { print "" }' "$1"
}

# ---- the first result

# Jobs of build.sh and vm.sh that go on beside this script. Each is a process group, which ends with this script.
declare -A beside=()

# Sets $started.
start()
{
	set -m
	"$@" </dev/null &
	set +m
	started=$!
	beside[$started]=1
}

# ended JOB: waits for it, and returns its status
ended()
{
	local status=0

	wait "$1" || status=$?
	unset "beside[$1]"
	return "$status"
}

stop()
{
	local group

	trap '' INT TERM HUP
	for group in "${!beside[@]}"; do
		kill -TERM -- "-$group" 2>/dev/null || true
	done
	for group in "${!beside[@]}"; do
		while kill -0 -- "-$group" 2>/dev/null; do sleep 0.1; done
	done
}

# Without the variables of a make that runs this script, which shares no jobs with it.
make_user=(env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory user)

# Needs no kernel of ours. Meanwhile Debian's is fetched.
first()
{
	local log=$first/messages.txt fetched=$first/fetch.txt fetching

	rm -rf "$first"
	mkdir -p "$first"
	echo "First, Debian's own Linux: fetching it (110 MB, once), and compiling hytrace ..."
	start kernel/vm.sh --kernel stock --dry-run >"$fetched" 2>&1
	fetching=$started
	logged "$log" "${make_user[@]}" >"$first/loader.txt" || return
	ended "$fetching" || { cat "$fetched" >&2; return 1; }
	echo 'Covering a workload there with BPF ...'
	logged "$log" kernel/vm.sh --kernel stock --share "$first" -- tests/guest/main-job.sh in-guest-first || return
	logged "$log" build/hytrace report -f html --universe "$first/functions.json" -o "$first/report.html" \
		"$first/workload.json" || return
	echo
	echo "== What ran in Debian's Linux $(jq -r .kernel.release "$first/workload.json") during tests/guest/workload.sh, by names"
	rows "$first/report.txt" PREFIX '[ext4]' '[jbd2]' '[loop]' inet sched tcp vfs | sed 's/^/  /' || return
	sums "$first/report.txt" || return
	losses 'maybe|missing' "$first/workload.json" || return
	echo "  Open $first/report.html in a browser; $first/report.txt has all rows."
}

# The kernel is compiled with what other processes leave of the processors. So the first result does not wait for it.
kernel_and_first()
{
	local log=build/kernel-run.txt building

	# Two processes would unpack it otherwise, and one of them would say that it waits.
	kernel/build.sh --print-source >/dev/null
	start nice kernel/build.sh >"$log" 2>&1
	building=$started
	# There are no types of the patched kernel yet.
	TYPES_BY_HAND=1 first || echo 'make run: there is no first result; the patched kernel is next all the same' >&2
	cat <<-END

	== Next: the patched kernel, 10 to 15 minutes on two processors
	  It adds the boot from its first call on, directories of the source, the calls that BPF misses, and a tracer at a
	  tenth of BPF's cost. Ctrl-C keeps the first result; \`make run\` then goes on from here.
	END
	# A signal ends a wait, but not a program that this script waits for.
	start tail -n +1 -f --pid="$building" "$log"
	ended "$started"
	ended "$building"
}

# ---- the patched kernel

# reports VMLINUX: as text, and as a page
reports()
{
	local report=(logged "$out/report-messages.txt" build/hytrace report --vmlinux "$1")
	local documents=("$out/boot.json" "$out/workload.oneshot.json")

	"${report[@]}" -o "$out/report.txt" "${documents[@]}" && "${report[@]}" -f html -o "$out/report.html" "${documents[@]}" &&
		logged "$out/report-messages.txt" build/hytrace affected --store "$out/runs.db" --vmlinux "$1" \
			-o "$out/affected.txt" "$change"
}

main_job()
{
	local vmlinux log=$out/messages.txt costing reporting

	vmlinux=$(kernel/build.sh --print-vmlinux)
	rm -rf "$out"
	mkdir -p "$out"

	echo "Covering boot and a workload on Linux $(kernel/build.sh --print-release), and counting what it costs ..."
	# Other guests do not disturb this one, because it counts instructions.
	start logged "$out/cost-messages.txt" kernel/vm.sh --icount --append mitigations=off -- \
		tests/guest/main-job.sh in-guest-cost >"$out/cost.txt"
	costing=$started
	logged "$log" kernel/vm.sh --append ftrace=oneshot --share "$out" -- \
		tests/guest/main-job.sh in-guest-cover "$vmlinux" >"$out/comparison.txt"
	start reports "$vmlinux"
	reporting=$started
	echo 'Looking at the early boot ...'
	# The function tracer would go on, at 550 instructions a call, until somebody turns it off: five seconds of guest time.
	logged "$log" kernel/vm.sh --icount --append 'ftrace=function trace_trigger=initcall_level.traceoff' --share "$out" -- \
		tests/guest/main-job.sh in-guest-early >"$out/early.txt"
	ended "$reporting"
	ended "$costing"
	show
}

show()
{
	local early=$out/early.txt

	echo
	echo '== What ran at boot, and in a workload (tests/guest/workload.sh), by directory'
	rows "$out/report.txt" DIRECTORY fs/ext4 kernel/sched mm net/ipv4 | sed 's/^/  /'
	sums "$out/report.txt"
	losses 'maybe|missing' "$out/boot.json" "$out/workload.oneshot.json"
	losses missing "$out/workload.bpf.json"
	echo
	echo '== The workload by the set in the kernel against the one in BPF, at the same time'
	grep -E '^(Functions: |All differences |No difference|Of the )' "$out/comparison.txt"
	echo
	echo '== CPU time of the workload, in guest instructions (1 CPU, no mitigations)'
	costs "$out/cost.txt"
	echo
	echo '== The boot from before start_kernel() until the function tracer runs'
	sed -n 's/^ *Calls: *\([0-9]*\)/  \1 calls/p; s/^ *Lost: */; lost: /p' "$early" | paste -sd ''
	rows "$early" PHASE setup_arch mm_core_init ftrace_init | sed 's/^/  /'
	echo
	echo "== Which parts of the workload run what $change changes (hytrace affected)"
	classes "$out/affected.txt"
	echo
	echo '== Where to go on'
	echo "  $out/report.html         all of it as a page, with who called what: open it in a browser"
	echo "  $out/*.txt               report, comparison, cost and early in full, and all messages"
	echo "  build/hytrace report --unseen --in fs/ext4 $out/workload.oneshot.json    # what did not run"
	echo "  build/hytrace affected --store $out/runs.db YOUR.patch    # which part runs your change"
}

cd "$(dirname "$0")/../.."
mkdir -p build
# All guests boot what is built now, not what a run of tests around this one found when it began.
unset HYTRACE_KNOWN
exec {running}>build/.run.lock
flock -n "$running" || {
	echo 'make run: waiting for another one in this clone' >&2
	until flock -w 1 "$running"; do :; done
}
trap stop EXIT
trap 'exit 129' HUP
trap 'echo "make run: interrupted; the next one goes on from here" >&2; exit 130' INT
trap 'exit 143' TERM
if [[ ${1:-} == first ]]; then
	first
	exit
fi
# A build waits for whatever else has the kernel's tree. If there is nothing to build, it need not.
if ! kernel/build.sh --print-image >/dev/null 2>&1; then
	if HYTRACE_STALE_OK=1 kernel/build.sh --print-image >/dev/null 2>&1; then
		kernel/build.sh
	else
		kernel_and_first
	fi
fi
"${make_user[@]}"
main_job
