// Members of a type that is only declared in front of a template, and complete where it is instantiated.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: not %cucpu -DNEVER -c %s -o %t.o 2>&1 | FileCheck --check-prefix=NEVER %s
// RUN: not %cucpu -DPLAIN -c %s -o %t.o 2>&1 | FileCheck --check-prefix=PLAIN %s
union U;
struct S;
template <int L> __device__ int late(U *p) { return p->m + L; }
template <class T> struct Box { __host__ __device__ T get(S *s) { return s->v + sizeof(S); } };
#ifdef NEVER
struct N;
template <int L> __device__ int never(N *p) { return p->m + L; }
__global__ void calls(N *p, int *o) { *o = never<3>(p); }
// NEVER: incomplete_types.cu:[[#@LINE-2]]:{{[0-9]+}}: error: member access into incomplete type 'N'
#endif
#ifdef PLAIN
__device__ int plain(U *p) { return p->m; }
// PLAIN: incomplete_types.cu:[[#@LINE-1]]:{{[0-9]+}}: error: member access into incomplete type 'U'
#endif
union U { int m; float f; };
struct S { long v; };
__global__ void k(U *p, int *o, S *s) { o[0] = late<3>(p), o[1] = Box<int>().get(s); }
int main() {
    U *p;
    int *o;
    S *s;
    cudaMallocManaged(&p, sizeof *p), cudaMallocManaged(&o, 8), cudaMallocManaged(&s, sizeof *s);
    p->m = 4, s->v = 5;
    k<<<1, 1>>>(p, o, s);
    return cudaDeviceSynchronize() || o[0] != 7 || o[1] != 13 || Box<int>().get(s) != 13;
}
