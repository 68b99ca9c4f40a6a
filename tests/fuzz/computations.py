# computations.py: the computations of which spell.py compares spellings.
#
# Each class is a kind of computation with random parameters.  dimensions: what may be spelled differently; write(w)
# gives the kernel's text to a spelling.Writer.  All numbers are small and whole: results are the same in any order.
from spelling import COMMON, LINE, LOOP, MINMAX, PLANE, SELECT

SCALARS = ["float", "float", "float", "int", "double"]


def filled(count, seed, low, high):
    """What filled() of spell.h gives."""
    s, values = (seed * 2654435761 + 12345) % (1 << 32), []
    for _ in range(count):
        s = (s * 1664525 + 1013904223) % (1 << 32)
        values.append(low + (s >> 8) % (high - low + 1))
    return values


def joined(*groups):
    return {d: choices for g in groups for d, choices in g.items()}


class Computation:
    line = True
    small = False  # a tenth of the elements, for tests
    unordered = False  # the elements of out may have any order
    before = ""  # what the host does before each launch

    def __init__(self, random, small):
        self.random, self.small = random, small
        self.kind = random.choice(SCALARS)
        self.dimensions = joined(COMMON, LINE if self.line else PLANE)
        self.setup()

    # arrays: name -> (type, only read, elements, lowest, highest value)
    def arrays(self, **counts):
        return {a: (self.kind, a != "out", n, -8, 8) for a, n in counts.items()}

    def count(self):
        n = self.random.choice([1 << 16, 1 << 16, 65000, 1 << 17])
        return n // 16 + 5 if self.small else n

    def plane(self):
        h, w = self.random.choice([(256, 256), (256, 512), (250, 300), (128, 1000)])
        return (h // 8, w // 8) if self.small else (h, w)

    def add(self, *groups):
        for g in groups:
            self.dimensions.update(g)


class Map(Computation):
    """out[i] = f(x[i], y[i]), perhaps out[i] too."""

    def setup(self):
        n = self.count()
        self.sizes, self.buffers = {"n": n}, self.arrays(x=n, y=n, out=n)
        self.add(MINMAX, SELECT)
        self.tree = self.make(3)
        self.branch = self.random.random() < 0.4
        if self.branch:
            self.add({"store": ["select", "both sides", "overwrite"]})

    def make(self, depth):
        r = self.random
        if not depth or r.random() < 0.15:
            return r.choice(["x", "y", "x", "y", str(r.randrange(1, 9))])
        op = r.choice(["+", "-", "*", "max", "min", "select", "abs"])
        if op == "select":
            return (op, r.choice(["<", ">", "=="]), *(self.make(depth - 1) for _ in range(4)))
        return (op, *(self.make(depth - 1) for _ in range(1 if op == "abs" else 2)))

    def value(self, w, e, x, y):
        if isinstance(e, str):
            return {"x": x, "y": y}.get(e, f"({self.kind}){e}")
        v = [self.value(w, a, x, y) for a in e[1:] if not (isinstance(a, str) and a in "<>==")]
        if e[0] in ("max", "min"):
            return w.extreme(self.kind, *v, e[0] == "max")
        if e[0] == "abs":
            return w.extreme(self.kind, v[0], f"(-{v[0]})", True)
        if e[0] == "select":
            return w.select(self.kind, f"{v[0]} {e[1]} {v[1]}", v[2], v[3])
        return f"({v[0]} {e[0]} {v[1]})"

    def write(self, w):
        def body():
            x, y = w.temp(self.kind, w.load("x", "i")), w.temp(self.kind, w.load("y", "i"))
            out = w.load("out", "i")
            v = self.value(w, self.tree, x, y)
            form = w.s.get("store", "none")
            if form == "none":
                return w.put(f"{out} = {v};")
            v = w.temp(self.kind, v)
            if form == "select":
                w.put(f"{out} = {x} > {y} ? {v} : {y};")
            elif form == "both sides":
                w.put(f"if ({x} > {y}) {out} = {v};")
                w.put(f"else {out} = {y};")
            else:
                w.put(f"{out} = {y};")
                w.put(f"if ({x} > {y}) {out} = {v};")
        w.elements("n", body)


class Fields(Computation):
    """An array of structures, of two to four fields."""

    def setup(self):
        n, self.fields = self.count() // 2, self.random.randrange(2, 5)
        self.sizes, self.buffers = {"n": n}, self.arrays(x=n * self.fields, out=n * self.fields)
        self.scalar = self.random.random() < 0.4
        self.add({"fields": ["members", "copy", "flat", "vector"]})

    def write(self, w):
        f, form, kind, names = self.fields, w.s["fields"], self.kind, "xyzw"
        record = f"{kind}{f}" if form == "vector" else f"{w.name}_record"
        if form != "flat":
            if form != "vector":
                w.before.append(f"struct {record} {{ {kind} {', '.join(names[:f])}; }};\n")

        def body():
            x, out = w.array("x"), w.array("out")
            if form == "flat":
                v = [w.load("x", f"{f} * i + {k}") for k in range(f)]
                to = [f"{out}[{f} * i + {k}]" for k in range(f)]
            else:
                source = f"((const {record} *){x})[i]"
                v = [f"{source}.{names[k]}" for k in range(f)]
                to = [f"(({record} *){out})[i].{names[k]}" for k in range(f)]
                if form != "members":
                    w.put(f"{record} a = {source};")
                    v = [f"a.{names[k]}" for k in range(f)]
            v = [w.temp(kind, e) for e in v]
            if self.scalar:
                return w.put(f"{out}[i] = {' + '.join(f'{k + 1} * {e}' for k, e in enumerate(v))};")
            values = [f"{v[k]} + {v[(k + 1) % f]} * {k + 2}" for k in range(f)]
            if form in ("flat", "members"):
                for t, e in zip(to, values):
                    w.put(f"{t} = {e};")
            else:
                w.put(f"{record} b;")
                for k, e in enumerate(values):
                    w.put(f"b.{names[k]} = {e};")
                w.put(f"(({record} *){out})[i] = b;")
        w.elements("n", body)


class Neighbours(Computation):
    """A stencil along a line; border elements are clamped, zero or left."""

    def setup(self):
        n, self.radius = self.count(), self.random.randrange(1, 4)
        self.sizes, self.buffers = {"n": n}, self.arrays(x=n, out=n)
        self.border = self.random.choice(["clamp", "zero", "skip"])
        self.weights = [self.random.randrange(-3, 4) or 1 for _ in range(2 * self.radius + 1)]
        if len(set(self.weights)) > 1 and self.random.random() < 0.5:
            self.weights = [self.weights[0]] * len(self.weights)
        self.add(SELECT, LOOP, {"stage": ["direct", "shared"], "taps": ["written", "loop"]})

    def at(self, w, k):
        """Of the direct form: element i + k."""
        e = f"i + {k}"  # not i + (k - r): k may be unsigned
        if self.border == "clamp":
            wide = "long long" if w.index in ("long long", "size_t") else "int"
            j = w.temp(wide, f"({wide})({e})")
            low = w.select(wide, f"{j} < 0", "0", j)
            low = w.temp(wide, low)
            high = f"({wide})n - 1"
            return w.load("x", w.select(wide, f"{low} > {high}", high, low))
        if self.border == "zero":
            wide = "long long" if w.index in ("long long", "size_t") else "int"
            return f"(({wide})({e}) >= 0 && ({wide})({e}) < ({wide})n ? {w.load('x', e)} : ({self.kind})0)"
        return w.load("x", e)

    def write(self, w):
        r, kind = self.radius, self.kind
        if w.s["stage"] == "shared":
            return self.staged(w)

        def sums():
            w.put(f"{kind} sum = 0;")
            if w.s["taps"] == "loop" and len(set(self.weights)) == 1:
                w.loop("k", 2 * r + 1, lambda k: w.put(f"sum += {self.weights[0]} * {self.at(w, f'{k} - {r}')};"))
            else:
                for k, c in enumerate(self.weights):
                    w.put(f"sum += {c} * {self.at(w, k - r)};")
            w.put(f"{w.array('out')}[i] = sum;")

        def body():
            if self.border != "skip":
                return sums()
            w.open(f"if (i >= {r} && i + {r} < n)")
            sums()
            w.close()
        w.elements("n", body)

    def staged(self, w):
        r, kind = self.radius, self.kind
        w.block, w.grid = (256, 1, 1), (-(-self.sizes["n"] // 256), 1)
        w.put(f"__shared__ {kind} s[256 + {2 * r}];")
        w.put(f"int i = {w.position('x')}, first = blockIdx.x * 256 - {r};")
        w.open(f"for (int k = threadIdx.x; k < 256 + {2 * r}; k += 256)")
        w.put("int j = first + k;")
        if self.border == "clamp":
            w.put("s[k] = " + w.load("x", "min(max(j, 0), (int)n - 1)") + ";")
        else:
            w.put(f"s[k] = j >= 0 && j < (int)n ? {w.load('x', 'j')} : ({kind})0;")
        w.close()
        w.put("__syncthreads();")
        w.put("if (i >= n) return;" if self.border != "skip" else f"if (i < {r} || i + {r} >= (int)n) return;")
        w.put(f"{kind} sum = 0;")
        for k, c in enumerate(self.weights):
            w.put(f"sum += {c} * s[threadIdx.x + {k}];")
        w.put(f"{w.array('out')}[i] = sum;")


class Stencil(Computation):
    """Five or nine points in a plane."""
    line = False

    def setup(self):
        h, w = self.plane()
        self.sizes, self.buffers = {"rows": h, "columns": w}, self.arrays(x=h * w, out=h * w)
        self.border = self.random.choice(["clamp", "zero", "skip"])
        self.nine = self.random.random() < 0.4
        self.add(MINMAX, SELECT, {"taps": ["written", "loop"]})

    def at(self, w, dr, dc):
        if self.border == "zero":
            tests = [f"r > {-dr - 1}" if dr < 0 else f"r + {dr} < rows" if dr else "",
                     f"c > {-dc - 1}" if dc < 0 else f"c + {dc} < columns" if dc else ""]
            tests = " && ".join(t for t in tests if t)
            e = w.element("x", f"r + {dr}" if dr > 0 else f"r - {-dr}" if dr else "r",
                          f"c + {dc}" if dc > 0 else f"c - {-dc}" if dc else "c", "columns")
            return f"({tests} ? {e} : ({self.kind})0)" if tests else e
        if self.border == "clamp":
            names = {-1: "up", 0: "r", 1: "down"}, {-1: "left", 0: "c", 1: "right"}
            return w.element("x", names[0][dr], names[1][dc], "columns")
        return w.element("x", f"r + {dr}" if dr > 0 else f"r - {-dr}" if dr else "r",
                         f"c + {dc}" if dc > 0 else f"c - {-dc}" if dc else "c", "columns")

    def write(self, w):
        points = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if self.nine or not dr or not dc]

        def sums():
            if self.border == "clamp":
                for name, v, test, to in [("up", "r", "r > 0", "r - 1"), ("left", "c", "c > 0", "c - 1"),
                                          ("down", "r", "r + 1 < rows", "r + 1"),
                                          ("right", "c", "c + 1 < columns", "c + 1")]:
                    w.put(f"{w.index} {name} = {w.select(w.index, test, to, v)};")
            w.put(f"{self.kind} sum = 0;")
            if w.s["taps"] == "loop" and self.border == "skip" and self.nine:
                w.open("for (int a = -1; a <= 1; a++)")
                w.open("for (int b = -1; b <= 1; b++)")
                w.put(f"sum += {w.element('x', '(r + a)', 'c + b', 'columns')};")
                w.close(), w.close()
            else:
                for p in points:
                    w.put(f"sum += {self.at(w, *p)};")
            w.put(f"{w.place('out', 'r', 'c', 'columns')} = sum - 4 * {w.element('x', 'r', 'c', 'columns')};")

        def body():
            if self.border != "skip":
                return sums()
            w.open("if (r > 0 && c > 0 && r + 1 < rows && c + 1 < columns)")
            sums()
            w.close()
        w.cells("rows", "columns", body)


class Rows(Computation):
    """A thread reduces a row or a column of a matrix, or makes its running sums."""

    def setup(self):
        self.m = self.random.choice([16, 32, 50, 64])
        n = max(256, self.count() // self.m * 4)
        self.across = self.random.random() < 0.6  # neighbouring threads, neighbouring elements
        self.op = self.random.choice(["sum", "dot", "max", "count", "scan"])
        self.sizes = {"n": n, "m": self.m}
        self.buffers = self.arrays(x=n * self.m, v=self.m, out=n * (self.m if self.op == "scan" else 1))
        self.add(LOOP, MINMAX, SELECT, {"walk": ["index", "pointer", "running index"]})

    def write(self, w):
        def body():
            stride, start = ("n", "i") if self.across else ("1", "i * m")
            at, walk = (lambda k: f"{k} * n + i" if self.across else f"i * m + {k}"), w.s["walk"]
            w.put(f"{self.kind} sum = 0;")
            if walk == "pointer":
                w.put(f"const {self.kind} *p = {w.array('x')} + {start};")
            elif walk == "running index":
                w.put(f"{w.index} j = {start};")

            def step(k):
                e = {"index": w.load("x", at(k)), "pointer": "*p", "running index": w.load("x", "j")}[walk]
                e = w.temp(self.kind, e)
                if self.op in ("sum", "scan"):
                    w.put(f"sum += {e};")
                elif self.op == "dot":
                    w.put(f"sum += {e} * {w.load('v', k)};")
                elif self.op == "max":
                    w.put(f"sum = {w.extreme(self.kind, 'sum', e, True)};")
                else:
                    w.put(f"sum += {w.select(self.kind, f'{e} > 0', '1', '0')};")
                if self.op == "scan":
                    w.put(f"{w.array('out')}[{at(k)}] = sum;")
                if walk != "index":
                    w.put(f"{'p' if walk == 'pointer' else 'j'} += {stride};")
            w.loop("k", "m", step, self.m % 2 == 0)
            if self.op != "scan":
                w.put(f"{w.array('out')}[i] = sum;")
        w.elements("n", body)


class Gather(Computation):
    """out[i] = x[index[i]], where the index is none or in range."""

    def setup(self):
        n, m = self.count(), self.random.choice([64, 1000, 4096])
        self.sizes, self.buffers = {"n": n, "m": m}, self.arrays(x=m, y=n, out=n)
        self.low = self.random.choice([0, -20])
        self.buffers["at"] = ("int", True, n, self.low, m - 1)
        self.add(SELECT, {"range": ["one", "two", "unsigned"], "load": ["guarded", "clamped"]})

    def write(self, w):
        def body():
            w.put(f"int j = {w.load('at', 'i')};")
            test = {"one": "j >= 0", "two": "j >= 0 && j < m", "unsigned": "(unsigned)j < m"}[w.s["range"]]
            e = w.load("x", "j")
            if w.s["load"] == "clamped":
                w.put(f"{self.kind} e = {w.load('x', 'j < 0 ? 0 : j')};")
                w.put(f"if (!({test})) e = 0;")
            elif w.s["select"] in ("ternary", "swapped"):
                w.put(f"{self.kind} e = {test} ? {e} : ({self.kind})0;")
            else:
                w.put(f"{self.kind} e = 0;")
                w.put(f"if ({test}) e = {e};")
            w.put(f"{w.array('out')}[i] = e + {w.load('y', 'i')};")
        w.elements("n", body)


class Product(Computation):
    """A small product of matrices."""
    line = False

    def setup(self):
        h, w = self.random.choice([(128, 128), (96, 160), (100, 140)])
        inner = self.random.choice([16, 32, 48])
        if self.small:
            h, w = h // 4, w // 4
        self.sizes = {"rows": h, "columns": w, "m": inner}
        self.buffers = self.arrays(a=h * inner, b=inner * w, out=h * w)
        self.tiles = h % 16 == 0 and w % 16 == 0
        self.add(LOOP, {"walk": ["index", "pointer", "running index"]})
        if self.tiles:
            self.add({"stage": ["direct", "shared"]})

    def write(self, w):
        if w.s.get("stage") == "shared":
            return self.staged(w)

        def body():
            walk = w.s["walk"]
            w.put(f"{self.kind} sum = 0;")
            if walk == "pointer":
                w.put(f"const {self.kind} *at_a = {w.array('a')} + r * m, *at_b = {w.array('b')} + c;")
            elif walk == "running index":
                w.put(f"{w.index} at_a = r * m, at_b = c;")

            def step(k):
                u, v = {"index": (w.element("a", "r", k, "m"), w.element("b", k, "c", "columns")),
                        "pointer": ("*at_a", "*at_b"),
                        "running index": (w.load("a", "at_a"), w.load("b", "at_b"))}[walk]
                w.put(f"sum += {u} * {v};")
                if walk != "index":
                    w.put("at_a++, at_b += columns;")
            w.loop("k", "m", step, True)
            w.put(f"{w.place('out', 'r', 'c', 'columns')} = sum;")
        w.cells("rows", "columns", body)

    def staged(self, w):
        w.block, w.grid = (16, 16, 1), (self.sizes["columns"] // 16, self.sizes["rows"] // 16)
        w.put(f"__shared__ {self.kind} s[16][16], t[16][16];")
        w.put(f"{w.index} c = {w.position('x')};")
        w.put(f"{w.index} r = {w.position('y')};")
        w.put(f"{self.kind} sum = 0;")
        w.open("for (int first = 0; first < m; first += 16)")
        w.put(f"s[threadIdx.y][threadIdx.x] = {w.element('a', 'r', 'first + threadIdx.x', 'm')};")
        w.put(f"t[threadIdx.y][threadIdx.x] = {w.element('b', '(first + threadIdx.y)', 'c', 'columns')};")
        w.put("__syncthreads();")
        w.loop("k", 16, lambda k: w.put(f"sum += s[threadIdx.y][{k}] * t[{k}][threadIdx.x];"), True)
        w.put("__syncthreads();")
        w.close()
        w.put(f"{w.place('out', 'r', 'c', 'columns')} = sum;")


class Pairs(Computation):
    """Each element against all of a table."""

    def setup(self):
        n, self.m = self.count() // 16, self.random.choice([64, 128, 256])
        self.sizes, self.buffers = {"n": n, "m": self.m}, self.arrays(x=n, t=self.m, out=n)
        self.op = self.random.choice(["square", "count", "positive", "nearest"])
        self.add(LOOP, MINMAX, SELECT, {"stage": ["direct", "shared"]})

    def write(self, w):
        kind = self.kind
        if w.s["stage"] == "shared":
            w.put(f"__shared__ {kind} s[{self.m}];")
            flat = "threadIdx.y * blockDim.x + threadIdx.x"
            w.put(f"for (int k = {flat}; k < m; k += blockDim.x * blockDim.y) s[k] = {w.load('t', 'k')};")
            w.put("__syncthreads();")

        def body():
            w.put(f"{kind} x0 = {w.load('x', 'i')}, sum = {100000 if self.op == 'nearest' else 0};")

            def step(k):
                d = w.temp(kind, f"x0 - {f's[{k}]' if w.s['stage'] == 'shared' else w.load('t', k)}")
                if self.op == "square":
                    w.put(f"sum += {d} * {d};")
                elif self.op == "count":
                    w.put(f"sum += {w.select(kind, f'{d} > 0', '1', '0')};")
                elif self.op == "positive":
                    w.put(f"sum += {w.extreme(kind, d, f'({kind})0', True)};")
                else:
                    w.put(f"sum = {w.extreme(kind, 'sum', f'{d} * {d}', False)};")
            w.loop("k", "m", step, True)
            w.put(f"{w.array('out')}[i] = sum;")
        w.elements("n", body)


class Iterate(Computation):
    """A recurrence per thread, of a length that is the same for all or differs."""

    def setup(self):
        n = self.count() // 2
        self.kind = "int" if self.random.random() < 0.5 else "float"
        self.sizes, self.buffers = {"n": n, "m": self.random.choice([8, 20, 32])}, self.arrays(x=n, y=n, out=n)
        self.varies = self.random.random() < 0.6
        self.buffers["at"] = ("int", True, n, 0, self.sizes["m"] - 1)
        self.add(MINMAX, SELECT, {"steps": ["for", "while", "break", "down", "do", "unsigned", "flag"]})

    def write(self, w):
        kind = self.kind

        def step():
            if kind == "int":
                w.put("v = (int)((unsigned)v * 5u + (unsigned)y0);")
                w.put(f"v = {w.select(kind, '(v & 4) != 0', 'v ^ (v >> 3)', 'v + 7')};")
            else:
                w.put("v = v * 2 + y0;")
                w.put(f"v = {w.extreme(kind, w.extreme(kind, 'v', '-100.0f', True), '100.0f', False)};")

        def body():
            w.put(f"{kind} v = {w.load('x', 'i')}, y0 = {w.load('y', 'i')};")
            w.put(f"int last = {w.load('at', 'i') if self.varies else 'm'};")
            form = w.s["steps"]
            heads = {"for": "for (int k = 0; k < last; k++)", "down": "for (int k = last; k > 0; k--)",
                     "unsigned": "for (unsigned k = 0; k < (unsigned)last; k++)", "while": "while (last > 0)",
                     "break": "for (int k = 0;; k++)", "do": "if (last > 0) do", "flag": "while (more)"}
            if form == "do":
                w.put("int k = 0;")
            elif form == "flag":
                w.put("int k = 0;")
                w.put("bool more = last > 0;")
            w.open(heads[form])
            if form == "break":
                w.put("if (k >= last) break;")
            step()
            if form == "while":
                w.put("last--;")
            elif form == "flag":
                w.put("if (++k >= last) more = false;")
            w.close("} while (++k < last);" if form == "do" else "}")
            w.put(f"{w.array('out')}[i] = v;")
        w.elements("n", body)


class Transpose(Computation):
    """Rows become columns, directly or by tiles."""
    line = False

    def setup(self):
        h, w = self.random.choice([(256, 256), (128, 512), (96, 160)])
        self.sizes, self.buffers = {"rows": h, "columns": w}, self.arrays(x=h * w, out=h * w)
        self.add({"stage": ["direct", "tile 16", "tile 32x8"], "side": ["read", "write"], "pad": ["1", "0"]})

    def write(self, w):
        if w.s["stage"] != "direct":
            return self.staged(w, *((16, 16) if w.s["stage"] == "tile 16" else (32, 8)))
        if w.s["side"] == "read":
            return w.cells("rows", "columns", lambda: w.put(
                f"{w.place('out', 'c', 'r', 'rows')} = {w.element('x', 'r', 'c', 'columns')};"))
        w.cells("columns", "rows", lambda: w.put(
            f"{w.place('out', 'r', 'c', 'rows')} = {w.element('x', 'c', 'r', 'columns')};"))

    def staged(self, w, x, y):
        w.block, w.grid = (x, y, 1), (self.sizes["columns"] // x, self.sizes["rows"] // x)
        w.put(f"__shared__ {self.kind} s[{x}][{x + int(w.s['pad'])}];")
        w.put(f"{w.index} c = blockIdx.x * {x} + threadIdx.x, r = blockIdx.y * {x} + threadIdx.y;")
        w.open(f"for (int k = 0; k < {x}; k += {y})")
        w.put(f"s[threadIdx.y + k][threadIdx.x] = {w.element('x', '(r + k)', 'c', 'columns')};")
        w.close()
        w.put("__syncthreads();")
        w.put(f"c = blockIdx.y * {x} + threadIdx.x, r = blockIdx.x * {x} + threadIdx.y;")
        w.open(f"for (int k = 0; k < {x}; k += {y})")
        w.put(f"{w.place('out', '(r + k)', 'c', 'rows')} = s[threadIdx.x][threadIdx.y + k];")
        w.close()


class Tree(Computation):
    """The sum or the maximum of each block of 256."""

    def setup(self):
        n = 256 * (self.count() // 256)
        self.sizes, self.buffers = {"n": n}, self.arrays(x=n, out=n // 256)
        self.largest = self.random.random() < 0.3
        self.add(MINMAX, {"tree": ["halves", "doubles", "warps", "halves by division"]})
        for d in ("threads", "coarsen", "guard", "item"):
            del self.dimensions[d]

    def write(self, w):
        kind, form = self.kind, w.s["tree"]
        w.block, w.grid = (256, 1, 1), (self.sizes["n"] // 256, 1)
        def both(a, b): return w.extreme(kind, a, b, True) if self.largest else f"{a} + {b}"
        w.put(f"__shared__ {kind} s[256];")
        w.put("int t = threadIdx.x;")
        w.put(f"{w.index} i = {w.position('x')};")
        w.put(f"s[t] = i < n ? {w.load('x', 'i')} : ({kind})0;")
        w.put("__syncthreads();")
        if form in ("halves", "halves by division", "doubles"):
            w.open({"halves": "for (int k = 128; k > 0; k >>= 1)", "doubles": "for (int k = 1; k < 256; k *= 2)",
                    "halves by division": "for (unsigned k = blockDim.x / 2; k > 0; k /= 2)"}[form])
            w.open("if (t % (2 * k) == 0)" if form == "doubles" else "if (t < k)")
            w.put(f"s[t] = {both('s[t]', 's[t + k]')};")
            w.close()
            w.put("__syncthreads();")
            w.close()
        elif form == "warps":
            w.put(f"{kind} v = s[t];")
            w.open("for (int k = 16; k > 0; k >>= 1)")
            w.put(f"{kind} o = __shfl_down_sync(~0u, v, k);")
            w.put(f"v = {both('v', 'o')};")
            w.close()
            w.put("__syncthreads();")
            w.put("if (t % 32 == 0) s[t / 32] = v;")
            w.put("__syncthreads();")
            w.open("for (int k = 1; k < 8 && t == 0; k++)")
            w.put(f"s[0] = {both('s[0]', 's[k]')};")
            w.close()
        w.put(f"if (t == 0) {w.array('out')}[blockIdx.x] = s[0];")


class Table(Computation):
    """A small table: local, constant, shared or global memory."""

    def setup(self):
        n = self.count()
        self.sizes = {"n": n}
        self.buffers = self.arrays(y=n, t=16, out=n)
        self.buffers["at"] = ("int", True, n, -100, 1000)
        self.add({"stage": ["global", "shared", "local"], "bits": ["and", "remainder"]})

    def write(self, w):
        if w.s["stage"] == "shared":
            w.put(f"__shared__ {self.kind} s[16];")
            w.put("int own = threadIdx.y * blockDim.x + threadIdx.x;")
            w.put(f"if (own < 16) s[own] = {w.load('t', 'own')};")
            w.put("__syncthreads();")
        elif w.s["stage"] == "local":
            w.put(f"const {self.kind} s[16] = {{ {', '.join(map(str, filled(16, 2, -8, 8)))} }};")

        def body():
            j = f"{w.load('at', 'i')} & 15" if w.s["bits"] == "and" else f"(unsigned){w.load('at', 'i')} % 16"
            e = w.load("t", j) if w.s["stage"] == "global" else f"s[{j}]"
            w.put(f"{w.array('out')}[i] = {e} * {w.load('y', 'i')};")
        w.elements("n", body)


class Sum(Computation):
    """The sum, or the maximum, of all elements."""

    def setup(self):
        self.kind = self.random.choice(["int", "float"])
        n = self.count()
        self.sizes, self.buffers = {"n": n}, self.arrays(x=n, out=1)
        forms = ["tree", "tree of two", "shuffle", "grid tree", "grid shuffle"]
        if self.kind == "int":  # atomics of floats have an order
            forms += ["atomic", "grid atomic", "shared atomic"]
        self.add({"form": forms})
        for d in ("threads", "coarsen", "guard", "item"):
            del self.dimensions[d]

    def element(self, w, at):
        return f"({at} < n ? {w.load('x', at)} : ({self.kind})0)"

    def write(self, w):
        form, kind, n, out = w.s["form"], self.kind, self.sizes["n"], w.array("out")
        per = 512 if form == "tree of two" else 256
        w.block, w.grid = (256, 1, 1), (24 if form.startswith("grid") else -(-n // per), 1)
        w.put("int t = threadIdx.x;")
        if form.startswith("grid"):
            w.put(f"{kind} v = 0;")
            step = f"({w.index})gridDim.x * blockDim.x"
            w.put(f"for ({w.index} i = {w.position('x')}; i < n; i += {step}) v += {w.load('x', 'i')};")
        elif form == "tree of two":
            w.put(f"{w.index} i = ({w.index})blockIdx.x * 512 + t;")
            w.put(f"{kind} v = {self.element(w, 'i')} + {self.element(w, '(i + 256)')};")
        else:
            w.put(f"{w.index} i = {w.position('x')};")
            w.put(f"{kind} v = {self.element(w, 'i')};")
        if form.endswith("shuffle"):
            w.put("for (int k = 16; k > 0; k >>= 1) v += __shfl_down_sync(~0u, v, k);")
            return w.put(f"if (t % 32 == 0) atomicAdd({out}, v);")
        if form in ("atomic", "grid atomic"):
            return w.put(f"atomicAdd({out}, v);")
        if form == "shared atomic":
            w.put(f"__shared__ {kind} s;")
            w.put("if (t == 0) s = 0;")
            w.put("__syncthreads();")
            w.put("atomicAdd(&s, v);")
            w.put("__syncthreads();")
            return w.put(f"if (t == 0) atomicAdd({out}, s);")
        w.put(f"__shared__ {kind} s[256];")
        w.put("s[t] = v;")
        w.put("__syncthreads();")
        w.open("for (int k = 128; k > 0; k >>= 1)")
        w.put("if (t < k) s[t] += s[t + k];")
        w.put("__syncthreads();")
        w.close()
        w.put(f"if (t == 0) atomicAdd({out}, s[0]);")


class Histogram(Computation):
    """Counts of keys, in global memory or by blocks; all threads reach the barriers."""

    def setup(self):
        self.kind, self.bins = "int", self.random.choice([16, 64, 256])
        n = self.count()
        self.sizes, self.buffers = {"n": n}, self.arrays(out=self.bins)
        self.buffers["x"] = ("int", True, n, 0, self.random.choice([self.bins - 1, 9]))
        self.add({"stage": ["global", "shared", "shared, one each"], "guard": ["if", "else"]})

    def write(self, w):
        shared = w.s["stage"] != "global"
        if shared:
            flat = "threadIdx.y * blockDim.x + threadIdx.x"
            w.put(f"__shared__ int s[{self.bins}];")
            w.put(f"for (int b = {flat}; b < {self.bins}; b += blockDim.x * blockDim.y) s[b] = 0;")
            w.put("__syncthreads();")
        counts = "s" if shared else w.array("out")
        w.elements("n", lambda: w.put(f"atomicAdd(&{counts}[{w.load('x', 'i')}], 1);"))
        if not shared:
            return
        w.put("__syncthreads();")
        add = f"if (s[b]) atomicAdd(&{w.array('out')}[b], s[b]);" if w.s["stage"] == "shared" else \
            f"atomicAdd(&{w.array('out')}[b], s[b]);"
        w.put(f"for (int b = {flat}; b < {self.bins}; b += blockDim.x * blockDim.y) {add}")


class Count(Computation):
    """How many elements are above a limit."""

    def setup(self):
        n = self.count()
        self.sizes, self.buffers = {"n": n}, self.arrays(x=n)
        self.buffers["out"] = ("int", False, 1, 0, 0)
        self.limit = self.random.choice([-9, 0, 6])
        self.add({"form": ["atomic", "ballot", "block", "aggregated", "shuffle", "grid atomic", "grid ballot"]})
        for d in ("threads", "coarsen", "guard", "item"):
            del self.dimensions[d]

    def write(self, w):
        form, out = w.s["form"], w.array("out")
        w.block, w.grid = (256, 1, 1), (24 if form.startswith("grid") else -(-self.sizes["n"] // 256), 1)
        w.put("int t = threadIdx.x;")
        test = f"{w.load('x', 'i')} > {self.limit}"
        if form.startswith("grid"):
            step = f"({w.index})gridDim.x * blockDim.x"
            if form == "grid atomic":
                w.put(f"for ({w.index} i = {w.position('x')}; i < n; i += {step}) if ({test}) atomicAdd({out}, 1);")
                return
            w.put("int v = 0;")
            w.open(f"for ({w.index} i = {w.position('x')}; i - t % 32 < n; i += {step})")
            w.put(f"v += __popc(__ballot_sync(~0u, i < n && {test}));")
            w.close()
            return w.put(f"if (t % 32 == 0) atomicAdd({out}, v);")
        w.put(f"{w.index} i = {w.position('x')};")
        w.put(f"bool p = i < n && {test};")
        if form == "atomic":
            w.put(f"if (p) atomicAdd({out}, 1);")
        elif form == "ballot":
            w.put("unsigned m = __ballot_sync(~0u, p);")
            w.put(f"if (t % 32 == 0) atomicAdd({out}, __popc(m));")
        elif form == "block":
            w.put("int v = __syncthreads_count(p);")
            w.put(f"if (t == 0) atomicAdd({out}, v);")
        elif form == "aggregated":
            w.put("if (!p) return;")
            w.put("unsigned m = __activemask();")
            w.put(f"if (t % 32 == __ffs(m) - 1) atomicAdd({out}, __popc(m));")
        else:
            w.put("int v = p;")
            w.put("for (int k = 16; k > 0; k >>= 1) v += __shfl_xor_sync(~0u, v, k);")
            w.put(f"if (t % 32 == 0) atomicAdd({out}, v);")


class Compact(Computation):
    """The elements above a limit, in any order; out[0] counts them."""
    unordered, before = True, "out[0] = 0;"

    def setup(self):
        n = self.count()
        self.sizes, self.buffers = {"n": n}, self.arrays(x=n, out=n + 1)
        self.kind = "int"
        self.buffers = {a: ("int", *rest) for a, (_, *rest) in self.buffers.items()}
        self.limit = self.random.choice([-9, 0, 6])
        self.add({"form": ["atomic", "leader", "first lane", "lane 0", "group", "shared", "warps", "grid atomic"],
                  "below": ["shift", "complement", "register"]})
        for d in ("threads", "coarsen", "guard", "item"):
            del self.dimensions[d]

    def write(self, w):
        form, out = w.s["form"], w.array("out")
        below = {"shift": "(1u << lane) - 1", "complement": "~(~0u << lane)", "register": "below"}[w.s["below"]]
        w.block, w.grid = (256, 1, 1), (24 if form == "grid atomic" else -(-self.sizes["n"] // 256), 1)
        test = f"{w.load('x', 'i')} > {self.limit}"
        if form == "grid atomic":
            w.open(f"for ({w.index} i = {w.position('x')}; i < n; i += ({w.index})gridDim.x * blockDim.x)")
            w.put(f"if ({test}) {out}[1 + atomicAdd({out}, 1)] = {w.load('x', 'i')};")
            return w.close()
        w.put("int lane = threadIdx.x & 31, at = 0;")
        w.put(f"{w.index} i = {w.position('x')};")
        if w.s["below"] == "register" and form not in ("atomic", "group", "shared"):
            w.put("unsigned below;")
            w.put("asm(\"mov.u32 %0, %%lanemask_lt;\" : \"=r\"(below));")
        if form in ("atomic", "leader", "group"):
            w.put(f"if (i >= n || !({test})) return;")
            if form == "atomic":
                w.put(f"at = atomicAdd({out}, 1);")
            elif form == "leader":
                w.put("unsigned m = __activemask();")
                w.put("int leader = __ffs(m) - 1;")
                w.put(f"if (lane == leader) at = atomicAdd({out}, __popc(m));")
                w.put(f"at = __shfl_sync(m, at, leader) + __popc(m & ({below}));")
            else:
                w.put("auto group = cooperative_groups::coalesced_threads();")
                w.put(f"if (group.thread_rank() == 0) at = atomicAdd({out}, group.size());")
                w.put("at = group.shfl(at, 0) + group.thread_rank();")
            return w.put(f"{out}[1 + at] = {w.load('x', 'i')};")
        w.put(f"int v = i < n ? {w.load('x', 'i')} : -100;")
        w.put(f"bool p = v > {self.limit};")
        if form == "shared":
            w.put("__shared__ int own, first;")
            w.put("if (threadIdx.x == 0) own = 0;")
            w.put("__syncthreads();")
            w.put("if (p) at = atomicAdd(&own, 1);")
            w.put("__syncthreads();")
            w.put(f"if (threadIdx.x == 0) first = atomicAdd({out}, own);")
            w.put("__syncthreads();")
            return w.put(f"if (p) {out}[1 + first + at] = v;")
        w.put("unsigned m = __ballot_sync(~0u, p);")
        if form == "warps":
            w.put("__shared__ int of_warp[8];")
            w.put("if (lane == 0) of_warp[threadIdx.x / 32] = __popc(m);")
            w.put("__syncthreads();")
            w.open("if (threadIdx.x == 0)")
            w.put("int sum = 0;")
            w.put("for (int k = 0; k < 8; k++) { int c = of_warp[k]; of_warp[k] = sum; sum += c; }")
            w.put(f"int first = atomicAdd({out}, sum);")
            w.put("for (int k = 0; k < 8; k++) of_warp[k] += first;")
            w.close()
            w.put("__syncthreads();")
            return w.put(f"if (p) {out}[1 + of_warp[threadIdx.x / 32] + __popc(m & ({below}))] = v;")
        if form == "lane 0":
            w.put(f"if (lane == 0) at = atomicAdd({out}, __popc(m));")
            w.put("at = __shfl_sync(~0u, at, 0);")
        else:
            w.put("int one = __ffs(m) - 1;")
            w.put(f"if (lane == one) at = atomicAdd({out}, __popc(m));")
            w.put("at = __shfl_sync(~0u, at, one);")
        w.put(f"if (p) {out}[1 + at + __popc(m & ({below}))] = v;")


KINDS = [Map, Fields, Neighbours, Stencil, Rows, Gather, Product, Pairs, Iterate, Transpose, Tree, Table, Sum,
         Histogram, Count, Compact]
