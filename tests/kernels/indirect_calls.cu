// Functions whose addresses come from tables in global and constant memory, arguments of the kernel, structures, the lanes' own choices,
// virtual functions of several bases, tail calls through tables; with __shared__ variables; calls in calls.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -G %s -o %t.G && %run %t.G
// RUN: %cucpu --simd=32 --cpu=x86-64-v3 %s -o %t.v3 && %run %t.v3
// RUN: %also { %cucpu --disable=promote_calls -DONLY_CALLS %s -o %t.off && %run %t.off; }
#include "check.h"

typedef int (*Op)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ int mine(int a, int b) { return a - b * int(threadIdx.x); }
__device__ Op given = times;
__device__ Op table[3] = {plus, times, mine};
__constant__ Op fixed[2] = {mine, plus};
struct Chosen { Op op; int with; };
static int of(int k, int a, int b, int t) { return k == 0 ? a + b : k == 1 ? a * b : a - b * t; }

__global__ void tables(int *out, Op argument, Chosen c, int n) {
    int i = int(global_rank());
    if (i >= n) return;
    int r = table[i % 3](i, 2) + fixed[i / 5 % 2](i, 3);
    if (i % 4) r += argument(r, 5);
    out[i] = r ^ c.op(c.with, i);
}

/* Two bases, a virtual one; functions in other places of the table; one that is not overridden. */
struct Value {
    int v;
    __device__ virtual int get() const { return v; }
    __device__ virtual void add(int x) { v += x; }
};
struct Tagged {
    int tag;
    __device__ virtual int tagged(int x) const { return tag + x; }
    __device__ virtual int get() const = 0;
};
struct Both : Value, Tagged {
    __device__ int get() const override { return v * 100 + tag; }
    __device__ int tagged(int x) const override { return get() + x; }
};
struct Virtually : virtual Value {
    int w;
    __device__ int get() const override { return v - w; }
    __device__ void add(int x) override { w += 3 * x; }
};
struct Diamond : Virtually, Tagged {
    __device__ int get() const override { return Virtually::get() * 7 + tag; }
};

__global__ void objects(int *out, int n) {
    int i = int(global_rank());
    if (i >= n) return;
    Value value;
    Both both;
    Virtually virtually;
    Diamond diamond;
    value.v = both.v = virtually.v = diamond.v = i;
    both.tag = diamond.tag = 5, virtually.w = diamond.w = 2;
    Value *all[] = {&value, &both, &virtually, &diamond};
    Tagged *tags[] = {&both, &diamond};
    Value *p = all[i % 4];
    p->add(i & 7);
    out[i] = p->get() + tags[i & 1]->tagged(p->get()) + tags[i / 2 & 1]->get();
}

static int objects_of(int i) {
    int b = i, dw = 2, x = i & 7, g = 0;
    if (i % 4 == 0) g = i + x;
    if (i % 4 == 1) b += x, g = b * 100 + 5;
    if (i % 4 == 2) g = i - (2 + 3 * x);
    if (i % 4 == 3) dw += 3 * x, g = (i - dw) * 7 + 5;
    int tags[] = {b * 100 + 5, (i - dw) * 7 + 5};
    return g + (i & 1 ? 5 + g : tags[0] + g) + tags[i / 2 & 1];
}

/* Each state calls the next: tail calls through a table, as loops. */
struct Machine { int steps, sum; };
typedef void (*State)(Machine *);
__device__ void odd_state(Machine *m);
__device__ void even_state(Machine *m);
__device__ void end_state(Machine *m) { m->sum ^= 0x5555; }
__device__ State states[3] = {even_state, odd_state, end_state};
__device__ void even_state(Machine *m) {
    m->sum += 2 * m->steps;
    states[m->steps-- > 0 ? (m->sum & 1) : 2](m);
}
__device__ void odd_state(Machine *m) {
    m->sum = m->sum * 3 + 1;
    states[m->steps-- > 0 ? (m->sum >> 1 & 1) : 2](m);
}

__global__ void machines(int *out, int n) {
    int i = int(global_rank());
    if (i >= n) return;
    Machine m{i % 13, i};
    states[i & 1](&m);
    out[i] = m.sum;
}

static int machine_of(int i) {
    int steps = i % 13;
    unsigned sum = unsigned(i);
    for (int state = i & 1; state < 2;) {
        if (state == 0) sum += 2u * unsigned(steps);
        else sum = sum * 3 + 1;
        state = steps-- > 0 ? (state == 0 ? sum & 1 : sum >> 1 & 1) : 2;
    }
    return int(sum ^ 0x5555);
}

#ifndef ONLY_CALLS
/* A virtual function with a variable of the block; one that calls another with a barrier. */
struct Stage {
    __device__ virtual int run(int t, int n) const = 0;
    __device__ virtual int again(const Stage *s, int t, int n) const { return s->run(t, n) + 1; }
};
struct Shift : Stage {
    __device__ int run(int t, int n) const override {
        __shared__ int s[1024];
        s[t] = t * 3;
        __syncthreads();
        int r = s[(t + 1) % n];
        __syncthreads();
        return r;
    }
};
struct Stay : Stage {
    __device__ int run(int t, int) const override { return -t; }
    __device__ int again(const Stage *s, int t, int n) const override { return s->run(t, n) * 2; }
};
struct Own : Stage { /* no barrier: only the thread's own element */
    __device__ int run(int t, int) const override {
        __shared__ int s[1024];
        for (int k = 0; k <= t % 5; k++) s[t] = k ? s[t] + k : t;
        return s[t];
    }
};

__global__ void stages(int *out, int which) {
    int t = int(thread_rank()), n = int(blockDim.x * blockDim.y * blockDim.z);
    Shift shift;
    Stay stay;
    Own own;
    const Stage *all[] = {&shift, &stay, &own}, *lanes[] = {&stay, &own};
    out[t] = all[which % 3]->again(all[(which + 1) % 3], t, n) + 10 * all[which % 3]->run(t, n) + lanes[t & 1]->run(t, n);
}
static int stage_of(int k, int t, int n) { return k == 0 ? (t + 1) % n * 3 : k == 1 ? -t : t + t % 5 * (t % 5 + 1) / 2; }
#endif

int main() {
    each_shape([](dim3 block, unsigned threads) {
        const unsigned n = 3 * threads;
        Buffer<int> out(n);
        std::vector<int> want(n);
        Chosen c{nullptr, 7};
        Op argument;
        CUDA(cudaMemcpyFromSymbol(&c.op, given, sizeof c.op));
        CUDA(cudaMemcpyFromSymbol(&argument, table, sizeof argument, 2 * sizeof argument));
        tables<<<3, block>>>(out, argument, c, int(n));
        for (unsigned k = 0; k < n; k++) {
            int i = int(k), t = int(k % threads % block.x), r = of(i % 3, i, 2, t) + of(i / 5 % 2 ? 0 : 2, i, 3, t);
            if (i % 4) r += of(2, r, 5, t);
            want[k] = r ^ (7 * i);
        }
        SAME(out.get(), want);
        objects<<<3, block>>>(out, int(n));
        for (unsigned k = 0; k < n; k++) want[k] = objects_of(int(k));
        SAME(out.get(), want);
        machines<<<3, block>>>(out, int(n));
        for (unsigned k = 0; k < n; k++) want[k] = machine_of(int(k));
        SAME(out.get(), want);
#ifndef ONLY_CALLS
        for (int which = 0; which < 3; which++) {
            Buffer<int> staged(threads);
            std::vector<int> stage(threads);
            stages<<<1, block>>>(staged, which);
            int m = int(threads);
            for (int t = 0; t < m; t++) {
                int other = stage_of((which + 1) % 3, t, m);
                stage[unsigned(t)] = (which == 1 ? other * 2 : other + 1) + 10 * stage_of(which, t, m) + stage_of(1 + (t & 1), t, m);
            }
            SAME(staged.get(), stage);
        }
#endif
    });
    return finish();
}
