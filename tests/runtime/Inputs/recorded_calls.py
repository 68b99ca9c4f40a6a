"""Every function of the API is recorded as a call: its body has RT_CALL, or a macro that has it.

usage: recorded_calls.py CPU-RUNTIME-FOLDER
"""
import glob
import os
import re
import sys

# Texts of errors, and what only the host code of the compiler calls.
NOT = {"cudaGetErrorName", "cudaGetErrorString", "cuGetErrorName", "cuGetErrorString", "cuGetExportTable",
       "__cudaPopCallConfiguration", "__cudaGetKernel", "__cudaLaunchKernel"}


def body_at(text, at):
    depth, end = 1, at
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[at:end]


files = [f for f in glob.glob(os.path.join(sys.argv[1], "*", "*.[ch]"))
         if f.split(os.sep)[-2] not in ("device", "include")]
texts = {f: open(f).read() for f in files}
macros = {}  # file or "" of headers -> macro -> text
for f, text in texts.items():
    for m in re.finditer(r"^#define (\w+)(?:\([^)]*\))?((?:[^\n]*\\\n)*[^\n]*)", text, re.M):
        macros.setdefault(f if f.endswith(".c") else "", {})[m.group(1)] = m.group(2)


def records(body, f):
    known = {**macros[""], **macros.get(f, {})}
    seen, work = set(), [body]
    while work:
        for word in set(re.findall(r"\b[A-Z][A-Z0-9_]+\b", work.pop())) - seen:
            if word == "RT_CALL":
                return True
            seen.add(word)
            if word in known:
                work.append(known[word])
    return False


functions = 0
for f, text in sorted(texts.items()):
    if not f.endswith(".c"):
        continue
    for m in re.finditer(r"^(?:cudaError_t|CUresult) ((?:__)?cu(?:da)?[A-Z]\w*)\([^;{}]*?\)\s*\{", text, re.M):
        functions += 1
        if m.group(1) not in NOT and not records(body_at(text, m.end()), f):
            sys.exit(f"{f}: {m.group(1)} is not recorded: it begins with neither RT_ENTER nor RT_CALL")
print(functions > 600, functions)
