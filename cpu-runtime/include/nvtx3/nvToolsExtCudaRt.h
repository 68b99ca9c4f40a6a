/* nvToolsExtCudaRt.h: everything is in nvtx3/nvToolsExt.h. */
#ifndef CUCPU_THIN_NVTX3_NVTOOLSEXTCUDART_H
#define CUCPU_THIN_NVTX3_NVTOOLSEXTCUDART_H
#include "nvToolsExt.h"
#endif
