#!/usr/bin/env zsh
# SPDX-License-Identifier: GPL-2.0
#
# Prints what zsh offers when Tab is pressed at the end of command lines. An interactive zsh on a terminal of its own
# completes them, as only there its completion works. It starts with no files of the user's. The result has a
# line for each word: the command line, a tab, the word.
#
# usage: completed.zsh DIRECTORY RESULT LINE...	DIRECTORY has the functions that complete, such as _hytrace

zmodload zsh/zpty || exit 1
scratch=$(mktemp -d) || exit 1
trap 'zpty -d shell 2>/dev/null; rm -rf $scratch' EXIT
completions=${1:A} result=$2
shift 2

# compadd is what all completion ends in. A call with -O, -A or -D adds nothing.
cat >$scratch/setup <<END
fpath=(${(q)completions} \$fpath)
scratch=${(q)scratch}
END
cat >>$scratch/setup <<'END'
autoload -Uz compinit && compinit -u -D
LISTMAX=0
compadd()
{
	local -a __found
	local -i __options=$argv[(i)(-|--)]

	if (( ! ${#${(M)argv[1,__options - 1]:#-[OAD]*}} )); then
		builtin compadd -A __found "$@"
		(( ! $#__found )) || print -rl -- $__found >>$scratch/words
	fi
	builtin compadd "$@"
}
complete_and_tell() { zle complete-word; : >$scratch/done }
zle -N complete_and_tell
bindkey -e
bindkey '^I' complete_and_tell
: >$scratch/done
END

# until_done WHAT: twenty seconds
until_done()
{
	local -i tries

	for ((tries = 0; tries < 400; tries++)); do
		# What is printed is read, or the terminal would be full.
		zpty -rt shell >/dev/null
		if [[ -e $scratch/done ]]; then
			rm $scratch/done
			return
		fi
		sleep 0.05
	done
	print -u2 "completed.zsh: no end of '$1' after twenty seconds"
	exit 1
}

zpty shell zsh -f -i
zpty -w shell ". $scratch/setup"
until_done setup
: >$result
for line; do
	: >$scratch/words
	# Its beginning is cleared of what the last one has left.
	zpty -wn shell $'\C-E\C-U'$line$'\t'
	until_done $line
	sort -u $scratch/words | sed "s/^/${line//\//\\/}	/" >>$result
done
