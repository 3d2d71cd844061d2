#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests which version of the plugin interface early-lib.sh chooses for a QEMU. The version strings are those that real
# programs print; the tests in guests have only one QEMU.

set -uo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
# shellcheck source=tests/guest/early-lib.sh
. "$clone/tests/guest/early-lib.sh"
HYTRACE_QEMU=$scratch/qemu
export HYTRACE_QEMU

ok 'the plugin is compiled for the QEMU here' test -s "$scratch/early_oracle.so"
while read -r wanted version; do
	printf '#!/bin/sh\necho "%s"\necho "Copyright (c) 2003-2025 Fabrice Bellard 10.1"\n' \
		"QEMU emulator version $version" >"$HYTRACE_QEMU"
	chmod +x "$HYTRACE_QEMU"
	is "QEMU $version" "$(plugin_version)" "$wanted"
done <<'END'
1 7.2.17 (Debian 1:7.2+dfsg-7+deb12u13)
1 8.2.2
2 9.0.4
3 9.1.0
4 9.2.0
4 10.0.13 (Debian 1:10.0.13+ds-1)
4 11.0.50 (v11.0.0-123-g0123456789)
END
tap_end
