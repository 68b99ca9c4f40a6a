"""variants.py: builds a program in all its variants, several at a time.

A build is of one warp size, width and CPU; it has the program for times, the instrumented one (--profile=lanes), and
what the compiler's texts say: vector instructions at the stack in each entry, and each kernel's IR, to tell kernels to
which the warp size makes no difference."""
import hashlib
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor, as_completed

LABEL = re.compile(r"^([\w.$]+):")
STACK = re.compile(r"\d*\(%rsp[,)]")
VECTOR = re.compile(r"%[xyz]mm\d")
FUNCTION = re.compile(r"^define [^\n]*@\"?([\w.$]+)\"?\(.*?^}$", re.M | re.S)
NUMBERED = re.compile(r"(![\w.]+ )?![0-9]+|#[0-9]+|@cucpu\.text[.0-9]*")


class Build:
    def __init__(self, warp, simd, cpu, folder, number):
        self.warp, self.simd, self.cpu = warp, simd, cpu
        self.program = os.path.join(folder, f"program{number}")
        self.counting = os.path.join(folder, f"counting{number}")
        self.failure = None  # the first line of what the compiler said
        self.spills = {}  # entry -> vector instructions with an operand on the stack
        self.code = {}  # entry -> hash of its IR

    def name(self):
        return f"--warp-size={self.warp} --simd={self.simd} --cpu={self.cpu}"


def first_error(text):
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line]
    return (errors or lines or ["no message"])[0]


def compile_one(o, compiler, build, extra):
    command = [compiler, *o.cucpu, f"--warp-size={build.warp}", f"--simd={build.simd}", f"--cpu={build.cpu}", *extra]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if done.returncode and not build.failure:
        build.failure = first_error(done.stderr)
    return done.stdout if not done.returncode else ""


def stack_accesses(assembler):
    """For each entry of the text: vector loads, stores and operands on the stack, local arrays included."""
    counts, entry = {}, None
    for line in assembler.splitlines():
        label = LABEL.match(line)
        if label and not label.group(1).startswith(".L"):
            entry = label.group(1) if label.group(1).endswith(".entry") else None
            if entry:
                counts[entry] = 0
        elif entry and STACK.search(line) and VECTOR.search(line):
            counts[entry] += 1
    return counts


def code_of_entries(ir):
    """Entry -> hash of its text without numbers of metadata and attributes."""
    return {m.group(1): hashlib.sha256(NUMBERED.sub("", m.group(0)).encode()).hexdigest()
            for m in FUNCTION.finditer(ir) if m.group(1).endswith(".entry")}


def build_one(o, compiler, build):
    sources = [w for w in o.cucpu if w.endswith(".cu")]
    if not o.no_times:
        compile_one(o, compiler, build, ["-o", build.program])
    if not o.no_counts and not build.failure:
        compile_one(o, compiler, build, ["--profile=lanes", "-o", build.counting])
    if len(sources) == 1 and not build.failure and not o.no_times:  # texts are of one source
        build.spills = stack_accesses(compile_one(o, compiler, build, ["-w", "--emit=asm", "-o", "-"]))
        if len(o.warp_size) > 1:
            build.code = code_of_entries(compile_one(o, compiler, build, ["-w", "--emit=llvm", "-o", "-"]))
    return build


def build_all(o, compiler, folder, progress):
    wanted = [(w, s, c) for w in o.warp_size for c in o.cpu for s in o.simd]
    builds = [Build(w, s, c, folder, n) for n, (w, s, c) in enumerate(wanted)]
    progress.begin("build", len(builds))
    pool = ThreadPoolExecutor(max_workers=min(o.jobs, len(builds)))
    try:
        futures = [pool.submit(build_one, o, compiler, b) for b in builds]
        for f in as_completed(futures):
            progress.step(f.result().name())
    except KeyboardInterrupt:
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()
    return builds
