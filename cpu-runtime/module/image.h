/* image.h: a shared object as a PTX text with one line of comment, which cuModuleLoadData takes.  The launcher
** writes and reads such texts, too. */
#ifndef CUCPU_IMAGE_H
#define CUCPU_IMAGE_H
#include <stdbool.h>
#include <stddef.h>

char *rt_make_image(const char *bytes, size_t n, int arch); /* NULL: no memory */
bool rt_is_image(const char *text);
char *rt_read_image(const char *text, size_t *n); /* NULL: damaged, or no memory */
/* PTX of n bytes as a cubin of *size bytes (cubin.c); NULL: no memory. */
char *rt_make_cubin(const char *ptx, size_t n, unsigned sm, size_t *size);
#endif
