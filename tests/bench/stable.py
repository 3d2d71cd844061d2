#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Makes a change of the size of ten stable releases: a line is added to FUNCTIONS functions in FILES files of the kernel.
Debian's 6.12.107 to 6.12.117 changed 10,908 functions in 3,606 files. The change stands for theirs: which functions it
changes is chosen by a fixed seed, so they are the same each time. Small changes of COMMITS commits follow.

usage: stable.py REPOSITORY COMMIT DIRECTORY FILES FUNCTIONS COMMITS

DIRECTORY becomes a repository with the branch main, which uses the objects of REPOSITORY: COMMIT, large, and the small ones.
"""
import random
import re
import subprocess
import sys

repository, commit, directory = sys.argv[1:4]
files, functions, commits = map(int, sys.argv[4:7])
rng = random.Random(7)
# A function of the kernel's style: "{" and "}" are lines of their own.
BODY = re.compile(rb'(?<=\)\n)\{\n')


def git(*words, **options):
    return subprocess.run(['git', *words], check=True, stdout=subprocess.PIPE, **options).stdout


git('clone', '--quiet', '--shared', '--bare', repository, directory)
listed = git('-C', directory, 'ls-tree', '-r', commit).decode().splitlines()
sources = [(path, meta.split()[2]) for meta, path in (line.split('\t') for line in listed)
           if re.search(r'\.[ch]$', path) and not path.startswith(('tools/', 'scripts/', 'samples/', 'Documentation/'))]
rng.shuffle(sources)
batch = subprocess.Popen(['git', '-C', directory, 'cat-file', '--batch'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def read(blob):
    batch.stdin.write(blob.encode() + b'\n')
    batch.stdin.flush()
    size = int(batch.stdout.readline().split()[2])
    return batch.stdout.read(size + 1)[:-1]


def change(text, count):
    """A line is added to so many functions, or to all."""
    bodies = [match.end() for match in BODY.finditer(text)]
    chosen = sorted(rng.sample(bodies, min(count, len(bodies))))
    parts = [text[a:b] for a, b in zip([0] + chosen, chosen + [len(text)])]
    return b'\tbarrier();\n'.join(parts), len(chosen)


stream = subprocess.Popen(['git', '-C', directory, 'fast-import', '--quiet', '--force'], stdin=subprocess.PIPE)


def write(changed, name, origin=''):
    stream.stdin.write(f'commit refs/heads/main\ncommitter a <a@b> 0 +0000\ndata {len(name)}\n{name}\n{origin}'.encode())
    for path, text in changed:
        stream.stdin.write(b'M 100644 inline %s\ndata %d\n%s\n' % (path.encode(), len(text), text))


left, changed = functions, []
for path, blob in sources:
    if len(changed) == files or not left:
        break
    text, count = change(read(blob), max(1, min(left, round(rng.expovariate((files - len(changed)) / left)))))
    if count:
        changed.append((path, text))
        left -= count
write(changed, 'large', f'from {commit}\n')
texts = dict(changed)
for i in range(commits):
    path = rng.choice(changed)[0]
    texts[path] = change(texts[path], 1)[0]
    write([(path, texts[path])], f'small {i}')
stream.stdin.close()
batch.stdin.close()
if stream.wait():
    sys.exit(1)
print(f'{functions - left} functions in {len(changed)} files')
