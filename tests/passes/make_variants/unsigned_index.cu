// Bytes at unsigned indices are consecutive in the lanes of a group unless an index wraps, which is tested at run time:
// no gathers.  A thread alone counts with as many per vector as its 32-bit counter lets it, not with 64.
// RUN: %cucpu --device-only -c --cpu=x86-64-v4 -Rcucpu %s -o %t 2>&1 | FileCheck %s
// CHECK: occurs: scalar variant {{.*}} starting with width 16
__global__ void occurs(const char *text, const char *pattern, char *found, unsigned n, int length, int steps, int at) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int s = 0; s <= steps; s++) {
        int differences = 0;
        for (int j = 0; j < length; j++)
            if (text[at + i + j] != pattern[s + j]) differences++;
        if (differences < 1) {
            found[i] = 1;
            break;
        }
    }
}
