/* channel_descriptor.h: cudaCreateChannelDesc<T>(), C++ only. */
#ifndef CUCPU_CHANNEL_DESCRIPTOR_H
#define CUCPU_CHANNEL_DESCRIPTOR_H
#include "cuda_runtime_api.h"

#if defined(__cplusplus)
template <class T_> static inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc(void) {
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define CUCPU_DESC_(T, n, b, k)                                                                    \
    template <> inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc<T>(void) {             \
        return cudaCreateChannelDesc(b, (n) > 1 ? b : 0, (n) > 2 ? b : 0, (n) > 3 ? b : 0, k);     \
    }
#define CUCPU_DESCS_(T, name, b, k)                                                                \
    CUCPU_DESC_(T, 1, b, k)                                                                        \
    CUCPU_DESC_(name##1, 1, b, k) CUCPU_DESC_(name##2, 2, b, k)                                    \
    CUCPU_DESC_(name##3, 3, b, k) CUCPU_DESC_(name##4, 4, b, k)
CUCPU_DESC_(char, 1, 8, cudaChannelFormatKindSigned)
CUCPU_DESCS_(signed char, char, 8, cudaChannelFormatKindSigned)
CUCPU_DESCS_(unsigned char, uchar, 8, cudaChannelFormatKindUnsigned)
CUCPU_DESCS_(short, short, 16, cudaChannelFormatKindSigned)
CUCPU_DESCS_(unsigned short, ushort, 16, cudaChannelFormatKindUnsigned)
CUCPU_DESCS_(int, int, 32, cudaChannelFormatKindSigned)
CUCPU_DESCS_(unsigned int, uint, 32, cudaChannelFormatKindUnsigned)
CUCPU_DESCS_(float, float, 32, cudaChannelFormatKindFloat)
#undef CUCPU_DESCS_
#undef CUCPU_DESC_
/* The normalized formats come in threes, for 1, 2 and 4 channels, first those of 8 bits. */
template <cudaChannelFormatKind k_> static inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc(void) {
    static_assert(k_ >= cudaChannelFormatKindUnsignedNormalized8X1 && k_ <= cudaChannelFormatKindSignedNormalized16X4,
                  "of these kinds only the normalized ones are supported");
    constexpr int i_ = (k_ - cudaChannelFormatKindUnsignedNormalized8X1) % 6, b_ = i_ < 3 ? 8 : 16, n_ = i_ % 3;
    return cudaCreateChannelDesc(b_, n_ ? b_ : 0, n_ == 2 ? b_ : 0, n_ == 2 ? b_ : 0, k_);
}
static inline __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf(void) {
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static inline __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf1(void) {
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static inline __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf2(void) {
    return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static inline __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf4(void) {
    return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}
#endif
#endif
