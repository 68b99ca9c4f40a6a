/* cudart_platform.h: everything is in host_defines.h. */
#ifndef CUCPU_CUDART_PLATFORM_H
#define CUCPU_CUDART_PLATFORM_H
#include "host_defines.h"
#endif
