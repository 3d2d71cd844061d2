# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Finds the options without which something fails, by as few attempts as possible. Source this, and define
#
#	attempt OPTION...	succeeds if all is well without these options
#
# put_back TIER... : each TIER has the options of one tier, with blanks between, the most certain one first. Prints the
# options that have to stay, one a line. attempt has failed without all of them. If it fails with all of them, too, this fails.
#
# If it fails without some options, it fails without more. So of all options in the order of the tiers, there is a
# shortest beginning without which it fails, and the last option of that has to stay. The ends of tiers are tried first,
# and then halves. This is repeated until nothing fails.

put_back()
{
	local tier option list=() ends=() stay=()

	for tier; do
		# shellcheck disable=SC2206 # names of options
		list+=($tier)
		ends+=("${#list[@]}")
	done
	# If it fails for another reason, nothing can be found.
	((${#list[@]})) && attempt || return
	while :; do
		option=$(find_needed "${ends[*]}" "${list[@]}") || return
		echo "$option"
		stay+=("$option")
		# Without the option, the ends of its tier and of the later ones come one earlier.
		local i rest=() at=0
		for ((i = 0; i < ${#list[@]}; i++)); do
			[[ ${list[i]} == "$option" ]] && at=$i || rest+=("${list[i]}")
		done
		list=(${rest[@]+"${rest[@]}"})
		for ((i = 0; i < ${#ends[@]}; i++)); do
			((ends[i] <= at)) || ((ends[i]--)) || true
		done
		((${#list[@]})) || return 0
		! attempt "${list[@]}" || return 0
	done
}

# find_needed ENDS OPTION...: prints the last option of the shortest beginning without which it fails
find_needed()
{
	local ends=$1 good=0 bad middle end
	shift
	bad=$#

	for end in $ends; do
		((end > good && end < bad)) || continue
		if attempt "${@:1:end}"; then
			good=$end
		else
			bad=$end
			break
		fi
	done
	while ((bad - good > 1)); do
		middle=$(((good + bad) / 2))
		if attempt "${@:1:middle}"; then
			good=$middle
		else
			bad=$middle
		fi
	done
	echo "${!bad}"
}
