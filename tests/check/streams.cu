// Races between operations of streams, each with its twin that streams, events, the host, edges of graphs or the default
// stream order; memory that is used where no stream orders that with cudaMallocAsync or cudaFreeAsync.
// REQUIRES: run
// RUN: %cucpu --check=race,memory %s -o %t
// RUN: for c in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do CUCPU_CHECK=race %run %t $c 0 > %t.ok 2>&1; FileCheck --check-prefix=OK %s < %t.ok || exit 1; done
// OK-NOT: =========
// OK: no error
// RUN: for c in 0 1 2 3 4 5 6 7 8 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do CUCPU_CHECK=race %run %t $c 1 > %t.bad 2>&1; FileCheck --check-prefix=BAD %s < %t.bad || exit 1; done
// BAD: ========= Error: Race reported between
// RUN: CUCPU_CHECK=race %run %t 6 1 2>&1 | FileCheck --check-prefix=COPY %s
// COPY:      ========= Error: Race reported between Write access at a copy
// COPY-NEXT: =========     and Read access at r(int *, int const *)+0x{{[0-9a-f]+}} in streams.cu:[[#]] [256 hazards]
// COPY-NEXT: =========     for example at __global__ 0x{{[0-9a-f]+}} :
// COPY-NEXT: =========     Write by a copy
// COPY-NEXT: =========     Read Thread (0,0,0) in block (0,0,0) at r(int *, int const *)+0x{{[0-9a-f]+}} in streams.cu:[[#]]
// COPY-NEXT: =========     which no stream, event or edge of a graph orders
// RUN: for c in 18 21 22 23; do CUCPU_CHECK=memory %run %t $c 0 > %t.ok 2>&1; FileCheck --check-prefix=OK %s < %t.ok || exit 1; done
// RUN: CUCPU_CHECK=memory %run %t 22 1 2>&1 | FileCheck --check-prefix=EARLY %s
// EARLY: ========= Invalid __global__ write of size 4 bytes
// EARLY: and is inside an allocation at 0x{{[0-9a-f]+}} of size 256 bytes whose cudaMallocAsync, in another stream, is not ordered before the kernel
#include <cstdio>
#include <cstdlib>
__global__ void w(int *p, int v) { p[threadIdx.x] = v + threadIdx.x; }
__global__ void r(int *o, const int *p) { o[threadIdx.x] = p[threadIdx.x]; }
__global__ void at(int *p) { atomicAdd(p, 1); }
__global__ void flagset(int *p) { p[1] = 5; __threadfence(); atomicExch(p, 1); }
__global__ void flagget(int *p, int *o, int bad) { while (!bad && atomicAdd(p, 0) == 0) {} o[0] = p[1]; }
static void CUDART_CB cb(void *) {}
int main(int, char **v) {
  int n = atoi(v[1]), bad = atoi(v[2]); int *p, *q, *h; cudaStream_t a, b, nb; cudaEvent_t e;
  cudaMalloc(&p, 4096); cudaMalloc(&q, 4096); cudaMallocHost(&h, 4096); cudaMemset(p, 0, 4096); cudaMemset(q, 0, 4096); 
  for (int i = 0; i < 1024; i++) h[i] = 1;
  cudaStreamCreate(&a); cudaStreamCreate(&b); cudaStreamCreateWithFlags(&nb, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  cudaDeviceSynchronize();
  switch (n) {
  case 0: w<<<1, 64, 0, a>>>(p, 1); r<<<1, 64, 0, bad ? b : a>>>(q, p); break;
  case 1: w<<<1, 64, 0, a>>>(p, 1); cudaEventRecord(e, a); if (!bad) cudaStreamWaitEvent(b, e, 0);
    r<<<1, 64, 0, b>>>(q, p); break;
  case 2: w<<<1, 64, 0, bad ? nb : a>>>(p, 1); r<<<1, 64>>>(q, p); break; // legacy orders
  case 3: w<<<1, 64>>>(p, 1); r<<<1, 64, 0, bad ? nb : a>>>(q, p); break;
  case 4: w<<<1, 64, 0, a>>>(p, 1); if (!bad) cudaStreamSynchronize(a); r<<<1, 64, 0, nb>>>(q, p); break;
  case 5: w<<<1, 64, 0, a>>>(p, 1); cudaEventRecord(e, a); if (!bad) cudaEventSynchronize(e);
    else cudaStreamSynchronize(b); r<<<1, 64, 0, nb>>>(q, p); break;
  case 6: cudaMemcpyAsync(p, h, 4096, cudaMemcpyHostToDevice, a); r<<<1, 64, 0, bad ? b : a>>>(q, p); break;
  case 7: w<<<1, 64, 0, a>>>(p, 1); cudaMemcpyAsync(h, p, 4096, cudaMemcpyDeviceToHost, bad ? b : a); break;
  case 8: cudaMemsetAsync(p, 0, 4096, a); cudaMemcpyAsync(p, h, 4096, cudaMemcpyHostToDevice, bad ? b : a); break;
  case 9: r<<<1, 64, 0, a>>>(q, p); r<<<1, 64, 0, b>>>(bad ? q : q + 64, p); break; // two reads, writes disjoint
  case 10: at<<<1, 64, 0, a>>>(p); if (!bad) at<<<1, 64, 0, b>>>(p); else w<<<1, 1, 0, b>>>(p, 1); break;
  case 11: { // graph
    cudaGraph_t g; cudaGraphExec_t x; cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal); 
    cudaEventRecord(e, a); cudaStreamWaitEvent(b, e, 0);
    w<<<1, 64, 0, a>>>(p, 1); cudaEvent_t f; cudaEventCreate(&f); if (!bad) { cudaEventRecord(e, a);
      cudaStreamWaitEvent(b, e, 0); }
    r<<<1, 64, 0, b>>>(q, p); cudaEventRecord(f, b); cudaStreamWaitEvent(a, f, 0);
    cudaStreamEndCapture(a, &g); cudaGraphInstantiate(&x, g, 0); cudaGraphLaunch(x, a); w<<<1, 64, 0, a>>>(q, 1); break; }
  case 12: flagset<<<1, 1, 0, a>>>(p); flagget<<<1, 1, 0, b>>>(p, q, bad); break;
  case 13: w<<<1, 64, 0, a>>>(p, 1); cudaLaunchHostFunc(a, cb, 0); r<<<1, 64, 0, bad ? b : a>>>(q, p);
    cudaStreamSynchronize(a); break;
  case 14: cudaMemcpy(p, h, 4096, cudaMemcpyHostToDevice); r<<<1, 64, 0, nb>>>(q, p); if (bad) w<<<1,64,0,a>>>(p, 3);
    break; // sync copy
  case 15: for (int i = 0; i < 4; i++) { cudaStream_t s = i & 1 ? a : b; int *d = p + 64 * (bad ? i / 2 : i);
    cudaMemcpyAsync(d, h + 64 * i, 256, cudaMemcpyHostToDevice, s); w<<<1, 64, 0, s>>>(d, i);
    cudaMemcpyAsync(h + 64 * i, d, 256, cudaMemcpyDeviceToHost, s); } break;
  case 16: w<<<1, 64, 0, a>>>(p, 1); cudaStreamDestroy(a); a = 0; if (!bad) { cudaDeviceSynchronize();
    } cudaStreamCreate(&a); r<<<1, 64, 0, a>>>(q, p); break;
  case 17: w<<<1, 64, 0, a>>>(p, 1); cudaMemset(bad ? p : q, 0, 64); w<<<1, 64, 0, nb>>>(bad ? p : q + 512, 1); break;
  case 18: { int *m; cudaMallocAsync(&m, 256, a); w<<<1, 64, 0, a>>>(m, 1); cudaFreeAsync(m, a); int *k;
    cudaMallocAsync(&k, 256, a); w<<<1, 64, 0, bad ? b : a>>>(k, 2); break; }
  case 19: w<<<1, 64, 0, cudaStreamPerThread>>>(p, 1); if (bad) r<<<1, 64, 0, nb>>>(q, p); else r<<<1, 64>>>(q, p); break;
  case 21: { int *m; cudaMallocAsync(&m, 256, a); w<<<1, 64, 0, a>>>(m, 1); cudaFreeAsync(m, a); int *k;
    cudaMallocAsync(&k, 256, b); w<<<1, 64, 0, bad ? a : b>>>(k, 2); break; }
  case 22: { int *m; cudaMallocAsync(&m, 256, a); if (!bad) { cudaEventRecord(e, a); cudaStreamWaitEvent(b, e, 0);
    } w<<<1, 64, 0, b>>>(m, 1); break; }
  case 23: { int *m; cudaMallocAsync(&m, 256, a); cudaStreamSynchronize(a); w<<<1, 64, 0, b>>>(m, 1);
    if (!bad) { cudaEventRecord(e, b); cudaStreamWaitEvent(a, e, 0); } cudaFreeAsync(m, a); break; }
  case 24: { // launches of one graph follow each other
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    w<<<1, 64, 0, a>>>(p, 1);
    cudaStreamEndCapture(a, &g);
    cudaGraphInstantiate(&x, g, 0), cudaGraphLaunch(x, a);
    if (!bad) cudaGraphLaunch(x, b);
    r<<<1, 64, 0, b>>>(q, p);
    break; }
  case 20: { // fork join pattern
    cudaEvent_t f; cudaEventCreate(&f); w<<<1, 64, 0, a>>>(p, 1); cudaEventRecord(e, a); cudaStreamWaitEvent(b, e, 0);
      cudaStreamWaitEvent(nb, e, 0);
    w<<<1, 64, 0, b>>>(p + 64, 2); w<<<1, 64, 0, nb>>>(p + 128, 2); cudaEventRecord(e, b); cudaEventRecord(f, nb);
      cudaStreamWaitEvent(a, e, 0); if (!bad) cudaStreamWaitEvent(a, f, 0);
    r<<<1, 64, 0, a>>>(q, p + 128); break; }
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
