#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The tests that tracers make of themselves while a kernel comes up, on a small one that has them: oneshot's
# is run, and none fails. It needs no user space.
#
# Usage: tests/guest/startup.sh

set -uo pipefail

clone=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
# shellcheck source=tests/guest/tap.sh
. "$clone/tests/guest/tap.sh"
# shellcheck source=tests/guest/splats.sh
. "$clone/tests/guest/splats.sh"
build=("$clone/kernel/build.sh" --small --config startup)
console=$tap_scratch/console

"${build[@]}" || exit 1
image=$("${build[@]}" --print-image) || exit 1

# boot APPEND: ends in a panic, as there is no user space to go to
boot()
{
	"$clone/kernel/vm.sh" --kernel "$(dirname "$image")" --mem 512M --timeout 600 --console "$console" \
		--append "rdinit=/none loglevel=7 $1" -- true >/dev/null 2>&1
	tr -d '\r' <"$console" | sed -n 's/^\[[ 0-9.]*\] //; /Testing tracer/s/^/# /p'
}

boot ''
ok 'the kernel has come up' grep -qE 'No working init found|Unable to mount root fs' "$console"
ok 'oneshot has tested itself' grep -q 'Testing tracer oneshot: PASSED' "$console"
ok 'and others have' grep -q 'Testing tracer function: PASSED' "$console"
is 'none has failed' "$(grep -E 'Testing tracer .*FAILED|tests failed' "$console")" ''
is 'the kernel has not complained' "$(splats_in "$console" | head -n 3)" ''
# The other way: what is looked for is not what every boot says.
boot 'ftrace=nop'
ok 'with a tracer there are no such tests' sh -c "! grep 'Testing tracer oneshot' '$console'"
tap_end
