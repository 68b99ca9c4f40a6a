#!/usr/bin/env python3
# compare.py GPU KNOWN OURS: compares what a program printed on a GPU with what it prints here, line by line.
#
# Every NaN of float and double is the same ("7fffffff(nan)").  A line is found by what stands before its first ": " and
# by how many lines before it begin alike.  KNOWN lists the lines that differ and why: "# reason", then regular
# expressions that match a whole line of the GPU.  A line that differs and is not listed is an error, and so is a listed
# expression with which nothing differs any more.
import re
import sys


def lines_of(path):
    seen, lines = {}, {}
    with open(path, errors="replace") as f:
        for line in f.read().splitlines():
            line = re.sub(r"\b[0-9a-f]+\(nan\)", "nan", line)
            key = line.split(": ", 1)[0]
            seen[key] = seen.get(key, 0) + 1
            lines[key, seen[key]] = line
    return lines


def main():
    gpu, ours = lines_of(sys.argv[1]), lines_of(sys.argv[3])
    with open(sys.argv[2]) as f:
        known = [line for line in f.read().splitlines() if line and not line.startswith("#")]
    used, bad = set(), 0
    for key in list(gpu) + [k for k in ours if k not in gpu]:
        want, got = gpu.get(key, "(no line)"), ours.get(key, "(no line)")
        if want == got:
            continue
        match = [k for k in known if re.fullmatch(k, want if key in gpu else got)]
        used.update(match)
        if not match:
            bad += 1
            print(f"GPU:  {want}\nhere: {got}\n")
    for k in known:
        if k not in used:
            bad += 1
            print(f"nothing differs any more: {k}")
    print(f"{len(gpu)} lines, {bad} wrong, {len(used)} known differences")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
