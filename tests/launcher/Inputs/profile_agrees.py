"""profile_agrees.py FILE.sqlite OUTPUT: what measured.cu printed is what was recorded."""
import sqlite3
import sys

ms, registers, shared, blocks = [float(x) for x in open(sys.argv[2]).read().split()]
rows = sqlite3.connect(sys.argv[1]).execute("""SELECT end - start, registersPerThread, staticSharedMemory
    FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start""").fetchall()
ns, recorded_registers, recorded_shared = rows[1]
assert ns / 1e6 <= ms * 1.001 + 0.001, (ns, ms)  # the events are around the kernel
assert ms - ns / 1e6 < 50 + 0.5 * ms, (ns, ms)  # other programs may run in between
assert (registers, shared) == (recorded_registers, recorded_shared), rows
assert blocks >= 1
