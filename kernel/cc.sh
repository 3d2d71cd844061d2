#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The compiler of the kernel: ccache, except for sources that take in another file by .incbin. ccache's depend mode does not
# see that file, so it gives back the object of an older one: a bzImage around another vmlinux, a /proc/config.gz of another
# configuration. Assembler sources take no time, and include such lines by macros; none of them goes to ccache.
#
# The tracers can be debugged with all variables. So can fs/, for which tests compare the calls that the loader finds in code
# with those of DWARF; gcc writes them only with -fvar-tracking. In a kernel without
# debug information, it would only warn.
#
# Usage: cc.sh COMPILER [ARGUMENT]...    Kbuild writes the source last.

for source; do :; done
case $source in
*.S) exec "$@" ;;
*.c) ! grep -qs '\.incbin' "$source" || exec "$@" ;;
esac
case $source in
*/fs/*|*/kernel/trace/*)
	case "$* " in
	*' -g '*) set -- "$@" -fvar-tracking ;;
	esac
	;;
esac
exec ccache "$@"
