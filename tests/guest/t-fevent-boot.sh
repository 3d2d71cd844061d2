#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# append: tp_printk tp_printk_stop_on_boot function_event="kernel_clone(...) as clones;vfs_raed();vprintk_store();ssize_t vfs_read(NULL, NULL, size_t count);dummy:dummy_xmit(x64 skb)"
#
# Function events of the kernel command line: they are made and enabled before the first process, and printed while
# the kernel boots. One of them is of a function that is called for each line that is printed.

. "$(dirname "$(realpath "$0")")/tap.sh"
cd /sys/kernel/tracing || exit 1

is 'the events of the command line are there' "$(cat function_events)" \
	'kernel_clone(...) as clones
vprintk_store()
ssize_t vfs_read(NULL, NULL, size_t count)
dummy:dummy_xmit(x64 skb)'
is 'these events are enabled' "$(cat events/functions/enable)" 1
ok 'the log says what is wrong with one line' \
	sh -c 'dmesg | grep -q "function_events: vfs_raed(): No such function: did you mean vfs_read, at column 1$"'
ok 'error_log says what is wrong with that line' grep -q 'vfs_raed()' error_log
ok 'tp_printk prints the events' \
	sh -c 'dmesg | grep -qE "clones: (user_mode_thread|rest_init)->kernel_clone\("'
ok 'the event of printing is printed as well' \
	sh -c 'dmesg | grep -q "vprintk_store: vprintk_emit->vprintk_store()"'
echo 0 >tracing_on
# The compiler may have inlined user_mode_thread().
is 'the trace has the creation of the first process' \
	"$(sed -n '/clones:/{s/.* clones: //;s/(.*//;s/rest_init/user_mode_thread/;p;q}' trace)" 'user_mode_thread->kernel_clone'
ok 'the trace has returns of reads' grep -qE 'vfs_read\(count=[0-9]+\) ret=-?[0-9]+ duration=[0-9]+' trace
echo 0 >events/functions/enable
ok 'these events can be removed' sh -c 'echo >function_events'
is 'no event and no hooked function is left' "$(cat function_events; cat enabled_functions)" ''

tap_end
