#!/usr/bin/env python3
# spell.py: random computations, each spelled in several ways: do results agree, and how much do times differ?
#
#   cucpu-fuzz --spell --seed=1 --count=100          # or spell.py --cucpu build/bin/cucpu ...
#   spell.py --print --seed=7                        # the program of one computation
#   spell.py --seed=7 --set coarsen=1                # a dimension that is not varied
#   spell.py --seed=7 --each --set threads=quotient  # the plain spelling with that choice, and each single change of it
#
# A seed is one computation (computations.py) and some of its spellings (spelling.py).  Several seeds are compiled as
# one program.  Kernel times are CPU times of one worker.  A pair of spellings whose times differ by more than --limit
# is shrunk: the dimensions in which the two differ are made equal, one after another, for as long as times differ;
# what is left names the mechanism.  Results that differ are shrunk in the same way, and are failures.
import argparse
import itertools
import os
import random
import subprocess
import sys
import tempfile
import time

from computations import KINDS
from spelling import Writer

HERE = os.path.dirname(os.path.abspath(__file__))


class Case:
    """A computation and its spellings."""

    def __init__(self, seed, o):
        self.seed, r = seed, random.Random(seed)
        kinds = [k for k in KINDS if not o.kinds or k.__name__ in o.kinds.split(",")]
        self.computation = r.choice(kinds)(r, o.small)
        self.fixed = dict(s.split("=", 1) for s in o.set)
        dimensions = self.computation.dimensions
        self.spellings = [self.valid({d: r.choice(choices) for d, choices in dimensions.items()})
                          for _ in range(o.spellings)]

    def valid(self, s):
        s.update((d, c) for d, c in self.fixed.items() if d in s)
        return s

    def name(self):
        c = self.computation
        notes = {k: v for k, v in vars(c).items() if isinstance(v, (str, int, bool)) and k != "small"}
        notes.pop("kind"), notes.update(c.sizes)
        return f"{type(c).__name__} {c.kind} " + " ".join(f"{k}={v}" for k, v in notes.items())


def write_case(k, case, spellings, rounds):
    """Kernels, and a function that measures them."""
    c, text, runs = case.computation, "", ""
    for j, s in enumerate(spellings):
        w = Writer(f"kernel_{k}_{j}", s, c.sizes, {a: (kind, read) for a, (kind, read, *_) in c.buffers.items()})
        c.write(w)
        kernel, launch = w.kernel()
        text += kernel + "\n"
        runs += f"        [&] {{ {c.before}{launch} }},\n"
    buffers = "".join(f"    {kind} *{a} = filled<{kind}>({n}, {seed}, {low}, {high});\n"
                      for seed, (a, (kind, _, n, low, high)) in enumerate(c.buffers.items(), 1))
    frees = "".join(f"    cudaFree({a});\n" for a in c.buffers)
    return (f"/* seed {case.seed}: {case.name()} */\n{text}static void case_{k}() {{\n{buffers}"
            f"    measure({k}, out, {c.buffers['out'][2]}, {rounds}, {int(c.unordered)}, {{\n{runs}    }});\n"
            f"{frees}}}\n\n")


def write_program(cases, rounds):
    """cases: pairs of a case and the spellings that are compared."""
    calls = "".join(f"    case_{k}();\n" for k in range(len(cases)))
    return '#include "spell.h"\n\n' + "".join(write_case(k, c, s, rounds) for k, (c, s) in enumerate(cases)) + \
        f"int main() {{\n{calls}}}\n"


class Failure(Exception):
    pass


def run(o, cases, folder, rounds=None):
    """Times of the spellings of each case, and what was wrong: {(case, spelling): text}."""
    source, program = os.path.join(folder, "spell.cu"), os.path.join(folder, "spell")
    with open(source, "w") as f:
        f.write(write_program(cases, o.rounds if rounds is None else rounds))
    command = [o.cucpu, "-w", "-O3", "-I", os.path.join(HERE, "Inputs"), *o.options, source, "-o", program]
    environment = dict(os.environ, CUCPU_NUM_THREADS="1")
    for call, limit in [(command, 900), ([program], 300)]:
        try:
            r = subprocess.run(call, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit,
                               env=environment)
        except subprocess.TimeoutExpired:
            raise Failure(f"not done after {limit} s: {call[0]}")
        if r.returncode:
            raise Failure(f"status {r.returncode} of {call[0]}: {r.stdout[:2000].strip()}")
    times, wrong = [[0.0] * len(s) for _, s in cases], {}
    for line in r.stdout.splitlines():
        k, j, what, value = line.split(" ", 3)
        if what == "time":
            times[int(k)][int(j)] = float(value)
        else:
            wrong[int(k), int(j)] = value
    return times, wrong


def differing(a, b):
    return [d for d in a if a[d] != b[d]]


def shrink(case, a, b, measure):
    """Two spellings that differ in as little as possible while measure() of the pairs, greater than 1, stays near.

    measure(pairs) gives a figure for each pair; 0: this pair is no finding."""
    value = measure([(a, b)])[0]
    while value and len(differing(a, b)) > 1:
        pairs = [(a, {**b, d: a[d]}) for d in differing(a, b)] + [({**a, d: b[d]}, b) for d in differing(a, b)]
        values = measure(pairs)
        best = max(range(len(pairs)), key=lambda k: values[k])
        if values[best] < 1 + (value - 1) * 0.6:
            break
        (a, b), value = pairs[best], values[best]
    plain = [d for d in a if a[d] == b[d] != case.computation.dimensions[d][0] and d not in case.fixed]
    if value and plain:  # what both have in common becomes plain, where that changes nothing
        for d in plain:
            first = case.computation.dimensions[d][0]
            pair = {**a, d: first}, {**b, d: first}
            v = measure([pair])[0]
            if v >= 1 + (value - 1) * 0.7:
                a, b = pair
    return a, b, value


def ratios(o, case, pairs, folder):
    """How many times as long the second of each pair takes; 0 where it does not compile."""
    spellings = [s for pair in pairs for s in pair]
    try:
        times = run(o, [(case, spellings)], folder)[0][0]
    except Failure:
        return [0] * len(pairs)
    return [b / a for a, b in zip(times[::2], times[1::2])]


def errors(o, case, pairs, folder):
    """2 for each pair whose results differ."""
    try:
        wrong = run(o, [(case, pair) for pair in pairs], folder, 0)[1]
        return [2 * any(at == k for at, _ in wrong) for k in range(len(pairs))]
    except Failure:
        return [2] if len(pairs) == 1 else [errors(o, case, [p], folder)[0] for p in pairs]


def text_of(case, a, b):
    common = " ".join(f"{d}={a[d]!r}" for d in a if a[d] == b[d] != case.computation.dimensions[d][0])
    lines = [f"{d}: {a[d]!r} | {b[d]!r}" for d in differing(a, b)]
    lines = "; ".join(lines) or "nothing"
    return f"seed {case.seed}: {case.name()}\n    differ in {lines}\n    both: {common or 'plain'}"


def report(o, case, a, b, value, what, found):
    print(f"{what} {text_of(case, a, b)}", flush=True)
    if o.keep:
        path = os.path.join(o.keep, f"spell{case.seed}_{found}.cu")
        with open(path, "w") as f:
            f.write(write_program([(case, [a, b])], o.rounds))


def check(o, cases, folder, findings):
    """Compiles and runs; gives the ratios of all pairs and the number of failures."""
    try:
        times, wrong = run(o, [(c, c.spellings) for c in cases], folder, 0 if o.agree else None)
    except Failure as e:
        if len(cases) == 1:
            print(f"FAILED seed {cases[0].seed}: {e}", flush=True)
            return [], 1
        results = [check(o, [c], folder, findings) for c in cases]
        return [x for r, _ in results for x in r], sum(n for _, n in results)
    for (k, j), value in wrong.items():
        a, b, _ = shrink(cases[k], cases[k].spellings[0], cases[k].spellings[j],
                         lambda pairs: errors(o, cases[k], pairs, folder))
        report(o, cases[k], a, b, 0, f"FAILED {value}:", "wrong")
    if o.agree:
        return [], len(wrong)
    found = []
    for case, t in zip(cases, times):
        pairs = [sorted(p, key=lambda j: t[j]) for p in itertools.combinations(range(len(t)), 2)]
        found += [t[b] / t[a] for a, b in pairs]
        findings += [(t[b] / t[a], case, a, b) for a, b in pairs]
    return found, len(wrong)


def show_worst(o, findings, folder):
    """The greatest difference of each of the worst computations, shrunk."""
    findings.sort(key=lambda f: -f[0])
    seen = set()
    for value, case, a, b in findings:
        if value < o.limit or len(seen) == o.worst or time.time() > o.end:
            break
        if case.seed in seen:
            continue
        seen.add(case.seed)
        x, y, v = shrink(case, case.spellings[a], case.spellings[b], lambda pairs: ratios(o, case, pairs, folder))
        report(o, case, x, y, v, f"{value:.2f} -> {v:.2f}", "slow")


def show_each(o, case, folder):
    """Times of the plain spelling and of each spelling that differs from it in one dimension."""
    dimensions = case.computation.dimensions
    plain = case.valid({d: choices[0] for d, choices in dimensions.items()})
    others = [{**plain, d: c} for d, choices in dimensions.items() if d not in case.fixed
              for c in choices if c != plain[d]]
    times, wrong = run(o, [(case, [plain] + others)], folder)
    print(f"seed {case.seed}: {case.name()}")
    for j, (s, t) in enumerate(zip([plain] + others, times[0])):
        change = " ".join(f"{d}={s[d]!r}" for d in differing(s, plain)) or "plain"
        print(f"  {t:10.1f} us {t / times[0][0]:6.2f}  {change} {wrong.get((0, j), '')}", flush=True)
    return len(wrong)


def quantile(values, q):
    return values[min(len(values) - 1, int(len(values) * q))]


def options():
    p = argparse.ArgumentParser(prog="cucpu-fuzz --spell", description="one computation in several spellings")
    p.add_argument("--cucpu", default="cucpu")
    p.add_argument("--seed", type=int, default=1, help="the first")
    p.add_argument("--count", type=int, default=20, help="how many computations")
    p.add_argument("--spellings", type=int, default=4, help="of a computation")
    p.add_argument("--batch", type=int, default=8, help="computations of one program")
    p.add_argument("--time", type=float, default=1e9, help="seconds after which nothing new is started")
    p.add_argument("--rounds", type=int, default=9, help="launches of which the fastest counts")
    p.add_argument("--limit", type=float, default=1.5, help="pairs that are shrunk differ by more")
    p.add_argument("--worst", type=int, default=10, help="how many computations are shrunk")
    p.add_argument("--kinds", default="", help="of computations, with commas: " + ",".join(k.__name__ for k in KINDS))
    p.add_argument("--set", action="append", default=[], metavar="DIMENSION=CHOICE", help="is not varied")
    p.add_argument("--each", action="store_true", help="each single change of the plain spelling, for each seed")
    p.add_argument("--agree", action="store_true", help="compare results only")
    p.add_argument("--small", action="store_true", help="small arrays")
    p.add_argument("--keep", default="", help="folder for the programs of findings")
    p.add_argument("--print", action="store_true", help="the program, nothing is compiled")
    p.add_argument("options", nargs="*", help="of cucpu, after --")
    o = p.parse_args()
    o.end = time.time() + o.time
    return o


def main():
    o = options()
    cases = [Case(seed, o) for seed in range(o.seed, o.seed + o.count)]
    if o.print:
        print(write_program([(c, c.spellings) for c in cases], o.rounds))
        return 0
    if o.each:
        with tempfile.TemporaryDirectory() as folder:
            return sum(show_each(o, c, folder) for c in cases) != 0
    found, findings, failed, done = [], [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for k in range(0, len(cases), o.batch):
            if time.time() > o.end:
                break
            r, wrong = check(o, cases[k:k + o.batch], folder, findings)
            found, failed, done = found + r, failed + wrong, done + len(cases[k:k + o.batch])
        show_worst(o, findings, folder)
    print(f"{failed} failures in {done} computations, {o.spellings} spellings of each")
    if found:
        found.sort()
        print(f"{len(found)} pairs: median {quantile(found, 0.5):.2f}, 95 % {quantile(found, 0.95):.2f}, "
              f"most {found[-1]:.2f}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
