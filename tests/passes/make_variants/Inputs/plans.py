"""Prints the plans of kernels in tests/passes/make_variants and of benchmarks, by the names in KERNELS and PROGRAMS.

plans.py CUCPU_OPT CUCPU SOURCE_ROOT"""
import os
import re
import subprocess
import sys

KERNELS = ["blocks", "columns", "counters", "folded", "narrow_rows", "order", "wide_rows"]
PROGRAMS = ["histogram", "hotspot", "reduce_shuffle", "saxpy", "stencil3d", "transpose"]
CPU = "--cpu=x86-64-v4"

opt, cucpu, root = sys.argv[1:]


def run(*command):
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return re.sub(r"\d+ %", "N %", done.stdout + done.stderr)  # estimates may change where plans do not


for name in KERNELS:
    print(f"== {name}.ll")
    path = os.path.join(root, f"tests/passes/make_variants/{name}.ll")
    print(run(opt, "--passes=print<variants>", CPU, path), end="")
for name in PROGRAMS:
    print(f"== {name}.cu")
    print(run(cucpu, "-w", "-O3", CPU, "--report=variants", "--stop-after=make_variants", "-o", "/dev/null",
              os.path.join(root, f"tests/bench/{name}.cu")), end="")
