"""facts.py JSON [HTML]: the facts of a report, a line for each source line that has some."""
import json
import re
import sys

data = json.load(open(sys.argv[1]))
print("kernels:", ", ".join(k["title"] for k in data["kernels"]))
for k in data["kernels"]:
    print(f"kernel {k['title']}: {k['width']} lanes")
    for line in sorted(k["lines"], key=lambda x: x["line"]):
        facts = [next((s for s in ("varying", "affine", "uniform") if line[s]), "")]
        facts += [f"{b} branch" for b in ("uniform", "divergent") if line[b + "_branches"]]
        facts += [f"{a['kind']} {a['how']}" + (" masked" if a["masked"] else "") for a in line["accesses"]]
        if line["cycles"] > 0.9 * k["cycles"]:
            facts = ["most of the time"]
        for b in k["barriers"]:
            if b["line"] == line["line"]:
                facts.append("barrier")
        print(f"line {line['line']}:", ", ".join(f for f in facts if f))
    for b in k["barriers"]:
        print(f"line {b['line']}: barrier keeps {b['bytes_per_thread']:g} bytes per thread,",
              f"{b['bytes_per_block']} per block")
    advice = [r["name"] for r in data["remarks"] if r["kernel"] == k["title"] and r["advice"]]
    print(f"advice in {k['title']}:", ", ".join(advice))
    assert all(data["sources"][line["file"]] for line in k["lines"])
if len(sys.argv) > 2:
    page = open(sys.argv[2]).read()
    outside = re.findall(r"(?:src|href)=|url\(|@import|https?://", page)
    inside = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1)
    print("html:", "self-contained," if not outside else f"{outside},", page.count('name="viewport"'), "viewport,",
          "same data" if json.loads(inside) == data else "other data")
