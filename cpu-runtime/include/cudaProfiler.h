/* cudaProfiler.h: cuProfilerStart and cuProfilerStop are in cuda.h. */
#ifndef CUCPU_CUDAPROFILER_H
#define CUCPU_CUDAPROFILER_H
#include "cuda.h"
#endif
