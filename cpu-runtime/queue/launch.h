/* launch.h: launches of kernels in streams. */
#ifndef CUCPU_LAUNCH_H
#define CUCPU_LAUNCH_H
#include "exec/op.h"

typedef struct RtAttributes { /* what attributes of a launch change */
    bool cooperative;
    uint32_t cluster[3]; /* all 0: they name no clusters */
    cudaEvent_t event;   /* to be recorded after the kernel, or NULL */
} RtAttributes;
cudaError_t rt_launch_attributes(const cudaLaunchAttribute *a, unsigned n, RtAttributes *out);
cudaError_t rt_launch(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream,
                      const RtAttributes *attributes); /* NULL: none */

/* ---- operations of kernels ---- */
/* The parameters with which it was made; pointers into the op. */
void rt_kernel_params(const RtOp *op, struct cudaKernelNodeParams *out);
/* Whether it is cooperative, and its clusters, as attributes of its node. */
void rt_kernel_attributes(const RtOp *op, cudaLaunchAttributeValue *attributes);
bool rt_op_is_cooperative(const RtOp *op);
/* *out: a launch that differs only in its attributes: whether it is cooperative, and its clusters; all 0: those that
** it has. */
cudaError_t rt_relaunch_op(const RtOp *op, const RtAttributes *attributes, RtOp **out);

/* ---- parameter buffers ---- */
/* args[i] = parameter i in a buffer that has them one after another, each at its alignment; returns its size. */
size_t rt_find_params(const CucpuKernel *k, char *buffer, void **args);
/* The same for cuLaunchKernel's extra, where CU_LAUNCH_PARAM_BUFFER_POINTER names the buffer.  The caller frees
** *args. */
cudaError_t rt_unpack_params(const CucpuKernel *k, void **extra, void ***args);
#endif
