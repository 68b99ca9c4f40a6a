#!/usr/bin/env python3
"""frames.py: bytes that kernels keep in frames at their barriers, against keeping every live value.

in:  CUDA sources; each is compiled with --report=frames, at the width that the compiler chooses
out: a row per kernel with a barrier: bytes per thread and barrier, the same without classes (each live
     value saved once per thread), their ratio; the geometric mean over kernels, and the ratio of the sums
The layout is the first that the kernel has: whole rows where there is one.  What is saved once per
block counts as divided by 256 threads.  A kernel that keeps nothing counts with 1/8 byte, a mask bit:
a mean of ratios needs a number above 0.  Kernels in which no value is live at any barrier are listed
and not counted.  Local arrays have to be kept either way and count on neither side."""
import argparse
import math
import re
import subprocess
import sys

LINE = re.compile(r"frames: (\S+)\.w(\d+)\.(\w+): barrier at line \d+: ([\d.]+) bytes per thread and (\d+) "
                  r"per block saved, (\d+) per thread without classes; local arrays (\d+)")
BLOCK = 256


def measure(cucpu, source, flags):
    command = [cucpu, "--report=frames", *flags, "-c", source, "-o", "/dev/null"]
    r = subprocess.run(command, capture_output=True, text=True)
    if r.returncode:
        print(f"{source}: not compiled: {(r.stderr.splitlines() or ['?'])[-1]}", file=sys.stderr)
    variants = {}
    for m in LINE.finditer(r.stderr):
        kernel, width, layout, saved, block, full, _ = m.groups()
        variants.setdefault((kernel, int(width), layout), []).append((float(saved) + int(block) / BLOCK, int(full)))
    first = {}
    for (kernel, width, _), barriers in variants.items():
        first.setdefault(kernel, (width, barriers))
    return first


def demangled(names):
    r = subprocess.run(["c++filt", "-p"], input="\n".join(names), capture_output=True, text=True)
    return dict(zip(names, r.stdout.splitlines())) if r.returncode == 0 else {n: n for n in names}


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--cucpu", required=True)
    p.add_argument("--flag", action="append", default=[], help="for cucpu")
    p.add_argument("sources", nargs="+")
    args = p.parse_args()
    ratios, kept, live = [], 0, 0
    print("| kernel | W | barriers | bytes per thread and barrier | without classes | ratio |")
    print("|---|---|---|---|---|---|")
    for source in args.sources:
        kernels = measure(args.cucpu, source, args.flag)
        names = demangled(list(kernels))
        for kernel, (width, barriers) in kernels.items():
            n, saved, full = len(barriers), sum(b[0] for b in barriers), sum(b[1] for b in barriers)
            ratio = max(saved / n, 0.125) * n / full if full else None
            if ratio:
                ratios.append(ratio)
                kept += saved / n
                live += full / n
            name = source.rsplit("/", 2)[-1 if not source.endswith("main.cu") else -2].removesuffix(".cu")
            shown = f"{ratio:.3f}" if ratio else "-"
            print(f"| {name}: {names[kernel]} | {width} | {n} | {saved / n:.2f} | {full / n:.1f} | {shown} |")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\n{len(ratios)} kernels, geometric mean of the ratios {mean:.3f}, "
              f"ratio of the sums {kept / live:.3f}")


if __name__ == "__main__":
    main()
