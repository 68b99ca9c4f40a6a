/* host_config.h: everything is in host_defines.h. */
#ifndef CUCPU_HOST_CONFIG_H
#define CUCPU_HOST_CONFIG_H
#include "host_defines.h"
#endif
