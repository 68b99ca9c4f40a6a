/* copy.h: copies and fills as other parts of the runtime (arrays, graphs) hand them in. */
#ifndef CUCPU_COPY_H
#define CUCPU_COPY_H
#include "exec/op.h"

typedef struct RtCopy { /* sizes in bytes; slice = distance of two z planes */
    char *dst;
    const char *src;
    size_t dst_pitch, src_pitch, dst_slice, src_slice;
    size_t width, height, depth;
} RtCopy;

/* Checks both sides and does the copy in stream order; wait = do not return before it is done. */
cudaError_t rt_copy(const RtCopy *c, enum cudaMemcpyKind kind, cudaStream_t s, bool wait);
/* Of a copy of rows that is not empty. */
cudaError_t rt_check_pitches(size_t dpitch, size_t spitch, size_t width, size_t height);
/* As cudaMemcpy3D (array.c). */
cudaError_t rt_copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t s, bool wait);
/* `width` elements of 1, 2 or 4 bytes in each of `height` rows. */
cudaError_t rt_fill(void *dst, size_t pitch, unsigned value, unsigned element, size_t width, size_t height,
                    cudaStream_t s);
/* What the operation of such a captured node does; false if the structure cannot express it. */
bool rt_copy_params(const RtOp *op, struct cudaMemcpy3DParms *out);
bool rt_fill_params(const RtOp *op, struct cudaMemsetParams *out);
#endif
