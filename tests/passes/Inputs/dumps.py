"""Keeps the dumps and tables in docs/ that are made from the compiler itself.

dumps.py DOC COMPILER SOURCE_ROOT prints DOC as it should be; with --update as the last argument it
writes it.  In the document
    <!-- dump: PASSES VARIANT [FROM] -->   is followed by the IR of that variant after these passes,
                                           from the block FROM on
    <!-- source: FILE -->                  is followed by the file
    <!-- names -->                         is followed by the table of passes/ir/names.def
    <!-- optional -->                      is followed by the table of passes/optional.def
    <!-- forms -->                         is followed by the table of passes/ir/forms.def
    <!-- variant -->                       is followed by the table of passes/ir/variant.def
    <!-- passes -->                        is followed by the table of passes/passes.def
    <!-- stage: FIRST LAST -->             is followed by the list of the passes from FIRST to LAST
    <!-- workarounds -->                   is followed by that of the files it includes, and of workarounds.def
each up to the next line that is <!-- end -->.
"""
import os
import re
import subprocess
import sys

KERNEL = "tests/passes/Inputs/mirror.ll"


def run(compiler, root, passes):
    command = [compiler, "--passes=" + passes, "--simd=4", "--cpu=x86-64-v3", os.path.join(root, KERNEL)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def function(text, name):
    found = re.search(r"^define [^\n]*@" + re.escape(name) + r"\(.*?^}$", text, re.M | re.S)
    if not found:
        sys.exit("no function " + name)
    # attribute groups and the lists of predecessors say nothing here
    lines = [re.sub(r" +; preds = .*", "", line) for line in found.group(0).split("\n")]
    return [re.sub(r" #\d+( \{)?$", r"\1", line) for line in lines]


def dump(compiler, root, passes, name, start=None):
    lines = function(run(compiler, root, passes), name)
    if start:
        lines = [lines[0], "  ..."] + lines[lines.index(start + ":"):]
    return ["```llvm"] + lines + ["```"]


def names(root):
    types = {"v": "", "b": "i1", "i": "i32", "l": "i64", "f": "float", "p": "ptr"}
    effects = {"N": "", "C": "convergent", "M": "memory", "X": "ends the thread"}
    rows = ["| function | result | operands | effects | is |", "|---|---|---|---|---|"]
    with open(os.path.join(root, "passes/ir/names.def")) as f:
        for row in re.findall(r'^NAME\(\w+, *"([^"]+)", *(\w), *"(\w*)", *(\w),\s*"([^"]*)"\)', f.read(), re.M):
            name, result, args, effect, what = row
            operands = ", ".join(types[a] for a in args)
            rows.append(f"| `{name}` | {types[result]} | {operands} | {effects[effect]} | {what} |")
    return rows


def optional(root):
    with open(os.path.join(root, "passes/optional.def")) as f:
        rows = re.findall(r'^OPTIONAL\((\w+), *"([^"]*)"\)', f.read(), re.M)
    return ["| `--disable=` | what is on without it |", "|---|---|"] + [f"| `{name}` | {what} |" for name, what in rows]


def forms(root):
    with open(os.path.join(root, "passes/ir/forms.def")) as f:
        rows = re.findall(r'^FORM\((\w+),\s*(\w+),\s*"([^"]*)"\)', f.read(), re.M)
    checked = {"KERNEL": "each kernel", "MODULE": "the module", "NONE": "the order only"}
    lines = [f"| `{name}` | {checked[how]} | {what} |" for name, how, what in rows]
    return ["| form | checked on | means |", "|---|---|---|"] + lines


def variant(root):
    rows = re.findall(r'^VARIANT\((\w+), (\w+), "([^"]*)", "([^"]*)"\)', read(root, "passes/ir/variant.def"), re.M)
    text = {"INT": "an integer", "OPTION": "an integer above 0", "THREE": '`"x,y,z"`', "FLAG": "none", "TEXT": "a name"}
    lines = [f"| `cucpu.{name}` | {text[kind]} | `{by}` | {what} |" for kind, name, by, what in rows]
    return ["| attribute | value | decided by | means |", "|---|---|---|---|"] + lines


def pass_rows(text):
    forms = r"\s*([\w| ]+),"
    row = r'^(?:MODULE|KERNEL)_PASS\((\w+),\s*"([^"]*)",' + 3 * forms + r'\s*((?:"[^"]*"\s*)+)\)'
    return re.findall(row, text, re.M)


def read(root, path):
    with open(os.path.join(root, path)) as f:
        return f.read()


def pass_table(rows):
    out = ["| pass | does | requires | gives | loses | order |", "|---|---|---|---|---|---|"]
    for name, what, *sets, order in rows:
        order = "".join(re.findall(r'"([^"]*)"', order))
        cells = ["" if s.strip() == "0" else ", ".join(f"`{x.strip()}`" for x in s.split("|")) for s in sets]
        out.append(f"| `{name}` | {what} | " + " | ".join(cells) + f" | {order} |")
    return out


def passes(root):
    return pass_table(pass_rows(read(root, "passes/passes.def")))


def in_order(root, path="passes/passes.def"):
    rows = []
    for part in re.split(r'^(#include "[^"]*")', read(root, path), flags=re.M):
        included = re.match(r'#include "([^"]*)"', part)
        rows += in_order(root, included.group(1)) if included else pass_rows(part)
    return rows


def stage(root, first, last):
    rows = in_order(root)
    names = [row[0] for row in rows]
    return [f"- `{name}`: {what}" for name, what, *_ in rows[names.index(first):names.index(last) + 1]]


def workarounds(root):
    included = re.findall(r'^#include "([^"]*)"', read(root, "passes/passes.def"), re.M)
    rows = [row for path in included for row in pass_rows(read(root, path))]
    row = r'^WORKAROUND\((\w+), (\d+), (\d+), "([^"]*)", "([^"]*)",\s*((?:"[^"]*"\s*)+)\)'
    found = re.findall(row, read(root, "passes/emit/llvm22/workarounds.def"), re.M)
    head = ["", "| workaround | LLVM | upstream | reproducer | what LLVM does wrong |", "|---|---|---|---|---|"]
    out = pass_table(rows) + head
    for name, first, last, upstream, test, what in found:
        what = "".join(re.findall(r'"([^"]*)"', what))
        versions = f"{first} and later" if last == "0" else first if first == last else f"{first} to {last}"
        issue = re.sub(r"^llvm/llvm-project#(\d+)$", r"[#\1](https://github.com/llvm/llvm-project/issues/\1)", upstream)
        out.append(f"| `{name}` | {versions} | {issue} | `{test}` | {what} |")
    return out


def made(line, compiler, root):
    words = line[len("<!-- "):-len(" -->")].split()
    if words[0] == "dump:":
        return dump(compiler, root, *words[1:])
    if words[0] == "stage:":
        return stage(root, *words[1:])
    if words[0] == "source:":
        with open(os.path.join(root, words[1])) as f:
            return ["```llvm"] + f.read().rstrip().split("\n") + ["```"]
    tables = {"optional": optional, "names": names, "forms": forms, "variant": variant, "passes": passes,
              "workarounds": workarounds}
    return tables[words[0]](root)


def main():
    path, compiler, root = sys.argv[1:4]
    out, skip = [], False
    with open(path) as f:
        lines = f.read().split("\n")
    for line in lines:
        if line == "<!-- end -->":
            skip = False
        if not skip:
            out.append(line)
        if re.match(r"<!-- (dump:|stage:|source:|names|optional|forms|variant|passes|workarounds)", line):
            out += made(line, compiler, root)
            skip = True
    text = "\n".join(out)
    if sys.argv[4:] == ["--update"]:
        with open(path, "w") as f:
            f.write(text)
    else:
        sys.stdout.write(text)


main()
