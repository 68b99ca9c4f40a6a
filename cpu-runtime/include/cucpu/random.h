/* random.h: the generators XORWOW, Philox4x32-10 and MRG32k3a as integers: curand_kernel.h has them for device code, libcurand for
** host code in C.  Qualifiers come from whoever includes it: CUCPU_RANDOM_ for functions, CUCPU_RANDOM_TABLE_ for tables. */
#ifndef CUCPU_RANDOM_H
#define CUCPU_RANDOM_H
#include "../vector_functions.h"

/* ---- XORWOW (Marsaglia 2003) ---- */
CUCPU_RANDOM_TABLE_ unsigned cucpu_xorwow_leap[67 + 64][5] = {
#include "xorwow.inc"
};
/* The next word, from the oldest of five and the newest. */
CUCPU_RANDOM_ unsigned cucpu_xorwow_word(unsigned first_, unsigned last_) {
    unsigned t_ = first_ ^ first_ >> 2;
    return last_ ^ last_ << 4 ^ t_ ^ t_ << 1;
}
CUCPU_RANDOM_ void cucpu_xorwow_step(unsigned *v_) {
    unsigned w_ = cucpu_xorwow_word(v_[0], v_[4]);
    v_[0] = v_[1], v_[1] = v_[2], v_[2] = v_[3], v_[3] = v_[4];
    v_[4] = w_;
}
CUCPU_RANDOM_ unsigned cucpu_xorwow_next(unsigned *v_, unsigned *d_) {
    cucpu_xorwow_step(v_);
    *d_ += 362437u;
    return v_[4] + *d_;
}
/* n_ * 2^first steps: for each bit of n_ the leap's polynomial, by Horner's rule. */
CUCPU_RANDOM_CALL_ void cucpu_xorwow_skip(unsigned *v_, unsigned long long n_, int first) {
    for (int bit = first; n_; n_ >>= 1, bit++) {
        if (!(n_ & 1)) continue;
        unsigned r_[5] = {0, 0, 0, 0, 0};
        for (int i_ = 159; i_ >= 0; i_--) {
            cucpu_xorwow_step(r_);
            unsigned take = 0 - (cucpu_xorwow_leap[bit][i_ / 32] >> i_ % 32 & 1);
            for (int k_ = 0; k_ < 5; k_++) r_[k_] ^= v_[k_] & take;
        }
        for (int k_ = 0; k_ < 5; k_++) v_[k_] = r_[k_];
    }
}
CUCPU_RANDOM_ void cucpu_xorwow_seed(unsigned *v_, unsigned *d_, unsigned long long seed) {
    unsigned a_ = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
    unsigned b_ = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
    *d_ = 6615241u + b_ + a_;
    v_[0] = 123456789u + a_, v_[1] = 362436069u ^ a_, v_[2] = 521288629u + b_;
    v_[3] = 88675123u ^ b_, v_[4] = 5783321u + a_;
}

/* ---- Philox4x32-10 (Salmon et al. 2011) ---- */
CUCPU_RANDOM_ uint4 cucpu_philox(uint4 c_, uint2 k_) {
    for (int i_ = 0; i_ < 10; i_++) {
        unsigned long long a_ = 0xd2511f53ull * c_.x, b_ = 0xcd9e8d57ull * c_.z;
        c_ = make_uint4((unsigned)(b_ >> 32) ^ c_.y ^ k_.x, (unsigned)b_, (unsigned)(a_ >> 32) ^ c_.w ^ k_.y, (unsigned)a_);
        k_.x += 0x9e3779b9u, k_.y += 0xbb67ae85u;
    }
    return c_;
}

/* ---- MRG32k3a (L'Ecuyer 1999): two linear recurrences of order 3; their matrices to the powers 1, 2^76 and 2^127 ---- */
/* The moduli are 2^32 - rest_. */
enum { CUCPU_MRG_REST1_ = 209, CUCPU_MRG_REST2_ = 22853 };
CUCPU_RANDOM_ unsigned cucpu_mrg_mod(unsigned long long x, unsigned rest_) {
    x = (x >> 32) * rest_ + (unsigned)x;
    x = (x >> 32) * rest_ + (unsigned)x;
    return (unsigned)(x >= 0x100000000ull - rest_ ? x + rest_ : x);
}
CUCPU_RANDOM_TABLE_ unsigned cucpu_mrg_leap[3][2][3][3] = {
    {{{0u, 1u, 0u}, {0u, 0u, 1u}, {4294156359u, 1403580u, 0u}},
     {{0u, 1u, 0u}, {0u, 0u, 1u}, {4293573854u, 0u, 527612u}}},
    {{{82758667u, 1871391091u, 4127413238u}, {3672831523u, 69195019u, 1871391091u}, {3672091415u, 3528743235u, 69195019u}},
     {{1511326704u, 3759209742u, 1610795712u}, {4292754251u, 1511326704u, 3889917532u}, {3859662829u, 4292754251u, 3708466080u}}},
    {{{2427906178u, 3580155704u, 949770784u}, {226153695u, 1230515664u, 3580155704u}, {1988835001u, 986791581u, 1230515664u}},
     {{1464411153u, 277697599u, 1610723613u}, {32183930u, 1464411153u, 1022607788u}, {2824425944u, 32183930u, 2093834863u}}},
};
CUCPU_RANDOM_ unsigned cucpu_mrg_row(const unsigned *a_, const unsigned *v_, int stride_, unsigned rest_) {
    unsigned long long sum = 0;
    for (int i_ = 0; i_ < 3; i_++) sum += cucpu_mrg_mod((unsigned long long)a_[i_] * v_[i_ * stride_], rest_);
    return cucpu_mrg_mod(sum, rest_);
}
/* v_ = (matrix^n_) v_ */
CUCPU_RANDOM_CALL_ void cucpu_mrg_power(unsigned *v_, unsigned long long n_, const unsigned (*matrix)[3], unsigned rest_) {
    unsigned a_[9], b_[9], w_[3];
    for (int i_ = 0; i_ < 9; i_++) a_[i_] = matrix[i_ / 3][i_ % 3];
    for (; n_; n_ >>= 1) {
        if (n_ & 1) {
            for (int i_ = 0; i_ < 3; i_++) w_[i_] = cucpu_mrg_row(a_ + 3 * i_, v_, 1, rest_);
            for (int i_ = 0; i_ < 3; i_++) v_[i_] = w_[i_];
        }
        for (int i_ = 0; i_ < 9; i_++) b_[i_] = cucpu_mrg_row(a_ + i_ / 3 * 3, a_ + i_ % 3, 3, rest_);
        for (int i_ = 0; i_ < 9; i_++) a_[i_] = b_[i_];
    }
}
/* power: of the matrices, a row of the table. */
CUCPU_RANDOM_ void cucpu_mrg_skip(unsigned *a_, unsigned *b_, unsigned long long n_, int power) {
    cucpu_mrg_power(a_, n_, cucpu_mrg_leap[power][0], CUCPU_MRG_REST1_);
    cucpu_mrg_power(b_, n_, cucpu_mrg_leap[power][1], CUCPU_MRG_REST2_);
}
CUCPU_RANDOM_ void cucpu_mrg_seed(unsigned *a_, unsigned *b_, unsigned long long seed) {
    unsigned long long x = (unsigned)seed ^ 0x55555555u, y = (unsigned)(seed >> 32) ^ 0xaaaaaaaau;
    for (int i_ = 0; i_ < 3; i_++) {
        a_[i_] = seed ? cucpu_mrg_mod((i_ & 1 ? y : x) * 12345, CUCPU_MRG_REST1_) : 12345;
        b_[i_] = seed ? cucpu_mrg_mod((i_ & 1 ? x : y) * 12345, CUCPU_MRG_REST2_) : 12345;
    }
}
/* From 1 to the larger modulus. */
CUCPU_RANDOM_ double cucpu_mrg_next(unsigned *a_, unsigned *b_) {
    unsigned m1 = 0u - CUCPU_MRG_REST1_, m2 = 0u - CUCPU_MRG_REST2_;
    unsigned x = cucpu_mrg_mod(1403580ull * a_[1] + 810728ull * (m1 - a_[0]), CUCPU_MRG_REST1_);
    unsigned y = cucpu_mrg_mod(527612ull * b_[2] + 1370589ull * (m2 - b_[0]), CUCPU_MRG_REST2_);
    a_[0] = a_[1], a_[1] = a_[2], a_[2] = x;
    b_[0] = b_[1], b_[1] = b_[2], b_[2] = y;
    return x <= y ? x - y + m1 : x - y; /* modulo 2^32 */
}
CUCPU_RANDOM_ unsigned cucpu_mrg_bits(double x) { return (unsigned)(x * 1.000000048662); }
#define CUCPU_MRG_NORM_ 2.3283065498378288e-10 /* makes it uniform */

/* ---- uniform numbers: in (0, 1] ---- */
CUCPU_RANDOM_ float cucpu_uniform_float(unsigned x) { return x * 0x1p-32f + 0x1p-33f; }
CUCPU_RANDOM_ double cucpu_uniform_double(unsigned x, unsigned y) {
    return (x ^ (unsigned long long)y << 21) * 0x1p-53 + 0x1p-54;
}
#endif
