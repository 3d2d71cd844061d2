#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels: patched
# linux: 6.12
#
# Runs root's commands of docs/guide.md, in the guide's order, and then README's. The documents that they write are in the current
# directory then; t-guide.host.sh runs the other commands, and compares all output with the guide.

. "$(dirname "$(realpath "$0")")/doc-lib.sh"
PATH=$clone/build:$PATH
cd "$HYTRACE_FILES" || exit 1

# kselftest as it is installed: its own runner, a list, and a collection. The pristine source is beside the images.
selftests=$(dirname "$HYTRACE_VMLINUX")/../../unpatched/src/tools/testing/selftests
mkdir -p kselftest/ext4
cp -r "$selftests/run_kselftest.sh" "$selftests/kselftest" kselftest
test_case()
{
	printf '#!/bin/sh -e\n%s\n' "$2" >"kselftest/ext4/$1"
	chmod +x "kselftest/ext4/$1"
	echo "ext4:$1" >>kselftest/kselftest-list.txt
}
test_case write.sh 'echo hello >/mnt/file; grep -q hello /mnt/file'
test_case rename.sh 'mkdir -p /mnt/a; mv /mnt/file /mnt/a; ln /mnt/a/file /mnt/file; rm -r /mnt/a'
test_case fallocate.sh 'fallocate -l 1M /mnt/big; fallocate -p -l 64k /mnt/big; rm /mnt/big'

ok 'the guide has sessions' sessions "$clone/docs/guide.md" sessions
play sessions root
ok 'so has README' sessions "$clone/README.md" readme
play readme root
ok 'there are documents' test -s without.json -a -s mkdir.json -a -s monday.json -a -s tuesday.json
tap_end
