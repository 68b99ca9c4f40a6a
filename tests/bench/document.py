# document.py: docs/performance.md, from the times that run.py measures, the sentences of limits.txt, and outside.txt.
# `document.py --check FILE` renders the document anew from the figures in it and compares; `--texts FILE` writes it so,
# after a change of limits.txt or outside.txt.
import math
import os
import platform
import re
import subprocess
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
COLUMNS = ["w1", "omp", "simd", "shape"]
MAX_LINES, MAX_WIDTH = 200, 120

TEXT = """# Performance

Written by `{command}`; `limits.txt`
beside it says what limits each program. Why code is as it is: [costs.md](costs.md) and the heads of the passes.

- Machine: {machine}
- Compiler: cucpu {commit}; versions by hand: clang 22, `-O3 -march=native -fno-math-errno`
- Times: one thread, CPU time, {settings}; versions run alternately, a process each

A program of `tests/bench` is a `.cu` file with a `.c` file beside it, which has the same algorithm by hand. Every run
compares the results.

- **W = 1**: the same kernel at `--simd=1`, scalar code for each thread, which LLVM may vectorize over threads
- **OpenMP**: the loop that one would write, with `#pragma omp parallel for`
- **SIMD**: the best version for the problem, with vectors of the full width
- **shape**: SIMD in the shape of the kernel: the same blocks, shared memory and steps, between two barriers a loop over
  vectors. Without barriers that is the version of the column SIMD.

## Time of the other divided by time of cucpu

Above 1 cucpu is faster. The column "us" is the time of cucpu at its automatic width, for one repetition of the launches
of the program.

| program | barriers | us | W = 1 | OpenMP | SIMD | shape |
|---|---|---|---|---|---|---|
{rows}

## Targets

| target | measured |
|---|---|
{targets}

## What limits each program

{limits}

## Programs of others

Time of the OpenMP version divided by time of cucpu, from `outside.txt`. Both as their authors wrote them, on small
inputs, one thread: CPU time in kernels, and in parallel and target regions of code by clang 22,
`-O3 -march=native -fno-math-errno`; medians of 3 runs on the machine above. First use of memory is left out on both
sides.

| suite | programs | geomean | below 1 | least |
|---|---|---|---|---|
{suites}

{outside}

What keeps those below {low}:

{reasons}

## Other measurements

| command | prints |
|---|---|
| `tests/bench/run.py --threads 2 --opencl` | the table with two threads (wall time), PoCL besides |
| `tests/bench/run.py --configurations auto,v3,v3w1,v2,v2w1` | the same for AVX2 and SSE4 |
| `tests/bench/run.py --before OLD --configurations auto,before` | another cucpu beside this one |
| `tests/bench/run.py --paper NAME` | the experiments of papers: [papers.md](papers.md) |
| `tests/bench/run.py --compiler`, `growth.py` | compile time by size of the kernel |
| `tests/bench/estimates.py` | the cost model's estimates against measured times, by width |
| `tests/bench/frames.py`, `spills.py` | bytes kept across barriers; vector instructions with an operand on the stack |
| `tests/bench/ptx.py` | kernels from nvcc's PTX beside the same from source |
| `build/bin/bench_launch` | cost of a launch and of a barrier |
| `build/bin/cucpu-fuzz --speed` | random kernels against their W = 1 |
"""


def limits():
    """{program: sentence} of limits.txt."""
    with open(os.path.join(HERE, "limits.txt")) as f:
        text = re.sub(r"^#.*\n", "", f.read(), flags=re.M)
    found = {}
    for names, sentence in re.findall(r"^([\w, ]+): (.*(?:\n +.*)*)", text, re.M):
        found.update((name, re.sub(r"\s+", " ", sentence)) for name in names.split(", "))
    return found


LOW = 0.8  # below it outside.txt has a reason


def outside():
    """[(suite, program, ratio, reason or None)] of outside.txt."""
    with open(os.path.join(HERE, "outside.txt")) as f:
        text = re.sub(r"^#.*\n", "", f.read(), flags=re.M)
    for suite, name, ratio, reason in re.findall(r"^(\S+) (\S+) ([\d.]+)(?:: (.*(?:\n +.*)*))?$", text, re.M):
        yield suite, name, float(ratio), re.sub(r"\s+", " ", reason) or None


def wrapped(text):
    return textwrap.wrap(text, MAX_WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def outside_parts():
    rows, parts = list(outside()), {"suites": [], "outside": [], "reasons": [], "low": [str(LOW)]}
    for suite in dict.fromkeys(r[0] for r in rows):
        of = sorted((r[2], r[1]) for r in rows if r[0] == suite)
        ratios = [r for r, _ in of]
        parts["suites"].append(f"| {suite} | {len(of)} | {cell(geomean(ratios))} | {sum(r < 1 for r in ratios)} | "
                               f"{of[0][1]} {cell(ratios[0])} |")
        parts["outside"] += wrapped(f"- {suite}: " + ", ".join(f"{name} {ratio:.1f}" for ratio, name in of))
    for _, name, ratio, reason in rows:
        if ratio < LOW:
            parts["reasons"] += wrapped(f"- {name}, {cell(ratio)}: {reason}")
    return parts


def machine():
    with open("/proc/cpuinfo") as f:
        text = f.read()
    model = re.search(r"model name\s*: (.*)", text)
    flags = set(re.search(r"^flags\s*: (.*)", text, re.M).group(1).split())
    isa = "AVX-512" if "avx512f" in flags else "AVX2" if "avx2" in flags else "SSE4"
    cache = re.search(r"cache size\s*: (.*)", text)
    family = re.search(r"cpu family\s*: (\d+)\nmodel\s*: (\d+)", text)
    return f"{model.group(1) if model else platform.machine()}" + (
        " (family {}, model {})".format(*family.groups()) if family else "") + f", {isa}, {os.cpu_count()} cores" + (
        f", {cache.group(1)} of second-level cache" if cache else "")


def commit():
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], text=True, stdout=subprocess.PIPE).stdout.strip()
    measured = [":!docs/performance.md", ":!docs/papers.md", ":!tests/bench/papers/*.json"]
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", *measured)
    return (git("rev-parse", "--short=12", "HEAD") or "of no commit") + (" with changes" if changed else "")


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def cell(value):
    return "-" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def table(rows):
    """rows: (program, kind, us, ratios by COLUMNS)."""
    for name, kind, us, ratios in rows:
        yield f"| {name} | {'no' if kind == 'free' else 'yes'} | {us:,.1f} | " + " | ".join(map(cell, ratios)) + " |"
    for title, kinds in [("no", ["free"]), ("yes", ["barrier", "warp"])]:
        columns = zip(*(ratios for _, kind, _, ratios in rows if kind in kinds))
        means = [geomean([v for v in column if v]) for column in columns]
        yield f"| **geomean** | {title} | | " + " | ".join(map(cell, means)) + " |"


def targets(rows):
    def column(kinds, name):
        return {r[0]: r[3][COLUMNS.index(name)] for r in rows if r[1] in kinds and r[3][COLUMNS.index(name)]}

    def row(text, values, mean, least):
        lowest = min(values, key=values.get)
        met = (not mean or geomean(values.values()) >= mean) and values[lowest] >= least
        measured = (cell(geomean(values.values())) + ", " if mean else "") + f"least {lowest} {cell(values[lowest])}"
        return f"| {text} | {measured}: {'met' if met else 'missed'} |"
    barrier, every = ["barrier", "warp"], ["free", "barrier", "warp"]
    free = column(["free"], "simd")
    yield row("without barriers 0.9 of SIMD in the geometric mean, none below 0.75", free, 0.9, 0.75)
    yield row("with barriers 0.8 of SIMD of the same shape, none below 0.6", column(barrier, "shape"), 0.8, 0.6)
    yield row("with barriers 4 times W = 1", column(barrier, "w1"), 4, 0)
    yield row("no kernel more than 3 % slower than its W = 1", column(every, "w1"), 0, 0.97)


def render(head, rows):
    said = limits()
    sentences = []
    for name, *_ in rows:
        sentences += wrapped(f"- {name}: {said.get(name, '(no sentence in limits.txt)')}")
    parts = {"rows": table(rows), "targets": targets(rows), "limits": sentences, **outside_parts()}
    return TEXT.format(**head, **{name: "\n".join(lines) for name, lines in parts.items()})


def rounded(value):
    return value if value is None else float(cell(value).replace(",", ""))


def write(path, opt, programs, times):
    """times: {program: {column: seconds}}, `auto` is what others are divided by."""
    rows = []
    for name, _, _, kind in programs:
        t = times[name]
        ratios = [rounded(t[c] / t["auto"]) if c in t else None for c in COLUMNS]
        rows.append((name, kind, t["auto"] * 1e6, ratios))
    head = {"command": "tests/bench/run.py --cucpu build/bin/cucpu --document docs/performance.md",
            "machine": machine(), "commit": commit(), "settings": f"medians of {opt.rounds} runs of {opt.time:g} s"}
    with open(path, "w") as f:
        f.write(render(head, rows))


def parse(text):
    """Head and rows of a written document; what is not found is empty."""
    def find(pattern):
        m = re.search(pattern, text)
        return m.group(1) if m else ""
    head = {"command": find(r"Written by `([^`]*)`"), "machine": find(r"- Machine: (.*)"),
            "commit": find(r"- Compiler: cucpu ([^;]*);"), "settings": find(r"CPU time, ([^;]*);")}
    rows = []
    number = r"([\d,.]+|-)"
    for m in re.finditer(r"^\| (\w+) \| (no|yes) \| " + r" \| ".join([number] * 5) + r" \|$", text, re.M):
        values = [None if v == "-" else float(v.replace(",", "")) for v in m.groups()[2:]]
        rows.append((m.group(1), "free" if m.group(2) == "no" else "barrier", values[0], values[1:]))
    return head, rows


def check(path, programs):
    with open(path) as f:
        text = f.read()
    head, rows = parse(text)
    lines = text.splitlines()
    if [r[0] for r in rows] != [p[0] for p in programs]:
        yield "the programs are not those of run.py"
    yield from (f"no sentence in limits.txt: {p[0]}" for p in programs if p[0] not in limits())
    yield from (f"limits.txt: no such program: {n}" for n in limits() if n not in [p[0] for p in programs])
    yield from (f"no reason in outside.txt: {name}" for _, name, ratio, why in outside() if ratio < LOW and not why)
    if rows and text != render(head, rows):
        yield "not what document.py writes"
    if len(lines) > MAX_LINES:
        yield f"{len(lines)} lines"
    for i, line in enumerate(lines, 1):
        if len(line) > MAX_WIDTH:
            yield f"line {i}: longer than {MAX_WIDTH} columns"
        if re.search(r"\b20\d\d-\d\d", line):
            yield f"line {i}: a date"


if __name__ == "__main__":
    import harness
    if sys.argv[1] == "--texts":
        with open(sys.argv[2]) as file:
            document = render(*parse(file.read()))
        with open(sys.argv[2], "w") as file:
            file.write(document)
    problems = list(check(sys.argv[2], harness.PROGRAMS))
    print("\n".join(problems + [f"{len(harness.PROGRAMS)} programs, {len(problems)} problems"]))
    sys.exit(bool(problems))
