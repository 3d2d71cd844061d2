#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# `make tailor`: makes a kernel to measure, and proves the result. It takes a kernel's build and three guests:
#
#   1. Record the boot and a workload (workload.sh) on the first kernel, twice, and another workload (below) once.
#   2. Let `hytrace tailor` find what the first two do not need. The other workload is held out.
#   3. Build that configuration. The objects in vmlinux must be those that were predicted.
#   4. Boot it, and run the workload. It must end well, and the kernel's log must have no new warnings. Otherwise the
#      options without which this fails are found by halves (put-back.sh) and kept. Each function that ran before and does
#      not now must lie in what went, or be explained: it is not compiled there, it is missing in one of the two records of
#      the first kernel as well, or nothing that calls it ran.
#   5. Run the held-out workload there. What `hytrace tailor` keeps if it has that record as well are false removals. They
#      are told, with what ran of each.
#
# Besides, options drawn at random (HYTRACE_TOGGLES=, 0 for all) are set to n one at a time (toggles.sh).
#
# The first kernel is base; or with cloud, one of Debian's configuration for virtual machines in a cloud, without the
# modules that a boot and the workload do not load (localmodconfig). That is what is done without a trace, and it takes
# another build and another guest.
#
# Prints TAP. Leaves documents, both configurations and the reports in build/tailor/START/.
#
# HYTRACE_LISTS= names those of the lists of options to keep that count, or none; with less than all, something may have
# to be put back.
#
# Usage: tests/guest/tailor.sh base|cloud [OPTION OF hytrace tailor]...

set -uo pipefail

# Steps of the held-out workload: what people do on a machine, with programs of any Debian.
held_out()
{
	local dir
	dir=$(mktemp -d)
	cd "$dir" || exit

	step sockets ss -xatun
	step namespace unshare -n ip link add name veth0 type veth peer name veth1
	step archive sh -c 'tar -cf - /etc 2>/dev/null | gzip | gzip -d | tar -tf - >list && test -s list'
	step trace strace -f -o log sh -c 'ls / | wc -l'
	step follow sh -c 'echo one >f; timeout 2 tail -F f >g & sleep 1; echo two >>f; wait; grep -q two g'
	step lock flock f true
	step tmpfs sh -c 'mkdir m && mount -t tmpfs none m && cp -r /etc/default m && umount m'
	step attributes sh -c 'touch x && chattr +d x 2>/dev/null; stat x'
	step git sh -c 'git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one'
	# shellcheck disable=SC2016 # perl has variables
	step perl perl -e 'use IO::Socket::INET; my $s = IO::Socket::INET->new(Proto => "udp"); exit !$s'
	step random sh -c 'head -c 100000 /dev/urandom | sha256sum'
	step processes sh -c 'ps axl && cat /proc/self/smaps && head -c 1000 /proc/self/pagemap'
	cd / && rm -rf "$dir"
}

# step NAME COMMAND...: prints how it ended
step()
{
	local name=$1 status=0
	shift
	"$@" >/dev/null 2>&1 </dev/null || status=$?
	printf '%s %s\n' "$name" "$status"
}

# Warnings without the times.
warnings()
{
	dmesg -t --level=emerg,alert,crit,err,warn | sort
}

case ${1:-} in
in-guest-record)	# DIRECTORY VMLINUX [held-out]
	warnings >"$2/warnings"
	echo 0 >/sys/kernel/tracing/tracing_on
	echo nop >/sys/kernel/tracing/current_tracer
	echo 1 >/sys/kernel/tracing/tracing_on
	build/hytrace cover --boot --vmlinux "$3" -o "$2/boot.json" || exit
	build/hytrace cover -e oneshot --vmlinux "$3" -o "$2/run.json" -- tests/guest/workload.sh || exit
	# This file shows that all went well. What happens to the held-out workload must put nothing back.
	warnings >"$2/warnings.end"
	[[ -z ${4:-} ]] || build/hytrace cover -e oneshot --vmlinux "$3" -o "$2/held-out.json" -- \
		tests/guest/tailor.sh in-guest-held-out >"$2/held-out.txt"
	exit
	;;
in-guest-held-out)
	held_out
	exit
	;;
in-guest-modules)
	# udev would load it, for the device file.
	modprobe loop && tests/guest/workload.sh || exit
	echo 'Module Size Used'
	sed -n 's/.* module_load: \([^ ]*\).*/\1 0 0/p' /sys/kernel/tracing/trace | sort -u
	exit
	;;
base | cloud) start=$1 ;;
*)
	echo "Usage: tests/guest/tailor.sh base|cloud [OPTION OF hytrace tailor]..." >&2
	exit 2
	;;
esac
shift

. "$(dirname "$(realpath "$0")")/tap.sh"
. "$clone/tests/guest/kernel-lib.sh"
cd "$clone" || exit 1
out=build/tailor/$start

fatal()
{
	echo "tailor.sh: $*" >&2
	exit 1
}

# record NAME KERNEL VMLINUX [held-out]: records in a guest, into $out/NAME
record()
{
	rm -rf "${out:?}/$1"
	mkdir -p "$out/$1"
	kernel/vm.sh --kernel "$2" --append ftrace=oneshot --mem 3G --share "$out" -- \
		tests/guest/tailor.sh in-guest-record "$out/$1" "$3" "${4:-}" >"$out/$1/log" 2>&1
	[[ -e $out/$1/warnings.end ]]
}

# Makes $out/start.config: Debian's configuration, and of its modules those that a stock kernel loads, at any time.
configure_cloud()
{
	local objects

	kernel/build.sh --cloud --config guest --configure &&
		objects=$(kernel/build.sh --cloud --config guest --print-objects) &&
		kernel/vm.sh --kernel stock --append trace_event=module:module_load -- \
			tests/guest/tailor.sh in-guest-modules >"$out/modules" &&
		mkdir -p "$out/localmodconfig" && cp "$objects/.config" "$out/localmodconfig/.config" &&
		make -s -C "$objects/source" O="$PWD/$out/localmodconfig" LSMOD="$PWD/$out/modules" localmodconfig \
			>"$out/localmodconfig.log" 2>&1 </dev/null &&
		put_config "$out/localmodconfig/.config" "$out/start.config"
}

# ---- the first kernel

# The configurations' places stay the same, so that their objects are used again.
mkdir -p "$out"
find "$out" -mindepth 1 -maxdepth 1 ! -name '*.config' -exec rm -rf {} +
flavour=()
if [[ $start == cloud ]]; then
	configure_cloud || fatal "there is no configuration to start with; see $out/modules and $out/localmodconfig.log"
	flavour=("--whole=$out/start.config")
	kernel/build.sh "${flavour[@]}" || exit
fi
vmlinux=$(kernel/build.sh "${flavour[@]}" --print-vmlinux) || exit
image=$(kernel/build.sh "${flavour[@]}" --print-image) || exit
kernel/build.sh "${flavour[@]}" --configure || exit
objects=$(kernel/build.sh "${flavour[@]}" --print-objects) || exit
ok "the $start kernel: boot and workload are recorded" record first "${image%/*}" "$vmlinux"
ok 'and once more, with the workload that is held out' record again "${image%/*}" "$vmlinux" held-out
[[ -s $out/first/run.json && -s $out/again/held-out.json ]] || fatal "see $out/first/log and $out/again/log"

# ---- what it does not need, and the new kernel

. "$clone/tests/guest/put-back.sh"
options=("$@")
read -ra lists <<<"${HYTRACE_LISTS:-hardening machine policy}"
: >"$out/put-back.keep"

tailor()
{
	build/hytrace tailor --build "$objects" --vmlinux "$vmlinux" "${options[@]}" "${lists[@]/#/--keep=}" \
		--keep "$1" "${@:2}" "$out/first/boot.json" "$out/first/run.json"
}

# try_without KEEP NAME [held-out]: makes, builds and boots a kernel, with the options in the file KEEP; NAME: of its
# record
try_without()
{
	tailor "$1" -o "$out/next.config" -f json --report "$out/report.json" >"$out/tailor.log" 2>&1 || return
	put_config "$out/next.config" "$out/new.config"
	kernel/build.sh --whole="$out/new.config" >"$out/build.log" 2>&1 || return
	new_vmlinux=$(kernel/build.sh --whole="$out/new.config" --print-vmlinux) || return
	new_image=$(kernel/build.sh --whole="$out/new.config" --print-image) || return
	record "$2" "${new_image%/*}" "$new_vmlinux" "${3:-}" && [[ ! $(new_warnings "$2") ]]
}

# Warnings of the new kernel that the first kernel had in none of its records. Those about clocks come by chance: the boot
# is traced before the kernel has found a clock, and QEMU's time depends on what else the machine does.
new_warnings()
{
	comm -13 <(sort -u "$out"/{first,again}/warnings*) <(sort -u "$out/$1"/warnings*) |
		grep -vE '^(clocksource|tsc):|^Ring buffer clock went backwards|hytrace-' |
		grep -vE '^APIC calibration not consistent with PM-Timer|^hrtimer: interrupt took'
}

# attempt OPTION...: all options that were dropped at first are kept but for these
attempt()
{
	comm -23 <(printf '%s\n' "${dropped[@]}" | sort) <(printf '%s\n' "$@" | sort) |
		sed 's/$/ tried on its own/' >"$out/attempt.keep"
	echo "# without $# of ${#dropped[@]} options" >&2
	try_without "$out/attempt.keep" attempt
}

report()
{
	jq -r "$1" "$out/report.json"
}

begun=$SECONDS
ok 'hytrace tailor' tailor "$out/put-back.keep" -o "$out/next.config" --report "$out/report.txt"
echo "# analysis: $((SECONDS - begun)) s"
ok 'once more, as json' tailor "$out/put-back.keep" -o "$out/second.config" --report "$out/first.json"
[[ -s $out/first.json ]] || fatal 'there is no report'
ok 'two runs give the same configuration' cmp "$out/next.config" "$out/second.config"

# Each object that is listed when options are really off, against what was predicted for them.
count=${HYTRACE_TOGGLES:-14}
tests/guest/toggles.sh "$objects" "$out/first.json" "$count" >"$out/toggles"
is 'options are really turned off' $? 0
sed 's/^/# /' "$out/toggles"
is 'options drawn at random take the objects with them that were predicted' "$(grep '^differs' "$out/toggles")" ''
ok 'at least ten were drawn' test "$(grep -c '^same' "$out/toggles")" -ge 10

if ! try_without "$out/put-back.keep" new held-out; then
	mapfile -t dropped < <(jq -r '.options[] | select(.fate == "dropped").option' "$out/first.json")
	tiers=()
	for seen in 'never ran' 'init only' 'cannot be seen'; do
		# shellcheck disable=SC2016 # jq has variables
		tiers+=("$(jq -r --arg seen "$seen" '[.options[] | select(.fate == "dropped" and .seen == $seen).option] |
			join(" ")' "$out/first.json")")
	done
	# If it succeeds now, the failure came by chance, and no option is to blame.
	attempt "${dropped[@]}" || put_back "${tiers[@]}" | while read -r option; do
		echo "$option the new kernel failed without it" >>"$out/put-back.keep"
		jq -r --arg o "$option" '.options[] | select(.option == $o) | "# put back: \(.option), though it \(.why): \(
			if .objects == 0 then "it has no object, so only lines in its #if blocks could have shown it"
			elif .traceable == 0 then "none of its functions can be traced"
			else "what needs it did not run while it was recorded" end)"' "$out/first.json"
	done
	try_without "$out/put-back.keep" new held-out
	tailor "$out/put-back.keep" -o "$out/next.config" --report "$out/report.txt"
fi
is 'nothing had to be put back' "$(cat "$out/put-back.keep")" ''
[[ -s $out/report.json && ${new_vmlinux:-} ]] || fatal "see $out/tailor.log and $out/build.log"
sed -n '/^Options/,/^Options that/s/^/# /p' "$out/report.txt"
is 'all addresses lie in objects that Kbuild knows' "$(report .unattributed)" 0
# What the linker step compiles, and a header of retpolines in assembly.
is 'Kbuild knows all units of vmlinux but three' "$(report '.unowned_units[]' | sort | xargs)" \
	'.vmlinux.export.c arch/x86/include/asm/GEN-for-each-reg.h init/version-timestamp.c'
is 'nothing that is wanted is lost, and nothing comes on' "$(report '"\(.wanted_lost) \(.newly_on)"')" '0 0'
is 'the report counts the options of both configurations' "$(report '"\(.options_before) \(.options_after)"')" \
	"$(options_on "$objects/.config" | wc -l) $(options_on "$out/new.config" | wc -l)"

# linked VMLINUX: the objects in it, by the compiled files that its debug information names
linked()
{
	readelf --debug-dump=info --dwarf-depth=1 "$1" 2>/dev/null |
		sed -nE 's/.*DW_AT_name .*: (\.\.\/)?([^ ]*)\.[cS]$/\2.o/p' | LC_ALL=C sort -u
}
linked "$vmlinux" >"$out/linked.first"
linked "$new_vmlinux" >"$out/linked.new"
# Debug information does not tell a copy (user/tailor/evidence.c) from its original.
jq -r '.objects[] | select(.module == null and (.stays | not)).object | sub("\\.pi\\.o$"; ".o")' "$out/report.json" | LC_ALL=C sort -u >"$out/go"
ok 'objects have gone' test "$(LC_ALL=C comm -23 "$out/linked.first" "$out/linked.new" | wc -l)" -gt 10
is 'the objects that have gone from vmlinux are those that were predicted' \
	"$(LC_ALL=C comm -23 "$out/linked.first" "$out/linked.new" | xargs)" \
	"$(LC_ALL=C comm -12 "$out/linked.first" "$out/go" | xargs)"
is 'and none has come' "$(LC_ALL=C comm -13 "$out/linked.first" "$out/linked.new" | xargs)" ''
# modules IMAGE: names of the modules that were built with it
modules()
{
	find "${1%/*}/lib/modules" -name '*.ko*' -printf '%f\n' 2>/dev/null | sed 's/\.ko.*//; s/-/_/g' | sort
}
is 'the modules that have gone are those of which nothing was to stay' \
	"$(comm -23 <(modules "$image") <(modules "$new_image") | xargs)" \
	"$(jq -r '[.objects[] | select(.module)] | group_by(.module)[] | select(any(.[]; .stays) | not)[0].module |
		sub(".*/"; "") | sub("\\.o$"; "")' "$out/report.json" | sed 's/-/_/g' | sort -u | xargs)"

# The globs of the lists, as regular expressions
listed()
{
	(cd user/tailor/keep && cat "${lists[@]/%/.keep}" 2>/dev/null) |
		sed -n 's/^\([^#[:space:]]\S*\)\s.*/\1/; T; s/\*/.*/g; p'
}
[[ ${lists[*]} == none ]] || ok 'the lists name options' test "$(listed | wc -l)" -ge 10
is 'no option of the lists is off' "$(LC_ALL=C comm -23 <(options_on "$objects/.config") <(options_on "$out/new.config") |
	grep -xf <(listed) | xargs)" ''

for kernel in "$image $vmlinux $out/linked.first" "$new_image $new_vmlinux $out/linked.new"; do
	read -r a b c <<<"$kernel"
	echo "# $(functions_of "$b" | awk '{ print $1 " functions of " $2 " bytes" }') in $(wc -l <"$c") objects;" \
		"bzImage: $(stat -c %s "$a") bytes"
done

ok 'it boots, and the workload ends well' test -e "$out/new/warnings.end"
[[ -s $out/new/run.json ]] || fatal "see $out/new/log"
is 'its log has no new warning' "$(new_warnings new)" ''

# ---- each function that ran before

build/hytrace functions --vmlinux "$vmlinux" -f json -o "$out/first.universe"
build/hytrace functions --vmlinux "$new_vmlinux" -f json -o "$out/new.universe"

# gone DOCUMENT: the functions of the first kernel's document that the new kernel's lacks: NAME MODULE UNIT WHY
gone()
{
	build/hytrace diff -f json --universe "$out/first.universe" --universe "$out/new.universe" "$out/first/$1.json" "$out/new/$1.json" >"$out/diff.$1.json"
	jq -r '.gone[] | [.name, .module // "-", .unit // "-", .why] | @tsv' "$out/diff.$1.json"
}

# explain DOCUMENT: prints "REASON NAME UNIT" for each function that is gone
explain()
{
	# shellcheck disable=SC2016 # jq has variables
	jq -rn --slurpfile report "$out/report.json" --slurpfile again "$out/again/$1.json" \
		--slurpfile diff "$out/diff.$1.json" '
		($report[0].objects | map(select(.stays | not) | {key: .object | sub("\\.pi\\.o$"; ".o"), value: true}) | from_entries) as $went |
		($again[0].functions | map({key: .name, value: true}) | from_entries) as $again |
		$diff[0].gone[] |
		"\(if $went[(.unit // "") | sub("\\.[cS]$"; ".o")] then "its-object-went"
		elif .why == "no-function" then "not-compiled"
		elif .why == "untraceable" then "not-traceable-there"
		elif $again[.name] | not then "not-always"
		else "asked" end) \(.name) \(.unit // "-")"' | while read -r reason name unit; do
		[[ $reason != asked ]] || reason=$(ask "$1" "$name" "$unit")
		echo "${reason:-not-known} $name $unit"
	done
}

# ask DOCUMENT NAME UNIT: what calls a function in the new kernel, according to its files, and whether that ran
ask()
{
	build/hytrace callers -f json --vmlinux "$new_vmlinux" "$2" "$out/new/$1.json" 2>/dev/null | jq -r --arg unit "$3" '
		.functions | (if length == 1 then . else map(select(.file == $unit)) end) |
		if length != 1 then "not-known"
		elif .[0].address_taken then "possibly-by-a-pointer"
		elif .[0].possible == [] then "nothing-calls-it"
		elif any(.[0].possible[]; .ran[0]) then "possibly-not-needed"
		else "no-caller-ran" end'
}

# In the new kernel there is less to do: fewer file systems to register, less memory to ask for. So a caller may run and
# not call. That is not certain, and so it must be few.
for document in boot run; do
	gone "$document" >"$out/gone.$document"
	ok "$document: hytrace diff tells what is gone" jq -e '.gone | type == "array"' "$out/diff.$document.json"
	explain "$document" | sort >"$out/explained.$document"
	echo "# $document: $(wc -l <"$out/gone.$document") functions are gone:" \
		"$(cut -d' ' -f1 "$out/explained.$document" | uniq -c | awk '{ print $2, $1 }' | xargs)"
	echo "# $document: $(grep '^possibly' "$out/explained.$document" | cut -d' ' -f1,2 | xargs)"
	# Of the boot, only code may go that sets up what is not used.
	is "$document: nothing went that ran where it stays" "$(jq -rn --slurpfile first "$out/first.universe" --rawfile went \
		"$out/explained.$document" '
		($first[0].functions | map(select(.init)) | map({key: .name, value: true}) | from_entries) as $init |
		$went | split("\n")[] | select(startswith("its-object-went ")) | split(" ")[1] | select($init[.] | not)' | xargs)" ''
	ok "$document: at most 20 are not compiled there, though their object stays" \
		test "$(grep -c '^not-compiled' "$out/explained.$document")" -le 20
	echo "# $document: $(grep '^not-compiled' "$out/explained.$document" | cut -d' ' -f1,2 | xargs)"
	is "$document: of each function that is gone, it is known why, or possible" \
		"$(grep '^not-known' "$out/explained.$document")" ''
	ok "$document: at most 30 are only possibly explained" test "$(grep -c '^possibly' "$out/explained.$document")" -le 30
done

# ---- the workload that was held out

echo "# held out, on the first kernel: $(xargs <"$out/again/held-out.txt")"
echo "# held out, on the new kernel:   $(xargs <"$out/new/held-out.txt")"
[[ $start != base ]] || is 'each step of it ends well on the first kernel' "$(grep -v ' 0$' "$out/again/held-out.txt")" ''
ok 'hytrace tailor, with its record' tailor "$out/put-back.keep" -o "$out/held-out.config" -f json \
	--report "$out/held-out.json" "$out/again/held-out.json"
# shellcheck disable=SC2016 # jq has variables
jq -rn --slurpfile report "$out/report.json" --slurpfile with "$out/held-out.json" '
	($report[0].options | map(select(.after == "n") | {key: .option, value: true}) | from_entries) as $off |
	$with[0].options[] | select($off[.option] and .seen == "used") | "\(.option): \(.why)"' >"$out/false-removals"
echo "# false removals: $(wc -l <"$out/false-removals") options"
sed 's/^/#   /' "$out/false-removals"
echo "# steps that end in another way: $(comm -13 <(sort "$out/again/held-out.txt") <(sort "$out/new/held-out.txt") |
	xargs)"
is 'all steps have ended there' "$(cut -d' ' -f1 "$out/new/held-out.txt" | xargs)" \
	"$(cut -d' ' -f1 "$out/again/held-out.txt" | xargs)"
tap_end
