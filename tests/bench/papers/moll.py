"""Moll (2021): TensorRV's stencils and transposition (13.4), and the tree traversals (13.1).

There is no ISPC to compare the traversals with: it is no package of Debian. Beside them stand the same traversals by
hand, as scalar code and with vectors of clang."""
import os
import re
import statistics

import harness
from papers import Failed, note, reasons, table, wrapped
from papers.sampaio import opt_beside

HEADING = "Moll 2021: the region vectorizer, and tensorization"
HERE = os.path.dirname(os.path.abspath(__file__))
STENCILS = {  # ours: the paper's; its best speedup on one core, and the brush
    "jacobi5": ("Jacobi-5", 1.11, "16 x 2, L"), "sparse5": ("sparse Jacobi-5", 1.26, "16 x 2, L"),
    "jacobi9": ("Jacobi-9", 1.25, "8 x 2, L"), "points25": ("25 points (Seidel-25)", 1.29, "4 x 8"),
    "transpose": ("transposition", 3.92, "16 x 2"), "product": ("matrix product", None, "-"),
}
SIZES = [("double", 1024), ("float", 256)]
OFF = ["--disable=access_groups,tile_accesses,unroll_and_jam"]
TREES = {  # the paper's statistics: branches uniform and divergent, loops uniform and divergent
    "bh": ("3 / 0", "2 / 0"), "kd": ("6 / 12", "2 / 0"), "pc": ("4 / 12", "2 / 0"), "mpc": ("16 / 4", "5 / 0"),
    "km": ("6 / 12", "2 / 0"), "vp": ("3 / 1", "1 / 0"), "bt": ("5 / 3", "0 / 1"),
}
WIDTHS = [4, 8, 16, 32]
SPREADS = ["0.1", "1.0"]
REASONS = {
    "Jacobi-5": "rows could share six of twenty loads, those of four rows, and all of them hit the first-level cache; "
                "such stencils lost, so the cost model leaves their rows alone.",
    "sparse Jacobi-5": "a flag of each element decides, and rows that share loads need one mask.",
    "transposition": "two matrices of 8 MB: memory, not gathers, takes the time.",
}


def timed(command):
    out = harness.call(command, env=dict(os.environ, CUCPU_NUM_THREADS="1"))
    if not out: raise Failed(" ".join(command[:2]) + ": wrong result")
    return out


def compiled(opt, command, exe):
    """Remarks of a program, which is built."""
    import subprocess
    r = subprocess.run([opt.cucpu, "-std=c++17", "-O3", "-Rcucpu", *command, "-o", exe], text=True, capture_output=True)
    if r.returncode: raise Failed(f"{exe} could not be built: {r.stderr}")
    return r.stderr


def brush(remarks, kernel):
    """Lanes and rows of a group that runs at once, by the remarks about the kernel."""
    lines = [line for line in remarks.splitlines() if kernel + "_kernel" in line]
    lanes = next(int(m[1]) for m in (re.search(r"vectorized with (\d+) lanes", line) for line in lines) if m)
    rows = [re.search(p, line) for line in lines
            for p in (r"lanes of (\d+) rows", r"(\d+) rows of threads run in lockstep")]
    return [lanes, max([int(m[1]) for m in rows if m], default=1)]


def stencils(opt, directory):
    """{kernel: {"double 1024": {"brush": [lanes, rows], "off": us, "on": us}}}"""
    result = {k: {} for k in STENCILS}
    for scalar, n in SIZES:
        exes, remarks = {}, {}
        for name, more in (("on", []), ("off", OFF)):
            exes[name] = os.path.join(directory, f"stencils_{scalar}_{name}")
            remarks[name] = compiled(opt, [f"-DT={scalar}", *more, os.path.join(HERE, "stencils.cu")], exes[name])
        for k in STENCILS:
            size = str(n // 4 if k == "product" else n)
            t = harness.medians({c: lambda e=e: float(timed([e, k, size])) for c, e in exes.items()}, opt.rounds)
            result[k][f"{scalar} {n}"] = {"brush": brush(remarks["on"], k), **t}
        note(f"stencils: {scalar}")
    return result


def branches(opt, directory):
    """{kernel: {"branch": [uniform, divergent], "loop": ...}}, static, after clean-up."""
    path = os.path.join(directory, "trees.ll")
    command = [opt.cucpu, "-std=c++17", "-O3", "--stop-after=normalise_cfg", "-c", os.path.join(HERE, "trees.cu"), "-o",
               path]
    if harness.call(command) is None: raise Failed("trees.cu could not be compiled")
    text = harness.call([opt_beside(opt.cucpu), "--passes=print<shapes>", "--simd=32", path])
    if not text: raise Failed("trees.cu: no shapes")
    found, kernel = {}, None
    for line in text.splitlines():
        if name := re.match(r"(?:shapes of )?@?_Z\d([a-z]+)5TreesPf", line): kernel = name[1]
        for what in ("branch", "loop"):
            if m := re.search(rf" {what} (\w+)", line):
                f = found.setdefault(kernel, {"branch": [0, 0], "loop": [0, 0]})
                f[what][m[1] == "divergent"] += 1
    return found


def trees(opt, directory):
    """{kernel: {spread: {"scalar": us, "hand": {width: us}, "cuda": {width: us}}}}"""
    objects = os.path.join(directory, "trees_hand.o")
    command = [opt.clang, "-x", "c++", "-std=c++17", "-O3", "-march=native", "-fno-math-errno", "-c",
               os.path.join(HERE, "trees.cpp"), "-o", objects]
    if harness.call(command) is None: raise Failed("trees.cpp could not be built")
    exes = {}
    for w in WIDTHS:
        exes[w] = os.path.join(directory, f"trees_{w}")
        compiled(opt, [f"--warp-size={w}", os.path.join(HERE, "trees.cu"), objects], exes[w])
    result = {}
    for k in TREES:
        result[k] = {}
        for spread in SPREADS:
            figures = {}
            for _ in range(opt.rounds):
                for w, exe in exes.items():
                    out = dict(line.split() for line in timed([exe, k, spread, "1", str(w)]).splitlines())
                    for name, column in (("cuda", f"cuda {w}"), ("1", "scalar"), (str(w), f"hand {w}")):
                        figures.setdefault(column, []).append(float(out[name]))
            result[k][spread] = {c: statistics.median(f) for c, f in figures.items()}
        note(f"trees: {k}")
    return result


def measure(opt, directory):
    return {"stencils": stencils(opt, directory), "branches": branches(opt, directory), "trees": trees(opt, directory)}


def render_stencils(record):
    rows, below = [], []
    for name, (theirs, published, their_brush) in STENCILS.items():
        row = [theirs]
        for f in record[name].values(): row += ["{} x {}".format(*f["brush"]), f["off"] / f["on"]]
        rows.append(row + [published, their_brush])
        if published and min(f["off"] / f["on"] for f in record[name].values()) < 0.97 * published: below.append(theirs)
    head = ["kernel"] + [c for name in record["jacobi5"] for c in (f"brush, {name}²", "gain")] + ["published", "brush"]
    return ["### Table of 13.4: stencils and the transposition", ""] + wrapped(
        "Time of code whose lanes lie along x alone / time of ours, CPU time, one thread. The brush is the lanes and "
        "the rows of threads that run at once, as the cost model chooses them (remarks `tile`, `shared-rows`, "
        "`jammed`); off are `access_groups`, `tile_accesses` and `unroll_and_jam`. Published: the best of all "
        "brushes, double, 1024², Skylake-X, over 8 lanes of the inner loop; L: arrays laid out in blocks of 2 x 2, "
        "which those of a CUDA program cannot be. The product is of a fourth of the rows.") + [
            ""] + table(head, rows) + ([""] if below else []) + reasons(below, REASONS)


def render_branches(record):
    rows = []
    for name, (branch, loop) in TREES.items():
        f = record[name]
        rows.append([name, "{} / {}".format(*f["branch"]), branch, "{} / {}".format(*f["loop"]), loop])
    return ["", "### Figure 13.1: branches and loops of the traversals", ""] + wrapped(
        "Uniform / divergent branches and loops, static, after clean-up, 32 lanes. Published are those of kernels "
        "with a box test in two dimensions that LLVM had not turned into minima and selects; here it has, and what "
        "is left are the votes, which are uniform, and the end of the stack.") + [""] + table(
            ["kernel", "branches", "published", "loops", "published"], rows)


def render_trees(record):
    lines = ["", "### Traversals by width", ""] + wrapped(
        "Time of scalar code by hand / time, one thread, CPU time: ours with warps of W threads (`--warp-size`), and "
        "by hand with vectors of W queries; spread is the size of a box of 256 queries. The last column is time by "
        "hand / time of ours, the best width of each. Published: 1.15 over ISPC on the whole, 0.77 to 1.83.")
    head = ["kernel", "spread"] + [f"W = {w}" for w in WIDTHS] + [f"hand, {w}" for w in WIDTHS] + ["by hand / ours"]
    rows, ratios = [], []
    for name, by_spread in record.items():
        for spread, f in by_spread.items():
            ratios.append(min(f[f"hand {w}"] for w in WIDTHS) / min(f[f"cuda {w}"] for w in WIDTHS))
            gains = [f["scalar"] / f[f"{c} {w}"] for c in ("cuda", "hand") for w in WIDTHS]
            rows.append([name, spread, *gains, ratios[-1]])
    rows.append(["**geomean**", *[""] * (len(head) - 2), harness.geomean(ratios)])
    return lines + [""] + table(head, rows)


def render(record):
    return render_stencils(record["stencils"]) + render_branches(record["branches"]) + render_trees(record["trees"])
