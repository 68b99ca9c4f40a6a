#!/usr/bin/env python3
"""sobol.py: makes sobol.inc from Joe and Kuo's list of direction numbers, new-joe-kuo-6.21201.

Each of its lines has a dimension, the degree s of its polynomial, the polynomial's inner coefficients a, and the first s direction
numbers m.  sobol.inc has for dimensions 2 to 20000, in this order and from the lowest bit on: s - 1 bits of a, and i bits of
m[i] (0 to s - 1) without the lowest, which is 1.  Six bits are a character of base64's alphabet.  Degrees only grow: the counts stand
in sobol.c.

    sobol.py new-joe-kuo-6.21201 > sobol.inc
"""
import sys

DIMENSIONS = 20000
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def main(path):
    bits = []

    def put(value, count):
        assert 0 <= value < 1 << count
        bits.extend(value >> i & 1 for i in range(count))

    before = 1
    for line in list(open(path))[1:DIMENSIONS]:
        dimension, s, a, *m = map(int, line.split())
        assert len(m) == s >= before and all(x & 1 for x in m), dimension
        before = s
        put(a, s - 1)
        for i, x in enumerate(m):
            put(x >> 1, i)
    bits += [0] * (-len(bits) % 6)
    text = "".join(ALPHABET[sum(bits[i + k] << k for k in range(6))] for i in range(0, len(bits), 6))
    for i in range(0, len(text), 126):
        print('"%s"' % text[i : i + 126])


main(sys.argv[1])
