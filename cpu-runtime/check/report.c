/* report.c: the text of reports, as compute-sanitizer writes it, and what the summary counts.
**
** Under the tool the counts go to its pipe, and it prints the summary; else this does, at the end of the program. */
#define _GNU_SOURCE
#include "check/check.h"
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;
static uint64_t counts[128];
static unsigned printed;

/* ---- output ---- */

static FILE *open_output(void) {
    if (out) return out;
    if (rt_check.log) {
        out = fopen(rt_check.log, "ae");
        if (!out) rt_message("cannot write '%s': %s; messages go to standard error", rt_check.log, strerror(errno));
    }
    if (!out) out = rt_check.tool && !rt_check.log ? stdout : stderr;
    return out;
}

void rt_report(const char *format, ...) {
    va_list args;
    va_start(args, format);
    FILE *f = open_output();
    fprintf(f, "%s ", rt_check.prefix);
    vfprintf(f, format, args);
    fputc('\n', f);
    va_end(args);
}

void rt_count(char kind, uint64_t n) {
    counts[(unsigned char)kind & 127] += n;
    char record[32];
    int length = snprintf(record, sizeof record, "%c%llu\n", kind, (unsigned long long)n);
    if (rt_check.status >= 0 && write(rt_check.status, record, (size_t)length) < 0) rt_check.status = -1;
}

bool rt_report_begin(int severity) {
    static const char kinds[] = {RT_COUNTED_INFO, RT_COUNTED_WARNING, RT_COUNTED_ERROR};
    rt_hold_signals(true);
    pthread_mutex_lock(&lock);
    rt_count(kinds[severity], 1);
    if (printed++ < rt_check.limit) return true;
    pthread_mutex_unlock(&lock);
    rt_hold_signals(false);
    return false;
}

void rt_report_end(void) {
    fprintf(open_output(), "%s\n", rt_check.prefix);
    fflush(open_output());
    pthread_mutex_unlock(&lock);
    rt_hold_signals(false);
}

/* ---- parts of reports ---- */

const char *rt_commas(uint64_t n, char text[32]) {
    char *to = text + 31;
    *to = 0;
    for (int digits = 0; n || !digits; n /= 10, digits++) {
        if (digits && digits % 3 == 0) *--to = ',';
        *--to = (char)('0' + n % 10);
    }
    return to;
}

static const char *base_name(const char *file) {
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : file;
}

static void name_frame(const CucpuFrame *f, uint32_t offset, char *text, size_t bytes) {
    int n = snprintf(text, bytes, "%s", f && f->function ? f->function : "unknown function");
    if (offset && n > 0 && (size_t)n < bytes) n += snprintf(text + n, bytes - (size_t)n, "+0x%x", offset);
    if (f && f->file && f->line && n > 0 && (size_t)n < bytes)
        snprintf(text + n, bytes - (size_t)n, " in %s:%u", base_name(f->file), f->line);
}

const char *rt_name_site(const CucpuSite *s, char *text, size_t bytes) {
    name_frame(s && s->nframes ? s->frames : NULL, s ? s->offset : 0, text, bytes);
    return text;
}

void rt_report_site(const CucpuSite *s) {
    char text[1024];
    rt_report("    at %s", rt_name_site(s, text, sizeof text));
}

void rt_report_callers(const CucpuSite *s) {
    char text[1024];
    for (uint32_t i = 1; i < s->nframes; i++) {
        name_frame(&s->frames[i], 0, text, sizeof text);
        rt_report("    Device Frame: %s", text);
    }
}

void rt_report_thread(const RtHere *h) {
    uint32_t t[3], b[3];
    rt_thread_at(h, t, b);
    rt_report("    by thread (%u,%u,%u) in block (%u,%u,%u)", t[0], t[1], t[2], b[0], b[1], b[2]);
}

/* ---- the end ---- */

static void plural(char *text, size_t bytes, uint64_t n, const char *what) {
    snprintf(text, bytes, "%llu %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
}

/* After the destructors of the program, which may free memory. */
__attribute__((destructor)) static void end(void) {
    if (!rt_check.kinds) return;
    fflush(stdout);
    rt_memory_leaks();
    uint64_t errors = counts[RT_COUNTED_ERROR], warnings = counts[RT_COUNTED_WARNING];
    if (rt_check.tool || !(errors + warnings)) {
        if (out) fflush(out);
        return;
    }
    char e[64], w[64], all[64];
    plural(e, sizeof e, errors, "error");
    plural(w, sizeof w, warnings, "warning");
    plural(all, sizeof all, errors + warnings, "hazard");
    if (rt_checks(CUCPU_CHECK_RACE)) rt_report("RACECHECK SUMMARY: %s displayed (%s, %s)", all, e, w);
    rt_report("ERROR SUMMARY: %s", e);
    fflush(out);
}
