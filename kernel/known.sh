# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # clone is set by the script that sources this
#
# Asking kernel/build.sh for an image takes two seconds, as it hashes all sources. So tests/run.pl can ask once, and
# hand the answers to its tests in HYTRACE_KNOWN: its process and its clone in the first line, then NAME=DIRECTORY in
# each line. A name is `tools`, for kernel/tools.sh, or a version of Linux and the options of build.sh, such as
# "6.12 --debug". All guests of a run boot what was current when it began.

# known NAME: prints the directory. It fails if none is known, or if this process is not below that run: what somebody
# else has exported may be old.
known()
{
	local lines line pid=$$

	[[ ${HYTRACE_KNOWN:-} ]] || return
	mapfile -t lines <<<"$HYTRACE_KNOWN"
	while [[ "$pid $clone" != "${lines[0]}" ]]; do
		read -r line 2>/dev/null <"/proc/$pid/stat" || return
		# The name of a process may have spaces and parentheses.
		read -r _ pid _ <<<"${line##*) }"
	done
	for line in "${lines[@]:1}"; do
		[[ $line == "$1="* && -d ${line#"$1="} ]] || continue
		printf '%s\n' "${line#"$1="}"
		return
	done
	return 1
}
