#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests hytrace affected on a small kernel that has a function of each class, in a repository.
# shellcheck disable=SC2016 # jq has variables of its own

set -uo pipefail

# shellcheck source=tests/guest/documents-lib.sh
. "$(dirname "$(realpath "$0")")/../guest/documents-lib.sh"

# classes [OPTION...]: "NAME FILE CLASS" of each function
classes()
{
	"$hytrace" affected -f json "$@" 2>err | jq -r '.functions[] | "\(.name) \(.file) \(.class)"' | LC_ALL=C sort
}

# The same without the file that is not built
built()
{
	classes "$@" | grep -v unbuilt
}

# of NAME FIELDS: of the function of fs/a.c or a header in out.json
of()
{
	jq -c --arg name "$1" ".functions[] | select(.name == \$name and .file != \"fs/unbuilt.c\") | [$2]" out.json
}

git_()
{
	git -c user.name=a -c user.email=a@b -C tree "$@"
}

sources()
{
	mkdir -p tree/fs tree/include tree/init tree/doc
	printf 'const char linux_banner[] = "Linux version 6.12.0-test (a@b) #1";\n#include "../include/h.h"\nint (*copy)(int) = copied;\nint load_module(int a)\n{\n\treturn a;\n}\n' >tree/init/main.c
	cat >tree/include/h.h <<-'END'
		#define LIMIT 3
		int sink(int a);
		static inline int from_header(int a)
		{
			return sink(a) - 3;
		}
		static inline int unused(int a)
		{
			return a - 11;
		}
		static int copied(int a)
		{
			return a * 17;
		}
	END
	cat >tree/fs/a.c <<-'END'
		#include "../include/h.h"
		#define inlined static inline __attribute__((always_inline))

		__attribute__((noinline)) int sink(int a)
		{
			return a * LIMIT;
		}

		inlined int proved(int a)
		{
			return sink(a) + 1;
		}

		inlined int quiet(int a)
		{
			return a * 7;
		}

		inlined int deep(int a)
		{
			return a * 9;
		}

		int outer(int a)
		{
			return proved(a) + quiet(a);
		}

		int lonely(int a)
		{
			return quiet(a) ^ deep(a);
		}

		__attribute__((no_instrument_function)) int untraced(int a)
		{
			return a - 5;
		}

		#ifdef CONFIG_OTHER
		int other(int a)
		{
			return a;
		}
		#endif

		int init_it(int a)
		{
			return from_header(a);
		}

		#ifdef CONFIG_OTHER
		int twice(int a)
		{
			return a;
		}
		#else
		int twice(int a)
		{
			return a * 11;
		}
		#endif

		int (*other_copy)(int) = copied;

		#define MADE(x) int x(int a)
		MADE(made)
		{
			return a * 15;
		}

		MADE(made_too)
		{
			return a * 15 + 1;
		}

		int (odd_one)(int a)
		{
			return a * 15 + 2;
		}
	END
	sed 's/sink/sink2/; /odd_one/,$d' tree/fs/a.c >tree/fs/unbuilt.c
	mkdir -p tree/drv/top/sub
	printf 'int modular(int a)\n{\n\treturn a * 5;\n}\n' | tee tree/drv/top/sub/m.c >tree/drv/top/sub/no_m.c
	printf '%s\n' '#define SYM_FUNC_START(x) .globl x; .type x, @function; x:' 'SYM_FUNC_START(in_asm)' '	mov $1, %eax' '	ret' \
		'.size in_asm, . - in_asm' '.section .note.GNU-stack, ""' >tree/fs/asm.S
	printf 'int odd(int a)\n{\n\treturn a * 5;\n}\n' >'tree/:(odd).c'
	printf 'text\n' >tree/doc/x.txt
	printf '%s\n' '# obj-$(CONFIG_COMMENT) += unbuilt.o' 'obj-y += a.o' 'obj-$(CONFIG_UN) += un-whole.o' 'un-whole-$(CONFIG_PART) := other.o '"\\" \
		'	unbuilt.o # of it' 'obj-$(CONFIG_NOT) += not-unbuilt.o unbuilt.o2' >tree/fs/Makefile
	printf 'obj-$(CONFIG_FS)\t+= fs/\nobj-$(CONFIG_DRV) += drv/\n' >tree/Kbuild
	git init -q tree && git_ add -A && git_ commit -qm one
}

build()
{
	printf '.globl __fentry__\n__fentry__: ret\n.section .note.GNU-stack, ""\n' >fentry.S
	gcc -c fentry.S || return
	for file in init/main.c fs/a.c fs/asm.S; do
		# One file is not traced.
		local traced=(-mfentry -mrecord-mcount -pg)
		[[ $file != init/main.c ]] || traced=()
		(cd tree && gcc -O2 -g -ffreestanding -fno-pic -mcmodel=kernel "${traced[@]}" -c -o "../${file//\//_}.o" \
			"$file") || return
	done
	ld -e 0 --build-id="0x$1" -Ttext=0xffffffff81000000 -o vmlinux init_main.c.o fs_a.c.o fs_asm.S.o fentry.o \
		--defsym=__start_mcount_loc=__start___mcount_loc --defsym=__stop_mcount_loc=__stop___mcount_loc || return
	# A module that no run had, in a directory beside that of its source
	mkdir -p lib/modules/6.12.0-test/kernel/drv/top/other
	printf '.section .modinfo, "a"\n.asciz "vermagic=6.12.0-test SMP"\n.section .note.GNU-stack, ""\n' >modinfo.S
	gcc -c modinfo.S && (cd tree && gcc -O2 -g -ffreestanding -fno-pic -mcmodel=kernel -mfentry -mrecord-mcount -pg -c -o ../m.o \
		drv/top/sub/m.c) && ld -r -o lib/modules/6.12.0-test/kernel/drv/top/other/m.ko m.o modinfo.o &&
		echo kernel/drv/top/other/m.ko: >lib/modules/6.12.0-test/modules.dep &&
		"$hytrace" functions -f json --vmlinux vmlinux >"$1.universe"
}

# Changes each function of each file, and something that is none.
change()
{
	sed -i 's/a \* LIMIT/a * LIMIT + 1/; s/a \* 7/a * 8/; s/a \* 9/a * 10/; s/) + 1/) + 2/; s/quiet(a) ^ deep/quiet(a) | deep/
		s/proved(a) + quiet/proved(a) - quiet/; s/a - 5/a - 6/; s/return a;/return a + 1;/; s/a \* 11/a * 12/
		s/a \* 15/a * 16/
		s/^int outer/int added(int a)\n{\n\treturn a;\n}\n\nint outer/' tree/fs/a.c tree/fs/unbuilt.c
	sed -i 's/\$1/$2/' tree/fs/asm.S
	sed -i 's/a \* 5/a * 6/' tree/drv/top/sub/*.c tree/:*
	sed -i 's/LIMIT 3/LIMIT 4/; s/sink(a) - 3/sink(a) - 4/; s/a - 11/a - 12/; s/a \* 17/a * 18/' tree/include/h.h
	printf 'more\n' >>tree/doc/x.txt
	printf '\0' >tree/doc/x.bin
	git_ add -A && git_ commit -qm two && git_ diff HEAD^ HEAD >two.patch
}

ok 'a repository' sources
ok 'a kernel of it' build 1234abcd
ok 'a change' change
# The return address of the call in the body that is inlined into outer()
after=$(objdump -d vmlinux --disassemble=outer | awk '/call.*<sink>/ { getline; sub(/:.*/, "", $1); print "0x" $1 }')
document one.json 1234abcd outer sink -- '.callers[0] |= (.addr = "'"$after"'" | .name = "outer") | .host = "h1"'
document two.json 1234abcd sink -- '.boot_id = "b2" | .callers = [] | .host = "h2" | .started = "2026-03-02T03:04:05.000006Z"'
document some.json 1234abcd -- '.boot_id = "b3" | .callers = [] | .filters.allow = ["init_*"]'
document own.json 1234abcd outer -- '.boot_id = "b4" | .callers = [] | .filters.denied_by_hytrace = ["lonely"] | .lost = {refused: 2}'
# A module that is not here would be warned of each time.
for file in one two some own; do
	jq '.modules = []' "$file.json" >m && mv m "$file.json"
done
keep()
{
	"$hytrace" keep "$1" --universe 1234abcd.universe --test alpha one.json && "$hytrace" keep "$1" --test beta two.json some.json &&
		"$hytrace" keep "$1" --test gamma own.json
}
ok 'a store' keep runs.db
with=(--vmlinux vmlinux --store runs.db)

# ---- classes

expected='added fs/a.c new
copied include/h.h untraceable
deep fs/a.c not-run
from_header include/h.h not-run
in_asm fs/asm.S untraceable
lonely fs/a.c not-run
made fs/a.c not-run
made_too fs/a.c not-run
modular drv/top/sub/m.c blind
modular drv/top/sub/no_m.c not-built
odd :(odd).c not-built
odd_one fs/a.c not-run
other fs/a.c not-there
outer fs/a.c ran
proved fs/a.c inlined-seen
quiet fs/a.c inlined-unknown
sink fs/a.c ran
twice fs/a.c not-run
untraced fs/a.c untraceable
unused include/h.h not-there'
is 'each function of a commit has its class' "$(built "${with[@]}" --git tree HEAD)" "$expected"
is 'a namesake in a file that is not built is not taken for it' \
	"$(classes "${with[@]}" --git tree HEAD | grep -c 'unbuilt.c not-built')" 10
for range in HEAD^..HEAD HEAD^...HEAD; do
	is "the range $range is the same" "$(built "${with[@]}" --git tree "$range")" "$expected"
done
git_ branch other HEAD^ && git_ checkout -q other && printf 'z\n' >tree/doc/z.txt && git_ add -A && git_ commit -qm z && git_ checkout -q -
is 'A...B begins where they have parted' "$(for range in other..HEAD other...HEAD; do status affected "${with[@]}" -o out.json --git tree "$range"
	jq -c '[.files[] | select(.old == "doc/z.txt")] | length' out.json; done | xargs)" '0 1 0 0'
is 'the first commit is compared with nothing' "$(status affected "${with[@]}" -o out.json --git tree "$(git_ rev-list --max-parents=0 HEAD)"
	of outer '.class, .new')" '0
["ran",true]'
is 'so is the patch alone' "$(built "${with[@]}" two.patch)" "$expected"

# ---- what is not built, and other builds

is 'the Makefiles of a repository name its options' "$(status affected "${with[@]}" -o out.json --git tree HEAD
	jq -c '[.functions[] | select(.class == "not-built") | "\(.file) \(.options)"] | unique[]' out.json)$(
	"$hytrace" affected "${with[@]}" --git tree HEAD | grep -c 'CONFIG_PART, CONFIG_UN, CONFIG_FS')" '0
":(odd).c []"
"drv/top/sub/no_m.c []"
"fs/unbuilt.c [\"CONFIG_PART\",\"CONFIG_UN\",\"CONFIG_FS\"]"10'
is 'of a patch, no source is known' "$(status affected "${with[@]}" -o out.json two.patch; jq -c '[.functions[].options[]]' out.json)" '0
[]'

# ---- modules that were not read

jq '.modules = [{name: "gone", build_id: "d0", srcversion: null, size: null, came: false, went: false}]' one.json >gone.json
is 'what a module may use that a run had and that was not read is unknown' "$(built --vmlinux vmlinux --store gone.json two.patch |
	grep -E '^(from_header|unused|lonely|modular|no_m)')" 'from_header include/h.h unknown
lonely fs/a.c not-run
modular drv/top/sub/m.c blind
modular drv/top/sub/no_m.c unknown
unused include/h.h unknown'
ok 'and why is told' grep -q 'it may be in 1 module that was not read' <("$hytrace" affected --vmlinux vmlinux --store gone.json two.patch 2>/dev/null)
git_ diff HEAD^ HEAD -- include >header.patch
git_ diff HEAD^ HEAD -- drv/top/sub/no_m.c >no_m.patch
is 'a module that no run had is read if there are few' "$(built "${with[@]}" header.patch | grep -E '^(from_header|unused)')" \
	'from_header include/h.h not-run
unused include/h.h not-there'
for i in {1..32}; do
	cp lib/modules/6.12.0-test/kernel/drv/top/other/{m,"more$i"}.ko
done
is 'else nothing is known of it, but that it did not run' "$(built "${with[@]}" header.patch | grep -E '^(from_header|unused)')" \
	'from_header include/h.h not-run
unused include/h.h unknown'
rm lib/modules/6.12.0-test/kernel/drv/top/other/more*
ko=lib/modules/6.12.0-test/kernel/drv/top/other/m.ko
cp $ko whole.ko
is 'a module names its files' "$(strip -g --keep-file-symbols $ko; built "${with[@]}" no_m.patch)" 'modular drv/top/sub/no_m.c not-built'
is 'without debug information, that is not enough' "$(built "${with[@]}" two.patch | grep -E '^(from_header|modular|no_m|unused)')" \
	'from_header include/h.h not-run
modular drv/top/sub/m.c unknown
modular drv/top/sub/no_m.c unknown
unused include/h.h unknown'
is 'if it was stripped, nothing is known of it' "$(strip -g $ko; built "${with[@]}" no_m.patch)" 'modular drv/top/sub/no_m.c unknown'
mv whole.ko $ko && mv lib lib.gone
is 'without any module, what vmlinux does not have is unknown' "$(built "${with[@]}" two.patch | grep -E '^(modular|unused|other)')" \
	'modular drv/top/sub/m.c unknown
modular drv/top/sub/no_m.c unknown
other fs/a.c not-there
unused include/h.h unknown'
mv lib.gone lib

is 'so are recordings in place of a store' "$(built --vmlinux vmlinux --store one.json --store two.json --store some.json \
	--store own.json two.patch)" "$expected"
is 'affected: 0' "$(status affected "${with[@]}" -o out.json --git tree HEAD)" 0
ok 'the json is as its schema says' valid affected out.json
is 'nothing is said' "$(cat err)" ''
is 'the runs that could have seen it are counted' "$(of from_header '.ran, .could, .complete')$(of lonely '.ran, .could, .complete')$(of quiet '.ran, .could')" \
	'[0,4,3][0,2,2][0,1]'
is 'tests, hosts and the last run are told' "$(of sink '.ran, .tests, .hosts, .last')" \
	'[2,["alpha","beta"],["h1","h2"],"2026-03-02T03:04:05.000006Z"]'
is 'and where an inlined one was seen' "$(of proved '.seen_in, .tests, .inlined_into')" '["outer",["alpha"],1]'
is 'the build has the lines before the change' "$(jq -r '.files[] | select(.new == "fs/a.c") | .lines_of' out.json)" old
is 'and ctags those of functions' "$(of deep '.known_by')" '["source"]'

# ---- the account

is 'each hunk is in the account' "$(jq '[.files[].hunks | length] | add' out.json)" "$(grep -c '^@@' two.patch)"
is 'each change is in a function, or it is said why not' \
	"$(jq -c '.files[] | select(.not_in_a_function == null and any(.hunks[].changes[]; . == [])) | .new' out.json)" ''
is 'what is in no function has its reason' "$(jq -r '.files[] | select(.not_in_a_function) | "\(.new): \(.not_in_a_function)"' out.json)" \
'doc/x.bin: binary
doc/x.txt: 1 hunk, of no code of C
include/h.h: 1 hunk with data, macros or types; 2 compiled files include it'
is 'and who mentions it, at least' "$(status affected "${with[@]}" -o out.json --git tree HEAD
	jq -c '.files[] | select(.not_functions != []) | .new, .not_functions[]' out.json)$(
	"$hytrace" affected "${with[@]}" --git tree HEAD | grep -c '^    macro LIMIT: no function of the file mentions it')" '0
"include/h.h"
{"name":"LIMIT","kind":"macro","at_least":0,"such_as":null}1'
sed -i 's/a \* LIMIT + 1/a * LIMIT + a_table[0] + xa_table/; s/^#define inlined/static int a_table[] = { 1 };\n&/' tree/fs/a.c && git_ commit -qam table &&
	sed -i 's/= { 1 }/= { 2 }/' tree/fs/a.c && git_ commit -qam 'table 2'
ok 'data that change, in the words of a person' grep -qx '    variable a_table: at least 1 function of the file mentions it, such as sink' \
	<("$hytrace" affected "${with[@]}" --git tree HEAD)
git_ reset -q --hard HEAD^^
"$hytrace" affected "${with[@]}" two.patch >out 2>err
is 'the text begins with what did not run' "$(awk '/^CLASS/ { getline; print; exit }' out | cut -c1-11)" 'did not run'
ok 'it says how far it can be trusted' grep -q 'recordings do not prove absence' out
ok 'and what is a guess' grep -q '^new in this patch  *added .*(a guess' out

# ---- the gate

sed -n '1,/^@@/p' two.patch >/dev/null
git_ diff HEAD^ HEAD -- doc >doc.patch
printf '%s\n' '--- a/fs/a.c' '+++ b/fs/a.c' '@@ -6 +6 @@' '-	return a * LIMIT;' '+	return a;' >sink.patch
is 'tap: 1 if a function was not seen' "$(status affected "${with[@]}" -f tap two.patch)" 1
ok 'it names the function' grep -q '^not ok [0-9]* - lonely, fs/a.c: did not run in any of' out
ok 'what cannot be seen is skipped' grep -q '^ok [0-9]* - untraced, fs/a.c # SKIP cannot be traced' out
is 'its plan is kept' "$(grep -cE '^(not )?ok' out)" "$(sed -n 's/^1\.\.//p' out)"
is 'tap: 0 if all were' "$(status affected "${with[@]}" -f tap sink.patch)" 0
is 'tap: 2 for a wrong file' "$(status affected "${with[@]}" -f tap none.patch)" 2
is 'tap: 0 without a function' "$(status affected "${with[@]}" -f tap doc.patch)" 0

# ---- lcov

is 'lcov: 0' "$(status affected "${with[@]}" -o out.info two.patch)" 0
# Of fs/a.c: a call in proved(), which is inlined into outer(); lonely() and deep() did not run.
line()
{
	grep -n "$1" <(git_ show HEAD^:fs/a.c) | head -n 1 | cut -d: -f1
}
is 'of changed lines, those have a value of which it is known' "$(sed -n '/^SF:fs\/a.c/,/^end/s/^DA://p' out.info | xargs)" "$(
	printf '%s\n' "$(line 'sink(a) + 1'),1" "$(line 'a \* 9'),0" "$(line 'quiet(a) ^ deep'),0" "$(line 'a \* 11'),0" \
		"$(line 'a \* 15;'),0" "$(line 'a \* 15 + 1'),0" "$(line 'a \* 15 + 2'),0" | sort -n | xargs)"
is 'and no other' "$(grep -c '^DA:' out.info) $(grep -c '^SF:' out.info)" '8 2'
is 'no run was complete: nothing is 0' "$(jq '.lost = {refused: 2} | .boot_id = "b7"' two.json >lost.json; status affected --vmlinux vmlinux \
	--store lost.json -f lcov two.patch; grep -c '^DA:.*,0' out)" '0
0'

# ---- tests

is '--tests: the fewest that reach what can be reached' "$("$hytrace" affected "${with[@]}" --tests two.patch)" alpha
"$hytrace" keep more.db --test b two.json && "$hytrace" keep more.db --test a own.json
is 'of equal ones, in order' "$("$hytrace" affected --vmlinux vmlinux --store more.db --tests two.patch | xargs)" 'a b'
cp runs.db less.db && "$hytrace" forget less.db --test alpha >out
is 'a test that is taken away is missed' "$(built --vmlinux vmlinux --store less.db two.patch | grep -E '^(proved|sink)')" \
	'proved fs/a.c inlined-unknown
sink fs/a.c ran'
is 'a selection of runs counts' "$(built --vmlinux vmlinux --store 'runs.db?test=beta' two.patch | grep -E '^(outer|sink)')" \
	'outer fs/a.c not-run
sink fs/a.c ran'
is 'without runs, it is told what can be traced' "$(built --vmlinux vmlinux two.patch | grep -E '^(outer|untraced)')" \
	'outer fs/a.c no-runs
untraced fs/a.c untraceable'
is 'a run that was not asked for it is blind' "$(built --vmlinux vmlinux --store some.json two.patch | grep '^outer')" 'outer fs/a.c blind'
for place in outer lonely; do
	document left.json 1234abcd -- '.callers = [] | .modules = [] | .filters.denied_by_hytrace = ["'$place'"]'
	is "so is one that left $place out, of what is inlined there" "$(built --vmlinux vmlinux --store left.json two.patch |
		grep '^quiet')" 'quiet fs/a.c blind'
done

# ---- other sources than those of the build

is 'without a vmlinux, the store tells by name' "$(built --store runs.db two.patch | grep -E '^(lonely|outer|quiet|untraced)')" 'lonely fs/a.c not-run
outer fs/a.c ran
quiet fs/a.c unknown
untraced fs/a.c untraceable'
is 'but not if it has no files' "$(built --store one.json two.patch | grep -E '^(outer|sink)')" 'outer fs/a.c unknown
sink fs/a.c unknown'
is 'and takes no namesake' "$(classes --store runs.db two.patch | grep '^outer fs/unbuilt')" 'outer fs/unbuilt.c unknown'
cp vmlinux vmlinux.old
ok 'a kernel with the change' build 1234abce
is 'has the lines behind it' "$(status affected -o out.json --vmlinux vmlinux two.patch)$(
	jq -c '.files[] | select(.new == "fs/a.c") | .lines_of' out.json)$(of added '.class, .known_by')" '0"new"["no-runs","build"]'
document newer.json 1234abce outer -- '.boot_id = "b9" | .callers = [] | .modules = []'
cp runs.db both.db && "$hytrace" keep both.db --universe 1234abce.universe --test new newer.json
is 'what ran on another build, ran: has its code changed?' "$(status affected --vmlinux vmlinux --store both.db -o out.json two.patch
	of sink '.class, .unchanged'; of outer '.class, .unchanged'; of made '.class, .unchanged')" '0
["ran",false]
["ran",null]
["not-run",null]'
is 'or is it the same?' "$(jq '.functions[].text = "0x5"' 1234abcd.universe >a.universe
	jq '.functions[].text = "0x5"' 1234abce.universe >b.universe; cp more.db same.db; "$hytrace" keep same.db --universe a.universe one.json
	"$hytrace" keep same.db --universe b.universe newer.json; status affected --vmlinux vmlinux --store same.db -o out.json two.patch
	of sink '.class, .unchanged'; grep -c 'on another build with the same code' <("$hytrace" affected --vmlinux vmlinux --store same.db two.patch))" '0
["ran",true]
1'
mv vmlinux.old vmlinux
sed 's/^@@ -\([0-9]*\),\([0-9]*\) +\([0-9]*\)/@@ -10\1,\2 +10\3/' two.patch >moved.patch
is 'a patch of another version is mapped by name' "$(status affected "${with[@]}" -o out.json moved.patch)$(
	jq -c '.files[] | select(.new == "fs/a.c") | .lines_of' out.json)$(of lonely '.class, .known_by'| head -n 1)" '0"none"["not-run","context"]'
printf '%s\n' '--- a/fs/unbuilt.c' '+++ b/fs/unbuilt.c' '@@ -16 +16 @@ a name that is cut o' '-	a' '+	b' >cut.patch
ok 'a function whose name is cut off is not taken for data' grep -q 'unbuilt.c: 1 hunk in no function that the patch names, not built' \
	<("$hytrace" affected "${with[@]}" cut.patch)
printf '%s\n' '--- a/fs/a.c' '+++ b/fs/a.c' '@@ -16 +16 @@ int sink(int a)' '-	return a * LIMIT;' '+	return a;' >other.patch
is 'also if only what stands behind @@ shows it' "$(status affected "${with[@]}" -o out.json other.patch; jq -c '.files[].lines_of' out.json
	of sink '.class, .known_by')" '0
"none"
["ran","context"]'
is 'a recording that is given twice is one run' "$(status affected --vmlinux vmlinux --store one.json --store one.json -o out.json two.patch
	of outer '.ran, .could')$(jq .totals.runs out.json)" '0
[1,0]1'
cp tree/fs/a.c tree/fs/twin.c && sed -i 's/a \* 10/a * 14/' tree/fs/twin.c && git_ add -A && git_ diff --cached -C --find-copies-harder >copy.patch &&
	git_ reset -q --hard
ok 'a copied file' grep -q '^copy from fs/a.c' copy.patch
is 'is new, and its functions are not those of the old one' "$(classes "${with[@]}" copy.patch)" 'deep fs/twin.c new'
git_ mv fs/a.c fs/z.c && sed -i 's/a \* 10/a * 11/' tree/fs/z.c && git_ commit -qam three
is 'a renamed file is known by its old name' "$(built "${with[@]}" --git tree HEAD)" 'deep fs/z.c not-run'
mkdir path && for program in git sed; do ln -s "$(command -v $program)" path; done
is 'without ctags, the build tells' "$(PATH=$PWD/path "$hytrace" affected "${with[@]}" -o out.json --git tree HEAD 2>err; of deep '.class, .known_by')" \
	'["not-run","build"]'
ok 'and a warning says so' grep -q 'install universal-ctags' err

cp -r path late && printf '%s\n' '#!/bin/sh' "sed -u $(($(wc -l <tree/fs/z.c) + 1))q | $(command -v ctags) \"\$@\"" >late/ctags
chmod +x late/ctags
is 'nor is it half believed' "$(PATH=$PWD/late "$hytrace" affected "${with[@]}" -o out.json --git tree HEAD 2>err; of deep '.class, .deleted, .known_by')" \
	'["not-run",false,"build"]'

# ---- a repository of somebody

git clone -q --depth 1 "file://$PWD/tree" shallow
ok 'a commit without its parent is not compared with nothing' says 'a shallow clone' affected --git shallow HEAD
git clone -q tree theirs && git -C theirs reset -q --hard HEAD^
(cd theirs/.git && git config filter.x.smudge "touch $PWD/ran; cat" && echo '* filter=x' >info/attributes)
is 'it is read' "$(classes "${with[@]}" --git theirs HEAD | grep -v unbuilt)" "$expected"
ok 'and none of its filters has run' [ ! -e theirs/.git/ran ]
is 'a directory in it is the same' "$(classes "${with[@]}" --git theirs/fs HEAD | grep -v unbuilt)" "$expected"
ok 'why git refuses a directory is told' says 'not a git repository' affected --git lib HEAD
(cd theirs && { printf '%9000s\n' x; printf 'a\nb\0\n'; } >a.txt && echo '* export-ignore' >.gitattributes && git add -A && git -c user.name=a -c user.email=a@b commit -qm nul &&
	printf '\0c\n' >>a.txt && sed -i 's/a \* 10/a * 11/' fs/a.c && git -c user.name=a -c user.email=a@b commit -qam after)
is 'a NUL byte hides nothing that comes after it, and an attribute no file' "$(status affected "${with[@]}" -o out.json --git theirs HEAD
	of deep '.class, .known_by')" '0
["not-run","source"]'

git clone -q --bare tree partial && git -C partial config extensions.partialClone origin && git -C partial config remote.origin.promisor true &&
	git -C partial config remote.origin.url "file://$PWD/tree" && git -C partial config remote.origin.uploadpack "touch $PWD/fetched; git-upload-pack"
ok 'of a partial clone, nothing is fetched' says 'git knows no such commit' affected --git partial "$(printf 'e%.0s' {1..40})"
ok 'and no program is run' [ ! -e fetched ]
git -C partial rev-parse "$(printf 'e%.0s' {1..40})^{commit}" &>/dev/null
ok 'which git alone would run' [ -e fetched ]
many()
{
	local i name
	name=tree/$(printf 'n%.0s' {1..180})

	mkdir "$name" && for i in {1..700}; do echo "int f$i(void) { return 1; }" >"$name/$i.c"; done
	git_ add -A && git_ commit -qm many
}
ok 'a commit with many long paths' many
is 'is not too long for a command line' "$(ulimit -s 256; status affected -o out.json --git tree HEAD
	jq '[.functions[] | select(.known_by == "source")] | length' out.json)" '0
700'
git_ reset -q --hard HEAD^
mkdir tmp end && printf '%s\n' '#!/bin/sh' 'kill -INT $PPID' "exec $(command -v ctags) \"\$@\"" >end/ctags && chmod +x end/ctags
is 'Ctrl-C ends it, and leaves nothing behind' "$(bash -c 'trap "" PIPE; exec "$@"' - env TMPDIR="$PWD/tmp" PATH="$PWD/end:$PATH" "$hytrace" \
	affected "${with[@]}" --git tree HEAD >out 2>err; echo $?; ls tmp)" 130

# ---- CVE records

fix=$(git_ rev-parse HEAD^)
record()
{
	jq -n --arg fix "$fix" --arg other "$(git_ rev-parse HEAD)" '{dataType: "CVE_RECORD", dataVersion: "5.1", containers: {cna: {affected: [
		{product: "Linux", programFiles: ["fs/a.c", "fs/unbuilt.c"], versions: [
			{version: "6.12", lessThan: $other, status: "affected", versionType: "semver"},
			{version: "1da177e4c3f4", lessThan: ("0" * 40), status: "affected", versionType: "git"},
			{version: "1da177e4c3f4", lessThan: $fix, status: "affected", versionType: "git"}]}]}}}' >cve.json
}
record
is 'a CVE record: the functions of its fix' "$(status affected "${with[@]}" --cve cve.json --git tree)$(grep -c ' fs/a.c .*there, seen' out)" 03
ok 'in the words of a triage' grep -q 'deep .*there, not seen' out
ok 'a file that is not built' grep -q 'fs/unbuilt.c .*file not built' out
is 'without a repository: all of its files' "$(classes "${with[@]}" --cve cve.json)" '(whole file) fs/a.c ran
(whole file) fs/unbuilt.c not-built'
fix=$(printf 'f%.0s' {1..40})
record
is 'a fix that is not there is warned of' "$(status affected "${with[@]}" --cve cve.json --git tree)$(grep -c 'none of the 2 commits' err)" 01

# ---- errors

ok 'a file without a patch is refused' says 'main.c: has no patch' affected tree/init/main.c
ok 'so is a damaged one' says 'is not as long as it says' affected <(head -n -1 two.patch)
ok 'and a commit that is not there' says 'git knows no such commit' affected --git tree nowhere
ok 'and an option for one' says 'git knows no such commit' affected --git tree -- --output=x
ok 'and a json that is no record' says 'is no CVE record' affected --cve one.json
ok 'and two stores' says 'one store, or any number of recordings' affected --store runs.db --store more.db two.patch
ok 'and a selection without runs' says 'has no such run' affected --store 'runs.db?host=nobody' two.patch
ok 'tests need runs' says '--tests needs runs' affected --tests two.patch
is 'nothing is left in the directory for temporary files' "$(TMPDIR=$PWD/tmp status affected --vmlinux vmlinux --store one.json \
	--git tree HEAD; ls tmp)" 0

tap_end
