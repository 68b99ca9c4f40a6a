/* cache.c: compiled code on disk, one file for each key.
**
** The directory is $CUCPU_CACHE, else $CUDA_CACHE_PATH, else $XDG_CACHE_HOME/cucpu, else ~/.cache/cucpu, and below it
** `code`; CUCPU_CACHE=0 or CUDA_CACHE_DISABLE=1 switches it off.  As code is loaded from it, it has to be the user's
** own, and nobody else's to write.
**
** A key is made of all that decides what the compiler gives: the text, the compiler's file and the device library
** beside it, options, the CPU.  Entries appear whole, by rename, so that processes may share the directory; each has
** its key, its size and a checksum in front, and one that does not agree with these is removed.  Reading an entry
** renews its time; where all entries exceed the limit those that were not read for longest are removed. */
#define _GNU_SOURCE
#include "module/cache.h"
#include "base/base.h"
#include "base/env.h"
#include "host/cpu_features.h"
#include "host/topo.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };
static const char magic[8] = "cucpu 1";

typedef struct Head {
    char magic[8];
    RtCacheKey key;
    uint64_t bytes, checksum;
} Head;

/* ---- hashes ---- */

static uint64_t mix(uint64_t h) {
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n) {
    const unsigned char *s = bytes;
    for (; n >= 8; s += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, s, 8);
        h = mix((h ^ word) * 0x9e3779b97f4a7c15u + n);
    }
    for (; n; s++, n--) h = (h ^ *s) * 0x100000001b3u;
    return mix(h);
}

static void add(RtCacheKey *k, const void *bytes, size_t n) {
    k->word[0] = hash_bytes(k->word[0] ^ 0xcbf29ce484222325u, bytes, n);
    k->word[1] = hash_bytes(k->word[1] ^ 0x84222325cbf29ce4u, bytes, n);
}

static void add_text(RtCacheKey *k, const char *text) { add(k, text ? text : "", text ? strlen(text) + 1 : 0); }

/* A file stands for its contents: another compiler has another size or time. */
static void add_file(RtCacheKey *k, const char *name) {
    struct stat st;
    if (stat(name, &st)) memset(&st, 0, sizeof st);
    int64_t facts[3] = {st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
    add_text(k, name);
    add(k, facts, sizeof facts);
}

RtCacheKey rt_cache_key(const char *text, size_t n, const char *compiler, const char *option) {
    static const char *const names[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "CUCPU_CLANG"};
    RtCacheKey k = {{CUCPU_ABI_VERSION, n}};
    char library[PATH_BYTES + 64];
    const char *slash = strrchr(compiler, '/');
    uint64_t features = rt_cpu_features();
    add(&k, text, n);
    add_file(&k, compiler);
    snprintf(library, sizeof library, "%.*s/../lib/cucpu/device.bc", slash ? (int)(slash - compiler) : 0, compiler);
    add_file(&k, library);
    add_text(&k, option);
    add(&k, &features, sizeof features);
    add_text(&k, rt_topo()->model);
    for (size_t i = 0; i < RT_COUNT(names); i++) add_text(&k, getenv(names[i]));
    return k;
}

/* ---- the directory ---- */

static char directory[PATH_BYTES];
static uint64_t limit;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool is_closed(const char *path) {
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* The number of CUDA_CACHE_MAXSIZE is one of bytes. */
static void read_limit(void) {
    const char *text = getenv("CUDA_CACHE_MAXSIZE");
    char *end = NULL;
    limit = (uint64_t)rt_env()->cache_mb << 20;
    unsigned long long bytes = text && *text ? strtoull(text, &end, 10) : 0;
    if (end && *end) rt_message("CUDA_CACHE_MAXSIZE=%s is not a number; ignored", text);
    else if (end) limit = bytes;
}

static void find_directory(void) {
    const char *own = rt_env()->cache, *cuda = getenv("CUDA_CACHE_PATH"), *off = getenv("CUDA_CACHE_DISABLE");
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char top[PATH_BYTES - 8] = "";
    read_limit();
    if ((own && !strcmp(own, "0")) || (off && atoi(off))) return;
    if (own || (cuda && *cuda)) {
        snprintf(top, sizeof top, "%s", own ? own : cuda);
    } else if (base && *base == '/') {
        snprintf(top, sizeof top, "%s/cucpu", base);
    } else if (home && *home == '/' && is_closed(home)) {
        snprintf(top, sizeof top, "%s/.cache", home);
        mkdir(top, 0700);
        snprintf(top, sizeof top, "%s/.cache/cucpu", home);
    }
    if (!*top) return;
    mkdir(top, 0700);
    if (!is_closed(top)) return;
    snprintf(directory, sizeof directory, "%s/code", top);
    mkdir(directory, 0700);
    if (!is_closed(directory)) *directory = 0;
}

const char *rt_cache_directory(void) {
    pthread_once(&once, find_directory);
    return *directory ? directory : NULL;
}

uint64_t rt_cache_limit(void) {
    pthread_once(&once, find_directory);
    return limit;
}

/* ---- entries ---- */

static bool entry_name(char *out, RtCacheKey k) {
    const char *dir = rt_cache_directory();
    if (dir) snprintf(out, PATH_BYTES + 64, "%s/%016lx%016lx", dir, (unsigned long)k.word[0], (unsigned long)k.word[1]);
    return dir != NULL;
}

static char *read_entry(FILE *f, RtCacheKey key, size_t *n) {
    Head h;
    struct stat st;
    if (fread(&h, sizeof h, 1, f) != 1 || memcmp(h.magic, magic, sizeof magic) || memcmp(&h.key, &key, sizeof key) ||
        fstat(fileno(f), &st) || h.bytes != (uint64_t)st.st_size - sizeof h)
        return NULL;
    char *bytes = malloc(h.bytes + 1);
    if (bytes && fread(bytes, 1, h.bytes, f) == h.bytes && hash_bytes(0, bytes, h.bytes) == h.checksum) {
        *n = h.bytes;
        return bytes;
    }
    free(bytes);
    return NULL;
}

char *rt_cache_read(RtCacheKey key, size_t *n) {
    char name[PATH_BYTES + 64];
    FILE *f = entry_name(name, key) ? fopen(name, "rb") : NULL;
    if (!f) return NULL;
    char *bytes = read_entry(f, key, n);
    if (bytes) futimens(fileno(f), NULL);
    else unlink(name);
    fclose(f);
    return bytes;
}

/* ---- the limit ---- */

typedef struct Found {
    char name[64];
    struct timespec time;
    uint64_t bytes;
} Found;

static int by_time(const void *a, const void *b) {
    const struct timespec *s = &((const Found *)a)->time, *t = &((const Found *)b)->time;
    if (s->tv_sec != t->tv_sec) return s->tv_sec < t->tv_sec ? -1 : 1;
    return (s->tv_nsec > t->tv_nsec) - (s->tv_nsec < t->tv_nsec);
}

static Found *list_entries(int dir, size_t *n, uint64_t *total) {
    Found *list = NULL;
    DIR *d = fdopendir(dup(dir));
    struct stat st;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strlen(e->d_name) >= sizeof list->name || fstatat(dir, e->d_name, &st, 0) || !S_ISREG(st.st_mode)) continue;
        Found *more = *n % 64 ? list : realloc(list, (*n + 64) * sizeof *list);
        if (!more) break;
        list = more;
        strcpy(list[*n].name, e->d_name);
        list[*n].time = st.st_mtim;
        list[*n].bytes = (uint64_t)st.st_size;
        *total += list[(*n)++].bytes;
    }
    if (d) closedir(d);
    return list;
}

static void remove_oldest(void) {
    size_t n = 0;
    uint64_t total = 0;
    int dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) return;
    Found *list = list_entries(dir, &n, &total);
    if (total > limit) {
        qsort(list, n, sizeof *list, by_time);
        for (size_t i = 0; i < n && total > limit; i++) {
            unlinkat(dir, list[i].name, 0);
            total -= list[i].bytes;
        }
    }
    free(list);
    close(dir);
}

void rt_cache_write(RtCacheKey key, const char *bytes, size_t n) {
    char name[PATH_BYTES + 64], temporary[PATH_BYTES + 64];
    if (!entry_name(name, key) || n + sizeof(Head) > limit) return;
    snprintf(temporary, sizeof temporary, "%s/new-XXXXXX", directory);
    int file = mkostemp(temporary, O_CLOEXEC);
    if (file < 0) return;
    Head h = {.key = key, .bytes = n, .checksum = hash_bytes(0, bytes, n)};
    memcpy(h.magic, magic, sizeof magic);
    FILE *f = fdopen(file, "wb");
    bool ok = f && fwrite(&h, sizeof h, 1, f) == 1 && fwrite(bytes, 1, n, f) == n;
    if (f) ok = !fclose(f) && ok;
    else close(file);
    if (!ok || rename(temporary, name)) unlink(temporary);
    else remove_oldest();
}
