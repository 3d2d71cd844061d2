#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Evaluates what t-event.sh has left for later: claims, jq's filters, and the files that they are about.

. "$(dirname "$(realpath "$0")")/tap.sh"

while IFS= read -rd '' claim && IFS= read -rd '' filter && IFS= read -rd '' files; do
	# shellcheck disable=SC2086 # a list
	ok "$claim" jq -es "$filter" $files
done <later

tap_end
