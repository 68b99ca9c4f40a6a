/* nvToolsExtCudaRt.h: everything is in nvtx3/nvToolsExtCudaRt.h. */
#ifndef CUCPU_THIN_NVTOOLSEXTCUDART_H
#define CUCPU_THIN_NVTOOLSEXTCUDART_H
#include "nvtx3/nvToolsExtCudaRt.h"
#endif
