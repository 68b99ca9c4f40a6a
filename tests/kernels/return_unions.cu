// Unions that functions return keep all of their bytes, also those that are padding in the member that gives the union its type:
// inlined or not, through pointers, as parts of structures and arrays, passed on, chosen, thrown away.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O0 %s -o %t.0 && %run %t.0
// RUN: %cucpu -rdc=true %s -o %t.r && %run %t.r
#include <cstdio>

#define HD __host__ __device__

union Both {
    struct { char a; int b; } first;
    struct { short a, b; int c; } second;
};
union Wide {
    struct { char a; double b; } first;
    unsigned char bytes[16];
};
union Small {
    struct { char a; short b; } first;
    unsigned char bytes[4];
};
struct Holder {
    int before;
    Both u[2];
    char behind;
};

HD Both make(int i) {
    Both u;
    u.second.a = (short)i, u.second.b = (short)(i * 3 + 1), u.second.c = i * 7;
    return u;
}
__host__ __device__ __noinline__ Both made(int i) { return make(i + 1); }
HD Both turn(Both u) {
    Both v = u;
    v.second.a = (short)(v.second.a + v.second.b), v.second.b ^= 0x5a, v.second.c += v.second.a;
    return v;
}
__host__ __device__ __noinline__ Both chosen(int i) {
    if (i & 1) return make(i);
    Both u = turn(make(i));
    return i & 2 ? turn(u) : u;
}
__host__ __device__ __noinline__ Both deep(int i) { return i > 3 ? deep(i - 3) : turn(made(i)); }
__host__ __device__ __noinline__ Wide wide(int i) {
    Wide w;
    for (int k = 0; k < 16; k++) w.bytes[k] = (unsigned char)(i + k * 5);
    return w;
}
__host__ __device__ __noinline__ Small small(int i) {
    Small s;
    for (int k = 0; k < 4; k++) s.bytes[k] = (unsigned char)(i * 3 + k);
    return s;
}
__host__ __device__ __noinline__ Holder held(int i) { return {i, {make(i), turn(made(i))}, (char)i}; }
struct Maker {
    int step;
    HD Both operator()(int i) const { return turn(made(i + step)); }
};
struct Base {
    Both u;
};
struct Derived : Base { // which takes what padding Base has behind it
    short tail;
};
template <class T> struct Maybe { // returned as a whole, and stored as a whole
    union {
        struct { char unused; T value; } full;
        unsigned char bytes[sizeof(T) + 8];
    } u;
    bool has;
};
__host__ __device__ __noinline__ Derived derived(int i) {
    Derived d;
    d.u = make(i), d.tail = (short)(i - 3);
    return d;
}
template <class T> __host__ __device__ __noinline__ Maybe<T> maybe(T v, bool has) {
    Maybe<T> m;
    for (unsigned k = 0; k < sizeof m.u.bytes; k++) m.u.bytes[k] = (unsigned char)((int)v + (int)k);
    m.has = has;
    if (has) m.u.full.value = v;
    return m;
}
struct Shape {
    HD virtual Both get(int i) const { return make(i + 2); }
};
struct Other : Shape {
    HD Both get(int i) const override { return turn(Shape::get(i)); }
    HD Both member(int i) const { return turn(turn(make(i))); }
};
typedef Both (*Function)(int);
HD Function function_of(int i) { return i % 3 == 0 ? made : i % 3 == 1 ? chosen : deep; }

HD int sum(const Both &u) { return u.second.a * 3 + u.second.b * 5 + u.second.c; }
HD int all(int i) {
    int s = sum(make(i)) + sum(made(i)) * 2 + sum(chosen(i)) * 3 + sum(deep(i)) * 4 + sum(Maker{i & 7}(i)) * 5 + sum(function_of(i)(i)) * 6;
    Wide w = wide(i);
    for (int k = 0; k < 16; k++) s = s * 3 + w.bytes[k];
    Small t = small(i);
    for (int k = 0; k < 4; k++) s = s * 3 + t.bytes[k];
    Holder h = held(i);
    s += h.before + sum(h.u[0]) + sum(h.u[1]) * 9 + h.behind;
    made(i);
    Derived d = derived(i);
    s += sum(d.u) * 7 + d.tail;
    Maybe<double> m = maybe(i * 1.5, i % 3 != 0);
    for (unsigned k = 0; k < (m.has ? 8 : sizeof m.u.bytes); k++) s = s * 3 + m.u.bytes[k];
    if (m.has) s += (int)m.u.full.value;
    Shape shape;
    Other other;
    const Shape *either = i & 1 ? &shape : &other;
    Both (Other::*member)(int) const = i & 2 ? &Other::member : &Other::get;
    const Both &kept = (other.*member)(i);
    Both both[2] = {either->get(i), i & 4 ? made(i) : make(i)};
    s += sum(kept) + sum(both[0]) * 11 + sum(both[1]) * 13;
    return s + made(i).second.b + wide(i).bytes[3];
}

__global__ void kernel(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = all(i);
}

int main() {
    enum { N = 200 };
    int *out, wrong = 0;
    cudaMallocManaged(&out, N * sizeof(int));
    kernel<<<2, N / 2>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < N; i++)
        if (out[i] != all(i) && wrong++ < 5) printf("%d: %d, not %d\n", i, out[i], all(i));
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
