"""The records of recorded_threads.cu: recorded_threads.py TRACE FOLDER."""
import collections
import json
import os
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
calls = collections.Counter(e["name"] for e in events if e.get("cat") == "runtime API")
assert calls["cudaGetDevice"] == 300 and calls["cudaLaunchKernel"] == 3200, calls
kernels = [e for e in events if e.get("cat") == "kernel"]
assert collections.Counter(k["tid"] for k in kernels).most_common()[-1][1] == 400, "a track per stream"
ranges = [e for e in events if e.get("cat") == "NVTX"]
assert len(ranges) == 3200 and len({r["name"] for r in ranges}) == 400
# The ranges of a thread follow each other, each around one launch.
launches = {e["args"]["correlation"]: e for e in events if e.get("name") == "cudaLaunchKernel"}
threads = collections.defaultdict(list)
for r in ranges:
    threads[r["tid"]].append(r)
for tid, of in threads.items():
    of.sort(key=lambda r: r["ts"])
    assert len(of) == 400 and len({r["name"].split(" of ")[1] for r in of}) == 1, tid
assert all(k["args"]["correlation"] in launches for k in kernels), "each kernel has a launch"
assert sum(e["args"]["blocks"] for e in events if e.get("cat") == "blocks") == 6400
chunks = (os.path.getsize(os.path.join(sys.argv[2], os.listdir(sys.argv[2])[0])) - 4096) >> 16
assert 3 < chunks < 60, chunks
