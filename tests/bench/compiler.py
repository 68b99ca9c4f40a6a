# compiler.py: the second half of run.py: launches, barriers, compile time and how it grows.
import os
import re
import resource
import statistics
import subprocess

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
    print("\ncompile a small file, CPU seconds: " + ", ".join(f"{k} {statistics.median(t):.3f}" for k, t in times.items()))


def body(n, kind):
    """n statements, each with an array access or a divergent branch, that do not fold together."""
    lines = []
    for i in range(n):
        a, b = (i * 7 + 3) % 8, (i * 5 + 1) % 8
        if kind == "straight": lines.append(f"v{a} = v{a} * {i}.5f + v{b}; p[t + {i} * n] = v{a};")
        else: lines.append(f"if (v{a} > {i}.5f) v{a} = v{b} - p[t + {i} * n]; else v{b} += v{a} * {i + 1}.25f;")
    return "\n".join(lines)


def passes(text):
    return {m[2]: float(m[1]) for m in re.finditer(r"([\d.]+) ms\s+(\w+)", text)}


def linearity(opt, directory):
    print("\ncompile time by statements in the kernel, ms: our passes, LLVM's optimise, and per statement")
    for kind in ["straight", "branches"]:
        for n in [10, 100, 1000, 10000]:
            if kind == "branches" and n > 1000: n = 3000
            source = os.path.join(directory, f"{kind}{n}.cu")
            variables = ", ".join(f"v{k} = p[t + {k}]" for k in range(8))
            total = " + ".join(f"v{k}" for k in range(8))
            with open(source, "w") as f:
                f.write(f"__global__ void k(float *p, int n) {{ int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        f"float {variables};\n{body(n, kind)}\np[t] = {total}; }}\n")
            try:
                text = subprocess.run([opt.cucpu, "--time-passes", "-c", source, "-o", source + ".o"], text=True,
                                      capture_output=True, timeout=60).stderr
            except subprocess.TimeoutExpired:
                print(f"{kind:9} {n:6}   more than 60 s")
                continue
            t = passes(text)
            if not t:
                print(f"{kind:9} {n:6}   failed: {text[:200]}")
                continue
            fixed = t.get("link_device_library", 0)
            own = sum(v for k, v in t.items() if k not in ["total", "optimise", "link_device_library"])
            print(f"{kind:9} {n:6} ours {own:9.1f}  optimise {t['optimise']:9.1f}  library {fixed:6.1f}  ours/statement {own / n:8.4f}  "
                  "most: " + ", ".join(f"{k} {v:.0f}" for k, v in sorted(t.items(), key=lambda i: -i[1]) if k not in ["total", "optimise"])[:70], flush=True)


def report(opt, directory):
    overhead(opt, directory)
    small_file(opt, directory)
    linearity(opt, directory)
