"""svg.py: small plots as SVG text, without a library: lines over categories, and stacked shares.  Colours are CSS
variables of the page where it has them (--c0 ... --c5, --ink, --grid), else fixed."""
from html import escape

COLOURS = ["#2563c4", "#c2570c", "#16834a", "#8b3fb0", "#b3261e", "#5b6472"]
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 30, 40


def colour(n):
    return f"var(--c{n % 6}, {COLOURS[n % 6]})"


def text(x, y, s, anchor="middle", size=11, ink="var(--ink, #222)"):
    where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"'
    return f'<text {where} fill="{ink}">{escape(str(s))}</text>'


def nice_top(v):
    """The next of 1, 2, 2.5, 5 times a power of ten."""
    power = 1.0
    while power * 10 <= v:
        power *= 10
    while power > v > 0:
        power /= 10
    return next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= v * 0.999)


def frame(title, categories, top, width, height, unit, x_title):
    """The parts all plots share, and functions for x of a category and y of a value."""
    w, h = width - LEFT - RIGHT, height - TOP - BOTTOM

    def x_of(i):
        return LEFT + w * (i + 0.5) / max(len(categories), 1)

    def y_of(v):
        return TOP + h * (1 - v / top)
    parts = [text(LEFT, 16, title, "start", 13)]
    for i in range(5):
        v = top * i / 4
        parts.append(f'<line x1="{LEFT}" x2="{width - RIGHT}" y1="{y_of(v):.1f}" y2="{y_of(v):.1f}" '
                     f'stroke="var(--grid, #ddd)"/>')
        parts.append(text(LEFT - 6, y_of(v) + 4, f"{v:g}{unit}", "end", 10))
    parts += [text(x_of(i), height - BOTTOM + 16, c, size=10) for i, c in enumerate(categories)]
    parts.append(text(LEFT + w / 2, height - 6, x_title, size=10))
    return parts, x_of, y_of


def wrap(parts, width, height, title):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
            f'font-family="sans-serif" style="max-width:{width}px;width:100%"><title>{escape(title)}</title>\n'
            + "\n".join(parts) + "\n</svg>")


def legend(names, width):
    """From the right end of the first row, the names with their colours."""
    parts, x = [], width - RIGHT
    for n, name in reversed(list(enumerate(names))):
        x -= 6.6 * len(name) + 18
        parts.append(f'<rect x="{x:.1f}" y="8" width="10" height="10" fill="{colour(n)}"/>')
        parts.append(text(x + 14, 17, name, "start", 11))
    return parts


def lines(title, categories, series, unit="", x_title="lanes", width=560, height=260):
    """series: [(name, [value or None for each category])]"""
    values = [v for _, row in series for v in row if v is not None]
    top = nice_top(max(values)) if values and max(values) > 0 else 1
    parts, x_of, y_of = frame(title, categories, top, width, height, unit, x_title)
    for n, (name, row) in enumerate(series):
        points = [(x_of(i), y_of(v), v) for i, v in enumerate(row) if v is not None]
        path = " ".join(f"{x_of(i):.1f},{y_of(v):.1f}" for i, v in enumerate(row)
                        if v is not None and categories[i] != "auto")
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour(n)}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour(n)}"><title>{escape(name)}: {v:.4g}{unit}'
                  f'</title></circle>' for x, y, v in points]
    return wrap(parts + (legend([s[0] for s in series], width) if len(series) > 1 else []), width, height, title)


def shares(title, categories, names, rows, x_title="lanes", width=560, height=260):
    """A bar for each category: parts of 100 %, in the order of names."""
    parts, x_of, y_of = frame(title, categories, 100, width, height, "%", x_title)
    bar = (width - LEFT - RIGHT) / max(len(categories), 1) * 0.6
    for i, row in enumerate(rows):
        low = 0.0
        for n, v in enumerate(row):
            high = low + 100 * v
            if v > 0:
                parts.append(f'<rect x="{x_of(i) - bar / 2:.1f}" y="{y_of(high):.1f}" width="{bar:.1f}" '
                             f'height="{y_of(low) - y_of(high):.1f}" fill="{colour(n)}"><title>{escape(names[n])}: '
                             f'{100 * v:.1f}%</title></rect>')
            low = high
    return wrap(parts + legend(names, width), width, height, title)
