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

# The long options of a command, as its --help has them.
_hytrace_options()
{
	_hytrace_words "$(hytrace "$@" --help 2>/dev/null | sed -nE 's/^ +(-., )?(--[a-z-]+).*/\2/p' | tr '\n' ' ')"
}

_hytrace_cover()
{
	case $prev in
	-e | --engine) _hytrace_words 'auto oneshot bpf event both' ;;
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
	--cgroup)
		mapfile -t COMPREPLY < <(cd /sys/fs/cgroup 2>/dev/null && compgen -d -- "$cur")
		;;
	--user) mapfile -t COMPREPLY < <(compgen -u -- "$cur") ;;
	--comm) _hytrace_words "$(cat /proc/[0-9]*/comm 2>/dev/null | sort -u | tr '\n' ' ')" ;;
	--duration | --max-entries | --ready-fd) ;;
	*)
		if [[ $cur == -* ]]; then
			_hytrace_options cover
		else
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
		fi
		;;
	esac
}

_hytrace_features()
{
	case $prev in
	-f | --format) _hytrace_words 'text json' ;;
	*)
		if [[ $cur == -* ]]; then
			_hytrace_options features
		else
			_hytrace_words "$(hytrace features 2>/dev/null | awk 'NR > 1 { print $1 }' | tr '\n' ' ')"
		fi
		;;
	esac
}

_hytrace_bench()
{
	case $prev in
	-c | --contender) _hytrace_words "$(hytrace bench --list 2>/dev/null | tr '\n' ' ')" ;;
	-s | --scope) _hytrace_words 'one all' ;;
	-w | --workload) _hytrace_words 'getppid pipe file fork tree loopback server compile parallel' ;;
	-u | --unit) _hytrace_words 'ns insn' ;;
	-f | --format) _hytrace_words 'text json' ;;
	-r | --rotate) ;;
	*) _hytrace_words '--contender --scope --workload --unit --format --rotate --list --help' ;;
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

_hytrace_event_record()
{
	case $prev in
	-f | --format) _hytrace_words 'text json' ;;
	-o | --output) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	--duration | --hist) ;;
	*)
		if [[ $cur == -* ]]; then
			_hytrace_words '--format --output --hist --duration --task --help'
		else
			cur=${cur#[\'\"]}
			_hytrace_functions
		fi
		;;
	esac
}

_hytrace_event()
{
	if ((COMP_CWORD == 2)); then
		_hytrace_words 'add rm list record --help'
		return
	fi
	case ${COMP_WORDS[2]} in
	add) _hytrace_functions ;;
	rm) _hytrace_events ;;
	list)
		if [[ $prev == -f || $prev == --format ]]; then
			_hytrace_words 'text json'
		else
			_hytrace_words '--format --help'
		fi
		;;
	record) _hytrace_event_record ;;
	esac
}

_hytrace_boot()
{
	case $prev in
	-f | --format) _hytrace_words 'text json chrome' ;;
	-o | --output) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	-n | --functions) ;;
	*) _hytrace_words '--format --output --functions --help' ;;
	esac
}

_hytrace_callers()
{
	case $prev in
	-f | --format) _hytrace_words 'text json' ;;
	-o | --output | --vmlinux) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	*)
		if [[ $cur == -* ]]; then
			_hytrace_words '--format --output --vmlinux --help'
		elif ((COMP_CWORD == 2)); then
			_hytrace_functions
		else
			mapfile -t COMPREPLY < <(compgen -f -X '!*.json*' -- "$cur")
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
		_hytrace_words 'cover compare callers calls features event boot bench --help --version'
	elif [[ ${COMP_WORDS[1]} == cover ]]; then
		_hytrace_cover
	elif [[ ${COMP_WORDS[1]} == features ]]; then
		_hytrace_features
	elif [[ ${COMP_WORDS[1]} == event ]]; then
		_hytrace_event
	elif [[ ${COMP_WORDS[1]} == boot ]]; then
		_hytrace_boot
	elif [[ ${COMP_WORDS[1]} == bench ]]; then
		_hytrace_bench
	elif [[ ${COMP_WORDS[1]} == callers || ${COMP_WORDS[1]} == calls ]]; then
		_hytrace_callers
	elif [[ ${COMP_WORDS[1]} == compare && $cur == -* ]]; then
		_hytrace_words '--callers --all --help'
	elif [[ ${COMP_WORDS[1]} == compare ]]; then
		mapfile -t COMPREPLY < <(compgen -f -X '!*.json' -- "$cur")
	fi
}

complete -o filenames -o bashdefault -F _hytrace hytrace
