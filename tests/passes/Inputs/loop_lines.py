"""Instructions of loops that have no line: loop_lines.py FILE.s; prints how many, of how many, and the functions.

A loop is what lies between a label and a jump back to it.
"""
import re
import sys

labels, lines, jumps, where = {}, [], [], []  # lines: the source line of each instruction, None = unknown
line, function = None, ""
for text in open(sys.argv[1]):
    label = re.match(r"([.\w$]+):", text)
    loc = re.match(r"\s+\.loc\s+\d+\s+(\d+)", text)
    instruction = re.match(r"\s+([a-z]\w*)\b\s*(.*)", text)
    if label:
        labels[label.group(1)] = len(lines)
        if not label.group(1).startswith(".L"):
            function, line = label.group(1), None
    elif loc:
        line = int(loc.group(1))
    elif instruction:
        if instruction.group(1).startswith("j"):
            jumps.append((len(lines), instruction.group(2).strip()))
        lines.append(line)
        where.append(function)
inside = set()
for at, target in jumps:
    if labels.get(target, at + 1) <= at:
        inside.update(range(labels[target], at + 1))
bad = [i for i in inside if not lines[i]]
print(f"{len(bad)} of {len(inside)}", *sorted({where[i] for i in bad}))
