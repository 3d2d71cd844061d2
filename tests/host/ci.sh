#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that CONTRIBUTING.md names exactly what .ci/run runs, that each of these targets exists, and that it names each
# test that only runs by name.
# shellcheck disable=SC2016 # what is quoted in a document

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
cd "$clone" || exit 1

# Prints what .ci/run runs according to CONTRIBUTING.md: the marked rows of the table.
documented()
{
	sed -n 's/^| `make \([a-z0-9-]*\)` (`\.ci\/run`) .*/\1/p' CONTRIBUTING.md
}

# Prints the targets that .ci/run calls, and those of tests/run.pl that it chooses there.
called()
{
	sed -n 's/^make --no-print-directory \(test\) GATE=1 .*/\1/p' .ci/run
	tests/run.pl --list gate/ | sed -E 's/^gate\///; s/^make-//; s/^check-.*/check/'
}

is 'CONTRIBUTING.md names what .ci/run runs' "$(documented | sort -u)" "$(called | sort -u)"
while read -r target; do
	ok "the target $target exists" grep -q "^$target:.* ##" Makefile
done < <(called | sort -u; sed -n 's/^| `make \([a-z0-9-]*\).*/\1/p' CONTRIBUTING.md)
is 'CONTRIBUTING.md names the tests that are run by name' "$(sed -n 's/^| `make test T=\(long\/[a-z0-9-]*\)`.*/\1/p' CONTRIBUTING.md | sort)" \
	"$(tests/run.pl --list long/ | sort)"
# .ci/run in a tree of its own, with a make that ends with this status for the target test.
gate()
{
	mkdir -p "$tap_scratch/tree/.ci" "$tap_scratch/bin"
	cp .ci/run "$tap_scratch/tree/.ci"
	printf '#!/bin/sh\ncase "$* " in *" test "*) echo 1 passed, 0 failed; exit %s ;; esac\n' "$1" >"$tap_scratch/bin/make"
	chmod +x "$tap_scratch/bin/make"
	PATH=$tap_scratch/bin:$PATH "$tap_scratch/tree/.ci/run" >"$tap_scratch/gate" 2>&1
}
is 'a gate in which all pass ends with 0' "$(gate 0; echo $?; tail -n 1 "$tap_scratch/gate")" $'0\n1 passed, 0 failed'
is 'one in which a test fails does not' "$(gate 2; echo $?)" 1
mkdir -p "$tap_scratch/tree/build"
echo 'a.c:1: warning: b' >"$tap_scratch/tree/build/kernel-base.log"
is 'nor one in which the kernel was compiled with warnings' "$(gate 0; echo $?)" 1
tap_end
