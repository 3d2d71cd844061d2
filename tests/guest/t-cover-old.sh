#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: stock-6.1
# nightly: stock-6.1
#
# Debian 12's own kernel is too old for the loader: its messages must name what is missing.

. "$(dirname "$(realpath "$0")")/loader.sh"

ok 'the kernel has no list of addresses' test ! -e $tracing/available_filter_functions_addrs
ok 'cover says that fprobe is missing' says 'needs a kernel with CONFIG_FPROBE=y' 3 cover --duration 1
ok 'cover with a command: 125' says 'needs a kernel with CONFIG_FPROBE=y' 125 cover -o x.json -- true
ok 'cover of a function says that fprobe is missing' says 'CONFIG_FPROBE=y' 3 cover -a vfs_read --duration 1
ok 'cover of an unknown function says first that it does not exist' says 'vfs_raed: no such function' 2 cover -a vfs_raed --duration 1
ok 'cover --engine oneshot says that there is no oneshot tracer' says 'no oneshot tracer (CONFIG_ONESHOT_TRACER' 3 cover -e oneshot --duration 1
ok 'event says that there are no function events' says 'no function events' 3 event add 'vfs_read()'
ok 'boot says that this boot was not asked for anything' says 'not asked for the events of initcalls' 3 boot

# ---- features: the same words

is 'features: what is not here' "$("$hytrace" features -f json | jq -r '.features[] | select(.here == "no") | .name' | grep -vxE 'vmlinux|cgroup2' | xargs)" \
	'function-addresses oneshot oneshot-retire very-early function-events kprobe-multi fentry-multi cover-oneshot cover-bpf cover-event event'
is 'features: the reason is the message of cover' "$("$hytrace" features -f json cover-bpf | jq -r '.features[0] | .needs, .reason')" \
	"kprobe-multi
$(status 3 cover -a vfs_read --duration 1; sed 's/^hytrace: //; s/; .*//' err)"

tap_end
