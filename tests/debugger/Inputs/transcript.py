"""transcript.py GDB COMMANDS PROGRAM: what a session of gdb prints, with its commands; addresses are (address)."""
import re
import subprocess
import sys

gdb, commands, program = sys.argv[1:]
script = []
for line in open(commands):
    hidden = line.startswith(("set style", "set width", "set confirm", "set print repeats"))
    script += ([] if hidden else [f"echo (gdb) {line.strip()}\\n"]) + [line.strip()]
args = [a for c in script for a in ("-ex", c)]
text = subprocess.run([gdb, "-q", "-batch", "-iex", "set breakpoint pending on"] + args + [program],
                      capture_output=True, text=True).stdout
for line in text.splitlines():
    if not re.match(r"\[(New )?Thread|\[Switching|Using host|$", line) and "libthread_db" not in line:
        print(re.sub(r"0x[0-9a-f]+", "(address)", line))
