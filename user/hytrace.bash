# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion for bash: installed as share/bash-completion/completions/hytrace. Commands, options and what an
# option takes come from --help, so that a new one needs no line here. Function names come from the
# kernel's own list, which only root can read: completion may call nothing that asks for a password.

# _hytrace_functions [BEFORE]: BEFORE is what the word has before the name
_hytrace_functions()
{
	local list=/sys/kernel/tracing/available_filter_functions name=${cur#"${1-}"}

	[[ -r $list && ${#name} -ge 2 && $name != *[*?\[]* ]] || return
	mapfile -t COMPREPLY < <(awk -v prefix="$name" -v before="${1-}" 'index($1, prefix) == 1 { print before $1 }' "$list" |
		sort -u | head -n 200)
}

_hytrace_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_hytrace_files()
{
	mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

# _hytrace_documents [db]: results, compressed or not, stores as well, and directories to go into
_hytrace_documents()
{
	mapfile -t COMPREPLY < <(
		compgen -d -- "$cur"
		for suffix in json json.gz json.zst "$@"; do
			compgen -f -X "!*.$suffix" -- "$cur"
		done)
}

# Tags and branches of the repository behind --git.
_hytrace_revisions()
{
	local i

	for ((i = 2; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i - 1]} != --git ]] ||
			_hytrace_words "$(git -C "${COMP_WORDS[i]}" for-each-ref --format='%(refname:short)' 2>/dev/null | tr '\n' ' ')"
	done
}

# The lists of options that `hytrace tailor` has, and files.
_hytrace_lists()
{
	mapfile -t COMPREPLY < <(
		compgen -W 'hardening machine policy none' -- "$cur"
		compgen -f -- "$cur")
}

# The commands that `hytrace`, or `hytrace event` or `hytrace boot`, has.
_hytrace_commands()
{
	hytrace "$@" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | tr '\n' ' '
}

# The long options of a command.
_hytrace_options()
{
	hytrace "$@" --help 2>/dev/null | sed -nE 's/^ +(-., | +)(--[a-z-]+).*/\2/p' | tr '\n' ' '
}

# What the option $prev takes, as --help calls it: FILE, of "-o, --output=FILE". Nothing: it takes nothing.
_hytrace_takes()
{
	[[ $prev == -* ]] || return
	hytrace "$@" --help 2>/dev/null |
		awk -v option="$prev" '/^ +-/ {
			long = $1 ~ /^--/ ? $1 : $2
			value = long
			if (!sub(/^--[a-z-]+=/, "", value))
				next
			sub(/=.*/, "", long)
			if (option == long || option "," == $1) {
				print value
				exit
			}
		}'
}

# The values that the option $prev has, as the error message about another one lists them. If the option takes
# any value, --help keeps the command from running.
_hytrace_choices()
{
	hytrace "$@" "$prev" '' --help 2>&1 | sed -nE '1s/.*; choose (.*)/\1/p' | sed -E 's/,| or / /g'
}

# _hytrace_value WHAT COMMAND...: completes the value of the option $prev
_hytrace_value()
{
	local what=$1
	shift

	case $what in
	FILE | RECORD) _hytrace_files ;;
	LIST) _hytrace_lists ;;
	DIR | PATH)
		if [[ $prev == --cgroup ]]; then
			mapfile -t COMPREPLY < <(cd /sys/fs/cgroup 2>/dev/null && compgen -d -- "$cur")
		else
			mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		fi
		;;
	GLOB)
		if [[ $cur == @* ]]; then
			mapfile -t COMPREPLY < <(compgen -P @ -f -- "${cur#@}")
		else
			_hytrace_functions
		fi
		;;
	PID) _hytrace_words "$(cd /proc && printf '%s ' [0-9]*)" ;;
	USER) mapfile -t COMPREPLY < <(compgen -u -- "$cur") ;;
	*\|*) _hytrace_words "${what//|/ }" ;;
	NAME)
		case $prev in
		--comm) _hytrace_words "$(cat /proc/[0-9]*/comm 2>/dev/null | sort -u | tr '\n' ' ')" ;;
		-c | --contender) _hytrace_words "$(hytrace bench --list 2>/dev/null | tr '\n' ' ')" ;;
		*) _hytrace_words "$(_hytrace_choices "$@")" ;;
		esac
		;;
	*) _hytrace_words "$(_hytrace_choices "$@")" ;;
	esac
}

# Names as `event rm` takes them, without a group for those of the group "functions".
_hytrace_events()
{
	local list=/sys/kernel/tracing/function_events words

	[[ -r $list ]] || return
	words=$(sed -nE -e 's|.*\) as (functions/)?([^ ]+)$|\2|p; t' \
		-e 's/^([^(]*[ :])?([A-Za-z0-9_.]+)\(.*/\2/; s/\./_/g; p' "$list")
	_hytrace_words "$words"
}

# _hytrace_argument COMMAND...: what is no option
_hytrace_argument()
{
	case $* in
	cover) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
	'event rm') _hytrace_events ;;
	'event add' | 'event record')
		cur=${cur#[\'\"]}
		_hytrace_functions
		;;
	boot)
		((COMP_CWORD > 2)) || _hytrace_words "$(_hytrace_commands boot)"
		((${#COMPREPLY[@]})) || _hytrace_documents
		;;
	features) _hytrace_words "$(hytrace features 2>/dev/null | awk 'NR > 1 { print $1 }' | tr '\n' ' ')" ;;
	functions) _hytrace_functions ;;
	callers | calls | why)
		if ((COMP_CWORD > 2)); then
			_hytrace_documents db
		elif [[ $1 == why && $cur == *,* ]]; then
			_hytrace_functions "${cur%,*},"
		else
			_hytrace_functions
		fi
		;;
	suite) _hytrace_files ;;
	affected)
		if [[ " ${COMP_WORDS[*]} " == *' --git '* ]]; then
			_hytrace_revisions
		else
			_hytrace_files
		fi
		;;
	compare | report | merge | diff | tailor | keep | forget | sql) _hytrace_documents db ;;
	'boot blame' | 'boot compare' | 'boot critical-chain' | 'boot plot' | 'boot time') _hytrace_documents ;;
	esac
}

_hytrace()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i what command

	COMPREPLY=()
	# Behind the -- it is the command's own business, or it is the other group of boots.
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			if [[ ${COMP_WORDS[1]} == boot && ${COMP_WORDS[2]} == compare ]]; then
				_hytrace_documents
			elif ((i == COMP_CWORD - 1)); then
				mapfile -t COMPREPLY < <(compgen -c -- "$cur")
			else
				_hytrace_files
			fi
			return
		fi
	done
	if ((COMP_CWORD == 1)); then
		_hytrace_words "$(_hytrace_commands) --help --version"
		return
	fi
	command=("${COMP_WORDS[1]}")
	if [[ ${command[0]} == event ]]; then
		if ((COMP_CWORD == 2)); then
			_hytrace_words "$(_hytrace_commands event) --help"
			return
		fi
		command+=("${COMP_WORDS[2]}")
	# boot does something by itself, too.
	elif [[ ${command[0]} == boot && $COMP_CWORD -gt 2 && " $(_hytrace_commands boot)" == *" ${COMP_WORDS[2]} "* ]]; then
		command+=("${COMP_WORDS[2]}")
	fi
	# bash takes the = of --format=text for a word of its own.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	what=$(_hytrace_takes "${command[@]}")
	if [[ $what ]]; then
		_hytrace_value "$what" "${command[@]}"
	elif [[ $cur == -* ]]; then
		_hytrace_words "$(_hytrace_options "${command[@]}")"
	else
		_hytrace_argument "${command[@]}"
	fi
}

complete -o filenames -o bashdefault -F _hytrace hytrace
