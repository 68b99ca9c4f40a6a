/* cuda_pipeline_primitives.h: everything is in cuda_pipeline.h. */
#ifndef CUCPU_CUDA_PIPELINE_PRIMITIVES_H
#define CUCPU_CUDA_PIPELINE_PRIMITIVES_H
#include "cuda_pipeline.h"
#endif
