#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# nightly: patched
# append: ftrace=oneshot oneshot_size=0
#
# Reports of the graph of a boot, and of what it proves. t-cover-oneshot.host.sh makes the same of a workload.

. "$(dirname "$(realpath "$0")")/loader.sh"

ok '--boot reads the set of the boot' "$hytrace" cover --boot -o boot.json
cp boot.json "$HYTRACE_FILES"

tap_end
