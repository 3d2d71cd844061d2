# SPDX-License-Identifier: GPL-2.0
#
# The targets of the benchmark (targets.json), and whether its figures reach them. A target names a figure by
# contender, scope, workload and field of a row. The figure must be at most `most`, or with `of` at most that many
# times another figure. If it is below `least` times that, the workload is no measure, because it cannot be faster
# than without a tracer. A target with `linux` is for that version alone.

# The figure of a row; "none" if the row has none; null if the row was not asked for. $chosen is {contender, scope,
# workload}, each with the names that were asked for, or [] for all.
def figure($name; $chosen):
	($name / " ") as [$contender, $scope, $workload, $field]
	| def asked($key; $value): $chosen[$key] | . == [] or index($value) != null;
	if asked("contender"; $contender) and asked("scope"; $scope) and (asked("workload"; $workload) or $scope == "one")
	then [.rows[] | select(.contender == $contender and .scope == $scope and .workload == $workload)][0] // {}
		| if $field == "retire_ns" then [.note // "" | capture("that took (?<ns>[0-9]+)$").ns | tonumber][0]
		  else .[$field] end
		| . // "none"
	else null end;

# Gives {what, got, of, most, verdict} for each target of a version of Linux; `most` is the bound of `got`.
def verdicts($targets; $linux; $chosen):
	. as $all | $targets[] | select((.linux // $linux) == $linux)
	| (.row as $name | $all | figure($name; $chosen)) as $got
	| (if .of then .of as $name | $all | figure($name; $chosen) else 1 end) as $of
	| {what, asked: .most, relative: has("of"), $got, $of, most: (if ($of | type) == "number" then .most * $of else null end),
		verdict: (if $got == null or $of == null then "not asked for"
			elif ([$got, $of] | any(type != "number")) then "UNKNOWN"
			elif .least and $got < .least * $of then "UNKNOWN"
			elif $got <= .most * $of then "reached" else "MISSED" end)};

# Compares rows of one kernel with those of another one. With one function traced, the costs of a contender that both
# have may differ by one instruction. Gives {contender, got, there, verdict}.
def beside($others):
	def cost: if .contender == "base" then .total else .over_base end;
	def plain: select(.scope == "one" and .workload == "getppid" and .total != null);
	.[] | plain | . as $row
	| ($others[] | plain | select(.contender == $row.contender)) as $other
	| {contender, got: cost, there: ($other | cost)}
	| .verdict = (if (.got - .there | fabs) <= 1 then "reached" else "MISSED" end);
