/* driver_functions.h: make_cudaPitchedPtr, make_cudaPos, make_cudaExtent. */
#ifndef CUCPU_DRIVER_FUNCTIONS_H
#define CUCPU_DRIVER_FUNCTIONS_H
#include "driver_types.h"

static __inline__ struct cudaPitchedPtr make_cudaPitchedPtr(void *p_, size_t pitch, size_t xsize,
                                                            size_t ysize) {
    struct cudaPitchedPtr v_ = {p_, pitch, xsize, ysize};
    return v_;
}
static __inline__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    struct cudaPos v_ = {x, y, z};
    return v_;
}
static __inline__ struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
    struct cudaExtent v_ = {width, height, depth};
    return v_;
}
#endif
