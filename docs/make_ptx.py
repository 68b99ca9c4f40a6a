#!/usr/bin/env python3
"""Prints docs/ptx.md: the rows of ptx-frontend/ops.def and unsupported.def with the text around them.

    docs/make_ptx.py > docs/ptx.md
"""
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

HEAD = """# PTX

Made by `docs/make_ptx.py`; edit the tables that it reads.

PTX comes in three ways, all through the same parser and tables ([ptx-frontend](../ptx-frontend/README.md)):

- `cucpu kernels.ptx -c`, `cucpu main.cu kernels.ptx -o app`: files are compiled like sources. `cuModuleLoad` or `cuModuleLoadData` of the
  same text finds the kernels in the program; nothing is compiled then, and all loads share one instance of the variables.
- `cuModuleLoad*`, `cuLibraryLoad*` of other text compile it while the program runs, with the `cucpu` of this installation or the one that
  `CUCPU_COMPILER` names. A text is compiled once in a process; each load has variables of its own. `cuLink*` put PTX texts together. Errors:
  `CUDA_ERROR_INVALID_PTX` (also what nobody defines; of `cuLinkComplete`: `CUDA_ERROR_UNKNOWN`, as CUDA's), `CUDA_ERROR_UNSUPPORTED_PTX_VERSION`,
  `CUDA_ERROR_NOT_SUPPORTED` (an instruction below), `CUDA_ERROR_INVALID_IMAGE` (no PTX), `CUDA_ERROR_NO_BINARY_FOR_GPU`
  (GPU code), `CUDA_ERROR_JIT_COMPILER_NOT_FOUND`; the text goes to `CU_JIT_ERROR_LOG_BUFFER`, else to stderr.
- `asm()` in CUDA C++: with `%0`, the constraints `h r l q f d n C`, tied operands, blocks, registers and labels of its own.
  `"C"(array)` puts the characters of a constant array into the text; operands need no comma between them, and have the type of their constraint, as with nvcc.

`cucpu-ptx file.ptx` prints the LLVM IR that becomes of a file.

Texts of all versions and targets are read: modifiers in any order, types with or without `.f32` registers, names with `%` or without. A file with an
instruction that is not in the table is refused as a whole, with `file:line:column`; no kernel is left out.

## How values differ from a GPU's

- An address in shared memory is, as a number, the distance from the block's shared memory; 32 bits hold it. All other addresses are the host's, and
  `cvta` of them does nothing. Addresses of 32 bits (`.address_size 32`) are refused.
- `.approx` and `.full` are at least as exact as the ISA asks for; `.rz`, `.rm`, `.rp` and `.ftz` are exact, for each instruction.
- `cvt.rs` adds the random bits to as many of those that are cut off, the highest ones: 13 for f16, 16 for the others (for two numbers each of
  the fours), 8 for e2m1 (`a`, `e`, `b`, `f` from the top byte down).
- Division by zero gives all ones (`rem`: the dividend); shifts, bit fields, conversions and `NaN`s are those of the ISA.
- `membar` and `fence` of a block order memory for the compiler only; wider ones are full fences. Cache hints do nothing. `cp.async`, bulk copies and
  `st.async` copy at once, and tell their mbarrier at once. What `alloca` gives stays until the function returns: `stackrestore` does nothing.
- `mma` and `wmma` add products to float sums one after the other, k ascending, by `fma`; sums of half are rounded at the end. Fragments of `mma` are
  laid out as the ISA says, those of `wmma` likewise. The last 13 bits of `.tf32` elements do not count.
- `%clock`, `%globaltimer`, `%smid` are those of the host.
- Where an H200 differs from the ISA the ISA is followed: positions and lengths of 64-bit bit fields count with their low 8 bits (there with all), `mad.hi.sat`
  saturates, and so do `vadd`, `vshl` and `vmad` with `.sat` of mixed signs; inner braces of start values may be short (ptxas fills on without a gap).
- `add`, `sub` and `mul` without a rounding modifier are not fused (ptxas may).

## Speed

PTX does not say which additions cannot wrap. In an address an integer of 32 bits with a sign, times the size of an element of two bytes or more, is
taken not to wrap between neighbouring threads that run: they would access memory 2^32 elements apart, and no object is as large. (It may wrap for
all of them.) Of bytes, and of integers without a sign, a comparison asks when the kernel runs. Shared memory has less than 2^32 bytes. Pointers that
loops carry become pointers again, loops get their test back at the top, and an atomic has the order that it names. The carry flag is one of each
function (with `asm()`, of the function around it): branches keep it, calls do not. Behind a subtraction it is clear after a borrow, which shows where `addc` follows `sub.cc`.

PTX does not say either with which blocks a kernel is launched, and no host code is asked: kernels with barriers have code for blocks of 256 threads
(16 x 16 where they ask for `%tid.y`) besides that for any block, and for one that is guessed (`guess_block.c`): in `c * %ctaid.x + %tid.x` a block has c
threads, and no more than find room in the shared array where all of them access it.

nvcc writes quotients by constants as products and unrolls loops. `recover_division.c` makes divisions of such products again, where they are the
quotient for every number (or for every one that is there to be divided). In addresses of shared memory constants stand last, so that accesses side by
side have one base.

`tests/bench/ptx.py --cucpu cucpu --nvcc nvcc` compares nvcc's PTX (13.0, sm_80) of the benchmark programs with their source, one worker: it takes
1.18 times as long in the geometric mean of 32 programs (AVX-512; 1.10 without `columns`), 1.0 or less for 12 of them. The rest: tiles by columns with
blocks that only host code tells of (`columns` 10), sums of bytes in addresses that may wrap (`blur` 1.7), loops that nvcc has unrolled
(`hotspot_pyramid` 1.6, `histogram` 1.3, `matmul_plain` 1.3, `spmv` 1.3, `matmul32` 1.2), its own `expf` and `logf` (`blackscholes` 1.6).

## Instructions

"|": one of; "[ ]": may be missing; "2 of": two of them. Modifiers may stand in any order.

| instruction | modifiers | types |
|---|---|---|
"""

TAIL = """
## Not implemented

A clear error (`unsupported`, exit status 2): {ops}.

Likewise tensors of `cp.async.bulk`, formatted surfaces (`sust.p`, `sured.p`), textures of `.f16x2` and of several
samples, `tld4` of cubes and layers, queries of formats and samplers, sparse matrices of 8 and 4 bits (`mma.sp`), scaled ones, `.m16n16` and
`.m16n8` of `ldmatrix` and `stmatrix`, textures and surfaces by name (`.texref`), samplers, offsets and depth comparisons of `tex`, `%envreg1` and `%envreg2` but
for the grid barrier of cooperative groups in nvcc's output without `-G`, registers outside functions that several functions share, grids that count
clusters (`.blocksareclusters`).

The other `%envreg` and the counters `%pm` are 0. `clusterlaunchcontrol.try_cancel` never gets a block: all run by themselves. `cuModuleLoadData` gives
`CUDA_ERROR_NOT_SUPPORTED` where the first error is of this kind, whatever follows from it, else `CUDA_ERROR_INVALID_PTX`.
"""


def c_string(text, macros):
    """Adjacent string literals and macros to one text."""
    out = ""
    for literal, name in re.findall(r'"((?:[^"\\]|\\.)*)"|(\w+)', text):
        out += c_string(macros[name], macros) if name else literal
    return out


def rows():
    text = re.sub(r"/\*.*?\*/", "", open(os.path.join(ROOT, "ptx-frontend/ops.def")).read(), flags=re.S)
    text = text.replace("\\\n", " ")
    macros = dict(re.findall(r"^#define (\w+)\s+(.*)$", text, re.M))
    for m in re.finditer(r"^OP\((\w+),\s*((?:[^()]|\([^()]*\))*?)\)$", text, re.M | re.S):
        parts = re.split(r",\s*(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", m.group(2))
        yield m.group(1), c_string(parts[0], macros), c_string(parts[1], macros), parts[3]


def group(g):
    words = g.lstrip("?~&").replace("|", "\\|")
    return "[" + words + "]" if g[0] == "?" else "2 of " + words if g[0] == "&" else words


def main():
    print(HEAD, end="")
    for op, mods, types, build in rows():
        if build == "not_implemented":
            continue
        modifiers = " ".join(group(g) for g in mods.split())
        print(f"| `{op}` | {modifiers} | {types.replace('/', ' / ')} |")
    names = re.findall(r"^UNSUPPORTED\((\w+)\)", open(os.path.join(ROOT, "ptx-frontend/unsupported.def")).read(), re.M)
    print(TAIL.format(ops=", ".join(f"`{n}`" for n in names)), end="")


main()
