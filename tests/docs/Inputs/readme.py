"""Takes the README apart: its program, the output of the last command of its session, its links."""
import os
import re
import sys

readme, program, expected = sys.argv[1:]
text = open(readme).read()
source = re.search(r"```cuda\n(.*?)```", text, re.S).group(1)
output = re.search(r"\$ \./saxpy\n(.*?)```", text, re.S).group(1)
open(program, "w").write(source)
open(expected, "w").write(output)
root = os.path.dirname(readme)
names = re.findall(r"\]\(([^):]+)\)", text) + re.findall(r"^\d\. `([^`]+)`", text, re.M)
missing = [n for n in names if not os.path.exists(os.path.join(root, n))]
sys.exit("missing: " + ", ".join(missing) if missing else 0)
