#!/usr/bin/env python3
"""Prints docs/limits.md: the rows of passes/support/nyi.def and cpu-runtime/api/unsupported.def,
cpu-runtime/driver/unsupported.c.

    docs/make_limits.py > docs/limits.md
"""
import os
import re
import textwrap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

HEAD = """# Limits

Made by `docs/make_limits.py`; edit the tables that it reads.

## What the compiler refuses

A construct that cannot be compiled is an error with the name and source line and exit status 2. Where only SIMD code is
the problem the kernel is compiled at width 1 instead, and `-Rcucpu` says so. [remarks.md](remarks.md#reasons) has
examples.

"""

RUNTIME = """
## What the runtime answers with `cudaErrorNotSupported`

The first call of each also names it on stderr.

"""

OTHER = """
## Names of the host

- The host has no name for a `const` or `constexpr` variable that is `__device__` and not `__constant__`, if it is
  static, as it is at namespace scope: `cudaMemcpyFromSymbol` and the like answer `cudaErrorInvalidSymbol`.
- With `-rdc=true` two files cannot have static texture or surface references of one name: the device link says so.

## Numbers

- One device.
- A kernel with SIMD code that computes `blockIdx.x * blockDim.x` needs `gridDim.x * blockDim.x <= 2147479551`, and the
  same of `gridDim.x` times a constant up to 64 that it multiplies `blockIdx.x` with (of `blockIdx.x * c + threadIdx.x`
  up to 1024), else the launch fails with `cudaErrorInvalidConfiguration`; compiled with `--simd=1` it has CUDA's own
  limits.
- Clusters have up to 8 blocks, or 16 where the kernel allows it (`cudaFuncAttributeNonPortableClusterSizeAllowed`).
  Grids that count clusters (`__block_size__` with two tuples, `.blocksareclusters`) are refused.
- What an extended lambda captures must not depend on `__CUDA_ARCH__`, as its layout would differ between host and
  kernel: an error. It is found by the names in the text that one half skips, not where they come out of a macro.
- The host half refuses calls of `__device__` functions in `__host__ __device__` functions, outside of
  `#ifdef __CUDA_ARCH__`; nvcc warns.
- In C++20 and later members of `std::vector` and `std::string` are `constexpr`, for clang so functions of both sides,
  with `try` blocks: a `__host__ __device__` function that uses them is an error (`cannot use 'try'`), also where no
  kernel calls it.
- LLVM 22 takes stores at `p[(int)(u + 1)]` and `p[(int)(u + 2)]`, u unsigned, for neighbours, though u + 2 may be 2^31
  (so does plain clang): wrong for an array that lies on both sides of `p` by 2^31 elements.
- A pointer argument stands for the allocation that it points into: where a kernel takes it back or forth to another
  one, a launch may take two arguments for memory that does not overlap ([runtime.md](runtime.md)).
- PTX is read ([ptx.md](ptx.md) says what is missing), also that in GPU binaries; their machine code is not.
"""


def wrapped(text, indent=""):
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def rows(path, pattern):
    with open(os.path.join(ROOT, path)) as f:
        return re.findall(pattern, f.read(), re.M)


def kebab(name):
    return name.lower().replace("_", "-")


def refusal(name, text, advice):
    return wrapped(f"- `{kebab(name)}`: {text}" + (f". {advice[0].upper()}{advice[1:]}." if advice else "."), "  ")


def main():
    nyi = rows("passes/support/nyi.def", r'^NYI\((\w+),\s*"([^"]*)",\s*"([^"]*)"\)')
    names = rows("cpu-runtime/api/unsupported.def", r"^RT_UNSUPPORTED(?:_UNLESS)?\((\w+),")
    print(HEAD + "\n".join(refusal(*row) for row in nyi))
    print(RUNTIME + wrapped(", ".join(f"`{n}`" for n in sorted(names)) + "."))
    driver = rows("cpu-runtime/driver/unsupported.c", r"^DRV_UNSUPPORTED\((\w+),")
    driver_names = ", ".join(f"`{n}`" for n in sorted(driver))
    print("\n" + wrapped(f"Of the driver API (`CUDA_ERROR_NOT_SUPPORTED`): {driver_names}."))
    print(OTHER, end="")


main()
