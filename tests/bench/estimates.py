#!/usr/bin/env python3
# estimates.py: compares the cost model (passes/analysis/cost.h, print<cost>) with measured time: each benchmark program
# of harness.py at several widths, one thread.
#
# The model estimates cycles per thread, with guessed trip counts, so that only ratios of two widths of one program can
# be compared: time at each width / the program's mean.  Printed: Spearman's rank correlation of all these ratios, and
# of each program's times alone (their mean); the median error of a ratio; the worst misses.  --times FILE keeps
# measured times for another run with other estimates. Programs whose kernels exchange data within a warp have one
# width, and are left out.
import argparse
import itertools
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import harness

WARP = re.compile(r"call .*@cucpu\.(shfl|vote|ballot|any|all|match|reduce|lane|activemask|syncwarp)")


def options():
    p = argparse.ArgumentParser(description="Estimated against measured times")
    p.add_argument("--cucpu", default="cucpu", help="the cucpu to measure; cucpu-opt lies beside it")
    p.add_argument("--clang", default=os.environ.get("CUCPU_CLANG", "clang-22"), help="for the hand-written versions")
    p.add_argument("--only", default="", help="regular expression for the names of programs")
    p.add_argument("--cpu", default="native", help="target CPU")
    p.add_argument("--widths", default="4,8,16,32,64", help="numbers of lanes")
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--time", type=float, default=0.02, help="seconds per measurement")
    p.add_argument("--times", default="", metavar="FILE", help="measured times: read where it exists, else written")
    p.add_argument("--directory", default="", help="where the variants are kept for another run")
    p.add_argument("--worst", type=int, default=15, help="how many misses are printed")
    return p.parse_args()


def measure(opt, programs, widths, directory):
    """Median seconds by program and width."""
    opt.before = ""
    built = harness.build_all(opt, programs, {f"w{w}": [f"--simd={w}", f"--cpu={opt.cpu}"] for w in widths}, directory)
    times = {}
    for p in programs:
        taken = {c: [] for c in built[p[0]]}
        for r in range(opt.rounds):
            for c, exe in built[p[0]].items():
                t = harness.measure(exe, "cuda", 1, ["--time", str(opt.time)] + (["--no-check"] if r else []))
                if t: taken[c].append(t[0])
        times[p[0]] = {c[1:]: statistics.median(t) for c, t in taken.items() if t}
        print(f"{p[0]}: " + ", ".join(f"{w}: {t:.3g}" for w, t in times[p[0]].items()), file=sys.stderr, flush=True)
    return times


def variants(opt, program, width, directory):
    """A file with the variants of this width, or None where a warp's lanes exchange data."""
    name, source, defines, _ = program
    path = os.path.join(directory, f"{name}_w{width}.ll")
    if not os.path.exists(path):
        harness.call([opt.cucpu, "-std=c++20", "-O2", "-fopenmp", f"--simd={width}", f"--cpu={opt.cpu}",
                  "--stop-after=make_variants", *defines, os.path.join(harness.HERE, source + ".cu"), "-o", path])
    with open(path, encoding="utf-8") as text:
        return None if WARP.search(text.read()) else path


def estimate(opt, path):
    """Cycles per thread of all kernels of the file: for each the variant of a known block, or that of full rows."""
    tool = os.path.join(os.path.dirname(shutil.which(opt.cucpu)), "cucpu-opt")
    out = subprocess.run([tool, "--passes=print<cost>", f"--cpu={opt.cpu}", path], text=True,
                         stdout=subprocess.PIPE, check=True).stdout
    best = {}
    for name, time in re.findall(r"^cost of (.*), \d+ lanes.*\n  time ([0-9.]+)", out, re.M):
        kernel, variant = re.fullmatch(r"(.*)\.w\d+\.(.*)", name).groups()
        rank = 2 if re.search(r"\d+x\d+x\d+$", variant) else 1 if variant == "rows_full" else 0
        if rank >= best.get(kernel, (0, 0))[0]: best[kernel] = rank, float(time)
    return sum(t for _, t in best.values())


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    r = [0.0] * len(values)
    for _, same in itertools.groupby(enumerate(order), key=lambda x: values[x[1]]):
        same = list(same)
        for _, k in same: r[k] = statistics.mean(i for i, _ in same)
    return r


def spearman(a, b):
    a, b = ranks(a), ranks(b)
    if len(set(a)) < 2 or len(set(b)) < 2: return 0.0
    return statistics.correlation(a, b)


def report(opt, times, estimates):
    points, each = [], []
    for name, by_width in times.items():
        widths = [w for w in by_width if estimates.get(name, {}).get(w)]
        if len(widths) < 2: continue
        mean = {k: harness.geomean([t[name][w] for w in widths]) for k, t in enumerate((times, estimates))}
        points += [(name, w, times[name][w] / mean[0], estimates[name][w] / mean[1]) for w in widths]
        each.append((spearman([times[name][w] for w in widths], [estimates[name][w] for w in widths]), name))
    error = lambda p: abs(math.log(p[3] / p[2]))
    print(f"{'program':16} {'width':>5} {'measured':>9} {'estimated':>9}   of the program's mean")
    for p in sorted(points, key=error, reverse=True)[:opt.worst]:
        print(f"{p[0]:16} {p[1]:>5} {p[2]:9.2f} {p[3]:9.2f}")
    print("order within a program, worst: " + ", ".join(f"{n} {r:.2f}" for r, n in sorted(each)[:8]))
    print(f"{len(points)} points: rank correlation {spearman([p[2] for p in points], [p[3] for p in points]):.3f}, "
          f"within programs {statistics.mean(r for r, _ in each):.3f}, "
          f"median error of a ratio {100 * (math.exp(statistics.median(map(error, points))) - 1):.0f} %")
    lost = []
    for name, by_width in times.items():
        if name not in estimates or not by_width: continue
        chosen = min(by_width, key=lambda w: estimates[name][w])
        lost.append((by_width[chosen] / min(by_width.values()), name, chosen, min(by_width, key=by_width.get)))
    print("time at the width of the least estimate / at the best width: "
          f"{harness.geomean([x[0] for x in lost]):.3f}; worst: " +
          ", ".join(f"{n} {x:.2f} ({c}, not {b})" for x, n, c, b in sorted(lost, reverse=True)[:8]))


def main():
    opt = options()
    programs = [p for p in harness.PROGRAMS if re.search(opt.only, p[0])]
    widths = [int(w) for w in opt.widths.split(",")]
    directory = tempfile.mkdtemp(prefix="cucpu-estimates-")
    try:
        with ThreadPoolExecutor(2) as pool:
            forms = {w: dict(zip((p[0] for p in programs),
                                 pool.map(lambda p, w=w: variants(opt, p, w, opt.directory or directory), programs)))
                     for w in widths}
        programs = [p for p in programs if all(f[p[0]] for f in forms.values())]
        if opt.times and os.path.exists(opt.times):
            with open(opt.times, encoding="utf-8") as saved:
                times = json.load(saved)
        else:
            times = measure(opt, programs, widths, directory)
            if opt.times:
                with open(opt.times, "w", encoding="utf-8") as saved:
                    json.dump(times, saved, indent=1)
        estimates = {p[0]: {w: estimate(opt, forms[int(w)][p[0]]) for w in times[p[0]]}
                     for p in programs if p[0] in times}
        report(opt, times, estimates)
    finally:
        shutil.rmtree(directory)
    return 0


if __name__ == "__main__":
    sys.exit(main())
