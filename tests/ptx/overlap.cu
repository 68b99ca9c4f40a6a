// An instruction reads all its operands before it writes: results in registers that it reads, and in those of its other results.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t print > %t.ptx
// RUN: %cucpu --simd=1 %s %t.ptx -o %t.1 && %run %t.1 | FileCheck %s
// RUN: %cucpu --simd=32 %s %t.ptx -o %t.32 && %run %t.32 | FileCheck %s
// RUN: %also { %cucpu -G %s %t.ptx -o %t.g && %run %t.g | FileCheck %s; }
// RUN: %also { %cucpu --cpu=x86-64-v3 %s %t.ptx -o %t.v3 && %run %t.v3 | FileCheck %s; }
// CHECK: instructions, 0 wrong
// CHECK: warps, 0 wrong
#define OPS_GROUP 1 /* they change what others would read */
#define OPS_FUNCTIONS ".func (.reg .b32 x, .reg .b32 y) swap(.reg .b32 a, .reg .b32 b) { mov.b32 x, b; mov.b32 y, a; ret; }\n"
#include "Inputs/ops.h"

#define LOCAL ".local .align 32 .b64 m[4]; st.local.b64 [m], %rd1; st.local.b64 [m+8], %rd2; st.local.b64 [m+16], %rd3; st.local.b64 [m+24], 7;"
#define FOUR "mov.b64 {%rs1, %rs2, %rs3, %rs4}, %rd1;"
static u64 half(u64 x, int i) { return x >> 16 * i & 0xffff; }
static u64 four(u64 a, u64 b, u64 c, u64 d) { return a | b << 16 | c << 32 | d << 48; }

static const Op ops[] = {
    // mov: vectors, packed words
    ROW('l', FOUR "mov.v4.u16 {%rs1,%rs2,%rs3,%rs4}, {%rs4,%rs1,%rs2,%rs3}; mov.b64 %rd4, {%rs1,%rs2,%rs3,%rs4};", a << 16 | a >> 48)
    ROW('l', FOUR "mov.v4.b16 {%rs4,%rs3,%rs2,%rs1}, {%rs1,%rs2,%rs3,%rs4}; mov.b64 %rd4, {%rs1,%rs2,%rs3,%rs4};",
        four(half(a, 3), half(a, 2), half(a, 1), half(a, 0)))
    ROW('l', "mov.v2.u32 {%r1,%r2}, {%r2,%r1}; mov.b64 %rd4, {%r1,%r2};", (u32)b | a << 32)
    ROW('l', "mov.v2.u64 {%rd1,%rd2}, {%rd2,%rd1}; sub.u64 %rd4, %rd1, %rd2;", b - a)
    ROW('l', "mov.v2.f32 {%f1,%f2}, {%f2,%f1}; mov.b64 %rd4, {%f1,%f2};", (u32)b | a << 32)
    ROW('l', "mov.v2.f64 {%fd1,%fd2}, {%fd2,%fd1}; mov.b64 %rd4, %fd1;", b)
    ROW('l', ".reg .v4 .u32 v; mov.v4.u32 v, {%r1,%r2,%r3,7}; mov.v4.u32 v, {v.w,v.x,v.y,v.z}; mov.b64 %rd4, {v.y, v.w};", (u32)a | c << 32)
    ROW('l', ".reg .v2 .b32 v; mov.v2.b32 v, {%r1,%r2}; mov.v2.b32 {v.y, v.x}, v; mov.b64 %rd4, {v.x, v.y};", (u32)b | a << 32)
    // memory: the address is a result, too
    ROW('l', LOCAL "mov.u64 %rd5, m; ld.local.v2.b64 {%rd5,%rd6}, [%rd5]; sub.u64 %rd4, %rd5, %rd6;", a - b)
    ROW('l', LOCAL "mov.u64 %rd5, m; ld.local.v2.b64 {%rd6,%rd5}, [%rd5+16]; sub.u64 %rd4, %rd5, %rd6;", 7 - c)
    ROW('l', LOCAL "cvta.local.u64 %rd5, m; ld.v2.b64 {%rd5,%rd6}, [%rd5]; sub.u64 %rd4, %rd5, %rd6;", a - b)
    ROW('l', ".local .b64 n; mov.u64 %rd5, n; cvta.local.u64 %rd5, %rd5; st.u64 [%rd5], %rd1; atom.add.u64 %rd5, [%rd5], %rd2; mov.u64 %rd4, %rd5;", a)
    ROW('l', ".local .b64 n; mov.u64 %rd5, n; cvta.local.u64 %rd5, %rd5; st.u64 [%rd5], %rd1; atom.cas.b64 %rd1, [%rd5], %rd1, %rd2; ld.u64 %rd6, [%rd5];"
        "sub.u64 %rd4, %rd1, %rd6;", a - b)
    // two predicates, of which one is read
    ROW('r', "setp.lt.and.u32 %p1|%p2, %r1, %r2, %p1; selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 2, 0, %p2; or.b32 %r4, %r4, %r5;",
        ((u32)a < (u32)b && a & 1) | ((u32)a >= (u32)b && a & 1) << 1)
    ROW('r', "setp.lt.xor.u32 %p2|%p1, %r1, %r2, %p2; selp.u32 %r4, 1, 0, %p2; selp.u32 %r5, 2, 0, %p1; or.b32 %r4, %r4, %r5;",
        (((u32)a < (u32)b) ^ (b & 1)) | (((u32)a >= (u32)b) ^ (b & 1)) << 1)
    ROW('r', "setp.gt.or.s32 %p1|%p2, %r1, %r2, !%p2; selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 2, 0, %p2; or.b32 %r4, %r4, %r5;",
        ((s32)a > (s32)b || !(b & 1)) | (!((s32)a > (s32)b) || !(b & 1)) << 1)
    ROW('r', "@%p1 setp.lt.and.u32 %p1|%p2, %r1, %r2, %p1; selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 2, 0, %p2; or.b32 %r4, %r4, %r5;",
        a & 1 ? ((u32)a < (u32)b) | ((u32)a >= (u32)b) << 1 : (b & 1) << 1)
    ROW('r', "lop3.or.b32 %r1|%p1, %r1, %r2, %r3, 0x96, %p1; selp.u32 %r5, 1, 0, %p1; xor.b32 %r4, %r1, %r5;",
        ((u32)(a ^ b ^ c)) ^ ((u32)(a ^ b ^ c) != 0 || a & 1))
    // results of twice the size, parts of words
    ROW('l', "mad.wide.u32 %rd3, %r1, %r2, %rd3; mov.u64 %rd4, %rd3;", (u64)(u32)a * (u32)b + c)
    ROW('r', "vadd.u32.u32.u32 %r1.b1, %r1.b0, %r1.b2, %r1; mov.b32 %r4, %r1;", ((u32)a & 0xffff00ff) | (((u32)a + ((u32)a >> 16)) & 255) << 8)
    ROW('r', "vadd4.u32.u32.u32 %r1, %r1.b1032, %r1.b7654, %r1; mov.b32 %r4, %r1;",
        [](u32 x, u32 r) { u32 t = 0; for (int i = 0; i < 4; i++) t |= (((x >> (16 + 8 * i) % 32) + (x >> 8 * i)) & 255) << 8 * i; return (void)r, t; }((u32)a, 0))
    // carries: read, then written
    ROW('l', "add.cc.u32 %r1, %r1, %r1; addc.cc.u32 %r1, %r1, %r1; addc.u32 %r2, %r2, %r2; mov.b64 %rd4, {%r1,%r2};",
        [](u32 x, u32 y) { u64 s = 2ull * (u32)(2 * x) + (x >> 31); return (u32)s | (u64)(u32)(2 * y + (s >> 32)) << 32; }((u32)a, (u32)b))
    ROW('l', "sub.cc.u32 %r1, %r2, %r1; subc.u32 %r2, %r1, %r2; mov.b64 %rd4, {%r1,%r2};",
        (u32)(b - a) | (u64)(u32)((u32)(b - a) - (u32)b - ((u32)b < (u32)a)) << 32)
    ROW('l', "mad.lo.cc.u64 %rd1, %rd1, %rd2, %rd3; madc.hi.u64 %rd1, %rd1, %rd2, %rd1; mov.u64 %rd4, %rd1;",
        [](u64 x, u64 y, u64 z) { u64 p = x * y, s = p + z; return (u64)((unsigned __int128)s * y >> 64) + s + (s < p); }(a, b, c))
    // functions: results that are arguments
    ROW('l', "{ .reg .b32 x, y; mov.b32 x, %r1; mov.b32 y, %r2; call (x, y), swap, (x, y); mov.b64 %rd4, {x, y}; }", (u32)b | a << 32)
};

/* Of whole warps: each thread has the lane's number in r1, and leaves one word. */
struct Warp {
    const char *text;
    u32 (*reference)(u32 lane);
};
#define WARP(text, ...) {text, [](u32 lane) -> u32 { (void)lane; return (u32)(__VA_ARGS__); }},
#define PRODUCT "mov.b32 %r8, %r1; mov.b32 %r9, 3; mov.b32 %r10, %r1; mov.b32 %r11, 5;"                                                  \
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r12,%r13,%r14,%r15}, {%r8,%r9,%r10,%r11}, {%r8,%r11}, {%r8,%r9,%r10,%r11};"
static const Warp warps[] = {
    WARP("xor.b32 %r2, %r1, 1; shfl.sync.idx.b32 %r2|%p1, %r1, %r2, 31, -1; mov.b32 %r4, %r2;", lane ^ 1)
    WARP("shfl.sync.bfly.b32 %r1|%p1, %r1, 3, 31, -1; mov.b32 %r4, %r1;", lane ^ 3)
    WARP("setp.lt.u32 %p1, %r1, 8; vote.sync.any.pred %p1, %p1, -1; selp.u32 %r4, 1, 0, %p1;", 1)
    WARP("mov.b32 %r2, 7; match.all.sync.b32 %r2|%p1, %r2, -1; selp.u32 %r4, %r2, 0, %p1;", ~0u)
    WARP("and.b32 %r2, %r1, 3; match.any.sync.b32 %r2, %r2, -1; mov.b32 %r4, %r2;", 0x11111111u << (lane & 3))
    WARP(PRODUCT "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r8,%r9,%r10,%r11}, {%r8,%r9,%r10,%r11}, {%r8,%r11}, {%r8,%r9,%r10,%r11};"
         "sub.u32 %r12,%r12,%r8; sub.u32 %r13,%r13,%r9; sub.u32 %r14,%r14,%r10; sub.u32 %r15,%r15,%r11;"
         "or.b32 %r4,%r12,%r13; or.b32 %r4,%r4,%r14; or.b32 %r4,%r4,%r15;", 0)
    WARP(PRODUCT "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r11,%r8,%r9,%r10}, {%r8,%r9,%r10,%r11}, {%r8,%r11}, {%r8,%r9,%r10,%r11};"
         "sub.u32 %r12,%r12,%r11; sub.u32 %r13,%r13,%r8; sub.u32 %r14,%r14,%r9; sub.u32 %r15,%r15,%r10;"
         "or.b32 %r4,%r12,%r13; or.b32 %r4,%r4,%r14; or.b32 %r4,%r4,%r15;", 0)
    WARP("shl.b32 %r2, %r1, 4; mov.u32 %r3, sm; add.u32 %r2, %r2, %r3; st.shared.b32 [%r2], %r1; bar.warp.sync -1;"
         "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r2, %r3}, [%r2]; mov.b32 %r4, %r3;", lane % 4 ? ~0u : 8 + lane / 4)
};
enum { WARPS = sizeof warps / sizeof *warps };

static int run_warps() {
    std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
        ".shared .align 16 .b8 sm[512]; .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<4>; ld.param.u64 %rd1, [out]; mov.u32 %r16, %tid.x;\n"
        "mul.wide.u32 %rd2, %r16, 4; add.u64 %rd1, %rd1, %rd2; mov.u32 %r17, sm; mad.lo.u32 %r17, %r16, 16, %r17;\n"
        "st.shared.v4.b32 [%r17], {-1,-1,-1,-1}; bar.sync 0;\n";
    for (int i = 0; i < WARPS; i++) {
        text += "{ mov.b32 %r1, %r16; ";
        text += warps[i].text;
        text += " st.global.b32 [%rd1+" + std::to_string(128 * i) + "], %r4; }\n";
    }
    text += "ret; }\n";
    static u32 out[32 * WARPS];
    CUmodule m;
    CUfunction f;
    void *p = out, *args[] = {&p};
    cudaHostRegister(out, sizeof out, 0);
    int bad = 0, r = cuModuleLoadData(&m, text.c_str());
    if (!r) r = cuModuleGetFunction(&f, m, "k");
    if (!r) r = cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, 0);
    if (!r) r = cuCtxSynchronize();
    if (r) return printf("warps: error %d\n", r), 1;
    for (int i = 0; i < WARPS; i++)
        for (u32 lane = 0; lane < 32; lane++)
            if (out[32 * i + lane] != warps[i].reference(lane)) bad++, printf("%s: lane %u: %x\n", warps[i].text, lane, out[32 * i + lane]);
    printf("%d warps, %d wrong\n", WARPS, bad);
    return bad != 0;
}

int main(int argc, char **argv) {
    int bad = run_ops(ops, sizeof ops / sizeof *ops, argc, argv);
    return argc > 1 ? bad : bad | run_warps();
}
