/* printf.h: printf of device code, as the host sees it. */
#ifndef CUCPU_PRINTF_H
#define CUCPU_PRINTF_H

void rt_flush_printf(void);
#endif
