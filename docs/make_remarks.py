#!/usr/bin/env python3
"""Prints docs/remarks.md: the rows of passes/support/{remarks,nyi}.def, with their programs in examples/.

    docs/make_remarks.py > docs/remarks.md
"""
import ast
import os
import re
import textwrap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
EXAMPLES = os.path.join(ROOT, "passes/support/examples")

HEAD = """# Remarks

Made by `docs/make_remarks.py`; edit the tables that it reads.

With `-Rcucpu` the compiler says what it did with each kernel and what costs speed:

```
saxpy.cu:3:1: remark: saxpy: vectorized with 8 lanes; memory: ... [vectorized]
```

A line has the place in the source, the kernel, the text, and the name under which it is found here; of an instruction
the source line follows, with a caret. Advice follows as a note, once for each name. The last remark about a kernel sums
up its lanes, variants and barriers. `--report=html` shows the same along the source ([below](#a-page)). `N` stands for
a number. Words such as lane, width and variant are explained in [concepts.md](concepts.md).

## What was done

"""

PAGE = """## A page

`cucpu --report=html app.cu -o app` writes `app.html` beside `app`: one file, readable on a phone too, that needs no
other. Kernels are sorted by estimated cycles of a thread. Each has what to change first, and its source:

- per line its share of the estimated time, and whether what it computes is the same in all lanes, the lane times a
  constant, or differs between lanes;
- which branches lanes may part by, of the copies that passes have made of them;
- how each access to memory is done: one scalar for all lanes, contiguous, strided, gather or scatter, lane by lane, and
  whether under a mask;
- what each barrier keeps, in bytes per thread and per block;
- the remarks about the line, with advice.

The lines describe the variant for blocks of any size whose rows fill whole groups. Times are estimates: loops of
unknown length count as 16 iterations. `--report=json` writes the same facts as `app.json`; `--report-file=FILE` names
the file. With `-rdc=true` the page is written by the link. Measured counts are those of `--profile=lanes`
([sweep](sweep.md)).
"""

REASONS = """## Reasons

Why a kernel is compiled for a smaller width (a remark), or not at all (an error that begins with `unsupported`).

"""


class Row:
    """name, text, advice, meaning (None: a reason), example (None: no program), why_none"""

    def __init__(self, ident, text, advice, meaning=None):
        self.name = ident.lower().replace("_", "-")
        self.text, self.advice, self.meaning = text, advice, meaning
        self.example = self.why_none = None


STRING = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'


def strings(c):
    return "".join(ast.literal_eval(s) for s in re.findall(r'"(?:[^"\\]|\\.)*"', c))


def table(path, macro, columns):
    with open(os.path.join(ROOT, path)) as f:
        text = f.read()
    rows = re.findall(r"^%s\((\w+),\s*%s\)" % (macro, r",\s*".join([STRING] * columns)), text, re.M)
    if len(rows) != len(re.findall(r"^%s\(" % macro, text, re.M)):
        raise SystemExit(path + ": a row of another form")
    return [[row[0]] + [strings(c) for c in row[1:]] for row in rows]


def read_example(path):
    """options and the text below the first line"""
    with open(path) as f:
        first, text = f.read().split("\n", 1)
    return re.fullmatch(r"// options: ?(.*)", first).group(1), text


def load():
    """remarks and reasons, with their programs"""
    remarks = [Row(i, text, advice, meaning)
               for i, text, meaning, advice in table("passes/support/remarks.def", "REMARK", 3)]
    reasons = [Row(i, text, advice) for i, text, advice in table("passes/support/nyi.def", "NYI", 2)]
    rows = {row.name: row for row in remarks + reasons}
    for name in sorted(os.listdir(EXAMPLES)):
        if name != "none.txt":
            rows[os.path.splitext(name)[0]].example = os.path.join(EXAMPLES, name)
    with open(os.path.join(EXAMPLES, "none.txt")) as f:
        for line in f:
            name, why = line.rstrip("\n").split(": ", 1)
            rows[name].why_none = why
    for row in rows.values():
        if (row.example is None) == (row.why_none is None):
            raise SystemExit(row.name + ": neither a program nor a reason why there is none, or both")
    return remarks, reasons


def marked(text):
    """words of programs and command lines as code"""
    text = re.sub(r"(?<![`\w-])(--?[a-z][\w=-]*|__\w+(?:\(\))?|\w+\(\))", r"`\1`", text)
    return text.replace(".  ", ". ")


def without_arguments(text):
    """what printf's directives stand for"""
    return re.sub(r"%(?:[dul]+|\.0f)", "N", text.replace("%s", "").replace("%c", "x, y or z"))


def wrapped(text, indent=""):
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) + "\n"


def entry(row):
    out = [f"### {row.name}\n", wrapped("> " + marked(without_arguments(row.text)), "> ")]
    if row.meaning:
        out.append(wrapped(marked(row.meaning)))
    if row.advice:
        out.append(wrapped(marked(f"What to do: {row.advice}.")))
    if row.why_none:
        out.append(wrapped(marked(f"No example: {row.why_none}.")))
    else:
        options, text = read_example(row.example)
        language = "ptx" if row.example.endswith(".ptx") else "cuda"
        out.append(f"With `cucpu {(options + ' -Rcucpu').lstrip()}`:\n")
        out.append(f"```{language}\n{text.rstrip()}\n```\n")
    return "\n".join(out)


def main():
    remarks, reasons = load()
    print(HEAD + "\n".join(entry(row) for row in remarks))
    print(REASONS + "\n".join(entry(row) for row in reasons))
    print(PAGE, end="")


if __name__ == "__main__":
    main()
