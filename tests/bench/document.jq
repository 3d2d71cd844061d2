# SPDX-License-Identifier: GPL-2.0
#
# The blocks of README.md and docs/results.md, which tests/bench/document.sh writes from docs/results.json. That file
# has {runs, rows}; a row names its run by its index. $block is the block to write.

include "targets";

def tenths: if . == null then "" else . * 10 | round / 10 | tostring end;
def hundredths:
	if . == null then "" else . * 100 | round | "\(. / 100 | floor).\(. % 100 + 100 | tostring[1:])" end;
def grouped: round | tostring | [while(length > 0; .[:-3]) | .[-3:]] | reverse | join(",");
def whole: if . == null then "-" else round | tostring end;
def padded($width): . + " " * ([$width - length, 0] | max);
def right($width): " " * ([$width - length, 0] | max) + .;

# Rows are those of the series' kernel unless $config names another one.
def rows($config): . as $all | .rows | map(select($all.runs[.run].config == $config));
def row($config; $contender; $scope; $workload): rows($config)
	| map(select(.contender == $contender and .scope == $scope and .workload == $workload))[0];
def cost($contender; $scope): row("patched"; $contender; $scope; "getppid").over_base;

def costs($scope):
	"| contender | over base | total | first hit | seen | missed | memory, MiB | attach, M | detach, M | |",
	"|---|--:|--:|--:|--:|--:|--:|--:|--:|---|",
	(rows("patched")[] | select(.scope == $scope and .workload == "getppid")
		| [.contender, (.over_base, .total | tenths), (.first_hit, .seen, .missed | if . then round else . end | tenths),
			(.memory_bytes | if . then . / 1048576 else . end | tenths),
			(.attach, .detach | if . then . / 1e6 else . end | hundredths), .note]
		| "| \(join(" | ")) |");

def workloads:
	rows("patched") as $rows
	| (["pipe", "file", "fork", "tree", "loopback", "server", "compile"]
		| map(select(. as $w | any($rows[]; .workload == $w and .contender == "base")))) as $workloads
	| def ratio($contender; $workload): [$rows[] | select(.contender == $contender and .scope == "all" and
		.workload == $workload) | .total / .base][0];
	"| | \($workloads | join(" | ")) |",
	"|---|\($workloads | map("--:") | join("|"))|",
	"| untraced, instructions | \([$workloads[] as $w | $rows[] | select(.contender == "base" and .scope == "all" and
		.workload == $w) | .base | grouped] | join(" | ")) |",
	([$rows[] | select(.workload != "getppid") | .contender] | reduce .[] as $c ([]; if index($c) then . else . + [$c] end)
		| .[] | select(. != "base") | . as $c
		| "| \($c) | \([$workloads[] | ratio($c; .) | hundredths] | join(" | ")) |");

# The same rows on other kernels, beside those of the series' kernel. If one of them is the unpatched kernel, says which
# contenders cost the same there.
def kernels($scope):
	. as $all | def plain($config): rows($config) | map(select(.scope == $scope and .workload == "getppid"));
	[.runs[].config | select(. != "patched" and (contains(", Linux ") | not))] | unique
	| map(. as $config | select($all | plain($config) | length > 0)) as $others
	| if $others == [] then "No other kernel has been measured." else
		"| contender | patched | \($others | join(" | ")) |",
		"|---|--:|\($others | map("--:") | join("|"))|",
		(reduce ($all | plain($others[])[] | .contender) as $c
			([]; if index($c) then . else . + [$c] end) | .[] as $c
			| "| \($c) | \([("patched", $others[]) as $config | $all | row($config; $c; $scope; "getppid")
				| if $c == "base" then .total else .over_base end | tenths] | join(" | ")) |"),
		(select($scope == "one" and ($others | index("unpatched") != null))
			| [$all | rows("patched") | beside($all | rows("unpatched"))] | map(select(.verdict != "reached")) as $differ
			| "", "Of \(length) rows that both have, \(length - ($differ | length)) are the same within one instruction on the unpatched kernel"
				+ if $differ == [] then ": reached." else ": MISSED by \($differ | map(.contender) | join(", "))." end)
	  end;

# The same rows on a newer Linux with the series.
def newer:
	. as $all
	| [.runs[].config | select(test("^patched, Linux [^,]+$"))] | unique as $newer
	| ["patched", $newer[]] as $configs
	| def cost($config; $scope; $c): $all | row($config; $c; $scope; "getppid")
		| if $c == "base" then .total else .over_base end | tenths;
	"| contender | \([("one function", "all functions") as $what | ("6.12", ($newer[] | ltrimstr("patched, Linux ")))
		| "\($what), \(.)"] | join(" | ")) |",
	"|---|\([range($configs | length * 2) | "--:"] | join("|"))|",
	(reduce ($all | rows($newer[])[] | select(.workload == "getppid") | .contender) as $c
		([]; if index($c) then . else . + [$c] end) | .[] as $c
		| "| \($c) | \([("one", "all") as $scope | $configs[] | cost(.; $scope; $c)] | join(" | ")) |");

# The calls of one CPU, and of several at once.
def parallel:
	. as $all | def cost($config; $scope; $workload; $c): $all | row($config; $c; $scope; $workload)
		| if $c == "base" then .total else .over_base end | tenths;
	[.runs[].config | select(test("^patched, [0-9]+ CPUs$"))] | unique as $configs
	| "| contender | one function, 1 CPU | \($configs | map("\(ltrimstr("patched, "))") | join(" | ")) | all functions, 1 CPU | \(
		$configs | map("\(ltrimstr("patched, "))") | join(" | ")) |",
	"|---|--:|\($configs | map("--:") | join("|"))|--:|\($configs | map("--:") | join("|"))|",
	(reduce ($all | rows($configs[])[] | select(.workload == "parallel") | .contender) as $c
		([]; if index($c) then . else . + [$c] end) | .[] as $c
		| "| \($c) | \([("one", "all") as $scope | cost("patched"; $scope; "getppid"; $c),
			cost($configs[]; $scope; "parallel"; $c)] | join(" | ")) |");

# The kernel that is compiled for KCOV, beside the other one.
def kcov:
	. as $all | def cost($config; $c): $all | row($config; $c; "all"; "getppid")
		| if $c == "base" then .total else .over_base end | if . == null then "" else tenths end;
	"| contender | kernel for KCOV | base kernel |",
	"|---|--:|--:|",
	(rows("patched, kcov")[] | select(.scope == "all" and .workload == "getppid") | .contender
		| "| \(.) | \(cost("patched, kcov"; .)) | \(cost("patched"; .)) |");

def runs:
	. as $all | .runs | to_entries[] | .key as $run
	| "- \(.value.date[:10]), \(.value.kernel) (\(.value.config)), `\(.value.command)`: \([$all.rows[]
		| select(.run == $run) | .contender] | unique | join(", "))";

# Rounds a figure: a share to three digits, a count to an integer, a large count to millions.
def measure: if . >= 1e6 then "\(. / 1e6 | round | grouped) million" elif . >= 10 or . == 0 then tenths else
	pow(10; 2 - (log10 | floor)) as $n | . * $n | round / $n | tostring end;

def targets:
	"| | asked | measured | |",
	"|---|--:|--:|---|",
	({rows: rows("patched")} | verdicts($targets[0]; "6.12"; {contender: [], scope: [], workload: []})
		| "| \(.what) | at most \(.asked | measure) | \(if .got | type != "number" then "-"
			elif .relative then .got / .of | measure else .got | measure end) | \(.verdict) |");

def bar($most): if . == null then "" else
	([. * 64 / $most | floor, 1] | max) as $eighths
	| "█" * ($eighths / 8 | floor) + ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][$eighths % 8] end // "";

def bars:
	. as $all
	| [["oneshot, functions and callers", "oneshot"],
		["a callback of ftrace's that counts", "ftrace-ops"],
		["fentry, functions and callers", "fentry-bitmap-callers"],
		["kprobe.multi, as -e bpf has it", "cover-bpf"],
		["function event, two arguments", "event-2args"],
		["fprobe event, two arguments", "fprobe-event-2args"],
		["function profiler", "profiler"],
		["function tracer", "function"]]
	| map(. as [$text, $contender] | {$text,
		one: ($all | cost($contender; "one")), all: ($all | cost($contender; "all"))}) as $bars
	| ([$bars[].one] | max) as $most_one | ([$bars[].all] | max) as $most_all
	| "```",
	("" | padded(37)) + "one function             all functions",
	($bars[] | (.text | padded(37)) + (.one | whole | right(4)) + " " + (.one | bar($most_one) | padded(21)) +
		(.all | whole | right(4)) + " " + (.all | bar($most_all)) | sub(" +$"; "")),
	"```";

if $block == "one" or $block == "all" then costs($block)
elif $block == "workloads" then workloads
elif $block == "kernels" then kernels("one")
elif $block == "kernels-all" then kernels("all")
elif $block == "parallel" then parallel
elif $block == "kcov" then kcov
elif $block == "newer" then newer
elif $block == "targets" then targets
elif $block == "runs" then runs
elif $block == "bars" then bars
else error("there is no block \($block)") end
