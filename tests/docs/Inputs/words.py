"""words.py ROOT LIST: private words in the files that LIST names (words.txt says how)."""
import glob
import os
import re
import sys


def read_list(path):
    """({folder: files with patterns}, [(folder or "", regular expression, term)], [(pattern, regular expression)])"""
    folders, words, exceptions = {}, [], []
    with open(path) as f:
        for number, line in enumerate(f.read().splitlines(), 1):
            kind, _, rest = line.partition(" ")
            if kind == "folder":
                name, pattern = rest.split(" ", 1)
                folders.setdefault(name, []).append(pattern)
            elif kind in ("word", "only"):
                name, text = rest.split(" ", 1) if kind == "only" else ("", rest)
                regex, term = text.rsplit(" -> ", 1)
                words.append((name, re.compile(regex), term))
            elif kind == "except":
                exceptions.append(tuple(rest.split(" ", 1)))
            elif line and not line.startswith("#"):
                sys.exit(f"{path}:{number}: not a rule")
    return folders, words, exceptions


def matching(root, patterns):
    found = {path for p in patterns if not p.startswith("!") for path in glob.glob(p, root_dir=root, recursive=True)}
    return found - {path for p in patterns if p.startswith("!") for path in glob.glob(p[1:], root_dir=root)}


def text_of(path, exceptions):
    """The file without what generates parts of it and without exceptions, with as many lines."""
    with open(path) as f:
        text = f.read()
    blank = lambda m: re.sub(r"[^\n]", " ", m.group(0))
    if path.endswith(".md"):
        text = re.sub(r"^<!-- (?!step).*?^<!-- (?:options: )?end.*?-->$", blank, text, flags=re.M | re.S)
    for regex in exceptions:
        line = regex + ".*" if regex.startswith("^") else regex
        text = re.sub(line, blank, text, flags=re.M)
    return text


def problems(root, path, words, exceptions):
    text = text_of(os.path.join(root, path), [e for p, e in exceptions if path in matching(root, [p])])
    for regex, term in words:
        # a word may go on in the next line
        for m in re.finditer(regex.pattern.replace(" ", r"\s+(?:\*\* )?"), text):
            found = re.sub(r"\s+", " ", m.group(0))
            yield f"{path}:{text[:m.start()].count(chr(10)) + 1}: '{found}': {term}"


def main():
    root = sys.argv[1]
    folders, words, exceptions = read_list(sys.argv[2])
    found, count = [], 0
    for folder, patterns in folders.items():
        for path in sorted(matching(root, patterns)):
            count += 1
            found += problems(root, path, [(r, t) for name, r, t in words if name in ("", folder)], exceptions)
    print("\n".join(found + [f"{count} files, {len(found)} words"]))
    sys.exit(bool(found))


main()
