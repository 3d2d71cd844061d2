#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests when `make run` shows its first result, what it tells of losses, and what a Ctrl-C leaves, in a tree whose kernel,
# guests and hytrace are stand-ins. tests/guest/make-run.sh has the real ones.
# shellcheck disable=SC2016 # scripts in quotes

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
cd "$clone" || exit 1

stand=$tap_scratch/stand
mkdir -p "$stand"/{kernel,tests/guest}
cp tests/guest/main-job.sh "$stand/tests/guest"
printf '%s\n' 'user:' '	@cp -p hytrace build/' >"$stand/Makefile"

# The kernel is not done before there is a first result, or nobody expects one.
cat >"$stand/kernel/build.sh" <<'END'
#!/bin/bash
case ${1:-} in
--print-source) ;;
--print-*) [[ -e build/kernel ]] && echo build/kernel ;;
*)
	[[ -e build/kernel ]] && exit
	echo "kernel: compiling at $(nice)" >&2
	for ((i = 0; i < 1200; i++)); do
		[[ ! -e build/offline && ! -e build/run-first/report.html ]] || [[ -e build/slow ]] || break
		echo $$ >build/compiling
		sleep 0.1
	done
	rm -f build/compiling
	((i < 1200)) && touch build/kernel ;;
esac
END
cat >"$stand/kernel/vm.sh" <<'END'
#!/bin/bash
result() { jq -n --arg engine "$1" --argjson losses "${2:-[]}" '{ $engine, $losses, kernel: { release: "6.12" } }'; }
case "$*" in
*--dry-run) [[ ! -e build/offline ]] || { echo 'cannot fetch it' >&2; exit 125; } ;;
*first)
	result bpf '[{ "name": "missed", "value": 7, "means": "maybe", "text": "calls: some" }]' >build/run-first/workload.json
	echo 'Functions: 3 seen of 9 that can be traced (33.3%)' >build/run-first/report.txt ;;
*in-guest-cover*)
	result oneshot >build/run/boot.json
	result oneshot '[{ "name": "refused", "value": 2, "means": "missing", "text": "hits" }]' >build/run/workload.oneshot.json
	result bpf '[{ "name": "missed", "value": 7, "means": "maybe", "text": "calls" }]' >build/run/workload.bpf.json
	echo No difference. ;;
*cost) printf '%s\n' 'nothing 1 1' 'oneshot 2 2' ;;
*early) echo 'Calls: 5 of 4 functions' ;;
esac
END
cat >"$stand/hytrace" <<'END'
#!/bin/bash
while [[ $1 != -o ]]; do shift; done
echo "Functions: 3 seen of 9 that can be traced (33.3%)" >"$2"
END
chmod 755 "$stand"/{kernel/*.sh,hytrace}

# soon COMMAND...: waits until it succeeds, for two minutes
soon()
{
	local i

	for ((i = 0; i < 1200; i++)); do
		! "$@" || return 0
		sleep 0.1
	done
	return 1
}

# begin LOG: as `make run`, in a process group of its own, which gets signals as on a terminal
begin()
{
	rm -rf "$stand"/build/{run,run-first}
	set -m
	(cd "$stand" && exec tests/guest/main-job.sh) >"$1" 2>&1 &
	set +m
	group=$!
}

end()
{
	wait "$group"
	status=$?
}

# titles LOG: what it has shown, and its status
titles()
{
	echo "$(sed -n 's/^== \([^ ]* [^ ,]*\).*/\1/p' "$1" | paste -sd,), $status"
}

begin "$tap_scratch/empty"
end
is 'with no kernel yet, the first result comes while the kernel is compiled' "$(titles "$tap_scratch/empty")" \
	'What ran,Next: the,What ran,The workload,CPU time,The boot,Which parts,Where to, 0'
ok 'the kernel leaves the processors to it' grep -qx "kernel: compiling at $(nice nice)" "$tap_scratch/empty"
ok 'the first result tells what may be lost' grep -qx '  bpf: maybe lost: missed 7, calls' "$tap_scratch/empty"
is 'the screen tells what is lost, but not what only BPF may have missed' \
	"$(sed -n '/^== What ran at/,$s/^  \(.*lost: .*\)/\1/p' "$tap_scratch/empty")" 'oneshot: lost: refused 2, hits'
begin "$tap_scratch/again"
end
is 'with a kernel, there is no first result' "$(titles "$tap_scratch/again")" \
	'What ran,The workload,CPU time,The boot,Which parts,Where to, 0'

rm "$stand/build/kernel"
touch "$stand/build/offline"
begin "$tap_scratch/offline"
end
is 'without a network, the patched kernel is next all the same' "$(titles "$tap_scratch/offline")" \
	'Next: the,What ran,The workload,CPU time,The boot,Which parts,Where to, 0'
ok 'it tells why there is no first result' grep -qx 'cannot fetch it' "$tap_scratch/offline"

rm "$stand"/build/{kernel,offline}
touch "$stand/build/slow"
begin "$tap_scratch/stopped"
ok 'a first result comes before a kernel that takes long' soon grep -q '^== Next' "$tap_scratch/stopped"
kill -INT -- "-$group"
end
is 'Ctrl-C ends it' "$(titles "$tap_scratch/stopped")" 'What ran,Next: the, 130'
ok 'Ctrl-C keeps the first result' test -s "$stand/build/run-first/report.html"
is 'Ctrl-C ends the compilation' "$(kill -0 "$(<"$stand/build/compiling")" 2>&1 | grep -o 'No such process')" 'No such process'

tap_end
