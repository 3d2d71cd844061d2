#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that CONTRIBUTING.md names exactly what .ci/run runs, and that each of these targets exists.
# shellcheck disable=SC2016 # what is quoted in a document

set -uo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
# shellcheck source=tests/guest/tap.sh
. "$clone/tests/guest/tap.sh"
cd "$clone" || exit 1

# Prints what .ci/run runs according to CONTRIBUTING.md: the marked rows of the table, and the targets that the
# sentence about it names. It begins with make deps.
documented()
{
	sed -n 's/^| `make \([a-z0-9-]*\)` (`\.ci\/run`) .*/\1/p' CONTRIBUTING.md
	sed -n '/^`\.ci\/run` must pass/,/^$/p' CONTRIBUTING.md | tr '\n' ' ' | grep -o '`make [a-z]*`' | tr -d '`' |
		sed 's/make //'
	echo deps
}

parts=$(sed -n "s/^part 'make \([a-z0-9-]*\)' .*/\1/p" .ci/run | sort)
is 'CONTRIBUTING.md names what .ci/run runs' "$(documented | sort)" "$parts"
while read -r target; do
	ok "the target $target exists" grep -q "^$target:.* ##" Makefile
done < <(echo "$parts"; sed -n 's/^| `make \([a-z0-9-]*\).*/\1/p' CONTRIBUTING.md)
tap_end
