"""show_coverage.py program source: what llvm-cov shows of a run that has left program.profraw."""
import subprocess
import sys

program, source = sys.argv[1:]
data = program + ".profdata"
subprocess.run(["llvm-profdata", "merge", program + ".profraw", "-o", data], check=True)
subprocess.run(["llvm-cov", "show", program, "-instr-profile=" + data, source], check=True)
