"""Does what docs/add-a-pass.md says, literally, in a copy of the source tree.

follow_doc.py DOC TREE.  <!-- step: FILE --> : the next code block is FILE.
<!-- step: FILE after TEXT --> : the next code block goes behind the line of FILE that contains TEXT."""
import os
import re
import sys

doc, tree = sys.argv[1:]
with open(doc) as f:
    steps = re.findall(r"^<!-- step: (\S+)(?: after (.*?))? -->\n```\w*\n(.*?)^```$", f.read(), re.M | re.S)
if len(steps) < 3:
    sys.exit("steps are missing in " + doc)
for name, after, code in steps:
    path = os.path.join(tree, name)
    if not after:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(code)
        continue
    with open(path) as f:
        lines = f.read().splitlines(keepends=True)
    at = [i for i, line in enumerate(lines) if after in line]
    if len(at) != 1:
        sys.exit(f"{name}: {len(at)} lines contain '{after}'")
    lines.insert(at[0] + 1, code)
    with open(path, "w") as f:
        f.write("".join(lines))
