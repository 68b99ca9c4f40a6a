/* team.h: the team of workers, for work that is no kernel (sched.c). */
#ifndef CUCPU_TEAM_H
#define CUCPU_TEAM_H
#include <stdbool.h>
#include <stddef.h>

/* Calls piece for disjoint parts of 0..bytes, on the team if it is free and that pays. */
void rt_split(size_t bytes, void (*piece)(const void *data, size_t from, size_t to), const void *data);
/* Calls run(i, data) for each i below n, on the team; false = it is not free, nothing was done. */
bool rt_each(size_t n, void (*run)(size_t i, void *data), void *data);
#endif
