#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests hytrace cover -e bpf on kernels that lack an option which it needs, or could need. `hytrace features` must say
# beforehand what then happens, in the same words. The first builds take an hour.
#
# Usage: tests/guest/lacking.sh [OPTION]...

# shellcheck disable=SC2016 # jq has variables of its own

. "$(dirname "$(realpath "$0")")/tap.sh"
configs=$clone/build/lacking
mkdir -p "$configs"
cd "$tap_scratch" || exit 1

# What depends on an option has to go with it.
declare -A also=(
	[KALLSYMS_ALL]=''
	[BPF_JIT]='BPF_JIT_ALWAYS_ON BPF_JIT_DEFAULT_ON'
	[DEBUG_INFO_BTF]='DEBUG_INFO_BTF_MODULES PROBE_EVENTS_BTF_ARGS'
	[FPROBE]='FPROBE_EVENTS'
)
# The feature that is the reason, and a part of what both commands say; nothing if the program does without the option.
declare -A reason=(
	[KALLSYMS_ALL]=''
	[BPF_JIT]='cover-program JIT is required'
	[DEBUG_INFO_BTF]='btf this kernel has no BTF'
	[FPROBE]='kprobe-multi needs a kernel with CONFIG_FPROBE=y'
)

cat >inside <<END
cd "$PWD"
"$hytrace" features -f json cover-bpf >features.json
echo \$? >features.status
"$hytrace" cover -e bpf -a vfs_read -f json -o cover.json -- cat /proc/version >/dev/null 2>said
echo \$? >cover.status
END

# boot OPTION: builds the kernel without it, and runs both commands there
boot()
{
	local file=$configs/$1.config image option

	rm -f features.* cover.* said
	for option in "$1" ${also[$1]}; do
		echo "# CONFIG_$option is not set"
	done >"$file.new"
	if cmp -s "$file.new" "$file"; then rm "$file.new"; else mv "$file.new" "$file"; fi
	"$clone/kernel/build.sh" --config "$file" >&2 && image=$("$clone/kernel/build.sh" --config "$file" --print-image) || return
	"$clone/kernel/vm.sh" --kernel "$image" --share "$PWD" --timeout 300 -- bash inside >vm.log 2>&1 || sed 's/^/# /' vm.log
}

(($#)) || set -- KALLSYMS_ALL BPF_JIT DEBUG_INFO_BTF FPROBE
for option; do
	ok "a kernel without $option can be built" boot "$option"
	read -r feature words <<<"${reason[$option]}"
	if [[ $feature ]]; then
		is "without $option: features names what is missing" \
			"$(<features.status) $(jq -r '.features[0] | .here, .needs' features.json | xargs)" "3 no $feature"
		ok "without $option: features says why" \
			jq -e --arg words "$words" '.features[0].reason | contains($words)' features.json
		is "without $option: cover fails" "$(<cover.status)" 125
		ok "without $option: cover says the same" grep -qF "$words" said
	else
		is "without $option: features says that it can be traced" "$(<features.status)" 0
		is "without $option: so it is" "$(<cover.status) $(jq -r '.functions[].name' cover.json)" '0 vfs_read'
	fi
done

tap_end
