"""page.py: a sweep as one HTML page: no file beside it, nothing from the network."""
from html import escape
import report
import svg

STYLE = """
:root{--ink:#1c2024;--back:#fff;--dim:#5b6472;--grid:#dde1e6;--head:#f3f5f8;
--c0:#2563c4;--c1:#c2570c;--c2:#16834a;--c3:#8b3fb0;--c4:#b3261e;--c5:#5b6472}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ed;--back:#15181c;--dim:#9aa4b1;--grid:#343a42;--head:#20252b;
--c0:#6ea0ee;--c1:#f0914d;--c2:#4fbf84;--c3:#c389e0;--c4:#f0746c;--c5:#9aa4b1}}
body{margin:0 auto;max-width:75rem;padding:1rem;font:15px/1.5 system-ui,sans-serif;color:var(--ink);
background:var(--back)}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}h1,h2,p,li{overflow-wrap:anywhere}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid var(--grid);white-space:nowrap}
th{background:var(--head)}.dim{color:var(--dim)}.bad{color:var(--c4)}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:1rem;margin:1rem 0}
"""
KINDS = [("uniform", ("uniform",)), ("gather", ("gather",)), ("contiguous", ("contiguous",)), ("strided", ("strided",)),
         ("lane by lane", ("lane_by_lane",)), ("other", ("local_array", "scalar", "other"))]


def by_lanes(simd):
    return 1000 if simd == "auto" else int(simd)


def is_shown(result, name, run):
    """Where the warp size makes no difference, plots are of the first one."""
    return name not in result["warp_size_makes_no_difference"] or run["warp_size"] == result["warp_sizes"][0]


def series_of(result, name, value, counted):
    """Categories (--simd, as they come) and a row for each combination of the other settings; what is counted is the
    same for all numbers of threads."""
    runs = [(r, report.kernel_of(r, name)) for r in result["runs"]]
    runs = [(r, k) for r, k in runs if k and is_shown(result, name, r)]
    if counted:
        runs = [(r, k) for r, k in runs if r["threads"] == runs[0][0]["threads"]]
    categories = sorted({r["simd"] for r, _ in runs}, key=by_lanes)
    settings = [s for s in ("warp_size", "cpu", "threads") if len({r[s] for r, _ in runs}) > 1]
    rows = {}
    for r, k in runs:
        title = ", ".join(f"{s.split('_')[0]} {r[s]}" for s in settings) or "time"
        rows.setdefault(title, [None] * len(categories))[categories.index(r["simd"])] = value(r, k)
    return categories, [(t, row) for t, row in rows.items() if any(v is not None for v in row)]


def plots(result, name):
    def times_100(field):
        return lambda r, k: 100 * k[field] if k.get(field) is not None else None
    wanted = [("Time, ms", lambda r, k: k.get("time_ns") and k["time_ns"] / 1e6, "", False),
              ("Active lanes", times_100("efficiency"), "%", True),
              ("Cache lines per access", lambda r, k: k.get("lines_per_access"), "", True)]
    out = []
    for title, value, unit, counted in wanted:
        categories, series = series_of(result, name, value, counted)
        if series:
            out.append(svg.lines(title, categories, series, unit, "--simd"))
    return out + access_plot(result, name)


def access_plot(result, name):
    """Of the first CPU and number of threads; not of width 1, where all accesses are scalar."""
    first, rows, labels = result["runs"][0], [], []
    for r in sorted(result["runs"], key=lambda r: (r["warp_size"], by_lanes(r["simd"]))):
        k = report.kernel_of(r, name)
        alike = r["threads"] == first["threads"] and r["cpu"] == first["cpu"] and is_shown(result, name, r)
        if k and alike and k["width"] > 1 and k.get("accesses"):
            several = name not in result["warp_size_makes_no_difference"] and len(result["warp_sizes"]) > 1
            labels.append(f"{r['warp_size']}/{r['simd']}" if several else r["simd"])
            rows.append([report.access_share(*kinds)(r, k) or 0 for _, kinds in KINDS])
    names = [n for n, _ in KINDS]
    return [svg.shares("Accesses", labels, names, rows, "--simd")] if rows and len(rows) <= 16 else []


def in_cells(drawings):
    return "\n".join(f"<div>{s}</div>" for s in drawings)


def table(result, name, columns):
    head = "".join(f"<th>{escape(c[0])}</th>" for c in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(v)}</td>" for v in row) + "</tr>\n"
                   for row in report.rows_of(result, name, columns))
    return f'<div class="wide"><table><tr>{head}</tr>\n{body}</table></div>'


def page(result):
    columns, same = report.used_columns(result), set(result["warp_size_makes_no_difference"])
    rounds = f"medians of {result['rounds']} runs" if result["rounds"] > 1 else "one run"
    parts = [f"<h1>{escape(result['command'])}</h1>",
             f'<p class="dim">{escape(result["machine"]["cpu"])}, {result["machine"]["cores"]} cores; {rounds}. '
             f'Speed-ups are over <code>--simd=1</code>, or the first variant.</p>']
    parts += [f'<p class="bad">{escape(f)}</p>' for f in report.failures(result)]
    for name, title in report.kernel_names(result):
        parts.append(f"<h2>{escape(title)}</h2>")
        if name in same:
            parts.append("<p>The warp size makes no difference: the code is the same.</p>")
        parts += [f'<div class="plots">{in_cells(plots(result, name))}</div>', table(result, name, columns)]
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>cucpu-sweep: {escape(result['command'])}</title><style>{STYLE}</style></head><body>\n"
            + "\n".join(parts) + "\n</body></html>\n")
