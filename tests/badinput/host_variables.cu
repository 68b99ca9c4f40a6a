// Variables of device code that host code reads or writes by name: a warning for each variable and function, as nvcc has; none for
// addresses of them, for __managed__ variables and for functions that are not compiled for the host.
// RUN: %cucpu -g -c %s -o %t.o 2> %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: FileCheck --check-prefix=NONE %s < %t.txt
// RUN: grep -c warning: %t.txt | FileCheck --check-prefix=COUNT %s
// COUNT: {{^4$}}
// RUN: %cucpu -c %s -o %t.o 2>&1 | FileCheck --check-prefix=PLAIN %s
// RUN: rm %t.o && not %cucpu -Werror -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ERROR %s
// RUN: not test -e %t.o
// RUN: %cucpu -w -c %s -o %t.o 2>&1 | count 0
// PLAIN: host_variables.cu: warning: a __device__ variable 'counter' cannot be directly written in a host function ('set(int)')
// ERROR: host_variables.cu: error: a __device__ variable 'counter' cannot be directly written
// NONE-NOT: {{managed|unused|address|device_only}}
#include <cuda_runtime.h>
struct Pair {
    int first, second;
    __host__ __device__ int sum() const { return first + second; }
};
__device__ int counter = 7, address;
__constant__ float table[4];
__managed__ int managed = 3, unused_managed;
namespace deep {
__device__ Pair pair;
}

__device__ int device_only() { return counter++; }
__global__ void kernel(int *p) { *p = device_only() + (int)table[1] + managed + deep::pair.sum(); }

// CHECK-DAG: host_variables.cu:[[@LINE+2]]:{{[0-9]+}}: warning: a __device__ variable 'counter' cannot be directly written in a host function ('set(int)'); see cudaMemcpyToSymbol
// CHECK-DAG: host_variables.cu:[[@LINE+1]]:{{[0-9]+}}: warning: a __device__ variable 'counter' cannot be directly read in a host function ('set(int)'); see cudaMemcpyFromSymbol
void set(int n) { counter += n, counter = n; }

// CHECK-DAG: host_variables.cu:[[@LINE+1]]:{{[0-9]+}}: warning: a __constant__ variable 'table' cannot be directly read in a host function ('get(int)')
float get(int i) { return table[i]; }

// CHECK-DAG: host_variables.cu:[[@LINE+1]]:{{[0-9]+}}: warning: a __device__ variable 'deep::pair' cannot be directly read in a host function ('copy()')
Pair copy() { return deep::pair; }

int main() {
    int n = 1;
    managed = unused_managed = 4;
    cudaMemcpyToSymbol(counter, &n, sizeof n);
    cudaMemcpyFromSymbol(&n, address, sizeof n);
    return &counter == &address;
}
