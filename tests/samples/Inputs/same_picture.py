"""Compares the pixels of a PNG that samples/common/picture.h writes, and its checksums, with those of a PPM."""
import re
import struct
import sys
import zlib

with open(sys.argv[1], "rb") as f:
    png = f.read()
with open(sys.argv[2], "rb") as f:
    ppm = f.read()
assert png[:8] == b"\x89PNG\r\n\x1a\n"
at, chunks = 8, {}
while at < len(png):
    size, kind = struct.unpack(">I4s", png[at:at + 8])
    body = png[at + 8:at + 8 + size]
    assert zlib.crc32(kind + body) == struct.unpack(">I", png[at + 8 + size:at + 12 + size])[0], kind
    chunks[kind] = body
    at += 12 + size
width, height, bits, colours = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
assert (bits, colours) == (8, 2) and b"IEND" in chunks
rows = zlib.decompress(chunks[b"IDAT"])
pixels = b"".join(rows[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)] for y in range(height))
header = re.match(rb"P6\n(\d+) (\d+)\n255\n", ppm)
assert (width, height) == (int(header.group(1)), int(header.group(2)))
print(width, "x", height, "pixels,", "the same" if pixels == ppm[header.end():] else "others")
