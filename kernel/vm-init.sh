#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC1091,SC2086,SC2154 # vars is sourced; lists are split on purpose
#
# Process 1 of the guests that kernel/vm.sh starts. It runs twice: first in the initramfs, where it builds the root
# file system, and then in that root, where it runs the command. Both times the static busybox of the initramfs runs
# it, so that nothing depends on the root that it builds. With vm.sh's --init systemd, systemd is process 1 in that root,
# and runs this as a service, only for the command. So does a system that vm.sh's --root names, which boots by itself.
#
#   lower   the host's root over 9p, read-only
#   machine the root of another machine than the host's; the directories of the host that must be there are overlays
#           as well
#   root    an overlay of the root with a tmpfs, so that all of it can be written and nothing is kept
#   /tmp    and /run are empty; directories below them that must be there (the clone, the cache, the
#           current directory) are bound in from the overlay
#   shares  9p mounts of their own, writable, at their own paths
#
# vm.sh appends /hytrace to the initramfs, or puts it on the disk of --root: vars (shell variables), cmd (a bash script
# that becomes the command), binds and shares (paths, one a line), and the directory units. There are three virtio-serial ports to vm.sh.
# hytrace.out and hytrace.err carry the command's output, and end with a trailer that only vm.sh knows; so it can tell
# the end of the output from the end of the guest. hytrace.ctl carries "start" and then "exit STATUS", or "fail WHY".
# vm.sh ends the guest; this script only waits for that.

state=/run/hytrace

say()
{
	echo "vm-init: $*" >/dev/console
}

fail()
{
	say "$*"
	[ -z "$ctl" ] || echo "fail $*" >"$ctl"
	# Process 1 ends, the kernel panics, and vm.sh sees a dead guest, which can never be taken for a pass.
	exit 1
}

# A message from the host gives the ports their names, some time after the driver has found them.
find_port()
{
	tries=0
	while [ $tries -lt 200 ]; do
		for port in /sys/class/virtio-ports/*; do
			[ -e "$port/name" ] || continue
			read -r name <"$port/name"
			if [ "$name" = "$1" ] && [ -e "/dev/${port##*/}" ]; then
				echo "/dev/${port##*/}"
				return 0
			fi
		done
		usleep 10000
		tries=$((tries + 1))
	done
	return 1
}

load_modules()
{
	[ ! -f /modules/order ] || while read -r module; do
		insmod "/modules/$module" || fail "cannot load the module $module"
	done </modules/order
}

mount_9p()
{
	mount -t 9p -o "trans=virtio,version=9p2000.L,msize=1048576,$3" "$1" "$2"
}

build_root()
{
	mkdir -p /lower /overlay /root
	mount_9p host /lower cache=loose,ro || fail "cannot mount the host's root over 9p"
	mount -t tmpfs -o mode=755 overlay /overlay || fail "cannot mount a tmpfs"
	if [ -z "$machine" ]; then
		mount_overlay /lower /root
		return
	fi
	mkdir /machine
	mount_9p machine /machine cache=loose,ro || fail "cannot mount the machine's root over 9p"
	mount_overlay /machine /root
	while read -r dir; do
		mkdir -p "/root$dir"
		mount_overlay "/lower$dir" "/root$dir"
	done </hytrace/binds
}

# mount_overlay LOWER DIR: what is written there stays in memory.
mount_overlay()
{
	upper=$(mktemp -d /overlay/XXXXXX)
	mkdir "$upper/upper" "$upper/work"
	chmod 755 "$upper/upper"
	mount -t overlay -o "lowerdir=$1,upperdir=$upper/upper,workdir=$upper/work" root "$2" ||
		fail "cannot mount the overlay of $2"
}

# mount_fresh DIR MODE DIRECTORY...: makes an empty directory, and mounts it over /root/DIR only after the
# directories below that have been bound into it.
mount_fresh()
{
	mkdir -p "/fresh/$1" "/root/$1"
	mount -t tmpfs -o "mode=$2" "${1##*/}" "/fresh/$1" || fail "cannot mount a tmpfs"
	while read -r dir; do
		case $dir in
		"/$1"/*)
			mkdir -p "/fresh$dir"
			mount -o bind "/root$dir" "/fresh$dir" || fail "cannot bind $dir"
			;;
		esac
	done </hytrace/binds
	mount -o move "/fresh/$1" "/root/$1" || fail "cannot move the tmpfs to /$1"
}

mount_system()
{
	mkdir -p /dev/pts /dev/shm
	mount -t devpts -o mode=620,ptmxmode=666 devpts /dev/pts
	mount -t tmpfs -o mode=1777 shm /dev/shm
	ln -sf /proc/self/fd /dev/fd
	ln -sf /proc/self/fd/0 /dev/stdin
	ln -sf /proc/self/fd/1 /dev/stdout
	ln -sf /proc/self/fd/2 /dev/stderr
	[ -n "$systemd" ] || mount_more
	# proc comes last: without it, sh does not find the other commands of busybox.
	for dir in sys dev proc; do
		mkdir -p "/root/$dir"
		/bin/busybox mount -o move "/$dir" "/root/$dir" || fail "cannot move /$dir"
	done
}

# Not every kernel has all of these. A command that needs a missing one says so itself. systemd mounts them by itself.
mount_more()
{
	mount -t cgroup2 cgroup2 /sys/fs/cgroup 2>/dev/null
	mount -t bpf bpf /sys/fs/bpf 2>/dev/null
	mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
	mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
	mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
}

# The command's service is started when the default target has been reached, and does not delay it.
prepare_systemd()
{
	units=/root/run/systemd/system
	mkdir -p "$units/default.target.wants" /root/etc/tmpfiles.d
	cat >"$units/hytrace-command.service" <<-END
	[Unit]
	Description=The command of vm.sh
	After=default.target
	# This service never ends as long as the guest can be trusted.
	SuccessAction=poweroff-force
	FailureAction=poweroff-force

	[Service]
	ExecStart=$state/busybox sh $state/init service
	TasksMax=infinity
	LimitNOFILE=1048576
	END
	[ ! -d /hytrace/units ] || cp -r /hytrace/units/. "$units/"
	for unit in "$units"/*.*; do
		[ -d "$unit" ] || ln -s "../${unit##*/}" "$units/default.target.wants/"
	done
	# What is in /tmp was put there for the command; systemd would remove it as left by the last boot.
	ln -sf /dev/null /root/etc/tmpfiles.d/tmp.conf
	# If this machine is a container, the guest still is none. systemd looks for these.
	rm -f /root/.dockerenv
}

mount_modules()
{
	[ -n "$modules" ] || return 0
	mkdir -p "/root/usr/lib/modules/$(uname -r)"
	mount -o bind "/root$modules" "/root/usr/lib/modules/$(uname -r)" ||
		fail "cannot bind the modules at $modules"
}

mount_shares()
{
	index=0
	while read -r dir; do
		mkdir -p "/root$dir" || fail "cannot make $dir"
		mount_9p "share$index" "/root$dir" cache=mmap || fail "cannot mount the share $dir"
		index=$((index + 1))
	done </hytrace/shares
}

first_stage()
{
	mkdir -p /proc /sys /dev
	# Until /proc is mounted, busybox's sh does not find its other commands by itself.
	/bin/busybox mount -t proc proc /proc
	mount -t devtmpfs devtmpfs /dev
	mount -t sysfs sysfs /sys
	exec </dev/null >/dev/console 2>&1
	if grep -qw hytrace.probe /proc/cmdline; then
		echo "hytrace: the guest is up"
		poweroff -f
	fi
	. /hytrace/vars
	load_modules
	ctl=$(find_port hytrace.ctl) || fail "there is no port hytrace.ctl"
	build_root
	mount_modules
	mount_fresh tmp 1777
	mount_fresh run 755
	mount_shares
	mkdir -p "/root$state" /root/run/lock
	cp /bin/busybox /init "/root$state/"
	cp -r /hytrace/. "/root$state/"
	[ -z "$systemd" ] || prepare_systemd
	mount_system
	[ -z "$systemd" ] || exec /bin/busybox switch_root /root "$systemd"
	exec /bin/busybox switch_root /root "$state/busybox" sh "$state/init" second
}

# Kills all processes except process 1, the kernel's threads and the given processes. In a service, only its own.
kill_all_but()
{
	found=
	for dir in /proc/[0-9]*; do
		pid=${dir#/proc/}
		case " 1 $$ $* " in *" $pid "*) continue ;; esac
		# The kernel's threads have no executable.
		[ -e "$dir/exe" ] || continue
		[ -z "$service" ] || grep -qsxF "$service" "$dir/cgroup" || continue
		kill -KILL "$pid" 2>/dev/null && found=1
	done
	[ -n "$found" ]
}

# The command writes to a FIFO and not to the port, because a port can be opened only once at a time, and /dev/stderr
# must work.
start_relay()
{
	mkfifo "$state/$1"
	cat <"$state/$1" >"$2" &
}

run_command()
{
	start_relay out "$out"
	relays=$!
	start_relay err "$err"
	relays="$relays $!"
	echo start >"$ctl"
	# These stay open, so that the relays see no end before the command has ended.
	exec 3>"$state/out" 4>"$state/err"
	if [ -n "$terminal" ]; then
		# The terminal forgets its size when it is closed.
		exec 5<>/dev/hvc0
		stty -F /dev/hvc0 $terminal
		setsid -c /bin/bash "$state/cmd" <&5 >&5 2>&5 3>&- 4>&- 5>&-
		exec 5>&-
	else
		setsid /bin/bash "$state/cmd" </dev/null >&3 2>&4 3>&- 4>&-
	fi
	status=$?
	exec 3>&- 4>&-
	# As long as processes that the command left behind hold the FIFOs, the relays never see the end.
	while kill_all_but $relays; do
		usleep 10000
	done
	wait $relays
	printf '%s' "$trailer" >"$out"
	printf '%s' "$trailer" >"$err"
}

# A service that ends would end the guest.
service_stage()
{
	if [ -d /hytrace ]; then
		mkdir -p "$state"
		cp /hytrace/* "$state/"
	else
		# The default target has been reached. systemd calls the boot complete when nothing else is being started.
		systemctl is-system-running --wait >/dev/null 2>&1
	fi
	service=$(cat /proc/self/cgroup)
	second_stage
}

second_stage()
{
	. "$state/vars"
	ctl=$(find_port hytrace.ctl) || fail "there is no port hytrace.ctl"
	out=$(find_port hytrace.out) || fail "there is no port hytrace.out"
	err=$(find_port hytrace.err) || fail "there is no port hytrace.err"
	if [ -z "$service" ]; then
		hostname hytrace
		ifconfig lo 127.0.0.1 up 2>/dev/null
	fi
	run_command
	sync
	echo "exit $status" >"$ctl"
	while :; do
		sleep 60
	done
}

case $1 in
second) second_stage ;;
service) service_stage ;;
*) first_stage ;;
esac
