#!/usr/bin/env python3
"""A container of GPU code as nvcc and fatbinary make it: make.py OUT KIND:SM:PACKING:FILE...

KIND is ptx or elf, PACKING plain, lz4 or zstd; FILE '-' is an empty cubin of that sm.  With --damage=N the byte N from
the end is changed, with --cut=N the last N bytes are missing, and the header does not say so.
"""
import ctypes
import struct
import sys

FLAGS = {"plain": 0x11, "lz4": 0x2011, "zstd": 0x8011}


def lz4(data):
    lib = ctypes.CDLL("liblz4.so.1")
    out = ctypes.create_string_buffer(lib.LZ4_compressBound(len(data)))
    size = lib.LZ4_compress_default(data, out, len(data), len(out))
    return out.raw[:size]


def zstd(data):
    lib = ctypes.CDLL("libzstd.so.1")
    lib.ZSTD_compressBound.restype = lib.ZSTD_compress.restype = ctypes.c_size_t
    lib.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    lib.ZSTD_compress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    out = ctypes.create_string_buffer(lib.ZSTD_compressBound(len(data)))
    size = lib.ZSTD_compress(out, len(out), data, len(data), 3)
    return out.raw[:size]


def cubin(sm):
    return struct.pack("<16sHHIQQQI12x", b"\x7fELF\x02\x01\x01A\x08", 2, 190, 1, 0, 0, 0, sm << 8)


def entry(kind, sm, packing, name):
    data = cubin(int(sm)) if name == "-" else open(name, "rb").read()
    packed = {"plain": bytes, "lz4": lz4, "zstd": zstd}[packing](data)
    size = len(packed) if packing != "plain" else 0
    packed += bytes(-len(packed) % 8)
    head = struct.pack("<HHIQIIHHIQQQQ", {"ptx": 1, "elf": 2}[kind], 0x101, 64, len(packed), size, 0, 8, 1, int(sm), 0,
                       FLAGS[packing], 0, len(data) if size else 0)
    return head + packed


options = [a for a in sys.argv[1:] if a.startswith("--")]
out, *entries = [a for a in sys.argv[1:] if not a.startswith("--")]
body = b"".join(entry(*e.split(":", 3)) for e in entries)
image = bytearray(struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(body)) + body)
for option in options:
    name, n = option.split("=")
    if name == "--damage":
        image[-int(n)] ^= 0xff
    if name == "--cut":
        del image[-int(n):]
with open(out, "wb") as f:
    f.write(image)
