# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Figures with targets, for make bench-store and bench-affected, which work in an empty directory. A time is that of the
# processor (all threads, user and system), so that it hardly depends on what else runs. The caller sets clone and recording.
# shellcheck disable=SC2034,SC2154 # they are the caller's

failed=0
: >figures.tsv

# figure NAME NUMBER UNIT [MOST]
figure()
{
	local verdict=''

	if [[ ${4-} ]]; then
		verdict="at most $4"
		awk -v a="$2" -v b="$4" 'BEGIN { exit !(a <= b) }' || { verdict="MISSED: $verdict"; failed=1; }
	fi
	printf '%-62s %12s %-10s %s\n' "$1" "$2" "$3" "$verdict"
	printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "${4-}" >>figures.tsv
}

# measure COMMAND...: its output goes to the file answer. Sets seconds, megabytes and status.
measure()
{
	read -r seconds megabytes status < <(python3 -c 'import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=open("answer", "w"), stderr=open("errors", "w")).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%.2f %d %d" % (used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, status))' "$@")
}

# told NAME SECONDS MEGABYTES COMMAND...: both figures of a command that has to succeed, with their targets
told()
{
	measure "${@:4}"
	((!status)) || { head -n 5 errors >&2; figure "$1: exit status" "$status" '' 0; }
	figure "$1" "$seconds" s "$2"
	[[ ! $3 ]] || figure "$1" "$megabytes" MB "$3"
}

# make_documents COUNT: variants of the recording, in documents
make_documents()
{
	local made

	made="$1 $(md5sum "$recording" "$clone/tests/bench/variants.py" | cut -d' ' -f1 | tr '\n' ' ')"
	if [[ $(cat documents/made 2>/dev/null) != "$made" ]]; then
		rm -rf documents && mkdir documents
		"$clone/tests/bench/variants.py" "$recording" "$1" documents
		echo "$made" >documents/made
	fi
}

# multiply STORE RUNS WANTED: each run of a store several times
multiply()
{
	sqlite3 "$1" "
		CREATE TEMP TABLE more AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $3 / $2 - 1) SELECT i FROM n;
		CREATE TEMP TABLE runs AS SELECT * FROM run; CREATE TEMP TABLE rans AS SELECT * FROM ran;
		INSERT INTO run SELECT id + $2 * i, randomblob(16), document, kernel, host, boot_id, engine, started, seconds, test, revision, scope,
			complete, thin, functions, callers, blind, head FROM more, runs;
		INSERT INTO ran SELECT run + $2 * i, object, sees, functions, sites FROM more, rans;"
}
