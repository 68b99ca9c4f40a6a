"""Checks the #includes of the source tree ROOT against the order in the file LAYERS."""
import fnmatch
import os
import re
import sys

PARTS = ["passes", "ptx-frontend", "cpu-runtime", "launcher"]
SOURCES = {"", ".c", ".cpp", ".cu", ".def", ".h", ".hpp", ".inc", ".tcc"}
SEARCHED = ["", "cpu-runtime", "cpu-runtime/include"]  # of -I, below the root


def read_layers(path):
    layers, exceptions = {}, {}
    for number, line in enumerate(open(path), 1):
        kind, _, rest = line.strip().partition(" ")
        if kind == "layer":
            left, _, right = rest.partition("->")
            name, *patterns = left.split()
            known = list(layers)
            unknown = [x for x in right.replace("..", " ").split() if x not in layers]
            if unknown:
                sys.exit(f"{path}:{number}: {name} may only include what stands above it, not {', '.join(unknown)}")
            ranges = [(x.split("..") * 2)[:2] for x in right.split()]
            below = {y for first, last in ranges for y in known[known.index(first) : known.index(last) + 1]}
            layers[name] = patterns, {name, *below}
        elif kind == "except":
            file, header, *reason = rest.split()
            if not reason:
                sys.exit(f"{path}:{number}: an exception without a reason")
            exceptions[file, header] = number
        elif kind and not kind.startswith("#"):
            sys.exit(f"{path}:{number}: neither layer nor except")
    return layers, exceptions


def layer_of(layers, file):
    return next((n for n, (patterns, _) in layers.items() if any(fnmatch.fnmatchcase(file, p) for p in patterns)), None)


def sources(root):
    for part in PARTS:
        for place, folders, names in os.walk(os.path.join(root, part)):
            folders.sort()
            for name in sorted(names):
                if os.path.splitext(name)[1] in SOURCES:
                    yield os.path.relpath(os.path.join(place, name), root)


def includes(root, file):
    """(line, path below the root) of headers that are ours."""
    text = open(os.path.join(root, file), errors="replace").read()
    for m in re.finditer(r'^[ \t]*#[ \t]*include(?:_next)?[ \t]*(["<])([^">]+)[">]', text, re.M):
        folders = ([os.path.dirname(file)] if m[1] == '"' else []) + SEARCHED
        paths = [os.path.join(f, m[2]) for f in folders]
        found = [os.path.normpath(p) for p in paths if os.path.isfile(os.path.join(root, p))]
        if found:
            yield text.count("\n", 0, m.start()) + 1, found[0]


def main(root, path):
    layers, exceptions = read_layers(path)
    unused, bad, arrows = dict(exceptions), 0, 0
    for file in sources(root):
        layer = layer_of(layers, file)
        for line, header in includes(root, file):
            arrows += 1
            to = layer_of(layers, header)
            if layer and to in layers[layer][1]:
                continue
            unused.pop((file, header), None)
            if (file, header) in exceptions:
                continue
            print(f"{file}:{line}: {layer or 'no layer'} must not include {to or 'no layer'}: {header}")
            bad += 1
    for (file, header), number in unused.items():
        print(f"{path}:{number}: no longer needed: {file} {header}")
    print(f"{arrows} includes, {bad} against the order, {len(unused)} exceptions without need")
    return bool(bad or unused)


sys.exit(main(*sys.argv[1:]))
