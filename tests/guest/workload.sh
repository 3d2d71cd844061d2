#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A small workload that goes through much of the kernel: ext4 on a loop device, pipes, sockets, processes and a
# module. The main job covers it, and so do tests that need real work. Runs as root; leaves nothing behind.
#
# usage: workload.sh [PART]...	all parts, or these
set -euo pipefail

dir=$(mktemp -d)
mounted=
trap '[ -z "$mounted" ] || umount "$dir/mnt"; rm -rf "$dir"' EXIT

ext4() {
	truncate -s 32M "$dir/disk"
	mkfs.ext4 -q -F "$dir/disk"
	mkdir "$dir/mnt"
	mount -o loop "$dir/disk" "$dir/mnt"
	mounted=1
	cp -r /etc/init.d "$dir/mnt/copy"
	ln -s copy "$dir/mnt/link"
	echo data >"$dir/mnt/file"
	ln "$dir/mnt/file" "$dir/mnt/hard"
	mv "$dir/mnt/copy" "$dir/mnt/moved"
	dd if=/dev/zero of="$dir/mnt/zero" bs=64k count=20 conv=fsync status=none
	truncate -s 1000 "$dir/mnt/zero"
	find "$dir/mnt" -type f -exec cat {} + >/dev/null
	rm -rf "$dir/mnt/moved"
	sync -f "$dir/mnt"
	umount "$dir/mnt"
	mounted=
}

pipes() {
	seq 2000 | sort -rn | tail -n 1 | grep -qx 1
	mkfifo "$dir/fifo"
	echo one >"$dir/fifo" &
	grep -qx one "$dir/fifo"
	wait $!
}

# Sends one message there and back, over a Unix socket pair and over TCP on the loopback device.
sockets() {
	perl -MSocket -e '
		socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) or die "socketpair: $!";
		syswrite($a, "ping\n"); sysread($b, my $x, 5) == 5 or die "unix: $!";

		socket(my $l, AF_INET, SOCK_STREAM, 0) or die "socket: $!";
		bind($l, sockaddr_in(0, INADDR_LOOPBACK)) or die "bind: $!";
		listen($l, 1) or die "listen: $!";
		my ($port) = sockaddr_in(getsockname($l));
		defined(my $pid = fork) or die "fork: $!";
		if (!$pid) {
			accept(my $c, $l) or die "accept: $!";
			sysread($c, my $m, 5); syswrite($c, $m);
			exit 0;
		}
		socket(my $s, AF_INET, SOCK_STREAM, 0) or die "socket: $!";
		connect($s, sockaddr_in($port, INADDR_LOOPBACK)) or die "connect: $!";
		syswrite($s, "ping\n"); sysread($s, my $y, 5) == 5 or die "tcp: $!";
		waitpid($pid, 0); exit($? >> 8);
	'
}

processes() {
	local i
	for i in 1 2 3 4 5; do
		sh -c 'exit 0'
		(exit "$i") || true
	done
	nice -n 5 true
	unshare --net --mount --pid --fork true
	timeout 0.05 sleep 5 || [ $? -eq 124 ]
}

module() {
	# It may be there already.
	modprobe dummy numdummies=0
	ip link add hytrace0 type dummy
	ip link set hytrace0 up
	ip link del hytrace0
	# A tracer that has attached to the module may still hold it.
	rmmod dummy || [ "$(cat /sys/module/dummy/refcnt)" -gt 0 ]
}

(($#)) || set -- ext4 pipes sockets processes module
for part; do
	$part
done
