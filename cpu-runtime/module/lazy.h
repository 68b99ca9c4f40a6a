/* lazy.h: modules whose kernels are compiled when they are first used (lazy.c). */
#ifndef CUCPU_LAZY_H
#define CUCPU_LAZY_H
#include "module/module.h"

/* Is the text one that is better compiled in parts?  CUDA_MODULE_LOADING says, else its length. */
bool rt_is_loaded_lazily(size_t n);
/* The module of a text that has several kernels, nothing of it compiled; NULL: it has not, or cannot be split. */
RtModule *rt_make_lazy_module(const char *text, size_t n);
/* A variable of such a module; NULL: there is none, or *error says why it is not to be had. */
const CucpuVar *rt_lazy_variable(RtModule *m, const char *name, cudaError_t *error);
#endif
