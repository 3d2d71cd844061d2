#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests the same of every command that `hytrace --help` lists: --help has two examples and the exit status, the
# man page has each option, bash and zsh complete each option and its values, and hytrace(1) lists the command.
# So a command that lacks one of these is noticed.

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
cd "$clone" || exit 1

ok 'make install succeeds' make -s install DESTDIR="$tap_scratch" PREFIX=/usr
bin=$tap_scratch/usr/bin
hytrace=$bin/hytrace
share=$tap_scratch/usr/share
cd / || exit 1

# ---- options

# The options of each command that come from the library that parses options.
common='--help|--usage|--version'

# option_words COMMAND...: prints the long options of its --help
option_words()
{
	"$hytrace" "$@" --help | grep -oE '^ +(-., | +)--[a-z-]+' | grep -oE -e '--[a-z-]+' |
		grep -vxE -e "$common" | sort
}

# Prints the short options of a command's --help, each with its long one.
short_words()
{
	"$hytrace" "$@" --help | sed -nE 's/^ +(-[a-zA-Z]), (--[a-z-]+).*/\1 \2/p' |
		grep -vE -e " ($common)\$" | sort
}

# page COMMAND: prints the source of its man page, which may be about more than this command
page()
{
	grep -lE "^(.*, )?hytrace-$1(,.*)? - " "$clone"/docs/hytrace*.scd || echo "$clone/docs/no page of $1"
}

# of_page COMMAND: prints the options with a paragraph of their own in the man page
of_page()
{
	sed -nE 's/^\*(-., )?(--[a-z-]+)\*.*/\2/p' "$(page "$1")" | sort -u
}

short_of_page()
{
	sed -nE 's/^\*(-.), (--[a-z-]+)\*.*/\1 \2/p' "$(page "$1")" | sort -u
}

# completed WORD...: prints the completions that bash offers for the last word
completed()
{
	PATH=$bin:$PATH \
		bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hytrace; printf "%s\n" "${COMPREPLY[@]}"' \
		"$share/bash-completion/completions/hytrace" hytrace "$@" | sort
}

completed_options()
{
	completed "$@" -- | grep -vxE -e "$common|"
}

# in_zsh WORDS: prints the completions that zsh offers after hytrace and these words, one of the lines below
in_zsh()
{
	sed -n "s/^hytrace $1	//p" "$tap_scratch/zsh" | sort
}

subcommands()
{
	"$hytrace" "$@" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | sort
}

# described PAGE SECTION: prints the words with a paragraph of their own in this section.
described()
{
	sed -n "/^# $2/,/^# [^${2:0:1}]/s/^\*\([a-z-]*\)\*\$/\1/p" "$clone/docs/$1.1.scd" | sort
}

# examples COMMAND...: prints how many its --help has
examples()
{
	"$hytrace" "$@" --help | sed -n '/^Examples:$/,/^$/p' | grep -cE "^  .*\bhytrace $*( |\$)"
}

# choices COMMAND... OPTION: "there is no such format; choose text, json or tailor". If the option takes
# anything, --help keeps the command from running.
choices()
{
	"$hytrace" "$@" nonesuch --help 2>&1 | sed -nE '1s/.*; choose (.*)/\1/p' | sed -E 's/,| or / /g' |
		tr -s ' ' '\n' | sort
}

# "COMMAND... OPTION", a line for each option that has a choice of values
choosing()
{
	local command option

	for command in "${commands[@]}"; do
		# shellcheck disable=SC2086 # a list of words
		for option in $(option_words $command); do
			[[ -z $(choices $command "$option") ]] || echo "$command $option"
		done
	done
}

# Those that do something: of event, its own ones. boot does something by itself, too.
mapfile -t commands < <(subcommands | grep -vx event
	for command in event boot; do subcommands "$command" | sed "s/^/$command /"; done)
mapfile -t choosing < <(choosing)
ok 'there are commands' test ${#commands[@]} -gt 7
ok 'there are options with a choice of values' test ${#choosing[@]} -gt 4

lines=('' 'event ' 'boot ' 'cover -- hytr' "${commands[@]/%/ --}" "${choosing[@]/%/ }")
ok 'zsh completes each line that it is asked for' env PATH="$bin:$PATH" "$clone/tests/host/completed.zsh" "$share/zsh/site-functions" \
	"$tap_scratch/zsh" "${lines[@]/#/hytrace }"

is 'bash completes each command' "$(completed '' | grep -v '^-')" "$(subcommands)"
is 'zsh completes each command' "$(in_zsh '')" "$(subcommands)"
is 'each command has a man page, and each man page a command' \
	"$(sed -n '/^# NAME/,/^# [^N]/s/,* - .*//p' "$clone"/docs/hytrace-*.scd | tr -d , | tr ' ' '\n' |
		sed 's/^hytrace-//' | sort)" "$(subcommands)"
is 'each command is in hytrace(1)' "$(described hytrace COMMANDS)" "$(subcommands)"
while read -r command; do
	ok "hytrace(1) refers to hytrace-$command(1)" \
		sh -c "sed -n '/^# SEE ALSO/,\$p' '$clone/docs/hytrace.1.scd' | grep -qF '*hytrace-$command*(1)'"
	ok "hytrace-$command(1) has an exit status" grep -qx '# EXIT STATUS' "$(page "$command")"
done < <(subcommands)
is 'bash completes each command of event' "$(completed event '' | grep -v '^-')" "$(subcommands event)"
is 'zsh completes each command of event' "$(in_zsh 'event ')" "$(subcommands event)"
is 'bash completes each command of boot' "$(completed boot '' | grep -v '^-')" "$(subcommands boot)"
is 'zsh completes each command of boot' "$(in_zsh 'boot ')" "$(subcommands boot)"
is 'each command of boot is in its man page' "$(described hytrace-boot COMMANDS)" "$(subcommands boot)"
is 'each command of event is in its man page' "$(described hytrace-event DESCRIPTION)" "$(subcommands event)"
is 'bash completes commands after the --' "$(completed cover -- hytr)" hytrace
is 'zsh completes commands after the --' "$(in_zsh 'cover -- hytr')" hytrace

for command in "${commands[@]}"; do
	# shellcheck disable=SC2086 # a list of words
	{
		ok "$command: --help has two examples" test "$(examples $command)" -ge 2
		ok "$command: --help has the exit status" sh -c "'$hytrace' $command --help | grep -q '^Exit status: '"
		is "$command: bash completes all options" "$(completed_options $command)" "$(option_words $command)"
		is "$command: zsh completes all options" "$(in_zsh "$command --" | grep -vxE -e "$common")" "$(option_words $command)"
		[[ $command != event* && $command != boot* ]] || continue
		is "$command: all options are in the man page" "$(of_page $command)" "$(option_words $command)"
		is "$command: all short options are in the man page" "$(short_of_page $command)" "$(short_words $command)"
	}
done
for command in event boot; do
	is "$command: all options are in the man page" "$(of_page "$command")" "$(for line in "${commands[@]}"; do
		# shellcheck disable=SC2086 # a list of words
		[[ $line\  != $command\ * ]] || option_words $line
	done | sort -u)"
done

for words in "${choosing[@]}"; do
	# shellcheck disable=SC2086 # a list of words
	is "$words: bash completes each value" "$(completed $words '')" "$(choices $words)"
	# shellcheck disable=SC2086
	is "$words: zsh completes each value" "$(in_zsh "$words ")" "$(choices $words)"
done
is 'cover --engine has the engines' "$(completed cover --engine '' | tr '\n' ' ')" 'auto both bpf event oneshot '

# ---- files of boots

cd "$(mktemp -d -p "$tap_scratch")" || exit 1
touch next.json next.svg
boots=('boot n' 'boot -f json ' 'boot plot ' 'boot time ' 'boot blame ' 'boot critical-chain ')
"$clone/tests/host/completed.zsh" "$share/zsh/site-functions" "$tap_scratch/zsh" "${boots[@]/#/hytrace }"
is 'bash completes a command of boot, or else a file' "$(completed boot n | xargs) $(completed boot next. | xargs)" 'next next.json'
for words in "${boots[@]:1}"; do
	# shellcheck disable=SC2086 # a list of words
	is "${words}FILE: bash completes json files" "$(completed $words '')" next.json
	is "${words}FILE: so does zsh" "$(in_zsh "$words")" next.json
done

# ---- recordings, and stores

touch runs.db
takers=('report ' 'diff next.json ' 'keep ' 'why vfs_read ' 'callers vfs_read ' 'calls vfs_read ')
"$clone/tests/host/completed.zsh" "$share/zsh/site-functions" "$tap_scratch/zsh" "${takers[@]/#/hytrace }" 'hytrace boot time '
for words in "${takers[@]}"; do
	# shellcheck disable=SC2086 # a list of words
	is "${words}FILE: bash completes stores as well" "$(completed $words '' | xargs)" 'next.json runs.db'
	is "${words}FILE: zsh, too" "$(in_zsh "$words" | xargs)" 'next.json runs.db'
done
is 'but no store where only boots are taken' "$(completed boot time '') $(in_zsh 'boot time ')" 'next.json next.json'

# ---- commits

git init -q repo && git -C repo -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git -C repo tag v6.12
PATH=$bin:$PATH "$clone/tests/host/completed.zsh" "$share/zsh/site-functions" "$tap_scratch/zsh" 'hytrace affected --git repo v6'
is 'bash completes a tag for affected --git' "$(completed affected --git repo v6)" v6.12
is 'and so does zsh' "$(in_zsh 'affected --git repo v6')" v6.12

# ---- names of functions, from a list that anybody can read

printf 'vfs_read\nvfs_readv [m]\nvfs_write\n' >"$tap_scratch/list"
sed -i "s|/sys/kernel/tracing/available_filter_functions|$tap_scratch/list|" "$share"/{bash-completion/completions/hytrace,zsh/site-functions/_hytrace}
is 'bash completes a function of why' "$(completed why vfs_re | xargs)" 'vfs_read vfs_readv'
is 'and another one after a comma' "$(completed why schedule,vfs_re | xargs)" 'schedule,vfs_read schedule,vfs_readv'
PATH=$bin:$PATH "$clone/tests/host/completed.zsh" "$share/zsh/site-functions" "$tap_scratch/zsh" 'hytrace why schedule,vfs_re'
is 'and so does zsh' "$(in_zsh 'why schedule,vfs_re' | xargs)" 'vfs_read vfs_readv'

tap_end
