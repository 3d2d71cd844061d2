# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of documents and pictures of a boot have in common. Source it after tap.sh, and for pictures after
# page-lib.sh; $clone is the clone.

. "$clone/tests/guest/schema-lib.sh"

# look PICTURE [OPTION]...: what tests/host/picture.js finds in it, as JSON. What the browser's console says is in the file
# "console" then.
look()
{
	local copy=$tap_scratch/looked.svg picture=$1
	shift

	{
		sed '$d' "$picture"
		printf '<script><![CDATA['
		cat "$clone/tests/host/picture.js"
		printf ']]></script></svg>\n'
	} >"$copy"
	chromium_alone --window-size=1400,900 "$@" --dump-dom "file://$copy" 2>"$tap_scratch/chromium.log" |
		sed -n 's/.*<pre[^>]* id="result">\(.*\)<\/pre>.*/\1/p' | sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
	grep CONSOLE "$tap_scratch/chromium.log" >"$tap_scratch/console"
	return 0
}

# misplaced BARS LOOKED: the bars that are not where they have to be within a pixel, or are not there. BARS: a line for
# each, of name, lane, view, start and end in ns.
misplaced()
{
	# shellcheck disable=SC2016 # jq's variables
	jq -Rr --slurpfile looked "$2" --argjson left 130 --argjson wide 1250 '
		$looked[0] as $l | split("\t") | {name: .[0], lane: .[1], view: (.[2] | tonumber), start: (.[3] | tonumber), end: (.[4] | tonumber)} |
		$l.views[.view] as $v | ($wide / ($v.to - $v.from)) as $scale |
		($left + ([.start, $v.from] | max - $v.from) * $scale) as $from |
		($left + ([.end, $v.to] | min - $v.from) * $scale) as $to | . as $bar |
		[$l.bars[] | select(.view == $bar.view and .lane == $bar.lane and .name == $bar.name)] as $found |
		if any($found[]; (.x - $from | fabs) < 1 and (.x + .width - $to | fabs) < 1) then empty
		else "\(.name): not at \($from) to \($to), but at \($found | map("\(.x) to \(.x + .width)"))" end' "$1"
}
