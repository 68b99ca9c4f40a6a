/* crt/sm_70_rt.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_CRT_SM_70_RT_H
#define CUCPU_CRT_SM_70_RT_H
#include "../cuda_runtime.h"
#endif
