# growth.py: compile time of generated PTX by its size: modules and kernels as compilers write them that unroll.
# Prints CPU seconds for n, 2n, 4n statements; --check: fails if eight times as many take more than 15 times as long.
import argparse
import os
import resource
import subprocess
import sys
import tempfile

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
REGISTERS = ".reg .b32 %r<100>; .reg .f32 %f<100>; .reg .b64 %rd<20>; .reg .pred %p<8>;\n"
START = ("ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pb]; ld.param.u32 %r9, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd5, %r1, 4;\n"
         "add.u64 %rd3, %rd2, %rd5; add.u64 %rd4, %rd1, %rd5; cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, %f1; mov.u32 %r2, %r1; mov.u32 %r8, 0;\n")
WMMA = "sync.aligned"
FACTOR = "{" + ", ".join(f"%r{k}" for k in range(20, 28)) + "}"
SUM = "{" + ", ".join(f"%f{k}" for k in range(20, 28)) + "}"


def kernel(statements, loop=True, name="k"):
    body = "".join(s + "\n" for s in statements)
    if loop: body = f"L:\n{body}add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, %r9; @%p1 bra L;\n"
    return (f".visible .entry {name}(.param .u64 pa, .param .u64 pb, .param .u32 n) {{\n.shared .align 128 .b8 sm[32768];\n" + REGISTERS + START + body +
            "st.global.f32 [%rd3], %f2; st.global.u32 [%rd3+4096], %r2; ret;\n}\n")


# how many statements are "n", and the text; those with all=True are compiled to the end, the others up to LLVM's passes
KINDS = {
    "loads": (400, False, lambda n: kernel([f"ld.global.u32 %r3, [%rd4+{4096 * k}]; xor.b32 %r2, %r2, %r3; st.global.u32 [%rd3+{4096 * k}], %r2;" for k in range(n)])),
    "fences": (250, False, lambda n: kernel(["membar.gl;"] + [f"ld.global.u32 %r3, [%rd1+{4 * k}]; add.u32 %r2, %r2, %r3; st.global.u32 [%rd3+{4096 * k}], %r2;" for k in range(n)])),
    "volatile": (250, False, lambda n: kernel([f"ld.volatile.shared.u32 %r3, [sm+{4 * k}]; add.u32 %r2, %r2, %r3; st.volatile.shared.u32 [sm+{4 * k + 4096}], %r2;" for k in range(n)])),
    "shared": (600, False, lambda n: kernel([f"ld.shared.u32 %r3, [sm+{4 * k}]; add.u32 %r2, %r2, %r3;" for k in range(n)])),
    "textures": (2, False, lambda n: kernel([f"add.f32 %f3, %f1, 0f{0x3f000000 + 4096 * k:08X}; tex.2d.v4.f32.f32 {{%f4, %f5, %f6, %f7}}, [%rd1, {{%f3, %f2}}];"
                                             f"sub.f32 %f8, %f4, %f2; ex2.approx.f32 %f9, %f8; fma.rn.f32 %f2, %f4, %f9, %f2;" for k in range(n)])),
    "matrices": (32, True, lambda n: kernel([f"wmma.load.a.{WMMA}.row.m16n16k16.shared.f16 {FACTOR}, [sm+{k * 32 % 8192}], 16; wmma.mma.{WMMA}.row.col.m16n16k16.f32.f32 {SUM}, {FACTOR}, {FACTOR}, {SUM};"
                                             f"add.f32 %f2, %f2, %f20;" for k in range(n)])),
    "shuffles": (100, False, lambda n: kernel([f"setp.lt.u32 %p2, %r1, {k % 31 + 1}; @%p2 bra A{k}; activemask.b32 %r4; shfl.sync.bfly.b32 %r3, %r2, 1, 31, %r4; add.u32 %r2, %r2, %r3; A{k}:" for k in range(n)], False)),
    "kernels": (100, False, lambda n: HEAD.join([""] + [kernel(["add.u32 %r2, %r2, 1;"], False, f"k{k}") for k in range(n)]).replace(HEAD, "")),
    "straight": (400, True, lambda n: kernel([f"mad.lo.u32 %r2, %r2, %r1, {k + 1};" for k in range(n)], False)),
}


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def compile_time(cucpu, directory, kind, n):
    whole, text = KINDS[kind][1:]
    source = os.path.join(directory, f"{kind}.ptx")
    with open(source, "w") as f: f.write(HEAD + text(n))
    stop = [] if whole else ["--stop-after=kernel_table"]
    return seconds([cucpu, "-O3", *stop, "-c", source, "-o", source + ".out"])


def report(cucpu, directory, check=False, kinds=KINDS):
    bad = 0
    for kind in kinds:
        n = KINDS[kind][0]
        empty = compile_time(cucpu, directory, kind, 1)
        times = [max(compile_time(cucpu, directory, kind, size) - empty, 0.01) for size in ([n, 8 * n] if check else [n, 2 * n, 4 * n, 8 * n])]
        if check and times[-1] > 15 * times[0]: # perhaps something else ran beside it
            times = [max(compile_time(cucpu, directory, kind, size) - empty, 0.01) for size in [n, 8 * n]]
        steep = times[-1] > 15 * times[0]
        bad += steep
        print(f"{kind:10} {n:5}: " + "  ".join(f"{t:6.2f}" for t in times) + (" grows too fast" if check and steep else ""), flush=True)
    return bad


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--cucpu", required=True)
    p.add_argument("--check", action="store_true")
    p.add_argument("kinds", nargs="*")
    opt = p.parse_args()
    with tempfile.TemporaryDirectory() as d: bad = report(opt.cucpu, d, opt.check, opt.kinds or KINDS)
    sys.exit(opt.check and bad > 0)
