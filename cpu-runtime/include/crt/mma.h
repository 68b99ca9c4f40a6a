/* crt/mma.h: everything is in mma.h. */
#ifndef CUCPU_CRT_MMA_H
#define CUCPU_CRT_MMA_H
#include "../mma.h"
#endif
