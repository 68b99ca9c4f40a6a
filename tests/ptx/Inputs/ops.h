/* ops.h: a table of PTX instructions, each with its meaning in C; compared for many operands.
**
** ROW(kind, "text", c): text computes register 4 from 1, 2, 3 (%rs %r %rd %f %fd %p, of the low bits of three 64-bit
** inputs); kind says which register 4 is the result; c is the same in C, of a, b, c (uint64_t).
** `prog print` prints the PTX; without an argument the kernels are launched: linked in, or compiled at once. */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <string>
#include <vector>

typedef uint64_t u64;
typedef uint32_t u32;
typedef int32_t s32;
typedef int64_t s64;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint8_t u8;
typedef int8_t s8;

static float F(u64 x) { u32 y = (u32)x; float f; memcpy(&f, &y, 4); return f; }
static double D(u64 x) { double f; memcpy(&f, &x, 8); return f; }
static u64 B(float f) { u32 x; memcpy(&x, &f, 4); return x; }
static u64 B(double f) { u64 x; memcpy(&x, &f, 8); return x; }

struct Op {
    char kind; /* h: 16 bits, r, l: 64, f, d, p */
    const char *text;
    u64 (*reference)(u64, u64, u64);
};
#define ROW(kind, text, ...) {kind, text, [](u64 a, u64 b, u64 c) -> u64 { (void)a, (void)b, (void)c; return (u64)(__VA_ARGS__); }},

#ifndef OPS_GROUP
#define OPS_GROUP 12
#endif
#ifndef OPS_FUNCTIONS
#define OPS_FUNCTIONS "" /* that the instructions call */
#endif
enum { GROUP = OPS_GROUP, COUNT = 1021 }; /* instructions of a kernel; threads */

static std::string ptx_of(const Op *ops, int n) {
    std::string s = ".version 8.0\n.target sm_90\n.address_size 64\n" OPS_FUNCTIONS;
    for (int i = 0; i < n; i++) {
        if (i % GROUP == 0)
            s += ".visible .entry op" + std::to_string(i / GROUP) + "(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
             "\t.reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>; .reg .f32 %f<9>; .reg .f64 %fd<9>;\n"
             "\tld.param.u64 %rd10, [in]; ld.param.u64 %rd11, [out]; ld.param.u32 %r10, [n];\n"
             "\tmov.u32 %r11, %ctaid.x; mov.u32 %r12, %ntid.x; mov.u32 %r13, %tid.x; mad.lo.u32 %r14, %r11, %r12, %r13;\n"
             "\tsetp.ge.u32 %p8, %r14, %r10;\n\t@%p8 bra done;\n\tmul.wide.u32 %rd12, %r14, 24; add.s64 %rd13, %rd10, %rd12;\n"
             "\tld.global.u64 %rd1, [%rd13]; ld.global.u64 %rd2, [%rd13+8]; ld.global.u64 %rd3, [%rd13+16];\n"
             "\tcvt.u32.u64 %r1, %rd1; cvt.u32.u64 %r2, %rd2; cvt.u32.u64 %r3, %rd3;\n"
             "\tcvt.u16.u64 %rs1, %rd1; cvt.u16.u64 %rs2, %rd2; cvt.u16.u64 %rs3, %rd3;\n"
             "\tmov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3; mov.b64 %fd1, %rd1; mov.b64 %fd2, %rd2; mov.b64 %fd3, %rd3;\n"
             "\tand.b32 %r15, %r1, 1; setp.eq.u32 %p1, %r15, 1; and.b32 %r15, %r2, 1; setp.eq.u32 %p2, %r15, 1;\n"
             "\tand.b32 %r15, %r3, 1; setp.eq.u32 %p3, %r15, 1;\n\tmul.wide.u32 %rd12, %r14, 8; add.s64 %rd13, %rd11, %rd12;\n";
        s += "\t{ ";
        s += ops[i].text;
        s += " }\n";
        switch (ops[i].kind) {
        case 'h': s += "\tcvt.u64.u16 %rd4, %rs4;\n"; break;
        case 'r': s += "\tcvt.u64.u32 %rd4, %r4;\n"; break;
        case 'f': s += "\tmov.b32 %r4, %f4; cvt.u64.u32 %rd4, %r4;\n"; break;
        case 'd': s += "\tmov.b64 %rd4, %fd4;\n"; break;
        case 'p': s += "\tselp.u64 %rd4, 1, 0, %p4;\n"; break;
        }
        s += "\tst.global.u64 [%rd13+" + std::to_string(i % GROUP * COUNT * 8) + "], %rd4;\n";
        if (i % GROUP == GROUP - 1 || i == n - 1) s += "done:\n\tret;\n}\n";
    }
    return s;
}

static u64 next_random(u64 *s) {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* Operands: small ones, those at the borders, random bits, floats of all kinds. */
static u64 operand(u64 *s, int how) {
    static const u64 special[] = {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x7fffffff,
                                  0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x3f800000,
                                  0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000100, 0x80000001, 0x4f000000, 0x3ff0000000000000,
                                  0x7ff0000000000000, 0xfff8000000000000, 0x41e0000000000000, 0x3fefffffe0000000, 0x0000000000000001};
    u64 r = next_random(s);
    if (how == 0) return special[r % (sizeof special / sizeof *special)];
    if (how == 1) return r % 70;
    if (how == 2) return B((float)((s64)(r >> 20) % 100000) / 64.0f) | r << 32;
    if (how == 3) return B((double)((s64)(r >> 20) % 1000000) / 64.0);
    return r;
}

static bool is_nan(char kind, u64 x) { return kind == 'f' ? F(x) != F(x) : kind == 'd' && D(x) != D(x); }

/* What a GPU does not know is left out and told; the others are compared. */
static int run_ops(const Op *ops, int n, int argc, char **argv, double ulps = 0);
static int run_known(const Op *ops, int n, double ulps) {
    std::vector<Op> known;
    for (int i = 0; i < n; i++) {
        CUmodule m;
        if (cuModuleLoadData(&m, ptx_of(ops + i, 1).c_str())) printf("left out: %s\n", ops[i].text);
        else known.push_back(ops[i]), cuModuleUnload(m);
    }
    if ((int)known.size() < n) run_ops(known.data(), (int)known.size(), 1, nullptr, ulps);
    return 1;
}

/* ulps: for results that are approximations; 0: all bits, but any NaN is a NaN. */
static int run_ops(const Op *ops, int n, int argc, char **argv, double ulps) {
    (void)argv;
    std::string text = ptx_of(ops, n);
    if (argc > 1) return fputs(text.c_str(), stdout) < 0;
    CUmodule m;
    cudaFree(0); /* makes the context */
    CUresult r = cuModuleLoadData(&m, text.c_str());
    if (r) return printf("cuModuleLoadData: %d\n", r), run_known(ops, n, ulps);
    std::vector<u64> in(3 * COUNT), out(GROUP * COUNT);
    cudaHostRegister(in.data(), in.size() * sizeof(u64), 0); /* on a GPU, too, the kernels then reach them */
    cudaHostRegister(out.data(), out.size() * sizeof(u64), 0);
    int bad = 0;
    u64 seed = 88172645463325252ull;
    for (int i = 0; i < n; i++) {
        const u64 *of = &out[i % GROUP * COUNT];
        if (i % GROUP == 0) {
            for (int k = 0; k < 3 * COUNT; k++) in[k] = operand(&seed, (int)(next_random(&seed) % 6));
            CUdeviceptr pi = (CUdeviceptr)in.data(), po = (CUdeviceptr)out.data();
            u32 count = COUNT;
            void *args[] = {&pi, &po, &count};
            CUfunction f;
            if (cuModuleGetFunction(&f, m, ("op" + std::to_string(i / GROUP)).c_str())) return printf("op%d is missing\n", i), 1;
            if ((r = cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, 0, args, 0)) || (r = cuCtxSynchronize())) return printf("launch: %d\n", r), 1;
        }
        for (int k = 0, shown = 0; k < COUNT && shown < 3; k++) {
            u64 want = ops[i].reference(in[3 * k], in[3 * k + 1], in[3 * k + 2]), got = of[k];
            if (ops[i].kind == 'h') want &= 0xffff;
            if (ops[i].kind == 'r' || ops[i].kind == 'f') want &= 0xffffffff;
            if (ops[i].kind == 'p') want = want != 0;
            if (want == got || (is_nan(ops[i].kind, want) && is_nan(ops[i].kind, got))) continue;
            if (ulps && fabs(F(want) - F(got)) <= ulps * ldexp(fabs(F(want)), -23)) continue;
            printf("%s\n  %016llx %016llx %016llx: %016llx instead of %016llx\n", ops[i].text, (long long)in[3 * k],
                   (long long)in[3 * k + 1], (long long)in[3 * k + 2], (long long)got, (long long)want);
            shown++;
            bad++;
        }
    }
    cudaHostUnregister(in.data());
    cudaHostUnregister(out.data());
    printf("%d instructions, %d wrong\n", n, bad);
    return bad != 0;
}
