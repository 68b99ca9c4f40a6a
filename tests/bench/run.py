#!/usr/bin/env python3
# run.py: builds the benchmark programs of this folder and prints tables of ratios; --document writes
# docs/performance.md (document.py).  Versions run alternately, one process each; a figure is the median
# of the rounds.  With one thread it is CPU time, which other load on the machine disturbs less, with
# more threads it is wall time.
import argparse
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))

# name, source, definitions, class: "free" of barriers, "barrier", "warp"
PROGRAMS = [
    ("matmul16", "matmul", ["-DTILE=16"], "barrier"), ("matmul32", "matmul", ["-DTILE=32"], "barrier"),
    ("matmul_plain", "matmul", ["-DPLAIN"], "free"),
    ("mandelbrot", "mandelbrot", [], "free"), ("blackscholes", "blackscholes", [], "free"),
    ("nbody", "nbody", [], "barrier"), ("saxpy", "saxpy", [], "free"),
    ("reduce_tree", "reduce_tree", [], "barrier"), ("reduce_shuffle", "reduce_shuffle", [], "barrier"),
    ("scan_block", "scan_block", [], "barrier"), ("hotspot", "hotspot", [], "barrier"),
    ("hotspot_pyramid", "hotspot_pyramid", [], "barrier"),
    ("transpose", "transpose", [], "barrier"), ("bitonic", "bitonic", [], "barrier"),
    ("histogram", "histogram", [], "barrier"), ("dct8x8", "dct8x8", [], "barrier"),
    ("columns", "columns", [], "barrier"),
    ("fastwalsh", "fastwalsh", [], "barrier"), ("floyd", "floyd", [], "free"),
    ("spmv", "spmv", [], "free"), ("nested_if", "nested_if", [], "free"),
    ("pathfinder", "pathfinder", [], "barrier"), ("needle", "needle", [], "barrier"),
    ("lud", "lud", [], "barrier"), ("mriq", "mriq", [], "free"),
    ("stencil3d", "stencil3d", [], "free"), ("tree_search", "tree_search", [], "free"),
    ("fields", "fields", [], "free"), ("retries", "retries", [], "barrier"),
    ("threshold", "image", ["-DOPERATION=0"], "free"), ("grey", "image", ["-DOPERATION=1"], "free"),
    ("blur", "image", ["-DOPERATION=2"], "free"),
]
SMOKE = ["saxpy", "scan_block"]
CONFIGURATIONS = {"auto": [], "before": [], "w1": ["--simd=1"], "noguard": ["--disable=guard_coherent"],
                  "noclasses": ["--disable=frame_classes"], "nosink": ["--disable=sink_affine"],
                  "nosites": ["--disable=launch_sites"],
                  "w16": ["--simd=16"], "v3": ["--cpu=x86-64-v3"], "v3w1": ["--cpu=x86-64-v3", "--simd=1"],
                  "v2": ["--cpu=x86-64-v2"], "v2w1": ["--cpu=x86-64-v2", "--simd=1"]}
# Karrenberg and Hack, CC 2012, table 1: the same programs, and what each of their columns has switched off
KH = {"bitonic": "BitonicSort", "blackscholes": "BlackScholes", "dct8x8": "DCT", "fastwalsh": "FastWalsh",
      "floyd": "FloydWarshall", "histogram": "Histogram", "mandelbrot": "Mandelbrot", "transpose": "MatrixTranspose",
      "nbody": "NBody"}
KH_CONFIGURATIONS = {
    "scalar": ["--simd=1", "--disable=vectorize_threads"],
    "LLVM's vectors": ["--simd=1"],
    "naive": ["--disable=uniform_values,uniform_control_flow,guard_coherent,version_all_active"],
    "uniform values": ["--disable=uniform_control_flow,guard_coherent,version_all_active"],
    "uniform flow": ["--disable=guard_coherent,version_all_active"],
    "+ BOSCC": [],
}
HAND = ["omp", "simd", "shape"]
TWINS = {"matmul16": "matmul", "mandelbrot": "mandelbrot", "blackscholes": "blackscholes", "nbody": "nbody",
         "reduce_tree": "reduce_tree"}


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
    p.add_argument("--opencl", action="store_true", help="also the OpenCL twins of five programs")
    p.add_argument("--kh", action="store_true",
                   help="only the table of Karrenberg and Hack (2012): nine programs, one thread")
    p.add_argument("--paper", default="", choices=["", "bulavintsev"],
                   help="only the table of this paper: loop flattening by Bulavintsev (2019)")
    p.add_argument("--directory", default="", help="where to build; kept (default: a temporary one)")
    opt = p.parse_args()
    unknown = [c for c in opt.configurations.split(",")
               if c not in CONFIGURATIONS or (c == "before" and not opt.before)]
    if unknown: p.error("no such configuration, or no --before: " + ", ".join(unknown))
    if opt.document and opt.only: p.error("--document has all programs: no --only")
    return opt


def call(command, **more):
    r = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    if r.returncode:
        print("failed:", " ".join(command), r.stdout, r.stderr, sep="\n", file=sys.stderr)
        return None
    return r.stdout


def hand(kind):
    """The versions by hand that a program has: without barriers, simd is of the shape of the kernel."""
    return HAND if kind == "barrier" else HAND[:2]


def build(opt, program, configurations, directory):
    """The executables of a program, by configuration; those that could not be built are missing."""
    name, source, defines, _ = program
    versions = os.path.join(directory, name + ".o")
    if call([opt.clang, "-O3", "-march=native", "-fno-math-errno", "-fopenmp", *defines, "-c",
             os.path.join(HERE, source + ".c"), "-o", versions]) is None:
        return {}
    done = {}
    for c in configurations:
        exe = os.path.join(directory, name + "_" + c.replace(" ", "_"))
        command = [opt.before if c == "before" else opt.cucpu, "-std=c++20", "-O2", "-fopenmp", *CONFIGURATIONS[c],
                   *defines, os.path.join(HERE, source + ".cu"), versions, "-lsleef", "-o", exe]
        if call(command) is not None:
            done[c] = exe
    return done


def build_opencl(opt, directory):
    """The program that runs the OpenCL twins; their references are the hand-written objects."""
    objects = []
    for name in TWINS.values():
        objects.append(os.path.join(directory, "twin_" + name + ".o"))
        call([opt.clang, "-O3", "-march=native", "-fno-math-errno", "-fopenmp", "-c",
              os.path.join(HERE, name + ".c"), "-o", objects[-1]])
    exe = os.path.join(directory, "opencl")
    made = call([opt.clang, "-O2", "-fopenmp", os.path.join(HERE, "opencl.c"), *objects, "-lOpenCL", "-lsleef", "-lm",
                 "-o", exe])
    return exe if made is not None else None


def measure(exe, version, threads, arguments):
    """(CPU seconds, wall seconds), or None where the program failed."""
    env = dict(os.environ, CUCPU_NUM_THREADS=str(threads), OMP_NUM_THREADS=str(threads),
               POCL_MAX_PTHREAD_COUNT=str(threads))
    command = [exe, "--version", version, *arguments]
    if version == "opencl": command = [*exe, os.path.join(HERE, "twins.cl"), arguments[1]]
    out = call(command, env=env)
    return tuple(float(x) for x in out.split()[-2:]) if out else None


def check(opt, programs, directory):
    failed = 0
    for p in programs:
        exes = build(opt, p, ["auto", "w1"], directory)
        good = len(exes) == 2
        for c, exe in exes.items():
            for v in ["cuda"] + (hand(p[3]) if c == "auto" else []):
                good = measure(exe, v, 2, ["--small"]) is not None and good
        print(f"{p[0]}: {'ok' if good else 'FAILED'}", flush=True)
        failed += not good
    return failed


def geomean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def cell(value):
    return f"{value:10.2f}" if value else f"{'-':>10}"


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


def build_all(opt, programs, configurations, directory):
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda p: build(opt, p, configurations, directory), programs))
    return {p[0]: exes for p, exes in zip(programs, done)}


def write_document(opt, programs, directory):
    """docs/performance.md; 1 where a version of a program could not be built or gave another result."""
    built = build_all(opt, programs, ["auto", "w1"], directory)
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
    built = build_all(opt, programs, configurations, directory)
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


def kh_table(opt, programs, directory):
    """Time of scalar code / time of each configuration: above 1 it beats scalar code."""
    CONFIGURATIONS.update(KH_CONFIGURATIONS)
    names = list(KH_CONFIGURATIONS)
    print("| program | " + " | ".join(names[1:]) + " |\n|---|" + "---|" * (len(names) - 1), flush=True)
    rows = []
    for p in programs:
        exes = build(opt, p, names, directory)
        times = {c: [] for c in exes}
        for r in range(opt.rounds):
            for c, exe in exes.items():
                t = measure(exe, "cuda", 1, ["--time", str(opt.time)] + (["--no-check"] if r else []))
                if t: times[c].append(t[0])
        t = {c: statistics.median(v) for c, v in times.items() if v}
        rows.append([t["scalar"] / t[c] if "scalar" in t and c in t else None for c in names[1:]])
        print(f"| {KH[p[0]]} | " + " | ".join(cell(v).strip() for v in rows[-1]) + " |", flush=True)
    print("| **geomean** | " + " | ".join(cell(geomean(column)).strip() for column in zip(*rows)) + " |")


def main():
    opt = options()
    programs = [p for p in PROGRAMS if re.search(opt.only, p[0]) and (not opt.smoke or p[0] in SMOKE)]
    directory = opt.directory or tempfile.mkdtemp(prefix="cucpu-bench-")
    os.makedirs(directory, exist_ok=True)
    try:
        if opt.paper:
            import paper_bulavintsev
            return paper_bulavintsev.table(opt, call, directory)
        if opt.kh:
            kh_table(opt, [p for p in programs if p[0] in KH], directory)
            return 0
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
