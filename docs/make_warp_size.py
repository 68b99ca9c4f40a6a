#!/usr/bin/env python3
"""Writes docs/warp-size.md and its plots from docs/warp_size.json:
    docs/make_warp_size.py > docs/warp-size.md
--measure SWEEP runs the sweeps with this cucpu-sweep first, which takes some minutes, and writes the JSON file.

Only counts are kept (cucpu --profile=lanes), which do not depend on the machine; so the document can be made again."""
import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import textwrap

DOCS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(DOCS)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "launcher", "sweep"))
import svg  # noqa: E402

DATA = os.path.join(DOCS, "warp_size.json")
PLOTS = DOCS
WIDTHS = [4, 8, 16, 32, 64]
SIZE = ["--", "--size", "small"]
BENCH = ["-w", "--", "--small", "--no-check", "--time", "0.001"]
BENCHES = ("mandelbrot nested_if tree_search spmv nbody blackscholes floyd stencil3d transpose hotspot mriq lud "
           "dct8x8").split()
SAMPLES = "bfs kmeans pathfinder srad streamcluster".split()
# name, sources below the root, arguments of cucpu-sweep
PROGRAMS = [(n, [f"tests/bench/{n}.cu", f"tests/bench/{n}.c"], BENCH) for n in BENCHES]
PROGRAMS += [(n, [f"samples/{n}/main.cu"], SIZE) for n in SAMPLES]


# ---- measuring ----

def measure_one(sweep, name, sources, arguments):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        command = [sweep, "--simd", ",".join(map(str, WIDTHS)), "--cpu", "x86-64-v3", "--no-times", "--ignore", ".*",
                   "--json", out, "-O0", *[os.path.join(ROOT, s) for s in sources], *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        if not os.path.exists(out):
            sys.exit(f"{name}: {done.stderr.strip()}")
        if done.returncode:
            print(done.stderr.strip(), file=sys.stderr)
        with open(out) as f:
            return json.load(f)


def totals(result):
    """For each width the sums over kernels that run at all of them: those with functions of a warp do not."""
    at_all = [{k["name"] for k in run["kernels"] if k.get("operations") and k["counted_widths"] == [int(run["simd"])]}
              for run in result["runs"]]
    names, rows = set.intersection(*at_all), []
    for run in result["runs"]:
        width = int(run["simd"])
        kernels = [k for k in run["kernels"] if k["name"] in names]
        row = {f: sum(k[f] for k in kernels) for f in ("operations", "active_lanes", "branches", "divergent_branches",
                                                       "loop_tests", "divergent_loop_tests")}
        row["width"], row["kernels"], row["accesses"] = width, len(kernels), {}
        for k in kernels:
            for kind, a in k["accesses"].items():
                both = row["accesses"].setdefault(kind, [0, 0])
                both[0] += a["count"]
                both[1] += a["lines"]
        rows.append(row)
    return rows


def write_data(data):
    with open(DATA, "w") as f:
        f.write("{\n" + ",\n".join(f'"{n}": [\n' + ",\n".join(" " + json.dumps(r) for r in rows) + "]"
                                   for n, rows in data.items()) + "\n}\n")


def measure(sweep):
    data = {}
    for name, sources, arguments in PROGRAMS:
        print(name, file=sys.stderr)
        rows = totals(measure_one(sweep, name, sources, arguments))
        if rows and rows[0]["kernels"]:
            data[name] = rows
        write_data(data)


# ---- figures ----

def efficiency(row):
    return row["active_lanes"] / (row["operations"] * row["width"])


def regular(row):
    """The share of accesses that are one scalar or one vector; those to local arrays are none of memory."""
    of = {k: v[0] for k, v in row["accesses"].items() if k != "local_array"}
    return (of.get("uniform", 0) + of.get("contiguous", 0)) / sum(of.values()) if of else 1


def lines_per_lane(row):
    """Cache lines that an access touches for each 64 bytes of lanes: 4-byte elements, W lanes are W / 16 lines."""
    spread = [v for v in row["accesses"].values() if v[1]]
    count = sum(v[0] for v in spread)
    return sum(v[1] for v in spread) / count if count else 1


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def geomean(values):
    return math.exp(mean(math.log(v) for v in values))


# ---- the document ----

def plot(name, text):
    """A file of its own has no colours of a page, and not all that show it know variables."""
    text = re.sub(r"var\(--\w+, ([^)]+)\)", r"\1", text)
    with open(os.path.join(PLOTS, name), "w") as f:
        f.write(text + "\n")


def groups(data):
    """Programs whose lanes stay active (of 64, at least 0.9 of those of 4), and the others."""
    keeps = {n: efficiency(rows[-1]) >= 0.9 * efficiency(rows[0]) for n, rows in data.items()}
    return [n for n in data if keeps[n]], [n for n in data if not keeps[n]]


def plots(data):
    full, loses = groups(data)
    widths = [str(w) for w in WIDTHS]

    def means(names):
        return [100 * mean(efficiency(data[n][i]) for n in names) for i in range(len(WIDTHS))] if names else []
    mean_of = [("those that scale", means(full)), ("others", means(loses))]
    plot("warp-size-groups.svg", svg.lines("Active lanes", widths, mean_of, "%"))
    worst = sorted(loses, key=lambda n: efficiency(data[n][-1]))[:6]
    plot("warp-size-programs.svg", svg.lines("Active lanes", widths, [(n, [100 * efficiency(r) for r in data[n]])
                                                                     for n in worst], "%"))
    plot("warp-size-accesses.svg", svg.lines("Regular accesses", widths,
                                             [("mean", [100 * mean(regular(rows[i]) for rows in data.values())
                                                        for i in range(len(WIDTHS))])], "%"))


def table(data):
    head = ["program"] + [f"active, {w}" for w in WIDTHS]
    head += ["branches", "loops", "regular, 4", "regular, 64", "lines, 64"]
    out = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    for name, rows in sorted(data.items(), key=lambda x: -efficiency(x[1][-1])):
        last = rows[-1]
        cells = [f"{100 * efficiency(r):.1f} %" for r in rows]
        cells += [share(last["divergent_branches"], last["branches"]),
                  share(last["divergent_loop_tests"], last["loop_tests"]),
                  f"{100 * regular(rows[0]):.1f} %", f"{100 * regular(last):.1f} %", f"{lines_per_lane(last):.1f}"]
        out.append("| " + " | ".join([f"`{name}`"] + cells) + " |")
    return "\n".join(out)


def speedups(data):
    """W * efficiency: what W lanes save if a vector operation costs what a scalar one does."""
    out = ["| lanes | all programs | that scale | others | regular accesses |", "|---:|---:|---:|---:|---:|"]
    full, loses = groups(data)
    for i, w in enumerate(WIDTHS):
        cells = [f"{geomean(w * efficiency(data[n][i]) for n in names):.2f}" for names in (data, full, loses)]
        cells.append(f"{100 * mean(regular(rows[i]) for rows in data.values()):.1f} %")
        out.append("| " + " | ".join([str(w)] + cells) + " |")
    return "\n".join(out)


TEXT = """# The number of lanes, divergence and memory

<!-- made by docs/make_warp_size.py -->

How control flow and memory accesses of {count} programs (`samples/`, `tests/bench/`) change with the number of lanes,
after Schaub, Moll, Karrenberg and Hack, *The impact of the SIMD width on control-flow and memory divergence* (TACO
2015), who study 76 OpenCL programs at up to 1024 lanes. Here lanes are counted in kernels that `cucpu --profile=lanes`
has compiled for x86-64-v3 with `--simd=4` to `--simd=64` ([sweep](sweep.md)), that is in the code that runs, with all
its optimisations; none of the figures is a time. Kernels with functions of a warp are left out: their groups are whole
warps.

## Speed-up to be expected

The number of lanes times the share of them that is active: what one expects of lanes if a vector operation costs what a
scalar one does. Geometric means; regular accesses are those of one scalar or one vector, their share is an arithmetic
mean of the programs.

{speedups}

The paper expects 60.1 at 64 lanes, and sees regular accesses fall from 82.6 % at 4 lanes to 43.1 % at 1024.

## Two groups of programs

{groups}

![Active lanes by group](warp-size-groups.svg)

![Active lanes of the programs that lose most](warp-size-programs.svg)

Two things take lanes away. Branches on data, and loops that lanes leave one by one, as in `mandelbrot`, `bfs`,
`spmv` and `nested_if`: more lanes wait for the slowest. And blocks whose rows or whole blocks are shorter than a group:
`lud` has blocks of 16 threads, `floyd`, `hotspot` and `stencil3d` have rows of 16 and 32; their groups of 64 have lanes
without a thread, or lanes of several rows that differ at the border.

## Memory

![Regular accesses](warp-size-accesses.svg)

An access becomes irregular with more lanes where the rows of a block are shorter than a group: at 64 lanes a group of a
16 x 16 block (`hotspot`, `transpose`) has four rows. Indices from memory (`bfs`, `tree_search`) are irregular at any
width.

## All programs

Active lanes by width; at 64 lanes the tests of branches and loops by which lanes part, of all that lanes may part by;
regular accesses; cache lines per access whose lanes differ in address (64 elements of four bytes are 4 lines).

{table}

## Made by

```
docs/make_warp_size.py --measure build/bin/cucpu-sweep > docs/warp-size.md
```
"""


def main():
    global PLOTS
    p = argparse.ArgumentParser()
    p.add_argument("--measure", metavar="SWEEP")
    p.add_argument("--plots", metavar="FOLDER", default=DOCS, help="where the plots go")
    o = p.parse_args()
    PLOTS = o.plots
    if o.measure:
        measure(os.path.abspath(o.measure))
    with open(DATA) as f:
        data = json.load(f)
    plots(data)
    full, loses = groups(data)

    def names(some):
        return ", ".join(f"`{n}`" for n in some)
    two = textwrap.fill(f"{len(full)} programs keep at 64 lanes at least 0.9 of the share of active lanes that they "
                        f"have at 4: {names(full)}. The others lose lanes, as in the paper: {names(loses)}.", 120)
    text = TEXT.format(count=len(data), speedups=speedups(data), groups=two, table=table(data))
    print(text, end="")


if __name__ == "__main__":
    main()
