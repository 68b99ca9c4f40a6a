/* crt/host_runtime.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_CRT_HOST_RUNTIME_H
#define CUCPU_CRT_HOST_RUNTIME_H
#include "../cuda_runtime.h"
#endif
