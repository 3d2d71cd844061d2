#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs a command as root in a guest that boots the kernel built here, or another one, over the host's
# own root file system. `vm.sh --help` tells how; vm-init.sh is the guest's side.
#
# One rule shapes this script: a guest that dies must never be taken for a pass. The status is 125 until the guest
# has sent the command's status and both outputs have come to their ends. Each output is a virtio-serial port that
# QEMU writes into a FIFO. A relay on the host copies the FIFO to stdout or stderr until it reads the trailer, a word
# that only this run knows. So no output is lost if the status arrives first. Then QEMU is ended; the guest's file
# systems are all in memory, or on a disk that is removed, so it need not be shut down.

set -euo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
clone=$(dirname "$here")
cache=${HYTRACE_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set; HYTRACE_CACHE= names another place}/.cache}/hytrace}
cache=$(realpath -m -- "$cache")
# shellcheck source=kernel/debian.sh
. "$here/debian.sh"
# shellcheck source=kernel/stock.sh
. "$here/stock.sh"
# shellcheck source=kernel/machine.sh
. "$here/machine.sh"
# shellcheck source=kernel/known.sh
. "$here/known.sh"
probe_seconds=5
systemd=/lib/systemd/systemd
system=${HYTRACE_QEMU:-qemu-system-x86_64}
board=pc
terminal=ttyS0
cpu=max,la57=off

# Another machine than x86-64, its root and its busybox.
machine=
root_of_machine=
busybox=

kernel=
append=
mem=2G
smp=
icount=
accel=auto
thread=
timeout=600
dry_run=
gdb=
console=
root=/
init=
units=
shares=()
qemu_args=()
command=()

image=
initrd=
modules=
base=
run=
terminal_state=
trailer=
outcome=
qemu=()
declare -A jobs=() pids=()

usage()
{
	cat <<-END
	Usage: vm.sh [OPTION]... [-- COMMAND [ARGUMENT]...]

	Runs COMMAND as root in a QEMU guest. The guest's root is an overlay of this machine's root: every
	file and tool is there, and writes go to memory and are not kept. /tmp and /run are empty, but the
	clone, the cache, the current directory and --share are there at their own paths.
	Without COMMAND, it runs an interactive shell.

	  --kernel K       patched (default), debug, kcsan, selftest, the same with unpatched- in front or
	                   unpatched alone, stock (Debian's own kernel), or the path of a bzImage or of a
	                   kernel's build directory. With -7.3 at the end, it is that of Linux 7.3, and so on:
	                   patched-7.3, debug-7.3, stock-6.1; otherwise that of LINUX= (6.12).
	                   patched-i386 and patched-arm64 are those of build.sh --arch, stock-i386 and stock-arm64
	                   Debian 12's. Then the root is of a few packages of Debian for that machine; the clone,
	                   the cache and so on are there as well
	  --root DIR       boot the system in DIR, a Debian with systemd, from a copy on a disk, with the kernel
	                   and the initrd that are installed there; COMMAND is a service of it, and runs in /
	  --init systemd   let this machine's systemd be process 1 of the guest; COMMAND is a service that is
	                   started when the boot is complete. /etc/fstab is not used
	  --units DIR      with --init systemd: the default target of the guest wants the units in DIR, too
	  --append ARGS    add ARGS to the kernel command line
	  --mem SIZE       memory, as QEMU takes it (default $mem)
	  --smp N          virtual CPUs (default 2, with --icount 1)
	  --icount         an instruction of any CPU takes 1 ns of guest time; implies TCG
	  --accel A        auto (default: KVM if a guest boots with it in seconds, else TCG), kvm, tcg;
	                   tcg,thread=multi has a thread for each CPU, which is the default from QEMU 8.1 on;
	                   tcg,thread=single has one thread for all CPUs
	  --share DIR      make DIR writable, and keep what is written (may be repeated)
	  --timeout S      end the guest after S seconds (default $timeout; with 0, a shell or --gdb: never)
	  --console FILE   keep what the kernel prints on its console
	  --qemu ARG       pass ARG to QEMU (may be repeated)
	  --gdb            wait for gdb on localhost:1234 before the first instruction; no KASLR
	  --dry-run        print the QEMU command and do nothing
	  -h, --help       this text

	HYTRACE_QEMU names another program than qemu-system-x86_64, HYTRACE_SMP another default for --smp.

	stdin is /dev/null; stdout and stderr are those of the command. Exit status: that of the command;
	124 after the timeout; 125 if the command never ran or the guest died, with the end of the console
	on stderr; 141 if the reader of the output has closed it.
	END
}

say()
{
	printf 'vm.sh: %s\n' "$*" >&2
}

# Exits with 125, as env and timeout do when something kept the command from running.
die()
{
	say "$*"
	exit 125
}

parse_arguments()
{
	while (($#)); do
		case $1 in
		--kernel | --root | --init | --units | --append | --mem | --smp | --accel | --share | --timeout | --console | --qemu)
			(($# > 1)) || die "$1 needs a value; see vm.sh --help"
			set_option "$1" "$2"
			shift
			;;
		--icount) icount=1 ;;
		--gdb) gdb=1 ;;
		--dry-run) dry_run=1 ;;
		-h | --help)
			usage
			exit 0
			;;
		--)
			shift
			command=("$@")
			break
			;;
		*) die "unknown argument '$1' (the command comes after --); see vm.sh --help" ;;
		esac
		shift
	done
}

set_option()
{
	case $1 in
	--kernel) kernel=$2 ;;
	--root) root=$(realpath -e -- "$2") || die "--root $2: no such directory" ;;
	--init) init=$2 ;;
	--units) units=$(realpath -e -- "$2") || die "--units $2: no such directory" ;;
	--append) append+=" $2" ;;
	--mem) mem=$2 ;;
	--smp) smp=$2 ;;
	--accel) accel=$2 ;;
	--share) shares+=("$(realpath -e -- "$2")") || die "--share $2: no such directory" ;;
	--timeout) timeout=$2 ;;
	--console) console=$(realpath -m -- "$2") ;;
	--qemu) qemu_args+=("$2") ;;
	esac
}

check_options()
{
	[[ $smp ]] || smp=$([[ $icount ]] && echo 1 || echo "${HYTRACE_SMP:-2}")
	[[ $smp =~ ^[1-9][0-9]*$ ]] || die "--smp $smp: not a number of CPUs"
	[[ $timeout =~ ^[0-9]+$ ]] || die "--timeout $timeout: not a number of seconds"
	[[ $accel =~ ^(auto|kvm|tcg(,thread=(single|multi))?)$ ]] ||
		die "--accel $accel: neither auto, kvm, tcg, tcg,thread=multi nor tcg,thread=single"
	[[ $accel != tcg,* ]] || thread=${accel#*=} accel=tcg
	if [[ $icount ]]; then
		[[ $accel != kvm ]] || die "--icount counts TCG's instructions; it cannot be used with --accel kvm"
		[[ $thread != multi ]] || die "--icount has one thread; it cannot be used with --accel tcg,thread=multi"
		accel=tcg thread=single
	fi
	local dir
	[[ $root == / || ! $kernel ]] || die "--root boots the kernel that is installed in $root; remove --kernel $kernel"
	[[ $root == / ]] || ((!${#shares[@]})) || die "--root boots a system as it is; remove --share ${shares[0]}"
	[[ ! $init || $init == systemd ]] || die "--init $init: there is only systemd; without --init, COMMAND has no other"
	[[ ! $init || $root == / ]] || die "--root boots the init of $root; remove --init $init"
	[[ ! $units || $init ]] || die "--units $units: only --init systemd has units"
	[[ ! $init || -x $systemd ]] || die "--init systemd: $systemd is not installed; 'make deps' installs what is needed"
	for dir in "${shares[@]}" "$PWD" "$clone" "$cache"; do
		[[ $dir != *$'\n'* ]] || die "$dir: a path with a line break cannot be handed to a guest"
	done
	((${#command[@]})) || [[ $dry_run || (-t 0 && -t 1) ]] ||
		die "there is no command, and no terminal for a shell; give the command after --"
}

need()
{
	local tool
	for tool; do
		PATH=$PATH:/usr/sbin:/sbin type -P "$tool" >/dev/null ||
			die "$tool is not installed; 'make deps' installs what is needed"
	done
}

# --- Which kernel -----------------------------------------------------------------------------

# Uses the image and the modules of a kernel that kernel/build.sh has built. QEMU inherits the lock, which keeps
# build.sh from removing them as old.
find_built()
{
	local version=$1 build lock
	shift
	build=("$here/build.sh" "$@")
	if image=$(known "$version${*:+ $*}") && [[ $image == "$cache"/* ]]; then
		touch -c -- "$image"	# that it was used
		image=$image/$([[ $machine == arm64 ]] && echo Image || echo bzImage)
	else
		image=$(HYTRACE_OTHER_LINUX=$version "${build[@]}" --print-image) ||
			die "kernel '$kernel' is not built; build it with: LINUX=$version ${build[*]}"
	fi
	exec {lock}<"${image%/*}"
	flock -s "$lock"
	find_path "$image"
}

# Uses a bzImage, or a directory of build.sh or of the kernel's own build. The modules are those installed beside it.
find_path()
{
	local tree found
	image=$(realpath -e -- "$1" 2>/dev/null) || die "--kernel $1: neither a known name nor a path"
	if [[ -d $image ]]; then
		tree=$image
		image=$tree/bzImage
		[[ -e $image ]] || image=$tree/arch/x86/boot/bzImage
	fi
	[[ -r $image ]] || die "$image: not there or not readable; has that kernel been built?"
	tree=${image%/*}
	tree=${tree%/arch/x86/boot}
	found=("$tree"/lib/modules/*/)
	[[ ! -d ${found[0]} ]] || modules=${found[0]%/}
}

# Uses the newest kernel that is installed in --root.
find_installed()
{
	image=$(printf '%s\n' "$root"/boot/vmlinuz-* | sort -V | tail -n 1)
	[[ -r $image ]] || die "--root $root: no kernel is installed there in boot/"
	modules=$root/lib/modules/${image##*/vmlinuz-}
	initrd=$root/boot/initrd.img-${image##*/vmlinuz-}
	[[ -r $initrd ]] || die "$initrd: not there or not readable; initramfs-tools makes it"
}

find_kernel()
{
	local name version
	if [[ $root != / ]]; then
		find_installed
		return
	fi
	name=${kernel:-patched} version=${LINUX:-6.12}
	if [[ $name =~ ^(.*)-([0-9]+\.[0-9]+)$ && ! -e $name ]]; then
		name=${BASH_REMATCH[1]} version=${BASH_REMATCH[2]}
	fi
	case $name in
	patched) find_built "$version" ;;
	patched-i386 | patched-arm64 | stock-i386 | stock-arm64)
		[[ ! $init ]] || die "--init systemd: only guests of this machine's kind have its systemd"
		choose_machine "${name##*-}"
		find_root_of_machine
		if [[ $name == stock-* ]]; then
			find_stock "$name"
		else
			find_built "$version" "--arch=$machine"
		fi
		;;
	debug | kcsan | selftest) find_built "$version" "--$name" ;;
	unpatched) find_built "$version" --unpatched ;;
	unpatched-debug | unpatched-kcsan | unpatched-selftest)
		find_built "$version" --unpatched "--${name#unpatched-}"
		;;
	stock)
		[[ ${stock_kernels[stock-$version]:-} ]] ||
			die "--kernel $kernel: there are $(printf '%s\n' "${!stock_kernels[@]}" | sort -V | xargs)"
		find_stock "stock-$version"
		;;
	*) find_path "$kernel" ;;
	esac
}

# --- The initramfs ----------------------------------------------------------------------------

# Prints the module files that the guest must load before it can mount its root, in order. A kernel that has them
# built in, or has no modules, needs none.
needed_modules()
{
	local module root
	[[ $modules ]] || return 0
	root=${modules%/lib/modules/*}
	for module in virtio_pci virtio_console 9pnet_virtio 9p overlay; do
		PATH=$PATH:/usr/sbin:/sbin modprobe -d "$root" -S "${modules##*/}" \
			--show-depends "$module" 2>/dev/null || true
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

# Appends the current directory's files to stdout, as an archive that the kernel unpacks.
pack()
{
	find . -mindepth 1 -print0 | LC_ALL=C sort -z | cpio -0 -o -H newc -R 0:0 --quiet
}

build_initramfs()
{
	local dir=$1 file name
	shift
	mkdir -p "$dir"/{bin,modules,dev}
	cp "$busybox" "$dir/bin/busybox"
	cp "$here/vm-init.sh" "$dir/init"
	ln -s busybox "$dir/bin/sh"
	chmod 755 "$dir/init" "$dir/bin/busybox"
	for file; do
		name=$(basename "${file%.xz}")
		if [[ $file == *.xz ]]; then
			xz -dc "$file" >"$dir/modules/$name"
		else
			cp "$file" "$dir/modules/$name"
		fi
		echo "$name" >>"$dir/modules/order"
	done
	(cd "$dir" && pack)
}

# Sets `base` to the part that does not depend on the command. Makes it if it is not in the cache.
find_base_initramfs()
{
	local list=() key tmp
	mapfile -t list < <(needed_modules)
	key=$({ declare -f build_initramfs pack; cat "$here/vm-init.sh" "$busybox"
		((!${#list[@]})) || stat -c '%n %s %Y' "${list[@]}"; } | sha256sum | cut -c1-16)
	base=$cache/initramfs/$key.cpio
	[[ ! -e $base ]] || return 0
	# Removes files of runs that were killed while they wrote here.
	find "$cache/initramfs" -name '*.cpio.*' -mmin +60 -delete
	build_initramfs "$run/base" "${list[@]}" >"$base.$$"
	mv "$base.$$" "$base"
}

# Quotes a string for the guest's sh.
quote()
{
	printf "'%s'" "${1//\'/\'\\\'\'}"
}

write_command()
{
	local name
	echo "export HOME=/root USER=root LOGNAME=root SHELL=/bin/bash"
	printf 'export PATH=%q\n' "$PATH:/usr/local/sbin:/usr/sbin:/sbin"
	printf 'export HYTRACE_CACHE=%q\n' "$cache"
	# A command does without the caller's locale: each program that it starts would open a dozen files for it.
	for name in TERM TZ $( ((${#command[@]})) || echo LANG LC_ALL COLORTERM); do
		[[ ! -v $name ]] || printf 'export %s=%q\n' "$name" "${!name}"
	done
	printf 'cd -- %q || exit 125\n' "$([[ $root == / ]] && echo "$PWD" || echo /)"
	if ((${#command[@]})); then
		printf 'exec --'
		printf ' %q' "${command[@]}"
		echo
	else
		echo 'exec bash -i'
	fi
}

# Writes the files that the guest reads under /hytrace; see vm-init.sh.
write_guest_files()
{
	local dir=$1 terminal='' rows columns
	mkdir -p "$dir"
	write_command >"$dir/cmd"
	: >"$dir/shares"
	((!${#shares[@]})) || printf '%s\n' "${shares[@]}" >"$dir/shares"
	[[ ! $units ]] || cp -r -- "$units" "$dir/units" || die "cannot copy $units"
	: >"$dir/binds"
	[[ $root != / ]] || printf '%s\n' "$clone" "$cache" "$PWD" | sort -u >"$dir/binds"
	if ! ((${#command[@]})); then
		read -r rows columns < <(stty size)
		terminal="rows $rows cols $columns"
	fi
	cat >"$dir/vars" <<-END
	modules=$([[ $root != / ]] || quote "$modules")
	machine=$machine
	systemd=$([[ ! $init ]] || quote "$systemd")
	terminal=$(quote "$terminal")
	trailer=$(quote "$trailer")
	END
}

# Copies the system of --root to a disk, and adds /hytrace: what the guest reads, and the two programs that read it.
write_disk()
{
	local size file PATH=$PATH:/usr/sbin:/sbin
	size=$(du -sxm -- "$root" | cut -f1)
	mkfs.ext4 -q -F -d "$root" "$run/disk" "$((size * 3 / 2 + 512))M" >"$run/mkfs.log" 2>&1 || {
		cat "$run/mkfs.log" >&2
		die "cannot copy $root to $run/disk; is the disk full?"
	}
	cp "$here/vm-init.sh" "$run/own/hytrace/init"
	cp "$busybox" "$run/own/hytrace/busybox"
	{
		echo 'mkdir /hytrace'
		for file in "$run"/own/hytrace/*; do
			echo "write \"$file\" /hytrace/${file##*/}"
		done
	} | debugfs -w -f - "$run/disk" >"$run/debugfs.log" 2>&1
	# Its status is 0 in any case.
	for file in "$run"/own/hytrace/*; do
		debugfs -R "cat /hytrace/${file##*/}" "$run/disk" 2>/dev/null | cmp -s - "$file" || {
			cat "$run/debugfs.log" >&2
			die "cannot write /hytrace/${file##*/} to the copy of $root"
		}
	done
}

write_initramfs()
{
	{
		cat "$base"
		cd "$run/own" && pack
	} >"$run/initramfs"
}

# --- QEMU -------------------------------------------------------------------------------------

# Before 8.1, QEMU fails if kernel text changes while another thread executes it: the guest dies of "Oops: int3". So
# there all CPUs share a thread.
choose_thread()
{
	local version

	version=$("$system" --version | sed -n '1s/.*version \([0-9]*\.[0-9]*\).*/\1/p')
	[[ $version ]] || die "$system --version names no version; is it QEMU?"
	if printf '%s\n' 8.1 "$version" | sort -CV; then
		thread=${thread:-multi}
	elif [[ $thread == multi ]]; then
		die "--accel tcg,thread=multi needs QEMU 8.1, and $system is $version; HYTRACE_QEMU= names another"
	else
		thread=single
	fi
}

# The accelerator's arguments. la57 would only make TCG's page walks longer. With erms, the kernel copies by `rep
# movsb`, which TCG emulates byte by byte. But with --icount erms stays, so that the figures are those of other
# machines.
accel_arguments()
{
	[[ $icount || $board != pc ]] || cpu+=,erms=off
	if [[ $1 == kvm ]]; then
		printf '%s\n' -accel kvm -cpu host
	else
		printf '%s\n' -accel "tcg,thread=$thread" -cpu "$cpu"
	fi
}

# The probe boots the same kernel as the run, because /dev/kvm may open and start a guest that then hangs. This takes
# seconds, so the answer is kept until the next boot of this machine.
probe_kvm()
{
	local answer file args
	file=$cache/kvm-$(</proc/sys/kernel/random/boot_id)
	[[ ! -r $file ]] || {
		cat "$file"
		return
	}
	[[ -r /dev/kvm && -w /dev/kvm ]] || {
		echo tcg
		return
	}
	mapfile -t args < <(accel_arguments kvm)
	answer=tcg
	# In a group, so that the shell's message about a QEMU that aborts goes to the log as well.
	{
		timeout -k 1 "$probe_seconds" "$system" -nodefaults -no-user-config \
			-display none -no-reboot "${args[@]}" -m 256M -serial "file:$run/probe" \
			-kernel "$image" -initrd "$base" \
			-append 'console=ttyS0 quiet panic=-1 hytrace.probe' </dev/null || true
	} >"$run/probe.log" 2>&1
	! grep -qs 'hytrace: the guest is up' "$run/probe" || answer=kvm
	rm -f "$cache"/kvm-*
	echo "$answer" >"$file.$$" && mv "$file.$$" "$file"
	echo "$answer"
}

choose_accel()
{
	[[ $accel == auto ]] || return 0
	if [[ $dry_run ]]; then
		# Nothing is booted here. Without a known answer, prints what is used if KVM does not work.
		accel=$(cat "$cache/kvm-$(</proc/sys/kernel/random/boot_id)" 2>/dev/null || echo tcg)
		return
	fi
	accel=$( (flock 9; probe_kvm) 9>"$cache/.kvm-lock")
}

kernel_command_line()
{
	# Warnings and more severe messages go to the console, which is shown if the guest dies. An oops ends the
	# guest, because the command might otherwise go on and pass.
	local line="console=$terminal earlyprintk=$terminal loglevel=5 panic=-1 oops=panic"
	[[ $accel == kvm ]] || line+=' no_timer_check tsc=reliable'
	# That kernel does not know that it is a guest: when the host is busy, its timer seems not to work.
	[[ $machine != i386 ]] || line+=' no_timer_check'
	[[ ! $gdb ]] || line+=' nokaslr'
	if [[ $root != / ]]; then
		line+=' root=/dev/vda rw systemd.unit=multi-user.target systemd.wants=kernel-command-line.service'
		line+=' systemd.run="/hytrace/busybox sh /hytrace/init service"'
	fi
	# No login takes the terminal of the command.
	[[ $root == / && ! $init ]] || line+=' systemd.mask=serial-getty@hvc0.service'
	# This machine's disks are not there, and the console's device is there only if udev is installed. If systemd
	# fails, the guest ends.
	[[ ! $init ]] || line+=' fstab=no systemd.mask=serial-getty@ttyS0.service systemd.crash_reboot'
	printf '%s' "$line$append"
}

# In a value for QEMU, a comma ends it, and two commas stand for one.
escape()
{
	printf '%s' "${1//,/,,}"
}

share_argument()
{
	printf 'local,path=%s,mount_tag=%s,security_model=none,multidevs=remap%s' "$(escape "$1")" "$2" "$3"
}

add_port()
{
	qemu+=(-chardev "pipe,id=$1,path=$(escape "$run/$1")"
		-device "virtserialport,chardev=$1,name=hytrace.$1")
}

# Can the kernel be entered in 64-bit mode? This is bit 0 of xloadflags, see Documentation/arch/x86/boot.rst.
image_is_64bit()
{
	(($(od -An -tu2 -j 0x236 -N 2 -- "$image") & 1))
}

qemu_command()
{
	local args index=0 dir
	[[ $machine ]] || image_is_64bit || system=${system/%x86_64/i386}
	[[ $accel == kvm || $thread == single ]] || choose_thread
	mapfile -t args < <(accel_arguments "$accel")
	qemu=("$system" -nodefaults -no-user-config -display none -machine "$board" "${args[@]}"
		-smp "$smp" -m "$mem" -no-reboot
		-kernel "$image" -initrd "${initrd:-$run/initramfs}" -append "$(kernel_command_line)"
		-serial "file:$(escape "$console")"
		-device virtio-serial-pci)
	if [[ $root == / ]]; then
		qemu+=(-virtfs "$(share_argument / host ,readonly=on)")
		[[ ! $machine ]] || qemu+=(-virtfs "$(share_argument "$root_of_machine" machine ,readonly=on)")
	else
		qemu+=(-drive "file=$(escape "$run/disk"),format=raw,if=virtio,cache=unsafe")
	fi
	add_port ctl
	add_port out
	add_port err
	((${#command[@]})) || qemu+=(-chardev 'stdio,id=term,signal=off' -device 'virtconsole,chardev=term')
	for dir in "${shares[@]}"; do
		qemu+=(-virtfs "$(share_argument "$dir" "share$index" '')")
		index=$((index + 1))
	done
	[[ ! $icount ]] || qemu+=(-icount 'shift=0,sleep=off')
	[[ ! $gdb ]] || qemu+=(-gdb tcp:localhost:1234 -S)
	qemu+=("${qemu_args[@]}")
}

# --- Running the guest ------------------------------------------------------------------------

# Copies stdin to stdout until the trailer. Exit status: 0 if it came; 3 if the guest ended before. If our reader has
# closed its end, it dies of SIGPIPE or exits with 1.
relay()
{
	exec perl -e '
		my ($end, $held) = ($ARGV[0], "");
		$SIG{PIPE} = "DEFAULT";
		sub put {
			my ($data, $done) = ($_[0], 0);
			while ($done < length $data) {
				my $n = syswrite(STDOUT, $data, length($data) - $done, $done);
				defined $n or die "vm.sh: cannot write the output: $!\n";
				$done += $n;
			}
		}
		while (sysread(STDIN, my $data, 1 << 16)) {
			$held .= $data;
			if (substr($held, -length $end) eq $end) {
				put(substr($held, 0, -length $end));
				exit 0;
			}
			# Hold back only bytes that may be the beginning of the trailer.
			my $keep = length $held < length $end ? length $held : length($end) - 1;
			$keep-- while $keep && substr($held, -$keep) ne substr($end, 0, $keep);
			put(substr($held, 0, length($held) - $keep, ""));
		}
		put($held);
		exit 3;' -- "$trailer"
}

# Notes what the guest reports. Exit status: 0 if the command has ended; 3 if the guest ended before.
follow_control()
{
	local word rest
	while read -r word rest; do
		case $word in
		start) : >"$run/started" ;;
		fail) printf '%s\n' "$rest" >"$run/failure" ;;
		exit)
			printf '%s\n' "$rest" >"$run/status"
			exit 0
			;;
		esac
	done
	exit 3
}

note_job()
{
	jobs[$2]=$1
	pids[$1]=$2
}

start_readers()
{
	mkfifo "$run"/{ctl,out,err}.{in,out}
	follow_control <"$run/ctl.out" &
	note_job ctl $!
	relay <"$run/out.out" &
	note_job out $!
	relay <"$run/err.out" >&2 &
	note_job err $!
}

# QEMU and the timer are killed when this script ends, however it ends; the readers end when QEMU has ended.
start_qemu()
{
	exec 8</dev/null 9>"$run/qemu.out"
	((${#command[@]})) || exec 8<&0 9>&1
	setpriv --pdeathsig KILL "${qemu[@]}" <&8 >&9 2>"$run/qemu.log" 8<&- 9>&- &
	note_job qemu $!
	exec 8<&- 9>&-
	((!timeout)) || {
		setpriv --pdeathsig KILL sleep "$timeout" </dev/null >/dev/null 2>&1 &
		note_job timer $!
	}
}

stop_qemu()
{
	local guard pid=${pids[qemu]:-}
	[[ $pid && ${jobs[$pid]:-} ]] || return 0
	unset "jobs[$pid]"
	# TERM comes first, because QEMU's plugins write their results when it exits. The guard is a single process,
	# so no child of it is left. It is waited for by its id: from a trap both may have ended already, and wait -n
	# would then wait for the timer.
	kill -TERM "$pid" 2>/dev/null || true
	perl -e 'sleep 5; kill "KILL", $ARGV[0]' "$pid" </dev/null >/dev/null 2>&1 &
	guard=$!
	wait "$pid" 2>/dev/null || true
	kill -KILL "$guard" 2>/dev/null || true
	wait "$guard" 2>/dev/null || true
}

cleanup()
{
	local pid
	trap '' INT TERM HUP
	stop_qemu
	for pid in "${!jobs[@]}"; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	[[ ! $terminal_state ]] || stty "$terminal_state" || true
	[[ ! $run ]] || rm -rf "$run"
}

# Waits for the next job to end, and sets `pid` and `code`. If a signal ends a job while the end of another is waited
# for, bash says so and forgets it: `wait -n` would not return for it. So this looks before it waits, and at the readers
# first: if they have all there is, it does not matter that QEMU has ended since.
next_end()
{
	local name

	code=0
	for name in ctl out err qemu timer; do
		pid=${pids[$name]:-}
		[[ $pid && ${jobs[$pid]:-} ]] || continue
		kill -0 "$pid" 2>/dev/null && continue
		wait "$pid" 2>/dev/null || code=$?
		return
	done
	wait -n -p pid "${!jobs[@]}" || code=$?
}

# Waits for jobs to end until there is an outcome, and prints nothing. Sets `outcome` to done, gone (the guest ended
# too early), timeout, or closed (nobody reads our output).
supervise()
{
	local pid name code waiting=3
	outcome=
	while [[ ! $outcome ]]; do
		next_end
		name=${jobs[$pid]}
		unset "jobs[$pid]"
		case $name:$code in
		timer:*) outcome=timeout ;;
		qemu:*) outcome=gone ;;
		*:0) ((--waiting)) || outcome='done' ;;
		*:3) ;; # QEMU has closed the FIFO and is about to end.
		*) outcome=closed ;;
		esac
	done
}

# Lets the relays copy what is still in the FIFOs. Opens a FIFO that QEMU never opened, because its reader would wait
# for ever.
drain()
{
	local name pid
	for name in ctl out err; do
		pid=${pids[$name]}
		[[ ${jobs[$pid]:-} ]] || continue
		{ :; } 9<>"$run/$name.out"
		wait "$pid" 2>/dev/null || true
		unset "jobs[$pid]"
	done
}

report_death()
{
	local what='the guest ended before the command had run'
	[[ ! -e $run/started ]] || what='the guest died while the command ran'
	[[ ! -s $run/failure ]] || what="the guest did not get ready: $(<"$run/failure")"
	sed '/terminating on signal/d; s/^/vm.sh: /' "$run/qemu.log" >&2
	say "$what"
	if [[ -s $console ]]; then
		say 'the end of its console:'
		tail -n 60 "$console" | tr -d '\r' >&2
	fi
}

conclude()
{
	case $outcome in
	done)
		stop_qemu
		exit "$(<"$run/status")"
		;;
	timeout)
		stop_qemu
		drain
		say "the guest was ended after $timeout s (see --timeout)"
		[[ -e $run/started ]] || report_death
		exit 124
		;;
	closed) exit 141 ;;
	gone)
		drain
		report_death
		exit 125
		;;
	esac
}

prepare_run()
{
	mkdir -p "$cache"/{stock,initramfs} || die "cannot make $cache; HYTRACE_CACHE= names another place"
	run=$(mktemp -d "${TMPDIR:-/tmp}/hytrace-vm.XXXXXX") || die "cannot make a temporary directory"
	[[ $console ]] || console=$run/console
	trailer=$'\001'$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
}

main()
{
	parse_arguments "$@"
	check_options
	[[ ! ${HYTRACE_QEMU:-} || -x $(type -P "$system") ]] || die "HYTRACE_QEMU=$system: no such program"
	need busybox cpio setpriv perl modprobe
	[[ $root == / ]] || need mkfs.ext4 debugfs
	trap cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
	prepare_run
	busybox=$(type -P busybox)
	find_kernel
	need "$system"
	find_base_initramfs
	choose_accel
	qemu_command
	if [[ $dry_run ]]; then
		printf '%q ' "${qemu[@]}"
		echo
		exit 0
	fi
	mkdir -p "$run/own"
	write_guest_files "$run/own/hytrace"
	if [[ $root == / ]]; then
		write_initramfs
	else
		write_disk
	fi
	((${#command[@]})) || {
		timeout=0
		terminal_state=$(stty -g)
	}
	[[ ! $gdb ]] || {
		timeout=0
		say "waiting for gdb: target remote localhost:1234"
	}
	start_readers
	start_qemu
	supervise
	conclude
}

main "$@"
