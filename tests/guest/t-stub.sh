#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
#
# The oneshot tracer's stub against its callback: do they see the same, and can a sample that lands in
# the stub be followed to where it came from? Which of the two an instance has is a matter of who has
# started first.

set -uo pipefail
shopt -s extglob
# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

# What one process does in files, on its own: no interrupt, timer or other process decides whether or
# from where it is called.
functions=('vfs_*' 'do_sys_open*' 'path_*' 'lookup_*' 'shmem_*' 'simple_*' 'do_*at' 'may_*')

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

# seen INSTANCE: the functions and callers that it has, whoever comes first.
seen()
{
	awk '{ $NF = $(NF - 1) = $(NF - 2) = ""; print }' "instances/$1/oneshot_entries" | sort
}

cover() # INSTANCE
{
	local glob

	for glob in "${functions[@]}"; do
		echo "$glob" >>"instances/$1/set_ftrace_filter" || ok "there are $glob" false
	done
	echo oneshot >"instances/$1/current_tracer"
	work "$1"
	grep -c 'tramp: oneshot_stub' enabled_functions >"$tap_scratch/$1.sites"
	echo nop >"instances/$1/current_tracer"
	seen "$1" >"$tap_scratch/$1"
}

mkdir instances/{stub,holder,callback}
# Once for nothing: what the first run alone does, as it finds nothing in caches, is no difference.
work holder
echo >instances/holder/set_ftrace_pid
# A walk that has to begin anew, or a page that is not there, is one run's alone: what one of the two does not
# see it does not see in three.
for _ in {1..3}; do
	cover stub
	# It has the stub then, and is never called.
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

ok 'the one has used the stub' [ "$(<"$tap_scratch/stub.sites")" -gt 100 ]
is 'the other has not' "$(<"$tap_scratch/callback.sites")" 1
ok 'they have seen something' [ "$(wc -l <"$tap_scratch/stub")" -gt 100 ]
is 'and the same, functions and callers' "$difference" ''
rmdir instances/{stub,holder,callback}

# ---- code that has no name

# A program's calls of helpers have no record. What is counted of them begins anew with the set.
bpftrace -e 'kprobe:vfs_open { @[comm] = count(); } interval:s:60 { exit(); }' \
	>"$tap_scratch/bpftrace" 2>&1 &
program=$!
for _ in {1..60}; do
	grep -q '^Attaching' "$tap_scratch/bpftrace" && break
	sleep .5
done
echo oneshot >current_tracer
echo 0 >oneshot_seen
# The first that comes fetches memory, what comes behind it is counted.
for _ in {1..20}; do
	cat /proc/self/stat >/dev/null
	sleep .1
done
kill -INT "$program"
wait "$program"
echo nop >current_tracer
sed -n 's/^unresolvable_/# &/p' oneshot_stats
ok 'what a BPF program calls is counted, also after a clear' \
	[ "$(sed -n 's/^unresolvable_callers: //p' oneshot_stats)" -gt 0 ]
echo 0 >oneshot_seen

# ---- a sample in the stub

# Of interrupts, as TCG has no PMU: what is on the stack is the same.
echo oneshot >current_tracer
perf record -q -e cpu-clock -F 2000 -g --kernel-callchains -o "$tap_scratch/perf.data" -- \
	perl -e '-e "/etc/passwd" while time < $^T + 6' 2>"$tap_scratch/perf.err"
echo nop >current_tracer
echo 0 >oneshot_seen

# One line a sample: the symbols from the stub outwards.
perf script -i "$tap_scratch/perf.data" -F ip,sym 2>/dev/null |
	awk 'NF == 0 { if (n && chain ~ /^oneshot_stub/) print chain; chain = ""; n = 0; next }
	     { chain = chain (n++ ? " " : "") $2 }
	     END { if (chain ~ /^oneshot_stub/) print chain }' >"$tap_scratch/chains"
printf '# %s samples of the stub, such as: %s\n' "$(wc -l <"$tap_scratch/chains")" "$(head -n 1 "$tap_scratch/chains")"
ok 'samples have landed in the stub' [ "$(wc -l <"$tap_scratch/chains")" -gt 20 ]
is 'and all of them are followed to the way into the kernel' \
	"$(grep -vE ' (entry_SYSCALL_64_after_hwframe|asm_[a-z_]*|ret_from_fork_asm|common_startup_64)( |$)' \
		"$tap_scratch/chains" | head -n 3)" ''
# Of functions that the program calls from one place each: which of them a sample lands in is chance. These call
# nothing, so that none of them is there but as the function that was entered; the others call.
leaves='set_root nd_jump_root|__check_heap_object __check_object_size|check_stack_object __check_object_size|'
leaves+='legitimize_links try_to_unlazy[a-z_]*'
pairs="($leaves|x64_sys_call do_syscall_64|path_lookupat filename_lookup|nd_jump_root path_init) "
leaves="(${leaves// +([!|])}) "
sed -nE "/^oneshot_stub ${pairs// +([!|)])}/p" "$tap_scratch/chains" >"$tap_scratch/known"
printf '# %s of them in functions whose caller is known\n' "$(wc -l <"$tap_scratch/known")"
ok 'some of them in functions that call nothing' grep -qE "^oneshot_stub $leaves" "$tap_scratch/known"
is 'and where the caller is known, it comes behind the function' \
	"$(grep -vE "^oneshot_stub $pairs" "$tap_scratch/known" | cut -d ' ' -f -4 | head -n 3)" ''

tap_end
