/* curand_mtgp32dc_p_11213.h: the 200 parameter sets of MTGP32 with period 2^11213 - 1, under this licence:
**
** Copyright (c) 2009, 2010 Mutsuo Saito, Makoto Matsumoto and Hiroshima
** University.  All rights reserved.
** Copyright (c) 2011 Mutsuo Saito, Makoto Matsumoto, Hiroshima
** University and University of Tokyo.  All rights reserved.
**
** Redistribution and use in source and binary forms, with or without
** modification, are permitted provided that the following conditions are
** met:
**
**     * Redistributions of source code must retain the above copyright
**       notice, this list of conditions and the following disclaimer.
**     * Redistributions in binary form must reproduce the above
**       copyright notice, this list of conditions and the following
**       disclaimer in the documentation and/or other materials provided
**       with the distribution.
**     * Neither the name of the Hiroshima University nor the names of
**       its contributors may be used to endorse or promote products
**       derived from this software without specific prior written
**       permission.
**
** THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS
** "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT
** LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR
** A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT
** OWNER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL,
** SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT
** LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE,
** DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY
** THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
** (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
** OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE. */
#ifndef CUCPU_CURAND_MTGP32DC_P_11213_H
#define CUCPU_CURAND_MTGP32DC_P_11213_H
#include "curand_mtgp32.h"
#define CUCPU_SPAN_(f, a, b, c, d)                                                                                             \
    {f(0), f(a), f(b), f((a) ^ (b)), f(c), f((c) ^ (a)), f((c) ^ (b)), f((c) ^ (a) ^ (b)), f(d), f((d) ^ (a)), f((d) ^ (b)),   \
     f((d) ^ (a) ^ (b)), f((d) ^ (c)), f((d) ^ (c) ^ (a)), f((d) ^ (c) ^ (b)), f((d) ^ (c) ^ (a) ^ (b))}
#define CUCPU_WORD_(x) (x)
#define CUCPU_FLOAT_(x) (0x3f800000u | (x) >> 9)
#define CUCPU_MTGP_(pos, sh1, sh2, a, b, c, d, e, f, g, h)                                                                     \
    {11213, pos, sh1, sh2, CUCPU_SPAN_(CUCPU_WORD_, a, b, c, d), CUCPU_SPAN_(CUCPU_WORD_, e, f, g, h),                         \
     CUCPU_SPAN_(CUCPU_FLOAT_, e, f, g, h), 0xfff80000u, {0}},
static __attribute__((unused)) mtgp32_params_fast_t mtgp32dc_params_fast_11213[] = {
#include "cucpu/mtgp32.inc"
};
#undef CUCPU_SPAN_
#undef CUCPU_WORD_
#undef CUCPU_FLOAT_
#undef CUCPU_MTGP_
#endif
