# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For documents that have a schema in docs/schema. Source it after tap.sh.

# valid SCHEMA DOCUMENT...: are they as docs/schema/SCHEMA.json has them? What is wrong may be the whole document.
valid()
{
	local schema=$clone/docs/schema/$1.json
	shift

	/usr/bin/python3 -W ignore -m jsonschema "${@/#/--instance=}" "$schema" >"$tap_scratch/unfit" 2>&1 && return
	cut -c1-200 "$tap_scratch/unfit" | head -n 5
	return 1
}

invalid()
{
	! valid "$@"
}
