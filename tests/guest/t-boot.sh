#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: ftrace=oneshot
# vm: --icount
#
# The oneshot tracer from boot on. t-boot.host.sh checks what it has recorded until now against the kernel's image.

. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

stat_of()
{
	sed -n "s/^$1: //p" oneshot_stats
}

# A pattern for the address at which this function calls __fentry__: its beginning, or after its ENDBR.
symbol_at()
{
	perl -ne 'BEGIN { $name = shift } /^(\w+) \w \Q$name\E$/ and printf("^%x|^%x", hex $1, hex($1) + 4)' \
		"$1" /proc/kallsyms | sed 's/|/\\|/'
}

is 'ftrace=oneshot starts the tracer' "$(cat current_tracer)" oneshot
# Recording stops, so that the lists stay as they are. At the end it goes on, for other tests in this guest.
echo 0 >tracing_on
sed 's/^/# /' oneshot_stats

ok 'thousands of functions have been recorded' [ "$(stat_of functions)" -gt 3000 ]
ok 'more callers than functions have been recorded' [ "$(stat_of callers)" -gt "$(stat_of functions)" ]
is 'the set never was full' "$(stat_of refused)" 0
# From 8,193 addresses on, a set has more memory than one that is empty.
mkdir instances/empty
echo vfs_mkdir >instances/empty/set_ftrace_filter
echo oneshot >instances/empty/current_tracer
ok 'more addresses have been recorded than an empty set has enough memory for' [ "$(stat_of entries)" -gt 8192 ]
ok 'the set has grown' [ "$(stat_of bytes)" -gt "$(sed -n 's/^bytes: //p' instances/empty/oneshot_stats)" ]
rmdir instances/empty
ok 'the set takes at most 4 MiB' [ "$(stat_of bytes)" -le $((4 << 20)) ]
ok 'the set has room for every function that can be traced' \
	[ "$(stat_of capacity)" -gt "$(wc -l <available_filter_functions)" ]
# The addresses of a module that was loaded twice may occur twice; those of the kernel itself may not.
is 'each address of the kernel occurs once' "$(grep -v ' ' oneshot_seen | sort | uniq -d)" ''
is 'oneshot_seen has as many lines as the set has entries' "$(wc -l <oneshot_seen)" "$(stat_of entries)"
is 'the first entry is of process 0 on CPU 0' \
	"$(head -n 1 oneshot_entries | awk '{ print $4, $5 }')" '0 0'
# Hits from before start_kernel() come from the early set.
is 'the first function is one that was called before start_kernel()' \
	"$(grep -n "$(symbol_at x86_early_init_platform_quirks)" oneshot_seen | cut -d: -f1)" 1
first=$(cut -d' ' -f3 oneshot_entries | grep -E '^[0-9]+$' | sort -n | head -n 1)
init=$(dmesg | sed -n 's/^\[ *\([0-9]*\)\.\([0-9]*\)\] Run .* as init process.*/\1\2000/p' | head -n 1)
ok 'recording began before the first process' [ "$first" -lt "$((10#${init:-0}))" ]

echo 1 >options/oneshot-linkaddr
cp oneshot_entries "$HYTRACE_FILES"
echo 0 >options/oneshot-linkaddr

# ---- hytrace boot

ok 'hytrace boot writes json' "$hytrace" boot -f json -o "$HYTRACE_FILES/boot.json"
ok 'hytrace boot draws a picture' "$hytrace" boot -f svg -o "$HYTRACE_FILES/boot.svg"

echo 1 >tracing_on
tap_end
