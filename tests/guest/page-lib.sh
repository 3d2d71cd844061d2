# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of lcov's files and of the page have in common. Source it after tap.sh.

# chromium_alone OPTION... URL: without a window, and with nothing of the user's. There is no network: only files can be
# loaded. The browser's log, with what its console says, goes to stderr.
chromium_alone()
{
	local profile status=0
	profile=$(mktemp -d)

	timeout 300 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --disable-dev-shm-usage --host-resolver-rules='MAP * ~NOTFOUND' \
		--user-data-dir="$profile" --virtual-time-budget=60000 --enable-logging=stderr "$@" || status=$?
	rm -rf "$profile"
	return $status
}

# browse PAGE [SCRIPT [HASH [WIDTHS [OPTION...]]]]: what tests/host/page.js finds in the page, as JSON. What the browser's
# console says is in the file "console" then. With WIDTHS, the page is in a frame of each of these widths, of which a
# window has none below 500, and the JSON has an object for each.
browse()
{
	local copy=$tap_scratch/browsed.html hash=${3:-} widths=${4:-} width
	local url=file://$copy#$hash

	{
		cat "$1"
		printf '<script>%s</script><script>' "${2:-}"
		cat "$clone/tests/host/page.js"
		printf '</script>'
	} >"$copy"
	if [[ $widths ]]; then
		url=file://$tap_scratch/frames.html
		{
			echo '<!doctype html><pre id="result"></pre>'
			for width in $widths; do
				echo "<iframe name=$width src='browsed.html#$hash' style='width:${width}px;height:844px;border:0'></iframe>"
			done
			echo '<script>const all = {};
				addEventListener("message", event => {
					all[event.data.name] = event.data.result;
					document.getElementById("result").textContent = JSON.stringify(all);
				});</script>'
		} >"$tap_scratch/frames.html"
	fi
	chromium_alone --window-size=1300,900 "${@:5}" --dump-dom "$url" 2>"$tap_scratch/chromium.log" |
		sed -n 's/.*<pre id="result">\(.*\)<\/pre>.*/\1/p' | sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
	grep CONSOLE "$tap_scratch/chromium.log" >"$tap_scratch/console"
	return 0
}

# functions_of GENHTML-OPTION... FILE: "HIT of ALL", as genhtml counts them
functions_of()
{
	rm -rf "$tap_scratch/genhtml"
	genhtml --output-directory "$tap_scratch/genhtml" "$@" 2>&1 |
		sed -n 's/^ *functions\.*: .*(\([0-9]* of [0-9]*\) functions*)/\1/p'
}
