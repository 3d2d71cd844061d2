# SPDX-License-Identifier: GPL-2.0
#
# The blocks of README.md and docs/results.md, and the full tables, which tests/bench/document.sh writes from
# docs/results.json. That file has {runs, rows}; a row names its run by its index. $block is what to write.

include "targets";

def tenths: if . == null then "" else . * 10 | round / 10 | tostring end;
def hundredths:
	if . == null then "" else . * 100 | round | "\(. / 100 | floor).\(. % 100 + 100 | tostring[1:])" end;
def grouped: round | tostring | [while(length > 0; .[:-3]) | .[-3:]] | reverse | join(",");
def whole: if . == null then "-" else round | tostring end;
def padded($width): . + " " * ([$width - length, 0] | max);
def right($width): " " * ([$width - length, 0] | max) + .;
def in_order: reduce .[] as $one ([]; if index($one) then . else . + [$one] end);

# The first lines of a table with these columns, and any other line. Figures are on the right; a column without a name is text.
def line: "| \(join(" | ")) |";
def head: line, "|---|\(.[1:] | map(if . == "" then "---|" else "--:|" end) | add)";

# Rows are those of the series' kernel unless $config names another one.
def rows($config): . as $all | .rows | map(select($all.runs[.run].config == $config));
def row($config; $contender; $scope; $workload): rows($config)
	| map(select(.contender == $contender and .scope == $scope and .workload == $workload))[0];
def cost($contender; $scope): row("patched"; $contender; $scope; "getppid").over_base;

def costs($scope; $columns; wanted):
	(["contender", $columns[], ""] | head),
	(rows("patched")[] | select(.scope == $scope and .workload == "getppid") | select(.contender | wanted)
		| {"over base": (.over_base | tenths), total: (.total | tenths),
			"first hit": (.first_hit | values |= round | tenths), seen: (.seen | tenths), missed: (.missed | tenths),
			"memory, MiB": (.memory_bytes | values |= . / 1048576 | tenths),
			"attach, M": (.attach | values |= . / 1e6 | hundredths), "detach, M": (.detach | values |= . / 1e6 | hundredths)} as $cells
		| [.contender, $cells[$columns[]], .note] | line);

def workloads($config; wanted):
	(rows($config) | map(select(.scope == "all" and .workload != "getppid"))) as $rows
	| (["pipe", "file", "fork", "tree", "loopback", "server", "compile"] | map(select(IN($rows[].workload)))) as $workloads
	| def cells($contender; figure): [$workloads[] as $w
		| first($rows[] | select(.contender == $contender and .workload == $w) | figure) // ""];
	(["", $workloads[]] | head),
	(["untraced, instructions", cells("base"; .base | grouped)[]] | line),
	([$rows[].contender] | in_order[] | select(. != "base" and wanted)
		| [., cells(.; .total / .base | hundredths)[]] | line);

# A column for each [TITLE, CONFIG, SCOPE, WORKLOAD], with what a contender costs over the base, and for the base its total.
# There is a row for each contender of a configuration that is not the series'.
def compared($columns; wanted):
	. as $all | (["contender", $columns[][0]] | head),
	([$columns[] | select(.[1] != "patched") as [$_, $config, $scope, $workload] | $all | rows($config)[]
		| select(.scope == $scope and .workload == $workload) | .contender] | in_order[] | select(wanted) | . as $c
		| [$c, ($columns[] as [$_, $config, $scope, $workload] | $all | row($config; $c; $scope; $workload)
			| if $c == "base" then .total else .over_base end | tenths)] | line);

# How many contenders cost the same without the series, and which do not.
def unpatched:
	[. as $all | rows("patched") | beside($all | rows("unpatched"))] | map(select(.verdict != "reached").contender) as $differ
	| "Of \(length) contenders on one function, \(length - ($differ | length)) cost the same without the series, within one instruction.",
		"\($differ | join(", ")) do not.";

def runs:
	. as $all | .runs | to_entries[] | .key as $run
	| "- \(.value.date[:10]), \(.value.kernel) (\(.value.config)), `\(.value.command)`: \([$all.rows[]
		| select(.run == $run) | .contender] | unique | join(", "))";

# Rounds a figure: a share to three digits, a count to an integer, a large count to millions.
def measure: if . >= 1e6 then "\(. / 1e6 | round | grouped) million" elif . >= 10 or . == 0 then tenths else
	pow(10; 2 - (log10 | floor)) as $n | . * $n | round / $n | tostring end;

def targets($linux; $config):
	(["", "asked", "measured", ""] | head),
	({rows: rows($config)} | verdicts($targets[0]; $linux; {contender: [], scope: [], workload: []})
		| [.what, "at most \(.asked | measure)", (if .got | type != "number" then "-"
			else .got / (if .relative then .of else 1 end) | measure end), .verdict] | line);

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

# All of docs/results.json.
def tables:
	def section($title): "", "## \($title)", "";
	. as $all | ([.runs[].config] | unique - ["patched"]) as $configs
	# The series' kernel and each other configuration that has this measurement.
	| def kernels($scope; $workload; $title): [[$title, "patched", $scope, "getppid"],
		($configs[] | select(. as $config | $all | rows($config) | any(.scope == $scope and .workload == $workload))
			| [., ., $scope, $workload])];
	"# All results", "",
	"Written by tests/bench/document.sh from docs/results.json. docs/results.md says how this is measured. The kernel of a table",
	"is the one with the series (`patched`), unless the table names another one. *Seen* are addresses in the set, and *missed* are",
	"calls that a contender says it has missed; both are read after getppid(). What ends in `-denied` leaves out the functions",
	"that kprobe.multi and the contender's own program call.",
	section("Runs"), runs,
	({one: "One function traced", all: "All functions traced"} | to_entries[] | .key as $scope | .value as $traced | $all
		| section("\($traced), getppid()"),
		costs($scope; ["over base", "total", "first hit", "seen", "missed", "memory, MiB", "attach, M", "detach, M"]; true),
		section("\($traced), getppid() on each kernel"), compared(kernels($scope; "getppid"; "patched"); true),
		section("\($traced), getppid() on several CPUs at once"), compared(kernels($scope; "parallel"; "1 CPU"); true)),
	({"6.12": "patched", "7.3": "patched, Linux 7.3"} | to_entries[] | .key as $linux | .value as $config | $all
		| section("All functions traced on Linux \($linux), workloads, of what they take untraced"), workloads($config; true),
		section("Targets on Linux \($linux)"), targets($linux; $config));

# docs/results.md has these rows and columns of them.
def short: ["over base", "first hit", "memory, MiB", "attach, M", "detach, M"];
def newer: [["one function, 6.12", "patched", "one", "getppid"], ["one function, 7.3", "patched, Linux 7.3", "one", "getppid"],
	["all functions, 6.12", "patched", "all", "getppid"], ["all functions, 7.3", "patched, Linux 7.3", "all", "getppid"]];

if $block == "one" then costs("one"; short; IN("oneshot-retired", "oneshot-nocallers", "oneshot", "cover-bpf", "ftrace-ops",
	"fentry-bitmap-callers", "kprobe-multi", "bpftrace-count", "function", "event-2args", "fprobe-event-2args"))
elif $block == "all" then costs("all"; short - ["first hit"]; IN("oneshot-retired", "oneshot", "cover-bpf-retired", "cover-bpf",
	"ftrace-ops", "kprobe-multi", "kprobe-multi-denied", "function"))
elif $block == "workloads" then workloads("patched"; IN("oneshot-retired", "oneshot", "cover-bpf", "function"))
elif $block == "newer" then compared(newer; IN("base", "oneshot-nocallers", "oneshot", "cover-bpf",
	"cover-bpf-kprobe", "function"))
elif $block == "unpatched" then unpatched
elif $block == "bars" then bars
elif $block == "tables" then tables
else error("there is no block \($block)") end
