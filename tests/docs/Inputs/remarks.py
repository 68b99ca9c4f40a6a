"""Compiles the programs in passes/support/examples: each gives the remark or refusal that it is named for.

remarks.py ROOT SCRATCH COMPILER...

Prints how many do, and each that does not.
"""
import os
import re
import subprocess
import sys

root, scratch, compiler = sys.argv[1], sys.argv[2], sys.argv[3:]
sys.path.insert(0, os.path.join(root, "docs"))
import make_remarks  # noqa: E402

DIRECTIVES = {"%s": ".*", "%c": "[xyz]"}


def pattern(row, reasons):
    """The line of the message.  A remark whose reason follows ends with the name of that."""
    parts = re.split(r"(%(?:[dul]+|\.0f|s|c))", row.text)
    text = "".join(DIRECTIVES.get(p, r"\d+") if p.startswith("%") else re.escape(p) for p in parts)
    if row.meaning is None:
        return rf": (?:remark: .*: |error: unsupported: ){text}.* \[{row.name}\]$"
    because = "|".join(f": {re.escape(r.text)} \\[{r.name}\\]" for r in reasons)
    return rf":\d+:\d+: remark: \w+(?:<.*>)?: {text}(?: \[{row.name}\]|{because})$"


def messages(row):
    options, _ = make_remarks.read_example(row.example)
    whole = row.example.endswith(".ptx") or "-O3" in options  # the remark is of LLVM's pipeline
    stop = [] if whole else ["--stop-after=kernel_table"]
    command = [*compiler, *options.split(), "-Rcucpu", "-c", *stop, row.example, "-o", os.path.join(scratch, "out")]
    return subprocess.run(command, capture_output=True, text=True).stderr


def main():
    remarks, reasons = make_remarks.load()
    rows = [row for row in remarks + reasons if row.example]
    good = 0
    for row in rows:
        text = messages(row)
        advice = not row.advice or f" note: {row.advice}\n" in text
        if re.search(pattern(row, reasons), text, re.M) and advice:
            good += 1
        else:
            print(f"{row.name}: not given by {row.example}:\n{text}")
    print(f"{good} of {len(rows)} programs give their message")


main()
