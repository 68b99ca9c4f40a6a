"""The experiments of papers, a module each: `run.py --paper NAME` measures one and prints its tables.

A module (its name is that of the paper with _ for -) has
    HEADING                  the heading of its section in docs/papers.md
    measure(opt, directory)  builds below `directory` and measures: a record of JSON types; raises Failed where a
                             program could not be built, failed, or gave another result
    render(record)           the section as Markdown: a list of lines, our figures beside the published ones, and a
                             reason for each figure of ours that is below what the paper leads one to expect
`--record` keeps the record in NAME.json here and writes docs/papers.md, which docs/make_papers.py makes of all records.
"""
import importlib
import json
import os
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
DOCUMENT = os.path.join(HERE, "..", "..", "..", "docs", "papers.md")
NAMES = ["karrenberg-hack", "moll", "sampaio", "if-select", "bulavintsev"]  # the sections, in their order
WIDTH = 120
NO_REASON = "(no reason)"

HEAD = """# Papers

The experiments of the papers whose techniques the passes are made of, on the machine and with the compiler that each
section names. Made by `docs/make_papers.py` of the figures in `tests/bench/papers`; `tests/bench/run.py --paper NAME
--record` measures those of one paper again, `--paper all --record` all of them."""


class Failed(Exception):
    """A program of the experiment could not be built, failed, or gave another result."""


def module(name):
    return importlib.import_module("papers." + name.replace("-", "_"))


def wrapped(text, indent=""):
    """Lines of prose; `indent` is that of the second and later lines."""
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def number(value):
    return "-" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def table(head, rows):
    """A table of Markdown; cells are texts, or figures (None: there is none)."""
    lines = [head, ["---"] * len(head)] + [[c if isinstance(c, str) else number(c) for c in row] for row in rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def reasons(below, texts):
    """A sentence for each name in `below`, from `texts` by name."""
    return [line for name in below for line in wrapped(f"- {name}: {texts.get(name, NO_REASON)}", "  ")]


def note(text):
    """Progress, beside the tables."""
    print(text, file=sys.stderr, flush=True)


def record_path(name):
    return os.path.join(HERE, name.replace("-", "_") + ".json")


def section(name, record):
    m = module(name)
    lines = ["## " + m.HEADING, ""] + wrapped(
        f"`tests/bench/run.py --paper {name}`, {record['settings']}, on {record['machine']}, cucpu {record['commit']}.")
    return lines + [""] + m.render(record["figures"])


def document():
    """docs/papers.md: the sections of papers that have a record."""
    lines = HEAD.splitlines()
    for name in NAMES:
        if os.path.exists(record_path(name)):
            with open(record_path(name)) as f: lines += [""] + section(name, json.load(f))
    return "\n".join(lines) + "\n"


def run_one(opt, name, directory):
    import document as about  # of docs/performance.md: it knows the machine and the commit
    record = {"machine": about.machine(), "commit": about.commit(),
              "settings": getattr(module(name), "SETTINGS", f"medians of {opt.rounds} runs"),
              "figures": module(name).measure(opt, directory)}
    print("\n".join(section(name, record)), flush=True)
    if opt.record:
        with open(record_path(name), "w") as f: f.write(json.dumps(record, indent=1) + "\n")
        with open(DOCUMENT, "w") as f: f.write(document())


def run(opt, directory):
    """Measures and prints; 1 where a paper failed."""
    failed = 0
    for name in NAMES if opt.paper == "all" else [opt.paper]:
        try: run_one(opt, name, directory)
        except Failed as e:
            print(f"{name}: {e}", file=sys.stderr)
            failed = 1
    return failed
