#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The main job: `make run` runs it when all is built. It covers a kernel from end to end.
#
#   1. Boot the patched kernel with ftrace=oneshot, and take the functions that ran until user space began.
#   2. Cover a real workload (workload.sh) with the set in the kernel and with the map in BPF,
#      both at the same time, and explain every difference.
#   3. In a second guest, in which an instruction takes a nanosecond, measure the cost of each of them.
#   4. In a third guest of that kind, look at the boot from before start_kernel() on.
#
#   5. Write a page for a browser of what has run at boot and in the workload.
#
# Leaves json, lists for undertaker-tailor, and the page in build/run/.
set -euo pipefail

out=build/run

# In the guests, this script runs again with a word that says what to do there.
case ${1:-} in
in-guest-cover)
	# The tracer is stopped so that the set keeps only the boot. tracing_on ends recording at once; nop then
	# turns the call sites off, one after the other.
	echo 0 >/sys/kernel/tracing/tracing_on
	echo nop >/sys/kernel/tracing/current_tracer
	echo 1 >/sys/kernel/tracing/tracing_on
	build/hytrace cover --boot --vmlinux "$2" -o "$out/boot.json" -o "$out/boot.tailor"
	build/hytrace cover --engine both --vmlinux "$2" -o "$out/workload.json" -o "$out/workload.tailor" \
		-- tests/guest/workload.sh
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
	build/hytrace boot -o "$out/early.trace" -f chrome
	build/hytrace boot
	exit
	;;
esac

cd "$(dirname "$0")/../.."
vmlinux=$(kernel/build.sh --print-vmlinux)
rm -rf "$out"
mkdir -p "$out"

echo "Covering boot and a workload on Linux $(kernel/build.sh --print-release) ..."
kernel/vm.sh --append ftrace=oneshot --share "$out" -- \
	tests/guest/main-job.sh in-guest-cover "$vmlinux" >"$out/comparison.txt"
echo "Counting what it costs ..."
kernel/vm.sh --icount --append mitigations=off -- \
	tests/guest/main-job.sh in-guest-cost >"$out/cost.txt"
echo "Looking at the early boot ..."
kernel/vm.sh --icount --append 'ftrace=function' --share "$out" -- \
	tests/guest/main-job.sh in-guest-early >"$out/early.txt"

echo
echo "== Functions seen, by directory, of those that can be traced"
echo
build/hytrace report --vmlinux "$vmlinux" "$out/boot.json" "$out/workload.oneshot.json" | sed 's/^/  /'
echo
echo "== The set in the kernel against the one in BPF, at the same time"
echo
cat "$out/comparison.txt"
echo
echo "== CPU time of the workload, in guest instructions (1 CPU, no mitigations)"
echo
awk '$1 == "retiring" { worker = $3 }
     NR == FNR || $1 == "warm-up" || $1 == "retiring" { next }
     { total = $2 + $3 }
     $1 == "nothing" { base = total; name = "not traced" }
     $1 == "oneshot" { name = "oneshot, all functions and callers" }
     $1 == "retired" { total += worker; name = "oneshot, functions only, --retire" }
     $1 == "kprobe" { name = "kprobe.multi, all functions and callers" }
     $1 == "fentry" { name = "fentry.multi, all functions and callers" }
     { printf "  %-40s %8.0f million  %6.2f x\n", name, total * 1000, total / base }' "$out/cost.txt" "$out/cost.txt"
echo
echo "== The boot from before start_kernel() until the function tracer runs"
echo
sed 's/^/  /' "$out/early.txt"
echo
echo "== The same as a page: what ran and what did not, by directory, and who called it"
echo
build/hytrace report -f html --vmlinux "$vmlinux" -o "$out/report.html" "$out/boot.json" "$out/workload.oneshot.json"
echo "  open $out/report.html in a browser"
echo
echo "== Files"
echo
for f in "$out"/*.json "$out"/*.tailor "$out"/*.trace "$out"/*.html; do
	printf '  %-36s %8d bytes\n' "$f" "$(stat -c %s "$f")"
done
