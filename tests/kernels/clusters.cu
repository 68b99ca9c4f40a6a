// Clusters of several blocks: places, the barrier in one piece and in two, the shared memory of other blocks, atomics on it, threads and
// blocks that have returned, groups and lanes that arrive at different places, polling, together with barriers of the block and the grid.
// REQUIRES: run
// RUN: %cucpu --simd=1 %s -o %t.1 && %run %t.1 | FileCheck %s
// RUN: %cucpu --simd=8 -Rcucpu %s -o %t.8 > %t.r 2>&1 && FileCheck --check-prefix=REMARK %s < %t.r && %run %t.8 | FileCheck %s
// RUN: %cucpu %s -o %t.any && %run %t.any | FileCheck %s
// RUN: env CUCPU_NUM_THREADS=5 %run %t.8 | FileCheck %s
// RUN: env CUCPU_NUM_THREADS=1 %run %t.any | FileCheck %s
// RUN: %cucpu --shuffle --simd=32 %s -o %t.s && env CUCPU_NUM_THREADS=3 CUCPU_SCHED=shuffle:7 %run %t.s | FileCheck %s
// RUN: %also { %cucpu -G %s -o %t.g && %run %t.g | FileCheck %s; }
// RUN: %also { %cucpu --simd=8 --disable=frame_classes,static_dispatch %s -o %t.f && %run %t.f | FileCheck %s; }
// REMARK: remark: quiet: not vectorized: width 1 instead of 8: only some lanes of a group reach a barrier of the cluster [cluster-lanes]
// CHECK: places: 0 errors
// CHECK-NEXT: ring: 0 errors
// CHECK-NEXT: histogram: 0 errors
// CHECK-NEXT: some: 0 errors
// CHECK-NEXT: two pieces: 0 errors
// CHECK-NEXT: lanes: 0 errors
// CHECK-NEXT: groups: 0 errors
// CHECK-NEXT: counts: 0 errors
// CHECK-NEXT: warps: 0 errors
// CHECK-NEXT: token: 0 errors
// CHECK-NEXT: unaware: 0 errors
// CHECK-NEXT: grid: 0 errors
// CHECK-NEXT: alone: 0 errors
// CHECK-NEXT: asm: 0 errors
// CHECK-NEXT: quiet: 0 errors
// CHECK-NEXT: last error: no error
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

template <class... P, class... A>
static void launch(void (*k)(P...), dim3 grid, dim3 block, size_t bytes, dim3 cluster, bool cooperative, A... a) {
    cudaLaunchAttribute attrs[2] = {};
    attrs[0].id = cudaLaunchAttributeClusterDimension;
    attrs[0].val.clusterDim = {cluster.x, cluster.y, cluster.z};
    attrs[1].id = cudaLaunchAttributeCooperative;
    attrs[1].val.cooperative = cooperative;
    cudaLaunchConfig_t c = {grid, block, bytes, 0, attrs, 2};
    cudaError_t e = cudaLaunchKernelEx(&c, k, (P)a...);
    if (e) std::printf("%s\n", cudaGetErrorString(e));
}
template <class T> static T *zeros(size_t n) {
    T *p;
    cudaMallocManaged(&p, n * sizeof(T));
    cudaMemset(p, 0, n * sizeof(T));
    cudaDeviceSynchronize();
    return p;
}

// ---- places ----
struct Place {
    dim3 dims, index, threads, thread, clusters, cluster;
    unsigned rank, blocks, thread_rank, n, set, number;
};
__global__ void places(Place *out) {
    auto c = cg::this_cluster();
    auto g = cg::this_grid();
    Place p = {c.dim_blocks(), c.block_index(), c.dim_threads(), c.thread_index(), g.dim_clusters(), g.cluster_index(),
               c.block_rank(), c.num_blocks(), c.thread_rank(), c.num_threads(), __clusterDimIsSpecified(), (unsigned)g.cluster_rank()};
    out[g.thread_rank()] = p;
}
static bool same(dim3 a, dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
static int places_of(dim3 grid, dim3 block, dim3 cl) {
    unsigned nb = grid.x * grid.y * grid.z, nt = block.x * block.y * block.z;
    Place *p = zeros<Place>(nb * nt);
    if (cl.x) launch(places, grid, block, 0, cl, false, p);
    else places<<<grid, block>>>(p);
    cudaDeviceSynchronize();
    int errors = 0;
    bool set = cl.x;
    if (!set) cl = dim3(1, 1, 1);
    for (unsigned b = 0; b < nb; b++)
        for (unsigned t = 0; t < nt; t++, p++) {
            dim3 at(b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y), in(at.x % cl.x, at.y % cl.y, at.z % cl.z);
            dim3 of(at.x / cl.x, at.y / cl.y, at.z / cl.z), all(grid.x / cl.x, grid.y / cl.y, grid.z / cl.z);
            dim3 th(t % block.x, t / block.x % block.y, t / block.x / block.y);
            unsigned rank = (in.z * cl.y + in.y) * cl.x + in.x, n = cl.x * cl.y * cl.z;
            errors += !same(p->dims, cl) || !same(p->index, in) || !same(p->cluster, of) || !same(p->clusters, all);
            errors += !same(p->threads, dim3(cl.x * block.x, cl.y * block.y, cl.z * block.z));
            errors += !same(p->thread, dim3(in.x * block.x + th.x, in.y * block.y + th.y, in.z * block.z + th.z));
            errors += p->rank != rank || p->blocks != n || p->thread_rank != rank * nt + t || p->n != n * nt;
            errors += p->set != set || p->number != (of.z * all.y + of.y) * all.x + of.x;
        }
    return errors;
}

// ---- what was in the shared memory of the next block ----
__global__ void ring(int *out, int rounds) {
    extern __shared__ int s[];
    __shared__ int fixed[4];
    auto c = cg::this_cluster();
    unsigned n = c.num_blocks(), next = (c.block_rank() + 1) % n, t = cg::this_thread_block().thread_rank(), threads = cg::this_thread_block().size();
    int block = (int)cg::this_grid().block_rank(), v = 0;
    s[t] = block * 1000 + (int)t;
    if (t < 4) fixed[t] = block + (int)t;
    for (int k = 0; k < rounds; k++) {
        c.sync();
        v = c.map_shared_rank(s, (int)next)[t] + (int)c.query_shared_rank(c.map_shared_rank(&s[t], (int)next)) - (int)next;
        v += !__isClusterShared(c.map_shared_rank(fixed, (int)next)) + __isShared(c.map_shared_rank(fixed, (int)next)) * (n > 1) + __isClusterShared(out);
        c.sync();
        s[t] = v + 1;
    }
    c.sync();
    // a pointer that is mapped already is mapped as well
    out[block * (int)threads + (int)t] = s[t] + *c.map_shared_rank(c.map_shared_rank(&fixed[2], (int)next), (int)c.block_rank());
    c.sync();
}
static int ring_of(dim3 grid, dim3 block, dim3 cl, int rounds) {
    unsigned nb = grid.x * grid.y * grid.z, nt = block.x * block.y * block.z, n = cl.x * cl.y * cl.z;
    int *d = zeros<int>(nb * nt), errors = 0;
    launch(ring, grid, block, nt * 4, cl, false, d, rounds);
    cudaDeviceSynchronize();
    for (unsigned b = 0; b < nb; b++) {
        dim3 at(b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y), in(at.x % cl.x, at.y % cl.y, at.z % cl.z);
        unsigned r = (((in.z * cl.y + in.y) * cl.x + in.x) + (unsigned)rounds) % n;
        dim3 o(at.x - in.x + r % cl.x, at.y - in.y + r / cl.x % cl.y, at.z - in.z + r / cl.x / cl.y);
        int other = (int)((o.z * grid.y + o.y) * grid.x + o.x);
        for (unsigned t = 0; t < nt; t++) errors += d[b * nt + t] != other * 1000 + (int)t + rounds + (int)b + 2;
    }
    return errors;
}

// ---- a histogram that no block has room for ----
__global__ void histogram(unsigned *bins, int nbins, int each, const int *in, int n) {
    extern __shared__ unsigned own[];
    auto c = cg::this_cluster();
    int t = threadIdx.x, step = (int)cg::this_grid().size();
    for (int i = t; i < each; i += blockDim.x) own[i] = 0;
    c.sync();
    for (int i = (int)cg::this_grid().thread_rank(); i < n; i += step) {
        int bin = in[i] < 0 ? 0 : in[i] >= nbins ? nbins - 1 : in[i];
        atomicAdd(c.map_shared_rank(own, bin / each) + bin % each, 1u);
    }
    c.sync();
    unsigned *out = bins + c.block_rank() * each;
    for (int i = t; i < each; i += blockDim.x) atomicAdd(&out[i], own[i]);
}
static int histogram_of(int blocks, int threads, int cl, int nbins) {
    int n = 20011, each = nbins / cl, *in = zeros<int>((size_t)n), errors = 0;
    unsigned *bins = zeros<unsigned>((size_t)nbins);
    std::vector<unsigned> want((size_t)nbins);
    for (int i = 0; i < n; i++) in[i] = (int)((unsigned)i * 2654435761u >> 20) % nbins, want[(size_t)in[i]]++;
    launch(histogram, blocks, threads, (size_t)each * 4, cl, false, bins, nbins, each, in, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < nbins; i++) errors += bins[i] != want[(size_t)i];
    return errors;
}

// ---- threads and whole blocks that have returned have arrived ----
__global__ void __cluster_dims__(4) some(int *out, int n) {
    __shared__ int s[64];
    auto c = cg::this_cluster();
    if (c.block_rank() == 1) return;
    if ((int)threadIdx.x >= n) return;
    s[threadIdx.x] = (int)(blockIdx.x * 100 + threadIdx.x);
    c.sync();
    int v = 0;
    for (unsigned r = 0; r < 4; r++)
        if (r != 1) v += c.map_shared_rank(s, (int)r)[threadIdx.x];
    if (threadIdx.x % 3 == 2) { out[blockIdx.x * 64 + threadIdx.x] = -v; }
    c.sync();
    if (threadIdx.x % 3 != 2) out[blockIdx.x * 64 + threadIdx.x] = v;
}
static int some_of(int n) {
    int *d = zeros<int>(8 * 64), errors = 0;
    some<<<8, 64>>>(d, n);
    cudaDeviceSynchronize();
    for (int b = 0; b < 8; b++)
        for (int t = 0; t < 64; t++) {
            int v = 3 * t + 100 * (3 * (b / 4 * 4) + 5), want = t >= n || b % 4 == 1 ? 0 : t % 3 == 2 ? -v : v;
            errors += d[b * 64 + t] != want;
        }
    return errors;
}

// ---- arrive, and wait later: who has arrived lets the others go on ----
__global__ void __cluster_dims__(2) pieces(int *out, int rounds) {
    __shared__ int flag, data[96];
    auto c = cg::this_cluster();
    int t = threadIdx.x, other = 1 - (int)c.block_rank(), sum = 0;
    if (t == 0) flag = 0;
    c.sync();
    for (int k = 1; k <= rounds; k++) {
        data[t] = t * k + (int)c.block_rank();
        auto token = c.barrier_arrive();
        if (c.block_rank() == 0) { // the other one sets it behind its wait
            volatile int *f = &flag;
            while (*f < k) {}
            sum += *f;
            c.barrier_wait(static_cast<decltype(token) &&>(token));
        } else {
            sum += k;
            c.barrier_wait(static_cast<decltype(token) &&>(token));
            if (t == 50) *(volatile int *)c.map_shared_rank(&flag, 0) = k;
        }
        sum += c.map_shared_rank(data, other)[t];
        c.sync();
    }
    out[blockIdx.x * 96 + t] = sum;
}
static int pieces_of(int rounds) {
    int *d = zeros<int>(6 * 96), errors = 0, triangle = rounds * (rounds + 1) / 2;
    pieces<<<6, 96>>>(d, rounds);
    cudaDeviceSynchronize();
    for (int i = 0; i < 6 * 96; i++) errors += d[i] != triangle * (1 + i % 96) + rounds * (1 - i / 96 % 2);
    return errors;
}

// ---- each thread counts by itself, lanes of a group at different places too ----
__global__ void __cluster_dims__(3) lanes(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = -1;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    if (t & 1) {
        s[t] = t * 10;
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    } else {
        s[t] = t * 20;
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
    auto c = cg::this_cluster();
    int next = (int)((c.block_rank() + 1) % 3);
    out[blockIdx.x * 64 + t] = c.map_shared_rank(s, next)[63 - t];
    c.sync();
    if (t < 20) c.sync();
    else if (t < 40) { s[t]++; c.sync(); }
    else c.sync();
}
static int lanes_of() {
    int *d = zeros<int>(6 * 64), errors = 0;
    lanes<<<6, 64>>>(d);
    cudaDeviceSynchronize();
    for (int i = 0; i < 6 * 64; i++) {
        int t = 63 - i % 64;
        errors += d[i] != (t & 1 ? t * 10 : t * 20);
    }
    return errors;
}

// ---- warps at different places, which the compiler cannot know ----
__global__ void __cluster_dims__(2, 2) groups(int *out, const int *way) {
    __shared__ int s[128];
    auto c = cg::this_cluster();
    int t = threadIdx.x, w = way[(blockIdx.y * gridDim.x + blockIdx.x) * 4 + t / 32];
    s[t] = 1;
    if (w == 0) {
        c.sync();
        s[t] += 10;
        c.sync();
    } else if (w == 1) {
        c.sync();
        c.sync();
    } else {
        s[t] = 2;
        c.sync();
        s[t] += 100;
        c.sync();
    }
    int v = 0;
    for (int r = 0; r < 4; r++) v += c.map_shared_rank(s, r)[t];
    c.sync();
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + t] = v;
}
static int groups_of() {
    int *d = zeros<int>(8 * 128), *way = zeros<int>(32), errors = 0;
    for (int i = 0; i < 32; i++) way[i] = i * 7 % 5 % 3;
    groups<<<dim3(4, 2), 128>>>(d, way);
    cudaDeviceSynchronize();
    const int gives[] = {11, 1, 102};
    for (int b = 0; b < 8; b++)
        for (int t = 0; t < 128; t++) {
            int want = 0, x = b % 4 / 2 * 2;
            for (int r = 0; r < 4; r++) want += gives[way[(r / 2 * 4 + x + r % 2) * 4 + t / 32]];
            errors += d[b * 128 + t] != want;
        }
    return errors;
}

// ---- a part of the block waits for the cluster while another one counts ----
__global__ void __cluster_dims__(2) counts(int *out) {
    __shared__ int s[64];
    auto c = cg::this_cluster();
    int t = threadIdx.x, other = 1 - (int)c.block_rank(), sum = 0;
    for (int k = 0; k < 3; k++) {
        s[t] = t + k;
        c.barrier_arrive();
        int n = __syncthreads_count(t % (k + 2) == 0);
        c.barrier_wait();
        sum += n * 1000 + c.map_shared_rank(s, other)[63 - t];
        c.sync();
        sum += __syncthreads_or(t == k) + __syncthreads_and(t < 64);
    }
    out[blockIdx.x * 64 + t] = sum;
}
static int counts_of() {
    int *d = zeros<int>(4 * 64), errors = 0;
    counts<<<4, 64>>>(d);
    cudaDeviceSynchronize();
    for (int i = 0; i < 4 * 64; i++) errors += d[i] != (32 + 22 + 16) * 1000 + 3 * (63 - i % 64) + 3 + 6;
    return errors;
}

// ---- with functions of the warp ----
__global__ void __cluster_dims__(2) warps(int *out) {
    __shared__ int s[4];
    auto c = cg::this_cluster();
    int t = threadIdx.x, v = (int)(blockIdx.x * 100) + t;
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if (t % 32 == 0) s[t / 32] = v;
    c.sync();
    const int *o = c.map_shared_rank(s, 1 - (int)c.block_rank());
    int sum = t % 32 < 4 ? o[t % 32] : 0;
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    sum = __shfl_sync(~0u, sum, 0);
    c.sync();
    if (__any_sync(~0u, t == 5)) sum++;
    out[blockIdx.x * 128 + t] = sum;
}
static int warps_of() {
    int *d = zeros<int>(4 * 128), errors = 0;
    warps<<<4, 128>>>(d);
    cudaDeviceSynchronize();
    for (int i = 0; i < 4 * 128; i++) errors += d[i] != (i / 128 ^ 1) * 100 * 128 + 127 * 64 + (i % 128 < 32);
    return errors;
}

// ---- a token goes round the cluster, from the last block on: nothing but polling ----
__global__ void token(int *out, int rounds) {
    __shared__ int mine;
    auto c = cg::this_cluster();
    int n = (int)c.num_blocks(), r = (int)c.block_rank();
    if (threadIdx.x == 0) mine = -1;
    c.sync();
    if (threadIdx.x == 0) {
        volatile int *own = &mine;
        volatile int *next = c.map_shared_rank(&mine, (r + n - 1) % n);
        if (r == n - 1) *own = 0;
        for (int k = 0; k < rounds; k++) {
            while (*own < 0) {}
            int v = *own;
            *own = -1;
            out[blockIdx.x] = v;
            *next = v + 1;
        }
    }
    c.sync();
}
static int token_of(int cl, int rounds) {
    int *d = zeros<int>((size_t)cl * 3), errors = 0;
    launch(token, cl * 3, 40, 0, cl, false, d, rounds);
    cudaDeviceSynchronize();
    for (int b = 0; b < cl * 3; b++) errors += d[b] != (rounds - 1) * cl + cl - 1 - b % cl;
    return errors;
}

// ---- a kernel that knows of no clusters, in more blocks than any device runs at once: the first block of a cluster waits for the others ----
__global__ void unaware(int *flags, int *out) {
    unsigned b = blockIdx.y * gridDim.x + blockIdx.x;
    if (threadIdx.x == 0 && blockIdx.x % 2 == 0 && blockIdx.y % 2 == 0)
        while (atomicAdd(&flags[b + gridDim.x + 1], 0) == 0) {}
    if (threadIdx.x == 0) atomicExch(&flags[b], 1);
    __syncthreads();
    if (threadIdx.x == 0) out[b] = 1;
}
static int unaware_of(int nx, int ny) {
    int n = nx * ny, *flags = zeros<int>((size_t)n), *d = zeros<int>((size_t)n), errors = 0;
    launch(unaware, dim3((unsigned)nx, (unsigned)ny), 32, 0, dim3(2, 2), false, flags, d);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) errors += d[i] != 1;
    return errors;
}

// ---- barriers of the cluster and of the grid ----
__global__ void both(int *a, int n, int rounds) {
    __shared__ int s[32];
    auto c = cg::this_cluster();
    auto g = cg::this_grid();
    int i = (int)g.thread_rank(), next = (int)((c.block_rank() + 1) % c.num_blocks());
    for (int k = 0; k < rounds; k++) {
        s[threadIdx.x] = a[i];
        c.sync();
        int v = c.map_shared_rank(s, next)[threadIdx.x];
        c.sync();
        g.sync();
        a[(i + 32) % n] = v + 1;
        g.sync();
    }
}
static int both_of(int blocks, int cl, int rounds) {
    int n = blocks * 32, *d = zeros<int>((size_t)n), errors = 0;
    std::vector<int> want((size_t)n), to((size_t)n);
    for (int i = 0; i < n; i++) want[(size_t)i] = d[i] = i;
    launch(both, blocks, 32, 0, cl, true, d, n, rounds);
    cudaDeviceSynchronize();
    for (int k = 0; k < rounds; k++, want = to)
        for (int i = 0; i < n; i++) {
            int b = i / 32, o = b / cl * cl + (b % cl + 1) % cl;
            to[(size_t)((i + 32) % n)] = want[(size_t)(o * 32 + i % 32)] + 1;
        }
    for (int i = 0; i < n; i++) errors += d[i] != want[(size_t)i];
    return errors;
}

// ---- inline PTX: addresses of 32 bits ----
__global__ void __cluster_dims__(4) assembly(int *out) {
    __shared__ int s[32], sum;
    unsigned mine = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]), total = (unsigned)__cvta_generic_to_shared(&sum), rank, next, at, v;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(mine), "r"(blockIdx.x * 100 + threadIdx.x) : "memory");
    if (threadIdx.x == 0) sum = 0;
    asm volatile("barrier.cluster.arrive.release.aligned;\n barrier.cluster.wait.acquire.aligned;" ::: "memory");
    next = (rank + 3) % 4;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(mine), "r"(next));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
    asm volatile("{ .reg .b32 r; mapa.shared::cluster.u32 r, %0, %1; red.shared::cluster.add.u32 [r], 2; }" ::"r"(total), "r"(next) : "memory");
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    out[blockIdx.x * 32 + threadIdx.x] = (int)v + sum;
}
static int assembly_of() {
    int *d = zeros<int>(8 * 32), errors = 0;
    assembly<<<8, 32>>>(d);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8 * 32; i++) errors += d[i] != (i / 32 / 4 * 4 + (i / 32 + 3) % 4) * 100 + i % 32 + 64;
    return errors;
}

// ---- odd lanes arrive at one place, even lanes at another, with nothing else that tells them apart ----
__global__ void __cluster_dims__(2) quiet(int *out) {
    __shared__ int s;
    auto c = cg::this_cluster();
    if (c.block_rank() == 0) {
        if (threadIdx.x & 1) c.sync();
        else c.sync();
    } else {
        c.sync();
    }
    if (threadIdx.x == 0) s = (int)blockIdx.x + 1;
    c.sync();
    int v = *c.map_shared_rank(&s, 1 - (int)c.block_rank());
    c.sync();
    if (threadIdx.x == 0) s = 0;
    out[blockIdx.x * 64 + threadIdx.x] = v;
}
static int quiet_of() {
    int *d = zeros<int>(4 * 64), errors = 0;
    quiet<<<4, 64>>>(d);
    cudaDeviceSynchronize();
    for (int i = 0; i < 4 * 64; i++) errors += d[i] != (i / 64 ^ 1) + 1;
    return errors;
}

int main() {
    std::printf("places: %d errors\n", places_of(dim3(6, 4, 2), dim3(5, 3, 2), dim3(3, 2, 1)) + places_of(dim3(8, 6, 4), dim3(33), dim3(2, 2, 2)) +
                                           places_of(dim3(12), dim3(16, 2), dim3(4, 1, 1)) + places_of(dim3(3, 2, 2), dim3(7), dim3(0, 0, 0)) +
                                           places_of(dim3(2, 6, 6), dim3(32), dim3(1, 3, 2)));
    std::printf("ring: %d errors\n", ring_of(dim3(8), dim3(64), dim3(4), 5) + ring_of(dim3(6, 4, 2), dim3(5, 3, 2), dim3(3, 2, 1), 2) +
                                         ring_of(dim3(4, 4, 4), dim3(100), dim3(2, 2, 2), 3) + ring_of(dim3(5), dim3(33), dim3(1), 3) +
                                         ring_of(dim3(2, 6, 6), dim3(16, 16), dim3(1, 3, 2), 4));
    std::printf("histogram: %d errors\n", histogram_of(16, 128, 4, 1024) + histogram_of(6, 100, 3, 999) + histogram_of(2, 256, 2, 64));
    std::printf("some: %d errors\n", some_of(64) + some_of(37) + some_of(0));
    std::printf("two pieces: %d errors\n", pieces_of(1) + pieces_of(4));
    std::printf("lanes: %d errors\n", lanes_of());
    std::printf("groups: %d errors\n", groups_of());
    std::printf("counts: %d errors\n", counts_of());
    std::printf("warps: %d errors\n", warps_of());
    std::printf("token: %d errors\n", token_of(8, 3) + token_of(2, 20));
    std::printf("unaware: %d errors\n", unaware_of(32, 16) + unaware_of(4, 4));
    std::printf("grid: %d errors\n", both_of(16, 4, 3) + both_of(12, 3, 4) + both_of(8, 1, 2));
    std::printf("alone: %d errors\n", ring_of(dim3(7, 3), dim3(20, 2), dim3(1, 1, 1), 2));
    std::printf("asm: %d errors\n", assembly_of());
    std::printf("quiet: %d errors\n", quiet_of());
    std::printf("last error: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
