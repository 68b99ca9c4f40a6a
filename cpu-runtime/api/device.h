/* device.h: settings of the device. */
#ifndef CUCPU_DEVICE_H
#define CUCPU_DEVICE_H

void rt_reset_device_flags(void); /* of cudaSetDeviceFlags */
#endif
