/* limits.h: what launches are checked against and the device properties report; the values of cudaLimit*. */
#ifndef CUCPU_LIMITS_H
#define CUCPU_LIMITS_H
#include "base/base.h"

enum {
    RT_MAX_THREADS = 1024,
    RT_MAX_BLOCK_X = 1024,
    RT_MAX_BLOCK_Y = 1024,
    RT_MAX_BLOCK_Z = 64,
    RT_MAX_GRID_YZ = 65535,
    RT_SHARED_DEFAULT = 48 * 1024,
    RT_SHARED_OPTIN = 227 * 1024,
    RT_SHARED_PER_SM = 228 * 1024,
    RT_REGISTERS = 65536,
    RT_THREADS_PER_SM = 2048,
    RT_BLOCKS_PER_SM = 32,
    RT_MAX_CLUSTER = 16,
    RT_BLOCK_ALIGN = 128,
    RT_TIDS_PAD = 63,
    RT_ALIGN = 512, /* of device memory */
    RT_TEXTURE_PITCH = 32,
    RT_TEXTURE_LINEAR = 1 << 28, /* texels, then of pitched memory */
    RT_TEXTURE_WIDTH = 131072,
    RT_TEXTURE_HEIGHT = 65000,
    RT_MAX_PITCH = INT32_MAX,
    RT_ARG_ALIGN = 64 /* of a copied kernel argument */
};
#define RT_MAX_GRID_X 0x7fffffffu

enum { RT_LIMITS = cudaLimitPersistingL2CacheSize + 1 }; /* the number of cudaLimit* */
size_t rt_limit(enum cudaLimit limit);
void rt_set_limit(enum cudaLimit limit, size_t value);
void rt_reset_limits(void);
#endif
