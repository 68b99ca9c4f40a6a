/* image.h: what a texture or surface object points to: the contract between the runtime, which
** builds it (cudaCreateTextureObject, cudaBindTexture...), and the fetch functions of
** cucpu/texture.h, which kernels inline.
**
** cudaTextureObject_t and cudaSurfaceObject_t are addresses of a CucpuTexture / CucpuSurface.
** Plain C11 / C++, fixed layout, also read in device code. */
#ifndef CUCPU_IMAGE_H
#define CUCPU_IMAGE_H
#include <stdint.h>

/* One level of an array, or linear or pitched memory.  Texel (x,y,z) of layer l lies at
** data + l*layer_bytes + z*slice + y*pitch + x*texel bytes. */
typedef struct CucpuImage {
    void *data;
    uint64_t pitch, slice, layer_bytes;    /* bytes */
    uint32_t width, height, depth, layers; /* texels; unused dimensions are 1 */
} CucpuImage;

typedef struct CucpuTexture {
    CucpuImage image;         /* what fetches without a level read: level 0, but for a bias or a clamp */
    const CucpuImage *levels; /* nlevels entries; NULL if nlevels == 1 */
    uint32_t nlevels;
    uint32_t channels;        /* 1, 2 or 4 */
    uint32_t bits;            /* of one channel: 8, 16, 32 */
    uint32_t kind;            /* enum cudaChannelFormatKind: signed, unsigned or float */
    uint32_t address[3];      /* enum cudaTextureAddressMode per dimension */
    uint32_t filter, mip_filter; /* enum cudaTextureFilterMode */
    uint32_t read_mode;       /* enum cudaTextureReadMode */
    uint32_t normalized;      /* coordinates in [0,1) */
    const float *srgb;        /* what each byte of the first three channels is, or NULL */
    float border[4];          /* as texels are read: floats, or the whole numbers of a normalized format */
    int32_t border_bits[4];   /* what reads of whole numbers find */
    float level_bias, level_min, level_max; /* in 256ths of a level */
    float level;              /* of fetches without one, too */
    uint32_t between;         /* this lies between two, of which they read both */
    uint32_t seamless;        /* a filter of a cube crosses its edges */
    uint32_t row_border;      /* a filter of a row reads halves of it and of the border above */
} CucpuTexture;

typedef struct CucpuSurface {
    CucpuImage image;
    uint32_t channels, bits, kind, reserved;
} CucpuSurface;
#endif
