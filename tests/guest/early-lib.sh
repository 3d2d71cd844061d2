# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by early.sh and early-matrix.sh: boots that are traced early, and what QEMU reports about them. The
# oracle is a QEMU plugin (early_oracle.c) that lists the calls of the tracer as they are made.
#
# Call early_kernel first. HYTRACE_QEMU names the QEMU that vm.sh runs.

# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tap.sh"
. "$clone/tests/guest/qemu-work.sh"
scratch=$tap_scratch
watch=()

# The version of the plugin interface. QEMU 9 refuses version 1. Versions 2 (QEMU 9.0) and 3 (9.1) are like
# version 1, except that 3 has another function that returns an instruction's bytes.
plugin_version()
{
	local version

	version=$("${HYTRACE_QEMU:-qemu-system-x86_64}" --version | sed -n '1s/.*version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
	awk '{ v = $1 * 100 + $2; print v < 900 ? 1 : v < 901 ? 2 : v < 902 ? 3 : 4 }' <<<"$version"
}

# oracle NAME: compiles that plugin.
oracle()
{
	gcc -O2 -shared -fPIC "-DQEMU_PLUGIN_VERSION=$(plugin_version)" -o "$scratch/$1.so" \
		"$clone/tests/guest/$1.c" || exit 1
}

oracle early_oracle

# early_kernel KERNEL: sets the kernel for the functions below; KERNEL is as for vm.sh --kernel. It becomes a directory,
# so that vm.sh need not ask build.sh at each boot. The lock keeps build.sh from removing it as old.
early_kernel()
{
	local lock

	case $1 in
	*/*) kernel=$1 ;;
	patched) kernel=$(dirname "$("$clone/kernel/build.sh" --print-image)") ;;
	*) kernel=$(dirname "$("$clone/kernel/build.sh" "--$1" --print-image)") ;;
	esac
	vmlinux=$kernel/vmlinux
	exec {lock}<"$kernel" && flock -s "$lock" && [[ -e $vmlinux ]]
}

# Under KVM, QEMU has no plugins, and the same instructions do not always take the same time. So this uses TCG.
vm()
{
	"$clone/kernel/vm.sh" --kernel "$kernel" --accel tcg "${watch[@]}" "$@"
}

# end_if_hung VM CONSOLE: waits until the process of vm.sh has ended, and returns its status. Ends it when its guest has
# crashed and hangs: after a panic its console has said nothing while QEMU took two seconds of processor time, or
# nobody in QEMU has run for five seconds. On a busy machine these take as long as they have to.
end_if_hung()
{
	local vm=$1 console=$2 qemu='' size=-1 since=0 ticks=0 idle=0 now runs before

	while kill -0 "$vm" 2>/dev/null; do
		sleep 0.5
		before=$ticks
		work_of "$vm" || continue
		now=$(stat -c %s "$console" 2>/dev/null || echo 0)
		if ((now != size)); then
			size=$now since=$ticks idle=0
			continue
		fi
		idle=$((runs || ticks != before ? 0 : idle + 1))
		((ticks - since >= 2 * $(getconf CLK_TCK) || idle >= 10)) || continue
		grep -qE 'Kernel panic - not syncing|PANIC: early exception' "$console" || continue
		kill -TERM "$vm"
		break
	done
	wait "$vm"
}

# boot APPEND [VM_OPTION]...: boots without a user space, so the boot ends in a panic. Prints the lines of the
# kernel's log about early tracing; the whole log is in $scratch/console. If a kernel crashes early enough, it
# hangs; then the guest is ended.
boot()
{
	local append=$1
	shift

	rm -f "$scratch/console"
	(exec "$clone/kernel/vm.sh" --kernel "$kernel" --accel tcg "${watch[@]}" --mem 512M --timeout 120 \
		--console "$scratch/console" --append "rdinit=/none loglevel=7 $append" "$@" -- true >/dev/null 2>&1) &
	end_if_hung $! "$scratch/console"
	sed -n 's/^\[[ 0-9.]*\] ftrace: early: //p' "$scratch/console" | tr -d '\r'
}

# Has that boot got as far as it can without user space?
at_init()
{
	grep -qE 'No working init found|Unable to mount root fs' "$scratch/console"
}

# The options of vm.sh for a guest to which with_gdb() attaches.
# shellcheck disable=SC2034 # used by the scripts that source this
gdb_options=(--smp 1 --qemu -S --qemu -gdb --qemu "unix:$scratch/gdb,server=on,wait=off")

# with_gdb COMMAND...: runs these commands of gdb on such a guest, and then lets it go on.
with_gdb()
{
	local n args=()

	for ((n = 0; n < 600; n++)); do
		[[ ! -S $scratch/gdb ]] || break
		sleep 0.1
	done
	for n; do
		args+=(-ex "$n")
	done
	gdb -q -batch -ex "target remote $scratch/gdb" "${args[@]}" -ex detach "$vmlinux" \
		>"$scratch/gdb.log" 2>&1
	rm -f "$scratch/gdb"
	# After a command that fails, gdb goes on, and it exits with 0.
	! grep -E '^(No symbol|There is no member|Cannot access memory|Function ".*" not defined)' "$scratch/gdb.log" ||
		ok 'gdb runs all of its commands' false
}

symbol()
{
	nm "$vmlinux" | awk -v name="$1" '$3 == name { print $1; exit }'
}

# The address of the end of a function.
symbol_end()
{
	nm -S "$vmlinux" | awk -v name="$1" '$4 == name { print $1, $2; exit }' |
		perl -ne 'no warnings "portable"; printf "%x", hex($1) + hex($2) if /(\w+) (\w+)/'
}

# The call sites that ftrace knows, from the table in the image. Now and then the kernel's build drops an entry.
# ftrace never changes such a site: it calls __fentry__ for ever and cannot be traced.
known_sites()
{
	local start stop

	start=$(symbol __start_mcount_loc)
	stop=$(symbol __stop_mcount_loc)
	readelf -SW "$vmlinux" | sed -n 's/^ *\[ *[0-9]*\] //p' |
		awk '$2 == "PROGBITS" { print $3, $4, $5 }' |
		perl -e '
			no warnings "portable";
			my ($vmlinux, $start, $stop) = ($ARGV[0], hex $ARGV[1], hex $ARGV[2]);
			while (<STDIN>) {
				my ($addr, $off, $size) = map { hex } split;
				next if $start < $addr || $start >= $addr + $size;
				open(my $v, "<:raw", $vmlinux) or die;
				seek($v, $off + $start - $addr, 0);
				read($v, my $table, $stop - $start);
				my $word = length $ARGV[1] > 8 ? "Q*" : "L*";
				printf "%x\n", $_ for grep { $_ } unpack($word, $table);
			}' "$vmlinux" "$start" "$stop" | sort
}

# oracle_start RECORDER, then boot with nokaslr, then oracle_end: records the calls that the guest makes until
# tracing is set up. oracle_end leaves
#   $scratch/calls	each call, in order: "e SITE PARENT" or "l SITE PARENT", see early_oracle.c
#   $scratch/oracle.times	for each call before the hand-over: how many instructions QEMU had executed by then
#   $scratch/expected	"SITE CALLS" for the calls before the hand-over from sites that ftrace knows
#   $scratch/unknown	the same for sites that ftrace does not know
#   $before_ftrace	how many calls came before ftrace_init()
#   $recorder_insns	the instructions that the recorder takes for all calls before the hand-over
oracle_start()
{
	local recorder=$1 plugin=$scratch/early_oracle.so

	known_sites >"$scratch/sites"
	plugin+=,fentry=$(symbol __fentry__),sites=$scratch/sites,out=$scratch/oracle,times=$scratch/oracle.times
	plugin+=,begin=$(symbol arch_early_ftrace_start),end=$(symbol early_ftrace_finish),mark=$(symbol ftrace_init)
	plugin+=,from=$(symbol "$recorder"),to=$(symbol_end "$recorder"),timed=$(symbol arch_early_ftrace_time)
	rm -f "$scratch/oracle"
	watch=(--qemu -plugin --qemu "$plugin")
}

oracle_end()
{
	watch=()
	# shellcheck disable=SC2034 # used by early.sh
	before_ftrace=$(sed -n 's/^mark //p' "$scratch/oracle")
	recorder_insns=$(sed -n 's/^recorder //p' "$scratch/oracle")
	sed '/^recorder/d; /^mark/d' "$scratch/oracle" >"$scratch/calls"
	awk '$1 == "e" { n[$2]++ } END { for (site in n) print site, n[site] }' "$scratch/calls" |
		sort >"$scratch/early"
	join "$scratch/early" "$scratch/sites" >"$scratch/expected"
	join -v 1 "$scratch/early" "$scratch/sites" >"$scratch/unknown"
}

# In the guest: copies the pages of the ring buffer whose trace_pipe_raw follows. dd fails when there are no more.
# shellcheck disable=SC2034 # used by early.sh and early-graph.sh
copy_pages='dd ibs=4k obs=1M iflag=nonblock 2>/dev/null if='

# calls_in PAGES: prints the calls in such a file.
calls_in()
{
	perl "$clone/tests/guest/ring-calls.pl" <"$1"
}

# The sum of the calls in a file of "SITE CALLS".
total()
{
	awk '{ n += $2 } END { print n + 0 }' "$1"
}

# The instructions that a call takes, in hundredths. They include the jump in __fentry__.
insns_per_call()
{
	echo $((100 + 100 * recorder_insns / ($(total "$scratch/expected") + $(total "$scratch/unknown"))))
}
