# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # what vm.sh sets and uses
#
# Guests of other machines than x86-64: their QEMU, and a root file system of Debian's packages for that machine. These
# are only unpacked: nothing of them runs on this machine, and no program has to be registered for their format. Sourced
# by vm.sh.
#
#   $cache/roots/MACHINE-KEY     a root; KEY is a hash of this file
#
# A root appears there complete or not at all, and is never written again.

# What the kernel's ftracetest and inside.sh call, with the libraries that these programs need.
machine_packages=(
	libc6 libc-bin libgcc-s1 busybox-static dash bash libtinfo6 coreutils libacl1 libattr1 libgmp10 libselinux1 libpcre2-8-0
	sed grep mawk findutils diffutils
	util-linux mount libblkid1 libcap-ng0 libcrypt1 libmount1 libsmartcols1 libudev1 libuuid1 libsystemd0
	kmod libkmod2 liblzma5 libzstd1 libssl3
	procps libproc2-0 libncursesw6
)

# choose_machine NAME: sets $system, $board, $terminal and $cpu.
choose_machine()
{
	machine=$1
	case $machine in
	i386) system=${HYTRACE_QEMU:-qemu-system-i386} ;;
	arm64)
		system=${HYTRACE_QEMU:-qemu-system-aarch64} board=virt terminal=ttyAMA0 cpu=cortex-a57
		[[ $(uname -m) == aarch64 || $accel == tcg ]] || {
			[[ $accel == auto ]] || die "--accel $accel: this machine cannot run a guest of $machine by it"
			accel=tcg
		}
		;;
	esac
}

# Sets $root_of_machine and $busybox, and unpacks the root if it is not there.
find_root_of_machine()
{
	local group=bookworm-$machine
	root_of_machine=$cache/roots/$machine-$(sha256sum <"$here/machine.sh" | cut -c1-16)
	busybox=$root_of_machine/bin/busybox
	mkdir -p "$cache/roots" || die "cannot make $cache/roots; HYTRACE_CACHE= names another place"
	(flock 9; [[ -d $root_of_machine ]] || unpack_root "$group" "$root_of_machine") 9>"$cache/roots/.lock" || exit
}

unpack_root()
{
	local group=$1 dir=$2 tmp name

	need apt-get dpkg
	say "fetching Debian's packages for $machine (about 20 MB, once)"
	tmp=$(mktemp -d "$dir.XXXXXX") || exit
	# shellcheck disable=SC2064 # this tmp
	trap "rm -rf '$tmp'" EXIT
	mkdir -p "$tmp"/{dev,etc,proc,root,run,sys,tmp,usr/lib/modules,var/tmp}
	if ! debian_update "$group" || ! debian_unpack "$group" "$tmp" "${machine_packages[@]}"; then
		die "cannot fetch Debian's packages for $machine; is there a network, and room in $cache?"
	fi
	# dpkg makes directories of these; an installed system has links.
	for name in bin sbin lib; do
		mkdir -p "$tmp/$name" "$tmp/usr/$name"
		cp -a "$tmp/$name/." "$tmp/usr/$name/" && rm -r "${tmp:?}/$name" && ln -s "usr/$name" "$tmp/$name" || exit
	done
	ln -sf mawk "$tmp/usr/bin/awk"
	ln -sf dash "$tmp/usr/bin/sh"
	echo 'root:x:0:0:root:/root:/bin/bash' >"$tmp/etc/passwd"
	echo 'root:x:0:' >"$tmp/etc/group"
	chmod 755 "$tmp"
	mv -T "$tmp" "$dir" || die "cannot make $dir"
	trap - EXIT
	# Of older versions of this file.
	find "$cache/roots" -mindepth 1 -maxdepth 1 -name "$machine-*" ! -path "$dir" -mmin +1440 -exec rm -rf {} +
}
