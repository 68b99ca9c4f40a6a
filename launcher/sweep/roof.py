"""roof.py: what the machine can do at most: bytes a second of a triad of STREAM, operations a second of fused products.

Measured with as many workers as the kernels get, by a program that cucpu compiles, and kept in the user's cache for
this CPU, since it is a matter of the machine alone."""
import json
import os
import subprocess

SOURCE = r"""
#include <cstdio>
__global__ void triad(double *a, const double *b, const double *c, double s, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[i] + s * c[i];
}
template <typename T> __global__ void chains(T *out, T a, T b, int n) {
    T r[10];
    for (int k = 0; k < 10; k++) r[k] = threadIdx.x + k;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 10; k++) r[k] = r[k] * a + b;
    for (int k = 1; k < 10; k++) r[0] += r[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = r[0];
}
template <typename F> double best_ns(F launch) {
    cudaEvent_t from, to;
    cudaEventCreate(&from), cudaEventCreate(&to);
    double best = 1e30;
    for (int i = 0; i < 7; i++) {
        float ms;
        cudaEventRecord(from);
        launch();
        cudaEventRecord(to);
        cudaEventSynchronize(to);
        cudaEventElapsedTime(&ms, from, to);
        if (i && ms * 1e6 < best) best = ms * 1e6;
    }
    return best;
}
template <typename T> double flops() {
    const int blocks = 512, n = 1000;
    T *out;
    cudaMalloc(&out, blocks * 256 * sizeof(T));
    return 20.0 * n * blocks * 256 / best_ns([&] { chains<T><<<blocks, 256>>>(out, T(0.999), T(0.5), n); });
}
int main() {
    const long n = 8 << 20;
    double *a;
    cudaMalloc(&a, 3 * n * sizeof *a);
    cudaMemset(a, 0, 3 * n * sizeof *a);
    double ns = best_ns([&] { triad<<<(n + 255) / 256, 256>>>(a, a + n, a + 2 * n, 2, n); });
    double single = flops<float>(), twice = flops<double>();
    printf("{\"bandwidth\": %.4f, \"single\": %.4f, \"double\": %.4f}\n", 24.0 * n / ns, single, twice);
    return cudaGetLastError() != cudaSuccess;
}
"""


class NoRoof(Exception):
    pass


def cache_file(cpu, threads):
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    name = "".join(c if c.isalnum() else "-" for c in cpu)
    return os.path.join(base, "cucpu", f"roof-{name}-{threads}.json")


def run(words, env=None):
    done = subprocess.run(words, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise NoRoof(said)
    return done.stdout


def measure(compiler, folder, threads):
    source, program = os.path.join(folder, "roof.cu"), os.path.join(folder, "roof")
    if not os.path.exists(program):
        with open(source, "w") as f:
            f.write(SOURCE)
        run([compiler, "-O3", source, "-o", program])
    return json.loads(run([program], dict(os.environ, CUCPU_NUM_THREADS=str(threads))))


def roof(compiler, folder, cpu, threads):
    """{"bandwidth": GB/s, "single": GFLOP/s, "double": GFLOP/s}"""
    path = cache_file(cpu, threads)
    try:
        with open(path) as f:
            return json.load(f)
    except (OSError, ValueError):
        pass
    found = measure(compiler, folder, threads)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            json.dump(found, f)
    except OSError:
        pass
    return found


def share(kernel, top):
    """Of the time that the kernel took, what its operations or its bytes, whichever take longer, need at the roof."""
    f, b = kernel["flops"], kernel["bytes"]
    compute = (f["single"] + f["half"]) / top["single"] + f["double"] / top["double"]
    memory = (b["loaded"] + b["stored"]) / top["bandwidth"]
    return max(compute, memory) / kernel["time_ns"] if kernel.get("time_ns") else None
