"""measure.py: runs the variants: instrumented ones once, then the others in rounds, each variant once per round, so
that other load on the machine meets all alike.  What is kept of the rounds are medians."""
import hashlib
import json
import os
import re
import statistics
import subprocess
import time


class BadPattern(Exception):
    pass


class RunFailed(Exception):
    pass


class Progress:
    """One line on a terminal, rewritten; nothing elsewhere."""

    def __init__(self, stream):
        self.stream, self.shown = stream, stream.isatty()
        self.phase, self.total, self.done = "", 0, 0

    def begin(self, phase, total):
        self.phase, self.total, self.done = phase, total, 0
        self.show("")

    def step(self, what):
        self.done += 1
        self.show(what)

    def show(self, what):
        if self.shown:
            self.stream.write(f"\r\033[K{self.phase} {self.done}/{self.total} {what}"[:110])
            self.stream.flush()

    def end(self):
        if self.shown:
            self.stream.write("\r\033[K")
            self.stream.flush()


def patterns(texts):
    out = []
    for text in texts:
        try:
            out.append(re.compile(text))
        except re.error as e:
            raise BadPattern(f"'{text}' is no regular expression: {e}") from e
    return out


def stamp(path):
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return None


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


class Output:
    """What a run has printed and written, as far as it is compared."""

    def __init__(self, o, text):
        for pattern in o.ignored:
            text = pattern.sub("", text)
        self.lines = text.splitlines()
        self.files = {f: digest(f) for f in o.compare}

    def difference(self, other):
        """From the output `other`, in a few words; None: there is none."""
        for path, value in self.files.items():
            if other.files[path] != value:
                return f"'{path}' differs"
        for n, (mine, its) in enumerate(zip(self.lines, other.lines), 1):
            if mine != its:
                return f"line {n} of its output is '{mine[:60]}', not '{its[:60]}'"
        if len(self.lines) != len(other.lines):
            return f"it prints {len(self.lines)} lines, not {len(other.lines)}"
        return None


def run_program(o, program, threads, folder, counting):
    """(Output, what CUCPU_PROFILE has)"""
    profile = os.path.join(folder, "profile.json")
    if os.path.exists(profile):
        os.remove(profile)
    env = dict(os.environ, CUCPU_PROFILE=profile, CUCPU_NUM_THREADS=str(threads))
    if counting:
        env["CUCPU_TRIAL"] = "0"
    before = {f: stamp(f) for f in o.compare}
    try:
        done = subprocess.run([program, *o.arguments], env=env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", timeout=o.timeout)
    except subprocess.TimeoutExpired as e:
        raise RunFailed(f"not ended after {o.timeout} s") from e
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise RunFailed(f"exit status {done.returncode}: {said}")
    for f in o.compare:
        if stamp(f) == before[f]:
            raise RunFailed(f"'{f}' was not written")
    if not os.path.exists(profile):
        raise RunFailed("it has launched no kernel")
    with open(profile) as f:
        return Output(o, done.stdout), json.load(f)


# ---- figures of a kernel ----

SUMS = ("operations", "active_lanes", "branches", "divergent_branches", "loop_tests", "divergent_loop_tests")


def add_counts(kernel, counted):
    """The sums over widths; the lanes of all operations, and cache lines of accesses whose lines are counted."""
    for field in SUMS:
        kernel[field] = sum(row[field] for row in counted["lanes"])
    lanes = sum(row["operations"] * row["width"] for row in counted["lanes"])
    kernel["efficiency"] = kernel["active_lanes"] / lanes if lanes else None
    kernel["accesses"] = accesses = {}
    for row in counted["lanes"]:
        for kind, a in row["accesses"].items():
            both = accesses.setdefault(kind, {"count": 0, "lines": 0})
            both["count"] += a["count"]
            both["lines"] += a["lines"]
    spread = [a for a in accesses.values() if a["lines"]]
    count = sum(a["count"] for a in spread)
    kernel["lines_per_access"] = sum(a["lines"] for a in spread) / count if count else None
    for field in ("flops", "bytes"):
        kernel[field] = {k: sum(row[field][k] for row in counted["lanes"]) for k in counted["lanes"][0][field]} \
            if counted["lanes"] else None
    kernel["counted_widths"] = [row["width"] for row in counted["lanes"]]


def kernel_row(build, kernel):
    prefix = f"{kernel['name']}.w{kernel['width']}.{kernel['layout']}"
    spills = [n for entry, n in build.spills.items() if entry.startswith(prefix)]
    row = {f: kernel[f] for f in ("name", "title", "launches", "blocks", "threads", "width", "layout", "frame_bytes",
                                  "shared_bytes")}
    row["stack_accesses"] = max(spills) if spills else None
    row["times_ns"] = []
    return row


class Run:
    """A variant with a number of threads."""

    def __init__(self, build, threads):
        self.build, self.row = build, {"warp_size": int(build.warp), "simd": build.simd, "cpu": build.cpu,
                                       "threads": int(threads), "state": "ok", "message": "", "kernels": []}
        if build.failure:
            self.fail("build failed", build.failure)

    def fail(self, state, message):
        self.row["state"], self.row["message"] = state, message

    def kernel(self, kernel):
        for row in self.row["kernels"]:
            if row["name"] == kernel["name"]:
                return row
        self.row["kernels"].append(kernel_row(self.build, kernel))
        return self.row["kernels"][-1]

    def count(self, o, folder):
        output, profile = run_program(o, self.build.counting, self.row["threads"], folder, True)
        for kernel in profile["kernels"]:
            add_counts(self.kernel(kernel), kernel)
        return output

    def time(self, o, folder):
        output, profile = run_program(o, self.build.program, self.row["threads"], folder, False)
        for kernel in profile["kernels"]:
            row = self.kernel(kernel)
            row["width"], row["layout"] = kernel["width"], kernel["layout"]
            row["times_ns"].append(kernel["time_ns"])
            row["time_ns"] = statistics.median(row["times_ns"])
        return output


def attempt(run, what):
    """what() or None: the run has failed."""
    try:
        return what()
    except RunFailed as e:
        run.fail("run failed", str(e))
    except OSError as e:
        run.fail("run failed", f"{e.filename}: {e.strerror}")
    return None


def compare(runs, outputs):
    """With the output of the first run that has one."""
    reference = next((outputs[r] for r in runs if outputs.get(r)), None)
    for r in runs:
        difference = outputs[r].difference(reference) if outputs.get(r) else None
        if difference:
            r.fail("output differs", difference)


def note_same_code(result, builds):
    """Kernels whose entries are the same at all warp sizes, at each width and CPU."""
    groups = {}
    for b in builds:
        if b.code:
            groups.setdefault((b.simd, b.cpu), []).append(b.code)
    names = {k["name"] for r in result["runs"] for k in r["kernels"]}

    def own(code, name):
        return {e: h for e, h in code.items() if e.startswith(name + ".")}
    result["warp_size_makes_no_difference"] = sorted(
        n for n in names if groups and all(own(codes[0], n) and all(own(c, n) == own(codes[0], n) for c in codes)
                                           for codes in groups.values() if len(codes) > 1))


def measure_all(o, builds, folder, result, progress):
    runs = [Run(b, t) for b in builds for t in o.threads]
    result["runs"] = [r.row for r in runs]
    good = [r for r in runs if r.row["state"] == "ok"]
    if not o.no_counts:
        counted = {}
        progress.begin("count", len(good))
        for r in good:
            counted[r] = attempt(r, lambda r=r: r.count(o, folder))
            progress.step(r.build.name())
        compare(good, counted)
    if o.no_times:
        return
    if len(o.warp_size) > 1:
        note_same_code(result, builds)
    progress.begin("run", len(good) * o.rounds)
    outputs, started = {}, time.monotonic()
    for number in range(o.rounds):
        for r in good:
            if r.row["state"] != "run failed":
                output = attempt(r, lambda r=r: r.time(o, folder))
                if output and r not in outputs:
                    outputs[r] = output
            progress.step(f"round {number + 1}: {r.build.name()} threads={r.row['threads']}")
        if not number:
            compare(good, outputs)
        result["rounds"] = number + 1
    result["seconds"] = round(time.monotonic() - started, 1)
