/* crt/host_defines.h: everything is in host_defines.h. */
#ifndef CUCPU_CRT_HOST_DEFINES_H
#define CUCPU_CRT_HOST_DEFINES_H
#include "../host_defines.h"
#endif
