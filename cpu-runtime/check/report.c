/* report.c: the text of reports, as compute-sanitizer writes it, and what the summary counts.
**
** A report is collected, compared with the suppressions (suppress.c), counted and printed when it ends.  Under the tool
** the counts go to its pipe, and it prints the summary; else this does, at the end of the program. */
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
static FILE *out, *saved;
static uint64_t counts[128];
static unsigned printed;
static char record[1 << 14]; /* the lines of the report that is made */
static size_t length;
static int severity_of_record;

/* ---- output ---- */

static FILE *open_to_add(const char *file) {
    FILE *f = fopen(file, "ae");
    if (!f) rt_message("cannot write '%s': %s; messages go to standard error", file, strerror(errno));
    return f;
}

static FILE *open_output(void) {
    if (out) return out;
    if (rt_check.log) out = open_to_add(rt_check.log);
    if (!out) out = rt_check.tool && !rt_check.log ? stdout : stderr;
    return out;
}

static void write_lines(FILE *f, const char *prefix) {
    for (const char *line = record; *line;) {
        size_t n = strcspn(line, "\n");
        fprintf(f, "%s%s%.*s\n", prefix, *prefix ? " " : "", (int)n, line);
        line += n + 1;
    }
    fprintf(f, "%s\n", prefix);
    fflush(f);
}

/* A line; what is too long ends early. */
void rt_report(const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(record + length, sizeof record - length - 1, format, args);
    va_end(args);
    if (n > 0) length += (size_t)n < sizeof record - length - 1 ? (size_t)n : sizeof record - length - 2;
    record[length++] = '\n', record[length] = 0;
    if (length > sizeof record - 256) length = sizeof record - 256;
}

void rt_count(char kind, uint64_t n) {
    counts[(unsigned char)kind & 127] += n;
    char text[32];
    int bytes = snprintf(text, sizeof text, "%c%llu\n", kind, (unsigned long long)n);
    if (rt_check.status >= 0 && write(rt_check.status, text, (size_t)bytes) < 0) rt_check.status = -1;
}

static void count(int severity) {
    static const char kinds[] = {RT_COUNTED_INFO, RT_COUNTED_WARNING, RT_COUNTED_ERROR};
    rt_count(kinds[severity], 1);
}

static void release(void) {
    pthread_mutex_unlock(&lock);
    rt_hold_signals(false);
}

bool rt_report_begin(int severity) {
    rt_hold_signals(true);
    pthread_mutex_lock(&lock);
    length = 0, record[0] = 0;
    severity_of_record = severity;
    if (printed < rt_check.limit || rt_check.suppressions) return true;
    count(severity);
    release();
    return false;
}

static void print_record(void) {
    write_lines(open_output(), rt_check.prefix);
    if (rt_check.save && !saved) saved = open_to_add(rt_check.save);
    if (saved) write_lines(saved, "");
}

void rt_report_end(void) {
    if (!rt_check.suppressions || !rt_is_suppressed(record)) {
        count(severity_of_record);
        if (printed < rt_check.limit) print_record();
        printed++;
    }
    release();
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

static void print_summary(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(open_output(), "%s ", rt_check.prefix);
    vfprintf(out, format, args);
    fputc('\n', out);
    va_end(args);
}

/* After the destructors of the program, which may free memory. */
__attribute__((destructor)) static void end(void) {
    if (!rt_check.kinds) return;
    fflush(stdout);
    rt_report_unseen();
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
    if (rt_checks(CUCPU_CHECK_RACE)) print_summary("RACECHECK SUMMARY: %s displayed (%s, %s)", all, e, w);
    print_summary("ERROR SUMMARY: %s", e);
    fflush(out);
}
