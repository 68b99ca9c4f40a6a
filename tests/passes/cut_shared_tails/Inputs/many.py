# PTX of a kernel in which each of N tests leads to a function of the warp that some threads skip, and all of these
# to one tail of LENGTH times four instructions.
import sys

n, length = int(sys.argv[1]), int(sys.argv[2])
print(""".version 7.0
.target sm_70
.address_size 64
.visible .entry many(.param .u64 p) {
    .reg .pred %q;
    .reg .u64 %a, %o;
    .reg .u32 %t, %x, %k, %m;
    ld.param.u64 %a, [p];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %o, %t, 4;
    add.u64 %a, %a, %o;
    ld.global.u32 %x, [%a];""")
for i in range(n):
    print(f"""    setp.ne.u32 %q, %x, {i};
    @%q bra next{i};
    activemask.b32 %m;
    shfl.sync.idx.b32 %k, %x, 0, 31, %m;
    add.u32 %k, %k, {i};
    bra tail;
next{i}:""")
print("    mov.u32 %k, %x;\ntail:")
for i in range(length):
    print(f"    xor.b32 %k, %k, {i * 2654435761 % 4096};\n    mad.lo.u32 %k, %k, {2 * i + 3}, {i};")
    print(f"    shr.u32 %m, %k, {1 + i % 7};\n    add.u32 %k, %k, %m;")
print("    st.global.u32 [%a], %k;\n    ret;\n}")
