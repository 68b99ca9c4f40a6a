/* cache.h: compiled code that is kept on disk for later processes. */
#ifndef CUCPU_CACHE_H
#define CUCPU_CACHE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct RtCacheKey {
    uint64_t word[2];
} RtCacheKey;

/* Of a text that this compiler, for this CPU, compiles with this option (NULL: none). */
RtCacheKey rt_cache_key(const char *text, size_t n, const char *compiler, const char *option);
/* The code (malloc'ed) that was stored under the key; NULL: none, or it was damaged, and is gone. */
char *rt_cache_read(RtCacheKey key, size_t *n);
void rt_cache_write(RtCacheKey key, const char *bytes, size_t n);
/* Its directory, NULL: there is none; how many bytes it may have. */
const char *rt_cache_directory(void);
uint64_t rt_cache_limit(void);
#endif
