"""Prints PTX: one kernel for each form of wgmma that wgmma.cu tries."""

FORMS = [
    # name         n    k   types            a in registers, "transposed a, b", "signs of a, b", tail
    ("f16_ss",     32,  16, "f32.f16.f16",   False, "0, 0", "1, 1", ""),
    ("f16_tt",     32,  16, "f32.f16.f16",   False, "1, 1", "1, -1", ""),
    ("f16_half",   16,  16, "f16.f16.f16",   False, "0, 1", "1, 1", ""),
    ("f16_rs",     128, 16, "f32.f16.f16",   True,  "1",    "-1, 1", ""),
    ("bf16_ss",    24,  16, "f32.bf16.bf16", False, "0, 0", "-1, -1", ""),
    ("tf32_ss",    16,  8,  "f32.tf32.tf32", False, None,   "1, 1", ""),
    ("tf32_rs",    8,   8,  "f32.tf32.tf32", True,  None,   "1, 1", ""),
    ("fp8_ss",     40,  32, "f32.e4m3.e5m2", False, None,   "1, 1", ""),
    ("fp8_rs",     8,   32, "f16.e5m2.e4m3", True,  None,   "1, 1", ""),
    ("int_ss",     48,  32, "s32.s8.u8",     False, None,   None, ""),
    ("int_rs",     8,   32, "s32.u8.s8",     True,  None,   None, ".satfinite"),
    ("bit_ss",     8,   256, "s32.b1.b1",    False, None,   None, ".and.popc"),
]

BYTES = 16384  # of each matrix


def kernel(name, n, k, types, registers, transposed, signs, tail):
    half = types.startswith("f16")
    regs = n // 4 if half else n // 2
    d = ", ".join(f"%d{i}" for i in range(regs))
    a = "{%a0, %a1, %a2, %a3}" if registers else "%da"
    ops = f"{{{d}}}, {a}, %db, %p" + (f", {signs}" if signs else "") + (f", {transposed}" if transposed else "")
    kind = "b32" if half or types.startswith("s32") else "f32"
    print(f""".visible .entry {name}(.param .u64 in, .param .u64 sums, .param .u64 words, .param .u64 a, .param .u64 b,
  .param .u32 added)
{{
    .shared .align 1024 .b8 box[{2 * BYTES}];
    .reg .b32 %r<8>, %a<4>; .reg .b64 %x<6>, %da, %db; .reg .{kind} %d<{regs}>; .reg .pred %p, %q;
    ld.param.u64 %x0, [in]; ld.param.u64 %x1, [sums]; ld.param.u64 %x2, [words];
    ld.param.u64 %da, [a]; ld.param.u64 %db, [b]; ld.param.u32 %r0, [added];
    setp.ne.u32 %p, %r0, 0;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, box;
    mul.wide.u32 %x3, %r1, 4;
    add.u64 %x0, %x0, %x3;
    shl.b32 %r3, %r1, 2;
    add.u32 %r2, %r2, %r3;
next:
    ld.global.u32 %r4, [%x0]; st.shared.u32 [%r2], %r4;
    add.u64 %x0, %x0, 512; add.u32 %r2, %r2, 512; add.u32 %r3, %r3, 512;
    setp.lt.u32 %q, %r3, {2 * BYTES};
    @%q bra next;
    bar.sync 0;
    mad.wide.u32 %x1, %r1, {4 * regs}, %x1;
    mad.wide.u32 %x2, %r1, 16, %x2;
    ld.global.v4.u32 {{%a0, %a1, %a2, %a3}}, [%x2];
    mov.u32 %r5, box; cvt.u64.u32 %x4, %r5; shr.u64 %x4, %x4, 4;
    add.u64 %da, %da, %x4; add.u64 %db, %db, %x4;""")
    for i in range(regs):
        print(f"    ld.global.{kind} %d{i}, [%x1+{4 * i}];")
    print(f"    wgmma.fence.sync.aligned;\n    wgmma.mma_async.sync.aligned.m64n{n}k{k}.{types}{tail} {ops};")
    print("    wgmma.commit_group.sync.aligned;\n    wgmma.wait_group.sync.aligned 0;")
    for i in range(regs):
        print(f"    st.global.{kind} [%x1+{4 * i}], %d{i};")
    print("    ret;\n}")


print(".version 8.4\n.target sm_90a\n.address_size 64")
for form in FORMS:
    kernel(*form)
