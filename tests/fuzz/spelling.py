# spelling.py: the ways in which spell.py spells one computation in CUDA C++.
#
# A spelling is a choice for each dimension (DIMENSIONS and those of a computation): the type of indices, how a thread
# finds its element, guards, loop forms, parameters.  Writer turns a spelling into text; what the kernel computes does
# not depend on it.  The first choice of each dimension is the plainest: the shrinker prefers it.

LINE = {
    "threads": ["256", "64", "128", "1000", "16x16", "32x8", "10x10", "grid 2-d", "grid stride", "grid stride break"],
    "coarsen": ["1", "2 neighbours", "4 neighbours", "16 neighbours", "4 minimum", "4 break", "2 strided", "4 strided"],
    "guard": ["if", "return", "negated", "else"],
}
PLANE = {
    "threads": ["32x8", "16x16", "10x10", "24x8", "64x4", "256x1", "16x4x4", "quotient", "difference", "linear 16x16",
                "grid stride", "row per block"],
    "coarsen": ["1", "2 rows", "4 rows", "2 strided", "4 strided"],
    "guard": ["and", "nested", "return", "returns", "bitand"],
    "element": ["product", "row pointer", "column pointer"],
}
COMMON = {
    "index": ["int", "unsigned", "long long", "size_t"],
    "origin": ["builtin", "literal", "base", "shift", "reversed"],
    "sizes": ["argument", "unsigned", "wide", "constant", "template", "structure"],
    "pointers": ["const", "plain", "restrict", "structure", "ldg"],
    "item": ["inline", "lambda"],
}
LOOP = {
    "loop": ["for", "while", "do", "unsigned", "wide", "left", "two"],
    "unroll": ["", "#pragma unroll", "#pragma unroll 4", "#pragma unroll 1"],
}
MINMAX = {"minmax": ["function", "ternary", "if", "not"]}
SELECT = {"select": ["ternary", "if", "else", "swapped"]}


class Writer:
    """The text of one kernel.  sizes: name -> value; arrays: name -> (type, whether it is only read)."""

    def __init__(self, name, spelling, sizes, arrays, line=True):
        self.name, self.s, self.sizes, self.arrays = name, spelling, sizes, arrays
        self.lines, self.temps, self.indent, self.before = [], 0, 1, []
        self.grid = self.block = None
        self.line = line

    # ---- statements

    def put(self, text):
        self.lines.append("    " * self.indent + text)

    def open(self, text):
        self.put(text + " {")
        self.indent += 1

    def close(self, text="}"):
        self.indent -= 1
        self.put(text)

    def temp(self, kind, value):
        self.temps += 1
        self.put(f"{kind} t{self.temps} = {value};")
        return f"t{self.temps}"

    @property
    def index(self):
        return self.s["index"]

    # ---- arrays

    def array(self, a):
        return f"g.{a}" if self.s["pointers"] == "structure" else a

    def load(self, a, at):
        if self.s["pointers"] == "ldg" and self.arrays[a][1]:
            return f"__ldg(&{a}[{at}])"
        return f"{self.array(a)}[{at}]"

    def place(self, a, r, c, columns):
        form, a = self.s.get("element", "product"), self.array(a)
        if form == "row pointer":
            return f"({a} + ({r}) * {columns})[{c}]"
        if form == "column pointer":
            return f"({a} + ({c}))[({r}) * {columns}]"
        return f"{a}[({r}) * {columns} + {c}]"

    def element(self, a, r, c, columns):
        place = self.place(a, r, c, columns)
        return f"__ldg(&{place})" if self.s["pointers"] == "ldg" and self.arrays[a][1] else place

    # ---- operations

    def extreme(self, kind, a, b, largest):
        form, sign = self.s["minmax"], ">" if largest else "<"
        if form == "function":
            f = {"float": "fmaxf" if largest else "fminf", "double": "fmax" if largest else "fmin",
                 "int": "max" if largest else "min"}[kind]
            return f"{f}({a}, {b})"
        if form == "if":
            t = self.temp(kind, a)
            self.put(f"if ({b} {sign} {t}) {t} = {b};")
            return t
        x, y = self.temp(kind, a), self.temp(kind, b)
        return f"({x} {sign} {y} ? {x} : {y})" if form == "ternary" else f"(!({x} {sign} {y}) ? {y} : {x})"

    def select(self, kind, condition, a, b):
        form = self.s["select"]
        if form == "ternary":
            return f"({condition} ? {a} : {b})"
        if form == "swapped":
            return f"(!({condition}) ? {b} : {a})"
        self.temps += 1
        t = f"t{self.temps}"
        if form == "if":
            self.put(f"{kind} {t} = {b};")
            self.put(f"if ({condition}) {t} = {a};")
        else:
            self.put(f"{kind} {t};")
            self.put(f"if ({condition}) {t} = {a};")
            self.put(f"else {t} = {b};")
        return t

    def loop(self, k, count, body, even=False):
        """body(k) for k = 0 .. count - 1, of which there is at least one."""
        form = self.s["loop"]
        if self.s["unroll"]:
            self.put(self.s["unroll"])
        kind = {"unsigned": "unsigned", "wide": "long long"}.get(form, "int")
        if form == "while":
            self.lines.insert(len(self.lines) - bool(self.s["unroll"]), "    " * self.indent + f"int {k} = 0;")
            self.open(f"while ({k} < {count})")
        elif form == "do":
            self.lines.insert(len(self.lines) - bool(self.s["unroll"]), "    " * self.indent + f"int {k} = 0;")
            self.open("do")
        elif form == "left":
            self.open(f"for (int {k} = 0, left = {count}; left > 0; left--, {k}++)")
        elif form == "two" and even:
            self.open(f"for (int {k} = 0; {k} < {count}; {k} += 2)")
        else:
            self.open(f"for ({kind} {k} = 0; {k} < {count}; {k}++)")
        body(k)
        if form == "two" and even:
            body(f"({k} + 1)")
        if form == "while":
            self.put(f"{k}++;")
        self.close(f"}} while (++{k} < {count});" if form == "do" else "}")

    # ---- which elements a thread has

    def position(self, axis, bits=None):
        """blockIdx * blockDim + threadIdx along an axis, of a block of known size."""
        form, size = self.s["origin"], self.block["xyz".index(axis)]
        wide = f"({self.index})" if self.index in ("long long", "size_t") else ""
        block, thread = f"{wide}blockIdx.{axis}", f"threadIdx.{axis}"
        if form == "literal":
            return f"{block} * {size} + {thread}"
        if form == "shift" and size & (size - 1) == 0:
            return f"({block} << {size.bit_length() - 1}) + {thread}"
        if form == "reversed":
            return f"{thread} + blockDim.{axis} * {block}"
        if form == "base":
            return f"{self.temp(self.index, f'{block} * blockDim.{axis}')} + {thread}"
        return f"{block} * blockDim.{axis} + {thread}"

    def guarded(self, conditions, body, leave):
        form, all_ = self.s["guard"], " && ".join(conditions)
        if not conditions:
            return body()
        if form in ("return", "returns", "negated"):
            if form == "returns":
                for c in conditions:
                    self.put(f"if (!({c})) {leave};")
            else:
                inverse = " || ".join(c.replace(" < ", " >= ") for c in conditions)
                self.put(f"if ({inverse if form == 'return' else f'!({all_})'}) {leave};")
            return body()
        opened = 1
        if form == "nested":
            opened = len(conditions)
            for c in conditions:
                self.open(f"if ({c})")
        elif form == "bitand":
            self.open("if (" + " & ".join(f"({c})" for c in conditions) + ")")
        elif form == "else":
            self.put(f"if (!({all_})) {{")
            self.open("} else")
        else:
            self.open(f"if ({all_})")
        body()
        for _ in range(opened):
            self.close()

    def item(self, names, body, conditions, leave):
        """The element of one thread: in place, or in a lambda."""
        if self.s["item"] == "lambda":
            arguments = ", ".join(f"{self.index} {n}_" for n in names)
            self.open(f"auto item = [&]({arguments})")
            for n in names:
                self.put(f"const {self.index} {n} = {n}_;")
            self.guarded(conditions, body, "return")
            self.close("};")
            self.put(f"item({', '.join(names)});")
        else:
            self.guarded(conditions, body, leave)

    def elements(self, n, body):
        """body() for each i < n."""
        threads, (factor, how) = self.s["threads"], (self.s["coarsen"].split() + [""])[:2]
        k, count = int(factor), self.sizes[n]
        if threads.startswith("grid stride"):
            return self.strides(n, body, threads.endswith("break"))
        x, y = ([int(t) for t in threads.split("x")] + [1])[:2] if threads != "grid 2-d" else (256, 1)
        self.block = (x, y, 1)
        blocks = -(-count // (x * y * k))
        self.grid = (-(-blocks // 16), 16) if threads == "grid 2-d" else (blocks, 1)
        wide = f"({self.index})" if self.index in ("long long", "size_t") else ""
        if threads == "grid 2-d":
            block = f"({wide}blockIdx.y * gridDim.x + blockIdx.x)"
            thread, size = "threadIdx.x", "blockDim.x"
        else:
            block = f"{wide}blockIdx.x"
            thread = "threadIdx.x" if y == 1 else "(threadIdx.y * blockDim.x + threadIdx.x)"
            size = "blockDim.x" if y == 1 else "(blockDim.x * blockDim.y)"
        if self.s["origin"] == "literal":
            size = str(x * y)
        own = self.position("x") if threads != "grid 2-d" and y == 1 and how != "strided" else \
            f"{block} * {size} + {thread}"
        if k == 1:
            self.put(f"{self.index} i = {own};")
            return self.item(["i"], body, [f"i < {n}"], "return")
        if how == "minimum":
            self.put(f"{self.index} first = ({own}) * {k};")
            self.put(f"{self.index} last = first + {k} < {n} ? first + {k} : ({self.index}){n};")
            self.open(f"for ({self.index} i = first; i < last; i++)")
            self.item(["i"], body, [], "continue")
            return self.close()
        if how in ("neighbours", "break"):
            self.put(f"{self.index} first = ({own}) * {k};")
            step = "q"
        else:
            self.put(f"{self.index} first = {block} * {size} * {k} + {thread};")
            step = f"q * {size}"
        self.open(f"for (int q = 0; q < {k}; q++)")
        self.put(f"{self.index} i = first + {step};")
        if how == "break":
            self.put(f"if (i >= {n}) break;")
        self.item(["i"], body, [] if how == "break" else [f"i < {n}"], "continue")
        self.close()

    def strides(self, n, body, leaves):
        """Each thread has every 5,120th element."""
        self.block, self.grid = (256, 1, 1), (20, 1)
        self.put(f"const {self.index} step = ({self.index})gridDim.x * blockDim.x;")
        test = "" if leaves else f"i < {n}"
        self.open(f"for ({self.index} i = {self.position('x')}; {test}; i += step)")
        if leaves:
            self.put(f"if (i >= {n}) break;")
        self.item(["i"], body, [], "continue")
        self.close()

    def cells(self, rows, columns, body):
        """body() for each r < rows, c < columns."""
        threads, (factor, how) = self.s["threads"], (self.s["coarsen"].split() + [""])[:2]
        k, h, w = int(factor), self.sizes[rows], self.sizes[columns]
        if threads in ("quotient", "difference", "linear 16x16"):
            self.block = (16, 16, 1) if threads == "linear 16x16" else (256, 1, 1)
            self.grid = (-(-h * w // 256), 1)
            wide = f"({self.index})" if self.index in ("long long", "size_t") else ""
            if threads == "linear 16x16":
                self.put(f"{self.index} i = {wide}blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + "
                         "threadIdx.x;")
            else:
                self.put(f"{self.index} i = {self.position('x')};")
            self.put(f"{self.index} r = i / {columns};")
            self.put(f"{self.index} c = i - r * {columns};" if threads == "difference" else
                     f"{self.index} c = i % {columns};")
            return self.item(["r", "c"], body, [f"r < {rows}"], "return")
        if threads in ("grid stride", "row per block"):
            return self.rows_and_columns(rows, columns, body)
        x, y, *z = (int(t) for t in threads.split("x"))
        if z:
            return self.layers(rows, columns, body, (x, y, z[0]))
        self.block, self.grid = (x, y, 1), (-(-w // x), -(-h // (y * k)))
        self.put(f"{self.index} c = {self.position('x')};")
        conditions = [f"r < {rows}", f"c < {columns}"]
        if k == 1:
            self.put(f"{self.index} r = {self.position('y') if y > 1 else 'blockIdx.y'};")
            return self.item(["r", "c"], body, conditions, "return")
        own = self.position("y") if y > 1 else "blockIdx.y"
        self.put(f"{self.index} first = ({own}) * {k};" if how == "rows" else
                 f"{self.index} first = blockIdx.y * blockDim.y * {k} + threadIdx.y;")
        self.open(f"for (int q = 0; q < {k}; q++)")
        self.put(f"{self.index} r = first + {'q' if how == 'rows' else 'q * blockDim.y'};")
        self.item(["r", "c"], body, conditions, "continue")
        self.close()

    def layers(self, rows, columns, body, block):
        """Blocks of three dimensions: rows are along y and z."""
        x, y, z = self.block = block
        self.grid = (-(-self.sizes[columns] // x), -(-self.sizes[rows] // (y * z)))
        self.put(f"{self.index} c = {self.position('x')};")
        self.put(f"{self.index} r = (blockIdx.y * blockDim.z + threadIdx.z) * blockDim.y + threadIdx.y;")
        self.item(["r", "c"], body, [f"r < {rows}", f"c < {columns}"], "return")

    def rows_and_columns(self, rows, columns, body):
        """Loops over rows and columns, of a plane of threads or of a row of them."""
        plane = self.s["threads"] == "grid stride"
        self.block, self.grid = ((32, 8, 1), (4, 6)) if plane else ((128, 1, 1), (self.sizes[rows] // 3, 1))
        index = self.index
        row = f"{self.position('y')}; r < {rows}; r += ({index})gridDim.y * blockDim.y" if plane else \
            f"blockIdx.x; r < {rows}; r += ({index})gridDim.x"
        column = f"{self.position('x')}; c < {columns}; c += ({index})gridDim.x * blockDim.x" if plane else \
            f"threadIdx.x; c < {columns}; c += ({index})blockDim.x"
        self.open(f"for ({index} r = {row})")
        self.open(f"for ({index} c = {column})")
        self.item(["r", "c"], body, [], "continue")
        self.close()
        self.close()

    # ---- the whole

    def parameters(self):
        """Declarations before the kernel, its parameters, first lines, template arguments, arguments of the launch."""
        declared, parameters, lines, template, arguments = "", [], [], [], []
        def pointer(a, qualifier):
            kind, read = self.arrays[a]
            const = "const " if read and self.s["pointers"] != "plain" else ""
            return f"{const}{kind} *{qualifier}{a}"
        if self.s["pointers"] == "structure":
            declared += f"struct {self.name}_arrays {{ {' '.join(pointer(a, '') + ';' for a in self.arrays)} }};\n"
            parameters.append(f"{self.name}_arrays g")
            arguments.append(f"{self.name}_arrays{{{', '.join(self.arrays)}}}")
        else:
            parameters += [pointer(a, "__restrict__ " if self.s["pointers"] == "restrict" else "") for a in self.arrays]
            arguments += list(self.arrays)
        form, values = self.s["sizes"], [str(v) for v in self.sizes.values()]
        if form == "constant":
            lines += [f"const int {n} = {v};" for n, v in self.sizes.items()]
        elif form == "template":
            template = values
            declared += f"template <{', '.join(f'int {n}' for n in self.sizes)}>\n"
        elif form == "structure":
            declared += f"struct {self.name}_sizes {{ int {', '.join(self.sizes)}; }};\n"
            parameters.append(f"{self.name}_sizes z")
            lines += [f"const int {n} = z.{n};" for n in self.sizes]
            arguments.append(f"{self.name}_sizes{{{', '.join(values)}}}")
        else:
            kind = {"argument": "int", "unsigned": "unsigned", "wide": "long long"}[form]
            parameters += [f"{kind} {n}" for n in self.sizes]
            arguments += values
        return declared, parameters, lines, template, arguments

    def kernel(self):
        """The kernel, and its launch as a statement."""
        declared, parameters, lines, template, arguments = self.parameters()
        structures, mark, rest = declared.partition("template <")
        text = structures + "".join(self.before) + mark + rest
        text += f"__global__ void {self.name}({', '.join(parameters)}) {{\n"
        text += "".join(f"{line}\n" for line in ["    " + x for x in lines] + self.lines) + "}\n"
        def size(d): return f"dim3({', '.join(map(str, d))})"
        instance = f"{self.name}<{', '.join(template)}>" if template else self.name
        return text, f"{instance}<<<{size(self.grid)}, {size(self.block)}>>>({', '.join(arguments)});"
