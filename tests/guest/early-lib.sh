# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What early.sh and early-matrix.sh share: boots that are traced early, and what QEMU says of them. The
# oracle is a plugin of QEMU (early_oracle.c) that lists the calls of the tracer as they are made.
#
# Source it with $clone set; early_kernel comes first. HYTRACE_QEMU is the QEMU that vm.sh runs.

# shellcheck source=tests/guest/tap.sh
. "$clone/tests/guest/tap.sh"
scratch=$tap_scratch
watch=()

# The version of the plugins' interface: QEMU 9 refuses the first one. 2 and 3, of 9.0 and 9.1, are as the
# first one is, but for how an instruction's bytes are asked for in the latter.
plugin_version()
{
	local version

	version=$("${HYTRACE_QEMU:-qemu-system-x86_64}" --version | sed -n '1s/.*version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
	awk '{ v = $1 * 100 + $2; print v < 900 ? 1 : v < 901 ? 2 : v < 902 ? 3 : 4 }' <<<"$version"
}

gcc -O2 -shared -fPIC "-DQEMU_PLUGIN_VERSION=$(plugin_version)" -o "$scratch/early_oracle.so" \
	"$clone/tests/guest/early_oracle.c" || exit 1

# early_kernel KERNEL: the one that all of the following is about, as for vm.sh --kernel.
early_kernel()
{
	kernel=$1
	case $kernel in
	*/*) vmlinux=$kernel/vmlinux ;;
	patched) vmlinux=$("$clone/kernel/build.sh" --print-vmlinux) ;;
	*) vmlinux=$("$clone/kernel/build.sh" "--$kernel" --print-vmlinux) ;;
	esac
}

# No guest that KVM runs has a plugin, or the same cost for the same instructions.
vm()
{
	"$clone/kernel/vm.sh" --kernel "$kernel" --accel tcg "${watch[@]}" "$@"
}

# boot APPEND [VM_OPTION]...: a boot that ends in a panic, as there is no user space to go to. Prints
# what the kernel's log says of early tracing; all of the log is in $scratch/console. On a busy machine it
# takes its time; one that hangs, as it does when it crashes early enough, is given $boot_timeout seconds.
boot()
{
	local append=$1
	shift

	rm -f "$scratch/console"
	vm --mem 512M --timeout "${boot_timeout:-120}" --console "$scratch/console" \
		--append "rdinit=/none loglevel=7 $append" "$@" -- true >/dev/null 2>&1
	sed -n 's/^\[[ 0-9.]*\] ftrace: early: //p' "$scratch/console" | tr -d '\r'
}

# Has that boot got as far as it can without a user space?
at_init()
{
	grep -qE 'No working init found|Unable to mount root fs' "$scratch/console"
}

# What a guest is started with that with_gdb() is to find.
# shellcheck disable=SC2034 # by who sources this
gdb_options=(--smp 1 --qemu -S --qemu -gdb --qemu "unix:$scratch/gdb,server=on,wait=off")

# with_gdb COMMAND...: what gdb does to such a guest, before it is left alone.
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
	# It goes on after what it cannot do, and ends with 0.
	! grep -E '^(No symbol|There is no member|Cannot access memory|Function ".*" not defined)' "$scratch/gdb.log" ||
		ok 'gdb does what it is asked for' false
}

symbol()
{
	nm "$vmlinux" | awk -v name="$1" '$3 == name { print $1; exit }'
}

# The end of a function.
symbol_end()
{
	nm -S "$vmlinux" | awk -v name="$1" '$4 == name { print $1, $2; exit }' |
		perl -ne 'no warnings "portable"; printf "%x", hex($1) + hex($2) if /(\w+) (\w+)/'
}

# The call sites that ftrace knows, from the image's table. The kernel's build drops an entry now and
# then; nobody changes such a site, so it calls __fentry__ for ever, and is no function to be traced.
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

# What the guest calls that is booted between the two, with nokaslr, until tracing is set up: each call in
# $scratch/calls, in order ("e SITE PARENT", "l SITE PARENT", see early_oracle.c). Of those before the
# hand-over, "SITE CALLS" of the call sites that ftrace knows in $scratch/expected, of those it does not in
# $scratch/unknown, and how many instructions the recorder takes for them in $recorder_insns:
# oracle_start RECORDER.
oracle_start()
{
	local recorder=$1 plugin=$scratch/early_oracle.so

	known_sites >"$scratch/sites"
	plugin+=,fentry=$(symbol __fentry__),sites=$scratch/sites,out=$scratch/oracle
	plugin+=,begin=$(symbol arch_early_ftrace_start),end=$(symbol early_ftrace_finish)
	plugin+=,from=$(symbol "$recorder"),to=$(symbol_end "$recorder")
	rm -f "$scratch/oracle"
	watch=(--qemu -plugin --qemu "$plugin")
}

oracle_end()
{
	watch=()
	recorder_insns=$(sed -n 's/^recorder //p' "$scratch/oracle")
	sed '/^recorder/d' "$scratch/oracle" >"$scratch/calls"
	awk '$1 == "e" { n[$2]++ } END { for (site in n) print site, n[site] }' "$scratch/calls" |
		sort >"$scratch/early"
	join "$scratch/early" "$scratch/sites" >"$scratch/expected"
	join -v 1 "$scratch/early" "$scratch/sites" >"$scratch/unknown"
}

# All calls in a file of "SITE CALLS".
total()
{
	awk '{ n += $2 } END { print n + 0 }' "$1"
}

# Instructions a call, in hundredths, with the jump in __fentry__.
insns_per_call()
{
	echo $((100 + 100 * recorder_insns / ($(total "$scratch/expected") + $(total "$scratch/unknown"))))
}
