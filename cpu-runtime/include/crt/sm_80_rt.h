/* crt/sm_80_rt.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_CRT_SM_80_RT_H
#define CUCPU_CRT_SM_80_RT_H
#include "../cuda_runtime.h"
#endif
