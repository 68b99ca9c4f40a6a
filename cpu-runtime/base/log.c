/* log.c: the last errors of this process as texts, in the form of CUDA 13's driver: what the runtime says on stderr,
** and each function that has returned an error, with its number and name.
**
** A line has the time, the thread, and the level.  The memory is bounded: the oldest lines go first, and what is
** missing is said.  An iterator is the number of the next line.  CUDA_LOG_FILE gets the lines as they come. */
#include "base/log.h"
#include "base/base.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 25600, LINES = 512, LINE_BYTES = 1200, LEVEL_ERROR = 0 };

struct RtLogCallback {
    RtLogFunction function;
    void *data;
    struct RtLogCallback *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char buffer[BYTES];          /* lines, each with its newline */
static unsigned short sizes[LINES]; /* of the line with this number, modulo LINES */
static unsigned first, end;         /* numbers of the lines in the buffer */
static size_t used;
static RtLogHandle callbacks;
static FILE *file;
static bool file_known;

static size_t size_from(unsigned line) {
    size_t n = 0;
    for (; line != end; line++) n += sizes[line % LINES];
    return n;
}

static void drop_oldest(void) {
    size_t n = sizes[first++ % LINES];
    memmove(buffer, buffer + n, used -= n);
}

static void append(const char *line, size_t n) {
    while (end - first == LINES || used + n > BYTES) drop_oldest();
    memcpy(buffer + used, line, n);
    used += n;
    sizes[end++ % LINES] = (unsigned short)n;
}

static FILE *log_file(void) {
    if (file_known) return file;
    file_known = true;
    const char *name = getenv("CUDA_LOG_FILE");
    if (!name || !*name) return NULL;
    return file = !strcmp(name, "stdout") ? stdout : !strcmp(name, "stderr") ? stderr : fopen(name, "a");
}

static size_t make_line(char *out, const char *text) {
    struct timespec t;
    struct tm local;
    clock_gettime(CLOCK_REALTIME, &t);
    localtime_r(&t.tv_sec, &local);
    int n = snprintf(out, LINE_BYTES, "[%02d:%02d:%02d.%03ld][%lu][CUDA][E] %s", local.tm_hour, local.tm_min,
                     local.tm_sec, t.tv_nsec / 1000000, (unsigned long)pthread_self(), text);
    if (n > LINE_BYTES - 2) n = LINE_BYTES - 2;
    out[n] = '\n';
    out[n + 1] = 0;
    return (size_t)n + 1;
}

void rt_log(const char *text) {
    char line[LINE_BYTES];
    size_t n = make_line(line, text);
    pthread_mutex_lock(&lock);
    append(line, n);
    FILE *f = log_file();
    RtLogHandle list = callbacks; /* entries are never freed: one that is no longer registered has no function */
    pthread_mutex_unlock(&lock);
    if (f) fputs(line, f), fflush(f);
    line[n - 1] = 0;
    for (; list; list = list->next) {
        RtLogFunction call = __atomic_load_n(&list->function, __ATOMIC_ACQUIRE);
        if (call) call(list->data, LEVEL_ERROR, line, n - 1);
    }
}

void rt_log_result(const char *function, int number, const char *name) {
    char text[256];
    snprintf(text, sizeof text, "Returning %d (%s) from %s", number, name, function);
    rt_log(text);
}

int rt_log_register(RtLogFunction f, void *data, RtLogHandle *out) {
    RtLogHandle entry = f ? malloc(sizeof *entry) : NULL;
    if (!entry) return 1;
    pthread_mutex_lock(&lock);
    *entry = (struct RtLogCallback){f, data, callbacks};
    callbacks = entry;
    pthread_mutex_unlock(&lock);
    if (out) *out = entry;
    return 0;
}

int rt_log_unregister(RtLogHandle handle) {
    pthread_mutex_lock(&lock);
    RtLogHandle entry = callbacks;
    while (entry && entry != handle) entry = entry->next;
    bool known = entry && entry->function;
    if (known) __atomic_store_n(&entry->function, NULL, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return !known;
}

/* ---- what is in the buffer ---- */

static const char missing[] = "[CUDA][W] older messages are no longer there\n";

/* The first line that is still there, from *iterator or from the beginning; whether some before it are not. */
static unsigned from(const unsigned *iterator, bool *truncated) {
    unsigned line = iterator ? *iterator : 0;
    *truncated = line - first > end - first; /* numbers wrap */
    return *truncated ? first : line;
}

int rt_log_current(unsigned *iterator, unsigned flags) {
    if (!iterator || flags) return 1;
    pthread_mutex_lock(&lock);
    *iterator = end;
    pthread_mutex_unlock(&lock);
    return 0;
}

int rt_log_to_file(unsigned *iterator, const char *path, unsigned flags) {
    FILE *f = path && !flags ? fopen(path, "w") : NULL;
    bool truncated;
    if (!f) return 1;
    pthread_mutex_lock(&lock);
    size_t n = size_from(from(iterator, &truncated));
    if (truncated) fputs(missing, f);
    fwrite(buffer + used - n, 1, n, f);
    if (iterator) *iterator = end;
    pthread_mutex_unlock(&lock);
    return fclose(f) != 0;
}

/* The lines from `line` on that fit, the newest last; 0: not even one. */
static size_t copy_lines(char *out, size_t room, unsigned line, bool truncated) {
    size_t n = size_from(line), head = truncated ? sizeof missing - 1 : 0;
    while (line != end && head + n + 1 > room) {
        n -= sizes[line++ % LINES];
        head = sizeof missing - 1;
    }
    if (!n) return 0;
    memcpy(out, missing, head);
    memcpy(out + head, buffer + used - n, n);
    return head + n;
}

int rt_log_to_memory(unsigned *iterator, char *out, size_t *size, unsigned flags) {
    bool truncated;
    if (!out || !size || !*size || flags) return 1;
    pthread_mutex_lock(&lock);
    unsigned line = from(iterator, &truncated);
    bool any = line != end;
    *size = copy_lines(out, *size, line, truncated);
    out[*size] = 0;
    if (iterator && (*size || !any)) *iterator = end;
    pthread_mutex_unlock(&lock);
    return any && !*size;
}
