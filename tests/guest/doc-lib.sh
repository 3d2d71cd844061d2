# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of the kernel's documents share, besides tap.sh, which this sources: their examples, as
# a script, and the names that their tables explain.

# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tap.sh"
tracing=/sys/kernel/tracing
documents=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../kernel/files/Documentation/trace")

# examples DOCUMENT: what is behind the root's prompt in its literal blocks, with what a line that ends
# in a pipe goes on with.
examples()
{
	awk '/^  # / || more { sub(/^  # /, ""); print; more = /[|\\]$/ }' "$documents/$1"
}

# names FILE: those in front of the colons, sorted
names()
{
	sed 's/:.*//' "$tracing/$1" | sort
}
