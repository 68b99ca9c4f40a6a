// mma with scales of blocks of rows and columns (.block_scale) against a host reference.
// REQUIRES: run
// RUN: %cucpu -arch=sm_120a --simd=16 %s -o %t && %run %t
// RUN: %also { %cucpu -arch=sm_120a --simd=1 %s -o %t.1 && %run %t.1; }
#include <cmath>
#include <cstdint>
#include <cstdio>

typedef uint32_t u32;
static int bad;
static u32 state = 3;
static u32 next_random() { return state = state * 1664525 + 1013904223, state >> 8; }

/* Registers of a lane: a, b, c, factors of a, of b. */
struct Lane {
    u32 a[4], b[2];
    float c[4];
    u32 of_a, of_b;
};

#define MMA(text, bytes_a, bytes_b)                                                                                    \
    asm volatile("mma.sync.aligned." text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}, {%10}, {%11, 1}, %12, {%13, 3};" \
                 : "+f"(l.c[0]), "+f"(l.c[1]), "+f"(l.c[2]), "+f"(l.c[3])                                              \
                 : "r"(l.a[0]), "r"(l.a[1]), "r"(l.a[2]), "r"(l.a[3]), "r"(l.b[0]), "r"(l.b[1]), "r"(l.of_a), "h"(bytes_a), "r"(l.of_b), "h"(bytes_b))

__global__ void products(Lane *lanes, int form) {
    Lane l = lanes[threadIdx.x];
    unsigned short one = 1, two = 2, none = 0;
    if (form == 0) MMA("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0", two, one);
    if (form == 1) MMA("m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0", two, none);
    if (form == 2) MMA("m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3", none, none);
    lanes[threadIdx.x] = l;
}

static double small(u32 v, int mantissa, int bits, int bias) {
    u32 e = v >> mantissa & ((1u << (bits - 1 - mantissa)) - 1), m = v & ((1u << mantissa) - 1);
    double x = e ? ldexp(1 + ldexp(m, -mantissa), (int)e - bias) : ldexp(m, 1 - bias - mantissa);
    return v >> (bits - 1) & 1 ? -x : x;
}

static void check(int form) {
    bool four = form > 0;
    int k = four ? 64 : 32, blocks = form == 0 ? 1 : form == 1 ? 2 : 4, bits = four ? 4 : 8, per = 32 / bits;
    int byte_a = form == 2 ? 0 : 2, byte_b = form == 0 ? 1 : 0;
    static u32 a[16][64], b[8][64], fa[16][4], fb[8][4];
    Lane *lanes;
    cudaMallocManaged(&lanes, 32 * sizeof(Lane));
    for (auto &row : a)
        for (auto &x : row) x = four ? next_random() & 15 : (next_random() & 0x87) | 0x38;
    for (auto &row : b)
        for (auto &x : row) x = four ? next_random() & 15 : (next_random() & 0x83) | 0x3c;
    for (int r = 0; r < 16; r++)
        for (int i = 0; i < 4; i++) {
            fa[r][i] = form == 2 ? 0x30 + next_random() % 16 : 126 + next_random() % 3;
            if (r < 8) fb[r][i] = form == 2 ? 0x30 + next_random() % 16 : 126 + next_random() % 3;
        }
    for (int t = 0; t < 32; t++) {
        Lane l = {};
        for (int w = 0; w < 4; w++) /* word w: row + 8 * (w & 1), elements from 4 words further on for w & 2 */
            for (int i = 0; i < per; i++) {
                int at = (w / 2 * 4 + t % 4) * per + i;
                l.a[w] |= a[t / 4 + w % 2 * 8][at] << i * bits;
                if (w % 2 == 0) l.b[w / 2] |= b[t / 4][at] << i * bits;
            }
        for (int i = 0; i < 4; i++) l.c[i] = (float)(int)(next_random() % 9);
        l.of_a = l.of_b = 0x5a5a5a5a;
        for (int i = 0; i < blocks; i++) {
            u32 mask_a = 255u << 8 * (byte_a + i), mask_b = 255u << 8 * (byte_b + i);
            if (t % 4 >= 2) l.of_a = (l.of_a & ~mask_a) | fa[t / 4 + t % 2 * 8][i] << 8 * (byte_a + i);
            if (t % 4 == 3) l.of_b = (l.of_b & ~mask_b) | fb[t / 4][i] << 8 * (byte_b + i);
        }
        lanes[t] = l;
    }
    float before[32][4];
    for (int t = 0; t < 32; t++)
        for (int i = 0; i < 4; i++) before[t][i] = lanes[t].c[i];
    products<<<1, 32>>>(lanes, form);
    if (cudaDeviceSynchronize()) bad++, printf("form %d: error\n", form);
    for (int t = 0; t < 32; t++)
        for (int i = 0; i < 4; i++) {
            int row = t / 4 + i / 2 * 8, column = t % 4 * 2 + i % 2;
            double want = before[t][i];
            for (int x = 0; x < k; x++) {
                int block = x * blocks / k;
                double va = four ? small(a[row][x], 1, 4, 1) : small(a[row][x], 3, 8, 7), vb = four ? small(b[column][x], 1, 4, 1) : small(b[column][x], 2, 8, 15);
                double sa = form == 2 ? small(fa[row][block], 3, 8, 7) : ldexp(1, (int)fa[row][block] - 127);
                double sb = form == 2 ? small(fb[column][block], 3, 8, 7) : ldexp(1, (int)fb[column][block] - 127);
                want += va * sa * vb * sb;
            }
            if (lanes[t].c[i] != want && bad++ < 5) printf("form %d, row %d, column %d: %g instead of %g\n", form, row, column, lanes[t].c[i], want);
        }
    cudaFree(lanes);
}

int main() {
    for (int form = 0; form < 3; form++) check(form);
    return bad != 0;
}
