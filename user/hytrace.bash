# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion for bash: installed as share/bash-completion/completions/hytrace. Function names come from
# the kernel's own list, which only root can read: completion may call nothing that asks for a password.

_hytrace_functions()
{
	local list=/sys/kernel/tracing/available_filter_functions

	[[ -r $list && ${#cur} -ge 2 && $cur != *[*?\[]* ]] || return
	mapfile -t COMPREPLY < <(awk -v prefix="$cur" 'index($1, prefix) == 1 { print $1 }' "$list" |
		sort -u | head -n 200)
}

_hytrace_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_hytrace_cover()
{
	case $prev in
	-e | --engine) _hytrace_words 'auto oneshot bpf both' ;;
	-f | --format) _hytrace_words 'text json tailor' ;;
	-a | --allow | -d | --deny)
		if [[ $cur == @* ]]; then
			mapfile -t COMPREPLY < <(compgen -P @ -f -- "${cur#@}")
		else
			_hytrace_functions
		fi
		;;
	-p | --pid) _hytrace_words "$(cd /proc && printf '%s ' [0-9]*)" ;;
	-o | --output | --vmlinux) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	--pin) mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	--duration | --max-entries) ;;
	*)
		if [[ $cur == -* ]]; then
			_hytrace_words '--engine --allow --deny --pid --task --no-callers --format
				--output --pin --duration --boot --max-entries --vmlinux --help'
		else
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
		fi
		;;
	esac
}

_hytrace()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i

	COMPREPLY=()
	# Behind the -- it is the command's own business.
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			if ((i == COMP_CWORD - 1)); then
				mapfile -t COMPREPLY < <(compgen -c -- "$cur")
			else
				mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			fi
			return
		fi
	done
	if ((COMP_CWORD == 1)); then
		_hytrace_words 'cover compare --help --version'
	elif [[ ${COMP_WORDS[1]} == cover ]]; then
		_hytrace_cover
	elif [[ ${COMP_WORDS[1]} == compare && $cur == -* ]]; then
		_hytrace_words '--callers --all --help'
	elif [[ ${COMP_WORDS[1]} == compare ]]; then
		mapfile -t COMPREPLY < <(compgen -f -X '!*.json' -- "$cur")
	fi
}

complete -o filenames -o bashdefault -F _hytrace hytrace
