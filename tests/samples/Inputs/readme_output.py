#!/usr/bin/env python3
"""Runs the commands that a README shows ("    $ command", then what it prints) in a copy of its folder, and compares
what they print with what the README says; addresses and numbers of hazards may differ.  With --write the README takes
the new output."""
import os
import re
import shutil
import subprocess
import sys
import tempfile


def neutral(text):
    return re.sub(r"0x[0-9a-f]{6,}", "0x...", text)


def comparable(text):
    """Without the numbers of hazards, which depend on how many threads are lanes of a vector."""
    return re.sub(r"\[\d+ hazards\]", "[hazards]", text).rstrip()


def run(command, folder):
    result = subprocess.run(command, shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, errors="replace", timeout=60)
    return "".join("    " + line + "\n" if line else "\n" for line in neutral(result.stdout).splitlines())


def main():
    readme = [a for a in sys.argv[1:] if a != "--write"][0]
    with open(readme) as f:
        text = f.read()
    folder = os.path.join(tempfile.mkdtemp(), "copy")
    shutil.copytree(os.path.dirname(os.path.abspath(readme)), folder)
    commands, different = 0, 0

    def replace(match):
        nonlocal commands, different
        printed = run(match.group(1), folder)
        commands += 1
        if comparable(printed) != comparable(match.group(2)):
            different += 1
            print(f"$ {match.group(1)}\nprints\n{printed}but the README has\n{match.group(2)}")
        return f"    $ {match.group(1)}\n{printed.rstrip()}\n\n"

    new = re.sub(r"^    \$ (.*)\n((?:(?:    (?!\$).*)?\n)*)", replace, text, flags=re.M)
    shutil.rmtree(os.path.dirname(folder))
    if "--write" in sys.argv:
        with open(readme, "w") as f:
            f.write(new.rstrip() + "\n")
        return 0
    print(f"{commands} commands, {different} print something else")
    return 1 if different or not commands else 0


sys.exit(main())
