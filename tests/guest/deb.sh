#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# `make test T=long/deb`: makes both packages, hytrace's and the kernel's, installs them with apt in a new Debian that
# mmdebstrap makes, and boots that from a disk in a guest, with its own initrd and systemd. There hytrace records a
# command, as a user would do it. Needs root, for mmdebstrap, and a Debian mirror.
#
# Usage: tests/guest/deb.sh [FLAVOUR]	of kernel/build.sh; cloud by default, base is built in minutes

flavour=${1:-cloud}
. "$(dirname "$(realpath "$0")")/tap.sh"
. "$clone/tests/guest/system-lib.sh"
work=$clone/build/test-deb
system=$work/root

rm -rf "$work"
mkdir -p "$work"

# ---- the packages

build_kernel()
{
	local options=()

	[[ $flavour == base ]] || options=("--$flavour")
	"$clone/kernel/build.sh" "${options[@]}" --deb >"$work/packages"
}

ok 'hytrace is made into a package' make -C "$clone" deb
ok "the $flavour kernel is made into a package" build_kernel
image=$(grep -m1 '/linux-image-' "$work/packages") || fatal 'there is no package of a kernel'
release=$(dpkg-deb -f "$image" Package)
release=${release#linux-image-}
version=$(sed -n 's/.*HYTRACE_VERSION "\(.*\)"/\1/p' "$clone/user/base/version.h")
loader=$clone/build/deb/hytrace_${version}_amd64.deb

# ---- hytrace's package

# What `make install` installs, as the package has it: compressed man pages, and zsh's file where Debian has these.
wanted()
{
	# In a fresh clone, this compiles the loader.
	make -s -C "$clone" install DESTDIR="$tap_scratch/dest" PREFIX=/usr >/dev/null
	(cd "$tap_scratch/dest" && find . ! -type d) | sed -e 's/\(man1\/.*\)/\1.gz/' \
		-e 's/zsh\/site-functions/zsh\/vendor-completions/'
	printf '%s\n' ./usr/share/doc/hytrace/{changelog.gz,copyright}
}

packed()
{
	dpkg-deb --fsys-tarfile "$loader" | tar -t | grep -v '/$'
}

ok 'lintian finds nothing' lintian --allow-root --fail-on error,warning,info "${loader%.deb}.changes"
is 'the package has the files of make install' "$(packed | sort)" "$(wanted | sort)"
for library in libc6 libdw1 libelf1 libtracefs1 libcap2; do
	ok "it depends on $library" grep -qE "(^|, )${library}[ ,]" <<<"$(dpkg-deb -f "$loader" Depends)"
done
mkdir "$work/loader"
dpkg-deb -x "$loader" "$work/loader"
ok 'it was compiled with the flags of the distribution' \
	sh -c "readelf -d '$work/loader/usr/bin/hytrace' | grep -qw BIND_NOW"
ok 'it needs nothing of the clone' sh -c "! readelf -d '$work/loader/usr/bin/hytrace' | grep -E 'R(UN)?PATH'"

# ---- a Debian with both

# The kernel's own hooks make the initramfs, as on any Debian.
# shellcheck disable=SC1091 # it is the machine's
install_both()
{
	local codename

	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	# shellcheck disable=SC2016 # $1 is the hook's
	make_system "$codename" "$system" --include=systemd-sysv,kmod,initramfs-tools,procps \
		--customize-hook="copy-in '$image' '$loader' /root" \
		--customize-hook='chroot "$1" sh -c "apt-get install -y /root/*.deb"'
}

ok 'apt installs both packages in a new Debian' install_both
ok "the kernel's hooks have made an initramfs" test -s "$system/boot/initrd.img-$release"

# ---- as a user would

cat >"$system/root/as-a-user" <<'END'
echo "kernel $(uname -r)"
echo "init $(cat /proc/1/comm)"
echo "root $(findmnt -no SOURCE,FSTYPE /)"
# This is a service as well, and the target waits for it.
for _ in $(seq 60); do
	jobs=$(systemctl list-jobs --no-legend | grep -vcE ' (kernel-command-line.service|[a-z-]*.target) ')
	[ "$jobs" != 0 ] || break
	sleep 1
done
echo "services $jobs to come, $(systemctl list-units --type=service --state=failed --no-legend --plain | cut -d' ' -f1 | xargs)" \
	"failed of $(systemctl list-units --type=service --all --no-legend | wc -l)"
hytrace --version
for engine in oneshot bpf; do
	hytrace cover -e $engine -o $engine.json -- ls /boot >$engine.out || echo "$engine: status $?"
	echo "$engine $(hytrace report --seen $engine.json | wc -l)"
done
grep vmlinuz oneshot.out
grep -o '"complete": *[a-z]*' oneshot.json
hytrace diff oneshot.json bpf.json >/dev/null || [ $? -eq 1 ] || echo "diff: status $?"
END
"$clone/kernel/vm.sh" --root "$system" --timeout 900 --console "$work/console" -- \
	bash /root/as-a-user >"$work/out" 2>"$work/err"
is 'the guest has run it' $? 0

# said WORD: prints the rest of the line that begins with the word
said()
{
	sed -n "s/^$1 //p" "$work/out"
}

is "the guest runs the package's kernel" "$(said kernel)" "$release"
is 'it is a system of its own, with systemd, from a disk' "$(said init) $(said root)" 'systemd /dev/vda ext4'
is 'none of its services has failed' "$(said services | sed 's/[1-9][0-9]*$/many/')" '0 to come,  failed of many'
is 'the installed hytrace runs' "$(said hytrace)" "$version"
is 'both engines record the command, and diff reads both results' "$(grep status "$work/out")" ''
is "the kernel's result is complete" "$(grep -c '"complete": *true' "$work/out")" 1
is 'the command has run' "$(grep -c '^vmlinuz' "$work/out")" 1
for engine in oneshot bpf; do
	ok "$engine has recorded hundreds of functions" test "$(said $engine)" -gt 500
done
[[ $tap_failed -eq 0 ]] || { cat "$work/out" "$work/err"; tail -n 30 "$work/console"; } >&2
tap_end
