#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: tp_printk tp_printk_stop_on_boot function_event="kernel_clone(...) as clones;vfs_raed();vprintk_store();ssize_t vfs_read(NULL, NULL, size_t count);dummy:dummy_xmit(x64 skb)"
#
# Function events of the kernel command line: made and enabled before the first process is. They are
# printed while the kernel boots, with one among them that is called for each line that is printed.

set -uo pipefail
# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

is 'the events are there' "$(cat function_events)" \
	'kernel_clone(...) as clones
vprintk_store()
ssize_t vfs_read(NULL, NULL, size_t count)
dummy:dummy_xmit(x64 skb)'
is 'and enabled' "$(cat events/functions/enable)" 1
ok 'what is wrong with one is in the log' \
	sh -c 'dmesg | grep -q "function_events: vfs_raed(): No such function: did you mean vfs_read, at column 1$"'
ok 'and in error_log' grep -q 'vfs_raed()' error_log
ok 'events are printed' \
	sh -c 'dmesg | grep -q "clones: user_mode_thread->kernel_clone("'
ok 'printing is one of them' \
	sh -c 'dmesg | grep -q "vprintk_store: vprintk_emit->vprintk_store()"'
echo 0 >tracing_on
is 'the first process was seen to be made' \
	"$(sed -n '/clones:/{s/.* clones: //;s/(.*//;p;q}' trace)" 'user_mode_thread->kernel_clone'
ok 'and reads, as they return' grep -qE 'vfs_read\(count=[0-9]+\) ret=-?[0-9]+ duration=[0-9]+' trace
echo 0 >events/functions/enable
ok 'they go like all others' sh -c 'echo >function_events'
is 'nothing is left' "$(cat function_events; cat enabled_functions)" ''

tap_end
