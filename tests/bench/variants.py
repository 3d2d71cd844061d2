#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Makes recordings of a fleet from a single one: each lacks 3 to 12 % of its functions and call sites, and has a host, a
boot and a start of its own. They are the same each time.

usage: variants.py RECORDING COUNT DIRECTORY [HOSTS]
"""
import json
import os
import random
import re
import subprocess
import sys

source, count, directory = sys.argv[1], int(sys.argv[2]), sys.argv[3]
hosts = int(sys.argv[4]) if len(sys.argv) > 4 else 50
with open(source) as file:
    text = file.read()
document = json.loads(text)


def lines(name):
    """A hit is a line, so it need not be written again."""
    start = re.search(rf'^ *"{name}": \[\n', text, re.M).end()
    return [line.lstrip(' ,').rstrip(',') for line in text[start:text.index('\n    ]', start)].split('\n')]


hits = {name: lines(name) for name in ('functions', 'callers')}
for name, list_ in hits.items():
    assert [json.loads(line) for line in list_[:3]] == document[name][:3], 'the recording is not as hytrace writes it'
    document[name] = []
boot, rng = document['boot_id'], random.Random(7)
for i in range(count):
    lost = rng.uniform(.03, .12)
    document['host'] = f'host{i % hosts}'
    document['boot_id'] = f'{boot[:24]}{i:012x}'
    document['started'] = f'2026-11-{1 + i % 28:02}T{i // 28 % 24:02}:{i // 672 % 60:02}:20.000000Z'
    some = {name: [line for line in list_ if rng.random() > lost] for name, list_ in hits.items()}
    head = json.dumps(document)
    for name, list_ in some.items():
        empty = f'"{name}": []'
        assert head.count(empty) == 1
        head = head.replace(empty, f'"{name}": [\n' + '\n,'.join(list_) + '\n]')
    with subprocess.Popen(['zstd', '-q', '-1', '-f', '-o', f'{directory}/v{i:05}.json.zst'], stdin=subprocess.PIPE) as zstd:
        zstd.communicate(head.encode())
    if zstd.returncode:
        os._exit(1)
