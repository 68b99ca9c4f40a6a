#!/usr/bin/env python3
"""checked.py [--cucpu CUCPU] [--runs N] [--check LIST] program.cu...: what checks cost (docs/checker.md).

Compiles each program without --check, with --check=sync, and with --check=memory for all others, and runs it N times
with each kind of check, in turns, on one thread.
Prints the median CPU time without checks, in seconds, and the medians with each kind as multiples of it."""
import argparse, os, resource, statistics, subprocess, sys, tempfile

KINDS = ["memory", "sync", "init", "race"]


def seconds(program, check):
    environment = dict(os.environ, CUCPU_NUM_THREADS="1", CUCPU_CHECK=check)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program], env=environment, capture_output=True, text=True, errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode or "=========" in done.stdout + done.stderr:
        sys.exit(f"{program} with CUCPU_CHECK={check}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def name_of(source):
    name = os.path.splitext(os.path.basename(source))[0]
    return os.path.basename(os.path.dirname(source)) if name == "main" else name


def measure(options, source, folder):
    programs = {kind: os.path.join(folder, kind) for kind in ["off", "sync", "memory"]}
    for kind, program in programs.items():
        check = [] if kind == "off" else [f"--check={kind}"]
        subprocess.run([options.cucpu, "-O3", *check, source, "-o", program], check=True)
    times = {kind: [] for kind in ["off"] + options.check}
    for _ in range(options.runs):
        for kind in times:
            times[kind].append(seconds(programs.get(kind, programs["memory"]), kind))
    return {kind: statistics.median(t) for kind, t in times.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cucpu", default="build/bin/cucpu")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--check", type=lambda s: s.split(","), default=KINDS)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    ratios = {kind: [] for kind in options.check}
    print("| program | off | " + " | ".join(options.check) + " |\n|---|---" + "|---" * len(options.check) + "|")
    for source in options.programs:
        with tempfile.TemporaryDirectory() as folder:
            t = measure(options, source, folder)
        for kind in options.check:
            ratios[kind].append(t[kind] / t["off"])
        cells = [f"{ratios[kind][-1]:.1f}x" for kind in options.check]
        print(f"| {name_of(source)} | {t['off']:.3f} | " + " | ".join(cells) + " |", flush=True)
    cells = [f"{statistics.median(ratios[kind]):.1f}x" for kind in options.check]
    print("| median | | " + " | ".join(cells) + " |")


main()
