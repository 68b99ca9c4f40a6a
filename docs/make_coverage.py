#!/usr/bin/env python3
"""Prints docs/coverage.md: the rows of docs/coverage.txt, and how many programs of each suite are in which state.

    docs/make_coverage.py > docs/coverage.md
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STATES = {
    "ok": "right results; what checked them stands beside",
    "runs": "ends without an error, prints the same at width 1 and at the chosen width; nothing independent to compare",
    "builds": "compiled and linked; not run, or its run could not be judged",
    "read": "its files pass the front end; not all of them were compiled",
    "fault": "builds, but its result depends on a race or an access out of bounds of its own",
    "not": "does not build or run when last tried, for the reason that stands beside",
}
HEAD = """# Coverage: public CUDA programs

Made by `docs/make_coverage.py`; edit `docs/coverage.txt`.

Programs that nobody of this project wrote, unmodified, built with `cucpu` in the place of `nvcc` and run on a small
input. Sources and inputs are not part of this repository.

| state | means |
|---|---|
"""


def suites(path):
    """[(title, text, [(names, state, count, note)])]; ends with an error at a row that it cannot read."""
    found, rows = [], []
    with open(path) as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if line.startswith("    ") and rows:
                rows[-1] = (rows[-1][0], rows[-1][1] + " " + line.strip())
            elif line and not line.startswith("#"):
                rows.append((number, line))
    for number, line in rows:
        row = re.match(r"^([^|]+) \| (\w+)(?: (\d+))? \|(?: (.*))?$", line)
        if line.startswith("== "):
            found.append((line[3:], [], []))
        elif row and row.group(2) in STATES and found:
            found[-1][2].append((row.group(1), row.group(2), int(row.group(3) or 1), row.group(4) or ""))
        elif "|" not in line and found and not found[-1][2]:
            found[-1][1].append(line)
        else:
            sys.exit(f"{path}:{number}: neither a suite, nor its text, nor a row with a state")
    return found


def main():
    found = suites(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "coverage.txt"))
    print(HEAD + "\n".join(f"| {state} | {text} |" for state, text in STATES.items()))
    print("\n| suite | " + " | ".join(STATES) + " |\n|" + "---|" * (1 + len(STATES)))
    for title, _, rows in found:
        counts = [sum(count for _, state, count, _ in rows if state == s) for s in STATES]
        print(f"| {title.split(' (')[0]} | " + " | ".join(str(c) if c else "" for c in counts) + " |")
    for title, text, rows in found:
        print(f"\n## {title}\n\n" + "\n".join(text))
        print("\n| programs | state | checked by, or what stops it |\n|---|---|---|")
        for names, state, count, note in rows:
            print(f"| {names} | {state}{f' ({count})' if count > 1 else ''} | {note} |")


main()
