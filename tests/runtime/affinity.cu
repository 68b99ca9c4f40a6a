// The first call does not run the caller on each core in turn: on a busy machine it would wait for each of them.
// REQUIRES: run
// RUN: %cucpu %s -o %t -Xlinker --export-dynamic && %run %t | FileCheck %s
// CHECK: 0 changes of affinity
#include <cstdio>
#include <dlfcn.h>
#include <sched.h>

static int changes;

extern "C" int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t *set) noexcept {
    changes++;
    return ((int (*)(pid_t, size_t, const cpu_set_t *))dlsym(RTLD_NEXT, "sched_setaffinity"))(thread, bytes, set);
}

int main() {
    int n = 0;
    void *p;
    if (cudaGetDeviceCount(&n) || n != 1 || cudaMalloc(&p, 64)) return 1;
    printf("%d changes of affinity\n", changes);
}
