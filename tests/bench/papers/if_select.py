"""IF-select (SW26010, 2019): masked stores and times with and without what it describes.

Its kernels are of SPEC CPU2006, which is not free; those of if_select.cu have the shape of their conditions."""
import os
import re

import harness
from papers import Failed, note, reasons, table, wrapped
from papers.moll import timed

HEADING = "IF-select 2019: loops with nested conditions"
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "if_select.cu")
KERNELS = ["reorder", "rotated", "viterbi", "clip", "toffoli", "invariant"]
TARGETS = {"AVX-512": [], "AVX2": ["--cpu=x86-64-v3"], "SSE4": ["--cpu=x86-64-v2"]}
OFF = ["--disable=sink_common_stores,unswitch_loops"]
COLUMNS = {"scalar": ["--simd=1", "--disable=vectorize_threads"], "off": OFF, "on": []}
PUBLISHED = 1.25
REASONS = {
    "AVX-512": "it stores under a mask as fast as without one, and blends take as long as masks.",
    "toffoli": "one arm alone stores; other threads may write the location, so it stays a masked store (rule 2 of "
               "the paper loads and stores it).",
}


def masked_stores(opt, flags, path):
    """{kernel: masked stores} of the variants for full rows without versions."""
    command = [opt.cucpu, "-std=c++17", "-O3", *flags, "--stop-after=widen", "-c", SOURCE, "-o", path]
    if harness.call(command) is None: raise Failed("if_select.cu could not be compiled")
    found, kernel = {}, None
    with open(path) as f:
        for line in f:
            if m := re.match(r"define .*@_Z\d+([a-z]+)_kernel\w*(\.[\w.]*)?\(", line):
                wide = re.search(r"\.w(?!1\.)\d+\.rows_full$", m[2] or "")
                kernel = m[1] if wide and m[1] not in found else None
                if kernel: found[kernel] = 0
            elif kernel and re.search(r"call void @llvm\.masked\.(store|scatter)", line): found[kernel] += 1
    return found


def measure(opt, directory):
    """{target: {kernel: {"stores": {"off": n, "on": n}, "scalar": us, "off": us, "on": us}}}"""
    result = {}
    for target, flags in TARGETS.items():
        folder = os.path.join(directory, "ifs_" + target)
        exes, stores = {}, {}
        for name, more in COLUMNS.items():
            exes[name] = folder + name
            if harness.call([opt.cucpu, "-std=c++17", "-O3", *flags, *more, SOURCE, "-o", exes[name]]) is None:
                raise Failed("if_select.cu could not be built")
            if name != "scalar": stores[name] = masked_stores(opt, [*flags, *more], folder + ".ll")
        result[target] = {}
        for k in KERNELS:
            runs = {c: lambda e=e, k=k: float(timed([e, k])) for c, e in exes.items()}
            result[target][k] = {"stores": {c: s.get(k, 0) for c, s in stores.items()},
                                 **harness.medians(runs, opt.rounds)}
        note(f"if-select: {target}")
    return result


def render(record):
    lines = wrapped(
        "Masked stores in the code of a group, and time: of scalar code / ours, and without / with the steps of the "
        "paper. These are `sink_common_stores`, which makes one store of the stores of both arms and reorders within "
        "an arm for it, and `unswitch_loops`, LLVM's unswitching of loops with at most four conditions. CPU time, "
        "one thread.")
    rows, below = [], []
    for name in KERNELS:
        row = [name]
        for target in record:
            f = record[target][name]
            row += ["{off} → {on}".format(**f["stores"]), f["scalar"] / f["on"], f["off"] / f["on"]]
            if f["stores"]["on"] and name not in below: below.append(name)
        rows.append(row)
    mean = ["**geomean**"]
    for target in record:
        f = record[target].values()
        if harness.geomean([k["off"] / k["on"] for k in f]) < PUBLISHED: below.insert(0, target)
        mean += ["", *(harness.geomean([k[c] / k["on"] for k in f]) for c in ("scalar", "off"))]
    head = ["kernel"] + [c for t in record for c in (f"{t} stores", "scalar", "gain")]
    lines += [""] + table(head, [*rows, mean]) + [""] + wrapped(
        "Published, on a SW26010 with four doubles: 1.43 over scalar code and 1.25 over the compiler's vectorizer, "
        "which is without these steps.")
    return lines + ([""] if below else []) + reasons(below, REASONS)
