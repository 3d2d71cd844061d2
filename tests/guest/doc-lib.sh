# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the tests of documents: prints the examples of a kernel's document as a script, and the names that its
# tables explain; runs the sessions of a guide, and compares what they print with what the guide shows. Sources tap.sh.

# shellcheck source=tests/guest/tap.sh
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tap.sh"
tracing=/sys/kernel/tracing
documents=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../kernel/files/Documentation/trace")

# examples DOCUMENT: prints the commands that follow root's prompt in its literal blocks. A line that ends in a
# pipe or a backslash continues on the next line.
examples()
{
	awk '/^  # / || more { sub(/^  # /, ""); print; more = /[|\\]$/ }' "$documents/$1"
}

# names FILE: the words before the colons, sorted
names()
{
	sed 's/:.*//' "$tracing/$1" | sort
}

# sessions GUIDE DIR: takes the console sessions (```console) of a guide apart. The command number N is DIR/N.root or
# DIR/N.user, by its prompt; DIR/N.shown is what the guide shows of its output. A line that ends in a pipe or a backslash
# continues on the next line.
sessions()
{
	mkdir -p "$2"
	awk -v dir="$2" '
		/^```/ { inside = $0 == "```console"; next }
		!inside { next }
		more { print >command; more = /[|\\]$/; next }
		/^[#$] / {
			file = sprintf("%s/%02d", dir, ++count)
			command = file (/^#/ ? ".root" : ".user")
			shown = file ".shown"
			print substr($0, 3) >command
			printf "" >shown
			more = /[|\\]$/
			next
		}
		!count { print "output without a command: " $0 >"/dev/stderr"; exit 1 }
		{ print >shown }' "$1"
}

# play DIR WHO: runs the commands of root or user, in order, in this shell; what the command N prints is DIR/N.printed
# then, and its exit status DIR/N.status.
play()
{
	local command text status=0

	for command in "$1"/*."$2"; do
		text=$(<"$command")
		# So that a command can ask for the status of the one before.
		(exit $status)
		eval "$text" >"${command%.*}.printed" 2>&1 </dev/null
		status=$?
		echo $status >"${command%.*}.status"
	done
}

# agree DIR: two results for each command: that it succeeds, unless the next one asks for its status, and that it prints
# what the guide shows (shows.pl)
agree()
{
	local shown base command next wanted

	for shown in "$1"/*.shown; do
		base=${shown%.shown}
		command=$(cat "$base".root "$base".user 2>/dev/null)
		printf -v next '%s/%02d' "$1" $((10#${base##*/} + 1))
		# As diff(1), it tells by 1 that there are differences.
		[[ $command == 'hytrace diff '* ]] && wanted=1 || wanted=0
		if [[ $(cat "$next".root "$next".user 2>/dev/null) != 'echo $?' ]]; then
			is "succeeds: ${command%%$'\n'*}" "$(<"$base.status")" $wanted
		fi
		ok "is as shown: ${command%%$'\n'*}" "$(dirname "${BASH_SOURCE[0]}")/shows.pl" "$shown" "$base.printed"
	done
}
