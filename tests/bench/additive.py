#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Makes a configuration from nothing, as undertaker-tailor (2012) and Cozart (2020) do: the options that a trace has shown are
added to allnoconfig, with all that they depend on, and with those of a list. But evidence and lists are those of `hytrace
tailor`, which keep more: undertaker-tailor traces from the initramfs on, so no initcall counts, and has a list of nine
options to add and one to leave out. So the result is no measure of these programs.

An option counts as shown if code of it ran, the boot counted, as `hytrace tailor` found by objects and #if blocks; so
both have the same evidence. Numbers, texts and choices are those of the traced configuration, as Cozart has it. An option
that is lost, because of what it depends on or because only another one can select it, brings these symbols along, as far
as they are on in the traced configuration. This is repeated until none is lost or nothing is left to add. undertaker
solves the last step by SAT, and chooses any solution.

Usage: additive.py OBJECTS REPORT.json DIRECTORY	writes DIRECTORY/.config
"""
import io
import json
import os
import re
import subprocess
import sys

import kconfiglib


class Kconfig(kconfiglib.Kconfig):
    """Reads "modules", which the library knows in its old form only."""

    def _open(self, filename, mode):
        file = super()._open(filename, mode)
        if mode != "r" or os.path.basename(filename) != "Kconfig":
            return file
        with file:
            return io.StringIO(re.sub(r"(?m)^\tmodules$", "\toption modules", file.read()))


def make(environ, source, directory, *arguments):
    """Runs make there."""
    done = subprocess.run(["make", "-s", "-C", source, "O=" + directory, *arguments], check=False, env=environ,
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"make {' '.join(arguments)}: {done.stderr}")


def environment(objects):
    """What the kernel's make hands to conf."""
    goal = "show-environment: ; @env -0"
    text = subprocess.run(["make", "-s", "--no-print-directory", "--eval=" + goal, "show-environment"], cwd=objects,
                          check=True, capture_output=True, text=True).stdout
    return dict(entry.split("=", 1) for entry in text.split("\0") if "=" in entry)


def lines(path):
    """The options of a configuration: name and value."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"CONFIG_(\w+)=(.*)", line)
            if match:
                found[match[1]] = match[2]
    return found


def main():
    """See above."""
    objects, report, directory = map(os.path.abspath, sys.argv[1:])
    source = os.path.realpath(objects + "/source")
    os.makedirs(directory, exist_ok=True)
    # What make hands to conf is for the library alone. A make that is started with it would take itself for a child.
    own = dict(os.environ)
    os.environ.update(environment(objects))
    os.environ["srctree"] = source
    os.chdir(source)
    model = Kconfig("Kconfig", warn=False)
    before = lines(objects + "/.config")
    on = {name for name, value in before.items() if value in ("y", "m")}
    with open(report, encoding="utf-8") as file:
        wanted = {o["option"] for o in json.load(file)["options"]
                  if o["seen"] in ("used", "boot only", "init only") or o["list"]} & on
    shown = len(wanted)
    wanted |= {s.name for choice in model.unique_choices for s in choice.syms if s.name in on}
    values = {name for name, value in before.items() if value not in ("y", "m")}
    rounds = 0
    while True:
        rounds += 1
        with open(directory + "/wanted", "w", encoding="utf-8") as file:
            for name in sorted(wanted | values):
                print(f"CONFIG_{name}={before[name]}", file=file)
        make(own, source, directory, "KCONFIG_ALLCONFIG=" + directory + "/wanted", "allnoconfig")
        lost = wanted - lines(directory + "/.config").keys()
        more = set()
        for name in lost:
            symbol = model.syms[name]
            of = kconfiglib.expr_items(symbol.direct_dep) | kconfiglib.expr_items(symbol.rev_dep)
            for _, condition in symbol.defaults:
                of |= kconfiglib.expr_items(condition)
            more |= {s.name for s in of if s.name in on}
        if more <= wanted:
            break
        wanted |= more
    print(f"# shown or listed {shown}, added {len(wanted) - shown}, lost {len(lost)}, rounds {rounds}: "
          + " ".join(sorted(lost)), file=sys.stderr)


main()
