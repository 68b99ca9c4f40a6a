#!/usr/bin/env python3
"""spills.py: vector registers that kernels move to and from the stack.

in:  CUDA sources; out: for each CPU a row per source: stores and loads of ymm and zmm registers on the
     stack in all entries, those inside innermost loops, and the vector instructions there
Read from the assembler text: a vector instruction with an operand at %rsp.  A loop is what lies between
a label and a jump back to it.  Local arrays on the stack are counted too: compare two compilers or two
settings (--flag), not the figure itself with 0."""
import argparse
import re
import subprocess
import sys

LABEL = re.compile(r"^([\w.$]+):")
JUMP = re.compile(r"^\tj\w+\t(\.L\w+)")
STACK = re.compile(r"\d*\(%rsp[,)]")
WIDE = re.compile(r"%[yz]mm\d")


def functions(text):
    """Bodies of the entries: lists of lines."""
    bodies, body = [], None
    for line in text.splitlines():
        m = LABEL.match(line)
        if m and not m.group(1).startswith(".L"):
            body = [] if m.group(1).endswith(".entry") else None
            if body is not None:
                bodies.append(body)
        elif body is not None:
            body.append(line)
    return bodies


def innermost(body):
    """Intervals of lines that are loops without a loop inside."""
    labels, loops = {}, {}
    for i, line in enumerate(body):
        m = LABEL.match(line)
        if m:
            labels[m.group(1)] = i
        m = JUMP.match(line)
        if m and m.group(1) in labels:
            loops[labels[m.group(1)]] = i
    spans = list(loops.items())
    return [s for s in spans if not any(t != s and s[0] <= t[0] and t[1] <= s[1] for t in spans)]


def count(text):
    whole = inner = vectors = 0
    for body in functions(text):
        inside = set()
        for first, last in innermost(body):
            inside.update(range(first, last + 1))
        for i, line in enumerate(body):
            if not WIDE.search(line):
                continue
            vectors += i in inside
            if STACK.search(line):
                whole += 1
                inner += i in inside
    return whole, inner, vectors


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--cucpu", required=True)
    p.add_argument("--flag", action="append", default=[], help="for cucpu")
    p.add_argument("--cpu", default="x86-64-v3,x86-64-v4", help="comma list")
    p.add_argument("sources", nargs="+")
    args = p.parse_args()
    cpus = args.cpu.split(",")
    print("| source |" + "".join(f" {c}: stack accesses | in innermost loops | of vector instructions |" for c in cpus))
    print("|---|" + "---|" * 3 * len(cpus))
    total = [0] * 3 * len(cpus)
    for source in args.sources:
        row = []
        for cpu in cpus:
            r = subprocess.run([args.cucpu, f"--cpu={cpu}", "--emit=asm", *args.flag, "-c", source, "-o", "-"],
                               capture_output=True, text=True)
            if r.returncode:
                sys.exit(f"{source}: {r.stderr[:300]}")
            row += count(r.stdout)
        total = [a + b for a, b in zip(total, row)]
        print(f"| {source.rsplit('/', 1)[-1]} | " + " | ".join(map(str, row)) + " |", flush=True)
    print("| all | " + " | ".join(map(str, total)) + " |")


if __name__ == "__main__":
    main()
