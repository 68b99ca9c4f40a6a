"""Checks the links of all Markdown files below some folders: files exist, and so do headings that are named after #."""
import os
import re
import sys


def headings(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in re.findall(r"^#+ +(.*)$", text, re.M)}


def documents(folders):
    for folder in folders:
        for place, _, names in os.walk(folder):
            yield from (os.path.join(place, n) for n in names if n.endswith(".md"))


def problems(path):
    text = open(path).read()
    for link in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'<(?:img|a)\b[^>]*\b(?:src|href)="([^"]+)"', text):
        file, _, heading = link.partition("#")
        target = os.path.join(os.path.dirname(path), file) if file else path
        if ":" in link:
            continue
        if not os.path.exists(target):
            yield f"{path}: no file {link}"
        elif heading and heading not in headings(open(target).read()):
            yield f"{path}: no heading {link}"


found, count = [], 0
for document in documents(sys.argv[1:]):
    count += 1
    found += problems(document)
print("\n".join(found + [f"{count} documents, {len(found)} dead links"]))
sys.exit(bool(found) or count < 10)
