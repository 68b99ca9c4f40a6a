#!/usr/bin/env python3
# source.py: random CUDA C++ programs that check themselves.
#
# What a thread does is a __host__ __device__ function; the host calls it for each thread as well and compares what the
# threads' structures hold.  cucpu-fuzz, which makes IR, has no C++: structures with bit-fields, unions and padding in
# any order, packed or not, references, lambdas, virtual functions, short vectors, the promotions of C, intrinsics of
# the headers, and what clang makes of all these.
#
#   source.py --cucpu build/bin/cucpu --seeds=0..99 -- --simd=4      # options of cucpu after --
#   source.py --print --seeds=7                                       # the program
#
# No result is undefined: signed sums are made unsigned, shift amounts are in range, quotients and conversions are
# guarded, floats are compared without products fused to sums.
import argparse
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BITS = {"schar": 8, "uchar": 8, "short": 16, "ushort_": 16, "int": 32, "unsigned": 32, "ll": 64, "ull": 64}
INTS, FLOATS = list(BITS), ["float", "double"]
WIDE = {t: "ull" if n == 64 else "unsigned" for t, n in BITS.items()}  # unsigned, in which sums have a result
CONSTANTS = [0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 63, 64, 100, 127, 128, 200, 255, 256, 1000, 32767, 32768, 65535,
             65536, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 63) - 1]
REALS = ["0", "1", "-1", "0.5", "3.25", "-7.5", "100", "1e-3", "1e5", "2"]

# Functions of source.h: name, type of the operands, how many.
INTRINSICS = [("popc", "unsigned", 1), ("clz", "unsigned", 1), ("brev", "unsigned", 1), ("umulhi", "unsigned", 2),
              ("perm", "unsigned", 3), ("shift_left", "unsigned", 3), ("add4", "unsigned", 2), ("max2", "unsigned", 2),
              ("difference4", "unsigned", 2), ("mulhi", "int", 2), ("half_sum", "int", 2), ("dp4a", "int", 3),
              ("sad", "int", 3), ("min", "int", 2), ("max", "int", 2), ("umul64hi", "ull", 2)]

# Members of the structure that each thread has: declaration (%d: bits), then what of it statements use, with its type.
MEMBERS = [("schar c;", [("c", "schar")]), ("uchar uc;", [("uc", "uchar")]), ("short h;", [("h", "short")]),
           ("ushort_ uh;", [("uh", "ushort_")]), ("int i;", [("i", "int")]), ("unsigned n;", [("n", "unsigned")]),
           ("ll l;", [("l", "ll")]), ("ull ul;", [("ul", "ull")]),
           ("float f;", [("f", "float")]), ("double d;", [("d", "double")]), ("bool q;", [("q", "bool")]),
           ("int b1 : %d; unsigned b2 : %d; int b3 : %d;", [("b1", "int"), ("b2", "unsigned"), ("b3", "int")]),
           ("uchar4 v;", [("v.x", "uchar"), ("v.z", "uchar")]), ("short2 w;", [("w.y", "short")]),
           ("union { unsigned u; uchar ub[4]; short us[2]; };",
            [("u", "unsigned"), ("ub[2]", "uchar"), ("us[1]", "short")])]
COMPARED = ["c", "uc", "h", "uh", "i", "n", "l", "ul", "f", "d", "q", "b1", "b2", "b3", "v.x", "v.y", "v.z", "v.w",
            "w.x", "w.y", "u"]
NO_ADDRESS = {"b1", "b2", "b3", "v.x", "v.z", "w.y", "ub[2]", "us[1]"}

ARRAYS = "const int *words, const uchar *bytes, const short *shorts"

# Kernels: how threads come to call step(): the kernel, what the host does instead, and the grid.
FORMS = [
    # in place
    ("int t = blockIdx.x * blockDim.x + threadIdx.x;\n    if (t < n) step{k}(out[t], t, n, t, words, bytes, shorts);",
     "for (int t = 0; t < n; t++) step{k}(ref[t], t, n, t, words_, bytes_, shorts_);", "grid"),
    # a loop through the grid
    ("for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += gridDim.x * blockDim.x) {{\n"
     "        S s = out[t];\n"
     "        step{k}(s, t, n, s.i & 63, words, bytes, shorts);\n        out[t] = s;\n    }}",
     "for (int t = 0; t < n; t++) step{k}(ref[t], t, n, ref[t].i & 63, words_, bytes_, shorts_);", "2"),
    # a number of times that differs
    ("int t = blockIdx.x * blockDim.x + threadIdx.x;\n    if (t >= n) return;\n    S s = out[t];\n"
     "    for (unsigned r = 0; r < (s.n & 3); r++) step{k}(s, t, n, r, words, bytes, shorts);\n    out[t] = s;",
     "for (int t = 0; t < n; t++)\n"
     "            for (unsigned r = 0; r < (ref[t].n & 3); r++) step{k}(ref[t], t, n, r, words_, bytes_, shorts_);",
     "grid"),
    # between barriers
    ("__shared__ int shared[256];\n    int t = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x;\n    S s;\n"
     "    if (t < n) s = out[t];\n    else memset(&s, 0, sizeof s);\n"
     "    if (t < n) step{k}(s, t, n, s.i, words, bytes, shorts);\n    shared[l] = s.i;\n"
     "    __syncthreads();\n    int x = shared[(l + 1) % blockDim.x] ^ shared[blockDim.x - 1 - l];\n"
     "    __syncthreads();\n"
     "    if (t >= n) return;\n    step{k}(s, t, n, x, words, bytes, shorts);\n    out[t] = s;",
     "for (int b = 0; b < grid; b++) {{\n            static int shared[256];\n            int first = b * block;\n"
     "            for (int l = 0, t = first; l < block; l++, t++) {{\n"
     "                if (t < n) step{k}(ref[t], t, n, ref[t].i, words_, bytes_, shorts_);\n"
     "                shared[l] = t < n ? ref[t].i : 0;\n            }}\n"
     "            for (int l = 0, t = first; l < block && t < n; l++, t++)\n"
     "                step{k}(ref[t], t, n, shared[(l + 1) % block] ^ shared[block - 1 - l], words_, bytes_, "
     "shorts_);\n"
     "        }}", "grid"),
]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = 0
        self.functions = []  # name, type, types of the arguments
        self.statements = [(7, self.assign), (3, self.branch), (2, self.count), (1, self.loop), (1, self.leave),
                           (1, self.switch), (1, self.store), (1, self.load), (1, self.through_pointer),
                           (1, self.through_lambda), (1, self.return_early), (1, self.call_virtual),
                           (1, self.copy_structure)]

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def pick(self, items):
        return self.random.choice(items)

    def name(self, prefix):
        self.names += 1
        return prefix + str(self.names)

    # ---- expressions of a type

    def constant(self, t):
        if t == "bool":
            return self.pick(["true", "false"])
        if t in FLOATS:
            return f"({t}){self.pick(REALS)}"
        value = self.random.randrange(10) if self.chance(30) else self.pick(CONSTANTS)
        return f"({t}){value}ull"

    def converted(self, e, a, b):
        if a == b:
            return e
        if b == "bool":
            return f"({e} {self.pick(['!=', '>', '=='])} 0)"
        if a in FLOATS:
            return f"({b}){'number' if b in FLOATS else 'whole'}({e})"
        return f"({b})({e})"

    def leaf(self, t):
        same = [v for v, type in self.variables if type == t]
        if same and self.chance(65):
            return self.pick(same)
        if self.chance(20):
            return self.constant(t)
        v, type = self.pick(self.variables)
        return self.converted(v, type, t)

    def truth(self, depth):
        kind = self.random.randrange(6)
        a, b = self.expression("bool", depth - 1), self.expression("bool", depth - 1)
        if kind < 3:
            t = self.pick(INTS + FLOATS)
            left, test = self.expression(t, depth - 1), self.pick(["<", "<=", ">", ">=", "==", "!="])
            return f"({left} {test} {self.expression(t, depth - 1)})"
        return [f"({a} && {b})", f"({a} || {b})", f"!{a}"][kind - 3]

    def real(self, t, depth):
        kind = self.random.randrange(9)
        suffix, other = ("f", "double") if t == "float" else ("", "float")
        a, b = self.expression(t, depth - 1), self.expression(t, depth - 1)
        if kind < 4:
            return f"number({a} {self.pick('+-*+-*/')} {b})"
        if kind == 4:
            return f"({self.expression('bool', depth - 1)} ? {a} : {b})"
        if kind == 5:
            return f"({t})({self.expression(self.pick(INTS), depth - 1)})"
        if kind == 6:
            return f"{self.pick(['fabs', 'floor', 'trunc', 'ceil'])}{suffix}({a})"
        if kind == 7:
            return f"sqrt{suffix}(fabs{suffix}({a}))"
        return f"({t})number({self.expression(other, depth - 1)})"

    def intrinsic(self, depth):
        name, type, count = self.pick(INTRINSICS)
        scope = "" if name in ("min", "max") else "both::"
        return f"{scope}{name}({', '.join(self.expression(type, depth - 1) for _ in range(count))})"

    # A product of numbers that are narrower than it, of which a part is taken.
    def wide_product(self, depth):
        factor = self.pick(["short", "ushort_", "schar", "uchar", "int"])
        wide = "ll" if factor in ("int", "ushort_") else self.pick(["ll", "int"])
        left, right = self.expression(factor, depth - 1), self.expression(factor, depth - 1)
        return f"({wide}){left} * {right} >> {self.random.randrange(31)}"

    def call(self, t, depth):
        fitting = [f for f in self.functions if f[1] == t]
        if not fitting:
            return self.leaf(t)
        name, _, types = self.pick(fitting)
        return f"{name}({', '.join(self.expression(x, depth - 2) for x in types)})"

    def whole(self, t, depth):
        kind, wide, last = self.random.randrange(20), WIDE[t], BITS[t] - 1
        a, b = self.expression(t, depth - 1), self.expression(t, depth - 1)
        amount = f"({self.expression(self.pick(INTS), depth - 1)} & {last})"
        if kind < 5:
            return f"({t})(({wide}){a} {self.pick('+-*')} ({wide}){b})"
        if kind < 7:
            return f"({t})({a} {self.pick('&|^')} {b})"
        if kind < 9:
            return f"({t})(({wide}){a} << {amount})" if kind == 7 else f"({t})({a} >> {amount})"
        if kind == 9:
            return f"{self.pick(['quotient', 'rest'])}<{t}>({a}, {b})"
        if kind == 10:
            return f"({self.expression('bool', depth - 1)} ? {a} : {b})"
        if kind == 11:
            return f"({t})({self.expression(self.pick(INTS), depth - 1)})"
        if kind == 12:
            real = self.pick(FLOATS)
            return self.converted(self.expression(real, depth - 1), real, t)
        if kind == 13:
            return f"({t})({self.pick('~-')}({wide}){a})"
        if kind == 14:
            return f"({t})({self.expression('bool', depth - 1)})"
        if kind < 18:
            return f"({t})({self.intrinsic(depth)})"
        return f"({t})({self.wide_product(depth)})" if kind == 18 else self.call(t, depth)

    def expression(self, t, depth):
        if depth <= 0 or self.chance(12):
            return self.leaf(t)
        return self.truth(depth) if t == "bool" else self.real(t, depth) if t in FLOATS else self.whole(t, depth)

    # ---- statements, as lines

    def target(self):
        return self.pick([v for v in self.variables if v[0] in self.assigned])

    def assign(self, depth, in_loop):
        v, t = self.target()
        if t in INTS and self.chance(35):
            wraps = BITS[t] < 32 or t in ("unsigned", "ull")
            return [f"{v} {self.pick('+-^|&') if wraps else self.pick('^|&')}= {self.expression(t, 2)};"]
        return [f"{v} = {self.expression(t, 3)};"]

    def body(self, depth, in_loop):
        return ["    " + line for _ in range(self.random.randrange(1, 4)) for line in self.statement(depth, in_loop)]

    def branch(self, depth, in_loop):
        lines = [f"if ({self.expression('bool', 2)}) {{"] + self.body(depth - 1, in_loop)
        return lines + (["} else {"] + self.body(depth - 1, in_loop) if self.chance(50) else []) + ["}"]

    def count(self, depth, in_loop):
        i, limit = self.name("i"), self.pick([str(self.random.randrange(1, 9)), f"({self.expression('int', 2)} & 7)"])
        self.variables.append((i, "int"))
        lines = self.body(depth - 1, True)
        self.variables.remove((i, "int"))
        return [f"for (int {i} = 0; {i} < {limit}; {i}++) {{"] + lines + ["}"]

    def loop(self, depth, in_loop):
        fuel = self.name("fuel")
        head = f"for (int {fuel} = {self.random.randrange(2, 7)}; {fuel}-- > 0 && {self.expression('bool', 2)};) {{"
        return [head] + self.body(depth - 1, True) + ["}"]

    def leave(self, depth, in_loop):
        if not in_loop: return self.assign(depth, in_loop)
        return [f"if ({self.expression('bool', 2)}) {self.pick(['break', 'continue'])};"]

    def switch(self, depth, in_loop):
        lines = [f"switch ({self.expression('unsigned', 2)} & 3) {{"]
        for label in ["case 0:", "case 1:", "case 2:", "default:"]:
            lines += [label + " {"] + self.body(depth - 1, False)
            lines += (["    break;"] if label == "default:" or self.chance(75) else []) + ["}"]
        return lines + ["}"]

    def store(self, depth, in_loop):
        a, t, n = self.pick(self.arrays)
        return [f"{a}[{self.expression('unsigned', 2)} & {n - 1}] = {self.expression(t, 2)};"]

    def load(self, depth, in_loop):
        a, t, n = self.pick(self.arrays)
        v, type = self.target()
        index = self.expression("unsigned", 2)
        return [f"{v} = {self.converted(f'{a}[{index} & {n - 1}]', t, type)};"]

    def through_pointer(self, depth, in_loop):
        v, t = self.pick(self.addressed)
        others, p = [x for x, type in self.addressed if type == t], self.name("p")
        return [f"{t} *{p} = {self.expression('bool', 2)} ? &{v} : &{self.pick(others)};",
                f"*{p} = {self.expression(t, 2)};"]

    def through_lambda(self, depth, in_loop):
        v, t = self.pick(self.addressed)
        g = self.name("g")
        return [f"auto {g} = [&]({t} x) {{ {v} = ({t})(x {'+' if t in FLOATS else '^'} 1); return x; }};",
                f"{g}({self.expression(t, 2)});", f"{g}({self.expression(t, 1)});"]

    def return_early(self, depth, in_loop):
        return [f"if ({self.expression('bool', 2)} && (t & 7) == 3) return;"] if self.chance(15) else ["s.n += 1u;"]

    def call_virtual(self, depth, in_loop):
        b = self.name("b")
        return [f"Base *{b} = {self.expression('bool', 2)} ? (Base *)&exclusive : (Base *)&triple;",
                f"s.i = {b}->f(s.i, {self.expression('int', 2)});"]

    def copy_structure(self, depth, in_loop):
        c = self.name("c")
        return [f"S {c} = s;", f"{c}.v.x = {self.expression('uchar', 2)};", f"{c}.b3 = {self.expression('int', 2)};",
                f"if ({self.expression('bool', 2)}) s = {c};"]

    def statement(self, depth, in_loop):
        if depth <= 0:
            return self.assign(depth, in_loop)
        kinds = [make for weight, make in self.statements for _ in range(weight)]
        return self.pick(kinds)(depth, in_loop)

    # ---- a program

    def function(self):
        name, t, types = self.name("function"), self.pick(INTS), [self.pick(INTS), self.pick(INTS)]
        self.variables = [("a", types[0]), ("b", types[1])]
        text = (f"HD {self.pick(['', '', '__noinline__ '])}static {t} {name}({types[0]} a, {types[1]} b) {{\n"
                f"    return {self.expression('bool', 2)} ? {self.expression(t, 3)} : {self.expression(t, 2)};\n}}\n")
        self.functions.append((name, t, types))
        return text

    def structure(self):
        members = [text for text, _ in MEMBERS]
        self.random.shuffle(members)
        def sized(m): return m % tuple(self.random.randrange(1, 13) for _ in range(m.count("%d")))
        lines = "".join(f"    {sized(m)}\n" for m in members)
        packed = self.chance(12)
        before, after = ("#pragma pack(push, 1)\n", "#pragma pack(pop)\n") if packed else ("", "")
        return f"{before}struct S {{\n{lines}}};\n{after}", packed

    def declare(self):
        lines = []
        for _ in range(self.random.randrange(1, 5)):
            v, t = self.name("v"), self.pick(INTS + FLOATS)
            lines.append(f"{t} {v} = {self.expression(t, 2)};")
            self.variables.append((v, t))
            self.addressed.append((v, t))
            self.assigned.add(v)
        for _ in range(self.random.randrange(1, 4)):
            a, t, n = self.name("a"), self.pick(INTS + FLOATS), self.pick([4, 8, 16])
            lines += [f"{t} {a}[{n}];",
                      f"for (int j = 0; j < {n}; j++) {a}[j] = ({t})(j * {self.random.randrange(1, 9)} + t);"]
            self.arrays.append((a, t, n))
        return lines

    def step(self, k, packed):
        fields = [("s." + v, t) for _, uses in MEMBERS for v, t in uses]
        self.variables, self.arrays = fields + [("t", "int"), ("n", "int"), ("x", "int")], []
        self.assigned = {v for v, _ in fields}
        self.addressed = [] if packed else [(v, t) for v, t in fields if v[2:] not in NO_ADDRESS and t != "bool"]
        lines = self.declare()
        far = f"words[(t * {self.pick([1, 1, 1, 2, 3, 7])} + {self.random.randrange(200)}) & 255]"
        self.variables += [(far, "int"), ("words[x & 255]", "int"), ("bytes[t & 255]", "uchar"),
                           ("shorts[(t + 3) & 255]", "short")]
        locals_ = [(v, t) for v, t in self.variables if v in self.assigned and not v.startswith("s.")]
        for _ in range(self.random.randrange(3, 9)):
            lines += self.statement(3, False)
        lines += [f"s.ul ^= {self.converted(v, t, 'ull')};" for v, t in locals_]
        text = "".join(f"    {line}\n" for line in lines)
        return (f"HD static void step{k}(S &s, int t, int n, int x, {ARRAYS}) {{\n"
                f"    Exclusive exclusive(t);\n    Triple triple(x);\n{text}}}\n")

    def program(self, kernels):
        structure, packed = self.structure()
        text = '#include "source.h"\n\n' + structure + "static S ref[THREADS], start[THREADS];\n\n"
        text += "".join(self.function() for _ in range(5))
        runs = ""
        for k in range(kernels):
            kernel, host, grid = self.pick(FORMS)
            parameters = f"S *out, int n, {ARRAYS}".replace("*", self.pick(["*", "*__restrict__ "]))
            text += "\n" + self.step(k, packed)
            text += f"__global__ void kernel{k}({parameters}) {{\n    {kernel.format(k=k)}\n}}\n"
            runs += (f"        memcpy(ref, start, sizeof ref);\n        memcpy(out, start, sizeof ref);\n"
                     f"        kernel{k}<<<{grid}, block>>>(out, n, words, bytes, shorts);\n        finish({k});\n"
                     f"        {host.format(k=k)}\n        compare({k}, n, block, out);\n")
        return text + MAIN % ("".join(f" SAME({m})" for m in COMPARED), runs)


MAIN = """
static void compare(int k, int n, int block, const S *got) {
    for (int i = 0; i < n; i++) {
        const S &a = got[i], &b = ref[i];
       %s
    }
}

static void finish(int k) {
    cudaError_t status = cudaDeviceSynchronize();
    if (!status) return;
    printf("kernel %%d: %%s\\n", k, cudaGetErrorString(status));
    exit(1);
}

static void make_start() {
    memset(start, 0, sizeof start);
    for (S &s : start) {
        s.c = rand(), s.uc = rand(), s.h = rand(), s.uh = rand();
        s.i = rand() %% 2 ? rand() %% 40 : rand() * 3, s.n = rand() %% 100;
        s.l = (ll)rand() * (rand() %% 3 ? 1 : rand()), s.ul = (ull)rand() << rand() %% 33, s.q = rand() & 1;
        s.f = (rand() %% 2000 - 1000) / 8.0f, s.d = (rand() %% 20000 - 10000) / 16.0;
        s.b1 = rand(), s.b2 = rand(), s.b3 = rand();
        s.v = make_uchar4(rand(), rand(), rand(), rand()), s.w = make_short2(rand(), rand()), s.u = rand();
    }
}

int main() {
    static const int sizes[][2] = {{THREADS, 128}, {333, 33}, {64, 64}, {200, 100}};
    S *out;
    int *words;
    uchar *bytes;
    short *shorts;
    make_inputs();
    make_start();
    cudaMallocManaged(&out, sizeof ref);
    cudaMallocManaged(&words, sizeof words_);
    cudaMallocManaged(&bytes, sizeof bytes_);
    cudaMallocManaged(&shorts, sizeof shorts_);
    memcpy(words, words_, sizeof words_);
    memcpy(bytes, bytes_, sizeof bytes_);
    memcpy(shorts, shorts_, sizeof shorts_);
    for (const auto &size : sizes) {
        int n = size[0], block = size[1], grid = (n + block - 1) / block;
%s    }
    if (!wrong) puts("the host agrees");
    return wrong != 0;
}
"""


def options():
    p = argparse.ArgumentParser(description="random CUDA C++ programs that check themselves")
    p.add_argument("--cucpu", default="cucpu")
    p.add_argument("--seeds", default="0..9", help="A..B or one")
    p.add_argument("--kernels", type=int, default=5, help="of a program")
    p.add_argument("--keep", default=".", help="folder for programs that fail")
    p.add_argument("--print", action="store_true", help="the program, nothing is compiled")
    p.add_argument("options", nargs="*", help="of cucpu")
    return p.parse_args()


# What went wrong, or "".
def check(o, source, program):
    command = [o.cucpu, "-w", "-O3", "-fmad=false", "-I", os.path.join(HERE, "Inputs"), *o.options, source,
               "-o", program]
    for what, call, limit in [("does not compile", command, 600), ("is wrong", [program], 60)]:
        try:
            r = subprocess.run(call, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit)
        except subprocess.TimeoutExpired:
            return f"{what}: not done after {limit} s"
        if r.returncode:
            return f"{what} (status {r.returncode}): {r.stdout[:400].strip()}"
    return ""


def main():
    o = options()
    first, _, last = o.seeds.partition("..")
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(last or first) + 1):
            text = Generator(seed).program(o.kernels)
            if o.print:
                print(text)
                continue
            source = os.path.join(folder, f"source{seed}.cu")
            with open(source, "w") as f:
                f.write(text)
            wrong = check(o, source, os.path.join(folder, "program"))
            if wrong:
                failures += 1
                os.replace(source, os.path.join(o.keep, f"source{seed}.cu"))
                print(f"seed {seed} {wrong}", flush=True)
    if not o.print:
        print(f"{failures} of {int(last or first) - int(first) + 1} programs failed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
