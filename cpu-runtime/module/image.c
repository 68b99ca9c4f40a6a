/* image.c: what NVRTC gives as PTX, and the launcher for -ptx: a text that begins like PTX, whose code, a shared
** object, is a comment in base64.  Programs keep such texts in files, in memory and in caches; cuModuleLoadData of
** any process with this library takes them. */
#include "image.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "\n//cucpu-image:";
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *rt_make_image(const char *bytes, size_t n, int arch) {
    enum { HEAD = 256 };
    char *text = malloc(HEAD + (n + 2) / 3 * 4 + 2);
    if (!text) return NULL;
    char *to = text + snprintf(text, HEAD,
                               "//\n// Made by cucpu: code for the CPU, in the comment "
                               "below.\n//\n.version 8.7\n.target sm_%d\n"
                               ".address_size 64\n%s",
                               arch, mark);
    const unsigned char *from = (const unsigned char *)bytes;
    for (size_t i = 0; i < n; i += 3) {
        uint32_t word = (uint32_t)from[i] << 16;
        if (i + 1 < n) word |= (uint32_t)from[i + 1] << 8;
        if (i + 2 < n) word |= from[i + 2];
        for (unsigned k = 0; k < 4; k++) *to++ = i + k > n ? '=' : digits[word >> (18 - 6 * k) & 63];
    }
    *to++ = '\n';
    *to = 0;
    return text;
}

bool rt_is_image(const char *text) { return strstr(text, mark) != NULL; }

char *rt_read_image(const char *text, size_t *n) {
    signed char value[256];
    memset(value, -1, sizeof value);
    for (int i = 0; i < 64; i++) value[(unsigned char)digits[i]] = (signed char)i;
    const char *s = strstr(text, mark) + strlen(mark);
    size_t length = strcspn(s, "=\r\n");
    char *bytes = malloc(length / 4 * 3 + 3), *to = bytes;
    uint32_t word = 0;
    for (size_t i = 0; bytes && i < length; i++) {
        int v = value[(unsigned char)s[i]];
        if (v < 0) {
            free(bytes);
            return NULL;
        }
        word = word << 6 | (uint32_t)v;
        if (i % 4) *to++ = (char)(word >> (6 - 2 * (i % 4)));
    }
    *n = bytes ? (size_t)(to - bytes) : 0;
    return bytes;
}
