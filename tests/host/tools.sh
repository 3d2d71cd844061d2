#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests where kernel/tools.sh takes libbpf and bpftool from on a machine without a kernel source. pkg-config and
# bpftool are two that this script makes.

. "$(dirname "$(realpath "$0")")/../guest/tap.sh"
export HYTRACE_CACHE=$tap_scratch/cache HYTRACE_LINUX_TARBALL=$tap_scratch/none.tar.xz
system=$tap_scratch/system
mkdir -p "$system"/{bin,lib,include/bpf}
echo 'the library' >"$system/lib/libbpf.a"
echo 'a header' >"$system/include/bpf/bpf.h"
export PATH=$system/bin:$PATH

# distribution VERSION: a pkg-config that knows this version of libbpf
distribution()
{
	cat >"$system/bin/pkg-config" <<-END
	#!/bin/sh
	case "\$*" in
	'--modversion libbpf') echo $1 ;;
	'--exists libbpf >= '*) printf '%s\n' "\${2##* }" $1 | sort -CV ;;
	'--variable=libdir libbpf') echo $system/lib ;;
	'--variable=includedir libbpf') echo $system/include ;;
	*) exit 1 ;;
	esac
	END
	chmod +x "$system/bin/pkg-config"
}

tools()
{
	"$clone/kernel/tools.sh" "$@" 2>"$tap_scratch/err"
}

printf '#!/bin/sh\n' >"$system/bin/bpftool"
chmod +x "$system/bin/bpftool"

distribution 1.5.0
dir=$(tools)
is 'without a kernel source, libbpf is taken from the distribution' "$? $(cat "$dir/libbpf.a")" '0 the library'
is 'and its headers' "$(cat "$dir/include/bpf/bpf.h")" 'a header'
ok 'and bpftool' cmp "$dir/bpftool" "$system/bin/bpftool"
ok 'this is said' grep -q "no kernel source, .*/none.tar.xz: using the distribution's libbpf" "$tap_scratch/err"
is '--print names the same directory' "$(tools --print)" "$dir"
is 'the second time nothing is said' "$(tools) $(cat "$tap_scratch/err")" "$dir "
touch -d yesterday "$system/lib/libbpf.a"
ok 'of another libbpf a new copy is made' test "$(tools)" != "$dir"

distribution 1.1.2
is 'a libbpf that is too old is refused' "$(tools || echo $?)" 1
ok 'the message names the version that is needed, and the one that is here' \
	grep -q 'libbpf-dev 1.5 or later (here: 1.1.2)' "$tap_scratch/err"
ok 'and the other way' grep -q "none.tar.xz; \`make deps\` installs one" "$tap_scratch/err"

tap_end
