/* device_types.h: how conversions round. */
#ifndef CUCPU_DEVICE_TYPES_H
#define CUCPU_DEVICE_TYPES_H
#include "host_defines.h"
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
#endif
