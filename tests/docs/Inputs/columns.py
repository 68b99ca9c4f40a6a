"""columns.py ROOT LIST: lines of more than 120 columns, and torn comments, in the files of LIST (columns.txt)."""
import glob
import os
import re
import sys

WIDTH = 120


def read_list(path):
    """(patterns, patterns that are left out, [(pattern, regular expression)])"""
    wanted, left_out, exceptions = [], [], []
    with open(path) as f:
        for line in f.read().splitlines():
            if line.startswith("except "):
                exceptions.append(tuple(line.split(" ", 2)[1:]))
            elif line.startswith("!"):
                left_out.append(line[1:])
            elif line and not line.startswith("#"):
                wanted.append(line)
    return wanted, left_out, exceptions


def matching(root, patterns):
    found = (glob.glob(p, root_dir=root, recursive=True) for p in patterns)
    return {path for paths in found for path in paths}


def long_lines(root, path, exceptions):
    generated = False
    with open(os.path.join(root, path)) as f:
        for number, line in enumerate(f.read().splitlines(), 1):
            if path.endswith(".md") and re.match(r"<!-- (end|options: end)", line):
                generated = False
            elif path.endswith(".md") and re.match(r"<!-- (?!step)", line):
                generated = True
            allowed = generated or "://" in line or any(re.search(e, line) for e in exceptions)
            if len(line) > WIDTH and not allowed:
                yield f"{path}:{number}: {len(line)} columns"
            if path.endswith((".c", ".h", ".cpp", ".def")) and re.match(r" ?\*\w", line):
                yield f"{path}:{number}: a torn comment"


def main():
    root = sys.argv[1]
    wanted, left_out, exceptions = read_list(sys.argv[2])
    files = sorted(matching(root, wanted) - matching(root, left_out))
    unused = [p for p in wanted + left_out + [p for p, _ in exceptions] if not matching(root, [p])]
    problems = [f"no file: {p}" for p in unused]
    for path in files:
        problems += long_lines(root, path, [e for p, e in exceptions if path in matching(root, [p])])
    print("\n".join(problems + [f"{len(files)} files, {len(problems)} problems"]))
    sys.exit(bool(problems))


main()
