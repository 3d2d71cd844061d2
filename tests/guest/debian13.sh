#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# `make test-debian13`: does in a new Debian 13 what README says, from a fresh clone: builds the loader with no kernel
# source, then `make run` and `make test-quick`. That Debian is a directory that mmdebstrap makes, and the commands are
# run in it by chroot; its compilers, libraries, QEMU and programs in guests are Debian 13's. Prints how long each part
# takes. What is not committed here is not in the fresh clone. Needs root and a Debian mirror.
#
# The directory stays, and so does its cache, below this machine's: kernels of the same sources are not built again.
#
# Usage: tests/guest/debian13.sh [-- COMMAND [ARGUMENT]...]
#   COMMAND	runs in the clone in the directory of the last run, and nothing else is done

. "$(dirname "$(realpath "$0")")/tap.sh"
. "$clone/tests/guest/system-lib.sh"
work=$clone/build/debian13
system=$work/root
cache=${HYTRACE_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set; HYTRACE_CACHE= names another place}/.cache}/hytrace}/debian13
times=()

# inside COMMAND...: runs it in the clone in Debian 13. Only this command sees the mounts, and processes that it
# leaves behind end with it, or with this script. So removing $system can never reach what is mounted in it.
inside()
{
	local proxies

	mapfile -t proxies < <(env | grep -iE '^(https?|ftp|no)_proxy=')
	# shellcheck disable=SC2016 # expanded by the inner shell
	setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --propagation private bash -c '
		set -e
		cd "$1"
		mount --rbind /dev dev
		mount --rbind /sys sys
		mount -t proc proc proc
		mkdir -p root/.cache/hytrace
		mount --bind "$2" root/.cache/hytrace
		exec chroot . env -i HOME=/root LANG=C.UTF-8 TERM=dumb "${@:3}"' inside "$system" "$cache" \
		"${proxies[@]}" ${LINUX:+"LINUX=$LINUX"} PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		sh -c 'cd /root/hytrace && exec "$@"' inside "$@"
}

# part NAME COMMAND...: the output is kept in $work/NAME.log.
part()
{
	local name=$1 start=$SECONDS log status=0
	shift

	log="$work/${name// /-}.log"
	"$@" >"$log" 2>&1 || status=$?
	times+=("$(printf '%6d s  %s' $((SECONDS - start)) "$name")")
	is "$name, ${log#"$clone/"}" "$status" 0
	[[ $status -eq 0 ]] || tail -n 30 "$log" | sed 's/^/#   /'
	return "$status"
}

# A new user has make and git, and no more.
new_system()
{
	rm -rf --one-file-system "$system"
	make_system trixie "$system" --include=make,git,ca-certificates &&
		git clone -q "$clone" "$system/root/hytrace"
}

# What the loader alone needs. A kernel source is not there yet.
# shellcheck disable=SC2016 # expanded by the inner shell
loader_packages='apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
	$(.ci/deps --list "compilers|BPF programs|the loader") libbpf-dev bpftool'

mkdir -p "$work" "$cache"
if [[ ${1:-} == -- ]]; then
	[[ -d $system ]] || fatal "there is no $system yet; \`make test-debian13\` makes it"
	shift
	inside "$@"
	exit
fi

[[ -z $(git -C "$clone" status --porcelain -uno) ]] || echo '# changes that are not committed are left out'
part 'mmdebstrap' new_system || fatal "there is no Debian 13 to try anything in"
part 'packages of the loader' inside sh -c "$loader_packages"
part 'loader alone' inside .ci/loader
ok 'the loader that was built with no kernel source runs' inside build/loader-alone/hytrace features
part 'make deps' inside make deps
part 'make run' inside make run
ok 'both engines agree' grep -qE \
	'^(All differences are explained\.|No difference\.|Of the .*, 0 are UNEXPLAINED\.)' "$work/make-run.log"
part 'make test-quick' inside make test-quick
grep -E '^[0-9]+ passed, [0-9]+ failed' "$work/make-test-quick.log" | sed 's/^/# make test-quick: /'
printf '# %s\n' "${times[@]}"
tap_end
