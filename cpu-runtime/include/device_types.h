/* device_types.h: everything is in host_defines.h. */
#ifndef CUCPU_DEVICE_TYPES_H
#define CUCPU_DEVICE_TYPES_H
#include "host_defines.h"
#endif
