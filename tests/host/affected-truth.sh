#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Holds the classes of hytrace affected for 300 places in the kernel of `make run` against what other programs say: nm (which
# functions have code), addr2line (whose code is at an address, and what is inlined there), and __mcount_loc (what can be
# traced). The recording is made here: it has a third of all functions that can be traced.

set -uo pipefail

# shellcheck source=tests/guest/documents-lib.sh
. "$(dirname "$(realpath "$0")")/../guest/documents-lib.sh"

vmlinux=${VMLINUX:-$("$clone/kernel/build.sh" --print-vmlinux 2>/dev/null)}
if [[ ! -f $vmlinux ]]; then
	skip 'the classes of 300 places' 'there is no kernel: make kernel'
	tap_end
	exit
fi

build=$(readelf -n "$vmlinux" | sed -n 's/.*Build ID: //p')
universe "$build.universe" "$build" </dev/null
document head.json "$build" -- '.callers = [] | .modules = []'
cat >draw.py <<'END'
import bisect, collections, json, random, re, struct, subprocess, sys

vmlinux = sys.argv[1]
rng = random.Random(7)


def run(*words, text=None):
    return subprocess.run(words, input=text, check=True, stdout=subprocess.PIPE, text=True).stdout


symbols = [line.split() for line in run('nm', '-n', vmlinux).splitlines()]
known = {name: int(addr, 16) for addr, kind, name in symbols if kind in 'tTdDrRaAwW'}
code = sorted({(int(addr, 16), name) for addr, kind, name in symbols if kind in 'tTwW'})
sites = set()
for line in run('readelf', '-SW', vmlinux).splitlines():
    f = line.replace('[ ', '[').split()
    if len(f) > 5 and f[2] == 'PROGBITS':
        addr, offset, size = (int(x, 16) for x in f[3:6])
        first, last = known['__start_mcount_loc'], known['__stop_mcount_loc']
        if addr <= first < addr + size:
            with open(vmlinux, 'rb') as file:
                file.seek(offset + first - addr)
                sites = {x[0] for x in struct.iter_unpack('<Q', file.read(last - first))}
        if f[1] == '.text':
            text = addr, addr + size
traced = [(a, n) for a, n in code if {a, a + 4} & sites]
recorded = {a: n for a, n in traced if rng.random() < 1 / 3}
with open('head.json') as file:
    head = json.load(file)
count = collections.Counter()
head['functions'] = []
for a, n in sorted(code):
    count[n] += 1
    if a in recorded and recorded[a] == n:
        head['functions'].append({'addr': hex(a), 'name': n, 'module': None, 'offset': None, 'sympos': count[n], 'first_ns': 100,
                                  'cpu': 0, 'pid': 1, 'tgid': None, 'comm': None, 'caller': None})
head['totals']['functions'] = head['totals']['traced_seen'] = head['totals']['entries'] = len(head['functions'])
with open('made.json', 'w') as file:
    json.dump(head, file)

# A place is an address; addr2line tells the functions there, the innermost first, with their lines.
places = {}
for block in re.split(r'^(0x[0-9a-f]+)\n', run('addr2line', '-e', vmlinux, '-a', '-i', '-f',
                      text='\n'.join(hex(rng.randrange(*text)) for i in range(2000))), flags=re.M)[1:]:
    if block.startswith('0x'):
        addr = int(block, 16)
    else:
        lines = block.splitlines()
        places[addr] = [(name, re.sub(r'^.*?(\.\./|\./)+', '', where).split(' ')[0]) for name, where in zip(lines[::2], lines[1::2])]
starts = [a for a, n in code]


def symbol_at(addr):
    return code[bisect.bisect_right(starts, addr) - 1]


with open('drawn.patch', 'w') as patch, open('drawn', 'w') as drawn:
    left = 300
    for addr, frames in places.items():
        name, where = frames[0]
        path, _, line = where.rpartition(':')
        # Left out: padding, what macros of trace events and system calls make at one line, and code to which binutils gives the line
        # of a function that it does not name (a function is not in a header that is not its own).
        if (not left or not line.isdigit() or line == '0' or not re.search(r'^[a-z](?!.*(//|\.\./)).*\.[ch]$', path) or
                path.startswith('include/trace/') or re.search(r'__pfx_|trace_|__traceiter_|__(do|se)_|sysvec_|\.', name) or
                (path.endswith('.h') and len(frames) == 1)):
            continue
        a, symbol = symbol_at(addr)
        own = [x for x, n in code if n == name or n.startswith(name + '.')]
        truth = {'name': name, 'file': path, 'line': int(line), 'inlined': len(frames) > 1, 'host': symbol,
                 'host_ran': a in recorded, 'host_traced': bool({a, a + 4} & sites),
                 'own_ran': any(x in recorded for x in own), 'own_traced': any({x, x + 4} & sites for x in own), 'own': len(own)}
        drawn.write(json.dumps(truth) + '\n')
        patch.write(f'--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-x\n+y\n')
        left -= 1
END
cat >judge.py <<'END'
import json

answers = {(f['file'], f['name']): f for f in json.load(open('out.json'))['functions']}
wrong = checked = 0
for line in open('drawn'):
    t = json.loads(line)
    f = answers.get((t['file'], t['name']))
    problem = None
    if f:
        c = f['class']
        checked += 1
        if c in ('not-built', 'not-there', 'new', 'no-runs', 'unknown'):
            problem = 'its code is there'
        elif not t['inlined'] and t['host_ran'] and c != 'ran':
            problem = 'it was recorded'
        elif t['inlined'] and t['host_ran'] and c not in ('ran', 'inlined-seen', 'inlined-unknown'):
            problem = 'a function into which it is inlined was recorded'
        elif t['inlined'] and c == 'untraceable' and t['host_traced'] and not t['own']:
            problem = 'it is inlined into a function that can be traced'
        elif c == 'ran' and not t['own_ran']:
            problem = 'none of its name was recorded'
        elif not t['inlined'] and c == 'untraceable' and t['host_traced']:
            problem = 'it can be traced'
        elif c in ('not-run', 'blind') and t['own'] and not t['own_traced'] and not t['inlined']:
            problem = 'it cannot be traced'
    if problem:
        wrong += 1
        print(f'# {t["name"]} {t["file"]}:{t["line"]} {f["class"]}: {problem} {t}')
print(wrong, checked)
END
ok 'places are drawn' python3 draw.py "$vmlinux"
is 'there are 300' "$(wc -l <drawn)" 300
is 'affected: 0' "$(status affected --vmlinux "$vmlinux" --store made.json -o out.json drawn.patch)" 0
python3 judge.py >judged
grep '^#' judged
is 'no class contradicts nm, addr2line or __mcount_loc' "$(grep -c '^#' judged)" 0
ok 'and nearly all were held against them' [ "$(awk 'END { print $2 }' judged)" -ge 285 ]
ok 'several classes were' [ "$(jq -r '.functions[].class' out.json | sort -u | grep -c .)" -ge 4 ]

tap_end
