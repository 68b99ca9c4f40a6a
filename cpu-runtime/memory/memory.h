/* memory.h: memory of memory nodes; what cudaDeviceReset needs of this folder. */
#ifndef CUCPU_MEMORY_H
#define CUCPU_MEMORY_H
#include "exec/op.h"

void rt_reset_pools(void); /* only the default one is left, as it began */
void rt_reset_ipc(void);   /* what was opened is closed */
void rt_reset_arrays(void);
void rt_reset_textures(void);

/* ---- node_memory.c: memory that lives as long as the operation, or as what was not freed when it ends ---- */
cudaError_t rt_graph_alloc_op(void **p, size_t bytes, RtOp **op);
cudaError_t rt_graph_free_op(void *p, RtOp **op);
void *rt_node_memory(const RtOp *op); /* of either */
bool rt_node_is_out(const RtOp *op);  /* of rt_graph_alloc_op: a launch has allocated it, and no call was to free it */
void rt_node_set_out(RtOp *op);
bool rt_graph_freed(const void *p);     /* a memory node's, allocated and now freed */
bool rt_graph_give_back(const void *p); /* a call frees what a launch has allocated */
#endif
