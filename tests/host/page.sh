#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checks hytrace report -f lcov and -f html on small documents of a small kernel. genhtml reads the first, and a browser
# without a window opens the second: it has to show the same numbers as -f json, find what is searched for, obey the
# keyboard, and treat all names as text.
# shellcheck disable=SC2016 # jq and the page's scripts have variables of their own

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
. "$clone/tests/guest/page-lib.sh"
cd "$tap_scratch" || exit 1
export XDG_CACHE_HOME=$tap_scratch/cache
mkdir "$XDG_CACHE_HOME"

# ---- a kernel and what was recorded of it

# A line for each function: address, unit, file if it is another one, line, why it cannot be traced; - for none.
functions()
{
	cat <<'LINES'
0x100 fs/a.c - 10 - alpha
0x200 fs/a.c - 20 - beta
0x300 fs/a.c - 30 - denied
0x400 fs/a.c - 40 notrace hidden
0x500 fs/ext4/b.c - 5 - delta
0x600 fs/ext4/b.c include/h.h 7 - inl
0x700 mm/c.c include/h.h 7 - inl
0x800 mm/c.c - 50 - split
0x900 mm/c.c - 52 - split.part.0
0xa00 init/main.c - 3 - init_it
0xb00 kernel/<b>&"'.c - 9 - </script><script>document["title"]="broken"</script><img>
0xc00 - - 0 - nowhere
LINES
}

functions | jq -Rn '{hytrace: "0", document: "functions", schema: 2, selection: "all", kernel: {release: "6.12.0-test", arch: "x86_64",
		build_id: "aa", addresses: "linked", modules: []}, totals: {functions: 0, traceable: 0, init: 0},
	functions: [inputs | split(" ") | map(if . == "-" then null else . end) | {addr: .[0], name: .[5:] | join(" "), module: null,
		offset: null, unit: .[1], file: (.[2] // .[1]), line: (.[3] | tonumber), sympos: 1, untraced: .[4],
		init: (.[5] | startswith("init_"))}]}' >universe.json

# document NAME ADDRESS... [-- JQ-FILTER]: that has seen the functions at these, one every ten microseconds
document()
{
	local name=$1 addrs=() filter=.
	shift

	while (($#)) && [[ $1 != -- ]]; do
		addrs+=("$1")
		shift
	done
	(($#)) && filter=$2
	jq -n --slurpfile u universe.json '($u[0].functions | map({key: .addr, value: .name}) | from_entries) as $name |
		{hytrace: "0", document: "coverage", schema: 2, engine: "oneshot", kernel: {release: "6.12.0-test",
			version: null, arch: "x86_64", build_id: "aa", config: null, cmdline: null, addresses: "linked", calls: "linked"},
		host: "here", boot_id: "b", command: ["make", "a test"],
		filters: {allow: [], deny: ["denied"], denied_by_hytrace: [], scope: "system", pid: null, cgroup: null, comm: null,
			callers: true},
		options: {retire: false, retire_ms: null, max_entries: null, duration: null, pin: false},
		started: "2026-01-02T03:04:05.000006Z", seconds: 1.5, ended: "command", status: 0, merged: null,
		window: {clock: "local", opening_ns: 1000000, open_ns: 1000001, closing_ns: 9000000, closed_ns: 9000001, error_ns: 0},
		totals: {entries: 0, functions: 0, callers: 2, traceable: 10, traced: 9, traced_seen: 0},
		complete: true, lost: {}, losses: [], cost: {}, modules: [], follows_modules: true, unattached: null,
		functions: [$ARGS.positional | to_entries[] | {addr: .value, name: $name[.value], module: null, offset: null, sympos: 1,
			first_ns: (1000000 + 10000 * (.key + 1)), cpu: 1, pid: 42, comm: "<b>sh"}],
		callers: [{addr: "0x105", name: "alpha", module: null, offset: null, symbol_offset: 5, first_ns: 1020000, cpu: 0, pid: 7},
			{addr: "0x410", name: "hidden", module: null, offset: null, symbol_offset: 16, first_ns: 1030000, cpu: 0, pid: 7}]} |
		.totals.functions = (.functions | length)' --args "${addrs[@]}" | jq "$filter" >"$name"
}

document one.json 0x100 0x600 0x900 0xb00 0xc00
document two.json 0x100 0x500 -- '.lost = {map_full: 3} | .host = "</script><script>document.title=1</script>"'
document boot.json 0x100 0xa00 -- '.filters.scope = "boot" | .command = null'
"$hytrace" report --universe universe.json -f json -o report.json one.json two.json 2>/dev/null

# report FORMAT [OPTION]... DOCUMENT...
report()
{
	"$hytrace" report --universe universe.json -f "$@" 2>err
}

# ---- lcov

report lcov one.json >one.info
is '-f lcov has each function that was asked for and has a line, once' "$(grep -v '^#' one.info)" "TN:one
SF:fs/a.c
FN:10,alpha
FN:20,beta
FNDA:1,alpha
FNDA:0,beta
FNF:2
FNH:1
DA:10,1
DA:20,0
LF:2
LH:1
end_of_record
TN:one
SF:fs/ext4/b.c
FN:5,delta
FNDA:0,delta
FNF:1
FNH:0
DA:5,0
LF:1
LH:0
end_of_record
TN:one
SF:include/h.h
FN:7,inl
FNDA:1,inl
FNF:1
FNH:1
DA:7,1
LF:1
LH:1
end_of_record
TN:one
SF:kernel/<b>&\"'.c
FN:9,</script><script>document[\"title\"]=\"broken\"</script><img>
FNDA:1,</script><script>document[\"title\"]=\"broken\"</script><img>
FNF:1
FNH:1
DA:9,1
LF:1
LH:1
end_of_record
TN:one
SF:mm/c.c
FN:50,split
FNDA:1,split
FNF:1
FNH:1
DA:50,1
LF:1
LH:1
end_of_record"
is 'a warning counts functions without a line' "$(tail -n 1 err)" \
	'hytrace: warning: -f lcov: functions left out, because their lines are not known: 1'
is 'a comment says what 0 and 1 mean' "$(grep -c '^# .*FNDA is 1 if ' one.info)" 1
is 'genhtml counts the same functions' "$(functions_of --no-source one.info)" '4 of 6'
report lcov one.json two.json >both.info
is 'of two documents, it counts what either has seen' "$(functions_of --no-source both.info)" '5 of 6'
is 'each is a test of its own' "$(sed -n 's/^TN://p' both.info | sort -u | xargs)" 'one two'
cp one.json a-b.json
cp two.json a_b.json
is 'two labels that lcov would spell alike stay two tests' \
	"$(report lcov a-b.json a_b.json | sed -n 's/^TN://p' | sort -u | xargs)" 'a_b_1 a_b_2'
report lcov boot.json >boot.info
is 'a boot has init code' "$(grep -c 'init_it$' boot.info)" 2
is 'a later run has none' "$(grep -c 'init_it$' one.info)" 0
mkdir -p tree/fs build/mm 'with space'
touch tree/fs/a.c build/mm/c.c
report lcov --source tree --source build one.json >source.info
is '--source: a file is where it is found, or else in the first directory' "$(sed -n 's/^SF://p' source.info | sort)" \
	"$(printf '%s\n' "$PWD"/{build/mm/c.c,tree/{fs/a.c,fs/ext4/b.c,include/h.h,"kernel/<b>&\"'.c"}} | sort)"
report lcov --source nonesuch one.json >out
is '--source: a directory that is not there is refused' "$?" 2
report json --source tree one.json >out
is '--source with another format is refused' "$?" 2
report lcov --source-url https://here/ one.json >out
is '--source-url with another format is refused' "$?" 2
report html --source-url javascript:alert one.json >out
is '--source-url: what is no address is refused' "$? $(grep -c 'does not begin with https://' err)" '2 1'
report lcov --in fs/ext4 one.json >part.info
is '--in keeps a part' "$(sed -n 's/^SF://p' part.info | xargs)" 'fs/ext4/b.c include/h.h'
jq '.functions |= map(.file = null | .line = null)' universe.json >unplaced.json
"$hytrace" report --universe unplaced.json -f lcov -o none.info one.json 2>err
is 'a kernel without lines is refused' "$? $(grep -c 'not known at which lines' err)" '2 1'
ok 'and leaves no file' test ! -e none.info

# ---- the page

report html -o page.html one.json two.json
is '-f html writes a page' "$? $(cat err)" '0 hytrace: warning: -f html does not tell what was called, because there is no vmlinux of that kernel: give --vmlinux FILE'
is 'no name can end the data' "$(grep -c '</script><script>document' page.html)" 0
is 'it names no other place' "$(grep -oE '(src|href|url)[=(]["'"'"']?(https?:)?//[^ ]*' page.html)" ''
browse page.html 'async function MORE(t) {
	const r = t.result;
	t.filter("unseen").click();
	r.unseen = t.seen();
	t.filter("all").click();
	t.row("fs").click();
	t.row("a.c").click();
	r.open = t.seen();
	t.row("alpha").click();
	r.alpha = t.text(document.getElementById("detail"));
	r.hash = location.hash;
	t.key("End");
	r.last = t.focused();
	t.key("Home");
	t.key("ArrowDown");
	r.second = t.focused();
	t.key("ArrowRight");
	t.key("ArrowDown");
	r.under = t.focused();
	t.key("ArrowLeft");
	r.back = t.focused();
	t.key("/");
	r.typed = document.activeElement.id;
	r.found = await t.search("SPL");
	r.glob = await t.search("?e*a");
	r.untraced = await t.search("hidden");
	t.row("hidden").click();
	r.hidden = t.text(document.getElementById("detail"));
	r.script = await t.search("<script>");
	r.nothing = await t.search("nonesuch");
	t.key("Escape");
	r.cleared = document.getElementById("search").value + t.rows().length;
}' >seen.json
# shown JQ-FILTER: of what the browser has shown
shown()
{
	jq -r "$1" seen.json
}
is 'the page shows, in a browser' "$(shown .error)" null
is 'the console of the browser says nothing' "$(cat console)" ''
is 'nothing is loaded' "$(shown '.loaded | length')" 0
is 'no name is markup' "$(shown '"\(.markup) \(.title)"')" '0 Kernel functions that ran: one, two'
is 'the page names the kernel' "$(shown .kernel)" "Linux 6.12.0-test · x86_64 · build aa · $("$hytrace" --version)"
is 'the shares are those of -f json' "$(shown '.totals | tojson')" "$(jq -c '[.columns[] | [.seen, .asked_for]]' report.json)"
is 'those of directories add up to them' "$(shown '.sums as $s | [range(2) as $c | [$s | map(.[$c][0]), map(.[$c][1]) | add]] | tojson')" \
	"$(shown '.totals | tojson')"
is 'a complete document is said to be so' "$(shown '.cards[0] | test("✔ Complete")')" true
is 'one that is not, as well, and what it lost' "$(shown '.cards[1] | test("✘ Not complete.*map_full 3")')" true
is 'the page shows the command as a shell would take it' "$(shown '.cards[0] | test("during make '"'a test'"'")')" true
is 'the filters have numbers' "$(shown '.filters | map(sub("✓ *"; "")) | join(", ")')" \
	'All 11, Seen in any 6, Unseen in all 3, In both 1, Only in one 4, Only in two 1'
is 'unseen functions are those of --unseen' "$(shown '.unseen | map(split(" | ")[1] | tonumber) | add')" \
	"$(report text --unseen one.json two.json | wc -l)"
is 'directories open' "$(shown '.open | map(split(" | ")[0]) | join(", ")')" \
	'▾ fs/, ▸ ext4/, ▾ a.c, alpha, beta, denied, ▸ init/, ▸ kernel/, ▸ mm/, ▸ (source file not known)'
is 'a function tells its line and its marks' "$(shown '.open[] | select(startswith("alpha"))')" \
	'alpha | :10 | ● seen · first at 0.000010 s | ● seen · first at 0.000010 s'
is 'one that was left out is not said to be unseen' "$(shown '.open[] | select(startswith("denied"))')" \
	'denied | :30 | – not traced | – not traced'
is 'its place, first call, task and calls are shown' \
	"$(shown '.alpha | test("^alpha fs/a.c:10 one ● First call 0.000010 s after recording began, by <b>sh \\(pid 42\\) on CPU 1; .*\\+0x5 · one, two")')" true
is 'the address of the page has what is shown' "$(shown '.hash | test("f=alpha%40fs%2Fa.c.*in=fs")')" true
is 'keys move' "$(shown '[.last, .second, .under, .back, .typed] | join(", ")')" \
	'▸ (source file not known), ▸ ext4/, ▸ b.c, ▾ ext4/, search'
is 'a search finds functions' "$(shown '.found | .[0], (.[1:][] | split(" | ")[0])')" \
	'2 functions with “SPL” in the name
split mm/c.c:50
split.part.0 mm/c.c:52'
is 'a pattern finds whole names' "$(shown '.glob[1:] | map(split(" ")[0]) | join(" ")')" 'beta delta'
# The rest of the sentence is image/functions.c's.
is 'a search finds functions that cannot be traced, with the reason' "$(shown '.untraced[1], .hidden' | xargs -d '\n' | sed 's/notrace[^.|]*\./notrace./')" \
	'hidden cannot be traced: notrace |  |  |  hidden It cannot be traced: it is notrace. Calls in it that ran, by where they return to +0x10 · one, two'
is 'a name like markup is found by it' "$(shown '.script | length')" 2
is 'a search without result says what may be the reason' "$(shown '.nothing | length, (.[0] | test("inlined"))' | xargs)" '1 true'
is 'Escape ends it' "$(shown .cleared)" 11
browse page.html '' 'q=delta&show=only1' >hash.json
is 'an address opens what it says' "$(jq -r '.top | map(split(" ")[0]) | join(" ")' hash.json)" delta

# Two functions that no document has seen: calls prove that one ran, and the other one may have run inlined.
perl -0pe 'my ($marks) = /"marks":"([^"]*)"/;
	my %changed;
	for (/"changes":\[([^\]]*)\]/g) { my $i = -1; $changed{$i += $_} = 1 for split /,/ }
	my @at = grep { substr($marks, $_, 1) eq "0" && !$changed{$_} } 0 .. length($marks) - 1;
	substr($marks, $at[0], 1, "p"), substr($marks, $at[1], 1, "q");
	s/"marks":"[^"]*"/"marks":"$marks"/' page.html >proved.html
browse proved.html 'async function MORE(t) {
	const r = t.result;
	for (const name of ["proved", "perhaps", "unseen"]) {
		t.filter(name).click();
		r[name] = await t.search("*");
		t.key("Escape");
	}
}' >seen.json
is 'functions that are proved, or may have run, are not unseen' "$(shown '.filters | map(sub("✓ *"; "")) | join(", ")')" \
	'All 11, Seen in any 6, Unseen in all 1, Proved 1, Perhaps 1, In both 1, Only in one 4, Only in two 1'
# What is searched for finds places, too; a line of a function has its marks.
is 'each list has its one function, with its own mark' "$(shown '[.proved, .perhaps, .unseen] | map(map(select(test("[◑◌○]"))
	| sub(".*(?<mark>[◑◌○] [a-z, ]*[a-z]).*"; "\(.mark)")) | join("; ")) | join(" / ")')" \
	'◑ ran, as calls prove / ◌ perhaps inlined / ○ unseen'
is 'the console of the browser says nothing about them' "$(cat console)" ''

# A part of the kernel: the fourth function to be seen is the only one of mm that was, and init/main.c called it.
document part.json 0x100 0x600 0xa00 0x800 -- '.functions[3].caller = {addr: "0xa08", name: "init_it", module: null, offset: null,
	symbol_offset: 8} | .callers[0].entered = {addr: "0x200", name: "beta", module: null, offset: null, sympos: 1}'
report html --in mm -o part.html part.json
report text --in mm part.json >part.txt
browse part.html 'async function MORE(t) {
	const r = t.result;
	t.row("mm").click();
	t.row("c.c").click();
	t.row("split").click();
	r.split = t.text(document.getElementById("detail"));
	r.outside = await t.search("init_it");
	t.row("init_it").click();
	r.caller = t.text(document.getElementById("detail"));
	r.other = await t.search("beta");
}' >seen.json
is '--in: the console of the browser says nothing' "$(cat console)" ''
is '--in: the page says what it is about' "$(shown '"\(.title) / \(.heading | test(" in mm$")) \(.cards[0] | test("1 of 3 functions in mm"))"')" \
	'Kernel functions that ran in mm: part / true true'
is '--in: the numbers are those of the text' "$(shown '.totals | tojson') $(grep -c '^Functions: 1 seen of 3 that .* in mm' part.txt)" \
	'[[1,3]] 1'
is '--in: the text says which numbers are not of the part' "$(grep '^Callers:' part.txt)" \
	'Callers:   2 places that called one, in the whole kernel'
is '--in: which function to be seen it was counts all' "$(shown '.split | test("function no. 4 to be seen")')" true
is '--in: a caller outside has its name' "$(shown '.outside[1]' | sed 's/ |.*//')" 'init_it outside of mm'
is '--in: and its call of the function' "$(shown '.caller | test("^init_it It is outside of mm, .*return to \\+0x8 → split$")')" true
is '--in: other functions outside are not there' "$(shown '.other | length')" 1

is 'the first caller is known without the files of the kernel' "$(shown '.split | test("Called from init_it \\+0x8 Calls in it")')" true

# ---- many columns, and little room

for n in {00..69}; do
	sed "s/\"here\"/\"host$((10#$n / 30))\"/; s/02T03:04:05.000006/02T03:04:05.0000$n/; s/\"boot_id\": \"b\"/\"boot_id\": \"b$n\"/" one.json >"r$n.json"
done
document r03.json 0x100 0x500 -- '.started = "2026-01-03T03:04:05.000006Z" | .host = "host0" | .boot_id = "b3"'
report html -o 1.html one.json
report html -o 10.html r0?.json
report html -o 64.html r[0-5]?.json r6[0-3].json
# data PAGE: what the program has put into the page
data()
{
	sed -n 's/.*id="data">\(.*\)$/\1/p' "$1" | sed 's/<\/script>$//'
}
is 'of 64 equal columns, each has nothing of its own' "$(data 64.html | jq -c '[.columns[5, 63] | .changes, .marks, .hits, (.calls | length)]')" \
	'[[],"",null,1,[],"",null,1]'
is 'one that is not equal has what differs' "$(data 64.html | jq -c '.columns[3] | [.marks, (.changes | length)]')" '["01000",5]'
is 'eight columns have their first calls' "$(report html r0[0-7].json | data /dev/stdin | jq -c '[.columns[].hits | length] | unique')" '[10,25]'
for columns in 1 2 10 64; do
	page=$columns.html
	[[ $columns = 2 ]] && page=page.html
	browse $page 'async function MORE(t) {
		const r = t.result;
		r.closed = t.sizes();
		t.row("fs").click();
		t.row("a.c").click();
		r.open = t.sizes();
		t.row("beta").click();
		await t.wait();
		r.answer = t.text(document.querySelector("#detail h2"));
		r.inSight = t.inSight(document.querySelector("#detail h2")) && t.inSight(t.row("beta"));
		r.after = t.sizes();
	}' '' '390 1000 1350' >seen.json
	is "$columns columns: the console of the browser says nothing" "$(cat console) $(shown '[.[].error] | unique | tojson')" ' [null]'
	is "$columns columns: the page is as wide as its window" \
		"$(shown '[.[] | .closed, .open, .after | select(.page > .window or .right > .window)] | tojson')" '[]'
	is "$columns columns: no name is a letter a line" "$(shown '[.[] | .open | select(.names < 120 or .highest > 60)] | tojson')" '[]'
	is "$columns columns: each row has a cell for each" "$(shown '[.[] | .closed.cells[]] | unique | tojson')" "[$columns]"
	is "$columns columns: each cell can be seen" "$(shown '[.[] | .open.narrowest | select(. < 2)] | tojson')" '[]'
	is "$columns columns: a click shows its answer, and the row" "$(shown '[.[] | .answer, .inSight] | unique | tojson')" '[true,"beta"]'
	is "$columns columns: from three on, cells are without text" "$(shown '[.[] | .open.wordy > 0] | unique | tojson')" \
		"[$([[ $columns -lt 3 ]] && echo true || echo false)]"
	is "$columns columns: from eight on, there is one card" "$(shown '[.[] | .closed.cards] | unique | tojson')" \
		"[$([[ $columns -gt 7 ]] && echo 1 || echo "$columns")]"
done
report html r0[0-3].json >4.html
browse 4.html 'async function MORE(t) {
	const r = t.result, head = n => document.querySelectorAll("#table th button")[n];
	const sorted = () => [location.hash, ...[...document.querySelectorAll("th")].map(th => th.getAttribute("aria-sort")), ...t.seen()].filter(Boolean).join(" ");
	t.row("fs").click();
	t.row("a.c").click();
	t.row("alpha").click();
	r.alpha = t.text(document.getElementById("detail"));
	t.row("beta").click();
	await t.back();
	r.back = t.text(document.querySelector("#detail h2"));
	r.chosen = t.text(document.querySelector("tr.chosen a"));
	r.link = document.querySelector("tr.chosen a").href.replace(/.*#/, "#");
	head(1).click();
	r.functions = t.seen()[0];
	head(5).click();
	r.highest = sorted();
	head(5).click();
	r.lowest = sorted();
	t.key("Escape");
	await t.wait();
	r.left = t.text(document.querySelector("#detail h3"));
	r.trend = document.querySelectorAll(".trend path.point title").length;
}' >seen.json
is 'four columns: the console of the browser says nothing' "$(cat console) $(shown .error)" ' null'
is 'Back goes to the function before' "$(shown '"\(.back) \(.chosen)"')" 'alpha alpha'
is 'a row is a link that can be copied' "$(shown .link)" '#f=alpha%40fs%2Fa.c'
is 'a click on a heading sorts by it' "$(shown .functions | sed 's/ |.*//')" '▾ fs/'
is 'of a column, the highest share comes first' "$(shown .highest | grep -o 'sort=3.*\(descending\|ascending\) . [^ ]*')" \
	'sort=3&f=alpha%40fs%2Fa.c&in=fs&in=fs%2Fa.c descending ▾ fs/'
is 'and then the lowest' "$(shown .lowest | grep -o 'sort=-4.*\(descending\|ascending\) . [^ ]*')" \
	'sort=-4&f=alpha%40fs%2Fa.c&in=fs&in=fs%2Fa.c ascending ▸ init/'
is 'Escape leaves the function' "$(shown .left)" 'How to read this page'
is 'the share over time has a point for each column' "$(shown .trend)" 4
is 'of a function, columns that say the same stand together' "$(shown '.alpha | test("Seen in 4 of 4 ● seen: 4 r00 · 0.000010 s, <b>sh")')" true
browse 4.html '' 'f=delta%40fs%2Fext4%2Fb.c' >seen.json
is 'the address of a function opens its place' "$(shown '.top[] | select(startswith("delta"))' | cut -c 1-5) $(shown .detail | cut -c 1-10)" \
	'delta delta fs/e'
browse 64.html 'function MORE(t) { t.result.paper = getComputedStyle(document.body).backgroundColor; t.result.cell =
	[...new Set([...document.querySelectorAll("td .strip > *")].map(e => getComputedStyle(e).backgroundColor))].length; }' '' '' \
	--blink-settings=preferredColorScheme=0 >seen.json
is 'for those who like it dark, it is, and shares have colours' "$(shown '"\(.paper) \(.cell > 2)"')" 'rgb(20, 24, 29) true'

# ---- groups of runs, and unions

report html r??.json >70.html
is 'more runs than columns can be are joined, by host' "$(data 70.html | jq -c '[.columns[] | [.label, (.merged | length)]]')" \
	'[["host0",30],["host1",30],["host2",10]]'
browse 70.html 'async function MORE(t) {
	const r = t.result;
	t.filter("some").click();
	r.some = await t.search("*");
	t.row("inl").click();
	r.inl = t.text(document.getElementById("detail"));
}' >seen.json
is 'the console of the browser says nothing about groups' "$(cat console) $(shown .error)" ' null'
is 'a function says how many of the runs have seen it' "$(shown '.inl | test("host0 \\(29 of 30 runs\\)")') $(shown '.cards[0] | test("70 runs in 3 groups")')" 'true true'
for n in 0 1 2; do
	"$hytrace" keep runs.db --test "suite/$n" "r${n}"?.json
done
"$hytrace" keep runs.db --test suite/3 r[3-6]?.json
is 'runs of a store are joined by test, if each has one' "$(report html runs.db | data /dev/stdin | jq -c '[.columns[].label]')" \
	'["suite/0","suite/1","suite/2","suite/3"]'
for n in {00..69}; do
	jq -c ".host = \"h$n\" | .started = \"2026-0$((10#$n % 3 + 1))-$(printf %02d $((10#$n / 3 + 1)))T00:00:00.000000Z\"" "r$n.json" >"d$n.json"
done
is 'else by month, if there are too many hosts and days' "$(report html d??.json | data /dev/stdin | jq -c '[.columns[].label]')" \
	'["2026-01","2026-02","2026-03"]'
jq -c '.started = null' d00.json >d && mv d d00.json
is 'or else by their order' "$(report html d??.json | data /dev/stdin | jq -c '[.columns[] | [.label, (.merged | length)]] | length, .[0], .[-1]' | xargs)" \
	'35 [d00 … d01,2] [d68 … d69,2]'
"$hytrace" merge -o union.json one.json two.json
report html union.json >union.html
browse union.html 'async function MORE(t) {
	t.result.delta = await t.search("delta");
	t.result.alpha = await t.search("alpha");
}' >seen.json
is 'a union says in how many runs' "$(shown '.delta[1], .alpha[1]' | grep -o 'seen in . of 2 runs' | xargs)" 'seen in 1 of 2 runs seen in 2 of 2 runs'
is 'and has a list of what not all have seen' "$(shown '.filters | map(sub("✓ *"; "")) | join(", ")')" 'All 11, Seen 6, Unseen 3, Not in all 5'
report html boot.json >boot.html
browse boot.html >seen.json
is 'init code of a boot has its share' "$(shown '.cards[0] | test("Init code: 1 of 1 \\(100.0 %\\)")')" true

# ---- the source

{
	seq -f '/* %g */' 8
	printf 'static int\nalpha(int a)\n{\n\tif (a < 1) { </script>\n\t}\n}\n\nint other(void)\n{\n}\n'
} >tree/fs/a.c
mkdir -p tree/include
{
	seq -f '/* %g */' 6
	printf '%s\n' 'DEFINE_THIS(inl);' 'int other(void)'
} >tree/include/h.h
report html --source tree --source-url 'https://here/v%v/%f#L%l' one.json two.json >source.html
is 'the source of functions that ran is on the page' "$(data source.html | jq -c '.paths as $p | [.sources[] | [$p[.[0]], .[1], .[2], (.[3] | split("\n") | length)]]')" \
	'[["fs/a.c",10,9,7],["include/h.h",7,7,2]]'
browse source.html 'async function MORE(t) {
	const r = t.result;
	await t.search("alpha");
	t.row("alpha").click();
	r.source = [...document.querySelectorAll(".source span")].map(e => e.dataset.line + e.className + " " + t.text(e) + e.title);
	r.link = document.querySelector("#detail p a").href;
}' >seen.json
is 'the console of the browser says nothing about the source' "$(cat console) $(shown .error)" ' null'
is 'its lines are those of the file, and tell what ran' "$(shown '.source | join("|")')" \
	'9 static int|10ran alpha(int a)ran in one, two|11 {|12 if (a < 1) { </script>|13 }|14 }'
is '--source-url: a place is a link' "$(shown .link)" 'https://here/v6.12/fs/a.c#L10'

# ---- owners

ok '--by owner needs the source' eval '! report json --by owner one.json >out && grep -q "say where that is, by --source DIR" err'
ok 'and MAINTAINERS in it' eval '! report json --by owner --source build one.json >out && grep -q "no directory of --source has a file MAINTAINERS" err'
printf '%s\n' Maintainers '' 'A/B <b>' $'M:\tA <a@b>' $'F:\tfs/' '' EXT $'F:\tfs/ext4/' '' MM $'F:\tmm/' >tree/MAINTAINERS
is '--by owner: a group for each, and one for files without an owner' "$(report json --by owner --source build --source tree one.json two.json |
	jq -c '[.by, (.groups[] | [.name, .columns[].asked_for])]')" \
	'["owner",["(others)",2,2],["A/B <b>",2,2],["EXT",2,2],["MM",3,3]]'
is 'text has the same' "$(report text --by owner --source tree one.json | sed -n '/^OWNER/,/^$/s/ *[0-9].*//p' | paste -sd,)" \
	"$(report json --by owner --source tree one.json | jq -r '[.groups[].name] | join(",")')"
report html --by owner --source tree one.json two.json >owner.html
browse owner.html 'async function MORE(t) {
	t.row("A∕B").click();
	await t.wait();
	t.result.open = t.rows().map(row => t.text(row.cells[0]));
	await t.search("alpha");
	t.row("alpha").click();
	t.result.detail = t.text(document.getElementById("detail"));
}' >seen.json
is 'on the page, they are above directories' "$(shown '.open | join(", ")')" \
	'▾ A∕B <b>/fs/, ▸ a.c, ▸ EXT/fs/ext4/, ▸ MM/mm/, ▸ (others)/, ▸ (source file not known)'
is 'and a function tells its owner' "$(shown '.error, (.detail | test("fs/a.c:10 · A/B <b>"))')" $'null\ntrue'

# The opposite: a fault that the browser finds must be noticed.
sed 's/"lines":/"wrong":/' page.html >broken.html
browse broken.html >broken.json
ok 'a page that is broken is noticed' grep -q 'Uncaught' console
tap_end
