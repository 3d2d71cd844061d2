# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Checks the answers of hytrace callers and hytrace calls for a document with thousands of functions, and the reports that
# are made of them. Source it after cover-lib.sh. The functions that calls name are compared with the compiler's own list (call_origins.c).
# shellcheck disable=SC2016 # jq has variables of its own
# shellcheck disable=SC2154 # $clone and $hytrace are cover-lib.sh's

# compiler_agrees CALLS.json: prints the direct calls of fs/ of which the compiler names another callee, or that it names too
# few (kernel/cc.sh says where it names them). A function has other names in symbols than in the source: NAME.isra.0, or an alias.
compiler_agrees()
{
	gcc -O2 -o call_origins "$clone/tests/guest/call_origins.c" -ldw || return
	./call_origins "$HYTRACE_VMLINUX" >origins || return
	nm "$HYTRACE_VMLINUX" >symbols || return
	jq -r '.functions[] | select(.module == null) | .calls[] | select(.kind == "direct" and .named and .module == null) |
		select(.file // "" | startswith("fs/")) | "\(.addr[2:]) \(.name)"' "$1" | perl -e 'no warnings "portable"; my (%named, %at, $same, $unnamed);
		open(my $f, "<", "origins"); while (<$f>) { my ($a, $n) = split; $named{hex($a)} = $n; }
		open($f, "<", "symbols"); while (<$f>) { my ($a, $t, $n) = split; next if !defined($n);
			$at{$n}{$a} = 1; $n =~ s/\..*//; $at{$n}{$a} = 1; }
		while (<STDIN>) { my ($a, $name) = split; my $other = $named{hex($a) + 5};
			if (!defined($other)) { $unnamed++; next; }
			(my $base = $name) =~ s/\..*//;
			if ($base eq $other || grep { $at{$name}{$_} } keys(%{$at{$other}})) { $same++; next; }
			print("$a: $name, $other\n"); }
		print("only $same are the same\n") if $same < 1500;
		print("$unnamed are not named\n") if $unnamed > $same / 50;'
}

# lines_agree CALLS.json: prints the calls of vmlinux, of each five of them one, for which addr2line has another place
lines_agree()
{
	jq -r '.functions[].calls[] | select(.addr and .kind != "unknown") | "\(.addr) \(.file):\(.line)"' "$1" | sort -u |
		awk 'NR % 5 == 0' >places
	[[ $(wc -l <places) -gt 100 ]] || echo 'too few calls to compare'
	# By the second byte of each call: the rows of several lines may begin at the first one.
	perl -pe 's/^0x(\S+).*/sprintf("%x", hex($1) + 1)/e' places | addr2line -e "$HYTRACE_VMLINUX" |
		sed 's/ (discriminator.*//; s,^\(\.*/\)*,,' | paste -d ' ' places - | awk '$2 != $3'
}

# record_agrees CALLS.json DOCUMENT: prints the direct calls of functions in the document for which the document says that
# they have entered another function, or that it says this of too few. A direct call has five bytes. A few may
# differ: a function that was entered before recording began, such as schedule(), jumps to another one at its end.
record_agrees()
{
	nm "$HYTRACE_VMLINUX" >symbols || return
	{
		jq -r '.functions[] | "f \(.addr)"' "$2"
		jq -r '.callers[] | select(.addr and .entered.addr) | "r \(.addr) \(.entered.addr) \(.entered.name)"' "$2"
		jq -r '.functions[] | .calls[] | select(.kind == "direct" and .named and .addr) | "c \(.addr) \(.name)"' "$1"
	} | perl -e 'no warnings "portable"; my (%at, %function, %record, @other, $same);
		open(my $f, "<", "symbols"); while (<$f>) { my ($a, $t, $n) = split; $at{$n}{hex($a)} = 1 if defined($n); }
		while (<STDIN>) { my ($kind, $addr, @rest) = split;
			if ($kind eq "f") { $function{hex($addr)} = 1; next; }
			if ($kind eq "r") { $record{hex($addr)} = \@rest; next; }
			my $record = $record{hex($addr) + 5} or next;
			my @callees = grep { $function{$_} } keys(%{$at{$rest[0]}}) or next;
			if (grep { $_ == hex($record->[0]) } @callees) { $same++; next; }
			push(@other, "$addr: $rest[0], $record->[1]\n"); }
		print(@other) if @other > 3;
		print("only $same are the same\n") if $same < 3000;'
}

# twins DOCUMENT: of so many calls two return addresses are recorded. A call through pv_ops has six bytes until the kernel
# puts one of five in its place, while it boots; the shortest call has two bytes.
twins()
{
	jq -r '.callers[].addr // empty' "$1" | perl -ne 'no warnings "portable"; $at{hex($_)} = 1;
		END { print(scalar(grep { $at{$_ + 1} } keys(%at)), "\n"); }'
}

# edges_agree DOCUMENT UNKNOWN: of so many functions and calls at most, nothing is known
edges_agree()
{
	local document=$1 unknown=$2

	ok "$document: calls" "$hytrace" calls -f json -o calls.json --vmlinux "$HYTRACE_VMLINUX" '*' "$document"
	ok "$document: callers" "$hytrace" callers -f json -o callers.json --vmlinux "$HYTRACE_VMLINUX" '*' "$document"
	ok 'both are as their schema has them' valid calls calls.json callers.json
	is 'no caller is left out, but those in code that the kernel makes' "$(jq -c '[.unplaced, ([.functions[] as $f | $f.calls[] |
		[$f.module, .addr, .offset]] | unique | length)]' calls.json)" "[0,$(($(jq '.callers | length' "$document") - $(twins "$document")))]"
	ok '92 of 100 name their callee' jq -en --slurpfile a calls.json --slurpfile b "$document" '($b[0].callers | length) as $all |
		$all > 3000 and ([$a[0].functions[].calls[] | select(.named)] | length) > $all * 0.92'
	ok 'and few have no call before them' jq -e --argjson most "$unknown" \
		'[.functions[].calls[] | select(.kind == "unknown")] | length <= $most' calls.json
	is 'those that name a function of the document have entered it' "$(record_agrees calls.json "$document")" ''
	ok 'the record has what nearly all others have entered' jq -e '[.functions[].calls[] | select(.kind != "direct")] |
		length > 100 and (map(select(.name)) | length) > length * 0.95' calls.json
	is 'each callee that can be traced is in the document' "$(jq .missing calls.json)" 0
	is 'the compiler names the same callees' "$(compiler_agrees calls.json)" ''
	is 'addr2line has them at the same lines' "$(lines_agree calls.json | head)" ''
	ok 'each function is in it' jq -en --slurpfile a callers.json --slurpfile b "$document" \
		'($a[0].functions | map(select(.seen[0])) | length) == ($b[0].functions | length)'
	ok '98 of 100 have a caller' jq -e '[.functions[] | select(.seen[0]).origin] |
		(map(select(. == "call")) | length) > length * 0.98' callers.json
	# Two may lie in a symbol that is a label in another function.
	ok 'the first caller of each function is one of its callers' jq -en --slurpfile a callers.json --slurpfile b "$document" '
		def key: "\(.addr) \(.module) \(.offset)";
		($b[0].functions | map({key: key, value: .caller.name}) | from_entries) as $first
		| [$a[0].functions[] | select(.seen[0] and $first[key])] | length > 3000 and
		(map($first[key] as $caller | select([.callers[].in] | index($caller) | not)) | length) <= 2'
	# Which pointers a module holds is not read, so the way into its functions may stay unknown.
	ok 'the others have a reason' jq -e --argjson most "$unknown" '[.functions[] | select(.seen[0] and
		(.module == null or .origin != "unknown")).origin |
		select(. == "unknown" or . == "unseen-jump" or . == "unrecorded")] | length <= $most' callers.json
	jq 'del(.functions[] | select(.name == "vfs_write"))' "$document" >cut.json
	ok 'a function that was lost is missed' grep -q '1 functions were certainly called by recorded callers.* vfs_write' <(
		"$hytrace" callers --vmlinux "$HYTRACE_VMLINUX" vfs_write cut.json 2>&1)
	ok 'calls have their lines' grep -qE '^(new_sync_write|ksys_write).* fs/read_write\.c:[0-9]+ +ksys_write\+0x' <(
		"$hytrace" callers --vmlinux "$HYTRACE_VMLINUX" vfs_write "$document")
}

# graphs_agree DOCUMENT: reports of the graph, and of what is proved. edges_agree has left calls.json
graphs_agree()
{
	local document=$1

	"$hytrace" report -f dot -o graph.dot --vmlinux "$HYTRACE_VMLINUX" "$document"
	is 'report: dot has no pair of functions twice' "$(grep -o '.* -> n[0-9]*' graph.dot | sort | uniq -d)" ''
	# Some callees have one name and one caller.
	ok 'report: dot has each pair of functions' jq -e --argjson got "$(grep -c ' -> ' graph.dot)" '([.functions[] as $f | $f.calls[] |
		select(.name) | [$f.addr, $f.module, $f.name, .name, .module]] | unique | length) | . <= $got and . > $got * 0.99' calls.json
	"$hytrace" report -f folded -o graph.folded --vmlinux "$HYTRACE_VMLINUX" "$document"
	is 'report: folded has a line for each function' "$(wc -l <graph.folded)" "$(jq '.functions | length' "$document")"
	ok 'report: folded has chains of callers' grep -qE ';ksys_write;vfs_write 1$' graph.folded
	"$hytrace" report --proved -f json -o proved.json --vmlinux "$HYTRACE_VMLINUX" "$document"
	ok 'report: with what is proved it is as its schema has it' valid report proved.json
	ok 'report: more than a thousand functions of the source are proved' jq -e '.columns[0] | .proved.sources as $s |
		$s.proved > 1000 and $s.possible > $s.proved and $s.recorded <= .seen + .beside and
		$s.recorded + $s.proved + $s.possible + $s.unknown < $s.all and $s.unknown > 0 and .proved.untraced > 100 and .proved.missing == 0' proved.json
	"$hytrace" report --proved -f html -o proved.html --vmlinux "$HYTRACE_VMLINUX" "$document"
	is 'report: the page marks the same functions' "$(sed -n 's/^<script type="application\/json" id="data">//p' \
		proved.html | jq -c '[.marks | explode[] | [.] | implode] | [(map(select(. == "p")) | length),
			(map(select(. == "q")) | length)]')" "$(jq -c '[.functions[] | select(.seen[0] == false)] |
		[(map(select(.proved[0])) | length), (map(select(.possible[0])) | length)]' proved.json)"
	"$hytrace" report -f lcov -o plain.info --vmlinux "$HYTRACE_VMLINUX" "$document"
	"$hytrace" report --proved -f lcov -o proved.info --vmlinux "$HYTRACE_VMLINUX" "$document"
	# Those of a name that is there once.
	jq -r '[.functions[] | select(.file and .line) | .name |= sub("\\..*"; "")] | group_by(.name)[] | select(length == 1)[0] |
		select(.seen[0] == false) | "\(if .proved[0] then "p" elif .possible[0] then "q" else "n" end) \(.name)"' proved.json >ways
	ok 'report: there are functions of both kinds' test "$(grep -c '^p' ways)" -gt 50 -a "$(grep -c '^q' ways)" -gt 50
	is 'report: in lcov, what is proved ran' "$(sed -n 's/^p //p' ways | sort | comm -23 - <(
		sed -n 's/^FNDA:1,//p' proved.info | sort))" ''
	is 'report: in lcov without proofs, it did not' "$(sed -n 's/^p //p' ways | sort | comm -23 - <(
		sed -n 's/^FNDA:0,//p' plain.info | sort))" ''
	is 'report: in lcov, what may have run has no value' "$(sed -n 's/^q //p' ways | sort | comm -12 - <(
		sed -n 's/^FNDA:.,//p' proved.info | sort))" ''
	"$hytrace" report --unseen --vmlinux "$HYTRACE_VMLINUX" "$document" >unseen
	"$hytrace" report --unseen --proved --vmlinux "$HYTRACE_VMLINUX" "$document" >unproved
	ok 'report: what is proved is not called unseen' test "$(wc -l <unproved)" -lt "$(wc -l <unseen)"
	is 'report: and nothing else is left out' "$(sed 's/\tperhaps inlined$//' unproved | sort | comm -13 <(sort unseen) -)" ''
	is 'report: proved and unseen are all that was unseen' "$(($(wc -l <unproved) + $(jq '[.functions[] |
		select(.proved[0] and .seen[0] == false)] | length' proved.json)))" "$(wc -l <unseen)"
}
