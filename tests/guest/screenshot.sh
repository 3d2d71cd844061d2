#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `make screenshot`: takes the picture of the page of `make run` that README shows. It is made small, because each
# version of it stays in the history.
set -euo pipefail

cd "$(dirname "$0")/../.."
# shellcheck source=tests/guest/page-lib.sh
. tests/guest/page-lib.sh

page=build/run/report.html
[[ -f $page ]] || {
	echo "make screenshot: there is no $page; \`make run\` writes it" >&2
	exit 1
}
# A directory is open, and a function with callers is chosen.
chromium_alone --hide-scrollbars --window-size=1360,850 --screenshot="$PWD/build/report.png" \
	"file://$PWD/$page#in=fs&f=vfs_read@fs/read_write.c" 2>build/screenshot.log || {
	tail -n 5 build/screenshot.log >&2
	exit 1
}
pngquant --force --speed 1 --strip --output docs/report.png 48 build/report.png
printf 'docs/report.png: %d bytes\n' "$(stat -c %s docs/report.png)"
