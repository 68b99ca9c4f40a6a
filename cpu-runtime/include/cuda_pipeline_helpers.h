/* cuda_pipeline_helpers.h: everything is in cuda_pipeline_primitives.h. */
#ifndef CUCPU_CUDA_PIPELINE_HELPERS_H
#define CUCPU_CUDA_PIPELINE_HELPERS_H
#include "cuda_pipeline_primitives.h"
#endif
