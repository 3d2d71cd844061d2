#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that tests/guest/trace-events.jq finds the mistakes in a file for Perfetto: a good file is broken in each way
# that the filter knows.
# shellcheck disable=SC2016 # jq's variables

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"

cat >"$tap_scratch/good" <<'END'
{"traceEvents": [
{"name":"process_name","ph":"M","pid":1,"tid":1,"args":{"name":"early boot"}},
{"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"phases"}},
{"name":"outer","cat":"phase","ph":"X","ts":0.000,"dur":10.500,"pid":1,"tid":1,"args":{"calls":3}},
{"name":"inner","cat":"phase","ph":"X","ts":0.000,"dur":10.500,"pid":1,"tid":1,"args":{}},
{"name":"inmost","cat":"phase","ph":"X","ts":10.100,"dur":0.400,"pid":1,"tid":1,"args":{}},
{"name":"next","cat":"phase","ph":"X","ts":10.500,"dur":0,"pid":1,"tid":1,"args":{}},
{"name":"thread_name","ph":"M","pid":1,"tid":2,"args":{"name":"phases: the end was not seen"}},
{"name":"endless","cat":"module","ph":"B","ts":3,"pid":1,"tid":2,"args":{}}
], "otherData": {}}
END

said()
{
	jq "$1" "$tap_scratch/good" | jq -rf "$clone/tests/guest/trace-events.jq" 2>&1
}

finds()
{
	said "$2" | grep -q "^$1"
}

is 'a good file has no mistakes' "$(said .)" ''
ok 'a file without events' finds 'no array' 'del(.traceEvents)'
ok 'a file with too few events' finds 'only 2' '.traceEvents |= .[:2]'
ok 'an event without a name' finds 'not an event' 'del(.traceEvents[2].name)'
ok 'an event of another kind' finds 'not an event' '.traceEvents[2].ph = "Y"'
ok 'a thread that is no number' finds 'not an event' '.traceEvents[2].tid = "1"'
ok 'a time that is a string' finds 'not a complete event' '.traceEvents[2].ts = "0"'
ok 'a time below zero' finds 'not a complete event' '.traceEvents[2].ts = -1'
ok 'an event without a duration' finds 'not a complete event' 'del(.traceEvents[2].dur)'
ok 'metadata that names nothing' finds 'metadata' '.traceEvents[0].name = "process"'
ok 'an event that overlaps another' finds overlapping '.traceEvents[4].dur = 0.401'
is 'two events that lie apart are no mistake' "$(said '.traceEvents[4] |= (.ts = 11 | .dur = 5)')" ''
ok 'a thread without a name' finds 'threads without' '.traceEvents[5].tid = 3'

ok 'a beginning on a thread without a name' finds 'threads without' '.traceEvents[7].tid = 3'
ok 'a beginning without a time' finds 'not a beginning' 'del(.traceEvents[7].ts)'
ok 'a beginning with a duration' finds 'not a beginning' '.traceEvents[7].dur = 1'
ok 'a beginning among complete events' finds 'beginnings among' '.traceEvents[7].tid = 1'

tap_end
