/* log.h: the errors of this process as texts, for the functions of the API that read them (log.c). */
#ifndef CUCPU_BASE_LOG_H
#define CUCPU_BASE_LOG_H
#include <stddef.h>

typedef struct RtLogCallback *RtLogHandle;
typedef void (*RtLogFunction)(void *data, int level, char *message, size_t length);

void rt_log(const char *text);
void rt_log_result(const char *function, int number, const char *name); /* what a function has returned */
/* 0, or 1: wrong arguments. */
int rt_log_register(RtLogFunction f, void *data, RtLogHandle *out);
int rt_log_unregister(RtLogHandle handle);
int rt_log_current(unsigned *iterator, unsigned flags);
int rt_log_to_file(unsigned *iterator, const char *path, unsigned flags);
int rt_log_to_memory(unsigned *iterator, char *buffer, size_t *size, unsigned flags);
#endif
