#!/usr/bin/env python3
"""Prints docs/ptx.md: the rows of ptx-frontend/ops.def and unsupported.def with the text around them.

    docs/make_ptx.py > docs/ptx.md
"""
import os
import re
import textwrap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

HEAD = """# PTX

Made by `docs/make_ptx.py`; edit the tables that it reads.

PTX comes in three ways, all through the same parser and tables ([ptx-frontend](../ptx-frontend/README.md)):

- **Files.** `cucpu kernels.ptx -c`, `cucpu main.cu kernels.ptx -o app`: files are compiled like sources. `cuModuleLoad`
  or `cuModuleLoadData` of the same text finds the kernels in the program; nothing is compiled then, and all loads share
  one instance of the variables.
- **Text at run time.** `cuModuleLoad*`, `cuLibraryLoad*` of other text compile it while the program runs, with the
  `cucpu` of this installation or the one that `CUCPU_COMPILER` names. A text is compiled once, and what was compiled is
  kept on disk ([runtime](runtime.md#code-that-is-kept)); each load has variables of its own. `cuLink*` link PTX texts.
- **`asm()` in CUDA C++**, with `%0`, the constraints `h r l q f d n C`, tied operands, blocks, registers and labels of
  its own. `"C"(array)` puts the characters of a constant array into the text; operands need no comma between them, and
  have the type of their constraint, as with nvcc.

Errors of text at run time; the message goes to `CU_JIT_ERROR_LOG_BUFFER`, else to stderr:

| error | for |
|---|---|
| `CUDA_ERROR_INVALID_PTX` | wrong text; undefined symbols |
| `CUDA_ERROR_UNKNOWN` | undefined symbols, of `cuLinkComplete`, as with CUDA |
| `CUDA_ERROR_UNSUPPORTED_PTX_VERSION` | an unsupported version |
| `CUDA_ERROR_NOT_SUPPORTED` | an instruction that is not implemented (below) |
| `CUDA_ERROR_INVALID_IMAGE` | text that is no PTX |
| `CUDA_ERROR_NO_BINARY_FOR_GPU` | GPU code without PTX |
| `CUDA_ERROR_JIT_COMPILER_NOT_FOUND` | no compiler |

`cucpu-ptx file.ptx` prints the LLVM IR of a file.

Texts of all versions and targets are read: modifiers in any order, types with or without `.f32` registers, names with
`%` or without. A file with an instruction that is not in the table is refused as a whole, with `file:line:column`. Of a
text that is loaded at run time only the kernel is refused, when it is first used, if there are others.

## How values differ from a GPU's

- An address in shared memory is, as an integer, the distance from the block's shared memory; 32 bits hold it. All other
  addresses are the host's, and `cvta` of them does nothing. Addresses of 32 bits (`.address_size 32`) are refused.
- `.approx` and `.full` are at least as exact as the ISA demands; `.rz`, `.rm`, `.rp` and `.ftz` are exact, for each
  instruction.
- `cvt.rs` adds the random bits to as many of those that are cut off, the highest ones: 13 for f16, 16 for the others
  (for two elements each of the fours), 8 for e2m1 (`a`, `e`, `b`, `f` from the top byte down).
- Division by zero gives all ones (`rem`: the dividend); shifts, bit fields, conversions and `NaN`s are those of the
  ISA.
- `membar` and `fence` of a block order memory for the compiler only; wider ones are full fences. Cache hints do
  nothing. `cp.async`, bulk copies and `st.async` copy at once, and complete their mbarrier at once. Memory of `alloca`
  stays until the function returns: `stackrestore` does nothing.
- Tensor maps have a layout of cucpu's own: `cuTensorMapEncode*` and `tensormap.replace` make them, and a copy by what
  is none ends the kernel. Units of shared memory are permuted by their address in the block's shared memory. Programs
  that use them look for a device of capability 9.0: `CUCPU_COMPUTE_CAPABILITY=9.0`.
- `mma`, `wmma` and `wgmma` add products to float sums one after the other, k ascending, by `fma`; sums of half are
  rounded at the end. `wgmma` is complete when its instruction is; the four warps of a group meet at `wgmma.fence` and
  `wgmma.commit_group`, whichever instructions lie between. Fragments of `mma` and `wmma` are laid out as the ISA
  says. The last 13 bits of `.tf32` elements are ignored. Elements are multiplied by their scales first, in float.
- Launches by kernels are functions of the runtime: `cudaGetParameterBufferV2` and `cudaLaunchDeviceV2`, with
  `__cudaCDP2` or without, `cudaGetParameterBuffer` and `cudaLaunchDevice`, and what NVIDIA's `libcudadevrt` calls.
- `multimem` takes addresses of the memory of the one device that there is: loads, stores and reductions of it.
- `%clock`, `%globaltimer`, `%smid` are those of the host.
- Where an H200 differs from the ISA the ISA is followed: positions and lengths of 64-bit bit fields count with their
  low 8 bits (there with all), `mad.hi.sat` saturates, and so do `vadd`, `vshl` and `vmad` with `.sat` of mixed signs;
  inner braces of initializers may be short (ptxas fills on without a gap).
- `add`, `sub` and `mul` without a rounding modifier are not fused (ptxas may).

## Speed

PTX lacks what CUDA C++ says, so the front end makes assumptions or recovers it:

- **Wrapping.** PTX does not say which additions cannot wrap. In an address a signed 32-bit integer times the size of an
  element of two bytes or more is taken not to wrap between neighbouring threads that run: they would access memory 2^32
  elements apart, and no object is as large. (It may wrap for all of them.) For bytes, and for unsigned integers, a
  comparison decides at run time. Shared memory has less than 2^32 bytes.
- **Loops and pointers.** Pointers that loops carry become pointers again, loops get their test back at the top, and an
  atomic has the order that it names.
- **Carry.** The carry flag is one of each function (with `asm()`, of the function around it): branches keep it, calls
  do not. After a subtraction it is clear after a borrow, which shows where `addc` follows `sub.cc`.
- **Blocks.** PTX does not say with which blocks a kernel is launched, and host code is not consulted. Kernels with
  barriers have a variant for blocks of 256 threads (16 x 16 where they use `%tid.y`) besides that for any block, and
  one that is guessed (`guess_block.c`): in `c * %ctaid.x + %tid.x` a block has c threads, and no more than fit the
  shared array where all of them access it.
- **Division.** nvcc writes quotients by constants as products and unrolls loops. `recover_division.c` makes divisions
  of such products again, where they are the quotient for every integer (or for every one that can occur). In addresses
  of shared memory constants come last, so that neighbouring accesses have one base.

`tests/bench/ptx.py --cucpu cucpu --nvcc nvcc` compares nvcc's PTX of the benchmark programs with their source. What
takes longer from PTX: tiles by columns with blocks that only host code determines, sums of bytes in addresses that may
wrap, loops that nvcc has unrolled, its own `expf` and `logf`.

## Instructions

"|": one of; "[ ]": optional; "2 of": two of them. Modifiers may stand in any order.

| instruction | modifiers | types |
|---|---|---|
"""

TAIL = """
## Not implemented

A clear error (`unsupported`, exit status 2):

{ops}.

Likewise:

- of `cp.async.bulk.tensor` the modes `.im2col::w` and mbarriers of another block (`.cta_group::2`); interleaved layouts
  and elements of 4 and 6 bits in tensor maps
- sparse matrices with scales, sparse ones of `wgmma` (`.sp`); copies of `multimem`
- formatted surfaces (`sust.p`, `sured.p`); textures of several samples; `tld4` of cubes and layers; queries of formats
  and address modes; samplers (`.samplerref`), depth comparisons of `tex`, offsets with `.level` and `.grad`
- `%envreg1` and `%envreg2`, except for the grid barrier of cooperative groups in nvcc's output without `-G`
- registers and `.local` memory outside functions that several functions share
- grids that count clusters (`.blocksareclusters`)

The other `%envreg` and the counters `%pm` are 0. `clusterlaunchcontrol.try_cancel` never gets a block: all run by
themselves. `cuModuleLoadData` gives `CUDA_ERROR_NOT_SUPPORTED` where the first error is of this kind, whatever follows
from it, else `CUDA_ERROR_INVALID_PTX`.
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
    words = g.lstrip("?~&")
    many = words.split("|")
    if len(many) > 12 and many[0].startswith("m64"):
        words = f"{many[0]}, {many[1]}, ... {many[-1]}"
    words = words.replace("|", "\\|")
    return "[" + words + "]" if g[0] == "?" else "2 of " + words if g[0] == "&" else words


def main():
    print(HEAD, end="")
    for op, mods, types, build in rows():
        if build == "not_implemented":
            continue
        modifiers = " ".join(group(g) for g in mods.split())
        print(f"| `{op}` | {modifiers} | {types.replace('/', ' / ')} |")
    with open(os.path.join(ROOT, "ptx-frontend/unsupported.def")) as f:
        names = re.findall(r"^UNSUPPORTED\((\w+)\)", f.read(), re.M)
    listed = textwrap.fill(", ".join(f"`{n}`" for n in names), 119, break_long_words=False, break_on_hyphens=False)
    print(TAIL.format(ops=listed), end="")


main()
