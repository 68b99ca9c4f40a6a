"""counts.py FILE WIDTH: what the file of CUCPU_PROFILE counts at this width, a line for each place of the program;
copies of it (versions, unrolled iterations) are added up."""
import collections
import json
import sys

profile, width = json.load(open(sys.argv[1])), int(sys.argv[2])
titles = {k["name"]: k["title"].split("(")[0] for k in profile["kernels"]}
sums = collections.OrderedDict()
for p in profile["places"]:
    assert p["width"] == width, p
    s = sums.setdefault((titles[p["kernel"]], p["kind"], p["line"], p.get("access")), [0, 0])
    size = p.get("operations", 1)
    s[0] += size * p["count"]
    s[1] += size * p.get("active", p.get("divergent", p.get("lines", 0)))
KINDS = ["branch", "loop", "block", "access"]
ordered = sorted(sums.items(), key=lambda x: (x[0][0], x[0][2], KINDS.index(x[0][1])))
for (kernel, kind, line, access), (count, second) in ordered:
    where = f"{kernel} {kind} line {line}:"
    if kind == "block":
        print(where, f"{second / (count * width):.3f}")
    elif kind == "access":
        print(where, f"{access}, {count} by groups, {second / count:.2f} lines")
    else:
        share = f"{second}/{count}"
        for quarter in range(1, 4):
            if 4 * second == quarter * count:
                share = f"{quarter}/4"
        print(where, "all diverge" if second == count else "none diverges" if not second else f"{share} diverge")
for k in profile["kernels"]:
    for row in k["lanes"]:
        print(titles[k["name"]], "work:", row["flops"], row["bytes"])
