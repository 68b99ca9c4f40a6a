"""split.py FILE DIR: writes each part of FILE that begins with "--- name" and ends at the next CHECK line to DIR/name.

The lines of a part keep their numbers from 1."""
import os
import sys

text, directory = open(sys.argv[1]).read(), sys.argv[2]
for part in text.split("\n--- ")[1:]:
    name, body = part.split("\n", 1)
    lines = body.split("\nCHECK:")[0]
    with open(os.path.join(directory, name), "w") as f:
        f.write(lines + "\n")
