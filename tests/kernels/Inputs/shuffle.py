#!/usr/bin/env python3
"""shuffle.py: CUCPU_SCHED=shuffle:<seed> must not change what a program without races prints.

in:  programs (.cu), compiled with --shuffle once per width; out: nothing, or the seeds under which the exit status or
the lines on standard output (in any order: printf of threads) differ from those in the natural order.
Programs that end with an error on purpose are compared like the others."""
import argparse
import os
import subprocess
import sys
import tempfile


def run(program, seed, threads):
    env = {k: v for k, v in os.environ.items() if not k.startswith("CUCPU_")}
    env["CUCPU_NUM_THREADS"] = str(threads)
    if seed:
        env["CUCPU_SCHED"] = f"shuffle:{seed}"
    r = subprocess.run([program], env=env, capture_output=True, timeout=120)
    return r.returncode, sorted(r.stdout.splitlines())


def compile_program(cucpu, source, width, out):
    flags = ["--shuffle"] if width == "auto" else ["--shuffle", f"--simd={width}"]
    r = subprocess.run([cucpu, *flags, source, "-o", out], capture_output=True, text=True)
    return None if r.returncode == 0 else r.stderr[:400]


def check(args, source, width, out):
    error = compile_program(args.cucpu, source, width, out)
    if error:
        return [f"does not compile: {error}"]
    want = run(out, 0, args.threads)
    first, last = (int(s) for s in args.seeds.split(".."))
    wrong = [s for s in range(first, last + 1) if run(out, s, args.threads) != want]
    return [f"seed {s}: other output" for s in wrong]


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--cucpu", required=True)
    p.add_argument("--seeds", default="1..3", help="A..B")
    p.add_argument("--width", default="auto", help="comma list")
    p.add_argument("--threads", type=int, default=2, help="workers")
    p.add_argument("sources", nargs="+")
    args = p.parse_args()
    failures = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        for source in args.sources:
            for width in args.width.split(","):
                for line in check(args, source, width, os.path.join(folder, "program")):
                    print(f"{source} (width {width}): {line}", flush=True)
                    failures += 1
                runs += 1
    print(f"{runs} programs, seeds {args.seeds}: {failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
