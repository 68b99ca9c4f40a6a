"""Tables 1 and 2 of Karrenberg and Hack, "Improving Performance of OpenCL on CPUs" (CC 2012).

Table 1: what each step of their compiler gains. A column has switched off what the step does not have; no column has a
choice at run time between scalar and SIMD code (trial), nor versions of code for groups with all lanes active, which
they do not have. BOSCC adds the tests for arms that no lane takes to UniVal, as theirs; the last column has everything.
Table 2: against another implementation of OpenCL: theirs were Intel's and AMD's, here it is PoCL."""
import os

import harness
from papers import Failed, note, reasons, table, wrapped

HEADING = "Karrenberg and Hack 2012: OpenCL on CPUs"
DCT = ("dct", "papers/dct", [], "barrier")  # with the flag `inverse`, whose select of addresses is uniform
# our program: theirs; milliseconds of table 1: scalar, naive, UniVal, BOSCC, UniCF; speedup against Intel in table 2
PROGRAMS = {
    "bitonic": ("BitonicSort", (1649, 549, 519, 518, 519), 7.13),
    "blackscholes": ("BlackScholes", (2743, 713, 672, 672, 672), 1.37),
    "dct": ("DCT", (732, 1100, 857, 857, 411), 1.74),
    "fastwalsh": ("FastWalshTransform", (9852, 13317, 13450, 13451, 13458), 1.35),
    "floyd": ("FloydWarshall", (444, 4081, 3592, 3420, 3603), 0.56),
    "histogram": ("Histogram", (1575, 1703, 1454, 1469, 1266), 3.07),
    "mandelbrot": ("Mandelbrot", (4136, 8114, 1724, 1727, 1725), 3.05),
    "transpose": ("MatrixTranspose", (2295, 2378, 1599, 1599, 1600), 2.74),
    "nbody": ("NBody", (3768, 2099, 1410, 1408, 1035), 1.97),
}
VERSIONS = ["trial", "version_all_active", "version_interior_blocks", "version_unclamped", "version_uniform_bits",
            "version_uniform_quotient", "widen_guards", "peel_full_iterations", "serialise_divergent_tail",
            "flatten_loops"]
WITHOUT = {  # what is switched off
    "scalar": ["vectorize_threads"],
    "naive": ["uniform_values", "uniform_control_flow", "guard_coherent", *VERSIONS],
    "UniVal": ["uniform_control_flow", "guard_coherent", *VERSIONS],
    "BOSCC": ["uniform_control_flow", *VERSIONS],
    "UniCF": ["guard_coherent", *VERSIONS],
    "all": ["trial"],
}
PUBLISHED = ["naive", "UniVal", "BOSCC", "UniCF"]
TARGETS = {"AVX2": ["--cpu=x86-64-v3"], "this machine": []}
THREADS = [1, 2]
REASONS = {  # of rows of table 1 in which a step gains less than published, or that are below scalar code
    "Mandelbrot": "the vector counter costs an addition, a comparison and a mask for each vector, but no spill: the "
                  "loop has one exit, and no union of its masks.",
    "BlackScholes": "nearly all values vary, and broadcasts of constants are outside of the loop over groups.",
    "NBody": "uniform loops keep their masks in registers, and the tile is read by broadcasts in all columns.",
    "MatrixTranspose": "addresses stay scalar in all columns, and the rest is loads, stores and shuffles of the tile.",
    "BitonicSort": "the strides of the stages are known: shuffles and minima are left in all columns.",
    "Histogram": "increments of bins, one lane after another: scalar code does the same. The paper's kernel has bins "
                 "of bytes for each thread, ours atomic operations. Why it loses when uniform values are scalars is "
                 "not understood.",
    "FastWalshTransform": "as BitonicSort.",
    "FloydWarshall": "no loop and one branch; the paper's kernel gathers, ours has contiguous rows.",
    "DCT": "without uniform flow both columns gather from a select of two addresses, which takes most of the time; "
           "UniCF makes it a branch, and the loads contiguous.",
}
REASONS_OPENCL = {}


def programs():
    return [p for p in [*harness.PROGRAMS, DCT] if p[0] in PROGRAMS]


def flags(target, column):
    more = [f for f in target if not f.startswith("--simd")] + ["--simd=1"] if column == "scalar" else target
    return [*more, "--disable=" + ",".join(WITHOUT[column])]


def runner(opt, name, exe, version, threads):
    """A function that runs it once and returns seconds: CPU time with one thread, else wall time."""
    def once():
        t = harness.measure(exe, version, threads, ["--time", str(opt.time)])
        if t is None: raise Failed(f"{name}: wrong result")
        return t[threads > 1]
    return once


def table1(opt, program, target, directory):
    exes = harness.build(opt, program, {c: flags(target, c) for c in WITHOUT}, directory)
    if len(exes) != len(WITHOUT): raise Failed(f"{program[0]} could not be built")
    return harness.medians({c: runner(opt, program[0], e, "cuda", 1) for c, e in exes.items()}, opt.rounds)


def table2(opt, program, opencl, directory):
    """{threads: {"cucpu": seconds, "PoCL": seconds}}"""
    exe = harness.build(opt, program, {"default": []}, directory).get("default")
    if not exe: raise Failed(f"{program[0]} could not be built")
    return {str(n): harness.medians({"cucpu": runner(opt, program[0], exe, "cuda", n),
                                     "PoCL": runner(opt, program[0], [opencl, program[0]], "opencl", n)}, opt.rounds)
            for n in THREADS}


def measure(opt, directory):
    record = {"table1": {}, "table2": {}}
    for name, target in TARGETS.items():
        folder = os.path.join(directory, name.split(",")[0].replace(" ", "_"))
        os.makedirs(folder, exist_ok=True)
        record["table1"][name] = {}
        for p in programs():
            record["table1"][name][p[0]] = table1(opt, p, target, folder)
            note(f"table 1, {name}: {p[0]}")
    if not harness.has_opencl():
        note("no OpenCL device: table 2 is left out (Debian: pocl-opencl-icd, ocl-icd-opencl-dev)")
        return record
    opencl = harness.build_opencl(opt, directory)
    if not opencl: raise Failed("opencl.c could not be built")
    for p in programs():
        record["table2"][p[0]] = table2(opt, p, opencl, directory)
        note(f"table 2: {p[0]}")
    return record


def speedup(times, column):
    return times["scalar"] / times[column]


def rows1(figures):
    for name, times in figures.items():
        theirs, published, _ = PROGRAMS[name]
        yield [theirs, *(f"{speedup(times, c):.2f} ({published[0] / p:.2f})" for c, p in zip(PUBLISHED, published[1:])),
               speedup(times, "all"), f"{times['naive'] / times['UniVal']:.2f} ({published[1] / published[2]:.2f})",
               f"{times['UniVal'] / times['UniCF']:.2f} ({published[2] / published[4]:.2f})"]


def below1(figures):
    """Programs in which UniCF is slower than scalar code, or a step gains less than published."""
    for name, times in figures.items():
        theirs, published, _ = PROGRAMS[name]
        steps = [("naive", "UniVal", 1, 2), ("UniVal", "UniCF", 2, 4)]
        short = any(times[a] / times[b] < 0.95 * published[i] / published[j] for a, b, i, j in steps)
        if speedup(times, "UniCF") < 1 or short: yield theirs


def render1(name, figures):
    lines = ["", f"### Table 1: {name}", ""] + wrapped(
        "Time of scalar code / time with the steps of the compiler up to that of the column, one thread, CPU time; in "
        "parentheses what the paper's milliseconds give, on a Core 2 Quad with SSE4.1 and four lanes. The last columns "
        "are what one step gains over the one before.")
    lines += [""] + table(["program", *PUBLISHED, "all", "naive / UniVal", "UniVal / UniCF"], rows1(figures))
    below = list(below1(figures))
    return lines + ([""] if below else []) + reasons(below, REASONS)


def render2(figures):
    rows, ratios = [], {n: [] for n in map(str, THREADS)}
    for name, by_threads in figures.items():
        row = [t["PoCL"] / t["cucpu"] for t in by_threads.values()]
        for n, r in zip(ratios, row): ratios[n].append(r)
        rows.append([PROGRAMS[name][0], *row, PROGRAMS[name][2]])
    published = harness.geomean([PROGRAMS[n][2] for n in figures])
    rows.append(["**geomean**", *map(harness.geomean, ratios.values()), published])
    below = [r[0] for r in rows if min(r[1:3]) < 1] + (["geomean"] if min(rows[-1][1:3]) < published else [])
    return ["", "### Table 2: against PoCL", ""] + wrapped(
        "Time of PoCL / time of cucpu, for the same kernels in OpenCL C (`twins.cl`); one thread: CPU time, two: wall "
        "time. Published: against Intel's driver.") + [""] + table(
            ["program", *(f"{n} thread{'s' if n > 1 else ''}" for n in THREADS), "published"], rows) + (
                [""] if below else []) + reasons(below, REASONS_OPENCL)


def render(record):
    lines = [line for name, figures in record["table1"].items() for line in render1(name, figures)][1:]
    return lines + (render2(record["table2"]) if record["table2"] else
                    ["", "No OpenCL device: there is no table 2 (`pocl-opencl-icd`)."])
