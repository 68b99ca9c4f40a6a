// Loops that a few lanes of a group stay in much longer than the others (rows, lists and paths of very different lengths): once
// few are left, scalar code finishes for each of them what the group has begun (serialise_divergent_tail).
// REQUIRES: run
// RUN: for w in 16 64; do %cucpu -O3 --simd=$w %s -o %t.w && %run %t.w || exit 1; done
// RUN: %also { for w in 1 8; do %cucpu -O3 --simd=$w %s -o %t.w && %run %t.w || exit 1; done; }
// RUN: %also { %cucpu -O3 --simd=16 --disable=serialise_divergent_tail %s -o %t.off && %run %t.off; }
// RUN: %also { %cucpu -O3 --simd=4 --cpu=x86-64-v2 %s -o %t.v2 && %run %t.v2; }
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <vector>

struct Graph {
    const int *row, *col;
    int n;
};

/* Live values of every size, and an address that moves; m: on which lane the sum depends besides. */
struct Sums {
    float f;
    double d;
    long long l;
    short s;
    bool b;
    half h;
    const int *at;
};
__host__ __device__ Sums row_sums(const Graph &g, const float *x, int i, int m) {
    Sums r = {0, 0, 0, 0, false, half(0.f), g.col + g.row[i]};
    for (const int *end = g.col + g.row[i + 1]; r.at < end; r.at++) {
        r.f += x[*r.at];
        r.d += x[*r.at] * 0.5;
        r.l += (long long)*r.at << 20;
        r.s = (short)(r.s * 3 + *r.at + m);
        r.b ^= x[*r.at] > 3;
        r.h = half((float)r.h * 0.5f + x[*r.at]);
    }
    return r;
}
__host__ __device__ double as_number(const Sums &r, const Graph &g) {
    return r.f + 3 * r.d + (double)r.l + r.s + (r.b ? 0.25 : 0) + (double)(float)r.h + (double)(r.at - g.col);
}
__global__ void sums(Graph g, const float *x, double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < g.n) out[i] = as_number(row_sums(g, x, i, (int)threadIdx.x & 3), g);
}

/* Several ways out, each with something to do; a switch within. */
__host__ __device__ int search(const Graph &g, const int *w, int i) {
    int s = 0;
    for (int k = g.row[i]; k < g.row[i + 1]; k++) {
        int v = w[g.col[k]];
        if (v % 1009 == 7) return s * 2 + 1;
        if (v % 2003 == 11) {
            s ^= 77;
            break;
        }
        switch (v & 3) {
        case 0: s += v; break;
        case 1: s ^= w[g.col[k] / 2]; break;
        case 2: continue;
        default: s -= 3;
        }
        s = s * 5 + 1;
    }
    return s;
}
__global__ void searches(Graph g, const int *w, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < g.n) out[i] = search(g, w, i);
}

/* A loop in a loop, both with lanes that stay. */
__host__ __device__ int second_ring(const Graph &g, int i) {
    int s = 0;
    for (int k = g.row[i]; k < g.row[i + 1]; k++) {
        int j = g.col[k];
        for (int m = g.row[j]; m < g.row[j + 1] && m < g.row[j] + 40; m++) s += g.col[m] & (k + 3);
    }
    return s;
}
__global__ void rings(Graph g, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < g.n) out[i] = second_ring(g, i);
}

/* A list, and an array of the thread's own that it is sorted into. */
__host__ __device__ int walk(const int *next, int i) {
    int count[8] = {0}, s = 0;
    for (int p = i; p >= 0; p = next[p]) count[p & 7] += p;
    for (int k = 0; k < 8; k++) s = s * 7 + count[k];
    return s;
}
__global__ void walks(const int *next, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = walk(next, i);
}

/* Places from an atomic, stores, and an id read in the loop. */
__global__ void collect(Graph g, int *count, int *list, int *mark) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= g.n) return;
    for (int k = g.row[i]; k < g.row[i + 1]; k++)
        if (g.col[k] % 3 == 0) {
            list[atomicAdd(count, 1)] = k;
            atomicAdd(&mark[g.col[k]], (int)threadIdx.x + 1);
        }
}

template <class T> static T *upload(const std::vector<T> &v) {
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}
template <class T> static std::vector<T> download(const T *p, size_t n) {
    std::vector<T> v(n);
    cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
}

static int wrong;
template <class T> static void compare(const char *what, int threads, const std::vector<T> &want, const T *device) {
    std::vector<T> got = download(device, want.size());
    for (size_t i = 0; i < want.size(); i++)
        if (want[i] != got[i] && wrong++ < 20) printf("%s, blocks of %d: [%zu] is %.17g, not %.17g\n", what, threads, i, (double)got[i], (double)want[i]);
}

/* One row in `every` has `most` elements, the others up to 6. */
static void test(int n, int every, int most) {
    std::vector<int> row(n + 1), next(n), w(n);
    srand((unsigned)(n + every));
    for (int i = 0; i < n; i++) row[i + 1] = row[i] + (rand() % every ? rand() % 7 : most + rand() % 50);
    std::vector<int> col(row[n]);
    std::vector<float> x(n);
    for (int &c : col) c = rand() % n;
    for (int i = 0; i < n; i++) {
        x[i] = (float)(i & 7);
        w[i] = rand() & 0xffff;
        next[i] = i > 40 && rand() % 4 == 0 ? i - rand() % 40 - 1 : -1;
    }
    for (int i = n - 1; i > 3; i -= 3) next[i] = i - 3;
    Graph host = {row.data(), col.data(), n}, g = {upload(row), upload(col), n};
    int *dn = upload(next), *dw = upload(w);
    float *dx = upload(x);
    std::vector<double> d(n);
    std::vector<int> a(n), b(n), c(n), mark(n);
    std::vector<char> listed(row[n]);
    for (int threads : {1, 31, 64, 1000}) {
        int grid = (n + threads - 1) / threads;
        double *od = upload(d);
        int *oa = upload(a), *ob = upload(b), *oc = upload(c), *list = upload(col), *count = upload(std::vector<int>(1)), *om = upload(std::vector<int>(n));
        sums<<<grid, threads>>>(g, dx, od);
        searches<<<grid, threads>>>(g, dw, oa);
        rings<<<grid, threads>>>(g, ob);
        walks<<<grid, threads>>>(dn, oc, n);
        collect<<<grid, threads>>>(g, count, list, om);
        std::fill(mark.begin(), mark.end(), 0);
        std::fill(listed.begin(), listed.end(), 0);
        int total = 0;
        std::vector<double> ed(n);
        std::vector<int> ea(n), eb(n), ec(n);
        for (int i = 0; i < n; i++) {
            ed[i] = as_number(row_sums(host, x.data(), i, i % threads & 3), host);
            ea[i] = search(host, w.data(), i);
            eb[i] = second_ring(host, i);
            ec[i] = walk(next.data(), i);
            for (int k = row[i]; k < row[i + 1]; k++)
                if (col[k] % 3 == 0) {
                    total++;
                    listed[k]++;
                    mark[col[k]] += i % threads + 1;
                }
        }
        compare("sums", threads, ed, od);
        compare("searches", threads, ea, oa);
        compare("rings", threads, eb, ob);
        compare("walks", threads, ec, oc);
        compare("marks", threads, mark, om);
        compare("count", threads, std::vector<int>(1, total), count);
        for (int k : download(list, (size_t)total)) listed[k]--;
        for (char k : listed)
            if (k && wrong++ < 20) printf("the list of blocks of %d is not that of the elements\n", threads);
        for (void *p : {(void *)od, (void *)oa, (void *)ob, (void *)oc, (void *)list, (void *)count, (void *)om}) cudaFree(p);
    }
}

int main() {
    test(3000, 50, 300);
    test(700, 5, 90);
    test(100, 2, 200);
    test(17, 17, 400);
    if (wrong || cudaDeviceSynchronize() != cudaSuccess) return 1;
    puts("right");
}
