#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests hytrace functions and hytrace why offline, on a vmlinux and modules that this script compiles with the options
# of a kernel. Each json document is checked against its schema in docs/schema.
# shellcheck disable=SC2016 # jq has variables of its own

. "$(dirname "$(realpath "$0")")/../guest/documents-lib.sh"

make_kernel()
{
	local options=(-O2 -g -ffreestanding -fno-pic -mcmodel=kernel -mfentry -mrecord-mcount)

	mkdir -p init fs lib modules
	cat >init/main.c <<-'END'
		const char linux_banner[] = "Linux version 6.12.1-made (a@b) #1";
		int other(int);
		static inline __attribute__((always_inline)) int small(int a) { return other(a) + 1; }
		int caller(int a) { return small(a); }
		int alias_of_caller(int) __attribute__((alias("caller")));
		__attribute__((section(".init.text"))) int start_kernel(void) { return small(1) + caller(2); }
		__attribute__((no_instrument_function)) int quiet(int a) { return a * 3; }
	END
	cat >fs/other.c <<-'END'
		static __attribute__((noinline)) int part(int *a, int b) { return *a * 5 + b; }
		int other(int a) { return part(&a, 1) + 3; }
		static int unused(int a) { return a; }
		int uses(int a) { return 0 ? unused(a) : a; }
	END
	echo 'int silent(int a) { return a; }' >lib/silent.c
	echo 'int in_module(int a) { return a + 7; }' >fs/module.c
	printf '.globl __fentry__\n__fentry__: ret\n.section .note.GNU-stack, ""\n' >fentry.S
	gcc "${options[@]}" -pg -c -o main.o init/main.c && gcc "${options[@]}" -pg -c -o other.o fs/other.c &&
		gcc "${options[@]}" -c -o silent.o lib/silent.c && gcc -c -o fentry.o fentry.S &&
		gcc "${options[@]}" -pg -c -o module.o fs/module.c && ld -r -o modules/a-module.ko module.o &&
		xz modules/a-module.ko &&
		ld -e 0 --build-id=0x1234abcd -Ttext=0xffffffff81000000 --defsym=__start_mcount_loc=__start___mcount_loc \
			--defsym=__stop_mcount_loc=__stop___mcount_loc -o vmlinux main.o other.o silent.o fentry.o &&
		objcopy -g vmlinux no_dwarf && head -c 3000 vmlinux >short
}

# why FUNCTION...: the words that answer it
why()
{
	"$hytrace" why -f json --vmlinux vmlinux --modules modules "$@" 2>err |
		jq -r '[.functions[].answers[].why] | join(" ")'
}

# refused STATUS SAYS ARGUMENT...: writes nothing, not even the output file
refused()
{
	local status=0 wanted=$1 says=$2
	shift 2

	rm -f out.json
	"$hytrace" "$@" -o out.json >out 2>err || status=$?
	[[ $status == "$wanted" && ! -s out && ! -e out.json ]] && grep -q -- "$says" err && return
	echo "status $status"
	cat err
	return 1
}

ok 'the kernel is compiled' make_kernel
"$hytrace" functions -f json --vmlinux vmlinux --modules modules >all.json
ok 'the document fits its schema' valid functions all.json
jq 'del(.functions[0].untraced)' all.json >wrong.json
ok 'the schema refuses a document that lacks a field' invalid functions wrong.json
is 'it has the whole kernel' "$(jq -c '[.selection, .kernel.release, .kernel.build_id]' all.json)" '["all","6.12.1-made","1234abcd"]'
is 'it has what can be traced' "$(jq -r '[.functions[] | select(.untraced == null) | .name] | sort | join(" ")' all.json)" \
	'alias_of_caller in_module other part.constprop.0.isra.0 start_kernel uses'
is 'it has the reasons of the others' "$(jq -r '[.functions[] | select(.untraced) | "\(.name):\(.untraced)"] | sort | join(" ")' all.json)" \
	'quiet:notrace silent:file'
is 'the totals agree with the list' "$(jq -c .totals all.json)" \
	"$(jq -c '{functions: (.functions | length), traceable: ([.functions[] | select(.untraced == null)] | length),
		init: ([.functions[] | select(.init)] | length)}' all.json)"
is 'a function of a module has its offset and its place' \
	"$(jq -c '.functions[] | select(.module) | [.module, .addr, .offset, .file, .line]' all.json)" \
	'["a_module",null,0,"fs/module.c",1]'
"$hytrace" functions --vmlinux vmlinux >text
is 'the text has the place and the reason' "$(awk '$1 == "quiet" { print $2, $3, $4 }' text)" 'init/main.c:7 no: notrace'
is 'the text tells totals' "$(grep -c '^7 functions: 4 can be traced, 1 only at the start .* 2 cannot: file 1, notrace 1$' text)" 1
is 'a glob selects, and the document says so' \
	"$("$hytrace" functions -f json --vmlinux vmlinux 'q*' | jq -c '[.selection, .functions[].name]')" '["some","quiet"]'
is '--traceable and --untraced share the functions out' \
	"$("$hytrace" functions -f json --vmlinux vmlinux --traceable | jq .totals.functions) $("$hytrace" functions -f json --vmlinux vmlinux --untraced | jq .totals.functions)" '5 2'
ok 'a vmlinux that is cut off is refused' refused 2 'is cut off' functions --vmlinux short
ok 'a module is no vmlinux' refused 2 'cannot be read\|is no vmlinux' functions --vmlinux modules/a-module.ko.xz
ok 'a name that is not there is refused' refused 2 'no function has such a name' functions --vmlinux vmlinux no_such
is 'a name that is there is no error, though nothing is left of it' \
	"$("$hytrace" functions -f json --vmlinux vmlinux --untraced other 2>&1 | jq -c .functions)" '[]'
mkdir twice && cp modules/a-module.ko.xz twice
ok 'a module is given once' refused 2 'is given for the module a_module already' functions --vmlinux vmlinux \
	--module modules/a-module.ko.xz --module twice/a-module.ko.xz
is 'of several files in directories, one counts' "$("$hytrace" functions -f json --vmlinux vmlinux --modules modules \
	--modules twice 2>err | jq '[.functions[] | select(.module)] | length')" 1
ok 'which is told' grep -q 'twice/a-module.ko.xz: is left out' err
ok '--modules needs --vmlinux' refused 2 'give --vmlinux' functions --modules modules
ok 'a format that there is not is refused' refused 2 'choose text or json' functions --vmlinux vmlinux -f xml

is 'one that can be traced' "$(why other)" traceable
is 'one that runs only at the start' "$(why start_kernel)" at-start
is 'one that is notrace' "$(why quiet)" notrace
is 'one in a file that is compiled without calls' "$(why silent)" file
is 'one that is inlined' "$(why small)" inlined
is 'and into which' "$("$hytrace" why -f json --vmlinux vmlinux small | jq -c '[.functions[].answers[].into[].function] | sort')" \
	'["alias_of_caller","start_kernel"]'
is 'another name of one' "$(why caller)" 'alias traceable inlined'
is 'one of which the compiler made another' "$(why part)" twin
is 'one in a module, of which files do not say whether it is loaded' "$("$hytrace" why --vmlinux vmlinux --modules modules in_module)" \
	'in_module [a_module]: is in the module a_module'
is 'a name that is mistyped' "$("$hytrace" why --vmlinux vmlinux othre; echo $?)" \
	$'othre: is not known; did you mean other?\n1'
is 'without debug information it says what to give' "$("$hytrace" why --vmlinux no_dwarf small)" \
	'small: is not known; if it is inlined, only a vmlinux with debug information tells (--vmlinux)'
"$hytrace" why -f json --vmlinux vmlinux --modules modules other,small,quiet,othre,in_module >why.json
ok 'the answers fit their schema' valid why why.json
# A call in start_kernel(), whose own record is gone, as it is init text; and none in the other function.
returns_to=$(objdump -d --disassemble=start_kernel vmlinux | sed -n '/call.*<other>/{n;s/^ *\([0-9a-f]*\):.*/0x\1/p;q}')
cp all.json 1234abcd.universe
of_none='.kernel.release = "6.12.1-made" | .modules = [] | .totals.traceable = 4 | .totals.traced = 4 | .callers = '
document none.json 1234abcd -- "$of_none []"
document called.json 1234abcd -- "$of_none"'[{"addr": "'"$returns_to"'", "name": "start_kernel", "module": null, "offset": null,
	"symbol_offset": 9, "first_ns": 5, "cpu": 0, "pid": 1, "tgid": null, "comm": null, "entered": null}]'
# ran DOCUMENT: of each function that small() is inlined into, whether it ran
ran()
{
	"$hytrace" why -f json --vmlinux vmlinux small "$1" 2>err | jq -rc '[.functions[].answers[].into[] | "\(.function) \(.ran)"] | sort'
}
is 'a recorded call in it proves that a function ran' "$(ran called.json)" '["alias_of_caller false","start_kernel true"]'
is 'a recording may come from standard input' "$(ran - <called.json)" '["alias_of_caller false","start_kernel true"]'
is 'without one, it is not known of what no document could see' "$(ran none.json)" '["alias_of_caller false","start_kernel null"]'
"$hytrace" why -f json --vmlinux vmlinux small none.json >why.json
ok 'not known fits the schema' valid why why.json
ok 'why needs a function' refused 2 . why --vmlinux vmlinux
ok 'and is not content with a comma' refused 2 Usage why --vmlinux vmlinux ,
ok 'documents come after it' refused 2 'hytrace why FUNCTION none.json' why --vmlinux vmlinux --in none.json other
ok 'several functions are one argument' refused 2 'quiet: there is no such file; .* commas' why --vmlinux vmlinux other quiet
ok 'why refuses what is no document' refused 2 'why.json' why --vmlinux vmlinux other why.json
tap_end
