# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the tests of the kernel's documents: prints the examples of a document as a script, and the names that
# its tables explain. Sources tap.sh.

# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tap.sh"
tracing=/sys/kernel/tracing
documents=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../kernel/files/Documentation/trace")

# examples DOCUMENT: prints the commands that follow root's prompt in its literal blocks. A line that ends in a
# pipe or a backslash continues on the next line.
examples()
{
	awk '/^  # / || more { sub(/^  # /, ""); print; more = /[|\\]$/ }' "$documents/$1"
}

# names FILE: the words before the colons, sorted
names()
{
	sed 's/:.*//' "$tracing/$1" | sort
}
