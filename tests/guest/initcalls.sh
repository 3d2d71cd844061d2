#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests what hytrace boot says about initcalls, waits and probes against others that know it: a QEMU plugin that counts
# instructions until each initcall is called and has returned, a module whose initcall takes a known time, and a device
# whose probe is deferred twice. Also measures what recording costs until init. It boots guests itself, as the plugin is
# an argument of QEMU, and as the boot that costs are compared with has another command line.

. "$(dirname "$(realpath "$0")")/early-lib.sh"
cd "$tap_scratch" || exit 1
early_kernel patched || exit 1

# ---------------------------------------------------------------- what is planted

# A kernel that comes from the cache has no objects here, and maybe no tree. The configuration is enough to compile a
# module.
"$clone/kernel/build.sh" --configure >/dev/null && objects=$("$clone/kernel/build.sh" --print-objects) || exit 1
if [[ ! -e $objects/Module.symvers ]]; then
	release=$("$clone/kernel/build.sh" --print-release)
	make -s -C "$objects" "LOCALVERSION=-${release#*-}" modules_prepare >prepare.log 2>&1 || cat prepare.log >&2
fi
mkdir planted
cp "$clone/tests/guest/planted.c" planted
echo 'obj-m := planted.o' >planted/Kbuild
make -s -C "$objects" M="$PWD/planted" KBUILD_MODPOST_WARN=1 modules >planted.log 2>&1 || {
	cat planted.log >&2
	ok 'the module is compiled' false
	tap_end
	exit
}

oracle initcall_oracle
# The only call by a pointer.
objdump -d --no-show-raw-insn --disassemble=do_one_initcall "$vmlinux" |
	awk '/call +(\*|.*__x86_indirect_thunk)/ { print "call", $1; getline; print "back", $1 }' | tr -d : >places
is 'do_one_initcall() has one call by a pointer' "$(wc -l <places)" 2
nm "$vmlinux" | awk '$3 ~ /^trace_event_raw_event_/ { print $1 }' >recorders

# ---------------------------------------------------------------- a boot that is watched

cat >inside <<END
set -e
# The kernel's tests of its ciphers compete for the processor.
while grep -qx cryptomgr_test /proc/[0-9]*/comm; do
	sleep .1
done 2>/dev/null
for parameters in spin_ms=20 sleep_ms=50 'probe_ms=7 defer=2'; do
	insmod "$PWD/planted/planted.ko" \$parameters
	[ "\$parameters" = 'probe_ms=7 defer=2' ] || rmmod planted
done
for variable in probe_ms planted_probes; do
	echo "planted:planted_probe(u64 a=\\\$\$variable)" >/sys/kernel/tracing/function_events && echo "\$variable" >>"$PWD/accepted"
done 2>/dev/null || :
echo >/sys/kernel/tracing/function_events
cp /sys/kernel/tracing/error_log "$PWD/refused"
sleep .2
# Here the plugin ends.
sync
"$clone/build/hytrace" boot -f json -o "$PWD/boot.json"
"$clone/build/hytrace" boot -n 4 -o "$PWD/text"
END
next=$("$clone/build/hytrace" boot next)
# watch_until FUNCTION: the next boots are watched until the kernel calls this function.
watch_until()
{
	watch=(--qemu -plugin --qemu "$PWD/initcall_oracle.so,$(awk '{ printf "%s=%s,", $1, $2 }' places)end=$(symbol "$1"),recorders=$PWD/recorders,out=$PWD/oracle")
}

watch_until ksys_sync
vm --icount --mem 1G --share "$PWD" --append "$next nokaslr" -- bash "$PWD/inside" 2>vm.log || cat vm.log >&2
watch=()
ok 'the boot is reported' [ -s boot.json ]
[[ -s boot.json ]] || {
	tap_end
	exit
}
# There is no other test with a module of ours, and the kernel's own ones have no such variable.
is 'a function event takes the variable of a module, and refuses its per-CPU variable' \
	"$(cat accepted) $(grep -c 'Symbol is per CPU' refused)" 'probe_ms 1'
is 'nothing is lost' "$(jq -c '[.start.lost, .start.unread, .start.probes_lost]' boot.json)" '[0,0,0]'

# ---------------------------------------------------------------- initcalls against the plugin

# "instructions halts" for each initcall, in order of the calls. One that is made in another one ends before that.
awk '$1 == "call" { at[++depth] = ++n; begin[n] = $2; halts[n] = $3 }
	$1 == "back" { i = at[depth--]; time[i] = $2 - begin[i]; halts[i] = $3 - halts[i]; ended[i] = 1 }
	END { for (i = 1; i <= n; i++) if (ended[i]) print time[i], halts[i] }' oracle >watched
# Consoles are initialised elsewhere.
jq -r '.start.initcalls[] | select(.time != null and .level != "console") | "\(.time) \(.name // .module)"' boot.json >shown
ok "the plugin has seen hundreds of initcalls: $(wc -l <watched)" [ "$(wc -l <watched)" -gt 300 ]
is 'hytrace boot has as many' "$(wc -l <shown)" "$(wc -l <watched)"
# While the processor is halted, time passes without instructions.
paste -d ' ' watched shown | awk '!$2' >compared
ok "most of them did not halt the processor: $(wc -l <compared)" [ "$(wc -l <compared)" -gt 300 ]
# Times have microseconds, so each one is rounded twice.
is 'their times are those of the plugin, within the larger of 1 us and 0.5 %, and rounding' \
	"$(awk '{ d = $3 - $1; if (d < 0) d = -d; most = $1 * .005; if (most < 1000) most = 1000 }
		d > most + 1000 { print }' compared | head -n 5)" ''
echo "# difference in ns: mean $(awk '{ sum += $3 - $1 } END { printf "%.0f", sum / NR }' compared)," \
	"largest $(awk '{ d = $3 - $1; if (d < 0) d = -d; if (d > m && d > $1 * .005) m = d } END { print m + 0 }' compared)"

# ---------------------------------------------------------------- what is planted

# "milliseconds share" of the initcall of the planted module, the first, second or third time: running, waiting
planted()
{
	jq -r "[.start.initcalls[] | select(.module == \"planted\")][$1] | \"\(.time) \(.running) \(.waiting)\"" boot.json
}

# near VALUE MS: within 2 percent
near()
{
	awk -v value="$1" -v ms="$2" 'BEGIN { exit !(value > ms * 980000 && value < ms * 1020000) }'
}

read -r time running waiting <<<"$(planted 0)"
ok "a module that spins for 20 ms takes that: $time" near "$time" 20
ok "it ran for that time: $running" near "$running" 20
read -r time running waiting <<<"$(planted 1)"
# msleep() sleeps until the second tick after.
ok "a module that sleeps for 50 ms takes that, and at most two ticks: $time" \
	[ "$time" -ge 50000000 -a "$time" -le 58000000 ]
ok "it waited for that time, and then perhaps for the processor: $waiting" [ "$waiting" -ge 49000000 ]
is 'the time of each initcall is divided without a rest' \
	"$(jq -c '[.start.initcalls[] | select(.time != null and .time != .running + .ready + .waiting)]' boot.json)" '[]'
is 'of modules, the longest is the one with the devices, then the one that sleeps, then the one that spins' \
	"$(jq -c '[.start.initcalls | map(select(.module == "planted")) | sort_by(-.self)[] | .pid] ==
		([.start.initcalls[] | select(.module == "planted") | .pid] | [.[2], .[1], .[0]])' boot.json)" true
is 'the probe that is deferred twice is there three times' \
	"$(jq -c '[.start.probes[] | select(.name == "planted_waits") | [.driver, .deferred, .result]]' boot.json)" \
	'[["planted",true,-517],["planted",true,-517],["planted",false,0]]'
ok 'at last it takes its 7 ms' near "$(jq '[.start.probes[] | select(.name == "planted_waits")][2].time' boot.json)" 7

# ---------------------------------------------------------------- the whole time

is 'the path has no gap from the first initcall until init' \
	"$(jq -c '.start | .init.start as $start | reduce .path[] as $p ([$start, true]; [$p.start + $p.time, .[1] and $p.start == .[0]]) |
		[.[0] - $start, .[1]]' boot.json)" "$(jq -c '.start | [.init.time, true]' boot.json)"
is 'rows of waits and the time in which process 1 ran make up the whole' \
	"$(jq '.start | ([.waits[].time] | add) + .init.running' boot.json)" "$(jq '.start.init.time' boot.json)"
ok 'less than 1 % of it is a wait for something that is not known' \
	jq -e '.start | ([.waits[] | select(.class == "unknown") | .time] | add // 0) < .init.time / 100' boot.json
is 'the text has the longest wait first' "$(sed -n '/^PROCESS 1 WAITED IN/{n;p}' text | cut -d' ' -f1)" \
	"$(jq -r '.start.waits[0].where' boot.json | cut -d' ' -f1)"

# ---------------------------------------------------------------- costs

initcalls=$(jq '[.start.initcalls[] | select(.level != "console" and .level != "module")] | length' boot.json)
# with_parameters PARAMETER...: the line of the oracle when the last initcall of the kernel has returned in a boot. The
# process that makes them is alone, so that as many instructions are executed each time, give or take some thousand. Time
# is no measure: the kernel waits for ticks, so a boot may take a tick, 4 ms, more or less.
with_parameters()
{
	rm -f oracle
	vm --icount --mem 1G --append "$* nokaslr initramfs_async=0 cryptomgr.notests" -- true 2>vm.log || cat vm.log >&2
	awk -v n="$initcalls" '$1 == "back" && ++i == n' oracle
}

# longer WITH WITHOUT: in percent
longer()
{
	awk "BEGIN { printf \"%.2f\", 100 * ($1 - $2) / $2 }"
}

# The kernel calls it after the last initcall, before init.
watch_until rcu_end_inkernel_boot
read -r _ without _ none _ <<<"$(with_parameters)"
read -r _ with_probes _ <<<"$(with_parameters "$next")"
read -r _ with _ _ <<<"$(with_parameters "$("$clone/build/hytrace" boot next --no-probes)")"
watch=()
ok 'all three boots were watched until then' [ "$without" -gt 0 -a "$with_probes" -gt 0 -a "$with" -gt 0 ]
cost=$((with - without))
ok "events take at most 12 million instructions until init: $cost, $(longer "$with" "$without") % of $without" \
	[ $((cost > 0 && cost <= 12000000)) = 1 ]
echo "# with kernel probes: $(longer "$with_probes" "$without") % ($with_probes)"
is 'without them, no event is recorded' "$none" 0

# ---------------------------------------------------------------- the next boot

mkdir -p next/bin next/proc next/dev
cp "$(type -P busybox)" next/bin/busybox
cat >next/init <<'END'
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
echo "the next boot has: $(/bin/busybox cat /proc/cmdline)" >/dev/console
/bin/busybox poweroff -f
END
chmod 755 next/init
(cd next && find . | cpio -o -H newc --quiet) >next.cpio
image=$("$clone/kernel/vm.sh" --kernel stock-6.12 --dry-run -- true | tr ' ' '\n' | grep -A 1 -x -e -kernel | tail -n 1)
kernel=stock-6.12
# The command does what kexec -e does.
vm --share "$PWD" --console console -- "$clone/build/hytrace" boot next --kernel "$image" --initrd "$PWD/next.cpio" -- \
	perl -e 'syscall(169, 0xfee1dead, 672274793, 0x45584543, 0); die $!' >vm.log 2>&1
is 'hytrace boot next -- COMMAND boots once with what is needed' \
	"$(sed -n 's/^the next boot has: .*\(trace_instance=.*\)/\1/p' console | tr -d '\r')" "$next"
ok 'and with the command line of this boot' grep -q '^the next boot has: .*console=ttyS0' console
# shellcheck disable=SC2016 # the guest's bash expands it
vm --share "$PWD" -- bash -c '"$0" boot next --kernel "$1" -- /none; echo $?; cat /sys/kernel/kexec_loaded' \
	"$clone/build/hytrace" "$image" >said 2>&1
is 'if the command cannot be run, nothing stays loaded' "$(tail -n 2 said | xargs)" '1 0'
ok 'and a message says so' grep -q '^hytrace: cannot run /none: .* is not loaded any more' said
# shellcheck disable=SC2016 # the guest's bash expands it
vm --share "$PWD" -- bash -c 'for image in /etc/passwd /etc /none; do "$0" boot next --kernel "$image" -- true; echo $?; done' \
	"$clone/build/hytrace" >said 2>&1
is 'what is no image is named' "$(grep -v warning said | sed 's/^hytrace: //' | xargs -d '\n' printf '%s.')" \
	"/etc/passwd is no image that this kernel can start by kexec: --kernel names a bzImage.1.$(
	)cannot read the kernel image /etc: it is no regular file.1.$(
	)cannot read the kernel image /none: No such file or directory.1."
tap_end
