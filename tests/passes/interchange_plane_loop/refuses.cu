// Which loops a row of blocks goes through together: those whose threads cannot act on each other, as far as the arguments of a launch
// tell how often, in kernels without a barrier, over places that lie beside each other and are not those of other rows, too.
// RUN: %cucpu --cpu=x86-64-v3 --stop-after=make_variants %s -o %t.ll && grep -o 'define.*interchanged.w[0-9]*' %t.ll | grep -o '[a-z_]*PKf.*interchanged' | sort -u | FileCheck %s
// CHECK: address
// CHECK-NEXT: clamped
// CHECK-NEXT: columns
// CHECK-NEXT: guarded
// CHECK-NEXT: least
// CHECK-NEXT: plainPKf
// CHECK-NOT: PKf
#define PLACE int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, at = y * pitch + x
#define HEAD(name) __global__ void name(const float *in, float *out, int n, int pitch, int plane)
HEAD(plain) {
    PLACE;
    for (int z = 0; z < n; z++) out[z * plane + at] = in[z * plane + at + 1];
}
HEAD(least) {
    PLACE;
    for (int z = 0, least = min(n, 64); z < least; z++) out[z * plane + at] = in[z * plane + at + 1];
}
HEAD(shifted) { // by a number that may be too large: undefined, even where no thread comes to the loop
    PLACE;
    for (int z = 0, end = n << plane; z < end; z++) out[z * plane + at] = in[z * plane + at + 1];
}
HEAD(columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int z = 0; z < n; z++) sum += in[z * pitch + x];
    out[x] = sum;
}
HEAD(guarded) { // nobody interchangedes where n is not positive, and something is done behind the loop
    PLACE;
    if (x < pitch) {
        float sum = 0;
        for (int z = 0; z < n; z++) sum += in[z * plane + at];
        out[at] = sum;
    }
}
HEAD(address) {
    PLACE;
    const float *p = in + at;
    float *q = out + at;
    for (int z = 0; z < n; z++, p += plane, q += plane) *q = *p + p[1];
}
HEAD(clamped) { // neighbours at the border of the plane; gathered there alone
    PLACE;
    int w = x == 0 ? at : at - 1, e = x == pitch - 1 ? at : at + 1;
    for (int z = 0; z < n; z++, at += plane, w += plane, e += plane) out[at] = in[w] + in[e];
}
HEAD(near) { // the next pass is in the same line
    PLACE;
    float sum = 0;
    for (int z = 0; z < n; z++) sum += in[at + z];
    out[at] = sum;
}
HEAD(shared_by_rows) { // rows of a block go together, and share what they load
    PLACE;
    float sum = 0;
    for (int z = 0; z < n; z++) sum += in[z * pitch + x] * in[y * pitch + z];
    out[at] = sum;
}
HEAD(gathered) {
    PLACE;
    for (int z = 0; z < n; z++) out[z * plane + at * 100] = in[z * plane + at];
}
HEAD(polled) {
    PLACE;
    for (int z = 0; z < n; z++) out[z * plane + at] = ((volatile const float *)in)[z * plane + at];
}
HEAD(counted) {
    PLACE;
    for (int z = 0; z < n; z++) atomicAdd(&out[z * plane + at], in[z * plane + at]);
}
HEAD(summed) { // the sum is rounded in the order of the threads
    PLACE;
    float sum = 0;
    for (int z = 0; z < n; z++) sum += in[z * plane + at];
    atomicAdd(out, sum);
}
HEAD(by_data) { // how often depends on the thread
    PLACE;
    for (int z = 0; z < x; z++) out[z * plane + at] = in[z * plane + at];
}
HEAD(left_early) {
    PLACE;
    for (int z = 0; z < n; z++) {
        if (in[z * plane + at] > 3) break;
        out[z * plane + at] = in[z * plane + at];
    }
}
HEAD(twice) {
    PLACE;
    for (int z = 0; z < n; z++) out[z * plane + at] = in[z * plane + at];
    for (int z = 0; z < n; z++) out[z * plane + at] += in[z * plane + at + 1];
}
HEAD(nested) {
    PLACE;
    for (int z = 0; z < n; z++)
        for (int k = 0; k < pitch; k++) out[z * plane + at] += in[k * plane + at];
}
HEAD(meets) {
    PLACE;
    for (int z = 0; z < n; z++) out[z * plane + at] = in[z * plane + at];
    __syncthreads();
}
HEAD(looks_at_thread) { // a thread of another block of the row would be another number
    PLACE;
    for (int z = 0; z < n; z++) out[z * plane + at] = in[z * plane + at] * threadIdx.x;
}
HEAD(carries_much) {
    PLACE;
    float a = 0, b = 1, c = 2, d = 3, e = 4;
    for (int z = 0; z < n; z++) {
        float v = in[z * plane + at];
        out[z * plane + at] = a * v + b;
        a = b, b = c, c = d, d = e, e = v;
    }
}
