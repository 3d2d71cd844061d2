#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Boots a small kernel with the tracers' start-up tests: the test of oneshot must run, and no test may fail. It
# needs no user space.
#
# Usage: tests/guest/startup.sh

. "$(dirname "$(realpath "$0")")/tap.sh"
. "$clone/tests/guest/splats.sh"
build=("$clone/kernel/build.sh" --small --config startup)
console=$tap_scratch/console

"${build[@]}" || exit 1
image=$("${build[@]}" --print-image) || exit 1

# boot APPEND: boots without a user space, so it ends in a panic
boot()
{
	"$clone/kernel/vm.sh" --kernel "$(dirname "$image")" --mem 512M --timeout 600 --console "$console" \
		--append "rdinit=/none loglevel=7 $1" -- true >/dev/null 2>&1
	tr -d '\r' <"$console" | sed -n 's/^\[[ 0-9.]*\] //; /Testing tracer/s/^/# /p'
}

boot ''
ok 'the kernel boots until it looks for its init' grep -qE 'No working init found|Unable to mount root fs' "$console"
ok 'the start-up test of oneshot passes' grep -q 'Testing tracer oneshot: PASSED' "$console"
ok 'the start-up test of the function tracer passes' grep -q 'Testing tracer function: PASSED' "$console"
is 'no start-up test fails' "$(grep -E 'Testing tracer .*FAILED|tests failed' "$console")" ''
is 'the kernel does not complain' "$(splats_in "$console" | head -n 3)" ''
# The opposite: a boot without start-up tests does not have these lines.
boot 'ftrace=nop'
ok 'with a tracer on the command line, no start-up test runs' sh -c "! grep 'Testing tracer oneshot' '$console'"
tap_end
