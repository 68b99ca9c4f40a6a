/* sincos_coefficients.h: made by fit_sincos.py; the highest power first. */
#ifndef CUCPU_SINCOS_COEFFICIENTS_H
#define CUCPU_SINCOS_COEFFICIENTS_H
static const double half_pi_f32[] = {0x1.921fb60000000p+0, -0x1.777a5c0000000p-25, -0x1.ee59da0000000p-50};
static const double sine_f32[] = {-0x1.994c240000000p-13, 0x1.11076a0000000p-7, -0x1.5555460000000p-3};
static const double cosine_f32[] = {0x1.99e0ee0000000p-16, -0x1.6c0c1a0000000p-10, 0x1.55554a0000000p-5};
static const double half_pi_f64[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
static const double sine_f64[] = {0x1.5d93a46b1cf29p-33,  -0x1.ae5e689eed389p-26, 0x1.71de357b1bdd1p-19,
                                  -0x1.a01a019c1619dp-13, 0x1.111111110f8a6p-7,   -0x1.5555555555549p-3};
static const double cosine_f64[] = {-0x1.8fb130f44944bp-37, 0x1.1ee9f15287fbfp-29,  -0x1.27e4f812b6670p-22,
                                    0x1.a01a019cbf629p-16,  -0x1.6c16c16c1521fp-10, 0x1.555555555554cp-5};
#endif
