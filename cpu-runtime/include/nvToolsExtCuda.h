/* nvToolsExtCuda.h: everything is in nvtx3/nvToolsExtCuda.h. */
#ifndef CUCPU_THIN_NVTOOLSEXTCUDA_H
#define CUCPU_THIN_NVTOOLSEXTCUDA_H
#include "nvtx3/nvToolsExtCuda.h"
#endif
