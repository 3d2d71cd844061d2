#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests hytrace boot in boots that a bootconfig has set up: as next --bootconfig prints it, and in other ways that the
# kernel knows (Documentation/trace/boottime-trace.rst), which must not look as if nobody had asked for anything. Neither
# the base kernel nor Debian's has CONFIG_BOOT_CONFIG, so the first run builds another one.
#
# Usage: tests/guest/boot-config.sh

. "$(dirname "$(realpath "$0")")/tap.sh"
flavour=(--config bootconfig)
"$clone/kernel/build.sh" "${flavour[@]}" || exit 1
image=$("$clone/kernel/build.sh" "${flavour[@]}" --print-image) || exit 1
cd "$tap_scratch" || exit 1

cat >inside <<END
cat /proc/cmdline >"$PWD/cmdline"
cat /proc/bootconfig >"$PWD/config"
"$hytrace" boot -f json -o "$PWD/boot.json" 2>"$PWD/said"
echo \$? >"$PWD/status"
"$hytrace" boot next --bootconfig >"$PWD/printed" 2>"$PWD/warned"
"$hytrace" boot blame >/dev/null 2>"$PWD/blamed"
END

# boot OPTION...: boots with the bootconfig on standard input. What hytrace boot says is in `said`, its document is boot.json.
boot()
{
	rm -f boot.json said status
	cat >bootconfig
	"$clone/kernel/vm.sh" --kernel "$image" --share "$PWD" --timeout 300 --append bootconfig --bootconfig bootconfig \
		"$@" -- bash inside >vm.log 2>&1 || sed 's/^/# /' vm.log
}

# json FILTER
json()
{
	jq -c "$1" boot.json 2>/dev/null
}

"$hytrace" boot next --bootconfig 2>/dev/null >asked
boot <asked
is 'the kernel reads the bootconfig' "$(sed -n '/^kernel/{s/ =.*//p}' config | xargs)" \
	'kernel.trace_instance kernel.trace_buf_size kernel.trace_options kernel.trace_clock kernel.trace_event kernel.kprobe_event'
is 'with what next --bootconfig prints, hytrace boot reports' "$(cat status)" 0
is 'it says nothing of a bootconfig' "$(grep -c bootconfig said)" 0
is 'it has all levels' "$(json '[.start.levels[].name] | join(" ")')" \
	'"early pure core postcore arch subsys fs device late"'
ok 'it has probes of devices, the initramfs and consoles' [ "$(json '[.start.probes[].kind] | unique')" = \
	'["console","device","unpack"]' ]
is 'this kernel prints the same, and warns of nothing' "$(cat printed; cat warned)" "$(cat asked)"

boot <<'END'
kernel.ftrace = function
ftrace.instance.hytrace_boot {
	buffer_size = 4MB
	events = "initcall:*", "module:module_load", "sched:sched_process_exec"
}
END
is 'with an instance of ftrace, hytrace boot reports' "$(cat status)" 0
is 'there are the levels after the core initcalls' "$(json '[.start.levels[].name][0]')" '"postcore"'
is 'it is not known what came before' "$(json '.parts.rows[] | select(.name == "before_initcalls") | .time')" null
ok 'and it says why, and what to do' \
	grep -q 'first initcalls are missing.*"ftrace.instance"; with "kernel.trace_instance"' said
ok 'that the tracer is too late for the early part is told, too' grep -q 'ftrace= has to be on the boot loader' said

boot --append ftrace=function <next
is 'ftrace= of the boot loader and events of a bootconfig go together' "$(cat status) $(json '[.tracer, .start.levels[0].name]')" \
	'0 ["function","early"]'
is 'then nothing is too late' "$(grep -c 'boot loader' said)" 0

boot <<'END'
ftrace.events = "initcall:*"
END
is 'with events of ftrace in the top-level instance, it exits with 3' "$(cat status)" 3
ok 'and names what has them in time' grep -q 'below "ftrace".*next --bootconfig' said
ok 'so does blame' grep -q 'below "ftrace".*next --bootconfig' blamed

boot <<'END'
kernel.trace_instance = hytrace_boot, "initcall:*"
END
is 'if a list has become two instances, it fails' "$(cat status)" 1
ok 'and says that the instance records none' grep -q 'has no initcalls: its events initcall:\* are off' said

boot --append 'ftrace_boot_snapshot=hytrace_boot alloc_snapshot' <next
is 'if a snapshot has the events, it fails, or has them' "$(cat status)" 1
ok 'and says where they are' grep -q 'ftrace_boot_snapshot has put the events' said
tap_end
