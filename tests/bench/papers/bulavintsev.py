"""Figure 7 of Bulavintsev (2019): what flattening gains, by k and by the costs of the two loops."""
import os
import statistics

import harness
from papers import Failed, reasons, table, wrapped

HEADING = "Bulavintsev 2019: loop flattening"
RATIOS = [(10, 1), (4, 4), (1, 10), (1, 100)]
K = range(0, 32)
SHOWN = [0, 4, 8, 12, 16, 20, 24, 28, 31]
EXPECTED = {"10/1": 0.97, "4/4": 2.5, "1/10": 4.5, "1/100": 6.0}  # at k = 31; the paper's GPU has lanes to spare
REASONS = {"4/4": "both loops' values live in 64 lanes, and some of them are spilled."}


def times(exe):
    out = harness.call([exe, *map(str, K)], env=dict(os.environ, CUCPU_NUM_THREADS="1"))
    rows = [line.split() for line in out.splitlines()] if out else []
    return {int(k): (float(t), total) for k, t, total in rows}


def gains(opt, outer, inner, directory):
    """Time as the loops are / time flattened, for each k."""
    exes = []
    for off in (["--disable=flatten_loops"], []):
        exes.append(os.path.join(directory, f"flattening_{outer}_{inner}{'_off' if off else ''}"))
        source = os.path.join(harness.HERE, "flattening.cu")
        if harness.call([opt.cucpu, "-O3", *off, f"-DA={outer}", f"-DB={inner}", source, "-o", exes[-1]]) is None:
            raise Failed("flattening.cu could not be built")
    rounds = [[times(e) for e in exes] for _ in range(opt.rounds)]
    for k in K:
        if len({r[k][1] if k in r else None for pair in rounds for r in pair}) != 1:
            raise Failed(f"{outer}/{inner}, k = {k}: wrong result")
    return [statistics.median(off[k][0] for off, _ in rounds) / statistics.median(on[k][0] for _, on in rounds)
            for k in K]


def measure(opt, directory):
    return {f"{outer}/{inner}": gains(opt, outer, inner, directory) for outer, inner in RATIOS}


def render(record):
    lines = wrapped("Figure 7: time of nested loops as they are / flattened, CPU time, one thread. The outer loop's "
                    "body costs A, the inner loop's B; k of 32 lanes leave the inner loop at once.")
    rows = [[n, *(g[k] for k in SHOWN)] for n, g in record.items()]
    lines += [""] + table(["A/B"] + [f"k = {k}" for k in SHOWN], rows)
    lines += [""] + wrapped(
        "Published (RTX 2060, a figure without numbers): up to 24 at k = 31; gains from k = 14 on at 10/1, and for "
        "every k at 1/10 and 1/100; losses where k is small and A is large. Here code that gains nothing is not "
        "flattened, so no figure should be below 0.97.")
    below = [n for n, g in record.items() if g[31] < EXPECTED[n] or min(g) < 0.97]
    return lines + ([""] if below else []) + reasons(below, REASONS)
