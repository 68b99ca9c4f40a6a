#!/usr/bin/env python3
# run.py: builds the benchmark programs of this folder and prints tables of ratios; --document writes
# docs/performance.md (document.py), --paper prints the tables of a paper (papers/).  Versions run alternately, one
# process each; a figure is the median of the rounds.  With one thread it is CPU time, which other load on the machine
# disturbs less, with more threads it is wall time.
import argparse
import os
import re
import shutil
import statistics
import sys
import tempfile

import papers
from harness import (CONFIGURATIONS, HAND, PROGRAMS, SMOKE, TWINS, build, build_all, build_opencl, cell,
                     flags_of, geomean, hand, measure)


def options():
    p = argparse.ArgumentParser(description="Benchmarks of cucpu against hand-written loops")
    p.add_argument("--cucpu", default="cucpu", help="the cucpu to measure")
    p.add_argument("--clang", default=os.environ.get("CUCPU_CLANG", "clang-22"), help="for the hand-written versions")
    p.add_argument("--only", default="", help="regular expression for the names of programs")
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--time", type=float, default=0.02, help="seconds per measurement")
    p.add_argument("--threads", default="1,2", help="numbers of threads")
    p.add_argument("--configurations", default="auto,w1,noguard",
                   help="the first one is what others are divided by; of: " + ", ".join(CONFIGURATIONS))
    p.add_argument("--document", default="", metavar="FILE", help="measure auto and w1 with one thread and write FILE")
    p.add_argument("--before", default="", help="another cucpu, for the configuration `before`")
    p.add_argument("--smoke", action="store_true", help="two programs, small sizes, results only")
    p.add_argument("--check", action="store_true", help="all programs, small sizes, results only")
    p.add_argument("--compiler", action="store_true", help="also compile time and barriers")
    p.add_argument("--opencl", action="store_true", help="also the OpenCL twins, where a program has one")
    p.add_argument("--paper", default="", choices=["all", *papers.NAMES], help="only the tables of this paper")
    p.add_argument("--record", action="store_true",
                   help="with --paper: keep its figures in papers/ and write docs/papers.md")
    p.add_argument("--directory", default="", help="where to build; kept (default: a temporary one)")
    opt = p.parse_args()
    unknown = [c for c in opt.configurations.split(",")
               if c not in CONFIGURATIONS or (c == "before" and not opt.before)]
    if unknown: p.error("no such configuration, or no --before: " + ", ".join(unknown))
    if opt.record and (not opt.paper or opt.only): p.error("--record needs --paper, and all programs: no --only")
    if opt.document and opt.only: p.error("--document has all programs: no --only")
    return opt


def check(opt, programs, directory):
    failed = 0
    for p in programs:
        exes = build(opt, p, flags_of(["auto", "w1"]), directory)
        good = len(exes) == 2
        for c, exe in exes.items():
            for v in ["cuda"] + (hand(p[3]) if c == "auto" else []):
                good = measure(exe, v, 2, ["--small"]) is not None and good
        print(f"{p[0]}: {'ok' if good else 'FAILED'}", flush=True)
        failed += not good
    return failed


def sample(opt, name, kind, exes, threads):
    """Medians by column for one program: versions alternate, the results are checked in the first round."""
    runs = {c: (exe, "cuda") for c, exe in exes.items()} | {v: (next(iter(exes.values())), v) for v in hand(kind)}
    if opt.opencl and name in TWINS: runs["opencl"] = ([opt.opencl, TWINS[name]], "opencl")
    times = {c: [] for c in runs}
    for r in range(opt.rounds):
        for c, (exe, version) in runs.items():
            more = ["--time", str(opt.time)] + (["--no-check"] if r else [])
            t = measure(exe, version, threads, more) if times[c] is not None else None
            if t is None: times[c] = None
            else: times[c].append(t[0] if threads == 1 else t[1])
    medians = {c: statistics.median(t) for c, t in times.items() if t}
    if kind != "barrier" and "simd" in medians: medians["shape"] = medians["simd"]
    return medians


def write_document(opt, programs, directory):
    """docs/performance.md; 1 where a version of a program could not be built or gave another result."""
    built = build_all(opt, programs, flags_of(["auto", "w1"]), directory)
    times = {}
    for name, _, _, kind in programs:
        times[name] = sample(opt, name, kind, built[name], 1) if built[name] else {}
        missing = [c for c in ["auto", "w1", *hand(kind)] if c not in times[name]]
        print(f"{name}: {'no ' + ', '.join(missing) if missing else 'ok'}", flush=True)
        if missing: return 1
    import document
    document.write(opt.document, opt, programs, times)
    return 0


def tables(opt, programs, directory):
    configurations = opt.configurations.split(",")
    base = configurations[0]
    built = build_all(opt, programs, flags_of(configurations), directory)
    others = configurations[1:] + HAND
    if opt.opencl: opt.opencl = build_opencl(opt, directory)
    if opt.opencl: others.append("opencl")
    for threads in map(int, opt.threads.split(",")):
        print(f"\n{threads} thread(s): time of the other / time of ours ({base}); above 1: ours is faster")
        print(f"{'program':16} {'class':8}" + "".join(f"{c:>10}" for c in others), flush=True)
        ratios = {}
        for name, _, _, kind in programs:
            if base not in built[name]:
                print(f"{name:16} {kind:8} could not be built")
                continue
            t = sample(opt, name, kind, built[name], threads)
            row = [t[c] / t[base] if c in t and base in t else None for c in others]
            ratios[name] = (kind, row)
            print(f"{name:16} {kind:8}" + "".join(map(cell, row)), flush=True)
        for kind in ["free", "barrier", ""]:
            rows = [row for k, row in ratios.values() if kind in k]
            print(f"{'geomean':16} {kind or 'all':8}" + "".join(cell(geomean(column)) for column in zip(*rows)))


def main():
    opt = options()
    programs = [p for p in PROGRAMS if re.search(opt.only, p[0]) and (not opt.smoke or p[0] in SMOKE)]
    directory = opt.directory or tempfile.mkdtemp(prefix="cucpu-bench-")
    os.makedirs(directory, exist_ok=True)
    try:
        if opt.paper: return papers.run(opt, directory)
        if opt.smoke or opt.check: return 1 if check(opt, programs, directory) else 0
        if opt.document: return write_document(opt, programs, directory)
        tables(opt, programs, directory)
        if opt.compiler:
            import compiler
            compiler.report(opt, directory)
    finally:
        if not opt.directory: shutil.rmtree(directory)
    return 0


if __name__ == "__main__":
    sys.exit(main())
