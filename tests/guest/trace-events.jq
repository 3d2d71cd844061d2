# SPDX-License-Identifier: GPL-2.0
#
# Finds the mistakes in a file of Chrome's trace events, as Perfetto and chrome://tracing read it; prints a line for
# each kind of mistake. `hytrace boot -f chrome` writes metadata events, which name processes and threads, and
# complete events. On one thread, one complete event must be inside another one or apart from it. If they overlap in
# another way, the viewers drop them without a message. What was not seen to end is a beginning ("B") without an end. The
# viewers take all that begins later on that thread to be inside of it, so it must be apart from complete events.

def number: type == "number" and . >= 0;
def bad(what): if . == [] then empty else "\(what): \(length), the first is \(.[0])" end;
def nanoseconds: . * 1000 | round;

# Complete events that begin inside another one of the same thread and end after it.
def overlapping:
	sort_by([(.ts | nanoseconds), -(.dur | nanoseconds)]) |
	reduce .[] as $e ({open: [], bad: []};
		($e.ts | nanoseconds) as $from | ($from + ($e.dur | nanoseconds)) as $to |
		.open |= map(select(. > $from)) |
		if .open != [] and $to > .open[-1] then .bad += [$e] else . end |
		.open += [$to]) |
	.bad;

if (type == "object" and (.traceEvents | type) == "array") | not then
	"no array traceEvents"
else
	(.traceEvents | length | select(. < 3) | "only \(.) events"),
	(.traceEvents | map(select(
		((.name | type) == "string" and .name != "" and (.ph | IN("M", "X", "B")) and
			(.pid | number) and (.tid | number) and (.args | type) == "object") | not)) |
		bad("not an event")),
	(.traceEvents | map(select(.ph == "M")) | map(select(
		((.name | IN("process_name", "thread_name")) and (.args.name | type) == "string") | not)) |
		bad("metadata that name nothing")),
	(.traceEvents | map(select(.ph == "X")) | map(select(
		((.ts | number) and (.dur | number) and (.cat | type) == "string") | not)) |
		bad("not a complete event")),
	(.traceEvents | map(select(.ph == "X" and (.ts | number) and (.dur | number))) |
		group_by([.pid, .tid]) | map(overlapping) | add // [] | bad("overlapping")),
	(.traceEvents | map(select(.ph == "B")) | map(select(
		((.ts | number) and (has("dur") | not) and (.cat | type) == "string") | not)) |
		bad("not a beginning")),
	([.traceEvents[] | select(.ph == "X") | [.pid, .tid]] as $complete |
		[.traceEvents[] | select(.ph == "B" and ([.pid, .tid] | IN($complete[])))] |
		bad("beginnings among complete events")),
	([.traceEvents[] | select(.ph == "X" or .ph == "B") | .tid] - [.traceEvents[] | select(.name == "thread_name") | .tid] |
		unique | bad("threads without a name"))
end
