#!/usr/bin/env python3
# ptx.py: how long nvcc's PTX of the benchmark programs takes, compared with their source (docs/ptx.md, "Speed").
# The kernels of a program are compiled from PTX, and its host code, made again with the number of that module,
# launches them.
import argparse
import math
import os
import re
import shlex
import statistics
import struct
import subprocess
import tempfile

import run


def options():
    p = argparse.ArgumentParser(description="nvcc's PTX of the benchmarks against their source, both compiled by cucpu")
    p.add_argument("--cucpu", default="cucpu")
    p.add_argument("--nvcc", default="nvcc")
    p.add_argument("--clang", default=os.environ.get("CUCPU_CLANG", "clang-22"))
    p.add_argument("--arch", default="sm_80")
    p.add_argument("--only", default="", help="regular expression for the names of programs")
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--time", default="0.02", help="seconds per measurement")
    return p.parse_args()


def call(command):
    r = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if r.returncode: raise RuntimeError(" ".join(command) + "\n" + r.stderr)
    return r.stderr


def number_of(log):
    return int(re.search(r"--module-id=(0x\w+)", log).group(1), 16)


def build(opt, program, directory):
    """The program from source, and with the kernels of its PTX."""
    name, source, defines, _ = program
    base = os.path.join(directory, name)
    keep = base + ".keep"
    os.mkdir(keep)
    call([opt.clang, "-O3", "-march=native", "-fno-math-errno", "-fopenmp", *defines, "-c",
          os.path.join(run.HERE, source + ".c"), "-o", base + ".o"])
    cu = os.path.join(run.HERE, source + ".cu")
    log = call([opt.cucpu, "-v", "-keep", "-keep-dir", keep, "-std=c++20", "-O2", "-fopenmp", *defines, cu,
                base + ".o", "-lsleef", "-o", base])
    call([opt.nvcc, "-O3", "-ptx", "-arch=" + opt.arch, "-std=c++20", *defines, cu, "-o", base + ".ptx"])
    kernels = number_of(call([opt.cucpu, "-v", "-c", base + ".ptx", "-o", base + ".kernel.o"]))
    fatbin = os.path.join(keep, source + ".fatbin")
    with open(fatbin, "rb") as f: blob = f.read()
    with open(fatbin, "wb") as f: f.write(blob.replace(struct.pack("<Q", number_of(log)), struct.pack("<Q", kernels)))
    commands = [shlex.split(line[3:]) for line in log.splitlines() if line.startswith("#$ ") and "clang" in line]
    call(next(c for c in commands if "--cuda-host-only" in c))
    call(next(c for c in commands if "-x" in c and c[c.index("-x") + 1] == "ir"))
    link = commands[-1]
    link[link.index("-o") + 1] = base + ".by_ptx"
    call([base + ".kernel.o" if word.endswith(source + ".kernel.o") else word for word in link])
    return base, base + ".by_ptx"


def main():
    opt = options()
    ratios = []
    with tempfile.TemporaryDirectory() as directory:
        for program in run.PROGRAMS:
            if not re.search(opt.only, program[0]): continue
            exes = build(opt, program, directory)
            times = [[], []]
            for r in range(opt.rounds):
                for exe, t in zip(exes, times):
                    t.append(run.measure(exe, "cuda", 1, ["--time", opt.time] + (["--no-check"] if r else []))[0])
            ratios.append(statistics.median(times[1]) / statistics.median(times[0]))
            print(f"{program[0]:16} {ratios[-1]:6.2f}", flush=True)
    print(f"{'geomean':16} {math.exp(sum(map(math.log, ratios)) / len(ratios)):6.2f}")


if __name__ == "__main__":
    main()
