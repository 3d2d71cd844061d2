# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by deb.sh and debian13.sh: makes a new Debian in a directory. Source tap.sh before.

fatal()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

[[ $(id -u) -eq 0 ]] || fatal 'mmdebstrap needs root here'
command -v mmdebstrap >/dev/null || fatal "mmdebstrap is not installed; \`make deps\` installs what is needed"

# make_system CODENAME DIR OPTION...: DIR gets the Debian of that name, with the packages and hooks of these options.
# If it is the name of this machine's Debian, mmdebstrap asks the mirrors that apt uses here.
make_system()
{
	mmdebstrap --mode=root --variant=apt "${@:3}" "$1" "$2"
}
