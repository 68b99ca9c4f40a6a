# compiler.py: the second half of run.py: launches, barriers, compile time and how it grows.
import os
import re
import resource
import statistics
import subprocess

import growth

HERE = os.path.dirname(os.path.abspath(__file__))

SMALL = """__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
int main() { add<<<1, 32>>>(nullptr, nullptr, nullptr, 0); return cudaDeviceSynchronize(); }
"""


def child_time(command):
    """CPU seconds of a command and its children, and what it wrote on stderr."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = subprocess.run(command, text=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if r.returncode: print("failed:", " ".join(command), r.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, r.stderr


def overhead(opt, directory):
    print("\nlaunch and barrier: best of 30 rounds")
    for name, more, threads in [("auto", [], "1"), ("auto", [], "2"), ("w1", ["--simd=1"], "1")]:
        exe = os.path.join(directory, "overhead_" + name)
        child_time([opt.cucpu, *more, os.path.join(HERE, "overhead.cu"), "-o", exe])
        r = subprocess.run([exe], text=True, capture_output=True, env=dict(os.environ, CUCPU_NUM_THREADS=threads))
        print(f"{name}, {threads} thread(s):", r.stdout.replace("\n", "; "), r.stderr)


def small_file(opt, directory):
    source = os.path.join(directory, "small.cu")
    with open(source, "w") as f: f.write(SMALL)
    commands = {"cucpu": [opt.cucpu, source, "-o", source + ".out"],
                "cucpu -c": [opt.cucpu, "-c", source, "-o", source + ".o"]}
    times = {k: [] for k in commands}
    for _ in range(5):
        for k, command in commands.items(): times[k].append(child_time(command)[0])
    medians = ", ".join(f"{k} {statistics.median(t):.3f}" for k, t in times.items())
    print(f"\ncompile a small file, CPU seconds: {medians}")


# One statement of each kind of kernel; they do not fold together.
STATEMENTS = {
    "straight": "v{a} = v{a} * {i}.5f + v{b}; p[t + {i} * n] = v{a};",
    "branches": "if (v{a} > {i}.5f) v{a} = v{b} - p[t + {i} * n]; else v{b} += v{a} * {i1}.25f;",
    "loops": "for (int k = 0; k < q[t + {i}]; k++) v{a} += p[k] * v{b};",
    "barriers": "s[threadIdx.x] = v{a}; __syncthreads(); v{b} += s[255 - threadIdx.x] * {i}.5f; __syncthreads();",
}


def kernel(n, kind):
    body = "\n".join(STATEMENTS[kind].format(i=i, i1=i + 1, a=(i * 7 + 3) % 8, b=(i * 5 + 1) % 8) for i in range(n))
    variables = ", ".join(f"v{k} = p[t + {k}]" for k in range(8))
    total = " + ".join(f"v{k}" for k in range(8))
    return (f"__global__ void k(float *p, const int *q, int n) {{ __shared__ float s[256];\n"
            f"int t = blockIdx.x * blockDim.x + threadIdx.x;\nfloat {variables};\n{body}\np[t] = {total}; }}\n")


def passes(text):
    return {m[2]: float(m[1]) for m in re.finditer(r"([\d.]+) ms\s+(\w+)", text)}


def scalar_kernel(opt, source):
    """The number of instructions of a kernel after clean-up, and the time LLVM's -O3 needs for it as scalar code."""
    ir, clean = source + ".ll", source + ".clean.ll"
    for stop, out in [("inline_device", ir), ("normalise_cfg", clean)]:
        subprocess.run([opt.cucpu, "--stop-after=" + stop, "-c", source, "-o", out], check=True, capture_output=True)
    with open(clean) as f: n = sum(1 for line in f if re.match(r"  [%a-z]", line))
    command = ["opt-22", "-mcpu=native", ir, "-disable-output"]
    return n, 1e3 * (child_time([*command, "-O3"])[0] - child_time([*command, "-passes=verify"])[0])


def linearity(opt, directory):
    print("\ncompile time by instructions in the kernel, ms of CPU time: our passes, LLVM's -O3 on the scalar kernel, "
          "LLVM's -O3 on ours, all of cucpu -c")
    for kind in STATEMENTS:
        for n in [1, 10, 100] + ([1000] if kind != "barriers" else []): # nobody writes 2,000 barriers
            source = os.path.join(directory, f"{kind}.cu")
            with open(source, "w") as f: f.write(kernel(n, kind))
            instructions, scalar = scalar_kernel(opt, source)
            total, text = child_time([opt.cucpu, "--time-passes", "-c", source, "-o", source + ".o"])
            t = passes(text)
            own = {k: v for k, v in t.items() if k not in ["total", "optimise", "link_device_library"]}
            print(f"{kind:9} {instructions:6}  ours {sum(own.values()):9.1f}  scalar -O3 {scalar:9.1f}  "
                  f"optimise {t['optimise']:9.1f}  all {1e3 * total:9.1f}  most: " +
                  ", ".join(f"{k} {v:.0f}" for k, v in sorted(own.items(), key=lambda i: -i[1])[:4]), flush=True)


def report(opt, directory):
    overhead(opt, directory)
    small_file(opt, directory)
    linearity(opt, directory)
    print("\ncompile time of generated PTX, CPU seconds above those of one statement, by statements: n, 2n, 4n, 8n")
    growth.report(opt.cucpu, directory)
