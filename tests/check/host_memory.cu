// memcheck: host code that touches managed or pinned memory beyond its end, or after it was freed.
// REQUIRES: run
// RUN: %cucpu -g --check=memory %s -o %t
// RUN: %run %t 0 > %t.ok 2>&1 && FileCheck --check-prefix=OK %s < %t.ok
// OK-NOT: =========
// OK: no error
// RUN: not --crash %run %t 1 > %t.freed 2>&1; FileCheck --check-prefix=FREED %s < %t.freed
// FREED:      ========= Invalid write by the host
// FREED-NEXT: =========     at the host in {{.*}}host_memory.cu:[[#]]
// FREED-NEXT: =========     Address 0x{{[0-9a-f]+}} is out of bounds
// FREED-NEXT: =========     and is inside an allocation at 0x{{[0-9a-f]+}} of size 4,096 bytes that was freed
// RUN: not --crash %run %t 2 > %t.beyond 2>&1; FileCheck --check-prefix=BEYOND %s < %t.beyond
// BEYOND:      ========= Invalid read by the host
// BEYOND-NEXT: =========     at the host in {{.*}}host_memory.cu:[[#]]
// BEYOND-NEXT: =========     Address 0x{{[0-9a-f]+}} is out of bounds
// BEYOND-NEXT: =========     and is 0 bytes after the nearest allocation at 0x{{[0-9a-f]+}} of size 1,024 bytes
// RUN: compute-sanitizer %t 1 > %t.out 2>&1; test $? = 139
// RUN: FileCheck --check-prefix=SUMMARY %s < %t.out
// SUMMARY: ========= ERROR SUMMARY: 1 error
#include <cstdio>
#include <cstdlib>
int main(int, char **v) {
    volatile int *managed, *pinned;
    cudaMallocManaged((void **)&managed, 4096), cudaMallocHost((void **)&pinned, 1024);
    managed[1023] = pinned[255] = 1;
    if (atoi(v[1]) == 2) managed[0] = pinned[256];
    cudaFree((void *)managed);
    if (atoi(v[1]) == 1) managed[3] = 1;
    cudaFreeHost((void *)pinned);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
