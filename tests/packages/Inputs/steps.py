"""steps.py DOCUMENT FILE: the shell commands of a Dockerfile or workflow in a document, one a line."""
import re
import sys

document, name = sys.argv[1:]
text = open(document).read()
body = re.search(rf"<!-- file: {re.escape(name)} -->\n```\w+\n(.*?)```\n<!-- end -->", text, re.S).group(1)
body = re.sub(r"- run: >-\n((?: {10}.*\n)+)", lambda m: "- run: " + " ".join(m.group(1).split()) + "\n", body)
for line in body.splitlines():
    command = re.match(r"RUN (.*)|      - run: (.*)", line)
    if command:
        print(command.group(1) or command.group(2))
