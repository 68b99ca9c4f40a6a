"""The trace of trace_file.cu: trace_file.py FILE [whole | part]."""
import json
import sys

events = json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"]
part = sys.argv[2:] == ["part"]


def of(category):
    return [e for e in events if e.get("cat") == category]


def names(category):
    return [e["name"] for e in of(category)]


calls = names("runtime API")
assert part == ("cudaMalloc" not in calls), calls
assert part == ("cudaMemset" not in calls) and "cudaMemsetAsync" not in calls, calls
assert calls.count("cudaLaunchKernel") == 3 and "cudaStreamCreate" in calls, calls
assert "cudaMemcpy" not in calls, "cudaProfilerStop"
kernels = of("kernel")
assert [k["name"] for k in kernels] == ["add(float*, int)"] * 2, kernels
assert kernels[0]["tid"] == 7 != kernels[1]["tid"] and kernels[0]["args"]["grid"] == [16, 1, 1], kernels
assert sum(b["args"]["blocks"] for b in of("blocks")) == 32, of("blocks")
assert names("memcpy") == ["[CUDA memcpy DtoH]"] and of("memcpy")[0]["args"]["bytes"] == 16384
assert names("memset") == ([] if part else ["[CUDA memset]"])
assert names("host") == ["[host function]"]
refused = of("refused launch")
assert [r["args"]["result"] for r in refused] == [9] and refused[0]["args"]["block"] == [2000, 1, 1], refused
assert [e["args"]["result"] for e in of("runtime API") if e["name"] == "cudaLaunchKernel"] == [0, 0, 9]
ranges = {(e["ph"], e["name"]): e for e in of("NVTX")}
expected = {("X", "inner"), ("i", "m\u00e4rk"), ("b", "span"), ("e", "span")}
outer = ("X", 'all of "it"??')
assert expected <= set(ranges) <= expected | {outer}, ranges.keys()
assert part or outer in ranges, ranges.keys()
assert ranges[("X", "inner")]["args"]["domain"] == "domain"
# What a call has caused begins after the call; the kernel of the range lies in it.
begin = {e["id"]: e["ts"] for e in events if e["ph"] == "s"}
for e in events:
    if e["ph"] == "f":
        assert e["ts"] >= begin[e["id"]], e
inner = ranges[("X", "inner")]
assert inner["ts"] <= kernels[0]["ts"] and kernels[0]["ts"] + kernels[0]["dur"] <= inner["ts"] + inner["dur"] + 0.001
tracks = {e["args"]["name"] for e in events if e["ph"] == "M"}
assert {"threads", "streams", "workers", "default stream 7", "worker 0"} <= tracks, tracks
