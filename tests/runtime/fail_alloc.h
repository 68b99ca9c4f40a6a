/* fail_alloc.h: the allocation functions of a test program, which return NULL on request.  Not with sanitizers, which have their own. */
#ifndef CUCPU_TESTS_FAIL_ALLOC_H
#define CUCPU_TESTS_FAIL_ALLOC_H
#include <stddef.h>
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { CAN_FAIL_ALLOC = 0 };
static int fail_alloc;
#else
enum { CAN_FAIL_ALLOC = 1 };
static _Thread_local int fail_alloc; /* n: the n-th allocation of this thread from now on fails */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static int fails_now(void) { return fail_alloc && !--fail_alloc; }
void *malloc(size_t size) { return fails_now() ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails_now() ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t size) { return fails_now() ? NULL : __libc_realloc(p, size); }
#endif
#endif
