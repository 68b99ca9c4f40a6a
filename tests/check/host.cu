// Accesses of the host to managed and pinned memory, each with its twin that waits for the operation.
// REQUIRES: run
// RUN: %cucpu --check=race %s -o %t
// RUN: for c in 0 1 2 3 4 5 6 7 8 9 10 11 12; do %run %t $c 0 > %t.ok 2>&1; FileCheck --check-prefix=OK %s < %t.ok || exit 1; done
// OK-NOT: =========
// OK: no error
// RUN: for c in 0 1 2 3 4 5 6 7 8 9 11 12; do %run %t $c 1 > %t.bad 2>&1; FileCheck --check-prefix=BAD %s < %t.bad || exit 1; done
// BAD: ========= Error: Race reported between
// RUN: %run %t 0 1 2>&1 | FileCheck --check-prefix=READ %s
// READ: ========= Error: Race reported between Write access at w(int *, int)+0x{{[0-9a-f]+}} in host.cu:[[#]]
// READ-NEXT: =========     and Read access at the host
// READ: ========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
// RUN: env CUCPU_CHECK='race;no-host' %run %t 0 1 2>&1 | FileCheck --check-prefix=OK %s
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
__global__ void w(int *p, int v) { p[threadIdx.x] = v + threadIdx.x; }
__global__ void r(int *o, const int *p) { o[threadIdx.x] = p[threadIdx.x]; }
__global__ void pub(int *d, volatile int *f) { d[0] = 42; __threadfence_system(); *f = 1; }
static void CUDART_CB cb(void *q) { *(int *)q += 1; }
int main(int, char **v) {
  int n = atoi(v[1]), bad = atoi(v[2]), *m, *h, *d, sum = 0; cudaStream_t a, b; cudaStreamCreate(&a);
    cudaStreamCreate(&b); cudaEvent_t e; cudaEventCreate(&e);
  cudaMallocManaged(&m, 1 << 16); cudaMallocHost(&h, 1 << 16); cudaMalloc(&d, 1 << 16);
  for (int i = 0; i < 1024; i++) m[i] = i, h[i] = i;
  switch (n) {
  case 0: w<<<1, 64>>>(m, 1); if (!bad) cudaDeviceSynchronize(); for (int i = 0; i < 64; i++) sum += m[i]; break;
  case 1: r<<<1, 64>>>(d, m); if (!bad) cudaDeviceSynchronize(); m[3] = 5; break;
  case 2: w<<<1, 64, 0, a>>>(d, 1); cudaMemcpyAsync(h, d, 256, cudaMemcpyDeviceToHost, a);
    if (!bad) cudaStreamSynchronize(a); sum = h[3]; break;
  case 3: cudaMemcpyAsync(d, h, 256, cudaMemcpyHostToDevice, a); if (!bad) cudaStreamSynchronize(a);
    memset(h, 0, 256); break;
  case 4: w<<<1, 64>>>(m, 1); if (!bad) sum = m[100]; else sum = m[10]; break; // neighbour in the page
  case 5: w<<<1, 64, 0, a>>>(m, 1); cudaEventRecord(e, a); if (!bad) cudaEventSynchronize(e);
    else cudaStreamSynchronize(b); sum = m[1]; break;
  case 6: pub<<<1, 1>>>(m, h); if (!bad) while (!((volatile int *)h)[0]) {} sum = m[0]; break;
  case 7: w<<<1, 64, 0, a>>>(m, 1); cudaLaunchHostFunc(a, cb, m); if (!bad) cudaStreamSynchronize(a); sum = m[0];
    break;
  case 8: w<<<1, 64>>>(m, 1); cudaMemcpy(h, d, 64, cudaMemcpyDeviceToHost); sum = m[0];
    if (bad) { w<<<1, 64, 0, a>>>(m, 1); sum += m[0]; } break; // sync copy on legacy waits
  case 9: r<<<1, 64>>>(d, m); sum = m[5]; if (bad) m[6] = 1; break; // both read
  case 10: { std::vector<int> x(64); cudaMemcpyAsync(d, x.data(), 256, cudaMemcpyHostToDevice, a); x[0] = 4;
    w<<<1, 64, 0, a>>>(d, 1); cudaMemcpyAsync(x.data(), d, 256, cudaMemcpyDeviceToHost, a); sum = x[0];
    if (bad) w<<<1,64,0,b>>>(d,1); break; } // pageable
  case 11: w<<<1, 64>>>(m, 1); while (cudaStreamQuery(0) == cudaErrorNotReady) {} sum = m[0];
    if (bad) { w<<<1, 64>>>(m, 1); m[1]++; } break;
  case 12: cudaMemset(m, 0, 256); sum = m[0]; if (bad) cudaMemsetAsync(m, 0, 256, a), sum = m[0]; break;
  }
  printf("%d\n", sum);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
