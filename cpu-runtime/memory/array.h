/* array.h: CUDA arrays as array.c makes them and texture.c reads them. */
#ifndef CUCPU_ARRAY_H
#define CUCPU_ARRAY_H
#include "base/base.h"
#include "base/handles.h"
#include "cucpu/image.h"

struct cudaArray {
    RtLink link;
    bool owned; /* a level of a mipmapped array is freed with it */
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* as given */
    unsigned flags;
    size_t texel; /* bytes */
    CucpuImage image;
};

struct cudaMipmappedArray {
    RtLink link;
    unsigned levels;
    cudaArray_t *level;
};

bool rt_is_array(cudaArray_const_t a);
bool rt_is_mipmapped(cudaMipmappedArray_const_t m);
/* Channels, bits per channel and bytes of a texel; false if CUDA does not allow the format. */
bool rt_texel(const struct cudaChannelFormatDesc *d, uint32_t *channels, uint32_t *bits, size_t *bytes);
/* Of the integers in a normalized format; of any other it is the kind itself. */
enum cudaChannelFormatKind rt_base_kind(enum cudaChannelFormatKind kind, bool *normalized);
#endif
