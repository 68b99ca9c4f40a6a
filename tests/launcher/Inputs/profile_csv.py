"""The CSV of nvprof for profiled.cu: profile_csv.py LOG summary | trace."""
import csv
import sys

lines = [l for l in open(sys.argv[1]) if not l.startswith("==")]
rows = list(csv.reader(lines))
head, units, rows = rows[0], rows[1], rows[2:]
rows = [dict(zip(head, r)) for r in rows if len(r) == len(head)]
if sys.argv[2] == "summary":
    assert head == ["Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max", "Name"], head
    assert units == ["", "%", "ns", "", "ns", "ns", "ns", ""], units
    for part in ("GPU activities", "API calls"):
        of = [r for r in rows if r["Type"] == part]
        assert abs(sum(float(r["Time(%)"]) for r in of) - 100) < 0.01, of
        for r in of:
            time, calls = float(r["Time"]), int(r["Calls"])
            assert float(r["Min"]) <= float(r["Avg"]) <= float(r["Max"]) <= time, r
            assert abs(float(r["Avg"]) * calls - time) <= 1e-3 * time + 1, r
    assert {r["Name"]: r["Calls"] for r in rows}["void scale<float>(float*, int)"] == "3", rows
else:
    assert units[:2] == ["us", "us"], units
    kernels = [r for r in rows if "scale" in r["Name"]]
    assert len(kernels) == 3 and len(rows) == 6, rows
    assert [kernels[0][c] for c in ("Grid X", "Block X", "Static SMem", "Dynamic SMem")] == \
        ["16", "256", "1.000000", "1.000000"], kernels[0]
    ends = 0.0
    for r in rows:  # one stream: one after the other
        assert float(r["Start"]) >= ends - 0.01, rows
        ends = float(r["Start"]) + float(r["Duration"])
    assert abs(float(rows[0]["Size"]) - 1 / 64) < 1e-6, rows[0]
