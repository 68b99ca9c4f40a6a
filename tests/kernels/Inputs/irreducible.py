#!/usr/bin/env python3
"""irreducible.py SEED FUNCTIONS: a CUDA program of functions made of random gotos, whose loops have several entries,
each compared with the same function on the host."""
import random
import sys

VALUES = ["a", "b", "c"]


def operand(r):
    return r.choice(VALUES + [str(r.randint(1, 9)), "t"])


def condition(r):
    v = r.choice(VALUES)
    return r.choice([f"{v} & {1 << r.randint(0, 3)}", f"{v} % {r.randint(2, 5)} == {r.randint(0, 1)}",
                     f"{v} > {operand(r)} + 100", f"(n + t) % {r.randint(2, 4)} == 0"])


def update(r):
    v = r.choice(VALUES)
    return r.choice([f"{v} = ({v} * {r.randint(2, 9)} + {operand(r)}) & 1023;", f"{v} += {operand(r)};",
                     f"{v} = ({operand(r)} ^ {operand(r)}) & 511;", f"{{ unsigned s = {v}; {v} = a; a = s & 1023; }}"])


def function(r, k):
    blocks, limit = r.randint(3, 8), r.randint(12, 40)
    entries = r.sample(range(blocks), min(blocks, r.randint(2, 5)))
    out = [f"__host__ __device__ unsigned f{k}(unsigned t) {{", "    unsigned n = 0, a = t, b = t * 3 + 1, c = 7;",
           f"    switch (t % {len(entries)}) {{"]
    out += [f"    case {i}: goto L{e};" for i, e in enumerate(entries[:-1])]
    out += [f"    default: goto L{entries[-1]};", "    }"]
    order = list(range(blocks))
    r.shuffle(order)
    for b in order:
        out += [f"L{b}:"] + ["    " + update(r) for _ in range(r.randint(0, 2))]
        out += [f"    if (++n > {limit}) goto done;"]
        if r.random() < 0.3:
            out += [f"    if ({condition(r)}) goto done;"]
        for _ in range(r.randint(0, 2)):
            out += [f"    if ({condition(r)}) goto L{r.randrange(blocks)};"]
        out += [f"    goto L{r.randrange(blocks)};"]
    return "\n".join(out + ["done:", "    return a + b * 1024 + c * 77 + n * 131071;", "}"])


def main():
    r, count = random.Random(int(sys.argv[1])), int(sys.argv[2])
    print("#include <cstdio>\n#include <cuda_runtime.h>\nenum { N = 64 };")
    for k in range(count):
        print(function(r, k))
        print(f"__global__ void k{k}(unsigned *o) {{ o[threadIdx.x] = f{k}(threadIdx.x); }}")
    print("int main() {\n    unsigned *o;\n    int bad = 0;\n    if (cudaMallocManaged(&o, N * sizeof *o)) return 2;")
    for k in range(count):
        print(f"    k{k}<<<1, N>>>(o);\n    if (cudaDeviceSynchronize()) return 2;")
        print(f"    for (unsigned t = 0; t < N; t++)\n        if (o[t] != f{k}(t) && bad++ < 8)"
              f" printf(\"function {k}, thread %u: %u, want %u\\n\", t, o[t], f{k}(t));")
    print("    return bad != 0;\n}")


main()
