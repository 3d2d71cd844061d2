#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# The oneshot tracer's stub against its callback: both must record the same, and the stack of a sample in the stub
# must be complete. The first instance that starts the tracer gets the stub, others the callback.

shopt -s extglob
. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

# Functions for files that one process calls. No interrupt, timer or other process influences whether or from where
# they are called. RCU frees the inode of a file in whatever process its CPU has then.
functions=('vfs_*' 'do_sys_open*' 'path_*' 'lookup_*' 'shmem_*' '!shmem_free_in_core_inode' 'simple_*' 'do_*at' 'may_*')

work() # INSTANCE
{
	perl -e '
		open my $pid, ">", "instances/$ARGV[1]/set_ftrace_pid"; print $pid $$; close $pid or die;
		chdir $ARGV[0] or die;
		for (1 .. 3) {
			mkdir "dir"; open my $f, "+>", "dir/file"; syswrite $f, "x" x 10000; sysseek $f, 0, 0;
			sysread $f, my $x, 20000; truncate $f, 100; close $f;
			link "dir/file", "dir/link"; symlink "file", "dir/sym"; rename "dir/link", "dir/new";
			-e "dir/sym"; readlink "dir/sym"; chmod 0600, "dir/file"; utime 1, 1, "dir/file";
			opendir my $d, "dir"; readdir $d; closedir $d; unlink glob "dir/*"; rmdir "dir";
		}' "$tap_scratch" "$1" || echo failed
}

# seen INSTANCE: its functions and callers, without times, CPUs and processes
seen()
{
	awk '{ NF = $2 ~ /^(function|caller)$/ ? 2 : 3; print }' "instances/$1/oneshot_entries" | sort
}

cover() # INSTANCE
{
	local glob

	for glob in "${functions[@]}"; do
		echo "$glob" >>"instances/$1/set_ftrace_filter" || ok "there are functions $glob" false
	done
	echo oneshot >"instances/$1/current_tracer"
	work "$1"
	grep -c 'tramp: oneshot_stub' enabled_functions >"$tap_scratch/$1.sites"
	echo nop >"instances/$1/current_tracer"
	seen "$1" >"$tap_scratch/$1"
}

mkdir instances/{stub,holder,callback}
# A run that is not compared: the first run makes calls of its own, because caches are empty.
work holder
echo >instances/holder/set_ftrace_pid
# A single run may differ by chance, for example if a path walk starts again or a page is missing. Only differences
# that occur in all three runs count.
for _ in {1..3}; do
	cover stub
	# This instance takes the stub, and its function is never called.
	echo kernel_restart >instances/holder/set_ftrace_filter
	echo oneshot >instances/holder/current_tracer
	cover callback
	echo nop >instances/holder/current_tracer
	comm -3 "$tap_scratch"/{stub,callback} | sort >"$tap_scratch/now"
	[[ -e $tap_scratch/always ]] || cp "$tap_scratch/now" "$tap_scratch/always"
	difference=$(comm -12 "$tap_scratch"/{always,now} | tee "$tap_scratch/both")
	mv "$tap_scratch/both" "$tap_scratch/always"
	[[ $difference ]] || break
	echo "# differs: ${difference//$'\n'/; }"
done

ok 'the first instance uses the stub' [ "$(<"$tap_scratch/stub.sites")" -gt 100 ]
is 'the second instance does not use the stub' "$(<"$tap_scratch/callback.sites")" 1
ok 'the stub has recorded more than 100 entries' [ "$(wc -l <"$tap_scratch/stub")" -gt 100 ]
is 'the stub and the callback have recorded the same functions and callers' "$difference" ''
rmdir instances/{stub,holder,callback}

# ---- code without names

# Calls from a BPF program's code are only counted. The counter begins again when the set is cleared.
bpftrace -e 'kprobe:vfs_open { @[comm] = count(); } interval:s:600 { exit(); }' \
	>"$tap_scratch/bpftrace" 2>&1 &
program=$!
for _ in {1..600}; do
	grep -q '^Attaching' "$tap_scratch/bpftrace" && break
	sleep .5
done
echo oneshot >current_tracer
echo 0 >oneshot_seen
# At the first of these calls the tracer allocates memory; the later ones are counted.
for _ in {1..20}; do
	cat /proc/self/stat >/dev/null
	sleep .1
done
interrupt "$program"
echo nop >current_tracer
sed -n 's/^unresolvable_/# &/p' oneshot_stats
ok 'calls from a BPF program are counted after a clear' \
	[ "$(sed -n 's/^unresolvable_callers: //p' oneshot_stats)" -gt 0 ]
echo 0 >oneshot_seen

# ---- a sample in the stub

# Samples come from timer interrupts, because TCG has no PMU. The stacks are the same.
echo oneshot >current_tracer
perf record -q -e cpu-clock -F 2000 -g --kernel-callchains -o "$tap_scratch/perf.data" -- \
	perl -e '-e "/etc/passwd" while time < $^T + 6' 2>"$tap_scratch/perf.err"
echo nop >current_tracer
echo 0 >oneshot_seen

# One line for each sample: the symbols from the stub outwards.
perf script -i "$tap_scratch/perf.data" -F ip,sym 2>/dev/null |
	awk 'NF == 0 { if (n && chain ~ /^oneshot_stub/) print chain; chain = ""; n = 0; next }
	     { chain = chain (n++ ? " " : "") $2 }
	     END { if (chain ~ /^oneshot_stub/) print chain }' >"$tap_scratch/chains"
printf '# %s samples of the stub, such as: %s\n' "$(wc -l <"$tap_scratch/chains")" "$(head -n 1 "$tap_scratch/chains")"
ok 'more than 20 samples are in the stub' [ "$(wc -l <"$tap_scratch/chains")" -gt 20 ]
is 'the stacks of all these samples reach the entry into the kernel' \
	"$(grep -vE ' (entry_SYSCALL_64_after_hwframe|asm_[a-z_]*|ret_from_fork_asm|common_startup_64)( |$)' \
		"$tap_scratch/chains" | head -n 3)" ''
# Functions that the program calls from one place each; a sample may be in any of them. The leaves call nothing, so
# they are on a stack only as the function that was entered. The others also call functions.
leaves='set_root nd_jump_root|__check_heap_object __check_object_size|check_stack_object __check_object_size|'
leaves+='legitimize_links try_to_unlazy[a-z_]*'
pairs="($leaves|x64_sys_call do_syscall_64|path_lookupat filename_lookup|nd_jump_root path_init) "
leaves="(${leaves// +([!|])}) "
sed -nE "/^oneshot_stub ${pairs// +([!|)])}/p" "$tap_scratch/chains" >"$tap_scratch/known"
printf '# %s of them in functions whose caller is known\n' "$(wc -l <"$tap_scratch/known")"
ok 'some of these samples are in functions that call nothing' grep -qE "^oneshot_stub $leaves" "$tap_scratch/known"
is 'where the caller is known, it follows the function on the stack' \
	"$(grep -vE "^oneshot_stub $pairs" "$tap_scratch/known" | cut -d ' ' -f -4 | head -n 3)" ''

tap_end
