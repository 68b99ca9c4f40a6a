// nvprof --metrics: what kernels compiled with --profile=lanes have counted, as nvprof prints metrics.
// REQUIRES: run
// RUN: %cucpu --profile=lanes --simd=8 %s -o %t && nvprof -m flop_count_sp,branch_efficiency --metrics flop_count_dp,bytes_stored %run %t > %t.out 2> %t.txt
// RUN: grep done %t.out && FileCheck %s < %t.txt
// CHECK: ==[[PID:[0-9]+]]== Profiling application: {{.*}}metrics.cu.tmp
// CHECK-NEXT: ==[[PID]]== Metric result:
// CHECK-NEXT: Invocations Metric Name Metric Description Min Max Avg
// CHECK-NEXT: Device "cucpu
// CHECK-NEXT: Kernel: once(float*)
// CHECK-NEXT: 1 flop_count_sp Floating Point Operations(Single Precision) 512 512 512
// CHECK-NEXT: 1 flop_count_dp Floating Point Operations(Double Precision) 0 0 0
// CHECK-NEXT: 1 bytes_stored {{.*}} 1024 1024 1024
// CHECK-NEXT: 1 branch_efficiency Branch Efficiency 100.00% 100.00% 100.00%
// CHECK-NEXT: Kernel: twice(double*)
// CHECK-NEXT: 2 flop_count_sp {{.*}} - - 0
// CHECK-NEXT: 2 flop_count_dp {{.*}} - - 64
// CHECK-NEXT: 2 bytes_stored {{.*}} - - 1024
// CHECK-NEXT: 2 branch_efficiency Branch Efficiency 0.00% 0.00% 0.00%
// RUN: nvprof --csv -q --log-file %t.csv -m all %t && FileCheck --check-prefix=CSV %s < %t.csv
// CSV: {{^}}"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"
// CSV: "once(float*)",1,"flop_count_sp","Floating Point Operations(Single Precision)",512,512,512
// CSV: "twice(double*)",2,"flop_count_dp","Floating Point Operations(Double Precision)",,,64
// RUN: nvprof --query-metrics | FileCheck --check-prefix=LIST %s
// LIST: flop_count_sp: Floating Point Operations(Single Precision)
// RUN: sh -c 'nvprof -m dram_read_bytes %t; test $? = 255' 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// UNKNOWN: nvprof: error: --metrics: 'dram_read_bytes': is none of those that --query-metrics lists
// RUN: %cucpu %s -o %t.plain && sh -c 'nvprof -m all %t.plain; test $? = 255' 2>&1 | FileCheck --check-prefix=PLAIN %s
// PLAIN: nvprof: error: --metrics: {{.*}}no kernel has counted; compile it with cucpu --profile=lanes
#include <cstdio>

__global__ void once(float *x) { x[threadIdx.x] = x[threadIdx.x] * 2 + 1; }

// Every second lane has a root.
__global__ void twice(double *y) {
    double v = 0;
    if (threadIdx.x & 1) v = sqrt(y[threadIdx.x]);
    y[threadIdx.x] = v;
}

int main() {
    float *x;
    double *y;
    cudaMalloc(&x, 1024), cudaMalloc(&y, 2048);
    cudaMemset(x, 0, 1024), cudaMemset(y, 0, 2048);
    once<<<1, 256>>>(x);
    for (int i = 0; i < 2; i++) twice<<<1, 128>>>(y);
    if (!cudaDeviceSynchronize()) puts("done");
}
