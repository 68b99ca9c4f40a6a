/* text.h: strings, string vectors, small file helpers of the launcher.
**
** Every string lives in one arena until text_free() at the end of the process: the driver runs
** for a fraction of a second, and nothing here is worth an owner of its own. */
#ifndef CUCPU_LAUNCHER_TEXT_H
#define CUCPU_LAUNCHER_TEXT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct StrVec {
    const char **v;
    size_t n, cap;
} StrVec;

void *text_alloc(size_t size); /* zeroed; never NULL */
void text_free(void);          /* everything that this header's functions returned */
char *text_copy(const char *s, size_t n);
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text_quote(const char *s); /* for a POSIX shell */
bool text_starts(const char *s, const char *prefix);
bool text_ends(const char *s, const char *suffix);
size_t text_distance(const char *a, const char *b); /* edits, swaps */
uint64_t text_hash(uint64_t seed, const void *bytes, size_t n);

void vec_add(StrVec *v, const char *s);
void vec_add_all(StrVec *v, const StrVec *from);
void vec_split(StrVec *v, const char *s, const char *separators); /* quotes protect */
bool vec_has(const StrVec *v, const char *s);
const char *const *vec_argv(StrVec *v); /* NULL-terminated */

const char *path_base(const char *path);      /* "a/b.c" -> "b.c" */
const char *path_directory(const char *path); /* "a/b.c" -> "a", "b.c" -> "." */
const char *path_stem(const char *path);      /* "a/b.x.c" -> "b.x" */
const char *path_extension(const char *path); /* "a/b.c" -> ".c", or "" */
const char *path_absolute(const char *path);  /* not resolving links */
bool file_exists(const char *path);
char *file_read(const char *path, size_t *size);                   /* NULL on failure */
bool file_write(const char *path, const void *bytes, size_t size); /* false on failure, errno set */
#endif
