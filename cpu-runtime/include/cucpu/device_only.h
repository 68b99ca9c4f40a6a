/* device_only.h: how the symbols of threadIdx and its like end in host code; linker and driver (launcher/driver.c) know them by it. */
#ifndef CUCPU_DEVICE_ONLY
#define CUCPU_DEVICE_ONLY " (it is there in device code only)"
#endif
