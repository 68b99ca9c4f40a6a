# harness.py: the benchmark programs of this folder: how they are built, run and summed up; for run.py and papers/.
import glob
import math
import os
import statistics
import subprocess
import sys
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
HAND = ["omp", "simd", "shape"]
# programs that twins.cl has, by name of the program: that of the kernel
TWINS = {"matmul16": "matmul"} | {n: n for n in ("mandelbrot blackscholes nbody reduce_tree bitonic fastwalsh floyd "
                                                 "histogram transpose dct").split()}
TWIN_SOURCES = {n: n for n in TWINS.values()} | {"dct": "papers/dct"}


def call(command, **more):
    r = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    if r.returncode:
        print("failed:", " ".join(command), r.stdout, r.stderr, sep="\n", file=sys.stderr)
        return None
    return r.stdout


def hand(kind):
    """The versions by hand that a program has: without barriers, simd is of the shape of the kernel."""
    return HAND if kind == "barrier" else HAND[:2]


def flags_of(names):
    return {c: CONFIGURATIONS[c] for c in names}


def build(opt, program, flags, directory):
    """The executables of a program by configuration (name: flags); those that could not be built are missing."""
    name, source, defines, _ = program
    versions = os.path.join(directory, name + ".o")
    if call([opt.clang, "-O3", "-march=native", "-fno-math-errno", "-fopenmp", *defines, "-c",
             os.path.join(HERE, source + ".c"), "-o", versions]) is None:
        return {}
    done = {}
    for c, more in flags.items():
        exe = os.path.join(directory, name + "_" + c.replace(" ", "_"))
        command = [opt.before if c == "before" else opt.cucpu, "-std=c++20", "-O2", "-fopenmp", *more, *defines,
                   os.path.join(HERE, source + ".cu"), versions, "-lsleef", "-o", exe]
        if call(command) is not None:
            done[c] = exe
    return done


def has_opencl():
    """Whether there are headers, a loader and a device of OpenCL."""
    found = glob.glob("/etc/OpenCL/vendors/*.icd") or os.environ.get("OCL_ICD_VENDORS")
    return bool(found) and os.path.exists("/usr/include/CL/cl.h")


def build_opencl(opt, directory):
    """The program that runs the OpenCL twins; their references are the hand-written objects."""
    objects = []
    for name, source in TWIN_SOURCES.items():
        objects.append(os.path.join(directory, "twin_" + name + ".o"))
        call([opt.clang, "-O3", "-march=native", "-fno-math-errno", "-fopenmp", "-c",
              os.path.join(HERE, source + ".c"), "-o", objects[-1]])
    exe = os.path.join(directory, "opencl")
    made = call([opt.clang, "-O2", "-fopenmp", os.path.join(HERE, "opencl.c"), *objects, "-lOpenCL", "-lsleef", "-lm",
                 "-o", exe])
    return exe if made is not None else None


def medians(runs, rounds):
    """{column: median} of {column: function that returns a figure}; the functions are called alternately."""
    figures = {c: [] for c in runs}
    for _ in range(rounds):
        for c, once in runs.items(): figures[c].append(once())
    return {c: statistics.median(f) for c, f in figures.items()}


def measure(exe, version, threads, arguments):
    """(CPU seconds, wall seconds), or None where the program failed."""
    env = dict(os.environ, CUCPU_NUM_THREADS=str(threads), OMP_NUM_THREADS=str(threads),
               POCL_MAX_PTHREAD_COUNT=str(threads))
    command = [exe, "--version", version, *arguments]
    if version == "opencl": command = [*exe, os.path.join(HERE, "twins.cl"), arguments[1]]
    out = call(command, env=env)
    return tuple(float(x) for x in out.split()[-2:]) if out else None


def geomean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def cell(value):
    return f"{value:10.2f}" if value else f"{'-':>10}"


def build_all(opt, programs, flags, directory):
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda p: build(opt, p, flags, directory), programs))
    return {p[0]: exes for p, exes in zip(programs, done)}
