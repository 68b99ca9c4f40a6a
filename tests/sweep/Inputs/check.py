"""check.py JSON CSV HTML: what the files of a sweep hold, a line for each."""
import json
import re
import sys
from html.parser import HTMLParser

result = json.load(open(sys.argv[1]))
kernels = {k["name"] for r in result["runs"] for k in r["kernels"]}
times = {len(k["times_ns"]) for r in result["runs"] for k in r["kernels"]}
same = [k["title"].split("(")[0] for k in result["runs"][0]["kernels"]
        if k["name"] in result["warp_size_makes_no_difference"]]
print(f"json: {len(result['runs'])} runs of {len(kernels)} kernels, {times.pop()} times each, {' '.join(same)}",
      "same code")
print(f"csv: {len(open(sys.argv[2]).readlines())} lines")
page = open(sys.argv[3]).read()


class Balance(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.good = [], True

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        self.good = self.good and self.open and self.open.pop() == tag


balance = Balance()
balance.feed(page)
outside = re.findall(r"(?:src|href)=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)", page)
state = "balanced" if balance.good and not balance.open else f"open: {balance.open}"
print("html:", "self-contained," if not outside else f"refers to {outside},",
      page.count('name="viewport"'), "viewport,", page.count("<svg"), "plots,", state)
