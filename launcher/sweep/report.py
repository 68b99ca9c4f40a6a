"""report.py: the figures of a sweep as a table, as CSV and as JSON."""
import csv as csv_module
import io
import json
import os
import platform


def cpu_name():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":", 1)[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def new_result(o):
    return {"version": 1, "command": " ".join(o.cucpu + (["--"] + o.arguments if o.arguments else [])),
            "machine": {"cpu": cpu_name(), "cores": os.cpu_count()}, "rounds": 0, "runs": [],
            "warp_sizes": [int(w) for w in o.warp_size], "counts": not o.no_counts,
            "warp_size_makes_no_difference": []}


def kernel_names(result):
    """(name, title), by time in the first run that has it, longest first."""
    found = {}
    for r in result["runs"]:
        for k in r["kernels"]:
            found.setdefault(k["name"], (k.get("time_ns") or 0, k["title"]))
    return [(n, t) for n, (_, t) in sorted(found.items(), key=lambda x: (-x[1][0], x[0]))]


def kernel_of(run, name):
    return next((k for k in run["kernels"] if k["name"] == name), None)


def finish(result):
    """Speed-ups over the first run with --simd=1 of the same threads, or over the first run."""
    for name, _ in kernel_names(result):
        timed = [(r, kernel_of(r, name)) for r in result["runs"]]
        timed = [(r, k) for r, k in timed if k and k.get("time_ns")]
        for r, k in timed:
            alike = [b for q, b in timed if q["threads"] == r["threads"] and q["simd"] == "1"] or [b for _, b in timed]
            k["speedup"] = alike[0]["time_ns"] / k["time_ns"]


def failures(result):
    """A line for each variant, and one if all have the same."""
    out, said = [], {(r["state"], r["message"]) for r in result["runs"]}
    if len(result["runs"]) > 1 and len(said) == 1 and result["runs"][0]["state"] != "ok":
        return ["every variant: {}: {}".format(*said.pop())]
    for r in result["runs"]:
        if r["state"] != "ok":
            where = f"--warp-size={r['warp_size']} --simd={r['simd']} --cpu={r['cpu']} threads={r['threads']}"
            text = f"{where}: {r['state']}: {r['message']}"
            if text not in out:
                out.append(text)
    return out


# ---- columns: title, value of (run, kernel), format ----

def share(part, whole):
    return lambda r, k: k[part] / k[whole] if k.get(whole) else None


def access_share(*kinds):
    def value(_, k):
        total = sum(a["count"] for a in k.get("accesses", {}).values())
        return sum(k["accesses"].get(kind, {"count": 0})["count"] for kind in kinds) / total if total else None
    return value


def rate(field):
    """A sum of what all launches do, in a nanosecond: GFLOP/s, GB/s."""
    def value(_, k):
        return sum(k[field].values()) / k["time_ns"] if k.get(field) and k.get("time_ns") else None
    return value


def percent(v):
    return f"{100 * v:.1f}%"


COLUMNS = [
    ("warp", lambda r, k: r["warp_size"], str), ("simd", lambda r, k: r["simd"], str),
    ("cpu", lambda r, k: r["cpu"], str), ("threads", lambda r, k: r["threads"], str),
    ("width", lambda r, k: k["width"], str),
    ("time ms", lambda r, k: k.get("time_ns") and k["time_ns"] / 1e6, "{:.3f}".format),
    ("speed-up", lambda r, k: k.get("speedup"), "{:.2f}".format),
    ("active", lambda r, k: k.get("efficiency"), percent),
    ("div. branches", share("divergent_branches", "branches"), percent),
    ("div. loops", share("divergent_loop_tests", "loop_tests"), percent),
    ("uniform", access_share("uniform"), percent), ("contiguous", access_share("contiguous"), percent),
    ("gather", access_share("gather"), percent),
    ("lines/access", lambda r, k: k.get("lines_per_access"), "{:.2f}".format),
    ("GFLOP/s", rate("flops"), "{:.2f}".format), ("GB/s", rate("bytes"), "{:.2f}".format),
    ("roof", lambda r, k: k.get("roof"), percent),
    ("frame bytes", lambda r, k: k["frame_bytes"], str), ("stack", lambda r, k: k["stack_accesses"], str),
    ("state", lambda r, k: r["state"], str),
]


def used_columns(result):
    """Without those that say the same of all runs, or nothing."""
    cells = [(r, k) for r in result["runs"] for k in r["kernels"]]
    settings = {"cpu", "threads", "warp", "state"}
    out = []
    for c in COLUMNS:
        values = {str(c[1](r, k)) for r, k in cells}
        if values == {"None"} or (c[0] in settings and len(values) < 2):
            continue
        out.append(c)
    return out


def cell(column, run, kernel):
    value = column[1](run, kernel)
    return "-" if value is None else column[2](value)


def rows_of(result, name, columns):
    return [[cell(c, r, k) for c in columns] for r in result["runs"] for k in [kernel_of(r, name)] if k]


def notes(result):
    same = set(result["warp_size_makes_no_difference"])
    return [f"{title}: the warp size makes no difference, its code is the same" for name, title in kernel_names(result)
            if name in same]


def table(result):
    columns, out = used_columns(result), []
    for name, title in kernel_names(result):
        rows = [[c[0] for c in columns]] + rows_of(result, name, columns)
        widths = [max(len(row[i]) for row in rows) for i in range(len(columns))]
        out.append(title)
        out += ["  " + "  ".join(v.rjust(w) for v, w in zip(row, widths)) for row in rows] + [""]
    return "\n".join(out + notes(result)) + "\n"


# ---- files ----

def raw(column, run, kernel):
    value = column[1](run, kernel)
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else value


def csv(result):
    text = io.StringIO()
    writer = csv_module.writer(text, lineterminator="\n")
    writer.writerow(["kernel"] + [c[0] for c in COLUMNS] + ["message"])
    for name, title in kernel_names(result):
        for r in result["runs"]:
            k = kernel_of(r, name)
            if k:
                writer.writerow([title] + [raw(c, r, k) for c in COLUMNS] + [r["message"]])
    for r in result["runs"]:
        if not r["kernels"]:
            fields = {"warp": r["warp_size"], "simd": r["simd"], "cpu": r["cpu"], "threads": r["threads"],
                      "state": r["state"]}
            writer.writerow([""] + [fields.get(c[0], "") for c in COLUMNS] + [r["message"]])
    return text.getvalue()


def json_text(result):
    return json.dumps(result, indent=1) + "\n"
