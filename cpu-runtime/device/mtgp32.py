#!/usr/bin/env python3
"""mtgp32.py: makes include/cucpu/mtgp32.inc from mtgp32dc-param-11213.c, the 200 parameter sets of Saito and Matsumoto's MTGP.

The small matrices are linear: of each 16 words only those of the single bits are kept.

    mtgp32.py mtgp32dc-param-11213.c > ../include/cucpu/mtgp32.inc
"""
import re
import sys

SETS, TABLE = 200, 16


def expand(basis):
    return [basis[0] * (i & 1) ^ basis[1] * (i >> 1 & 1) ^ basis[2] * (i >> 2 & 1) ^ basis[3] * (i >> 3 & 1) for i in range(TABLE)]


def main(path):
    text = re.sub(r"/\*.*?\*/|//[^\n]*|#[^\n]*", "", open(path).read(), flags=re.S)
    text = text[text.index("=") :]
    numbers = [int(x, 0) for x in re.findall(r"0x[0-9a-fA-F]+|\b\d+\b", text)]
    size = 4 + 3 * TABLE + 1 + 21
    for n in range(SETS):
        row = numbers[n * size : (n + 1) * size]
        mexp, pos, sh1, sh2 = row[:4]
        tables = [row[4 + TABLE * k : 4 + TABLE * (k + 1)] for k in range(3)]
        kept = [[t[1], t[2], t[4], t[8]] for t in tables[:2]]
        assert mexp == 11213 and row[4 + 3 * TABLE] == 0xFFF80000, n
        assert [expand(k) for k in kept] == tables[:2], n
        assert tables[2] == [0x3F800000 | x >> 9 for x in tables[1]], n
        print("CUCPU_MTGP_(%d, %d, %d, %s)" % (pos, sh1, sh2, ", ".join("0x%08xu" % x for k in kept for x in k)))


main(sys.argv[1])
