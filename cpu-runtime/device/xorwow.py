"""Writes cpu-runtime/include/cucpu/xorwow.inc: how the generator XORWOW (Marsaglia 2003) leaps 2^k steps.

One step is linear over GF(2) on its 160 bits, so that 2^k steps are the polynomial x^(2^k) modulo the
least polynomial of the sequence, applied to the step.  That polynomial comes from 320 output bits by
Berlekamp and Massey's algorithm.  Not part of the build."""

MASK = 0xFFFFFFFF
ROWS = 67 + 64  # subsequences begin 2^67 steps apart


def step(v):
    t = v[0] ^ v[0] >> 2
    return v[1:] + [v[4] ^ v[4] << 4 & MASK ^ t ^ t << 1 & MASK]


def least_polynomial(bits):
    c, b, length, m = 1, 1, 0, 1
    for n in range(len(bits)):
        d = bits[n]
        for i in range(1, length + 1):
            d ^= (c >> i & 1) & bits[n - i]
        if not d:
            m += 1
            continue
        t = c
        c ^= b << m
        if 2 * length <= n:
            length, b, m = n + 1 - length, t, 1
        else:
            m += 1
    assert length == 160
    return sum((c >> length - i & 1) << i for i in range(length + 1))


def square(a, p):
    r = 0
    for i in range(160):
        r |= (a >> i & 1) << 2 * i
    for i in range(318, 159, -1):
        if r >> i & 1:
            r ^= p << i - 160
    return r


def main():
    v, bits = [123456789, 362436069, 521288629, 88675123, 5783321], []
    for _ in range(400):
        bits.append(v[4] & 1)
        v = step(v)
    p, x = least_polynomial(bits), 2
    print("/* xorwow.inc: row k holds the coefficients of x^(2^k), lowest first; made by device/xorwow.py. */")
    for _ in range(ROWS):
        print("{" + ", ".join("0x%08xu" % (x >> 32 * i & MASK) for i in range(5)) + "},")
        x = square(x, p)


main()
