#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks the reports of the document that t-cover-graphs.sh has copied from its guest.

. "$(dirname "$(realpath "$0")")/cover-lib.sh"
. "$(dirname "$(realpath "$0")")/edges-lib.sh"

# The one is alternatives' test of itself.
edges_agree boot.json 1
graphs_agree boot.json

tap_end
